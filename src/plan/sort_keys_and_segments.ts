// Sorts by several keys, and of segments. They are loaded later: a sort of whole data by one key does without.

export { planByKeys } from "./sort_by_keys.ts";
export { planLong, planSegmentSort, requireSortedSegments, tuningIn } from "./sort_segments.ts";
