import { describe, expect, test } from "vitest";
import { ArgumentError, FeatureError, LimitError } from "../../src/errors.ts";
import type { Operator } from "../../src/operators.ts";
import { and } from "../../src/operators.ts";
import { planCompact } from "../../src/primitives/compact.ts";
import { gridOf, spineLengths } from "../../src/primitives/plan.ts";
import { planReduce } from "../../src/primitives/reduce.ts";
import { planScan } from "../../src/primitives/scan.ts";
import type { ElementType } from "../../src/types.ts";
import { f16, f32, u32 } from "../../src/types.ts";
import { untyped } from "../support/fold.ts";
import { defaultLimits, factsWith } from "../support/kernels.ts";

const facts = factsWith();
const small = { type: u32, workGroupSize: 4, itemsPerThread: 2 } as const;

test.each([
  [0, []],
  [1, []],
  [8, []],
  [9, [2]],
  [64, [8]],
  [65, [9, 2]],
  [512, [64, 8]],
  [513, [65, 9, 2]],
])("the spine of %i items in tiles of 8", (length, expected) => {
  expect(spineLengths(length, 8)).toEqual(expected);
});

test.each([
  [0, 1, 1],
  [1, 1, 1],
  [65535, 65535, 1],
  [65536, 32768, 2],
  [65535 * 2 + 1, 43691, 3],
])("the grid of %i tiles", (tiles, width, height) => {
  const grid = gridOf(tiles, defaultLimits, "test");
  expect(grid).toEqual({ width, height });
  expect(grid.width * grid.height).toBeGreaterThanOrEqual(tiles);
});

test("a grid over both dimensions", () => {
  expect(() => gridOf(65535 ** 2 + 1, defaultLimits, "test")).toThrow(LimitError);
});

test.each([
  [0, 0, 1, 1],
  [8, 1, 1, 2],
  [9, 3, 2, 3],
  [65, 5, 3, 5],
  [513, 7, 4, 7],
])("the dispatches for %i items", (length, scan, reduce, compact) => {
  const plan = { ...small, maxLength: 1000 };
  expect(planScan(plan, facts).passes(length, "two-buffers", false)).toHaveLength(scan);
  expect(planReduce(plan, facts).passes(length, "two-buffers", false)).toHaveLength(reduce);
  expect(planCompact({ ...plan, where: "true" }, facts).passes(length, "two-buffers", false)).toHaveLength(
    length === 8 ? 3 : length === 0 ? compact : compact,
  );
});

test("every pass binds what its kernel names, and has a kernel that is compiled", () => {
  const plans = [
    planScan({ ...small, maxLength: 1000 }, facts),
    planReduce({ ...small, maxLength: 1000 }, facts),
    planCompact({ ...small, maxLength: 1000, where: "true" }, facts),
    planCompact({ ...small, maxLength: 1000, flags: true }, facts),
    planCompact({ ...small, maxLength: 1000, flags: true, indices: true }, facts),
  ];
  for (const plan of plans) {
    const compiled = new Set(plan.kernels.map((kernel) => kernel.code));
    for (const length of [0, 1, 8, 9, 64, 65, 512, 513, 1000]) {
      for (const [sharing, inPlace] of [
        ["two-buffers", false],
        ["one-buffer", false],
        ["one-buffer", true],
      ] as const) {
        for (const { kernel, slots } of plan.passes(length, sharing, inPlace)) {
          const title = `${plan.title} ${length} ${sharing} ${inPlace} ${kernel.label}`;
          expect(compiled.has(kernel.code), title).toBe(true);
          expect([0, ...slots.keys()].sort(), title).toEqual([...kernel.bindings.keys()].sort());
        }
      }
    }
  }
});

describe("errors name what was asked for, and the limit", () => {
  const bare = factsWith({ features: new Set() });
  const cases: [string, typeof ArgumentError, string, () => unknown][] = [
    [
      "f16",
      FeatureError,
      'scan<f16, add> needs the adapter feature "shader-f16"',
      () => planScan({ type: f16, maxLength: 1 }, bare),
    ],
    [
      "subgroup",
      FeatureError,
      'reduce<u32, add> with the algorithm subgroup needs the adapter feature "subgroups"',
      () => planReduce({ type: u32, algorithm: "subgroup", maxLength: 1 }, bare),
    ],
    [
      "operator",
      ArgumentError,
      "scan<f32, and>: and has no meaning on f32; it takes u32, u64, i32, i64",
      () =>
        planScan(
          { type: f32, op: untyped(and) as Operator<"f32">, maxLength: 1 } as Parameters<typeof planScan>[0],
          facts,
        ),
    ],
    [
      "type",
      ArgumentError,
      "scan: u128 is not an element type; it takes u32, i32, f32, f16, u64, i64, f64, or struct(…)",
      () => planScan({ type: { name: "u128" } as unknown as ElementType, maxLength: 1 }, facts),
    ],
    [
      "no operator",
      ArgumentError,
      "reduce: op is sum",
      () =>
        planReduce(
          { type: u32, op: "sum" as unknown as Operator<string>, maxLength: 1 } as Parameters<
            typeof planReduce
          >[0],
          facts,
        ),
    ],
    [
      "algorithm",
      ArgumentError,
      "scan<u32, add>: fast is not an algorithm; it takes blelloch, hillis-steele, subgroup",
      () => planScan({ type: u32, algorithm: "fast" as "blelloch", maxLength: 1 }, facts),
    ],
    [
      "workGroupSize",
      LimitError,
      "scan<u32, add>: workGroupSize is 257, and the device's limit is 256",
      () => planScan({ type: u32, workGroupSize: 257, maxLength: 1 }, facts),
    ],
    [
      "workGroupSize 0",
      ArgumentError,
      "workGroupSize is 0; it takes a whole number from 1 up",
      () => planScan({ type: u32, workGroupSize: 0, maxLength: 1 }, facts),
    ],
    [
      "items",
      ArgumentError,
      "itemsPerThread is 65; it takes 1 to 64",
      () => planScan({ type: u32, itemsPerThread: 65, maxLength: 1 }, facts),
    ],
    [
      "tile",
      ArgumentError,
      "a tile is workGroupSize * itemsPerThread = 1 item; it takes at least 2",
      () => planScan({ type: u32, workGroupSize: 1, itemsPerThread: 1, maxLength: 1 }, facts),
    ],
    [
      "memory",
      LimitError,
      "scan<u32, add> with the algorithm hillis-steele and workGroupSize 256 needs 2048 bytes of work-group memory, and the device's limit is 2000",
      () =>
        planScan(
          { type: u32, algorithm: "hillis-steele", workGroupSize: 256, maxLength: 1 },
          factsWith({}, { maxComputeWorkgroupStorageSize: 2000 }),
        ),
    ],
    [
      "binding",
      LimitError,
      "scan<u32, add>: 33554433 items of 4 bytes are more than the device can bind, which is 33554432",
      () => planScan({ type: u32, maxLength: 2 ** 25 + 1 }, facts),
    ],
    [
      "maxLength",
      ArgumentError,
      "maxLength is -1; it takes a whole number from 0 up",
      () => planReduce({ type: u32, maxLength: -1 }, facts),
    ],
    [
      "where and flags",
      ArgumentError,
      "compact<u32> takes where (a WGSL expression) or flags, and not both",
      () => planCompact({ type: u32, where: "true", flags: true, maxLength: 1 }, facts),
    ],
    [
      "neither",
      ArgumentError,
      "compact<u32> takes where (a WGSL expression) or flags, and not both",
      () => planCompact({ type: u32, maxLength: 1 }, facts),
    ],
    [
      "empty where",
      ArgumentError,
      "where is empty",
      () => planCompact({ type: u32, where: " ", maxLength: 1 }, facts),
    ],
  ];
  test.each(cases)("%s", (_, kind, message, plan) => {
    expect(plan).toThrow(kind);
    expect(plan).toThrow(message);
  });
});
