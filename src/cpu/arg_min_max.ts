import type { ArgCall } from "../plan/arg_min_max.ts";
import type { CpuArray } from "./call.ts";

// The place of the least or the greatest element. Elements are compared by words that are ordered as they are. So −0 comes before 0, and NaN
// is passed over.

/** How the words of elements, or their upper words, become keys of which the least one is looked for. */
interface Order {
  /** The bits that a negative float's key has the other way round. */
  readonly bend: number;
  /** The bits that all keys have the other way round. */
  readonly flip: number;
  /** The magnitude above which a word is no number's. */
  readonly most: number;
}

function orderOf(call: ArgCall, { kind }: CpuArray["type"], infinity: number): Order {
  const flip = call === "argMax" ? -1 : 0;
  const bend = kind === "float" ? 0x7fffffff : 0;
  return {
    bend,
    flip: kind === "unsigned" ? flip ^ -0x80000000 : flip,
    most: kind === "float" ? infinity : 0x7fffffff,
  };
}

/** The first place of the least key of words. */
function leastWord(words: Int32Array, { bend, flip, most }: Order): number {
  let place = 0;
  // The greatest key. If no other one is less, the first element is as good as any.
  let least = 0x7fffffff;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    const key = word ^ ((word >> 31) & bend) ^ flip;
    if (key < least && (word & 0x7fffffff) <= most) {
      least = key;
      place = at;
    }
  }
  return place;
}

/** The same for pairs of words, the lower one first. */
function leastPair(words: Int32Array, { bend, flip, most }: Order, isMax: boolean): number {
  const isFloat = bend !== 0;
  // Lower words compare as signed numbers.
  const lowFlip = isMax ? 0x7fffffff : -0x80000000;
  let place = 0;
  let least = 0x7fffffff;
  let leastLow = 0x7fffffff;
  for (let at = 0; 2 * at < words.length; at++) {
    const low = words[2 * at] as number;
    const high = words[2 * at + 1] as number;
    const key = high ^ ((high >> 31) & bend) ^ flip;
    if (key > least) {
      continue;
    }
    const lowKey = low ^ (isFloat ? high >> 31 : 0) ^ lowFlip;
    const magnitude = high & 0x7fffffff;
    const isNumber = magnitude < most || (magnitude === most && (!isFloat || low === 0));
    if (isNumber && (key < least || lowKey < leastLow)) {
      least = key;
      leastLow = lowKey;
      place = at;
    }
  }
  return place;
}

/** The place of the least or the greatest element of an array of scalars that is not empty: the first one. NaN comes only if all are NaN. */
export function placeOfBest(call: ArgCall, { type, numbers }: CpuArray): number {
  if (numbers instanceof Uint16Array) {
    const words = new Int32Array(numbers.length);
    for (let at = 0; at < words.length; at++) {
      words[at] = (numbers[at] as number) << 16;
    }
    return leastWord(words, orderOf(call, type, 0x7c000000));
  }
  const words = new Int32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);
  return type.bytes === 8
    ? leastPair(words, orderOf(call, type, 0x7ff00000), call === "argMax")
    : leastWord(words, orderOf(call, type, 0x7f800000));
}
