// Bytes and halves of a word as integers or as normalized floats: https://www.w3.org/TR/WGSL/#pack-builtin-functions
import { f32Number, f32Word } from "./words.ts";

/** A normalized f32 as an integer of that many steps; of NaN, the least. */
function normalized(a: number, least: number, steps: number): number {
  const x = f32Number(a);
  const limited = Number.isNaN(x) ? least : Math.max(least, Math.min(1, x));
  return Math.floor(0.5 + steps * limited);
}

export const f32_to_snorm8 = (a: number): number => normalized(a, -1, 127) & 0xff;
export const f32_to_unorm8 = (a: number): number => normalized(a, 0, 255);
export const f32_to_snorm16 = (a: number): number => normalized(a, -1, 32767) & 0xffff;
export const f32_to_unorm16 = (a: number): number => normalized(a, 0, 65535);

/** Of a signed integer: the least one is -1, as the next one is. */
export const snorm8_to_f32 = (a: number): number => f32Word(Math.max(-1, a / 127));
export const unorm8_to_f32 = (a: number): number => f32Word(a / 255);
export const snorm16_to_f32 = (a: number): number => f32Word(Math.max(-1, a / 32767));
export const unorm16_to_f32 = (a: number): number => f32Word(a / 65535);

/** The sum of the products of four pairs of signed bytes. */
export const dot4_i8 = (a: number, b: number): number =>
  (((a << 24) >> 24) * ((b << 24) >> 24) +
    ((a << 16) >> 24) * ((b << 16) >> 24) +
    ((a << 8) >> 24) * ((b << 8) >> 24) +
    (a >> 24) * (b >> 24)) |
  0;

/** The sum of the products of four pairs of unsigned bytes. */
export const dot4_u8 = (a: number, b: number): number =>
  (a & 0xff) * (b & 0xff) +
  ((a >>> 8) & 0xff) * ((b >>> 8) & 0xff) +
  ((a >>> 16) & 0xff) * ((b >>> 16) & 0xff) +
  (a >>> 24) * (b >>> 24);
