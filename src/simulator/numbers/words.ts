// A word is one scalar as an integer in the range of int32: u32 and i32 both as int32, f32 and f16 as their bits, bool as 0 or 1.
// Functions on words read floats as numbers (binary64), compute, and round once.

/** What arithmetic gives where the result is no number. */
const F32_NAN = 0x7fc00000;
const F16_NAN = 0x7e00;

/** One word of memory, seen as a float and as its bits. */
const floats = /* @__PURE__ */ new Float32Array(1);
const bits = /* @__PURE__ */ new Int32Array(floats.buffer);

/** The number that a word of f32 stands for. */
export function f32Number(word: number): number {
  bits[0] = word;
  return floats[0] as number;
}

/** The word of the f32 nearest to a number, ties to even. */
export function f32Word(number: number): number {
  if (Number.isNaN(number)) {
    return F32_NAN;
  }
  floats[0] = number;
  return bits[0] as number;
}

/** The number that a word of f16 stands for. */
export function f16Number(word: number): number {
  if ((word & 0x7c00) === 0x7c00) {
    return word & 0x3ff ? Number.NaN : word & 0x8000 ? -Infinity : Infinity;
  }
  // The fields of f16 moved to those of f32, whose exponents count from 112 lower. This holds for subnormals, too.
  return f32Number(((word & 0x8000) << 16) | ((word & 0x7fff) << 13)) * 2 ** 112;
}

/** The word of the f16 nearest to a number, ties to even. It is rounded once. */
export function f16Word(number: number): number {
  if (Number.isNaN(number)) {
    return F16_NAN;
  }
  const nearest = Math.fround(number);
  const word = f32Word(nearest);
  const sign = (word >>> 16) & 0x8000;
  let magnitude = word & 0x7fffffff;
  if (magnitude < 0x38800000) {
    // Below 2^-14, f16 has steps of 2^-24. Adding 2^52 rounds to whole steps.
    return sign | (Math.abs(number) * 2 ** 24 + 2 ** 52 - 2 ** 52);
  }
  if (nearest !== number) {
    // Rounded toward zero, with the lowest bit set for what was cut off: so rounding again is as good as rounding the number itself.
    magnitude = (Math.abs(nearest) > Math.abs(number) ? magnitude - 1 : magnitude) | 1;
  }
  if (magnitude >= 0x47800000) {
    return sign | 0x7c00;
  }
  const half = 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((magnitude - 0x38000000 + half) >> 13);
}
