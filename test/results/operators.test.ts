import { expect, test } from "vitest";
import { arrayLike } from "../../src/algebra/arrays.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import { add, and, logicalXor, max, min, mul, or, xor } from "../../src/algebra/operators.ts";
import type { Scalar, TypedArrays, TypeName } from "../../src/algebra/types.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import { edgeLengths } from "../support/lengths.ts";
import { affine, first, last } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";
import { arrayOfBits, randomBits } from "../support/random.ts";

const fold = useFold();

/** Work-groups of a power of two threads and of others, and of more threads than a subgroup has. */
const shapes = [
  [4, 2],
  [1, 3],
  [3, 1],
  [7, 3],
  [32, 2],
  [96, 1],
  [100, 3],
  [256, 2],
] as const;
const ways = { passes: ["single", "reduce-then-scan"], exclusive: [false, true] } as const;
const checks = [
  ...pairs({ op: [affine], algorithm: algorithmNames, shape: shapes, ...ways }),
  ...pairs({ op: [first, last], algorithm: algorithmNames, shape: [[4, 2]] as const, ...ways }),
];

test.each(checks)(
  "operators that do not commute: $op.name, $algorithm, $shape, $passes, exclusive: $exclusive",
  async ({ op, algorithm, shape: [workGroupSize, itemsPerThread], passes, exclusive }) => {
    const options = { op, algorithm, workGroupSize, itemsPerThread } as const;
    const most = Math.max(600, 3 * workGroupSize * itemsPerThread + 5);
    for (const length of edgeLengths(workGroupSize, itemsPerThread).filter((one) => one <= most)) {
      const next = randomBits(`${op.name} ${length}`);
      const data = Uint32Array.from({ length }, () =>
        op !== affine && next() % 8 !== 0 ? 0xffffffff : next(),
      );
      const found = await fold().scan(data, { ...options, passes, exclusive });
      expectSameBits(found, scanReference(data, { op: untyped(op), exclusive }), `scan of ${length}`);
      // A reduction has no kinds of passes.
      if (passes === "single") {
        expect(await fold().reduce(data, options), `reduction of ${length}`).toBe(
          reduceReference(data, { op: untyped(op) }),
        );
      }
    }
  },
);

test("the example of the textbooks", async () => {
  const data = Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3);
  expect([...(await fold().scan(data))]).toEqual([3, 4, 11, 11, 15, 16, 22, 25]);
  expect([...(await fold().scan(data, { exclusive: true }))]).toEqual([0, 3, 4, 11, 11, 15, 16, 22]);
  expect([...(await fold().scan(data, { op: max }))]).toEqual([3, 3, 7, 7, 7, 7, 7, 7]);
  expect([...(await fold().scan(data, { op: min }))]).toEqual([3, 1, 1, 0, 0, 0, 0, 0]);
  expect([...(await fold().scan(data, { op: xor }))]).toEqual([3, 2, 5, 5, 1, 0, 6, 5]);
  expect(await fold().reduce(data)).toBe(25);
  expect(await fold().reduce(data, { op: mul })).toBe(0);
  expect(await fold().reduce(data, { op: or })).toBe(7);
  expect(await fold().reduce(data, { op: and })).toBe(0);
  expect(await fold().reduce(data, { op: logicalXor })).toBe(1);
});

test("integers wrap around", async () => {
  const high = Uint32Array.of(0xffffffff, 1, 0x80000000, 0x80000000, 5);
  expect([...(await fold().scan(high, { algorithm: "subgroup", op: add }))]).toEqual([
    0xffffffff, 0, 0x80000000, 0, 5,
  ]);
  const signed = Int32Array.of(0x7fffffff, 1, -1, -0x80000000);
  expect([...(await fold().scan(signed, { op: add }))]).toEqual([0x7fffffff, -0x80000000, 0x7fffffff, -1]);
  expect(await fold().reduce(Uint32Array.of(0x10001, 0x10001), { algorithm: "subgroup", op: mul })).toBe(
    0x20001,
  );
  expect(await fold().reduce(Int32Array.of(-0x80000000, -1), { op: mul })).toBe(-0x80000000);
});

test("min and max of f32: bits, signs of zero, infinities, NaN", async () => {
  const data = arrayOfBits(
    "f32",
    [0x7fc00001, 0, 0x80000000, 1, 0x80000001, 0x7f800000, 0xff800000],
  ) as Float32Array;
  const inf = 0x7f800000;
  const tuning = { workGroupSize: 2, itemsPerThread: 1 } as const;
  const expected = (bits: number[]) => arrayOfBits("f32", bits);
  expectSameBits(
    await fold().scan(data, { ...tuning, algorithm: "subgroup", op: min }),
    expected([inf, 0, 0x80000000, 0x80000000, 0x80000001, 0x80000001, 0xff800000]),
    "min",
  );
  expectSameBits(
    await fold().scan(data, { ...tuning, algorithm: "blelloch", op: min, exclusive: true }),
    expected([inf, inf, 0, 0x80000000, 0x80000000, 0x80000001, 0x80000001]),
    "min exclusive",
  );
  expectSameBits(
    await fold().scan(data, { ...tuning, algorithm: "hillis-steele", op: max }),
    expected([0xff800000, 0, 0, 1, 1, inf, inf]),
    "max",
  );
  const nothing = arrayOfBits("f32", [0x7fc00001, 0xffc00000]) as Float32Array;
  expect(await fold().reduce(nothing, { algorithm: "subgroup", op: min })).toBe(Infinity);
  expect(await fold().reduce(nothing, { op: max })).toBe(-Infinity);
});

const wide = { greatest: 2n ** 64n - 1n, signed: 2n ** 63n };
const identities: Record<string, readonly [TypedArrays[TypeName], Record<string, Scalar>]> = {
  u32: [Uint32Array.of(7), { add: 0, mul: 1, min: 0xffffffff, max: 0, and: 0xffffffff, or: 0, xor: 0 }],
  i32: [Int32Array.of(7), { add: 0, mul: 1, min: 0x7fffffff, max: -0x80000000, and: -1, or: 0, xor: 0 }],
  f32: [Float32Array.of(7), { add: 0, mul: 1, min: Infinity, max: -Infinity }],
  f64: [Float64Array.of(7), { add: 0, mul: 1, min: Infinity, max: -Infinity }],
  u64: [
    BigUint64Array.of(7n),
    { add: 0n, mul: 1n, min: wide.greatest, max: 0n, and: wide.greatest, or: 0n, xor: 0n },
  ],
  i64: [
    BigInt64Array.of(7n),
    { add: 0n, mul: 1n, min: wide.signed - 1n, max: -wide.signed, and: -1n, or: 0n, xor: 0n },
  ],
};
// The tests of each type compare reductions of nothing, by every operator, with the reference.
test.each(Object.entries(identities))(
  "identities of %s: reductions of nothing return them, and exclusive scans start with them",
  async (name, [data, table]) => {
    const [zero, one] = typeof data[0] === "bigint" ? [0n, 1n] : [0, 1];
    const nothing = arrayLike(data, new ArrayBuffer(0));
    const all = { ...table, logicalAnd: one, logicalOr: zero, logicalXor: zero };
    for (const [opName, identity] of Object.entries(all)) {
      const op = untyped(operators[opName as keyof typeof operators]);
      expect(reduceReference(nothing, { op }), `${name} ${opName}`).toBe(identity);
      expect(scanReference(data, { op, exclusive: true })[0], `${name} ${opName}, exclusive`).toBe(identity);
    }
    const least = { op: untyped(min), workGroupSize: 2, itemsPerThread: 1 };
    expect(await fold().reduce(nothing, least)).toBe(table.min);
    expect((await fold().scan(data, { ...least, exclusive: true }))[0]).toBe(table.min);
    expect(await fold().scan(nothing, least)).toEqual(nothing);
  },
);
