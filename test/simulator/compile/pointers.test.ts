import { describe, expect, test } from "vitest";
import { runProgram } from "../run_program.ts";
import { resultsOf, testWork } from "./work.ts";

describe("pointers", () => {
  testWork([
    [
      "to a variable of the function, kept by let",
      "var x = t; let p = &x; *p += 1u; meet(); *p *= 2u; meet(); return x * 10u + *p;",
      (t) => (t + 1) * 22,
    ],
    [
      "that only a called function reads where threads meet",
      "var x = t; return later(&x);",
      (t) => t + 1,
      "fn later(p: ptr<function, u32>) -> u32 { meet(); *p += 1u; meet(); return *p; }",
    ],
    [
      "to an element and a member",
      "var a: array<Item, 3>; let i = t % 3u; let p = &a[i].v[same(1u)]; *p = vec2(t, 7u); (*p).x += 1u; meet(); p.y = 8u; let q = &a[i]; let r = &q.n; *r = 5u; return a[i].v[1].x * 100u + p[1] * 10u + (*q).n;",
      (t) => (t + 1) * 100 + 85,
      "struct Item { n: u32, v: array<vec2<u32>, 2> }",
    ],
    [
      "that the function hands on",
      "var a = array(1u, 2u, 3u); outer(&a, t % 3u); return a[0] * 100u + a[1] * 10u + a[2];",
      (t) => [1, 2, 3].reduce((sum, x, at) => sum * 10 + (at === t % 3 ? x + 4 : x), 0),
      "fn inner(p: ptr<function, u32>) { meet(); *p += 4u; } fn outer(p: ptr<function, array<u32, 3>>, i: u32) { meet(); inner(&p[i]); let q = p; meet(); (*q)[i] += 0u; }",
    ],
    [
      "to two variables at once",
      "var a = t; var b = 5u; swap(&a, &b); return a * 100u + b;",
      (t) => 500 + t,
      "fn swap(p: ptr<function, u32>, q: ptr<function, u32>) { let old = *p; meet(); *p = *q; meet(); *q = old; }",
    ],
    [
      "to private memory",
      "bump(&counts[t % 2u], t); bump(&counts[1], 1u); let p = &counts; meet(); return p[0] * 100u + (*p)[1];",
      (t) => (t % 2 === 0 ? t * 100 + 1 : t + 1),
      "var<private> counts: array<u32, 2>; fn bump(p: ptr<private, u32>, by: u32) { meet(); *p += by; }",
    ],
    [
      "to work-group memory",
      "put(&shared_words, t); let p = &shared_words[t]; meet(); *p += 1u; return take(p);",
      (t) => t * 10 + 1,
      "var<workgroup> shared_words: array<u32, 6>; fn put(p: ptr<workgroup, array<u32, 6>>, t: u32) { (*p)[t] = t * 10u; meet(); } fn take(p: ptr<workgroup, u32>) -> u32 { meet(); return *p; }",
    ],
    [
      "to storage",
      "let p = &out[t]; *p = 3u; meet(); add(p, t); add(&out[t], 1u); return *p;",
      (t) => 4 + t,
      "fn add(p: ptr<storage, u32, read_write>, x: u32) { *p += x; meet(); }",
    ],
    [
      "to arrays without a length",
      "let p = &out; meet(); p[t] = 7u; return length_of(p) * 10u + length_of(&out) + p[t] * 1000u;",
      () => 7066,
      "fn length_of(p: ptr<storage, array<u32>, read_write>) -> u32 { meet(); return arrayLength(p); }",
    ],
    [
      "of the same name into different memories",
      "var x = 1u; return of_function(&x) + of_group(&tally, t);",
      () => 1,
      "var<workgroup> tally: atomic<u32>; fn of_function(p: ptr<function, u32>) -> u32 { meet(); return *p; } fn of_group(p: ptr<workgroup, atomic<u32>>, t: u32) -> u32 { meet(); return atomicOr(p, 0u) + of_storage(&out[t]); } fn of_storage(p: ptr<storage, u32, read_write>) -> u32 { meet(); return *p - *p; }",
    ],
    [
      "to a matrix and a struct with one",
      "var m = mat2x2<f32>(1.0, 2.0, 3.0, 4.0); let p = &m; (*p)[t % 2u].x = 9.0; meet(); let c = &p[1]; (*c)[1] = 5.0; return u32(m[0].x * 1000.0 + m[0].y * 100.0 + m[1].x * 10.0 + m[1].y);",
      (t) => (t % 2 === 0 ? 9235 : 1295),
    ],
    [
      "whose type has a name",
      "var x = t; more(&x); return x;",
      (t) => t + 1,
      "alias P = ptr<function, u32>; fn more(p: P) { meet(); *p += 1u; }",
    ],
  ]);

  test("to arrays at the end of structs", () => {
    const code = `struct Listed { count: u32, at: vec3<f32>, items: array<vec2<u32>> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read_write> listed: Listed;
fn length_of(p: ptr<storage, array<vec2<u32>>, read_write>) -> u32 { storageBarrier(); return arrayLength(p); }
@compute @workgroup_size(1) fn main() {
  let p = &listed.items;
  out[0] = arrayLength(&listed.items);
  storageBarrier();
  out[1] = arrayLength(p);
  out[2] = length_of(p);
  let i = out[0] - 1u;
  (*p)[i].y = 5u;
  out[3] = listed.items[i].y + listed.items[0].x;
}`;
    // Its items start at byte 32, and take 8 bytes each. Five words are behind them: two items and a half.
    const words = [1, 0, 0, 0, 0, 0, 0, 0, 70, 0, 0, 0, 0];
    expect(resultsOf(code, 4, [words])).toEqual([2, 2, 2, 75]);
  });
});

// What pointers lead to where threads meet: each thread has variables of its own.
const meetingKernel = (statements: string): string => `enable subgroups;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
fn sum_of(items: ptr<function, array<u32, 2>>) -> u32 {
  return subgroupAdd((*items)[1]);
}
fn store(at: u32, items: ptr<function, array<u32, 2>>) {
  workgroupBarrier();
  result[at] = (*items)[1];
}
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) t: u32) {
  ${statements}
}
`;

describe("pointers where threads meet", () => {
  test.each([
    [
      "a variable of one step, which a function reads whose lanes meet",
      "for (var turn = 0u; turn < 1u; turn++) {\n    var items: array<u32, 2>;\n    items[1] = 1u << t;\n    result[t] = sum_of(&items);\n  }",
      [15, 15, 15, 15],
    ],
    [
      "a variable of one step, which a function reads behind a barrier",
      "var items: array<u32, 2>;\n  items[1] = t + 5u;\n  store(t, &items);",
      [5, 6, 7, 8],
    ],
    [
      "a pointer that is used behind a barrier",
      "var items: array<u32, 2>;\n  let all = &items;\n  let second = &items[1];\n  (*all)[1] = t + 5u;\n  workgroupBarrier();\n  *second += 1u;\n  workgroupBarrier();\n  result[t] = (*all)[1];",
      [6, 7, 8, 9],
    ],
    [
      "a pointer that is handed on",
      "var items: array<u32, 2>;\n  items[1] = t;\n  let all = &items;\n  result[t] = sum_of(all) + 10u * (*all)[1];",
      [6, 16, 26, 36],
    ],
  ])("%s", (_, statements, expected) => {
    const { words, findings } = runProgram(meetingKernel(statements), [4], [1, 1, 1], { subgroupSize: 4 });
    expect(findings).toEqual([]);
    expect([...(words[0] as Int32Array)]).toEqual(expected);
  });
});
