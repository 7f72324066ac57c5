/** What `wavefold` and `wavefold/node` share: everything but `open`. */
export * from "./algebra.ts";
export type { Algorithm } from "./codegen/algorithms.ts";
export type { Indirect } from "./codegen/compact_kernels.ts";
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
export type { CompactOptions } from "./primitives/compact.ts";
export type { ReduceOptions } from "./primitives/reduce.ts";
export type { ScanOptions } from "./primitives/scan.ts";
export type { Passes, TuningOptions } from "./primitives/tuning.ts";
export type { AnyArray, NameOf, ScalarArray, ValueIn } from "./reference/arrays.ts";
export type { Grouping } from "./reference/grouping.ts";
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
} from "./runtime/fold.ts";
export type { BufferRange } from "./runtime/prepared.ts";
export type { SinglePassTest } from "./runtime/single_pass_test.ts";
export type { Float16ArrayLike, TypedArrays } from "./types.ts";
