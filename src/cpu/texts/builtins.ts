import { builtinWords } from "../../simulator/builtin_texts.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { isSame } from "../../text/wgsl_types.ts";
import { noCode } from "./no_code.ts";
import type { Scalar } from "./scalars.ts";
import { binary, isFloat, rounded, unary } from "./scalars.ts";
import type { Words } from "./values.ts";
import { scalarNameOf, scalarsOf } from "./values.ts";

// WGSL's own functions as JavaScript over numbers: https://www.w3.org/TR/WGSL/#builtin-functions. Those that texts use often are here. The
// others are the simulator's, on words.

/** An argument: its words can be repeated. */
export interface Operand {
  readonly type: Type;
  readonly words: Words;
}

type Text = (name: Scalar, ...args: string[]) => string | undefined;

const exact =
  (called: string): Text =>
  (name, a) =>
    isFloat(name) ? `${called}(${a})` : undefined;
const once =
  (called: string): Text =>
  (name, ...args) =>
    isFloat(name) && name !== "f64" ? rounded(name, `${called}(${args.join(", ")})`) : undefined;

/** Numbers of the type itself, which come from outside of a text as 0 and 1. */
const add = (name: Scalar, a = "", b = ""): string => binary("+", name, a, b);
const subtract = (name: Scalar, a = "", b = ""): string => binary("-", name, a, b);
const multiply = (name: Scalar, a = "", b = ""): string => binary("*", name, a, b);

const chosen = (condition: string, ifTrue: string, ifFalse: string): string =>
  `(${condition} ? ${ifTrue} : ${ifFalse})`;

function lesser(name: Scalar, a = "", b = ""): string | undefined {
  if (isFloat(name)) {
    return `leastFloat(${a}, ${b})`;
  }
  return name === "bool"
    ? undefined
    : isLongInteger(name)
      ? chosen(`${a} < ${b}`, a, b)
      : `Math.min(${a}, ${b})`;
}

function greater(name: Scalar, a = "", b = ""): string | undefined {
  if (isFloat(name)) {
    return `greatestFloat(${a}, ${b})`;
  }
  return name === "bool"
    ? undefined
    : isLongInteger(name)
      ? chosen(`${a} > ${b}`, a, b)
      : `Math.max(${a}, ${b})`;
}

/** `clamp(x, low, high)`. The inner result stands once in what it becomes, unless it is a bigint. */
function clamped(name: Scalar, a = "", low = "", high = ""): string | undefined {
  return isLongInteger(name)
    ? chosen(`${chosen(`${a} > ${low}`, a, low)} < ${high}`, chosen(`${a} > ${low}`, a, low), high)
    : lesser(name, greater(name, a, low), high);
}

const isLongInteger = (name: Scalar): boolean => name === "u64" || name === "i64";

function magnitude(name: Scalar, a = ""): string | undefined {
  switch (name) {
    case "bool":
      return undefined;
    case "u32":
    case "u64":
      return a;
    case "i32":
    case "i64":
      return chosen(`${a} < ${name === "i64" ? "0n" : "0"}`, unary("-", name, a), a);
    default:
      return `Math.abs(${a})`;
  }
}

function signText(name: Scalar, a = ""): string | undefined {
  switch (name) {
    case "i32":
      return `(${a} > 0 ? 1 : ${a} >> 31)`;
    case "u64":
      return `(${a} > 0n ? 1n : 0n)`;
    case "i64":
      return `(${a} > 0n ? 1n : ${a} >> 63n)`;
    case "f64":
      return `Math.sign(${a})`;
    default:
      return isFloat(name) ? `signOfFloat(${a})` : undefined;
  }
}

/** `mix(a, b, by)`. */
const mixed: Text = (name, a, b, by) =>
  isFloat(name) ? add(name, multiply(name, a, subtract(name, "1", by)), multiply(name, b, by)) : undefined;

const componentwise: Readonly<Record<string, readonly [count: number, text: Text]>> = {
  abs: [1, magnitude],
  acos: [1, once("Math.acos")],
  acosh: [1, once("Math.acosh")],
  asin: [1, once("Math.asin")],
  asinh: [1, once("Math.asinh")],
  atan: [1, once("Math.atan")],
  atan2: [2, once("Math.atan2")],
  atanh: [1, once("Math.atanh")],
  ceil: [1, exact("Math.ceil")],
  clamp: [3, clamped],
  cos: [1, once("Math.cos")],
  cosh: [1, once("Math.cosh")],
  exp: [1, once("Math.exp")],
  exp2: [1, (name, a) => (isFloat(name) ? rounded(name, `2 ** ${a}`) : undefined)],
  floor: [1, exact("Math.floor")],
  fract: [1, (name, a) => (isFloat(name) ? subtract(name, a, `Math.floor(${a})`) : undefined)],
  inverseSqrt: [1, (name, a) => (isFloat(name) ? rounded(name, `1 / Math.sqrt(${a})`) : undefined)],
  log: [1, once("Math.log")],
  log2: [1, once("Math.log2")],
  max: [2, greater],
  min: [2, lesser],
  mix: [3, mixed],
  pow: [2, once("pow")],
  round: [1, exact("roundToEven")],
  saturate: [1, (name, a) => (isFloat(name) ? clamped(name, a, "0", "1") : undefined)],
  select: [3, (_, ifFalse = "", ifTrue = "", condition = "") => chosen(condition, ifTrue, ifFalse)],
  sign: [1, signText],
  sin: [1, once("Math.sin")],
  sinh: [1, once("Math.sinh")],
  sqrt: [1, once("Math.sqrt")],
  step: [2, (name, edge = "", a = "") => (isFloat(name) ? chosen(`${edge} <= ${a}`, "1", "0") : undefined)],
  tan: [1, once("Math.tan")],
  tanh: [1, once("Math.tanh")],
  trunc: [1, exact("Math.trunc")],
};

const wordAt = ({ words }: Operand, at: number): string =>
  (words.length === 1 ? words[0] : words[at]) ?? noCode("operands of different sizes");

function dot(a: Operand, b: Operand): string {
  const name = scalarNameOf(a.type);
  return a.words
    .map((word, at) => multiply(name, word, wordAt(b, at)))
    .reduce((sum, product) => add(name, sum, product));
}

function lengthOf(name: Scalar, words: Words): string {
  const [first = ""] = words;
  if (!isFloat(name)) {
    return noCode("length takes floats");
  }
  return words.length === 1
    ? `Math.abs(${first})`
    : rounded(
        name,
        `Math.sqrt(${words.map((word) => multiply(name, word, word)).reduce((sum, one) => add(name, sum, one))})`,
      );
}

/** What a function needs to give names to what it repeats. */
export type Name = (text: string) => string;

const ofVectors: Readonly<
  Record<string, readonly [count: number, text: (named: Name, ...operands: Operand[]) => Words]>
> = {
  all: [1, (_, a) => [`(${(a?.words ?? []).join(" && ")})`]],
  any: [1, (_, a) => [`(${(a?.words ?? []).join(" || ")})`]],
  dot: [2, (_, a, b) => [a && b ? dot(a, b) : noCode("dot")]],
  length: [1, (_, a) => [a ? lengthOf(scalarNameOf(a.type), a.words) : noCode("length")]],
  distance: [
    2,
    (named, a, b) => {
      const name = a ? scalarNameOf(a.type) : noCode("distance");
      const steps = a.words.map((word, at) => named(subtract(name, word, b && wordAt(b, at))));
      return [lengthOf(name, steps)];
    },
  ],
  normalize: [
    1,
    (named, a) => {
      const name = a ? scalarNameOf(a.type) : noCode("normalize");
      const by = named(lengthOf(name, a.words));
      return a.words.map((word) => binary("/", name, word, by));
    },
  ],
  cross: [
    2,
    (_, a, b) => {
      const name = a ? scalarNameOf(a.type) : noCode("cross");
      const product = (i: number, j: number): string => multiply(name, a.words[i], b?.words[j]);
      return [0, 1, 2].map((at) => {
        const [next, last] = [(at + 1) % 3, (at + 2) % 3];
        return subtract(name, product(next, last), product(last, next));
      });
    },
  ],
};

/** The word of the simulator that a number is. */
function wordOf(name: Scalar, a: string): string {
  switch (name) {
    case "u32":
      return `(${a} | 0)`;
    case "i32":
      return a;
    case "bool":
      return `(${a} ? 1 : 0)`;
    case "f32":
      return `(bitsOfF32(${a}) | 0)`;
    case "f16":
      return `f16Word(${a})`;
    default:
      return noCode(`the simulator has no ${name}`);
  }
}

function numberOfWord(name: Scalar, word: string): string {
  switch (name) {
    case "u32":
      return `(${word} >>> 0)`;
    case "i32":
      return word;
    case "bool":
      return `(${word} !== 0)`;
    case "f32":
      return `f32Number(${word})`;
    case "f16":
      return `f16Number(${word})`;
    default:
      return noCode(`the simulator has no ${name}`);
  }
}

function onWords(name: string, operands: readonly Operand[], result: Type, named: Name): Words {
  const scalars = scalarsOf(result);
  const words = builtinWords(
    name,
    operands.map(({ type, words }) => {
      const own = scalarsOf(type);
      return { type, words: words.map((word, at) => named(wordOf(own[at] as Scalar, word))) };
    }),
    result,
  );
  return words?.length === scalars.length
    ? words.map((word, at) => numberOfWord(scalars[at] as Scalar, named(word)))
    : noCode(`there is no function ${name}`);
}

const PAIR: Type = { kind: "vector", count: 2, of: { kind: "scalar", name: "u32" } };

/** Between a number of 64 bits and its words, the low one first. */
function longBits({ type, words }: Operand, result: Type): Words | undefined {
  const [a = "", b = ""] = words;
  const from = type.kind === "scalar" ? type.name : "";
  const to = result.kind === "scalar" ? result.name : "";
  if (from === "f64" && isSame(result, PAIR)) {
    return [`wordOfF64(${a}, 0)`, `wordOfF64(${a}, 4)`];
  }
  if ((from === "u64" || from === "i64") && isSame(result, PAIR)) {
    return [`Number(BigInt.asUintN(32, ${a}))`, `Number(BigInt.asUintN(32, ${a} >> 32n))`];
  }
  if (!isSame(type, PAIR)) {
    return undefined;
  }
  if (to === "f64") {
    return [`f64OfWords(${a}, ${b})`];
  }
  const both = `BigInt(${b}) << 32n | BigInt(${a})`;
  return to === "u64" ? [`(${both})`] : to === "i64" ? [`BigInt.asIntN(64, ${both})`] : undefined;
}

/** The words of a call of one of WGSL's functions. `named` gives a name to what is used several times. */
export function builtin(name: string, operands: readonly Operand[], result: Type, named: Name): Words {
  const [first] = operands;
  if (name === "bitcast" && first !== undefined && operands.length === 1) {
    const bits = longBits(first, result);
    if (bits !== undefined) {
      return bits;
    }
  }
  const whole = Object.hasOwn(ofVectors, name) ? ofVectors[name] : undefined;
  if (whole !== undefined && whole[0] === operands.length) {
    return whole[1](named, ...operands);
  }
  const each = Object.hasOwn(componentwise, name) ? componentwise[name] : undefined;
  if (each !== undefined && first !== undefined && each[0] === operands.length) {
    const [, text] = each;
    const scalar = scalarsOf(first.type)[0] as Scalar;
    const count = Math.max(...operands.map(({ words }) => words.length));
    const words = Array.from({ length: count }, (_, at) =>
      text(scalar, ...operands.map((operand) => wordAt(operand, at))),
    );
    if (words.every((word) => word !== undefined)) {
      return words;
    }
  }
  return onWords(name, operands, result, named);
}
