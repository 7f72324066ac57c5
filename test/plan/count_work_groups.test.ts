import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Kernel } from "../../src/kernels/kernel.ts";
import { countWorkGroups } from "../../src/plan/count_work_groups.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { compactReference } from "../../src/reference/compact.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { affineItems } from "../look_back/operators.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { allowFindings, untyped, useFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { affine } from "../support/operators.ts";
import { planCompact, planReduce, planScan } from "../support/plans.ts";

// Lengths on the GPU: only the work-groups that they take are started.

const fold = useFold();
const POISON = 0xdeadbeef;
const TILE = 8;
const MOST = 2 ** 10;
const sizes = { algorithm: "hillis-steele", workGroupSize: 4, itemsPerThread: 2, lengthOnGpu: true } as const;
const base = { ...sizes, type: u32, maxLength: MOST } as const;
const ofAffine = { ...base, op: untyped(affine) } as const;

/** As few tiles as a software adapter counts, and rows of few work-groups. */
const factsOf = (maxComputeWorkgroupsPerDimension = 50): DeviceFacts => {
  const { facts } = contextOf(fold().device);
  // The device's limits are no properties of their own.
  const names = Object.keys(factsWith().limits) as (keyof DeviceFacts["limits"])[];
  const own = Object.fromEntries(names.map((name) => [name, facts.limits[name]]));
  const limits = { ...own, maxComputeWorkgroupsPerDimension } as DeviceFacts["limits"];
  return { ...facts, software: true, limits };
};

const affines = affineItems(MOST, "lengths on the GPU");
const keep = (x: number): boolean => x % 3 === 1;

interface Case {
  readonly title: string;
  readonly isScan: boolean;
  plan(facts: DeviceFacts): Promise<Plan>;
  expected(data: Uint32Array): Uint32Array;
  /** Counts, or the total. */
  count?(data: Uint32Array): number;
  readonly ranges?: { readonly initial?: number };
}

const scanned = (data: Uint32Array): Uint32Array => scanReference(data, { op: affine, exclusive: true });
const cases: readonly Case[] = [
  {
    title: "a scan in two passes, of two levels",
    isScan: true,
    plan: (facts) =>
      planScan({ ...ofAffine, exclusive: true, passes: "reduce-then-scan" }, facts, ["vectors"]),
    expected: scanned,
  },
  {
    title: "a scan in two passes of items, with its total",
    isScan: true,
    plan: (facts) => planScan({ ...ofAffine, total: true, passes: "reduce-then-scan" }, facts, ["items"]),
    expected: (data) => scanReference(data, { op: affine }),
    count: (data) => reduceReference(data, { op: affine }),
  },
  {
    title: "a scan in a single pass",
    isScan: true,
    plan: (facts) => planScan({ ...ofAffine, exclusive: true, passes: "single" }, facts, ["vectors"]),
    expected: scanned,
  },
  {
    title: "a scan in a single pass, with its total and an initial value",
    isScan: true,
    plan: (facts) =>
      planScan({ ...ofAffine, initial: true, total: true, passes: "single" }, facts, ["vectors"]),
    expected: (data) => scanReference(data, { op: affine, initial: 0x80030005 }),
    count: (data) => reduceReference(data, { op: affine, initial: 0x80030005 }),
    ranges: { initial: 0x80030005 },
  },
  {
    title: "a compaction in a single pass",
    isScan: false,
    plan: (facts) => planCompact({ ...base, where: "x % 3u == 1u", passes: "single" }, facts, ["vectors"]),
    expected: (data) => compactReference(data, keep),
    count: (data) => data.filter(keep).length,
  },
  {
    title: "a reduction in one dispatch",
    isScan: false,
    plan: (facts) => planReduce({ ...ofAffine, workGroupSize: 16, passes: "single" }, facts, ["vectors"]),
    expected: (data) => Uint32Array.of(reduceReference(data, { op: affine })),
  },
];

/** Records a plan for a length on the GPU, and gives the output and what goes to a range of its own. */
async function run(
  plan: Plan,
  length: number,
  facts: DeviceFacts,
  ranges?: Case["ranges"],
): Promise<[Uint32Array, number]> {
  const { device } = fold();
  const prepared = await prepare({ ...contextOf(device), facts }, plan);
  const [input, output, count, size] = [
    affines,
    new Uint32Array(MOST).fill(POISON),
    Uint32Array.of(POISON),
    Uint32Array.of(length),
  ].map((words) => storageBuffer(device, words)) as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
  const encoder = device.createCommandEncoder();
  // The second recording finds what the first one left.
  for (let turn = 0; turn < 2; turn++) {
    prepared.record(encoder, {
      input,
      output,
      length: size,
      ...ranges,
      ...(plan.needs.has("count") && { count }),
      ...(plan.needs.has("total") && { total: count }),
    });
  }
  device.queue.submit([encoder.finish()]);
  const words = await readWords(device, output);
  const [total] = await readWords(device, count);
  prepared.destroy();
  for (const buffer of [input, output, count, size]) {
    buffer.destroy();
  }
  return [words, total as number];
}

test.for(cases)("$title", async ({ plan, isScan, expected, count, ranges }) => {
  const facts = factsOf();
  const own = countWorkGroups(await plan(facts), isScan, facts);
  const { arrangement } = own.variants[0] as (typeof own.variants)[0];
  const passes = own.passes(MOST, arrangement);
  expect(passes[0]?.kernel.entryPoint).toBe("count_work_groups");
  const lengths = [
    0,
    1,
    TILE - 1,
    TILE,
    TILE + 1,
    49 * TILE + 1,
    50 * TILE,
    51 * TILE - 3,
    700,
    MOST - 1,
    MOST,
    MOST + 99,
  ];
  for (const length of lengths) {
    const data = affines.subarray(0, Math.min(length, MOST));
    const wanted = new Uint32Array(MOST).fill(POISON);
    const result = expected(data);
    wanted.set(result);
    const [words, total] = await run(own, length, facts, ranges);
    expectSameBits(words, wanted, `of ${length}`);
    if (count) {
      expect(total, `of ${length}: count`).toBe(count(data));
    }
  }
});

test("work-groups past the end are not started", async () => {
  // Their threads all store at one place.
  allowFindings();
  const facts = factsOf(65_535);
  const plan = await planScan({ ...ofAffine, passes: "single" }, facts, ["vectors"]);
  // Here they would be seen.
  const changed = (kernel: Kernel): Kernel => {
    const code = kernel.code.replace("if (tile > last_tile(length)) {", "$& output[100] = OutputVector();");
    return { ...kernel, code };
  };
  const loud = {
    ...plan,
    kernels: plan.kernels.map(changed),
    passes: (...given: Parameters<Plan["passes"]>) =>
      plan.passes(...given).map((pass) => ({ ...pass, kernel: changed(pass.kernel) })),
  };
  expect(loud.kernels[0]?.code).not.toBe(plan.kernels[0]?.code);
  const length = 5 * TILE;
  const wanted = new Uint32Array(MOST).fill(POISON);
  wanted.set(scanReference(affines.subarray(0, length), { op: affine }));
  expectSameBits((await run(countWorkGroups(loud, true, facts), length, facts))[0], wanted, "counted");
  const [words] = await run(loud, length, facts);
  expect(words.subarray(length).includes(0)).toBe(true);
});

test("work-groups are counted where there are many, and nothing reads what those past the end leave", async () => {
  const facts = factsWith(
    { vendor: "nvidia" },
    { maxStorageBufferBindingSize: 2 ** 30, maxBufferSize: 2 ** 30 },
  );
  const isCounted = async (made: Promise<Plan>, isScan: boolean, given = facts): Promise<boolean> => {
    const plan = await made;
    const own = countWorkGroups(plan, isScan, given);
    const all = own.variants.map(({ arrangement, aside }) =>
      own.passes(plan.maxLength, arrangement, aside).some((pass) => pass.counted !== undefined),
    );
    expect(all.some(Boolean)).toBe(own !== plan);
    return all.some(Boolean);
  };
  const of = (maxLength: number) =>
    ({ type: u32, op: untyped(add), maxLength, lengthOnGpu: true, passes: "reduce-then-scan" }) as const;
  const software = { ...facts, software: true };
  expect(await isCounted(planScan(of(2 ** 28), facts), true)).toBe(true);
  expect(await isCounted(planScan(of(2 ** 20), facts), true)).toBe(false);
  expect(await isCounted(planScan(of(2 ** 20), software), true, software)).toBe(true);
  expect(await isCounted(planScan({ ...of(2 ** 28), lengthOnGpu: false }, facts), true)).toBe(false);
  // The single pass of ranges in two buffers; those that share one are scanned in two passes.
  const single = { ...of(2 ** 28), passes: "single" } as const;
  expect(await isCounted(planScan(single, facts, ["vectors"]), true)).toBe(false);
  expect(await isCounted(planScan(single, facts), true)).toBe(true);
  expect(await isCounted(planScan(single, software, ["vectors"]), true, software)).toBe(true);
  // The totals of tiles past the end would be combined.
  expect(await isCounted(planReduce(of(2 ** 28), software), false, software)).toBe(false);
  const compaction = { type: u32, where: "x > 1u", maxLength: 2 ** 28, lengthOnGpu: true } as const;
  const twice = { ...compaction, passes: "reduce-then-scan" } as const;
  expect(await isCounted(planCompact(twice, software), false, software)).toBe(false);
  const once = { ...compaction, passes: "single" } as const;
  expect(await isCounted(planCompact(once, software), false, software)).toBe(true);
  expect(await isCounted(planCompact(once, facts), false)).toBe(false);
  expect(await isCounted(planScan({ ...of(2 ** 28), segments: "rows" }, facts), true)).toBe(false);
});

test("on a GPU, a single pass has no more than 2048 work-groups for a length that only the GPU knows", async () => {
  const facts = factsWith(
    { vendor: "nvidia" },
    { maxStorageBufferBindingSize: 2 ** 30, maxBufferSize: 2 ** 30 },
  );
  const base = { type: u32, op: untyped(add), passes: "single" } as const;
  const passOf = async (changes: { maxLength: number; lengthOnGpu: boolean }, given = facts) => {
    const plan = await planScan({ ...base, ...changes }, given, ["vectors"]);
    const { workGroupSize, itemsPerThread } = plan.groupingOf("vectors");
    const [pass] = plan.passes(changes.maxLength, "vectors");
    const all = Math.ceil(changes.maxLength / (workGroupSize * itemsPerThread));
    return [pass?.kernel.code.includes("tile_taken"), pass?.tiles, all];
  };
  const long = { maxLength: 2 ** 28, lengthOnGpu: true };
  expect(await passOf(long)).toEqual([true, 2048, 43_691]);
  expect(await passOf({ ...long, lengthOnGpu: false })).toEqual([false, 43_691, 43_691]);
  // Where there are not more tiles, each work-group has one.
  expect(await passOf({ ...long, maxLength: 2 ** 23 })).toEqual([false, 2048, 2048]);
  expect(await passOf({ ...long, maxLength: 2 ** 23 + 1 })).toEqual([true, 2048, 2049]);
  expect((await passOf(long, { ...facts, software: true }))[0]).toBe(false);
});
