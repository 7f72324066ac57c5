import { once } from "../errors.ts";

/** Loads the plans of segments, and of runs of equal elements. */
export const loadSegmentsAndRuns = /* @__PURE__ */ once(() => import("./segments_and_runs.ts"));
