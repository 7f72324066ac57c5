import type { ScalarType } from "../algebra/types.ts";
import type { CheckedKey, SortKeyOptions } from "../plan/sort_key.ts";
import { requireBits, requireKey } from "../plan/sort_key.ts";
import type { CpuArray, CpuCall } from "./call.ts";
import { elementsAt } from "./elements_at.ts";
import type { KeyBits, Moved } from "./sort_digits.ts";
import { sortRange, sortRanges } from "./sort_digits.ts";
import type { KeyRule, Keys } from "./sort_keys.ts";
import { keyRule, keysOf } from "./sort_keys.ts";

/** The order of a call. */
export interface Order {
  /** What has the keys: the data, or what the caller's text gives for its elements. */
  readonly keyed: CpuArray;
  readonly type: ScalarType;
  readonly rule: KeyRule;
  /** The bits of the keys' high words, and of their low words, if there are any to sort by. */
  readonly high: KeyBits | undefined;
  readonly low: KeyBits | undefined;
  /** Whether elements are sorted by all bits of their keys. */
  readonly isWhole: boolean;
}

const bitsBetween = (from: number, to: number): KeyBits | undefined =>
  from < to ? { shift: from, count: to - from } : undefined;

/** The order of a call on `data`, or on another array; undefined if the CPU has no code for its key. */
export async function orderOf(
  call: CpuCall,
  isDescending: boolean,
  array = call.arrays.data as CpuArray,
): Promise<Order | undefined> {
  const { options, title } = call.request;
  const { type, text } = requireKey(options as SortKeyOptions, array.type, title);
  const bits = requireBits((options as SortKeyOptions).bits, { type }, title);
  const keyed = text === undefined ? array : await call.mapped(text, array, type);
  return keyed && orderBy(keyed, type, isDescending, bits);
}

/** The order of keys by some of their bits. */
function orderBy(
  keyed: CpuArray,
  type: ScalarType,
  isDescending: boolean,
  [from, to]: readonly [from: number, to: number],
): Order {
  // The bits of f16 are the high ones of a word.
  const first = type.bytes === 8 ? 32 : type.bytes === 2 ? -16 : 0;
  return {
    keyed,
    type,
    rule: keyRule(type, isDescending),
    high: bitsBetween(Math.max(0, from - first), to - first),
    low: type.bytes === 8 ? bitsBetween(from, Math.min(to, 32)) : undefined,
    isWhole: to - from === 8 * type.bytes,
  };
}

/** The positions of elements in the order of several keys. The last key is sorted by first, and each sort keeps the order of equal keys. */
export function positionsByKeys(
  keys: readonly (CheckedKey & { readonly array: CpuArray })[],
  starts: Uint32Array,
  title: string,
): Uint32Array {
  return keys.reduceRight<Uint32Array | undefined>((positions, { array, type, descending }) => {
    const keyed = positions
      ? { type, length: array.length, numbers: elementsAt(array, positions, title) }
      : array;
    const places = positionsIn(orderBy(keyed, type, descending, [0, 8 * type.bytes]), starts);
    return positions ? places.map((place) => positions[place] as number) : places;
  }, undefined) as Uint32Array;
}

type Halves = Pick<Keys, "high" | "low">;

/** Sorts keys alone. Each range, from a start up to the next one, is sorted on its own. The memory of the keys is used, unless it is shared. */
export function sortKeys({ high, low, isShared }: Keys, order: Order, starts: Uint32Array): Halves {
  if (order.high === undefined && low) {
    const moved = { keys: low, words: high };
    sortRanges(moved, order.low as KeyBits, starts);
    return { low: moved.keys, high: moved.words };
  }
  const bits = order.high as KeyBits;
  const moved: Moved = { keys: high, words: low, isShared };
  sortRanges(moved, bits, starts);
  const { keys, words } = moved;
  const { low: lowBits } = order;
  if (words === undefined || lowBits === undefined) {
    return { high: keys, low: words };
  }
  // High words that are equal in all bits need not move with the low ones.
  const lower: Moved = { keys: words, words: bits.count === 32 ? undefined : keys };
  forRuns(keys, bits, starts, (begin, end) => sortRange(lower, begin, end, lowBits));
  return { high: lower.words ?? keys, low: lower.keys };
}

/** Keys in order, and a word of each. Of 64-bit keys, these are only the words that were sorted last. */
export interface KeysWithWords {
  readonly keys: Uint32Array;
  readonly words: Uint32Array;
}

/** Sorts keys and a word of each with them. For 64-bit keys, the words are positions. The memory of both is used, unless it is shared. */
export function sortWithWords(
  { high, low, isShared }: Omit<Keys, "hasNan">,
  words: Uint32Array,
  order: Order,
  starts: Uint32Array,
): KeysWithWords {
  const moved = { keys: order.high ? high : (low as Uint32Array), words, isShared };
  sortRanges(moved, (order.high ?? order.low) as KeyBits, starts);
  if (order.high === undefined || order.low === undefined || low === undefined) {
    return moved;
  }
  const { low: bits } = order;
  const lower: { keys: Uint32Array; words: Uint32Array } = { keys: high, words: moved.words };
  forRuns(moved.keys, order.high, starts, (begin, end) => {
    if (lower.keys === high) {
      lower.keys = new Uint32Array(high.length);
    }
    for (let at = begin; at < end; at++) {
      lower.keys[at] = low[lower.words[at] as number] as number;
    }
    sortRange(lower, begin, end, bits);
  });
  return lower;
}

/** The positions of elements in order. */
export function positionsIn(order: Order, starts: Uint32Array): Uint32Array {
  const { keyed, rule } = order;
  const positions = new Uint32Array(keyed.length);
  for (let at = 0; at < positions.length; at++) {
    positions[at] = at;
  }
  return sortWithWords(keysOf(keyed, rule), positions, order, starts).words;
}

/** Calls a function for each run of two or more keys of a range that are equal in some bits. */
function forRuns(
  keys: Uint32Array,
  { shift, count }: KeyBits,
  starts: Uint32Array,
  each: (begin: number, end: number) => void,
): void {
  const unused = 32 - count;
  for (let range = 1; range < starts.length; range++) {
    const last = starts[range] as number;
    let begin = starts[range - 1] as number;
    for (let at = begin + 1; at <= last; at++) {
      const differs = ((keys[at] as number) ^ (keys[begin] as number)) >>> shift;
      if (at === last || differs << unused !== 0) {
        if (at - begin > 1) {
          each(begin, at);
        }
        begin = at;
      }
    }
  }
}

/** Where segments with gaps start, and the last one ends: each element in a gap is a segment by itself, which stays where it is. */
export function startsWithGaps(begins: Uint32Array, ends: Uint32Array, length: number): Uint32Array {
  const starts = new Uint32Array(length + begins.length + 1);
  let count = 0;
  let from = 0;
  for (let segment = 0; segment <= begins.length; segment++) {
    const begin = begins[segment] ?? length;
    for (let at = from; at < begin; at++) {
      starts[count++] = at;
    }
    starts[count++] = begin;
    from = ends[segment] ?? length;
  }
  return starts.slice(0, count);
}
