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
  /** Writes the text anew. */
  read?(text: string): string | Fault;
}

/** What is wrong with a caller's text, and the place in it. */
export interface Fault {
  readonly problem: string;
  readonly at: number;
}

/** Lets callers' texts take values of 64 bits as numbers, which WGSL has as pairs of words. */
export interface CallersNumbers {
  /** The files whose functions the new texts call. */
  readonly files: readonly SourceText[];
  /** What reads the texts of one caller, over values of these types. */
  reader(types: readonly CallersType[]): CallersReader;
}

/** A type of a caller's values. */
export interface CallersType {
  /** The files whose functions the caller's texts may call, and which declare its structs. */
  readonly files: readonly SourceText[];
  readonly numbers?: CallersNumbers;
}

/** Reads the texts of one caller, and writes them anew, on the same lines. */
export interface CallersReader {
  /** Declarations. The texts that are read after them may use them. */
  declarations(text: string): string | Fault;
  /** What a function of these parameters ends with: an expression, or statements. A type that is a string is WGSL's own. */
  body(
    text: string,
    parameters: Readonly<Record<string, CallersType | string>>,
    result: CallersType | string,
    isStatements: boolean,
  ): string | Fault;
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
    refuse(
      caller,
      option,
      given === null ? "null" : typeof given === "function" ? "a function" : typeof given,
      takes,
    );
  }
  if (!hasCode(given)) {
    refuse(caller, option, "empty", takes);
  }
}

/** The caller's text. It stands on lines of its own, so that a line that a compiler names is a line of the caller's. */
export function callersText(name: string, text: string, sees: Sees = {}): SourceText {
  const plain = rewritten(name, text, sees);
  // Kernels of one plan rename the same words in most cases.
  const renamed = new Map<string, SourceText>();
  let words: readonly string[] | undefined;
  return {
    name,
    text: plain,
    callers: true,
    written: text,
    avoiding(taken) {
      const marks = marksOf(taken, sees);
      words ??= [...new Set(piecesOf(plain).flatMap(wordsOf))];
      const key = words.filter((word) => marks.has(word)).join();
      let result = renamed.get(key);
      if (result === undefined) {
        const pieces = markedPieces(plain, marks);
        result = { ...this, text: pieces.map(textOf).join(""), references: new Set(pieces.flatMap(wordsOf)) };
        renamed.set(key, result);
      }
      return result;
    },
  };
}

/** The caller's text without comments, written anew where it has numbers of 64 bits. @throws {SourceError} if it cannot be read. */
function rewritten(name: string, text: string, { read }: Sees): string {
  const plain = plainText(name, text);
  const result = read?.(plain) ?? plain;
  if (typeof result === "string") {
    return result;
  }
  const { line, column } = placeOf(plain.slice(0, result.at));
  const callersLine = text.split(LINE_BREAK)[line - 1] ?? "";
  throw new SourceError(
    `${name}, line ${line}: ${result.problem}\n  ${callersLine.trim()}`,
    text,
    line,
    column,
  );
}

/** Whether a caller's text is statements that return, and no expression. */
export const isStatements = (text: string): boolean =>
  [...tokensOf(text)].some(([, , word]) => word === "return");

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
  const returns = isStatements(text);
  if (!returns) {
    requireExpression(name, text, 'leave it out, or write statements, the last of which is "return …;"');
  }
  const [start, end] = returns ? ["", ""] : [`\n  return ${open}`, `  ${close};\n`];
  return [generated(head + start), callersText(name, text, sees), generated(`${end}}`)];
}

/**
 * Requires text that may be an expression.
 *
 * @throws {SourceError} at the first semicolon, which ends a statement.
 */
export function requireExpression(name: string, text: string, cure = "leave it out"): void {
  const tokens = tokensOf(text);
  const at = tokens.findIndex(([token, isBlank]) => token === ";" && !isBlank);
  if (at >= 0) {
    const { line, column } = placeOf(
      tokens
        .slice(0, at)
        .map(([token]) => token)
        .join(""),
    );
    throw new SourceError(`${name}, line ${line}: an expression takes no ";"; ${cure}`, text, line, column);
  }
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
  readonly type: CallersType;
}): CallersCombine {
  // They are asked for when the text is written: the operator's CPU twin does without.
  const numberFiles = (): readonly SourceText[] => type.numbers?.files ?? [];
  const known = new Map<string, readonly Source[]>();
  const own = (head: string): readonly Source[] => {
    const sources = known.get(head) ?? read(head);
    known.set(head, sources);
    return sources;
  };
  const read = (head: string): readonly Source[] => {
    const files = [...type.files, ...numberFiles()];
    const title = `declarations of the operator ${name}`;
    const reader = type.numbers?.reader([type]);
    const reading = reader && { read: reader.declarations };
    const declares = declaredNames(callersText(title, declarations, { ...reading }), namesOf(files));
    const parameters = { earlier: type, later: type };
    const sees = {
      files,
      own: declares,
      parameters: Object.keys(parameters),
      read: (text: string): string | Fault =>
        reader?.body(text, parameters, type, isStatements(text)) ?? text,
    };
    return [
      ...(declares.length === 0
        ? []
        : [callersText(title, declarations, { files, own: declares, ...reading })]),
      callersFunction(head, `combine of the operator ${name}`, combine, sees),
    ];
  };
  return {
    sources: (head) => [...numberFiles(), ...own(head)],
    text(head, taken) {
      const names = new Set(taken);
      const textOf = (source: SourceText): string => (source.avoiding?.(names) ?? source).text;
      const text = own(head)
        .map((source) => ("text" in source ? textOf(source) : source.map(textOf).join("\n")))
        .join("\n");
      // As in kernels of ours, f16 is enabled where it is used.
      return piecesOf(text)
        .flatMap(wordsOf)
        .some((word) => /^f16(_from_|$)|_from_f16$/.test(word))
        ? `enable f16;\n${text}`
        : text;
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
export function placeOf(before: string): { line: number; column: number } {
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
