import { usedBytes } from "../algebra/padding.ts";
import type { ElementType } from "../algebra/types.ts";
import type { CpuArray, Numbers } from "./call.ts";
import { bitsOf } from "./numbers.ts";

// Where runs of equal elements start. Elements are equal if they have the same bits, but those between a struct's fields, or are both NaN.

/** The words that make an element, of those that count: bits that are not set in `used` are not compared. */
interface Shape {
  readonly words: Int32Array;
  readonly used: Int32Array;
}

/** The position of the first element of each run. */
export const startsOfRuns = (array: CpuArray): Uint32Array => offsetsOfRuns(array).subarray(0, -1);

/** The same, and behind them where the last run ends. */
export function offsetsOfRuns({ type, length, numbers }: CpuArray): Uint32Array {
  const starts = new Uint32Array(length + 1);
  if (length === 0) {
    return starts;
  }
  // The first element starts a run.
  const { words, used } = shapeOf(type.kind === "struct" ? usedBytes(type) : undefined, numbers, length);
  const isFloat = type.kind === "float";
  const count =
    used.length > 1
      ? startsOfLong({ words, used }, length, isFloat, starts)
      : isFloat
        ? startsOfFloats(words, mostOf(type), starts)
        : startsOfWords(words, starts);
  starts[count] = length;
  return starts.subarray(0, count + 1);
}

/** The first element of each run, of elements of 4 bytes. */
export function firstsOfRuns({ type, length, numbers }: CpuArray): Int32Array {
  const firsts = new Int32Array(length);
  return firsts.subarray(0, length && firstsOfShort(bitsOf(numbers) as Int32Array, mostOf(type), firsts));
}

/** The greatest magnitude of the bits of a number: what is greater is NaN. Integers have all. */
const mostOf = ({ kind, bytes }: ElementType): number =>
  kind !== "float" ? 0x7fffffff : bytes === 2 ? 0x7c00 : 0x7f800000;

function shapeOf(bytes: Uint8Array | undefined, numbers: Numbers, length: number): Shape {
  const bits = bitsOf(numbers);
  const words = bits instanceof Int32Array ? bits : Int32Array.from(bits);
  return {
    words,
    used: bytes ? new Int32Array(bytes.buffer) : new Int32Array(words.length / length).fill(-1),
  };
}

/** The same for integers and structs of a word. */
function startsOfWords(words: Int32Array, starts: Uint32Array): number {
  let before = words[0] as number;
  let count = 1;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as number;
    // It is overwritten unless a run starts there.
    starts[count] = at;
    count = (count + Number(word !== before)) | 0;
    before = word;
  }
  return count;
}

/** The same for floats. What has a magnitude past `most` is NaN. */
function startsOfFloats(words: Int32Array, most: number, starts: Uint32Array): number {
  const magnitude = most === 0x7c00 ? 0x7fff : 0x7fffffff;
  let before = words[0] as number;
  before = (before & magnitude) > most ? (most + 1) | 0 : before;
  let count = 1;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as number;
    const key = (word & magnitude) > most ? (most + 1) | 0 : word;
    starts[count] = at;
    count = (count + Number(key !== before)) | 0;
    before = key;
  }
  return count;
}

/** The same, with the words themselves. */
function firstsOfShort(words: Int32Array, most: number, firsts: Int32Array): number {
  let before = words[0] as number;
  firsts[0] = before;
  before = (before & 0x7fffffff) > most ? (most + 1) | 0 : before;
  let count = 1;
  for (let at = 1; at < words.length; at++) {
    const word = words[at] as number;
    const key = (word & 0x7fffffff) > most ? (most + 1) | 0 : word;
    firsts[count] = word;
    count = (count + Number(key !== before)) | 0;
    before = key;
  }
  return count;
}

/** The same for elements of several words. If they are floats, these are f64. */
function startsOfLong({ words, used }: Shape, length: number, isFloat: boolean, starts: Uint32Array): number {
  const size = used.length;
  let count = 1;
  for (let at = 1; at < length; at++) {
    let differing = 0;
    for (let word = 0; word < size; word++) {
      const place = at * size + word;
      differing |= ((words[place] as number) ^ (words[place - size] as number)) & (used[word] as number);
    }
    if (differing !== 0 && !(isFloat && isNan(words, at) && isNan(words, at - 1))) {
      starts[count] = at;
      count++;
    }
  }
  return count;
}

/** Whether an f64 is NaN. */
function isNan(words: Int32Array, at: number): boolean {
  const magnitude = (words[2 * at + 1] as number) & 0x7fffffff;
  return magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && words[2 * at] !== 0);
}
