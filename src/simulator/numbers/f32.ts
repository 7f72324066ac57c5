// Arithmetic of f32 on words. Each operation is computed in binary64 and rounded once. Sums, products, quotients and square roots of
// f32 have so many bits fewer than binary64 that rounding twice gives the same as rounding once:
// S. A. Figueroa, "When is double rounding innocuous?", 1995, https://doi.org/10.1145/221332.221334
import { f32Number, f32Word } from "./words.ts";

const ONE = 0x3f800000;
const TWO = 0x40000000;
const THREE = 0x40400000;

export const f32_add = (a: number, b: number): number => f32Word(f32Number(a) + f32Number(b));
export const f32_sub = (a: number, b: number): number => f32Word(f32Number(a) - f32Number(b));
export const f32_mul = (a: number, b: number): number => f32Word(f32Number(a) * f32Number(b));
export const f32_div = (a: number, b: number): number => f32Word(f32Number(a) / f32Number(b));
/** The remainder of division toward zero, exact. */
export const f32_rem = (a: number, b: number): number => f32Word(f32Number(a) % f32Number(b));
export const f32_squared = (a: number): number => f32_mul(a, a);

export const f32_eq = (a: number, b: number): number => (f32Number(a) === f32Number(b) ? 1 : 0);
export const f32_ne = (a: number, b: number): number => (f32Number(a) !== f32Number(b) ? 1 : 0);
export const f32_lt = (a: number, b: number): number => (f32Number(a) < f32Number(b) ? 1 : 0);
export const f32_le = (a: number, b: number): number => (f32Number(a) <= f32Number(b) ? 1 : 0);
export const f32_gt = (a: number, b: number): number => (f32Number(a) > f32Number(b) ? 1 : 0);
export const f32_ge = (a: number, b: number): number => (f32Number(a) >= f32Number(b) ? 1 : 0);

/** The lesser one, with its bits; -0 is less than +0. If one is NaN, the other one. */
export function f32_min(a: number, b: number): number {
  const x = f32Number(a);
  const y = f32Number(b);
  return x < y || Number.isNaN(y) ? a : y < x || Number.isNaN(x) ? b : a | b;
}

/** The greater one, with its bits; +0 is greater than -0. If one is NaN, the other one. */
export function f32_max(a: number, b: number): number {
  const x = f32Number(a);
  const y = f32Number(b);
  return x > y || Number.isNaN(y) ? a : y > x || Number.isNaN(x) ? b : a & b;
}

/** Of a NaN, the lower bound. */
export const f32_clamp = (a: number, low: number, high: number): number => f32_min(f32_max(a, low), high);
export const f32_saturate = (a: number): number => f32_clamp(a, 0, ONE);
export const f32_step = (edge: number, a: number): number => (f32_le(edge, a) ? ONE : 0);

export const f32_mix = (a: number, b: number, by: number): number =>
  f32_add(f32_mul(a, f32_sub(ONE, by)), f32_mul(b, by));

export function f32_smoothstep(low: number, high: number, a: number): number {
  const t = f32_saturate(f32_div(f32_sub(a, low), f32_sub(high, low)));
  return f32_mul(f32_mul(t, t), f32_sub(THREE, f32_mul(TWO, t)));
}

/** A component of the reflection; `dot` is the product of both vectors. */
export const f32_reflect = (incident: number, normal: number, dot: number): number =>
  f32_sub(incident, f32_mul(f32_mul(TWO, dot), normal));

/** A component of the refracted vector; `dot` is the product of both vectors. It is 0 where nothing is refracted. */
export function f32_refract(incident: number, normal: number, ratio: number, dot: number): number {
  const k = f32_sub(ONE, f32_mul(f32_mul(ratio, ratio), f32_sub(ONE, f32_mul(dot, dot))));
  if (f32_lt(k, 0)) {
    return 0;
  }
  const along = f32_add(f32_mul(ratio, dot), f32Word(Math.sqrt(f32Number(k))));
  return f32_sub(f32_mul(ratio, incident), f32_mul(along, normal));
}

const GREATEST = 3.4028234663852886e38;
/** From here on, a number is rounded to infinity. */
const OVERFLOW = 2 ** 128 - 2 ** 103;

/**
 * a · b + c, rounded once. The product is exact in binary64. The sum may not be: then it decides the result only if it lies in the middle
 * of two f32, and what the sum has lost says on which side of the middle the exact sum lies.
 */
export function f32_fma(a: number, b: number, c: number): number {
  const product = f32Number(a) * f32Number(b);
  const addend = f32Number(c);
  const sum = product + addend;
  const nearest = Math.fround(sum);
  if (nearest === sum || Number.isNaN(sum)) {
    return f32Word(sum);
  }
  const lost = lostBy(product, addend, sum);
  if (!Number.isFinite(nearest)) {
    const isLess = Math.abs(sum) === OVERFLOW && lost !== 0 && lost < 0 === sum > 0;
    return f32Word(isLess ? Math.sign(sum) * GREATEST : nearest);
  }
  const step = sum - nearest;
  const opposite = sum + step;
  const isTie = Math.fround(opposite) === opposite;
  return f32Word(isTie && lost !== 0 && lost > 0 === step > 0 ? opposite : nearest);
}

/** What the rounded sum of two numbers lacks, exactly: D. E. Knuth, "The Art of Computer Programming", volume 2, 4.2.2, theorem B. */
function lostBy(a: number, b: number, sum: number): number {
  const fromB = sum - a;
  return a - (sum - fromB) + (b - fromB);
}
