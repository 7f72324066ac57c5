/** What every entry exports: the operators and the element types. */
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
