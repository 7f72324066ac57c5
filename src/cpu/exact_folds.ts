import { encodeFloat16 } from "../algebra/float16.ts";
import type { Scalar, ScalarType } from "../algebra/types.ts";
import type { FoldInput, Numbers, ScanOutput } from "./call.ts";
import { bitsOf, isShifted, numbersLike } from "./numbers.ts";
import type { CpuSegments, SegmentsOfCall } from "./segments.ts";
import { boundsOf } from "./segments.ts";

// Scans and reductions by `exactAdd`. A sum is a whole number of 2^-1074, the least f64, in digits of 26 bits. An item is added to three
// digits, and a carry goes on from there. A result is rounded from the four highest digits, which two doubles hold exactly, and from whether
// there is anything below these. So the cost of an item hardly depends on the exponents of the others.

const DIGIT_BITS = 26;
const RADIX = 2 ** DIGIT_BITS;
const RADIX_SQUARED = RADIX * RADIX;
const DIGIT_MASK = RADIX - 1;

/** The digit of 2^-1074. Those below it are zeros, so that there are always four to round from. */
const FIRST_DIGIT = 3;

/**
 * The digits that an item has to have above its lowest one: two of its own, one for the carries of 2^26 items, and one for the sign and the carries of all
 * others.
 */
const DIGITS_ABOVE = 4;

/** The lowest bit of the greatest f64 has the place 2045. */
const DIGITS = FIRST_DIGIT + Math.floor(2045 / DIGIT_BITS) + DIGITS_ABOVE + 1;

/** An exact sum that goes on. */
interface ExactSum {
  /** Each is from 0 to {@link DIGIT_MASK} below the highest, which has the sign: two's complement. Those above it and below the lowest are 0. */
  readonly digits: Int32Array;
  lowest: number;
  highest: number;
  /** The sum of what was infinite or NaN, or 0. */
  wild: number;
  /** What the items were: 1 for −0, 2 for others. */
  seen: number;
  /** Half of the exponent of the digit three below one, as a power of two. Their squares do not fit f64. */
  readonly scales: Float64Array;
}

function newSum(): ExactSum {
  const scales = new Float64Array(DIGITS);
  for (let at = 0; at < DIGITS; at++) {
    scales[at] = 2 ** ((DIGIT_BITS * (at - 3 - FIRST_DIGIT) - 1074) / 2);
  }
  return { digits: new Int32Array(DIGITS), lowest: DIGITS, highest: 0, wild: 0, seen: 0, scales };
}

/** Makes a sum that of nothing. */
function clear(sum: ExactSum): void {
  const { digits, highest } = sum;
  for (let at = sum.lowest; at <= highest; at++) {
    digits[at] = 0;
  }
  sum.lowest = DIGITS;
  sum.highest = 0;
  sum.wild = 0;
  sum.seen = 0;
}

/** Makes a digit the highest one. */
function extend(sum: ExactSum, highest: number): void {
  const { digits } = sum;
  // Digits above a positive one are zeros already.
  for (let at = sum.highest; at < highest && (digits[at] as number) < 0; at++) {
    digits[at + 1] = -1;
    digits[at] = (digits[at] as number) & DIGIT_MASK;
  }
  sum.highest = highest;
}

/** Adds a number of 53 bits, the lower 26 of which are `low`. `place` is the exponent of its lowest bit, from 2^-1074 on, and `sign` is 0 or −1. */
function addAt(sum: ExactSum, place: number, high: number, low: number, sign: number): void {
  // The quotient by 26, for any place that there is.
  const quotient = (place * 40330) >>> 20;
  const shift = place - DIGIT_BITS * quotient;
  const digit = quotient + FIRST_DIGIT;
  const { digits } = sum;
  if (digit < sum.lowest) {
    sum.lowest = digit;
  }
  if (digit + DIGITS_ABOVE > sum.highest) {
    extend(sum, digit + DIGITS_ABOVE);
  }
  const back = DIGIT_BITS - shift;
  const first = (low << shift) & DIGIT_MASK;
  const second = (low >>> back) | ((high << shift) & DIGIT_MASK);
  const third = high >>> back;
  let partial = (digits[digit] as number) + ((first ^ sign) - sign);
  digits[digit] = partial & DIGIT_MASK;
  partial = (digits[digit + 1] as number) + ((second ^ sign) - sign) + (partial >> DIGIT_BITS);
  digits[digit + 1] = partial & DIGIT_MASK;
  partial = (digits[digit + 2] as number) + ((third ^ sign) - sign) + (partial >> DIGIT_BITS);
  digits[digit + 2] = partial & DIGIT_MASK;
  const carry = partial >> DIGIT_BITS;
  if (carry !== 0) {
    carryOn(sum, digit + 3, carry);
  }
}

/** Adds a carry of 1 or −1 to a digit, and to as many above it as it reaches. */
function carryOn(sum: ExactSum, from: number, carry: number): void {
  const { digits, highest } = sum;
  let at = from;
  let digit = (digits[at] as number) + carry;
  while (at < highest && (digit & ~DIGIT_MASK) !== 0) {
    digits[at] = digit & DIGIT_MASK;
    at++;
    digit = (digits[at] as number) + carry;
  }
  digits[at] = digit;
}

/** Adds an f64, as two words. */
function addDouble(sum: ExactSum, high: number, low: number): void {
  const exponent = (high >>> 20) & 0x7ff;
  const fraction = high & 0xfffff;
  if (exponent === 0x7ff) {
    sum.wild += (fraction | low) !== 0 ? Number.NaN : high < 0 ? -Infinity : Infinity;
    return;
  }
  const normal = exponent === 0 ? 0 : 1;
  const upper = ((fraction | (normal << 20)) << 6) | (low >>> DIGIT_BITS);
  const lower = low & DIGIT_MASK;
  if ((upper | lower) === 0) {
    sum.seen |= high < 0 ? 1 : 2;
    return;
  }
  sum.seen |= 2;
  addAt(sum, exponent - normal, upper, lower, high >> 31);
}

/** How the bits of f32 and f16 lie in a word. */
interface ShortFormat {
  readonly fraction: number;
  /** The exponent of what is no number. */
  readonly most: number;
  /** How far the sign is from the highest bit. */
  readonly left: number;
  /** The exponent of the least number, from 2^-1074 on. */
  readonly least: number;
}

const F32: ShortFormat = { fraction: 23, most: 0xff, left: 0, least: 1074 - 149 };
const F16: ShortFormat = { fraction: 10, most: 0x1f, left: 16, least: 1074 - 24 };

/** Adds an f32 or an f16. */
function addShort(sum: ExactSum, bits: number, { fraction, most, left, least }: ShortFormat): void {
  const exponent = (bits >>> fraction) & most;
  const sign = (bits << left) >> 31;
  const lower = bits & ((1 << fraction) - 1);
  if (exponent === most) {
    sum.wild += lower !== 0 ? Number.NaN : sign < 0 ? -Infinity : Infinity;
    return;
  }
  const normal = exponent === 0 ? 0 : 1;
  const significand = lower | (normal << fraction);
  if (significand === 0) {
    sum.seen |= sign < 0 ? 1 : 2;
    return;
  }
  sum.seen |= 2;
  addAt(sum, exponent - normal + least, 0, significand, sign);
}

/** The value of a sum: rounded once to f64, or else to a number of 53 bits that becomes f32 or f16 as the sum would. */
function rounded({ digits, lowest, highest, wild, seen, scales }: ExactSum, isDouble: boolean): number {
  if (wild !== 0) {
    return Number.isNaN(wild) ? Number.NaN : wild;
  }
  let at = highest;
  let lead = digits[at] as number;
  // A digit that only continues the sign of the one below it joins it.
  while (at > lowest && lead >= -1 && lead <= 0) {
    const next = digits[at - 1] as number;
    if ((lead === 0) !== next < RADIX / 2) {
      break;
    }
    lead = lead === 0 ? next : next - RADIX;
    at--;
  }
  if (lead === 0 && at <= lowest) {
    return seen === 1 ? -0 : 0;
  }
  const upper = lead * RADIX + (digits[at - 1] as number);
  const third = digits[at - 2] as number;
  const fourth = digits[at - 3] as number;
  let below = isDouble ? 0 : third | fourth;
  for (let digit = at - 4; below === 0 && digit >= lowest; digit--) {
    below = digits[digit] as number;
  }
  // What is below stands for half of the lowest bit, which decides a tie and no more.
  const half = below === 0 ? 0 : 0.5;
  const scale = scales[at] as number;
  const lower = isDouble ? third * RADIX + fourth + half : half * RADIX_SQUARED;
  return (upper * RADIX_SQUARED + lower) * scale * scale;
}

/** Items of an array that lie a step apart, and the sum that they are added to. */
interface ExactTask {
  readonly sum: ExactSum;
  readonly type: ScalarType;
  /** The elements, and the same memory as words. */
  readonly bits: Int32Array | Uint16Array;
  /** Receives the prefixes, if there are any to store: those of the elements before each one, if `exclusive` says so. It may be the input. */
  readonly output: Numbers | undefined;
  readonly exclusive: boolean;
}

/** Adds `count` items from one on. */
type ExactLoop = (task: ExactTask, from: number, count: number, step: number) => void;

// There are two loops, so that engines compile each for the arrays that it gets.

const foldDoubles: ExactLoop = ({ sum, bits, output, exclusive }, from, count, step) => {
  for (let item = 0, at = from; item < count; item++, at += step) {
    const low = bits[2 * at] as number;
    const high = bits[2 * at + 1] as number;
    if (output !== undefined && exclusive) {
      output[at] = rounded(sum, true);
    }
    addDouble(sum, high, low);
    if (output !== undefined && !exclusive) {
      output[at] = rounded(sum, true);
    }
  }
};

const foldShort: ExactLoop = ({ sum, type, bits, output, exclusive }, from, count, step) => {
  const isHalf = type.name === "f16";
  const format = isHalf ? F16 : F32;
  for (let item = 0, at = from; item < count; item++, at += step) {
    const word = bits[at] as number;
    const before = output !== undefined && exclusive ? rounded(sum, false) : 0;
    addShort(sum, word, format);
    if (output !== undefined) {
      const value = exclusive ? before : rounded(sum, false);
      output[at] = isHalf ? encodeFloat16(value) : value;
    }
  }
};

/** A fold that goes on. */
interface ExactFold extends ExactTask {
  readonly loop: ExactLoop;
  /** What comes before the first item, as an f64: its words and one more, which says whether there is one. */
  readonly initial: Int32Array | undefined;
}

function foldOf({ type, input, initial }: FoldInput, output?: Numbers, exclusive = false): ExactFold {
  const isDouble = type.name === "f64";
  // A loop reads what it has not yet written only if both arrays start at the same place.
  const own = output && isShifted(input, output) ? (input.slice() as Numbers) : input;
  return {
    sum: newSum(),
    type: type as ScalarType,
    bits: bitsOf(own),
    output,
    exclusive,
    loop: isDouble ? foldDoubles : foldShort,
    initial: initial === undefined ? undefined : new Int32Array(Float64Array.of(initial as number).buffer),
  };
}

/** Folds items from the initial value on, and gives their sum, which is to be rounded to the type. */
function folded(fold: ExactFold, from: number, count: number, step: number): number {
  const { sum, type, initial, loop } = fold;
  clear(sum);
  if (initial !== undefined) {
    addDouble(sum, initial[1] as number, initial[0] as number);
  }
  loop(fold, from, count, step);
  return rounded(sum, type.name === "f64");
}

/** The total of all elements, the initial value included. */
export function reduceNumbers(call: FoldInput): Scalar {
  const fold = foldOf(call);
  return fold.type.round(folded(fold, 0, call.input.length, 1));
}

/** Writes the prefixes of all elements to the output, and gives the total, the initial value included. */
export function scanNumbers(call: FoldInput & ScanOutput): Scalar {
  const fold = foldOf(call, call.output, call.exclusive);
  return fold.type.round(folded(fold, 0, call.input.length, 1));
}

/** Folds each segment, and gives their totals, which are to be rounded to the type. */
function foldSegments(fold: ExactFold, segments: CpuSegments, length: number, reverse = false): Float64Array {
  if (segments.kind !== "columns" && segments.kind !== "matrices") {
    const { begins, ends } = boundsOf(segments, length);
    const totals = new Float64Array(ends.length);
    for (let at = 0; at < totals.length; at++) {
      const from = begins[at] as number;
      const to = ends[at] as number;
      totals[at] = folded(fold, reverse ? to - 1 : from, to - from, reverse ? -1 : 1);
    }
    return totals;
  }
  const isOne = segments.kind === "columns";
  const columns = isOne ? segments.rows : segments.columns;
  const rows = isOne ? length / columns : segments.rows;
  const totals = new Float64Array(isOne ? columns : length / rows);
  for (let at = 0; at < totals.length; at++) {
    const column = at % columns;
    const first = (at - column) * rows + column;
    const last = first + (rows - 1) * columns;
    totals[at] = folded(fold, reverse ? last : first, rows, reverse ? -columns : columns);
  }
  return totals;
}

/** Writes the prefixes of each segment to the output; in reverse, what comes from each element to the end of its segment. */
export function scanSegments({
  segments,
  reverse,
  ...call
}: FoldInput & ScanOutput & SegmentsOfCall & { readonly reverse?: boolean | undefined }): void {
  foldSegments(foldOf(call, call.output, call.exclusive), segments, call.input.length, reverse);
}

/** The total of each segment. */
export function reduceSegments({ segments, ...call }: FoldInput & SegmentsOfCall): Numbers {
  const { input } = call;
  const totals = foldSegments(foldOf(call), segments, input.length);
  const made = numbersLike(input, totals.length);
  if (made instanceof Uint16Array) {
    made.set(totals.map(encodeFloat16));
  } else {
    (made as Float64Array).set(totals);
  }
  return made;
}

/** The loops of exact sums. */
export const exact = { reduceNumbers, reduceSegments, scanNumbers, scanSegments };
