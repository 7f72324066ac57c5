import type { Type } from "../../text/wgsl_types.ts";
import { textOfType } from "../../text/wgsl_types.ts";

/** The scalars of WGSL, each of which is one word here. */
export type Scalar = "bool" | "i32" | "u32" | "f32" | "f16";
export type Float = "f32" | "f16";

/** A value in a text. */
export interface Operand {
  readonly type: Type;
  /** JavaScript expressions without effects, one for each scalar of the value. Each is a name or a literal, so it may be repeated. */
  readonly words: readonly string[];
}

/**
 * How JavaScript makes one word of others: the name of a function, or a text of the words. What it gives can stand inside any expression.
 */
export type WordText = string | ((...words: string[]) => string);

const scalars: readonly string[] = ["bool", "i32", "u32", "f32", "f16"] satisfies readonly Scalar[];

/** The scalar that a value of the type is made of. */
export function scalarOf(type: Type): Scalar {
  if (type.kind === "vector" || type.kind === "matrix") {
    return scalarOf(type.of);
  }
  if (type.kind === "scalar" && scalars.includes(type.name)) {
    return type.name as Scalar;
  }
  throw new TypeError(
    `${textOfType(type)} is no scalar, vector or matrix of ${scalars.join(", ")}, and only these have operators here`,
  );
}

export function floatOf(type: Type): Float {
  const scalar = scalarOf(type);
  if (scalar !== "f32" && scalar !== "f16") {
    throw new TypeError(`${textOfType(type)} is not made of floats; f32 and f16 are`);
  }
  return scalar;
}

export const applied = (text: WordText, words: readonly string[]): string =>
  typeof text === "string" ? `${text}(${words.join(", ")})` : text(...words);

/** A word of an operand. A scalar beside vectors stands for all of their components. */
export function wordAt({ words }: Operand, index: number): string {
  const word = words.length === 1 ? words[0] : words[index];
  if (word === undefined) {
    throw new TypeError(`an operand of ${words.length} words has no word ${index}`);
  }
  return word;
}

/** The words from 0 on, as many as there are. */
export const eachWord = (count: number, text: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => text(index));
