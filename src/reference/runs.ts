import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike, requireMemory } from "../algebra/arrays.ts";
import { describe } from "../algebra/check_value.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import type { IndicesOption, OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import { typeOfArray } from "./items.ts";
import type { ReferenceRunKey } from "./run_key.ts";
import { keysOfRuns } from "./run_key.ts";
import { segmentsOf } from "./segments.ts";

/** The options of the references of runs. */
export interface ReferenceRunOptions<Name extends string, V = never> extends ReferenceRunKey<V> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

const names = { type: true, key: true, keyType: true } as const satisfies OptionTable<
  ReferenceRunOptions<string>
>;
const uniqueNames = { indices: "boolean", ...names } as const satisfies OptionTable<
  ReferenceRunOptions<string> & IndicesOption
>;

/** Where each run of equal elements starts, and where it ends. */
function runsIn(
  data: AnyArray,
  options: ReferenceRunOptions<string>,
  caller: string,
): { readonly starts: readonly number[]; readonly ends: readonly number[] } {
  const elements = { array: data, type: typeOfArray(data, options.type, caller) };
  const { array: keys, type } = keysOfRuns(elements, options, caller);
  const ends = segmentsOf({ keys, type }, { array: data, type: elements.type }, caller).ends(
    data.length,
  ) as readonly number[];
  return { starts: startsOf(ends), ends };
}

/** The elements at these places, bit for bit. */
export function elementsAt<A extends AnyArray>(data: A, places: readonly number[]): A {
  const size = data.BYTES_PER_ELEMENT;
  const own = new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength);
  const picked = new Uint8Array(places.length * size);
  places.forEach((place, at) => {
    picked.set(own.subarray(place * size, (place + 1) * size), at * size);
  });
  return arrayLike(data, picked.buffer) as A;
}

/** Where runs start that end there. */
export const startsOf = (ends: readonly number[]): number[] =>
  ends.map((_, at) => (at === 0 ? 0 : (ends[at - 1] as number)));

/**
 * What `unique` means: the first element of each run of equal elements, or its position. With `key`, it is the first
 * element of each run of equal keys.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * uniqueReference(Uint32Array.of(4, 4, 7, 7, 7, 4)); // 4 7 4
 * uniqueReference(Uint32Array.of(11, 12, 25), { key: (x) => Math.floor(x / 10) }); // 11 25
 * ```
 */
export function uniqueReference<A extends AnyArray>(
  data: A,
  options: ReferenceRunOptions<NameOf<A>, ValueIn<A>> & IndicesOption<true>,
): Uint32Array;
export function uniqueReference<A extends AnyArray>(
  data: A,
  options?: ReferenceRunOptions<NameOf<A>, ValueIn<A>> & Partial<IndicesOption<false>>,
): A;
export function uniqueReference(
  data: AnyArray,
  options: ReferenceRunOptions<string> & Partial<IndicesOption<boolean>> = {},
): AnyArray {
  requireOptions("uniqueReference", options, uniqueNames);
  const { starts } = runsIn(data, options, "uniqueReference");
  return options.indices ? Uint32Array.from(starts) : elementsAt(data, starts);
}

/**
 * What `runLengths` means: the first element of each run of equal elements, and how many there are.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * const runs = runLengthsReference(Uint32Array.of(4, 4, 7, 7, 7, 4));
 * runs.values; // 4 7 4
 * runs.counts; // 2 3 1
 * ```
 */
export function runLengthsReference<A extends AnyArray>(
  data: A,
  options: ReferenceRunOptions<NameOf<A>, ValueIn<A>> = {},
): {
  /** The element of each run. */
  readonly values: A;
  /** How many elements each run has. */
  readonly counts: Uint32Array;
} {
  requireOptions("runLengthsReference", options, names);
  const { starts, ends } = runsIn(data, options, "runLengthsReference");
  return {
    values: elementsAt(data, starts),
    counts: Uint32Array.from(ends, (end, at) => end - (starts[at] as number)),
  };
}

/**
 * What `expandRuns` means: each value as often as its count says, bit for bit.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * expandRunsReference(Uint32Array.of(4, 7, 4), Uint32Array.of(2, 3, 1)); // 4 4 7 7 7 4
 * ```
 */
export function expandRunsReference<A extends AnyArray>(values: A, counts: Uint32Array): A {
  if (typeof (Object(values) as { BYTES_PER_ELEMENT?: unknown }).BYTES_PER_ELEMENT !== "number") {
    refuse("expandRunsReference", "values", describe(values), "an array of an element type");
  }
  if (!((counts as unknown) instanceof Uint32Array)) {
    refuse("expandRunsReference", "counts", describe(counts), "a Uint32Array");
  }
  requireMemory("expandRunsReference", "values", values);
  requireMemory("expandRunsReference", "counts", counts);
  if (counts.length !== values.length) {
    throw new ArgumentError(
      `expandRunsReference: ${counts.length} counts for ${values.length} values; it takes one for each`,
      "counts",
    );
  }
  return elementsAt(
    values,
    Array.from(counts).flatMap((count, run) => Array<number>(count).fill(run)),
  );
}
