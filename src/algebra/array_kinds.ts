import { shown } from "../errors.ts";
import type { AnyArray } from "./arrays.ts";
import { isStructArray } from "./arrays.ts";

/** What holds elements, as messages name it. */
export function kindOfArray(data: unknown): string {
  if (isStructArray(data)) {
    return `an array of ${data.type.name}`;
  }
  const { [Symbol.toStringTag]: tag, then } = Object(data);
  return typeof then === "function"
    ? "a promise (is an await missing?)"
    : (tag ?? (Array.isArray(data) ? "Array" : shown(data)));
}

/** Whether an array holds the same elements as a result, and in the same way. */
export const isSameKind = (given: unknown, wanted: AnyArray): given is AnyArray =>
  isStructArray(given) || isStructArray(wanted)
    ? isStructArray(given) && isStructArray(wanted) && given.type === wanted.type
    : kindOfArray(given) === kindOfArray(wanted);
