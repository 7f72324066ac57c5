import process from "node:process";
import { TestRunner, test } from "vitest";
import { isQuick } from "./tier.ts";

/** How a table is split for the quick tier. */
export interface Parts<Row> {
  /** How many parts there are, one of `PARTS`: a run of the quick tier takes one part. If there are fewer rows, some parts have none. */
  readonly of: Divisor;
  /** By how many rows the part is moved. Tables of one file that are moved by different numbers do not all have their rows in the same turn. */
  readonly shift?: number;
  /** Rows that every run takes. */
  readonly always?: (row: Row) => boolean;
}

/** After this number of seeds in a row, every row of every table has had its turn: the numbers of parts divide it. */
export const TURNS = 240;
export const PARTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 40, 48, 60, 80, 120, 240] as const;
type Divisor = (typeof PARTS)[number];

/** The rows whose turn it is. Over as many turns in a row as there are parts, each row has its turn. */
export function rowsInTurn<Row>(
  table: readonly Row[],
  turn: number,
  { of, shift = 0, always = () => false }: Parts<Row>,
): Row[] {
  return table.filter((row, at) => (at + shift) % of === turn % of || always(row));
}

/** What is told of each table that is taken, and of its parts: `rows.test.ts` counts with it. */
export type Watcher = (table: readonly unknown[], taken: readonly unknown[], parts: Divisor) => void;
let watcher: Watcher = () => {};
export const watchRows = (one: Watcher): void => {
  watcher = one;
};

/**
 * The rows of a table that this run takes: all of them in the full tier, and those whose turn it is by the seed in the
 * quick one. Called while tests are collected, not in one, so that `rows.test.ts` sees every table.
 */
export function rows<Row>(table: readonly Row[], parts: Parts<Row>): Row[] {
  if (TestRunner.getCurrentTest() !== undefined) {
    throw new Error("rows() is called in a test; call it outside, where the test is declared");
  }
  const taken = isQuick() ? rowsInTurn(table, turnOfFile(), parts) : [...table];
  watcher(table, taken, parts.of);
  return taken;
}

/** The file whose tests are collected, by its path in the repository. */
export const collectedFile = (): string => TestRunner.getCurrentSuite()?.file?.name ?? "";

/**
 * The seed's turn of the file whose tests are collected. Each file counts from a turn of its own: the first rows of all tables would
 * have their turns in one run.
 */
function turnOfFile(): number {
  const seed = Number(process.env.WAVEFOLD_SEED);
  if (!Number.isInteger(seed) || seed < 0) {
    throw new Error(`WAVEFOLD_SEED is ${process.env.WAVEFOLD_SEED}; it takes a whole number from 0 on`);
  }
  return (
    [...collectedFile()].reduce((turn, letter) => (31 * turn + letter.charCodeAt(0)) % TURNS, 0) +
    (seed % TURNS)
  );
}

/**
 * vitest's `test`, for tests that stand alone and together take long: of those that a file declares with it, the quick tier
 * takes the ones whose turn it is. What hangs on it (`each`, `for`) is vitest's own.
 */
export function testInTurn(parts: { readonly of: Divisor; readonly shift?: number }): typeof test {
  const { of, shift = 0 } = parts;
  let declared = 0;
  watcher([], [], of);
  return new Proxy(test, {
    apply(target, self, given) {
      const at = declared++;
      const isTurn = !isQuick() || (at + shift) % of === turnOfFile() % of;
      return isTurn ? Reflect.apply(target, self, given) : undefined;
    },
  });
}
