import type { IndicesOption, OptionTable } from "../options.ts";
import type { PartitionOptions } from "../plan/compact.ts";
import { tuningNames } from "../plan/options.ts";
import { compact } from "./compact.ts";
import type { OptionsOf } from "./option_names.ts";
import type { BufferRange, Length, ParamsRange, PreparedPrimitive } from "./ranges.ts";

/** All elements: first those that are kept, then the rest, both in order. */
export interface Partition<Values, Count> {
  /** The elements: those that are kept, then the rest. */
  readonly values: Values;
  /** How many elements are kept, which is where the rest begins. */
  readonly count: Count;
}

/** The options of `partition` into more parts than two. */
export interface ClassOptions<Classes = number> {
  /** How many classes there are: 1 to 16. Where no subgroups vote, as in calls at hand, the data is read twice for each. */
  readonly classes: Classes;
  /**
   * WGSL over the element `x` and its index `i` (u32) that gives an element's class, from 0: an expression of any scalar type, or
   * statements that end in `return` of a u32. A fraction is cut off, and then a number below 0 or past the last class counts as the
   * last class. NaN gets some class, which depends on the adapter. A literal above 2147483647 takes the suffix `u`.
   */
  readonly class: string;
}

/** All elements: those of class 0, then those of class 1, and so on, each in order. */
export interface ClassPartition<Values, Offsets> {
  /** The elements, class by class. */
  readonly values: Values;
  /** Where each class begins, and where the last one ends: one number more than there are classes. */
  readonly offsets: Offsets;
}

/** Where a partition reads and writes. */
export interface PartitionRanges extends ParamsRange {
  /** Not needed by positions with `flags`, which do not read the items. */
  readonly input?: BufferRange;
  /** Has room for as many items as the input. */
  readonly output: BufferRange;
  /**
   * Receives the number of kept items, a u32, which is where the rest begins. With `classes`, it receives one number more than
   * there are classes: where each class begins, and where the last one ends.
   */
  readonly count: BufferRange;
  /** The number of items. */
  readonly length: Length;
  /** With `rest`, it receives the items that are not kept. It has room for as many items as the input. */
  readonly rest?: BufferRange;
  /** The index of the first item: conditions, classes and positions count from it, modulo 2^32. The default is 0. */
  readonly firstIndex?: number;
}

/** Where a partition by flags reads and writes. */
export interface FlaggedPartitionRanges extends PartitionRanges {
  /** A u32 for each item. An item is kept if its flag is not zero. */
  readonly flags: BufferRange;
}

/** A partition, compiled and with its scratch allocated. */
export interface PreparedPartition<Ranges extends PartitionRanges = PartitionRanges>
  extends PreparedPrimitive<Ranges> {
  /**
   * Records the partition of `length` items. Everything is checked before anything is recorded, and nothing is read back.
   *
   * Ranges may start at any item and share buffers, and input and output may be the same range. The fastest ranges are in
   * two buffers and start at a multiple of 16 bytes (of 48 bytes for items of 12, and so on). A `length` on the GPU must be
   * in another buffer than the output, and the input in another one than `rest`.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges): void;
  /** Resolves once recordings use the plan's own kernels: at once, unless it was prepared with `soon`. It rejects if these do not compile. */
  readonly settled: Promise<void>;
}

/** The options of a partition. */
export const partition = {
  name: "partition",
  options: {
    type: true,
    where: true,
    class: true,
    classes: true,
    params: "params",
    indices: "boolean",
    ...tuningNames,
  } satisfies OptionTable<
    Record<keyof typeof tuningNames | "type" | "where" | "params", unknown> & ClassOptions & IndicesOption
  >,
  callOptions: compact.callOptions,
  planOptions: { flags: "boolean", rest: "boolean", soon: "boolean" } satisfies OptionTable<
    Pick<PartitionOptions, "flags" | "rest" | "soon">
  >,
} as const satisfies OptionsOf;
