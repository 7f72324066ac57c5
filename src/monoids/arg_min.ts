import { u32 } from "../algebra/integers.ts";
import type { ScalarOf } from "../algebra/types.ts";
import type { MonoidType, MonoidTypeName, StructOperator } from "./scalar.ts";
import { less, NAN_IS_GREATEST, nothing, oncePerType, orderText, structOperator } from "./scalar.ts";

/** A least value and where it is. */
export type ArgMinValue<Name extends MonoidTypeName> = {
  /** The element. */
  readonly value: ScalarOf<Name>;
  /** Its place; 0xffffffff in the identity. */
  readonly index: number;
};

/** What {@link argMin} returns. */
export type ArgMin<Name extends MonoidTypeName> = StructOperator<
  `ArgMin${Uppercase<Name>}`,
  ArgMinValue<Name>
>;

const known = new WeakMap<object, unknown>();

/**
 * The least value and its index: of equal values, the one with the lowest index. It commutes, and is
 * exact. Floats: −0 comes before +0, and any number wins against NaN; of NaNs alone the first is the
 * result. Of nothing, the index is 0xffffffff (and a float's value NaN).
 *
 * @throws {ArgumentError} for a type other than u32, i32, f32, u64, i64 and f64.
 *
 * @example
 * ```ts
 * const lowest = argMin(f32);
 * const items = lowest.type.from([3, 1, 1, 2].map((value, index) => ({ value, index })));
 * await fold.reduce(items, { op: lowest }); // { value: 1, index: 1 }
 * ```
 */
export function argMin<Name extends MonoidTypeName>(type: MonoidType<Name>): ArgMin<Name> {
  return oncePerType(known, "argMin", type, (suffix) =>
    structOperator<`ArgMin${Uppercase<Name>}`, ArgMinValue<Name>>({
      name: "argMin",
      struct: `ArgMin${suffix as Uppercase<Name>}`,
      fields: { value: type, index: u32 },
      identity: { value: nothing(type, "greatest"), index: 0xffffffff },
      declarations: orderText(type),
      combine: [
        "let wins = less(later.value, earlier.value);",
        "let ties = !less(earlier.value, later.value) && later.index < earlier.index;",
        "if (wins || ties) { return later; }",
        "return earlier;",
      ].join("\n"),
      reference(earlier, later) {
        const wins = less(later.value, earlier.value);
        const ties = !less(earlier.value, later.value) && later.index < earlier.index;
        return wins || ties ? later : earlier;
      },
      keyed: {
        of: type,
        fields: [["value", NAN_IS_GREATEST], ["index"]],
        combine:
          "select(earlier, later, later.x < earlier.x || (later.x == earlier.x && later.y < earlier.y))",
        takes: "least",
      },
    }),
  );
}
