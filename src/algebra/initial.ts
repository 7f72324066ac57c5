import { ArgumentError } from "../errors.ts";
import { settable } from "./array_values.ts";
import { arrayOver, isStructArray } from "./arrays.ts";
import { problemOf } from "./check_value.ts";
import type { ElementType, Value } from "./types.ts";

/** @throws {ArgumentError} if an initial value is no value of the type. */
export function requireInitial(value: unknown, type: ElementType, caller: string): Value {
  const problem =
    value === undefined ? `it is undefined; it takes a value of ${type.name}` : problemOf(type, value);
  if (problem !== undefined) {
    throw new ArgumentError(`${caller}: initial: ${problem}${elementHint(value)}`, "initial");
  }
  return value as Value;
}

/** How to give an array's element, if an array was given for it, such as the one that took the total. */
function elementHint(value: unknown): string {
  if (isStructArray(value)) {
    return "; array.get(0) gives the first element";
  }
  if (ArrayBuffer.isView(value)) {
    return "; array[0] gives the first element";
  }
  return (Object(value) as { readonly callOnGpu?: unknown }).callOnGpu === undefined
    ? ""
    : "; beside data on the GPU it may be an array there, and beside other data (await array.read())[0] gives the element";
}

/**
 * The bytes of an initial value, as a buffer holds them.
 *
 * @throws {ArgumentError} if it is no value of the type.
 */
export function bytesOfInitial(value: unknown, type: ElementType, caller: string): Uint8Array {
  const bytes = new ArrayBuffer(type.bytes);
  settable(arrayOver(type, bytes), type).set(0, requireInitial(value, type, caller));
  return new Uint8Array(bytes);
}
