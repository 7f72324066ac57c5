import { endsOf } from "../kernels/ends.ts";
import { oneByOne } from "../kernels/one_by_one.ts";
import { subgroup } from "../kernels/subgroup_tiles.ts";
import { requireChosen, requireFit } from "./choices.ts";
import { mapOf } from "./map.ts";
import type { Methods } from "./methods.ts";
import { portable } from "./methods.ts";
import { reduceOnce } from "./reduce_once.ts";
import { singlePass } from "./single_pass.ts";

/** All methods. */
export const everyMethod: Methods = {
  algorithms: { ...portable.algorithms, subgroup },
  requireChosen,
  requireFit,
  oneByOne,
  singlePass,
  reduceOnce,
  mapOf,
  endsOf,
};
