import type { Operator } from "../operators.ts";
import { add, monoid } from "../operators.ts";
import type { ElementType } from "../types.ts";
import type { AnyArray, NameOf } from "./arrays.ts";
import { emptyLike, valuesOf } from "./arrays.ts";
import type { Grouping } from "./grouping.ts";
import { groupedScan } from "./grouping.ts";
import { typeOfArray } from "./items.ts";

/** What a reference takes beside the data. */
export interface ReferenceOptions<Name extends string> {
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<Name>;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** The order of a plan's operations, to follow it to the last bit; one after another where it is left out. */
  readonly grouping?: Grouping;
}

/**
 * What a scan means: one element after another, on the CPU; or in the order of a plan. Integers wrap
 * around, floats round to nearest even after each operation.
 *
 * @returns an array like `data`: its inclusive prefixes, or its exclusive ones.
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
  options: ReferenceOptions<NameOf<A>> & { readonly exclusive?: boolean } = {},
): A {
  const type = typeOfArray(data, options.type as ElementType | undefined, "scanReference");
  const combine = monoid((options.op ?? add) as Operator, type, "scanReference");
  const { identity, lift, reference } = combine;
  const { exclusive = false, grouping } = options;
  const read = valuesOf(data, type);
  const { array, set } = emptyLike(data, data.length, type);
  if (grouping !== undefined) {
    const elements = Array.from({ length: data.length }, (_, index) => lift(read(index)));
    groupedScan(combine, elements, exclusive, grouping).forEach((prefix, index) => {
      set(index, prefix);
    });
    return array;
  }
  let prefix = identity;
  for (let index = 0; index < data.length; index++) {
    const element = lift(read(index));
    const inclusive = index === 0 ? element : reference(prefix, element);
    set(index, exclusive ? prefix : inclusive);
    prefix = inclusive;
  }
  return array;
}
