import { describe, expect, test } from "vitest";
import { runProgram } from "../run_program.ts";
import { bitsOf, resultsOf } from "./work.ts";

const words = (code: string, buffers: readonly (readonly number[] | number)[]): readonly number[][] =>
  runProgram(code, buffers).words.map((buffer) => [...buffer].map((word) => word >>> 0));

describe("the layout of buffers", () => {
  test("structs: alignment, vec3, @align, @size", () => {
    const code = `struct Inner { a: u32, @size(12) b: u32, @align(16) c: u32 }
struct All { x: u32, v: vec3<u32>, after: u32, @align(64) inner: Inner, pairs: array<vec2<u32>, 2>, tail: array<vec3<u32>, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> in: All;
@compute @workgroup_size(1) fn main() {
  let all = in;
  out[0] = all.x; out[1] = all.v.z; out[2] = all.after; out[3] = all.inner.a; out[4] = all.inner.b; out[5] = in.inner.c;
  out[6] = all.pairs[1].y; out[7] = in.tail[1].x; out[8] = all.tail[1].z;
}`;
    // Bytes: x 0, v 16, after 28, inner 64 (a 0, b 4, c 16; size 32), pairs 96, tail 112 (stride 16).
    const input = Array.from({ length: 48 }, (_, at) => at);
    expect(resultsOf(code, 9, [input])).toEqual([0, 6, 7, 16, 17, 20, 27, 32, 34]);
  });

  test("matrices lie in columns, those of three rows with room behind each", () => {
    const code = `struct M { a: mat2x3<f32>, b: mat3x2<f32>, c: array<mat2x2<f32>, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@group(0) @binding(1) var<storage, read_write> m: M;
@compute @workgroup_size(1) fn main() {
  var i = 1u;
  out[0] = m.a[i].z; out[1] = m.b[2][i]; out[2] = m.c[i][i].x; m.a[0] = vec3(9.0, 8.0, 7.0); m.c[0][1][1] = 6.0; m.b = m.b * 2.0;
}`;
    const input = Array.from({ length: 22 }, (_, at) => bitsOf(at));
    const [out, m] = words(code, [3, input]);
    expect(out).toEqual([6, 13, 20].map(bitsOf));
    const expected = [9, 8, 7, 3, 4, 5, 6, 7, 16, 18, 20, 22, 24, 26, 14, 15, 16, 6, 18, 19, 20, 21];
    expect(m).toEqual(expected.map(bitsOf));
  });

  test("f16: scalars, vectors, matrices, arrays", () => {
    const code = `enable f16;
struct H { a: f16, v: vec3<f16>, m: mat2x2<f16>, list: array<f16, 3>, last: f16 }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> h: H;
@compute @workgroup_size(1) fn main() {
  var i = 1u;
  out[0] = u32(h.a); out[1] = u32(h.v.z); out[2] = u32(h.m[i].x); out[3] = u32(h.list[i + 1u]); out[4] = u32(h.last);
  h.list[i] = 2h; h.v = vec3<f16>(1, 1, 1); let copy = h; h.m[0] = copy.v.xy;
}`;
    // Halves: a 0, v 4 to 6, m 8 to 11, list 12 to 14, last 15.
    const halves = Uint16Array.from(
      { length: 16 },
      (_, at) => [0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700][at % 8] ?? 0,
    );
    const [out, h] = words(code, [5, [...new Int32Array(halves.buffer)]]);
    expect(out).toEqual([0, 6, 2, 6, 7]);
    halves.set([0x3c00, 0x3c00, 0x3c00], 4);
    halves.set([0x3c00, 0x3c00], 8);
    halves[13] = 0x4000;
    expect(h).toEqual([...new Uint32Array(halves.buffer)]);
  });

  test("uniform buffers", () => {
    const code = `struct U { n: u32, v: vec4<f32>, list: array<vec4<u32>, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<uniform> u: U;
@compute @workgroup_size(1) fn main() { out[0] = u.n; out[1] = bitcast<u32>(u.v.y); var i = 1u; out[2] = u.list[i][i + 1u]; }`;
    expect(resultsOf(code, 3, [Array.from({ length: 16 }, (_, at) => at)])).toEqual([0, 5, 14]);
  });

  test("arrays without a length of structs, and their lengths", () => {
    const code = `struct S { a: u32, v: vec3<u32> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> list: array<S>;
@group(0) @binding(2) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(1) fn main() {
  out[0] = arrayLength(&list); out[1] = arrayLength(&words); out[2] = arrayLength(&out);
  list[1] = S(list[0].a + 1u, list[1].v.zyx); words[arrayLength(&words) - 1u] = 9u;
}`;
    const [out, list, rest] = words(code, [3, Array.from({ length: 19 }, (_, at) => at), 5]);
    expect(out).toEqual([2, 5, 3]);
    expect(list).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 1, 9, 10, 11, 14, 13, 12, 15, 16, 17, 18]);
    expect(rest).toEqual([0, 0, 0, 0, 9]);
  });

  test("structs that one statement copies from memory to memory", () => {
    const code = `struct S { a: array<u32, 2>, b: bool_word, v: vec2<f32> }
alias bool_word = u32;
@group(0) @binding(0) var<storage, read_write> out: array<S, 2>;
var<workgroup> w: S; var<private> p: array<S, 2>;
@compute @workgroup_size(1) fn main() {
  p[1] = S(array(1u, 2u), 3u, vec2(0.5, 1.5)); w = p[1]; workgroupBarrier(); w.a = array(w.a[1], w.a[0]); out[1] = w; var f = out[1]; f.b += 1u; out[0] = f;
}`;
    const [out] = words(code, [10]);
    const floats = [bitsOf(0.5), bitsOf(1.5)];
    // An S takes 24 bytes: v starts at byte 16.
    expect(words(code, [12])[0]).toEqual([2, 1, 4, 0, ...floats, 2, 1, 3, 0, ...floats]);
    expect(out?.length).toBe(10);
  });
});

describe("built-in values", () => {
  test("in three dimensions, as parameters and in a struct", () => {
    const code = `struct In { @builtin(global_invocation_id) global: vec3<u32>, @builtin(local_invocation_index) index: u32, @builtin(num_workgroups) count: vec3<u32> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2, 3, 2)
fn main(in: In, @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3u) {
  let whole = in.count * vec3(2u, 3u, 2u);
  let at = (in.global.z * whole.y + in.global.y) * whole.x + in.global.x;
  out[at] = dot(group, vec3(1u, 10u, 100u)) + 1000u * dot(local, vec3(1u, 10u, 100u)) + 1000000u * in.index + 100000000u * in.count.y;
}`;
    const groups = [2, 2, 3] as const;
    const out = resultsOf(code, 12 * 12, [], groups);
    const expected = Array.from({ length: 144 }, (_, at) => {
      const [x, y, z] = [at % 4, Math.floor(at / 4) % 6, Math.floor(at / 24)];
      const [gx, gy, gz] = [Math.floor(x / 2), Math.floor(y / 3), Math.floor(z / 2)];
      const [lx, ly, lz] = [x % 2, y % 3, z % 2];
      return gx + 10 * gy + 100 * gz + 1000 * (lx + 10 * ly + 100 * lz) + 1e6 * (lx + 2 * ly + 6 * lz) + 2e8;
    });
    expect(out).toEqual(expected);
  });

  test("of subgroups", () => {
    const code = `enable subgroups;
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;
@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) t: u32, @builtin(subgroup_invocation_id) lane: u32, @builtin(subgroup_size) size: u32, @builtin(subgroup_id) id: u32, @builtin(num_subgroups) count: u32) {
  out[t] = vec4(lane, size, id, count);
}`;
    const {
      words: [out],
    } = runProgram(code, [40], [1, 1, 1], { subgroupSize: 4 });
    expect([...(out ?? [])]).toEqual(
      Array.from({ length: 10 }, (_, t) => [t % 4, 4, Math.floor(t / 4), 3]).flat(),
    );
  });
});

test("a private variable may start with what a built-in function gives, which nothing else calls", () => {
  const code = `var<private> root = sqrt(16.0);
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() { out[0] = u32(root); }`;
  expect(words(code, [1])).toEqual([[4]]);
});

describe("each word of a vector is checked", () => {
  const declarations = {
    storage: "@group(0) @binding(0) var<storage, read_write> v: vec3<u32>;",
    workgroup: "var<workgroup> v: vec3<u32>;",
  };
  const accesses = {
    "that is written": ["v = vec3(1u, 2u, 3u);", "last = v.z;"],
    "that is read": ["last = v.x + v.y; let all = v; last += all.x;", "v.z = 1u;"],
  };
  const cases = Object.values(declarations).flatMap((declaration) =>
    Object.entries(accesses).map(([name, [first, second]]) => ({ name, declaration, first, second })),
  );
  test.each(cases)("one $name: $declaration", ({ declaration, first, second }) => {
    const code = `${declaration}
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) t: u32) {
  var last = 0u;
  if (t == 0u) {
    ${first}
  } else {
    ${second}
  }
  out[t] = last;
}`;
    const { findings } = runProgram(code, [3, 2]);
    expect(findings.map(({ kind, line }) => [kind, line])).toEqual([["race", 8]]);
  });
});
