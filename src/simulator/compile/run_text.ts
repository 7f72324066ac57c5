import * as numbers from "../numbers/index.ts";

/** Runs a text of JavaScript, which returns something, with the arithmetic of words. `more` are further names that it uses. */
export function runText(body: string, more: Readonly<Record<string, unknown>> = {}): unknown {
  const used = Object.entries(numbers).filter(([name]) => body.includes(`${name}(`));
  const names = [...Object.keys(more), ...used.map(([name]) => name)];
  return new Function(...names, body)(...Object.values(more), ...used.map(([, of]) => of));
}
