import { twoPass as nvidia } from "../adapters/nvidia.ts";
import { classesByVotes } from "../kernels/partition_by_votes.ts";
import { subgroup } from "../kernels/subgroup_tiles.ts";
import type { Methods } from "./methods.ts";
import { portableMethods } from "./methods.ts";
import { methodsOfOptions } from "./methods_of_options.ts";
import { reduceOnce } from "./reduce_once.ts";
import { singlePass } from "./single_pass.ts";

/**
 * The portable methods and those of options, and the ones that read data once or use subgroups: the algorithm `subgroup`, single passes,
 * reductions in one dispatch, and partitions by classes by votes. A plan with segments needs `methodsOfSegments`, too.
 */
export const methodsWithSubgroups: Methods = {
  ...methodsOfOptions,
  algorithms: { ...portableMethods.algorithms, subgroup },
  twoPassTables: { ...portableMethods.twoPassTables, nvidia },
  singlePass,
  reduceOnce,
  classesByVotes,
};
