import type { SourceError } from "../../errors.ts";
import { ShaderError } from "../../errors.ts";
import { withCure } from "../../text/habits.ts";
import type { Module } from "../../text/link.ts";
import { MARK } from "../../text/mark.ts";
import type { Line } from "../../text/origins.ts";
import { callersNeighbour, errorAt, linesOf } from "../../text/origins.ts";
import { eachToken, piecesOf } from "../../text/pieces.ts";

// What a compiler says of a kernel becomes an error at the line that was written.

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
  return errorAt(own, linked, { line, column, isExact: own === origin }, (name, callersLine) =>
    withHint(
      name,
      report,
      withCure(
        withoutOurName(name, text),
        callersLine,
        !/ of the operator /.test(name),
        floatParamsOf(linked),
      ),
    ),
  );
}

/** The params of f32 that a module has. */
function floatParamsOf({ code }: Module): readonly string[] {
  const [, members = ""] = /\bstruct Params \{([^}]*)\}/.exec(code) ?? [];
  return Array.from(members.matchAll(new RegExp(`\\b${MARK}(\\w+): f32,`, "g")), ([, name = ""]) => name);
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
    /return statement type must match|`return` expression .* does not match|returns .+, and this is/.test(
      report,
    )
    ? `${text}; the option ${option} says what ${name} gives`
    : text;
}

/** What the simulator says of the function that a caller's text is put into, whose name the caller does not know. */
const RETURNS_ANOTHER = new RegExp(`^(?!${MARK})\\w+ returns (.+), and this is (.+)$`);
const withoutOurName = (name: string, text: string): string =>
  name.startsWith("the ") ? text.replace(RETURNS_ANOTHER, "this is $2; it takes $1") : text;

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
