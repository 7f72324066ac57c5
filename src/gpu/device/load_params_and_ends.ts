import { once } from "../../errors.ts";

/** Loads what few calls take: params, and an initial value or an array for the total. */
export const loadParamsAndEnds = /* @__PURE__ */ once(() => import("./params_and_ends.ts"));
