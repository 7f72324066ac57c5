import { SourceError } from "../errors.ts";
import type { SourceText } from "../types.ts";
import type { Declaration, Parsed, Source } from "./module.ts";
import { declaration, generated } from "./module.ts";

/** The caller's text on lines of its own, so that a compiler's line is theirs. */
export function callersText(name: string, text: string): SourceText {
  const wrong = unbalanced(text);
  if (wrong !== undefined) {
    throw new SourceError(`${name}, line ${wrong.line}: ${wrong.problem}`, text, wrong.line, wrong.column);
  }
  return { name, text, callers: true };
}

/** A function that ends with the caller's text: an expression, or statements that return. `head` is its first line. */
export function callersFunction(head: string, name: string, text: string): readonly SourceText[] {
  const isStatements = /\breturn\b/.test(text);
  return [
    generated(isStatements ? head : `${head}\n  return (`),
    callersText(name, text),
    generated(isStatements ? "}" : "  );\n}"),
  ];
}

/** `combine` of an operator of the caller's, and what it declares. `head` is its first line. */
export interface CallersCombine {
  sources(head: string): readonly Source[];
  /** The same in the form of our own WGSL. `taken` are names that declarations may not have. */
  text(head: string, taken: Iterable<string>): string;
}

export function callersCombine({
  name,
  combine,
  declarations,
}: {
  readonly name: string;
  readonly combine: string;
  readonly declarations: string;
}): CallersCombine {
  const body = (head: string): readonly SourceText[] =>
    callersFunction(head, `combine of the operator ${name}`, combine);
  const others =
    declarations === "" ? [] : [callersDeclarations(`declarations of the operator ${name}`, declarations)];
  return {
    sources: (head) => [...others, body(head)],
    text(head, taken) {
      const names = [...taken];
      return [
        ...others.flatMap((source) => {
          source.requireFree?.(names);
          const { directives, declarations: own } = parse(source.text);
          return own.map((one) => [...directives, ""].join("\n").replace(/\n(?!$)/g, " ") + inOurForm(one));
        }),
        inOurForm({
          keyword: "fn",
          name: "combine",
          text: body(head)
            .map(({ text }) => text)
            .join("\n"),
        }),
      ].join("\n");
    },
  };
}

/** A text all of whose lines but the first are indented: what our WGSL is told from declarations by. */
export const indented = (text: string): string => text.replace(/\s*\n/g, "\n  ");

/** A declaration that begins with its attributes and its keyword on one line, and whose other lines are indented. */
function inOurForm({ keyword, name, text }: Pick<Declaration, "keyword" | "name" | "text">): string {
  const code = text.replace(/^(?:\s*(?:\/\/.*|\/\*[\s\S]*?\*\/))*\s*/, "");
  const head = new RegExp(`(?<![@.\\w])${keyword}\\b\\s*(<[^>]*>)?\\s*${name}\\b`).exec(code);
  const at = head?.index ?? 0;
  const attributes = code
    .slice(0, at)
    .replace(/\/\/.*/g, "")
    .replace(/\s+/g, " ");
  return indented(
    `${attributes}${keyword}${head?.[1] ?? ""} ${name}${code.slice(at + (head?.[0].length ?? 0))}`,
  );
}

/** What the caller declares. A name of theirs must not be one of ours, nor one that they have twice. */
function callersDeclarations(name: string, text: string): SourceText {
  return {
    ...callersText(name, text),
    parse,
    requireFree(names) {
      const taken = new Set(names);
      let end = 0;
      for (const own of parse(text).declarations) {
        const start = text.indexOf(own.text, end);
        end = start + own.text.length;
        if (taken.has(own.name)) {
          const comments = /^(?:\s*\/\/.*\n)*/.exec(own.text)?.[0] ?? "";
          const line = `${text.slice(0, start)}${comments}`.split("\n").length;
          throw new SourceError(
            `${name}, line ${line}: the name ${own.name} is taken; choose another`,
            text,
            line,
            0,
          );
        }
        taken.add(own.name);
      }
    },
  };
}

/** Words and punctuation; a comment is one match without a group. */
const TOKENS = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|([A-Za-z_][A-Za-z0-9_]*|\d[\w.]*|[^\s\w])/g;

/** Splits WGSL into its declarations. The text is valid WGSL, or the caller's: then it is split as far as it goes. */
export function parse(text: string): Parsed {
  const directives: string[] = [];
  const declarations: Declaration[] = [];
  let words: string[] = [];
  let first = -1;
  let depth = 0;
  // Where what follows is not yet in a declaration.
  let rest = 0;
  const finish = (last: number): void => {
    const head = declaredName(words);
    const values = words.slice(1).filter((word) => /^\w/.test(word));
    if (words[0] === "enable") {
      directives.push(...values.map((one) => `enable ${one};`));
    } else if (words[0] === "diagnostic") {
      directives.push(`diagnostic(${values.join(", ")});`);
    } else if (head !== undefined) {
      // Whole lines, with the comment lines right above, where no other declaration has them.
      const line = Math.max(rest, text.lastIndexOf("\n", first) + 1);
      const above = /(?<![^\n])(?:[ \t]*\/\/.*\n)*$/.exec(text.slice(rest, line))?.[0] ?? "";
      const behind = /^[ \t]*(?:\/\/.*)?(?![^\n])/.exec(text.slice(last + 1))?.[0] ?? "";
      rest = last + 1 + behind.length;
      declarations.push(declaration(text.slice(line - above.length, rest), head.keyword, head.name));
    }
    words = [];
    first = -1;
  };
  for (const match of text.matchAll(TOKENS)) {
    const token = match[1];
    if (token === undefined) {
      continue;
    }
    if (first < 0) {
      if (token === ";") {
        continue;
      }
      first = match.index;
    }
    words.push(token);
    if (token === "{" || token === "(" || token === "[") {
      depth++;
    } else if (token === "}" || token === ")" || token === "]") {
      depth--;
      if (token === "}" && depth === 0) {
        finish(match.index);
      }
    } else if (token === ";" && depth === 0) {
      finish(match.index);
    }
  }
  if (first >= 0) {
    finish(text.length);
  }
  return { directives, declarations };
}

function declaredName(words: readonly string[]): { name: string; keyword: string } | undefined {
  let at = 0;
  // Attributes: @name or @name(…).
  while (words[at] === "@") {
    at += 2;
    if (words[at] === "(") {
      let depth = 0;
      do {
        depth += words[at] === "(" ? 1 : words[at] === ")" ? -1 : 0;
        at++;
      } while (depth > 0 && at < words.length);
    }
  }
  const keyword = words[at];
  if (keyword === undefined || !["fn", "const", "override", "var", "struct", "alias"].includes(keyword)) {
    return undefined;
  }
  at++;
  if (keyword === "var" && words[at] === "<") {
    at = words.indexOf(">", at) + 1;
  }
  const name = words[at];
  return name === undefined ? undefined : { name, keyword };
}

/**
 * What is wrong with the brackets and comments of an expression that is pasted into a function, or
 * nothing. Text that closes what it did not open would otherwise end that function.
 */
export function unbalanced(text: string): { problem: string; line: number; column: number } | undefined {
  const closing: Record<string, string> = { ")": "(", "]": "[", "}": "{" };
  const open: { token: string; index: number }[] = [];
  const place = (index: number): { line: number; column: number } => {
    const before = text.slice(0, index).split("\n");
    return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  };
  for (const match of text.matchAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|\/\*|[()[\]{}]/g)) {
    const token = match[0];
    if (token === "/*") {
      return { problem: "a comment that does not end", ...place(match.index) };
    }
    if ("([{".includes(token)) {
      open.push({ token, index: match.index });
    } else if (token in closing) {
      const last = open.pop();
      if (last?.token !== closing[token]) {
        return { problem: `'${token}' without its '${closing[token]}'`, ...place(match.index) };
      }
    }
  }
  const left = open.pop();
  return left === undefined ? undefined : { problem: `'${left.token}' is not closed`, ...place(left.index) };
}
