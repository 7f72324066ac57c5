import * as merges from "./merge_loops.ts";
import * as moves from "./moves.ts";
import * as searches from "./search_loops.ts";
import * as selections from "./selection_loops.ts";
import * as sorts from "./sort_loops.ts";

// The loops of all calls but scans and reductions of whole arrays. They are loaded together.

export { placeOfBest } from "./arg_min_max.ts";
export { exact } from "./exact_folds.ts";
export * as segmentFolds from "./segment_folds.ts";

/** The loops that descriptions name. */
export const loops = { merges, moves, searches, selections, sorts };
