import { refuse, shown } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { NthOptions, TopKOptions, TopKRowsOptions } from "../../plan/select.ts";
import { planNth, planTopK } from "../../plan/select.ts";
import { planTopKRows } from "../../plan/select_rows.ts";
import type { Context } from "../device/context.ts";
import type { BufferRange, Length, Prepared } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";

// Selections that are recorded.

/** Where a selection of one element reads and writes. */
export interface NthRanges {
  /** The items. */
  readonly input: BufferRange;
  /** Receives the element. It is in another buffer than the input. */
  readonly output: BufferRange;
  /** Receives the element's position, as a u32. */
  readonly indices: BufferRange;
  /** The number of items. */
  readonly length: Length;
  /** The position of the first item. Positions count from it, modulo 2^32. The default is 0. */
  readonly firstIndex?: number;
}

/** Where a selection of the first elements reads and writes. */
export interface TopKRanges extends NthRanges {
  /**
   * Receives the elements, the first one first: as many as were asked for, or fewer if there are fewer; with `segments`, those of
   * each row. It is in another buffer than the input.
   */
  readonly output: BufferRange;
  /** Receives the elements' positions, as u32. */
  readonly indices: BufferRange;
  /** With `segments: "rows"`: the items of a row. They divide the length. */
  readonly rows?: number;
  /** With `lengthOnGpu`: receives how many elements were taken, as a u32. It is in another buffer than all other ranges. */
  readonly count?: BufferRange;
}

/** A selection of the first elements, compiled and with its scratch allocated. */
export interface PreparedTopK {
  /**
   * Records the selection. Everything is checked before anything is recorded, and nothing is read back.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: TopKRanges): void;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
  /** The same as `destroy`, for `using`. */
  [Symbol.dispose](): void;
}

/** A selection of one element, compiled and with its scratch allocated. */
export interface PreparedNth {
  /**
   * Records the selection. As {@link PreparedTopK.record}. If there are `n` items or fewer, it takes the last one of the order. If
   * there are none, nothing is written.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: NthRanges): void;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
  /** The same as `destroy`, for `using`. */
  [Symbol.dispose](): void;
}

const keyNames = {
  type: true,
  key: true,
  keyType: true,
  bits: true,
  maxLength: true,
  lengthOnGpu: "boolean",
} as const;
const topKNames = {
  k: true,
  smallest: "boolean",
  passes: true,
  segments: true,
  maxSegmentLength: true,
  ...keyNames,
} as const satisfies OptionTable<TopKRowsOptions>;
const nthNames = { n: true, descending: "boolean", ...keyNames } as const satisfies OptionTable<NthOptions>;

/** `Fold.prepareTopK`. `isSubmitted` is as in {@link prepare}. */
export async function prepareTopK(
  context: Context,
  options: TopKOptions | TopKRowsOptions,
  isSubmitted?: boolean,
): Promise<Prepared> {
  requireOptions("prepareTopK", options, topKNames);
  const { segments, maxSegmentLength } = options as Partial<TopKRowsOptions>;
  if (segments !== undefined) {
    const plan = planTopKRows(options as TopKRowsOptions, context.facts);
    return prepare(context, plan, undefined, isSubmitted);
  }
  if (maxSegmentLength !== undefined) {
    refuse("prepareTopK", "maxSegmentLength", shown(maxSegmentLength), "a number only beside segments");
  }
  return prepare(context, planTopK(options, context.facts), undefined, isSubmitted);
}

/** `Fold.prepareNth`. `isSubmitted` is as in {@link prepare}. */
export async function prepareNth(
  context: Context,
  options: NthOptions,
  isSubmitted?: boolean,
): Promise<Prepared> {
  requireOptions("prepareNth", options, nthNames);
  return prepare(context, planNth(options, context.facts), undefined, isSubmitted);
}
