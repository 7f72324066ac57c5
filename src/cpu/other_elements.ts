// What scans and reductions of whole arrays take beside the loops over u32 and i32: those over other elements, by `exactAdd`, and in reverse.

export { exact } from "./exact_folds.ts";
export { loopsByFamily } from "./floats_and_pairs.ts";
export { packed, widened, wideOptions } from "./narrow_elements.ts";
export { inReverse } from "./reverse.ts";
