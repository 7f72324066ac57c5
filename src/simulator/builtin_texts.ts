import type { Type } from "../text/wgsl_types.ts";
import { componentwise } from "./texts/componentwise.ts";
import { bitcastWords } from "./texts/conversions.ts";
import { determinantWords, transposeWords } from "./texts/matrices.ts";
import type { Operand } from "./texts/operand.ts";
import { packing } from "./texts/packing.ts";
import { ofVectors } from "./texts/vectors.ts";

// Operators and WGSL's own functions as JavaScript over words. The texts call the functions of numbers/index.ts by their names.

export { constantWord, convertText } from "./texts/conversions.ts";
export { matrixText } from "./texts/matrices.ts";
export type { Operand, Scalar } from "./texts/operand.ts";
export { binaryText, unaryText } from "./texts/operators.ts";

/**
 * The words of a call of one of WGSL's functions without effects; undefined if there is none of that name. Atomics, barriers, subgroups,
 * derivatives and textures are not among them. Structs, as frexp and modf give, are the words of their members.
 *
 * @param operands of concrete types.
 * @throws {TypeError} when the function does not take such operands.
 */
export function builtinWords(
  name: string,
  operands: readonly Operand[],
  result: Type,
): readonly string[] | undefined {
  const whole = Object.hasOwn(ofOneOperand, name) ? ofOneOperand[name] : undefined;
  if (whole !== undefined) {
    const [operand] = operands;
    if (operand === undefined || operands.length !== 1) {
      throw new TypeError(`${name} takes an operand, and here are ${operands.length}`);
    }
    return whole(operand, result);
  }
  return (
    componentwise(name, operands) ??
    ofVectors(name, operands) ??
    packing(
      name,
      operands.flatMap(({ words }) => words),
    )
  );
}

const ofOneOperand: Readonly<Record<string, (operand: Operand, result: Type) => readonly string[]>> = {
  bitcast: bitcastWords,
  determinant: determinantWords,
  transpose: transposeWords,
} satisfies Readonly<Record<string, (operand: Operand, result: Type) => readonly string[]>>;
