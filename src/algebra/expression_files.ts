import type { Sees } from "../text/callers.ts";
import { isStatements } from "../text/callers.ts";
import type { SourceText } from "../text/source.ts";
import type { DeclaredParams } from "./seen_params.ts";
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

/** What an expression stands in whose number is taken for a condition or a class, and the type that results. */
export const takenAs = {
  condition: { result: "bool", open: "bool(", close: ")" },
  // i32 keeps the sign; as u32, a negative number is greater than any class.
  class: { result: "u32", open: "u32(i32(", close: "))" },
} as const;

/**
 * What a caller's expression sees that computes a `result` from these parameters, from params, and from parameters `beside`, whose names are
 * the caller's. A condition takes any number, which is true
 * if it is not 0, and a class any number, whose fraction is dropped.
 */
export function expressionOver(
  parameters: Readonly<Record<string, ElementType | "u32">>,
  result: ElementType | "condition" | "class",
  params?: DeclaredParams,
  beside: Readonly<Record<string, ElementType>> = {},
): Sees {
  const types = [
    ...Object.values(parameters),
    ...Object.values(beside),
    result,
    ...(params?.elements ?? []),
  ].filter((type) => typeof type !== "string");
  const reader = types.find(({ numbers }) => numbers)?.numbers?.reader(types);
  const files = expressionFiles(...types);
  params?.requireFree(files, types);
  const all = {
    ...parameters,
    ...beside,
    ...(params?.types as Readonly<Record<string, ElementType>> | undefined),
  };
  return {
    parameters: Object.keys(parameters),
    own: [...Object.keys(beside), ...(params?.names ?? [])],
    files,
    ...(reader && { read: (text) => reader.body(text, all, result, isStatements(text)) }),
  };
}
