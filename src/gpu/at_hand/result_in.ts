import { isSameKind, kindOfArray } from "../../algebra/array_kinds.ts";
import type { AnyArray, Bytes } from "../../algebra/arrays.ts";
import { goneError } from "../../algebra/arrays.ts";
import { ArgumentError } from "../../errors.ts";
import type { Given, Target } from "../device/given.ts";
import { bytesOf } from "../device/given.ts";

/**
 * Checks `into`, as it was when the call began, for a result of `length` elements, or at most as many, and returns its start as the target.
 */
export function resultIn(
  into: Given,
  arrayOf: (...range: Bytes) => AnyArray,
  caller: string,
  length: number,
  isExact: boolean,
): Target {
  if (into.isGone) {
    throw goneError(caller, "into");
  }
  const wanted = arrayOf(new ArrayBuffer(0));
  if (!isSameKind(into.data, wanted)) {
    throw new ArgumentError(
      `${caller}: into is ${kindOfArray(into.data)}; it takes ${kindOfArray(wanted)}, as the result is`,
      "into",
    );
  }
  if (isExact ? into.length !== length : into.length < length) {
    throw new ArgumentError(
      `${caller}: into has ${into.length} elements; it takes ${isExact ? "" : "at least "}${length}, as many as the data`,
      "into",
    );
  }
  return (bytes) => () => bytesOf(into, caller, "into", "into").subarray(0, bytes);
}
