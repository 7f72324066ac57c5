/**
 * The bits of the binary16 number nearest to `value`, ties to even.
 *
 * @example
 * ```ts
 * encodeFloat16(1.5); // 15872
 * ```
 */
export function encodeFloat16(value: number): number {
  if (Number.isNaN(value)) {
    return 0x7e00;
  }
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  // Subnormals have the exponent of the least normal numbers. The logarithm may be off by one beside a power of two, where
  // the steps of either exponent round to that power.
  const exponent = Math.min(15, Math.max(-14, Math.floor(Math.log2(magnitude))));
  // The value in units in the last place, rounded: numbers from 2^52 on have no fraction, so adding 2^52 rounds to nearest even.
  const steps = magnitude / 2 ** (exponent - 10) + 2 ** 52 - 2 ** 52;
  // The steps of a subnormal number are its bits. Those of a normal number count from 1024, and each exponent has 1024 steps. A value
  // past the greatest number has the bits of infinity.
  return sign | Math.min(0x7c00, steps + (exponent + 14) * 1024);
}

/**
 * The number that 16 bits stand for, as binary16.
 *
 * @example
 * ```ts
 * decodeFloat16(0x3e00); // 1.5
 * ```
 */
export function decodeFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) {
    return fraction === 0 ? sign * Infinity : Number.NaN;
  }
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}
