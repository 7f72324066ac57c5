import { once } from "../../errors.ts";

/** Loads what few calls take: params, an initial value or an array for the total, and errors for kernels that do not compile. */
export const loadRarelyUsed = /* @__PURE__ */ once(() => import("./rarely_used.ts"));
