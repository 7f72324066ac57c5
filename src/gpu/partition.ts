import type { AnyArray } from "../algebra/arrays.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import { requireOptions } from "../options.ts";
import type { TuningOptions } from "../plan/options.ts";
import { tuningNames } from "../plan/options.ts";
import type { PartitionOptions } from "../plan/partition.ts";
import { planPartition } from "../plan/partition.ts";
import type { SelectOptions } from "./compact_at_hand.ts";
import { selectAtHand } from "./compact_at_hand.ts";
import type { Context } from "./context.ts";
import type { GpuArray } from "./gpu_array.ts";
import type { BufferRange, Length, Prepared } from "./recording.ts";
import type { Given } from "./transfer.ts";

/** The options of `partition`. It takes `where` or `flags`. */
export interface HandPartitionOptions<Name extends string> extends TuningOptions {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** A WGSL expression over the element `x` and its index `i` (u32), such as `"x % 2u == 1u"`. */
  readonly where?: string;
  /** A flag for each element. An element is kept if its flag is not zero or false. */
  readonly flags?: ArrayLike<number | boolean>;
}

/** The options of `partition` on an array on the GPU. It takes `where` or `flags`. */
export interface GpuPartitionOptions<Name extends string> extends Omit<HandPartitionOptions<Name>, "flags"> {
  /** A flag for each element. An element is kept if its flag is not zero. */
  readonly flags?: GpuArray<"u32", number>;
}

/** All elements: first those that are kept, then the rest, both in order. */
export interface Partition<Values, Count> {
  /** The elements: those that are kept, then the rest. */
  readonly values: Values;
  /** How many elements are kept, which is where the rest begins. */
  readonly count: Count;
}

/** The options of `partition` into more parts than two. */
export interface ClassOptions {
  /** How many classes there are: 1 to 16. The data is read twice for each. */
  readonly classes: number;
  /**
   * A WGSL expression over the element `x` and its index `i` (u32) that gives an element's class: a number from 0 up. A number
   * past the last class counts as the last class.
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
export interface PartitionRanges {
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
  /** The index of the first item: predicates and positions count from it, modulo 2^32. The default is 0. */
  readonly firstIndex?: number;
}

/** Where a partition without a predicate reads and writes. */
export interface FlaggedPartitionRanges extends PartitionRanges {
  /** A u32 for each item. An item is kept if its flag is not zero. */
  readonly flags: BufferRange;
}

/** A partition, compiled and with its scratch allocated. */
export interface PreparedPartition<Ranges extends PartitionRanges = PartitionRanges> {
  /**
   * Records the partition of `length` items. Everything is checked before anything is recorded, and nothing is read back.
   *
   * Ranges may start at any item and share buffers, and input and output may be the same range. The fastest ranges are in
   * two buffers and start at a multiple of 16 bytes (of 48 bytes for items of 12, and so on). A `length` on the GPU must be
   * in another buffer than the output.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges): void;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
  /** The same as `destroy`, for `using`. */
  [Symbol.dispose](): void;
}

const names = {
  where: true,
  flags: true,
  class: true,
  classes: true,
  indices: true,
  into: true,
  type: true,
  ...tuningNames,
} as const satisfies Record<
  keyof HandPartitionOptions<string> | keyof ClassOptions | "indices" | "into",
  true
>;

const planNames = {
  type: true,
  where: true,
  class: true,
  classes: true,
  indices: true,
  maxLength: true,
  lengthOnGpu: true,
  ...tuningNames,
} as const satisfies Record<keyof PartitionOptions, true>;

/** `Fold.preparePartition`. */
export async function preparePartition(context: Context, options: PartitionOptions): Promise<Prepared> {
  requireOptions("preparePartition", options, planNames);
  return (await import("./recording.ts")).prepareFor("partition", context, options);
}

/** `Fold.partition`. `given` and `room` are the array, and the one for the result, as they were when the call began. */
export async function partitionAtHand(
  context: Context,
  given: Given,
  room: Given,
  options: SelectOptions,
): Promise<Partition<AnyArray, number> | ClassPartition<AnyArray, Uint32Array>> {
  requireOptions("partition", options, names);
  const isByClass = options.classes !== undefined || options.class !== undefined;
  if (isByClass && options.flags !== undefined) {
    throw new ArgumentError("partition takes flags or classes, and not both", "flags");
  }
  const { values, counts } = await selectAtHand("partition", planPartition, context, given, room, options);
  return isByClass ? { values, offsets: counts } : { values, count: counts[0] ?? 0 };
}
