import { Float32, Float64, makeVector, Table, Uint32, vectorFromArray } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { columnOf, type Dimension, makeCrossfilter } from "../../examples/crossfilter/crossfilter.ts";
import { useFold } from "../support/fold.ts";
import { randomBits } from "../support/random.ts";

const fold = useFold();
const ROWS = 1200;

/** Columns of each kind: as they are, with nulls, as doubles, and of two chunks. */
function flights(): Table {
  const next = randomBits("flights");
  const numbers = (most: number): number[] => Array.from({ length: ROWS }, () => next() % most);
  const gates = numbers(40);
  return new Table({
    hour: makeVector(Uint32Array.from(numbers(24))),
    delay: makeVector(Int32Array.from(numbers(200), (minutes) => minutes - 60)),
    distance: makeVector(Float32Array.from(numbers(8000), (miles) => miles / 4)),
    load: vectorFromArray(
      numbers(1024).map((share) => (share < 100 ? null : share / 1024)),
      new Float32(),
    ),
    fare: vectorFromArray(
      numbers(64000).map((cents) => cents / 64),
      new Float64(),
    ),
    gate: vectorFromArray(gates.slice(0, 400), new Uint32()).concat(
      vectorFromArray(gates.slice(400), new Uint32()),
    ),
  });
}

const dimensions: readonly Dimension[] = [
  { column: "hour", bins: 24, range: [0, 24] },
  { column: "delay", bins: 20, range: [-60, 140] },
  { column: "distance", bins: 40, range: [0, 2000] },
  { column: "load", bins: 16, range: [0, 1] },
  { column: "fare", bins: 8, range: [0, 500] },
  { column: "gate", bins: 40, range: [0, 40] },
];

type Ranges = Readonly<Record<string, readonly [number, number] | undefined>>;

/** Which rows pass the filters, but for that of one column: by loops over Arrow's own values. */
function passing(table: Table, ranges: Ranges, but?: string): number[] {
  const filters = Object.entries(ranges).flatMap(([column, range]) =>
    range === undefined || column === but ? [] : [{ values: [...(table.getChild(column) ?? [])], range }],
  );
  return Array.from({ length: table.numRows }, (_, row) => row).filter((row) =>
    filters.every(({ values, range: [low, high] }) => {
      const value = values[row];
      return value !== null && value >= low && value < high;
    }),
  );
}

function histogramReference(
  table: Table,
  rows: readonly number[],
  { column, bins, range: [low, high] }: Dimension,
): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (const row of rows) {
    const value = table.getChild(column)?.get(row) as number | null;
    if (value !== null && value >= low && value <= high) {
      const bin = Math.min(bins - 1, Math.floor(((value - low) * bins) / (high - low)));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  return counts;
}

test("histograms, counts and rows after each filter", async () => {
  const table = flights();
  const crossfilter = await makeCrossfilter(fold(), table, dimensions);
  const ranges: Record<string, readonly [number, number] | undefined> = {};
  for (const [column, range] of [
    ["hour", undefined],
    ["delay", [-10, 100]],
    ["hour", [6, 20]],
    ["load", [0.25, 0.75]],
    ["delay", [0, 50]],
    ["fare", [100.5, 1000]],
    ["gate", [3, 39]],
    ["load", undefined],
    ["distance", [2000, 1]],
  ] as const) {
    await crossfilter.filter(column, range);
    ranges[column] = range;
    for (const dimension of dimensions) {
      const rows = passing(table, ranges, dimension.column);
      expect([...(await crossfilter.histogram(dimension.column))], `${column}, ${dimension.column}`).toEqual(
        histogramReference(table, rows, dimension),
      );
    }
    const rows = passing(table, ranges);
    expect(await crossfilter.count()).toBe(rows.length);
    const kept = await crossfilter.rows();
    expect(kept.numRows).toBe(rows.length);
    for (const { column: name } of dimensions) {
      const values = [...(table.getChild(name) ?? [])];
      const asF32 = rows.map((row) => (values[row] === null ? null : Math.fround(values[row])));
      expect([...(kept.getChild(name) ?? [])], name).toEqual(asF32);
    }
  }
  crossfilter.destroy();
});

describe("columns", () => {
  test("without nulls, and in one chunk, they are not copied", () => {
    for (const values of [Float32Array.of(1, 2), Int32Array.of(-1, 2), Uint32Array.of(1, 2)]) {
      const column = columnOf(new Table({ values: makeVector(values) }).getChild("values") ?? makeVector([]));
      expect(column).toEqual(values);
      expect(column.buffer).toBe(values.buffer);
    }
  });

  test("others become f32", () => {
    const table = flights();
    expect(columnOf(table.getChild("fare") ?? makeVector([]))).toBeInstanceOf(Float32Array);
    expect(columnOf(table.getChild("load") ?? makeVector([]))).toBeInstanceOf(Float32Array);
    expect(columnOf(table.getChild("gate") ?? makeVector([]))).toBeInstanceOf(Uint32Array);
  });
});

test("a table without rows, and a column that there is not", async () => {
  const table = new Table({ hour: makeVector(new Uint32Array(0)) });
  const crossfilter = await makeCrossfilter(fold(), table, [{ column: "hour", bins: 2, range: [0, 24] }]);
  await crossfilter.filter("hour", [1, 2]);
  expect([...(await crossfilter.histogram("hour"))]).toEqual([0, 0]);
  expect(await crossfilter.count()).toBe(0);
  expect((await crossfilter.rows()).numRows).toBe(0);
  await expect(crossfilter.filter("day")).rejects.toThrow("the crossfilter has no column day");
  await expect(makeCrossfilter(fold(), table, [{ column: "day", bins: 2, range: [0, 7] }])).rejects.toThrow(
    "the table has no column day",
  );
});
