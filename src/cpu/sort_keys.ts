import type { ScalarType } from "../algebra/types.ts";
import type { CpuArray, Numbers } from "./call.ts";
import { numbersOver, wordsOf } from "./numbers.ts";

// Keys: the bits of numbers, changed so that unsigned words have the order of the numbers.

/** How the bits of a number become a key. That of f16 has its bits above 16 zeros. */
export interface KeyRule {
  /** Bits that are flipped in each number. In 64-bit numbers, these are of the high word. */
  readonly flipped: number;
  /** Bits of the low word of a 64-bit number that are flipped. */
  readonly flippedLow: number;
  /** The bits of a float but its sign: they are flipped if the sign bit is set. Of integers there are none. */
  readonly magnitude: number;
  /** The magnitude of the infinities: NaN has a greater one. No integer has it. */
  readonly infinity: number;
}

/** The keys of an array. */
export interface Keys {
  /** The keys, or the high words of 64-bit ones. */
  readonly high: Uint32Array;
  /** The low words of 64-bit keys. */
  readonly low: Uint32Array | undefined;
  /** Whether there is NaN: all are the same key, from which no bits follow. */
  readonly hasNan: boolean;
  /** Whether they are the numbers themselves, in the caller's memory. */
  readonly isShared: boolean;
}

const infinities: Readonly<Record<number, number>> = { 2: 0x7c000000, 4: 0x7f800000, 8: 0x7ff00000 };

/** The rule for the keys of a type. In descending order all bits of a key are flipped. */
export function keyRule({ kind, bytes }: ScalarType, isDescending: boolean): KeyRule {
  const all = isDescending ? -1 : 0;
  const isFloat = kind === "float";
  return {
    flipped: kind === "unsigned" ? all : all ^ 0x80000000,
    flippedLow: all,
    magnitude: isFloat ? 0x7fffffff : 0,
    infinity: isFloat ? (infinities[bytes] as number) : 1,
  };
}

/** The words of an array of numbers. Those of f16 have their bits above 16 zeros. */
export const numberWords = ({ type, numbers }: CpuArray): Uint32Array =>
  type.bytes === 2 ? wordsOfHalves(numbers as Uint16Array) : wordsOf(numbers);

function wordsOfHalves(halves: Uint16Array): Uint32Array {
  const words = new Uint32Array(halves);
  for (let at = 0; at < words.length; at++) {
    words[at] = (words[at] as number) << 16;
  }
  return words;
}

/** The keys of numbers. */
export function keysOf({ type, numbers, length }: CpuArray, rule: KeyRule): Keys {
  if (type.bytes === 8) {
    const keys = { high: new Uint32Array(length), low: new Uint32Array(length) };
    return { ...keys, hasNan: keys64(wordsOf(numbers), keys, rule, 1), isShared: false };
  }
  const isShared = rule.flipped === 0 && rule.magnitude === 0;
  const high = isShared
    ? wordsOf(numbers)
    : type.bytes === 2
      ? wordsOfHalves(numbers as Uint16Array)
      : wordsOf(numbers).slice();
  return { high, low: undefined, hasNan: !isShared && keys32(high, rule), isShared };
}

/** Sorts 64-bit numbers alone, by the engine's sort: floats by that of unsigned keys, which takes less time. Undefined if there is NaN. */
export function sortedNumbers64({ type, numbers }: CpuArray, rule: KeyRule): Numbers | undefined {
  if (type.kind !== "float") {
    const sorted = numbers.slice().sort() as Numbers;
    return rule.flippedLow === 0 ? sorted : sorted.reverse();
  }
  const from = wordsOf(numbers);
  const words = new Uint32Array(from.length);
  const keys = { high: words, low: words };
  if (keys64(from, keys, rule, 2)) {
    return undefined;
  }
  new BigUint64Array(words.buffer).sort();
  numbers64(keys, words, rule, 2);
  return numbersOver(words, type);
}

/** Makes numbers keys. Returns whether there is NaN. */
function keys32(numbers: Uint32Array, { flipped, magnitude, infinity }: KeyRule): boolean {
  const nan = ~(flipped ^ 0x80000000);
  let hasNan = false;
  for (let at = 0; at < numbers.length; at++) {
    const bits = numbers[at] as number;
    if ((bits & magnitude) > infinity) {
      hasNan = true;
      numbers[at] = nan;
    } else {
      numbers[at] = bits ^ ((bits >> 31) & magnitude) ^ flipped;
    }
  }
  return hasNan;
}

type Halves = Readonly<Record<"high" | "low", Uint32Array>>;

/** Makes the keys of 64-bit numbers. With a `step` of 2, both words of a key lie in one array. Returns whether there is NaN. */
function keys64(numbers: Uint32Array, { high, low }: Halves, rule: KeyRule, step: 1 | 2): boolean {
  const { flipped, flippedLow, magnitude, infinity } = rule;
  const float = magnitude === 0 ? 0 : -1;
  let hasNan = false;
  for (let at = 0; 2 * at < numbers.length; at++) {
    const lower = numbers[2 * at] as number;
    const upper = numbers[2 * at + 1] as number;
    const size = upper & magnitude;
    const sign = upper >> 31;
    let upperKey = upper ^ (sign & magnitude) ^ flipped;
    let lowerKey = lower ^ (sign & float) ^ flippedLow;
    if (size > infinity || (size === infinity && lower !== 0)) {
      hasNan = true;
      upperKey = ~flippedLow;
      lowerKey = ~flippedLow;
    }
    low[step * at] = lowerKey;
    high[step * at + step - 1] = upperKey;
  }
  return hasNan;
}

/** The numbers of keys, none of which is NaN. The memory of 32-bit keys becomes that of the numbers. */
export function numbersOf(keys: Pick<Keys, "high" | "low">, rule: KeyRule, type: ScalarType): Numbers {
  const { high, low } = keys;
  if (low) {
    const numbers = new Uint32Array(2 * high.length);
    numbers64({ high, low }, numbers, rule, 1);
    return numbersOver(numbers, type);
  }
  if (rule.flipped !== 0 || rule.magnitude !== 0) {
    numbers32(high, rule);
  }
  if (type.bytes === 2) {
    const numbers = new Uint16Array(high.length);
    for (let at = 0; at < numbers.length; at++) {
      numbers[at] = (high[at] as number) >>> 16;
    }
    return numbers;
  }
  return numbersOver(high, type);
}

function numbers32(keys: Uint32Array, { flipped, magnitude }: KeyRule): void {
  for (let at = 0; at < keys.length; at++) {
    const bits = (keys[at] as number) ^ flipped;
    keys[at] = bits ^ ((bits >> 31) & magnitude);
  }
}

/** The numbers of 64-bit keys, which lie as those of {@link keys64} do. */
function numbers64({ high, low }: Halves, numbers: Uint32Array, rule: KeyRule, step: 1 | 2): void {
  const { flipped, flippedLow, magnitude } = rule;
  const float = magnitude === 0 ? 0 : -1;
  for (let at = 0; 2 * at < numbers.length; at++) {
    const bits = (high[step * at + step - 1] as number) ^ flipped;
    const sign = bits >> 31;
    numbers[2 * at] = (low[step * at] as number) ^ (sign & float) ^ flippedLow;
    numbers[2 * at + 1] = bits ^ (sign & magnitude);
  }
}
