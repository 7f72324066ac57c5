import { ArgumentError, refuse } from "./errors.ts";

/** The names of options. A table of them `satisfies Record<keyof Options, true>`, so that none is missing. */
export type OptionNames = Readonly<Record<string, unknown>>;

/**
 * Requires an object that has no other options than these. An option that is undefined counts as left out.
 *
 * @throws {ArgumentError} which names the unknown option, and the one that was probably meant.
 */
export function requireOptions(caller: string, options: unknown, names: OptionNames): void {
  if (typeof options !== "object" || options === null) {
    refuse(caller, "options", options === null ? "null" : typeof options, "an object");
  }
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(names, name)) {
      throw unknownOption(caller, name, Object.keys(names));
    }
  }
}

/** The error for an unknown option. */
function unknownOption(caller: string, name: string, names: readonly string[]): ArgumentError {
  const plain = (one: string): string => one.toLowerCase().replace(/[_-]/g, "");
  const [nearest] = [0, 1, 2, 3, 4]
    .filter((steps) => steps <= Math.ceil(name.length / 4))
    .flatMap((steps) => names.filter((one) => isNear(plain(name), plain(one), steps)));
  return new ArgumentError(
    `${caller} takes no option ${name}; ${
      nearest === undefined ? `it takes ${names.join(", ")}` : `did you mean ${nearest}?`
    }`,
    name,
  );
}

/** Whether one word becomes the other if at most `steps` letters are put in, left out or replaced. */
function isNear(a: string, b: string, steps: number): boolean {
  if (a === b) {
    return true;
  }
  const [restA, restB] = [a.slice(1), b.slice(1)];
  return a[0] === b[0]
    ? isNear(restA, restB, steps)
    : steps > 0 &&
        (isNear(a, restB, steps - 1) || isNear(restA, b, steps - 1) || isNear(restA, restB, steps - 1));
}

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

/** The option `segments` of a reduction. */
export interface SegmentsOption<Given> {
  /** Where segments start. Each one is reduced by itself. By keys, runs of equal keys are the segments. */
  readonly segments: Given;
}

/** The option `values` of a sort. */
export interface ValuesOption<Given> {
  /** One array, or several, as long as the elements. They are put into the same order. */
  readonly values: Given;
}
