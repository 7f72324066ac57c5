/** What `wavefold` and `wavefold/node` share: everything but `open`. */

export type { AnyArray, NameOf, ScalarArray, ValueIn } from "./algebra/arrays.ts";
export * from "./algebra/index.ts";
export type { Float16ArrayLike, TypedArrays } from "./algebra/types.ts";
export {
  AdapterError,
  ArgumentError,
  DeviceLostError,
  FeatureError,
  LimitError,
  MissingPackageError,
  OutOfMemoryError,
  ShaderError,
  SourceError,
  WavefoldError,
} from "./errors.ts";
export type {
  Fold,
  HandCompactOptions,
  HandMapOptions,
  HandOptions,
  Length,
  OpenOptions,
  PreparedCompact,
  PreparedReduce,
  PreparedScan,
  ScanRanges,
} from "./gpu/fold.ts";
export type { SinglePassTest } from "./gpu/look_back_test.ts";
export type { BufferRange } from "./gpu/prepare.ts";
export type { Algorithm } from "./kernels/algorithms.ts";
export type { Indirect } from "./kernels/compact.ts";
export type { CompactOptions } from "./plan/compact.ts";
export type { ReduceOptions } from "./plan/reduce.ts";
export type { ScanOptions } from "./plan/scan.ts";
export type { Passes, TuningOptions } from "./plan/tuning.ts";
export type { Grouping } from "./reference/grouping.ts";
