import { ArgumentError } from "../errors.ts";
import type { StructArray } from "../struct.ts";
import type { ElementType, Float16ArrayLike, StructValue, TypedArrays, TypeName, Value } from "../types.ts";
import { requireType, structTypeOf, typeNameOfArray } from "../types.ts";
import { decodeFloat16, encodeFloat16 } from "./float16.ts";

/** Any array of a scalar element type. */
export type ScalarArray = TypedArrays[TypeName];

/** Any array of an element type. */
export type AnyArray = ScalarArray | StructArray;

/** The name of the element type of an array type. */
export type NameOf<A> =
  A extends StructArray<infer Name>
    ? Name
    : A extends Uint32Array
      ? "u32"
      : A extends Int32Array
        ? "i32"
        : A extends Float32Array
          ? "f32"
          : A extends BigUint64Array
            ? "u64"
            : A extends BigInt64Array
              ? "i64"
              : A extends Float64Array
                ? "f64"
                : A extends Uint16Array | Float16ArrayLike
                  ? "f16"
                  : never;

/** The array type of an element type, by its name and its values. */
export type ArrayOf<Name extends string, V extends Value> = Name extends TypeName
  ? TypedArrays[Name]
  : V extends StructValue
    ? StructArray<Name, V>
    : never;

/** What an element of an array type is: a number, a `bigint`, or a struct's value. */
export type ValueIn<A> =
  A extends StructArray<string, infer V> ? V : A extends BigUint64Array | BigInt64Array ? bigint : number;

/**
 * The struct type of an array of structs; nothing where it is a typed array. A type that is given is
 * checked against the array.
 */
export function structOfArray(
  data: unknown,
  type: ElementType | undefined,
  caller: string,
): ElementType | undefined {
  const own = structTypeOf(data);
  if (type !== undefined) {
    requireType(type, caller);
    if (own === undefined) {
      typeNameOfArray(data, type, caller);
    } else if (own !== type) {
      throw new ArgumentError(`${caller}: the array holds ${own.name}, but type says ${type.name}`);
    }
  }
  return own;
}

const isStructArray = (data: AnyArray): data is StructArray => structTypeOf(data) !== undefined;

const holdsBits = (data: AnyArray, type: ElementType): boolean =>
  type.name === "f16" && (data as ScalarArray)[Symbol.toStringTag] === "Uint16Array";

/** The array's values, whether it holds them or their bits. */
export function valuesOf(data: AnyArray, type: ElementType): (index: number) => Value {
  if (isStructArray(data)) {
    return (index) => data.get(index);
  }
  return holdsBits(data, type)
    ? (index) => decodeFloat16(data[index] as number)
    : (index) => data[index] as number | bigint;
}

/** An empty array of the same kind, and how a value goes into it. */
export const emptyLike = <A extends AnyArray>(
  data: A,
  length: number,
  type: ElementType,
): { array: A; set: (index: number, value: Value) => void } =>
  settable(arrayLike(data, new ArrayBuffer(length * type.bytes)), type);

/** An array, and how a value goes into it. */
export function settable<A extends AnyArray>(
  array: A,
  type: ElementType,
): { array: A; set: (index: number, value: Value) => void } {
  if (isStructArray(array)) {
    return { array, set: (index, value) => array.set(index, value as never) };
  }
  const typed = array as unknown as { [index: number]: unknown };
  const set = holdsBits(array, type)
    ? (index: number, value: Value) => {
        typed[index] = encodeFloat16(value as number);
      }
    : (index: number, value: Value) => {
        typed[index] = value;
      };
  return { array, set };
}

/** An array of the kind of `data` over other bytes. */
export function arrayLike<A extends AnyArray>(data: A, bytes: ArrayBuffer): A {
  return isStructArray(data)
    ? (data.type.over(bytes) as StructArray as A)
    : new (data.constructor as new (bytes: ArrayBuffer) => A)(bytes);
}
