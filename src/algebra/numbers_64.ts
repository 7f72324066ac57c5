import type { CallersNumbers, CallersReader, CallersType, Fault } from "../text/callers.ts";
import { placeOf } from "../text/callers.ts";
import { withCure } from "../text/habits.ts";
import type { Surroundings } from "../text/long_numbers.ts";
import { functionHeads, surroundingsOf, translateFunction, translateModule } from "../text/long_numbers.ts";
import { LINE_BREAK } from "../text/pieces.ts";
import { TextFault } from "../text/syntax.ts";
import type { Type } from "../text/wgsl_types.ts";
import { scalar, unknown } from "../text/wgsl_types.ts";
import type { FieldType, NestedType } from "./fields.ts";
import { structsIn } from "./fields.ts";
import { numericFiles } from "./numeric_files.ts";
import type { ElementType, TypeName } from "./types.ts";

// How callers' texts take values of 64 bits: as numbers. Programs that have no such text load none of this.

/** A type as the reader of WGSL has it. */
export function typeInText(type: ElementType | FieldType): Type {
  if (!("layout" in type)) {
    return type.kind === "struct" ? unknown : scalar(type.name as TypeName);
  }
  if (type.kind === "vector") {
    return { kind: "vector", count: type.count, of: typeInText(type.element) };
  }
  if (type.kind === "array") {
    return { kind: "array", count: type.count, of: typeInText(type.element) };
  }
  const members = (type as NestedType).layout.parts.map(
    ({ key, type: part }) => [String(key), typeInText(part)] as const,
  );
  return { kind: "struct", name: type.name, members: new Map(members) };
}

const structsOf = (type: ElementType): readonly NestedType[] =>
  "layout" in type ? structsIn(type as NestedType) : [];

let ours: Surroundings | undefined;

/** The functions on numbers of 64 bits that texts may call. */
export function numericSurroundings(): Surroundings {
  ours ??= surroundingsOf(numericFiles.map(({ text }) => functionHeads(text)));
  return ours;
}

/** Reads callers' texts over 64-bit values, and writes them anew. */
export const numbers: CallersNumbers = {
  files: numericFiles,
  reader(types): CallersReader {
    const files = (types as readonly ElementType[]).flatMap((type) => type.files);
    const others = files.filter((file) => !numericFiles.includes(file)).map(({ text }) => text);
    const { scope, taken } = surroundingsOf(others, numericSurroundings());
    for (const type of (types as readonly ElementType[]).flatMap(structsOf)) {
      scope.declare(type.name, { kind: "type", type: typeInText(type) });
    }
    const around = { scope, taken };
    const wanted = (type: CallersType | string): Type =>
      typeof type === "string" ? scalar(type as "u32") : typeInText(type as ElementType);
    return {
      declarations: (text) => attempted(text, undefined, () => translateModule(text, around)),
      body: (text, parameters, result, isStatements) =>
        attempted(text, parameters, () =>
          translateFunction(
            text,
            {
              parameters: Object.entries(parameters).map(([name, type]) => [name, wanted(type)]),
              result: result === "condition" || result === "class" ? result : wanted(result),
            },
            isStatements,
            around,
          ),
        ),
    };
  },
};

/** What `translate` makes of a text, or what is wrong with the text. Declarations have no parameters of their own. */
function attempted(
  text: string,
  parameters: Readonly<Record<string, CallersType | string>> | undefined,
  translate: () => string,
): string | Fault {
  try {
    return translate();
  } catch (fault) {
    if (fault instanceof TextFault) {
      const { line } = placeOf(text.slice(0, fault.at));
      const callersLine = text.split(LINE_BREAK)[line - 1] ?? "";
      const seesParams = parameters !== undefined && !("earlier" in parameters);
      const floatParams = seesParams ? floatParamsAmong(parameters) : [];
      return { problem: withCure(fault.message, callersLine, seesParams, floatParams), at: fault.at };
    }
    throw fault;
  }
}

/** The parameters of f32 that are params: not the element. */
const floatParamsAmong = (parameters: Readonly<Record<string, CallersType | string>>): readonly string[] =>
  Object.entries(parameters).flatMap(([name, type]) =>
    name !== "x" && (type === "f32" || Object(type).name === "f32") ? [name] : [],
  );
