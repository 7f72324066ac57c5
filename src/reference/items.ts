import { isSameKind, kindOfArray } from "../algebra/array_kinds.ts";
import { settable, valuesOf } from "../algebra/array_values.ts";
import type { AnyArray } from "../algebra/arrays.ts";
import {
  arrayLike,
  arrayOver,
  namedType,
  requireMemory,
  structOfArray,
  typeNameOfArray,
} from "../algebra/arrays.ts";
import { bytesFor } from "../algebra/bytes.ts";
import { problemOf } from "../algebra/check_value.ts";
import { requireInitial } from "../algebra/initial.ts";
import { narrowTypes } from "../algebra/narrow_types.ts";
import { plainTypes } from "../algebra/plain_types.ts";
import type { ElementType, Scalar, Value } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { conversionError, nameIfConverted, widens } from "../algebra/widening.ts";
import { ArgumentError } from "../errors.ts";
import type { OptionNames } from "../options.ts";
import { requireOptions } from "../options.ts";
import { resultsOver } from "./texts.ts";
import type { ReferenceMonoid } from "./twins.ts";
import { kindOf } from "./twins.ts";

const allTypes = { ...plainTypes, ...narrowTypes };

/** The type of a scan or a reduction of elements, if the caller names none. */
export const foldedType = (from: ElementType): ElementType => from.wide ?? from;

/**
 * The element type of an array. `name` is the argument or the option that it was given as.
 *
 * @throws {ArgumentError} when the array holds none of the element types, or not the one named.
 */
export function typeOfArray(
  data: unknown,
  type: ElementType | undefined,
  caller: string,
  option = "type",
  name = "data",
): ElementType {
  requireMemory(caller, name, data);
  return structOfArray(data, type, caller, option) ?? type ?? allTypes[typeNameOfArray(data, type, caller)];
}

/** The number of a bin or a class that a function gave, without its fraction; `last` for what is then below 0 or above that, and for NaN. */
export function numberUpTo(last: number, given: unknown): number {
  const number = Math.trunc(Number(given));
  return number >= 0 && number < last ? number : last;
}

/** The types of an array's items and of the mapped items, and the mapped item at each place. */
export interface MappedItems {
  readonly from: ElementType;
  readonly type: ElementType;
  read(index: number): Value;
}

/**
 * A new array for the mapped items of another array, and a function that puts a value into it.
 *
 * @throws {ArgumentError} if there is no memory for it.
 */
export const emptyFor = (
  data: AnyArray,
  { from, type }: Pick<MappedItems, "from" | "type">,
  length: number,
  caller: string,
): ReturnType<typeof settable<AnyArray>> => {
  const bytes = bytesFor(length, type, caller);
  return settable(isSameType(type, from) ? arrayLike(data, bytes) : arrayOver(type, bytes), type);
};

/**
 * The element of an initial value, if options have one.
 *
 * @throws {ArgumentError} if it is no value of the type.
 */
export function initialOf(
  { initial }: { readonly initial?: unknown },
  { lift, type }: ReferenceMonoid,
  caller: string,
): Value | undefined {
  return initial === undefined ? undefined : lift(requireInitial(initial, type, caller));
}

/**
 * A function that puts a total into an array of one element. `wanted` is an array of its kind.
 *
 * @throws {ArgumentError} if `total` is another array.
 */
export function totalIn(
  total: AnyArray | undefined,
  wanted: AnyArray,
  type: ElementType,
  caller: string,
): (value: Value) => void {
  if (total === undefined) {
    return () => {};
  }
  requireMemory(caller, "total", total);
  if (!isSameKind(total, wanted) || total.length !== 1) {
    throw new ArgumentError(
      `${caller}: total is ${kindOfArray(total)} of length ${Object(total).length}; it takes ${kindOfArray(wanted)} of 1 element`,
      "total",
    );
  }
  const { set } = settable(total, type);
  return (value) => set(0, value);
}

/**
 * The items as they are combined: mapped, if there is a map.
 *
 * @throws {ArgumentError} as {@link typeOfArray}; for an unknown option, for a map that is no function, for another type
 * without a map, and if a map returns a value of another kind than its type's.
 */
export function mappedItems(
  data: AnyArray,
  options: object,
  names: OptionNames,
  caller: string,
  resultOf: (from: ElementType) => ElementType = (from) => from,
): MappedItems {
  requireOptions(caller, options, names);
  const given = options as {
    readonly type?: ElementType;
    readonly from?: ElementType;
    readonly map?: unknown;
  };
  const { map } = given;
  const name = nameIfConverted(data, given, caller);
  const from =
    name === undefined
      ? typeOfArray(data, namedType(data, given), caller, given.from ? "from" : "type")
      : allTypes[name];
  const type = given.type === undefined ? resultOf(from) : requireType(given.type, caller);
  const own = valuesOf(data, from);
  if (map === undefined) {
    if (widens(from, type)) {
      const isBig = kindOf(type) === "bigint";
      return { from, type, read: isBig ? (index) => BigInt(own(index) as Scalar) : own };
    }
    if (!isSameType(type, from)) {
      throw conversionError(caller, from, type);
    }
    return { from, type, read: own };
  }
  const resultAt = resultsOver(map, { array: data, type: from }, { caller, option: "map", to: type });
  const kind = kindOf(type);
  const read = (index: number): Value => {
    const value = resultAt(index);
    if (typeof value !== kind) {
      throw new ArgumentError(`${caller}: the map gave ${problemOf(type, value)}`, "map");
    }
    return type.round(value as Value);
  };
  return { from, type, read };
}

/** The option `type` of a reference. */
export interface ReferenceType<Name extends string> {
  /** The type of the elements. It is needed only for f16 bits in a `Uint16Array`, and for structs. */
  readonly type?: ElementType<Name>;
}
