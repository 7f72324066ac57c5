/**
 * What each primitive means, on the CPU, one element after another.
 *
 * @module wavefold/reference
 */
export type { AnyArray, ArrayOf, NameOf, ScalarArray, ValueIn } from "../algebra/arrays.ts";
export { decodeFloat16, encodeFloat16 } from "../algebra/float16.ts";
export type { Grouping } from "../plan/grouping.ts";
export { argMaxReference, argMinReference } from "./arg.ts";
export { compactReference } from "./compact.ts";
export type { ReferenceBins } from "./histogram.ts";
export { histogramReference } from "./histogram.ts";
export { reduceReference } from "./reduce.ts";
export type {
  ReferenceInitial,
  ReferenceMap,
  ReferenceMapOptions,
  ReferenceOptions,
  ReferenceScan,
} from "./scan.ts";
export { scanReference } from "./scan.ts";
export { searchSortedReference } from "./search.ts";
