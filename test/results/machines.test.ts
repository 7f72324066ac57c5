import { expect, test } from "vitest";
import type { Fold } from "../../src/index.ts";
import { add, exactAdd, max, openFold, u64 } from "../../src/index.ts";
import {
  argSortReference,
  compactReference,
  histogramReference,
  partitionReference,
  reduceReference,
  runLengthsReference,
  scanReference,
  searchSortedReference,
  sortReference,
  topKReference,
  uniqueReference,
} from "../../src/reference/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { pairs } from "../support/pairs.ts";
import { randomBits } from "../support/random.ts";

// Every primitive with the plans of each adapter that Wavefold knows, on machines with subgroups of 4 to 128 lanes, whose lanes lie anywhere.

/** More than a tile of most plans. */
const LENGTH = 1100;
/** Few items a tile, so that there are two levels of spine. */
const small = { workGroupSize: 16, itemsPerThread: 1 } as const;

const next = randomBits("machines");
const words = Uint32Array.from({ length: LENGTH }, () => next() >>> 3);
/** Enough tiles of 16 items for several groups of a look-back. */
const first = words.subarray(0, 400);
const few = words.map((word) => word % 50);
const floats = Float32Array.from(words, (word) => (word % 2000) - 1000.5);
const longs = BigUint64Array.from(words, (word) => (BigInt(word) << 20n) + 7n);
const heads = words.map((word) => Number(word % 9 === 0));
const sorted = words.slice().sort();

type Call = (fold: Fold) => readonly [actual: Promise<unknown>, expected: unknown];

const calls = {
  scan: (fold) => [fold.scan(words), scanReference(words)],
  "exclusive scan": (fold) => [
    fold.scan(longs, { exclusive: true }),
    scanReference(longs, { exclusive: true }),
  ],
  "scan in two passes, two levels of spine": (fold) => [
    fold.scan(words, { ...small, passes: "reduce-then-scan" }),
    scanReference(words),
  ],
  "scan in a single pass": (fold) => [fold.scan(first, { ...small, passes: "single" }), scanReference(first)],
  "scan by subgroups": (fold) => [
    fold.scan(words, { op: max, algorithm: "subgroup", workGroupSize: 100, itemsPerThread: 3 }),
    scanReference(words, { op: max }),
  ],
  "scan of segments by heads": (fold) => [
    fold.scan(words, { segments: { heads } }),
    scanReference(words, { segments: { heads } }),
  ],
  "sums of segments by keys": (fold) => [
    fold.reduce(words, { segments: { keys: sorted } }),
    reduceReference(words, { segments: { keys: sorted } }),
  ],
  "scan of rows": (fold) => [
    fold.scan(words, { segments: { rows: 50 } }),
    scanReference(words, { segments: { rows: 50 } }),
  ],
  reduction: (fold) => [fold.reduce(longs, { op: add }), reduceReference(longs, { op: add })],
  "exact sum": (fold) => [fold.scan(floats, { op: exactAdd }), scanReference(floats, { op: exactAdd })],
  compaction: (fold) => [
    fold.compact(words, { where: "x % 3u == 0u" }),
    compactReference(words, (x: number) => x % 3 === 0),
  ],
  "compaction in a single pass": (fold) => [
    fold.compact(first, { ...small, where: "x % 3u == 0u", passes: "single" }),
    compactReference(first, (x: number) => x % 3 === 0),
  ],
  partition: (fold) => [
    fold.partition(words, { where: "x % 3u == 0u" }),
    partitionReference(words, (x: number) => x % 3 === 0),
  ],
  unique: (fold) => [fold.unique(sorted), uniqueReference(sorted)],
  "run lengths": (fold) => [fold.runLengths(sorted), runLengthsReference(sorted)],
  histogram: (fold) => [
    fold.histogram(few, { bins: 50, range: [0, 50] }),
    histogramReference(few, { bins: 50, range: [0, 50] }),
  ],
  search: (fold) => [fold.searchSorted(sorted, few), searchSortedReference(sorted, few)],
  sort: (fold) => [fold.sort(words), sortReference(words)],
  "sort of 64-bit keys, descending": (fold) => [
    fold.sort(longs, { descending: true }),
    sortReference(longs, { descending: true }),
  ],
  "sort with positions": (fold) => [fold.argSort(few), argSortReference(few)],
  "sort of segments": (fold) => [
    fold.sort(words, { segments: { rows: 10 } }),
    sortReference(words, { segments: { rows: 10 } }),
  ],
  "top k": (fold) => [fold.topK(words, 20), topKReference(words, 20)],
  "sum of u32 as u64": (fold) => [
    fold.reduce(words, { type: u64, map: "u64(x)" }),
    words.reduce((sum, word) => sum + BigInt(word), 0n),
  ],
} as const satisfies Record<string, Call>;

/** What sizes and vendors are both chosen for: these run on every machine. */
const onAll: readonly (keyof typeof calls)[] = ["scan", "compaction", "sort"];
const names = Object.keys(calls) as (keyof typeof calls)[];
const vendors = ["software", "unknown", "nvidia"] as const;
const subgroupSizes = [4, 8, 16, 32, 64, 128] as const;
/** Sizes next to each other differ least: the other primitives take one of each two. */
const pairOfSizes = [0, 1, 2] as const;
const others = pairs({
  name: names.filter((name) => !onAll.includes(name)),
  vendor: vendors,
  pairOfSizes,
}).map(({ pairOfSizes: pair, name, vendor }) => ({
  name,
  vendor,
  subgroupSize: subgroupSizes[2 * pair + (names.indexOf(name) % 2)],
}));

/** Each machine, with the primitives that run on it. Each primitive has each vendor's plans, and runs in small, middle and large subgroups. */
const machines = vendors.flatMap((vendor) =>
  subgroupSizes.map((subgroupSize) => ({
    vendor,
    subgroupSize,
    own: [
      ...onAll,
      ...others
        .filter((row) => row.vendor === vendor && row.subgroupSize === subgroupSize)
        .map(({ name }) => name),
    ],
  })),
);

test.for(machines)("plans for $vendor, subgroups of $subgroupSize", async ({ vendor, subgroupSize, own }) => {
  const gpu = simulatedGpu({
    ...(vendor !== "software" && { vendor }),
    subgroupSize,
    lanes: "permuted",
    schedule: "random",
    atomics: "random",
    olderValues: true,
    seed: next(),
  });
  const fold = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter });
  for (const name of own) {
    const [actual, expected] = (calls[name] as Call)(fold);
    expect(await actual, name).toEqual(expected);
    expect(gpu.findings, name).toEqual([]);
  }
  fold.destroy();
});
