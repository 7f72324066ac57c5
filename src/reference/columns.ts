import type { Value } from "../algebra/types.ts";
import { describe } from "../algebra/value_problem.ts";
import { ArgumentError } from "../errors.ts";
import type { Grouping } from "../plan/grouping.ts";
import type { ReferenceMonoid } from "./twins.ts";

type Combine = Pick<ReferenceMonoid, "identity" | "reference">;

/** What comes before the items of a column, and the order in which they are combined. */
export interface ColumnOptions {
  readonly exclusive?: boolean;
  readonly initial?: Value | undefined;
  readonly grouping?: Grouping | undefined;
}

/** The rows of a chunk; without a grouping, all of them. @throws {ArgumentError} for a grouping of another plan. */
function chunkRowsOf(grouping: Grouping | undefined, caller: string): number {
  if (grouping === undefined) {
    return Infinity;
  }
  const rows: unknown = grouping?.rowsPerChunk;
  if (typeof rows !== "number" || !Number.isInteger(rows) || rows < 1) {
    throw new ArgumentError(
      `${caller}: grouping: rowsPerChunk is ${describe(rows)}; for columns it takes what groupingOf of a plan of columns returns`,
      "grouping",
    );
  }
  return rows;
}

/** The items of each column, cut into chunks. */
const chunksOf = (
  elements: readonly Value[],
  columns: number,
  grouping: Grouping | undefined,
  caller: string,
): (readonly Value[])[][] => {
  const most = chunkRowsOf(grouping, caller);
  return Array.from({ length: columns }, (_, column) => {
    const rows = Math.max(0, Math.ceil((elements.length - column) / columns));
    const chunkRows = Math.max(1, Math.min(most, rows));
    return Array.from({ length: Math.ceil(rows / chunkRows) }, (__, chunk) => {
      const first = chunk * chunkRows;
      return Array.from(
        { length: Math.min(chunkRows, rows - first) },
        (___, row) => elements[(first + row) * columns + column] as Value,
      );
    });
  });
};

const fold = ({ identity, reference }: Combine, values: readonly Value[]): Value =>
  values.reduce((earlier, later) => reference(earlier, later), identity);

/** shaders/device/kernels/scan_columns.wgsl: the prefixes of each column, chunk after chunk, each on top of its carry. */
export function columnsScan(
  monoid: Combine,
  elements: readonly Value[],
  columns: number,
  { exclusive = false, initial, grouping }: ColumnOptions,
  caller: string,
): readonly Value[] {
  const { identity, reference } = monoid;
  const prefixes: Value[] = Array(elements.length);
  for (const [column, chunks] of chunksOf(elements, columns, grouping, caller).entries()) {
    let index = column;
    let before = identity;
    for (const chunk of chunks) {
      let prefix = initial === undefined ? before : reference(initial, before);
      for (const element of chunk) {
        const earlier = prefix;
        prefix = reference(prefix, element);
        prefixes[index] = exclusive ? earlier : prefix;
        index += columns;
      }
      before = reference(before, fold(monoid, chunk));
    }
  }
  return prefixes;
}

/** shaders/device/kernels/reduce_columns.wgsl: the total of each column. `empty` is what a column without items has. */
export const columnTotals = (
  monoid: Combine,
  elements: readonly Value[],
  columns: number,
  { initial, grouping }: ColumnOptions,
  empty: Value,
  caller: string,
): readonly Value[] =>
  chunksOf(elements, columns, grouping, caller).map((chunks) => {
    const total = fold(
      monoid,
      chunks.map((chunk) => fold(monoid, chunk)),
    );
    return chunks.length === 0 ? empty : initial === undefined ? total : monoid.reference(initial, total);
  });
