import { endsOf } from "../kernels/initial_and_total.ts";
import { oneByOne } from "../kernels/one_by_one.ts";
import { requireChosen, requireFit } from "./check_tuning_options.ts";
import { countWorkGroups } from "./count_work_groups.ts";
import { mapOf } from "./map.ts";
import type { Methods } from "./methods.ts";

/** The methods for options that most plans do without, and for elements of many bytes. */
export const rareMethods = {
  requireChosen,
  requireFit,
  oneByOne,
  mapOf,
  endsOf,
  countWorkGroups,
} as const satisfies Partial<Methods>;
