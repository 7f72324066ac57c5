import { expect, test } from "vitest";
import {
  threadTileScan,
  workGroupAllocate,
  workGroupReduce,
  workGroupScan,
} from "../../src/codegen/functions.ts";
import { link } from "../../src/codegen/link.ts";
import type { WorkGroupAlgorithm } from "../../src/codegen/work_group_algorithms.ts";
import { blelloch, subgroup } from "../../src/codegen/work_group_algorithms.ts";
import { add, max } from "../../src/operators.ts";
import { u32 } from "../../src/types.ts";
import { u64 } from "../../src/types64.ts";

const call = "fn main() { _ = work_group_scan_inclusive_add_u32(1u, 0u); }";
const scan = (workGroupSize: number) => workGroupScan({ type: u32, workGroupSize });

test("two work-group sizes live in one module, by their long names", () => {
  expect(() => link(call, [scan(32), scan(64)])).toThrow(
    "link: kernel calls work_group_scan_inclusive_add_u32, which is given for several work-group sizes; call work_group_scan_inclusive_add_u32_32 or work_group_scan_inclusive_add_u32_64",
  );
  const both =
    "fn a() { _ = work_group_scan_inclusive_add_u32_32(1u, 0u); }\nfn b() { _ = work_group_scan_inclusive_add_u32_64(1u, 0u); }";
  const code = link(both, [scan(32), scan(64)]);
  expect(code).toContain("const _WORK_GROUP_SIZE_add_u32_32 = 32u;");
  expect(code).toContain("const _WORK_GROUP_SIZE_add_u32_64 = 64u;");
  expect(() =>
    link(
      "fn a() { _ = work_group_scan_inclusive_add_u32(1u, 0u) + work_group_scan_inclusive_add_u32_32(1u, 0u); }",
      [scan(32)],
    ),
  ).toThrow("which are the same; keep to one");
});

test("names that clash are refused, at the kernel's line", () => {
  expect(() => link(`${call}\nfn _combine_add_u32_32() {}`, [scan(32)], { name: "a.wgsl" })).toThrow(
    "a.wgsl, line 2: the name _combine_add_u32_32 is taken by a linked function; choose another",
  );
  const other = workGroupScan({ type: u32, workGroupSize: 32, algorithm: blelloch });
  expect(() => link(call, [scan(32), other])).toThrow(
    "is given twice, and not the same; give one of them a suffix",
  );
  const suffixed = workGroupScan({ type: u32, workGroupSize: 32, algorithm: blelloch, suffix: "tree" });
  expect(
    link(
      "fn a() { _ = work_group_scan_inclusive_add_u32(1u, 0u) + work_group_scan_inclusive_add_u32_tree(1u, 0u); }",
      [scan(32), suffixed],
    ),
  ).toContain("fn work_group_scan_inclusive_add_u32_tree(");
});

test("helpers that are the same are there once", () => {
  const wide = [add, max].map((op) => workGroupReduce({ type: u64, op, workGroupSize: 32 }));
  const tile = threadTileScan({ type: u64, tileSize: 8, workGroupSize: 32 });
  const code = link(
    "fn a(x: vec2<u32>) { _ = work_group_reduce_add_u64(x, 0u); _ = work_group_reduce_max_u64(x, 0u); _ = thread_tile_8_scan_inclusive_add_u64(x, 0u); }",
    [...wide, tile],
  );
  expect(code.match(/fn _add_u64\(/g)).toHaveLength(1);
  expect(code.match(/fn _less_u64\(/g)).toHaveLength(1);
});

test("the kernel's lines keep their numbers, and its late directives come first", () => {
  const kernel =
    "// a comment\nfn a() {}\nenable f16;\ndiagnostic(off, derivative_uniformity);\nfn b() { _ = work_group_scan_inclusive_add_u32(1u, 0u); }";
  const code = link(kernel, [workGroupScan({ type: u32, workGroupSize: 32, algorithm: subgroup })]);
  const lines = code.split("\n");
  expect(lines[0]).toBe("enable subgroups; enable f16; diagnostic(off, derivative_uniformity); // a comment");
  expect(lines.slice(1, 5)).toEqual(["fn a() {}", "", "", kernel.split("\n")[4]]);
});

test("what is not called is not there, and the text is stable", () => {
  expect(link("fn main() {}", [scan(32)])).toBe("fn main() {}");
  expect(link(call, [scan(32)])).toBe(link(call, [scan(32)]));
});

test.each<[string, () => unknown, string]>([
  [
    "a tile that is no power of two",
    () => threadTileScan({ type: u32, tileSize: 6, workGroupSize: 32 }),
    "threadTileScan: tileSize is 6; it takes a power of two up to workGroupSize, which is 32",
  ],
  [
    "the name of an algorithm",
    () =>
      workGroupScan({
        type: u32,
        workGroupSize: 32,
        algorithm: "blelloch" as unknown as WorkGroupAlgorithm,
      }),
    "workGroupScan: blelloch is not an algorithm; it takes hillisSteele, blelloch or subgroup, from wavefold/wgsl",
  ],
  [
    "a counter that WGSL has no atomic for",
    () => workGroupScan({ type: u64, workGroupSize: 32, counter: "used" }),
    "workGroupScan<u64, add>: WGSL has no atomic for it; a counter takes add, min, max, and, or, xor on u32 or i32",
  ],
  [
    "a counter that is an expression",
    () => workGroupAllocate({ workGroupSize: 32, counter: "a + b" }),
    'workGroupAllocate: counter is "a + b"; it takes the atomic\'s name in the kernel',
  ],
  [
    "a counter with a name of the function's",
    () => workGroupAllocate({ workGroupSize: 32, counter: "total" }),
    "workGroupAllocate: a counter named total would be taken for a name of the function's; choose another",
  ],
  [
    "a counter with a name of a helper's",
    () => workGroupAllocate({ workGroupSize: 32, counter: "update_earlier" }),
    "workGroupAllocate: a counter named update_earlier would be taken for a name of the functions'; choose another",
  ],
  [
    "a capacity below zero",
    () => workGroupAllocate({ workGroupSize: 32, counter: "used", capacity: -1 }),
    "workGroupAllocate: capacity is -1; it takes a whole number from 0 to 2^32 - 1, or a WGSL expression of u32",
  ],
  [
    "a suffix that is no name",
    () => workGroupScan({ type: u32, workGroupSize: 32, suffix: "a-b" }),
    'workGroupScan: suffix: name is "a-b"',
  ],
])("%s is refused", (_, action, message) => {
  expect(action).toThrow(message);
});
