/** What every entry exports: the operators and the element types. */
export { elementTypes } from "./element_types.ts";
export { f16, f32 } from "./floats.ts";
export { i32 } from "./i32.ts";
export type { CustomOperator, IntegerName, Operator, OperatorDefinition } from "./operators.ts";
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
export type { StructDefinition, StructFields, StructType, StructValueOf } from "./struct.ts";
export { StructArray, struct } from "./struct.ts";
export type { ElementType, Scalar, ScalarOf, ScalarType, StructValue, TypeName, Value } from "./types.ts";
export { u32 } from "./types.ts";
export { f64, i64, u64 } from "./types_64.ts";
