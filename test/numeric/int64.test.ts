import { expect, test } from "vitest";
import int64File from "#shaders/numeric/int64.wgsl";
import int64ArithmeticFile from "#shaders/numeric/int64_arithmetic.wgsl";
import int64ConversionsFile from "#shaders/numeric/int64_conversions.wgsl";
import { useFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";
import type { Operation, Pairs } from "./elementwise.ts";
import { allPairs, checkOperation, testOperations } from "./elementwise.ts";

const fold = useFold();
const files = [int64File.text, int64ConversionsFile.text, int64ArithmeticFile.text];

const specials = [0n, 2n ** 15n, 2n ** 16n, 2n ** 31n, 2n ** 32n, 2n ** 47n, 2n ** 48n, 2n ** 63n]
  .flatMap((value) => [value - 1n, value, value + 1n])
  .concat([2n, 3n, 0xffff0000n, 0xffffffff00000000n, 0x7fffffff00000000n, 0x8000000080000000n])
  .concat([0xffff0000ffff0000n, 0x0000ffff0000ffffn, 0xfffffffefffffffen, 0x0123456789abcdefn, -2n, -3n])
  .map((value) => BigInt.asUintN(64, value));

const wordSpecials = [0, 1, 0xffffffff, 0xfffffffe, 0x80000000, 0x7fffffff, 0xffff, 0x10000, 0xffff0000];

/** Any bits; words of special values; equal high words, as comparisons need; small numbers of both signs. */
function filler(name: string): (pairs: Pairs) => void {
  const next = randomBits(name);
  return ({ a, b }) => {
    for (let word = 0; word < a.length; word += 2) {
      a[word] = next();
      a[word + 1] = next();
      b[word] = next();
      b[word + 1] = next();
      const kind = next();
      if ((kind & 3) === 1) {
        for (const [shift, side, at] of [[2, a, 0] as const, [6, a, 1] as const, [10, b, 0] as const]) {
          side[word + at] = wordSpecials[(kind >>> shift) % 16] ?? next();
        }
      } else if ((kind & 3) === 2) {
        b[word + 1] = a[word + 1] ?? 0;
        b[word] = (kind & 4) === 0 ? (a[word] ?? 0) + ((kind >>> 3) % 3) - 1 : next();
      } else if ((kind & 3) === 3) {
        for (const side of [a, b]) {
          const negative = -(next() & 1);
          side[word] = ((side[word] ?? 0) >>> (next() & 31)) ^ negative;
          side[word + 1] = negative;
        }
      }
    }
  };
}

const lesser = (a: bigint, b: bigint): bigint => [a, b][a < b ? 0 : 1] ?? 0n;
const greater = (a: bigint, b: bigint): bigint => [a, b][a > b ? 0 : 1] ?? 0n;

type IntegerArray = typeof BigUint64Array | typeof BigInt64Array;

const bigints = (
  name: string,
  compute: (a: bigint, b: bigint) => bigint,
  Items: IntegerArray = BigUint64Array,
): Operation => ({
  name,
  expression: `${name}(a, b)`,
  // The arrays wrap what is stored into them as BigInt.asUintN and BigInt.asIntN do.
  expect(pairs, expected) {
    const a = new Items(pairs.a.buffer);
    const b = new Items(pairs.b.buffer);
    const results = new Items(expected.buffer);
    for (let item = 0; item < results.length; item++) {
      results[item] = compute(a[item] ?? 0n, b[item] ?? 0n);
    }
  },
});

/** As WGSL divides 32 bits: by 0, the quotient is the dividend, and the remainder 0. */
const quotient = (a: bigint, b: bigint): bigint => (b === 0n ? a : a / b);
const remainder = (a: bigint, b: bigint): bigint => (b === 0n ? 0n : a % b);

/** A shift by the lowest six bits of b. */
const shifted = (
  name: string,
  compute: (a: bigint, count: bigint) => bigint,
  Items: IntegerArray,
): Operation => ({
  ...bigints(name, (a, b) => compute(a, b & 63n), Items),
  expression: `${name}(a, b.x)`,
});

const comparison = (
  name: string,
  compute: (a: bigint, b: bigint) => boolean,
  Items?: IntegerArray,
): Operation => ({
  ...bigints(name, (a, b) => BigInt(compute(a, b)), Items),
  expression: `u64_from_bool(${name}(a, b))`,
});

/** A function of `a` alone. */
const unary = (expression: string, compute: (a: bigint) => bigint, Items?: IntegerArray): Operation => ({
  ...bigints(expression, compute, Items),
  expression,
});

const nearest = (a: bigint): bigint => {
  const [least, most] = [-(2n ** 31n), 2n ** 31n - 1n];
  return BigInt.asUintN(32, a < least ? least : a > most ? most : a);
};

const operations: readonly Operation[] = [
  bigints("add_u64", (a, b) => a + b),
  bigints("sub_u64", (a, b) => a - b),
  bigints("mul_u64", (a, b) => a * b),
  ...(["i64", "u64"] as const).flatMap((type) => {
    const Items = type === "i64" ? BigInt64Array : BigUint64Array;
    return [
      comparison(`less_${type}`, (a, b) => a < b, Items),
      comparison(`greater_${type}`, (a, b) => a > b, Items),
      comparison(`at_most_${type}`, (a, b) => a <= b, Items),
      comparison(`at_least_${type}`, (a, b) => a >= b, Items),
      bigints(`div_${type}`, quotient, Items),
      bigints(`rem_${type}`, remainder, Items),
      shifted(`shr_${type}`, (a, count) => a >> count, Items),
      unary(`sign_${type}(a)`, (a) => (a < 0n ? -1n : a > 0n ? 1n : 0n), Items),
      unary(`u64_from_u32(bitcast<u32>(nearest_i32_from_${type}(a)))`, nearest, Items),
      bigints(`min_${type}`, lesser, Items),
      bigints(`max_${type}`, greater, Items),
    ];
  }),
  comparison("equal_u64", (a, b) => a === b),
  shifted("shl_u64", (a, count) => a << count, BigUint64Array),
  unary("negate_i64(a)", (a) => -a, BigInt64Array),
  unary("magnitude_i64(a)", (a) => (a < 0n ? -a : a), BigInt64Array),
  unary("i64_from_i32(i32_from_u64(a))", (a) => BigInt.asIntN(32, a), BigInt64Array),
  unary("u64_from_u32(u32_from_u64(a))", (a) => a & 0xffff_ffffn),
  unary("u64_from_bool(bool_from_u64(a))", (a) => BigInt(a !== 0n)),
  // Two's complement shares the three with unsigned integers.
  {
    ...bigints("i64 product, sum and difference", (a, b) => a * b + (a - b), BigInt64Array),
    expression: "add_u64(mul_u64(a, b), sub_u64(a, b))",
  },
];

testOperations(fold, files, operations, allPairs(specials), filler);

test("the check can fail", async () => {
  const file = int64File.text.replace("u32(low < a.x)", "0u");
  const operation = bigints("add_u64", (a, b) => a + b);
  await expect(
    checkOperation(fold().device, [file], operation, allPairs(specials), filler("broken")),
  ).rejects.toThrow(/add_u64, special values: \d+ of \d+ differ, the first of 0x/);
});
