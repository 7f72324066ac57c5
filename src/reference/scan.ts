import type { AnyArray, ArrayOf, NameOf, ValueIn, WideArray } from "../algebra/arrays.ts";
import type { Operator } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { Segments } from "../algebra/segments.ts";
import type { ElementType, Value, WideName } from "../algebra/types.ts";
import type { NarrowerThan } from "../algebra/widening.ts";
import { ArgumentError } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import type { Grouping } from "../plan/grouping.ts";
import { groupedScanFrom, requireGrouping } from "./grouping.ts";
import { emptyFor, foldedType, initialOf, mappedItems, totalIn } from "./items.ts";
import { inOrder, placesOf, swapped } from "./reverse.ts";
import type { ReferenceByKey } from "./run_key.ts";
import { segmentedScan, segmentsOf } from "./segments.ts";
import type { ReferenceMonoid } from "./twins.ts";
import { referenceMonoid } from "./twins.ts";

/** The options of a reference. */
export interface ReferenceOptions<Name extends string> {
  /** The operator. The default is `add`. */
  readonly op?: Operator<Name>;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** The order of a plan's operations, to get its result to the last bit. The default is one element after another. */
  readonly grouping?: Grouping;
}

/** What a reference starts from. */
export interface ReferenceInitial<V> {
  /** A value that comes before the first element. */
  readonly initial?: NoInfer<V>;
}

/** The options of a scan's reference, for a result of type `Result`. */
export interface ReferenceScan<Result> {
  /** Leaves each place's own element out. */
  readonly exclusive?: boolean;
  /** Combines each element with all that follow. An initial value then comes after the last element. */
  readonly reverse?: boolean;
  /** An array of one element, which is filled with the combination of all elements, the initial value included. */
  readonly total?: NoInfer<Result>;
}

/** Segments of the items. */
export interface ReferenceSegmentsOption<Keys extends AnyArray = AnyArray> {
  /** Combines each segment on its own. An initial value comes before the first item of each. */
  readonly segments?: Segments | ReferenceByKey<Keys> | undefined;
}

/** A map of the items before they are combined. */
export interface ReferenceMap<A extends AnyArray, V> {
  /**
   * A function of an item's value and its index, whose results are rounded, or wrapped, to the nearest value of the type. Or WGSL over `x` and
   * `i`, as the call itself takes it.
   */
  readonly map?: ((x: ValueIn<A>, i: number) => V) | string;
}

/** A map to another type. It may be left out if that type has every value of the array's. */
export type ReferenceMapOptions<
  A extends AnyArray,
  Name extends string,
  V extends Value,
> = ReferenceConversion<A, Name, V> &
  ([Extract<NameOf<A>, Name | NarrowerThan<Name>>] extends [never]
    ? Required<ReferenceMap<A, NoInfer<V>>>
    : ReferenceMap<A, NoInfer<V>>);

/** What a reference takes that gives another type than the array's. */
export interface ReferenceConversion<A extends AnyArray, Name extends string, V extends Value> {
  /** The type of the map's results, and of the result of the call. */
  readonly type: ElementType<Name, V>;
  /** The operator. The default is `add`. */
  readonly op?: Operator<NoInfer<Name>>;
  /** The type of the array's elements. Needed only for f16 bits in a `Uint16Array`. */
  readonly from?: ElementType<NameOf<A>>;
  /** The order of a plan's operations, to get its result to the last bit. The default is one element after another. */
  readonly grouping?: Grouping;
}

const names = {
  op: true,
  type: true,
  from: true,
  map: true,
  exclusive: "boolean",
  reverse: "boolean",
  initial: true,
  total: true,
  segments: true,
  grouping: true,
} as const satisfies OptionTable<
  ReferenceMapOptions<AnyArray, string, Value> &
    ReferenceInitial<Value> &
    ReferenceScan<AnyArray> &
    ReferenceSegmentsOption
>;

/** The operator on elements in the order of a scan. */
function operatorOf(
  { op = add, reverse = false }: { readonly op?: unknown; readonly reverse?: boolean },
  type: ElementType,
): ReferenceMonoid {
  const own = referenceMonoid(op as Operator, type, "scanReference");
  return reverse ? swapped(own) : own;
}

/**
 * What a scan means, on the CPU. It combines one element after another, or in the order of a plan. Integers wrap around;
 * floats round to nearest even after each operation. An operator of your own is computed by its `reference`, or else by its `combine`.
 *
 * @returns an array like `data`, with its inclusive or exclusive prefixes; with a map to another `type`, an array of that
 * type.
 * @throws {ArgumentError} as the scan itself, and for WGSL that the CPU has no code for.
 *
 * @example
 * ```ts
 * scanReference(Uint32Array.of(3, 1, 7, 0)); // 3 4 11 11
 * scanReference(Int32Array.of(3, -1, 7), { op: max, exclusive: true }); // -2147483648 3 3
 * scanReference(Uint32Array.of(3, 1, 7, 0), { reverse: true }); // 11 8 7 0
 * scanReference(Uint32Array.of(3, 1, 7, 0), { segments: { rows: 2 } }); // 3 4 7 7
 * scanReference(Uint32Array.of(3, 1, 7, 0), { segments: { columns: 2 } }); // 3 1 10 1
 * scanReference(Uint32Array.of(3, 1, 7, 4), { segments: { key: (x) => x % 2 } }); // 3 4 11 4
 * scanReference(Uint32Array.of(3, 1, 7, 0), { map: "x * x + i" }); // 9 11 62 65
 * ```
 */
export function scanReference<
  A extends AnyArray,
  Name extends string,
  V extends Value,
  Keys extends AnyArray = A,
>(
  data: A,
  options: ReferenceMapOptions<A, Name, V> &
    ReferenceInitial<V | ArrayOf<Name, V>> &
    ReferenceSegmentsOption<Keys> &
    ReferenceScan<ArrayOf<Name, V>>,
): ArrayOf<Name, V>;
export function scanReference<A extends AnyArray, Keys extends AnyArray = A>(
  data: A,
  options?: ReferenceOptions<WideName<NameOf<A>>> &
    ReferenceMap<A, ValueIn<A>> &
    ReferenceInitial<ValueIn<A> | WideArray<A>> &
    ReferenceSegmentsOption<Keys> &
    ReferenceScan<WideArray<A>>,
): WideArray<A>;
export function scanReference(
  data: AnyArray,
  options: ReferenceOptions<string> &
    ReferenceInitial<Value> &
    ReferenceSegmentsOption &
    ReferenceScan<AnyArray> = {},
): AnyArray {
  const { type, from, read } = mappedItems(data, options, names, "scanReference", foldedType);
  const { exclusive = false, reverse = false, grouping } = options;
  const combine = operatorOf(options, type);
  const { identity, lift, reference, shown, lower } = combine;
  const { array, set: put } = emptyFor(data, { type, from }, data.length, "scanReference");
  const segments =
    options.segments === undefined
      ? undefined
      : segmentsOf(options.segments, { array: data, type: from }, "scanReference");
  const placeOf = placesOf(data.length, reverse, segments);
  const elementAt = (index: number): Value => lift(read(placeOf(index)));
  const set = (index: number, element: Value): void => put(placeOf(index), lower(element));
  const initial = initialOf(options, combine, "scanReference");
  const putTotal = totalIn(options.total, array, type, "scanReference");
  const setTotal = (element: Value): void => putTotal(lower(element));
  // A result that may combine no element is shown as what sums start from.
  const first = initial === undefined ? shown : (value: Value) => value;
  if (segments !== undefined) {
    if (options.total !== undefined) {
      throw new ArgumentError("scanReference: with segments there is no total of all", "total");
    }
    const elements = Array.from({ length: data.length }, (_, index) => elementAt(index));
    const how = { exclusive, initial, grouping };
    segmentedScan(combine, elements, inOrder(segments, data.length, reverse), how, "scanReference").forEach(
      (prefix, index) => {
        if (!segments.isInGap?.(placeOf(index))) {
          set(index, exclusive ? first(prefix) : prefix);
        }
      },
    );
    return array;
  }
  if (grouping !== undefined) {
    requireGrouping(grouping, grouping?.passes === "single" ? 1 : 2, "scanReference");
    const elements = Array.from({ length: data.length }, (_, index) => elementAt(index));
    const { prefixes, total } = groupedScanFrom(combine, initial, elements, exclusive, grouping);
    prefixes.forEach((prefix, index) => {
      set(index, exclusive ? first(prefix) : prefix);
    });
    setTotal(data.length === 0 ? first(total) : total);
    return array;
  }
  let prefix = initial ?? identity;
  for (let index = 0; index < data.length; index++) {
    const element = elementAt(index);
    const inclusive = index === 0 && initial === undefined ? element : reference(prefix, element);
    set(index, exclusive ? first(prefix) : inclusive);
    prefix = inclusive;
  }
  setTotal(data.length === 0 ? first(prefix) : prefix);
  return array;
}
