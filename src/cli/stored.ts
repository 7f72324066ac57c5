import type { ScalarArray } from "../algebra/arrays.ts";
import { elementTypes } from "../algebra/element_types.ts";
import type { ScalarType } from "../algebra/types.ts";
import type { Dtype } from "./dtypes.ts";
import { arrays, dtypes, typesRead } from "./dtypes.ts";
import type { Output } from "./files.ts";

// Elements as files hold them: big-endian, in Fortran order, or narrower than the elements that calls take.

/** The type of the elements that a dtype is read as. */
export const typeRead = (dtype: Dtype): ScalarType => elementTypes[typesRead[dtype]];

/** The bytes of an element in a file. */
export const bytesOfEach = (dtype: Dtype): number => arrays[dtype].BYTES_PER_ELEMENT;

const isNarrow = (dtype: Dtype): boolean => bytesOfEach(dtype) < typeRead(dtype).bytes;

/** The elements whose bytes these are: f16 as its bits. */
export const elementsOver = ({ name }: ScalarType, bytes: ArrayBufferLike): ScalarArray =>
  new arrays[dtypes[name]](bytes as ArrayBuffer);

/** Makes big-endian elements little-endian, in place. */
export function reverseBytes(bytes: Uint8Array, dtype: Dtype): void {
  const each = bytesOfEach(dtype);
  for (let start = 0; start < bytes.length; start += each) {
    for (let [low, high] = [start, start + each - 1]; low < high; low++, high--) {
      const byte = bytes[low] as number;
      bytes[low] = bytes[high] as number;
      bytes[high] = byte;
    }
  }
}

/** Where elements lie that are to be widened in place: at the end, so that each is read before another takes its place. */
export const placeOfStored = (room: Uint8Array, dtype: Dtype): Uint8Array =>
  room.subarray(room.length - Math.ceil((room.length / typeRead(dtype).bytes) * bytesOfEach(dtype)));

/** Widens elements that start where {@link placeOfStored} says. Bool becomes 0 or 1. */
export function widen(room: Uint8Array, dtype: Dtype, count: number): void {
  if (!isNarrow(dtype) || count === 0) {
    return;
  }
  const { buffer, byteOffset } = placeOfStored(room, dtype);
  const stored = new arrays[dtype](buffer as ArrayBuffer, byteOffset, count) as Uint8Array;
  // As u32, an i32 has the same bits.
  const elements = new Uint32Array(room.buffer, room.byteOffset, count);
  const isBool = dtype === "|b1";
  for (let index = 0; index < count; index++) {
    const value = stored[index] as number;
    elements[index] = isBool ? Number(value !== 0) : value;
  }
}

/** The bytes of elements as a file of a dtype holds them. */
export function storedBytes(bytes: Uint8Array, dtype: Dtype): Uint8Array {
  if (!isNarrow(dtype)) {
    return bytes;
  }
  const { buffer, byteOffset, length } = bytes;
  const stored = new arrays[dtype](length / 4) as Uint8Array;
  stored.set(new Uint32Array(buffer, byteOffset, length / 4));
  return new Uint8Array(stored.buffer);
}

/** Takes elements, and writes them as a file of a dtype holds them. */
export const storingTo = (output: Output, dtype: Dtype): Output => ({
  ...output,
  write: (bytes) => output.write(storedBytes(bytes, dtype)),
});

/** The bytes of an array in Fortran order, in C order: then the last index changes fastest. */
export function inCOrder(
  bytes: Uint8Array<ArrayBuffer>,
  shape: readonly number[],
  dtype: Dtype,
): Uint8Array<ArrayBuffer> {
  const each = bytesOfEach(dtype);
  // A float's bits may change where it is read as one.
  const word = each === 1 ? Uint8Array : each === 2 ? Uint16Array : Uint32Array;
  const words = each / word.BYTES_PER_ELEMENT;
  const from = new word(bytes.buffer);
  const to = new word(from.length);
  /** By how many words two elements are apart whose indices in a dimension are neighbours. */
  const strides = shape.map((_, dimension) =>
    shape.slice(0, dimension).reduce((all, one) => all * one, words),
  );
  const row = shape.at(-1) ?? 1;
  const stride = strides.at(-1) ?? words;
  const indices = shape.slice(0, -1).fill(0);
  let start = 0;
  for (let at = 0; at < to.length; ) {
    for (let index = 0; index < row; index++) {
      for (let part = 0; part < words; part++) {
        to[at++] = from[start + index * stride + part] as number;
      }
    }
    // The next row: as a counter turns.
    for (let dimension = indices.length - 1; dimension >= 0; dimension--) {
      const step = strides[dimension] as number;
      start += step;
      indices[dimension] = (indices[dimension] as number) + 1;
      if ((indices[dimension] as number) < (shape[dimension] as number)) {
        break;
      }
      start -= step * (shape[dimension] as number);
      indices[dimension] = 0;
    }
  }
  return new Uint8Array(to.buffer);
}
