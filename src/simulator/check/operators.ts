import type { BinaryOperator, UnaryOperator } from "../../text/syntax.ts";
import { relational } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { commonType, isAbstract, textOfType } from "../../text/wgsl_types.ts";

// Which types fit which, and what operators take: https://www.w3.org/TR/WGSL/#conversion-rank, #arithmetic-expr, #comparison-expr,
// #bit-expr, #logical-expr

const INTEGERS: readonly string[] = ["i32", "u32", "abstract int"];
const FLOATS: readonly string[] = ["f32", "f16", "abstract float"];

/** The scalar of a vector or a matrix; of a scalar itself. */
export const scalarIn = (type: Type): Type =>
  type.kind === "vector" || type.kind === "matrix" ? type.of : type;

const isScalar = ({ kind }: Type): boolean => kind === "scalar";

const nameIn = (type: Type): string => {
  const of = scalarIn(type);
  return of.kind === "scalar" ? of.name : "";
};

export const isBool = (type: Type): boolean => type.kind === "scalar" && type.name === "bool";
export const isInteger = (type: Type): boolean => isScalar(type) && INTEGERS.includes(nameIn(type));
export const hasIntegers = (type: Type): boolean => INTEGERS.includes(nameIn(type));
const hasFloats = (type: Type): boolean => FLOATS.includes(nameIn(type));
const hasNumbers = (type: Type): boolean => hasIntegers(type) || hasFloats(type);

/** The type as a person would say it. */
export const told = (type: Type): string =>
  isAbstract(type)
    ? type.name === "abstract int"
      ? "a whole number"
      : "a number with a fraction"
    : textOfType(type);

/** Whether a value of a type can stand where another type is asked for. What is not known fits anything. */
export function fits(from: Type, to: Type): boolean {
  if (from.kind === "unknown" || to.kind === "unknown") {
    return true;
  }
  if (isAbstract(from) && to.kind === "scalar") {
    return from.name === "abstract int" ? hasNumbers(to) : FLOATS.includes(to.name);
  }
  if (from.kind === "vector" && to.kind === "vector") {
    return from.count === to.count && fits(from.of, to.of);
  }
  if (from.kind === "matrix" && to.kind === "matrix") {
    return from.columns === to.columns && from.rows === to.rows && fits(from.of, to.of);
  }
  if (from.kind === "array" && to.kind === "array") {
    return from.count === to.count && fits(from.of, to.of);
  }
  return textOfType(from) === textOfType(to);
}

/** The least numbers that are rounded to more than a type of floats holds. */
const TOO_LARGE: Readonly<Record<string, number>> = { f16: 65520, f32: 2 ** 128 - 2 ** 103 };

/** What is wrong with a constant of a type: a number may be too large, or too small. */
export function constantProblem(value: bigint | number, to: Type): string | undefined {
  const name = to.kind === "scalar" ? to.name : "";
  const tooLarge = TOO_LARGE[name];
  if (tooLarge !== undefined) {
    return Math.abs(Number(value)) >= tooLarge ? `${value} is more than ${name} holds` : undefined;
  }
  const [least, most] = name === "u32" ? [0n, 2n ** 32n - 1n] : [-(2n ** 31n), 2n ** 31n - 1n];
  return typeof value === "bigint" && (name === "u32" || name === "i32") && (value < least || value > most)
    ? `${value} is not a value of ${name}, which goes from ${least} to ${most}`
    : undefined;
}

/** Whether both have the same form: two scalars, or two vectors or matrices of one size. */
function isAlike(a: Type, b: Type): boolean {
  if (a.kind === "vector" && b.kind === "vector") {
    return a.count === b.count;
  }
  if (a.kind === "matrix" && b.kind === "matrix") {
    return a.columns === b.columns && a.rows === b.rows;
  }
  return isScalar(a) && isScalar(b);
}

const haveCommon = (a: Type, b: Type): boolean => commonType(scalarIn(a), scalarIn(b)) !== undefined;

/** How many columns the left factor of a product has, and how many rows the right one: a vector's are its parts. A scalar has 0. */
const columnsOf = (type: Type): number =>
  type.kind === "matrix" ? type.columns : type.kind === "vector" ? type.count : 0;
const rowsOf = (type: Type): number =>
  type.kind === "matrix" ? type.rows : type.kind === "vector" ? type.count : 0;

function takesShapes(operator: BinaryOperator, a: Type, b: Type): boolean {
  if (a.kind !== "matrix" && b.kind !== "matrix") {
    return isAlike(a, b) || isScalar(a) || isScalar(b);
  }
  if (operator === "*") {
    const [columns, rows] = [columnsOf(a), rowsOf(b)];
    return columns === 0 || rows === 0 || columns === rows;
  }
  return (operator === "+" || operator === "-") && isAlike(a, b);
}

function compares(operator: BinaryOperator, a: Type, b: Type): boolean {
  const isEquality = operator === "==" || operator === "!=";
  const isTaken = nameIn(a) === "bool" ? isEquality : hasNumbers(a);
  return isTaken && isAlike(a, b) && a.kind !== "matrix";
}

/** Whether an operator takes two types. */
function takesBoth(operator: BinaryOperator, a: Type, b: Type): boolean {
  if (a.kind === "unknown" || b.kind === "unknown") {
    return true;
  }
  if (operator === "&&" || operator === "||") {
    return isBool(a) && isBool(b);
  }
  if (operator === "<<" || operator === ">>") {
    return isAlike(a, b) && hasIntegers(a) && ["u32", "abstract int"].includes(nameIn(b));
  }
  if (!haveCommon(a, b)) {
    return false;
  }
  if (relational.includes(operator)) {
    return compares(operator, a, b);
  }
  if (operator === "&" || operator === "|" || operator === "^") {
    const takesBools = nameIn(a) === "bool" && operator !== "^";
    return isAlike(a, b) && ((hasIntegers(a) && hasIntegers(b)) || takesBools);
  }
  return hasNumbers(a) && takesShapes(operator, a, b);
}

/** What is wrong with two operands; undefined if nothing is. */
export function operandsProblem(operator: BinaryOperator, a: Type, b: Type): string | undefined {
  if (takesBoth(operator, a, b)) {
    return undefined;
  }
  const isShift = operator === "<<" || operator === ">>";
  // Integers beside fractions become floats: the other way round, fractions would be cut off.
  const typed = [a, b].find(hasFloats) ?? [a, b].find((type) => !isAbstract(type) && hasNumbers(type));
  const cure =
    isShift || !hasNumbers(a) || !hasNumbers(b) || typed === undefined || haveCommon(a, b)
      ? ""
      : `; convert one of them, as in ${isAbstract(scalarIn(typed)) ? "f32" : textOfType(scalarIn(typed))}(…)`;
  const count = isShift && hasIntegers(a) ? "; a shift's count is a u32" : "";
  return `'${operator}' takes no ${told(a)} and ${told(b)}${cure}${count}`;
}

/** What is wrong with the operand of an operator that has one; undefined if nothing is. */
export function operandProblem(operator: UnaryOperator, type: Type): string | undefined {
  if (type.kind === "unknown" || operator === "&") {
    return undefined;
  }
  if (operator === "*") {
    return type.kind === "pointer" ? undefined : `'*' takes a pointer, and this is ${told(type)}`;
  }
  const isTaken =
    operator === "!"
      ? nameIn(type) === "bool"
      : operator === "~"
        ? hasIntegers(type)
        : hasNumbers(type) && nameIn(type) !== "u32";
  const cure = operator === "-" && nameIn(type) === "u32" ? "; 0u - x wraps around" : "";
  return isTaken ? undefined : `'${operator}' takes no ${told(type)}${cure}`;
}
