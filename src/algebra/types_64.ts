import type { CallersNumbers, CallersReader, CallersType, Fault } from "../text/callers.ts";
import type { Surroundings } from "../text/long_numbers.ts";
import { surroundingsOf, translateFunction, translateModule } from "../text/long_numbers.ts";
import { TextFault } from "../text/syntax.ts";
import type { Type } from "../text/wgsl_types.ts";
import { scalar, unknown } from "../text/wgsl_types.ts";
import type { FieldType, NestedType } from "./fields.ts";
import { structsIn } from "./fields.ts";
import { numericFiles } from "./numeric_files.ts";
import type { ElementType, ScalarType, TypeName } from "./types.ts";
import * as words from "./words_64.ts";

// The 64-bit types as callers' texts take them: as numbers. Programs that have no such element load none of this.

/** A type as the reader of WGSL has it. */
function typeInText(type: ElementType | FieldType): Type {
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

const numbers: CallersNumbers = {
  files: numericFiles,
  reader(types): CallersReader {
    ours ??= surroundingsOf(numericFiles.map(({ text }) => text));
    const files = (types as readonly ElementType[]).flatMap((type) => type.files);
    const others = files.filter((file) => !numericFiles.includes(file)).map(({ text }) => text);
    const { scope, taken } = surroundingsOf(others, ours);
    for (const type of (types as readonly ElementType[]).flatMap(structsOf)) {
      scope.declare(type.name, { kind: "type", type: typeInText(type) });
    }
    const around = { scope, taken };
    const wanted = (type: CallersType | string): Type =>
      typeof type === "string" ? scalar(type as "u32") : typeInText(type as ElementType);
    return {
      declarations: (text) => attempted(() => translateModule(text, around)),
      body: (text, parameters, result, isStatements) =>
        attempted(() =>
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

/** The text that `translate` gives, or what is wrong with the caller's. */
function attempted(translate: () => string): string | Fault {
  try {
    return translate();
  } catch (fault) {
    if (fault instanceof TextFault) {
      return { problem: fault.message, at: fault.at };
    }
    throw fault;
  }
}

/** 64-bit unsigned integers on pairs of u32; arithmetic wraps. */
export const u64: ScalarType<"u64", bigint> = { ...words.u64, numbers };

/** 64-bit signed integers on pairs of u32, in two's complement; arithmetic wraps. */
export const i64: ScalarType<"i64", bigint> = { ...words.i64, numbers };

/**
 * IEEE-754 binary64 in integer arithmetic: each operation rounds to nearest even and keeps
 * subnormals, bit for bit as JavaScript's numbers do. Every NaN that results is 0x7ff8000000000000.
 */
export const f64: ScalarType<"f64", number> = { ...words.f64, numbers };
