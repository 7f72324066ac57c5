import { ArgumentError } from "../errors.ts";
import type { ElementType } from "./types.ts";

/** @throws {ArgumentError} if two types hold different structs of one name. `of` is what the message says of the first type. */
export function requireSameStructs(
  caller: string,
  one: ElementType,
  other: ElementType,
  option: string,
  of = "",
): void {
  const twice = one.files.find(({ name, text }) =>
    other.files.some((file) => file.name === name && file.text !== text),
  );
  if (twice !== undefined) {
    throw new ArgumentError(
      `${caller}: ${one.name}${of} and ${other.name} hold different structs that are both called ${twice.name}; rename one`,
      option,
    );
  }
}
