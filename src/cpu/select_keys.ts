import type { KeyBits } from "./sort_digits.ts";
import { keysOf } from "./sort_keys.ts";
import type { Order } from "./sort_order.ts";

// Selections of keys: the one that so many others come before, and the first ones.

/** The bits of keys that an order is by, as whole words. */
export interface SelectionKeys {
  readonly high: Uint32Array;
  /** What orders keys whose high words are equal. */
  readonly low: Uint32Array | undefined;
  /** The bits that high and low words may have, counted from the lowest one. */
  readonly highBits: number;
  readonly lowBits: number;
}

/** The keys of an order. They are not written to: they may be the caller's numbers. */
export function selectionKeys({ keyed, rule, high, low }: Order): SelectionKeys {
  const keys = keysOf(keyed, rule);
  if (high === undefined) {
    return selectionKeys32(keys.low as Uint32Array, low as KeyBits);
  }
  const upper = selectionKeys32(keys.high, high);
  return low && keys.low ? { ...upper, low: bitsOf(keys.low, low), lowBits: low.count } : upper;
}

const selectionKeys32 = (words: Uint32Array, bits: KeyBits): SelectionKeys => ({
  high: bitsOf(words, bits),
  low: undefined,
  highBits: bits.count,
  lowBits: 0,
});

/** Some bits of words. */
function bitsOf(words: Uint32Array, { shift, count }: KeyBits): Uint32Array {
  if (count === 32) {
    return words;
  }
  const mask = (1 << count) - 1;
  const bits = new Uint32Array(words.length);
  for (let at = 0; at < words.length; at++) {
    bits[at] = ((words[at] as number) >>> shift) & mask;
  }
  return bits;
}

/** The position, from `begin` up to `end`, of the key that `before` others of these come before. */
export function nthPosition(keys: SelectionKeys, begin: number, end: number, before: number): number {
  const { high, low, highBits, lowBits } = keys;
  const found = nthWord(high.subarray(begin, end), highBits, before);
  const lower = low && nthWord(wordsBeside(keys, begin, end, found.word), lowBits, found.before);
  let left = lower ? lower.before : found.before;
  for (let at = begin; at < end; at++) {
    if (high[at] === found.word && (lower === undefined || low?.[at] === lower.word)) {
      if (left === 0) {
        return at;
      }
      left -= 1;
    }
  }
  return end;
}

/** The low words beside high words that are this one. */
function wordsBeside({ high, low }: SelectionKeys, begin: number, end: number, word: number): Uint32Array {
  const beside = new Uint32Array(end - begin);
  let count = 0;
  for (let at = begin; at < end; at++) {
    if (high[at] === word) {
      beside[count] = (low as Uint32Array)[at] as number;
      count += 1;
    }
  }
  return beside.subarray(0, count);
}

/** A word that others come before, and how many of these are the same. */
interface NthWord {
  readonly word: number;
  readonly before: number;
}

/** The word that `before` others come before, by its digits from the highest on. Words may have so many bits. */
function nthWord(words: Uint32Array, bits: number, before: number): NthWord {
  let from = words;
  let word = 0;
  let left = before;
  for (let end = bits; end > 0; ) {
    const shift = Math.max(0, end - 11);
    const mask = (1 << (end - shift)) - 1;
    const counts = new Int32Array(mask + 1);
    countDigit(from, shift, mask, counts);
    let digit = 0;
    while (left >= (counts[digit] as number)) {
      left -= counts[digit] as number;
      digit += 1;
    }
    const count = counts[digit] as number;
    from = count === from.length ? from : wordsWith(from, shift, mask, digit, count);
    word |= digit << shift;
    end = shift;
  }
  return { word: word >>> 0, before: left };
}

function countDigit(words: Uint32Array, shift: number, mask: number, counts: Int32Array): void {
  for (let at = 0; at < words.length; at++) {
    (counts[((words[at] as number) >>> shift) & mask] as number)++;
  }
}

/** The `count` words that have this digit. */
function wordsWith(
  words: Uint32Array,
  shift: number,
  mask: number,
  digit: number,
  count: number,
): Uint32Array {
  const kept = new Uint32Array(count);
  for (let at = 0, to = 0; to < count; at++) {
    const word = words[at] as number;
    if (((word >>> shift) & mask) === digit) {
      kept[to] = word;
      to += 1;
    }
  }
  return kept;
}

/** The positions of the first `count` keys from `begin` up to `end`, in their places `to` and following, in the order of positions. */
export function firstPositions(
  keys: SelectionKeys,
  [begin, end]: readonly [number, number],
  positions: Uint32Array,
): void {
  const { high, low } = keys;
  const last = nthPosition(keys, begin, end, positions.length - 1);
  const upper = high[last] as number;
  const lower = low ? (low[last] as number) : 0;
  let count = 0;
  for (let at = begin; at < end; at++) {
    const word = high[at] as number;
    if (word <= upper && (word < upper || isFirst(low, at, lower, last))) {
      positions[count] = at;
      count += 1;
    }
  }
}

/** Whether a low word comes before that of the position `last`, which is `lower`. */
function isFirst(low: Uint32Array | undefined, at: number, lower: number, last: number): boolean {
  const word = low ? (low[at] as number) : 0;
  return word < lower || (word === lower && at <= last);
}
