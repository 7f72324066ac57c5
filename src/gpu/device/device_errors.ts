import { LimitError, OutOfMemoryError, ShaderError, SourceError, WavefoldError } from "../../errors.ts";
import type { Plan } from "../../plan/plan.ts";
import { withCure } from "../../text/habits.ts";
import type { Module } from "../../text/link.ts";
import { MARK } from "../../text/mark.ts";
import { eachToken, LINE_BREAK, piecesOf } from "../../text/pieces.ts";
import type { SourceText } from "../../text/source.ts";
import { withoutStack } from "./without_stack.ts";

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
 * The error for a module that does not compile: what the compiler says, at the line that was written.
 */
export function shaderError(
  linked: Module,
  label: string,
  message: GPUCompilationMessage | undefined,
  failure: GPUError | null,
): ShaderError | SourceError {
  const report = message?.message ?? failure?.message ?? "";
  const { line, text, column } = locate(report, message);
  const lines = linesOf(linked);
  const origin = lines[line - 1];
  const own = origin?.source.callers
    ? origin
    : (callersNeighbour(lines, line - 1) ?? callersDirective(linked, line - 1));
  if (own === undefined) {
    // A line that linking puts between declarations has no origin. Then the message has the line of the linked source.
    const where = `${origin?.source.name ?? label}:${origin?.number ?? line}`;
    const { code } = linked;
    return Object.assign(
      new ShaderError(`${where}: ${text}\nThis is a defect of Wavefold. The linked source:\n${code}`),
      { source: code },
    );
  }
  const { source, number } = own;
  const { written = source.text } = source;
  const compiled = linked.code.split("\n")[line - 1] ?? "";
  const before = compiled.slice(0, Math.max(0, column - 1));
  const callersLine = written.split(LINE_BREAK)[number - 1] ?? "";
  const told = withHint(source.name, report, withCure(text, callersLine));
  // If the compiler's line is not the caller's, or was written anew, its column is not the caller's either.
  const isSameLine = own === origin && compiled.replace(MARKED, "").length === callersLine.length;
  return new SourceError(
    `${source.name}, line ${number}: ${told.replace(MARKED, "")}\n  ${callersLine.trim()}`,
    written,
    number,
    isSameLine ? Math.max(0, column - MARK.length * (before.match(MARKED)?.length ?? 0)) : 0,
  );
}

/** The options that name the type of what a caller's expression gives. */
const typeOptions: Readonly<Record<string, string>> = { "the map": "type", "the key": "keyType" };

/**
 * What the compiler says, and what to do about an expression of another type than was asked for, as Dawn and naga report it. `text` is
 * the report's first line.
 */
function withHint(name: string, report: string, text: string): string {
  const option = typeOptions[name];
  return option !== undefined &&
    /return statement type must match|`return` expression .* does not match/.test(report)
    ? `${text}; the option ${option} says what ${name} gives`
    : text;
}

/** The first error's place. Naga leaves the place in its text; Dawn gives it as numbers. */
function locate(
  whole: string,
  message: GPUCompilationMessage | undefined,
): { line: number; column: number; text: string } {
  const place = /wgsl:(\d+):(\d+)/.exec(whole) ?? /:(\d+):(\d+) error/.exec(whole);
  const naga = /parsing error: (.*)|validation error: (.*)/.exec(whole);
  return {
    line: message?.lineNum || Number(place?.[1] ?? 0),
    column: message?.linePos || Number(place?.[2] ?? 0),
    text: (naga?.[1] ?? naga?.[2] ?? whole).split("\n")[0] ?? "",
  };
}

/**
 * The caller's line next to a line of ours that an error is at. If the caller's expression has the wrong type, compilers
 * report that at our `return (`, on the line above. Naga reports it at the function's head, one line further up.
 */
function callersNeighbour(lines: readonly (Line | undefined)[], at: number): Line | undefined {
  const around = [lines[at + 1], lines[at - 1], lines[at + 2]];
  return around.find((line) => line?.source.callers);
}

/** The caller's line that has the directive at a line of a module. Linking moves all directives to the module's start. */
function callersDirective({ code, relink }: Module, at: number): Line | undefined {
  const words = wordLines(code.split("\n")[at] ?? "").map(([word]) => word);
  let found: Line | undefined;
  relink((source) => {
    const number = source.callers ? lineOfDirective(source.text, words) : undefined;
    if (number !== undefined) {
      found ??= { text: source.text.split("\n")[number - 1] ?? "", source, number };
    }
    return source;
  });
  return found;
}

/** The line, counted from 1, of the directive of a text that has these words. A text's `enable` may name several extensions. */
function lineOfDirective(text: string, [keyword, ...names]: readonly string[]): number | undefined {
  let line = 1;
  for (const { directive, keyword: own, text: piece } of piecesOf(text)) {
    const words = directive !== undefined && own === keyword ? wordLines(piece) : [];
    const places = names.map((name) => words.find(([word]) => word === name)?.[1]);
    const last = places.at(-1);
    if (last !== undefined && !places.includes(undefined)) {
      return line + last;
    }
    line += piece.split("\n").length - 1;
  }
  return undefined;
}

/** The words of a text without those in comments, and how many lines come before each. */
function wordLines(text: string): readonly (readonly [word: string, before: number])[] {
  const words: (readonly [string, number])[] = [];
  let line = 0;
  eachToken(text, (token, isBlank, word) => {
    if (word !== undefined && !isBlank) {
      words.push([word, line]);
    }
    line += token.split("\n").length - 1;
  });
  return words;
}

/** The error for what a device refuses. */
export const refusedError = (title: string, { message }: GPUError): WavefoldError =>
  new WavefoldError(`${title}: the device refused it: ${withoutStack(message)}`);

/** The error for a buffer that the device has no room for. It says that `needed` bytes are needed. */
export const roomError = (
  title: string,
  needed: number,
  label = "",
  { message }: GPUError,
): OutOfMemoryError =>
  new OutOfMemoryError(`${title}: no room for ${needed} bytes (${label}): ${withoutStack(message)}`, needed);

/** The error for a plan whose scratch no buffer or no binding has room for. */
export function scratchError(
  { title, maxLength, sizes, groupingOf }: Plan,
  bytes: number,
  most: number,
): LimitError {
  const { workGroupSize, itemsPerThread } = sizes ?? groupingOf("vectors");
  return new LimitError(
    `${title}: in tiles of ${workGroupSize} * ${itemsPerThread} items, maxLength ${maxLength} takes ${bytes} bytes of scratch, and the device's limit is ${most}; it takes a larger workGroupSize or itemsPerThread, or a smaller maxLength`,
    bytes,
    most,
    "maxLength",
  );
}

/**
 * Whether WGSL has `subgroup_id` on the device: the compiler says, by its error for a shader that uses it. Browsers tell it
 * without.
 */
export async function compilesSubgroupIds(device: GPUDevice): Promise<boolean> {
  device.pushErrorScope("validation");
  device.createShaderModule({
    label: "wavefold",
    code: "enable subgroups; @compute @workgroup_size(1) fn main(@builtin(subgroup_id) id: u32) {}",
  });
  // A lost device gives no answer.
  return device.popErrorScope().then(
    (failure) => failure === null,
    () => false,
  );
}
