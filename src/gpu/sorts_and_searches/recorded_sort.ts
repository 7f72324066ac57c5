import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import { tuningNames } from "../../plan/options.ts";
import type { PreparedSortOptions } from "../../plan/sort_with_values.ts";
import { planSortWithValues } from "../../plan/sort_with_values.ts";
import type { BufferRange, Length } from "../../primitives/ranges.ts";
import type { Context } from "../device/context.ts";
import { prepare } from "../recordings/recording.ts";

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
  return prepare(
    context,
    planSortWithValues(options, context.facts),
  ) as Promise<object> as Promise<PreparedSort>;
}
