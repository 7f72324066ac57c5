import { add, monoid } from "../operators.ts";
import { typeOfArray } from "../types.ts";
import type { AnyArray } from "./items.ts";
import { numbersOf } from "./items.ts";
import type { ReferenceOptions } from "./scan.ts";

/**
 * What a reduction means: one element after another, on the CPU.
 *
 * @returns the total; the identity where there is no element.
 * @throws {ArgumentError} as the reduction itself.
 */
export function reduceReference(data: AnyArray, options: ReferenceOptions = {}): number {
  const type = typeOfArray(data, options.type, "reduceReference");
  const { identity, lift, reference } = monoid(options.op ?? add, type, "reduceReference");
  const read = numbersOf(data, type);
  let total = identity;
  for (let index = 0; index < data.length; index++) {
    const element = lift(read(index));
    total = index === 0 ? element : reference(total, element);
  }
  return total;
}
