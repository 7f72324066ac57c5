import { subgroup } from "../kernels/subgroup_tiles.ts";
import type { Methods } from "./methods.ts";
import { portable } from "./methods.ts";
import { rareMethods } from "./rare_methods.ts";
import { reduceOnce } from "./reduce_once.ts";
import { singlePass } from "./single_pass.ts";

/** All methods but those for segments. */
export const everyMethod: Methods = {
  ...rareMethods,
  algorithms: { ...portable.algorithms, subgroup },
  singlePass,
  reduceOnce,
};
