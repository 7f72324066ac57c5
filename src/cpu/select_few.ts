import type { KeyRule } from "./sort_keys.ts";
import { numberWords } from "./sort_keys.ts";
import type { Order } from "./sort_order.ts";

// The first few elements of each row. The elements are read once, and few of them are looked at twice.

/** The words of elements: one each, or two. */
interface Source {
  readonly words: Uint32Array;
  readonly step: 1 | 2;
  readonly rule: KeyRule;
}

/** The first elements of those that were looked at, in order: their keys and positions. */
interface Found {
  /** High words with the highest bit flipped, so that they compare as signed numbers. */
  readonly high: Int32Array;
  /** Low words; of keys of one word, the same for equal ones. */
  readonly low: Uint32Array;
  readonly positions: Uint32Array;
  count: number;
  /** How many moves of keys are left before another way takes less time. */
  left: number;
}

/**
 * The positions of the first elements of each row, in the order of their whole keys: `taken` of each. Undefined if so many elements come before
 * those that stand before them, as in data in the opposite order, that another way takes less time.
 */
export function fewOfRows({ keyed, rule }: Order, taken: number, rows: number): Uint32Array | undefined {
  const source: Source = { words: numberWords(keyed), step: keyed.type.bytes === 8 ? 2 : 1, rule };
  const all = new Uint32Array((keyed.length / rows) * taken);
  const [high, low] = [new Int32Array(taken), new Uint32Array(taken)];
  for (let at = 0; at < all.length; at += taken) {
    const begin = (at / taken) * rows;
    const positions = all.subarray(at, at + taken);
    const found = { high, low, positions, count: 0, left: 4 * (rows + taken * taken) };
    findFirst(source, begin, begin + rows, found);
    if (found.left < 0) {
      return undefined;
    }
  }
  return all;
}

/** Offers each element from `begin` up to `end` that may come before the last one found, and all NaN, while there are moves left. */
function findFirst(source: Source, begin: number, end: number, found: Found): void {
  const { words, step, rule } = source;
  const flipped = rule.flipped ^ 0x80000000;
  const from = step - 1;
  const behind = step * end;
  let last = 0x7fffffff;
  for (let place = step * begin + from; ; place += step) {
    place =
      rule.magnitude === 0
        ? nextWhole(words, place, behind, step, flipped, last)
        : nextFloat(source, place, behind, flipped, last);
    if (place >= behind) {
      return;
    }
    offer(source, found, place >>> from);
    if (found.left < 0) {
      return;
    }
    if (found.count === found.high.length) {
      last = (found.high[found.count - 1] as number) | 0;
      // An equal key of one word comes too late.
      if (step === 1) {
        if (last === -0x80000000) {
          return;
        }
        last = (last - 1) | 0;
      }
    }
  }
}

/** The place of the next integer whose key is not past `last`, or that of the end. */
function nextWhole(
  words: Uint32Array,
  from: number,
  end: number,
  step: number,
  flipped: number,
  last: number,
): number {
  let place = from;
  while (place < end && ((words[place] as number) ^ flipped) > last) {
    place += step;
  }
  return place;
}

/** The same for floats, and for NaN. */
function nextFloat(
  { words, step, rule }: Source,
  from: number,
  end: number,
  flipped: number,
  last: number,
): number {
  const { magnitude } = rule;
  const infinity = rule.infinity | 0;
  for (let place = from; place < end; place += step) {
    const bits = words[place] as number;
    if ((bits ^ ((bits >> 31) & magnitude) ^ flipped) <= last || (bits & magnitude) >= infinity) {
      return place;
    }
  }
  return end;
}

/** Puts an element among those found, if it comes before the last of them or there is room. */
function offer({ words, step, rule }: Source, found: Found, at: number): void {
  const { flipped, flippedLow, magnitude, infinity } = rule;
  const { high, low, positions, count } = found;
  const bits = words[step * at + step - 1] as number;
  const lowBits = step === 1 ? 0 : (words[2 * at] as number);
  const size = bits & magnitude;
  let word = bits ^ ((bits >> 31) & magnitude) ^ flipped ^ 0x80000000;
  let lower = (lowBits ^ flippedLow ^ (magnitude === 0 ? 0 : bits >> 31)) >>> 0;
  if (size > infinity || (size === infinity && lowBits !== 0)) {
    word = ~flippedLow ^ 0x80000000;
    lower = 0;
  }
  let to = count;
  if (count < high.length) {
    found.count += 1;
  } else {
    to -= 1;
    const last = high[to] as number;
    if (word > last || (word === last && lower >= (low[to] as number))) {
      return;
    }
  }
  found.left -= to;
  for (; to > 0; to--) {
    const before = high[to - 1] as number;
    if (before < word || (before === word && (low[to - 1] as number) <= lower)) {
      break;
    }
    high[to] = before;
    low[to] = low[to - 1] as number;
    positions[to] = positions[to - 1] as number;
  }
  found.left += to;
  high[to] = word;
  low[to] = lower;
  positions[to] = at;
}
