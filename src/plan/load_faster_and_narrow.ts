import { once } from "../errors.ts";

/** Loads what plans by subgroups and single passes, and for items of 8 and 16 bits. */
export const loadFasterAndNarrow = /* @__PURE__ */ once(() => import("./faster_and_narrow.ts"));
