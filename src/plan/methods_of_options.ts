import { endsOf } from "../kernels/initial_and_total.ts";
import { requireChosen, requireFit } from "./check_tuning_options.ts";
import { countWorkGroups } from "./count_work_groups.ts";
import { mapOf } from "./map.ts";
import type { Methods } from "./methods.ts";

/**
 * The methods that a plan needs if its options name an algorithm, sizes, a map, an initial value, a total or `lengthOnGpu`.
 */
export const methodsOfOptions = {
  requireChosen,
  requireFit,
  mapOf,
  endsOf,
  countWorkGroups,
} as const satisfies Partial<Methods>;
