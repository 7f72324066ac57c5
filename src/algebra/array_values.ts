import type { AnyArray, ScalarArray } from "./arrays.ts";
import { arrayLike, arrayOver, isStructArray } from "./arrays.ts";
import { decodeFloat16, encodeFloat16 } from "./float16.ts";
import type { ElementType, Value } from "./types.ts";

// Arrays, read and written value by value.

const holdsBits = (data: AnyArray, type: ElementType): boolean =>
  type.name === "f16" && (data as ScalarArray)[Symbol.toStringTag] === "Uint16Array";

/** A function that reads the array's values, whether the array holds them or their bits. */
export function valuesOf(data: AnyArray, type: ElementType): (index: number) => Value {
  if (isStructArray(data)) {
    return (index) => data.get(index);
  }
  return holdsBits(data, type)
    ? (index) => decodeFloat16(data[index] as number)
    : (index) => data[index] as number | bigint;
}

/** A new array of the same kind, and a function that puts a value into it. */
export const emptyLike = <A extends AnyArray>(
  data: A,
  length: number,
  type: ElementType,
): { array: A; set: (index: number, value: Value) => void } =>
  settable(arrayLike(data, new ArrayBuffer(length * type.bytes)), type);

/** An array, and a function that puts a value into it. */
export function settable<A extends AnyArray>(
  array: A,
  type: ElementType,
): { array: A; set: (index: number, value: Value) => void } {
  if (isStructArray(array)) {
    return { array, set: (index, value) => array.set(index, value as never) };
  }
  const typed: { [index: number]: unknown } = array;
  const set = holdsBits(array, type)
    ? (index: number, value: Value) => {
        typed[index] = encodeFloat16(value as number);
      }
    : (index: number, value: Value) => {
        typed[index] = value;
      };
  return { array, set };
}

/** The bytes of a value, as a buffer holds them. */
export function bytesOfValue(value: Value, type: ElementType): Uint8Array {
  const bytes = new ArrayBuffer(type.bytes);
  settable(arrayOver(type, bytes), type).set(0, value);
  return new Uint8Array(bytes);
}

/** The value of an element's bytes, which may lie anywhere. */
export const valueOfBytes = (bytes: Uint8Array, type: ElementType): Value =>
  valuesOf(arrayOver(type, bytes.slice().buffer), type)(0);
