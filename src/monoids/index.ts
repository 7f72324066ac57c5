/**
 * Operators on structs for what people scan, ready to use.
 *
 * @module wavefold/monoids
 */

export type { ArgMax, ArgMaxValue } from "./arg_max.ts";
export { argMax } from "./arg_max.ts";
export type { ArgMin, ArgMinValue } from "./arg_min.ts";
export { argMin } from "./arg_min.ts";
export type { Brackets, BracketsValue } from "./brackets.ts";
export { brackets } from "./brackets.ts";
export type { LinearRecurrence, LinearStep } from "./linear_recurrence.ts";
export { linearRecurrence } from "./linear_recurrence.ts";
export type { Matrix, Matrix2x2 } from "./matrix2x2.ts";
export { matrix2x2 } from "./matrix2x2.ts";
export type { MinMax, MinMaxValue } from "./min_max.ts";
export { minMax } from "./min_max.ts";
export type { MonoidType, MonoidTypeName, StructOperator } from "./scalar.ts";
export type { SegmentedSum, SegmentValue } from "./segmented_sum.ts";
export { segmentedSum } from "./segmented_sum.ts";
export type { Moments, Variance } from "./variance.ts";
export { momentsOf, variance, varianceOf } from "./variance.ts";
