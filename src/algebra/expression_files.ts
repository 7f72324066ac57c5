import type { Sees } from "../text/callers.ts";
import { isStatements } from "../text/callers.ts";
import type { SourceText } from "../text/source.ts";
import type { ElementType } from "./types.ts";

const eachOnce = (files: readonly SourceText[]): readonly SourceText[] => [
  ...new Map(files.map((file) => [file.name, file])).values(),
];

/** The files of types, each once. A program may hold a type twice. */
export const typeFiles = (...types: readonly Pick<ElementType, "files">[]): readonly SourceText[] =>
  eachOnce(types.flatMap(({ files }) => files));

/** The files whose functions a caller's text may call: those of its types, and those of numbers of 64 bits. Each comes once. */
export const expressionFiles = (
  ...types: readonly Pick<ElementType, "files" | "numbers">[]
): readonly SourceText[] =>
  eachOnce(types.flatMap(({ files, numbers }) => [...files, ...(numbers?.files ?? [])]));

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
