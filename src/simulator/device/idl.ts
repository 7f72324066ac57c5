// How WebIDL takes arguments: https://webidl.spec.whatwg.org/#js-type-mapping. What it refuses is a TypeError.

const MOST_32 = 2 ** 32 - 1;

/** `[EnforceRange]`: an integer from 0 to `most`. */
function integerOf(value: unknown, most: number, what: string): number {
  const number = Math.trunc(Number(value));
  // NaN fails, too.
  if (!(number >= 0 && number <= most)) {
    throw new TypeError(`${what} is ${String(value)}; it takes an integer from 0 to ${most}`);
  }
  return number;
}

/** An `unsigned long`. */
export const integer32 = (value: unknown, what: string): number => integerOf(value, MOST_32, what);

/** An `unsigned long long`. */
export const integer64 = (value: unknown, what: string): number =>
  integerOf(value, Number.MAX_SAFE_INTEGER, what);

/** An optional `unsigned long long`: undefined if it is missing. */
export const optional64 = (value: unknown, what: string): number | undefined =>
  value === undefined ? undefined : integer64(value, what);

/** A member of an enumeration. */
export function choiceOf<T extends string>(value: unknown, choices: readonly T[], what: string): T {
  const choice = choices.find((name) => name === String(value));
  if (choice === undefined) {
    throw new TypeError(
      `${what} is ${String(value)}; it takes ${choices.map((name) => JSON.stringify(name)).join(", ")}`,
    );
  }
  return choice;
}

/** A dictionary; an empty one if it is missing. */
export function dictionaryOf<T extends object>(value: T | null | undefined, what: string): T {
  const given = value ?? {};
  if (typeof given !== "object" && typeof given !== "function") {
    throw new TypeError(`${what} is ${String(value)}; it takes an object`);
  }
  return given as T;
}

/** A sequence. */
export function listOf<T>(value: Iterable<T>, what: string): T[] {
  const isIterable = typeof Object(value)[Symbol.iterator] === "function";
  if (typeof value !== "object" || !isIterable) {
    throw new TypeError(`${what} is ${String(value)}; it takes a list`);
  }
  return [...value];
}

/** An object of a class of the simulator's. `name` is WebGPU's name of the class. */
export function objectOf<T>(
  kind: abstract new (...args: never[]) => T,
  name: string,
  value: unknown,
  what: string,
): T {
  if (!(value instanceof kind)) {
    throw new TypeError(`${what} is ${String(value)}; it takes a ${name} of simulatedGpu`);
  }
  return value;
}
