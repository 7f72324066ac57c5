import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayLike } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { anyItems, arrayOfBits, randomBits } from "./random.ts";

/** The elements at these positions. */
export function gathered<A extends AnyArray>(data: A, positions: Uint32Array): A {
  const bytes = data.BYTES_PER_ELEMENT;
  const from = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  const made = new Uint8Array(from.length);
  positions.forEach((position, at) => {
    made.set(from.subarray(position * bytes, (position + 1) * bytes), at * bytes);
  });
  return arrayLike(data, made.buffer) as A;
}

/** Bits of a type in the ways in which sorts have been slow or wrong. */
export const kinds = {
  any: (type, length, name) => anyItems(type, length, name),
  few: (type, length, name) => {
    const next = randomBits(name);
    return arrayOfBits(
      type,
      Array.from({ length }, () => next() % 5),
    );
  },
  equal: (type, length) => arrayOfBits(type, Array(length).fill(77)),
  sorted: (type, length) =>
    arrayOfBits(
      type,
      Array.from({ length }, (_, at) => at),
    ),
  reversed: (type, length) =>
    arrayOfBits(
      type,
      Array.from({ length }, (_, at) => length - at),
    ),
  "top byte": (type, length, name) => {
    const next = randomBits(name);
    const shift = BigInt(elementTypes[type].bytes * 8 - 8);
    return arrayOfBits(
      type,
      Array.from({ length }, () => BigInt(next() % 256) << shift),
    );
  },
} as const satisfies Record<string, (type: TypeName, length: number, name: string) => AnyArray>;
