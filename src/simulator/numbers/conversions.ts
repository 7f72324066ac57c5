// Conversions of values: https://www.w3.org/TR/WGSL/#floating-point-conversion
import { f16Number, f16Word, f32Number, f32Word } from "./words.ts";

/** The least and the greatest integer that a float may become, each a number of the float's type, as WGSL demands. */
const F32_LIMITS = { i32: [-(2 ** 31), 2 ** 31 - 128], u32: [0, 2 ** 32 - 256] } as const;
const F16_LIMITS = { i32: [-65504, 65504], u32: [0, 65504] } as const;

/** Toward zero, and into the limits; 0 of NaN. */
const integer = (x: number, [least, greatest]: readonly [number, number]): number =>
  Math.max(least, Math.min(greatest, x)) | 0;

export const f32_to_i32 = (a: number): number => integer(f32Number(a), F32_LIMITS.i32);
export const f32_to_u32 = (a: number): number => integer(f32Number(a), F32_LIMITS.u32);
export const f16_to_i32 = (a: number): number => integer(f16Number(a), F16_LIMITS.i32);
export const f16_to_u32 = (a: number): number => integer(f16Number(a), F16_LIMITS.u32);

export const i32_to_f32 = (a: number): number => f32Word(a);
export const u32_to_f32 = (a: number): number => f32Word(a >>> 0);
export const i32_to_f16 = (a: number): number => f16Word(a);
export const u32_to_f16 = (a: number): number => f16Word(a >>> 0);

export const f32_to_f16 = (a: number): number => f16Word(f32Number(a));
export const f16_to_f32 = (a: number): number => f32Word(f16Number(a));
export const f32_quantize_to_f16 = (a: number): number => f16_to_f32(f32_to_f16(a));
