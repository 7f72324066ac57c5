// The functions of f32 that are computed as a whole in binary64, and rounded once: https://www.w3.org/TR/WGSL/#numeric-builtin-functions
import {
  degrees,
  determinant,
  exp2,
  fract,
  fractOfModf,
  inverseSqrt,
  pow,
  radians,
  roundToEven,
  scaled,
  sign,
} from "./real_functions.ts";
import { f32Number, f32Word } from "./words.ts";

export const f32_acos = (a: number): number => f32Word(Math.acos(f32Number(a)));
export const f32_acosh = (a: number): number => f32Word(Math.acosh(f32Number(a)));
export const f32_asin = (a: number): number => f32Word(Math.asin(f32Number(a)));
export const f32_asinh = (a: number): number => f32Word(Math.asinh(f32Number(a)));
export const f32_atan = (a: number): number => f32Word(Math.atan(f32Number(a)));
export const f32_atanh = (a: number): number => f32Word(Math.atanh(f32Number(a)));
export const f32_ceil = (a: number): number => f32Word(Math.ceil(f32Number(a)));
export const f32_cos = (a: number): number => f32Word(Math.cos(f32Number(a)));
export const f32_cosh = (a: number): number => f32Word(Math.cosh(f32Number(a)));
export const f32_degrees = (a: number): number => f32Word(degrees(f32Number(a)));
export const f32_exp = (a: number): number => f32Word(Math.exp(f32Number(a)));
export const f32_exp2 = (a: number): number => f32Word(exp2(f32Number(a)));
export const f32_floor = (a: number): number => f32Word(Math.floor(f32Number(a)));
export const f32_fract = (a: number): number => f32Word(fract(f32Number(a)));
export const f32_inverse_sqrt = (a: number): number => f32Word(inverseSqrt(f32Number(a)));
export const f32_log = (a: number): number => f32Word(Math.log(f32Number(a)));
export const f32_log2 = (a: number): number => f32Word(Math.log2(f32Number(a)));
export const f32_modf_fract = (a: number): number => f32Word(fractOfModf(f32Number(a)));
export const f32_radians = (a: number): number => f32Word(radians(f32Number(a)));
export const f32_round = (a: number): number => f32Word(roundToEven(f32Number(a)));
export const f32_sign = (a: number): number => f32Word(sign(f32Number(a)));
export const f32_sin = (a: number): number => f32Word(Math.sin(f32Number(a)));
export const f32_sinh = (a: number): number => f32Word(Math.sinh(f32Number(a)));
export const f32_sqrt = (a: number): number => f32Word(Math.sqrt(f32Number(a)));
export const f32_tan = (a: number): number => f32Word(Math.tan(f32Number(a)));
export const f32_tanh = (a: number): number => f32Word(Math.tanh(f32Number(a)));
export const f32_trunc = (a: number): number => f32Word(Math.trunc(f32Number(a)));

export const f32_atan2 = (a: number, b: number): number => f32Word(Math.atan2(f32Number(a), f32Number(b)));
export const f32_pow = (a: number, b: number): number => f32Word(pow(f32Number(a), f32Number(b)));
/** a · 2^exponent. The exponent is an i32. */
export const f32_ldexp = (a: number, exponent: number): number => f32Word(scaled(f32Number(a), exponent));
/** Of a square matrix, columns one after another. */
export const f32_determinant = (...elements: number[]): number =>
  f32Word(determinant(elements.map(f32Number)));

/** The exponent that frexp gives, an i32: 0 of 0, infinity and NaN. */
export function f32_frexp_exp(a: number): number {
  const exponent = (a >>> 23) & 0xff;
  const fraction = a & 0x7fffff;
  if (exponent === 0xff || (exponent === 0 && fraction === 0)) {
    return 0;
  }
  // A subnormal number is its fraction times 2^-149.
  return exponent === 0 ? -117 - Math.clz32(fraction) : exponent - 126;
}

/** The fraction that frexp gives, from 0.5 to 1: 0, infinity and NaN are theirs. */
export const f32_frexp_fract = (a: number): number =>
  (a & 0x7f800000) === 0x7f800000 ? a : f32_ldexp(a, -f32_frexp_exp(a));
