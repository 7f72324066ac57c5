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

/** What a token of code adds to the depth of brackets. */
export const nesting = (token: string): number =>
  "{[(".includes(token) ? 1 : "}])".includes(token) ? -1 : 0;

/** How far a text has been split into pieces. */
interface Splitting {
  readonly pieces: Piece[];
  readonly rename: (word: string) => string;
  /** The directives so far. */
  directives: readonly string[];
  /** The piece that the next token belongs to. If it is undefined, that token starts a piece. */
  piece: Piece | undefined;
  /** How many brackets are open. */
  depth: number;
  /** The last token of code so far. Patterns are slow here: there are many tokens. */
  before: string;
}

/** Splits any WGSL into its pieces. The pieces' texts, joined, are the text, with its words renamed. */
export function piecesOf(text: string, rename = (word: string): string => word): Piece[] {
  const splitting: Splitting = {
    pieces: [],
    rename,
    directives: [],
    piece: undefined,
    depth: 0,
    before: ";",
  };
  eachToken(text, (read, isBlank, word, colon) => {
    splitting.piece ??= startPiece(splitting);
    const { piece, before } = splitting;
    const isMember = colon && piece.keyword === "struct";
    const isName = word && !isMember && !".@".includes(before) && !isDirective(piece);
    const token = isName ? takeWord(splitting, piece, read) : read;
    piece.text += token;
    piece.code += isBlank ? " " : token;
    piece.blanks += isBlank ? token : " ";
    if (!isBlank) {
      splitting.before = read;
      splitting.depth += nesting(read);
      if (!splitting.depth && ";}".includes(read)) {
        endPiece(splitting, piece);
      }
    }
  });
  return splitting.pieces;
}

const isDirective = ({ keyword }: Piece): boolean =>
  keyword === "enable" || keyword === "requires" || keyword === "diagnostic";

function startPiece({ pieces, directives }: Splitting): Piece {
  const piece = { keyword: "", name: "", words: [...directives], text: "", code: "", blanks: "" };
  pieces.push(piece);
  return piece;
}

function endPiece(splitting: Splitting, piece: Piece): void {
  if (isDirective(piece)) {
    piece.directive = piece.code.trim();
    piece.words.push(piece.directive);
    splitting.directives = piece.words;
  }
  splitting.piece = undefined;
}

/** Takes a word that may name a declaration, or is the keyword of one. It gives the word as it is renamed. */
function takeWord({ rename, depth, before }: Splitting, piece: Piece, read: string): string {
  const { keyword } = piece;
  const word = rename(read);
  if (word) {
    piece.words.push(word);
  }
  if (!keyword && !depth) {
    piece.keyword = read;
  } else if (keyword && keyword !== "const_assert") {
    piece.name ||= before === keyword || before === ">" ? word : "";
  }
  return word;
}
