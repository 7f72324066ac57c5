import { expect, test } from "vitest";
import binary64File from "#shaders/numeric/binary64.wgsl";
import binary64ArithmeticFile from "#shaders/numeric/binary64_arithmetic.wgsl";
import binary64ConversionsFile from "#shaders/numeric/binary64_conversions.wgsl";
import binary64OrderFile from "#shaders/numeric/binary64_order.wgsl";
import int64File from "#shaders/numeric/int64.wgsl";
import int64ConversionsFile from "#shaders/numeric/int64_conversions.wgsl";
import { useFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
import type { Operation, Pairs } from "./elementwise.ts";
import { allPairs, pairsOf, testOperations } from "./elementwise.ts";

const fold = useFold();

// The contract's part that binary64_order.wgsl is written against. NaN becomes the identity: here, pi's key.
const IDENTITY_LOW = 0x54442d18;
const IDENTITY_HIGH = 0xc00921fb;
const contract = `alias Element = vec2<u32>;
fn identity() -> Element {
  return vec2<u32>(${IDENTITY_LOW}u, ${IDENTITY_HIGH}u);
}`;
const files = [
  contract,
  int64File.text,
  int64ConversionsFile.text,
  binary64File.text,
  binary64OrderFile.text,
  binary64ConversionsFile.text,
  binary64ArithmeticFile.text,
];

const numbers = [
  0,
  Number.MIN_VALUE,
  2 * Number.MIN_VALUE,
  3 * Number.MIN_VALUE,
  2 ** -1022,
  2 ** -1022 * 1.5,
  2 ** -1021,
  2 ** -538,
  2 ** -537,
  2 ** -512,
  2 ** -511,
  2 ** -54,
  2 ** -53,
  2 ** -52,
  2 ** -52 * 1.5,
  0.1,
  0.5,
  0.75,
  1,
  1.5,
  2,
  3,
  1 / 3,
  2 ** 31,
  2 ** 32,
  2 ** 52,
  2 ** 53,
  2 ** 54,
  2 ** 64,
  2 ** 511,
  2 ** 512,
  2 ** 969,
  2 ** 970,
  2 ** 971,
  2 ** 1023,
  Number.MAX_VALUE,
  Number.POSITIVE_INFINITY,
];

/** The values, what lies next to them in their bits, and NaNs; with both signs. */
const specials = numbers
  .flatMap((number) => {
    const bits = bitsOfNumber(number);
    return [bits, bits + 1n, bits - 1n, bits + 2n];
  })
  .concat([bitsOfNumber(2 ** 52) + 3n, bitsOfNumber(2 ** 53) + 3n])
  .concat([0x7ff8000000000000n, 0x7ff8000000000001n, 0x7fffffffffffffffn, 0x7ff7ffffffffffffn])
  .concat([0x7ff0000100000000n, 0x7ffedcba98765432n, 0x7ff00000ffffffffn])
  .map((bits) => (bits < 0n ? 0x000fffffffffffffn : bits))
  .filter((bits, index, all) => all.indexOf(bits) === index)
  .flatMap((bits) => [bits, bits | (1n << 63n)]);

function bitsOfNumber(number: number): bigint {
  return new BigUint64Array(Float64Array.of(number).buffer)[0] ?? 0n;
}

/** The numbers themselves, and a NaN, with signs in turn: what meets each of the special values. */
const met = [...numbers, Number.NaN].map((number, at) => bitsOfNumber(at % 2 === 0 ? number : -number));

const clamp = (exponent: number): number => Math.min(Math.max(exponent, 0), 0x7ff);

/** Random pairs of eight kinds, in turn. */
function filler(name: string): (pairs: Pairs) => void {
  const next = randomBits(name);
  const below = (limit: number): number => next() % limit;
  const high = (exponent: number): number => (next() & 0x800fffff) | (clamp(exponent) << 20);

  // One to four bits of a significand, or all but those.
  const sparse = (side: Uint32Array, word: number): void => {
    let low = 0;
    let upper = 0;
    for (let left = below(4); left >= 0; left--) {
      const at = below(52);
      low ^= at < 32 ? 1 << at : 0;
      upper ^= at >= 32 ? 1 << (at - 32) : 0;
    }
    const flip = below(4) === 0 ? -1 : 0;
    side[word] = low ^ flip;
    side[word + 1] = ((side[word + 1] ?? 0) & 0xfff00000) | ((upper ^ flip) & 0xfffff);
  };

  // The highest bits of the fraction alone.
  const truncated = (side: Uint32Array, word: number, kept: number): void => {
    const zeros = 52 - kept;
    side[word] = zeros >= 32 ? 0 : (side[word] ?? 0) & (-1 << zeros);
    side[word + 1] = zeros > 32 ? (side[word + 1] ?? 0) & (-1 << (zeros - 32)) : (side[word + 1] ?? 0);
  };

  return ({ a, b }) => {
    for (let word = 0; word < a.length; word += 2) {
      a[word] = next();
      a[word + 1] = next();
      b[word] = next();
      b[word + 1] = next();
      const exponent = below(0x7ff);
      switch ((word >> 1) & 7) {
        case 0: // Any bits.
          break;
        case 1: // Exponents near each other.
          a[word + 1] = high(exponent);
          b[word + 1] = high(exponent + below(141) - 70);
          break;
        case 2: {
          // Nearly equal magnitudes, of opposite signs mostly.
          const step = next() >>> below(32);
          const low = (a[word] ?? 0) + step;
          b[word] = low;
          b[word + 1] =
            (a[word + 1] ?? 0) + (low > 0xffffffff ? 1 : 0) + (below(8) === 0 ? (below(3) - 1) << 20 : 0);
          if (below(16) !== 0) {
            b[word + 1] = (b[word + 1] ?? 0) ^ 0x80000000;
          }
          break;
        }
        case 3: // Products about the underflow and the least normal number.
          a[word + 1] = high(exponent);
          b[word + 1] = high(1023 - exponent + 10 - below(75));
          break;
        case 4: // Products about the overflow; sums too.
          a[word + 1] = high(below(4) === 0 ? 0x7fe : 1023 + (exponent >> 1));
          b[word + 1] = high(below(4) === 0 ? 0x7fe - below(3) : 2046 + below(4) - (exponent >> 1));
          break;
        case 5: // Sums that are ties.
          a[word + 1] = high(exponent);
          b[word + 1] = high(exponent + below(121) - 60);
          sparse(a, word);
          sparse(b, word);
          break;
        case 6: // Products that are ties, subnormal ones among them.
          a[word + 1] = high(exponent);
          b[word + 1] = high(below(2) === 0 ? 1023 - below(100) : 1023 - exponent + 5 - below(65));
          truncated(a, word, 1 + below(30));
          truncated(b, word, 1 + below(30));
          break;
        default: // Subnormals, with any number; a special value now and then.
          a[word + 1] = (next() & 0x800fffff) >>> 0;
          if (below(2) === 0) {
            a[word + 1] = ((a[word + 1] ?? 0) & 0x80000000) | ((a[word + 1] ?? 0) & (0xfffff >>> below(21)));
          }
          b[word + 1] = high(below(4) === 0 ? below(60) : exponent);
          if (below(16) === 0) {
            const bits = specials[below(specials.length)] ?? 0n;
            b[word] = Number(bits & 0xffffffffn);
            b[word + 1] = Number(bits >> 32n);
          }
      }
      if ((next() & 1) === 0) {
        const [low, upper] = [a[word] ?? 0, a[word + 1] ?? 0];
        a[word] = b[word] ?? 0;
        a[word + 1] = b[word + 1] ?? 0;
        b[word] = low;
        b[word + 1] = upper;
      }
    }
  };
}

/** Stores a number's bits; every NaN is the one canonical NaN. */
function put(results: Float64Array, words: Uint32Array, item: number, value: number): void {
  if (Number.isNaN(value)) {
    words[2 * item] = 0;
    words[2 * item + 1] = 0x7ff80000;
  } else {
    results[item] = value;
  }
}

const doubles = (
  name: string,
  compute: (a: number, b: number) => number,
  expression = `${name}(a, b)`,
): Operation => ({
  name,
  expression,
  expect(pairs, expected) {
    const a = new Float64Array(pairs.a.buffer);
    const b = new Float64Array(pairs.b.buffer);
    const results = new Float64Array(expected.buffer);
    for (let item = 0; item < results.length; item++) {
      put(results, expected, item, compute(a[item] ?? 0, b[item] ?? 0));
    }
  },
});

/** Of the words of `a`. */
const unary = (
  name: string,
  expression: string,
  store: (low: number, high: number, expected: Uint32Array, item: number, results: Float64Array) => void,
): Operation => ({
  name,
  expression,
  expect({ a }, expected) {
    const results = new Float64Array(expected.buffer);
    for (let item = 0; item < results.length; item++) {
      store(a[2 * item] ?? 0, a[2 * item + 1] ?? 0, expected, item, results);
    }
  },
});

/** A comparison of two numbers. */
const comparison = (name: string, compute: (a: number, b: number) => boolean): Operation => ({
  ...doubles(name, () => 0, `vec2<u32>(u32(${name}(a, b)), 0u)`),
  expect(pairs, expected) {
    const a = new Float64Array(pairs.a.buffer);
    const b = new Float64Array(pairs.b.buffer);
    for (let item = 0; item < a.length; item++) {
      expected[2 * item] = Number(compute(a[item] ?? 0, b[item] ?? 0));
      expected[2 * item + 1] = 0;
    }
  },
});

/** The operators ignore NaN, and put -0 before +0. */
const lesser = (a: number, b: number): number => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b));
const greater = (a: number, b: number): number =>
  Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b);

/** To the nearest whole number, and of two to the even one. Adding 2^52 rounds in this way. */
const rounded = (a: number): number => {
  const magnitude = Math.abs(a);
  const whole = magnitude < 2 ** 52 ? magnitude + 2 ** 52 - 2 ** 52 : magnitude;
  return a < 0 || Object.is(a, -0) ? -whole : whole;
};

/** An operation whose NaN may have any bits: it passes on what it got. */
const withAnyNaN = (operation: Operation): Operation => ({
  ...operation,
  expression: `select(${operation.expression}, F64_NAN, is_nan_f64(${operation.expression}))`,
});

const isNaNBits = (low: number, high: number): boolean =>
  (high & 0x7fffffff) > 0x7ff00000 || ((high & 0x7fffffff) === 0x7ff00000 && low !== 0);

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);
const floatOf = (bits: number): number => {
  word[0] = bits;
  return single[0] ?? 0;
};

const operations: readonly Operation[] = [
  doubles("add_f64", (a, b) => a + b),
  doubles("sub_f64", (a, b) => a - b),
  doubles("mul_f64", (a, b) => a * b),
  doubles("div_f64", (a, b) => a / b),
  doubles("rem_f64", (a, b) => a % b),
  withAnyNaN(doubles("min_f64", lesser)),
  withAnyNaN(doubles("max_f64", greater)),
  comparison("less_f64", (a, b) => a < b),
  comparison("greater_f64", (a, b) => a > b),
  comparison("at_most_f64", (a, b) => a <= b),
  comparison("at_least_f64", (a, b) => a >= b),
  comparison("equal_f64", (a, b) => a === b),
  withAnyNaN(doubles("negate_f64", (a) => -a, "negate_f64(a)")),
  withAnyNaN(doubles("magnitude_f64", Math.abs, "magnitude_f64(a)")),
  withAnyNaN(doubles("sign_f64", Math.sign, "sign_f64(a)")),
  doubles("ceil_f64", Math.ceil, "ceil_f64(a)"),
  doubles("round_f64", rounded, "round_f64(a)"),
  doubles("fract_f64", (a) => a - Math.floor(a), "fract_f64(a)"),
  unary("order_from_f64_bits", "order_from_f64_bits(a, identity())", (low, high, expected, item) => {
    const negative = high >= 0x80000000;
    expected[2 * item] = isNaNBits(low, high) ? IDENTITY_LOW : negative ? ~low : low;
    expected[2 * item + 1] = isNaNBits(low, high) ? IDENTITY_HIGH : negative ? ~high : high ^ 0x80000000;
  }),
  {
    // What less_u64 makes of the keys is the order of the numbers, with -0 before +0.
    name: "the order of the keys",
    expression:
      "vec2<u32>(u32(less_u64(order_from_f64_bits(a, identity()), order_from_f64_bits(b, identity()))), 0u)",
    expect(pairs, expected) {
      const a = new Float64Array(pairs.a.buffer);
      const b = new Float64Array(pairs.b.buffer);
      for (let item = 0; item < a.length; item++) {
        const [x, y] = [a[item] ?? 0, b[item] ?? 0].map((one) => (Number.isNaN(one) ? Math.PI : one));
        const less = (x ?? 0) < (y ?? 0) || (Object.is(x, -0) && Object.is(y, 0));
        expected[2 * item] = less ? 1 : 0;
        expected[2 * item + 1] = 0;
      }
    },
  },
  unary("f64_bits_from_order", "f64_bits_from_order(a)", (low, high, expected, item) => {
    const positive = high >= 0x80000000;
    expected[2 * item] = positive ? low : ~low;
    expected[2 * item + 1] = positive ? high ^ 0x80000000 : ~high;
  }),
  {
    name: "to a key and back",
    expression: "f64_bits_from_order(order_from_f64_bits(a, identity()))",
    expect({ a }, expected) {
      const numbers = new Float64Array(a.buffer);
      const results = new Float64Array(expected.buffer);
      for (let item = 0; item < numbers.length; item++) {
        const number = numbers[item] ?? 0;
        results[item] = Number.isNaN(number) ? Math.PI : number;
      }
    },
  },
  unary("f64_from_u32", "f64_from_u32(a.x)", (low, _, expected, item, results) =>
    put(results, expected, item, low),
  ),
  unary("f64_from_i32", "f64_from_i32(bitcast<i32>(a.x))", (low, _, expected, item, results) =>
    put(results, expected, item, low | 0),
  ),
  unary("f64_from_u32, of high words", "f64_from_u32(a.y)", (_, high, expected, item, results) =>
    put(results, expected, item, high),
  ),
  unary(
    "f64_from_i32, of high words",
    "f64_from_i32(bitcast<i32>(a.y))",
    (_, high, expected, item, results) => put(results, expected, item, high | 0),
  ),
  unary("f64_from_f32_bits", "f64_from_f32_bits(a.x)", (low, _, expected, item, results) =>
    put(results, expected, item, floatOf(low)),
  ),
  unary("f64_from_f32_bits, of high words", "f64_from_f32_bits(a.y)", (_, high, expected, item, results) =>
    put(results, expected, item, floatOf(high)),
  ),
];

testOperations(fold, files, operations, allPairs(specials, met), filler);

test("the random pairs reach what they are meant to", () => {
  const pairs = pairsOf(2 ** 16);
  filler("coverage")(pairs);
  const a = new Float64Array(pairs.a.buffer);
  const b = new Float64Array(pairs.b.buffer);
  const counts = { nan: 0, cancelled: 0, subnormalProduct: 0, overflow: 0, tinyProduct: 0, zeroSum: 0 };
  for (let item = 0; item < a.length; item++) {
    const [x, y] = [a[item] ?? 0, b[item] ?? 0];
    const product = Math.abs(x * y);
    counts.nan += Number.isNaN(product) ? 1 : 0;
    counts.cancelled += Math.abs(x + y) < Math.abs(x) / 2 ** 20 && x + y !== 0 ? 1 : 0;
    counts.zeroSum += x + y === 0 ? 1 : 0;
    counts.subnormalProduct += product > 0 && product < 2 ** -1022 ? 1 : 0;
    counts.tinyProduct += product === 0 && x !== 0 && y !== 0 ? 1 : 0;
    counts.overflow +=
      product === Number.POSITIVE_INFINITY && Number.isFinite(x) && Number.isFinite(y) ? 1 : 0;
  }
  for (const [name, count] of Object.entries(counts)) {
    expect(count, name).toBeGreaterThan(50);
  }
});

test("the special values are finite, infinite and NaN, of both signs", () => {
  const { a } = allPairs(specials, met);
  const values = new Float64Array(a.buffer);
  for (const value of [0, -0, Number.MIN_VALUE, -Number.MAX_VALUE, Number.POSITIVE_INFINITY, 2 ** 53 + 2]) {
    expect(values.some((one) => Object.is(one, value))).toBe(true);
  }
  expect(values.some(Number.isNaN)).toBe(true);
});
