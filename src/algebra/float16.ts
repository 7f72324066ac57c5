const scratch = /* @__PURE__ */ (() => new DataView(new ArrayBuffer(8)))();

/**
 * The bits of the binary16 number nearest to `value`, ties to even.
 *
 * @example
 * ```ts
 * encodeFloat16(1.5); // 15872
 * ```
 */
export function encodeFloat16(value: number): number {
  scratch.setFloat64(0, value);
  const sign = (scratch.getUint16(0) & 0x8000) >>> 0;
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) {
    return 0x7e00;
  }
  // Half-way between the greatest finite binary16 and the next step: ties go to infinity.
  if (magnitude >= 65520) {
    return sign | 0x7c00;
  }
  // One unit in the last place: 2^-24 for subnormals, 2^(exponent - 10) above them.
  const exponent = Math.max(-14, Math.floor(Math.log2(magnitude || 2 ** -14)));
  const adjusted =
    magnitude < 2 ** exponent ? exponent - 1 : magnitude >= 2 ** (exponent + 1) ? exponent + 1 : exponent;
  const unit = 2 ** (Math.max(-14, adjusted) - 10);
  const steps = roundTiesToEven(magnitude / unit);
  // The steps of a subnormal number are its bits. Those of a normal number count from 1024, and each exponent has 1024
  // steps.
  return sign | (steps + (Math.max(-14, adjusted) + 14) * 1024);
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

function roundTiesToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
