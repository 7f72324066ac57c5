import type { BinaryOperator } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { textOfType } from "../../text/wgsl_types.ts";
import type { Operand } from "./operand.ts";
import { eachWord, floatOf, wordAt } from "./operand.ts";
import { binaryText } from "./operators.ts";
import { floatSum } from "./vectors.ts";

// A matrix's words are those of its columns, one after another.

interface Shape {
  readonly columns: number;
  readonly rows: number;
}

const shapeOf = ({ type }: Operand): Shape | undefined => (type.kind === "matrix" ? type : undefined);

/** The words of an operator of which at least one operand is a matrix. */
export function matrixText(
  operator: BinaryOperator,
  left: Operand,
  right: Operand,
  result: Type,
): readonly string[] {
  const isProduct = left.type.kind !== "scalar" && right.type.kind !== "scalar" && operator === "*";
  if (isProduct) {
    return productWords(left, right);
  }
  const isSum = (operator === "+" || operator === "-") && left.type.kind === right.type.kind;
  if (!isSum && operator !== "*") {
    const [a, b] = [textOfType(left.type), textOfType(right.type)];
    throw new TypeError(`'${operator}' takes no ${a} and ${b}; matrices have + - and *`);
  }
  const scalar = floatOf(result);
  const count = Math.max(left.words.length, right.words.length);
  return eachWord(count, (index) => binaryText(operator, scalar, wordAt(left, index), wordAt(right, index)));
}

/** A vector on the left counts as a matrix of one row, on the right as one of one column. */
function productWords(left: Operand, right: Operand): readonly string[] {
  const type = floatOf(left.type);
  const a = shapeOf(left) ?? { columns: left.words.length, rows: 1 };
  const b = shapeOf(right) ?? { columns: 1, rows: right.words.length };
  if (a.columns !== b.rows) {
    throw new TypeError(
      `the left operand of '*' has ${a.columns} columns, and the right one ${b.rows} rows; they must be as many`,
    );
  }
  return eachWord(b.columns * a.rows, (index) => {
    const row = index % a.rows;
    const column = Math.floor(index / a.rows);
    const products = eachWord(
      a.columns,
      (at) => `${type}_mul(${wordAt(left, at * a.rows + row)}, ${wordAt(right, column * b.rows + at)})`,
    );
    return floatSum(type, products);
  });
}

export function transposeWords({ type, words }: Operand): readonly string[] {
  if (type.kind !== "matrix") {
    throw new TypeError(`transpose takes a matrix, and this is a ${textOfType(type)}`);
  }
  return eachWord(words.length, (index) => {
    const [column, row] = [Math.floor(index / type.columns), index % type.columns];
    return words[row * type.rows + column] ?? "";
  });
}

export function determinantWords({ type, words }: Operand): readonly string[] {
  if (type.kind !== "matrix" || type.columns !== type.rows) {
    throw new TypeError(`determinant takes a square matrix, and this is a ${textOfType(type)}`);
  }
  return [`${floatOf(type)}_determinant(${words.join(", ")})`];
}
