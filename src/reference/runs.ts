import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import { arrayLike, requireMemory } from "../algebra/arrays.ts";
import { describe } from "../algebra/check_value.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import type { IndicesOption, OptionTable } from "../options.ts";
import { requireOptions } from "../options.ts";
import type { CountBounds } from "../plan/count_bounds.ts";
import { requireBounds } from "../plan/count_bounds.ts";
import { typeOfArray } from "./items.ts";
import type { ReferenceRunKey } from "./run_key.ts";
import { keysOfRuns } from "./run_key.ts";
import { segmentsOf } from "./segments.ts";
import { argSortReference } from "./sort.ts";

/** The options of the references of runs. */
export interface ReferenceRunOptions<
  Name extends string,
  V = never,
  Indices extends boolean = boolean,
  Inverse = boolean,
> extends ReferenceRunKey<V>,
    CountBounds,
    Partial<IndicesOption<Indices>> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** Whether to sort first. */
  readonly sort?: boolean;
  /** Whether to give the index of each element's run, too. */
  readonly inverse?: Inverse;
}

/** The option of `uniqueReference` that `runLengthsReference` always has. */
export interface ReferenceCountsOption<Counts = boolean> {
  /** Whether to give how many elements each run has, too. */
  readonly counts?: Counts;
}

/** Runs: their first elements, or with an option their positions, and what else was asked for. */
export type ReferenceUniques<A, Indices, Counts, Inverse> = true extends Counts | Inverse
  ? {
      /** The first element of each run, or its position. */
      readonly values: Indices extends true ? Uint32Array : A;
    } & (Counts extends true
      ? {
          /** How many elements each run has. */
          readonly counts: Uint32Array;
        }
      : unknown) &
      (Inverse extends true
        ? {
            /** For each element of the data, the index of its run. */
            readonly inverse: Uint32Array;
          }
        : unknown)
  : Indices extends true
    ? Uint32Array
    : A;

const names = {
  type: true,
  key: true,
  keyType: true,
  sort: "boolean",
  indices: "boolean",
  inverse: "boolean",
  minCount: true,
  maxCount: true,
} as const satisfies OptionTable<ReferenceRunOptions<string>>;

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

/** What both references of runs give. */
function runsOf(
  data: AnyArray,
  options: ReferenceRunOptions<string> & ReferenceCountsOption,
  caller: string,
): unknown {
  const { sort, indices, counts, inverse, minCount, maxCount, ...key } = options;
  // Before elements are taken out.
  typeOfArray(data, options.type, caller);
  const bounds = requireBounds(options, caller);
  const positions = sort
    ? argSortReference(data, key as never)
    : Uint32Array.from({ length: data.length }, (_, at) => at);
  const { starts, ends } = runsIn(elementsAt(data, [...positions]), key, caller);
  const [least, most] = bounds ?? [1, data.length];
  const lengths = ends.map((end, run) => end - (starts[run] as number));
  const isKept = (_: unknown, run: number): boolean =>
    (lengths[run] as number) >= least && (lengths[run] as number) <= most;
  const firsts = starts.filter(isKept).map((start) => positions[start] as number);
  const values = indices ? Uint32Array.from(firsts) : elementsAt(data, firsts);
  const runs = new Uint32Array(data.length);
  let run = 0;
  positions.forEach((position, at) => {
    run += Number(at === ends[run]);
    runs[position] = run;
  });
  return counts || inverse
    ? {
        values,
        ...(counts && { counts: Uint32Array.from(lengths.filter(isKept)) }),
        ...(inverse && { inverse: runs }),
      }
    : values;
}

/**
 * What `unique` means: the first element of each run of equal elements, or its position. With `key`, it is the first
 * element of each run of equal keys. With `sort`, elements are sorted first.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * uniqueReference(Uint32Array.of(4, 4, 7, 7, 7, 4)); // 4 7 4
 * uniqueReference(Uint32Array.of(11, 12, 25), { key: (x) => Math.floor(x / 10) }); // 11 25
 * uniqueReference(Uint32Array.of(30, 10, 30), { sort: true, inverse: true }).inverse; // 1 0 1
 * ```
 */
export function uniqueReference<
  A extends AnyArray,
  Indices extends boolean = false,
  Counts extends boolean = false,
  Inverse extends boolean = false,
>(
  data: A,
  options?: ReferenceRunOptions<NameOf<A>, ValueIn<A>, Indices, Inverse> & ReferenceCountsOption<Counts>,
): ReferenceUniques<A, Indices, Counts, Inverse>;
export function uniqueReference(
  data: AnyArray,
  options: ReferenceRunOptions<string> & ReferenceCountsOption = {},
): unknown {
  requireOptions("uniqueReference", options, { ...names, counts: "boolean" });
  return runsOf(data, options, "uniqueReference");
}

/**
 * What `runLengths` means: the first element of each run of equal elements, and how many there are. It is `uniqueReference` with `counts`.
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
export function runLengthsReference<
  A extends AnyArray,
  Indices extends boolean = false,
  Inverse extends boolean = false,
>(
  data: A,
  options?: ReferenceRunOptions<NameOf<A>, ValueIn<A>, Indices, Inverse>,
): ReferenceUniques<A, Indices, true, Inverse>;
export function runLengthsReference(data: AnyArray, options: ReferenceRunOptions<string> = {}): unknown {
  requireOptions("runLengthsReference", options, names);
  return runsOf(data, { ...options, counts: true }, "runLengthsReference");
}

/** The options of `expandRunsReference`. */
export interface ReferenceExpandOptions<Indices, Ranks> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType;
  /** Whether to give the index of each item's run instead of the run's value. */
  readonly indices?: Indices;
  /** Whether to give how many items of the same run come before each item, too. */
  readonly ranks?: Ranks;
}

const expandNames = { type: true, indices: "boolean", ranks: "boolean" } as const satisfies OptionTable<
  ReferenceExpandOptions<boolean, boolean>
>;

/**
 * What `expandRuns` means: each value as often as its count says, bit for bit; or the index of each item's run. With `ranks`, it gives
 * each item's rank in its run, too.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * expandRunsReference(Uint32Array.of(4, 7, 4), Uint32Array.of(2, 3, 1)); // 4 4 7 7 7 4
 * const counts = Uint32Array.of(2, 0, 3);
 * const { values, ranks } = expandRunsReference(counts, counts, { indices: true, ranks: true });
 * values; // 0 0 2 2 2
 * ranks; // 0 1 0 1 2
 * ```
 */
export function expandRunsReference<
  A extends AnyArray,
  Indices extends boolean = false,
  Ranks extends boolean = false,
>(
  values: A,
  counts: Uint32Array,
  options?: ReferenceExpandOptions<Indices, Ranks>,
): Ranks extends true
  ? {
      /** The value of each item's run, or its index. */
      readonly values: Indices extends true ? Uint32Array : A;
      /** How many items of the same run come before each item. */
      readonly ranks: Uint32Array;
    }
  : Indices extends true
    ? Uint32Array
    : A;
export function expandRunsReference(
  values: AnyArray,
  counts: Uint32Array,
  options: ReferenceExpandOptions<boolean, boolean> = {},
): unknown {
  requireOptions("expandRunsReference", options, expandNames);
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
  const runs = Array.from(counts).flatMap((count, run) => Array<number>(count).fill(run));
  const items = options.indices ? Uint32Array.from(runs) : elementsAt(values, runs);
  const ranks = Array.from(counts).flatMap((count) => Array.from({ length: count }, (_, rank) => rank));
  return options.ranks ? { values: items, ranks: Uint32Array.from(ranks) } : items;
}
