import { f32 } from "../algebra/floats.ts";
import { u32 } from "../algebra/integers.ts";
import { ArgumentError } from "../errors.ts";
import { requireOptions } from "../options.ts";
import type { StructOperator } from "./scalar.ts";
import { structOperator } from "./scalar.ts";

/** What is known of some numbers. */
export type Moments = {
  /** How many there are. Where it is 0, so are the others. */
  readonly count: number;
  /** The mean. */
  readonly mean: number;
  /** The sum of the squared differences from the mean. */
  readonly m2: number;
};

/** What {@link variance} returns. */
export type Variance = StructOperator<"Moments", Moments>;

let known: Variance | undefined;

/**
 * Count, mean and variance in one pass, without the cancellation of a sum of squares: make elements
 * with {@link momentsOf}, and read the total with {@link varianceOf}. It commutes up to rounding; the
 * count is exact up to 2³² − 1, the rest rounds as f32 does.
 *
 * T. F. Chan, G. H. Golub and R. J. LeVeque, Updating Formulae and a Pairwise Algorithm for
 * Computing Sample Variances (1979); for one number at a time, it is B. P. Welford's (1962).
 *
 * @example
 * ```ts
 * const spread = variance();
 * const items = spread.type.from([2, 4, 4, 4, 5, 5, 7, 9].map(momentsOf));
 * const total = await fold.reduce(items, { op: spread });
 * total.count; // 8
 * total.mean; // 5
 * varianceOf(total); // 4
 * ```
 */
export function variance(): Variance {
  known ??= structOperator<"Moments", Moments>({
    name: "variance",
    struct: "Moments",
    fields: { count: u32, mean: f32, m2: f32 },
    identity: { count: 0, mean: 0, m2: 0 },
    // All lanes compute the sum, since branches that some lanes take cost more.
    combine: [
      "let count = earlier.count + later.count;",
      "let difference = later.mean - earlier.mean;",
      "let part = f32(later.count) / f32(max(count, 1u));",
      "let m2 = earlier.m2 + later.m2 + difference * difference * f32(earlier.count) * part;",
      "var sum = Moments(count, earlier.mean + difference * part, m2);",
      "if (later.count == 0u) { sum = earlier; }",
      "if (earlier.count == 0u) { sum = later; }",
      "return sum;",
    ].join("\n"),
    reference(earlier, later) {
      if (earlier.count === 0) {
        return later;
      }
      if (later.count === 0) {
        return earlier;
      }
      const count = (earlier.count + later.count) >>> 0;
      const difference = Math.fround(later.mean - earlier.mean);
      const part = Math.fround(later.count / count);
      const between = Math.fround(Math.fround(Math.fround(difference * difference) * earlier.count) * part);
      return {
        count,
        mean: Math.fround(earlier.mean + Math.fround(difference * part)),
        m2: Math.fround(Math.fround(earlier.m2 + later.m2) + between),
      };
    },
  });
  return known;
}

/**
 * One number as an element of {@link variance}, rounded to f32.
 *
 * @example
 * ```ts
 * momentsOf(0.5); // { count: 1, mean: 0.5, m2: 0 }
 * ```
 */
export const momentsOf = (value: number): Moments => ({ count: 1, mean: Math.fround(value), m2: 0 });

/**
 * The variance of a total of {@link variance}: of the numbers themselves, divided by their count; as
 * the estimate from a sample, by one less.
 *
 * @throws {ArgumentError} when there are too few numbers to divide by, and for an option that has no meaning.
 *
 * @example
 * ```ts
 * varianceOf({ count: 8, mean: 5, m2: 32 }); // 4
 * varianceOf({ count: 9, mean: 5, m2: 32 }, { sample: true }); // 4
 * ```
 */
export function varianceOf(
  { count, m2 }: Moments,
  options: {
    /** `true` divides by one less than the count. The default is false. */
    readonly sample?: boolean;
  } = {},
): number {
  requireOptions("varianceOf", options, { sample: "boolean" });
  const least = options.sample ? 2 : 1;
  if (count < least) {
    throw new ArgumentError(`varianceOf: there are ${count} numbers; it takes at least ${least}`, "count");
  }
  return m2 / (count - least + 1);
}
