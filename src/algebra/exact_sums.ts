import type { ScalarType } from "./types.ts";

// Exact sums on the CPU. It is the twin of shaders/exact/.

/** An exact sum of floats. It is an element, and so a value: TypeScript takes no interface for one. */
export type ExactSum = {
  /** The sum of all items that are numbers, in units of the type's least subnormal. */
  readonly units: bigint;
  /** What the items were: bits of {@link seen}. */
  readonly seen: number;
};

/** What kinds of items a sum has seen, as bits. NaN counts as both infinities. */
export const seen = { highest: 8, lowest: 4, others: 2, minusZero: 1 } as const;

/** The sum of no items. */
export const exactNothing: ExactSum = { units: 0n, seen: 0 };

/** The facts of a float type. */
export interface ExactFormat {
  /** The bits of the fraction. */
  readonly fraction: number;
  /** The exponent of what is no number. */
  readonly mostExponent: number;
  /** How many places the least subnormal is below 1. */
  readonly least: number;
  /** The words of an exact sum. */
  readonly words: number;
}

// A sum of 2^32 items has 32 bits more than the greatest item. It takes a sign and 4 bits for what it has seen, too: 16 + 24,
// 128 + 149 and 1024 + 1074 bits, and 37.
export const exactFormats = {
  f16: { fraction: 10, mostExponent: 31, least: 24, words: 3 },
  f32: { fraction: 23, mostExponent: 255, least: 149, words: 10 },
  f64: { fraction: 52, mostExponent: 2047, least: 1074, words: 67 },
} as const satisfies Record<string, ExactFormat>;

/** Whether kernels write out loops over the words of a sum, and each thread of a tile has room for one in work-group memory: f16 and f32. */
export const isShort = ({ words }: Pick<ExactFormat, "words">): boolean => words <= 10;

export const formatOf = ({ name }: Pick<ScalarType, "name">): ExactFormat =>
  exactFormats[name as keyof typeof exactFormats];

/** The sum of one item, which is a value of the type. */
export function exactOf(value: number, { least }: ExactFormat): ExactSum {
  if (!Number.isFinite(value)) {
    const { highest, lowest, others } = seen;
    const wild = Number.isNaN(value) ? highest | lowest : value > 0 ? highest : lowest;
    return { units: 0n, seen: wild | others };
  }
  if (value === 0) {
    return { units: 0n, seen: Object.is(value, -0) ? seen.minusZero : seen.others };
  }
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const significand = exponent === 0 ? fraction : fraction | (1n << 52n);
  // The lowest bit of the significand, counted from the type's least subnormal. Bits below that are zeros.
  const place = Math.max(exponent, 1) - 1075 + least;
  const units = place < 0 ? significand >> BigInt(-place) : significand << BigInt(place);
  return { units: value < 0 ? -units : units, seen: seen.others };
}

export const exactCombine = (earlier: ExactSum, later: ExactSum): ExactSum => ({
  units: earlier.units + later.units,
  seen: earlier.seen | later.seen,
});

/** The value that a sum rounds to, once, to nearest even. A sum of nothing is 0, and −0 is only a sum of nothing but −0. */
export function exactRounded(
  { units, seen: own }: ExactSum,
  { fraction, mostExponent, least }: ExactFormat,
): number {
  const { highest, lowest, others, minusZero } = seen;
  const wild = own & (highest | lowest);
  if (wild !== 0) {
    return wild === highest ? Infinity : wild === lowest ? -Infinity : Number.NaN;
  }
  if (units === 0n) {
    return (own & (others | minusZero)) === minusZero ? -0 : 0;
  }
  const magnitude = units < 0n ? -units : units;
  const digits = magnitude.toString(16);
  const bits = 4 * digits.length - (Math.clz32(Number.parseInt(digits.charAt(0), 16)) - 28);
  const dropped = Math.max(0, bits - fraction - 1);
  let significand = magnitude >> BigInt(dropped);
  if (dropped > 0) {
    const half = 1n << BigInt(dropped - 1);
    const rest = magnitude & (2n * half - 1n);
    if (rest > half || (rest === half && (significand & 1n) === 1n)) {
      significand++;
    }
  }
  // Numbers of JavaScript hold it exactly, unless it is more than the greatest of the type.
  const value = Number(significand) * 2 ** (dropped - least);
  const most = 2 ** (mostExponent >> 1) * (2 - 2 ** -fraction);
  return (units < 0n ? -1 : 1) * (value > most ? Infinity : value);
}

/** A sum as the words that an element has on the GPU. */
export function exactWords({ units, seen: own }: ExactSum, { words }: ExactFormat): Uint32Array {
  let rest = BigInt.asUintN(32 * words - 4, units) | (BigInt(own) << BigInt(32 * words - 4));
  return Uint32Array.from({ length: words }, () => {
    const word = Number(rest & 0xffff_ffffn);
    rest >>= 32n;
    return word;
  });
}

/** The sum of an element's words. */
export function exactOfWords(given: Uint32Array, { words }: ExactFormat): ExactSum {
  const all = given.reduceRight((high, word) => (high << 32n) | BigInt(word), 0n);
  const bits = 32 * words - 4;
  return { units: BigInt.asIntN(bits, all), seen: Number(all >> BigInt(bits)) };
}
