import type { ScalarOf } from "../algebra/types.ts";
import { add, multiply } from "../reference/arithmetic.ts";
import type { MonoidType, MonoidTypeName, StructOperator } from "./scalar.ts";
import { arithmeticText, oncePerType, structOperator } from "./scalar.ts";

/** The matrix with the rows `a b` and `c d`. */
export type Matrix<Name extends MonoidTypeName> = {
  /** Row 1, column 1. */
  readonly a: ScalarOf<Name>;
  /** Row 1, column 2. */
  readonly b: ScalarOf<Name>;
  /** Row 2, column 1. */
  readonly c: ScalarOf<Name>;
  /** Row 2, column 2. */
  readonly d: ScalarOf<Name>;
};

/** What {@link matrix2x2} returns. */
export type Matrix2x2<Name extends MonoidTypeName> = StructOperator<
  `Matrix2x2${Uppercase<Name>}`,
  Matrix<Name>
>;

const known = new WeakMap<object, unknown>();

/**
 * The product of 2×2 matrices, earlier · later, as they are written from left to right (where
 * matrices act on column vectors, that applies the last one first). It does not commute. Integers
 * wrap around and are exact; floats round after each operation.
 *
 * @throws {ArgumentError} for a type other than u32, i32, f32, u64, i64 and f64.
 *
 * @example
 * ```ts
 * const product = matrix2x2(u32); // powers of (1 1; 1 0) hold Fibonacci's numbers
 * const items = product.type.from(Array(10).fill({ a: 1, b: 1, c: 1, d: 0 }));
 * await fold.reduce(items, { op: product }); // { a: 89, b: 55, c: 55, d: 34 }
 * ```
 */
export function matrix2x2<Name extends MonoidTypeName>(type: MonoidType<Name>): Matrix2x2<Name> {
  return oncePerType(known, "matrix2x2", type, (suffix) => {
    const name = `Matrix2x2${suffix as Uppercase<Name>}` as const;
    const entry = (...[a, b, c, d]: readonly ScalarOf<Name>[]): ScalarOf<Name> =>
      add(type)(
        multiply(type)(a as ScalarOf<Name>, b as ScalarOf<Name>),
        multiply(type)(c as ScalarOf<Name>, d as ScalarOf<Name>),
      );
    return structOperator<`Matrix2x2${Uppercase<Name>}`, Matrix<Name>>({
      name: "matrix2x2",
      struct: name,
      fields: { a: type, b: type, c: type, d: type },
      identity: { a: type.one, b: type.zero, c: type.zero, d: type.one },
      declarations: arithmeticText(type),
      combine: [
        `return ${name}(`,
        "  sum_of(product_of(earlier.a, later.a), product_of(earlier.b, later.c)),",
        "  sum_of(product_of(earlier.a, later.b), product_of(earlier.b, later.d)),",
        "  sum_of(product_of(earlier.c, later.a), product_of(earlier.d, later.c)),",
        "  sum_of(product_of(earlier.c, later.b), product_of(earlier.d, later.d)),",
        ");",
      ].join("\n"),
      reference: (earlier, later) => ({
        a: entry(earlier.a, later.a, earlier.b, later.c),
        b: entry(earlier.a, later.b, earlier.b, later.d),
        c: entry(earlier.c, later.a, earlier.d, later.c),
        d: entry(earlier.c, later.b, earlier.d, later.d),
      }),
    });
  });
}
