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

/**
 * Stores the starts from an element up to another one, from the place `count` on, and gives the place behind them, which it may write to, too.
 */
export type FindStarts = (from: number, to: number, starts: Uint32Array, count: number) => number;

/** Starts are looked for among so many elements at a time: in the fastest memory, that takes half the time. It is a multiple of 32. */
export const BLOCK = 16384;

/** All starts of so many elements, and behind them their end. */
export function offsetsBy(find: FindStarts, length: number): Uint32Array {
  const starts = new Uint32Array(Math.min(BLOCK, length) + 1);
  const found: Uint32Array[] = [];
  let count = 0;
  for (let from = 0; from < length; from += BLOCK) {
    const end = find(from, Math.min(from + BLOCK, length), starts, 0);
    found.push(starts.slice(0, end));
    count += end;
  }
  const offsets = new Uint32Array(count + 1);
  let place = 0;
  for (const some of found) {
    offsets.set(some, place);
    place += some.length;
  }
  offsets[count] = length;
  return offsets;
}

/** The position of the first element of each run. */
export const startsOfRuns = (array: CpuArray): Uint32Array => offsetsOfRuns(array).subarray(0, -1);

/** The same, and behind them where the last run ends. */
export const offsetsOfRuns = (array: CpuArray): Uint32Array => offsetsBy(runsIn(array), array.length);

/** What finds where runs start. */
export function runsIn({ type, length, numbers }: CpuArray): FindStarts {
  const { words, used } = shapeOf(type.kind === "struct" ? usedBytes(type) : undefined, numbers, length);
  const isFloat = type.kind === "float";
  const most = mostOf(type);
  const findOthers: FindStarts = (from, to, starts, count) =>
    used.length > 1
      ? startsOfLong({ words, used }, isFloat, from, to, starts, count)
      : isFloat
        ? startsOfFloats(words, most, from, to, starts, count)
        : startsOfWords(words, from, to, starts, count);
  return (from, to, starts, count) => {
    if (from > 0) {
      return findOthers(from, to, starts, count);
    }
    // The first element starts a run.
    starts[count] = 0;
    return findOthers(1, to, starts, count + 1);
  };
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

// These look at elements from one that is not the first. What they store is overwritten unless a run starts there.

/** Where runs of integers and of structs of a word start. */
function startsOfWords(
  words: Int32Array,
  from: number,
  to: number,
  starts: Uint32Array,
  count: number,
): number {
  let before = words[from - 1] as number;
  let place = count;
  for (let at = from; at < to; at++) {
    const word = words[at] as number;
    starts[place] = at;
    place = (place + Number(word !== before)) | 0;
    before = word;
  }
  return place;
}

/** The same for floats. What has a magnitude past `most` is NaN. */
function startsOfFloats(
  words: Int32Array,
  most: number,
  from: number,
  to: number,
  starts: Uint32Array,
  count: number,
): number {
  const magnitude = most === 0x7c00 ? 0x7fff : 0x7fffffff;
  let before = words[from - 1] as number;
  before = (before & magnitude) > most ? (most + 1) | 0 : before;
  let place = count;
  for (let at = from; at < to; at++) {
    const word = words[at] as number;
    const key = (word & magnitude) > most ? (most + 1) | 0 : word;
    starts[place] = at;
    place = (place + Number(key !== before)) | 0;
    before = key;
  }
  return place;
}

/** The first words of runs. */
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
function startsOfLong(
  { words, used }: Shape,
  isFloat: boolean,
  from: number,
  to: number,
  starts: Uint32Array,
  count: number,
): number {
  const size = used.length;
  let place = count;
  for (let at = from; at < to; at++) {
    let differing = 0;
    for (let word = 0; word < size; word++) {
      const index = at * size + word;
      differing |= ((words[index] as number) ^ (words[index - size] as number)) & (used[word] as number);
    }
    if (differing !== 0 && !(isFloat && isNan(words, at) && isNan(words, at - 1))) {
      starts[place] = at;
      place++;
    }
  }
  return place;
}

/** Whether an f64 is NaN. */
function isNan(words: Int32Array, at: number): boolean {
  const magnitude = (words[2 * at + 1] as number) & 0x7fffffff;
  return magnitude > 0x7ff00000 || (magnitude === 0x7ff00000 && words[2 * at] !== 0);
}
