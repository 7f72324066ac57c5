import { ArgumentError } from "../errors.ts";
import type { StructArray } from "../struct.ts";
import type { ElementType, Float16ArrayLike, StructValue, TypedArrays, TypeName, Value } from "../types.ts";
import { requireType, structTypeOf, typeNameOfArray } from "../types.ts";

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

export const isStructArray = (data: AnyArray): data is StructArray => structTypeOf(data) !== undefined;

/** An array of the kind of `data` over other bytes. */
export function arrayLike<A extends AnyArray>(data: A, bytes: ArrayBuffer): A {
  return isStructArray(data)
    ? (data.type.over(bytes) as StructArray as A)
    : new (data.constructor as new (bytes: ArrayBuffer) => A)(bytes);
}
