import type { BinaryOperator } from "../../text/syntax.ts";
import type { Constant } from "../../text/typing.ts";
import type { ScalarName } from "../../text/wgsl_types.ts";
import { helpers } from "./helpers.ts";
import { noCode } from "./no_code.ts";

// Operators, conversions and constants of one scalar each, as JavaScript over numbers. A result can stand inside any expression.

/** The scalars of values: abstract numbers have become one of these. */
export type Scalar = Exclude<ScalarName, "abstract int" | "abstract float">;
type Float = "f32" | "f16" | "f64";

const FLOATS: readonly string[] = ["f32", "f16", "f64"] satisfies readonly Float[];
export const isFloat = (name: string): name is Float => FLOATS.includes(name);

/** A number rounded to a type of floats. */
export const rounded = (name: Float, text: string): string =>
  name === "f64" ? text : `${name === "f32" ? "Math.fround" : "roundF16"}(${text})`;

const ranges = {
  u32: [0n, 2n ** 32n - 1n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u64: [0n, 2n ** 64n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
} as const;

const signed = (text: string): string => (text.startsWith("-") ? `(${text})` : text);

const numberText = (value: number): string => signed(Object.is(value, -0) ? "-0" : String(value));

/** A constant of a type. What the type does not hold is refused: WGSL does not take it either. */
export function literal(name: Scalar, value: Constant): string {
  if (name === "bool") {
    return noCode("a number is no bool");
  }
  if (isFloat(name)) {
    const nearest = typeof value === "bigint" ? helpers.nearlyOfBig(value) : value;
    const number =
      name === "f64" ? Number(value) : name === "f32" ? Math.fround(nearest) : helpers.roundF16(nearest);
    return Number.isFinite(number) ? numberText(number) : noCode(`${name} has no ${value}`);
  }
  const [least, most] = ranges[name];
  if (typeof value !== "bigint" || value < least || value > most) {
    return noCode(`${name} has no ${value}`);
  }
  return signed(name === "u64" || name === "i64" ? `${value}n` : String(value));
}

const zeros = { bool: "false", u64: "0n", i64: "0n" } as const;

export const zero = (name: Scalar): string =>
  name === "bool" || name === "u64" || name === "i64" ? zeros[name] : "0";

/** A number that JavaScript's operators made of two of a type of integers, as a number of the type. */
function wrapped(name: Exclude<Scalar, Float | "bool">, text: string): string {
  switch (name) {
    case "u32":
      return `(${text} >>> 0)`;
    case "i32":
      return `(${text} | 0)`;
    case "u64":
      return `BigInt.asUintN(64, ${text})`;
    default:
      return `BigInt.asIntN(64, ${text})`;
  }
}

export function unary(operator: "-" | "!" | "~", name: Scalar, a: string): string {
  if (operator === "!") {
    return name === "bool" ? `(!${a})` : noCode(`'!' takes no ${name}`);
  }
  if (name === "bool" || (operator === "-" && (name === "u32" || name === "u64"))) {
    return noCode(`'${operator}' takes no ${name}`);
  }
  if (isFloat(name)) {
    return operator === "-" ? `(-${a})` : noCode(`'~' takes no ${name}`);
  }
  return wrapped(name, `${operator}${a}`);
}

const JAVASCRIPT: Readonly<Partial<Record<BinaryOperator, string>>> = { "==": "===", "!=": "!==" };

const divisions = {
  u32: ["divideU32", "remainderU32"],
  i32: ["divideI32", "remainderI32"],
  u64: ["divideU64", "remainder64"],
  i64: ["divideI64", "remainder64"],
} as const;

/** Matches a constant by which integers are divided as JavaScript divides them. */
const DIVISOR = /^[1-9]\d*$/;

function integers(
  operator: BinaryOperator,
  name: Exclude<Scalar, Float | "bool">,
  a: string,
  b: string,
): string {
  const isShort = name === "u32" || name === "i32";
  switch (operator) {
    case "+":
    case "-":
    case "&":
    case "|":
    case "^":
      return wrapped(name, `(${a} ${operator} ${b})`);
    case "*":
      return wrapped(name, isShort ? `Math.imul(${a}, ${b})` : `${a} * ${b}`);
    case "/":
    case "%":
      return isShort && DIVISOR.test(b)
        ? wrapped(name, `(${a} ${operator} ${b})`)
        : `${divisions[name][operator === "/" ? 0 : 1]}(${a}, ${b})`;
    case "<<":
      return wrapped(name, isShort ? `(${a} << ${b})` : `${a} << BigInt(${b} & 63)`);
    case ">>":
      return isShort ? `(${a} ${name === "u32" ? ">>>" : ">>"} ${b})` : `(${a} >> BigInt(${b} & 63))`;
    default:
      return noCode(`'${operator}' takes no ${name}`);
  }
}

const isComparison = (operator: BinaryOperator): boolean => /^(?:[<>]=?|[=!]=)$/.test(operator);

/** What an operator makes of two numbers of a type, which for shifts is that of the left one: the right one is a u32. */
export function binary(operator: BinaryOperator, name: Scalar, a: string, b: string): string {
  if (isComparison(operator)) {
    const isOrder = operator !== "==" && operator !== "!=";
    return name === "bool" && isOrder
      ? noCode(`'${operator}' takes no bool`)
      : `(${a} ${JAVASCRIPT[operator] ?? operator} ${b})`;
  }
  if (name === "bool") {
    return operator === "&" || operator === "|"
      ? `(${a} ${operator}${operator} ${b})`
      : noCode(`'${operator}' takes no bool`);
  }
  if (isFloat(name)) {
    return "+-*/%".includes(operator)
      ? name === "f64"
        ? `(${a} ${operator} ${b})`
        : rounded(name, `${a} ${operator} ${b}`)
      : noCode(`'${operator}' takes no ${name}`);
  }
  return integers(operator, name, a, b);
}

const ofBool = (to: Scalar, a: string): string =>
  to === "u64" || to === "i64" ? `(${a} ? 1n : 0n)` : `(${a} ? 1 : 0)`;

function ofShort(from: "u32" | "i32", to: Scalar, a: string): string {
  switch (to) {
    case "u32":
      return `(${a} >>> 0)`;
    case "i32":
      return `(${a} | 0)`;
    case "f32":
    case "f16":
    case "f64":
      return rounded(to, a);
    case "i64":
      return `BigInt(${a})`;
    default:
      return from === "u32" ? `BigInt(${a})` : `BigInt.asUintN(64, BigInt(${a}))`;
  }
}

function ofLong(to: Scalar, a: string): string {
  switch (to) {
    case "u32":
      return `Number(BigInt.asUintN(32, ${a}))`;
    case "i32":
      return `Number(BigInt.asIntN(32, ${a}))`;
    case "f64":
      return `Number(${a})`;
    case "f32":
    case "f16":
      return rounded(to, `nearlyOfBig(${a})`);
    case "u64":
      return `BigInt.asUintN(64, ${a})`;
    default:
      return `BigInt.asIntN(64, ${a})`;
  }
}

function ofFloat(from: Float, to: Scalar, a: string): string {
  switch (to) {
    case "u32":
    case "i32":
      return `${to}OfF${from.slice(1)}(${a})`;
    case "u64":
    case "i64":
      return `${to}OfFloat(${a})`;
    default:
      // f16 is in f32, and both are in f64.
      return to === "f64" || (to === "f32" && from === "f16") ? a : rounded(to as Float, a);
  }
}

/** A number converted as WGSL's `u32(x)`, `f32(x)` or `bool(x)` converts it. */
export function converted(from: Scalar, to: Scalar, a: string): string {
  if (from === to) {
    return a;
  }
  if (from === "bool") {
    return ofBool(to, a);
  }
  const isBig = from === "u64" || from === "i64";
  if (to === "bool") {
    return `(${a} !== ${isBig ? "0n" : "0"})`;
  }
  return isBig ? ofLong(to, a) : isFloat(from) ? ofFloat(from, to, a) : ofShort(from, to, a);
}
