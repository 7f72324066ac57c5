import type { BinaryOperator } from "../../text/syntax.ts";
import type { Float, Scalar, WordText } from "./operand.ts";
import { applied } from "./operand.ts";

// The operators, on one word each: https://www.w3.org/TR/WGSL/#arithmetic-expr, #comparison-expr, #bit-expr, #logical-expr

type Operator = Exclude<BinaryOperator, "&&" | "||">;
type Texts<Name extends string> = Readonly<Partial<Record<Name, WordText>>>;

const truth = (condition: string): string => `(${condition} ? 1 : 0)`;

const equality = {
  "==": (a, b) => truth(`${a} === ${b}`),
  "!=": (a, b) => truth(`${a} !== ${b}`),
} satisfies Texts<Operator>;

const bits = {
  "&": (a, b) => `(${a} & ${b})`,
  "|": (a, b) => `(${a} | ${b})`,
} satisfies Texts<Operator>;

/** Integers wrap around, and JavaScript's shifts take counts modulo 32 as WGSL's do. */
const integers = {
  ...equality,
  ...bits,
  "^": (a, b) => `(${a} ^ ${b})`,
  "+": (a, b) => `(${a} + ${b} | 0)`,
  "-": (a, b) => `(${a} - ${b} | 0)`,
  "*": "Math.imul",
  "<<": (a, b) => `(${a} << ${b})`,
} satisfies Texts<Operator>;

const floats = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "div",
  "%": "rem",
  "==": "eq",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
} satisfies Partial<Record<Operator, string>>;

const binary = {
  bool: { ...equality, ...bits },
  i32: {
    ...integers,
    "/": "i32_div",
    "%": "i32_rem",
    ">>": (a, b) => `(${a} >> ${b})`,
    "<": (a, b) => truth(`${a} < ${b}`),
    "<=": (a, b) => truth(`${a} <= ${b}`),
    ">": (a, b) => truth(`${a} > ${b}`),
    ">=": (a, b) => truth(`${a} >= ${b}`),
  },
  u32: {
    ...integers,
    "/": "u32_div",
    "%": "u32_rem",
    ">>": (a, b) => `(${a} >>> ${b} | 0)`,
    "<": (a, b) => truth(`${a} >>> 0 < ${b} >>> 0`),
    "<=": (a, b) => truth(`${a} >>> 0 <= ${b} >>> 0`),
    ">": (a, b) => truth(`${a} >>> 0 > ${b} >>> 0`),
    ">=": (a, b) => truth(`${a} >>> 0 >= ${b} >>> 0`),
  },
} satisfies Readonly<Record<Exclude<Scalar, Float>, Texts<Operator>>>;

const unary = {
  bool: { "!": (a) => `(${a} ^ 1)` },
  i32: { "-": (a) => `(0 - ${a} | 0)`, "~": (a) => `(~${a})` },
  u32: { "~": (a) => `(~${a})` },
  f32: { "-": (a) => `(${a} ^ -2147483648)` },
  f16: { "-": (a) => `(${a} ^ 32768)` },
} satisfies Readonly<Record<Scalar, Texts<"-" | "!" | "~">>>;

/** The word that an operator makes of a word. */
export function unaryText(operator: "-" | "!" | "~", type: Scalar, a: string): string {
  const texts: Texts<"-" | "!" | "~"> = unary[type];
  return applied(texts[operator] ?? refused(operator, type, texts), [a]);
}

/**
 * The word that an operator makes of two. `type` is that of the operands, of the left one for shifts. Comparisons give 0 or 1.
 * `&&` and `||` are not among them, since they may not evaluate their right operand.
 */
export function binaryText(operator: BinaryOperator, type: Scalar, a: string, b: string): string {
  if (type === "f32" || type === "f16") {
    const names: Partial<Record<BinaryOperator, string>> = floats;
    return applied(`${type}_${names[operator] ?? refused(operator, type, names)}`, [a, b]);
  }
  const texts: Texts<BinaryOperator> = binary[type];
  return applied(texts[operator] ?? refused(operator, type, texts), [a, b]);
}

function refused(operator: string, type: Scalar, texts: object): never {
  throw new TypeError(`'${operator}' takes no ${type}; of ${type} there are ${Object.keys(texts).join(" ")}`);
}
