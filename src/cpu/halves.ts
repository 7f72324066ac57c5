// Numbers of f16 beside their bits, a block at a time. A `Float32Array` holds each of them exactly.

/** The numbers that the bits of `count` elements stand for, from an element on. `words` is the memory of `numbers`. */
export function decodeHalves(
  halves: Uint16Array,
  from: number,
  step: number,
  { numbers, words }: HalfBlock,
  count: number,
): void {
  for (let at = 0, place = from; at < count; at++, place += step) {
    const half = halves[place] as number;
    const sign = (half & 0x8000) << 16;
    const magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00) {
      words[at] = sign | 0x7f800000 | ((magnitude & 0x3ff) << 13);
    } else if (magnitude >= 0x400) {
      words[at] = sign | ((magnitude << 13) + 0x38000000);
    } else {
      numbers[at] = magnitude * 2 ** -24;
      words[at] = sign | (words[at] as number);
    }
  }
}

/** The bits of `count` numbers, each of which f16 has. A NaN gets the bits that arithmetic gives. */
export function encodeHalves(
  { numbers, words }: HalfBlock,
  count: number,
  halves: Uint16Array,
  from: number,
  step: number,
): void {
  for (let at = 0, place = from; at < count; at++, place += step) {
    const word = words[at] as number;
    const sign = (word >>> 16) & 0x8000;
    const magnitude = word & 0x7fffffff;
    if (magnitude >= 0x7f800000) {
      halves[place] = magnitude > 0x7f800000 ? 0x7e00 : sign | 0x7c00;
    } else if (magnitude >= 0x38800000) {
      halves[place] = sign | ((magnitude - 0x38000000) >> 13);
    } else {
      halves[place] = sign | Math.abs((numbers[at] as number) * 2 ** 24);
    }
  }
}

/** Memory for some numbers, and the same memory as words. */
export interface HalfBlock {
  readonly numbers: Float32Array;
  readonly words: Int32Array;
}

export function halfBlock(length: number): HalfBlock {
  const numbers = new Float32Array(length);
  return { numbers, words: new Int32Array(numbers.buffer) };
}

/**
 * The f16 nearest to a sum of two of them, ties to even. It is rounded to f32 first, which changes nothing: f32 has 24 digits, two more than twice
 * those of f16 (Figueroa, When is double rounding innocuous?, 1995). A double of 2^42 + 1 times as much has no digits below the steps of f16.
 */
export function roundedSum(value: number): number {
  const nearest = Math.fround(value);
  const product = nearest * (2 ** 42 + 1);
  const rounded = product - (product - nearest);
  return Math.abs(rounded) <= 65504 ? rounded : nearest * Infinity;
}

/** 1.5 · 2^52 of the least steps of f16. A double to which it is added has no digits below these. */
const LEAST_STEPS = 1.5 * 2 ** 28;

/** The f16 nearest to a product of two of them, ties to even. */
export function roundedProduct(value: number): number {
  if (Math.abs(value) >= 2 ** -14) {
    return roundedSum(value);
  }
  const rounded = value + LEAST_STEPS - LEAST_STEPS;
  // Zero of the sign of the product.
  return rounded === 0 ? value * 0 : rounded;
}
