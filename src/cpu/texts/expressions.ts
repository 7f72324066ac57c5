import { builtinResult, takesFloats } from "../../text/builtins.ts";
import { functionsOf } from "../../text/long_expressions.ts";
import type { BinaryOperator, Expression, FunctionDeclaration } from "../../text/syntax.ts";
import type { Typing } from "../../text/typing.ts";
import { numberOf } from "../../text/typing.ts";
import type { LongName, Type } from "../../text/wgsl_types.ts";
import { commonType, concrete, isAbstract, isLong, isSame, scalar, widensTo } from "../../text/wgsl_types.ts";
import type { Operand } from "./builtins.ts";
import { builtin } from "./builtins.ts";
import { evaluated } from "./helpers.ts";
import type { Names } from "./names.ts";
import { noCode, noVariable } from "./no_code.ts";
import type { Scalar } from "./scalars.ts";
import { binary, converted, isFloat, literal, unary, zero } from "./scalars.ts";
import type { Words } from "./values.ts";
import {
  bool,
  hasAbstract,
  hasLong,
  isAtom,
  scalarIn,
  scalarNameOf,
  scalarsOf,
  u32,
  withScalar,
} from "./values.ts";

/** A text that has been read. All of its expressions have types. */
export interface Program {
  readonly typing: Typing;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  /** The names at module scope. */
  readonly names: Names;
  /** Whether it may have numbers of 64 bits. */
  readonly takesLong: boolean;
  /** The function that the caller's text is the end of. */
  readonly entry: FunctionDeclaration;
}

type Call = Extract<Expression, { kind: "call" }>;
type Binary = Extract<Expression, { kind: "binary" }>;

/** A place that can be read and written: one of several lists of variables, which an index chooses. */
export interface Place {
  readonly type: Type;
  readonly rows: readonly Words[];
  /** Which of the rows it is, as JavaScript; the last one for what is greater. */
  readonly row?: string;
}

/** Arguments whose type does not follow from the others. */
const FIXED: Readonly<Record<string, readonly (Type | undefined)[]>> = {
  ldexp: [undefined, scalar("i32")],
  extractBits: [undefined, u32, u32],
  insertBits: [undefined, undefined, u32, u32],
};

const isShift = (operator: BinaryOperator): boolean => operator === "<<" || operator === ">>";
const isComparison = (operator: BinaryOperator): boolean => /^(?:[<>]=?|[=!]=)$/.test(operator);
/** Matches a constant as it is written in JavaScript. */
const LITERAL = /^\(?-?[\d.e+-]+\)?$/;
/** Matches the name of a conversion of ours. */
const CONVERSION = /^(bool|[uif]\d\d)_from_(bool|[uif]\d\d)$/;
const isVectorName = (name: string): boolean => /^vec[234]$/.test(name);

/** Writes expressions as JavaScript over numbers. What has effects or is repeated becomes a statement before. */
export class ExpressionWriter {
  readonly program: Program;
  protected names: Names;
  #lines: string[] = [];
  #ids = 0;

  constructor(program: Program) {
    this.program = program;
    this.names = program.names;
  }

  get typing(): Typing {
    return this.program.typing;
  }

  // Lines

  emit(line: string): void {
    this.#lines.push(line);
  }

  id(): number {
    return ++this.#ids;
  }

  /** The statements that are written meanwhile, which are not emitted. */
  capture(write: () => void): readonly string[] {
    const around = this.#lines;
    this.#lines = [];
    write();
    const lines = this.#lines;
    this.#lines = around;
    return lines;
  }

  /** A name for a word, so that it can be repeated. */
  named(text: string): string {
    if (isAtom(text)) {
      return text;
    }
    const name = `t${this.id()}`;
    this.emit(`var ${name} = ${text};`);
    return name;
  }

  #allNamed(words: Words): Words {
    return words.map((word) => this.named(word));
  }

  // Types

  /** The type of an expression. */
  protected typeOf(one: Expression): Type {
    const type = this.typing.typeOf(one);
    if (!this.program.takesLong && hasLong(type)) {
      return noCode("a type of 64 bits");
    }
    return type;
  }

  /** The words of an expression as a value of a type. Numbers without a type take it, and numbers of 64 bits are made of shorter ones. */
  as(one: Expression, to: Type): Words {
    const type = this.typeOf(one);
    const constant = this.typing.constantOf(one);
    if (constant !== undefined && to.kind === "scalar" && (isAbstract(type) || isSame(type, to))) {
      return [literal(scalarNameOf(to), constant)];
    }
    if (isSame(type, to)) {
      return this.of(one);
    }
    if (hasAbstract(type)) {
      return this.#untyped(one, type, to);
    }
    return widensTo(type, to) ? [this.#convertedWord(one, type, to)] : noCode("types that do not fit");
  }

  /** The only word of a value. */
  word(one: Expression, to: Type): string {
    const [word, more] = this.as(one, to);
    return word !== undefined && more === undefined ? word : noCode("no scalar");
  }

  #convertedWord(one: Expression, from: Type, to: Type): string {
    return converted(scalarNameOf(from), scalarNameOf(to), this.named(this.word(one, from)));
  }

  /** Numbers without a type, which are not known or several. */
  #untyped(one: Expression, type: Type, to: Type): Words {
    if (one.kind === "parentheses") {
      return this.as(one.inner, to);
    }
    if (one.kind === "name") {
      return this.#constant(one, (value) => this.as(value, to));
    }
    if (one.kind === "call" && (isVectorName(one.callee.name) || one.callee.name === "array")) {
      return this.#made(one, to);
    }
    if (isLong(to)) {
      return this.#untypedLong(one, type, to);
    }
    // WGSL gives the numbers in what is no constant the types that they have without anything around them.
    return isSame(concrete(type), to) ? this.#written(one, to) : noCode("a type that does not follow");
  }

  #untypedLong(one: Expression, type: Type, to: Type): Words {
    if (isSame(to, scalar("f64")) && isSame(type, scalar("abstract int")) && one.kind !== "call") {
      const [word = ""] = this.as(one, scalar("i32"));
      return [converted("i32", "f64", word)];
    }
    return this.#written(one, to);
  }

  // Values

  /** The words of an expression, of its own type. */
  of(one: Expression): Words {
    return this.#written(one, this.typeOf(one));
  }

  #written(one: Expression, type: Type): Words {
    const words = this.#unchecked(one, type);
    if (words.length !== scalarsOf(type).length) {
      return noCode("a value of another size");
    }
    const isMade = one.kind === "unary" || one.kind === "binary" || one.kind === "call";
    return isMade && this.#isConstant(one) ? this.#requireFinite(words, type) : words;
  }

  #unchecked(one: Expression, type: Type): Words {
    switch (one.kind) {
      case "number":
        return [literal(scalarNameOf(type), numberOf(one.text, one.from)[1])];
      case "boolean":
        return [String(one.value)];
      case "parentheses":
        return this.as(one.inner, type);
      case "name":
        return this.#named(one);
      case "member":
      case "index":
        return this.#part(one);
      case "unary":
        return this.#unary(one, type);
      case "binary":
        return this.#binary(one, type);
      case "call":
        return this.#call(one, type);
      default:
        return one satisfies never;
    }
  }

  /** WGSL refuses constants that are infinite or no number. */
  #requireFinite(words: Words, type: Type): Words {
    const scalars = scalarsOf(type);
    if (!scalars.some(isFloat) || words.every((word) => LITERAL.test(word))) {
      return words;
    }
    const values = attempted(`return [${words.join(", ")}];`);
    return values?.every((value) => typeof value !== "number" || Number.isFinite(value))
      ? words
      : noCode("a constant that is not finite");
  }

  #isConstant(one: Expression): boolean {
    switch (one.kind) {
      case "number":
      case "boolean":
        return true;
      case "parentheses":
        return this.#isConstant(one.inner);
      case "name":
        return this.names.find(one.name)?.kind === "constant";
      case "member":
        return this.#isConstant(one.of);
      case "index":
        return this.#isConstant(one.of) && this.#isConstant(one.index);
      case "unary":
        return this.#isConstant(one.operand);
      case "binary":
        return this.#isConstant(one.left) && this.#isConstant(one.right);
      case "call":
        return !this.program.functions.has(one.callee.name) && one.args.every((arg) => this.#isConstant(arg));
      default:
        return one satisfies never;
    }
  }

  #named(one: Extract<Expression, { kind: "name" }>): Words {
    const meaning = this.names.find(one.name);
    return meaning?.kind === "value" ? meaning.words : this.#constant(one, (value) => this.of(value));
  }

  /** The value of a constant, which is written where it was declared. */
  #constant(one: Extract<Expression, { kind: "name" }>, write: (value: Expression) => Words): Words {
    const meaning = this.names.find(one.name);
    if (meaning?.kind !== "constant" || meaning.variable.value === undefined) {
      return noVariable(one.name);
    }
    const { type, value } = meaning.variable;
    const here = this.names;
    this.names = meaning.names;
    if (!this.#isConstant(value)) {
      noCode("a const that is not constant");
    }
    const declared = type && this.typeOf(type);
    const words = declared && !hasAbstract(declared) ? this.as(value, declared) : write(value);
    this.names = here;
    return words;
  }

  #part(one: Extract<Expression, { kind: "member" | "index" }>): Words {
    const { kind } = this.typeOf(one.of);
    if (one.kind === "member" && kind === "vector" && one.member.length > 1) {
      const whole = this.of(one.of);
      return Array.from(one.member, (letter) => whole[componentOf(letter)] ?? noCode("no such component"));
    }
    return this.load(this.partOf(one, { type: this.typeOf(one.of), rows: [this.of(one.of)] }));
  }

  /** A part of a value or of a place. */
  partOf(one: Extract<Expression, { kind: "member" | "index" }>, whole: Place): Place {
    return one.kind === "member" ? memberOf(one.member, whole) : this.#elementOf(one, whole);
  }

  #elementOf(one: Extract<Expression, { kind: "index" }>, { type, rows, row }: Place): Place {
    const of = type.kind === "array" || type.kind === "vector" ? type.of : noCode("no elements");
    const size = scalarsOf(of).length;
    const count = scalarsOf(type).length / size;
    const constant = this.typing.constantOf(one.index);
    const element = (words: Words, at: number): Words => words.slice(at * size, (at + 1) * size);
    if (constant !== undefined) {
      const at = Number(constant);
      return at >= 0 && at < count
        ? { type: of, rows: rows.map((words) => element(words, at)), ...(row && { row }) }
        : noCode("an index that is out of range");
    }
    const [only, more] = rows;
    if (only === undefined || more !== undefined) {
      return noCode("two indices that are not constant");
    }
    const index = this.typeOf(one.index);
    const name = isAbstract(index) ? "i32" : scalarNameOf(index);
    if (name !== "u32" && name !== "i32") {
      return noCode("an index that is no integer");
    }
    const chosen = this.named(converted(name, "u32", this.word(one.index, scalar(name))));
    return { type: of, rows: Array.from({ length: count }, (_, at) => element(only, at)), row: chosen };
  }

  load({ rows, row }: Place): Words {
    const last = rows.at(-1) ?? noCode("no place");
    return row === undefined
      ? last
      : last.map((word, at) =>
          rows
            .slice(0, -1)
            .reduceRight((rest, words, index) => `(${row} === ${index} ? ${words[at]} : ${rest})`, word),
        );
  }

  #unary({ operator, operand }: Extract<Expression, { kind: "unary" }>, type: Type): Words {
    if (operator === "*" || operator === "&") {
      return noCode("a pointer");
    }
    const name = scalarNameOf(type);
    return this.as(operand, type).map((word) => unary(operator, name, this.named(word)));
  }

  #binary(one: Binary, type: Type): Words {
    const { operator } = one;
    if (operator === "&&" || operator === "||") {
      return [this.#shortCircuit(one, operator)];
    }
    const [left, right] = this.#operandTypes(one, type);
    const of = scalarNameOf(left);
    return applied(operator, of, this.as(one.left, left), this.#right(one, right), this);
  }

  /** What `a op b` gives for the words of `a`, which are of the type. */
  protected compound(one: Binary, type: Type, words: Words): Words {
    const [left, right] = this.#operandTypes(one, type);
    if (scalarNameOf(left) !== scalarNameOf(type)) {
      return noCode("types that do not fit");
    }
    const result = applied(one.operator, scalarNameOf(type), words, this.#right(one, right), this);
    return result.length === words.length ? result : noCode("a value of another size");
  }

  /** The words of the right operand. A shift's count may be a number of 64 bits, of which the low word counts. */
  #right({ operator, right }: Binary, type: Type): Words {
    const given = this.typeOf(right);
    return isShift(operator) && isLong(given) && given.name !== "f64"
      ? [this.#convertedWord(right, given, u32)]
      : this.as(right, type);
  }

  /** The types that both operands become, of an operation that gives this type. */
  #operandTypes({ operator, left, right }: Binary, result: Type): readonly [left: Type, right: Type] {
    const [a, b] = [this.typeOf(left), this.typeOf(right)];
    if (isShift(operator)) {
      return [hasAbstract(a) ? result : a, withScalar(b, u32)];
    }
    const common = commonType(scalarIn(a), scalarIn(b)) ?? noCode("types that do not fit");
    const of = !isAbstract(common) ? common : isComparison(operator) ? concrete(common) : scalarIn(result);
    return [withScalar(a, of), withScalar(b, of)];
  }

  /** The right side runs only where the left one does not decide. */
  #shortCircuit({ left, right }: Binary, operator: "&&" | "||"): string {
    const first = this.word(left, bool);
    let second = "";
    const lines = this.capture(() => {
      second = this.word(right, bool);
    });
    if (lines.length === 0) {
      return `(${first} ${operator} ${second})`;
    }
    const name = `t${this.id()}`;
    this.emit(`var ${name} = ${first};`);
    this.emit(`if (${operator === "&&" ? name : `!${name}`}) {`);
    for (const line of [...lines, `${name} = ${second};`, "}"]) {
      this.emit(line);
    }
    return name;
  }

  // Calls

  #call(one: Call, type: Type): Words {
    const { callee, args } = one;
    const declared = this.program.functions.get(callee.name);
    if (declared !== undefined) {
      return this.called(
        declared,
        declared.parameters.map(({ type: of }, at) =>
          this.#allNamed(this.as(args[at] ?? noCode("too few arguments"), this.typeOf(of))),
        ),
      );
    }
    const known = this.typing.declaredOf(callee);
    if (known?.kind === "function") {
      return [this.#longFunction(one, known.parameters, type)];
    }
    const made = this.typing.typeOf(callee);
    if (made.kind !== "unknown") {
      return this.#made(one, made);
    }
    return isVectorName(callee.name) || callee.name === "array"
      ? this.#made(one, type)
      : this.#builtin(one, type);
  }

  /** A call of a function of ours on numbers of 64 bits, such as `add_u64`. What u64 and i64 have in common takes both. */
  #longFunction({ callee: { name }, args }: Call, parameters: readonly Type[], result: Type): string {
    const words = (to: Scalar): Words =>
      args.map((arg, at) => {
        const own = this.typeOf(arg);
        const parameter = parameters[at] ?? noCode("too many arguments");
        const type = isLong(own) ? own : parameter;
        const word = this.named(this.word(arg, type));
        return isLong(parameter) ? this.named(converted(scalarNameOf(type), to, word)) : word;
      });
    const [, to, from] = CONVERSION.exec(name) ?? [];
    if (to !== undefined && from !== undefined) {
      const [word = ""] = words(scalarNameOf(parameters[0] ?? noCode("no argument")));
      return converted(scalarNameOf(parameters[0] as Type), scalarNameOf(result), word);
    }
    const of = isLong(result) ? result.name : scalarNameOf(parameters[0] ?? noCode("no argument"));
    const [operator = name === `negate_${of}` ? "-" : undefined] =
      Object.entries(functionsOf).find(([, names]) => names[of as LongName] === name) ?? [];
    if (operator === undefined || !isLong(scalar(of)) || args.length !== parameters.length) {
      return noCode(`the function ${name}`);
    }
    const given = words(of);
    if (name.startsWith("negate")) {
      return unary("-", of, given[0] ?? "");
    }
    if (/^\w/.test(operator)) {
      const [word = ""] = builtin(
        operator,
        given.map((each) => ({ type: scalar(of), words: [each] })),
        scalar(of),
        (text) => this.named(text),
      );
      return word;
    }
    const [a = "", b = ""] = given;
    return binary(operator as BinaryOperator, of, a, b);
  }

  /** The words that a caller's function gives. */
  protected called(_declared: FunctionDeclaration, _args: readonly Words[]): Words {
    return noCode("a function");
  }

  #builtin(one: Call, type: Type): Words {
    const { name, template } = one.callee;
    const operands = this.#operands(one, type);
    const [to] = template ?? [];
    const types = operands.map((operand) => operand.type);
    const result =
      builtinResult(name, types, to && this.typeOf(to)) ?? noCode(`there is no function ${name}`);
    return builtin(name, operands, result, (text) => this.named(text));
  }

  /** The arguments of one of WGSL's functions. Numbers without a type take that of the others. */
  #operands({ callee: { name }, args }: Call, result: Type): readonly Operand[] {
    const fixed = FIXED[name] ?? [];
    const isFixed = (at: number): boolean => fixed[at] !== undefined || (name === "select" && at === 2);
    const types = args.map((arg) => this.typeOf(arg));
    const free = types.filter((_, at) => !isFixed(at)).map(scalarIn);
    const common =
      name === "bitcast"
        ? free[0]
        : free.reduce<Type | undefined>((all, of) => all && commonType(all, of), free[0]);
    const of = this.#argumentScalar(name, common, result);
    return args.map((arg, at) => {
      const type = fixed[at] ?? (isFixed(at) ? types[at] : of && withScalar(types[at] as Type, of));
      return type === undefined
        ? noCode("arguments that do not fit")
        : { type, words: this.#allNamed(this.as(arg, type)) };
    });
  }

  /** The type of the arguments, which have another one in common, or are numbers without a type. */
  #argumentScalar(name: string, common: Type | undefined, result: Type): Type | undefined {
    if (common === undefined || common.kind !== "scalar") {
      return common;
    }
    const own = scalarIn(result);
    if (isAbstract(common)) {
      return isLong(own) ? own : takesFloats.has(name) ? scalar("f32") : concrete(common);
    }
    return common;
  }

  /** A value made of others: a conversion, a vector, an array or a struct. */
  #made({ args }: Call, type: Type): Words {
    if (args.length === 0) {
      return scalarsOf(type).map(zero);
    }
    switch (type.kind) {
      case "scalar":
        return [this.#converted(args, type)];
      case "vector":
        return this.#vector(args, type);
      case "array":
        return args.flatMap((arg) => this.as(arg, type.of));
      case "struct": {
        const members = [...type.members.values()];
        return args.flatMap((arg, at) => this.as(arg, members[at] ?? noCode("too many members")));
      }
      default:
        return noCode(`a value of the kind ${type.kind}`);
    }
  }

  #converted(args: readonly Expression[], type: Type): string {
    const [arg, more] = args;
    const to = scalarNameOf(type);
    if (arg === undefined || more !== undefined) {
      return noCode("a conversion of several values");
    }
    const from = this.typeOf(arg);
    const constant = this.typing.constantOf(arg);
    if (isAbstract(from) && constant !== undefined) {
      return literalConverted(to, constant);
    }
    const own = isAbstract(from) ? (isLong(type) ? type : concrete(from)) : from;
    return converted(scalarNameOf(own), to, this.named(this.word(arg, own)));
  }

  #vector(args: readonly Expression[], type: Extract<Type, { kind: "vector" }>): Words {
    const to = scalarNameOf(type.of);
    const words = args.flatMap((arg): Words => {
      const from = this.typeOf(arg);
      if (isAbstract(from)) {
        return [this.#converted([arg], type.of)];
      }
      const own = hasAbstract(from) ? withScalar(from, type.of) : from;
      const name = scalarNameOf(own);
      return this.as(arg, own).map((word) => converted(name, to, name === to ? word : this.named(word)));
    });
    const [first] = words;
    return words.length === 1 && first !== undefined
      ? new Array<string>(type.count).fill(this.named(first))
      : words;
  }
}

/** A constant without a type as `u32(…)`, `f32(…)` or `bool(…)` gives it. */
function literalConverted(to: Scalar, constant: bigint | number): string {
  if (to === "bool") {
    return String(Number(constant) !== 0);
  }
  const isDropped = !isFloat(to) && typeof constant === "number";
  return literal(to, isDropped ? BigInt(Math.trunc(constant)) : constant);
}

/** The words of an operation on each component. A scalar beside a vector stands for all of them. */
function applied(operator: BinaryOperator, of: Scalar, a: Words, b: Words, writer: ExpressionWriter): Words {
  const count = Math.max(a.length, b.length);
  const all = (words: Words): Words =>
    words.length === count ? words : new Array<string>(count).fill(writer.named(words[0] ?? ""));
  const isRepeated = operator === "/" || operator === "%";
  const named = (word: string): string => (isRepeated ? writer.named(word) : word);
  const [lefts, rights] = [all(a), all(b)];
  return lefts.map((word, at) => binary(operator, of, named(word), named(rights[at] as string)));
}

/** What a text of constants gives; undefined if it names anything else. */
function attempted(text: string): readonly unknown[] | undefined {
  try {
    return evaluated(text) as readonly unknown[] | undefined;
  } catch (cause) {
    if (cause instanceof ReferenceError) {
      return undefined;
    }
    throw cause;
  }
}

function memberOf(member: string, { type, rows, row }: Place): Place {
  const chosen = (of: Type, from: number, to: number): Place => ({
    type: of,
    rows: rows.map((words) => words.slice(from, to)),
    ...(row && { row }),
  });
  if (type.kind === "vector" && member.length === 1) {
    const at = componentOf(member);
    return at < type.count ? chosen(type.of, at, at + 1) : noCode("no such component");
  }
  if (type.kind !== "struct") {
    return noCode("no members");
  }
  let from = 0;
  for (const [name, of] of type.members) {
    const { length } = scalarsOf(of);
    if (name === member) {
      return chosen(of, from, from + length);
    }
    from += length;
  }
  return noCode(`no member ${member}`);
}

const componentOf = (letter: string): number => {
  const at = Math.max("xyzw".indexOf(letter), "rgba".indexOf(letter));
  return at < 0 ? noCode("no such component") : at;
};
