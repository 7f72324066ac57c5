import { expect, test } from "vitest";
import { pairs } from "./pairs.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, value) => value);

/** Pairs of values of two axes that no row has. */
function missing(
  axes: Record<string, readonly unknown[]>,
  rows: readonly Record<string, unknown>[],
): string[] {
  const names = Object.keys(axes);
  return names.flatMap((a, at) =>
    names
      .slice(at + 1)
      .flatMap((b) =>
        (axes[a] ?? []).flatMap((x) =>
          (axes[b] ?? [])
            .filter((y) => !rows.some((row) => row[a] === x && row[b] === y))
            .map((y) => `${a} ${x}, ${b} ${y}`),
        ),
      ),
  );
}

test.each([
  [[3, 4], 12],
  [[4, 3, 2], 12],
  [[2, 2, 2, 2], 6],
  [[7, 4, 2, 2, 3], 29],
  [[1, 5, 1, 2], 10],
])("axes of %j values: each pair is there, in at most %i rows", (counts, most) => {
  const axes = Object.fromEntries(counts.map((count, axis) => [`axis${axis}`, numbers(count)]));
  const rows = pairs(axes);
  expect(missing(axes, rows)).toEqual([]);
  expect(rows.length).toBeLessThanOrEqual(most);
  expect(pairs(axes), "again").toEqual(rows);
});

test("rows have all axes by name, in order, and their values as they are", () => {
  const [one, other] = [{ bytes: 4 }, { bytes: 8 }];
  const rows = pairs({ type: [one, other], isExclusive: [true, false] });
  expect(rows).toEqual([
    { type: one, isExclusive: true },
    { type: one, isExclusive: false },
    { type: other, isExclusive: true },
    { type: other, isExclusive: false },
  ]);
  expect(rows[0]?.type).toBe(one);
  expect(Object.keys(pairs({ b: [1], a: [2], c: [3] })[0] ?? {})).toEqual(["b", "a", "c"]);
});

test("with one axis, each value has a row, and without one there is none", () => {
  expect(pairs({ type: ["u32", "f32"] })).toEqual([{ type: "u32" }, { type: "f32" }]);
  expect(pairs({})).toEqual([]);
});

test("an axis without values is an error", () => {
  expect(() => pairs({ type: ["u32"], passes: [] })).toThrow("the axis passes has no values");
});
