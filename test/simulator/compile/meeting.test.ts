import { describe, expect, test } from "vitest";
import { runProgram } from "../run_program.ts";
import { resultsOf } from "./work.ts";

const THREADS = 4;

/** The functions of atomics: what each leaves of 12 and -5, of u32 and of i32. All give what was there before. */
const atomics: Readonly<Record<string, readonly [u32: number, i32: number]>> = {
  atomicAdd: [7, 7],
  atomicSub: [17, 17],
  atomicMax: [-5, 12],
  atomicMin: [12, -5],
  atomicAnd: [12 & -5, 12 & -5],
  atomicOr: [12 | -5, 12 | -5],
  atomicXor: [12 ^ -5, 12 ^ -5],
  atomicExchange: [-5, -5],
};

describe("atomics", () => {
  for (const space of ["workgroup", "storage"]) {
    for (const [at, type] of (["u32", "i32"] as const).entries()) {
      test.each(Object.entries(atomics))(`%s of ${type} in ${space} memory`, (name, left) => {
        const declared =
          space === "storage"
            ? `@group(0) @binding(1) var<storage, read_write> cells: array<atomic<${type}>, 8>;`
            : `var<workgroup> cells: array<atomic<${type}>, 8>;`;
        const other = type === "u32" ? "4294967291u" : "-5i";
        const code = `@group(0) @binding(0) var<storage, read_write> out: array<vec2<u32>>;
${declared}
fn through(p: ptr<${space}, atomic<${type}>${space === "storage" ? ", read_write" : ""}>) -> ${type} { return ${name}(p, ${other}); }
@compute @workgroup_size(${THREADS}) fn main(@builtin(local_invocation_index) t: u32) {
  atomicStore(&cells[t], 12);
  let before = ${name}(&cells[t], ${other});
  atomicStore(&cells[t + 4u], 12);
  let same = through(&cells[t + 4u]) == before;
  out[t] = select(vec2(0u), vec2(u32(before), u32(atomicLoad(&cells[t]))), same && atomicLoad(&cells[t + 4u]) == atomicLoad(&cells[t]));
}`;
        const expected = Array.from({ length: THREADS }, () => [12, (left[at] ?? 0) >>> 0]).flat();
        expect(resultsOf(code, 2 * THREADS, [8])).toEqual(expected);
      });

      test(`atomicCompareExchangeWeak of ${type} in ${space} memory`, () => {
        const declared =
          space === "storage"
            ? `@group(0) @binding(1) var<storage, read_write> cell: atomic<${type}>;`
            : `var<workgroup> cell: atomic<${type}>;`;
        const code = `@group(0) @binding(0) var<storage, read_write> out: array<u32>;
${declared}
@compute @workgroup_size(1) fn main() {
  let first = atomicCompareExchangeWeak(&cell, 0, 5);
  let second = atomicCompareExchangeWeak(&cell, 3, 9);
  out[0] = u32(first.old_value) + u32(first.exchanged) * 10u;
  out[1] = u32(second.old_value) + u32(second.exchanged) * 10u;
  if (atomicCompareExchangeWeak(&cell, atomicLoad(&cell), 8).exchanged) { out[2] = u32(atomicLoad(&cell)); }
}`;
        expect(resultsOf(code, 3, [1])).toEqual([10, 5, 8]);
      });
    }
  }

  test("all threads of all work-groups count, and each gets a number of its own", () => {
    const code = `@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> count: struct_of_counts;
struct struct_of_counts { unused: u32, list: array<atomic<u32>> }
var<workgroup> near: atomic<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) t: u32) {
  let mine = atomicAdd(&count.list[1], 1u);
  let a = atomicAdd(&near, mine - mine + 1u);
  workgroupBarrier();
  if (t % 2u == 0u) { atomicSub(&near, 1u); } else if (atomicLoad(&count.list[0]) == 0u) { atomicAdd(&near, atomicAdd(&count.list[2], 1u) * 0u + 1u); }
  workgroupBarrier();
  out[mine] = mine + 100u * atomicLoad(&near);
}`;
    const out = resultsOf(code, 24, [[0, 0, 0, 0]], [3, 1, 1]);
    expect(out).toEqual(Array.from({ length: 24 }, (_, at) => at + 800));
  });
});

describe("work-group memory", () => {
  test("a value that all threads load at once: a scalar, a struct, an array, an atomic", () => {
    const code = `struct S { a: u32, v: vec2<i32>, l: array<u32, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> word: u32; var<workgroup> s: array<S, 2>; var<workgroup> tally: atomic<i32>; var<workgroup> truth: bool;
fn loaded(p: ptr<workgroup, S>) -> S { return workgroupUniformLoad(p); }
@compute @workgroup_size(${THREADS}) fn main(@builtin(local_invocation_index) t: u32) {
  if (t == 2u) { word = 5u; s[1] = S(1u, vec2(2, -3), array(4u, 6u)); truth = true; }
  atomicAdd(&tally, i32(t) + 1);
  let w = workgroupUniformLoad(&word) + u32(workgroupUniformLoad(&truth));
  let copy = loaded(&s[workgroupUniformLoad(&word) - 4u]);
  let all = workgroupUniformLoad(&tally);
  out[t] = w * 100000u + copy.a * 10000u + u32(copy.v.x - copy.v.y) * 1000u + copy.l[t % 2u] * 100u + u32(all) + workgroupUniformLoad(&s[1].l)[1];
}`;
    const expected = Array.from({ length: THREADS }, (_, t) => 615016 + (t % 2 === 0 ? 400 : 600));
    expect(resultsOf(code, THREADS)).toEqual(expected);
  });

  test("what threads write before a barrier, others read behind it, in functions and loops", () => {
    const code = `@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> words: array<u32, 8>;
fn turned(t: u32, by: u32, value: u32) -> u32 { workgroupBarrier(); words[t] = value; workgroupBarrier(); return words[(t + by) % 8u]; }
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) id: vec3<u32>) {
  var x = t; var sum = 0u;
  for (var i = 1u; i < 4u; i++) {
    x = turned(t, i, x);
    if (id.x == 1u) { sum += turned(t, 1u, x) * 100u; }
    loop { workgroupBarrier(); sum += x; break; }
    while (true) { if (i == 2u) { workgroupBarrier(); sum += 10000u; break; } break; }
  }
  out[id.x * 8u + t] = sum + turned(t, turned(t, 0u, 1u), t) * 100000u;
}`;
    const out = resultsOf(code, 16, [], [2, 1, 1]);
    const expected = Array.from({ length: 16 }, (_, index) => {
      const [t, id] = [index % 8, Math.floor(index / 8)];
      const xs = [1, 3, 6].map((by) => (t + by) % 8);
      const others = xs.map((x) => ((x + 1) % 8) * 100 * id);
      return [...xs, ...others].reduce((sum, x) => sum + x, 10000) + ((t + 1) % 8) * 100000;
    });
    expect(out).toEqual(expected);
  });
});

describe("subgroup functions", () => {
  /** Lanes 0 to 3 of two subgroups have the value 2, 3, 4, 5 and 6, 7, 8, 9. */
  const values = [2, 3, 4, 5, 6, 7, 8, 9];
  const all = (of: (lanes: readonly number[], lane: number) => number): readonly number[] =>
    values.map((_, t) => of(values.slice(t - (t % 4), t - (t % 4) + 4), t % 4));
  const sum = (lanes: readonly number[]): number => lanes.reduce((total, x) => total + x, 0);
  const product = (lanes: readonly number[]): number => lanes.reduce((total, x) => total * x, 1);

  const cases: Readonly<Record<string, readonly number[]>> = {
    "subgroupAdd(x)": all(sum),
    "subgroupMul(x)": all(product),
    "subgroupMax(x)": all((lanes) => Math.max(...lanes)),
    "subgroupMin(x)": all((lanes) => Math.min(...lanes)),
    "subgroupInclusiveAdd(x)": all((lanes, lane) => sum(lanes.slice(0, lane + 1))),
    "subgroupExclusiveAdd(x)": all((lanes, lane) => sum(lanes.slice(0, lane))),
    "subgroupInclusiveMul(x)": all((lanes, lane) => product(lanes.slice(0, lane + 1))),
    "subgroupExclusiveMul(x)": all((lanes, lane) => product(lanes.slice(0, lane))),
    "subgroupShuffle(x, (lane + 1) % 4)": all((lanes, lane) => lanes[(lane + 1) % 4] ?? 0),
    "subgroupShuffleUp(x, select(0u, 1u, lane > 0u))": all(
      (lanes, lane) => lanes[Math.max(lane - 1, 0)] ?? 0,
    ),
    "subgroupShuffleDown(x, select(0u, 2u, lane < 2u))": all(
      (lanes, lane) => lanes[lane < 2 ? lane + 2 : lane] ?? 0,
    ),
    "subgroupShuffleXor(x, 3)": all((lanes, lane) => lanes[lane ^ 3] ?? 0),
    "subgroupBroadcast(x, 2)": all((lanes) => lanes[2] ?? 0),
    "subgroupBroadcastFirst(x)": all(([first = 0]) => first),
    "quadSwapX(x)": all((lanes, lane) => lanes[lane ^ 1] ?? 0),
    "quadSwapY(x)": all((lanes, lane) => lanes[lane ^ 2] ?? 0),
    "quadSwapDiagonal(x)": all((lanes, lane) => lanes[lane ^ 3] ?? 0),
    "quadBroadcast(x, 1)": all((lanes) => lanes[1] ?? 0),
  };
  const bits: Readonly<Record<string, readonly number[]>> = {
    "subgroupAnd(x)": all((lanes) => lanes.reduce((a, b) => a & b)),
    "subgroupOr(x)": all((lanes) => lanes.reduce((a, b) => a | b)),
    "subgroupXor(x)": all((lanes) => lanes.reduce((a, b) => a ^ b)),
  };
  const types = ["u32", "i32", "f32", "f16", "vec2<u32>", "vec3<i32>", "vec4<f32>", "vec3<f16>"];
  const rows = types.flatMap((type) =>
    Object.entries({ ...cases, ...(/f/.test(type) ? {} : bits) }).map(
      ([call, expected]) => [call, type, expected] as const,
    ),
  );

  test.each(rows)("%s of %s", (call, type, expected) => {
    const last = type.startsWith("vec") ? `.${"xyzw"[Number(type[3]) - 1]}` : "";
    const code = `enable f16, subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) t: u32, @builtin(subgroup_invocation_id) lane: u32) {
  var x = ${type}(${type.replace(/vec.<(.*)>/, "$1")}(t + 2u));
  ${last === "" ? "" : "x.x *= 0;"}
  let result = ${call};
  out[t] = u32(result${last});
}`;
    const { words, findings } = runProgram(code, [8], [1, 1, 1], { subgroupSize: 4 });
    expect(findings).toEqual([]);
    // f16 holds 3024 exactly.
    expect([...(words[0] ?? [])]).toEqual(expected);
  });

  test("votes, ballots and elections, of the threads that are there", () => {
    const code = `enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) t: u32) {
  var x = subgroupBallot(t % 3u == 0u).x + 100u * u32(subgroupAll(t < 4u)) + 200u * u32(subgroupAny(t == 5u)) + 400u * u32(subgroupElect());
  if (t % 4u > 1u) { x += 1000u * subgroupBallot(true).x + 100000u * u32(subgroupElect()) + 200000u * u32(subgroupAdd(1u) == 2u && subgroupAny(t == 6u)); }
  out[t] = x;
}`;
    const { words } = runProgram(code, [8], [1, 1, 1], { subgroupSize: 4 });
    const expected = Array.from({ length: 8 }, (_, t) => {
      const lane = t % 4;
      const first = t < 4 ? 9 + 100 : 4 + 200;
      return (
        first +
        (lane === 0 ? 400 : 0) +
        (lane > 1 ? 12000 + (lane === 2 ? 100000 : 0) + (t > 4 ? 200000 : 0) : 0)
      );
    });
    expect([...(words[0] ?? [])]).toEqual(expected);
  });
});

describe("override constants", () => {
  test("their values, what is made of them, and work-groups of their size", () => {
    const code = `override size: u32 = 4; override half = size / 2u; override isOn: bool = false; @id(3 + 4) override scale: f32; const twice = 2;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
var<workgroup> words: array<u32, 8>;
@compute @workgroup_size(size, half) fn main(@builtin(local_invocation_index) t: u32) {
  words[t] = t; workgroupBarrier();
  out[t] = f32(words[size * half - 1u - t]) * scale + select(0.0, 100.0, isOn) + f32(half * twice);
}`;
    const run = (constants: Readonly<Record<string, number>>): readonly number[] => {
      const { words } = runProgram(code, [8], [1, 1, 1], {}, constants);
      return [...new Float32Array(Int32Array.from(words[0] ?? []).buffer)];
    };
    expect(run({ 7: 0.5 })).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((x) => x / 2 + 4));
    expect(run({ 7: 1, half: 1, isOn: 1 })).toEqual([3, 2, 1, 0].map((x) => x + 102).concat(0, 0, 0, 0));
    expect(run({ 7: 1, size: 2 })).toEqual([1, 0].map((x) => x + 2).concat(0, 0, 0, 0, 0, 0));
  });
});
