import type { Scalar, ScalarType } from "../algebra/types.ts";
import { quoted, UsageError } from "./errors.ts";

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

const INTEGER = /^[+-]?[0-9]+$/;
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const SPECIAL = /^[+-]?(?:nan|inf|infinity)$/i;

/**
 * The value of a type that a text says, as {@link formatValue} writes it or as Python does.
 *
 * @throws {UsageError} for a text that is none of the type's, and says what it takes; `option` is what the text was given to.
 */
export function parseValue(
  text: string,
  type: ScalarType,
  option: string,
  subject = "the result is",
): Scalar {
  const refuse = (takes: string): never => {
    throw new UsageError(`${option} is ${quoted(text)}, and ${subject} of ${type.name}; it takes ${takes}`);
  };
  const given = text.trim();
  if (type.kind !== "float") {
    const takes = `a whole number from ${type.lowest} to ${type.greatest}`;
    const whole = BigInt(INTEGER.test(given) ? given.replace("+", "") : refuse(takes));
    const value = typeof type.zero === "bigint" ? whole : Number(whole) + 0;
    return whole >= BigInt(type.lowest) && whole <= BigInt(type.greatest) ? value : refuse(takes);
  }
  const takes = "a number, nan, inf or -inf";
  if (SPECIAL.test(given)) {
    const sign = given.startsWith("-") ? -1 : 1;
    return /nan/i.test(given) ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  }
  const nearest = type.round(DECIMAL.test(given) ? Number(given) : refuse(takes));
  return Number.isFinite(nearest)
    ? nearest
    : refuse(`${takes}; this one is too large, and its nearest is ${nearest}`);
}
