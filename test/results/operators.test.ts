import { describe, expect, test } from "vitest";
import { arrayLike } from "../../src/algebra/arrays.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { add, and, logicalXor, max, min, mul, operators, or, xor } from "../../src/algebra/operators.ts";
import type { Scalar, TypedArrays, TypeName } from "../../src/algebra/types.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import { edgeLengths } from "../support/lengths.ts";
import { affine, first, last } from "../support/operators.ts";
import { arrayOfBits, randomBits } from "../support/random.ts";

const fold = useFold();

const shapes = [
  [4, 2],
  [1, 3],
  [3, 1],
  [7, 3],
  [32, 2],
] as const;
const ofShapes = algorithmNames.flatMap((algorithm) => shapes.map((shape) => ({ algorithm, shape })));
test.each(ofShapes)(
  "$algorithm: operators that do not commute, $shape",
  async ({ algorithm, shape: [workGroupSize, itemsPerThread] }) => {
    // The many shapes and lengths are for the strictest operator.
    for (const op of workGroupSize === 4 ? [affine, first, last] : [affine]) {
      for (const length of edgeLengths(workGroupSize, itemsPerThread)
        .filter((one) => one <= 600)
        .filter((_, at) => op === affine || at % 3 === 0)) {
        const next = randomBits(`${op.name} ${length}`);
        const data = Uint32Array.from({ length }, () =>
          op !== affine && next() % 8 !== 0 ? 0xffffffff : next(),
        );
        const options = { op, algorithm, workGroupSize, itemsPerThread } as const;
        const title = `${op.name} ${length}`;
        for (const exclusive of [false, true]) {
          const actual = await fold().scan(data, { ...options, exclusive });
          expectSameBits(
            actual,
            scanReference(data, { op: untyped(op), exclusive }),
            `${title} exclusive=${exclusive}`,
          );
        }
        expect(await fold().reduce(data, options), title).toBe(reduceReference(data, { op: untyped(op) }));
      }
    }
  },
);

const large = [
  [96, 1],
  [100, 3],
  [256, 2],
] as const;
const ofLarge = algorithmNames.flatMap((algorithm) => large.map((shape) => ({ algorithm, shape })));
test.each(ofLarge)(
  "$algorithm: odd work-groups, with many threads, $shape",
  async ({ algorithm, shape: [workGroupSize, itemsPerThread] }) => {
    const next = randomBits(`${workGroupSize}`);
    const data = Uint32Array.from({ length: workGroupSize * itemsPerThread * 3 + 1 }, next);
    const options = { op: affine, algorithm, workGroupSize, itemsPerThread } as const;
    expectSameBits(await fold().scan(data, options), scanReference(data, { op: affine }), `${workGroupSize}`);
    expect(await fold().reduce(data, options)).toBe(reduceReference(data, { op: affine }));
  },
);

describe.each(algorithmNames)("%s", (algorithm) => {
  test("the example of the textbooks", async () => {
    const data = Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3);
    expect([...(await fold().scan(data, { algorithm }))]).toEqual([3, 4, 11, 11, 15, 16, 22, 25]);
    expect([...(await fold().scan(data, { algorithm, exclusive: true }))]).toEqual([
      0, 3, 4, 11, 11, 15, 16, 22,
    ]);
    expect([...(await fold().scan(data, { algorithm, op: max }))]).toEqual([3, 3, 7, 7, 7, 7, 7, 7]);
    expect([...(await fold().scan(data, { algorithm, op: min }))]).toEqual([3, 1, 1, 0, 0, 0, 0, 0]);
    expect([...(await fold().scan(data, { algorithm, op: xor }))]).toEqual([3, 2, 5, 5, 1, 0, 6, 5]);
    expect(await fold().reduce(data, { algorithm })).toBe(25);
    expect(await fold().reduce(data, { algorithm, op: mul })).toBe(0);
    expect(await fold().reduce(data, { algorithm, op: or })).toBe(7);
    expect(await fold().reduce(data, { algorithm, op: and })).toBe(0);
    expect(await fold().reduce(data, { algorithm, op: logicalXor })).toBe(1);
  });

  test("integers wrap around", async () => {
    const high = Uint32Array.of(0xffffffff, 1, 0x80000000, 0x80000000, 5);
    expect([...(await fold().scan(high, { algorithm, op: add }))]).toEqual([0xffffffff, 0, 0x80000000, 0, 5]);
    const signed = Int32Array.of(0x7fffffff, 1, -1, -0x80000000);
    expect([...(await fold().scan(signed, { algorithm, op: add }))]).toEqual([
      0x7fffffff, -0x80000000, 0x7fffffff, -1,
    ]);
    expect(await fold().reduce(Uint32Array.of(0x10001, 0x10001), { algorithm, op: mul })).toBe(0x20001);
    expect(await fold().reduce(Int32Array.of(-0x80000000, -1), { algorithm, op: mul })).toBe(-0x80000000);
  });

  test("min and max of f32: bits, signs of zero, infinities, NaN", async () => {
    const data = arrayOfBits(
      "f32",
      [0x7fc00001, 0, 0x80000000, 1, 0x80000001, 0x7f800000, 0xff800000],
    ) as Float32Array;
    const inf = 0x7f800000;
    const tuning = { algorithm, workGroupSize: 2, itemsPerThread: 1 } as const;
    const expected = (bits: number[]) => arrayOfBits("f32", bits);
    expectSameBits(
      await fold().scan(data, { ...tuning, op: min }),
      expected([inf, 0, 0x80000000, 0x80000000, 0x80000001, 0x80000001, 0xff800000]),
      "min",
    );
    expectSameBits(
      await fold().scan(data, { ...tuning, op: min, exclusive: true }),
      expected([inf, inf, 0, 0x80000000, 0x80000000, 0x80000001, 0x80000001]),
      "min exclusive",
    );
    expectSameBits(
      await fold().scan(data, { ...tuning, op: max }),
      expected([0xff800000, 0, 0, 1, 1, inf, inf]),
      "max",
    );
    const nothing = arrayOfBits("f32", [0x7fc00001, 0xffc00000]) as Float32Array;
    expect(await fold().reduce(nothing, { algorithm, op: min })).toBe(Infinity);
    expect(await fold().reduce(nothing, { algorithm, op: max })).toBe(-Infinity);
  });
});

test("an exclusive minimum starts with the greatest value", async () => {
  expect([...(await fold().scan(Float32Array.of(2, 1), { op: min, exclusive: true }))]).toEqual([
    Infinity,
    2,
  ]);
  expect([...(await fold().scan(Int32Array.of(2, 1), { op: min, exclusive: true }))]).toEqual([
    0x7fffffff, 2,
  ]);
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
test.each(Object.entries(identities))(
  "identities of %s: reductions of nothing return them, and exclusive scans start with them",
  async (name, [data, table]) => {
    const small = { workGroupSize: 2, itemsPerThread: 1 };
    const [zero, one] = typeof data[0] === "bigint" ? [0n, 1n] : [0, 1];
    for (const [opName, identity] of Object.entries({
      ...table,
      logicalAnd: one,
      logicalOr: zero,
      logicalXor: zero,
    })) {
      const op = untyped(operators[opName as keyof typeof operators]);
      expect(
        await fold().reduce(arrayLike(data, new ArrayBuffer(0)), { op, ...small }),
        `${name} ${opName}`,
      ).toBe(identity);
      const scan = await fold().scan(data, { op, exclusive: true, ...small });
      expect(scan[0], `${name} ${opName} exclusive`).toBe(identity);
    }
  },
);

// exact_add.test.ts has exactAdd, which takes no u32.
const onIntegers = Object.values<Operator>(operators).filter(({ name }) => name !== "exactAdd");
test.each(onIntegers)(
  "of nothing, a reduction by $name is the identity and a scan is nothing",
  async (op) => {
    expect(await fold().reduce(new Uint32Array(0), { op: untyped(op) })).toBe(
      reduceReference(new Uint32Array(0), { op: untyped(op) }),
    );
    expect(await fold().scan(new Uint32Array(0), { op: untyped(op) })).toEqual(new Uint32Array(0));
  },
);

test("of nothing, the minimum of floats is infinite", async () => {
  expect(await fold().reduce(new Float32Array(0), { op: min })).toBe(Infinity);
});
