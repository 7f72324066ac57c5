import { isSameKind, kindOfArray } from "../../algebra/array_kinds.ts";
import type { AnyArray, Bytes } from "../../algebra/arrays.ts";
import { goneError } from "../../algebra/arrays.ts";
import { bytesOfInitial } from "../../algebra/initial.ts";
import type { ElementType } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import type { Given, Place } from "./given.ts";
import { bytesOf, givenOf } from "./given.ts";

/** The two ends of a call at hand. */
export interface CheckedEnds {
  /** The options of the plan. */
  readonly options: { readonly initial?: true; readonly total?: true };
  /** The initial value, to upload. */
  readonly initial?: Place & Pick<Given, "length">;
  /** Where the total goes. */
  readonly total?: () => Uint8Array;
}

/**
 * Checks an initial value and an array for the total. `room` is that array as it was when the call began, and `into` the array for the
 * result.
 *
 * @throws {ArgumentError} if the value is none of the type, if the array takes no element of the type, or if it overlaps the other one.
 */
export function checkEnds(
  caller: string,
  {
    type,
    arrayOf,
    into,
  }: { readonly type: ElementType; arrayOf(...range: Bytes): AnyArray; readonly into?: Given },
  initial: unknown,
  total: unknown,
  room: Given,
): CheckedEnds {
  if (room.isGone) {
    throw goneError(caller, "total");
  }
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
