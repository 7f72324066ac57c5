import type { AnyArray, Bytes } from "../algebra/arrays.ts";
import { isSameKind, kindOfArray } from "../algebra/arrays.ts";
import { ArgumentError } from "../errors.ts";
import type { Given } from "./transfer.ts";
import { bytesOf } from "./transfer.ts";

// This is loaded only if a call at hand puts its result into an array of the caller's.

/** As `resultIn` of at_hand.ts, for an array. @throws {ArgumentError} if the array does not take the result. */
export function resultIn(
  into: unknown,
  given: Given,
  { arrayOf }: { arrayOf(...range: Bytes): AnyArray },
  caller: string,
  length: number,
  isExact: boolean,
): (bytes: number) => () => Uint8Array {
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
