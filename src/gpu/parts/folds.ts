// Reductions, compactions and partitions of typed arrays, and all that is recorded: loaded together, since they share their planners.

export { compactAtHand, partitionAtHand, reduceAtHand } from "../at_hand/reduce_and_compact_at_hand.ts";
export { prepareFold } from "../recordings/prepare_folds.ts";
