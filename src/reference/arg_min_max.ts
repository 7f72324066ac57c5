import { valuesOf } from "../algebra/array_values.ts";
import type { NameOf, ScalarArray, ValueIn } from "../algebra/arrays.ts";
import type { ElementType, Scalar } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import { requireOptions } from "../options.ts";
import type { ReferenceType } from "./items.ts";
import { typeOfArray } from "./items.ts";

/** An element, and its place. */
export interface ReferenceArg<V> {
  /** The element. */
  readonly value: V;
  /** Its place: the first one, if there are several. */
  readonly index: number;
}

/** Whether a value comes before another one: −0 before 0, and NaN before nothing. */
const isLess = (a: Scalar, b: Scalar): boolean =>
  a < b ||
  (Number.isNaN(b) && !Number.isNaN(a)) ||
  (a === 0 && b === 0 && Object.is(a, -0) && !Object.is(b, -0));

function best(
  data: ScalarArray,
  options: { readonly type?: ElementType },
  caller: string,
  wins: (value: Scalar, best: Scalar) => boolean,
): { value: Scalar; index: number } {
  requireOptions(caller, options, { type: true });
  const type = typeOfArray(data, options.type, caller);
  if (type.kind === "struct") {
    refuse(caller, "data", `an array of the struct ${type.name}`, "u32, i32, f32, f16, u64, i64 or f64");
  }
  if (data.length === 0) {
    throw new ArgumentError(`${caller}: the array is empty, and the result is one of its elements`, "data");
  }
  const read = valuesOf(data, type) as (index: number) => Scalar;
  let index = 0;
  for (let at = 1; at < data.length; at++) {
    if (wins(read(at), read(index))) {
      index = at;
    }
  }
  return { value: read(index), index };
}

/**
 * What `fold.argMin` means, on the CPU: the least element and its index.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * argMinReference(Float32Array.of(3, 1, 7, 1)); // { value: 1, index: 1 }
 * ```
 */
export const argMinReference = <A extends ScalarArray>(
  data: A,
  options: ReferenceType<NameOf<A>> = {},
): ReferenceArg<ValueIn<A>> => best(data, options, "argMinReference", isLess) as ReferenceArg<ValueIn<A>>;

/**
 * What `fold.argMax` means, on the CPU: the greatest element and its index.
 *
 * @throws {ArgumentError} as the call itself.
 *
 * @example
 * ```ts
 * argMaxReference(Float32Array.of(3, 7, Number.NaN, 7)); // { value: 7, index: 1 }
 * ```
 */
export const argMaxReference = <A extends ScalarArray>(
  data: A,
  options: ReferenceType<NameOf<A>> = {},
): ReferenceArg<ValueIn<A>> =>
  best(data, options, "argMaxReference", (value, greatest) =>
    // Any number wins against NaN, which wins against nothing.
    Number.isNaN(greatest) || Number.isNaN(value) ? isLess(value, greatest) : isLess(greatest, value),
  ) as ReferenceArg<ValueIn<A>>;
