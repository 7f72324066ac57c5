// Functions on numbers (binary64) that f32 and f16 share. Results are rounded to the type by the caller.
import { f32Number } from "./words.ts";

export const exp2 = (x: number): number => 2 ** x;
export const inverseSqrt = (x: number): number => 1 / Math.sqrt(x);
export const degrees = (x: number): number => x * (180 / Math.PI);
export const radians = (x: number): number => x * (Math.PI / 180);
export const fract = (x: number): number => x - Math.floor(x);
export const fractOfModf = (x: number): number => x - Math.trunc(x);

/** WGSL defines no power of a negative number. Here that is NaN, as exp2(y * log2(x)) makes it. */
export const pow = (x: number, y: number): number => (x < 0 ? Number.NaN : x ** y);

/** 0 for both zeros; NaN for NaN. */
export const sign = (x: number): number => (x === 0 ? 0 : Math.sign(x));

/** To the nearest whole number, ties to even. From 2^52 on, numbers have no fraction. */
export function roundToEven(x: number): number {
  const magnitude = Math.abs(x);
  if (!(magnitude < 2 ** 52)) {
    return x;
  }
  const rounded = magnitude + 2 ** 52 - 2 ** 52;
  return x < 0 || Object.is(x, -0) ? -rounded : rounded;
}

const powerOfTwo = (exponent: number): number => f32Number((exponent + 127) << 23);

/** x · 2^exponent, for x of f32 or f16: exact in binary64. Past ±300, the result rounds to 0 or infinity as it does at ±300. */
export function scaled(x: number, exponent: number): number {
  const limited = Math.max(-300, Math.min(300, exponent));
  const third = Math.trunc(limited / 3);
  return x * powerOfTwo(third) * powerOfTwo(third) * powerOfTwo(limited - 2 * third);
}

/** Of a square matrix, columns one after another: by the minors of its first column. */
export function determinant(elements: readonly number[]): number {
  const size = Math.sqrt(elements.length);
  if (size === 1) {
    return elements[0] as number;
  }
  let sum = 0;
  for (let row = 0; row < size; row++) {
    const minor = elements.filter((_, at) => at >= size && at % size !== row);
    const term = (elements[row] as number) * determinant(minor);
    sum += row % 2 === 0 ? term : -term;
  }
  return sum;
}
