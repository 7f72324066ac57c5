import type { Operator } from "../operators.ts";
import { add, monoid } from "../operators.ts";
import type { ElementType } from "../types.ts";
import type { AnyArray, NameOf, ValueIn } from "./arrays.ts";
import { valuesOf } from "./arrays.ts";
import { groupedReduce } from "./grouping.ts";
import { typeOfArray } from "./items.ts";
import type { ReferenceOptions } from "./scan.ts";

/**
 * What a reduction means: one element after another, on the CPU; or in the order of a plan.
 *
 * @returns the total; the identity where there is no element.
 * @throws {ArgumentError} as the reduction itself.
 *
 * @example
 * ```ts
 * reduceReference(BigUint64Array.of(4294967295n, 2n)); // 4294967297n
 * ```
 */
export function reduceReference<A extends AnyArray>(
  data: A,
  options: ReferenceOptions<NameOf<A>> = {},
): ValueIn<A> {
  const type = typeOfArray(data, options.type as ElementType | undefined, "reduceReference");
  const combine = monoid((options.op ?? add) as Operator, type, "reduceReference");
  const { identity, lift, reference } = combine;
  const read = valuesOf(data, type);
  if (options.grouping !== undefined) {
    const elements = Array.from({ length: data.length }, (_, index) => lift(read(index)));
    return groupedReduce(combine, elements, options.grouping) as ValueIn<A>;
  }
  let total = identity;
  for (let index = 0; index < data.length; index++) {
    const element = lift(read(index));
    total = index === 0 ? element : reference(total, element);
  }
  return total as ValueIn<A>;
}
