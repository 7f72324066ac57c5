import { u32 } from "../algebra/integers.ts";
import type { ScalarOf } from "../algebra/types.ts";
import { add } from "../reference/arithmetic.ts";
import type { MonoidType, MonoidTypeName, StructOperator } from "./scalar.ts";
import { arithmeticText, oncePerType, structOperator } from "./scalar.ts";

/** A value, or the sum of the segment so far. */
export type SegmentValue<Name extends MonoidTypeName> = {
  /** Not 0 where a segment begins; of a range, whether one begins in it. */
  readonly start: number;
  /** The sum of the segment so far. */
  readonly sum: ScalarOf<Name>;
};

/** What {@link segmentedSum} returns. */
export type SegmentedSum<Name extends MonoidTypeName> = StructOperator<
  `SegmentedSum${Uppercase<Name>}`,
  SegmentValue<Name>
>;

const known = new WeakMap<object, unknown>();

/**
 * The sum that starts anew where `start` is not 0: a scan gives each segment its own prefixes. It
 * does not commute. Integers wrap around and are exact; floats round after each addition.
 *
 * G. Blelloch, Prefix Sums and Their Applications, 1.5.
 *
 * @throws {ArgumentError} for a type other than u32, i32, f32, u64, i64 and f64.
 *
 * @example
 * ```ts
 * const sums = segmentedSum(u32);
 * const items = sums.type.from([
 *   { start: 1, sum: 3 }, { start: 0, sum: 4 },
 *   { start: 1, sum: 5 }, { start: 0, sum: 6 },
 * ]);
 * Array.from(await fold.scan(items, { op: sums }), (item) => item.sum); // [3, 7, 5, 11]
 * ```
 */
export function segmentedSum<Name extends MonoidTypeName>(type: MonoidType<Name>): SegmentedSum<Name> {
  return oncePerType(known, "segmentedSum", type, (suffix) => {
    const name = `SegmentedSum${suffix as Uppercase<Name>}` as const;
    return structOperator<`SegmentedSum${Uppercase<Name>}`, SegmentValue<Name>>({
      name: "segmentedSum",
      struct: name,
      fields: { start: u32, sum: type },
      identity: { start: 0, sum: type.addIdentity ?? type.zero },
      declarations: arithmeticText(type),
      combine: [
        "if (later.start != 0u) { return later; }",
        `return ${name}(earlier.start, sum_of(earlier.sum, later.sum));`,
      ].join("\n"),
      reference: (earlier, later) =>
        later.start !== 0 ? later : { start: earlier.start, sum: add(type)(earlier.sum, later.sum) },
    });
  });
}
