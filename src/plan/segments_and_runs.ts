// Plans of segments, and of runs of equal elements.

export { plannerOfSegments, planSegmented } from "./plan_segmented.ts";
export { planSortedRuns } from "./sorted_runs.ts";
export { planUnique } from "./unique.ts";
