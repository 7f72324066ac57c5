import { ArgumentError } from "../errors.ts";
import { settable } from "./array_values.ts";
import { arrayOver } from "./arrays.ts";
import { problemOf } from "./check_value.ts";
import type { ElementType, Value } from "./types.ts";

/** @throws {ArgumentError} if an initial value is no value of the type. */
export function requireInitial(value: unknown, type: ElementType, caller: string): Value {
  const problem =
    value === undefined ? `it is undefined; it takes a value of ${type.name}` : problemOf(type, value);
  if (problem !== undefined) {
    throw new ArgumentError(`${caller}: initial: ${problem}`, "initial");
  }
  return value as Value;
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
