import type { CpuArray } from "./call.ts";
import { decodeHalves, halfBlock } from "./halves.ts";

// Numbers of any scalar type, a block at a time as doubles. So the loops that take them get one kind of array. Typed arrays convert quickly.

/** So many numbers lie in the fastest memory. */
export const BLOCK = 2048;

/** Takes a block of numbers: the first `count` of an array that is used again. `from` is the index of the first one. */
export type TakeBlock = (doubles: Float64Array, from: number, count: number) => void;

/** Whether the elements are integers of 64 bits. */
export const isWide = ({ type }: CpuArray): boolean => type.bytes === 8 && type.kind !== "float";

/** Calls `take` with the numbers of each block, in order. Integers of 64 bits are rounded. */
export function eachBlock(array: CpuArray, take: TakeBlock): void {
  if (isWide(array)) {
    eachWideBlock(array, { low: 0n, isSigned: array.type.kind === "signed" }, take);
    return;
  }
  const { doubles, read } = blocksOf(array);
  for (let from = 0; from < array.length; from += BLOCK) {
    take(doubles, from, read(from));
  }
}

/** The blocks of an array whose elements are no integers of 64 bits. `read` puts that from an index on into `doubles`, and gives its length. */
export function blocksOf({ length, numbers }: CpuArray): {
  readonly doubles: Float64Array;
  read(from: number): number;
} {
  const doubles = new Float64Array(Math.min(BLOCK, length));
  const halves = halfBlock(numbers instanceof Uint16Array ? doubles.length : 0);
  return {
    doubles,
    read(from) {
      const count = Math.min(BLOCK, length - from);
      if (numbers instanceof Uint16Array) {
        decodeHalves(numbers, from, 1, halves, count);
        doubles.set(halves.numbers.subarray(0, count));
      } else {
        doubles.set((numbers as Float64Array).subarray(from, from + count));
      }
      return count;
    },
  };
}

/** The same for integers of 64 bits, less `low`: modulo 2^64, as signed numbers or as others, and rounded if that takes more than 53 bits. */
export function eachWideBlock(
  { length, numbers }: CpuArray,
  { low, isSigned }: { readonly low: bigint; readonly isSigned: boolean },
  take: TakeBlock,
): void {
  const doubles = new Float64Array(Math.min(BLOCK, length));
  const words = new Uint32Array(numbers.buffer, numbers.byteOffset, 2 * length);
  const [lower = 0, upper = 0] = new Uint32Array(BigUint64Array.of(low).buffer);
  for (let from = 0; from < length; from += BLOCK) {
    const count = Math.min(BLOCK, length - from);
    for (let at = 0; at < count; at++) {
      const word = words[2 * (from + at)] as number;
      const borrow = word < lower ? 1 : 0;
      const high = (words[2 * (from + at) + 1] as number) - upper - borrow;
      doubles[at] = (isSigned ? high | 0 : high >>> 0) * 2 ** 32 + ((word - lower) >>> 0);
    }
    take(doubles, from, count);
  }
}

/** Each number without its fraction; `last` or more for what is then below 0 or above that, and for NaN. u32 are as they are. */
export function wholeNumbers(array: CpuArray, last: number): Uint32Array {
  if (array.type.kind === "unsigned" && array.numbers instanceof Uint32Array) {
    return array.numbers;
  }
  const whole = new Uint32Array(array.length);
  eachBlock(array, (doubles, from, count) => {
    for (let at = 0; at < count; at++) {
      const number = doubles[at] as number;
      // Above −1, all but the fraction may be 0.
      whole[from + at] = number > -1 && number < last ? number : last;
    }
  });
  return whole;
}
