import { expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import type { Numbers } from "../../src/cpu/call.ts";
import { reduceNumbers, reduceSegments, scanNumbers, scanSegments } from "../../src/cpu/exact_folds.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { bitsOf, expectSameBits } from "../support/compare.ts";
import type { FloatRow } from "../support/exact_sums.ts";
import {
  awkwardSums,
  floats,
  floatsOf,
  nearest,
  permutations,
  spreadItems,
  tiledItems,
  units,
} from "../support/exact_sums.ts";
import { anyItems, randomBits } from "../support/random.ts";
import { asItems } from "../support/results.ts";

// Exact sums on the CPU, of data that goes wrong where one thing does. folds.test.ts has all settings of the loops.

const scan = scanReference as (data: ScalarArray, options: object) => ScalarArray;
const reduce = reduceReference as (data: ScalarArray, options: object) => number;

const valuesIn = ({ type }: FloatRow, data: ScalarArray): number[] =>
  Array.from({ length: data.length }, (_, at) => valuesOf(data, type)(at) as number);

/** Items of a few binades at a time, far from each other, so that most digits of a sum are all zeros or all ones. */
function leaps(float: FloatRow, length: number, name: string): ScalarArray {
  const next = randomBits(`${float.type.name} leaps ${name}`);
  const all = 2 ** float.exponent - 1;
  const few = Array.from({ length: 4 }, (_, at) =>
    valuesIn(float, spreadItems(float, 2, `${name} ${at}`, 1, next() % all)),
  ).flat();
  return floatsOf(
    float,
    Array.from({ length }, () => (few[next() % few.length] as number) * (next() % 2 ? 1 : -1)),
  );
}

/** Any bits but those of NaN and infinities, which would hide all else. */
const numbersOf = (float: FloatRow, length: number, name: string): ScalarArray =>
  floatsOf(
    float,
    valuesIn(float, anyItems(float.type.name, length, name)).filter((value) => Number.isFinite(value)),
  );

const dataOf = (float: FloatRow): ScalarArray[] => {
  const all = 2 ** float.exponent - 1;
  return [
    ...awkwardSums(float).flatMap((row) =>
      (row.length < 4 ? permutations(row) : [row]).map((one) => floatsOf(float, one)),
    ),
    ...[1, 3, 60, all].flatMap((wanted) => {
      const binades = Math.min(wanted, all);
      return [1, 2, 7, 300].map((length) =>
        spreadItems(float, length, `cpu ${wanted} ${length}`, binades, (length * 37) % (all - binades + 1)),
      );
    }),
    tiledItems(float, 6, 40, "cpu"),
    ...[2, 30, 300].map((length) => leaps(float, length, String(length))),
    ...[3, 300].map((length) => numbersOf(float, length, `numbers ${length}`)),
    anyItems(float.type.name, 300, "cpu"),
  ];
};

test.each(floats)("$type.name: prefixes and totals have the bits of the reference", (float) => {
  const { type } = float;
  dataOf(float).forEach((data, row) => {
    const title = `row ${row}, ${data.length} items`;
    const input = data as Numbers;
    for (const exclusive of [false, true]) {
      const output = anyItems(type.name, data.length, "poison") as Numbers;
      scanNumbers({ type, input, output, exclusive });
      expectSameBits(output, scan(data, { op: exactAdd, type, exclusive }), title);
      const segments = { kind: "offsets", words: Uint32Array.of(0, data.length) } as const;
      scanSegments({ type, input, output, exclusive, segments, reverse: true });
      expectSameBits(
        output,
        scan(data, { op: exactAdd, type, exclusive, reverse: true }),
        `${title}, reverse`,
      );
    }
    const total = reduceNumbers({ type, input });
    expectSameBits(
      asItems(type, total),
      asItems(type, reduce(data, { op: exactAdd, type })),
      `${title}, total`,
    );
  });
});

test.each(floats)("$type.name: each prefix is the nearest float", (float) => {
  const { type } = float;
  for (const data of dataOf(float)) {
    const values = valuesIn(float, data);
    if (values.every((value) => Number.isFinite(value) && !Object.is(value, -0))) {
      const output = (data as Float64Array).slice() as Numbers;
      scanNumbers({ type, input: output, output });
      let sum = 0n;
      values.slice(0, 50).forEach((value, at) => {
        sum += units(value);
        expect(BigInt(bitsOf(output)[at] ?? -1), `${at} of ${values}`).toBe(nearest(float, sum));
      });
    }
  }
});

test("a sum that passes the greatest f64 comes back", () => {
  const input = new Float64Array(20_000).fill(Number.MAX_VALUE).fill(-Number.MAX_VALUE, 10_000);
  input[19_999] = Number.MIN_VALUE;
  expect(reduceNumbers({ type: f64, input: input.subarray(0, 10_000) })).toBe(Infinity);
  expect(reduceNumbers({ type: f64, input })).toBe(Number.MAX_VALUE);
  input[0] = 0;
  expect(reduceNumbers({ type: f64, input })).toBe(Number.MIN_VALUE);
});

test.each([
  ["rows", { kind: "rows", rows: 8 }, (at: number) => at >> 3],
  ["columns", { kind: "columns", rows: 8 }, (at: number) => at & 7],
  ["matrices", { kind: "matrices", rows: 3, columns: 4 }, (at: number) => 4 * Math.floor(at / 12) + (at & 3)],
] as const)("segments in reverse: %s", (_, segments, segmentOf) => {
  const input = Float64Array.from({ length: 24 }, (_, at) => (at % 2 ? 1 : -1) * 10 ** (at % 20));
  const output = new Float64Array(24);
  scanSegments({ type: f64, input, output, segments, reverse: true });
  const expected = input.map((_, at) =>
    reduce(
      input.filter((_, other) => other >= at && segmentOf(other) === segmentOf(at)),
      { op: exactAdd },
    ),
  );
  expectSameBits(output, expected, "prefixes");
  const totals = reduceSegments({ type: f64, input, segments });
  const firsts = expected.filter(
    (_, at) => input.findIndex((_, other) => segmentOf(other) === segmentOf(at)) === at,
  );
  expectSameBits(totals, firsts, "totals");
});

test("an output that starts inside the input", () => {
  const memory = new Float64Array(100).fill(1);
  scanNumbers({ type: f64, input: memory.subarray(0, 90), output: memory.subarray(10) });
  expect([...memory.subarray(10)]).toEqual(Array.from({ length: 90 }, (_, at) => at + 1));
});

test("segments of one sum leave nothing to the next one", () => {
  const input = Float32Array.of(3e38, -1e-45, -0, 1, Infinity, 1, Number.NaN, 2);
  const rowsOf = (rows: number) => ({ kind: "rows", rows }) as const;
  const call = { type: f32, input } as const;
  expectSameBits(reduceSegments({ ...call, segments: rowsOf(1) }), input, "single items");
  expectSameBits(
    reduceSegments({ ...call, initial: -0, segments: rowsOf(2) }),
    Float32Array.of(3e38, 1, Infinity, Number.NaN),
    "pairs",
  );
});
