import { tablesFor } from "../adapters/adapter.ts";
import type { SortRow } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import type { Sizes } from "../kernels/sizes.ts";
import type { SortSource } from "../kernels/sort.ts";
import { areKeysAlone, networkKernel, networkSlot } from "../kernels/sort_network.ts";
import type { SegmentUse, SortedSegments } from "../kernels/sort_segments.ts";
import { numberKernel, segmentsKernel, shortSegmentsKernel } from "../kernels/sort_segments.ts";
import type { SortKernelOptions } from "../kernels/sort_tile.ts";
import type { Moved, SortOptions, SortTesting } from "./check_sort.ts";
import { checkedSort } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { mostThreads } from "./device_facts.ts";
import { givenOptions } from "./given_options.ts";
import type { TuningOptions } from "./options.ts";
import { moveSizes, ofItems, passOver } from "./plain_plan.ts";
import type { Bindings, Plan, RangeName, Scratch } from "./plan.ts";
import {
  ALL_ARRANGEMENTS,
  bound,
  distinct,
  itemTypesOf,
  rangesTaken,
  wholeWords,
  withRanges,
} from "./plan.ts";
import { countsOf, startBindings } from "./segment_counts.ts";
import { planSort, untuned } from "./sort.ts";
import { requireWhole } from "./sort_key.ts";
import { layoutOf } from "./sort_layout.ts";
import { bitsOf, COMPARING, shapeOf, votesFor } from "./sort_sizes.ts";

// Sorts of segments, each on its own. Segments that fit in work-group memory are sorted there, in one dispatch. Longer ones are
// sorted all together, by their keys and then by the numbers of their segments, which the positions of the items give.

/** The options of sorts of segments. */
export interface SegmentSortOptions {
  /** What a recording gives: `rows`, the items of a row; `offsets` and `segmentCount`; or `begins`, `ends` and `segmentCount`. */
  readonly segments: SortedSegments;
  /** The most items of a segment. Segments that fit in work-group memory are sorted there. The default is `maxLength`. */
  readonly maxSegmentLength?: number;
}

/** For tests: sizes. */
export type SegmentTesting = SortTesting & {
  /** The most slots of a tile, as a power of 2. */
  readonly slotBits?: number;
  /** The most items of segments that are sorted by comparing them. */
  readonly short?: number;
  /** The items that a thread takes, if a tile has several segments: of those that are compared, and of others. */
  readonly shortItems?: number;
  readonly slotItems?: number;
  /** The most items of segments that are sorted by networks; and their tiles' threads and items of a thread, which are powers of 2. */
  readonly network?: number;
  readonly networkThreads?: number;
  readonly networkItems?: number;
  /** The most items of a tile of others, and its threads if subgroups do not vote. */
  readonly tile?: number;
  readonly tileThreads?: number;
};

/** The most items of a segment that a tile sorts by digits. */
export const longestTile = (facts: DeviceFacts, { tile }: Pick<SegmentTesting, "tile">): number =>
  tile ?? tablesFor(facts).segmentSort.tile;

/** How segments are sorted in tiles, which are divided into slots. */
export interface Slotted {
  readonly sizes: Sizes;
  /** The slots of a tile, and the items of a slot. */
  readonly slots: number;
  readonly slot: number;
  kernelFor(
    payload: SortKernelOptions["payload"],
    use: SegmentUse,
    source: SortSource,
    storesKeys: boolean,
  ): Kernel;
}

/** @throws {ArgumentError} for what names no segments of a sort. */
export function requireSortedSegments(
  { segments, maxSegmentLength }: Partial<Record<keyof SegmentSortOptions, unknown>>,
  title: string,
): SortedSegments {
  if (segments !== "rows" && segments !== "offsets" && segments !== "begins") {
    refuse(
      title,
      "segments",
      shown(segments),
      '"rows", "offsets" or "begins"; each recording says where they start',
    );
  }
  if (maxSegmentLength !== undefined) {
    requireWhole(maxSegmentLength, 1, title, "maxSegmentLength");
  }
  return segments;
}

/** @throws {ArgumentError} for rows that are longer than those that a plan was made for. */
export function requireShortRows(title: string, columns: number, length: number, most: number): void {
  if (columns > most && length > most) {
    throw new ArgumentError(
      `${title}: rows is ${columns}, and this was prepared for a maxSegmentLength of ${most}; rows must be at most ${most}`,
      "rows",
    );
  }
}

/** Segments that are to be sorted in tiles. */
interface SegmentsInTiles {
  readonly base: Omit<SortKernelOptions, "shape" | "digits" | "slotBits">;
  readonly range: readonly [number, number];
  readonly options: TuningOptions;
  readonly row: SortRow & Omit<SegmentTesting, keyof SortTesting>;
  readonly facts: DeviceFacts;
  /** The most items of a segment. */
  readonly most: number;
}

/** Sorts segments by networks that compare their items. A slot is a power of two. */
function slottedByNetwork({ base, range, row, facts, most }: SegmentsInTiles): Slotted {
  const { networkThreads, networkItems } = tablesFor(facts).segmentSort;
  const workGroupSize = row.networkThreads ?? networkThreads;
  const items = row.networkItems ?? networkItems;
  const slot = networkSlot(most);
  const { shape, digits } = shapeOf(base, range, { ...COMPARING, workGroupSize, items }, facts);
  return {
    sizes: shape.sizes,
    slots: (workGroupSize * items) / slot,
    slot,
    kernelFor: (payload, ...others) => networkKernel({ ...base, payload, shape, digits }, slot, ...others),
  };
}

/** Sorts short segments by comparing all their items. */
function slottedByComparing({ base, range, row, facts, most }: SegmentsInTiles): Slotted {
  const { comparedThreads, comparedItems } = tablesFor(facts).segmentSort;
  const workGroupSize = Math.min(mostThreads(facts), comparedThreads);
  const items = Math.ceil(Math.max((row.shortItems ?? comparedItems) * workGroupSize, most) / workGroupSize);
  const { shape, digits } = shapeOf(base, range, { ...COMPARING, workGroupSize, items }, facts);
  return {
    sizes: shape.sizes,
    slots: Math.floor((workGroupSize * items) / most),
    slot: most,
    kernelFor: (payload, ...others) =>
      shortSegmentsKernel({ ...base, payload, shape, digits }, most, ...others),
  };
}

/** Sorts segments by their digits. It is undefined if a tile has no room for a segment. */
function slottedByDigits(
  { base, range, options, row, facts, most }: SegmentsInTiles,
  byVotes: boolean,
): Slotted | undefined {
  const { algorithm, itemsPerThread } = options;
  const { slotItems, ...sizes } = tablesFor(facts).segmentSort;
  const tileThreads = row.tileThreads ?? sizes.tileThreads;
  const usual = !byVotes || most > 8 * row.workGroupSize ? tileThreads : row.workGroupSize;
  const workGroupSize = Math.min(mostThreads(facts), options.workGroupSize ?? usual);
  // Without a choice of the caller's, a tile has as few items as the segment, or as a few slots of that length.
  const mostSlotBits = row.slotBits ?? (byVotes ? 4 : 0);
  const { upTo, items: few, longer } = slotItems;
  const least = Math.min(
    (row.slotItems ?? (most <= upTo ? few : longer)) * workGroupSize,
    most * 2 ** mostSlotBits,
  );
  const items = itemsPerThread ?? Math.ceil(Math.max(most, least) / workGroupSize);
  const tile = workGroupSize * items;
  const isLong = itemsPerThread === undefined && tile > Math.max(longestTile(facts, row), 2 * workGroupSize);
  if (workGroupSize < 2 || tile < most || isLong) {
    return undefined;
  }
  for (const bits of bitsOf(byVotes)) {
    const digit = Math.min(bits, Math.floor(Math.log2(workGroupSize)));
    let slotBits = Math.max(0, Math.min(mostSlotBits, digit - 1, Math.floor(Math.log2(tile / most))));
    while (slotBits > 0 && tile % 2 ** slotBits !== 0) {
      slotBits--;
    }
    const slotted = { ...base, slotBits };
    const choice = { algorithm, workGroupSize, items, byVotes, bits };
    const { shape, digits, bytes } = shapeOf(slotted, range, choice, facts);
    if (bytes <= facts.limits.maxComputeWorkgroupStorageSize) {
      return {
        sizes: shape.sizes,
        slots: 2 ** slotBits,
        slot: tile / 2 ** slotBits,
        kernelFor: (payload, ...others) => segmentsKernel({ ...slotted, payload, shape, digits }, ...others),
      };
    }
  }
  return undefined;
}

/**
 * How segments are sorted in tiles: short ones by comparing their items, others by their digits. If they are short, a tile has several.
 * It is undefined if there is no room for a segment.
 */
export function slottedFor(segments: SegmentsInTiles): Slotted | undefined {
  const { base, range, options, row, facts, most } = segments;
  const { algorithm, workGroupSize, itemsPerThread } = options;
  if ((algorithm ?? workGroupSize ?? itemsPerThread) === undefined) {
    const { compared, network } = tablesFor(facts).segmentSort;
    const ofKeys = base.type.kind === "float" ? "floats" : "keys";
    const kind = areKeysAlone(base, range[1] - range[0]) ? ofKeys : "items";
    if (most <= (row.short ?? compared[kind])) {
      return slottedByComparing(segments);
    }
    if (most <= (row.network ?? network[kind])) {
      return slottedByNetwork(segments);
    }
  }
  const byVotes = votesFor(options, row, facts);
  const slotted = slottedByDigits(segments, byVotes);
  return slotted === undefined && byVotes && algorithm === undefined
    ? slottedByDigits(segments, false)
    : slotted;
}

/** The ranges that say where segments start. */
export const startRanges = (segments: SortedSegments): readonly RangeName[] =>
  segments === "rows" ? [] : segments === "offsets" ? ["offsets"] : ["begins", "ends"];

/** What plans of segments have in common. */
export const planSegmentsOf = (segments: SortedSegments): Pick<Plan, "segments"> => ({
  segments: {
    numbers: [segments === "rows" ? "rows" : "segmentCount"],
    reduces: false,
    headsOf: (length) => length,
    countsOf,
  },
});

/**
 * Plans a sort of each segment on its own. It moves the same as the plan of `planSort` if the segments fit in work-group memory, and
 * else it leaves positions.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSegmentSort(
  options: SortOptions & SegmentSortOptions,
  facts: DeviceFacts,
  moved: Moved = options.indices ? "positions" : undefined,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: SegmentTesting = {},
): Plan & { readonly leavesPositions: boolean } {
  const { segments: _, maxSegmentLength, ...others } = options;
  const checked = checkedSort(others, facts, moved, testing);
  const { base, range, row, maxLength } = checked;
  const segments = requireSortedSegments(options, checked.title);
  const title = `${checked.title} of ${segments}`;
  const most = Math.min(maxLength, maxSegmentLength ?? maxLength);
  const slotted = slottedFor({ base, range, options, row, facts, most: Math.max(1, most) });
  // Items in gaps have to come to the output, too.
  if (slotted === undefined || segments === "begins") {
    return { ...planLong(others, segments, title, facts, testing), leavesPositions: true };
  }
  const layout = layoutOf({ ...checked, title }, slotted.sizes, arrangements, 1, facts);
  const { common, storesKeys, bindingsFor, copies } = layout;
  const kernel = slotted.kernelFor(base.payload, segments, "items", storesKeys);
  const bindingsOf = (aside: boolean): Bindings => ({
    ...bindingsFor(kernel, 0, 1, aside),
    ...bound(kernel, startBindings(segments)),
  });
  return {
    ...common,
    ...planSegmentsOf(segments),
    needs: new Set<RangeName>([...common.needs, ...startRanges(segments)]),
    kernels: distinct([kernel, ...layout.kernels]),
    scratch: layout.scratch,
    leavesPositions: false,
    passes(length, _, aside = false, { columns = 0, segment_count: count = 0 } = {}) {
      requireShortRows(title, columns, length, most);
      return length === 0 || count === 0
        ? []
        : [
            { kernel, bindings: bindingsOf(aside), length, tiles: Math.ceil(count / slotted.slots) },
            ...(aside ? copies(length) : []),
          ];
    },
  };
}

/** The options for tuning alone. */
export const tuningIn = (options: TuningOptions): TuningOptions =>
  givenOptions(options, ["algorithm", "passes", "workGroupSize", "itemsPerThread"]);

/**
 * Sorts positions by their keys, and then by their segments. `order` leaves the positions by their keys. The adapter's own tuning does
 * not count.
 */
export function planLong(
  options: SortOptions,
  segments: SortedSegments,
  title: string,
  given: DeviceFacts,
  testing: SortTesting,
  order: Plan = planSort({ ...options, indices: true }, untuned(given), "positions", ["items"], testing),
): Plan {
  const facts = untuned(given);
  const { type, lengthOnGpu = false } = options;
  const { maxLength } = order;
  // There are no more rows than items. How many offsets there are only a recording says.
  const bits = segments === "rows" ? Math.max(1, Math.ceil(Math.log2(Math.max(1, maxLength)))) : 32;
  const byNumber = {
    type: u32,
    indices: true,
    bits: [0, bits],
    maxLength,
    lengthOnGpu,
    ...tuningIn(options),
  } as const;
  const place = planSort(byNumber, facts, u32, ["items"], testing, true);
  const sizes = moveSizes(title, u32, facts);
  const number = numberKernel(segments, lengthOnGpu, sizes);

  // The positions by their keys, and the numbers of their segments.
  const bytes = wholeWords(maxLength * 4);
  const positions: Scratch = { name: "positions", bytes };
  const numbers: Scratch = { name: "numbers of segments", bytes };
  return {
    ...ofItems(title, maxLength),
    needs: rangesTaken({ input: true, output: true, length: lengthOnGpu }, startRanges(segments)),
    itemTypes: itemTypesOf(type, u32),
    ...(order.sizes && { sizes: order.sizes }),
    ...planSegmentsOf(segments),
    variants: order.variants,
    groupingOf: order.groupingOf,
    kernels: distinct([...order.kernels, number, ...place.kernels]),
    scratch: [positions, numbers, ...order.scratch, ...place.scratch],
    passes(length, arrangement, _, { segment_count: count = 0 } = {}) {
      if (length === 0) {
        return [];
      }
      // Items may be before the first offset, and behind the last one. In gaps, each item has a number of its own.
      const most = segments === "rows" ? count : segments === "offsets" ? count + 2 : length + 1;
      return [
        ...withRanges(order.passes(length, arrangement), { output: positions }, { first_index: 0 }),
        passOver(number, length, {
          output: numbers,
          reordered: positions,
          ...startBindings(segments),
          length_buffer: "length",
        }),
        ...withRanges(place.lowest(length, Math.max(1, Math.ceil(Math.log2(most)))), {
          input: numbers,
          values: positions,
        }),
      ];
    },
  };
}
