import {
  count as aCount,
  findFirst as aFirst,
  findLast as aLast,
  all as anAll,
  any as anAny,
} from "../../primitives/find.ts";
import { gather as aGather } from "../../primitives/gather.ts";
import { histogram as aHistogram } from "../../primitives/histogram.ts";
import { searchSorted as aSearch } from "../../primitives/search_sorted.ts";
import { formsOf } from "../forms/forms.ts";

// Questions about data: for how many elements a condition holds, and for which; how many elements each bin has, where values stand in sorted data, which values stand at some positions, and
// where the least or the greatest element is.

export { argAtHand } from "../at_hand/arg_min_max_at_hand.ts";

export const all = formsOf(anAll);
export const any = formsOf(anAny);
export const count = formsOf(aCount);
export const findFirst = formsOf(aFirst);
export const findLast = formsOf(aLast);
export const gather = formsOf(aGather);
export const histogram = formsOf(aHistogram);
export const searchSorted = formsOf(aSearch);
