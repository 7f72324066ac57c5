/**
 * Rows of a table in which each pair of values of two axes occurs at least once: what goes wrong where two choices meet is found without the
 * product of all. Rows are few, though maybe not the fewest, and the same in each run. With one axis, each value has a row.
 */
export function pairs<T extends Record<string, readonly unknown[]>>(
  axes: T,
): { [K in keyof T]: T[K][number] }[] {
  const names = Object.keys(axes) as (keyof T & string)[];
  const empty = names.find((name) => axes[name]?.length === 0);
  if (empty !== undefined) {
    throw new Error(`the axis ${empty} has no values, so there are no pairs with it; give it one at least`);
  }
  const counts = names.map((name) => axes[name]?.length ?? 0);
  return rowsOf(counts).map(
    (row) =>
      Object.fromEntries(names.map((name, axis) => [name, axes[name]?.[row[axis] ?? 0]])) as {
        [K in keyof T]: T[K][number];
      },
  );
}

/** The rows, as numbers of values of axes that have so many. */
function rowsOf(counts: readonly number[]): number[][] {
  if (counts.length === 1) {
    return Array.from({ length: counts[0] as number }, (_, value) => [value]);
  }
  // By two axes, in either order, the pairs of their values that some row has.
  const had = counts.map((count) => counts.map((other) => new Uint8Array(count * other)));
  const lacks = (axis: number, value: number, other: number, otherValue: number): boolean =>
    had[axis]?.[other]?.[value * (counts[other] as number) + otherValue] === 0;
  const uses = counts.map((count) => new Uint32Array(count));
  const rows: number[][] = [];

  /** The value that has the most pairs with a row that are still missing; of several, the one that was used least. */
  function bestValue(axis: number, row: readonly (number | undefined)[]): number {
    let [best, most] = [0, -1];
    for (let value = 0; value < (counts[axis] as number); value++) {
      let gain = 0;
      for (const [other, otherValue] of row.entries()) {
        gain += otherValue !== undefined && lacks(axis, value, other, otherValue) ? 1 : 0;
      }
      const isUsedLess = (uses[axis]?.[value] as number) < (uses[axis]?.[best] as number);
      if (gain > most || (gain === most && isUsedLess)) {
        [best, most] = [value, gain];
      }
    }
    return best;
  }

  function addRowWith(axis: number, value: number, other: number, otherValue: number): void {
    const row: (number | undefined)[] = counts.map(() => undefined);
    [row[axis], row[other]] = [value, otherValue];
    for (const one of counts.keys()) {
      row[one] ??= bestValue(one, row);
    }
    const values = row as number[];
    for (const [one, own] of values.entries()) {
      (uses[one] as Uint32Array)[own] = (uses[one]?.[own] as number) + 1;
      for (const [another, its] of values.entries()) {
        (had[one]?.[another] as Uint8Array)[own * (counts[another] as number) + its] = 1;
      }
    }
    rows.push(values);
  }

  for (const [axis, count] of counts.entries()) {
    for (let other = axis + 1; other < counts.length; other++) {
      for (let value = 0; value < count; value++) {
        for (let otherValue = 0; otherValue < (counts[other] as number); otherValue++) {
          if (lacks(axis, value, other, otherValue)) {
            addRowWith(axis, value, other, otherValue);
          }
        }
      }
    }
  }
  return rows;
}
