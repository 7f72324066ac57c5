import { itemMap } from "../kernels/map.ts";
import { subgroup } from "../kernels/subgroup_tiles.ts";
import type { Methods } from "./methods.ts";
import { portable } from "./methods.ts";
import { singlePass } from "./single_pass.ts";

/** The portable methods, subgroups, the single pass, and maps. */
export const everyMethod: Methods = {
  algorithms: { ...portable.algorithms, subgroup },
  singlePass,
  itemMap,
};
