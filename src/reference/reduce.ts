import type { AnyArray, NameOf, ValueIn } from "../algebra/arrays.ts";
import type { Operator } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { Value } from "../algebra/types.ts";
import { groupedReduce, requireGrouping } from "./grouping.ts";
import { initialOf, mappedItems } from "./items.ts";
import type { ReferenceInitial, ReferenceMap, ReferenceMapOptions, ReferenceOptions } from "./scan.ts";
import { referenceMonoid } from "./twins.ts";

const names = { op: true, type: true, from: true, map: true, initial: true, grouping: true } as const;

/**
 * What a reduction means, on the CPU. It combines one element after another, or in the order of a plan.
 *
 * @returns the total. If there is no element, this is the identity.
 * @throws {ArgumentError} as the reduction itself.
 *
 * @example
 * ```ts
 * reduceReference(BigUint64Array.of(4294967295n, 2n)); // 4294967297n
 * ```
 */
export function reduceReference<A extends AnyArray>(
  data: A,
  options?: ReferenceOptions<NameOf<A>> & ReferenceMap<A, ValueIn<A>> & ReferenceInitial<ValueIn<A>>,
): ValueIn<A>;
export function reduceReference<A extends AnyArray, Name extends string, V extends Value>(
  data: A,
  options: ReferenceMapOptions<A, Name, V> & ReferenceInitial<V>,
): V;
export function reduceReference(
  data: AnyArray,
  options: ReferenceOptions<string> & ReferenceInitial<Value> = {},
): Value {
  const { type, read } = mappedItems(data, options, names, "reduceReference");
  const combine = referenceMonoid((options.op ?? add) as Operator, type, "reduceReference");
  const { identity, lift, reference, shown } = combine;
  const initial = initialOf(options, combine, "reduceReference");
  if (data.length === 0) {
    return initial ?? shown(identity);
  }
  if (options.grouping !== undefined) {
    requireGrouping(options.grouping, 2, "reduceReference");
    const elements = Array.from({ length: data.length }, (_, index) => lift(read(index)));
    return groupedReduce(combine, elements, options.grouping, initial);
  }
  let total = initial ?? identity;
  for (let index = 0; index < data.length; index++) {
    const element = lift(read(index));
    total = index === 0 && initial === undefined ? element : reference(total, element);
  }
  return total;
}
