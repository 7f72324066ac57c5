import type { Scalar, ScalarType } from "../algebra/types.ts";

/** One operation on two values of a scalar type, rounded once. */
type Arithmetic = <V extends Scalar>(type: ScalarType<never, V> | ScalarType) => (a: V, b: V) => V;

/** An operation of JavaScript, on two numbers or on two bigints, rounded to the type. */
const rounded =
  (operation: (a: number, b: number) => number): Arithmetic =>
  (type) =>
  (a, b) =>
    type.round(operation(a as number, b as number) as never) as typeof a;

export const add = /* @__PURE__ */ rounded((a, b) => a + b);
export const and = /* @__PURE__ */ rounded((a, b) => a & b);
export const or = /* @__PURE__ */ rounded((a, b) => a | b);
export const xor = /* @__PURE__ */ rounded((a, b) => a ^ b);
const product = /* @__PURE__ */ rounded((a, b) => a * b);
/** The product of integers of 32 bits. JavaScript's `*` would lose bits, since a number does not hold the whole product. */
const product32 = /* @__PURE__ */ rounded(Math.imul);
export const multiply: Arithmetic = (type) =>
  (type.name === "u32" || type.name === "i32" ? product32 : product)(type);
