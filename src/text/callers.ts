import { refuse, SourceError } from "../errors.ts";
import { MARK } from "./mark.ts";
import { declared } from "./module.ts";
import type { Piece } from "./pieces.ts";
import { LINE_BREAK, piecesOf, textOf, tokensOf, wordsOf } from "./pieces.ts";
import { isReserved } from "./reserved.ts";
import type { Source, SourceText } from "./source.ts";
import { generated } from "./source.ts";

/** The names that a caller's text may use beside its own declarations and those of WGSL. */
export interface Sees {
  /** The parameters of the function around the text. */
  readonly parameters?: readonly string[];
  /** The files of its types. The text may use their functions and the caller's structs. */
  readonly files?: readonly SourceText[];
  /** The names that other text of the same caller declares. */
  readonly own?: readonly string[];
}

/** Whether a text has any code: more than blanks and comments. */
export const hasCode = (text: string): boolean => tokensOf(text).some(([, isBlank]) => !isBlank);

/** Requires text of a caller's that has code. @throws {ArgumentError} */
export function requireCode(
  caller: string,
  option: string,
  given: unknown,
  takes: string,
): asserts given is string {
  if (typeof given !== "string") {
    refuse(caller, option, given === null ? "null" : typeof given, takes);
  }
  if (!hasCode(given)) {
    refuse(caller, option, "empty", takes);
  }
}

/** The caller's text. It stands on lines of its own, so that a line that a compiler names is a line of the caller's. */
export function callersText(name: string, text: string, sees: Sees = {}): SourceText {
  const plain = plainText(name, text);
  return {
    name,
    text: plain,
    callers: true,
    written: text,
    apart(taken) {
      const pieces = markedPieces(plain, marksOf(taken, sees));
      return { ...this, text: pieces.map(textOf).join(""), references: new Set(pieces.flatMap(wordsOf)) };
    },
  };
}

/**
 * A function that ends with the caller's text: an expression, or statements that return. `head` is its first line. An expression's value
 * goes through what `open` and `close` say; statements return the function's own type.
 */
export function callersFunction(
  head: string,
  name: string,
  text: string,
  sees: Sees,
  open = "(",
  close = ")",
): readonly SourceText[] {
  const [start, end] = [...tokensOf(text)].some(([, , word]) => word === "return")
    ? ["", ""]
    : [`\n  return ${open}`, `  ${close};\n`];
  return [generated(head + start), callersText(name, text, sees), generated(`${end}}`)];
}

/** The function `combine` of a caller's operator, and the operator's declarations. `head` is the function's first line. */
export interface CallersCombine {
  sources(head: string): readonly Source[];
  /** The same, as one text. `taken` are our names. */
  text(head: string, taken: Iterable<string>): string;
}

export function callersCombine({
  name,
  combine,
  declarations,
  type,
}: {
  readonly name: string;
  readonly combine: string;
  readonly declarations: string;
  readonly type: { readonly files: readonly SourceText[] };
}): CallersCombine {
  const sources: CallersCombine["sources"] = (head) => {
    const { files } = type;
    const title = `declarations of the operator ${name}`;
    const own = declaredNames(callersText(title, declarations), namesOf(files));
    const sees = { files, own, parameters: ["earlier", "later"] };
    return [
      ...(own.length === 0 ? [] : [callersText(title, declarations, { files, own })]),
      callersFunction(head, `combine of the operator ${name}`, combine, sees),
    ];
  };
  return {
    sources,
    text(head, taken) {
      const names = new Set(taken);
      const apart = (source: SourceText): string => (source.apart?.(names) ?? source).text;
      const text = sources(head)
        .map((source) => ("text" in source ? apart(source) : source.map(apart).join("\n")))
        .join("\n");
      // As in kernels of ours, f16 is enabled where it is used.
      return piecesOf(text).flatMap(wordsOf).includes("f16") ? `enable f16;\n${text}` : text;
    },
  };
}

const markedPieces = (text: string, marks: ReadonlySet<string>): Piece[] =>
  piecesOf(text, (word) => (marks.has(word) || word.startsWith(MARK) ? MARK + word : word));

/**
 * The words of a caller's text that get the mark: our names, so that the text does not refer to what is ours; the caller's
 * names that we have under the mark; and the names that the caller's own texts declare. The names of the text's types and
 * parameters stay as they are.
 */
function marksOf(
  taken: Iterable<string>,
  { parameters = [], files = [], own = [] }: Sees,
): ReadonlySet<string> {
  const marks = new Set(taken);
  for (const name of [...marks]) {
    if (name.startsWith(MARK)) {
      marks.add(name.slice(MARK.length));
    }
  }
  for (const name of namesOf(files)) {
    marks.delete(name);
  }
  for (const name of own) {
    marks.add(name);
  }
  for (const name of parameters) {
    marks.delete(name);
  }
  return marks;
}

/** The names that files declare. */
const namesOf = (files: readonly SourceText[]): string[] =>
  declared(files).declarations.map(({ name }) => name);

/**
 * The names that the caller declares. It throws if a name is declared twice, is that of the operator's struct, or is a
 * reserved word of WGSL; and for a binding, since there is no buffer for it.
 */
function declaredNames({ name, text, written = text }: SourceText, taken: readonly string[]): string[] {
  const names = new Set(taken.flatMap((one) => (one.startsWith(MARK) ? [one.slice(MARK.length)] : [])));
  const own: string[] = [];
  const pieces = piecesOf(text);
  for (const piece of pieces) {
    const fault = (problem: string): SourceError => {
      const line = lineOf(pieces, piece);
      return new SourceError(`${name}, line ${line}: ${problem}`, written, line, 0);
    };
    if (names.has(piece.name)) {
      throw fault(`the name ${piece.name} is taken; choose another`);
    }
    if (isReserved(piece.name)) {
      throw fault(`${piece.name} is a reserved word of WGSL; choose another name, such as ${piece.name}_`);
    }
    if (/@ *(binding|group)\b/.test(piece.code)) {
      throw fault(`${piece.name} is a binding; an operator takes functions, constants and structs`);
    }
    if (piece.name !== "") {
      names.add(piece.name);
      own.push(piece.name);
    }
  }
  return own;
}

/** The line that a piece's name stands on, counted from 1. */
export function lineOf(pieces: readonly Piece[], piece: Piece): number {
  const own = tokensOf(piece.text);
  const at = own.findIndex(([, , word]) => word === piece.name);
  const before = own.slice(0, at).map(([token]) => token);
  return placeOf([...pieces.slice(0, pieces.indexOf(piece)).map(textOf), ...before].join("")).line;
}

/** The place right behind a text: its line and column, counted from 1. */
function placeOf(before: string): { line: number; column: number } {
  const lines = before.split(LINE_BREAK);
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/**
 * The caller's text with blanks in the place of comments, and LF for every line break. So a compiler sees exactly what was
 * checked here.
 *
 * @throws {SourceError} for text that could end what it is pasted into.
 */
export function plainText(name: string, text: string): string {
  const wrong = unbalanced(text);
  if (wrong !== undefined) {
    throw new SourceError(`${name}, line ${wrong.line}: ${wrong.problem}`, text, wrong.line, wrong.column);
  }
  return Array.from(tokensOf(text), ([token, isBlank]) =>
    isBlank ? token.replace(/\r\n/g, " \n").replace(LINE_BREAK, "\n").replace(/[^\n]/g, " ") : token,
  ).join("");
}

/**
 * What is wrong with the brackets, comments and characters of an expression that is pasted into a function; undefined if nothing is.
 * Text that closes what it did not open would otherwise end that function.
 */
export function unbalanced(text: string): { problem: string; line: number; column: number } | undefined {
  const closing: Record<string, string> = { ")": "(", "]": "[", "}": "{" };
  const open: { token: string; index: number }[] = [];
  // Where the comment starts that has not ended yet.
  let comment: number | undefined;
  let index = 0;
  const at = (problem: string, place: number): ReturnType<typeof unbalanced> => ({
    problem,
    ...placeOf(text.slice(0, place)),
  });
  for (const [token, isBlank] of tokensOf(text)) {
    if (isBlank) {
      if (comment === undefined && token === "/*") {
        comment = index;
      } else if (isBlank === 1 && token === "*/") {
        comment = undefined;
      }
    } else if (token === "\0") {
      return at("a NUL character, which WGSL does not take", index);
    } else if ("([{".includes(token)) {
      open.push({ token, index });
    } else if (")]}".includes(token) && open.pop()?.token !== closing[token]) {
      return at(`'${token}' without its '${closing[token]}'`, index);
    }
    index += token.length;
  }
  if (comment !== undefined) {
    return at("a comment that does not end", comment);
  }
  const left = open.pop();
  return left && at(`'${left.token}' is not closed`, left.index);
}
