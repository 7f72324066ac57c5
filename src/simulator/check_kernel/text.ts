import { reach } from "../../text/link.ts";
import type { Piece } from "../../text/pieces.ts";
import { piecesOf, wordsOf } from "../../text/pieces.ts";
import type { Expression, Span, Variable } from "../../text/syntax.ts";
import { parseModule } from "../../text/syntax.ts";

// What the checker makes of a caller's text before it is compiled. All lines stay where they are.

/** A text in which each character but line breaks is a blank. */
const blank = (text: string): string => text.replace(/[^\n\r]/g, " ");

/** How many lines a text has. Functions are linked behind its last one. */
export const linesOf = (text: string): number => text.split("\n").length;

const isCompute = ({ code }: Piece): boolean => /@\s*compute\b/.test(code);
const isOfGraphics = ({ code }: Piece): boolean => /@\s*(?:vertex|fragment)\b/.test(code);
const isTextureWord = (word: string): boolean => /^(?:texture|sampler)/.test(word);

/** The names of a text's compute shaders. */
export const entryPointsOf = (text: string): readonly string[] =>
  piecesOf(text).flatMap((piece) => (piece.name !== "" && isCompute(piece) ? piece.name : []));

/**
 * The text without what takes textures or belongs to vertex and fragment shaders, unless the entry point reaches it: many files have
 * all of a program's shaders.
 */
export function withoutGraphics(text: string, entryPoint: string): string {
  const pieces = piecesOf(text);
  const words = new Map(pieces.map((piece) => [piece.name, wordsOf(piece)]));
  const needed = reach([entryPoint], (name) => words.get(name));
  const declared = (word: string): boolean => words.has(word);
  const removed = new Set<Piece>();
  const isRemoved = (name: string): boolean => [...removed].some((piece) => piece.name === name);
  const isOfNoUse = (piece: Piece): boolean =>
    piece.directive === undefined &&
    !needed.has(piece.name) &&
    (isOfGraphics(piece) ||
      piece.words.some((word) => (isTextureWord(word) && !declared(word)) || isRemoved(word)));
  // What refers to a removed name is removed, too, wherever it stands.
  for (let before = -1; before < removed.size; ) {
    before = removed.size;
    for (const piece of pieces.filter((one) => !removed.has(one) && isOfNoUse(one))) {
      removed.add(piece);
    }
  }
  return pieces.map((piece) => (removed.has(piece) ? blank(piece.text) : piece.text)).join("");
}

/** A value for an `override`. */
export type OverrideValue = number | boolean;

/** An `override` of a text, and the value that it has. */
export interface Override {
  /** As the text declares it. */
  readonly name: string;
  /** As WGSL writes it. */
  readonly value: string;
}

/** What was found about a text's `override`s. */
export interface Overridden {
  /** The text with a `const` in the place of each. */
  readonly text: string;
  readonly overrides: readonly Override[];
  /** Those that have no value. */
  readonly missing: readonly string[];
  /** Given names that the text has not. */
  readonly unknown: readonly string[];
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Gives each `override` its value. Then all that a pipeline would decide is known. @throws {TextFault} */
export function overridden(text: string, given: Readonly<Record<string, OverrideValue>>): Overridden {
  const variables = parseModule(text).filter(
    (one): one is Variable => one.kind === "variable" && one.keyword === "override",
  );
  const used = new Set<string>();
  const edits: Edit[] = [];
  const overrides: Override[] = [];
  const missing: string[] = [];
  for (const variable of variables) {
    const key = [variable.name.name, idOf(variable, text)].find(
      (one) => one !== undefined && Object.hasOwn(given, one),
    );
    const value = key === undefined ? undefined : literalOf(given[key] as OverrideValue, variable);
    used.add(key ?? "");
    edits.push(...editsOf(variable, text, value));
    const own = variable.value && text.slice(variable.value.from, variable.value.to);
    if (value === undefined && own === undefined) {
      missing.push(variable.name.name);
    } else {
      overrides.push({ name: variable.name.name, value: value ?? own ?? "" });
    }
  }
  return {
    text: edited(text, edits),
    overrides,
    missing,
    unknown: Object.keys(given).filter((name) => !used.has(name)),
  };
}

/** The number that a pipeline calls an `override` by. */
function idOf({ attributes }: Variable, text: string): string | undefined {
  const [first] = attributes.find(({ name }) => name === "id")?.args ?? [];
  return first && text.slice(first.from, first.to).replace(/[iu]$/, "");
}

function literalOf(value: OverrideValue, { type, value: own }: Variable): string {
  const isBool = (type?.kind === "name" && type.name === "bool") || own?.kind === "boolean";
  return isBool ? String(Boolean(value)) : String(Number(value));
}

/** What makes an `override` a `const`, of which nothing else on its line moves if its value stays. */
function editsOf({ attributes, from, name, type, value }: Variable, text: string, given?: string): Edit[] {
  const keyword = text.indexOf("override", attributes.at(-1)?.to ?? from);
  const edits = attributes.map((one) => ({
    from: one.from,
    to: one.to,
    text: blank(text.slice(one.from, one.to)),
  }));
  edits.push({ from: keyword, to: keyword + "override".length, text: "const   " });
  if (given !== undefined) {
    const end = (type ?? name).to;
    edits.push(
      value === undefined
        ? { from: end, to: end, text: ` = ${given}` }
        : { from: value.from, to: value.to, text: given },
    );
  }
  return edits;
}

function edited(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { from, to, text: by } of [...edits].sort((a, b) => b.from - a.from)) {
    result = result.slice(0, from) + by + result.slice(to);
  }
  return result;
}

/**
 * Says whether a place, by its line and column, is in one of the two values that a `select` chooses from. Kernels read past the end there, and
 * do not choose what they read.
 */
export function choicesOf(text: string): (line: number, column: number) => boolean {
  const spans: Span[] = [];
  const visit = (node: object): void => {
    const { kind, callee, args } = node as Partial<Extract<Expression, { kind: "call" }>>;
    if (kind === "call" && callee?.name === "select" && args !== undefined) {
      spans.push(...args.slice(0, 2));
    }
    for (const child of Object.values(node)) {
      if (typeof child === "object" && child !== null) {
        visit(child);
      }
    }
  };
  parseModule(text).forEach(visit);
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return (line, column) => {
    const at = (starts[line - 1] ?? 0) + column - 1;
    return spans.some(({ from, to }) => at >= from && at < to);
  };
}
