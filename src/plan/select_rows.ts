import { u32 } from "../algebra/integers.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { Kernel } from "../kernels/kernel.ts";
import { storeFirstKernel, storeFirstOfSegmentsKernel, storeTakenKernel } from "../kernels/select.ts";
import type { SortSource } from "../kernels/sort.ts";
import type { SortedSegments } from "../kernels/sort_segments.ts";
import { checkedSort } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { moveSizes, passOver } from "./plain_plan.ts";
import type { Pass, PassParams, Plan, Scratch } from "./plan.ts";
import { bound, distinct, rangesTaken, wholeWords, withRanges } from "./plan.ts";
import { startBindings } from "./segment_counts.ts";
import type { TopKRowsOptions } from "./select.ts";
import { common } from "./select.ts";
import type { SortedPositions } from "./select_each.ts";
import { planTopKEach } from "./select_each.ts";
import { untuned } from "./sort.ts";
import { requireWhole } from "./sort_key.ts";
import type { SegmentTesting, Slotted } from "./sort_segments.ts";
import {
  longestTile,
  planLong,
  planSegmentSort,
  planSegmentsOf,
  requireShortRows,
  requireSortedSegments,
  slottedFor,
  startRanges,
} from "./sort_segments.ts";

// Selections of the first elements of each row. Rows that fit in work-group memory are sorted there. Longer rows are divided into
// chunks that fit: the first elements of each chunk are a shorter row, and so on. If that leaves too many elements, the rows are
// sorted. Segments between offsets are sorted in any case.

/** A selection of the first elements of each row, or of each segment, as its plans take it. */
interface FirstOfEach {
  readonly segments: SortedSegments;
  readonly k: number;
  readonly maxLength: number;
  /** What all plans of it have. */
  readonly plan: Omit<Plan, "kernels" | "scratch" | "passes">;
}

/** The positions that a plan leaves in order, in some scratch. */
const positionsBy = (order: Plan, positions: Scratch): SortedPositions => ({
  positions,
  kernels: order.kernels,
  scratch: order.scratch,
  passes: (length, arrangement, params) =>
    withRanges(order.passes(length, arrangement, false, params), { output: positions }, { first_index: 0 }),
});

/** Plans the selection: positions are put in order, and a last pass moves the first elements of each to their places. */
function planStored(
  { segments, plan }: FirstOfEach,
  { positions, kernels, scratch, passes }: SortedPositions,
  last: Kernel,
  params: PassParams,
): Plan {
  return {
    ...plan,
    kernels: distinct([...kernels, last]),
    scratch: [positions, ...scratch],
    passes(length, arrangement, _, own = {}) {
      const places = plan.outputLength(length, own);
      return places === 0
        ? []
        : [
            ...passes(length, arrangement, own),
            passOver(
              last,
              places,
              {
                input: "input",
                output: "output",
                indices: "indices",
                positions,
                ...startBindings(segments),
                length_buffer: "length",
              },
              { length: segments === "rows" ? places : length, params },
            ),
          ];
    },
  };
}

/** Takes the first `k` positions of each chunk of a row, which are a shorter row, until a row has one chunk. It leaves them in `taken`. */
function takeByChunks(
  { k, maxLength, plan }: FirstOfEach,
  taken: Scratch,
  { slots, slot, kernelFor: kernelOfSlots }: Slotted,
  mostColumns: number,
  keyBytes: number,
): SortedPositions {
  const hasChunks = mostColumns > slot;
  const kernelFor = (source: SortSource, storesKeys: boolean): Kernel =>
    kernelOfSlots(
      source === "items" ? { kind: "positions" } : { kind: "buffer", words: 1 },
      "chunks",
      source,
      storesKeys,
    );
  const kernelOf = {
    items: { last: kernelFor("items", false), other: hasChunks ? kernelFor("items", true) : undefined },
    keys: hasChunks
      ? { last: kernelFor("keys", false), other: kernelFor("keys", true) }
      : { last: undefined, other: undefined },
  } as const;
  // The keys and the positions of shorter rows, of which there are two in turns.
  const shorter = Math.min(maxLength, Math.ceil((2 * k * maxLength) / slot));
  const rowsOf = (turn: string) => ({
    keys: { name: `keys${turn}`, bytes: wholeWords(shorter * Math.max(4, keyBytes)), late: true },
    positions: { name: `positions${turn}`, bytes: wholeWords(shorter * 4), late: true },
  });
  const turns = [rowsOf(""), rowsOf(", in turn")] as const;
  /** The pass that takes the first elements of each chunk of rows of `columns` elements. */
  const takePass = (level: number, columns: number, count: number): Pass => {
    const chunks = Math.ceil(columns / slot);
    const isLast = chunks === 1;
    const kernel = kernelOf[level === 0 ? "items" : "keys"][isLast ? "last" : "other"] as Kernel;
    const [into, from] = level % 2 === 0 ? turns : [turns[1], turns[0]];
    return {
      kernel,
      bindings: bound(kernel, {
        input: level === 0 ? "input" : from.keys,
        output: into.keys,
        values: from.positions,
        reordered: isLast ? taken : into.positions,
      }),
      length: count * columns,
      tiles: Math.ceil((count * chunks) / slots),
      params: {
        columns,
        row_chunks: chunks,
        stored_per_chunk: k,
        segment_count: count * chunks,
        first_index: 0,
      },
    };
  };
  return {
    positions: taken,
    kernels: [...Object.values(kernelOf.items), ...Object.values(kernelOf.keys)].filter(
      (kernel) => kernel !== undefined,
    ),
    scratch: hasChunks ? turns.flatMap((rows) => [rows.keys, rows.positions]) : [],
    storedOf: (columns) => Math.min(k, columns),
    passes(length, _, { columns = 0, segment_count: count = 0 }) {
      requireShortRows(plan.title, columns, length, mostColumns);
      return length === 0
        ? []
        : columnsOfLevels(columns, slot, k).map((left, level) => takePass(level, left, count));
    },
  };
}

/** How many elements of a row are left at each level: of each chunk of `slot` elements the first `k`. The last level has one chunk. */
function columnsOfLevels(columns: number, slot: number, k: number): readonly number[] {
  const chunks = Math.ceil(columns / slot);
  if (chunks === 1) {
    return [columns];
  }
  const left = (chunks - 1) * k + Math.min(k, columns - (chunks - 1) * slot);
  return [columns, ...columnsOfLevels(left, slot, k)];
}

/** Whether each segment has a k of its own. @throws {ArgumentError} for another type than that of a k. */
function isEachNumber(k: unknown, title: string): boolean {
  if (typeof k !== "object" || k === null || !("bytes" in k)) {
    return false;
  }
  const type = requireType(k, title, "k");
  if (!isSameType(type, u32)) {
    refuse(title, "k", type.name, "a whole number, or u32 if each segment has a number of its own");
  }
  return true;
}

/** Sorts each segment, and leaves all positions in order. */
function sortPositions(
  { k: _, maxK: __, maxSegmentCount: ___, smallest, ...options }: TopKRowsOptions,
  facts: DeviceFacts,
  testing: SegmentTesting,
): SortedPositions {
  const sorted = { ...options, indices: true, descending: smallest !== true };
  const order = planSegmentSort(sorted, untuned(facts), "positions", ["items"], testing);
  return positionsBy(order, { name: "sorted positions", bytes: wholeWords(order.maxLength * 4) });
}

/**
 * Plans the selection of the first elements of each row, or of each segment.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planTopKRows(
  options: TopKRowsOptions,
  facts: DeviceFacts,
  testing: SegmentTesting = {},
): Plan {
  const { k: given, maxK, smallest, segments: _, maxSegmentLength, maxSegmentCount, ...others } = options;
  const sorted = { ...others, indices: true, descending: smallest !== true };
  const checked = checkedSort(sorted, facts, "positions", testing, "topK");
  const { type, base, range, row, maxLength, keyBytes } = checked;
  const name = `topK<${type.name}>`;
  const isEach = isEachNumber(given, name);
  const [number, option] = isEach ? [maxK === undefined ? 0xffffffff : maxK, "maxK"] : [given, "k"];
  const k = requireWhole(number, 1, name, option);
  const kind = requireSortedSegments(options, name);
  const title = `${name} of ${kind}`;
  if (kind === "rows" && options.lengthOnGpu) {
    throw new ArgumentError(
      `${title} takes no length on the GPU; it takes one that the CPU knows`,
      "lengthOnGpu",
    );
  }
  for (const [other, value] of isEach ? [] : Object.entries({ maxSegmentCount, maxK })) {
    if (value !== undefined) {
      refuse(name, other, shown(value), "a number only beside k: u32");
    }
  }
  const { lengthOnGpu = false } = options;
  const selection: FirstOfEach = {
    segments: kind,
    k,
    maxLength,
    plan: {
      ...common(title, maxLength, type),
      ...planSegmentsOf(kind),
      vector: 1,
      needs: rangesTaken(
        { input: true, output: true, indices: true, length: lengthOnGpu },
        startRanges(kind),
      ),
      variants: [{ arrangement: "items" }],
      // A segment that is no row has as many places as are asked for.
      outputLength: (_, { columns = k, segment_count: count = 0 } = {}) => count * Math.min(k, columns),
    },
  };
  const sizes = moveSizes(title, type, facts);
  if (kind !== "rows") {
    const positions = sortPositions(options, facts, testing);
    return isEach
      ? planTopKEach(options, k, positions, facts)
      : planStored(selection, positions, storeFirstOfSegmentsKernel(type, kind, lengthOnGpu, sizes), { k });
  }
  const mostColumns = Math.min(maxLength, maxSegmentLength ?? maxLength);
  const most = Math.max(1, Math.min(mostColumns, longestTile(facts, testing)));
  const slotted = slottedFor({ base, range, options: {}, row, facts, most });
  const taken: Scratch = { name: "positions that are taken", bytes: wholeWords(maxLength * 4) };
  const takes =
    slotted === undefined || (mostColumns > slotted.slot && 2 * k > slotted.slot)
      ? undefined
      : takeByChunks(selection, taken, slotted, mostColumns, keyBytes);
  if (isEach) {
    return planTopKEach(options, k, takes ?? sortPositions(options, facts, testing), facts);
  }
  if (takes) {
    return planStored(selection, takes, storeTakenKernel(type, false, sizes), {});
  }
  const order = planLong(sorted, "rows", title, facts, testing);
  return planStored(selection, positionsBy(order, taken), storeFirstKernel(type, sizes), { k });
}
