import type { Algorithm } from "../kernels/algorithms.ts";
import type { LookBackShape } from "../kernels/look_back.ts";

/**
 * In which groups a plan combines its elements: all that the order of its operations depends on.
 * A prepared scan or reduction names its own. f64 is rounded after each operation, so its results
 * are the same bit for bit where the grouping is the same; operators that are associative to the
 * last bit, as on integers, give the same results in all. f32 and f16 are rounded as the adapter likes, and a
 * subgroup combines them in an order of its own.
 */
export type Grouping = TileGrouping &
  (
    | {
        /** A tile's carry comes from a scan of all totals. */
        readonly passes: "reduce-then-scan";
      }
    | {
        /** A tile's carry comes from a look-back. */
        readonly passes: "single";
        readonly lookBack: LookBackShape;
      }
  );

/** How the items of a tile are combined. */
export interface TileGrouping {
  readonly algorithm: Algorithm;
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
  /** For `subgroup`: consecutive items that are combined first, since they are loaded together; 1 where it is left out. */
  readonly itemsPerVector?: number;
  /**
   * For `subgroup`: the most rows, of a vector a lane, that are scanned together, a power of two; 1 where it is left out. Where
   * WGSL has a scan of the operator's own, rows are scanned one by one.
   */
  readonly rows?: number;
  /** For `subgroup`: the subgroup size that the kernel runs with. An adapter with several names its least. */
  readonly subgroupSize: number;
}
