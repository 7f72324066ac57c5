import { ArgumentError } from "../errors.ts";
import { isReserved } from "../text/reserved.ts";
import type { SourceText } from "../text/source.ts";
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

/** Throws for a reserved word of WGSL, since a text could not use it as a name. `option` gives it. */
export function requireUnreserved(name: string, caller: string, option: string): void {
  if (isReserved(name)) {
    throw new ArgumentError(
      `${caller}: ${name} is a reserved word of WGSL; choose another, such as ${name}_`,
      option,
    );
  }
}

/** @throws {ArgumentError} if the files of types have different structs of one name. `option` gives the types. */
export function requireOneMeaning(caller: string, files: readonly SourceText[], option: string): void {
  const texts = new Map<string, string>();
  for (const { name, text } of files) {
    if ((texts.get(name) ?? text) !== text) {
      throw new ArgumentError(`${caller}: two different structs are both called ${name}; rename one`, option);
    }
    texts.set(name, text);
  }
}
