import type { AnyArray, ArrayOf, NameOf, ValueIn } from "../algebra/arrays.ts";
import type { Operator } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import type { Grouping } from "../plan/grouping.ts";
import { groupedScan, requireGrouping } from "./grouping.ts";
import { emptyFor, mappedItems } from "./items.ts";
import { referenceMonoid } from "./twins.ts";

/** What a reference takes beside the data. */
export interface ReferenceOptions<Name extends string> {
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<Name>;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** The order of a plan's operations, to follow it to the last bit; one after another where it is left out. */
  readonly grouping?: Grouping;
}

/** A map of the items before they are combined: the CPU twin of `map`. */
export interface ReferenceMap<A extends AnyArray, V> {
  /** What an item's value and its index become: rounded, or wrapped, to the nearest value of the type. */
  readonly map?: (x: ValueIn<A>, i: number) => V;
}

/** A map to another type. */
export interface ReferenceMapOptions<A extends AnyArray, Name extends string, V extends Value> {
  /** The type of what is combined, and comes out. */
  readonly type: ElementType<Name, V>;
  /** What an item's value and its index become: rounded, or wrapped, to the nearest value of the type. */
  readonly map: (x: ValueIn<A>, i: number) => NoInfer<V>;
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<NoInfer<Name>>;
  /** The type of the array's elements; needed only for f16 bits in a `Uint16Array`. */
  readonly from?: ElementType<NameOf<A>>;
  /** The order of a plan's operations, to follow it to the last bit; one after another where it is left out. */
  readonly grouping?: Grouping;
}

const names = { op: true, type: true, from: true, map: true, exclusive: true, grouping: true } as const;

/**
 * What a scan means: one element after another, on the CPU; or in the order of a plan. Integers wrap
 * around, floats round to nearest even after each operation.
 *
 * @returns an array like `data`: its inclusive prefixes, or its exclusive ones; with a map to another
 * `type`, an array of that.
 * @throws {ArgumentError} as the scan itself.
 *
 * @example
 * ```ts
 * scanReference(Uint32Array.of(3, 1, 7, 0)); // 3 4 11 11
 * scanReference(Int32Array.of(3, -1, 7), { op: max, exclusive: true }); // -2147483648 3 3
 * ```
 */
export function scanReference<A extends AnyArray>(
  data: A,
  options?: ReferenceOptions<NameOf<A>> & ReferenceMap<A, ValueIn<A>> & { readonly exclusive?: boolean },
): A;
export function scanReference<A extends AnyArray, Name extends string, V extends Value>(
  data: A,
  options: ReferenceMapOptions<A, Name, V> & { readonly exclusive?: boolean },
): ArrayOf<Name, V>;
export function scanReference(
  data: AnyArray,
  options: ReferenceOptions<string> & { readonly exclusive?: boolean } = {},
): AnyArray {
  const { type, from, read } = mappedItems(data, options, names, "scanReference");
  const combine = referenceMonoid((options.op ?? add) as Operator, type, "scanReference");
  const { identity, lift, reference, shown } = combine;
  const { exclusive = false, grouping } = options;
  const { array, set } = emptyFor(data, { type, from }, data.length, "scanReference");
  if (grouping !== undefined) {
    requireGrouping(grouping, grouping?.passes === "single" ? 1 : 2, "scanReference");
    const elements = Array.from({ length: data.length }, (_, index) => lift(read(index)));
    groupedScan(combine, elements, exclusive, grouping).forEach((prefix, index) => {
      set(index, exclusive ? shown(prefix) : prefix);
    });
    return array;
  }
  let prefix = identity;
  for (let index = 0; index < data.length; index++) {
    const element = lift(read(index));
    const inclusive = index === 0 ? element : reference(prefix, element);
    set(index, exclusive ? shown(prefix) : inclusive);
    prefix = inclusive;
  }
  return array;
}
