import { float, integer, record } from "fast-check";
import { describe, expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { CustomOperator } from "../../src/algebra/custom_operator.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { StructArray, StructType } from "../../src/algebra/struct.ts";
import type { Scalar, ScalarType, StructValue } from "../../src/algebra/types.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import type { MonoidTypeName } from "../../src/monoids/index.ts";
import {
  argMax,
  argMin,
  brackets,
  linearRecurrence,
  matrix2x2,
  minMax,
  momentsOf,
  segmentedSum,
  variance,
  varianceOf,
} from "../../src/monoids/index.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { checkMonoid } from "../support/check_monoid.ts";
import { algorithmNames, untyped, useFold } from "../support/fold.ts";
import { anyItems, randomBits } from "../support/random.ts";

const fold = useFold();
const types = { u32, i32, f32, u64, i64, f64 } as const satisfies { [Name in MonoidTypeName]: ScalarType };
/** The algebra as it is when types are not known until it runs. */
type AnyStructOperator = CustomOperator<string, StructValue> & { readonly type: StructType };
type Make = (type: ScalarType) => AnyStructOperator;

/** A whole number as a value of the type. */
const whole = (type: ScalarType, value: number): Scalar =>
  type.round((typeof type.zero === "bigint" ? BigInt(value) : value) as never);
/** Any bits of the type; of floats that are added and multiplied, small numbers, so that no sum of them rounds. */
function arithmeticItems(type: ScalarType, length: number, name: string): Scalar[] {
  const next = randomBits(name);
  const items = anyItems(type.name, length, name);
  return Array.from({ length }, (_, at) =>
    type.kind === "float" ? ((next() % 33) - 16) / 16 : (valuesOf(items, type)(at) as Scalar),
  );
}

/** Each monoid's elements. */
const monoids: {
  readonly name: string;
  readonly make: Make;
  items(type: ScalarType, length: number): StructValue[];
}[] = [
  ...[argMin, argMax].map((make) => ({
    name: make.name,
    make: make as unknown as Make,
    items(type: ScalarType, length: number) {
      // Few values, so that many are equal.
      const next = randomBits(`${make.name} ${type.name} ${length}`);
      const few = anyItems(type.name, 7, `${make.name} ${type.name}`);
      return Array.from({ length }, (_, index) => ({
        value: valuesOf(few, type)(next() % 7) as Scalar,
        index,
      }));
    },
  })),
  {
    name: "minMax",
    make: minMax as unknown as Make,
    items(type, length) {
      const some = valuesOf(anyItems(type.name, length, `minMax ${type.name} ${length}`), type);
      return Array.from({ length }, (_, at) => ({ min: some(at) as Scalar, max: some(at) as Scalar }));
    },
  },
  {
    name: "segmentedSum",
    make: segmentedSum as unknown as Make,
    items(type, length) {
      const next = randomBits(`start ${type.name} ${length}`);
      return arithmeticItems(type, length, `segmentedSum ${length}`).map((sum) => ({
        start: next() % 5 === 0 ? 1 : 0,
        sum,
      }));
    },
  },
  {
    name: "linearRecurrence",
    make: linearRecurrence as unknown as Make,
    items(type, length) {
      const next = randomBits(`a ${type.name} ${length}`);
      return arithmeticItems(type, length, `linearRecurrence ${length}`).map((b) => ({
        a: type.kind === "float" ? ([1, -1, 1, 0][next() % 4] as number) : whole(type, next()),
        b,
      }));
    },
  },
  {
    name: "matrix2x2",
    make: matrix2x2 as unknown as Make,
    items(type, length) {
      const next = randomBits(`matrix2x2 ${type.name} ${length}`);
      return Array.from({ length }, () => {
        const any = (): Scalar => whole(type, next());
        if (type.kind !== "float") {
          return { a: any(), b: any(), c: any(), d: any() };
        }
        // The symmetries of the square do not commute, and their products do not round.
        const [s, t] = [next() % 2 ? 1 : -1, next() % 2 ? 1 : -1];
        return next() % 2 ? { a: s, b: 0, c: 0, d: t } : { a: 0, b: s, c: t, d: 0 };
      });
    },
  },
];

const isSame = (a: unknown, b: unknown): boolean => a === b || Object.is(a, b);
/** Field by field. A NaN's bits may change on the way, and −0 in a sum. */
function expectSame(actual: readonly StructValue[], expected: readonly StructValue[], title: string): void {
  expect(actual.length, title).toBe(expected.length);
  const at = expected.findIndex((value, index) =>
    Object.keys(value).some((field) => !isSame(actual[index]?.[field], value[field])),
  );
  if (at >= 0) {
    expect(actual[at], `${title}, at ${at}`).toEqual(expected[at]);
    expect.fail(`${title}, at ${at}`);
  }
}

const shares = {
  "hillis-steele": [u32, f64],
  blelloch: [i32, u64],
  subgroup: [f32, i64],
} as const satisfies Record<(typeof algorithmNames)[number], readonly ScalarType[]>;
const lengths = [0, 1, 7, 8, 9, 65, 101];

/** Scans and reductions at the edges of two levels of spine. */
async function expectAsReference(
  op: AnyStructOperator,
  algorithm: (typeof algorithmNames)[number],
  itemsOf: (length: number) => StructValue[],
  compare: typeof expectSame,
  exclusives: readonly boolean[],
): Promise<void> {
  const tuning = { algorithm, workGroupSize: 4, itemsPerThread: 2 } as const;
  for (const length of lengths) {
    const data = op.type.from(itemsOf(length)) as StructArray;
    for (const exclusive of exclusives) {
      const options = { op: untyped(op), exclusive };
      compare(
        [...(await fold().scan(data, { ...options, ...tuning }))],
        [...scanReference(data, options)],
        `${op.type.name}, ${algorithm}, ${length}, exclusive=${exclusive}`,
      );
    }
    if (exclusives[0] === true) {
      continue;
    }
    compare(
      [await fold().reduce(data, { op: untyped(op), ...tuning })],
      [reduceReference(data, { op: untyped(op) })],
      `${op.type.name}, ${algorithm}, reduce ${length}`,
    );
  }
}

const ofTypes = monoids.flatMap((one) => Object.values(types).map((type) => ({ ...one, type })));
// Scans and reductions below compare the GPU with the CPU for each type: one type of each is enough here.
const checked = ofTypes.map((one, at) => ({ ...one, isOnGpu: at % 7 === 0 }));
test.each(checked)(
  "$name, $type.name: the laws hold, on the GPU: $isOnGpu",
  async ({ make, type, isOnGpu }) => {
    const options = { cases: 100, ...(isOnGpu && { fold: fold() }) };
    expect(await checkMonoid(make(type), options)).toMatchObject({
      ok: true,
      on: isOnGpu ? ["CPU", "GPU"] : ["CPU"],
    });
  },
);

// Each algorithm takes its share of the types: they do not depend on each other.
const ofAlgorithms = ofTypes.map((one) => ({
  ...one,
  algorithm: algorithmNames.find((name) =>
    (shares[name] as readonly ScalarType[]).includes(one.type),
  ) as (typeof algorithmNames)[number],
}));
test.each(ofAlgorithms)(
  "$name, $type.name, $algorithm: scan and reduce",
  async ({ make, items, type, algorithm }) => {
    await expectAsReference(make(type), algorithm, (length) => items(type, length), expectSame, [
      type === u32 || type === f32,
    ]);
  },
);

describe.each(monoids)("$name", ({ make }) => {
  test("the same type gives the same operator, and others do not", () => {
    expect(make(u32)).toBe(make(u32));
    expect(make(u32).type).not.toBe(make(i32).type);
    expect(() => make(f16)).toThrow(/f16; it takes u32, i32, f32, u64, i64, f64/);
    expect(() => make(make(u32).type as never)).toThrow(/it takes u32/);
    expect(() => make(undefined as never)).toThrow(/undefined; it takes u32/);
  });
});

describe("argMin and argMax", () => {
  test.each(Object.values(types).map((type) => [type.name, type] as const))(
    "%s: as a loop over the values",
    async (name, type) => {
      for (const length of [1, 2, 100]) {
        const row = Array.from({ length }, (_, at) =>
          valuesOf(anyItems(name, 11, `arg ${name} ${length}`), type)((at * 5) % 11),
        ) as Scalar[];
        for (const [make, wins] of [
          [argMin, (a: Scalar, b: Scalar) => a < b || (Object.is(a, -0) && Object.is(b, 0))],
          [argMax, (a: Scalar, b: Scalar) => a > b || (Object.is(a, 0) && Object.is(b, -0))],
        ] as const) {
          let best = 0;
          row.forEach((value, at) => {
            const rival = row[best] as Scalar;
            if (wins(value, rival) || (Number.isNaN(rival) && !Number.isNaN(value))) {
              best = at;
            }
          });
          const op = (make as unknown as Make)(type);
          const data = op.type.from(row.map((value, index) => ({ value, index })));
          expectSame(
            [await fold().reduce(data as StructArray, { op: untyped(op) })],
            [{ value: row[best] as Scalar, index: best }],
            `${op.name} ${length}`,
          );
        }
      }
    },
  );

  test("every value wins against nothing, infinities too", async () => {
    for (const [op, end] of [
      [argMin(f32), Infinity],
      [argMax(f32), -Infinity],
    ] as const) {
      const data = op.type.from([{ value: end, index: 7 }]);
      expect(await fold().reduce(data as StructArray, { op: untyped(op), workGroupSize: 4 })).toEqual({
        value: end,
        index: 7,
      });
      expect(op.reference?.(op.identity, { value: end, index: 7 })).toEqual({ value: end, index: 7 });
      expect(op.reference?.({ value: Number.NaN, index: 3 }, { value: end, index: 7 }).index).toBe(7);
    }
    expect(argMin(u32).identity).toEqual({ value: 0xffffffff, index: 0xffffffff });
    expect(argMax(i64).identity).toEqual({ value: -(2n ** 63n), index: 0xffffffff });
  });
});

test("minMax ignores NaN and orders the zeros", async () => {
  const op = minMax(f32);
  const row = [Number.NaN, 0, -0, Number.NaN];
  const data = op.type.from(row.map((value) => ({ min: value, max: value })));
  expect(await fold().reduce(data, { op })).toEqual({ min: -0, max: 0 });
});

// Kernels combine integers in the order of the floats, so what a map, an initial value and a segment give goes through keys, too.
test("minMax and argMax of mapped values, from an initial value, in segments", async () => {
  const range = minMax(f32);
  const values = Float32Array.of(3, Number.NaN, -Infinity, 2 ** -149, -0);
  const pair = (min: number, max: number) => ({ min, max });
  const map = "MinMaxF32(x, x)";
  const from = pair(1, Number.NaN);
  expect([
    ...(await fold().scan(values, { type: range.type, op: range, map, exclusive: true, initial: from })),
  ]).toEqual([from, pair(1, 3), pair(1, 3), pair(-Infinity, 3), pair(-Infinity, 3)]);
  const highest = argMax(f32);
  const items = highest.type.from([...values].map((value, index) => ({ value, index })));
  expect([
    ...(await fold().scan(items, { op: highest, segments: { offsets: Uint32Array.of(0, 2, 3, 5) } })),
  ]).toEqual([0, 0, 2, 3, 3].map((index) => ({ value: values[index], index })));
});

test("segmentedSum is each segment's own prefixes", async () => {
  const next = randomBits("segments");
  const row = Array.from({ length: 300 }, () => ({ start: next() % 20 === 0 ? 1 : 0, sum: next() % 100 }));
  let sum = 0;
  const expected = row.map((item) => {
    sum = item.start === 1 ? item.sum : sum + item.sum;
    return sum;
  });
  for (const type of [u32, i32, f32] as const) {
    const op = segmentedSum<"u32" | "i32" | "f32">(type as never);
    const sums = await fold().scan(op.type.from(row), { op });
    expect(
      Array.from(sums, (item) => item.sum),
      type.name,
    ).toEqual(expected);
  }
});

test("linearRecurrence is the steps one after another", async () => {
  const op = linearRecurrence(u64);
  const next = randomBits("steps");
  const steps = Array.from({ length: 200 }, () => ({ a: BigInt(next()), b: BigInt(next()) }));
  const start = 123456789n;
  let x = start;
  const expected = steps.map(({ a, b }) => {
    x = BigInt.asUintN(64, a * x + b);
    return x;
  });
  const prefixes = await fold().scan(op.type.from(steps), { op });
  expect(Array.from(prefixes, ({ a, b }) => BigInt.asUintN(64, a * start + b))).toEqual(expected);
});

test("linearRecurrence in f32 is a filter, nearly", async () => {
  const op = linearRecurrence(f32);
  const row = Array.from({ length: 500 }, (_, at) => Math.fround(Math.sin(at)));
  let x = 0;
  const expected = row.map((value) => {
    x = 0.75 * x + value;
    return x;
  });
  const prefixes = await fold().scan(op.type.from(row.map((b) => ({ a: 0.75, b }))), { op });
  // |x| is at most 4, and each prefix is of at most 60 combinations (test/support/results.ts), each of
  // three roundings of a number up to 4 that the coming steps only make smaller.
  Array.from(prefixes, (step, at) =>
    expect(Math.abs(step.b - (expected[at] as number)), `${at}`).toBeLessThan(60 * 3 * 4 * 2 ** -23),
  );
});

test("checkMonoid knows where larger terms cancel inside a product", async () => {
  const values = [
    { a: 1, b: 1, c: 0, d: 0 },
    { a: 81, b: -83, c: 0, d: 0.004444478079676628 },
    { a: 0, b: -1010, c: 0, d: -987 },
  ];
  expect(await checkMonoid(matrix2x2(f32), { values })).toMatchObject({ ok: true });
});

test("matrix2x2 multiplies from left to right", async () => {
  const op = matrix2x2(i32);
  const data = op.type.from([
    { a: 1, b: 2, c: 3, d: 4 },
    { a: 5, b: 6, c: 7, d: 8 },
  ]);
  expect(await fold().reduce(data, { op })).toEqual({ a: 19, b: 22, c: 43, d: 50 });
});

describe("brackets", () => {
  const op = brackets();
  const parse = (text: string) =>
    op.type.from(Array.from(text, (one) => ({ close: one === ")" ? 1 : 0, open: one === "(" ? 1 : 0 })));

  test("the laws hold for counts that do not overflow", async () => {
    const count = integer({ min: 0, max: 2 ** 30 });
    const values = record({ close: count, open: count }, { noNullPrototype: true });
    expect(await checkMonoid(op, { fold: fold(), values })).toMatchObject({ ok: true, on: ["CPU", "GPU"] });
  });

  test.each(algorithmNames)("scan and reduce: %s", async (algorithm) => {
    const items = (length: number): StructValue[] => {
      const next = randomBits(`brackets ${length}`);
      return Array.from({ length }, () => ({ close: next() % 3, open: next() % 3 }));
    };
    await expectAsReference(op as never, algorithm, items, expectSame, [false, true]);
  });

  test("are a counter of the depth", async () => {
    const next = randomBits("depth");
    const text = Array.from({ length: 500 }, () => "(()) x"[next() % 6]).join("");
    let [depth, unopened] = [0, 0];
    const expected = Array.from(text, (one) => {
      if (one === "(") {
        depth++;
      } else if (one === ")" && depth > 0) {
        depth--;
      } else if (one === ")") {
        unopened++;
      }
      return { close: unopened, open: depth };
    });
    expect([...(await fold().scan(parse(text), { op }))]).toEqual(expected);
  });

  test("tell what is balanced", async () => {
    for (const [text, balanced] of [
      ["", true],
      ["(()(()))()", true],
      [")(", false],
      ["(()", false],
      ["())", false],
    ] as const) {
      const { close, open } = await fold().reduce(parse(text), { op });
      expect(close === 0 && open === 0, text).toBe(balanced);
    }
  });
});

describe("variance", () => {
  const op = variance();
  // Of at most 60 combinations (test/support/results.ts), each rounds a mean at most four times, by a
  // unit in the last place of the largest number, and adds to m2 twice the mean's error times a
  // difference, for each number, and five roundings of m2 itself.
  const boundsOf = (count: number, largest: number) => ({
    mean: 60 * 4 * 2 ** -23 * largest,
    m2: 60 * (4 * 4 + 5) * 2 ** -23 * count * largest ** 2,
  });
  const compare: typeof expectSame = (actual, expected, title) => {
    expect(actual.length).toBe(expected.length);
    expected.forEach((value, at) => {
      const one = actual[at] as StructValue;
      const count = value.count as number;
      const bounds = boundsOf(count, 1);
      expect(one.count, title).toBe(count);
      for (const field of ["mean", "m2"] as const) {
        const off = Math.abs((one[field] as number) - (value[field] as number));
        expect(off, `${title}, ${field} at ${at}`).toBeLessThanOrEqual(bounds[field]);
      }
    });
  };
  const numbers = (length: number): number[] => {
    const next = randomBits(`variance ${length}`);
    return Array.from({ length }, () => Math.fround((next() / 2 ** 32) * 2 - 1));
  };

  test("the laws hold", async () => {
    const moments = record(
      {
        count: integer({ min: 1, max: 1000 }),
        mean: float({ min: -100, max: 100, noNaN: true }),
        m2: float({ min: 0, max: 2 ** 20, noNaN: true }),
      },
      { noNullPrototype: true },
    ).map(({ count, mean, m2 }) => ({ count, mean, m2: count === 1 ? 0 : m2 }));
    expect(await checkMonoid(op, { fold: fold(), values: moments })).toMatchObject({
      ok: true,
      on: ["CPU", "GPU"],
    });
  });

  test.each(algorithmNames)("scan and reduce: %s", async (algorithm) => {
    await expectAsReference(op as never, algorithm, (length) => numbers(length).map(momentsOf), compare, [
      false,
      true,
    ]);
  });

  test("is that of two passes", async () => {
    for (const length of [1, 2, 1000]) {
      // A mean of a thousand would leave nothing of a variance from sums of squares in f32.
      const row = numbers(length).map((x) => Math.fround(1000 + x));
      const mean = row.reduce((sum, x) => sum + x, 0) / length;
      const m2 = row.reduce((sum, x) => sum + (x - mean) ** 2, 0);
      const total = await fold().reduce(op.type.from(row.map(momentsOf)), { op });
      expect(total.count).toBe(length);
      expect(Math.abs(total.mean - mean)).toBeLessThan(boundsOf(length, 1001).mean);
      // The differences are at most 2; an error of the mean counts with the numbers' own size.
      const off = 60 * (2 * 2 * 4 * 1001 + 5 * 4) * 2 ** -23 * length;
      expect(Math.abs(total.m2 - m2)).toBeLessThan(off);
      expect(varianceOf(total)).toBe(total.m2 / length);
      if (length > 1) {
        expect(varianceOf(total, { sample: true })).toBe(total.m2 / (length - 1));
      }
    }
    expect(() => varianceOf(op.identity)).toThrow(/there are 0 numbers; it takes at least 1/);
    expect(() => varianceOf(momentsOf(1), { sample: true })).toThrow(/1 numbers; it takes at least 2/);
  });
});
