import type { Scalar, ScalarType } from "../algebra/types.ts";

/** A value as NumPy prints it: the fewest digits that round-trip in its own type. */
export function formatValue(value: Scalar, type: ScalarType): string {
  if (typeof value === "bigint" || type.kind !== "float") {
    return String(value);
  }
  if (Number.isNaN(value)) {
    return "nan";
  }
  if (!Number.isFinite(value)) {
    return value < 0 ? "-inf" : "inf";
  }
  if (value === 0) {
    return Object.is(value, -0) ? "-0.0" : "0.0";
  }
  let shortest = value;
  for (let digits = 0; digits < 17; digits++) {
    shortest = Number(value.toExponential(digits));
    if (type.round(shortest) === value) {
      break;
    }
  }
  const magnitude = Math.abs(shortest);
  if (magnitude >= 1e16 || magnitude < 1e-4) {
    return shortest.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Number.isInteger(shortest) ? `${shortest}.0` : String(shortest);
}
