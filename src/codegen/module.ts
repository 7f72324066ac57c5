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

/** Words and punctuation; a comment is one match without a group. */
const TOKENS = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|([A-Za-z_][A-Za-z0-9_]*|\d[\w.]*|[^\s\w])/g;

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

/** Splits WGSL into its declarations. The text is valid WGSL, or the caller's: then it is split as far as it goes. */
export function parse(lines: readonly Line[]): Parsed {
  const text = lines.map((line) => line.text).join("\n");
  const starts: number[] = [];
  let offset = 0;
  for (const line of lines) {
    starts.push(offset);
    offset += line.text.length + 1;
  }
  const lineAt = (position: number): number => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= position) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  };

  const enables: string[] = [];
  const diagnostics: string[] = [];
  const declarations: Declaration[] = [];
  let words: string[] = [];
  let first = -1;
  let depth = 0;
  const finish = (end: number): void => {
    const from = lineAt(first);
    const name = declaredName(words);
    if (words[0] === "enable") {
      enables.push(...words.slice(1).filter((word) => /^\w/.test(word)));
    } else if (words[0] === "diagnostic") {
      diagnostics.push(
        words
          .filter((word) => /^\w/.test(word))
          .slice(1)
          .join(", "),
      );
    } else if (name !== undefined) {
      let top = from;
      while (top > 0 && /^\s*\/\//.test((lines[top - 1] as Line).text)) {
        top--;
      }
      declarations.push({
        ...name,
        // Where the package is built, comments are taken out and leave their lines empty.
        lines: lines.slice(top, lineAt(end) + 1).filter(({ text }) => text !== ""),
        references: references(words),
      });
    }
    words = [];
    first = -1;
  };
  for (const match of text.matchAll(TOKENS)) {
    const token = match[1];
    if (token === undefined) {
      continue;
    }
    if (first < 0) {
      if (token === ";") {
        continue;
      }
      first = match.index;
    }
    words.push(token);
    if (token === "{" || token === "(" || token === "[") {
      depth++;
    } else if (token === "}" || token === ")" || token === "]") {
      depth--;
      if (token === "}" && depth === 0) {
        finish(match.index);
      }
    } else if (token === ";" && depth === 0) {
      finish(match.index);
    }
  }
  if (first >= 0) {
    finish(text.length);
  }
  return { enables, diagnostics, declarations };
}

/** Sources that together are one function, or several: the text of ours around the text of theirs. */
export type SourceParts = readonly SourceText[];

/** Files are parsed once for each set of constants that their loops are written out for. */
const parsedFiles = new WeakMap<SourceText, Map<string, Parsed>>();

/** What sources declare, in their order. With constants, loops marked so are written out. */
export function parseSources(
  sources: readonly (SourceText | SourceParts)[],
  constants: Constants | undefined,
): Parsed {
  const parseLines = (lines: Line[]): Parsed =>
    parse(constants === undefined ? lines : unroll(lines, constants));
  const key = JSON.stringify(constants ?? null);
  const parsed = sources.map((source) => {
    if (isParts(source)) {
      return parseLines(source.flatMap(linesOf));
    }
    const known = parsedFiles.get(source) ?? new Map<string, Parsed>();
    parsedFiles.set(source, known);
    const result = known.get(key) ?? parseLines(linesOf(source));
    known.set(key, result);
    return result;
  });
  return {
    enables: [...new Set(parsed.flatMap((one) => one.enables))],
    diagnostics: [...new Set(parsed.flatMap((one) => one.diagnostics))],
    declarations: parsed.flatMap((one) => one.declarations),
  };
}

const isParts = (source: SourceText | SourceParts): source is SourceParts => Array.isArray(source);

/** Whether any of the declarations uses f16: only then is it enabled. */
export const usesF16 = (declarations: readonly Declaration[]): boolean =>
  declarations.some((one) => one.references.has("f16"));

/** The identifiers that may name a declaration: all but members, which follow a dot. */
function references(words: readonly string[]): Set<string> {
  return new Set(words.filter((word, index) => /^[A-Za-z_]/.test(word) && words[index - 1] !== "."));
}

function declaredName(words: readonly string[]): { name: string; keyword: string } | undefined {
  let at = 0;
  // Attributes: @name or @name(…).
  while (words[at] === "@") {
    at += 2;
    if (words[at] === "(") {
      let depth = 0;
      do {
        depth += words[at] === "(" ? 1 : words[at] === ")" ? -1 : 0;
        at++;
      } while (depth > 0 && at < words.length);
    }
  }
  const keyword = words[at];
  if (keyword === undefined || !["fn", "const", "override", "var", "struct", "alias"].includes(keyword)) {
    return undefined;
  }
  at++;
  if (keyword === "var" && words[at] === "<") {
    at = words.indexOf(">", at) + 1;
  }
  const name = words[at];
  return name === undefined ? undefined : { name, keyword };
}

/** The declarations that the roots reach, in the order given. A name's first declaration counts. */
export function reachable(declarations: readonly Declaration[], roots: readonly string[]): Declaration[] {
  const byName = new Map<string, Declaration>();
  for (const declaration of declarations) {
    if (!byName.has(declaration.name)) {
      byName.set(declaration.name, declaration);
    }
  }
  const reached = new Set<Declaration>();
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
export function rename(line: string, names: ReadonlyMap<string, string>): string {
  const comment = line.indexOf("//");
  const code = comment < 0 ? line : line.slice(0, comment);
  const renamed = code.replace(
    /(\.\s*)?\b([A-Za-z_]\w*)\b/g,
    (whole, dot: string | undefined, word: string) => (dot === undefined ? (names.get(word) ?? word) : whole),
  );
  return comment < 0 ? renamed : renamed + line.slice(comment);
}

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

/**
 * What is wrong with the brackets and comments of an expression that is pasted into a function, or
 * nothing. Text that closes what it did not open would otherwise end that function.
 */
export function unbalanced(text: string): { problem: string; line: number; column: number } | undefined {
  const closing: Record<string, string> = { ")": "(", "]": "[", "}": "{" };
  const open: { token: string; index: number }[] = [];
  const place = (index: number): { line: number; column: number } => {
    const before = text.slice(0, index).split("\n");
    return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  };
  for (const match of text.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|\/\*|[()[\]{}]/g)) {
    const token = match[0];
    if (token === "/*") {
      return { problem: "a comment that does not end", ...place(match.index) };
    }
    if ("([{".includes(token)) {
      open.push({ token, index: match.index });
    } else if (token in closing) {
      const last = open.pop();
      if (last?.token !== closing[token]) {
        return { problem: `'${token}' without its '${closing[token]}'`, ...place(match.index) };
      }
    }
  }
  const left = open.pop();
  return left === undefined ? undefined : { problem: `'${left.token}' is not closed`, ...place(left.index) };
}
