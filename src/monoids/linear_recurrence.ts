import type { ScalarOf } from "../algebra/types.ts";
import { add, multiply } from "../reference/arithmetic.ts";
import type { MonoidType, MonoidTypeName, StructOperator } from "./scalar.ts";
import { arithmeticText, oncePerType, structOperator } from "./scalar.ts";

/** The step x → a·x + b. */
export type LinearStep<Name extends MonoidTypeName> = {
  /** The factor. */
  readonly a: ScalarOf<Name>;
  /** The summand. */
  readonly b: ScalarOf<Name>;
};

/** What {@link linearRecurrence} returns. */
export type LinearRecurrence<Name extends MonoidTypeName> = StructOperator<
  `LinearRecurrence${Uppercase<Name>}`,
  LinearStep<Name>
>;

const known = new WeakMap<object, unknown>();

/**
 * Steps x → a·x + b made one, the earlier step first: a scan gives the step from the start to each
 * place, so that x after n steps is a·x₀ + b of prefix n. It does not commute. Integers wrap around
 * and are exact; floats round after each operation.
 *
 * G. Blelloch, Prefix Sums and Their Applications, 1.4.
 *
 * @throws {ArgumentError} for a type other than u32, i32, f32, u64, i64 and f64.
 *
 * @example
 * ```ts
 * const steps = linearRecurrence(i32); // x → 2x + 1, three times, from x = 0
 * const items = steps.type.from([{ a: 2, b: 1 }, { a: 2, b: 1 }, { a: 2, b: 1 }]);
 * Array.from(await fold.scan(items, { op: steps }), (step) => step.b); // [1, 3, 7]
 * ```
 */
export function linearRecurrence<Name extends MonoidTypeName>(
  type: MonoidType<Name>,
): LinearRecurrence<Name> {
  return oncePerType(known, "linearRecurrence", type, (suffix) => {
    const name = `LinearRecurrence${suffix as Uppercase<Name>}` as const;
    return structOperator<`LinearRecurrence${Uppercase<Name>}`, LinearStep<Name>>({
      name: "linearRecurrence",
      struct: name,
      fields: { a: type, b: type },
      identity: { a: type.one, b: type.addIdentity ?? type.zero },
      declarations: arithmeticText(type),
      combine: [
        `return ${name}(`,
        "  product_of(later.a, earlier.a),",
        "  sum_of(product_of(later.a, earlier.b), later.b),",
        ");",
      ].join("\n"),
      reference: (earlier, later) => ({
        a: multiply(type)(later.a, earlier.a),
        b: add(type)(multiply(type)(later.a, earlier.b), later.b),
      }),
    });
  });
}
