import * as numbers from "../numbers/index.ts";

/** The names of the functions of `numbers/` that a text calls. */
const numbersIn = (text: string): readonly string[] =>
  [...new Set(text.match(/\b[a-z]\w*(?=\()/g))].filter((name) => Object.hasOwn(numbers, name));

/** Runs a text of JavaScript, which returns something, with the arithmetic of words. `more` are further names that it uses. */
export function runText(body: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  const text = `"use strict";\nconst { ${numbersIn(body).join(", ")} } = numbers;\n${body}`;
  return new Function("numbers", ...Object.keys(more), text)(numbers, ...Object.values(more));
}
