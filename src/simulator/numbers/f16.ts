// Arithmetic of f16 on words. Sums and products of f16 are exact in binary64. Quotients and square roots have so many bits there that
// rounding twice gives the same as rounding once.
import { f16Number, f16Word } from "./words.ts";

const ONE = 0x3c00;
const TWO = 0x4000;
const THREE = 0x4200;

export const f16_add = (a: number, b: number): number => f16Word(f16Number(a) + f16Number(b));
export const f16_sub = (a: number, b: number): number => f16Word(f16Number(a) - f16Number(b));
export const f16_mul = (a: number, b: number): number => f16Word(f16Number(a) * f16Number(b));
export const f16_div = (a: number, b: number): number => f16Word(f16Number(a) / f16Number(b));
/** The remainder of division toward zero, exact. */
export const f16_rem = (a: number, b: number): number => f16Word(f16Number(a) % f16Number(b));
export const f16_squared = (a: number): number => f16_mul(a, a);

export const f16_eq = (a: number, b: number): number => (f16Number(a) === f16Number(b) ? 1 : 0);
export const f16_ne = (a: number, b: number): number => (f16Number(a) !== f16Number(b) ? 1 : 0);
export const f16_lt = (a: number, b: number): number => (f16Number(a) < f16Number(b) ? 1 : 0);
export const f16_le = (a: number, b: number): number => (f16Number(a) <= f16Number(b) ? 1 : 0);
export const f16_gt = (a: number, b: number): number => (f16Number(a) > f16Number(b) ? 1 : 0);
export const f16_ge = (a: number, b: number): number => (f16Number(a) >= f16Number(b) ? 1 : 0);

/** The lesser one, with its bits; -0 is less than +0. If one is NaN, the other one. */
export function f16_min(a: number, b: number): number {
  const x = f16Number(a);
  const y = f16Number(b);
  return x < y || Number.isNaN(y) ? a : y < x || Number.isNaN(x) ? b : a | b;
}

/** The greater one, with its bits; +0 is greater than -0. If one is NaN, the other one. */
export function f16_max(a: number, b: number): number {
  const x = f16Number(a);
  const y = f16Number(b);
  return x > y || Number.isNaN(y) ? a : y > x || Number.isNaN(x) ? b : a & b;
}

/** Of a NaN, the lower bound. */
export const f16_clamp = (a: number, low: number, high: number): number => f16_min(f16_max(a, low), high);
export const f16_saturate = (a: number): number => f16_clamp(a, 0, ONE);
export const f16_step = (edge: number, a: number): number => (f16_le(edge, a) ? ONE : 0);

export const f16_mix = (a: number, b: number, by: number): number =>
  f16_add(f16_mul(a, f16_sub(ONE, by)), f16_mul(b, by));

export function f16_smoothstep(low: number, high: number, a: number): number {
  const t = f16_saturate(f16_div(f16_sub(a, low), f16_sub(high, low)));
  return f16_mul(f16_mul(t, t), f16_sub(THREE, f16_mul(TWO, t)));
}

/** A component of the reflection; `dot` is the product of both vectors. */
export const f16_reflect = (incident: number, normal: number, dot: number): number =>
  f16_sub(incident, f16_mul(f16_mul(TWO, dot), normal));

/** A component of the refracted vector; `dot` is the product of both vectors. It is 0 where nothing is refracted. */
export function f16_refract(incident: number, normal: number, ratio: number, dot: number): number {
  const k = f16_sub(ONE, f16_mul(f16_mul(ratio, ratio), f16_sub(ONE, f16_mul(dot, dot))));
  if (f16_lt(k, 0)) {
    return 0;
  }
  const along = f16_add(f16_mul(ratio, dot), f16Word(Math.sqrt(f16Number(k))));
  return f16_sub(f16_mul(ratio, incident), f16_mul(along, normal));
}

/**
 * a · b + c, rounded once. Where the sum is not exact in binary64, its lesser part is far below half a step of the greater one, or the
 * result is infinite. So no sum lies beside the middle of two f16 without being exact.
 */
export const f16_fma = (a: number, b: number, c: number): number =>
  f16Word(f16Number(a) * f16Number(b) + f16Number(c));
