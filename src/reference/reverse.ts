import type { ReferenceSegments } from "./segments.ts";
import type { ReferenceMonoid } from "./twins.ts";

// Scans from the last item to the first, as scans of items in mirrored order.

/** An operator that gets its operands the other way round. */
export const swapped = (own: ReferenceMonoid): ReferenceMonoid => ({
  ...own,
  swapped: true,
  reference: (earlier, later) => own.reference(later, earlier),
});

/** The index of the item that comes at an index in the order of a scan. In reverse, rows and columns are mirrored each on its own. */
export function placesOf(
  length: number,
  reverse: boolean,
  { rows, columns, matrixItems = length }: Pick<ReferenceSegments, "rows" | "columns" | "matrixItems"> = {},
): (index: number) => number {
  if (!reverse) {
    return (index) => index;
  }
  if (rows !== undefined) {
    return (index) => index + rows - 1 - 2 * (index % rows);
  }
  if (columns !== undefined) {
    return (index) =>
      index - (index % matrixItems) + matrixItems - columns - (index % matrixItems) + 2 * (index % columns);
  }
  return (index) => length - 1 - index;
}

/** The segments of items in the order of a scan. In reverse, each starts at the item that is its last one. */
export const inOrder = (segments: ReferenceSegments, length: number, reverse: boolean): ReferenceSegments =>
  reverse && segments.rows === undefined && segments.columns === undefined
    ? { ...segments, isHead: (index) => index === 0 || segments.isHead(length - index) }
    : segments;
