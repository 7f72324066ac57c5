import type { Numbers } from "./call.ts";

/** A new array of the kind of another one. */
export const numbersLike = <A extends Numbers>(numbers: A, length: number): A =>
  new (numbers.constructor as new (length: number) => A)(length);

/** The same memory as words; that of f16, which may not start at a word, as it is. */
export const bitsOf = (numbers: Numbers): Int32Array | Uint16Array =>
  numbers instanceof Uint16Array
    ? numbers
    : new Int32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);

/** Whether two arrays lie in the same memory, but start at different places there. */
export const isShifted = (a: Numbers, b: Numbers): boolean =>
  a.buffer === b.buffer && a.byteOffset !== b.byteOffset;
