import { expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { ElementType, ScalarType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { Kernel } from "../../src/kernels/kernel.ts";
import { planTopKRows } from "../../src/plan/select_rows.ts";
import { planSort } from "../../src/plan/sort.ts";
import { planSegmentSort } from "../../src/plan/sort_segments.ts";
import { factsWith } from "../support/kernels.ts";

// What sorts and selections of any adapter's sizes put into memory has room there.

const nvidia = factsWith(
  { vendor: "nvidia", subgroupMinSize: 32, subgroupMaxSize: 32 },
  {
    maxComputeWorkgroupStorageSize: 49_152,
    maxComputeInvocationsPerWorkgroup: 1024,
    maxComputeWorkgroupSizeX: 1024,
  },
);

test.each([
  { type: u64, moved: undefined },
  { type: u64, moved: u32 },
  { type: u32, moved: u64 },
  { type: f64, moved: f64 },
] as { type: ElementType; moved: ScalarType | undefined }[])(
  "both words of $type.name have room in work-group memory",
  ({ type, moved }) => {
    let pairs = 0;
    for (const maxLength of [2, 1000, 2000, 4096, 100_000]) {
      for (const tuning of [
        {},
        { lengthOnGpu: true },
        { lengthOnGpu: true, bits: [0, 12] },
        { lengthOnGpu: true, algorithm: "blelloch" },
        { workGroupSize: 256, itemsPerThread: 16 },
      ] as const) {
        const { kernels } = planSort({ type, maxLength, ...tuning }, nvidia, moved);
        for (const { code, label } of kernels) {
          const number = (name: string): number =>
            Number(new RegExp(`const ${name}\\b[^=]* = (\\d+)u;`).exec(code)?.[1]);
          if (code.includes("sort_memory[TILE + place]")) {
            pairs++;
            const title = `${label}: ${maxLength} ${JSON.stringify(tuning)}`;
            expect(number("MEMORY"), title).toBeGreaterThanOrEqual(
              2 * number("WORK_GROUP_SIZE") * number("ITEMS"),
            );
          }
        }
      }
    }
    expect(pairs).toBeGreaterThan(0);
  },
);

test("what is ranked by the order in which it arrives: words alone, by all their bits", () => {
  const takesIt = (more: object, moved?: ScalarType): boolean =>
    planSort({ type: u32, maxLength: 2 ** 24, ...more }, nvidia, moved).kernels.some(
      ({ entryPoint }) => entryPoint === "sort_keys_pass",
    );
  expect(
    [{}, { lengthOnGpu: true }, { type: f32, descending: true }, { maxLength: 2 ** 20 }].map((one) =>
      takesIt(one),
    ),
  ).toEqual(Array(4).fill(true));
  const others = [
    { bits: [0, 31] },
    { bits: [1, 32] },
    { indices: true },
    { type: f16 },
    { type: u64 },
    { type: f64 },
    { algorithm: "blelloch" },
  ];
  expect(others.map((one) => takesIt(one))).toEqual(others.map(() => false));
  expect(takesIt({}, u32), "with values").toBe(false);
});

test("what marks check, and how many items a thread takes", () => {
  const rankedBy = (more: object, moved?: ScalarType, facts = nvidia): string => {
    const options = { type: u32, maxLength: 2 ** 25, ...more };
    const [kernel] = planSort(options, facts, moved).kernels;
    return shapeOf(kernel);
  };
  const ofLittleMemory = {
    ...nvidia,
    limits: { ...nvidia.limits, maxComputeWorkgroupStorageSize: 16_384 },
  };
  const shapeOf = (kernel: Kernel | undefined): string => {
    const { code = "" } = kernel ?? {};
    const number = (name: string): string =>
      new RegExp(`const ${name}\\b[^=]* = (\\d+)u;`).exec(code)?.[1] ?? "";
    return `${number("WORK_GROUP_SIZE")} × ${number("ITEMS")} ${code.includes("ranks_again") ? "marks" : "votes"}`;
  };
  const twice = { passes: "reduce-then-scan" };
  const ways: readonly (readonly [found: string, expected: string])[] = [
    [rankedBy({}, u32), "256 × 22 marks"],
    [rankedBy({ indices: true }), "256 × 22 marks"],
    [rankedBy({ itemsPerThread: 48 }, u32), "256 × 48 marks"],
    [rankedBy({}, u32, ofLittleMemory), "256 × 11 marks"],
    [rankedBy({ maxLength: 2 ** 24 }, u32), "256 × 22 marks"],
    [rankedBy({ maxLength: 2 ** 20 }, u32), "256 × 16 marks"],
    [rankedBy({ type: u64, maxLength: 2 ** 24 }), "256 × 16 marks"],
    [rankedBy({ type: u64, maxLength: 2 ** 24 }, u32), "256 × 16 marks"],
    [rankedBy({ maxLength: 2 ** 24 }, u64), "256 × 22 marks"],
    [rankedBy({ bits: [0, 16] }), "256 × 22 marks"],
    [rankedBy({ bits: [0, 16], maxLength: 2 ** 20 }), "256 × 16 marks"],
    [rankedBy({ ...twice, bits: [0, 16] }), "256 × 32 votes"],
    [rankedBy(twice, u32), "256 × 28 votes"],
    [rankedBy({ ...twice, type: u64, maxLength: 2 ** 24 }), "256 × 16 votes"],
    [rankedBy({ ...twice, type: u64, maxLength: 2 ** 24 }, u32), "256 × 16 votes"],
    [rankedBy({ type: f16 }, u32), "256 × 28 votes"],
  ];
  expect(ways.map(([found]) => found)).toEqual(ways.map(([, expected]) => expected));
});

test("a part has room for its neighbour", () => {
  for (const shape of [{}, { workGroupSize: 256, itemsPerThread: 32 }, { itemsPerThread: 9 }] as const) {
    const { kernels } = planSort({ type: u32, maxLength: 2 ** 24, ...shape }, nvidia);
    const code = kernels.find(({ entryPoint }) => entryPoint === "sort_keys_pass")?.code ?? "";
    const number = (name: string): number =>
      Number(new RegExp(`const ${name}\\b[^=]* = (\\d+)u;`).exec(code)?.[1]);
    expect(number("MEMORY")).toBeGreaterThanOrEqual(number("SHARE") + 1);
  }
});

test.each([f16, f32, u64] as ElementType[])(
  "the keys of rows' chunks have room in scratch: $name",
  (type) => {
    const k = 100;
    for (const columns of [1025, 1124, 1500, 5000, 9000]) {
      for (const facts of [nvidia, factsWith({ software: true })]) {
        const count = 10;
        const maxLength = count * columns;
        const plan = planTopKRows({ type, k, segments: "rows", maxLength }, facts);
        const passes = plan.passes(maxLength, "items", false, { columns, segment_count: count });
        for (const { bindings, length } of passes.slice(1, -1)) {
          const { input } = bindings;
          if (typeof input === "object") {
            expect(input.bytes, `${columns}`).toBeGreaterThanOrEqual(length * Math.max(4, type.bytes));
          }
        }
      }
    }
  },
);

test("a thread takes more than 64 items in loops, which take less time to compile", () => {
  const codeOf = (maxLength: number): string =>
    planSegmentSort(
      { type: u32, maxLength, segments: "offsets", indices: true, algorithm: "blelloch", workGroupSize: 7 },
      nvidia,
    ).kernels[0]?.code ?? "";
  const inLoops = "ranks[item] = atomicAdd(";
  expect(codeOf(7 * 64)).not.toContain(inLoops);
  expect(codeOf(7 * 64 + 1)).toContain(inLoops);
});
