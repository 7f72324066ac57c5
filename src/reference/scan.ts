import type { Operator } from "../operators.ts";
import { add, monoid } from "../operators.ts";
import type { ElementType, TypeName } from "../types.ts";
import { typeOfArray } from "../types.ts";
import type { AnyArray } from "./items.ts";
import { emptyLike, numbersOf } from "./items.ts";

/** What a reference takes beside the data. */
export interface ReferenceOptions<Name extends TypeName = TypeName> {
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<Name>;
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/**
 * What a scan means: one element after another, on the CPU. Integers wrap around, f32 and f16
 * round to nearest even after each operation.
 *
 * @returns an array like `data`: its inclusive prefixes, or its exclusive ones.
 * @throws {ArgumentError} as the scan itself.
 */
export function scanReference<A extends AnyArray>(
  data: A,
  options: ReferenceOptions & { readonly exclusive?: boolean } = {},
): A {
  const type = typeOfArray(data, options.type, "scanReference");
  const { identity, lift, reference } = monoid(options.op ?? add, type, "scanReference");
  const read = numbersOf(data, type);
  const { array, set } = emptyLike(data, data.length, type);
  let prefix = identity;
  for (let index = 0; index < data.length; index++) {
    const element = lift(read(index));
    const inclusive = index === 0 ? element : reference(prefix, element);
    set(index, options.exclusive ? prefix : inclusive);
    prefix = inclusive;
  }
  return array;
}
