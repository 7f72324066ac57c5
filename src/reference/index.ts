export { compactReference } from "./compact.ts";
export { decodeFloat16, encodeFloat16 } from "./float16.ts";
export type { Grouping } from "./grouping.ts";
export { reduceReference } from "./reduce.ts";
export { scanReference } from "./scan.ts";
