// The functions of f16 that are computed as a whole in binary64, and rounded once: https://www.w3.org/TR/WGSL/#numeric-builtin-functions
import { f32_frexp_exp } from "./f32_functions.ts";
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
import { f16Number, f16Word, f32Word } from "./words.ts";

export const f16_acos = (a: number): number => f16Word(Math.acos(f16Number(a)));
export const f16_acosh = (a: number): number => f16Word(Math.acosh(f16Number(a)));
export const f16_asin = (a: number): number => f16Word(Math.asin(f16Number(a)));
export const f16_asinh = (a: number): number => f16Word(Math.asinh(f16Number(a)));
export const f16_atan = (a: number): number => f16Word(Math.atan(f16Number(a)));
export const f16_atanh = (a: number): number => f16Word(Math.atanh(f16Number(a)));
export const f16_ceil = (a: number): number => f16Word(Math.ceil(f16Number(a)));
export const f16_cos = (a: number): number => f16Word(Math.cos(f16Number(a)));
export const f16_cosh = (a: number): number => f16Word(Math.cosh(f16Number(a)));
export const f16_degrees = (a: number): number => f16Word(degrees(f16Number(a)));
export const f16_exp = (a: number): number => f16Word(Math.exp(f16Number(a)));
export const f16_exp2 = (a: number): number => f16Word(exp2(f16Number(a)));
export const f16_floor = (a: number): number => f16Word(Math.floor(f16Number(a)));
export const f16_fract = (a: number): number => f16Word(fract(f16Number(a)));
export const f16_inverse_sqrt = (a: number): number => f16Word(inverseSqrt(f16Number(a)));
export const f16_log = (a: number): number => f16Word(Math.log(f16Number(a)));
export const f16_log2 = (a: number): number => f16Word(Math.log2(f16Number(a)));
export const f16_modf_fract = (a: number): number => f16Word(fractOfModf(f16Number(a)));
export const f16_radians = (a: number): number => f16Word(radians(f16Number(a)));
export const f16_round = (a: number): number => f16Word(roundToEven(f16Number(a)));
export const f16_sign = (a: number): number => f16Word(sign(f16Number(a)));
export const f16_sin = (a: number): number => f16Word(Math.sin(f16Number(a)));
export const f16_sinh = (a: number): number => f16Word(Math.sinh(f16Number(a)));
export const f16_sqrt = (a: number): number => f16Word(Math.sqrt(f16Number(a)));
export const f16_tan = (a: number): number => f16Word(Math.tan(f16Number(a)));
export const f16_tanh = (a: number): number => f16Word(Math.tanh(f16Number(a)));
export const f16_trunc = (a: number): number => f16Word(Math.trunc(f16Number(a)));

export const f16_atan2 = (a: number, b: number): number => f16Word(Math.atan2(f16Number(a), f16Number(b)));
export const f16_pow = (a: number, b: number): number => f16Word(pow(f16Number(a), f16Number(b)));
/** a · 2^exponent. The exponent is an i32. */
export const f16_ldexp = (a: number, exponent: number): number => f16Word(scaled(f16Number(a), exponent));
/** Of a square matrix, columns one after another. */
export const f16_determinant = (...elements: number[]): number =>
  f16Word(determinant(elements.map(f16Number)));

/** The exponent that frexp gives, an i32: 0 of 0, infinity and NaN. */
export const f16_frexp_exp = (a: number): number => f32_frexp_exp(f32Word(f16Number(a)));
/** The fraction that frexp gives, from 0.5 to 1: 0, infinity and NaN are theirs. */
export const f16_frexp_fract = (a: number): number =>
  (a & 0x7c00) === 0x7c00 ? a : f16_ldexp(a, -f16_frexp_exp(a));
