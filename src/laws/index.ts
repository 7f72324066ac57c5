/**
 * Tries whether an operator is a monoid. It needs the package `fast-check`.
 *
 * @module wavefold/laws
 */
import type { CustomOperator } from "../algebra/custom_operator.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ScalarOf, ScalarType, TypeName, Value } from "../algebra/types.ts";
import { MissingPackageError, part } from "../errors.ts";
import type { CheckOptions, CheckReport } from "./laws.ts";

export type { CheckFailure, CheckOptions, CheckReport, CheckSuccess } from "./laws.ts";

/**
 * Tries whether an operator is a monoid: its `combine` associative, its identity one on both sides, on
 * the CPU, and with `fold` on the GPU, where both must agree too. On the CPU, it is computed by its `reference`, which must agree with
 * `combine`, or else by `combine` as JavaScript. A failure is shrunk to the simplest values that show it. A success is no proof.
 *
 * @throws {ArgumentError} when the operator does not take the type, an option or a value means nothing,
 * the `reference` returns no value of the type, or there is none and the CPU has no code for `combine`.
 * @throws {SourceError} when `combine` does not compile.
 * @throws {MissingPackageError} if the package `fast-check` is not installed.
 * @throws {FeatureError} where the adapter lacks what the type needs.
 * @throws {DeviceLostError}
 *
 * @example
 * ```ts
 * const difference = operator({
 *   name: "difference",
 *   type: u32,
 *   identity: 0,
 *   combine: "earlier - later",
 * });
 * const report = await checkMonoid(difference, { fold });
 * report.ok || report.law; // "associativity"
 * report.ok || report.counterexample; // { a: 0, b: 0, c: 1 }
 * ```
 */
export function checkMonoid<Name extends string, V extends Value>(
  op: CustomOperator<Name, V>,
  options?: CheckOptions<V>,
): Promise<CheckReport<V>>;
/** An operator of the table on one of its types. */
export function checkMonoid<Name extends TypeName>(
  op: Operator<NoInfer<Name>>,
  options: CheckOptions<ScalarOf<Name>> & {
    /** The type of the elements. */
    readonly type: ScalarType<Name, ScalarOf<Name>>;
  },
): Promise<CheckReport<ScalarOf<Name>>>;
export async function checkMonoid(op: object, options: object = {}): Promise<unknown> {
  try {
    await import("fast-check");
  } catch (cause) {
    throw new MissingPackageError(
      `checkMonoid: the package fast-check cannot be loaded: npm install --save-dev fast-check (${(cause as Error).message})`,
      "fast-check",
    );
  }
  const { checkLaws } = await part(import("./laws.ts"));
  return checkLaws(op as Operator, options);
}
