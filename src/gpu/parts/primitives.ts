import * as expansions from "../../primitives/expand_runs.ts";
import * as conditions from "../../primitives/find.ts";
import * as gathers from "../../primitives/gather.ts";
import * as histograms from "../../primitives/histogram.ts";
import * as maps from "../../primitives/map.ts";
import * as merges from "../../primitives/merge.ts";
import * as places from "../../primitives/nth.ts";
import * as scatters from "../../primitives/scatter.ts";
import * as searches from "../../primitives/search_sorted.ts";
import * as selections from "../../primitives/top_k.ts";
import * as runs from "../../primitives/unique.ts";
import { formsOf } from "../forms/forms.ts";

// All primitives but scans, reductions, compactions, partitions and sorts.

export { argAtHand } from "../at_hand/arg_min_max_at_hand.ts";

export const all = formsOf(conditions.all);
export const any = formsOf(conditions.any);
export const count = formsOf(conditions.count);
export const difference = formsOf(merges.difference);
export const expandRuns = formsOf(expansions.expandRuns);
export const findFirst = formsOf(conditions.findFirst);
export const findLast = formsOf(conditions.findLast);
export const gather = formsOf(gathers.gather);
export const histogram = formsOf(histograms.histogram);
export const intersection = formsOf(merges.intersection);
export const map = formsOf(maps.map);
export const merge = formsOf(merges.merge);
export const nth = formsOf(places.nth);
export const runLengths = formsOf(runs.runLengths);
export const scatter = formsOf(scatters.scatter);
export const searchSorted = formsOf(searches.searchSorted);
export const topK = formsOf(selections.topK);
export const union = formsOf(merges.union);
export const unique = formsOf(runs.unique);
