import { describe } from "../algebra/check_value.ts";
import type { Value } from "../algebra/types.ts";
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

/** A number of rows of the grouping; without a grouping, all of them. @throws {ArgumentError} for another plan's grouping. */
function rowsOf(
  grouping: Grouping | undefined,
  name: "rowsPerChunk" | "rowsPerRun",
  caller: string,
  otherwise?: number,
): number {
  if (grouping === undefined) {
    return Infinity;
  }
  const rows: unknown = grouping?.[name] ?? otherwise;
  if ((rows !== otherwise && !(Number.isInteger(rows) && (rows as number) >= 1)) || rows === undefined) {
    throw new ArgumentError(
      `${caller}: grouping: ${name} is ${describe(rows)}; for columns it takes what groupingOf of a plan of columns returns`,
      "grouping",
    );
  }
  return rows as number;
}

/** Values in parts of equal length; the last part may be shorter. */
const partsOf = (values: readonly Value[], most: number): (readonly Value[])[] => {
  const size = Math.max(1, Math.min(most, values.length));
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size),
  );
};

/** The items of each column, cut into chunks. */
const chunksOf = (
  elements: readonly Value[],
  columns: number,
  grouping: Grouping | undefined,
  caller: string,
): (readonly Value[])[][] => {
  const chunkRows = rowsOf(grouping, "rowsPerChunk", caller);
  return Array.from({ length: columns }, (_, column) => {
    const rows = Math.max(0, Math.ceil((elements.length - column) / columns));
    const own = Array.from({ length: rows }, (__, row) => elements[row * columns + column] as Value);
    return partsOf(own, chunkRows);
  });
};

const fold = ({ identity, reference }: Combine, values: readonly Value[]): Value =>
  values.reduce((earlier, later) => reference(earlier, later), identity);

/** shaders/device/kernels/scan_columns.wgsl and scan_column_blocks.wgsl: the prefixes of each column, chunk after chunk, each on top of its carry. */
export function columnsScan(
  monoid: Combine,
  elements: readonly Value[],
  columns: number,
  { exclusive = false, initial, grouping }: ColumnOptions,
  caller: string,
): readonly Value[] {
  const { identity, reference } = monoid;
  const prefixes: Value[] = Array(elements.length);
  const runRows = rowsOf(grouping, "rowsPerRun", caller, Infinity);
  for (const [column, chunks] of chunksOf(elements, columns, grouping, caller).entries()) {
    let index = column;
    let before = identity;
    for (const chunk of chunks) {
      let above = initial === undefined ? before : reference(initial, before);
      for (const run of partsOf(chunk, runRows)) {
        let prefix = above;
        for (const element of run) {
          const earlier = prefix;
          prefix = reference(prefix, element);
          prefixes[index] = exclusive ? earlier : prefix;
          index += columns;
        }
        above = reference(above, fold(monoid, run));
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
