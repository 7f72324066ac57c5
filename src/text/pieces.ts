import { eachToken } from "./tokens.ts";

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

/** Splits any WGSL into its pieces. The pieces' texts, joined, are the text, with its words renamed. */
export function piecesOf(text: string, rename = (word: string): string => word): Piece[] {
  const pieces: Piece[] = [];
  let directives: string[] = [];
  let piece: Piece | undefined;
  let depth = 0;
  // The last token of code so far.
  let before = "";
  eachToken(text, (read, isBlank, word, colon) => {
    if (!piece) {
      piece = { keyword: "", name: "", words: [...directives], text: "", code: "", blanks: "" };
      pieces.push(piece);
    }
    const { keyword } = piece;
    const isDirective = /^(enable|requires|diagnostic)$/.test(keyword);
    let token = read;
    if (word && !/^[.@]/.test(before) && !isDirective && !(colon && keyword === "struct")) {
      token = rename(read);
      if (token) {
        piece.words.push(token);
      }
      if (!keyword && !depth) {
        piece.keyword = read;
      } else if (keyword && keyword !== "const_assert") {
        piece.name ||= before === keyword || before === ">" ? token : "";
      }
    }
    piece.text += token;
    piece.code += isBlank ? " " : token;
    piece.blanks += isBlank ? token : " ";
    if (!isBlank) {
      before = read;
      depth += "{[(".includes(read) ? 1 : "}])".includes(read) ? -1 : 0;
      if (!depth && /[;}]/.test(read)) {
        if (isDirective) {
          piece.directive = piece.code.trim();
          piece.words.push(piece.directive);
          directives = piece.words;
        }
        piece = undefined;
      }
    }
  });
  return pieces;
}
