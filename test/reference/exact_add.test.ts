import { expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import {
  exactFormats,
  exactOf,
  exactOfWords,
  exactRounded,
  exactWords,
} from "../../src/algebra/exact_sums.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { bitsOf } from "../support/compare.ts";
import type { FloatRow } from "../support/exact_sums.ts";
import { awkwardSums, floats, floatsOf, nearest, spreadItems, units } from "../support/exact_sums.ts";
import { asItems } from "../support/results.ts";

test.each([
  ["f16", 65504, 51],
  ["f32", (2 - 2 ** -23) * 2 ** 127, 38],
  ["f64", Number.MAX_VALUE, 41],
] as const)(
  "a sum of %s has room for the greatest, as many times as the guide says",
  (name, greatest, bits) => {
    const format = exactFormats[name];
    const one = exactOf(greatest, format);
    for (const sign of [1n, -1n]) {
      const most = { units: sign * (one.units << BigInt(bits)), seen: one.seen };
      expect(exactOfWords(exactWords(most, format), format)).toEqual(most);
      const more = { units: 2n * most.units, seen: one.seen };
      expect(exactOfWords(exactWords(more, format), format)).not.toEqual(more);
    }
  },
);

const bits = ({ type }: FloatRow, value: number): bigint => BigInt(bitsOf(asItems(type, value))[0] ?? 0);
const sumOf = (float: FloatRow, data: ScalarArray): number =>
  reduceReference(data, { op: exactAdd, type: float.type } as never) as number;
const valuesIn = ({ type }: FloatRow, data: ScalarArray): number[] =>
  Array.from({ length: data.length }, (_, at) => valuesOf(data, type)(at) as number);

test.each(floats)("$type.name: sums are the nearest float", (float) => {
  const all = 2 ** float.exponent - 1;
  const sums = [
    ...awkwardSums(float).map((row) => floatsOf(float, row)),
    ...[1, 2, 10, all].flatMap((binades) =>
      Array.from({ length: 30 }, (_, at) =>
        spreadItems(float, 1 + at, `nearest ${binades} ${at}`, binades, (at * 5) % (all - binades + 1)),
      ),
    ),
  ];
  for (const data of sums) {
    const values = valuesIn(float, data);
    if (values.every((value) => Number.isFinite(value) && !Object.is(value, -0))) {
      const exact = values.reduce((sum, value) => sum + units(value), 0n);
      expect(bits(float, sumOf(float, data)), values.join(" + ")).toBe(nearest(float, exact));
    }
  }
});

test.each(floats)("$type.name: special values", (float) => {
  const { type } = float;
  const rows: readonly (readonly [readonly number[], number])[] = [
    [[], 0],
    [[-0], -0],
    [[-0, -0], -0],
    [[-0, 0], 0],
    [[1, -1], 0],
    [[-1, 1, -0], 0],
    [[Infinity, -1], Infinity],
    [[1, -Infinity], -Infinity],
    [[Infinity, -Infinity], Number.NaN],
    [[Number.NaN, Infinity], Number.NaN],
    [[1, Number.NaN], Number.NaN],
  ];
  for (const [values, sum] of rows) {
    expect(Object.is(sumOf(float, floatsOf(float, values)), sum), values.join(" + ")).toBe(true);
  }
  const data = floatsOf(float, [-0, -0, 1, -1, Infinity, -Infinity]);
  const scan = (exclusive: boolean): number[] =>
    valuesIn(float, scanReference(data, { op: exactAdd, type, exclusive } as never) as ScalarArray);
  expect(scan(false)).toEqual([-0, -0, 1, 0, Infinity, Number.NaN]);
  expect(scan(true)).toEqual([0, -0, -0, 1, 0, Infinity]);
});

test.each(floats)("$type.name: sums go into words and come back", ({ type }) => {
  const format = exactFormats[type.name];
  for (const value of [0, -0, 1, -1, 1.5, type.round(-3e4), Infinity, -Infinity, Number.NaN]) {
    const sum = exactOf(value, format);
    expect(exactOfWords(exactWords(sum, format), format)).toEqual(sum);
    expect(exactRounded(sum, format)).toBe(value);
  }
});
