import { SourceError } from "../errors.ts";
import { eachToken, LINE_BREAK } from "../text/pieces.ts";

/** A comment that asks for functions. */
export interface Directive {
  /** What follows `wavefold:`. */
  readonly body: string;
  /** Counted from 1. */
  readonly line: number;
  readonly lineText: string;
  /** Characters of the line before the comment. */
  readonly start: number;
  /** Where the comment starts in the text; undefined if it does not stand between declarations. */
  readonly place: number | undefined;
}

/** A text that may have directives, and what errors call it. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** An error at a directive, or at a word of it. */
export type Fault = (problem: string, word?: string) => SourceError;

/** A directive that is right, for messages. */
export const EXAMPLE = "// wavefold: work_group_scan_exclusive_add_u32 256";

/** Makes errors at a directive. */
export const faultAt =
  ({ name, text }: NamedText, { line, lineText, start }: Line): Fault =>
  (problem, word = "wavefold") => {
    // A line may be longer than a pattern can be.
    const begin = word.slice(0, 100);
    const whole = new RegExp(
      `(?<!\\w)${begin.replace(/\W/g, "\\$&")}${begin === word ? "(?!\\w)" : ""}`,
      "i",
    );
    const column = start + Math.max(0, lineText.slice(start).search(whole)) + 1;
    return new SourceError(`${name}, line ${line}: ${problem}`, text, line, column);
  };

/** What a token of code adds to the depth of brackets. */
const nesting = (token: string): number => ("{[(".includes(token) ? 1 : "}])".includes(token) ? -1 : 0);

/** Matches a block comment that starts with a directive. */
const BLOCK = /\/\*+\s*wavefold\s*:\s*(work_group|coalesced|thread_tile)_/iy;

/**
 * The directives of a text. A directive in a block comment does not count.
 *
 * @throws {SourceError} if a directive is all of a block comment.
 */
export function directivesOf(named: NamedText): Directive[] {
  const { text } = named;
  const directives: Directive[] = [];
  const lineAt = linesOf(text);
  let index = 0;
  let depth = 0;
  let isBetween = true;
  eachToken(text, (token, blank) => {
    if (!blank) {
      depth += nesting(token);
      isBetween = depth === 0 && /[;}]/.test(token);
    } else if (typeof blank === "string") {
      const body = /^\/\/\s*wavefold\s*:(.*)/is.exec(token)?.[1];
      if (body !== undefined) {
        directives.push({ ...lineAt(index), body: body.trim(), place: isBetween ? index : undefined });
      }
      BLOCK.lastIndex = index;
      if (token === "/*" && BLOCK.test(text)) {
        throw faultAt(named, lineAt(index))(`a directive is a comment of one line, as in ${EXAMPLE}`);
      }
    }
    index += token.length;
  });
  return directives;
}

/** The line that a place lies in. */
type Line = Pick<Directive, "line" | "lineText" | "start">;

/** Finds the lines of places in a text. Each place lies after those that were asked for before it. */
function linesOf(text: string): (index: number) => Line {
  const lines = text.split(LINE_BREAK);
  const starts = [0, ...Array.from(text.matchAll(LINE_BREAK), (found) => found.index + found[0].length)];
  let line = 1;
  return (index) => {
    while ((starts[line] ?? Number.POSITIVE_INFINITY) <= index) {
      line++;
    }
    return { line, lineText: (lines[line - 1] ?? "").trimEnd(), start: index - (starts[line - 1] ?? 0) };
  };
}
