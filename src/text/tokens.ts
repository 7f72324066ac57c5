// WGSL as tokens. All code that reads a caller's text reads these.

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
  eachToken(text, (...token) => tokens.push(token));
  return tokens;
}
