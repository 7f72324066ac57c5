import { valuesOf } from "../../src/algebra/array_values.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { encodeFloat16 } from "../../src/algebra/float16.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { bitsOf } from "./compare.ts";
import { arrayOfBits, randomBits } from "./random.ts";

/** A float type as sums see it. */
export interface FloatRow {
  readonly type: ScalarType<"f16" | "f32" | "f64", number>;
  /** Bits of the fraction, and of the exponent. */
  readonly fraction: number;
  readonly exponent: number;
}

export const floats: readonly FloatRow[] = [
  { type: f16, fraction: 10, exponent: 5 },
  { type: f32, fraction: 23, exponent: 8 },
  { type: f64, fraction: 52, exponent: 11 },
] as readonly FloatRow[];

/** Rows of items as a kernel takes them: the number of a row's items, and two words for each of `most` items. */
export function wordsOfRows(given: readonly ScalarArray[], most: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(given.length * (2 * most + 1));
  given.forEach((row, at) => {
    const first = at * (2 * most + 1);
    words[first] = row.length;
    Array.from<number | bigint>(bitsOf(row) as never).forEach((bits, item) => {
      words[first + 1 + 2 * item] = Number(BigInt(bits) & 0xffffffffn);
      words[first + 2 + 2 * item] = Number(BigInt(bits) >> 32n);
    });
  });
  return words;
}

/** An array of these values, each rounded to the type. */
export function floatsOf({ type }: FloatRow, values: readonly number[]): ScalarArray {
  return type.name === "f16"
    ? Uint16Array.from(values, (value) => encodeFloat16(value))
    : type.name === "f32"
      ? Float32Array.from(values)
      : Float64Array.from(values);
}

/** Bits of random floats whose exponents span a number of binades, and whose signs alternate at random. */
export function spreadItems(
  { type, fraction, exponent }: FloatRow,
  length: number,
  name: string,
  binades = 2 ** exponent - 1,
  from = 0,
): ScalarArray {
  const next = randomBits(`${type.name} ${name}`);
  const bits = Array.from({ length }, () => {
    const own = (BigInt(next()) << 32n) | BigInt(next());
    const power = from + (next() % binades);
    const sign = next() % 2;
    return (
      (BigInt(sign) << BigInt(exponent + fraction)) |
      (BigInt(power) << BigInt(fraction)) |
      (own & ((1n << BigInt(fraction)) - 1n))
    );
  });
  return arrayOfBits(type.name, bits);
}

/**
 * Items whose tiles have other binades each, few or many; and then their negations from the last to the first, so that
 * prefixes come back to what they were.
 */
export function tiledItems(float: FloatRow, tiles: number, tile: number, name: string): ScalarArray {
  const { type, fraction, exponent } = float;
  const next = randomBits(`${type.name} tiles ${name}`);
  const all = 2 ** exponent - 1;
  const bits = Array.from({ length: tiles }, (_, at) => {
    const binades = [1, 3, 8, Math.min(40, all), all][next() % 5] as number;
    // Most tiles are near each other, so that a sum has bits in the windows of several.
    const most = all - binades + 1;
    const from = at % 4 === 0 ? next() % most : Math.min(most - 1, (all >> 1) + (next() % 8) * 4);
    return [...bitsOf(spreadItems(float, tile, `${name} ${at}`, binades, from))] as (number | bigint)[];
  })
    .flat()
    .map(BigInt);
  const sign = 1n << BigInt(exponent + fraction);
  return arrayOfBits(type.name, [...bits, ...[...bits].reverse().map((one) => one ^ sign)]);
}

/** A value in units of 2^-1074. */
export function units(value: number): bigint {
  const bits = new BigUint64Array(Float64Array.of(value).buffer)[0] ?? 0n;
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -magnitude : magnitude;
}

/**
 * The bits that a sum of finite floats, not all of them -0, must have: found by bisection among all floats of the type, by their
 * distance. Nothing is rounded.
 */
export function nearest({ type, fraction, exponent }: FloatRow, sum: bigint): bigint {
  const magnitude = sum < 0n ? -sum : sum;
  const sign = sum < 0n ? 1n << BigInt(fraction + exponent) : 0n;
  const infinite = BigInt(2 ** exponent - 1) << BigInt(fraction);
  // Infinity stands where the next float would.
  const unitsOf = (bits: bigint): bigint =>
    bits === infinite
      ? 2n * unitsOf(infinite - (1n << BigInt(fraction)))
      : units(valuesOf(arrayOfBits(type.name, [bits]), type)(0) as number);
  let [low, high] = [0n, infinite];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    [low, high] = unitsOf(middle) <= magnitude ? [middle, high] : [low, middle];
  }
  if (magnitude >= unitsOf(infinite)) {
    return sign | infinite;
  }
  const [below, above] = [magnitude - unitsOf(low), unitsOf(high) - magnitude];
  return sign | (below < above || (below === above && low % 2n === 0n) ? low : high);
}

/** Every order of a few values. */
export function permutations<T>(values: readonly T[]): T[][] {
  return values.length === 0
    ? [[]]
    : values.flatMap((one, at) =>
        permutations([...values.slice(0, at), ...values.slice(at + 1)]).map((others) => [one, ...others]),
      );
}

/** Short arrays whose sums go wrong where one thing does: a carry, a sticky bit, a sign, a special value. */
export function awkwardSums({ type, fraction, exponent }: FloatRow): number[][] {
  const least = 2 ** (2 - 2 ** (exponent - 1) - fraction);
  const normal = least * 2 ** fraction;
  const most = (2 - 2 ** -fraction) * 2 ** (2 ** (exponent - 1) - 1);
  const unit = 2 ** -fraction;
  const big = type.name === "f16" ? 60000 : type.name === "f32" ? 1e38 : 1e308;
  const round = (value: number): number => type.round(value);
  const rows = [
    [],
    [0],
    [-0],
    [-0, -0, -0],
    [-0, 0],
    [0, -0],
    [1, -1],
    [-1, 1, -0],
    [Number.NaN],
    [Infinity, 1, -big],
    [-Infinity, big, big],
    [Infinity, -Infinity],
    [1, Infinity, 2, -Infinity, 3],
    [Number.NaN, Infinity],
    [big, 1, -big],
    [big, big, -big, -big, least],
    [most, most, -most],
    [most, most],
    [-most, -most],
    // Beside the greatest value: exactly half a unit more is infinite, and less is not.
    [most, (most * unit) / 4],
    [most, most * (unit / 4) * (1 - unit)],
    [most, (most * unit) / 4, least],
    [most, (most * unit) / 4, -least],
    // Ties, and what breaks them.
    [1, unit / 2],
    [1, unit, unit / 2],
    [1, unit / 2, least],
    [1, unit / 2, -least],
    [-1, -unit / 2, -least],
    [1, unit, unit / 2, -least],
    // The tie comes first, and then what lies below it and goes again, one by one.
    [1, unit / 2, -least, 0, least, least],
    [-1, -unit / 2, least, 0, -least, -least],
    [1, unit, unit / 2, -least, least, least],
    [-1, -unit, -unit / 2, least],
    [1, -unit / 4],
    [1, -unit / 4, -least],
    [2, -unit / 2, least],
    // Carries and borrows through all words.
    [1, -least],
    [-1, least],
    [big, -least],
    [-big, least],
    [big, least],
    [least, least],
    [-least * 2 ** 32],
    [-least * 2 ** 64, least],
    [normal, -least],
    [normal, least],
    [least, -normal],
    [3 * least, 5 * least, -7 * least],
    [-least, 0],
    [-least, least],
    [-least, least, -0],
  ];
  return rows.map((row) => row.map(round));
}
