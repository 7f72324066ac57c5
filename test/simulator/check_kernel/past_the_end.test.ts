import { describe, expect, test } from "vitest";
import type { CheckOptions, CheckReport } from "../../../src/simulator/index.ts";
import { checkKernel } from "../../../src/simulator/index.ts";

// An index past the end leads to the last element, where threads meet that would not meet otherwise.

const HEAD = `enable f16;
struct Pair { a: u32, b: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> halves: array<f16>;
@group(0) @binding(2) var<storage, read_write> pairs: array<Pair, 64>;
var<workgroup> words: array<u32, 64>;
var<workgroup> vectors: array<vec2<u32>, 64>;
var<workgroup> counts: array<atomic<u32>, 64>;
`;

function checkOf(body: string, options: CheckOptions = {}): CheckReport {
  const code = `${HEAD}@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(global_invocation_id) id: vec3<u32>) {
  ${body}
}`;
  return checkKernel(code, { dispatch: 1, items: 64, subgroupSizes: [8], seconds: 100, ...options });
}

const kindsOf = ({ findings }: CheckReport): readonly string[] => findings.map(({ kind }) => kind).sort();

describe("threads that meet where an index past the end leads are in no race", () => {
  test.each([
    ["words of a buffer", "data[t + 8u] = t;"],
    ["words that are read and written", "data[t + 8u] += 1u;"],
    ["halves", "halves[t + 8u] += 1h;"],
    ["an element of a member", "pairs[t + 8u].b[1] += 1u;"],
    ["whole structs", "var one = pairs[t + 8u]; one.a += 1u; pairs[t + 8u] = one;"],
    ["an inner index", "pairs[t / 8u].b[t % 8u + 2u] = t;"],
    ["words of work-group memory", "words[t + 8u] += t;"],
    ["vectors of work-group memory", "vectors[t + 8u] += vec2(t);"],
    ["parts of these", "vectors[t + 8u].y = t;"],
    ["parts by an index", "vectors[7][t] = t;"],
    ["atomics", "atomicStore(&counts[t + 8u], t); _ = atomicLoad(&counts[t + 8u]);"],
    ["a pointer", "let p = &data[t + 8u]; *p = t;"],
    ["an index that changes before the place is used", "var i = t + 8u; let p = &data[i]; i = 63u; *p = t;"],
    ["a value of all threads", "data[t + 8u] += subgroupAdd(1u);"],
    ["a pointer across a barrier", "let p = &words[t + 8u]; storageBarrier(); *p = subgroupAdd(1u);"],
    ["a pointer in a loop", "for (var i = 0u; i < 3u; i++) { let p = &words[t + 8u]; *p += i; }"],
  ])("%s", (_, body) => {
    expect(new Set(kindsOf(checkOf(body)))).toEqual(new Set(["out-of-bounds"]));
  });
});

describe("a race at the line of an index past the end is told", () => {
  test.each([
    ["of another array", "data[0] = pairs[t + 8u].a;"],
    ["of the same array, where other threads meet", "data[select(t + 40u, 7u, t < 2u)] = t;"],
    ["of the same array's last element, of two threads inside", "data[select(63u, 100u, t >= 2u)] = t;"],
    ["of halves", "halves[select(t + 40u, 7u, t < 2u)] = 1h;"],
    ["of work-group memory", "words[select(t + 40u, 7u, t < 2u)] = t;"],
    ["of vectors", "vectors[select(t + 40u, 7u, t < 2u)] = vec2(t);"],
    ["by a pointer", "let p = &data[select(t + 40u, 7u, t < 2u)]; *p = t;"],
    ["with a value of all threads", "data[select(t + 40u, 7u, t < 2u)] = subgroupAdd(1u);"],
  ])("%s", (_, body) => {
    expect(kindsOf(checkOf(body))).toEqual(["out-of-bounds", "race"]);
  });

  test("with the threads that are inside", () => {
    const { findings } = checkOf("data[select(63u, 100u, t >= 2u && t < 60u)] = t;", { runs: 1 });
    expect(findings.find(({ kind }) => kind === "race")?.threads).toEqual([
      { workGroup: [0, 0, 0], thread: 1 },
      { workGroup: [0, 0, 0], thread: 0 },
    ]);
  });
});
