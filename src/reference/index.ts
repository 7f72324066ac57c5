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
// Of a file with a star, all that it exports is public.
export * from "./arg_min_max.ts";
export type { ReferenceFlags } from "./compact.ts";
export { compactReference } from "./compact.ts";
export * from "./find.ts";
export * from "./histogram.ts";
export type { ReferenceType } from "./items.ts";
export * from "./map.ts";
export * from "./merge.ts";
export * from "./moves.ts";
export * from "./partition.ts";
export * from "./reduce.ts";
export type { ReferenceByKey, ReferenceKeys, ReferenceRunKey } from "./run_key.ts";
export type {
  ReferenceCountsOption,
  ReferenceExpandOptions,
  ReferenceRunOptions,
  ReferenceUniques,
} from "./runs.ts";
export { expandRunsReference, runLengthsReference, uniqueReference } from "./runs.ts";
export * from "./scan.ts";
export * from "./search.ts";
export type { FirstArray, ReferenceSort, ReferenceSortOf, ReferenceTopK, SortedData } from "./sort.ts";
export { argSortReference, nthReference, sortReference, topKReference } from "./sort.ts";
