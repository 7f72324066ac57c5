import { requireKind, requireRows } from "../../algebra/segments.ts";
import { refuse } from "../../errors.ts";

// Rows in pieces. If a row fits in a piece, each piece has whole rows, and no piece hands anything on to the next. A longer row
// goes in parts, each on top of the carry of those before it, and no piece has items of two rows.

/** How data is cut into pieces where rows end. */
export interface RowCut {
  readonly columns: number;
  /** Whether pieces have whole rows. Otherwise each has a part of one row. */
  readonly isWhole: boolean;
  /** The most items of a piece. */
  readonly most: number;
  /** The items of a piece that is full. */
  itemsOf(piece: number): number;
  /** The index of a piece's first item. */
  firstOf(piece: number): number;
  /** Whether a row starts with the piece. */
  starts(piece: number): boolean;
  /** Whether a row ends with the piece, once that is full. */
  ends(piece: number): boolean;
}

/** Cuts rows of `columns` items into pieces of no more than `most` items. */
export function cutRows(columns: number, most: number): RowCut {
  if (columns <= most) {
    const items = most - (most % columns);
    return {
      columns,
      isWhole: true,
      most: items,
      itemsOf: () => items,
      firstOf: (piece) => piece * items,
      starts: () => true,
      ends: () => true,
    };
  }
  const parts = Math.ceil(columns / most);
  const ends = (piece: number): boolean => piece % parts === parts - 1;
  return {
    columns,
    isWhole: false,
    most,
    itemsOf: (piece) => (ends(piece) ? columns - (parts - 1) * most : most),
    firstOf: (piece) => Math.floor(piece / parts) * columns + (piece % parts) * most,
    starts: (piece) => piece % parts === 0,
    ends,
  };
}

/** The items of a row of a stream. @throws {ArgumentError} for segments that are no rows. */
export function rowsOfStream(segments: unknown, caller: string): number {
  const [kind, value] = requireKind(segments, caller, undefined);
  if (kind !== "rows") {
    refuse(caller, "segments", `{ ${kind} }`, "{ rows }: other segments need all of the data at once");
  }
  return requireRows("rows", value, undefined, caller);
}
