import type { StructType } from "../algebra/struct.ts";
import type { ElementType, Scalar, ScalarType, StructValue, Value } from "../algebra/types.ts";
import { fieldTypes, precisions } from "./values.ts";

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
  const fields: readonly [field: string, type: ScalarType][] =
    type.kind === "struct" ? fieldTypes(type as StructType) : [["", type as ScalarType]];
  const fieldOf = (value: Value, field: string): Scalar =>
    field === "" ? (value as Scalar) : ((value as StructValue)[field] as Scalar);
  const withField = (value: Value, field: string, scalar: Scalar): Value =>
    field === "" ? scalar : { ...(value as StructValue), [field]: scalar };
  const floats = fields.filter(([, one]) => one.kind === "float");

  /** The most that a field of a result changes when a float of an operand does by one unit in the last place. */
  const sensitivity = ({ operands, again }: Outcome, field: string): number => {
    const before = again(operands);
    let most = 0;
    operands.forEach((operand, at) => {
      for (const [name, one] of floats) {
        const { unit } = precisions[one.name as keyof typeof precisions];
        const moved = one.round((fieldOf(operand, name) as number) * (1 + unit));
        const after = again(
          operands.map((other, place) => (place === at ? withField(operand, name, moved) : other)),
        );
        for (const side of [0, 1] as const) {
          const change = (fieldOf(after[side], field) as number) - (fieldOf(before[side], field) as number);
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
      for (const [field] of floats) {
        const magnitude = Math.abs(fieldOf(value, field) as number);
        scale = Number.isFinite(magnitude) ? Math.max(scale, magnitude) : scale;
      }
    }
    return fields.every(([field, one]) => {
      const [a, b] = [fieldOf(left, field), fieldOf(right, field)];
      if (a === b || Object.is(a, b)) {
        return true;
      }
      if (one.kind !== "float") {
        return false;
      }
      const numbers = [a, b] as [number, number];
      if (!numbers.every(Number.isFinite)) {
        const given = operands.map((value) => fieldOf(value, field));
        // Chosen from what was given, it should have been chosen on the other side too.
        return numbers.some((x) => !Number.isFinite(x) && !given.some((y) => Object.is(x, y)));
      }
      const { unit, least } = precisions[one.name as keyof typeof precisions];
      const off = Math.abs(numbers[0] - numbers[1]) / ROUNDINGS - least;
      return off <= unit * scale || off <= sensitivity(outcome, field);
    });
  };
}
