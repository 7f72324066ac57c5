import type { BinaryOperator, Expression } from "../../text/syntax.ts";
import type { Constant, Typing } from "../../text/typing.ts";
import { numberOf } from "../../text/typing.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { concrete, textOfType } from "../../text/wgsl_types.ts";
import { constantWord } from "../builtin_texts.ts";
import { integerOf, wordsOfCall } from "../compile/constant_call.ts";
import { scalarOf } from "../compile/layout.ts";
import { runText } from "../compile/run_text.ts";
import { f16Number, f16Word, f32Number } from "../numbers/words.ts";
import { settledTypes } from "./calls.ts";
import { scalarIn } from "./operators.ts";

// The values of constant expressions: https://www.w3.org/TR/WGSL/#const-expr

/** The numbers of a scalar or a vector. */
export type Parts = readonly Constant[];

/** What WGSL's letters of a vector's components stand for. */
const LETTERS = "xyzwrgba";

const arithmetic: Readonly<Partial<Record<BinaryOperator, (a: number, b: number) => number>>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

const nameIn = (type: Type): string => {
  const of = scalarIn(type);
  return of.kind === "scalar" ? of.name : "";
};

/** A number as its type holds it. Those without a type keep all of their digits. */
function rounded(type: Type, value: Constant): Constant {
  switch (nameIn(type)) {
    case "f32":
      return Math.fround(Number(value));
    case "f16":
      return f16Number(f16Word(Number(value)));
    default:
      return value;
  }
}

const isFloat = (type: Type): boolean => /^(?:f|abstract f)/.test(nameIn(type));

/** How many numbers a scalar or a vector has. */
const countOf = (type: Type): number =>
  type.kind === "vector" ? type.count : type.kind === "scalar" ? 1 : Number.NaN;

/** The numbers of constant scalars and vectors, where they are known. They may be infinite, or not a number: what WGSL refuses then. */
export class Constants {
  readonly #typing: Typing;
  readonly #known = new Map<Expression, Parts | undefined>();

  constructor(typing: Typing) {
    this.#typing = typing;
  }

  of(one: Expression): Parts | undefined {
    if (!this.#known.has(one)) {
      this.#known.set(one, this.#partsOf(one));
    }
    return this.#known.get(one);
  }

  /** The numbers of several expressions; undefined unless those of all are known. */
  all(expressions: readonly Expression[]): readonly Parts[] | undefined {
    const parts = expressions.map((one) => this.of(one));
    return parts.includes(undefined) ? undefined : (parts as readonly Parts[]);
  }

  /** Whether an expression is constant, which its value need not be known for. */
  isConstant(one: Expression): boolean {
    switch (one.kind) {
      case "number":
      case "boolean":
        return true;
      case "parentheses":
        return this.isConstant(one.inner);
      case "unary":
        return this.isConstant(one.operand);
      case "binary":
        return this.isConstant(one.left) && this.isConstant(one.right);
      case "member":
        return this.isConstant(one.of);
      case "index":
        return this.isConstant(one.of) && this.isConstant(one.index);
      case "call":
        // No function that a kernel declares gives a constant.
        return (
          this.#typing.declaredOf(one.callee)?.kind !== "function" &&
          one.args.every((arg) => this.isConstant(arg))
        );
      default:
        return this.#valueOf(one) !== undefined;
    }
  }

  /** What a `const` is declared as. */
  #valueOf(name: Extract<Expression, { kind: "name" }>): Expression | undefined {
    const declared = this.#typing.declaredOf(name);
    return declared?.kind === "value" ? declared.value : undefined;
  }

  #partsOf(one: Expression): Parts | undefined {
    const known = this.#typing.constantOf(one);
    if (known !== undefined) {
      return [known];
    }
    const type = this.#typing.typeOf(one);
    switch (one.kind) {
      case "number":
        return [rounded(type, numberOf(one.text, one.from)[1])];
      case "parentheses":
        return this.of(one.inner);
      case "name": {
        const value = this.#valueOf(one);
        return (value && this.of(value))?.map((part) => rounded(type, part));
      }
      case "unary":
        return one.operator === "-" && isFloat(type) ? this.of(one.operand)?.map((part) => -part) : undefined;
      case "binary":
        return this.#operated(one, type);
      case "member":
        return this.#components(one);
      case "call":
        return this.#called(one, type);
      default:
        return undefined;
    }
  }

  /** What arithmetic of floats gives. */
  #operated(
    { operator, left, right }: Extract<Expression, { kind: "binary" }>,
    type: Type,
  ): Parts | undefined {
    const operands = this.all([left, right]);
    const combine = arithmetic[operator];
    if (operands === undefined || combine === undefined || !isFloat(type)) {
      return undefined;
    }
    return pairsOf(operands as [Parts, Parts]).map(([a, b]) =>
      rounded(type, combine(Number(rounded(type, a)), Number(rounded(type, b)))),
    );
  }

  #components({ of, member }: Extract<Expression, { kind: "member" }>): Parts | undefined {
    const whole = this.#typing.typeOf(of).kind === "vector" ? this.of(of) : undefined;
    const parts = [...member].map((letter) => whole?.[LETTERS.indexOf(letter) % 4]);
    return parts.includes(undefined) ? undefined : (parts as Parts);
  }

  #called(one: Extract<Expression, { kind: "call" }>, type: Type): Parts | undefined {
    const { callee, args } = one;
    const given = this.all(args);
    if (given === undefined || this.#typing.declaredOf(callee)?.kind === "function") {
      return undefined;
    }
    const isMade = this.#typing.typeOf(callee).kind !== "unknown" || /^vec[234]$/.test(callee.name);
    return isMade ? made(type, given) : this.#ofBuiltin(one, type, given);
  }

  #ofBuiltin(
    { callee: { name }, args }: Extract<Expression, { kind: "call" }>,
    type: Type,
    given: readonly Parts[],
  ): Parts | undefined {
    const types = settledTypes(
      name,
      args.map((arg) => this.#typing.typeOf(arg)),
    );
    const result = concrete(type);
    if (types === undefined || Number.isNaN(countOf(result)) || nameIn(result) === "bool") {
      return undefined;
    }
    const operands = types.map((of, at) => ({
      type: of,
      words: (given[at] as Parts).map((part) => String(constantWord(scalarOf(scalarIn(of)), part))),
    }));
    const words = wordsOfCall(name, operands, result);
    return words?.map((word) => numberOfWord(nameIn(result), runText(`return ${word};`) as number));
  }
}

/** The parts of two operands, a scalar's beside each of a vector's. */
export function pairsOf([a, b]: readonly [Parts, Parts]): readonly (readonly [Constant, Constant])[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [
    (a.length === 1 ? a[0] : a[at]) as Constant,
    (b.length === 1 ? b[0] : b[at]) as Constant,
  ]);
}

/** A vector, or a scalar, made of numbers. Integers that are made of others are left to the typing. */
function made(type: Type, given: readonly Parts[]): Parts | undefined {
  const count = countOf(type);
  const parts = given.length === 0 ? [0] : given.flat();
  if (
    Number.isNaN(count) ||
    (!isFloat(type) && parts.some((part) => typeof part === "number" && part !== 0))
  ) {
    return undefined;
  }
  const all = parts.length === 1 ? new Array<Constant>(count).fill(parts[0] as Constant) : parts;
  return all.map((part) => (isFloat(type) ? rounded(type, part) : BigInt(part)));
}

function numberOfWord(name: string, word: number): Constant {
  switch (name) {
    case "f32":
      return f32Number(word);
    case "f16":
      return f16Number(word);
    default:
      return integerOf(word, name);
  }
}

/** What is wrong with the numbers of a constant of a type: floats are finite. `what` is what messages call it. */
export const finiteProblem = (what: string, parts: Parts | undefined, type: Type): string | undefined =>
  parts?.every((part) => Number.isFinite(Number(part))) === false
    ? `${what} is ${parts.length === 1 ? "" : "partly "}${parts.find((part) => !Number.isFinite(Number(part)))}, and a constant of ${textOfType(scalarIn(concrete(type)))} is finite`
    : undefined;
