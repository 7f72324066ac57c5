import { tokensOf } from "./tokens.ts";

/** A declaration at module scope, with all that stands between it and the one before; or what follows the last. */
export interface Piece {
  /** `fn`, `struct` and so on; both are empty where nothing is declared. */
  keyword: string;
  name: string;
  /**
   * The text without directives, which leave their line breaks: in turn what needs no reading, and a word that may name a
   * declaration. Members and attributes are no such words.
   */
  readonly parts: string[];
  /** Such as `enable subgroups;`. The last of a text may lack its end. */
  readonly directives: string[];
  /** The attributes and the keyword, as tokens with a blank behind each. */
  attributes: string;
}

/** A piece's text, and the words in it that may name a declaration. */
export const textOf = ({ parts }: Piece): string => parts.join("");
export const wordsOf = ({ parts }: Pick<Piece, "parts">): string[] =>
  parts.filter((part, at) => at % 2 && part);

/** The same piece, with other words. */
export const renamed = (piece: Piece, rename: (word: string) => string): Piece => ({
  ...piece,
  name: rename(piece.name),
  parts: piece.parts.map((part, at) => (at % 2 ? rename(part) : part)),
});

/** What a text of ours declares, without the comments above each declaration. */
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
  // The token of code before, and whether a directive has begun and not ended.
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
    // These words are no names: anywhere else, a compiler says so.
    const isDirective =
      isOpen || (isName && !piece.attributes && /^(enable|requires|diagnostic)$/.test(token));
    if (isDirective) {
      directives.push((isOpen ? directives.pop() : "") + (isBlank ? " " : token));
      isOpen = token !== ";";
      const left = token.replace(/[^\n-\r\x85\u2028\u2029]/g, "");
      // What was between CR and LF keeps them two lines.
      parts.push(`${parts.pop()}${left}`.replace(/\r$/, "\r "));
    } else if (isName) {
      parts.push(token, "");
      if (keyword) {
        piece.name ||= before === keyword || before === ">" ? token : "";
      } else if (/^(fn|const|struct|alias|override|var)$/.test(token)) {
        piece.keyword = token;
      }
    } else {
      // A member, where a struct declares it, is the last word.
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
