import { SourceError } from "../errors.ts";
import type { Module } from "./link.ts";
import { MARK } from "./mark.ts";
import { LINE_BREAK } from "./pieces.ts";
import type { SourceText } from "./source.ts";

// Where the lines of a linked module were written.

/** Matches the mark that starts the caller's names in a module that has ours, too. */
const MARKED = new RegExp(`(?<!\\p{XID_Continue})${MARK}`, "gu");

/** A line of WGSL, and where it was written. */
export interface Line {
  readonly text: string;
  readonly source: SourceText;
  /** Counted from 1. */
  readonly number: number;
}

/**
 * The origin of each line of a module. It is undefined for lines that linking puts between declarations, and for the braces of loops that
 * are written out. To find out, the module is linked once more, from sources in which each line has its own number in a comment.
 */
export function linesOf({ relink }: Module): (Line | undefined)[] {
  const lines: Line[] = [];
  const marked = relink((source) => ({
    ...source,
    text: source.text
      .split("\n")
      .map((text, at) =>
        text.trim() === "" ? text : `${text} // line ${lines.push({ text, source, number: at + 1 }) - 1}`,
      )
      .join("\n"),
  }));
  return marked.split("\n").map((text) => lines[Number(/ \/\/ line (\d+)$/.exec(text)?.[1])]);
}

/**
 * The caller's line next to a line of ours that an error is at. If the caller's expression has the wrong type, compilers
 * report that at our `return (`, on the line above. Naga reports it at the function's head, one line further up.
 */
export function callersNeighbour(lines: readonly (Line | undefined)[], at: number): Line | undefined {
  const around = [lines[at + 1], lines[at - 1], lines[at + 2]];
  return around.find((line) => line?.source.callers);
}

/** A place in a module, as a compiler names it. */
interface Place {
  readonly line: number;
  readonly column: number;
  /** Whether the place is in the caller's line, and not next to it. */
  readonly isExact: boolean;
}

/** The error at a caller's line. `tell` says what is wrong, from the name of the caller's text and that line. */
export function errorAt(
  { source, number }: Line,
  { code }: Module,
  { line, column, isExact }: Place,
  tell: (name: string, callersLine: string) => string,
): SourceError {
  const { name, written = source.text } = source;
  const compiled = code.split("\n")[line - 1] ?? "";
  const before = compiled.slice(0, Math.max(0, column - 1));
  const callersLine = written.split(LINE_BREAK)[number - 1] ?? "";
  // If the compiler's line is not the caller's, or was written anew, its column is not the caller's either.
  const isSameLine = isExact && compiled.replace(MARKED, "").length === callersLine.length;
  const told = tell(name, callersLine).replace(MARKED, "");
  // What follows the caller's text is ours.
  const problem = isExact ? told : told.replace(/\bfound '[^']*'/, "found the end of the text");
  return new SourceError(
    `${name}, line ${number}: ${problem}\n  ${callersLine.trim()}`,
    written,
    number,
    isSameLine ? Math.max(0, column - MARK.length * (before.match(MARKED)?.length ?? 0)) : 0,
  );
}
