import binary64File from "#shaders/numeric/binary64.wgsl";
import binary64ConversionsFile from "#shaders/numeric/binary64_conversions.wgsl";
import int64File from "#shaders/numeric/int64.wgsl";
import int64ConversionsFile from "#shaders/numeric/int64_conversions.wgsl";
import { useFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
import type { Operation, Pairs } from "./elementwise.ts";
import { allPairs, testOperations } from "./elementwise.ts";

const fold = useFold();
const files = [int64File.text, int64ConversionsFile.text, binary64File.text, binary64ConversionsFile.text];

/** Ends of ranges, and ties between f32s and between f64s, among them subnormal ones and the greatest. */
const numbers = [0, Number.MIN_VALUE, 2 ** -1022, 2 ** -150, 3 * 2 ** -150, 2 ** -149, 2 ** -127, 2 ** -126]
  .concat([0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 255.5, 2 ** 23 + 0.5, 2 ** 24 + 1, 2 ** 24 + 3])
  .concat([31, 32, 52, 53, 63, 64, 65, 127, 128, 1023].map((exponent) => 2 ** exponent))
  .concat([2 ** 31 - 0.5, 2 ** 31 + 0.5, 2 ** 32 - 0.5, 2 ** 52 - 0.5, 2 ** 51 + 0.5])
  .concat([2 ** 128 - 2 ** 104, 2 ** 128 - 2 ** 103, Number.MAX_VALUE, Number.POSITIVE_INFINITY]);

const bitsOf = (number: number): bigint => new BigUint64Array(Float64Array.of(number).buffer)[0] ?? 0n;

/** The numbers and what lies next to them, NaNs, and bits that are edges of integers, with both signs. */
const specials = [
  ...new Set(
    numbers
      .flatMap((number) => [-1n, 0n, 1n].map((step) => bitsOf(number) + step))
      .concat([0x7ff8000000000000n, 0x7fffffffffffffffn, 0x7ff00000ffffffffn, 0x7ff0000100000000n])
      .concat([24n, 31n, 32n, 53n, 62n].flatMap((bit) => [(1n << bit) - 1n, 1n << bit, (1n << bit) + 1n]))
      .concat([(1n << 24n) + 3n, (1n << 53n) + 3n, (1n << 62n) + (1n << 38n), (1n << 62n) + (1n << 9n)])
      .flatMap((bits) => [bits, bits | (1n << 63n), -bits])
      .map((bits) => BigInt.asUintN(64, bits)),
  ),
];

/** In turn: any bits; numbers about the ranges of the other types; the same with few bits, which are ties; integers of any length. */
function filler(name: string): (pairs: Pairs) => void {
  const next = randomBits(name);
  return ({ a }) => {
    for (let word = 0; word < a.length; word += 2) {
      const kind = (word >> 1) & 3;
      const [low, high] = [next(), next()];
      a[word] = kind === 2 && (low & 1) === 0 ? (low & 2) << 27 : low;
      a[word + 1] = high;
      if (kind === 3) {
        const shift = next() & 63;
        a[word] = shift < 32 ? low : 0;
        a[word + 1] = shift < 32 ? high >> shift : high >>> 31;
      } else if (kind > 0) {
        const kept = kind === 2 ? -1 << (next() % 20) : -1;
        const exponent = 1023 + (next() % 220) - ((next() & 1) === 0 ? 155 : 3);
        a[word + 1] = (high & 0x80000000) | (exponent << 20) | (high & 0xfffff & kept);
      }
    }
  };
}

const clamp = (value: number, least: number, most: number): number =>
  Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), least), most);

/** Of the number whose bits are `a`, or of the integer that they are. The result is bits, or a word. */
const of = (
  name: string,
  compute: (number: number, integer: bigint) => number | bigint,
  expression = `${name}(a)`,
): Operation => ({
  name,
  expression,
  expect({ a }, expected) {
    const numbers = new Float64Array(a.buffer);
    const integers = new BigUint64Array(a.buffer);
    const results = new BigUint64Array(expected.buffer);
    const floats = new Float64Array(expected.buffer);
    for (let item = 0; item < results.length; item++) {
      const result = compute(numbers[item] ?? 0, integers[item] ?? 0n);
      if (typeof result === "bigint") {
        results[item] = result;
      } else if (Number.isNaN(result)) {
        results[item] = 0x7ff8000000000000n;
      } else {
        floats[item] = result;
      }
    }
  },
});

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

/** The bits of an f32. Every NaN has the same. */
function singleBits(value: number): bigint {
  single[0] = value;
  return Number.isNaN(value) ? 0x7fc00000n : BigInt(word[0] ?? 0);
}

/** The f32 that is nearest to an integer. What is below the highest bits becomes one bit, so that only one rounding is left. */
function singleOfInteger(integer: bigint): bigint {
  const magnitude = integer < 0n ? -integer : integer;
  const value =
    magnitude < 1n << 53n
      ? Number(magnitude)
      : 2048 * Number((magnitude >> 11n) | ((magnitude & 0x7ffn) === 0n ? 0n : 1n));
  return singleBits(integer < 0n ? -value : value);
}

const whole = (number: number, least: bigint, most: bigint): bigint => {
  if (Number.isNaN(number)) {
    return 0n;
  }
  const integer = Number.isFinite(number) ? BigInt(Math.trunc(number)) : number < 0 ? least : most;
  return BigInt.asUintN(64, integer < least ? least : integer > most ? most : integer);
};

const operations: readonly Operation[] = [
  of("u32_from_f64", (x) => BigInt(clamp(x, 0, 2 ** 32 - 1)), "vec2<u32>(u32_from_f64(a), 0u)"),
  of(
    "i32_from_f64",
    (x) => BigInt(clamp(x, -(2 ** 31), 2 ** 31 - 1) >>> 0),
    "vec2<u32>(bitcast<u32>(i32_from_f64(a)), 0u)",
  ),
  of("u64_from_f64", (x) => whole(x, 0n, 2n ** 64n - 1n)),
  of("i64_from_f64", (x) => whole(x, -(2n ** 63n), 2n ** 63n - 1n)),
  of("f32_bits_from_f64", singleBits, "vec2<u32>(f32_bits_from_f64(a), 0u)"),
  of("f32_from_f64", singleBits, "vec2<u32>(bitcast<u32>(f32_from_f64(a)), 0u)"),
  of("f64_from_f32", (x) => Math.fround(x), "f64_from_f32(f32_from_f64(a))"),
  of("f64_from_u64", (_, integer) => Number(integer)),
  of("f64_from_i64", (_, integer) => Number(BigInt.asIntN(64, integer))),
  of(
    "f32_from_u64",
    (_, integer) => singleOfInteger(integer),
    "vec2<u32>(bitcast<u32>(f32_from_u64(a)), 0u)",
  ),
  of(
    "f32_from_i64",
    (_, integer) => singleOfInteger(BigInt.asIntN(64, integer)),
    "vec2<u32>(bitcast<u32>(f32_from_i64(a)), 0u)",
  ),
  of("trunc_f64", Math.trunc),
  of("floor_f64", Math.floor),
];

// Only the first of a pair counts.
testOperations(fold, files, operations, allPairs(specials, [0n]), filler);
