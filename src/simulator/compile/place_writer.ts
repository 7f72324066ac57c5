import type { Expression } from "../../text/syntax.ts";
import { TextFault } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { textOfType } from "../../text/wgsl_types.ts";
import type { FunctionText } from "./function_text.ts";
import { elementOf, hasArray, scalarOf } from "./layout.ts";
import type { GlobalVariable } from "./module.ts";
import type { Names } from "./names.ts";
import type { Local, MemoryPlace, Place } from "./places.ts";
import { at, plus, plusTerm, textOfIndex } from "./places.ts";
import { settled } from "./settled.ts";

/** The words of a value: texts without effects, which may be repeated and moved. */
export type Words = readonly string[];

const isSimple = (text: string): boolean => /^(?:[\w$]+|-\d+)$/.test(text);

/** So many words are set to zero one by one, which is faster than a call of `fill`. */
const MOST_STORES = 16;

const SWIZZLE = ["xyzw", "rgba"] as const;

/** Words in memory that lie one behind the other: the texts of their indices. 16 bits are a run of their own. */
interface Run {
  readonly indices: readonly string[];
  readonly isHalf: boolean;
}

/** Writes where values lie, and what reads and writes them there, as JavaScript. */
export abstract class PlaceWriter {
  readonly output: FunctionText;
  readonly functionName: string;
  /** The declaration whose text is written: a function's, or that of a constant in it. */
  protected declarationName: string;
  names: Names;
  /** The results of what all threads have done together, by the calls in the text. */
  protected readonly hoisted = new Map<Expression, Words>();
  #lines: string[] = [];

  constructor(output: FunctionText, functionName: string, names: Names) {
    this.output = output;
    this.functionName = functionName;
    this.declarationName = functionName;
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
    const name = `x${this.output.id()}`;
    this.emit(`const ${name} = ${word};`);
    return name;
  }

  /** The text of the number of a place. */
  site(from: number): string {
    return this.output.site({ declaration: this.declarationName, from, function: this.functionName });
  }

  fail(problem: string, { from }: { readonly from: number }): never {
    throw new TextFault(problem, from);
  }

  // Types

  typeOf(one: Expression, expected?: Type): Type {
    return settled(this.output.module.typing.typeOf(one), expected);
  }

  protected wordsIn(type: Type): number {
    return this.output.module.layout.wordsOf(type);
  }

  /** The words of a value. */
  abstract value(one: Expression, expected?: Type): Words;

  /** A value of one word. */
  word(one: Expression, expected?: Type): string {
    const [word, more] = this.value(one, expected);
    if (word === undefined || more !== undefined) {
      return this.fail("a number or a bool belongs here", one);
    }
    return word;
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
        const of = this.behindPointer(this.typeOf(one.of));
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
    return this.output.module.typing.typeOf(one).kind === "pointer" ? this.pointer(one) : this.place(one);
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

  #placeOfGlobal(name: string, { space, type }: GlobalVariable): MemoryPlace {
    if (space === "storage" || space === "uniform") {
      return { kind: "memory", space: "buffer", memory: this.output.range(name), index: at(0), type };
    }
    if (space === "workgroup") {
      return {
        kind: "memory",
        space: "workgroup",
        memory: "W",
        index: plusTerm(at(0), this.output.take(`w_${name}`), 1),
        type,
      };
    }
    const index = plusTerm(at(0), "t", this.wordsIn(type));
    return { kind: "memory", space: "private", memory: this.output.take(`P_${name}`), index, type };
  }

  #placeOfMember(of: Place, one: Extract<Expression, { kind: "member" }>): Place {
    if (of.type.kind === "vector") {
      return this.#part(of, this.componentOf(one.member, one), of.type.of);
    }
    const [first, type] = this.memberOf(of.type, one);
    if (of.kind === "register") {
      return { ...of, first: of.first + first, type };
    }
    const { layout } = this.output.module;
    const inBuffer = of.space === "buffer" && of.type.kind === "struct";
    const offset = inBuffer ? layout.offsetOf(of.type as never, one.member) : first;
    return { ...of, index: plus(of.index, offset), type };
  }

  /** The text of how many elements an array without a length has: it goes on to the end of its buffer. */
  protected openCount({ memory, index, type }: MemoryPlace): string {
    const { globals, layout } = this.output.module;
    const stride = layout.strideOf(type);
    // A variable of such a type has its count at hand.
    const variable = memory.slice("s_".length);
    const isWhole = index.terms.length === 0 && globals.get(variable)?.type.kind === "array";
    return isWhole
      ? this.output.countInRange(variable)
      : `Math.trunc((${memory}.size - (${textOfIndex(index)})) / ${stride})`;
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
    const isOpen = of.kind === "memory" && of.type.kind === "array" && of.type.count === undefined;
    const count = isOpen ? this.named(this.openCount(of)) : String(countOf(of.type));
    const word = this.named(this.word(one.index));
    const index = this.inBounds(word, count, one.index.from);
    if (of.kind === "register") {
      return /^\d+$/.test(index)
        ? { ...of, first: of.first + Number(index) * this.wordsIn(type), type }
        : { ...of, type, component: index };
    }
    const { layout } = this.output.module;
    const stride = of.space === "buffer" ? layout.strideOf(of.type) : this.wordsIn(type);
    const { kind, space, memory } = of;
    const isInside = this.#isInside(of, word, index);
    return { kind, space, memory, index: plusTerm(of.index, index, stride), type, isInside };
  }

  /**
   * Whether a place is where an index leads, and not where one past the end is taken to. In watched programs, threads that meet there are no race,
   * and nothing is written there: the index is the finding. `index` is the one that {@link inBounds} gives for a word.
   */
  #isInside(of: MemoryPlace, word: string, index: string): string | undefined {
    if (index === word || !this.knowsInside(of)) {
      return of.isInside;
    }
    const condition = `${index} === ${word}`;
    // The word may be a variable that changes before the place is used.
    return this.named(of.isInside === undefined ? `(${condition})` : `(${of.isInside} && ${condition})`);
  }

  /** Whether it is known of such a place that it may be where an index past the end leads: pointers to it have a word that says so. */
  protected knowsInside({ space }: MemoryPlace): boolean {
    return this.output.watching !== undefined && SHARED_SPACES.includes(space);
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
        : [this.chosen(component, this.#componentsOf(place))];
    }
    return this.#runsOf(place).flatMap((run) => this.#readRun(place, run, from));
  }

  #componentsOf({ local, first }: Extract<Place, { kind: "register" }>): Words {
    const count = local.type.kind === "vector" ? local.type.count : this.wordsIn(local.type) - first;
    return Array.from({ length: Math.min(count, 4) }, (_, word) => wordName(local, first + word));
  }

  /** What reads a run of words in memory. */
  #readRun({ space, memory, isInside }: MemoryPlace, { indices, isHalf }: Run, from: number): Words {
    const [index = "", second] = indices;
    if (isHalf) {
      const unless = isInside === undefined ? "" : `!${isInside} ? ${memory}.halfAt(${index}) : `;
      return [this.named(`${unless}${memory}.readHalf(${index}, t, g, ${this.site(from)})`)];
    }
    if (space === "buffer") {
      const { words, checksReads } = this.#bound(memory);
      const condition = isInside === undefined ? checksReads : `${checksReads} && ${isInside}`;
      this.emit(
        `if (${condition}) ${memory}.checkReads(${index}, ${indices.length}, t, g, ${this.site(from)});`,
      );
      return indices.map((at) => this.named(`${words}[${at}]`));
    }
    if (space === "workgroup") {
      if (second === undefined) {
        const unless = isInside === undefined ? "" : `!${isInside} ? W[${index}] : `;
        return [this.named(`${unless}g.read(${index}, t, ${this.site(from)})`)];
      }
      const when = whenInside(isInside);
      this.emit(`${when}g.checkReads(${index}, ${indices.length}, t, ${this.site(from)});`);
    }
    return indices.map((at) => this.named(`${memory}[${at}]`));
  }

  /** What writes a run of words in memory. In watched programs, nothing is written past the end. */
  #writeRun(
    { space, memory, isInside }: MemoryPlace,
    { indices, isHalf }: Run,
    words: Words,
    from: number,
  ): void {
    const [index = "", second] = indices;
    const when = whenInside(isInside);
    if (isHalf) {
      this.emit(`${when}${memory}.writeHalf(${index}, ${words[0]}, t, g, ${this.site(from)});`);
      return;
    }
    if (space === "workgroup" && second === undefined) {
      this.emit(`${when}g.write(${index}, ${words[0]}, t, ${this.site(from)});`);
      return;
    }
    if (space === "buffer") {
      this.emit(`${when}${memory}.checkWrites(${index}, ${indices.length}, t, g, ${this.site(from)});`);
    } else if (space === "workgroup") {
      this.emit(`${when}g.checkWrites(${index}, ${indices.length}, t, ${this.site(from)});`);
    }
    const target = space === "buffer" ? this.#bound(memory).words : memory;
    indices.forEach((at, word) => {
      this.emit(`${when}${target}[${at}] = ${words[word]};`);
    });
  }

  /** The texts of a range's words, and of whether its reads are checked. */
  #bound(range: string): { readonly words: string; readonly checksReads: string } {
    return range.startsWith("s_")
      ? this.output.wordsInRange(range.slice("s_".length))
      : { words: `${range}.words`, checksReads: `${range}.checksReads` };
  }

  /** The words of a place, by those that lie one behind the other. */
  #runsOf({ space, index, type }: MemoryPlace): readonly Run[] {
    if (space !== "buffer") {
      return [this.#runFrom(textOfIndex(index), this.wordsIn(type))];
    }
    const runs: { first: number; count: number; isHalf: boolean }[] = [];
    for (const { scalar: of, offset } of this.output.module.layout.leavesOf(type)) {
      const last = runs.at(-1);
      if (last && !last.isHalf && of !== "f16" && offset === last.first + 4 * last.count) {
        last.count++;
      } else {
        runs.push({ first: offset, count: 1, isHalf: of === "f16" });
      }
    }
    return runs.map(({ first, count, isHalf }) => ({
      ...this.#runFrom(textOfIndex(plus(index, first), isHalf ? 2 : 4), count),
      isHalf,
    }));
  }

  #runFrom(text: string, count: number): Run {
    const first = this.named(text);
    return {
      indices: Array.from({ length: count }, (_, at) =>
        at === 0 ? first : /^\d+$/.test(first) ? String(Number(first) + at) : `${first} + ${at}`,
      ),
      isHalf: false,
    };
  }

  /** Puts words at a place. */
  store(place: Place, words: Words, from: number): void {
    if (place.kind === "register") {
      // Words may read what is written here.
      const target = `$v${place.local.id}_`;
      const reads = words.length > 1 && words.some((word) => word.includes(target));
      this.#storeInRegisters(place, reads ? words.map((word) => this.copied(word)) : words);
      return;
    }
    let written = 0;
    for (const run of this.#runsOf(place)) {
      this.#writeRun(place, run, words.slice(written, written + run.indices.length), from);
      written += run.indices.length;
    }
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
    const id = this.output.id();
    return { id, type, inMemory };
  }

  /** Declares the variable's words with these values. */
  declare(local: Local, words: Words): void {
    const place = placeOfLocal(local);
    if (place.kind === "memory") {
      const isZero = words.every((word) => word === "0");
      if (isZero && words.length > MOST_STORES) {
        const first = textOfIndex(place.index);
        this.emit(`${place.memory}.fill(0, ${first}, ${first} + ${words.length});`);
      } else {
        this.store(place, words, 0);
      }
      return;
    }
    // What a loop's body declares is visible in its `continuing`, which is another block of JavaScript.
    words.forEach((word, at) => {
      this.emit(`var ${wordName(local, at)} = ${word};`);
    });
  }

  /** The word that an index chooses. */
  protected chosen(index: string, words: Words): string {
    const text = words
      .slice(0, -1)
      .map((word, at) => `${index} === ${at} ? ${word} : `)
      .join("");
    return this.named(`${text}${words.at(-1)}`);
  }

  /** The text of an index that lies inside. One that does not is reported, and the last element is taken. */
  protected inBounds(index: string, count: string, from: number): string {
    const name = this.named(index);
    if (/^\d+$/.test(name) && /^\d+$/.test(count) && Number(name) < Number(count)) {
      return name;
    }
    return this.named(
      `(${name} >>> 0) < ${count} ? ${name} : g.inBounds(${name}, ${count}, t, ${this.site(from)})`,
    );
  }

  protected componentOf(letter: string, one: Expression): number {
    const found = SWIZZLE.map((letters) => letters.indexOf(letter)).find((index) => index >= 0);
    return found ?? this.fail(`a vector has no .${letter}`, one);
  }

  protected memberOf(
    of: Type,
    one: Extract<Expression, { kind: "member" }>,
  ): readonly [first: number, type: Type] {
    if (of.kind !== "struct" || !of.members.has(one.member)) {
      // The result of a built-in function, such as frexp.
      return this.fail(`${textOfType(of)} has no member ${one.member}`, one);
    }
    const first = this.output.module.layout.firstWordOf(of, one.member);
    return [first, of.members.get(one.member) as Type];
  }

  protected behindPointer = (type: Type): Type => (type.kind === "pointer" ? type.to : type);
}

/** Memory in which threads can meet. */
const SHARED_SPACES: readonly MemoryPlace["space"][] = ["workgroup", "buffer"];

/** What stands before a statement that does nothing past the end. */
export const whenInside = (isInside: string | undefined): string =>
  isInside === undefined ? "" : `if (${isInside}) `;

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

function placeOfLocal(local: Local): Place {
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
