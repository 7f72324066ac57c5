import type { Leaf, NestedType } from "../algebra/fields.ts";
import { leavesOf, scalarAt } from "../algebra/fields.ts";
import type { ElementType, Scalar, ScalarType, Value } from "../algebra/types.ts";
import { precisions } from "./values.ts";

/** Two results that should be the same, and where they come from. */
export interface Outcome {
  readonly left: Value;
  readonly right: Value;
  /** What was combined, the identity included. */
  readonly operands: readonly Value[];
  /** What was combined on the way. */
  readonly between: readonly Value[];
  /** Both results for other operands, on the CPU. */
  again(operands: readonly Value[]): readonly [left: Value, right: Value];
}

/** Roundings on the way to a result: two combinations, of up to eight each on either side. */
const ROUNDINGS = 32;

/**
 * Whether two results are the same as far as their type is exact. See `equal` in CheckOptions for
 * what that means of floats.
 */
export function nearly(type: ElementType): (outcome: Outcome) => boolean {
  const scalars = leavesOf(type as ScalarType | NestedType);
  const floats = scalars.filter((one) => one.type.kind === "float");

  /** The most that a scalar of a result changes when a float of an operand does by one unit in the last place. */
  const sensitivity = ({ operands, again }: Outcome, keys: Leaf["keys"]): number => {
    const before = again(operands);
    let most = 0;
    operands.forEach((operand, at) => {
      for (const { type: one, keys: moving } of floats) {
        const { unit } = precisions[one.name as keyof typeof precisions];
        const moved = one.round((scalarAt(operand, moving) as number) * (1 + unit));
        const after = again(
          operands.map((other, place) =>
            place === at ? (withScalar(operand, moving, moved) as Value) : other,
          ),
        );
        for (const side of [0, 1] as const) {
          const change = (scalarAt(after[side], keys) as number) - (scalarAt(before[side], keys) as number);
          most = Number.isFinite(change) ? Math.max(most, Math.abs(change)) : most;
        }
      }
    });
    return most;
  };

  return (outcome) => {
    const { left, right, operands, between } = outcome;
    let scale = 0;
    for (const value of [...operands, ...between, left, right]) {
      for (const { keys } of floats) {
        const magnitude = Math.abs(scalarAt(value, keys) as number);
        scale = Number.isFinite(magnitude) ? Math.max(scale, magnitude) : scale;
      }
    }
    return scalars.every(({ type: one, keys }) => {
      const [a, b] = [scalarAt(left, keys), scalarAt(right, keys)];
      if (a === b || Object.is(a, b)) {
        return true;
      }
      if (one.kind !== "float") {
        return false;
      }
      const numbers = [a, b] as [number, number];
      if (!numbers.every(Number.isFinite)) {
        const given = operands.map((value) => scalarAt(value, keys));
        // Chosen from what was given, it should have been chosen on the other side too.
        return numbers.some((x) => !Number.isFinite(x) && !given.some((y) => Object.is(x, y)));
      }
      const { unit, least } = precisions[one.name as keyof typeof precisions];
      const off = Math.abs(numbers[0] - numbers[1]) / ROUNDINGS - least;
      return off <= unit * scale || off <= sensitivity(outcome, keys);
    });
  };
}

/** The same value, with another scalar where these keys lead. */
function withScalar(value: unknown, [key, ...keys]: Leaf["keys"], scalar: Scalar): unknown {
  if (key === undefined) {
    return scalar;
  }
  const part = withScalar((value as Readonly<Record<string | number, unknown>>)[key], keys, scalar);
  return Array.isArray(value)
    ? value.map((one, at) => (at === key ? part : one))
    : { ...(value as object), [key]: part };
}
