import { MARK } from "./mark.ts";
import type { Expression, Named, Span } from "./syntax.ts";
import { TextFault } from "./syntax.ts";
import type { Constant, Declared, Typing } from "./typing.ts";
import { wrapped } from "./typing.ts";
import type { LongName, Type } from "./wgsl_types.ts";
import { isAbstract, isLong, isSame, scalar, textOfType, unknown, widensTo } from "./wgsl_types.ts";

// Expressions of callers' text in which numbers of 64 bits become pairs of words: `x * x` of an f64 becomes `mul_f64(x, x)`, a call of
// shaders/numeric/.

/** The type of words. */
export const PAIR: Type = { kind: "vector", count: 2, of: { kind: "scalar", name: "u32" } };
const PAIR_TEXT = "vec2<u32>";
/** The type of `vec2(1, 2)`, which becomes words. */
const ABSTRACT_PAIR: Type = { kind: "vector", count: 2, of: scalar("abstract int") };

/** The text of each operator as a function; those of i64 that differ from u64's are named. */
export const functionsOf: Readonly<Record<string, Readonly<Record<LongName, string>>>> = {
  "+": { u64: "add_u64", i64: "add_u64", f64: "add_f64" },
  "-": { u64: "sub_u64", i64: "sub_u64", f64: "sub_f64" },
  "*": { u64: "mul_u64", i64: "mul_u64", f64: "mul_f64" },
  "/": { u64: "div_u64", i64: "div_i64", f64: "div_f64" },
  "%": { u64: "rem_u64", i64: "rem_i64", f64: "rem_f64" },
  "==": { u64: "equal_u64", i64: "equal_u64", f64: "equal_f64" },
  "!=": { u64: "!equal_u64", i64: "!equal_u64", f64: "!equal_f64" },
  "<": { u64: "less_u64", i64: "less_i64", f64: "less_f64" },
  ">": { u64: "greater_u64", i64: "greater_i64", f64: "greater_f64" },
  "<=": { u64: "at_most_u64", i64: "at_most_i64", f64: "at_most_f64" },
  ">=": { u64: "at_least_u64", i64: "at_least_i64", f64: "at_least_f64" },
  "<<": { u64: "shl_u64", i64: "shl_u64", f64: "" },
  ">>": { u64: "shr_u64", i64: "shr_i64", f64: "" },
  min: { u64: "min_u64", i64: "min_i64", f64: "min_f64" },
  max: { u64: "max_u64", i64: "max_i64", f64: "max_f64" },
  abs: { u64: "", i64: "magnitude_i64", f64: "magnitude_f64" },
  sign: { u64: "sign_u64", i64: "sign_i64", f64: "sign_f64" },
  floor: { u64: "", i64: "", f64: "floor_f64" },
  ceil: { u64: "", i64: "", f64: "ceil_f64" },
  trunc: { u64: "", i64: "", f64: "trunc_f64" },
  round: { u64: "", i64: "", f64: "round_f64" },
  fract: { u64: "", i64: "", f64: "fract_f64" },
};

/** What a conversion calls where it is not `TO_from_FROM`: integers of one size have the same bits. */
const conversions: Readonly<Record<string, string>> = {
  u64_from_i64: "",
  i64_from_u64: "",
  i64_from_u32: "u64_from_u32",
  u64_from_i32: "i64_from_i32",
  i64_from_bool: "u64_from_bool",
  u32_from_i64: "u32_from_u64",
  i32_from_i64: "i32_from_u64",
  bool_from_i64: "bool_from_u64",
};

/** What WGSL's functions take of 64 bits. */
const integerFunctions = "min, max, abs, sign, clamp, select";
const known: Readonly<Record<LongName, string>> = {
  u64: integerFunctions,
  i64: integerFunctions,
  f64: `${integerFunctions}, floor, ceil, trunc, round, fract`,
};

/** What an expression must give. A condition takes any number, which is true if it is not 0; a class, any number. */
export type Wanted = Type | "condition" | "class";

/** A part of a text, and what stands in its place. */
export interface Change extends Span {
  readonly text: string;
}

/** Writes the expressions of a text anew. `typing` knows the types of all of them. */
export class Expressions {
  readonly #text: string;
  readonly #typing: Typing;
  readonly #taken: ReadonlySet<string>;

  /** `taken` are the names that the new text uses. */
  constructor(text: string, typing: Typing, taken: ReadonlySet<string>) {
    this.#text = text;
    this.#typing = typing;
    this.#taken = taken;
  }

  /** The text of an expression that gives what is wanted. */
  result(expression: Expression, wanted: Wanted): string {
    const type = this.#typing.typeOf(expression);
    if (typeof wanted !== "string") {
      return this.as(expression, wanted);
    }
    return isLong(type)
      ? called(
          wanted === "condition" ? converter("bool", type.name) : classes[type.name],
          this.of(expression),
        )
      : this.of(expression);
  }

  /** A part of the text with changes in it, which come in their order. */
  spliced({ from, to }: Span, changes: readonly Change[]): string {
    let text = "";
    let at = from;
    for (const change of changes) {
      text += this.#text.slice(at, change.from) + change.text;
      at = change.to;
    }
    return text + this.#text.slice(at, to);
  }

  /** The expression's text, of its own type. */
  of(one: Expression): string {
    const type = this.#typing.typeOf(one);
    switch (one.kind) {
      case "number":
      case "boolean":
        return this.#text.slice(one.from, one.to);
      case "name":
        return this.#name(one);
      case "parentheses":
        return this.spliced(one, [this.change(one.inner)]);
      case "member":
        return this.spliced(one, [this.change(one.of)]);
      case "index":
        this.requireShort(one.index, "an index is a u32 or an i32");
        return this.spliced(one, [this.change(one.of), this.change(one.index)]);
      case "unary":
        return isLong(type) && one.operator === "-"
          ? called(type.name === "f64" ? "negate_f64" : "negate_i64", this.#gapped(one, one.operand, type))
          : this.spliced(one, [this.change(one.operand)]);
      case "binary":
        return this.#binary(one);
      case "call":
        return this.#call(one);
      default:
        return one satisfies never;
    }
  }

  /** The operand of an operator in front of it, and the blanks between them. */
  #gapped(one: Expression, operand: Expression, type: Type): string {
    return this.#text.slice(one.from + 1, operand.from) + this.as(operand, type);
  }

  change(one: Expression): Change {
    return { ...spanOf(one), text: this.of(one) };
  }

  changeTo(one: Expression, type: Type): Change {
    return { ...spanOf(one), text: this.as(one, type) };
  }

  #name(one: Extract<Expression, { kind: "name" }>): string {
    const declared = this.#typing.declaredOf(one);
    if (declared !== undefined) {
      return declared.kind === "function" && declared.ours ? one.name : this.#renamed(one.name);
    }
    if (isLongName(one.name)) {
      return PAIR_TEXT;
    }
    const head = one.from + one.name.length;
    return (
      one.name +
      this.spliced(
        { from: head, to: one.to },
        (one.template ?? []).map((type) => this.change(type)),
      )
    );
  }

  /** A name of the caller's that the new text also uses gets the mark. So does one that has it, so that no two become one. */
  #renamed(name: string): string {
    return this.#taken.has(name) || name.startsWith(MARK) ? MARK + name : name;
  }

  declared({ name, ...span }: Named): Change {
    return { from: span.from, to: span.to, text: this.#renamed(name) };
  }

  /** The expression's text, of another type. */
  as(one: Expression, to: Type): string {
    const type = this.#typing.typeOf(one);
    if (isLong(to)) {
      return this.#asLong(one, type, to.name);
    }
    if (isLong(type) && to.kind === "unknown") {
      throw new TextFault(
        `this is a number of type ${type.name}, and the type that is needed here is not known`,
        one.from,
      );
    }
    if (isLong(type)) {
      const cure = isSame(to, PAIR)
        ? `declare it as ${type.name}, or write bitcast<vec2<u32>>(…)`
        : `write ${textOfType(to)}(…)`;
      throw new TextFault(
        to.kind === "scalar" || isSame(to, PAIR)
          ? `this is a number of type ${type.name}, and ${textOfType(to)} is needed; ${cure}`
          : `this is a number of type ${type.name}, and ${textOfType(to)} is needed`,
        one.from,
      );
    }
    if (to.kind === "array" && one.kind === "call" && one.callee.name === "array" && !one.callee.template) {
      return this.#withArguments(
        one,
        one.args.map((arg) => this.changeTo(arg, to.of)),
      );
    }
    if (!holdsSame(type, to)) {
      throw new TextFault(`this is ${textOfType(type)}, and ${textOfType(to)} is needed`, one.from);
    }
    return this.of(one);
  }

  #asLong(one: Expression, type: Type, to: LongName): string {
    const constant = this.#typing.constantOf(one);
    const becomes = isSame(type, scalar(to)) || widensTo(type, scalar(to));
    if (constant !== undefined && (isAbstract(type) || becomes)) {
      return this.#literal(one, to, constant);
    }
    if (isSame(type, scalar(to)) || isSame(type, PAIR) || isSame(type, ABSTRACT_PAIR)) {
      return this.of(one);
    }
    const made = isAbstract(type) ? this.#abstract(one, to) : undefined;
    if (made !== undefined) {
      return made;
    }
    if (widensTo(type, scalar(to)) && !(isAbstract(type) && type.name === "abstract float")) {
      const from = type.kind !== "scalar" || isAbstract(type) ? "i32" : type.name;
      return called(converter(to, from), this.of(one));
    }
    throw new TextFault(noLong(type, to), one.from);
  }

  /**
   * What is made of numbers without a type, as if each of them had this one: `1 << i` is of the type that stands beside it.
   * undefined if WGSL makes it: where integers become f64, they are divided as integers.
   */
  #abstract(one: Expression, to: LongName): string | undefined {
    const type = scalar(to);
    const isAsWgsl = to === "f64" && isSame(this.#typing.typeOf(one), scalar("abstract int"));
    switch (one.kind) {
      case "parentheses":
        return this.spliced(one, [this.changeTo(one.inner, type)]);
      case "unary":
        return isAsWgsl
          ? undefined
          : one.operator === "-"
            ? called(to === "f64" ? "negate_f64" : "negate_i64", this.#gapped(one, one.operand, type))
            : this.spliced(one, [this.changeTo(one.operand, type)]);
      case "binary":
        return isAsWgsl ? undefined : this.#operation(one, to);
      case "call": {
        const { name } = one.callee;
        const isKnown = name === "select" || name === "clamp" || functionsOf[name]?.[to];
        return isKnown ? this.#function(one, type, to) : undefined;
      }
      default:
        return undefined;
    }
  }

  /** The words of a constant, on as many lines as its text. */
  #literal(one: Expression, to: LongName, constant: Constant): string {
    if (to !== "f64" && typeof constant === "number") {
      throw new TextFault(
        `${to} takes no number with a fraction, and this is ${constant}; write ${to}(…), which drops it`,
        one.from,
      );
    }
    const value = wrapped(to, constant);
    if (to !== "f64" && value !== constant) {
      throw new TextFault(`${constant} is no ${to}`, one.from);
    }
    const lines = this.#text.slice(one.from, one.to).replace(/[^\n]/g, "");
    return wordsText(to, value) + lines;
  }

  #binary(one: Extract<Expression, { kind: "binary" }>): string {
    const long = [one.left, one.right].map((side) => this.#typing.typeOf(side)).find(isLong);
    return long === undefined
      ? this.spliced(one, [this.change(one.left), this.change(one.right)])
      : this.#operation(one, long.name);
  }

  /** An operation on numbers of this type, which both sides become. */
  #operation(one: Extract<Expression, { kind: "binary" }>, name: LongName): string {
    const { left, right, operator, at } = one;
    const isShift = operator === "<<" || operator === ">>";
    const first = this.as(left, scalar(name));
    const second = isShift ? this.count(right, this.#typing.typeOf(right)) : this.as(right, scalar(name));
    const [before, after] = [
      this.#text.slice(left.to, at),
      this.#text.slice(at + operator.length, right.from),
    ];
    return "&|^".includes(operator)
      ? `(${first}${before}${operator}${after}${second})`
      : `${functionsOf[operator]?.[name]}(${first}${before.replace(/^ +$/, "")},${after}${second})`;
  }

  count(one: Expression, type: Type): string {
    return isLong(type) ? called("u32_from_u64", this.of(one)) : this.of(one);
  }

  #call(one: Extract<Expression, { kind: "call" }>): string {
    const { callee, args } = one;
    const declared = this.#typing.declaredOf(callee);
    if (declared?.kind === "function") {
      return this.#withArguments(
        one,
        args.map((arg, at) => this.#argument(declared, arg, at)),
      );
    }
    const made = this.#typing.typeOf(callee);
    if (declared?.kind === "type" || made.kind !== "unknown") {
      return this.#made(one, made);
    }
    const types = args.map((arg) => this.#typing.typeOf(arg));
    const type = this.#typing.typeOf(one);
    const long = types.find(isLong);
    if (callee.name === "bitcast") {
      return this.#bitcast(one, types[0]);
    }
    if (long === undefined) {
      return this.#withArguments(
        one,
        args.map((arg) => this.change(arg)),
      );
    }
    if (callee.name === "array" && type.kind === "array") {
      return this.#withArguments(
        one,
        args.map((arg) => this.changeTo(arg, type.of)),
      );
    }
    return this.#function(one, type, long.name);
  }

  /** A call of one of WGSL's functions on numbers of 64 bits. */
  #function(one: Extract<Expression, { kind: "call" }>, type: Type, long: LongName): string {
    const { callee, args } = one;
    const { name } = callee;
    const all = (): Change[] => args.map((arg) => this.changeTo(arg, type));
    if (name === "select" && args.length === 3) {
      const [no, yes, condition] = args as [Expression, Expression, Expression];
      this.requireShort(condition, "a condition is a bool, as in x != 0");
      return this.#withArguments(one, [
        this.changeTo(no, type),
        this.changeTo(yes, type),
        this.change(condition),
      ]);
    }
    if (isLong(type) && name === "clamp" && args.length === 3) {
      const [value, low, high] = all() as [Change, Change, Change];
      const inner = this.spliced({ from: callee.to, to: low.to }, [value, low]);
      const { min, max } = functionsOf;
      return `${min?.[type.name]}(${max?.[type.name]}${inner})${this.spliced({ from: low.to, to: one.to }, [high])}`;
    }
    const needed = name === "min" || name === "max" ? 2 : 1;
    const own = isLong(type) ? functionsOf[name]?.[type.name] : undefined;
    if (own === undefined || (own === "" && name !== "abs") || args.length !== needed) {
      throw new TextFault(
        `${name} takes no ${long}${args.length === needed ? "" : ` here`}; what does: ${known[long]}`,
        one.from,
      );
    }
    return own + this.spliced({ from: callee.to, to: one.to }, all());
  }

  #argument(declared: Extract<Declared, { kind: "function" }>, arg: Expression, at: number): Change {
    const wanted = declared.parameters[at] ?? unknown;
    const type = this.#typing.typeOf(arg);
    // The functions of shaders/numeric/ share what u64 and i64 have in common.
    const isShared =
      declared.ours !== undefined &&
      isLong(type) &&
      (isSame(wanted, PAIR) || (isLong(wanted) && (wanted.name === "f64") === (type.name === "f64")));
    return isShared ? this.change(arg) : this.changeTo(arg, wanted);
  }

  /** A value made of others: a conversion, a vector, an array or a struct. */
  #made(one: Extract<Expression, { kind: "call" }>, made: Type): string {
    const { args } = one;
    const [arg] = args;
    const from = arg === undefined ? unknown : this.#typing.typeOf(arg);
    if (made.kind === "scalar" && arg !== undefined && args.length === 1 && (isLong(made) || isLong(from))) {
      return this.#converted(one, made, arg, from);
    }
    if (made.kind === "array") {
      return this.#withArguments(
        one,
        args.map((each) => this.changeTo(each, made.of)),
      );
    }
    if (made.kind === "struct") {
      const members = [...made.members.values()];
      return this.#withArguments(
        one,
        args.map((each, at) => this.changeTo(each, members[at] ?? unknown)),
      );
    }
    for (const each of args) {
      this.requireShort(each, `${textOfType(made)} holds none`);
    }
    return this.#withArguments(
      one,
      args.map((each) => this.change(each)),
    );
  }

  #converted(one: Extract<Expression, { kind: "call" }>, made: Type, arg: Expression, from: Type): string {
    const to = textOfType(made);
    const constant = this.#typing.constantOf(one);
    if (isLong(made) && constant !== undefined) {
      return this.#literal(one, made.name, constant);
    }
    if (isSame(from, made)) {
      return this.spliced({ from: one.callee.to, to: one.to }, [this.change(arg)]);
    }
    if (isLong(made) && made.name !== "f64" && isSame(from, scalar("abstract float"))) {
      return `${converter(to, "f64")}${this.spliced({ from: one.callee.to, to: one.to }, [this.changeTo(arg, scalar("f64"))])}`;
    }
    if (isLong(made) && isAbstract(from)) {
      return this.spliced({ from: one.callee.to, to: one.to }, [this.changeTo(arg, made)]);
    }
    if (isLong(made) && isSame(from, PAIR)) {
      throw new TextFault(`bitcast<${to}>(…) makes one of two words, the low one first`, one.from);
    }
    if (from.kind !== "scalar") {
      throw new TextFault(
        from.kind === "unknown"
          ? "the type of what is converted is not known"
          : `${to} takes no ${textOfType(from)}`,
        one.from,
      );
    }
    return `${converter(to, from.name)}${this.spliced({ from: one.callee.to, to: one.to }, [this.change(arg)])}`;
  }

  /** Between a number and its words, low word first. */
  #bitcast(one: Extract<Expression, { kind: "call" }>, from: Type | undefined): string {
    const to = this.#typing.typeOf(one);
    if (from !== undefined && isLong(from) && to.kind === "scalar" && !isLong(to)) {
      throw new TextFault(
        `bitcast makes no ${to.name} of ${from.name}, which has two words; write bitcast<vec2<u32>>(…)`,
        one.from,
      );
    }
    if (isLong(to) && from?.kind === "scalar" && !isLong(from)) {
      throw new TextFault(
        `bitcast makes ${to.name} of two words, the low one first, as in bitcast<${to.name}>(vec2(low, high))`,
        one.from,
      );
    }
    const [arg] = one.args;
    // Both are words already.
    const areWords = [from, to].every((type) => type !== undefined && isPair(type));
    if (areWords && arg?.kind === "name" && !this.#text.slice(one.from, one.to).includes("\n")) {
      return this.of(arg);
    }
    return this.#withArguments(
      one,
      one.args.map((each) => this.change(each)),
    );
  }

  #withArguments({ callee, ...one }: Extract<Expression, { kind: "call" }>, args: readonly Change[]): string {
    return this.spliced(one, [{ ...spanOf(callee), text: this.#name(callee) }, ...args]);
  }

  requireShort(one: Expression, rule: string): void {
    const type = this.#typing.typeOf(one);
    if (isLong(type)) {
      throw new TextFault(`this is a number of type ${type.name}; ${rule}`, one.from);
    }
  }
}

/** What is wrong with a value of a type where a number of 64 bits is needed. */
function noLong(type: Type, to: LongName): string {
  if (type.kind === "unknown") {
    return `the type of this is not known, and ${to} is needed`;
  }
  if (type.kind !== "scalar") {
    return `this is ${textOfType(type)}, and ${to} is needed`;
  }
  if (type.name !== "abstract float") {
    const given = type.name === "bool" ? "a bool" : `a number of type ${textOfType(type)}`;
    return `this is ${given}, and ${to} is needed; write ${to}(…)`;
  }
  return to === "f64"
    ? "WGSL makes no f64 of this; write the number itself, or f64(f32(…))"
    : `${to} takes no number with a fraction; write ${to}(…), which drops it`;
}

/** Whether values of one type may stand for the other's as far as words go: all numbers of 64 bits look alike in a kernel. */
const holdsSame = (a: Type, b: Type): boolean =>
  a.kind === "pointer" && b.kind === "pointer"
    ? holdsSame(a.to, b.to)
    : a.kind === "array" && b.kind === "array"
      ? holdsSame(a.of, b.of)
      : !(isLong(a) || isLong(b)) || isSame(a, b);

/** Whether kernels hold the type as a pair of words. */
const isPair = (type: Type): boolean => isLong(type) || isSame(type, PAIR);

export const spanOf = ({ from, to }: Span): Span => ({ from, to });
const called = (name: string, argument: string): string => (name === "" ? argument : `${name}(${argument})`);
const isLongName = (name: string): name is LongName => name === "u64" || name === "i64" || name === "f64";

/** The function that converts; empty if the bits stay. */
function converter(to: string, from: string): string {
  const name = `${to}_from_${from}`;
  return conversions[name] ?? name;
}

/** The nearest i32, as the number of a class. */
const classes: Readonly<Record<LongName, string>> = {
  u64: "nearest_i32_from_u64",
  i64: "nearest_i32_from_i64",
  f64: "i32_from_f64",
};

export function wordsText(name: LongName, value: Constant): string {
  const view = new DataView(new ArrayBuffer(8));
  if (name === "f64") {
    view.setFloat64(0, Number(value));
  } else {
    view.setBigUint64(0, BigInt(value));
  }
  const word = (at: number): string => `0x${view.getUint32(at).toString(16)}u`;
  return `${PAIR_TEXT}(${word(4)}, ${word(0)})`;
}
