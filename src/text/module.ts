import { directivesOf, piecesOf, tokensOf, wordsOf } from "./pieces.ts";
import type { Declaration, Parsed, Source, SourceText } from "./source.ts";

/** The values of the constants that bound the loops to unroll. */
export type Constants = Readonly<Record<string, number>>;

/**
 * The text with each loop that is marked `// unroll` written out, and loops within loops, too. A loop whose bound is not among the
 * constants, or is an expression, stays a loop. A loop that is written out stands in a function, on lines of its own, and its first line has exactly these tokens:
 * `for (var item = 0u; item < ITEMS; item++) { // unroll`.
 */
export const unroll = (text: string, constants: Constants): string =>
  text.includes(LOOP) ? unrolled(textsOf(text), constants).join("") : text;

/** The same of a file. */
export const unrollFile = (file: SourceText, constants: Constants): SourceText => ({
  ...file,
  text: unroll(file.text, constants),
});

const LOOP = "// unroll";
const textsOf = (text: string): string[] => tokensOf(text).map(([token]) => token);

/** A declaration with such loops, read once. */
interface Looped {
  readonly tokens: readonly string[];
  /** The names of the loops' bounds. */
  readonly bounds: readonly string[];
  /** The declaration with its loops written out, by the bounds' values. */
  readonly written: Map<string, Declaration>;
}

const loopedKnown = new WeakMap<Declaration, Looped>();

function loopedOf(declaration: Declaration): Looped {
  let looped = loopedKnown.get(declaration);
  if (looped === undefined) {
    const tokens = textsOf(declaration.text);
    const bounds = tokens.flatMap((_, at) => (isLoop(tokens, at) ? (tokens[at + 16] as string) : []));
    looped = { tokens, bounds, written: new Map() };
    loopedKnown.set(declaration, looped);
  }
  return looped;
}

/** A declaration with its loops written out: see {@link unroll}. */
export function unrollDeclaration(declaration: Declaration, constants: Constants): Declaration {
  if (!declaration.text.includes(LOOP)) {
    return declaration;
  }
  const { tokens, bounds, written } = loopedOf(declaration);
  const values = bounds.map((bound) => constants[bound]).join();
  const result = written.get(values) ?? { ...declaration, text: unrolled(tokens, constants).join("") };
  written.set(values, result);
  return result;
}

/** Whether a loop to unroll starts at a token. */
const isLoop = (tokens: readonly string[], at: number): boolean =>
  tokens[at] === "for" && tokens[at + 26]?.startsWith(LOOP) === true;

function unrolled(tokens: readonly string[], constants: Constants): string[] {
  const result: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const count = isLoop(tokens, at) ? constants[tokens[at + 16] as string] : undefined;
    if (count === undefined) {
      result.push(tokens[at] as string);
      continue;
    }
    const variable = tokens[at + 5];
    let value = Number((tokens[at + 9] as string).slice(0, -1));
    // The end of the line before, and the loop's indentation.
    const line = /\n *$/.exec(result.pop() as string)?.[0] as string;
    const body = at + 27;
    while (tokens[at] !== "}" || !(tokens[at - 1] as string).endsWith(line)) {
      at++;
    }
    const turn = unrolled(tokens.slice(body, at), constants);
    for (; value < count; value++) {
      result.push(line, "{", ...turn.map((token) => (token === variable ? `${value}u` : token)), "}");
    }
  }
  return result;
}

/** How many values are kept. Kernels have most of what is generated in common. */
const MOST_KEPT = 512;

/** The value of a key, which is made if it is not kept. All are dropped when there are too many. */
export function keptIn<Value>(values: Map<string, Value>, key: string, make: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) {
    value = make();
    if (values.size >= MOST_KEPT) {
      values.clear();
    }
    values.set(key, value);
  }
  return value;
}

/** What was read lately, by its text. */
const parsedTexts = new Map<string, Parsed>();

/** Splits WGSL into its declarations. A caller's text may be invalid. Then it is split as far as possible. */
export const parse = (text: string): Parsed => keptIn(parsedTexts, text, () => parsedOfText(text));

function parsedOfText(text: string): Parsed {
  const pieces = piecesOf(text);
  const declarations: Declaration[] = [];
  // A comment behind a declaration, on the same line, belongs to it. `from` is its length, at the start of the next piece.
  let from = 0;
  pieces.forEach((piece, at) => {
    const { name, keyword, words } = piece;
    const own = piece.text.slice(from).replace(/^\s*\n/, "");
    const behind = /^[ \t]*\/\/.*/.exec(pieces[at + 1]?.text ?? "")?.[0] ?? "";
    from = behind.length;
    if (name) {
      declarations.push({ name, keyword, text: own + behind, references: new Set(words.filter(isName)) });
    }
  });
  return {
    directives: directivesOf(pieces).flatMap(eachEnabled),
    declarations,
    replaces: replacedIn(text),
  };
}

/** Whether a word is a name. The others are directives, of which a text has a list of its own. */
const isName = (word: string): boolean => !word.endsWith(";");

/** An `enable` of several extensions, as one `enable` for each. */
const eachEnabled = (directive: string): string[] =>
  /^enable (.*?),? *;$/
    .exec(directive)?.[1]
    ?.split(",")
    .map((one) => `enable ${one.trim()};`) ?? [directive];

/** The names after `// replaces:`, on a line of its own. */
const replacedIn = (text: string): string[] =>
  Array.from(text.matchAll(/^\/\/ replaces: ([\w, ]*\w)/gm), ([, names = ""]) => names.split(", ")).flat();

/**
 * A declaration of ours with the comment right above it, and without empty lines. The build of the package takes comments
 * out of the shaders and leaves their lines empty.
 */
const compacted = (declaration: Declaration): Declaration => ({
  ...declaration,
  text: declaration.text.replace(/^(?:(?:\/\/.*)?\n)*\n/, "").replace(/\n+/g, "\n"),
});

/** What each source declares, so that it is read only once. */
const known = new WeakMap<Source, Parsed>();
/** What our texts declare, by their names and themselves: many are generated again for each kernel. */
const ours = new Map<string, Parsed>();

function parsedOf(source: Source): Parsed {
  let parsed = known.get(source);
  if (parsed === undefined) {
    if (!("text" in source)) {
      // Texts that together are one declaration: the first has its name.
      const parts = source.map((part) => ({ part, pieces: piecesOf(part.text) }));
      const { keyword = "", name = "" } = parts[0]?.pieces[0] ?? {};
      const references = parts.flatMap(({ part, pieces }) =>
        part.callers ? [...(part.references ?? [])] : pieces.flatMap(wordsOf),
      );
      const text = source.map((part) => part.text).join("\n");
      parsed = {
        directives: [],
        declarations: [{ keyword, name, text, references: new Set(references.filter(isName)) }],
        replaces: [],
      };
    } else if (source.callers) {
      parsed = { ...parse(source.text), replaces: [] };
    } else {
      const { name, text } = source;
      parsed = keptIn(ours, `${name}\n${text}`, () => {
        const { declarations, ...others } = parsedOfText(text);
        return { ...others, declarations: declarations.map(compacted) };
      });
    }
    known.set(source, parsed);
  }
  return parsed;
}

const numbers = new WeakMap<Parsed, number>();
let lastNumber = 0;

/** The number of a text of ours. Sources of the same name and text have the same one. Undefined where the caller's text is in a source. */
export function numberOf(source: Source): number | undefined {
  if (!("text" in source) || source.callers) {
    return undefined;
  }
  const parsed = parsedOf(source);
  const number = numbers.get(parsed) ?? ++lastNumber;
  numbers.set(parsed, number);
  return number;
}

/** What sources declare, in their order. */
export function declared(sources: readonly Source[]): Parsed {
  const parsed = sources.map(parsedOf);
  return {
    directives: parsed.flatMap((one) => one.directives),
    declarations: parsed.flatMap((one) => one.declarations),
    replaces: parsed.flatMap((one) => one.replaces),
  };
}

/**
 * What sources declare, in their order, without what another source replaces.
 *
 * @throws {Error} for a mistake of ours. See {@link requireConsistent}.
 */
export function resolved(sources: readonly Source[]): Parsed {
  const parsed = sources.map(parsedOf);
  if (typeof WAVEFOLD_BUILT === "undefined") {
    requireConsistent(sources, parsed);
  }
  const replacing = new Map(parsed.flatMap((one) => one.replaces.map((name) => [name, one])));
  return {
    directives: parsed.flatMap((one) => one.directives),
    declarations: parsed.flatMap((one) =>
      one.declarations.filter(({ name }) => (replacing.get(name) ?? one) === one),
    ),
    replaces: [...replacing.keys()],
  };
}

/** The build of the package sets it. Its shaders are those that the tests have linked, so it need not check them again. */
declare const WAVEFOLD_BUILT: true | undefined;

/** The folder of a file of this name; "" for a text that is no file. */
const folderOf = (name: string): string => name.slice(0, name.lastIndexOf("/") + 1);

/** The name of a source: of several, that of the first. */
const nameOf = (source: Source | undefined): string =>
  source === undefined ? "" : "text" in source ? source.name : nameOf(source[0]);

const declares = ({ declarations }: Parsed, name: string): boolean =>
  declarations.some((declaration) => declaration.name === name);

/** Throws if a source replaces a name that no other file of its folder declares, or if a name is declared twice. */
function requireConsistent(sources: readonly Source[], parsed: readonly Parsed[]): void {
  const fault = (problem: string): Error =>
    new Error(`${problem} in ${[...new Set(sources.map(nameOf))].join(", ")}`);
  const replacing = new Map<string, Parsed>();
  for (const source of parsed) {
    for (const name of source.replaces) {
      if (replacing.has(name)) {
        throw fault(`${name} is replaced twice`);
      }
      replacing.set(name, source);
    }
  }
  // How often each name is declared.
  const counts = new Map<string, number>();
  for (const { name } of parsed.flatMap((source) => source.declarations)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const [name, count] of counts) {
    if (count > (replacing.has(name) ? 2 : 1)) {
      throw fault(`${name} is declared ${count} times`);
    }
  }
  for (const [name, source] of replacing) {
    if (counts.get(name) !== 2 || !declares(source, name)) {
      throw fault(`${name} is to be replaced, and is not declared by two sources`);
    }
    const other = parsed.find((another) => another !== source && declares(another, name));
    const fileOf = (from: Parsed | undefined): string => nameOf(from && sources[parsed.indexOf(from)]);
    requireOneFolder(name, fileOf(source), fileOf(other));
  }
}

/** Throws if a file replaces a name of another folder's file. */
function requireOneFolder(name: string, file: string, replaced: string): void {
  if (folderOf(file) === "" || folderOf(file) !== folderOf(replaced)) {
    throw new Error(
      `${file} replaces ${name} of ${replaced}; a file may replace only names of files in its own folder: take one of the two into the kernel's list`,
    );
  }
}

/** Directives, then declarations with an empty line between them. */
export const assemble = (directives: readonly string[], declarations: readonly Declaration[]): string =>
  `${[...(directives.length > 0 ? [directives.join("\n")] : []), ...declarations.map(({ text }) => text)].join("\n\n")}\n`;
