import { once } from "../errors.ts";

/** Loads the plans of selections, and of sorts by several keys and of segments. */
export const loadSelectedAndSorted = /* @__PURE__ */ once(() => import("./selected_and_sorted.ts"));
