import { valuesOf } from "../algebra/array_values.ts";
import type { NameOf, ScalarArray } from "../algebra/arrays.ts";
import type { Scalar } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import { requireOptions } from "../options.ts";
import { requireScalar, requireSide } from "../plan/require_scalar.ts";
import type { ReferenceType } from "./items.ts";
import { typeOfArray } from "./items.ts";

/** Whether a value comes before another one. NaN comes behind all numbers, and −0 is where 0 is. */
const isLess = (a: Scalar, b: Scalar): boolean => a < b || (Number.isNaN(b) && !Number.isNaN(a));

/**
 * What `fold.searchSorted` means, on the CPU: for each value, how many elements of a sorted array come before it.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * searchSortedReference(Uint32Array.of(1, 3, 3, 7), Uint32Array.of(3, 8)); // 1 4
 * searchSortedReference(Uint32Array.of(1, 3, 3, 7), Uint32Array.of(3, 8), { side: "right" }); // 3 4
 * ```
 */
export function searchSortedReference<A extends ScalarArray>(
  sorted: A,
  values: NoInfer<A>,
  options: ReferenceType<NameOf<A>> & {
    /** `left` gives the place before equal elements, `right` the place behind them. The default is `left`. */
    readonly side?: "left" | "right";
  } = {},
): Uint32Array {
  const caller = "searchSortedReference";
  requireOptions(caller, options, { side: true, type: true });
  const type = requireScalar(typeOfArray(sorted, options.type, caller, "type", "sorted"), caller, "sorted");
  const own = typeOfArray(values, options.type, caller, "type", "values");
  if (!isSameType(type, own)) {
    throw new ArgumentError(
      `${caller}: sorted holds ${type.name}, and values holds ${own.name}; both take the same type`,
      "values",
    );
  }
  const side = requireSide(options.side, caller);
  const [entry, value] = [valuesOf(sorted, type), valuesOf(values, type)] as ((
    index: number,
  ) => Scalar)[] as [(index: number) => Scalar, (index: number) => Scalar];
  return Uint32Array.from({ length: values.length }, (_, index) => {
    const wanted = value(index);
    let [from, to] = [0, sorted.length];
    while (from < to) {
      const middle = Math.floor((from + to) / 2);
      const isBefore = side === "left" ? isLess(entry(middle), wanted) : !isLess(wanted, entry(middle));
      if (isBefore) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  });
}
