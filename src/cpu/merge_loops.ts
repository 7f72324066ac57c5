import { bytesFor } from "../algebra/bytes.ts";
import type { CpuArray, CpuCall, Numbers, OnCpu } from "./call.ts";
import { numbersOver, wordsOf } from "./numbers.ts";
import type { Keys } from "./sort_keys.ts";
import { keysOf } from "./sort_keys.ts";
import { orderOf } from "./sort_order.ts";

// Loops over two sorted arrays. They find the places that elements come from: those of the other array follow those of the first one. Then
// one loop copies the elements.

/** The keys of both arrays of a call; undefined if the CPU has no code for their key. */
async function keysIn(call: CpuCall): Promise<readonly [Keys, Keys] | undefined> {
  const { descending = false } = call.request.options as { readonly descending?: boolean };
  const own = await orderOf(call, descending);
  const other = await orderOf(call, descending, call.arrays.other);
  return own && other && [keysOf(own.keyed, own.rule), keysOf(other.keyed, other.rule)];
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
  for (let at = 0, place = 0, to = 0; to < places.length; to++) {
    const isOwn = place === other.high.length || (at < length && compare(own, at, other, place) <= 0);
    places[to] = isOwn ? at++ : length + place++;
  }
  return places;
}

/** Puts the words of two arrays in the order of their keys, which are a word each. No branch depends on the keys. */
function mergeWords(
  [{ high: keys }, { high: otherKeys }]: readonly [Keys, Keys],
  [from, behind]: readonly [Uint32Array, Uint32Array],
  to: Uint32Array,
): void {
  let [at, place] = [0, 0];
  while (at < keys.length && place < otherKeys.length) {
    const isOther = Number((otherKeys[place] as number) < (keys[at] as number));
    const word = from[at] as number;
    to[at + place] = word ^ ((word ^ (behind[place] as number)) & -isOther);
    at += 1 - isOther;
    place += isOther;
  }
  const end = at + place;
  to.set(at < keys.length ? from.subarray(at) : behind.subarray(place), end);
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

/** The elements at these places of two arrays, one behind the other. @throws {ArgumentError} if there is no memory for them. */
function elementsOfBoth(own: CpuArray, other: CpuArray, places: Uint32Array, title: string): Numbers {
  const { type } = own;
  const elements = numbersOver(new Uint8Array(bytesFor(places.length, type, title)), type);
  const words = (numbers: Numbers) => (type.bytes === 2 ? (numbers as Uint16Array) : wordsOf(numbers));
  const [from, behind, to] = [own.numbers, other.numbers, elements].map(words) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const size = Math.max(1, type.bytes / 4);
  for (let at = 0, next = 0; at < places.length; at++) {
    const place = places[at] as number;
    const source = place < own.length ? from : behind;
    const first = size * (place < own.length ? place : place - own.length);
    for (let word = 0; word < size; word++) {
      to[next++] = source[first + word] as number;
    }
  }
  return elements;
}

/** All elements of two sorted arrays, and their values. */
export const merge: OnCpu = async (call) => {
  const keys = await keysIn(call);
  if (keys === undefined) {
    return undefined;
  }
  const { values, otherValues } = call.arrays;
  const [data, other] = [call.arrays.data, call.arrays.other] as [CpuArray, CpuArray];
  const { title } = call.request;
  if (
    values === undefined &&
    data.type.bytes === 4 &&
    data.type.kind !== "struct" &&
    keys[0].low === undefined &&
    keys[1].low === undefined
  ) {
    const to = numbersOver(new Uint8Array(bytesFor(data.length + other.length, data.type, title)), data.type);
    mergeWords(keys, [wordsOf(data.numbers), wordsOf(other.numbers)], wordsOf(to));
    return [to];
  }
  const places = merged(...keys);
  return [
    elementsOfBoth(data, other, places, title),
    ...(values && otherValues ? [elementsOfBoth(values, otherValues, places, title)] : []),
  ];
};

/** The loop of a set. */
const setOf =
  (taken: Taken): OnCpu =>
  async (call) => {
    const keys = await keysIn(call);
    const { data, other } = call.arrays;
    return (
      keys && [
        elementsOfBoth(data as CpuArray, other as CpuArray, chosen(...keys, taken), call.request.title),
      ]
    );
  };

/** The elements of either array, each once. */
export const union = /* @__PURE__ */ setOf({ own: true, both: true, other: true });
/** The elements of both arrays, each once. */
export const intersection = /* @__PURE__ */ setOf({ own: false, both: true, other: false });
/** The elements that only the first array has, each once. */
export const difference = /* @__PURE__ */ setOf({ own: true, both: false, other: false });
