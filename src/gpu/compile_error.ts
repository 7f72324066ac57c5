import { ShaderError, SourceError } from "../errors.ts";
import { MARK } from "../text/mark.ts";
import type { Module } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import { LINE_BREAK } from "../text/tokens.ts";

/** The caller's names, as they are beside ours. */
const MARKED = new RegExp(`(?<!\\p{XID_Continue})${MARK}`, "gu");

/** A line of WGSL, and where it was written. */
export interface Line {
  readonly text: string;
  readonly source: SourceText;
  /** Counted from 1. */
  readonly number: number;
}

/**
 * The origin of each line of a module; nothing for those that linking puts between declarations. The module is
 * linked once more, from sources whose lines say who they are.
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

/** What a compiler says is wrong with a module, at the line that was written. Loaded where one does not compile. */
export function shaderError(
  linked: Module,
  label: string,
  message: GPUCompilationMessage | undefined,
  failure: GPUError | null,
): ShaderError | SourceError {
  const { line, text, column } = locate(message, failure);
  const lines = linesOf(linked);
  const origin = lines[line - 1];
  const own = origin?.source.callers ? origin : callersNeighbour(lines, line - 1);
  if (own === undefined) {
    // A line that linking puts between declarations has no origin: then it is the place in the linked source.
    const where = `${origin?.source.name ?? label}:${origin?.number ?? line}`;
    return new ShaderError(
      `${where}: ${text}\nThis is a defect of Wavefold. The linked source:\n${linked.code}`,
    );
  }
  const { source, number } = own;
  const { written = source.text } = source;
  const before = linked.code.split("\n")[line - 1]?.slice(0, Math.max(0, column - 1)) ?? "";
  return new SourceError(
    `${source.name}, line ${number}: ${text.replace(MARKED, "")}\n  ${written.split(LINE_BREAK)[number - 1]?.trim()}`,
    written,
    number,
    // The compiler's column is in another line, where that is not theirs.
    own === origin ? Math.max(0, column - MARK.length * (before.match(MARKED)?.length ?? 0)) : 0,
  );
}

/** The first error's place. Naga leaves the place in its text; Dawn gives it as numbers. */
function locate(
  message: GPUCompilationMessage | undefined,
  failure: GPUError | null,
): { line: number; column: number; text: string } {
  const whole = message?.message ?? failure?.message ?? "";
  const place = /wgsl:(\d+):(\d+)/.exec(whole) ?? /:(\d+):(\d+) error/.exec(whole);
  const naga = /parsing error: (.*)|validation error: (.*)/.exec(whole);
  return {
    line: message?.lineNum || Number(place?.[1] ?? 0),
    column: message?.linePos || Number(place?.[2] ?? 0),
    text: (naga?.[1] ?? naga?.[2] ?? whole).split("\n")[0] ?? "",
  };
}

/**
 * The caller's text that an error of ours encloses: `return (` on the line above theirs is where a
 * compiler reports that their expression has the wrong type; naga does at the function's head, above that.
 */
function callersNeighbour(lines: readonly (Line | undefined)[], at: number): Line | undefined {
  const around = [lines[at + 1], lines[at - 1], lines[at + 2]];
  return around.find((line) => line?.source.callers);
}
