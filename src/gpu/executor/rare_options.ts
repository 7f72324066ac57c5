import { isSameKind, kindOfArray } from "../../algebra/array_kinds.ts";
import type { AnyArray, Bytes } from "../../algebra/arrays.ts";
import { bytesOfInitial } from "../../algebra/initial.ts";
import type { ElementType } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import type { Given, Target } from "../device/transfer.ts";
import { bytesOf, givenOf } from "../device/transfer.ts";

// The code of options and types that most calls do without.

export { f64, i64, u64 } from "../../algebra/types_64.ts";
export { rareMethods } from "../../plan/rare_methods.ts";
export { runNumberDigits } from "./run_numbers.ts";

/** The two ends of a call at hand. */
export interface HandEnds {
  /** The options of the plan. */
  readonly options: { readonly initial?: true; readonly total?: true };
  /** The initial value, to upload. */
  readonly initial?: Omit<Given, "data">;
  /** Where the total goes. */
  readonly total?: () => Uint8Array;
}

/**
 * Checks an initial value and an array for the total. `room` is that array as it was when the call began, and `into` the array for the
 * result.
 *
 * @throws {ArgumentError} if the value is none of the type, if the array takes no element of the type, or if it overlaps the other one.
 */
export function endsAtHand(
  caller: string,
  { type, arrayOf }: { readonly type: ElementType; arrayOf(...range: Bytes): AnyArray },
  initial: unknown,
  total: unknown,
  room: Given,
  into?: Given,
): HandEnds {
  const wanted = arrayOf(new ArrayBuffer(0));
  if (total !== undefined && !isSameKind(total, wanted)) {
    throw new ArgumentError(
      `${caller}: total is ${kindOfArray(total)}; it takes ${kindOfArray(wanted)}, as the result is`,
      "total",
    );
  }
  if (total !== undefined && room.length !== 1) {
    throw new ArgumentError(
      `${caller}: total has ${room.length} elements; it takes an array of 1 element`,
      "total",
    );
  }
  if (
    total !== undefined &&
    into?.buffer === room.buffer &&
    into.byteOffset < room.byteOffset + room.byteLength &&
    room.byteOffset < into.byteOffset + into.byteLength
  ) {
    throw new ArgumentError(`${caller}: into and total overlap; they must be apart`, "total");
  }
  const bytes = initial === undefined ? undefined : bytesOfInitial(initial, type, caller);
  return {
    options: { ...(bytes && { initial: true }), ...(total !== undefined && { total: true }) },
    ...(bytes && { initial: { ...givenOf(bytes), length: 1 } }),
    ...(total !== undefined && { total: () => bytesOf(room, caller, "total", "total") }),
  };
}

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
