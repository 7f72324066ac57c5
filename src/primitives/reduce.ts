import type { AnyArray } from "../algebra/arrays.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import type { InitialOption, OptionTable, SegmentsOption } from "../options.ts";
import type { Grouping } from "../plan/grouping.ts";
import type { SoonOption, TuningOptions } from "../plan/options.ts";
import { commonNames } from "../plan/options.ts";
import type { IntoOption, MapOption, TypesOption } from "./call_options.ts";
import type { OptionsOf } from "./option_names.ts";
import type { BufferRange, Length, ParamsRange, PartOption, PreparedPrimitive } from "./ranges.ts";

/** What `scan` and `reduce` take. */
export interface FoldOptions<From extends string, Name extends string, Type, Initial>
  extends TuningOptions,
    TypesOption<From, Type>,
    InitialOption<Initial> {
  /** The operator, on the type of the results. The default is `add`. */
  readonly op?: Operator<Name>;
}

/** What says where segments start, for plans prepared with `segments`. */
export interface SegmentParts {
  /** For `segments: "rows"`: the items of a row. It divides the length. A row that a length on the GPU cuts off is shorter. */
  readonly rows?: number;
  /**
   * For `segments: "columns"`: the number of columns. It divides the length. If a length on the GPU cuts off the last row,
   * the last columns have an item less. A reduction stores as many totals.
   */
  readonly columns?: number;
  /** For `"heads"`: a u32 for each item. A segment starts where it is not zero. For `"headBits"`: a bit for each item. */
  readonly heads?: BufferRange;
  /**
   * For `"offsets"`: `segmentCount + 1` positions, as u32, that never fall. Segment n has the items from offset n up to, and
   * not with, offset n + 1; it may have none. Items outside of all segments are scanned as segments of their own, and not
   * reduced. Offsets past the end count as the end. If an offset is less than the one before it, a scan starts a segment at each offset all
   * the same. Each total of a reduction is the identity, some consecutive items combined, or what was there before: which, the plan decides.
   * Nothing outside the ranges is written.
   */
  readonly offsets?: BufferRange;
  /**
   * For `"begins"`: `segmentCount` positions, as u32: where each segment begins. Segments ascend, and do not overlap. Items in the gaps between them
   * are not reduced, and a scan leaves their places in the output as they are. Positions past the end count as the end. Where segments overlap
   * or do not ascend, each result is that of some consecutive items, or what was there before, or a total is the identity: which, the plan decides.
   * Nothing outside the ranges is written.
   */
  readonly begins?: BufferRange;
  /** For `"begins"`: `segmentCount` positions, as u32: where each segment ends, which is the position behind its last item. */
  readonly ends?: BufferRange;
  /** For `segments: { keys }`: a key for each item. With `key`, an item for each item, from which its key is computed. */
  readonly keys?: BufferRange;
  /**
   * For `"offsets"` and `"begins"`: the number of segments. For reductions by heads or keys: how many totals the output has room for. The
   * default is the length. Further totals are not stored.
   */
  readonly segmentCount?: number;
}

/** Where a reduction reads and writes. */
export interface ReduceRanges extends PartOption, SegmentParts, ParamsRange {
  /** The items. */
  readonly input: BufferRange;
  /** Receives the results. */
  readonly output: BufferRange;
  /** The number of items. */
  readonly length: Length;
  /**
   * For plans prepared with `initial`: what comes before the first item. It is a value of the plan's type, an array of one, or a range that
   * holds one item, in another buffer than those that are written.
   */
  readonly initial?: Value | AnyArray | BufferRange;
  /**
   * For plans prepared with `segments` by heads or keys, or by rows with a length on the GPU: a range that receives the number
   * of segments, a u32.
   */
  readonly count?: BufferRange;
  /** For plans prepared with `segments: { keys, unique: true }`: a range that receives the key of each run. */
  readonly unique?: BufferRange;
}

/** A reduction, compiled and with its scratch allocated. */
export interface PreparedReduce extends PreparedPrimitive<ReduceRanges> {
  /**
   * Records the reduction of `length` items to the first item of `output`, or of each segment to a place of its own. As
   * {@link PreparedScan.record}.
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: ReduceRanges): void;
  /**
   * The order of operations for these ranges. `reduceReference(data, { op, grouping })` follows it, for f64 to the last
   * bit.
   */
  groupingOf(ranges: ReduceRanges): Grouping;
  /** As {@link PreparedScan.settled}. */
  readonly settled: Promise<void>;
}

/** The options of a reduction. Results of typed arrays go into no array of the caller's. */
export const reduce = {
  name: "reduce",
  options: { op: true, initial: true, segments: true, ...commonNames } satisfies OptionTable<
    FoldOptions<string, string, ElementType, Value> & MapOption & SegmentsOption<unknown>
  >,
  callOptions: { into: true } satisfies OptionTable<IntoOption<AnyArray>>,
  planOptions: { soon: "boolean" } satisfies OptionTable<SoonOption>,
} as const satisfies OptionsOf;
