/** What the main entries export: the operators and the element types. */

export type { CustomOperator, InKernelOperator, OperatorDefinition } from "./custom_operator.ts";
export { operator } from "./custom_operator.ts";
export type { FloatName } from "./exact_add.ts";
export { exactAdd } from "./exact_add.ts";
export type {
  FieldType,
  FieldValueOf,
  FixedArrayType,
  NestedType,
  VectorScalarName,
  VectorType,
  VectorValue,
} from "./fields.ts";
export { fixedArray, vec2, vec3, vec4 } from "./fields.ts";
export { f16, f32 } from "./floats.ts";
export { i32, u32 } from "./integers.ts";
export type { Operator } from "./monoid.ts";
export type { NarrowType } from "./narrow_types.ts";
export { i8, i16, u8, u16 } from "./narrow_types.ts";
export { operators } from "./operator_table.ts";
export type { IntegerName } from "./operators.ts";
export {
  add,
  and,
  logicalAnd,
  logicalOr,
  logicalXor,
  max,
  maximum,
  min,
  minimum,
  mul,
  or,
  xor,
} from "./operators.ts";
export type { ParamsOfCall, ParamType, ParamTypes, ParamValue, ParamValues } from "./params.ts";
export { plainTypes as elementTypes } from "./plain_types.ts";
export type { FieldTypeFor, StructDefinition, StructFields, StructType, StructValueOf } from "./struct.ts";
export { StructArray, struct } from "./struct.ts";
export type {
  ElementOf,
  ElementType,
  FieldValue,
  NarrowArrays,
  NarrowName,
  Scalar,
  ScalarOf,
  ScalarType,
  StructValue,
  TypeName,
  Value,
  WgslType,
  WideName,
} from "./types.ts";
export { f64, i64, u64 } from "./types_64_later.ts";
export type { NarrowerThan } from "./widening.ts";
