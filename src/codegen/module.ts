import type { SourceText } from "../types.ts";

/** A line of WGSL, and where it was written. */
export interface Line {
  readonly text: string;
  readonly source: SourceText;
  /** Counted from 1. */
  readonly number: number;
}

/** A linked module: its text, and the origin of each of its lines. */
export interface Module {
  readonly code: string;
  readonly lines: readonly Line[];
}

/** One declaration at module scope, with the comment lines right above it. */
export interface Declaration {
  readonly name: string;
  readonly keyword: string;
  readonly lines: readonly Line[];
  readonly references: ReadonlySet<string>;
}

/** What a text declares. */
export interface Parsed {
  /** Bodies of `enable` directives: `f16`, `subgroups`. */
  readonly enables: readonly string[];
  /** What stands between the parentheses of `diagnostic` directives. */
  readonly diagnostics: readonly string[];
  readonly declarations: readonly Declaration[];
}

export const generated = (text: string): SourceText => ({ name: "generated contract", text });

/** Text as lines that know where they came from. */
export function linesOf(source: SourceText): Line[] {
  return source.text.split("\n").map((text, index) => ({ text, source, number: index + 1 }));
}

/** Values of the constants that loops to be written out are bounded by. */
export type Constants = Readonly<Record<string, number>>;

/** The file's lines with each loop marked `// unroll` written out, loops within loops too. */
export function unroll(lines: readonly Line[], constants: Constants): Line[] {
  const result: Line[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as Line;
    const head = /^(\s*)for \(var (\w+) = (\d+)u; \2 < (\w+); \2\+\+\) \{ \/\/ unroll$/.exec(line.text);
    if (head === null) {
      result.push(line);
      continue;
    }
    const [, indent = "", variable = "", start = "", bound = ""] = head;
    const end = lines.findIndex((candidate, index) => index > at && candidate.text === `${indent}}`);
    const count = constants[bound];
    if (end < 0 || count === undefined) {
      throw new Error(`${line.source.name}:${line.number}: a loop that cannot be unrolled`);
    }
    const name = new RegExp(`\\b${variable}\\b`, "g");
    for (let value = Number(start); value < count; value++) {
      result.push({ ...line, text: `${indent}{` });
      const body = lines
        .slice(at + 1, end)
        .map((inner) => ({ ...inner, text: inner.text.replace(name, `${value}u`) }));
      result.push(...unroll(body, constants));
      result.push({ ...(lines[end] as Line), text: `${indent}}` });
    }
    at = end;
  }
  return result;
}

/** Sources that together are one declaration: the text of ours around the text of theirs. */
export type SourceParts = readonly SourceText[];

/** What a module is linked from: files and text of ours, declarations in several parts, and what the caller declares. */
export type Source = SourceText | SourceParts | Parsed;

/** The first line of a declaration, or what follows its attributes. */
const HEAD = /^(?:@.*\) )?(fn|const|override|var|struct|alias)\b(?:<.*?>)? *(\w+)/;

/** Identifiers that may name a declaration: all but members, which follow a dot. */
export const IDENTIFIERS = /(?<!\.\s*)\b[A-Za-z_]\w*/g;

const identifiersIn = (lines: readonly Line[]): Set<string> =>
  new Set(lines.flatMap(({ text }) => text.replace(/\/\/.*/, "").match(IDENTIFIERS) ?? []));

/**
 * Splits WGSL of ours into its declarations, by its form alone: what a declaration holds is indented, or a
 * closing brace. `parse` of callers.ts takes any WGSL, and finds the same.
 */
export function split(lines: readonly Line[]): Parsed {
  const enables: string[] = [];
  const declarations: Declaration[] = [];
  let head: RegExpExecArray | null = null;
  let own: Line[] = [];
  const finish = (): void => {
    const [, keyword = "", name = ""] = head ?? [];
    if (head !== null) {
      declarations.push({ name, keyword, lines: own, references: identifiersIn(own) });
    }
    head = null;
    own = [];
  };
  for (const line of lines) {
    const { text } = line;
    const enabled = /^enable (\w+);/.exec(text)?.[1];
    if (enabled !== undefined) {
      enables.push(enabled);
    } else if (!text.startsWith("const_assert")) {
      // A comment goes with what it is right above.
      if (head === null ? text === "" : /^[^\s})]/.test(text)) {
        finish();
      }
      head ??= HEAD.exec(text);
      // Where the package is built, comments are taken out and leave their lines empty.
      if (text !== "") {
        own.push(line);
      }
    }
  }
  finish();
  return { enables, diagnostics: [], declarations };
}

/** A declaration in several parts. */
function declarationOf(parts: SourceParts): Declaration {
  const lines = parts.flatMap(linesOf);
  const [, keyword = "", name = ""] = HEAD.exec(lines[0]?.text ?? "") ?? [];
  return { name, keyword, lines, references: identifiersIn(lines) };
}

/** What sources declare, in their order. `splitText` is for text of ours. */
export function declared(
  sources: readonly Source[],
  splitText: (source: SourceText) => Parsed = (source) => split(linesOf(source)),
): Parsed {
  const parsed = sources.map(
    (source): Parsed =>
      "declarations" in source
        ? source
        : isParts(source)
          ? { enables: [], diagnostics: [], declarations: [declarationOf(source)] }
          : splitText(source),
  );
  return {
    enables: [...new Set(parsed.flatMap((one) => one.enables))],
    diagnostics: [...new Set(parsed.flatMap((one) => one.diagnostics))],
    declarations: parsed.flatMap((one) => one.declarations),
  };
}

const isParts = (source: SourceText | SourceParts): source is SourceParts => Array.isArray(source);

/** Files are split once for each set of constants that their loops are written out for. */
const splitFiles = new WeakMap<SourceText, Map<string, Parsed>>();

/** What sources declare, with loops written out that are marked so, where there are constants. */
export function declaredUnrolled(sources: readonly Source[], constants: Constants | undefined): Parsed {
  const key = JSON.stringify(constants);
  return declared(sources, (source) => {
    const known = splitFiles.get(source) ?? new Map<string, Parsed>();
    splitFiles.set(source, known);
    const lines = linesOf(source);
    const result = known.get(key) ?? split(constants === undefined ? lines : unroll(lines, constants));
    known.set(key, result);
    return result;
  });
}

/** Whether any of the declarations uses f16: only then is it enabled. */
export const usesF16 = (declarations: readonly Declaration[]): boolean =>
  declarations.some((one) => one.references.has("f16"));

/** The declarations that the roots reach, in the order given. A name's first declaration counts. */
export function reachable<One extends Pick<Declaration, "name" | "references">>(
  declarations: readonly One[],
  roots: readonly string[],
): One[] {
  const byName = new Map<string, One>();
  for (const declaration of declarations) {
    if (!byName.has(declaration.name)) {
      byName.set(declaration.name, declaration);
    }
  }
  const reached = new Set<One>();
  const pending = [...roots];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const declaration = byName.get(name);
    if (declaration !== undefined && !reached.has(declaration)) {
      reached.add(declaration);
      pending.push(...declaration.references);
    }
  }
  return declarations.filter((declaration) => reached.has(declaration));
}

/** Replaces identifiers outside comments; members (after a dot) stay. */
export const rename = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(/\/\/.*|(?<!\.\s*)\b[A-Za-z_]\w*/g, (word) => names.get(word) ?? word);

/** Directives, then declarations with an empty line between them. */
export function assemble(
  enables: Iterable<string>,
  declarations: readonly Declaration[],
  diagnostics: Iterable<string> = [],
): Module {
  const generated: SourceText = { name: "generated", text: "" };
  const blank: Line = { text: "", source: generated, number: 0 };
  const directives = [
    ...[...new Set(enables)].sort().map((name) => `enable ${name};`),
    ...[...diagnostics].map((rule) => `diagnostic(${rule});`),
  ];
  const lines: Line[] = directives.map((text) => ({ text, source: generated, number: 0 }));
  for (const declaration of declarations) {
    if (lines.length > 0) {
      lines.push(blank);
    }
    lines.push(...declaration.lines);
  }
  lines.push(blank);
  return { code: lines.map((line) => line.text).join("\n"), lines };
}
