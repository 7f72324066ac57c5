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
@group(0) @binding(3) var<storage, read_write> tallies: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> found: array<u32, 64>;
fn put(p: ptr<storage, u32, read_write>) { *p = 7u; }
fn put_word(p: ptr<workgroup, u32>) { *p = 7u; }
fn put_half(p: ptr<storage, f16, read_write>) { *p = 7h; }
fn put_in(p: ptr<storage, array<u32, 2>, read_write>, i: u32) { (*p)[i] = 7u; }
fn put_by_another(p: ptr<storage, Pair, read_write>) { put(&(*p).a); let q = &(*p).b; put(&(*q)[1]); }
fn put_behind_a_barrier(p: ptr<workgroup, u32>) { workgroupBarrier(); *p = 7u; }
fn put_sums(p: ptr<storage, u32, read_write>) { *p = subgroupAdd(1u); }
fn tally(p: ptr<storage, atomic<u32>, read_write>) -> u32 { return atomicAdd(p, 7u); }
fn count(p: ptr<workgroup, atomic<u32>>) -> u32 { return atomicAdd(p, 7u); }
fn either(p: ptr<function, u32>, q: ptr<storage, u32, read_write>) { *p += 1u; *q = *p; }
`;

function checkOf(body: string, options: CheckOptions = {}): CheckReport {
  const code = `${HEAD}@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(global_invocation_id) id: vec3<u32>) {
  ${body}
}`;
  return checkKernel(code, { dispatch: 1, items: 64, subgroupSizes: [8], seconds: 100, ...options });
}

const zeros = {
  data: new Uint32Array(64),
  halves: new Uint16Array(64),
  pairs: new Uint32Array(192),
  tallies: new Uint32Array(64),
  found: new Uint32Array(64).fill(9),
};

/** What `found` holds after a body that ran on zeros. */
function foundBy(body: string): { readonly kinds: readonly string[]; readonly found: readonly number[] } {
  const used = Object.entries(zeros).filter(([name]) => body.includes(`${name}[`));
  const report = checkOf(body, { buffers: Object.fromEntries(used) });
  const result = report.buffers.find(({ name }) => name === "found")?.result ?? [];
  return { kinds: kindsOf(report), found: Array.from(new Uint32Array(Uint8Array.from(result).buffer)) };
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
    ["a pointer that a function was given", "put(&data[t + 8u]);"],
    ["one that is given to another function", "put_by_another(&pairs[t + 8u]);"],
    ["one of a function with a barrier", "put_behind_a_barrier(&words[t + 8u]);"],
    ["one of a function of all threads", "put_sums(&data[t + 8u]);"],
    ["an atomic of storage", "atomicStore(&tallies[t + 64u], t);"],
    ["a pointer across a barrier", "let p = &words[t + 8u]; storageBarrier(); *p = subgroupAdd(1u);"],
    ["a pointer in a loop", "for (var i = 0u; i < 3u; i++) { let p = &words[t + 8u]; *p += i; }"],
  ])("%s", (_, body) => {
    expect(new Set(kindsOf(checkOf(body)))).toEqual(new Set(["out-of-bounds"]));
  });
});

describe("nothing is written past the end, and what changes other elements is", () => {
  const last = (name: string, body: string) =>
    `${body} storageBarrier(); workgroupBarrier(); found[t] = ${name};`;
  test.each([
    ["a store", "data[63]", "if (t != 55u) { data[t + 8u] = 7u; }"],
    ["a function that was given a pointer", "data[63]", "if (t != 55u) { put(&data[t + 8u]); }"],
    ["a pointer with a name", "data[63]", "if (t != 55u) { let p = &data[t + 8u]; put(p); }"],
    ["work-group memory", "words[63]", "if (t != 55u) { put_word(&words[t + 8u]); }"],
    ["halves", "u32(halves[63])", "if (t != 55u) { put_half(&halves[t + 8u]); }"],
    ["an index of the function's own", "pairs[8].b[1]", "if (t >= 9u) { put_in(&pairs[t % 9u].b, 2u + t); }"],
    ["an array past the end", "pairs[63].b[0]", "put_in(&pairs[t + 64u].b, 0u);"],
    [
      "a function that gives it to another one",
      "pairs[63].a + pairs[63].b[1]",
      "put_by_another(&pairs[t + 64u]);",
    ],
    ["a function with a barrier", "words[63]", "put_behind_a_barrier(&words[select(t, 64u, t == 63u)]);"],
    ["a value of all threads", "data[63]", "put_sums(&data[select(t, 64u, t == 63u)]);"],
    ["a variable and a pointer", "data[63]", "var one = t; either(&one, &data[t + 64u]);"],
    ["an atomic of work-group memory", "atomicLoad(&counts[63])", "atomicStore(&counts[t + 64u], 7u);"],
    ["one by a function", "atomicLoad(&counts[63])", "_ = count(&counts[t + 64u]);"],
    ["an atomic of storage", "atomicLoad(&tallies[63])", "atomicMax(&tallies[t + 64u], 7u);"],
    ["one with a name", "atomicLoad(&tallies[63])", "let p = &tallies[t + 64u]; atomicOr(p, 7u);"],
    ["one that is stored by a function", "atomicLoad(&tallies[63])", "_ = tally(&tallies[t + 64u]);"],
  ])("%s", (_, name, body) => {
    const { kinds, found } = foundBy(last(name, body));
    expect(new Set(kinds)).toEqual(new Set(["out-of-bounds"]));
    expect(new Set(found)).toEqual(new Set([0]));
  });

  test.each([
    ["by a pointer", "put(&data[t]);", "data[t]"],
    [
      "by one that may lie past the end",
      "if (t < 60u) { put(&data[t]); } else { put(&data[t + 4u]); }",
      "data[t]",
    ],
    ["by a function of all threads", "put_behind_a_barrier(&words[t + 64u * (t / 60u)]);", "words[t]"],
    ["an atomic of work-group memory", "_ = count(&counts[t + 64u * (t / 60u)]);", "atomicLoad(&counts[t])"],
    ["an atomic of storage", "_ = tally(&tallies[t + 64u * (t / 60u)]);", "atomicLoad(&tallies[t])"],
  ])("where it lies inside: %s", (_, body, name) => {
    expect(new Set(foundBy(last(name, body)).found.slice(0, 60))).toEqual(new Set([7]));
  });

  test.each([
    ["of work-group memory", "counts", "count(&counts[t + 64u])"],
    ["of storage", "tallies", "tally(&tallies[t + 64u])"],
    ["that is loaded", "tallies", "atomicLoad(&tallies[t + 64u])"],
    ["that is exchanged", "counts", "atomicExchange(&counts[t + 64u], 7u)"],
    ["that is compared", "tallies", "atomicCompareExchangeWeak(&tallies[t + 64u], 0u, 7u).old_value"],
  ])("an atomic past the end is 0: one %s", (_, name, call) => {
    const body = `atomicStore(&${name}[t], 5u); storageBarrier(); workgroupBarrier(); found[t] = ${call} + atomicLoad(&${name}[63]);`;
    expect(new Set(foundBy(body).found)).toEqual(new Set([5]));
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
    ["by a function's pointer", "put(&data[select(t + 40u, 7u, t < 2u)]);"],
    ["by that of a function with a barrier", "put_behind_a_barrier(&words[select(t + 40u, 7u, t < 2u)]);"],
    ["beside an atomic past the end", "data[0] = atomicAdd(&counts[t + 64u], 1u);"],
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
