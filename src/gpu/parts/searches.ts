import { gather as aGather } from "../../primitives/gather.ts";
import { histogram as aHistogram } from "../../primitives/histogram.ts";
import { scatter as aScatter } from "../../primitives/scatter.ts";
import { searchSorted as aSearch } from "../../primitives/search_sorted.ts";
import { formsOf } from "../forms/forms.ts";

// Questions about data: how many elements each bin has, where values stand in sorted data, which values stand at some positions or go there,
// and where the least or the greatest element is.

export { argAtHand } from "../at_hand/arg_min_max_at_hand.ts";

export const gather = formsOf(aGather);
export const histogram = formsOf(aHistogram);
export const scatter = formsOf(aScatter);
export const searchSorted = formsOf(aSearch);
