import type { Block, Case, Expression, Parameter, Statement, Variable } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { concrete, scalar } from "../../text/wgsl_types.ts";
import { binaryText, constantWord } from "../builtin_texts.ts";
import type { Way } from "../machine/ways.ts";
import { CONTINUED, LEFT_LOOP, RETURNED } from "../machine/ways.ts";
import { requireTrue } from "./evaluate.ts";
import { ExpressionWriter } from "./expressions.ts";
import type { FunctionText, SharedFunction } from "./function_text.ts";
import { hasArray, scalarOf } from "./layout.ts";
import type { FunctionDeclaration } from "./module.ts";
import { Names } from "./names.ts";
import type { Words } from "./place_writer.ts";
import type { Local, MemoryPlace, Place } from "./places.ts";
import { at, plusTerm, textOfIndex } from "./places.ts";
import type { Declared, Uses } from "./uses.ts";

/** More turns of one loop than any kernel takes that ends. */
const MOST_TURNS = 2 ** 26;

/** An array of more words lies in memory. */
const MOST_VARIABLES = 64;

/** What `break` and `continue` leave. */
export interface Leaving {
  readonly isLoop: boolean;
  /** The label of JavaScript's statement. */
  readonly label: string;
  /** Where all threads go on together: how many masks hold the threads outside. */
  readonly depth?: number;
}

/** Writes the statements of one function as JavaScript that one thread runs from start to end. */
export class StatementWriter extends ExpressionWriter {
  readonly declaration: FunctionDeclaration;
  readonly #uses: Uses;
  protected readonly leaving: Leaving[] = [];

  constructor(output: FunctionText, declaration: FunctionDeclaration, names: Names) {
    super(output, declaration.name.name, names);
    this.declaration = declaration;
    this.#uses = output.module.usesOf(declaration);
  }

  /** The function, which it adds to its scope. */
  write(): SharedFunction {
    const { name, parameters, body } = this.declaration;
    const texts: string[] = [];
    const lines = this.capture(() => {
      for (const parameter of parameters) {
        texts.push(...this.#parameter(parameter));
      }
      this.statements(body.statements);
    });
    const text = `function f_${name.name}(${["t", ...texts].join(", ")}) {\n${lines.join("\n")}\n}`;
    this.output.give(`f_${name.name}`);
    return this.output.finished(this.#withMemory(text));
  }

  #parameter(parameter: Parameter): readonly string[] {
    const local = this.parameterLocal(parameter);
    if (!local.inMemory) {
      const words = wordsOfLocal(local, this.wordsInLocal(local));
      return local.target ? [local.target.memory, ...words] : words;
    }
    const words = Array.from({ length: this.wordsIn(local.type) }, (_, word) => `p${local.id}_${word}`);
    this.declare(local, words);
    return words;
  }

  /** Declares a parameter by its name. */
  protected parameterLocal(parameter: Parameter): Local {
    const { module } = this.output;
    const type = module.typing.typeOf(parameter.type);
    const local =
      type.kind === "pointer"
        ? this.#pointerParameter(type, module.addressSpaceOf(parameter.type) ?? "function")
        : this.local(type, this.liesInMemory(parameter, type));
    this.names.declare(parameter.name.name, { kind: "local", local });
    return local;
  }

  #pointerParameter(type: Extract<Type, { kind: "pointer" }>, space: string): Local {
    const local = this.pointerLocal(type, space);
    const { id, target } = local;
    return target && this.knowsInside(target)
      ? { ...local, target: { ...target, isInside: `$v${id}_1$` } }
      : local;
  }

  /** How many words a variable has. A pointer's are those that {@link pointerWords} gives. */
  protected wordsInLocal({ type, target }: Local): number {
    return target ? (this.knowsInside(target) ? 2 : 1) : this.wordsIn(type);
  }

  /** Whether a variable of the function is no JavaScript variable for each word: a pointer leads to it, or a thread chooses its elements. */
  protected liesInMemory(declared: Declared, type: Type): boolean {
    const { pointedAt, indices } = this.#uses;
    const { typing } = this.output.module;
    return (
      pointedAt.has(declared) ||
      (hasArray(type) &&
        (this.wordsIn(type) > MOST_VARIABLES ||
          (indices.get(declared) ?? []).some((index) => typing.constantOf(index) === undefined)))
    );
  }

  /** A variable that holds where a pointer leads. */
  protected pointerLocal(type: Extract<Type, { kind: "pointer" }>, space: string, memory?: string): Local {
    const id = this.output.id();
    const place = space === "storage" || space === "uniform" ? "buffer" : space;
    const target = {
      kind: "memory",
      space: place as MemoryPlace["space"],
      memory: memory ?? (space === "workgroup" ? "W" : `m${id}`),
      index: plusTerm(at(0), `$v${id}_0$`, 1),
      type: type.to,
    } as const;
    return { id, type, inMemory: false, target };
  }

  /** Declares the memory of the function's variables. Functions do not call themselves, so each has it once. */
  #withMemory(text: string): string {
    return text.replaceAll(/\$b\d+\$/g, "0");
  }

  /** The variable that a name declares. Its memory is declared with it. */
  override declare(local: Local, words: Words): void {
    if (local.inMemory) {
      this.declareMemory(local);
    }
    super.declare(local, words);
  }

  protected declareMemory(local: Local): void {
    this.output.declareMemory(`M${local.id}`, this.wordsIn(local.type), false);
  }

  // Statements

  statements(statements: readonly Statement[]): void {
    const { watching } = this.output;
    for (const block of watching && !watching.isLinked ? blocksOf(statements) : [statements]) {
      if (watching && !watching.isLinked) {
        this.emit(watching.block({ declaration: this.declarationName, statements: block }));
      }
      for (const one of block) {
        this.statement(one);
      }
    }
  }

  /** Notes where threads leave others that may wait for them. Here, none wait. */
  protected noteWay(_way: Way, _from: number): void {}

  /** Statements with names of their own. */
  protected inBlock(write: () => void): void {
    const around = this.names;
    this.names = new Names(around);
    write();
    this.names = around;
  }

  statement(one: Statement): void {
    switch (one.kind) {
      case "block":
        this.#braced("", one);
        break;
      case "variable":
        this.#variable(one);
        break;
      case "assign":
        this.#assign(one);
        break;
      case "step": {
        const place = this.place(one.target);
        const of = scalarOf(place.type);
        const [word = "0"] = this.load(place, one.from);
        this.store(place, [binaryText(one.operator === "++" ? "+" : "-", of, word, "1")], one.from);
        break;
      }
      case "call statement":
        this.value(one.call);
        break;
      case "if":
        this.#if(one);
        break;
      case "for":
      case "while":
      case "loop":
        this.inBlock(() => this.#loop(one));
        break;
      case "switch":
        this.#switch(one);
        break;
      case "return":
        this.noteWay(RETURNED, one.from);
        this.writeReturn(one.value);
        break;
      case "break":
        this.noteWay(LEFT_LOOP, one.from);
        this.writeBreak();
        break;
      case "continue":
        this.noteWay(CONTINUED, one.from);
        this.writeContinue();
        break;
      case "break if":
        this.emit(`if (${this.word(one.condition)}) {`);
        this.noteWay(LEFT_LOOP, one.from);
        this.writeBreak();
        this.emit("}");
        break;
      case "continuing":
        this.fail("'continuing' stands last in a loop", one);
        break;
      case "const_assert":
        requireTrue(this.output, this.names, one.condition);
        break;
      case "empty":
        break;
      case "discard":
        this.fail("the simulator runs compute shaders, which have no 'discard'", one);
        break;
      default:
        one satisfies never;
    }
  }

  #braced(head: string, { statements }: Block): void {
    this.emit(`${head}{`);
    this.inBlock(() => this.statements(statements));
    this.emit("}");
  }

  #variable(one: Variable): void {
    const { keyword, name, type: declared, value } = one;
    if (keyword === "const") {
      this.names.declare(name.name, { kind: "constant", variable: one, names: this.names.now() });
      return;
    }
    const { typing } = this.output.module;
    const type = declared ? typing.typeOf(declared) : concrete(typing.typeOf(value as Expression));
    if (type.kind === "pointer") {
      this.#pointer(name.name, type, value as Expression);
      return;
    }
    const words = value ? this.value(value, type) : new Array<string>(this.wordsIn(type)).fill("0");
    const local = this.local(type, this.liesInMemory(one, type));
    this.declare(local, words);
    // The value may use an outer variable of the same name.
    this.names.declare(name.name, { kind: "local", local });
  }

  #pointer(name: string, type: Extract<Type, { kind: "pointer" }>, value: Expression): void {
    const { space, memory, index, isInside } = this.pointer(value);
    const local = this.pointerLocal(type, space === "buffer" ? "storage" : space, memory);
    this.emit(`var $v${local.id}_0$ = ${textOfIndex(index)};`);
    const target = local.target && this.#keptInside(local.id, local.target, isInside);
    this.names.declare(name, { kind: "local", local: target ? { ...local, target } : local });
  }

  /** What a pointer leads to, with whether that lies inside, which the pointer's second word holds. */
  #keptInside(id: number, target: MemoryPlace, isInside: string | undefined): MemoryPlace {
    if (isInside === undefined) {
      return target;
    }
    this.emit(`var $v${id}_1$ = ${isInside};`);
    return { ...target, isInside: `$v${id}_1$` };
  }

  #assign(one: Extract<Statement, { kind: "assign" }>): void {
    const { target, operator, value, from } = one;
    if (target === undefined) {
      this.value(value);
      return;
    }
    const place = this.place(target);
    this.assignTo(place, one, operator && this.load(place, from));
  }

  /** Assigns to a place. `before` is the value that lies there, if the assignment has an operator. */
  protected assignTo(
    place: Place,
    { target, operator, value, from }: Extract<Statement, { kind: "assign" }>,
    before: Words | undefined,
  ): void {
    if (target === undefined || operator === undefined || before === undefined) {
      this.store(place, this.value(value, place.type), from);
      return;
    }
    const both = {
      kind: "binary",
      operator,
      at: from,
      left: target,
      right: value,
      from,
      to: value.to,
    } as const;
    this.store(place, this.compound(both, before, place.type), from);
  }

  #if({ condition, then, otherwise }: Extract<Statement, { kind: "if" }>): void {
    this.#braced(`if (${conditionText(this.word(condition))}) `, then);
    if (otherwise !== undefined) {
      this.emit("else {");
      this.statement(otherwise);
      this.emit("}");
    }
  }

  #loop(one: Extract<Statement, { kind: "for" | "while" | "loop" }>): void {
    const id = this.output.id();
    if (one.kind === "for" && one.start) {
      this.statement(one.start);
    }
    this.emit(`L${id}: for (let turns${id} = 0; ; ) {`);
    this.emit(`if (++turns${id} > ${MOST_TURNS}) g.stuck(t, ${this.site(one.from)});`);
    const condition = one.kind === "loop" ? undefined : one.condition;
    if (condition !== undefined) {
      this.emit(`if (!(${conditionText(this.word(condition))})) break;`);
    }
    const { body, continuing } = partsOfLoop(one.body);
    this.leaving.push({ isLoop: true, label: `L${id}` });
    this.emit(`C${id}: {`);
    this.inBlock(() => {
      this.statements(body);
      this.emit("}");
      this.statements(continuing);
    });
    if (one.kind === "for" && one.update) {
      this.statement(one.update);
    }
    this.leaving.pop();
    this.emit("}");
  }

  #switch({ on, cases }: Extract<Statement, { kind: "switch" }>): void {
    const id = this.output.id();
    const type = this.selectorType(on, cases);
    this.emit(`L${id}: switch (${this.word(on, type)}) {`);
    this.leaving.push({ isLoop: false, label: `L${id}` });
    for (const one of cases) {
      for (const selector of one.selectors) {
        this.emit(`case ${this.selectorWord(selector, type)}:`);
      }
      this.#braced(`${one.isDefault ? "default: " : ""}`, one.body);
      this.emit("break;");
    }
    this.leaving.pop();
    this.emit("}");
  }

  protected selectorType(on: Expression, cases: readonly Case[]): Type {
    const typed = [on, ...cases.flatMap(({ selectors }) => selectors)]
      .map((one) => this.output.module.typing.typeOf(one))
      .find((type) => type.kind === "scalar" && !type.name.startsWith("abstract"));
    return typed ?? scalar("i32");
  }

  protected selectorWord(selector: Expression, type: Type): string {
    const value = this.output.module.typing.constantOf(selector);
    return value === undefined ? this.word(selector, type) : String(constantWord(scalarOf(type), value));
  }

  protected writeReturn(value: Expression | undefined): void {
    const { result } = this.declaration;
    if (value === undefined || result === undefined) {
      this.emit("return;");
      return;
    }
    const words = this.value(value, this.output.module.typing.typeOf(result));
    if (words.length === 1) {
      this.emit(`return ${words[0]};`);
      return;
    }
    this.output.returns(words.length);
    words.forEach((word, at) => {
      this.emit(`R[${at}] = ${word};`);
    });
    this.emit("return;");
  }

  protected writeBreak(): void {
    this.emit(`break ${this.leaving.at(-1)?.label};`);
  }

  /** The rest of a loop's body is a block, which is left. */
  protected writeContinue(): void {
    this.emit(`break C${this.innermostLoop?.label.slice(1)};`);
  }

  protected get innermostLoop(): Leaving | undefined {
    return this.leaving.filter(({ isLoop }) => isLoop).at(-1);
  }
}

/** Statements in blocks of which all run if the first one does: a block ends where a thread may leave it. */
function blocksOf(statements: readonly Statement[]): readonly (readonly Statement[])[] {
  const blocks: Statement[][] = [];
  let isLeft = true;
  for (const one of statements) {
    if (isLeft) {
      blocks.push([]);
    }
    blocks.at(-1)?.push(one);
    isLeft = mayLeave(one);
  }
  return blocks;
}

/** Whether what comes behind a statement may not run, though that does. */
function mayLeave(one: Statement): boolean {
  switch (one.kind) {
    case "return":
    case "break":
    case "continue":
    case "break if":
    case "for":
    case "while":
    case "loop":
      return true;
    case "block":
      return one.statements.some(mayLeave);
    case "if":
      return mayLeave(one.then) || (one.otherwise !== undefined && mayLeave(one.otherwise));
    case "switch":
      return one.cases.some(({ body }) => mayLeave(body));
    default:
      return false;
  }
}

const wordsOfLocal = ({ id }: Local, count: number): readonly string[] =>
  Array.from({ length: count }, (_, word) => `$v${id}_${word}$`);

/** A condition as JavaScript's own bool. */
export const conditionText = (word: string): string => /^\(([^?]*) \? 1 : 0\)$/.exec(word)?.[1] ?? word;

/** The statements of a loop's body, and those of its `continuing`. */
export function partsOfLoop({ statements }: Block): {
  readonly body: readonly Statement[];
  readonly continuing: readonly Statement[];
} {
  const last = statements.at(-1);
  return last?.kind === "continuing"
    ? { body: statements.slice(0, -1), continuing: last.body.statements }
    : { body: statements, continuing: [] };
}
