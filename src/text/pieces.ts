import { tokensOf } from "./tokens.ts";

/** A declaration at module scope, with all text between it and the one before; or the text after the last declaration. */
export interface Piece {
  /** `fn`, `struct` and so on. Keyword and name are empty if the piece declares nothing. */
  keyword: string;
  name: string;
  /**
   * The text without directives, whose line breaks stay. Parts at even places are plain text, and parts at odd places are
   * words that may name a declaration. Members and attributes are not such words.
   */
  readonly parts: string[];
  /** Such as `enable subgroups;`. The last one of a text may lack its semicolon. */
  readonly directives: string[];
  /** The attributes and the keyword, as tokens with a blank behind each. */
  attributes: string;
}

/** A piece's text, and the words in it that may name a declaration. */
export const textOf = ({ parts }: Piece): string => parts.join("");
export const wordsOf = ({ parts }: Pick<Piece, "parts">): string[] =>
  parts.filter((part, at) => at % 2 && part);

/** The same piece, with its words renamed. */
export const renamed = (piece: Piece, rename: (word: string) => string): Piece => ({
  ...piece,
  name: rename(piece.name),
  parts: piece.parts.map((part, at) => (at % 2 ? rename(part) : part)),
});

/** The declarations of a text of ours, without the comments above them. */
export const declarationsOf = (text: string): Piece[] =>
  piecesOf(text).map((piece) => ({
    ...piece,
    parts: piece.parts.map((part, at) => (at === 0 ? part.replace(/^(\s|\/\/.*)*/, "") : part)),
  }));

/** Splits any WGSL into its declarations. The pieces' texts, joined, are the text but for its directives. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece | undefined;
  let depth = 0;
  // The last token of code so far, and whether a directive has begun and not yet ended.
  let before = "";
  let isOpen = false;
  for (const read of tokensOf(text)) {
    // By index: where code runs for the first time, taking an array apart is slow.
    const token = read[0];
    const isBlank = read[1];
    if (!piece) {
      piece = { keyword: "", name: "", parts: [""], directives: [], attributes: "" };
      pieces.push(piece);
    }
    const { parts, keyword, directives } = piece;
    const isName = read[2] && before !== "." && before !== "@";
    // These words cannot be names. If they stand in any other place, a compiler reports it.
    const isDirective =
      isOpen || (isName && !piece.attributes && /^(enable|requires|diagnostic)$/.test(token));
    if (isDirective) {
      directives.push((isOpen ? directives.pop() : "") + (isBlank ? " " : token));
      isOpen = token !== ";";
      const left = token.replace(/[^\n-\r\x85\u2028\u2029]/g, "");
      // If a directive stood between CR and LF, a blank keeps them two line breaks.
      parts.push(`${parts.pop()}${left}`.replace(/\r$/, "\r "));
    } else if (isName) {
      parts.push(token, "");
      if (keyword) {
        piece.name ||= before === keyword || before === ">" ? token : "";
      } else if (/^(fn|const|struct|alias|override|var)$/.test(token)) {
        piece.keyword = token;
      }
    } else {
      // At a colon in a struct, the last word was a member, so it becomes plain text.
      const left = token === ":" && keyword === "struct" ? parts.splice(-2).join("") : "";
      parts[parts.length - 1] += left + token;
    }
    if (!isBlank) {
      if (!keyword && !isDirective) {
        piece.attributes += `${token} `;
      }
      before = token;
      depth += "{[(".includes(token) ? 1 : "}])".includes(token) ? -1 : 0;
      if (!depth && !isDirective && /[;}]/.test(token)) {
        piece = undefined;
      }
    }
  }
  return pieces;
}
