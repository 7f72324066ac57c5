// Plans of selections, and of sorts by several keys and of segments.

export { planNth, planTopK } from "./select.ts";
export { planTopKRows } from "./select_rows.ts";
export { planByKeys } from "./sort_by_keys.ts";
export { planLong, planSegmentSort, requireSortedSegments, tuningIn } from "./sort_segments.ts";
