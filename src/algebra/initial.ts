import { ArgumentError } from "../errors.ts";
import { arrayOver, settable } from "./arrays.ts";
import type { ElementType, Value } from "./types.ts";
import { problemOf } from "./value_problem.ts";

/**
 * The bytes of an initial value, as a buffer holds them.
 *
 * @throws {ArgumentError} if it is no value of the type.
 */
export function bytesOfInitial(value: unknown, type: ElementType, caller: string): Uint8Array {
  const problem =
    value === undefined ? `it is undefined; it takes a value of ${type.name}` : problemOf(type, value);
  if (problem !== undefined) {
    throw new ArgumentError(`${caller}: initial: ${problem}`, "initial");
  }
  const bytes = new ArrayBuffer(type.bytes);
  settable(arrayOver(type, bytes), type).set(0, value as Value);
  return new Uint8Array(bytes);
}
