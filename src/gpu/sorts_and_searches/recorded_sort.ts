import type { ElementType, ScalarType } from "../../algebra/types.ts";
import { requireType } from "../../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { SortOptions } from "../../plan/check_sort.ts";
import { movesDirectly } from "../../plan/check_sort.ts";
import { planGather } from "../../plan/gather.ts";
import { tuningNames } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { wholeWords } from "../../plan/plan.ts";
import { planSort } from "../../plan/sort.ts";
import type { SegmentSortOptions } from "../../plan/sort_segments.ts";
import { planSegmentSort } from "../../plan/sort_segments.ts";
import type { BufferRange, Length } from "../../primitives/ranges.ts";
import type { Context } from "../device/context.ts";
import { allocate } from "../device/device.ts";
import { STORAGE } from "../device/usage_flags.ts";
import type { Prepared, Ranges } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";

// Sorts that are recorded. Keys, and values of 4 or 8 bytes, move in each pass. Other values, and elements that are sorted by an
// expression, move once: the passes sort their positions.

/** The types of what moves with the elements of a prepared sort: one type, or one for each of several ranges. */
export type ValueTypes = ElementType | readonly ElementType[];

/** The options of `prepareSort`. */
export interface PreparedSortOptions<Name extends string = string>
  extends SortOptions<Name>,
    Partial<SegmentSortOptions> {
  /** The type of the values that move with the items, or several types. Each recording then takes `values` and `reordered`. */
  readonly values?: ValueTypes;
}

/** Where a sort reads and writes. */
export interface SortRanges {
  /** The items. */
  readonly input: BufferRange;
  /** Receives the sorted items, or with `indices` their positions, as u32. It has room for as many as the input. */
  readonly output: BufferRange;
  /** The values of the items, or a list of as many ranges as there are types of values. */
  readonly values?: BufferRange | readonly BufferRange[];
  /** Receives the values in the order of the sorted items. It is a list if `values` is one. */
  readonly reordered?: BufferRange | readonly BufferRange[];
  /** The number of items. */
  readonly length: Length;
  /** The position of the first item. Positions count from it, modulo 2^32. The default is 0. */
  readonly firstIndex?: number;
  /** With `segments: "rows"`: the items of a row. They divide a length that the CPU knows. */
  readonly rows?: number;
  /** With `segments: "offsets"`: where each segment starts, and where the last one ends, as u32. They start from 0, and end with the length. */
  readonly offsets?: BufferRange;
  /** With `segments: "offsets"`: how many segments there are. */
  readonly segmentCount?: number;
}

/** A sort, compiled and with its scratch allocated. */
export interface PreparedSort {
  /**
   * Records the sort of `length` items. Everything is checked before anything is recorded, and nothing is read back.
   *
   * Ranges may start at any item. `input` and `output` may be the same range, and so may values and where they go. All others are
   * apart. A `length` on the GPU must be in another buffer than what is written.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: SortRanges): void;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
  /** The same as `destroy`, for `using`. */
  [Symbol.dispose](): void;
}

const names = {
  type: true,
  key: true,
  keyType: true,
  descending: "boolean",
  bits: true,
  indices: "boolean",
  values: true,
  maxLength: true,
  lengthOnGpu: "boolean",
  segments: true,
  maxSegmentLength: true,
  ...tuningNames,
} as const satisfies OptionTable<PreparedSortOptions>;

/** `Fold.prepareSort`. */
export async function prepareSort(context: Context, options: PreparedSortOptions): Promise<PreparedSort> {
  requireOptions("prepareSort", options, names);
  const { values, ...others } = options;
  const title = `sort<${requireType(options.type, "sort").name}>`;
  const isList = Array.isArray(values);
  const types = (isList ? values : values === undefined ? [] : [values]) as readonly ElementType[];
  for (const type of types) {
    requireType(type, title, "values");
  }
  if (types.length > 0 && options.indices) {
    throw new ArgumentError(`${title} takes indices or values, and not both`, "indices");
  }
  if (isList && types.length === 0) {
    refuse(title, "values", "an empty list", "an element type, or a list of them");
  }
  const sort = await prepareSortWithLists(context, others, types);
  const rangesOf = (given: unknown, name: "values" | "reordered"): readonly BufferRange[] => {
    if (types.length === 0) {
      return [];
    }
    const isFitting = isList ? Array.isArray(given) && given.length === types.length : !Array.isArray(given);
    if (!isFitting) {
      const takes = isList ? `a list of ${types.length} ranges` : "one range";
      refuse(title, name, Array.isArray(given) ? `a list of ${given.length}` : shown(given), takes);
    }
    return (isList ? given : [given]) as readonly BufferRange[];
  };
  const recordNames = {
    input: true,
    output: true,
    length: true,
    firstIndex: true,
    ...(types.length > 0 && { values: true as const, reordered: true as const }),
    ...(options.segments === "rows" && { rows: true as const }),
    ...(options.segments === "offsets" && { offsets: true as const, segmentCount: true as const }),
  } as const;
  return {
    record(encoder, given) {
      requireOptions(`${title}: record`, given, recordNames);
      const { values, reordered, ...ranges } = given;
      sort.record(encoder, ranges, rangesOf(values, "values"), rangesOf(reordered, "reordered"));
    },
    destroy: () => sort.destroy(),
    [Symbol.dispose]: () => sort.destroy(),
  };
}

/** A sort with the ranges of its values in lists. */
export interface SortWithLists extends Pick<Prepared, "kernels" | "destroy"> {
  record(
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    ranges: Omit<SortRanges, "values" | "reordered">,
    values: readonly BufferRange[],
    reordered: readonly BufferRange[],
    most?: number,
  ): void;
}

/**
 * Plans a sort of items with values of these types, and compiles it. `isSubmitted` is as in `prepare`.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} {@link SourceError} {@link OutOfMemoryError}
 */
export async function prepareSortWithLists(
  context: Context,
  options: SortOptions & Partial<SegmentSortOptions>,
  types: readonly ElementType[],
  isSubmitted?: boolean,
): Promise<SortWithLists> {
  const { facts } = context;
  const { segments, maxSegmentLength, ...plain } = options;
  if (segments === undefined && maxSegmentLength !== undefined) {
    const title = `sort<${requireType(options.type, "sort").name}>`;
    refuse(title, "maxSegmentLength", shown(maxSegmentLength), "a number only beside segments");
  }
  const [only] = types;
  const byKey = options.key !== undefined && options.indices !== true;
  const direct =
    !byKey && types.length === 1 && movesDirectly(only as ElementType) ? (only as ScalarType) : undefined;
  const movesAll = !byKey && (only === undefined || direct !== undefined);
  const moved = movesAll ? (direct ?? (options.indices ? "positions" : undefined)) : "positions";
  const sorted = { ...plain, ...(byKey && { indices: true }) };
  const sortPlan =
    segments === undefined
      ? { ...planSort(sorted, facts, moved), leavesPositions: false }
      : planSegmentSort({ ...options, ...sorted } as Parameters<typeof planSegmentSort>[0], facts, moved);
  const prepared = (plan: Plan): Promise<Prepared> => prepare(context, plan, undefined, isSubmitted);
  const { title, maxLength, leavesPositions } = sortPlan;
  if (movesAll && (!leavesPositions || options.indices)) {
    const sort = await prepared(sortPlan);
    return {
      kernels: sort.kernels,
      record(encoder, ranges, [values], [reordered], most) {
        const own = direct && { values, reordered };
        sort.record(encoder, { ...ranges, ...own } as Ranges, most);
      },
      destroy: () => sort.destroy(),
    };
  }
  // The sort leaves positions, and then everything moves.
  const movesItems = byKey || leavesPositions;
  const plans = [
    sortPlan,
    ...(movesItems ? [planGather(options, facts, title, ["input", "output"])] : []),
    ...types.map((type) => planGather({ ...options, type }, facts, title, ["values", "reordered"])),
  ];
  const positions = await allocate(
    context,
    {
      label: `wavefold ${title} positions`,
      size: Math.max(16, wholeWords(maxLength * 4)),
      usage: STORAGE,
    },
    title,
  );
  const made: Prepared[] = [];
  const destroy = (): void => {
    for (const one of made) {
      one.destroy();
    }
    positions.destroy();
  };
  try {
    for (const plan of plans) {
      made.push(await prepared(plan));
    }
  } catch (cause) {
    destroy();
    throw cause;
  }
  const bytesOf = [options.type, ...types].map(({ bytes }) => bytes);
  return {
    kernels: made.flatMap(({ kernels }) => kernels),
    record(encoder, { input, output, length, firstIndex, ...starts }, values, reordered, most) {
      const first = movesItems
        ? { input, output: positions, length, ...starts }
        : { input, output, reordered: positions, length, ...starts };
      // The passes sort positions that count from 0. The positions that the caller gets count from `firstIndex`.
      const others = { positions, length, ...(firstIndex !== undefined && { firstIndex }) };
      const steps = [
        first,
        ...(movesItems ? [{ input, output, ...others }] : []),
        ...values.map((range, at) => ({ values: range, reordered: reordered[at], ...others })),
      ] as Ranges[];
      for (const [at, ranges] of steps.entries()) {
        made[at]?.check(ranges, most);
      }
      const items = typeof length === "number" ? length : (most ?? maxLength);
      requireApart(title, [input, ...values], [output, ...reordered], bytesOf, items);
      requireOffsetsApart(title, starts, [output, ...reordered], bytesOf, items);
      for (const [at, ranges] of steps.entries()) {
        made[at]?.record(encoder, ranges, most);
      }
    },
    destroy,
  };
}

/** @throws {ArgumentError} if what is written shares bytes with the offsets of segments. */
function requireOffsetsApart(
  title: string,
  { offsets, segmentCount = 0 }: Pick<SortRanges, "offsets" | "segmentCount">,
  written: readonly BufferRange[],
  itemBytes: readonly number[],
  items: number,
): void {
  const spanOf = (range: BufferRange, bytes: number) => {
    const { buffer, offset = 0 } = "buffer" in range ? range : { buffer: range };
    return { buffer, from: offset, to: offset + bytes };
  };
  const own = offsets && spanOf(offsets, (segmentCount + 1) * 4);
  for (const [at, range] of own === undefined ? [] : written.entries()) {
    const one = spanOf(range, items * (itemBytes[at] ?? 0));
    if (own?.buffer === one.buffer && Math.max(own.from, one.from) < Math.min(own.to, one.to)) {
      throw new ArgumentError(
        `${title}: offsets (bytes ${own.from} to ${own.to}) and ${at === 0 ? "output" : "reordered"} (bytes ${one.from} to ${one.to}) overlap; they must be apart`,
        "offsets",
      );
    }
  }
}

/** @throws {ArgumentError} if what is written shares bytes with anything but its own source. */
function requireApart(
  title: string,
  read: readonly (BufferRange | undefined)[],
  written: readonly BufferRange[],
  itemBytes: readonly number[],
  items: number,
): void {
  const spans = [...read, ...written].map((range, at) => {
    // Without items, there need be no input.
    const { buffer, offset = 0 } = range && "buffer" in range ? range : { buffer: range };
    const of = at % read.length;
    const bytes = items * (itemBytes[of] ?? 0);
    const name = at < read.length ? (of === 0 ? "input" : "values") : of === 0 ? "output" : "reordered";
    return { buffer, offset, bytes, of, name, isWritten: at >= read.length };
  });
  for (const a of spans) {
    for (const b of spans) {
      const share =
        a.buffer === b.buffer &&
        Math.max(a.offset, b.offset) < Math.min(a.offset + a.bytes, b.offset + b.bytes);
      const isOwn = a.of === b.of && a.offset === b.offset;
      if (a !== b && b.isWritten && share && !isOwn) {
        throw new ArgumentError(
          `${title}: ${a.name} (bytes ${a.offset} to ${a.offset + a.bytes}) and ${b.name} (bytes ${b.offset} to ${b.offset + b.bytes}) overlap; they must be apart`,
          a.name,
        );
      }
    }
  }
}
