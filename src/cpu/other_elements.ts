// What scans and reductions take beside the loops over u32 and i32 from the first element on.

export { loopsByFamily } from "./floats_and_pairs.ts";
export { packed, widened, wideOptions } from "./narrow_elements.ts";
export { inReverse } from "./reverse.ts";
