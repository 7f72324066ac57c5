import { builtinResult, takesFloats } from "../../text/builtins.ts";
import type { BinaryOperator, Expression } from "../../text/syntax.ts";
import { numberOf } from "../../text/typing.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { commonType, isAbstract, scalar, textOfType } from "../../text/wgsl_types.ts";
import type { Scalar } from "../builtin_texts.ts";
import {
  binaryText,
  builtinWords,
  constantWord,
  convertText,
  matrixText,
  unaryText,
} from "../builtin_texts.ts";
import { elementOf, scalarOf } from "./layout.ts";
import type { Call, FunctionDeclaration } from "./module.ts";
import type { Meaning } from "./names.ts";
import type { Words } from "./place_writer.ts";
import { PlaceWriter, whenInside } from "./place_writer.ts";
import type { MemoryPlace } from "./places.ts";
import { textOfIndex } from "./places.ts";
import { hasAbstract, isFloatType, scalarIn, settled } from "./settled.ts";

const COMPARISONS: readonly BinaryOperator[] = ["==", "!=", "<", ">", "<=", ">="];

/** Arguments whose type does not follow from the others. */
const FIXED_ARGUMENTS: Readonly<Record<string, readonly (Scalar | undefined)[]>> = {
  ldexp: [undefined, "i32"],
  extractBits: [undefined, "u32", "u32"],
  insertBits: [undefined, undefined, "u32", "u32"],
  subgroupShuffle: [undefined, "u32"],
  subgroupShuffleUp: [undefined, "u32"],
  subgroupShuffleDown: [undefined, "u32"],
  subgroupShuffleXor: [undefined, "u32"],
  subgroupBroadcast: [undefined, "u32"],
  quadBroadcast: [undefined, "u32"],
};

/** Writes the expressions of one function as JavaScript. */
export class ExpressionWriter extends PlaceWriter {
  // Values

  value(one: Expression, expected?: Type): Words {
    const hoisted = this.hoisted.get(one);
    if (hoisted !== undefined) {
      return hoisted;
    }
    const type = this.typeOf(one, expected);
    const constant = this.output.module.typing.constantOf(one);
    if (constant !== undefined && type.kind === "scalar") {
      return [String(constantWord(scalarOf(type), constant))];
    }
    switch (one.kind) {
      case "number":
        return [String(constantWord(scalarOf(type), numberOf(one.text, one.from)[1]))];
      case "boolean":
        return [one.value ? "1" : "0"];
      case "parentheses":
        return this.value(one.inner, expected);
      case "name":
        return this.#named(one, expected);
      case "member":
        return this.#member(one, expected);
      case "index":
        return this.#element(one, expected);
      case "unary":
        return this.#unary(one, expected);
      case "binary":
        return this.#binary(one, expected);
      case "call":
        return this.#call(one, expected);
      default:
        return one satisfies never;
    }
  }

  #named(one: Extract<Expression, { kind: "name" }>, expected: Type | undefined): Words {
    const meaning = this.names.find(one.name);
    if (meaning?.kind === "constant") {
      return this.#constant(meaning, one, expected);
    }
    return this.load(this.place(one), one.from);
  }

  #constant(
    { variable, names }: Extract<Meaning, { kind: "constant" }>,
    one: Extract<Expression, { kind: "name" }>,
    expected: Type | undefined,
  ): Words {
    const { constants, module } = this.output;
    const { keyword, name, type, value } = variable;
    const declared = type && module.typing.typeOf(type);
    if (keyword === "override" && Object.hasOwn(constants, name.name)) {
      const own = declared ?? (value ? this.typeOf(value) : scalar("f32"));
      return [String(constantWord(scalarOf(own), constants[name.name] as number))];
    }
    if (value === undefined) {
      return this.fail(`the pipeline gives ${name.name} no value`, one);
    }
    const here = [this.names, this.declarationName] as const;
    this.names = names;
    if (module.constants.get(name.name) === variable) {
      this.declarationName = name.name;
    }
    const words = this.value(value, declared ?? expected);
    [this.names, this.declarationName] = here;
    return words;
  }

  /** The value of which a part is taken. Where it has numbers without a type, they take that of the part. */
  #whole(one: Expression, expected: Type | undefined): Words {
    const isArray = this.output.module.typing.typeOf(one).kind === "array";
    return this.value(one, isArray && expected ? { kind: "array", of: expected } : expected);
  }

  #member(one: Extract<Expression, { kind: "member" }>, expected: Type | undefined): Words {
    const of = this.behindPointer(this.typeOf(one.of));
    if (of.kind === "vector" && one.member.length > 1) {
      const whole = this.isPlace(one.of)
        ? this.load(this.place(one.of), one.from)
        : this.#whole(one.of, expected);
      return Array.from(one.member, (letter) => whole[this.componentOf(letter, one)] as string);
    }
    if (this.isPlace(one)) {
      return this.load(this.place(one), one.from);
    }
    const whole = this.#whole(one.of, expected);
    if (of.kind === "vector") {
      return [whole[this.componentOf(one.member, one)] as string];
    }
    const [first, type] = this.memberOf(of, one);
    return whole.slice(first, first + this.wordsIn(type));
  }

  #element(one: Extract<Expression, { kind: "index" }>, expected: Type | undefined): Words {
    if (this.isPlace(one)) {
      return this.load(this.place(one), one.from);
    }
    const type = this.typeOf(one.of);
    const of = elementOf(type);
    if (of === undefined) {
      return this.fail(`${textOfType(type)} has no elements`, one);
    }
    const whole = this.#whole(one.of, expected);
    const size = this.wordsIn(of);
    const index = this.named(this.word(one.index));
    if (/^\d+$/.test(index)) {
      return whole.slice(Number(index) * size, (Number(index) + 1) * size);
    }
    const count = whole.length / size;
    const inside = this.inBounds(index, String(count), one.index.from);
    return Array.from({ length: size }, (_, word) =>
      this.chosen(
        inside,
        Array.from({ length: count }, (_, at) => this.named(whole[at * size + word] as string)),
      ),
    );
  }

  #unary(one: Extract<Expression, { kind: "unary" }>, expected: Type | undefined): Words {
    if (one.operator === "*") {
      return this.load(this.place(one), one.from);
    }
    if (one.operator === "&") {
      return this.fail("a pointer is no value that can be stored", one);
    }
    const { operator } = one;
    const type = this.typeOf(one.operand, expected);
    const of = scalarOf(scalarIn(type));
    return this.value(one.operand, type).map((word) => unaryText(operator, of, word));
  }

  #binary(one: Extract<Expression, { kind: "binary" }>, expected: Type | undefined): Words {
    const { operator } = one;
    if (operator === "&&" || operator === "||") {
      return [this.#shortCircuit(operator, one.left, () => this.word(one.right))];
    }
    const [left, right] = this.#operandTypes(one, expected);
    const a = this.value(one.left, left);
    const b = this.value(one.right, right);
    return this.#operated(operator, [left, a], [right, b], this.typeOf(one, left));
  }

  /** The result of `a op= b`, from the words of `a`. */
  protected compound(one: Extract<Expression, { kind: "binary" }>, words: Words, type: Type): Words {
    const [, right] = this.#operandTypes(one, type);
    return this.#operated(one.operator, [type, words], [right, this.value(one.right, right)], type);
  }

  /** The types of both operands. Numbers without a type take that of the other operand, or the expected one. */
  #operandTypes(
    { operator, left: first, right: second }: Extract<Expression, { kind: "binary" }>,
    expected: Type | undefined,
  ): readonly [left: Type, right: Type] {
    const { typing } = this.output.module;
    const [left, right] = [typing.typeOf(first), typing.typeOf(second)];
    if (operator === "<<" || operator === ">>") {
      return [settled(left, expected), settled(right, scalar("u32"))];
    }
    const common = commonType(scalarIn(left), scalarIn(right)) ?? scalarIn(left);
    const of = settled(common, COMPARISONS.includes(operator) ? undefined : expected);
    return [settled(left, of), settled(right, of)];
  }

  #operated(
    operator: BinaryOperator,
    [left, a]: readonly [Type, Words],
    [right, b]: readonly [Type, Words],
    result: Type,
  ): Words {
    if (left.kind === "matrix" || right.kind === "matrix") {
      const operand = (type: Type, words: Words) => ({ type, words: words.map((word) => this.named(word)) });
      return matrixText(operator, operand(left, a), operand(right, b), result);
    }
    const of = scalarOf(scalarIn(left));
    const count = Math.max(a.length, b.length);
    const splat = (words: Words): Words =>
      words.length === count ? words : new Array<string>(count).fill(this.named(words[0] as string));
    const [lefts, rights] = [splat(a), splat(b)];
    return lefts.map((word, index) => binaryText(operator, of, word, rights[index] as string));
  }

  /** What `&&` and `||` give. The right side runs only where the left one does not decide. */
  #shortCircuit(operator: "&&" | "||", left: Expression, right: () => string): string {
    const first = this.word(left);
    let second = "";
    const lines = this.capture(() => {
      second = right();
    });
    if (lines.length === 0) {
      return `(${first} ${operator} ${second})`;
    }
    const name = `x${this.output.id()}`;
    this.emit(`let ${name} = ${first};`);
    this.emit(`if (${operator === "&&" ? name : `!${name}`}) {`);
    for (const line of lines) {
      this.emit(line);
    }
    this.emit(`${name} = ${second};`);
    this.emit("}");
    return name;
  }

  // Calls

  #call(one: Call, expected: Type | undefined): Words {
    const { typing, functions } = this.output.module;
    const { name } = one.callee;
    const declared = functions.get(name);
    if (declared !== undefined) {
      return this.callFunction(one, declared);
    }
    const made = typing.typeOf(one.callee);
    if (made.kind !== "unknown") {
      return this.#constructed(one, made);
    }
    if (/^(?:vec[234]|mat[234]x[234]|array)$/.test(name)) {
      return this.#constructed(one, this.typeOf(one, expected));
    }
    if (name.startsWith("atomic")) {
      return this.atomic(one);
    }
    if (name === "arrayLength") {
      const place = this.pointer(one.args[0] as Expression);
      return place.type.kind === "array" && place.type.count === undefined
        ? [this.named(this.openCount(place))]
        : this.fail("arrayLength takes a pointer to an array without a length", one);
    }
    return this.#builtin(one, expected);
  }

  #builtin(one: Call, expected: Type | undefined): Words {
    const { name } = one.callee;
    const operands = this.operandsOf(one, expected);
    const types = operands.map(({ type }) => type);
    const [template] = one.callee.template ?? [];
    const to = template && this.output.module.typing.typeOf(template);
    const result = builtinResult(name, types, to) ?? { kind: "unknown" };
    const words = builtinWords(
      name,
      operands.map(({ type, words }) => ({ type, words: words.map((word) => this.named(word)) })),
      result,
    );
    return words ?? this.fail(`the simulator has no function ${name}`, one);
  }

  /** The arguments of a built-in function. Numbers without a type take that of the others. */
  protected operandsOf(
    one: Call,
    expected: Type | undefined,
  ): readonly { readonly type: Type; readonly words: Words }[] {
    const { typing } = this.output.module;
    const { name } = one.callee;
    const fixed = FIXED_ARGUMENTS[name] ?? (name === "select" ? [undefined, undefined, "bool"] : []);
    const free = one.args.filter((_, index) => fixed[index] === undefined).map((arg) => typing.typeOf(arg));
    const known = free.find((type) => !hasAbstract(type));
    const isFloat =
      takesFloats.has(name) || free.some((type) => isAbstract(scalarIn(type)) && isFloatType(scalarIn(type)));
    const given = name === "bitcast" ? undefined : expected;
    const common = known ?? (isFloat && !(given && isFloatType(scalarIn(given))) ? scalar("f32") : given);
    return one.args.map((arg, index) => {
      const type = this.typeOf(arg, fixed[index] === undefined ? common : scalar(fixed[index]));
      return { type, words: this.value(arg, type) };
    });
  }

  #constructed(one: Call, type: Type): Words {
    const { args } = one;
    if (args.length === 0) {
      return new Array<string>(this.wordsIn(type)).fill("0");
    }
    switch (type.kind) {
      case "scalar":
        return [this.#converted(args[0] as Expression, scalarOf(type))];
      case "vector":
      case "matrix":
        return this.#ofParts(one, type);
      case "array":
        return args.flatMap((arg) => this.value(arg, type.of));
      case "struct":
        return [...type.members.values()].flatMap((member, index) =>
          this.value(args[index] as Expression, member),
        );
      default:
        return this.fail(`${textOfType(type)} is not made like this`, one);
    }
  }

  #converted(arg: Expression, to: Scalar): string {
    const { typing } = this.output.module;
    const type = typing.typeOf(arg);
    const constant = typing.constantOf(arg);
    if (isAbstract(type) && constant !== undefined) {
      return String(constantWord(to, constant));
    }
    const from = settled(type, scalar(to));
    if (from.kind !== "scalar") {
      return this.fail(`there is no ${to} of ${textOfType(type)}`, arg);
    }
    return convertText(scalarOf(from), to, this.named(this.word(arg, from)));
  }

  #ofParts({ args }: Call, type: Extract<Type, { kind: "vector" | "matrix" }>): Words {
    const of = scalarOf(type.of);
    const parts = args.flatMap((arg): Words => {
      const own = this.output.module.typing.typeOf(arg);
      if (isAbstract(own)) {
        return [this.#converted(arg, of)];
      }
      const from = settled(own, type.of);
      if (scalarIn(from).kind !== "scalar" || from.kind === "array") {
        return this.fail(`${textOfType(type)} is not made of ${textOfType(own)}`, arg);
      }
      const words = this.value(arg, from);
      const scalarFrom = scalarOf(scalarIn(from));
      return words.map((word) => (scalarFrom === of ? word : convertText(scalarFrom, of, this.named(word))));
    });
    const count = this.wordsIn(type);
    return parts.length === 1 && count > 1
      ? new Array<string>(count).fill(this.named(parts[0] as string))
      : parts;
  }

  /** A call of a function whose threads do not wait for each other. */
  protected callFunction(one: Call, declared: FunctionDeclaration): Words {
    const args = this.argumentsOf(one, declared);
    const { typing } = this.output.module;
    const count = declared.result ? this.wordsIn(typing.typeOf(declared.result)) : 0;
    const name = this.output.take(`f_${declared.name.name}`);
    const text = `${name}(${["t", ...args].join(", ")})`;
    const [before, behind] = this.around(one, "undefined");
    before.forEach((line) => {
      this.emit(line);
    });
    const words = count === 1 ? [this.named(text)] : [];
    if (count !== 1) {
      this.emit(`${text};`);
      this.output.returns(count);
    }
    behind.forEach((line) => {
      this.emit(line);
    });
    return count === 1 ? words : Array.from({ length: count }, (_, word) => this.named(`R[${word}]`));
  }

  /** The lines around a call, if the program is watched and has to know that its threads are in it. */
  protected around(
    { callee, from }: Call,
    mask: string,
  ): readonly [before: readonly string[], behind: readonly string[]] {
    const site = { declaration: this.declarationName, from, function: this.functionName };
    const lines = this.output.watching?.around({ ...site, called: callee.name }, mask, this.output.id());
    return lines ? [[lines[0]], [lines[1]]] : [[], []];
  }

  /** The arguments as JavaScript: the words of values; of pointers the memory and the index in it. */
  protected argumentsOf(one: Call, { parameters }: FunctionDeclaration): Words {
    const { typing } = this.output.module;
    return parameters.flatMap(({ type: declared }, index): Words => {
      const type = typing.typeOf(declared);
      const arg = one.args[index];
      if (arg === undefined) {
        return this.fail(`${one.callee.name} takes ${parameters.length} arguments`, one);
      }
      if (type.kind !== "pointer") {
        return this.value(arg, type);
      }
      const place = this.pointer(arg);
      return [place.memory, ...this.pointerWords(place).map((word) => this.named(word))];
    });
  }

  /** The words of a pointer: the index, and of places that may lie past the end, whether this one lies inside. */
  protected pointerWords(place: MemoryPlace): Words {
    const index = textOfIndex(place.index);
    return this.knowsInside(place) ? [index, place.isInside ?? "1"] : [index];
  }

  /** A call of an atomic function on work-group memory. Those on storage are done by all threads together. */
  protected atomic(one: Call): Words {
    const place = this.pointer(one.args[0] as Expression);
    const index = this.named(textOfIndex(place.index));
    const { type } = place;
    const of = scalarOf(type);
    const args = one.args.slice(1).map((arg) => this.named(this.word(arg, scalar(of))));
    const { name } = one.callee;
    const isStore = name === "atomicStore" || name === "atomicExchange";
    const does = name === "atomicLoad" ? "noteLoad" : isStore ? "noteStore" : "noteChange";
    const value = isStore ? `${args[0]}, ` : "";
    const { isInside } = place;
    const when = isInside === undefined ? "g.watchesAtomics" : `g.watchesAtomics && ${isInside}`;
    this.emit(`if (${when}) g.${does}(${index}, ${value}t, ${this.site(one.from)});`);
    const old = this.named(zeroOutside(isInside, `W[${index}]`));
    const { stored, result } = atomicTexts(name, of, old, args);
    if (stored !== undefined) {
      this.emit(`${whenInside(isInside)}W[${index}] = ${stored};`);
    }
    return result.map((word) => this.named(word));
  }
}

/** The text of what an atomic finds: 0 past the end. */
export const zeroOutside = (isInside: string | undefined, text: string): string =>
  isInside === undefined ? text : `${isInside} ? ${text} : 0`;

/** What an atomic function stores, if it does, and what it gives, from the value before and its arguments. */
export function atomicTexts(
  name: string,
  of: Scalar,
  old: string,
  [first = "0", second = "0"]: Words,
): { readonly stored?: string; readonly result: Words } {
  const combined = (stored: string) => ({ stored, result: [old] });
  switch (name) {
    case "atomicLoad":
      return { result: [old] };
    case "atomicStore":
      return { stored: first, result: [] };
    case "atomicExchange":
      return combined(first);
    case "atomicCompareExchangeWeak":
      return {
        stored: `${old} === ${first} ? ${second} : ${old}`,
        result: [old, `(${old} === ${first} ? 1 : 0)`],
      };
    case "atomicAdd":
      return combined(binaryText("+", of, old, first));
    case "atomicSub":
      return combined(binaryText("-", of, old, first));
    case "atomicAnd":
      return combined(`${old} & ${first}`);
    case "atomicOr":
      return combined(`${old} | ${first}`);
    case "atomicXor":
      return combined(`${old} ^ ${first}`);
    case "atomicMax":
      return combined(`${binaryText("<", of, old, first)} ? ${first} : ${old}`);
    case "atomicMin":
      return combined(`${binaryText("<", of, first, old)} ? ${first} : ${old}`);
    default:
      throw new Error(`the simulator has no function ${name}`);
  }
}
