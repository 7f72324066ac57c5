import type { ParamValues } from "../algebra/params.ts";

// What recordings take, whatever the primitive is.

/** A range of a buffer: the whole buffer, or the part from a byte offset on. The offset is a multiple of the item's size. */
export type BufferRange =
  | GPUBuffer
  | {
      /** The buffer. */
      readonly buffer: GPUBuffer;
      /** The byte where the range starts: a multiple of the item's size. The default is 0. */
      readonly offset?: number;
      /** The bytes of the range. The default is the rest of the buffer. */
      readonly size?: number;
    };

/** The number of items. With `lengthOnGpu`, a range that starts with this number as a u32. It is at most `maxLength`. */
export type Length = number | BufferRange;

/** The values that the WGSL of a plan names. */
export interface ParamsRange {
  /**
   * For plans prepared with `params`: a value of each, which is read now and belongs to this recording. Or a range of a buffer of yours
   * with the usage UNIFORM that holds them as WGSL lays out a uniform struct of these members, in their order. Its offset is a multiple of the
   * device's `minUniformBufferOffsetAlignment`.
   */
  readonly params?: ParamValues | BufferRange;
}

/** The place of a recording's items in longer data. */
export interface PartOption {
  /**
   * The index of the first item, for data that is recorded in parts: maps, conditions and positions count from it, modulo
   * 2^32. The default is 0.
   */
  readonly firstIndex?: number;
}

/** A primitive, compiled and with its scratch allocated, for recordings of these ranges. */
export interface PreparedPrimitive<Ranges> {
  /**
   * Records it into an encoder or a compute pass of yours. Everything is checked before anything is recorded, and nothing is read back.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges): void;
  /** Frees the scratch. Recordings that are not yet submitted become invalid. */
  destroy(): void;
  /** The same as `destroy`, for `using`. */
  [Symbol.dispose](): void;
}
