import { primitivesWithoutSorts } from "../../primitives/described.ts";
import { formsOf } from "../forms/forms.ts";

// All primitives but scans, reductions, compactions, partitions and sorts.

export { argAtHand } from "../at_hand/arg_min_max_at_hand.ts";

export const forms = formsOf(primitivesWithoutSorts);
