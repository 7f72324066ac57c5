import type { Algorithm } from "../kernels/algorithms.ts";
import type { LookBackShape } from "../kernels/look_back.ts";

/**
 * How a plan groups its elements while it combines them. The order of operations depends on nothing else. A prepared scan
 * or reduction tells its own grouping.
 *
 * f64 is rounded after each operation, so two plans with the same grouping give the same bits. Operators that are
 * associative to the last bit, such as those on integers, give the same results in every grouping. The adapter rounds f32
 * and f16 as it likes, and a subgroup combines them in an order of its own.
 */
export type Grouping = TileGrouping &
  (
    | {
        /** A tile's carry comes from a scan of all tiles' totals. */
        readonly passes: "reduce-then-scan";
      }
    | {
        /** A tile's carry comes from a look-back. */
        readonly passes: "single";
        /** How many tiles a look-back reads together, and how far it goes. */
        readonly lookBack: LookBackShape;
      }
  );

/** How the items of a tile are combined. */
export interface TileGrouping {
  /** How the threads of a work-group combine their elements. */
  readonly algorithm: Algorithm;
  /** Threads in a work-group. */
  readonly workGroupSize: number;
  /** Consecutive items that one thread takes. */
  readonly itemsPerThread: number;
  /** For `subgroup`: consecutive items that are loaded together, and so combined first. The default is 1. */
  readonly itemsPerVector?: number;
  /**
   * For `subgroup`: the most rows that are scanned together, a power of two. A row has a vector for each lane. The default
   * is 1. If WGSL has a subgroup scan for the operator, rows are scanned one by one.
   */
  readonly rows?: number;
  /**
   * For inclusive scans by `subgroup` with one item a vector: whether the next lane hands on a lane's prefix, which is what comes before
   * its own item. Otherwise, a lane combines what comes before its item with the item.
   */
  readonly shifted?: boolean;
  /**
   * For `subgroup`: the subgroup size that the kernel runs with. If an adapter reports a range of sizes, it is the least, and a kernel that runs
   * with another size combines the elements of a subgroup in another order. So f64 may have other last bits there.
   */
  readonly subgroupSize: number;
  /**
   * Items of a window, if no binding holds the data; or of a piece, in a call at hand on a long array. Each is combined on its own,
   * on top of the total of those before.
   */
  readonly window?: number;
  /**
   * For columns: the rows of a chunk. Each column is combined down a chunk, and then the totals of the chunks. Of the other
   * numbers, only `rowsPerRun` matters.
   */
  readonly rowsPerChunk?: number;
  /**
   * For rows that a work-group takes whole: how many elements of a row are combined one after another. Their totals are combined
   * in the same way, level by level. The elements of a reduction are vectors, or items if vectors do not divide the row.
   */
  readonly fanIn?: number;
  /** For rows: the most items of a tile. A row with more is reduced in parts of this length, and then the parts' totals are. */
  readonly itemsPerRow?: number;
  /** For a scan of columns: the rows of a chunk whose totals come before the next rows. The default is all of them. */
  readonly rowsPerRun?: number;
}
