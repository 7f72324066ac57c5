import type { ElementType, ScalarType } from "./types.ts";

/** What is wrong with a value that is not one of a type; undefined if nothing is. */
export function problemOf(type: ElementType, value: unknown): string | undefined {
  if (type.problemOf !== undefined) {
    return type.problemOf(value);
  }
  const { name, round, zero } = type as ScalarType;
  if (typeof value !== typeof zero) {
    return `${describe(value)} is no value of ${name}, which takes a ${typeof zero}`;
  }
  const nearest = round(value as never);
  return Object.is(nearest, value)
    ? undefined
    : typeof value === "bigint"
      ? `${value}n is no value of ${name}; it wraps to ${nearest}n`
      : `${value} is no value of ${name}; the nearest is ${nearest}`;
}

/** A value as a message shows it. */
export const describe = (value: unknown): string =>
  typeof value === "bigint"
    ? `${value}n`
    : Array.isArray(value)
      ? `[${value.map(describe).join(", ")}]`
      : typeof value === "object" && value !== null
        ? `{ ${Object.entries(value)
            .map(([name, one]) => `${name}: ${describe(one)}`)
            .join(", ")} }`
        : Object.is(value, -0)
          ? "-0"
          : String(value);
