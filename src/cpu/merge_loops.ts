import { bytesFor } from "../algebra/bytes.ts";
import type { CpuArray, CpuCall, Numbers, OnCpu } from "./call.ts";
import { elementsAt } from "./elements_at.ts";
import { numbersLike, numbersOver, wordsOf } from "./numbers.ts";
import type { Keys } from "./sort_keys.ts";
import { keysOf } from "./sort_keys.ts";
import { orderOf } from "./sort_order.ts";

// Loops over two sorted arrays. They find the places that elements come from: those of the other array follow those of the first one. Then
// one loop copies the elements.

/** The keys of both arrays of a call; undefined if the CPU has no code for their key. @throws {ArgumentError} if they are not in order. */
async function keysIn(call: CpuCall): Promise<readonly [Keys, Keys] | undefined> {
  const { descending = false } = call.request.options as { readonly descending?: boolean };
  const own = await orderOf(call, descending);
  const other = await orderOf(call, descending, call.arrays.other);
  const keys = own && other && ([keysOf(own.keyed, own.rule), keysOf(other.keyed, other.rule)] as const);
  if (!keys?.every(isInOrder)) {
    call.request.requireContents?.();
  }
  return keys;
}

function isInOrder({ high, low }: Keys): boolean {
  let before = 0;
  for (let at = 0; at < high.length; at++) {
    const key = high[at] as number;
    if (key < before || (low && at > 0 && key === before && (low[at] as number) < (low[at - 1] as number))) {
      return false;
    }
    before = key;
  }
  return true;
}

/** Less than 0, 0 or more, if a key is less than another one, equal, or greater. */
function compare(a: Keys, at: number, b: Keys, place: number): number {
  const high = (a.high[at] as number) - (b.high[place] as number);
  return high !== 0 || a.low === undefined || b.low === undefined
    ? high
    : (a.low[at] as number) - (b.low[place] as number);
}

/** The places of all elements in order. */
function merged(own: Keys, other: Keys): Uint32Array {
  const { length } = own.high;
  const places = new Uint32Array(length + other.high.length);
  if (own.low === undefined) {
    mergeWords([own, other], [placesFrom(0, length), placesFrom(length, places.length), places]);
    return places;
  }
  for (let at = 0, place = 0, to = 0; to < places.length; to++) {
    const isOwn = place === other.high.length || (at < length && compare(own, at, other, place) <= 0);
    places[to] = isOwn ? at++ : length + place++;
  }
  return places;
}

function placesFrom(first: number, end: number): Uint32Array {
  const places = new Uint32Array(end - first);
  for (let at = 0; at < places.length; at++) {
    places[at] = first + at;
  }
  return places;
}

/** Words that belong to the keys of both arrays, and where they go. */
type Words = readonly [own: Uint32Array, other: Uint32Array, to: Uint32Array];

/** Puts the words of two arrays in the order of their keys, which are a word each; and values with them. No branch depends on the keys. */
function mergeWords(
  [{ high: keys }, { high: otherKeys }]: readonly [Keys, Keys],
  words: Words,
  values?: Words,
): void {
  const [from, behind, to] = words;
  const [valuesFrom, valuesBehind, valuesTo] = values ?? words;
  const hasValues = values !== undefined;
  let [at, place] = [0, 0];
  while (at < keys.length && place < otherKeys.length) {
    const isOther = Number((otherKeys[place] as number) < (keys[at] as number));
    const word = from[at] as number;
    to[at + place] = word ^ ((word ^ (behind[place] as number)) & -isOther);
    if (hasValues) {
      const value = valuesFrom[at] as number;
      valuesTo[at + place] = value ^ ((value ^ (valuesBehind[place] as number)) & -isOther);
    }
    at += 1 - isOther;
    place += isOther;
  }
  for (const [own, other, target] of [words, values ?? words]) {
    target.set(at < keys.length ? own.subarray(at) : other.subarray(place), at + place);
  }
}

/** Which elements a set has: those that only one array has, and those that both have. */
interface Taken {
  readonly own: boolean;
  readonly both: boolean;
  readonly other: boolean;
}

/** The end of the run of equal keys that starts there. */
function endOfRun(keys: Keys, start: number): number {
  let end = start + 1;
  while (end < keys.high.length && compare(keys, start, keys, end) === 0) {
    end++;
  }
  return end;
}

/** The places of the elements of a set: of each run of equal elements, the first one. */
function chosen(own: Keys, other: Keys, taken: Taken): Uint32Array {
  const [length, otherLength] = [own.high.length, other.high.length];
  const places = new Uint32Array(length + otherLength);
  const differenceAt = (at: number, place: number): number =>
    at === length ? 1 : place === otherLength ? -1 : compare(own, at, other, place);
  let count = 0;
  for (let at = 0, place = 0; at < length || place < otherLength; ) {
    const difference = differenceAt(at, place);
    if (difference < 0 ? taken.own : difference > 0 ? taken.other : taken.both) {
      places[count++] = difference <= 0 ? at : length + place;
    }
    at = difference <= 0 ? endOfRun(own, at) : at;
    place = difference >= 0 ? endOfRun(other, place) : place;
  }
  return places.subarray(0, count);
}

/**
 * The words of a set's elements, and how many these are. Keys are a word each. Of each key that is new, the first element is written; if the
 * set lacks it, the next one is written over it. No branch depends on the keys.
 */
function chooseWords(
  [{ high: keys }, { high: otherKeys }]: readonly [Keys, Keys],
  [from, behind, to]: Words,
  { own, both, other }: Taken,
): number {
  const taken = (Number(own) << 1) | (Number(other) << 2) | (Number(both) << 3);
  let [at, place, count] = [0, 0, 0];
  let before = ~Math.min(keys[0] ?? Infinity, otherKeys[0] ?? Infinity);
  while (at < keys.length && place < otherKeys.length) {
    const key = keys[at] as number;
    const otherKey = otherKeys[place] as number;
    const isOwn = Number(key <= otherKey);
    const isOther = Number(otherKey <= key);
    const least = otherKey ^ ((key ^ otherKey) & -isOwn);
    const word = behind[place] as number;
    to[count] = word ^ (((from[at] as number) ^ word) & -isOwn);
    count += (taken >>> (isOwn + 2 * isOther)) & Number(least !== before);
    before = least;
    at += isOwn;
    place += isOther;
  }
  // Only one array goes on.
  const [rest, words, isTaken] = at < keys.length ? [keys, from, own] : [otherKeys, behind, other];
  for (let next = at < keys.length ? at : place; isTaken && next < rest.length; next++) {
    const key = (rest[next] as number) | 0;
    to[count] = words[next] as number;
    count += Number(key !== before);
    before = key;
  }
  return count;
}

/** The elements at these places of two arrays, one behind the other. @throws {ArgumentError} if there is no memory for them. */
function elementsOfBoth(own: CpuArray, other: CpuArray, places: Uint32Array, title: string): Numbers {
  const { type, length, numbers } = own;
  const both = numbersLike(numbers, numbers.length + other.numbers.length);
  both.set(numbers as never);
  both.set(other.numbers as never, numbers.length);
  return elementsAt({ type, length: length + other.length, numbers: both }, places, title);
}

/** Whether the keys and all elements are words, which move as they are. */
const areWords = ([{ low }]: readonly [Keys, Keys], ...arrays: readonly (CpuArray | undefined)[]): boolean =>
  low === undefined && arrays.every((one) => one === undefined || one.type.bytes === 4);

/** All elements of two sorted arrays, and their values. */
export const merge: OnCpu = async (call) => {
  const keys = await keysIn(call);
  if (keys === undefined) {
    return undefined;
  }
  const { values, otherValues } = call.arrays;
  const [data, other] = [call.arrays.data, call.arrays.other] as [CpuArray, CpuArray];
  const { title } = call.request;
  const pairs =
    values && otherValues
      ? [[data, other] as const, [values, otherValues] as const]
      : [[data, other] as const];
  if (areWords(keys, data, values)) {
    const made = pairs.map(([one]) => newElements(one, data.length + other.length, title));
    const [words, valueWords] = pairs.map(
      ([one, two], at): Words => [wordsOf(one.numbers), wordsOf(two.numbers), wordsOf(made[at] as Numbers)],
    );
    mergeWords(keys, words as Words, valueWords);
    return made;
  }
  const places = merged(...keys);
  return pairs.map(([one, two]) => elementsOfBoth(one, two, places, title));
};

/** @throws {ArgumentError} if there is no memory for them. */
const newElements = ({ type }: CpuArray, length: number, title: string): Numbers =>
  numbersOver(new Uint8Array(bytesFor(length, type, title)), type);

/** The loop of a set. */
const setOf =
  (taken: Taken): OnCpu =>
  async (call) => {
    const keys = await keysIn(call);
    const [data, other] = [call.arrays.data, call.arrays.other] as [CpuArray, CpuArray];
    const { title } = call.request;
    if (keys === undefined) {
      return undefined;
    }
    if (areWords(keys, data)) {
      const elements = newElements(data, data.length + other.length, title);
      const words = [wordsOf(data.numbers), wordsOf(other.numbers), wordsOf(elements)] as const;
      return [elements.subarray(0, chooseWords(keys, words, taken))];
    }
    return [elementsOfBoth(data, other, chosen(...keys, taken), title)];
  };

/** The elements of either array, each once. */
export const union = /* @__PURE__ */ setOf({ own: true, both: true, other: true });
/** The elements of both arrays, each once. */
export const intersection = /* @__PURE__ */ setOf({ own: false, both: true, other: false });
/** The elements that only the first array has, each once. */
export const difference = /* @__PURE__ */ setOf({ own: true, both: false, other: false });
