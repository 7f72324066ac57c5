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

/** A value of an axis: the numbers of both. */
type Choice = readonly [axis: number, value: number];

const keyOf = (choices: readonly Choice[]): string => [...choices].sort(([a], [b]) => a - b).join(" ");

/** The rows, as numbers of values of axes that have so many. */
function rowsOf(counts: readonly number[]): number[][] {
  const missing = new Map(missingOf(counts).map((choices) => [keyOf(choices), choices]));
  const uses = counts.map((count) => new Array<number>(count).fill(0));
  const rows: number[][] = [];
  for (let [first] = missing.values(); first !== undefined; [first] = missing.values()) {
    const row = [...first];
    for (const axis of counts.keys()) {
      if (!row.some(([own]) => own === axis)) {
        row.push([axis, bestValue(axis, uses[axis] ?? [], row, missing)]);
      }
    }
    for (const [at, choice] of row.entries()) {
      missing.delete(keyOf([choice]));
      for (const other of row.slice(at + 1)) {
        missing.delete(keyOf([choice, other]));
      }
    }
    const values = row.sort(([a], [b]) => a - b).map(([, value]) => value);
    for (const [axis, value] of values.entries()) {
      (uses[axis] as number[])[value] = (uses[axis]?.[value] ?? 0) + 1;
    }
    rows.push(values);
  }
  return rows;
}

/** What rows have to have: each pair of values of two axes, and of one axis each value. */
function missingOf(counts: readonly number[]): Choice[][] {
  const choices = counts.map((count, axis) =>
    Array.from({ length: count }, (_, value): Choice => [axis, value]),
  );
  const [only = []] = choices;
  return choices.length === 1
    ? only.map((choice) => [choice])
    : choices.flatMap((some, axis) =>
        choices
          .slice(axis + 1)
          .flatMap((others) => some.flatMap((choice) => others.map((other) => [choice, other]))),
      );
}

/** The value that has the most pairs with a row that are still missing; of several, the one that was used least. */
function bestValue(
  axis: number,
  uses: readonly number[],
  row: readonly Choice[],
  missing: ReadonlyMap<string, unknown>,
): number {
  const gain = (value: number): number =>
    row.filter((choice) => missing.has(keyOf([choice, [axis, value]]))).length;
  const [best = 0] = [...uses.keys()].sort(
    (a, b) => gain(b) - gain(a) || (uses[a] ?? 0) - (uses[b] ?? 0) || a - b,
  );
  return best;
}
