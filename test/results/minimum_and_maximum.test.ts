import { expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { maximum, minimum } from "../../src/algebra/operators.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { loopsOver, reduceNumbers, scanNumbers } from "../../src/cpu/folds.ts";
import { numbersOver } from "../../src/cpu/numbers.ts";
import { referenceMonoid } from "../../src/reference/twins.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useFold } from "../support/fold.ts";
import { anyItems, arrayOfBits, randomBits, valuesAs } from "../support/random.ts";

const fold = useFold();

// JavaScript's own functions are IEEE 754-2019's minimum and maximum.
const operators = [
  { name: "minimum", op: minimum, extreme: Math.min, nothing: Infinity },
  { name: "maximum", op: maximum, extreme: Math.max, nothing: -Infinity },
] as const;
const floats: readonly ScalarType[] = [f32, f16, f64];
const rows = floats.flatMap((type) =>
  operators.map((row) => ({ ...row, op: untyped(row.op), type, typeName: type.name })),
);

/** The NaN that results have, whatever NaN they come from. */
const nans = { f32: [0x7fc00000], f16: [0x7e00], f64: [0x7ff8000000000000n] } as const;
const nanOf = ({ name }: ScalarType): ScalarArray => arrayOfBits(name, nans[name as keyof typeof nans]);

/** Numbers as an array of the type, with that NaN. JavaScript's NaN may have any bits. */
function arrayOf(type: ScalarType, numbers: readonly number[]): ScalarArray {
  const array = valuesAs(type.name, numbers) as Float32Array;
  for (const [at, number] of numbers.entries()) {
    if (Number.isNaN(number)) {
      array.set(nanOf(type) as Float32Array, at);
    }
  }
  return array;
}

const lacks = (type: ScalarType): boolean => type.name === "f16" && !fold().device.features.has("shader-f16");

const numbersOf = (items: ScalarArray, type: ScalarType): number[] =>
  Array.from({ length: items.length }, (_, at) => valuesOf(items, type)(at) as number);

/** Zeros of both signs, subnormals, numbers, infinities, and NaNs of both signs, quiet and signalling. */
const specials = {
  f32: [
    0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff,
  ],
  f16: [
    0, 0x8000, 1, 0x8001, 0x3ff, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01,
    0xfc01, 0x7fff, 0xffff,
  ],
  f64: [
    0n,
    1n << 63n,
    1n,
    (1n << 63n) | 1n,
    0xfffffffffffffn,
    0x3ff0000000000000n,
    0xbff0000000000000n,
    0x7fefffffffffffffn,
    0xffefffffffffffffn,
    0x7ff0000000000000n,
    0xfff0000000000000n,
    0x7ff8000000000000n,
    0xfff8000000000000n,
    0x7ff0000000000001n,
    0xfff0000000000001n,
    0x7fffffffffffffffn,
    0xffffffffffffffffn,
  ],
} as const;

test.for(rows)(
  "$name of all pairs of special values of $typeName",
  async ({ op, type, extreme, name }, { skip }) => {
    skip(lacks(type), "the adapter has no shader-f16");
    const bits = specials[type.name as keyof typeof specials] as readonly (number | bigint)[];
    const data = arrayOfBits(
      type.name,
      bits.flatMap((a) => bits.flatMap((b) => [a, b])),
    );
    const numbers = numbersOf(data, type);
    const extremes = Array.from({ length: numbers.length / 2 }, (_, at) =>
      extreme(numbers[2 * at] as number, numbers[2 * at + 1] as number),
    );
    const expected = arrayOf(type, extremes);
    const found = await fold().reduce(data, { op, type, segments: { rows: 2 } } as never);
    expectSameBits(found as never, expected, "on the device");
    const onCpu = new Uint8Array(expected.byteLength);
    const loops = await loopsOver(type);
    for (let at = 0; at < extremes.length; at++) {
      const input = (data as Float32Array).slice(2 * at, 2 * at + 2);
      const pair = `${name} of ${input}`;
      expect(reduceNumbers({ type, op: name, loops, input }), pair).toBe(extremes[at]);
      scanNumbers({ type, op: name, loops, input, output: input });
      onCpu.set(new Uint8Array(input.buffer, type.bytes), at * type.bytes);
    }
    expectSameBits(numbersOver(onCpu, type), expected, "on the CPU");
  },
);

/** Each row meets subgroups, whose functions may take NaN for something else, and one of the other algorithms, and there the other passes. */
const waysOf = (row: (typeof rows)[number]) => {
  const at = rows.indexOf(row);
  const [one, other] = (at % 2 === 0 ? ["single", "reduce-then-scan"] : ["reduce-then-scan", "single"]) as (
    | "single"
    | "reduce-then-scan"
  )[];
  const portable = (["blelloch", "hillis-steele"] as const)[(at >> 1) % 2];
  return [
    { algorithm: "subgroup", passes: one },
    { algorithm: portable, passes: other },
  ];
};

test.for(rows)("$name of $typeName: from the first NaN on, all prefixes are NaN", async (row, { skip }) => {
  const { op, type, extreme, nothing, name } = row;
  skip(lacks(type), "the adapter has no shader-f16");
  const next = randomBits(`${name} ${type.name}`);
  for (const { algorithm, passes } of waysOf(row)) {
    const title = `${algorithm}, ${passes}`;
    const length = 200 + (next() % 300);
    const place = next() % (length + 50);
    const numbers = numbersOf(anyItems(type.name, length, title), type).map((one) =>
      Number.isNaN(one) ? 0 : one,
    );
    if (place < length) {
      numbers[place] = Number.NaN;
    }
    const data = valuesAs(type.name, numbers);
    let best: number = nothing;
    const before = numbers.map((one) => {
      const last = best;
      best = extreme(best, one);
      return last;
    });
    const tuning = { algorithm, workGroupSize: 8, itemsPerThread: 4 } as const;
    for (const exclusive of [false, true]) {
      const found = await fold().scan(data, { op, type, exclusive, passes, ...tuning } as never);
      const expected = exclusive ? before : [...before.slice(1), best];
      expectSameBits(found, arrayOf(type, expected), `${title}, exclusive: ${exclusive}, NaN at ${place}`);
    }
    const total = await fold().reduce(data, { op, type, ...tuning } as never);
    expect(total, `${title}: total, NaN at ${place}`).toBe(best);
  }
});

test.for(rows)("$name of $typeName gives the same bits in any order", ({ op, type, name }) => {
  const { lift, lower, reference } = referenceMonoid(op, type, "test");
  const next = randomBits(`trees ${name} ${type.name}`);
  for (let round = 0; round < 50; round++) {
    const items = anyItems(type.name, 1 + (next() % 12), `${name} ${round}`);
    const values = numbersOf(items, type).map(lift);
    const tree = (): unknown => {
      const parts = values.slice();
      while (parts.length > 1) {
        const at = next() % (parts.length - 1);
        parts.splice(at, 2, reference(parts[at] as number, parts[at + 1] as number));
      }
      return lower(parts[0] as number);
    };
    const first = valuesAs(type.name, [tree() as number]);
    expectSameBits(valuesAs(type.name, [tree() as number]), first, `${items}`);
    values.reverse();
    expectSameBits(valuesAs(type.name, [tree() as number]), first, `${items}, backwards`);
  }
});

// Written by NumPy 2.4.
test("what NumPy gives", async () => {
  const data = Float32Array.of(3, -1, Number.NaN, -Infinity, 7);
  const { NaN: nan } = Number;
  expect([...(await fold().scan(data, { op: minimum }))]).toEqual([3, -1, nan, nan, nan]);
  expect([...(await fold().scan(data, { op: maximum }))]).toEqual([3, 3, nan, nan, nan]);
  expect(await fold().reduce(data, { op: minimum })).toBe(nan);
  expect(await fold().reduce(data.subarray(0, 2), { op: minimum })).toBe(-1);
  expect(await fold().reduce(data.subarray(0, 2), { op: maximum })).toBe(3);
  expect(await fold().reduce(Int32Array.of(3, 1, 2), { op: minimum })).toBe(1);
  const doubles = Float64Array.of(2, -Infinity, 1, Infinity);
  expect([...(await fold().scan(doubles, { op: minimum }))]).toEqual([2, -Infinity, -Infinity, -Infinity]);
  expect([...(await fold().scan(doubles, { op: maximum }))]).toEqual([2, 2, 2, Infinity]);
});

test.for(rows)(
  "$name of $typeName: NaN as the initial value, and before a stream's next piece",
  async ({ op, type }, { skip }) => {
    skip(lacks(type), "the adapter has no shader-f16");
    const data = valuesAs(type.name, [1, 2, 3]);
    const nan = nanOf(type);
    const given = { op, type, initial: Number.NaN } as const;
    expect(await fold().reduce(data, given as never)).toBe(Number.NaN);
    const exclusive = await fold().scan(data, { ...given, exclusive: true } as never);
    expectSameBits(exclusive, arrayOf(type, [Number.NaN, Number.NaN, Number.NaN]), "exclusive");
    expectSameBits((exclusive as Float32Array).subarray(0, 1), nan, "the NaN");
    const pieces = new ReadableStream({
      start(controller) {
        for (const piece of [data, nan, data]) {
          controller.enqueue(piece);
        }
        controller.close();
      },
    });
    const found: number[] = [];
    const prefixes = pieces.pipeThrough(fold().scanStream({ op, type } as never));
    for await (const piece of prefixes as AsyncIterable<ScalarArray>) {
      found.push(...numbersOf(piece, type));
    }
    expect(found.slice(3)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  },
);
