export type { Algorithm } from "./codegen/algorithms.ts";
export type { WorkGroupFunctions, WorkGroupOptions } from "./codegen/link.ts";
export { link, workGroupReduce, workGroupScan } from "./codegen/link.ts";
export { ArgumentError, SourceError, WavefoldError } from "./errors.ts";
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
export type { ElementType, TypeName } from "./types.ts";
export { elementTypes, f16, f32, i32, u32 } from "./types.ts";
