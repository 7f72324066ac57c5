import type { ScalarOf } from "../algebra/types.ts";
import type { MonoidType, MonoidTypeName, StructOperator } from "./scalar.ts";
import {
  greater,
  less,
  NAN_IS_GREATEST,
  NAN_IS_LOWEST,
  nothing,
  oncePerType,
  orderText,
  structOperator,
} from "./scalar.ts";

/** A least and a greatest value: of a single value, that value twice. */
export type MinMaxValue<Name extends MonoidTypeName> = {
  /** The least value. */
  readonly min: ScalarOf<Name>;
  /** The greatest value. */
  readonly max: ScalarOf<Name>;
};

/** What {@link minMax} returns. */
export type MinMax<Name extends MonoidTypeName> = StructOperator<
  `MinMax${Uppercase<Name>}`,
  MinMaxValue<Name>
>;

const known = new WeakMap<object, unknown>();

/**
 * The least and the greatest value in one pass. It commutes, and is exact. Floats: −0 comes before
 * +0, and NaN is ignored; of NaNs alone, and of nothing, both are NaN. Of no integers, `min` is the
 * type's greatest value and `max` its lowest.
 *
 * @throws {ArgumentError} for a type other than u32, i32, f32, u64, i64 and f64.
 *
 * @example
 * ```ts
 * const range = minMax(i32);
 * const items = range.type.from([4, -2, 9].map((value) => ({ min: value, max: value })));
 * await fold.reduce(items, { op: range }); // { min: -2, max: 9 }
 * ```
 */
export function minMax<Name extends MonoidTypeName>(type: MonoidType<Name>): MinMax<Name> {
  return oncePerType(known, "minMax", type, (suffix) => {
    const name = `MinMax${suffix as Uppercase<Name>}` as const;
    return structOperator<`MinMax${Uppercase<Name>}`, MinMaxValue<Name>>({
      name: "minMax",
      struct: name,
      fields: { min: type, max: type },
      identity: { min: nothing(type, "greatest"), max: nothing(type, "lowest") },
      declarations: orderText(type),
      combine: [
        `var range = earlier;`,
        "if (less(later.min, earlier.min)) { range.min = later.min; }",
        "if (greater(later.max, earlier.max)) { range.max = later.max; }",
        "return range;",
      ].join("\n"),
      reference: (earlier, later) => ({
        min: less(later.min, earlier.min) ? later.min : earlier.min,
        max: greater(later.max, earlier.max) ? later.max : earlier.max,
      }),
      ...(type.name === "f32" && {
        keyed: {
          of: type,
          fields: [
            ["min", NAN_IS_GREATEST],
            ["max", NAN_IS_LOWEST],
          ],
          combine: "vec2<u32>(min(earlier.x, later.x), max(earlier.y, later.y))",
        },
      }),
    });
  });
}
