import type { BufferRange, Length } from "../../primitives/ranges.ts";

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
  /** With `rest`, it receives the items that are not kept. It has room for as many items as the input. */
  readonly rest?: BufferRange;
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
   * in another buffer than the output, and the input in another one than `rest`.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges): void;
  /** Resolves once recordings use the plan's own kernels: at once, unless it was prepared with `soon`. It rejects if these do not compile. */
  readonly settled: Promise<void>;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
  /** The same as `destroy`, for `using`. */
  [Symbol.dispose](): void;
}
