import type { AnyArray } from "../algebra/arrays.ts";
import type { OptionTable } from "../options.ts";
import type { Grouping } from "../plan/grouping.ts";
import { commonNames } from "../plan/options.ts";
import type { IntoOption } from "./call_options.ts";
import type { OptionsOf } from "./option_names.ts";
import type { BufferRange, PreparedPrimitive } from "./ranges.ts";
import type { ReduceRanges } from "./reduce.ts";
import { reduce } from "./reduce.ts";

/** Where the total of a scan goes. */
export interface TotalOption<Result> {
  /**
   * An array of one element, of the result's type. The scan fills it with the combination of all elements, the initial value
   * included. It can be the `initial` of the scan of the next part, and its `total`, too.
   */
  readonly total?: NoInfer<Result>;
}

/** What `scan` takes beside the options of `reduce`. */
export interface ScanOption<Result> extends TotalOption<Result>, IntoOption<Result> {
  /** Leaves each place's own element out. */
  readonly exclusive?: boolean;
  /**
   * Goes from the last element to the first: each result combines the element at its own place and all that follow, in their order. `initial`
   * then comes after the last element. With `segments`, each starts anew from its end.
   */
  readonly reverse?: boolean;
}

/** Where a scan reads and writes. */
export interface ScanRanges extends Omit<ReduceRanges, "count" | "unique"> {
  /**
   * For plans prepared with `total`: a range that receives one item, the combination of all items, the initial value
   * included. It can be the initial value of the recording of the next part.
   */
  readonly total?: BufferRange;
}

/** A scan, compiled and with its scratch allocated. */
export interface PreparedScan extends PreparedPrimitive<ScanRanges> {
  /**
   * Records the scan of `length` items. Everything is checked before anything is recorded, and nothing is read back.
   *
   * Input and output may be the same range, and ranges may start at any item. The fastest ranges are in two buffers and
   * start at a multiple of 16 bytes (of 48 bytes for items of 12, and so on). A single pass, which reads each item once,
   * needs two buffers, or one range that starts so. If a map gives items of another size, input and output must be in two buffers. A `length` on the
   * GPU must be in another buffer than the output.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: ScanRanges): void;
  /**
   * The order of operations for these ranges, if they are recorded now: until `settled`, it may change whenever your program waits.
   * `scanReference(data, { op, grouping })` follows it, for f64 to the last bit.
   */
  groupingOf(ranges: ScanRanges): Grouping;
  /**
   * Resolves once recordings use the plan's own kernels: at once, unless it was prepared with `soon`. It rejects if these do not compile, and
   * then recordings go on as before. Only sums and products of floats, and operators of your own on floats, may have other bits after it.
   */
  readonly settled: Promise<void>;
}

/** The options of a scan. */
export const scan = {
  ...reduce,
  name: "scan",
  options: {
    op: true,
    exclusive: "boolean",
    reverse: "boolean",
    initial: true,
    total: true,
    segments: true,
    ...commonNames,
  } satisfies OptionTable<Record<keyof typeof reduce.options, unknown> & Omit<ScanOption<AnyArray>, "into">>,
} as const satisfies OptionsOf;
