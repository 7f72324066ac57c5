import type { ScalarArray } from "../../src/algebra/arrays.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import { runProgram } from "../simulator/run_program.ts";

// What texts give on the simulator: one shader has all of them, each as a function.

/** A text over an element `x` and its index `i`, and the type that it gives. */
export interface TypedText {
  readonly text: string;
  readonly result: ShortName | "bool";
}

/** The scalars that WGSL has. */
export type ShortName = Exclude<TypeName, "u64" | "i64" | "f64">;

/** The index of the first element. */
export const FIRST_INDEX = 3;

/** The bits of a value as a word. */
const bitsOf = (type: ShortName | "bool", value: string): string =>
  type === "f16"
    ? `bitcast<u32>(vec2<f16>(${value}, 0h))`
    : type === "bool"
      ? `u32(${value})`
      : `bitcast<u32>(${value})`;

const isExpression = (text: string): boolean => !text.includes("return");

const elementOf = (type: ShortName): string =>
  type === "f16"
    ? "bitcast<vec2<f16>>(input[at]).x"
    : type === "u32"
      ? "input[at]"
      : `bitcast<${type}>(input[at])`;

/** The words of an array's elements. */
const wordsOf = (array: ScalarArray): Int32Array =>
  array instanceof Uint16Array ? Int32Array.from(array) : new Int32Array(array.buffer);

/** The bits of the results of each text, element by element. */
export function simulated(
  from: ShortName,
  texts: readonly TypedText[],
  input: ScalarArray,
  declarations = "",
): readonly Uint32Array[] {
  const functions = texts.map(
    ({ text, result }, at) =>
      `fn text${at}(x: ${from}, i: u32) -> ${result} {\n${isExpression(text) ? `return (${text});` : text}\n}`,
  );
  const stores = texts.map(
    ({ result }, at) => `output[at * ${texts.length}u + ${at}u] = ${bitsOf(result, `text${at}(x, i)`)};`,
  );
  const code = `enable f16;
@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
${declarations}
${functions.join("\n")}
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) id: vec3<u32>) {
  let at = id.x;
  let x = ${elementOf(from)};
  let i = at + ${FIRST_INDEX}u;
  ${stores.join("\n  ")}
}`;
  const { words, findings } = runProgram(
    code,
    [wordsOf(input), texts.length * input.length],
    [input.length, 1, 1],
  );
  if (findings.length > 0) {
    throw new Error(findings.map(({ message }) => message).join("\n"));
  }
  const output = words[1] as Int32Array;
  return texts.map((_, at) =>
    Uint32Array.from({ length: input.length }, (__, k) => output[k * texts.length + at] as number),
  );
}
