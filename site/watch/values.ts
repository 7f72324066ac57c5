import { problemOf } from "../../src/algebra/check_value.ts";
import { i32 } from "../../src/algebra/integers.ts";
import { operators } from "../../src/algebra/operators.ts";
import type { Value } from "../../src/algebra/types.ts";
import { ArgumentError } from "../../src/errors.ts";
import { referenceMonoid } from "../../src/reference/twins.ts";
import type { Combining } from "./steps.ts";

/** The most elements that a picture has room for. */
export const MOST = 16;

/** A value in a picture, and the run of elements that it stands for. */
export interface Shown {
  readonly value: Value | string;
  /** From the first element to after the last; equal where it stands for none. */
  readonly from: number;
  readonly to: number;
  /** Whether a segment starts in that run, if there are segments. */
  readonly head?: boolean;
}

/** An operator that the page offers. */
interface OperatorRow {
  readonly title: string;
  readonly identity: Value | string;
  combine(earlier: Value | string, later: Value | string): Value | string;
  /** What an element becomes before it is combined. */
  lift?(value: number): Value | string;
}

const builtin = (name: keyof typeof operators, title: string): OperatorRow => {
  const { identity, reference } = referenceMonoid(operators[name], i32, "site");
  return { title, identity, combine: (earlier, later) => reference(earlier as Value, later as Value) };
};

/** Operators on i32, and two that do not commute. */
export const rows = {
  add: builtin("add", "add"),
  max: builtin("max", "max"),
  min: builtin("min", "min"),
  mul: builtin("mul", "mul"),
  or: builtin("or", "or"),
  xor: builtin("xor", "xor"),
  latest: {
    title: "the latest that is not 0 (does not commute)",
    identity: 0,
    combine: (earlier, later) => (later === 0 ? earlier : later),
  },
  join: {
    title: "letters, joined (does not commute)",
    identity: "",
    combine: (earlier, later) => `${String(earlier)}${String(later)}`,
  },
} as const satisfies Record<string, OperatorRow>;

export type RowName = keyof typeof rows;

/**
 * Elements as they are typed: numbers; for `join`, words.
 *
 * @throws {ArgumentError} when there are none, too many, or one is no i32.
 */
export function parseElements(text: string, row: RowName): (number | string)[] {
  const words = text.split(/[\s,;]+/).filter((word) => word !== "");
  if (words.length === 0) {
    throw new ArgumentError("There are no elements; type 1 to 16, divided by spaces");
  }
  if (words.length > MOST) {
    throw new ArgumentError(`There are ${words.length} elements; the picture has room for 16`);
  }
  return words.map((word, at) => {
    if (row === "join") {
      return word.slice(0, 2);
    }
    const value = Number(word);
    if (!/^[+-]?\d+$/.test(word) || problemOf(i32, value === 0 ? 0 : value) !== undefined) {
      throw new ArgumentError(
        `Element ${at + 1} is “${word.slice(0, 30)}”; it takes a whole number from -2147483648 to 2147483647`,
      );
    }
    return value === 0 ? 0 : value;
  });
}

/** The elements as values that know where they come from. */
export const shownElements = (elements: readonly (number | string)[]): Shown[] =>
  elements.map((value, at) => ({ value, from: at, to: at + 1 }));

/** The operator on such values; it keeps account of the elements that a value stands for. */
export function combiningOf(name: RowName): Combining<Shown> {
  const { identity, combine } = rows[name] as OperatorRow;
  return {
    identity: { value: identity, from: 0, to: 0 },
    combine(earlier, later) {
      const value = combine(earlier.value, later.value);
      if (earlier.from === earlier.to || later.from === later.to) {
        const { from, to } = earlier.from === earlier.to ? later : earlier;
        return { value, from, to };
      }
      return { value, from: earlier.from, to: later.to };
    },
  };
}

/** The operator on values of segments: what comes before a segment's start counts no more. */
export function segmentedCombiningOf(name: RowName): Combining<Shown> {
  const { identity, combine } = combiningOf(name);
  return {
    identity,
    combine: (earlier, later) =>
      later.head ? later : { ...combine(earlier, later), head: earlier.head ?? false },
  };
}

/** One after another: what every picture must end with. Segments start anew at `heads`. */
export function inOrder(
  elements: readonly (number | string)[],
  name: RowName,
  exclusive: boolean,
  heads: readonly number[] = [],
): (Value | string)[] {
  const { identity, combine } = rows[name] as OperatorRow;
  const prefixes: (Value | string)[] = [];
  let prefix: Value | string = identity;
  for (const [at, element] of elements.entries()) {
    if (heads.includes(at)) {
      prefix = identity;
    }
    const before = prefix;
    prefix = combine(prefix, element);
    prefixes.push(exclusive ? before : prefix);
  }
  return prefixes;
}

/** A value in at most `letters` letters. */
export function brief(value: Value | string, letters = 5): string {
  const text = typeof value === "string" ? value || "–" : String(value);
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}
