import { quoted } from "./errors.ts";

/** What a literal of Python says: strings, whole numbers, True, False and None, and tuples, lists and dicts of them. */
export type Literal =
  | string
  | boolean
  | null
  | WholeNumber
  | { readonly kind: "tuple"; readonly items: readonly Literal[] }
  | { readonly kind: "list"; readonly items: readonly Literal[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [key: Literal, value: Literal])[] };

/** A number by its digits, which may be more than a number of JavaScript holds. */
export interface WholeNumber {
  readonly kind: "number";
  readonly digits: string;
}

/** What is wrong with a literal, and where. */
export class LiteralError extends Error {
  override name = "LiteralError";
}

/** How deep brackets may nest. The reader calls itself for each level, and no real file has as many. */
const MOST_DEPTH = 16;

const constants = { True: true, False: false, None: null } as const;

// Each starts where the last one ended and never goes back, so that the time is linear in the text.
const SPACE = /[ \t\r\n\f]*/y;
const STRING = /[uU]?(?:'((?:[^'\\\r\n]|\\.)*)'|"((?:[^"\\\r\n]|\\.)*)")/y;
const NUMBER = /(-?[0-9]+)[lL]?(?![\w.])/y;
const NAME = /(?:True|False|None)(?!\w)/y;

/**
 * Reads a literal of Python. Escapes in strings are kept as they are written.
 *
 * @throws {LiteralError} where the text is none.
 */
export function parseLiteral(text: string): Literal {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text) ?? undefined;
    at += match?.[0].length ?? 0;
    return match;
  };
  const takes = (what: string): never => {
    const found = at === text.length ? "it ends" : `it has ${quoted(text[at] ?? "")}`;
    throw new LiteralError(`${found} at character ${at}, where it takes ${what}`);
  };
  const takeMark = (mark: string): boolean => {
    take(SPACE);
    if (text[at] !== mark) {
      return false;
    }
    at++;
    return true;
  };
  /** What `one` reads, divided by commas, up to a bracket that closes. */
  const takeItems = <Item>(close: string, one: () => Item): Item[] => {
    const items: Item[] = [];
    while (!takeMark(close)) {
      items.push(one());
      if (!takeMark(",")) {
        return takeMark(close) ? items : takes(`"," or "${close}"`);
      }
    }
    return items;
  };
  const value = (depth: number): Literal => {
    if (depth > MOST_DEPTH) {
      return takes(`no more than ${MOST_DEPTH} brackets in each other`);
    }
    const inner = (): Literal => value(depth + 1);
    if (takeMark("{")) {
      const entry = (): readonly [Literal, Literal] => {
        const key = inner();
        return takeMark(":") ? [key, inner()] : takes('":"');
      };
      return { kind: "dict", entries: takeItems("}", entry) };
    }
    if (takeMark("(")) {
      // Some programs leave the comma of a tuple of one out.
      return { kind: "tuple", items: takeItems(")", inner) };
    }
    if (takeMark("[")) {
      return { kind: "list", items: takeItems("]", inner) };
    }
    const string = take(STRING);
    if (string !== undefined) {
      return string[1] ?? string[2] ?? "";
    }
    const digits = take(NUMBER)?.[1];
    if (digits !== undefined) {
      return { kind: "number", digits };
    }
    const name = take(NAME)?.[0];
    return name === undefined ? takes("a value") : constants[name as keyof typeof constants];
  };
  const literal = value(0);
  take(SPACE);
  return at === text.length ? literal : takes("nothing more");
}
