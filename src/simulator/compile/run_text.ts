import * as numbers from "../numbers/index.ts";

/** What may be the name of a function of numbers, such as `f32_add`. */
const NAMES = /\b[a-z]\w*_\w+\b/g;

/** Runs a text of JavaScript, which returns something, with the arithmetic of words. `more` are further names that it uses. */
export function runText(body: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  const used = new Set(body.match(NAMES)?.filter((name) => Object.hasOwn(numbers, name)));
  const text = `"use strict";\nvar { ${[...used].join(", ")} } = numbers;\n${body}`;
  return new Function("numbers", ...Object.keys(more), text)(numbers, ...Object.values(more));
}
