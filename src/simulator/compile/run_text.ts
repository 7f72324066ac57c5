import * as numbers from "../numbers/index.ts";

const NAMES = /* @__PURE__ */ (() => Object.keys(numbers).join(", "))();

/** Runs a text of JavaScript, which returns something, with the arithmetic of words. `more` are further names that it uses. */
export function runText(body: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  const text = `"use strict";\nconst { ${NAMES} } = numbers;\n${body}`;
  return new Function("numbers", ...Object.keys(more), text)(numbers, ...Object.values(more));
}
