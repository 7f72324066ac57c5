/** The sizes that a shader is generated for. */
export interface Sizes {
  readonly workGroupSize: number;
  /** Consecutive items that one thread takes. */
  readonly items: number;
  /** Whether loops over these items are unrolled. */
  readonly unrolled: boolean;
  readonly minSubgroupSize: number;
  readonly maxSubgroupSize: number;
}
