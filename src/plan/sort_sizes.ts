import { traitsOf } from "../adapters/adapter.ts";
import type { Shape, SortRow } from "../adapters/tables.ts";
import { LimitError, refuse, shown } from "../errors.ts";
import { blelloch, hillisSteele } from "../kernels/portable_tiles.ts";
import { comparedMemory } from "../kernels/sort_compared.ts";
import type { Digits } from "../kernels/sort_key.ts";
import { digitsOf, wordsPerKey } from "../kernels/sort_key.ts";
import type { SortKernelOptions, SortShape } from "../kernels/sort_tile.ts";
import { movesPairs, sortMemory } from "../kernels/sort_tile.ts";
import { subgroup } from "../kernels/subgroup_tiles.ts";
import type { CheckedSort } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { mostThreads } from "./device_facts.ts";
import type { TuningOptions } from "./options.ts";

// The sizes of a sort's tiles, and the digits that keys are sorted by.

/** The algorithms that scan the counters of a tile. */
export const tileAlgorithms = { blelloch, "hillis-steele": hillisSteele, subgroup } as const;

/** The sizes of the kernels, how they rank items, and the digits of the keys. */
export interface Shaped {
  readonly shape: SortShape;
  readonly digits: Digits;
}

/** Whether subgroups vote. */
export const votesFor = ({ algorithm }: TuningOptions, row: SortRow, { features }: DeviceFacts): boolean =>
  features.has("subgroups") && (algorithm === undefined ? row.byVotes : algorithm === "subgroup");

/** A thread takes more items in loops: unrolled, 124 items of 8 bytes take 6.5 s to compile on an H100, and 1.3 in loops. */
const MOST_UNROLLED = 64;

/** What is chosen for the tiles of a sort. */
export interface TileChoice extends Shape {
  readonly algorithm: TuningOptions["algorithm"];
  /** Whether subgroups vote. */
  readonly byVotes: boolean;
  /** The most bits of a digit. */
  readonly bits: number;
}

/** What is chosen where items are compared. Nothing is counted there, so how digits are counted does not matter. */
export const COMPARING = { algorithm: "blelloch", byVotes: false, bits: 8 } as const;

/**
 * The kernels' sizes, the digits, and the bytes of work-group memory. With `slotBits`, some of a digit's bits number its slot, so the
 * digit says less of the key.
 */
export function shapeOf(
  base: Omit<SortKernelOptions, "shape" | "digits">,
  range: readonly [number, number],
  { algorithm, workGroupSize, items, byVotes, bits }: TileChoice,
  facts: DeviceFacts,
): Shaped & { readonly bytes: number } {
  const sizes = {
    workGroupSize,
    items,
    unrolled: traitsOf(facts).unrolls && items <= MOST_UNROLLED,
    minSubgroupSize: facts.subgroupMinSize,
    maxSubgroupSize: facts.subgroupMaxSize,
  };
  const name = byVotes ? "subgroup" : algorithm === "hillis-steele" ? algorithm : "blelloch";
  const shape: SortShape = {
    sizes,
    algorithm: name,
    byVotes,
    sources: tileAlgorithms[name]({ sizes, subgroupIds: facts.subgroupIds }),
  };
  // A thread looks after one value of a digit.
  const most = Math.min(bits, Math.floor(Math.log2(workGroupSize))) - (base.slotBits ?? 0);
  const digits = digitsOf(range, Math.max(1, most));
  return { shape, digits, bytes: sortMemory({ ...base, shape, digits }) };
}

/** The threads and items of a tile, if it is not sorted by comparing. `isMarked` is whether marks check ranks. */
export function tileShapeOf({ row, base, maxLength }: CheckedSort, isMarked: boolean): Shape {
  const isAlone = base.payload.kind === "none";
  const movesWords = !movesPairs(base);
  const items =
    wordsPerKey(base.key.type) === 2
      ? row.longKeyItems
      : movesWords && !isMarked
        ? row.wordItems[isAlone ? 0 : 1]
        : row.items;
  return {
    workGroupSize: row.workGroupSize,
    items: row.shorter.find(([upTo]) => maxLength <= upTo)?.[1] ?? items,
  };
}

/** The most bits of a digit: the first of these whose counters have room, if subgroups vote and if threads have counters. */
export const bitsOf = (byVotes: boolean): readonly number[] => (byVotes ? [8, 6, 4, 2] : [4, 2, 1]);

/** The sizes of the kernels; or the error if work-group memory has no room for them. */
export function shapeFor(
  base: Omit<SortKernelOptions, "shape" | "digits">,
  range: readonly [number, number],
  options: TuningOptions,
  row: SortRow,
  facts: DeviceFacts,
  title: string,
): Shaped | LimitError {
  const { algorithm, itemsPerThread, workGroupSize } = options;
  const byVotes = votesFor(options, row, facts);
  const usual: Shape = byVotes ? row : { workGroupSize: row.counterThreads, items: row.counterItems };
  const threads = Math.min(mostThreads(facts), workGroupSize ?? usual.workGroupSize);
  const most = itemsPerThread ?? usual.items;
  const memory = facts.limits.maxComputeWorkgroupStorageSize;
  if (threads < 2) {
    refuse(title, "workGroupSize", shown(threads), "2 or more");
  }
  // Without a choice of the caller's, fewer items, or digits of fewer bits, take less memory.
  let least = Infinity;
  for (const votes of byVotes && algorithm === undefined ? [true, false] : [byVotes]) {
    for (const bits of bitsOf(votes)) {
      const fewest = itemsPerThread ?? 1;
      for (let items = most; items >= fewest; items = Math.floor(items / 2)) {
        const choice = { algorithm, workGroupSize: threads, items, byVotes: votes, bits };
        const made = shapeOf(base, range, choice, facts);
        least = Math.min(least, made.bytes);
        if (made.bytes <= memory) {
          return made;
        }
      }
    }
  }
  return new LimitError(
    `${title} with workGroupSize ${threads} and itemsPerThread ${most} needs ${least} bytes of work-group memory, and the device's limit is ${memory}`,
    least,
    memory,
    (["workGroupSize", "itemsPerThread", "algorithm"] as const).find((name) => options[name] !== undefined),
  );
}

/** The sizes if data is sorted by comparing; undefined if it is too long or has no room, or if the caller chose a size or an algorithm. */
export function comparedFor(
  { base, range, maxLength, row: { compared } }: CheckedSort,
  { algorithm, workGroupSize, itemsPerThread }: TuningOptions,
  facts: DeviceFacts,
): (Shaped & { readonly placed: number }) | undefined {
  const [, placed, most = 0] = compared.find(([upTo]) => maxLength <= upTo) ?? [];
  const threads = Math.min(most, mostThreads(facts));
  return placed === undefined ||
    (algorithm ?? workGroupSize ?? itemsPerThread) !== undefined ||
    threads % placed !== 0 ||
    comparedMemory(base, placed) > facts.limits.maxComputeWorkgroupStorageSize
    ? undefined
    : { ...shapeOf(base, range, { ...COMPARING, workGroupSize: threads, items: 1 }, facts), placed };
}
