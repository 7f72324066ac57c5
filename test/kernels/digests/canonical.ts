import type { Piece } from "../../../src/text/pieces.ts";
import { piecesOf, tokensOf } from "../../../src/text/pieces.ts";

// The canonical form of a WGSL text. It depends neither on comments, blanks and names nor on the order of declarations. Everything else counts.

/**
 * A token: text that stays, a member of a struct, a name that the declaration itself declares, with its number, or any other word, which
 * may be a name of the module.
 */
type CanonicalToken = readonly [kind: "text" | "member" | "local" | "word", text: string];

interface CanonicalPiece {
  readonly keyword: string;
  /** Empty if it is no declaration with a name. */
  readonly name: string;
  readonly directive: string | undefined;
  readonly tokens: readonly CanonicalToken[];
}

/** Members that may be those of vectors, too. They keep their names. */
const SWIZZLE = /^([xyzw]{1,4}|[rgba]{1,4})$/;

/** Names that are declared in a function, from the innermost scope on. */
interface LocalScope {
  readonly names: Map<string, string>;
  /** Whether it is the scope of a loop's head, which ends with the loop's body. */
  readonly isHead: boolean;
}

/** Reads the tokens of one declaration, and numbers the names that it declares itself by their first appearance. */
class DeclarationReader {
  readonly #keyword: string;
  readonly #scopes: LocalScope[] = [{ names: new Map(), isHead: false }];
  #count = 0;
  #isInBody = false;
  #before = "";
  /** Whether the next word outside of `<` and `>` is declared by `let`, `const` or `var`. */
  #declares = false;
  #isInTemplate = false;
  /** A name that is declared, and is known from the end of its statement on. */
  #pending: readonly [name: string, number: string] | undefined;
  /** Whether the words up to `)` are those of an attribute that names no declaration. */
  #isInAttribute = false;

  constructor(keyword: string) {
    this.#keyword = keyword;
  }

  read(text: string, word: string | undefined, hasColon: boolean): CanonicalToken {
    const token = word === undefined ? this.#symbol(text) : this.#word(word, hasColon);
    this.#before = text;
    return token;
  }

  #word(word: string, hasColon: boolean): CanonicalToken {
    if (this.#before === "@") {
      this.#isInAttribute = /^(builtin|interpolate|diagnostic)$/.test(word);
      return ["text", word];
    }
    if (this.#isInAttribute || /^(enable|requires|diagnostic)$/.test(this.#keyword)) {
      return ["text", word];
    }
    if (this.#before === "." || (this.#keyword === "struct" && hasColon)) {
      return [SWIZZLE.test(word) ? "text" : "member", word];
    }
    if (this.#keyword !== "fn") {
      return ["word", word];
    }
    if (!this.#isInBody && hasColon) {
      const number = this.#next();
      this.#scope().names.set(word, number);
      return ["local", number];
    }
    return this.#isInBody ? this.#wordOfBody(word) : ["word", word];
  }

  #wordOfBody(word: string): CanonicalToken {
    if (/^(let|const|var)$/.test(word)) {
      this.#declares = true;
      return ["text", word];
    }
    if (this.#declares && !this.#isInTemplate) {
      this.#declares = false;
      this.#pending = [word, this.#next()];
      return ["local", this.#pending[1]];
    }
    const known = this.#numberIn(word);
    return known === undefined ? ["word", word] : ["local", known];
  }

  #symbol(text: string): CanonicalToken {
    if (this.#declares && /^[<>]$/.test(text)) {
      this.#isInTemplate = text === "<";
    }
    if (text === ")") {
      this.#isInAttribute = false;
    } else if (text === ";") {
      this.#activate();
    } else if (text === "(" && this.#before === "for") {
      this.#scopes.push({ names: new Map(), isHead: true });
    } else if (text === "{") {
      this.#isInBody = true;
      this.#scopes.push({ names: new Map(), isHead: false });
    } else if (text === "}") {
      this.#scopes.pop();
      if (this.#scopes.at(-1)?.isHead) {
        this.#scopes.pop();
      }
    }
    return ["text", text];
  }

  #activate(): void {
    if (this.#pending !== undefined) {
      this.#scope().names.set(...this.#pending);
      this.#pending = undefined;
    }
  }

  #scope(): LocalScope {
    const scope = this.#scopes.at(-1);
    if (scope === undefined) {
      throw new Error("the text closes more braces than it opens");
    }
    return scope;
  }

  /** The number of a local name, of the innermost scope that has it. */
  #numberIn(name: string): string | undefined {
    for (let at = this.#scopes.length - 1; at >= 0; at--) {
      const number = this.#scopes[at]?.names.get(name);
      if (number !== undefined) {
        return number;
      }
    }
    return undefined;
  }

  #next(): string {
    this.#count += 1;
    return String(this.#count);
  }
}

function canonicalPiece({ text, keyword, name, directive }: Piece): CanonicalPiece {
  const reader = new DeclarationReader(keyword);
  const tokens = tokensOf(text)
    .filter(([, isBlank]) => !isBlank)
    .map(([token, , word, colon]) => reader.read(token, word, colon !== undefined));
  return { keyword, name, directive, tokens };
}

const hasTokens = ({ tokens }: CanonicalPiece): boolean => tokens.length > 0;

const readPieces = (text: string): CanonicalPiece[] => piecesOf(text).map(canonicalPiece).filter(hasTokens);

/** Kernels share most declarations, so each is read once. Undefined if the text between two empty lines is no whole declaration. */
const known = new Map<string, readonly CanonicalPiece[] | undefined>();

function knownPieces(text: string): readonly CanonicalPiece[] | undefined {
  if (!known.has(text)) {
    const pieces = readPieces(text);
    known.set(text, /[;}]/.test(pieces.at(-1)?.tokens.at(-1)?.[1] ?? ";") ? pieces : undefined);
  }
  return known.get(text);
}

function canonicalPieces(code: string): readonly CanonicalPiece[] {
  const parts = code.includes("/*") ? [undefined] : code.split("\n\n").map(knownPieces);
  return parts.some((part) => part === undefined) ? readPieces(code) : parts.flatMap((part) => part ?? []);
}

/** Writes declarations, and numbers names by their first appearance. */
class CanonicalWriter {
  text = "";
  readonly #named: ReadonlyMap<string, CanonicalPiece>;
  readonly #members: ReadonlySet<string>;
  readonly #memberNumbers = new Map<string, number>();
  /** The names that were met, in their order: there are more of them while a declaration is written. */
  readonly #met = new Map<string, number>();
  readonly #written = new Set<string>();

  constructor(named: ReadonlyMap<string, CanonicalPiece>, members: ReadonlySet<string>) {
    this.#named = named;
    this.#members = members;
  }

  hasMet(name: string): boolean {
    return this.#met.has(name);
  }

  /** Writes a declaration, and all that it reaches, in the order in which it is met. */
  reach(name: string): void {
    this.#numberOf(name);
    for (const one of this.#met.keys()) {
      if (!this.#written.has(one)) {
        this.#written.add(one);
        this.write(this.#named.get(one)?.tokens ?? []);
      }
    }
  }

  write(tokens: readonly CanonicalToken[]): void {
    for (const token of tokens) {
      const [, text] = token;
      this.text += this.#textOf(token) + (/^[;{}]$/.test(text) ? "\n" : " ");
    }
    this.text += "\n";
  }

  #textOf([kind, text]: CanonicalToken): string {
    switch (kind) {
      case "local":
        return `local_${text}`;
      case "member":
        return this.#members.has(text) ? `member_${numberIn(this.#memberNumbers, text)}` : text;
      case "word":
        return this.#named.has(text) ? `name_${this.#numberOf(text)}` : text;
      default:
        return text;
    }
  }

  #numberOf(name: string): number {
    return numberIn(this.#met, name);
  }
}

function numberIn(numbers: Map<string, number>, name: string): number {
  const number = numbers.get(name) ?? numbers.size + 1;
  numbers.set(name, number);
  return number;
}

/** A module whose declarations can be written. */
class CanonicalModule {
  readonly #pieces: readonly CanonicalPiece[];
  readonly #named: ReadonlyMap<string, CanonicalPiece>;
  readonly #members: ReadonlySet<string>;

  constructor(code: string) {
    this.#pieces = canonicalPieces(code);
    this.#named = new Map(this.#pieces.filter(({ name }) => name !== "").map((piece) => [piece.name, piece]));
    // Members of built-in types keep their names.
    const structs = this.#pieces.filter(({ keyword }) => keyword === "struct");
    this.#members = new Set(
      structs.flatMap(({ tokens }) => tokens.flatMap(([kind, text]) => (kind === "member" ? [text] : []))),
    );
  }

  textFrom(roots: readonly string[]): string {
    const missing = roots.filter((root) => !this.#named.has(root));
    if (missing.length > 0) {
      throw new Error(`the text does not declare ${missing.join(", ")}`);
    }
    const writer = new CanonicalWriter(this.#named, this.#members);
    for (const root of roots) {
      writer.reach(root);
    }
    const others = [...this.#named.keys()].filter((name) => !writer.hasMet(name));
    for (const name of this.#byForm(others, (name, alone) => alone.reach(name))) {
      if (!writer.hasMet(name)) {
        writer.reach(name);
      }
    }
    const nameless = this.#pieces.filter(({ name, directive }) => name === "" && directive === undefined);
    for (const { tokens } of this.#byForm(nameless, ({ tokens }, alone) => alone.write(tokens))) {
      writer.write(tokens);
    }
    const directives = this.#pieces.flatMap(({ directive }) => directive?.replace(/\s+/g, " ") ?? []);
    return [...new Set(directives)].sort().concat(writer.text).join("\n");
  }

  /** Sorted by what is written if each is written first. */
  #byForm<T>(all: readonly T[], write: (one: T, alone: CanonicalWriter) => void): T[] {
    const forms = all.map((one) => {
      const alone = new CanonicalWriter(this.#named, this.#members);
      write(one, alone);
      return [alone.text, one] as const;
    });
    return forms.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, one]) => one);
  }
}

/**
 * The canonical form of a module. First come its directives, then what the roots reach, breadth first. Other declarations follow, in an order
 * that depends on their own canonical forms alone.
 *
 * @param roots - the names of the entry point, or of the functions that a kernel may call.
 */
export const canonicalText = (code: string, roots: readonly string[]): string =>
  new CanonicalModule(code).textFrom(roots);
