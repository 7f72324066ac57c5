// WGSL as tokens: what everything here reads a caller's text by.

/** A line break, as WGSL has them. CR and LF together are one. */
export const LINE_BREAK = /\r\n|[\n-\r\x85\u2028\u2029]/g;

/** Comments, of which one of a slash and a star is only opened, and blanks; words; numbers; and single characters. */
const TOKEN =
  /(\/\*|\/\/[^\n-\r\x85\u2028\u2029]*|[\s\x85\u200e\u200f]+)|([_\p{XID_Start}]\p{XID_Continue}*)|\d[\w.]*|./gsu;

/** What is read where a comment is open: one inside, its end, blanks, or a character. */
const COMMENT = /\/\*|\*\/|\s+|./gs;

/**
 * A token. Blank, where it is not code: what stands in a comment has the comment's depth. And the token once more, where
 * it is a keyword or an identifier.
 */
export type Token = readonly [text: string, blank: string | number | undefined, word: string | undefined];

/** The tokens of a text, in their order. A comment may be several. Joined, they are the text. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0, depth = 0; at < text.length; ) {
    const pattern = depth ? COMMENT : TOKEN;
    pattern.lastIndex = at;
    const found = pattern.exec(text) as unknown as [string, string?, string?];
    const token = found[0];
    tokens.push([token, found[1] ?? depth, found[2]]);
    at += token.length;
    depth += token === "/*" ? 1 : token === "*/" ? -1 : 0;
  }
  return tokens;
}
