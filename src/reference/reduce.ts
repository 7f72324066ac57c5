import type { AnyArray, ArrayOf, NameOf, ValueIn, WideArray } from "../algebra/arrays.ts";
import type { Operator } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { Segments } from "../algebra/segments.ts";
import type { ElementType, Value, WideName } from "../algebra/types.ts";
import type { SegmentsOption } from "../options.ts";
import { columnTotals } from "./columns.ts";
import { groupedReduce, requireGrouping } from "./grouping.ts";
import { emptyFor, foldedType, initialOf, mappedItems } from "./items.ts";
import { rowTotals } from "./rows.ts";
import type { ReferenceByKey, ReferenceKeys } from "./run_key.ts";
import { elementsAt, startsOf } from "./runs.ts";
import type {
  ReferenceInitial,
  ReferenceMap,
  ReferenceMapOptions,
  ReferenceOptions,
  ReferenceSegmentsOption,
} from "./scan.ts";
import { matricesOf, segmentedScan, segmentsOf } from "./segments.ts";
import { referenceMonoid } from "./twins.ts";

const names = {
  op: true,
  type: true,
  from: true,
  map: true,
  initial: true,
  segments: true,
  grouping: true,
} as const;

/** The totals of runs of equal keys, and the key of each run. */
export interface ReferenceRuns<Keys, Values> {
  /** The key of each run. */
  readonly keys: Keys;
  /** The total of each run. */
  readonly values: Values;
}

/**
 * What a reduction means, on the CPU. It combines one element after another, or in the order of a plan.
 *
 * @returns the total. If there is no element, this is the identity.
 * @throws {ArgumentError} as the reduction itself.
 *
 * @example
 * ```ts
 * reduceReference(BigUint64Array.of(4294967295n, 2n)); // 4294967297n
 * reduceReference(Uint32Array.of(3, 1, 7, 0), { segments: { rows: 2 } }); // 4 7
 * reduceReference(Uint32Array.of(3, 1, 7, 0), { segments: { columns: 2 } }); // 10 1
 * reduceReference(Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 8), { segments: { shape: [2, 2, 2], axis: 1 } }); // 4 6 12 14
 * reduceReference(Uint32Array.of(11, 12, 25), { segments: { key: (x) => Math.floor(x / 10) } }).values; // 23 25
 * ```
 */
export function reduceReference<A extends AnyArray>(
  data: A,
  options?: ReferenceOptions<WideName<NameOf<A>>> &
    ReferenceMap<A, ValueIn<A>> &
    ReferenceInitial<ValueIn<A> | WideArray<A>> &
    Partial<SegmentsOption<undefined>>,
): ValueIn<A>;
export function reduceReference<A extends AnyArray, Name extends string, V extends Value>(
  data: A,
  options: ReferenceMapOptions<A, Name, V> &
    ReferenceInitial<V | ArrayOf<Name, V>> &
    Partial<SegmentsOption<undefined>>,
): V;
export function reduceReference<A extends AnyArray, Keys extends AnyArray>(
  data: A,
  options: ReferenceOptions<WideName<NameOf<A>>> &
    ReferenceMap<A, ValueIn<A>> &
    ReferenceInitial<ValueIn<A> | WideArray<A>> & {
      /** Where segments start. */
      readonly segments: {
        /** A key for each element. */
        readonly keys: Keys;
        /** The type of the keys, for f16 bits in a `Uint16Array`. */
        readonly type?: ElementType;
        /** Not in this form, in which the elements of `keys` are the keys. */
        readonly key?: undefined;
      };
    },
): ReferenceRuns<Keys, WideArray<A>>;
export function reduceReference<
  A extends AnyArray,
  Keys extends AnyArray,
  Name extends string,
  V extends Value,
>(
  data: A,
  options: ReferenceMapOptions<A, Name, V> &
    ReferenceInitial<V | ArrayOf<Name, V>> & {
      /** Where segments start. */
      readonly segments: {
        /** A key for each element. */
        readonly keys: Keys;
        /** The type of the keys, for f16 bits in a `Uint16Array`. */
        readonly type?: ElementType;
        /** Not in this form, in which the elements of `keys` are the keys. */
        readonly key?: undefined;
      };
    },
): ReferenceRuns<Keys, ArrayOf<Name, V>>;
export function reduceReference<
  A extends AnyArray,
  Key extends string,
  K extends Value,
  Keys extends AnyArray = A,
>(
  data: A,
  options: ReferenceOptions<WideName<NameOf<A>>> &
    ReferenceMap<A, ValueIn<A>> &
    ReferenceInitial<ValueIn<A> | WideArray<A>> &
    SegmentsOption<ReferenceByKey<Keys, Key, K>>,
): ReferenceRuns<ReferenceKeys<Key, K>, WideArray<A>>;
export function reduceReference<
  A extends AnyArray,
  Name extends string,
  V extends Value,
  Key extends string,
  K extends Value,
  Keys extends AnyArray = A,
>(
  data: A,
  options: ReferenceMapOptions<A, Name, V> &
    ReferenceInitial<V | ArrayOf<Name, V>> &
    SegmentsOption<ReferenceByKey<Keys, Key, K>>,
): ReferenceRuns<ReferenceKeys<Key, K>, ArrayOf<Name, V>>;
export function reduceReference<A extends AnyArray>(
  data: A,
  options: ReferenceOptions<WideName<NameOf<A>>> &
    ReferenceMap<A, ValueIn<A>> &
    ReferenceInitial<ValueIn<A> | WideArray<A>> &
    SegmentsOption<Exclude<Segments, { readonly keys: unknown }>>,
): WideArray<A>;
export function reduceReference<A extends AnyArray, Name extends string, V extends Value>(
  data: A,
  options: ReferenceMapOptions<A, Name, V> &
    ReferenceInitial<V | ArrayOf<Name, V>> &
    SegmentsOption<Exclude<Segments, { readonly keys: unknown }>>,
): ArrayOf<Name, V>;
export function reduceReference<A extends AnyArray>(
  data: A,
  options: ReferenceOptions<WideName<NameOf<A>>> &
    ReferenceMap<A, ValueIn<A>> &
    ReferenceInitial<ValueIn<A> | WideArray<A>> &
    SegmentsOption<Segments>,
): WideArray<A> | ReferenceRuns<AnyArray, WideArray<A>>;
export function reduceReference(
  data: AnyArray,
  options: ReferenceOptions<string> & ReferenceInitial<Value> & ReferenceSegmentsOption = {},
): Value | AnyArray | ReferenceRuns<AnyArray, AnyArray> {
  const { type, from, read } = mappedItems(data, options, names, "reduceReference", foldedType);
  const combine = referenceMonoid((options.op ?? add) as Operator, type, "reduceReference");
  const { identity, lift, reference, shown, lower } = combine;
  const initial = initialOf(options, combine, "reduceReference");
  if (options.segments !== undefined) {
    const segments = segmentsOf(options.segments, { array: data, type: from }, "reduceReference");
    const elements = Array.from({ length: data.length }, (_, index) => lift(read(index)));
    const how = { initial, grouping: options.grouping };
    if (segments.columns !== undefined) {
      const { columns, matrixItems } = segments;
      const empty = initial ?? shown(identity);
      const totals = matricesOf(elements, matrixItems).flatMap((matrix) =>
        columnTotals(combine, matrix, columns, how, empty, "reduceReference"),
      );
      const { array, set } = emptyFor(data, { type, from }, totals.length, "reduceReference");
      totals.forEach((total, column) => {
        set(column, lower(total));
      });
      return array;
    }
    if (segments.rows !== undefined && options.grouping?.fanIn !== undefined) {
      const totals = rowTotals(combine, elements, segments.rows, how, "reduceReference");
      const { array, set } = emptyFor(data, { type, from }, totals.length, "reduceReference");
      totals.forEach((total, place) => {
        set(place, lower(total));
      });
      return array;
    }
    const prefixes = segmentedScan(combine, elements, segments, how, "reduceReference");
    const ends = segments.ends(data.length);
    const { array, set } = emptyFor(data, { type, from }, ends.length, "reduceReference");
    ends.forEach((end, place) => {
      set(place, lower(end === undefined ? (initial ?? shown(identity)) : (prefixes[end - 1] as Value)));
    });
    return segments.keys === undefined
      ? array
      : {
          keys: elementsAt(segments.keys.array, startsOf(ends as readonly number[])),
          values: array,
        };
  }
  if (data.length === 0) {
    return lower(initial ?? shown(identity));
  }
  if (options.grouping !== undefined) {
    requireGrouping(options.grouping, 2, "reduceReference");
    const elements = Array.from({ length: data.length }, (_, index) => lift(read(index)));
    return lower(groupedReduce(combine, elements, options.grouping, initial));
  }
  let total = initial ?? identity;
  for (let index = 0; index < data.length; index++) {
    const element = lift(read(index));
    total = index === 0 && initial === undefined ? element : reference(total, element);
  }
  return lower(total);
}
