/** The sizes that a shader is generated for. */
export interface Sizes {
  readonly workGroupSize: number;
  /** Consecutive items that one thread takes. */
  readonly items: number;
  /** Whether loops over them are written out. Where a combination is long, that takes a compiler too long. */
  readonly unrolled: boolean;
  /** Whether items are loaded and stored one by one, wherever they lie; else as vectors, where they start at one. */
  readonly oneByOne: boolean;
  readonly minSubgroupSize: number;
  readonly maxSubgroupSize: number;
}
