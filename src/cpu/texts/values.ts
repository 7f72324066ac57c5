import type { Type } from "../../text/wgsl_types.ts";
import { isAbstract, isLong, scalar } from "../../text/wgsl_types.ts";
import { noCode } from "./no_code.ts";
import type { Scalar } from "./scalars.ts";

// Values are lists of JavaScript expressions, one for each scalar that a type is made of.

/** The scalars of a value as JavaScript. */
export type Words = readonly string[];

/** A value of more scalars has no code. */
const MOST_SCALARS = 64;

/** The scalars that a type is made of, in order. */
export function scalarsOf(type: Type): readonly Scalar[] {
  const found = scalarsIn(type);
  return found.length <= MOST_SCALARS ? found : noCode(`it has ${found.length} scalars`);
}

function scalarsIn(type: Type): readonly Scalar[] {
  switch (type.kind) {
    case "scalar":
      return isAbstract(type) ? noCode("a number without a type") : [type.name as Scalar];
    case "vector":
    case "array": {
      const of = scalarsIn(type.of);
      const { count = 0 } = type;
      return count > 0 && count * of.length <= MOST_SCALARS
        ? Array.from({ length: count }, () => of).flat()
        : noCode("an array of too many elements");
    }
    case "struct":
      return [...type.members.values()].flatMap(scalarsIn);
    default:
      return noCode(`a value of the kind ${type.kind}`);
  }
}

/** The scalar of a vector; of a scalar itself. */
export const scalarIn = (type: Type): Type => (type.kind === "vector" ? type.of : type);

/** The scalar that a scalar or a vector is made of. */
export function scalarNameOf(type: Type): Scalar {
  const of = scalarIn(type);
  return of.kind === "scalar" && !isAbstract(of) ? (of.name as Scalar) : noCode(`${type.kind} of no scalar`);
}

export const withScalar = (type: Type, of: Type): Type => (type.kind === "vector" ? { ...type, of } : of);

/** Whether a type has numbers in it that nothing gave a type. */
export const hasAbstract = (type: Type): boolean =>
  type.kind === "vector" || type.kind === "array" || type.kind === "matrix"
    ? hasAbstract(type.of)
    : isAbstract(type);

/** Whether a type has numbers of 64 bits in it. */
export const hasLong = (type: Type): boolean =>
  type.kind === "vector" || type.kind === "array" || type.kind === "matrix"
    ? hasLong(type.of)
    : type.kind === "struct"
      ? [...type.members.values()].some(hasLong)
      : isLong(type);

/** Matches what may be repeated, since it is a name or a number. */
const ATOM = /^(?:[\w$.]+|\(-[\w.+-]+\))$/;

export const isAtom = (text: string): boolean => ATOM.test(text);

export const bool = scalar("bool");
export const u32 = scalar("u32");
