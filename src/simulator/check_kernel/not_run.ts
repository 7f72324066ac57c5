import type { Block } from "../compile/compiled.ts";

/** Lines of the kernel with statements that no thread has run, in any run of a check: so they were not checked. */
export interface NotRun {
  /** The first line, from 1. */
  readonly line: number;
  /** The last line. It may be the same. */
  readonly endLine: number;
}

/** The lines of blocks that have not run, in ranges. `ran` has a 1 for each that has. */
export function linesNotRun(blocks: readonly Block[], ran: Uint8Array): readonly NotRun[] {
  const run = new Set(blocks.flatMap(({ lines }, at) => (ran[at] === 1 ? lines.map(([line]) => line) : [])));
  const parts = blocks
    .flatMap(({ function: around, lines }, at) =>
      ran[at] === 1 ? [] : lines.map(([line, endLine]) => ({ around, line, endLine })),
    )
    .sort((a, b) => a.line - b.line);
  const ranges: { around: string; line: number; endLine: number }[] = [];
  for (const part of parts) {
    const last = ranges.at(-1);
    if (last?.around === part.around && !hasBetween(run, last.endLine, part.line)) {
      last.endLine = Math.max(last.endLine, part.endLine);
    } else {
      ranges.push({ ...part });
    }
  }
  return ranges.map(({ line, endLine }) => ({ line, endLine }));
}

/** Whether one of some lines is between two others. */
function hasBetween(lines: ReadonlySet<number>, first: number, last: number): boolean {
  for (let line = first + 1; line < last; line++) {
    if (lines.has(line)) {
      return true;
    }
  }
  return false;
}
