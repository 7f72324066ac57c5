import { ArgumentError, refuse } from "./errors.ts";

/** The names of options. A table of them `satisfies Record<keyof Options, true>`, so that none is missing. */
export type OptionNames = Readonly<Record<string, true>>;

/**
 * Requires an object that gives no option but these. One that is undefined is as one that is left out.
 *
 * @throws {ArgumentError} which names what is not known, and what was probably meant.
 */
export function requireOptions(caller: string, options: unknown, names: OptionNames): void {
  if (typeof options !== "object" || options === null) {
    const given = options === null || options === undefined ? String(options) : typeof options;
    refuse(caller, "options", given, "an object");
  }
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(names, name)) {
      throw unknownOption(caller, name, Object.keys(names));
    }
  }
}

/** The error for an option that there is not. */
function unknownOption(caller: string, name: string, names: readonly string[]): ArgumentError {
  const plain = (one: string): string => one.toLowerCase().replace(/[_-]/g, "");
  const [nearest] = names
    .map((one) => ({ one, steps: distance(plain(name), plain(one)) }))
    .filter(({ steps }) => steps <= Math.ceil(name.length / 4))
    .sort((a, b) => a.steps - b.steps);
  return new ArgumentError(
    `${caller} takes no option ${name}; ${
      nearest === undefined ? `it takes ${names.join(", ")}` : `did you mean ${nearest.one}?`
    }`,
    name,
  );
}

/** How many letters are to be put in, left out or replaced to make one word of another. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (const [to, other] of [...b].entries()) {
      const replaced = (row[to] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
