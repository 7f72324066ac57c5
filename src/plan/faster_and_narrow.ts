// Plans by subgroups and single passes, and of items of 8 and 16 bits.

export { withFasterWays } from "./faster_ways.ts";
export { planNarrow } from "./narrow.ts";
