import { u32 } from "../algebra/integers.ts";
import type { ScalarOf } from "../algebra/types.ts";
import type { MonoidType, MonoidTypeName, StructOperator } from "./scalar.ts";
import { greater, NAN_IS_LOWEST, nothing, oncePerType, orderText, structOperator } from "./scalar.ts";

/** A greatest value and where it is. */
export type ArgMaxValue<Name extends MonoidTypeName> = {
  /** The element. */
  readonly value: ScalarOf<Name>;
  /** Its place; 0xffffffff in the identity. */
  readonly index: number;
};

/** What {@link argMax} returns. */
export type ArgMax<Name extends MonoidTypeName> = StructOperator<
  `ArgMax${Uppercase<Name>}`,
  ArgMaxValue<Name>
>;

const known = new WeakMap<object, unknown>();

/**
 * The greatest value and its index: of equal values, the one with the lowest index. It commutes, and is
 * exact. Floats: −0 comes before +0, and any number wins against NaN; of NaNs alone the first is the
 * result. Of nothing, the index is 0xffffffff (and a float's value NaN).
 *
 * @throws {ArgumentError} for a type other than u32, i32, f32, u64, i64 and f64.
 *
 * @example
 * ```ts
 * const highest = argMax(f32);
 * const items = highest.type.from([3, 7, 7, 2].map((value, index) => ({ value, index })));
 * await fold.reduce(items, { op: highest }); // { value: 7, index: 1 }
 * ```
 */
export function argMax<Name extends MonoidTypeName>(type: MonoidType<Name>): ArgMax<Name> {
  return oncePerType(known, "argMax", type, (suffix) =>
    structOperator<`ArgMax${Uppercase<Name>}`, ArgMaxValue<Name>>({
      name: "argMax",
      struct: `ArgMax${suffix as Uppercase<Name>}`,
      fields: { value: type, index: u32 },
      identity: { value: nothing(type, "lowest"), index: 0xffffffff },
      declarations: orderText(type),
      combine: [
        "let wins = greater(later.value, earlier.value);",
        "let ties = !greater(earlier.value, later.value) && later.index < earlier.index;",
        "if (wins || ties) { return later; }",
        "return earlier;",
      ].join("\n"),
      reference(earlier, later) {
        const wins = greater(later.value, earlier.value);
        const ties = !greater(earlier.value, later.value) && later.index < earlier.index;
        return wins || ties ? later : earlier;
      },
      keyed: {
        of: type,
        fields: [["value", NAN_IS_LOWEST], ["index"]],
        combine:
          "select(earlier, later, later.x > earlier.x || (later.x == earlier.x && later.y < earlier.y))",
        takes: "greatest",
      },
    }),
  );
}
