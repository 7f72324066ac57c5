import { builtinResult, takesFloats } from "./builtins.ts";
import { Names } from "./names.ts";
import type {
  BinaryOperator,
  Block,
  Expression,
  FunctionDeclaration,
  ModuleDeclaration,
  Named,
  NameExpression,
  Statement,
  UnaryOperator,
  Variable,
} from "./syntax.ts";
import { MOST_LEVELS, relational, TextFault } from "./syntax.ts";
import type { LongName, ScalarName, ScalarOf, Type } from "./wgsl_types.ts";
import {
  commonType,
  concrete,
  isAbstract,
  isLong,
  isSame,
  nothing,
  scalar,
  textOfType,
  unknown,
} from "./wgsl_types.ts";

/** What a constant expression is. It is known for numbers, and for what operators make of them. */
export type Constant = bigint | number;

/** What a name stands for. */
export type Declared =
  | {
      readonly kind: "value";
      readonly type: Type;
      readonly constant?: Constant | undefined;
      /** What a `const` is. */
      readonly value?: Expression | undefined;
    }
  | { readonly kind: "type"; readonly type: Type }
  | {
      readonly kind: "function";
      readonly parameters: readonly Type[];
      readonly result: Type;
      /** Of a function of ours: the result of a call with arguments of these types. */
      ours?(args: readonly Type[]): Type;
    };

/** The names that are visible at a place: those of a block, and of what is around it. */
export class Scope extends Names<Declared> {}

/** The value of a call of WGSL's own function `name`, or of a conversion to the type of that name; undefined if it is not known. */
export type ConstantCall = (
  name: string,
  args: readonly { readonly type: Type; readonly value: Constant }[],
  result: Type,
) => Constant | undefined;

/** The types of all expressions of a text, found from the names around it. */
export class Typing {
  readonly #constantCall: ConstantCall | undefined;
  readonly #types = new Map<Expression, Type>();
  readonly #constants = new Map<Expression, Constant>();
  readonly #declared = new Map<Expression, Declared | undefined>();

  /**
   * With `constantCall`, it finds what a compiler of WGSL has to know, too: constants of u32 and i32 that operators make, and what it says of
   * calls; numbers without a type in arrays, and those that functions take as floats.
   */
  constructor(constantCall?: ConstantCall) {
    this.#constantCall = constantCall;
  }

  typeOf(expression: Expression): Type {
    return this.#types.get(expression) ?? unknown;
  }

  /** The value of a constant expression, if it is known here. */
  constantOf(expression: Expression): Constant | undefined {
    return this.#constants.get(expression);
  }

  /** What a name of the text refers to; undefined if only WGSL declares it. */
  declaredOf(name: NameExpression): Declared | undefined {
    return this.#declared.get(name);
  }

  /** Finds all types in declarations at module scope, which may refer to each other in any order, and declares them. */
  module(declarations: readonly ModuleDeclaration[], scope: Scope): void {
    this.declarations(declarations, scope);
    for (const one of declarations) {
      if (one.kind === "function") {
        this.body(one, scope);
      }
    }
  }

  /** The same, without those in the bodies of functions. */
  declarations(declarations: readonly ModuleDeclaration[], scope: Scope): void {
    for (const one of inOrderOfUse(declarations)) {
      if (one.kind === "struct") {
        const members = new Map(one.members.map(({ name, type }) => [name.name, this.type(type, scope)]));
        scope.declare(one.name.name, {
          kind: "type",
          type: { kind: "struct", name: one.name.name, members },
        });
      } else if (one.kind === "alias") {
        scope.declare(one.name.name, { kind: "type", type: this.type(one.type, scope) });
      } else if (one.kind === "function") {
        const parameters = one.parameters.map(({ type }) => this.type(type, scope));
        const result = one.result === undefined ? nothing : this.type(one.result, scope);
        scope.declare(one.name.name, { kind: "function", parameters, result });
      } else if (one.kind === "variable") {
        this.#variable(one, scope);
      } else if (one.kind === "const_assert") {
        this.expression(one.condition, scope);
      }
    }
  }

  /** Finds the types in the body of a function, whose parameters have theirs. */
  body({ parameters, body }: FunctionDeclaration, scope: Scope): void {
    const inside = new Scope(scope);
    for (const { name, type } of parameters) {
      inside.declare(name.name, { kind: "value", type: this.typeOf(type) });
    }
    this.statements(body.statements, inside);
  }

  /** Finds the types in statements, and declares what they declare. */
  statements(statements: readonly Statement[], scope: Scope): void {
    for (const one of statements) {
      this.#statement(one, scope);
    }
  }

  #block({ statements }: Block, scope: Scope): void {
    this.statements(statements, new Scope(scope));
  }

  #statement(one: Statement, scope: Scope): void {
    switch (one.kind) {
      case "block":
        this.#block(one, scope);
        break;
      case "variable":
        this.#variable(one, scope);
        break;
      case "assign":
        this.#assign(one, scope);
        break;
      case "step":
        this.#each([one.target], scope);
        break;
      case "call statement":
        this.#each([one.call], scope);
        break;
      case "if":
        this.expression(one.condition, scope);
        this.#block(one.then, scope);
        if (one.otherwise) {
          this.#statement(one.otherwise, scope);
        }
        break;
      case "for":
        this.#for(one, new Scope(scope));
        break;
      case "while":
        this.expression(one.condition, scope);
        this.#block(one.body, scope);
        break;
      case "loop":
        // What a loop's body declares is visible in its `continuing`, which is among its statements.
        this.#block(one.body, scope);
        break;
      case "continuing":
        this.#block(one.body, scope);
        break;
      case "switch":
        this.expression(one.on, scope);
        for (const { selectors, body } of one.cases) {
          this.#each(selectors, scope);
          this.#block(body, scope);
        }
        break;
      case "return":
        this.#each([one.value], scope);
        break;
      case "break if":
      case "const_assert":
        this.#each([one.condition], scope);
        break;
      case "break":
      case "continue":
      case "discard":
      case "empty":
        break;
      default:
        one satisfies never;
    }
  }

  #assign({ target, operator, value }: Extract<Statement, { kind: "assign" }>, scope: Scope): void {
    this.#each([target, value], scope);
    if (target !== undefined && operator !== undefined) {
      const [left, right] = [this.typeOf(target), this.typeOf(value)];
      if (isLong(left) || isLong(right)) {
        longResult(operator, value.from, left, right);
      }
    }
  }

  #for(one: Extract<Statement, { kind: "for" }>, scope: Scope): void {
    if (one.start) {
      this.#statement(one.start, scope);
    }
    this.#each([one.condition], scope);
    if (one.update) {
      this.#statement(one.update, scope);
    }
    this.#block(one.body, scope);
  }

  #each(expressions: readonly (Expression | undefined)[], scope: Scope): void {
    for (const one of expressions) {
      if (one !== undefined) {
        this.expression(one, scope);
      }
    }
  }

  #variable({ keyword, name, type, value }: Variable, scope: Scope): void {
    const given = value && this.expression(value, scope);
    const own = type ? this.type(type, scope) : (given ?? unknown);
    const constant = keyword === "const" && value ? this.constantOf(value) : undefined;
    scope.declare(name.name, {
      kind: "value",
      type: keyword === "const" ? own : concrete(own),
      constant: constant === undefined ? undefined : ofType(own, constant),
      value: keyword === "const" ? value : undefined,
    });
  }

  /** The type that an expression names. It is recorded as the expression's. */
  type(expression: Expression, scope: Scope): Type {
    const found = this.#named(expression, scope) ?? unknown;
    this.#types.set(expression, found);
    return found;
  }

  #named(expression: Expression, scope: Scope): Type | undefined {
    if (expression.kind !== "name") {
      return undefined;
    }
    const { name, template = [] } = expression;
    const declared = scope.find(name);
    this.#declared.set(expression, declared);
    if (declared !== undefined) {
      return declared.kind === "type" ? declared.type : undefined;
    }
    const shorthand = /^(?:vec([234])|mat([234])x([234]))([iufh])?$/.exec(name);
    const [first] = template;
    if (shorthand !== null) {
      const letter = shorthand[4] as keyof typeof letters | undefined;
      const of = letter ? scalar(letters[letter]) : first && this.type(first, scope);
      return of && madeOf(shorthand, of, expression);
    }
    if (name === "array" && first !== undefined) {
      return this.#array(first, template[1], scope);
    }
    if (name === "ptr" && template[1] !== undefined) {
      return { kind: "pointer", to: this.type(template[1], scope) };
    }
    if (name === "atomic" && first !== undefined) {
      const of = this.type(first, scope);
      requireShort(of, "atomics", expression);
      return { kind: "atomic", of };
    }
    return (scalarNames as readonly string[]).includes(name) ? scalar(name as ScalarName) : undefined;
  }

  #array(element: Expression, count: Expression | undefined, scope: Scope): Type {
    const of = this.type(element, scope);
    if (count !== undefined) {
      this.expression(count, scope);
    }
    const known = count && this.constantOf(count);
    return { kind: "array", of, count: known === undefined ? undefined : Number(known) };
  }

  /** Finds the type of an expression and of all parts of it. */
  expression(expression: Expression, scope: Scope): Type {
    const type = this.#typed(expression, scope);
    this.#types.set(expression, type);
    return type;
  }

  #typed(one: Expression, scope: Scope): Type {
    switch (one.kind) {
      case "number":
        return this.#number(one);
      case "boolean":
        return scalar("bool");
      case "parentheses":
        return this.#inside(one, scope);
      case "name":
        return this.#value(one, scope);
      case "member":
        return memberOf(this.expression(one.of, scope), one);
      case "index":
        this.expression(one.index, scope);
        return elementOf(this.expression(one.of, scope), one);
      case "unary":
        return this.#unary(one, scope);
      case "binary":
        return this.#binary(one, scope);
      case "call":
        return this.#call(one, scope);
      default:
        return one satisfies never;
    }
  }

  #number(one: Extract<Expression, { kind: "number" }>): Type {
    const [name, value] = numberOf(one.text, one.from);
    this.#keep(one, ofType(scalar(name), value));
    return scalar(name);
  }

  #inside(one: Extract<Expression, { kind: "parentheses" }>, scope: Scope): Type {
    const type = this.expression(one.inner, scope);
    this.#keep(one, this.constantOf(one.inner));
    return type;
  }

  #keep(one: Expression, constant: Constant | undefined): void {
    if (constant !== undefined) {
      this.#constants.set(one, constant);
    }
  }

  #value(one: NameExpression, scope: Scope): Type {
    const declared = scope.find(one.name);
    this.#declared.set(one, declared);
    if (declared?.kind !== "value") {
      // It may be the name of a type, in a list of types.
      const type = this.#named(one, scope);
      if (type === undefined) {
        throw new TextFault(`${one.name} is ${declared ? "a function" : "not declared"}`, one.from);
      }
      return type;
    }
    this.#keep(one, declared.constant);
    return declared.type;
  }

  #unary(one: Extract<Expression, { kind: "unary" }>, scope: Scope): Type {
    const type = this.expression(one.operand, scope);
    requireOperand(one, type);
    if (one.operator === "*") {
      return type.kind === "pointer" ? type.to : unknown;
    }
    if (one.operator === "&") {
      return { kind: "pointer", to: type };
    }
    const constant = this.constantOf(one.operand);
    if (constant !== undefined && type.kind === "scalar") {
      this.#keep(one, foldedUnary(one.operator, type.name, constant));
    }
    return type;
  }

  #binary(one: Extract<Expression, { kind: "binary" }>, scope: Scope): Type {
    const left = this.expression(one.left, scope);
    const right = this.expression(one.right, scope);
    if (isLong(left) || isLong(right)) {
      const type = longResult(one.operator, one.at, left, right);
      if (type.name !== "bool") {
        this.#fold(one, type.name);
      }
      return type;
    }
    if (one.operator === "&&" || one.operator === "||") {
      return scalar("bool");
    }
    const type = operated(one.operator, left, right);
    if (relational.includes(one.operator)) {
      const { kind } = type;
      return kind === "vector" ? { ...type, of: scalar("bool") } : kind === "unknown" ? type : scalar("bool");
    }
    if (type.kind === "scalar") {
      this.#fold(one, type.name);
    }
    return type;
  }

  #fold(one: Extract<Expression, { kind: "binary" }>, name: ScalarName): void {
    const left = this.constantOf(one.left);
    const right = this.constantOf(one.right);
    if (left !== undefined && right !== undefined) {
      this.#keep(one, folded(one.operator, name, left, right));
    }
  }

  #call(one: Extract<Expression, { kind: "call" }>, scope: Scope): Type {
    const args = one.args.map((arg) => this.expression(arg, scope));
    const { callee } = one;
    const declared = scope.find(callee.name);
    if (declared?.kind === "value") {
      throw new TextFault(`${callee.name} is a value here, and no function`, one.from);
    }
    if (declared?.kind === "function") {
      this.#declared.set(callee, declared);
      return declared.ours?.(args) ?? declared.result;
    }
    const made = this.#named(callee, scope);
    if (made !== undefined) {
      this.#types.set(callee, made);
      const [arg] = one.args;
      const constant = arg && this.constantOf(arg);
      if (isLong(made) && constant !== undefined) {
        this.#keep(one, converted(made.name, constant));
      }
      this.#callConstant(one, args, made);
      return made;
    }
    for (const type of callee.template ?? []) {
      this.type(type, scope);
    }
    const [template] = callee.template ?? [];
    const isOfWgsl = this.#constantCall !== undefined;
    const isOfFloats = takesFloats.has(callee.name) || callee.name.startsWith("mat");
    const taken = isOfWgsl && isOfFloats ? args.map(asFloats) : args;
    const result =
      builtinResult(callee.name, taken, template && this.typeOf(template)) ??
      (isOfWgsl && FAMILIES.test(callee.name) ? unknown : inferred(one, taken, isOfWgsl));
    this.#callConstant(one, args, result);
    return result;
  }

  #callConstant(one: Extract<Expression, { kind: "call" }>, types: readonly Type[], result: Type): void {
    const values = one.args.map((arg) => this.constantOf(arg));
    if (
      this.#constantCall !== undefined &&
      result.kind === "scalar" &&
      values.every((value) => value !== undefined)
    ) {
      const args = types.map((type, at) => ({ type, value: values[at] as Constant }));
      this.#keep(one, this.#constantCall(one.callee.name, args, result));
    }
  }
}

/** What the names of WGSL's functions start with that take only some types. */
const FAMILIES = /^(?:atomic|texture|subgroup|quad|pack|unpack|dot)[A-Z\d]\w*$/;

const scalarNames = [
  "bool",
  "u32",
  "i32",
  "f32",
  "f16",
  "u64",
  "i64",
  "f64",
] as const satisfies readonly ScalarName[];

const f64 = scalar("f64");

const isFloat = (name: ScalarName): boolean => /^(f|abstract f)/.test(name);

const letters = { i: "i32", u: "u32", f: "f32", h: "f16" } as const;

function madeOf([, count, columns, rows]: RegExpExecArray, of: Type, { from }: Expression): Type {
  requireShort(of, count ? "vectors" : "matrices", { from });
  return count
    ? { kind: "vector", count: Number(count), of }
    : { kind: "matrix", columns: Number(columns), rows: Number(rows), of };
}

function requireShort(of: Type, what: string, { from }: { readonly from: number }): void {
  if (isLong(of)) {
    throw new TextFault(`there are no ${what} of ${of.name}; array<${of.name}, 2> holds two`, from);
  }
}

/** Whole numbers without a type become floats where a function takes no others. */
const asFloats = (type: Type): Type =>
  type.kind === "vector" || type.kind === "matrix"
    ? { ...type, of: asFloats(type.of) }
    : isAbstract(type)
      ? scalar("abstract float")
      : type;

/** `vec3(…)` and `array(…)` without a list of types have the type of what they are made of. */
function inferred(
  { callee: { name, from } }: Extract<Expression, { kind: "call" }>,
  args: readonly Type[],
  keepsAbstract: boolean,
): Type {
  const parts = name === "array" ? args : args.map((arg) => (arg.kind === "vector" ? arg.of : arg));
  const of = parts.reduce<Type | undefined>((common, part) => common && commonType(common, part), parts[0]);
  const vector = /^(?:vec([234])|mat([234])x([234]))$/.exec(name);
  if (vector !== null) {
    const long = parts.find(isLong);
    return of ? madeOf(vector, long ?? of, { from } as Expression) : unknown;
  }
  if (name !== "array") {
    throw new TextFault(`${name} is not declared`, from);
  }
  return of === undefined
    ? unknown
    : { kind: "array", of: keepsAbstract ? of : concrete(of), count: args.length };
}

/** The type of an operation of which an operand, or both, are numbers of 64 bits. @throws {TextFault} if there is none. */
function longResult(operator: BinaryOperator, at: number, left: Type, right: Type): ScalarOf {
  const isShift = operator === "<<" || operator === ">>";
  const type = isShift ? left : commonType(left, right);
  const isF64 = [left, right].some((one) => isSame(one, f64));
  if (isShift && isLong(right) && left.kind === "scalar" && !isLong(left)) {
    throw new TextFault(`a shift's count is a u32 here, and this one is ${right.name}; write u32(…)`, at);
  }
  if (type?.kind !== "scalar" || (isShift && !isLong(left))) {
    throw new TextFault(mismatch(operator, left, right), at);
  }
  if (operator === "&&" || operator === "||" || (isF64 && (isShift || "&|^".includes(operator)))) {
    const cure = operator === "^" ? "; a square is x * x" : "";
    throw new TextFault(`'${operator}' takes no ${isF64 ? "f64" : type.name}${cure}`, at);
  }
  if (isShift && !isLong(right) && !isShiftCount(right)) {
    throw new TextFault(`a shift's count is a u32, and this one is ${textOfType(right)}`, at);
  }
  return relational.includes(operator) ? scalar("bool") : type;
}

const isShiftCount = (type: Type): boolean =>
  type.kind === "scalar" && (type.name === "u32" || type.name === "abstract int");

function mismatch(operator: string, left: Type, right: Type): string {
  const [long, other] = isLong(left) ? [left, right] : [right, left];
  if (other.kind === "unknown") {
    return `'${operator}' is applied to ${textOfType(long)} and to something whose type is not known`;
  }
  const [a, b] = isAbstract(other)
    ? [textOfType(long), "a number with a fraction"]
    : [textOfType(left), textOfType(right)];
  const cure =
    other.kind !== "scalar" || other.name === "bool"
      ? ""
      : isFloat(other.name) && relational.includes(operator)
        ? "; compare f64(…)"
        : isAbstract(other)
          ? ""
          : `; convert one of them, as in ${textOfType(long)}(…)`;
  return `'${operator}' takes no ${a} and ${b}${cure}`;
}

/** The type of an operation on what WGSL itself has; `unknown` if there is none. */
function operated(operator: BinaryOperator, left: Type, right: Type): Type {
  if (operator === "<<" || operator === ">>") {
    return left;
  }
  if (operator === "*" && left.kind === "matrix" && right.kind === "vector") {
    return { kind: "vector", count: left.rows, of: left.of };
  }
  if (operator === "*" && left.kind === "vector" && right.kind === "matrix") {
    return { kind: "vector", count: right.columns, of: right.of };
  }
  if (operator === "*" && left.kind === "matrix" && right.kind === "matrix") {
    return { kind: "matrix", columns: right.columns, rows: left.rows, of: left.of };
  }
  const wide = [left, right].find(({ kind }) => kind === "vector" || kind === "matrix");
  if (wide?.kind === "vector" || wide?.kind === "matrix") {
    const part = (type: Type): Type => (type.kind === "vector" || type.kind === "matrix" ? type.of : type);
    const of = commonType(part(left), part(right));
    return of ? { ...wide, of } : unknown;
  }
  return commonType(left, right) ?? unknown;
}

function memberOf(of: Type, { member, to }: Extract<Expression, { kind: "member" }>): Type {
  const whole = of.kind === "pointer" ? of.to : of;
  if (isLong(whole)) {
    throw new TextFault(
      `${whole.name} is a number, and has no .${member}; ${
        whole.name === "f64"
          ? "bitcast<vec2<u32>>(x) has the words of its bits"
          : "u32(x) is the low word, and u32(x >> 32) the high one"
      }`,
      to - member.length,
    );
  }
  if (whole.kind === "struct") {
    return whole.members.get(member) ?? unknown;
  }
  if (whole.kind === "vector") {
    return member.length === 1 ? whole.of : { kind: "vector", count: member.length, of: whole.of };
  }
  return unknown;
}

function elementOf(of: Type, { of: { to } }: Extract<Expression, { kind: "index" }>): Type {
  const whole = of.kind === "pointer" ? of.to : of;
  if (isLong(whole)) {
    throw new TextFault(
      `${whole.name} is a number, and has no parts; bitcast<vec2<u32>>(x) has the words of its bits`,
      to,
    );
  }
  if (whole.kind === "matrix") {
    return { kind: "vector", count: whole.rows, of: whole.of };
  }
  return whole.kind === "array" || whole.kind === "vector" ? whole.of : unknown;
}

/** The type and the value of a number as WGSL writes it. */
export function numberOf(text: string, at: number): readonly [ScalarName, Constant] {
  const hex = /^0[xX]/.test(text);
  const [, digits = "", suffix = ""] =
    (hex
      ? /^(0[xX](?:[\da-fA-F]+\.?[\da-fA-F]*|\.[\da-fA-F]+)(?:[pP][+-]?\d+)?)([iu]|(?<=[pP][+-]?\d+)[fh])?$/
      : /^(?!0\d+\w?$)((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([iufh])?$/
    ).exec(text) ?? [];
  const hasFraction = (hex ? /[.pP]/ : /[.eE]/).test(digits);
  if (digits === "" || (hasFraction && /[iu]/.test(suffix))) {
    throw new TextFault(`${text} is no number of WGSL`, at);
  }
  if (hasFraction || /[fh]/.test(suffix)) {
    const value = hex ? hexFloat(digits) : Number(digits);
    return [suffix === "f" ? "f32" : suffix === "h" ? "f16" : "abstract float", value];
  }
  return [suffix === "u" ? "u32" : suffix === "i" ? "i32" : "abstract int", BigInt(digits)];
}

function hexFloat(text: string): number {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)(?:[pP]([+-]?\d+))?$/.exec(text) ?? [];
  const scale = Number(exponent) - 4 * fraction.length;
  // In two steps: the power itself may be less than the least number.
  const half = Math.trunc(scale / 2);
  return Number(BigInt(`0x${whole}${fraction}`)) * 2 ** half * 2 ** (scale - half);
}

/** A constant of a type: integers wrap around, and floats are rounded. */
export function wrapped(name: ScalarName, value: Constant): Constant {
  if (isFloat(name)) {
    return name === "f32" ? Math.fround(Number(value)) : Number(value);
  }
  const bits = Number(name.slice(1));
  return typeof value === "number" || !bits
    ? value
    : (name.startsWith("u") ? BigInt.asUintN : BigInt.asIntN)(bits, value);
}

/** A constant of a type as its value is; undefined if that is left to the compiler. */
function ofType(type: Type, value: Constant): Constant | undefined {
  const name = type.kind === "scalar" ? type.name : "bool";
  return name === "bool" || name === "f16"
    ? undefined
    : name === "u32" || name === "i32"
      ? value
      : wrapped(name, value);
}

/** A constant as a conversion to a longer type makes it: fractions are dropped, and what is out of range becomes the end of the range. */
function converted(name: LongName, value: Constant): Constant {
  if (name === "f64" || typeof value === "bigint") {
    return wrapped(name, value);
  }
  const [least, most] = name === "u64" ? [0n, 2n ** 64n - 1n] : [-(2n ** 63n), 2n ** 63n - 1n];
  if (Number.isNaN(value)) {
    return 0n;
  }
  return value <= Number(least) ? least : value >= Number(most) ? most : BigInt(Math.trunc(value));
}

/** @throws {TextFault} if an operator takes no operand of this type. */
function requireOperand({ operator, from }: Extract<Expression, { kind: "unary" }>, type: Type): void {
  if (operator === "*" && type.kind === "scalar") {
    throw new TextFault("'*' takes a pointer here", from);
  }
  if (operator === "!" ? isLong(type) || isAbstract(type) : operator === "~" && isSame(type, f64)) {
    throw new TextFault(`'${operator}' takes no ${isLong(type) ? type.name : "number"}`, from);
  }
  if (isLong(type) && operator === "-" && type.name === "u64") {
    throw new TextFault("u64 has no minus, as u32 has none in WGSL; write 0 - x, which wraps around", from);
  }
}

/** What an operator makes of a constant; undefined if that is left to the compiler, as the minus of a u32 is, which WGSL does not have. */
function foldedUnary(operator: UnaryOperator, name: ScalarName, constant: Constant): Constant | undefined {
  if (operator === "-") {
    return name === "u32" ? undefined : wrapped(name, -constant);
  }
  return typeof constant === "bigint" ? wrapped(name, ~constant) : undefined;
}

/** What an operation makes of two constants; undefined if that is left to the compiler, as what WGSL refuses is. */
function folded(operator: BinaryOperator, name: ScalarName, a: Constant, b: Constant): Constant | undefined {
  if (isFloat(name)) {
    const result = floats[operator]?.(Number(a), Number(b));
    const rounded = result === undefined ? undefined : wrapped(name, result);
    return name === "f32" && !Number.isFinite(rounded) ? undefined : rounded;
  }
  return typeof a === "bigint" && typeof b === "bigint" ? foldedIntegers(operator, name, a, b) : undefined;
}

function foldedIntegers(
  operator: BinaryOperator,
  name: ScalarName,
  a: bigint,
  b: bigint,
): Constant | undefined {
  if ("/%".includes(operator) && b === 0n) {
    return undefined;
  }
  const isShift = operator === "<<" || operator === ">>";
  const by = isShift ? shiftCount(name, b) : b;
  const result = by === undefined ? undefined : integers[operator]?.(a, by);
  const kept = result === undefined ? undefined : wrapped(name, result);
  // WGSL refuses a constant that loses bits to a shift, and the least i32 divided by -1.
  const isRefused = isOfWgsl(name) && (isShift || operator === "/") && kept !== result;
  return isRefused ? undefined : kept;
}

/** Whether it is a type of integers that WGSL has. */
const isOfWgsl = (name: ScalarName): boolean => name === "u32" || name === "i32";

/** How many bits a shift goes; undefined if that is left to the compiler. In a longer type, the count is taken modulo the bits. */
function shiftCount(name: ScalarName, count: bigint): bigint | undefined {
  if (count < 0n) {
    return undefined;
  }
  if (name === "u64" || name === "i64") {
    return count & 63n;
  }
  return count < (isOfWgsl(name) ? 32n : 64n) ? count : undefined;
}

const floats: Readonly<Partial<Record<BinaryOperator, (a: number, b: number) => number>>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

const integers: Readonly<Partial<Record<BinaryOperator, (a: bigint, b: bigint) => bigint>>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
};

/** Declarations of types and constants, each after those that it names; then functions and variables. */
function inOrderOfUse(declarations: readonly ModuleDeclaration[]): readonly ModuleDeclaration[] {
  const named = new Map<string, ModuleDeclaration>();
  for (const one of declarations) {
    const { name } = one as { readonly name?: Named };
    if (name !== undefined) {
      named.set(name.name, one);
    }
  }
  const done = new Set<ModuleDeclaration>();
  const visit = (one: ModuleDeclaration, level: number): void => {
    if (done.has(one)) {
      return;
    }
    if (level > MOST_LEVELS) {
      throw new TextFault(
        `more than ${MOST_LEVELS} declarations need each other; put each behind what it needs`,
        one.from,
      );
    }
    done.add(one);
    for (const name of namesUsedBy(one)) {
      const other = named.get(name);
      if (other !== undefined) {
        visit(other, level + 1);
      }
    }
    ordered.push(one);
  };
  const ordered: ModuleDeclaration[] = [];
  for (const one of declarations) {
    visit(one, 1);
  }
  return ordered;
}

const knownNames = new WeakMap<ModuleDeclaration, readonly string[]>();

/** The names in a declaration, without those in a function's body. Modules may share declarations, which are read once. */
function namesUsedBy(one: ModuleDeclaration): readonly string[] {
  const known = knownNames.get(one);
  if (known !== undefined) {
    return known;
  }
  const names: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      node.forEach(visit);
    } else if (typeof node === "object" && node !== null) {
      const { kind, name } = node as { kind?: string; name?: unknown };
      if (kind === "name" && typeof name === "string") {
        names.push(name);
      }
      if (kind !== "block") {
        Object.values(node).forEach(visit);
      }
    }
  };
  visit(one);
  knownNames.set(one, names);
  return names;
}
