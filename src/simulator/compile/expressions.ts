import { builtinResult } from "../../text/builtins.ts";
import type { BinaryOperator, Expression, Variable } from "../../text/syntax.ts";
import { TextFault } from "../../text/syntax.ts";
import { numberOf } from "../../text/typing.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { commonType, concrete, isAbstract, isSame, scalar, textOfType } from "../../text/wgsl_types.ts";
import type { Scalar } from "../builtin_texts.ts";
import {
  binaryText,
  builtinWords,
  constantWord,
  convertText,
  matrixText,
  unaryText,
} from "../builtin_texts.ts";
import { columnOf, elementOf, hasArray, scalarOf } from "./layout.ts";
import type { Call, FunctionDeclaration, GlobalVariable } from "./module.ts";
import type { Index, Local, MemoryPlace, Place } from "./places.ts";
import { at, plus, plusTerm, textOfIndex } from "./places.ts";
import type { ProgramText } from "./program_text.ts";

/** The words of a value: texts without effects, which may be repeated and moved. */
export type Words = readonly string[];

/** What a name of the text stands for in a function. */
export type Meaning =
  | { readonly kind: "local"; readonly local: Local }
  | { readonly kind: "constant"; readonly variable: Variable; readonly names: Names }
  | { readonly kind: "global"; readonly variable: GlobalVariable };

/** The names that are visible in a block, and in what is around it. */
export class Names {
  readonly #meanings = new Map<string, Meaning>();
  readonly #around: Names | undefined;

  constructor(around?: Names) {
    this.#around = around;
  }

  find(name: string): Meaning | undefined {
    return this.#meanings.get(name) ?? this.#around?.find(name);
  }

  declare(name: string, meaning: Meaning): void {
    this.#meanings.set(name, meaning);
  }
}

const isSimple = (text: string): boolean => /^(?:[\w$]+|-\d+)$/.test(text);

const COMPARISONS: readonly BinaryOperator[] = ["==", "!=", "<", ">", "<=", ">="];

const SWIZZLE = ["xyzw", "rgba"] as const;

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

const withScalar = (type: Type, of: Type): Type =>
  type.kind === "vector" || type.kind === "matrix" ? { ...type, of } : of;

const scalarIn = (type: Type): Type =>
  type.kind === "vector" || type.kind === "matrix"
    ? type.of
    : type.kind === "array"
      ? scalarIn(type.of)
      : type;

const hasAbstract = (type: Type): boolean => isAbstract(scalarIn(type));

/** The type of an expression in which numbers without a type take that of `expected`. */
function settled(type: Type, expected: Type | undefined): Type {
  if (!hasAbstract(type)) {
    return type;
  }
  const of = expected === undefined || hasAbstract(expected) ? undefined : scalarIn(expected);
  if (type.kind === "array") {
    return { ...type, of: settled(type.of, expected && elementOf(expected)) };
  }
  return of?.kind === "scalar" && of.name !== "bool" ? withScalar(type, of) : concrete(type);
}

/** Writes the expressions of one function as JavaScript. */
export class ExpressionWriter {
  readonly program: ProgramText;
  readonly functionName: string;
  names: Names;
  /** The results of what all threads have done together, by the calls in the text. */
  protected readonly hoisted = new Map<Expression, Words>();
  #lines: string[] = [];

  constructor(program: ProgramText, functionName: string, names: Names) {
    this.program = program;
    this.functionName = functionName;
    this.names = names;
  }

  // Lines

  emit(line: string): void {
    this.#lines.push(line);
  }

  /** The lines since the last call. */
  takeLines(): readonly string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** The lines that `write` emits. */
  protected capture(write: () => void): readonly string[] {
    const outside = this.#lines;
    this.#lines = [];
    write();
    const lines = this.#lines;
    this.#lines = outside;
    return lines;
  }

  /** A word as a name or a number. */
  protected named(word: string): string {
    if (isSimple(word)) {
      return word;
    }
    const name = `x${this.program.id()}`;
    this.emit(`const ${name} = ${word};`);
    return name;
  }

  site(from: number): number {
    return this.program.site(from, this.functionName);
  }

  fail(problem: string, { from }: { readonly from: number }): never {
    throw new TextFault(problem, from);
  }

  // Types

  typeOf(one: Expression, expected?: Type): Type {
    return settled(this.program.module.typing.typeOf(one), expected);
  }

  protected wordsIn(type: Type): number {
    return this.program.module.layout.wordsOf(type);
  }

  // Values

  value(one: Expression, expected?: Type): Words {
    const hoisted = this.hoisted.get(one);
    if (hoisted !== undefined) {
      return hoisted;
    }
    const type = this.typeOf(one, expected);
    const constant = this.program.module.typing.constantOf(one);
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
        return this.#member(one);
      case "index":
        return this.#element(one);
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

  /** A value of one word. */
  word(one: Expression, expected?: Type): string {
    const [word, more] = this.value(one, expected);
    if (word === undefined || more !== undefined) {
      return this.fail("a number or a bool belongs here", one);
    }
    return word;
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
    const { constants, module } = this.program;
    const { keyword, name, type, value } = variable;
    const declared = type && module.typing.typeOf(type);
    if (keyword === "override" && Object.hasOwn(constants, name.name)) {
      const own = declared ?? (value ? this.typeOf(value) : scalar("f32"));
      return [String(constantWord(scalarOf(own), constants[name.name] as number))];
    }
    if (value === undefined) {
      return this.fail(`the pipeline gives ${name.name} no value`, one);
    }
    const here = this.names;
    this.names = names;
    const words = this.value(value, declared ?? expected);
    this.names = here;
    return words;
  }

  #member(one: Extract<Expression, { kind: "member" }>): Words {
    const of = this.#behindPointer(this.typeOf(one.of));
    if (of.kind === "vector" && one.member.length > 1) {
      const whole = this.isPlace(one.of) ? this.load(this.place(one.of), one.from) : this.value(one.of);
      return Array.from(one.member, (letter) => whole[this.#componentOf(letter, one)] as string);
    }
    if (this.isPlace(one)) {
      return this.load(this.place(one), one.from);
    }
    const whole = this.value(one.of);
    if (of.kind === "vector") {
      return [whole[this.#componentOf(one.member, one)] as string];
    }
    const [first, type] = this.#memberOf(of, one);
    return whole.slice(first, first + this.wordsIn(type));
  }

  #componentOf(letter: string, one: Expression): number {
    const found = SWIZZLE.map((letters) => letters.indexOf(letter)).find((index) => index >= 0);
    return found ?? this.fail(`a vector has no .${letter}`, one);
  }

  #memberOf(of: Type, one: Extract<Expression, { kind: "member" }>): readonly [first: number, type: Type] {
    if (of.kind !== "struct" || !of.members.has(one.member)) {
      // The result of a built-in function, such as frexp.
      return this.fail(`${textOfType(of)} has no member ${one.member}`, one);
    }
    const first = this.program.module.layout.firstWordOf(of, one.member);
    return [first, of.members.get(one.member) as Type];
  }

  #behindPointer = (type: Type): Type => (type.kind === "pointer" ? type.to : type);

  #element(one: Extract<Expression, { kind: "index" }>): Words {
    if (this.isPlace(one)) {
      return this.load(this.place(one), one.from);
    }
    const type = this.typeOf(one.of);
    const of = elementOf(type);
    if (of === undefined) {
      return this.fail(`${textOfType(type)} has no elements`, one);
    }
    const whole = this.value(one.of);
    const size = this.wordsIn(of);
    const index = this.named(this.word(one.index));
    if (/^\d+$/.test(index)) {
      return whole.slice(Number(index) * size, (Number(index) + 1) * size);
    }
    const count = whole.length / size;
    const inside = this.#inBounds(index, String(count), one.index.from);
    return Array.from({ length: size }, (_, word) =>
      this.#chosen(
        inside,
        Array.from({ length: count }, (_, at) => this.named(whole[at * size + word] as string)),
      ),
    );
  }

  /** The word that an index chooses. */
  #chosen(index: string, words: Words): string {
    const text = words
      .slice(0, -1)
      .map((word, at) => `${index} === ${at} ? ${word} : `)
      .join("");
    return this.named(`${text}${words.at(-1)}`);
  }

  /** The text of an index that lies inside. One that does not is reported, and the last element is taken. */
  #inBounds(index: string, count: string, from: number): string {
    const name = this.named(index);
    if (/^\d+$/.test(name) && /^\d+$/.test(count) && Number(name) < Number(count)) {
      return name;
    }
    return this.named(
      `(${name} >>> 0) < ${count} ? ${name} : g.inBounds(${name}, ${count}, t, ${this.site(from)})`,
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
    const of = this.#scalarOf(type, one);
    return this.value(one.operand, type).map((word) => unaryText(operator, of, word));
  }

  #binary(one: Extract<Expression, { kind: "binary" }>, expected: Type | undefined): Words {
    const { operator } = one;
    if (operator === "&&" || operator === "||") {
      return [this.#shortCircuit(operator, one.left, () => this.word(one.right))];
    }
    const [left, right] = this.#operandTypes(one, expected);
    return this.#operated(one, [left, this.value(one.left, left)], [right, this.value(one.right, right)]);
  }

  /** The result of `a op= b`, from the words of `a`. */
  protected compound(one: Extract<Expression, { kind: "binary" }>, words: Words, type: Type): Words {
    const [, right] = this.#operandTypes(one, type);
    return this.#operated(one, [type, words], [right, this.value(one.right, right)]);
  }

  /** The types of both operands. Numbers without a type take that of the other operand, or the expected one. */
  #operandTypes(
    { operator, left: first, right: second }: Extract<Expression, { kind: "binary" }>,
    expected: Type | undefined,
  ): readonly [left: Type, right: Type] {
    const { typing } = this.program.module;
    const [left, right] = [typing.typeOf(first), typing.typeOf(second)];
    if (operator === "<<" || operator === ">>") {
      return [settled(left, expected), settled(right, scalar("u32"))];
    }
    const common = commonType(scalarIn(left), scalarIn(right)) ?? scalarIn(left);
    const of = settled(common, COMPARISONS.includes(operator) ? undefined : expected);
    return [settled(left, of), settled(right, of)];
  }

  #operated(
    one: Extract<Expression, { kind: "binary" }>,
    [left, a]: readonly [Type, Words],
    [right, b]: readonly [Type, Words],
  ): Words {
    if (left.kind === "matrix" || right.kind === "matrix") {
      const operand = (type: Type, words: Words) => ({ type, words: words.map((word) => this.named(word)) });
      return matrixText(one.operator, operand(left, a), operand(right, b), this.typeOf(one, left));
    }
    const of = this.#scalarOf(left, one);
    this.#scalarOf(right, one);
    const count = Math.max(a.length, b.length);
    const splat = (words: Words): Words =>
      words.length === count ? words : new Array<string>(count).fill(this.named(words[0] as string));
    const [lefts, rights] = [splat(a), splat(b)];
    return lefts.map((word, index) => binaryText(one.operator, of, word, rights[index] as string));
  }

  /** The scalars of an operand. */
  #scalarOf(type: Type, { operator, from }: Extract<Expression, { kind: "unary" | "binary" }>): Scalar {
    const of = type.kind === "array" ? type : scalarIn(type);
    return of.kind === "scalar" || of.kind === "atomic"
      ? scalarOf(of)
      : this.fail(`there is no ${operator} of ${textOfType(type)}`, { from });
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
    const name = `x${this.program.id()}`;
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
    const { typing, functions } = this.program.module;
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
      return [place.count ?? this.fail("arrayLength takes a pointer to an array without a length", one)];
    }
    return this.#builtin(one, expected);
  }

  #builtin(one: Call, expected: Type | undefined): Words {
    const { name } = one.callee;
    const operands = this.operandsOf(one, expected);
    const types = operands.map(({ type }) => type);
    const [template] = one.callee.template ?? [];
    const to = template && this.program.module.typing.typeOf(template);
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
    const { typing } = this.program.module;
    const { name } = one.callee;
    const fixed = FIXED_ARGUMENTS[name] ?? (name === "select" ? [undefined, undefined, "bool"] : []);
    const free = one.args.filter((_, index) => fixed[index] === undefined).map((arg) => typing.typeOf(arg));
    const known = free.find((type) => !hasAbstract(type));
    const isFloat = free.some((type) => {
      const of = scalarIn(type);
      return of.kind === "scalar" && of.name === "abstract float";
    });
    const given = name === "bitcast" ? undefined : expected;
    const common = known ?? (isFloat && !given ? scalar("f32") : given);
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
    const { typing } = this.program.module;
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
      const own = this.program.module.typing.typeOf(arg);
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
    const { typing } = this.program.module;
    const count = declared.result ? this.wordsIn(typing.typeOf(declared.result)) : 0;
    const text = `f_${declared.name.name}(${["t", ...args].join(", ")})`;
    if (count === 1) {
      return [this.named(text)];
    }
    this.emit(`${text};`);
    this.program.mostResults = Math.max(this.program.mostResults, count);
    return Array.from({ length: count }, (_, word) => this.named(`R[${word}]`));
  }

  /** The arguments as JavaScript: the words of values; of pointers the memory and the index in it. */
  protected argumentsOf(one: Call, { parameters }: FunctionDeclaration): Words {
    const { typing } = this.program.module;
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
      return [place.memory, this.named(textOfIndex(place.index))];
    });
  }

  /** A call of an atomic function on work-group memory. Those on storage are done by all threads together. */
  protected atomic(one: Call): Words {
    const place = this.pointer(one.args[0] as Expression);
    const index = this.named(textOfIndex(place.index));
    const { type } = place;
    const of = scalarOf(type);
    const args = one.args.slice(1).map((arg) => this.named(this.word(arg, scalar(of))));
    const old = this.named(`W[${index}]`);
    const { stored, result } = atomicTexts(one.callee.name, of, old, args);
    if (stored !== undefined) {
      this.emit(`W[${index}] = ${stored};`);
    }
    return result.map((word) => this.named(word));
  }

  // Places

  /** Whether an expression is a variable, or a part of one. */
  isPlace(one: Expression): boolean {
    if (this.hoisted.has(one)) {
      return false;
    }
    switch (one.kind) {
      case "name": {
        const meaning = this.names.find(one.name);
        return meaning?.kind === "local" || meaning?.kind === "global";
      }
      case "parentheses":
        return this.isPlace(one.inner);
      case "unary":
        return one.operator === "*";
      case "member": {
        const of = this.#behindPointer(this.typeOf(one.of));
        return this.isPlace(one.of) && !(of.kind === "vector" && one.member.length > 1);
      }
      case "index":
        return this.isPlace(one.of);
      default:
        return false;
    }
  }

  place(one: Expression): Place {
    switch (one.kind) {
      case "parentheses":
        return this.place(one.inner);
      case "name":
        return this.#placeOfName(one);
      case "unary":
        return this.pointer(one.operand);
      case "member": {
        const of = this.#throughPointer(one.of);
        return this.#placeOfMember(of, one);
      }
      case "index":
        return this.#placeOfElement(this.#throughPointer(one.of), one);
      default:
        return this.fail("a variable belongs here", one);
    }
  }

  /** `p.x` and `p[i]` of a pointer are those of what it points to. */
  #throughPointer(one: Expression): Place {
    return this.program.module.typing.typeOf(one).kind === "pointer" ? this.pointer(one) : this.place(one);
  }

  #placeOfName(one: Extract<Expression, { kind: "name" }>): Place {
    const meaning = this.names.find(one.name);
    if (meaning?.kind === "local") {
      return placeOfLocal(meaning.local);
    }
    if (meaning?.kind === "global") {
      return this.#placeOfGlobal(one.name, meaning.variable);
    }
    return this.fail(`${one.name} is no variable`, one);
  }

  #placeOfGlobal(name: string, { space, type, group, binding }: GlobalVariable): MemoryPlace {
    if (space === "storage" || space === "uniform") {
      this.program.ranges.set(name, `${group},${binding}`);
      const place = { kind: "memory", space: "buffer", memory: `s_${name}`, index: at(0), type } as const;
      return type.kind === "array" && type.count === undefined ? { ...place, count: `n_${name}` } : place;
    }
    if (space === "workgroup") {
      return {
        kind: "memory",
        space: "workgroup",
        memory: "W",
        index: plusTerm(at(0), `w_${name}`, 1),
        type,
      };
    }
    const index = plusTerm(at(0), "t", this.wordsIn(type));
    return { kind: "memory", space: "private", memory: `P_${name}`, index, type };
  }

  #placeOfMember(of: Place, one: Extract<Expression, { kind: "member" }>): Place {
    if (of.type.kind === "vector") {
      return this.#part(of, this.#componentOf(one.member, one), of.type.of);
    }
    const [first, type] = this.#memberOf(of.type, one);
    if (of.kind === "register") {
      return { ...of, first: of.first + first, type };
    }
    const { layout } = this.program.module;
    const inBuffer = of.space === "buffer" && of.type.kind === "struct";
    const offset = inBuffer ? layout.offsetOf(of.type as never, one.member) : first;
    const place: MemoryPlace = {
      kind: "memory",
      space: of.space,
      memory: of.memory,
      index: plus(of.index, offset),
      type,
    };
    if (type.kind !== "array" || type.count !== undefined) {
      return place;
    }
    // The last member of a struct in a buffer, which is as long as the buffer.
    const count = `Math.trunc((${of.memory}.size - ${textOfIndex(place.index)}) / ${layout.strideOf(type)})`;
    return { ...place, count: this.named(count) };
  }

  #part(of: Place, component: number, type: Type): Place {
    const size = of.kind === "memory" && of.space === "buffer" ? bytesOf(type) : 1;
    return of.kind === "register"
      ? { ...of, first: of.first + component, type }
      : { ...of, index: plus(of.index, component * size), type };
  }

  #placeOfElement(of: Place, one: Extract<Expression, { kind: "index" }>): Place {
    const type = elementOf(of.type);
    if (type === undefined) {
      return this.fail(`${textOfType(of.type)} has no elements`, one);
    }
    const count = (of.kind === "memory" && of.count) || String(countOf(of.type));
    const index = this.#inBounds(this.word(one.index), count, one.index.from);
    if (of.kind === "register") {
      return /^\d+$/.test(index)
        ? { ...of, first: of.first + Number(index) * this.wordsIn(type), type }
        : { ...of, type, component: index };
    }
    const { layout } = this.program.module;
    const stride = of.space === "buffer" ? layout.strideOf(of.type) : this.wordsIn(type);
    const { kind, space, memory } = of;
    return { kind, space, memory, index: plusTerm(of.index, index, stride), type };
  }

  /** What a pointer points to. */
  pointer(one: Expression): MemoryPlace {
    if (one.kind === "parentheses") {
      return this.pointer(one.inner);
    }
    if (one.kind === "name") {
      const meaning = this.names.find(one.name);
      const target = meaning?.kind === "local" ? meaning.local.target : undefined;
      return target ?? this.fail(`${one.name} is no pointer`, one);
    }
    if (one.kind !== "unary" || one.operator !== "&") {
      return this.fail("a pointer belongs here", one);
    }
    const place = this.place(one.operand);
    return place.kind === "memory"
      ? place
      : this.fail("the simulator takes no pointers to parts of a vector", one);
  }

  /** The words that lie at a place. */
  load(place: Place, from: number): Words {
    if (place.kind === "register") {
      const { local, first, component } = place;
      return component === undefined
        ? Array.from({ length: this.wordsIn(place.type) }, (_, word) => wordName(local, first + word))
        : [this.#chosen(component, this.#componentsOf(place))];
    }
    return this.#wordsAt(place).map(({ index, isHalf }) =>
      this.named(this.#readText(place, index, isHalf, from)),
    );
  }

  #componentsOf({ local, first }: Extract<Place, { kind: "register" }>): Words {
    const count = local.type.kind === "vector" ? local.type.count : this.wordsIn(local.type) - first;
    return Array.from({ length: Math.min(count, 4) }, (_, word) => wordName(local, first + word));
  }

  #readText({ space, memory }: MemoryPlace, index: string, isHalf: boolean, from: number): string {
    switch (space) {
      case "buffer":
        return `${memory}.${isHalf ? "readHalf" : "read"}(${index}, t, g, ${this.site(from)})`;
      case "workgroup":
        return `g.read(${index}, t, ${this.site(from)})`;
      default:
        return `${memory}[${index}]`;
    }
  }

  #writeText(
    { space, memory }: MemoryPlace,
    index: string,
    isHalf: boolean,
    word: string,
    from: number,
  ): string {
    switch (space) {
      case "buffer":
        return `${memory}.${isHalf ? "writeHalf" : "write"}(${index}, ${word}, t, g, ${this.site(from)});`;
      case "workgroup":
        return `g.write(${index}, ${word}, t, ${this.site(from)});`;
      default:
        return `${memory}[${index}] = ${word};`;
    }
  }

  /** The texts of the indices of a place's words. */
  #wordsAt({ space, index, type }: MemoryPlace): readonly { index: string; isHalf: boolean }[] {
    if (space === "buffer") {
      return this.program.module.layout.leavesOf(type).map(({ scalar: of, offset }) => {
        const isHalf = of === "f16";
        return { index: textOfIndex(plus(index, offset), isHalf ? 2 : 4), isHalf };
      });
    }
    return Array.from({ length: this.wordsIn(type) }, (_, word) => ({
      index: textOfIndex(plus(index, word)),
      isHalf: false,
    }));
  }

  /** Puts words at a place. */
  store(place: Place, words: Words, from: number): void {
    // Words may read what is written here.
    const kept =
      words.length > 1 ? words.map((word) => (/^-?\d+$/.test(word) ? word : this.copied(word))) : words;
    if (place.kind === "register") {
      this.#storeInRegisters(place, kept);
      return;
    }
    this.#wordsAt(place).forEach(({ index, isHalf }, word) => {
      this.emit(this.#writeText(place, index, isHalf, kept[word] as string, from));
    });
  }

  #storeInRegisters(place: Extract<Place, { kind: "register" }>, words: Words): void {
    const { local, first, component } = place;
    if (component === undefined) {
      words.forEach((word, at) => {
        this.emit(`${wordName(local, first + at)} = ${word};`);
      });
      return;
    }
    const value = this.named(words[0] as string);
    this.#componentsOf(place).forEach((name, at) => {
      this.emit(`if (${component} === ${at}) ${name} = ${value};`);
    });
  }

  /** A word that later changes of variables do not reach. */
  protected copied(word: string): string {
    return word.includes("$v") ? this.named(`(${word})`) : word;
  }

  // Variables

  /** A new variable of the function. */
  local(type: Type, inMemory = hasArray(type)): Local {
    const id = this.program.id();
    return { id, type, inMemory };
  }

  /** Declares the variable's words with these values. */
  declare(local: Local, words: Words): void {
    if (local.inMemory) {
      this.store(placeOfLocal(local), words, 0);
      return;
    }
    // What a loop's body declares is visible in its `continuing`, which is another block of JavaScript.
    words.forEach((word, at) => {
      this.emit(`var ${wordName(local, at)} = ${word};`);
    });
  }
}

const bytesOf = (type: Type): number => (scalarOf(type) === "f16" ? 2 : 4);

/** How many elements a type has. */
const countOf = (type: Type): number =>
  type.kind === "array"
    ? (type.count ?? 0)
    : type.kind === "vector"
      ? type.count
      : type.kind === "matrix"
        ? type.columns
        : 0;

/** The name of a word of a variable. In functions of all threads it may become an element of a column. */
export const wordName = (local: Local, word: number): string => `$v${local.id}_${word}$`;

export function placeOfLocal(local: Local): Place {
  if (local.target !== undefined) {
    return local.target;
  }
  return local.inMemory
    ? {
        kind: "memory",
        space: "function",
        memory: `M${local.id}`,
        index: plusTerm(at(0), `$b${local.id}$`, 1),
        type: local.type,
      }
    : { kind: "register", local, first: 0, type: local.type };
}

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

export type { Index };
export { columnOf, isSame };
