import type { BinaryOperator, Expression } from "../../text/syntax.ts";
import { TextFault } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { isAbstract, textOfType } from "../../text/wgsl_types.ts";
import { elementOf } from "../compile/layout.ts";
import type { Call, Module } from "../compile/module.ts";
import { argumentsProblem, builtinProblem, constructorProblem, settledTypes } from "./calls.ts";
import { constantArgumentProblem } from "./constant_arguments.ts";
import type { Parts } from "./constants.ts";
import { Constants, finiteProblem, pairsOf } from "./constants.ts";
import {
  constantProblem,
  hasIntegers,
  isInteger,
  operandProblem,
  operandsProblem,
  scalarIn,
  told,
} from "./operators.ts";

/** Finds what is wrong with the types of expressions. */
export class ExpressionChecker {
  readonly module: Module;
  protected readonly constants: Constants;

  constructor(module: Module) {
    this.module = module;
    this.constants = new Constants(module.typing);
  }

  fail(problem: string, at: number): never {
    throw new TextFault(problem, at);
  }

  protected require(problem: string | undefined, at: number): void {
    if (problem !== undefined) {
      this.fail(problem, at);
    }
  }

  /** The type of a value. That of an atomic is no value. */
  protected typeOf(one: Expression): Type {
    return this.module.typing.typeOf(one);
  }

  /** @throws {TextFault} for the first thing that is wrong, from the innermost on. */
  protected expression(one: Expression): void {
    switch (one.kind) {
      case "number":
        this.constant(one, this.typeOf(one));
        break;
      case "parentheses":
        this.expression(one.inner);
        break;
      case "unary":
        this.expression(one.operand);
        this.require(operandProblem(one.operator, this.typeOf(one.operand)), one.from);
        break;
      case "binary":
        this.expression(one.left);
        this.expression(one.right);
        this.#operands(one);
        this.#finite(one, `'${one.operator}'`);
        break;
      case "member":
        this.expression(one.of);
        this.require(memberProblem(this.#behindPointer(one.of), one.member), one.to - one.member.length);
        break;
      case "index":
        this.#index(one);
        break;
      case "call":
        this.#call(one);
        break;
      default:
        break;
    }
  }

  /** Requires that a constant is in the range of the type that it takes. Of a vector, each part is. */
  protected constant(one: Expression, to: Type): void {
    for (const part of this.constants.of(one) ?? []) {
      this.require(constantProblem(part, scalarIn(to)), one.from);
    }
  }

  /** Requires that what an expression gives is finite, if it is constant. */
  #finite(one: Expression, what: string): void {
    const type = this.typeOf(one);
    this.require(finiteProblem(what, this.constants.of(one), type), one.from);
  }

  #operands({ operator, at, left, right }: Extract<Expression, { kind: "binary" }>): void {
    const [first, second] = [this.typeOf(left), this.typeOf(right)];
    this.require(operandsProblem(operator, first, second), at);
    this.rightSide(operator, first, right);
    if (operator !== "<<" && operator !== ">>") {
      this.constant(left, scalarIn(second));
    }
    const operands = this.constants.all([left, right]);
    this.require(operands && overflowProblem(operator, first, operands as [Parts, Parts]), left.from);
  }

  /** Requires that a constant on the right of an operator is one that it takes. */
  protected rightSide(operator: BinaryOperator, left: Type, right: Expression): void {
    const values = this.constants.of(right) ?? [];
    if (operator === "<<" || operator === ">>") {
      const wrong = values.find((value) => typeof value === "bigint" && (value < 0n || value > 31n));
      this.require(
        wrong === undefined ? undefined : `a shift's count is 0 to 31, and this is ${wrong}`,
        right.from,
      );
      return;
    }
    this.constant(right, scalarIn(left));
    if ((operator === "/" || operator === "%") && values.includes(0n) && hasIntegers(left)) {
      this.fail("an integer is divided by 0", right.from);
    }
  }

  /** Requires that constants among the arguments are in the ranges of the types that they take. */
  #constants(args: readonly Expression[], to: (index: number) => Type | undefined): void {
    for (const [index, arg] of args.entries()) {
      const type = to(index);
      if (type !== undefined && isAbstract(scalarIn(this.typeOf(arg)))) {
        this.constant(arg, type);
      }
    }
  }

  #behindPointer(one: Expression): Type {
    const type = this.typeOf(one);
    return type.kind === "pointer" ? type.to : type;
  }

  #index({ of, index }: Extract<Expression, { kind: "index" }>): void {
    this.expression(of);
    this.expression(index);
    const whole = this.#behindPointer(of);
    const type = this.typeOf(index);
    if (whole.kind !== "unknown" && elementOf(whole) === undefined) {
      this.fail(`${told(whole)} has no elements`, of.to);
    }
    if (type.kind !== "unknown" && !isInteger(type)) {
      this.fail(`an index is an i32 or a u32, and this is ${told(type)}`, index.from);
    }
    const value = this.module.typing.constantOf(index);
    const count = countOf(whole);
    if (value !== undefined && (value < 0 || (count !== undefined && value >= count))) {
      this.fail(
        `index ${value} is not one of ${told(whole)}, which has ${count ?? "no negative ones"}`,
        index.from,
      );
    }
  }

  /** Requires constants that one of WGSL's functions takes, and of which it makes a finite number. */
  #builtinConstants(one: Call, args: readonly Type[]): void {
    const { name } = one.callee;
    const types = settledTypes(name, args);
    this.#constants(one.args, (index) => types?.[index]);
    const { constants } = this;
    const [problem, at] =
      constantArgumentProblem({
        name,
        args: one.args,
        type: this.typeOf(one),
        of: (arg) => constants.of(arg),
        isConstant: (arg) => constants.isConstant(arg),
      }) ?? [];
    this.require(problem, at?.from ?? one.from);
    this.#finite(one, `${name}(…)`);
  }

  #call(one: Call): void {
    for (const arg of one.args) {
      this.expression(arg);
    }
    const { callee } = one;
    const { typing, functions, layout } = this.module;
    const args = one.args.map((arg) => this.typeOf(arg));
    const declared = functions.get(callee.name);
    const made = typing.typeOf(callee);
    if (declared !== undefined && made.kind === "unknown") {
      const parameters = declared.parameters.map(({ type }) => typing.typeOf(type));
      this.require(argumentsProblem(callee.name, args, parameters), one.from);
      this.#constants(one.args, (index) => parameters[index]);
    } else if (made.kind !== "unknown") {
      this.require(constructorProblem(made, args), one.from);
      const members = made.kind === "struct" ? [...made.members.values()] : [];
      this.#constants(one.args, (index) => members[index] ?? scalarIn(elementOf(made) ?? made));
    } else if (/^(?:vec[234]|mat[234]x[234]|array)$/.test(callee.name)) {
      const type = this.typeOf(one);
      const problem =
        args.length === 0
          ? `${callee.name}() does not say of which type`
          : `${callee.name}(…) has arguments of several types: ${args.map(told).join(", ")}`;
      this.require(type.kind === "unknown" ? problem : constructorProblem(type, args), one.from);
    } else {
      const [template] = callee.template ?? [];
      this.require(builtinProblem(callee.name, args, template && typing.typeOf(template), layout), one.from);
      this.#builtinConstants(one, args);
    }
  }
}

/** What is wrong with an operation on constant integers: bits may be lost to a shift, and the least i32 has no opposite. */
function overflowProblem(
  operator: BinaryOperator,
  left: Type,
  operands: readonly [Parts, Parts],
): string | undefined {
  const of = scalarIn(left);
  const name = of.kind === "scalar" ? of.name : "";
  if (name !== "u32" && name !== "i32") {
    return undefined;
  }
  const most = name === "u32" ? 2n ** 32n : 2n ** 31n;
  const wrong = pairsOf(operands).find(([a, b]) => {
    const [value, by] = [BigInt(a), BigInt(b)];
    return operator === "<<"
      ? value << by >= most || value << by < -most
      : (operator === "/" || operator === "%") && name === "i32" && value === -most && by === -1n;
  });
  return wrong && `${wrong[0]} ${operator} ${wrong[1]} is more than ${name} holds`;
}

const countOf = (type: Type): number | undefined =>
  type.kind === "array" || type.kind === "vector"
    ? type.count
    : type.kind === "matrix"
      ? type.columns
      : undefined;

function memberProblem(of: Type, member: string): string | undefined {
  switch (of.kind) {
    case "unknown":
      return undefined;
    case "struct":
      return of.members.has(member)
        ? undefined
        : `${textOfType(of)} has no member ${member}; it has ${[...of.members.keys()].join(", ")}`;
    case "vector": {
      const letters = ["xyzw", "rgba"].map((all) => all.slice(0, of.count));
      const isSwizzle =
        member.length <= 4 && letters.some((all) => [...member].every((letter) => all.includes(letter)));
      return isSwizzle ? undefined : `${textOfType(of)} has no .${member}; it has ${letters[0]}`;
    }
    default:
      return `${told(of)} has no members`;
  }
}
