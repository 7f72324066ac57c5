import { ArgumentError } from "../errors.ts";
import { describe } from "./check_value.ts";

/** A name that may become part of names in WGSL. `option` gives it. */
export function requireName(name: unknown, caller: string, option = "name"): asserts name is string {
  if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_]*$/.test(name) || name.includes("__")) {
    throw new ArgumentError(
      `${caller}: name is ${describe(name)}; it takes letters, digits and single underscores, starting with a letter`,
      option,
    );
  }
}
