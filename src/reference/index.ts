/**
 * What each primitive means, on the CPU, one element after another.
 *
 * @module wavefold/reference
 */
export type { AnyArray, ArrayOf, NameOf, ScalarArray, ValueIn } from "../algebra/arrays.ts";
export { decodeFloat16, encodeFloat16 } from "../algebra/float16.ts";
export type { Segments } from "../algebra/segments.ts";
export type { Grouping } from "../plan/grouping.ts";
export type { SortOrder } from "../plan/sort_key.ts";
export type { ReferenceArg } from "./arg_min_max.ts";
export { argMaxReference, argMinReference } from "./arg_min_max.ts";
export { compactReference } from "./compact.ts";
export type { ReferenceCondition } from "./find.ts";
export {
  allReference,
  anyReference,
  countReference,
  findFirstReference,
  findLastReference,
} from "./find.ts";
export { gatherReference } from "./gather.ts";
export type { ReferenceBins } from "./histogram.ts";
export { histogramReference } from "./histogram.ts";
export type { ReferenceType } from "./items.ts";
export type { ReferenceClasses, ReferenceClassPartition, ReferencePartition } from "./partition.ts";
export { partitionReference } from "./partition.ts";
export type { ReferenceRuns } from "./reduce.ts";
export { reduceReference } from "./reduce.ts";
export type { ReferenceByKey, ReferenceKeys, ReferenceRunKey } from "./run_key.ts";
export type { ReferenceRunOptions } from "./runs.ts";
export { expandRunsReference, runLengthsReference, uniqueReference } from "./runs.ts";
export type {
  ReferenceConversion,
  ReferenceInitial,
  ReferenceMap,
  ReferenceMapOptions,
  ReferenceOptions,
  ReferenceScan,
  ReferenceSegmentsOption,
} from "./scan.ts";
export { scanReference } from "./scan.ts";
export { searchSortedReference } from "./search.ts";
export type { ReferenceSort, ReferenceTopK } from "./sort.ts";
export { argSortReference, nthReference, sortReference, topKReference } from "./sort.ts";
