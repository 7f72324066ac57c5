import type { ElementType, TypedArrays, TypeName } from "../types.ts";
import { decodeFloat16, encodeFloat16 } from "./float16.ts";

/** Any array of an element type. */
export type AnyArray = TypedArrays[TypeName];

const holdsBits = (data: AnyArray, type: ElementType): boolean =>
  type.name === "f16" && data[Symbol.toStringTag] === "Uint16Array";

/** The array's numbers, whether it holds them or their bits. */
export function numbersOf(data: AnyArray, type: ElementType): (index: number) => number {
  return holdsBits(data, type)
    ? (index) => decodeFloat16(data[index] as number)
    : (index) => data[index] as number;
}

/** An empty array of the same kind, and how a number goes into it. */
export function emptyLike<A extends AnyArray>(
  data: A,
  length: number,
  type: ElementType,
): { array: A; set: (index: number, value: number) => void } {
  const array = new (data.constructor as new (length: number) => A)(length);
  const set = holdsBits(data, type)
    ? (index: number, value: number) => {
        array[index] = encodeFloat16(value);
      }
    : (index: number, value: number) => {
        array[index] = value;
      };
  return { array, set };
}
