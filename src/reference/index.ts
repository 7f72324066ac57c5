/**
 * What each primitive means, on the CPU, one element after another.
 *
 * @module wavefold/reference
 */
export type { AnyArray, ArrayOf, NameOf, ScalarArray, ValueIn, WideArray } from "../algebra/arrays.ts";
export { decodeFloat16, encodeFloat16 } from "../algebra/float16.ts";
export type { Segments, SegmentsByAxis } from "../algebra/segments.ts";
export type { Grouping } from "../plan/grouping.ts";
export type { KeysOrder, SortOrder } from "../plan/sort_key.ts";
export type { ReferenceArg } from "./arg_min_max.ts";
export { argMaxReference, argMinReference } from "./arg_min_max.ts";
export type { ReferenceFlags } from "./compact.ts";
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
export type { MapReferenceOptions } from "./map.ts";
export { mapReference } from "./map.ts";
export type { ReferenceMerge, ReferenceOrder } from "./merge.ts";
export { differenceReference, intersectionReference, mergeReference, unionReference } from "./merge.ts";
export type { ReferenceClasses, ReferenceClassPartition, ReferencePartition } from "./partition.ts";
export { partitionReference } from "./partition.ts";
export type { ReferenceRuns } from "./reduce.ts";
export { reduceReference } from "./reduce.ts";
export type { ReferenceByKey, ReferenceKeys, ReferenceRunKey } from "./run_key.ts";
export type {
  ReferenceCountsOption,
  ReferenceExpandOptions,
  ReferenceRunOptions,
  ReferenceUniques,
} from "./runs.ts";
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
export type { ReferenceScatter } from "./scatter.ts";
export { scatterReference } from "./scatter.ts";
export { searchSortedReference } from "./search.ts";
export type { FirstArray, ReferenceSort, ReferenceSortOf, ReferenceTopK, SortedData } from "./sort.ts";
export { argSortReference, nthReference, sortReference, topKReference } from "./sort.ts";
