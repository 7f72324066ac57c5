import { ArgumentError } from "../errors.ts";
import type { Sees } from "../text/callers.ts";
import { isStatements } from "../text/callers.ts";
import { MARK } from "../text/mark.ts";
import { declared } from "../text/module.ts";
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

/** @throws {ArgumentError} if the files of a text's types declare one of its params, or two different structs of one name. */
function requireFree(
  { names }: DeclaredParams,
  files: readonly SourceText[],
  all: readonly ElementType[],
): void {
  const taken = new Set(
    declared(files).declarations.map(({ name }) => (name.startsWith(MARK) ? name.slice(MARK.length) : name)),
  );
  const name = names.find((one) => taken.has(one));
  if (name !== undefined) {
    throw new ArgumentError(
      `params: the name ${name} is that of a type or a function; choose another`,
      "params",
    );
  }
  const texts = new Map<string, string>();
  for (const file of all.flatMap((type) => type.files)) {
    if ((texts.get(file.name) ?? file.text) !== file.text) {
      throw new ArgumentError(
        `params: two different structs are both called ${file.name}; rename one`,
        "params",
      );
    }
    texts.set(file.name, file.text);
  }
}

/**
 * What a caller's expression sees that computes a `result` from these parameters, and from params. A condition takes any number, which is true
 * if it is not 0, and a class any number, whose fraction is dropped.
 */
export function expressionOver(
  parameters: Readonly<Record<string, ElementType | "u32">>,
  result: ElementType | "condition" | "class",
  params?: DeclaredParams,
): Sees {
  const types = [...Object.values(parameters), result, ...(params?.elements ?? [])].filter(
    (type) => typeof type !== "string",
  );
  const reader = types.find(({ numbers }) => numbers)?.numbers?.reader(types);
  const files = expressionFiles(...types);
  if (params !== undefined) {
    requireFree(params, files, types);
  }
  const all = { ...parameters, ...(params?.types as Readonly<Record<string, ElementType>> | undefined) };
  return {
    parameters: Object.keys(parameters),
    ...(params && { own: params.names }),
    files,
    ...(reader && { read: (text) => reader.body(text, all, result, isStatements(text)) }),
  };
}
