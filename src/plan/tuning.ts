import type { WorkGroupLimits } from "../algebra/monoid.ts";
import type { TileShape } from "../kernels/algorithms.ts";
import { algorithms, mostRows } from "../kernels/algorithms.ts";
import type { TileSources } from "../kernels/tiles.ts";
import type { Grouping } from "./grouping.ts";

/** An algorithm and sizes that the device can run. */
export interface Tuning extends TileShape {
  readonly subgroupIds: boolean;
}

/** A tuning with the files of its algorithm. */
export interface LoadedTuning extends Tuning {
  readonly sources: TileSources;
  readonly gpuLimits: WorkGroupLimits | false;
}

/** Items of a tile. */
export const tileOf = ({ sizes }: Pick<Tuning, "sizes">): number => sizes.workGroupSize * sizes.items;

/** The order of operations that follows from a tuning. */
export const groupingOf = ({ algorithm, sizes }: Tuning, itemsPerVector: number): Grouping => ({
  algorithm,
  workGroupSize: sizes.workGroupSize,
  itemsPerThread: sizes.items,
  itemsPerVector,
  subgroupSize: sizes.minSubgroupSize,
  ...(algorithms[algorithm].subgroups && { rows: mostRows(sizes) }),
  passes: "reduce-then-scan",
});
