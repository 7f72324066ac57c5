/** What `wavefold` and `wavefold/node` share: everything but `open`. */
export type { Algorithm } from "./codegen/algorithms.ts";
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
export type { CustomOperator, Operator, OperatorDefinition } from "./operators.ts";
export {
  add,
  and,
  logicalAnd,
  logicalOr,
  logicalXor,
  max,
  min,
  mul,
  operator,
  operators,
  or,
  xor,
} from "./operators.ts";
export type { CompactOptions } from "./primitives/compact.ts";
export type { ReduceOptions } from "./primitives/reduce.ts";
export type { ScanOptions } from "./primitives/scan.ts";
export type { TuningOptions } from "./primitives/tuning.ts";
export type {
  Fold,
  HandCompactOptions,
  HandOptions,
  OpenOptions,
  PreparedCompact,
  PreparedReduce,
  PreparedScan,
} from "./runtime/fold.ts";
export type { BufferRange } from "./runtime/prepared.ts";
export type { ElementType, Float16ArrayLike, TypedArrays, TypeName } from "./types.ts";
export { elementTypes, f16, f32, i32, u32 } from "./types.ts";
