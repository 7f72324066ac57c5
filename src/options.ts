import { ArgumentError, refuse, shown } from "./errors.ts";

/** The names of options. A table of them `satisfies OptionTable<Options>`, so that none is missing. */
export type OptionNames = Readonly<Record<string, unknown>>;

/**
 * What an option takes, so that the command and the tests know how to give it: a whole number; such a number, or a list with one for each
 * segment; WGSL; the values that WGSL names; an element type; a list of numbers; true or false for all keys, or a list of these; an operator; an
 * object of distances; what stands past the ends of data; or one of some words. `true` is for all that is none of these.
 */
export type OptionKind =
  | true
  | "count"
  | "counts"
  | "expression"
  | "params"
  | "type"
  | "numbers"
  | "distances"
  | "edge"
  | "operator"
  | "booleans"
  | readonly string[];

/** A table has `"boolean"` for each option that takes only true or false. `Others` are checked elsewhere, which says more of them. */
export type OptionTable<Options, Others extends keyof Options = never> = {
  readonly [Name in keyof Options]-?: Name extends Others
    ? true
    : [Exclude<Options[Name], undefined>] extends [boolean]
      ? "boolean"
      : OptionKind;
};

/**
 * Requires an object that has no other options than these, and true or false where the table says `"boolean"`. An option
 * that is undefined counts as left out.
 *
 * @throws {ArgumentError} which names the unknown option, and the one that was probably meant or what `cures` has for it; or the option that
 * is neither true nor false.
 */
export function requireOptions(
  caller: string,
  options: unknown,
  names: OptionNames,
  cures: Readonly<Record<string, string>> = {},
): void {
  if (typeof options !== "object" || options === null) {
    refuseOptions(caller, typeof options === "function" ? "a function" : shown(options), options, names);
  }
  if ("combine" in options && !("combine" in names)) {
    refuseOptions(caller, "an operator", options, names);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) {
      if (!Object.hasOwn(names, name)) {
        throw unknownOption(
          caller,
          name,
          Object.keys(names),
          Object.hasOwn(cures, name) ? cures[name] : undefined,
        );
      }
      if (names[name] === "boolean" && typeof value !== "boolean") {
        refuse(caller, name, shown(value), "true or false");
      }
    }
  }
}

/** The names of operators that are looked for in a text. */
const OPERATOR = /^(add|mul|min|max|minimum|maximum|and|or|xor)$/;

/** Refuses what is no object of options. `told` says what it is, and the message shows an option that takes it, or the like. */
function refuseOptions(caller: string, told: string, given: unknown, names: OptionNames): never {
  const text = typeof given === "string" && given;
  const examples = {
    op: text === false ? "max" : OPERATOR.test(text) ? text : /^\w\w+$/.test(text) && "add",
    where: shown(text || "x > 2"),
    descending: !text,
    key: text && shown(text),
    map: shown(text || "x * x"),
  };
  const [option, value] = Object.entries(examples).find(([one, value]) => value && one in names) ?? [];
  refuse(caller, "options", told, option ? `an object, such as { ${option}: ${value} }` : "an object");
}

/** @throws {ArgumentError} for what is no whole number from `least` up. */
export function requireCount(
  caller: string,
  option: string,
  given: unknown,
  least: number,
): asserts given is number {
  if (!(Number.isInteger(given) && (given as number) >= least)) {
    refuse(caller, option, shown(given), `a whole number from ${least} up`);
  }
}

/** The error for an unknown option. */
function unknownOption(caller: string, name: string, names: readonly string[], cure?: string): ArgumentError {
  const plain = (one: string): string => one.toLowerCase().replace(/[_-]/g, "");
  // Each four letters of the name, or what is left of them, may have one wrong.
  const [nearest] = [0, 1, 2, 3, 4]
    .filter((steps) => 4 * steps < name.length + 4)
    .flatMap((steps) => names.filter((one) => isNear(plain(name), plain(one), steps)));
  return new ArgumentError(
    `${caller} takes no option ${name}; ${cure ?? (nearest ? `did you mean ${nearest}?` : `it takes ${names.join(", ")}`)}`,
    name,
  );
}

/** Whether one word becomes the other if at most `steps` letters are put in, left out or replaced. */
const isNear = (a: string, b: string, steps: number): boolean =>
  a === b ||
  (a[0] === b[0]
    ? isNear(a.slice(1), b.slice(1), steps)
    : steps > 0 &&
      (isNear(a, b.slice(1), steps - 1) ||
        isNear(a.slice(1), b, steps - 1) ||
        isNear(a.slice(1), b.slice(1), steps - 1)));

/** The option `initial` of scans and reductions. */
export interface InitialOption<V> {
  /**
   * A value that comes before the first element. An exclusive scan starts with it. An array of one element stands for its element, such as
   * one that an earlier call filled as `total`: it is read during the call.
   */
  readonly initial?: NoInfer<V>;
}

/** The option `indices` of what takes some elements, and of what moves them. */
export interface IndicesOption<Given extends boolean = boolean> {
  /** `true` gives the positions of the elements in the array, as u32, and not the elements. The default is false. */
  readonly indices: Given;
}

/** The option `segments` of scans and reductions. */
export interface SegmentsOption<Given> {
  /**
   * Where segments start. Each one is combined on its own: a scan starts anew with each. An initial value comes before the first item of
   * each. By keys, runs of equal keys are the segments.
   */
  readonly segments: Given;
}

/** The option `values` of a sort. */
export interface ValuesOption<Given> {
  /** One array, or several, as long as the elements. They are put into the same order. */
  readonly values: Given;
}
