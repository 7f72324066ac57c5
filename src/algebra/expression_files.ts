import type { Sees } from "../text/callers.ts";
import { isStatements } from "../text/callers.ts";
import type { SourceText } from "../text/source.ts";
import type { ElementType } from "./types.ts";

/** The files whose functions a caller's text may call: those of its types, and those of numbers of 64 bits. Each comes once. */
export function expressionFiles(
  ...types: readonly Pick<ElementType, "files" | "numbers">[]
): readonly SourceText[] {
  const files = new Map<string, SourceText>();
  for (const file of types.flatMap((type) => [...type.files, ...(type.numbers?.files ?? [])])) {
    files.set(file.name, file);
  }
  return [...files.values()];
}

/**
 * What a caller's expression sees that computes a `result` from these parameters. A condition takes any number, which is true if
 * it is not 0, and a class any number, whose fraction is dropped.
 */
export function expressionOver(
  parameters: Readonly<Record<string, ElementType | "u32">>,
  result: ElementType | "condition" | "class",
): Sees {
  const types = [...Object.values(parameters), result].filter((type) => typeof type !== "string");
  const reader = types.find(({ numbers }) => numbers)?.numbers?.reader(types);
  return {
    parameters: Object.keys(parameters),
    files: expressionFiles(...types),
    ...(reader && { read: (text) => reader.body(text, parameters, result, isStatements(text)) }),
  };
}
