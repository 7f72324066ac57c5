import { expandRuns as anExpansion } from "../../primitives/expand_runs.ts";
import {
  count as aCount,
  findFirst as aFirst,
  findLast as aLast,
  all as anAll,
  any as anAny,
} from "../../primitives/find.ts";
import { gather as aGather } from "../../primitives/gather.ts";
import { histogram as aHistogram } from "../../primitives/histogram.ts";
import { map as aMap } from "../../primitives/map.ts";
import {
  difference as aDifference,
  merge as aMerge,
  intersection as anIntersection,
  union as aUnion,
} from "../../primitives/merge.ts";
import { nth as anNth } from "../../primitives/nth.ts";
import { scatter as aScatter } from "../../primitives/scatter.ts";
import { searchSorted as aSearch } from "../../primitives/search_sorted.ts";
import { topK as aTopK } from "../../primitives/top_k.ts";
import { runLengths as theLengths, unique as theUnique } from "../../primitives/unique.ts";
import { formsOf } from "../forms/forms.ts";

// All primitives but scans, reductions, compactions, partitions and sorts.

export { argAtHand } from "../at_hand/arg_min_max_at_hand.ts";

export const all = formsOf(anAll);
export const any = formsOf(anAny);
export const count = formsOf(aCount);
export const difference = formsOf(aDifference);
export const expandRuns = formsOf(anExpansion);
export const findFirst = formsOf(aFirst);
export const findLast = formsOf(aLast);
export const gather = formsOf(aGather);
export const histogram = formsOf(aHistogram);
export const intersection = formsOf(anIntersection);
export const map = formsOf(aMap);
export const merge = formsOf(aMerge);
export const nth = formsOf(anNth);
export const runLengths = formsOf(theLengths);
export const scatter = formsOf(aScatter);
export const searchSorted = formsOf(aSearch);
export const topK = formsOf(aTopK);
export const union = formsOf(aUnion);
export const unique = formsOf(theUnique);
