import { isSameKind, kindOfArray } from "../../algebra/array_kinds.ts";
import type { AnyArray, Bytes } from "../../algebra/arrays.ts";
import { goneError } from "../../algebra/arrays.ts";
import { ArgumentError } from "../../errors.ts";
import type { Given, Target } from "../device/given.ts";
import { bytesOf } from "../device/given.ts";

/**
 * Checks `into`, for a result of `length` elements, or at most as many, and returns its start as the target. `given` is what
 * it was when the call began.
 */
export function resultIn(
  into: unknown,
  given: Given,
  arrayOf: (...range: Bytes) => AnyArray,
  caller: string,
  length: number,
  isExact: boolean,
): Target {
  if (given.isGone) {
    throw goneError(caller, "into");
  }
  const wanted = arrayOf(new ArrayBuffer(0));
  if (!isSameKind(into, wanted)) {
    throw new ArgumentError(
      `${caller}: into is ${kindOfArray(into)}; it takes ${kindOfArray(wanted)}, as the result is`,
      "into",
    );
  }
  if (isExact ? given.length !== length : given.length < length) {
    throw new ArgumentError(
      `${caller}: into has ${given.length} elements; it takes ${isExact ? "" : "at least "}${length}, as many as the data`,
      "into",
    );
  }
  return (bytes) => () => bytesOf(given, caller, "into", "into").subarray(0, bytes);
}
