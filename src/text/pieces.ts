import { tokensOf } from "./tokens.ts";

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
   * The text. Parts at even places are plain text, and parts at odd places are words that may name a declaration. Members,
   * attributes and what directives name are not such words.
   */
  readonly parts: string[];
  /** The text with a blank in the place of each blank and of each part of a comment. */
  code: string;
}

/** A piece's text, and the words in it that may name a declaration. */
export const textOf = ({ parts }: Piece): string => parts.join("");
export const wordsOf = (piece?: Piece): string[] => piece?.parts.filter((part, at) => at % 2 && part) ?? [];

/** The text of a declaration of ours, without the comments above it and without empty lines. */
export const compactText = (piece: Piece): string =>
  textOf(piece)
    .replace(/^(\s|\/\/.*)*/, "")
    .replace(/\n+/g, "\n");

/** The same piece, with its words renamed. */
export const renamed = (piece: Piece, rename: (word: string) => string): Piece => ({
  ...piece,
  name: piece.name && rename(piece.name),
  parts: piece.parts.map((part, at) => (at % 2 ? rename(part) : part)),
});

export const isDirective = ({ keyword }: Piece): boolean => /^(enable|requires|diagnostic)$/.test(keyword);

/** The directives among pieces, each on one line. The last one of a text may lack its semicolon. */
export const directivesOf = (pieces: readonly Piece[]): string[] =>
  pieces.filter(isDirective).map(({ code }) => code.trim());

/** Splits any WGSL into its pieces. The pieces' texts, joined, are the text. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece | undefined;
  let depth = 0;
  // The last token of code so far.
  let before = "";
  for (const read of tokensOf(text)) {
    // By index: where code runs for the first time, taking an array apart is slow.
    const token = read[0];
    const isBlank = read[1];
    if (!piece) {
      piece = { keyword: "", name: "", parts: [""], code: "" };
      pieces.push(piece);
    }
    const { parts, keyword } = piece;
    if (read[2] && before !== "." && before !== "@" && !isDirective(piece)) {
      parts.push(token, "");
      if (keyword) {
        piece.name ||= before === keyword || before === ">" ? token : "";
      } else if (/^(fn|const|struct|alias|override|var|enable|requires|diagnostic)$/.test(token)) {
        piece.keyword = token;
      }
    } else {
      // At a colon in a struct, the last word was a member, so it becomes plain text.
      const left = token === ":" && keyword === "struct" ? parts.splice(-2).join("") : "";
      parts[parts.length - 1] += left + token;
    }
    piece.code += isBlank ? " " : token;
    if (!isBlank) {
      before = token;
      depth += "{[(".includes(token) ? 1 : "}])".includes(token) ? -1 : 0;
      if (!depth && /[;}]/.test(token)) {
        piece = undefined;
      }
    }
  }
  return pieces;
}
