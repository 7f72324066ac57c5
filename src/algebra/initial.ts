import { ArgumentError } from "../errors.ts";
import { isSameKind, kindOfArray } from "./array_kinds.ts";
import { bytesOfValue, valuesOf } from "./array_values.ts";
import type { AnyArray } from "./arrays.ts";
import { arrayOver, isOnGpu, isStructArray, requireMemory } from "./arrays.ts";
import { problemOfNearest } from "./check_value.ts";
import type { ElementType, Value } from "./types.ts";

/** An array of one element, such as one that took a total, stands for its element. */
function elementOf(given: unknown, type: ElementType): unknown {
  if (typeof given !== "object") {
    return given;
  }
  const holdsElements =
    isSameKind(given, arrayOver(type, new ArrayBuffer(0))) ||
    (type.name === "f16" && kindOfArray(given) === "Uint16Array");
  const array = given as AnyArray;
  return holdsElements && array.length === 1 ? valuesOf(array, type)(0) : given;
}

/**
 * The initial value: what was given, or the element of an array of one element. Floats are rounded to the nearest of the type.
 *
 * @throws {ArgumentError} if it is no value of the type.
 */
export function requireInitial(given: unknown, type: ElementType, caller: string): Value {
  requireMemory(caller, "initial", given);
  const value = elementOf(given, type);
  const problem =
    value === undefined ? `it is undefined; it takes a value of ${type.name}` : problemOfNearest(type, value);
  if (problem !== undefined) {
    throw new ArgumentError(`${caller}: initial: ${problem}${elementHint(value)}`, "initial");
  }
  return type.round(value as never);
}

/** How to give an array's element, if an array of several was given for it, or one of another type. */
function elementHint(value: unknown): string {
  if (isStructArray(value)) {
    return "; array.get(0) gives the first element";
  }
  if (ArrayBuffer.isView(value)) {
    return "; array[0] gives the first element";
  }
  return isOnGpu(value)
    ? "; beside data on the GPU it may be an array there, and beside other data (await array.read())[0] gives the element"
    : "";
}

/**
 * The bytes of an initial value, as a buffer holds them.
 *
 * @throws {ArgumentError} if it is no value of the type.
 */
export const bytesOfInitial = (value: unknown, type: ElementType, caller: string): Uint8Array =>
  bytesOfValue(requireInitial(value, type, caller), type);
