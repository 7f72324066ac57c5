// The reader of WGSL: as tokens, and as pieces, which are its declarations and directives. All text is read by these, ours and callers'.

/** A line break, as WGSL has them. CR and LF together are one. */
export const LINE_BREAK = /\r\n|[\n-\r\x85\u2028\u2029]/g;

/**
 * Matches comments and blanks; words, and whether a colon follows; numbers; and single characters. Of a block comment, it
 * matches only the start.
 */
const TOKEN =
  /(\/\*|\/\/[^\n-\r\x85\u2028\u2029]*|[\s\x85\u200e\u200f]+)|([_\p{XID_Start}]\p{XID_Continue}*)(?=(\s*:)?)|\d[\w.]*|./gsu;

/** Matches a token inside a block comment: the start of another comment, the end of this one, blanks, or a character. */
const COMMENT = /\/\*|\*\/|\s+|./gs;

/**
 * A token. `blank` is true if the token is not code; inside a block comment, it is the depth of comments. `word` is the
 * token once more if it is a keyword or an identifier, and `colon` is true if a colon follows it.
 */
export type Token = readonly [
  text: string,
  blank: string | number | undefined,
  word: string | undefined,
  colon: string | undefined,
];

/** Visits the tokens of a text, in their order. A comment may be several tokens. Joined, all tokens are the text. */
export function eachToken(text: string, visit: (...token: Token) => void): void {
  for (let at = 0, depth = 0; at < text.length; ) {
    const pattern = depth ? COMMENT : TOKEN;
    pattern.lastIndex = at;
    const found = pattern.exec(text) as RegExpExecArray;
    const token = found[0];
    // By index: where code runs for the first time, taking an array apart is slow.
    visit(token, found[1] ?? depth, found[2], found[3]);
    at += token.length;
    depth += token === "/*" ? 1 : token === "*/" ? -1 : 0;
  }
}

/** The tokens of a text, as an array. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  eachToken(text, (token, blank, word, colon) => tokens.push([token, blank, word, colon]));
  return tokens;
}

/**
 * A declaration at module scope or a directive such as `enable f16;`, with all text between it and the one before; or the
 * text after the last of them.
 */
export interface Piece {
  /** `fn`, `struct`, `enable` and so on. It is empty if the piece is neither a declaration nor a directive. */
  keyword: string;
  /** The name that it declares; empty if there is none. */
  name: string;
  /**
   * The words in it that may name a declaration, and the directives that the text has so far. Members, attributes and what
   * directives name are not such words.
   */
  words: string[];
  text: string;
  /** The text with a blank in the place of each blank and of each part of a comment. */
  code: string;
  /** The text with a blank in the place of each token of code. */
  blanks: string;
  /** A directive that has its semicolon, on one line. */
  directive?: string;
}

export const textOf = ({ text }: Piece): string => text;
export const wordsOf = ({ words }: Piece): readonly string[] => words;

/** The text of a declaration of ours, without the comments above it and without empty lines. */
export const compactText = ({ text }: Piece): string =>
  text.replace(/^(\s|\/\/.*)*/, "").replace(/\n+/g, "\n");

/** The directives of a text. */
export const directivesOf = (pieces: readonly Piece[]): string[] =>
  pieces.flatMap(({ directive }) => directive ?? []);

const DIRECTIVES = ["enable", "requires", "diagnostic"];

/** Takes a word as a declaration's name, or as the `keyword` that it starts with. */
function takeName(piece: Piece, token: string, before: string, keyword: string): void {
  const { keyword: known } = piece;
  if (known && known !== "const_assert" && (before === known || before === ">")) {
    piece.name ||= token;
  } else {
    piece.keyword ||= keyword;
  }
}

/** Splits any WGSL into its pieces. The pieces' texts, joined, are the text, with its words renamed. */
export function piecesOf(text: string, rename = (word: string): string => word): Piece[] {
  const pieces: Piece[] = [];
  let directives: string[] = [];
  const empty = (): Piece => ({
    keyword: "",
    name: "",
    words: [...directives],
    text: "",
    code: "",
    blanks: "",
  });
  let piece = empty();
  const endPiece = (): void => {
    if (DIRECTIVES.includes(piece.keyword)) {
      piece.directive = piece.code.trim();
      piece.words.push(piece.directive);
      directives = piece.words;
    }
    pieces.push(piece);
    piece = empty();
  };
  let depth = 0;
  // The last token of code so far. Patterns are slow here: there are many tokens. So are calls of functions.
  let before = ";";
  eachToken(text, (read, isBlank, word, colon) => {
    if (isBlank) {
      piece.blanks += read;
      piece.text += read;
      piece.code += " ";
      return;
    }
    const { keyword } = piece;
    let token = read;
    if (word && !".@".includes(before) && !DIRECTIVES.includes(keyword) && !(colon && keyword === "struct")) {
      token = rename(read);
      if (token) {
        piece.words.push(token);
      }
      takeName(piece, token, before, depth === 0 ? read : "");
    } else if (!word && read.endsWith("h")) {
      // A number such as 0.5h.
      piece.words.push("f16");
    }
    before = read;
    piece.text += token;
    piece.blanks += " ";
    piece.code += token;
    depth += Number("{[(".includes(read)) - Number("}])".includes(read));
    if (!depth && ";}".includes(read)) {
      endPiece();
    }
  });
  if (piece.blanks) {
    pieces.push(piece);
  }
  return pieces;
}
