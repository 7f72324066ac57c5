import type { Type } from "../../text/wgsl_types.ts";
import { concrete, isAbstract } from "../../text/wgsl_types.ts";
import { elementOf } from "./layout.ts";

// Numbers without a type take that of what stands around them.

export const withScalar = (type: Type, of: Type): Type =>
  type.kind === "vector" || type.kind === "matrix" ? { ...type, of } : of;

export const scalarIn = (type: Type): Type =>
  type.kind === "vector" || type.kind === "matrix"
    ? type.of
    : type.kind === "array"
      ? scalarIn(type.of)
      : type;

export const hasAbstract = (type: Type): boolean => isAbstract(scalarIn(type));

const isNumber = (type: Type): boolean => type.kind === "scalar" && type.name !== "bool";

export const isFloatType = (type: Type): boolean =>
  type.kind === "scalar" && ["f32", "f16", "abstract float"].includes(type.name);

/** The type of an expression in which numbers without a type take that of `expected`. */
export function settled(type: Type, expected: Type | undefined): Type {
  if (!hasAbstract(type)) {
    return type;
  }
  const of = expected === undefined || hasAbstract(expected) ? undefined : scalarIn(expected);
  if (type.kind === "array") {
    return { ...type, of: settled(type.of, expected && elementOf(expected)) };
  }
  const takes = isFloatType(scalarIn(type)) ? isFloatType : isNumber;
  return of && takes(of) ? withScalar(type, of) : concrete(type);
}
