/** Makes the lines of a table from their cells: the first column stands at the left, and the others at the right of these widths. */
export const lineOfWidths =
  (widths: readonly number[]) =>
  (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join(" ")
      .trimEnd();
