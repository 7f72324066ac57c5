import type { Block, Expression, FunctionDeclaration, Statement, Variable } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { concrete, isAbstract, nothing, scalar } from "../../text/wgsl_types.ts";
import type { Place } from "./expressions.ts";
import { ExpressionWriter } from "./expressions.ts";
import { Names } from "./names.ts";
import { noCode, noVariable } from "./no_code.ts";
import { binary, literal, zero } from "./scalars.ts";
import type { Words } from "./values.ts";
import { bool, scalarNameOf, scalarsOf } from "./values.ts";

/** What `break` leaves, and what `continue` does. */
interface Leaving {
  readonly label: string;
  /** The label of a loop's body; undefined for a switch. */
  readonly body?: string;
}

/** A function that is being written: its result goes into variables, and `return` leaves a block. */
interface Returning {
  readonly type: Type;
  readonly words: Words;
  readonly label: string;
}

/** A text that takes more has no code: functions are written where they are called. */
const MOST_LINES = 4000;

/** More turns of one loop than any text takes for an element. */
const MOST_TURNS = 2 ** 26;

/** Writes functions as JavaScript, each where it is called. */
export class StatementWriter extends ExpressionWriter {
  readonly #leaving: Leaving[] = [];
  #returning: Returning | undefined;
  #lines = 0;

  override emit(line: string): void {
    if (++this.#lines > MOST_LINES) {
      noCode("too many statements");
    }
    super.emit(line);
  }

  /** The statements that give the result of the text for the words of its parameters, and the words of the result. */
  write(args: readonly Words[]): { readonly lines: readonly string[]; readonly words: Words } {
    let words: Words = [];
    const lines = this.capture(() => {
      words = this.called(this.program.entry, args);
    });
    return { lines, words };
  }

  protected override called(declared: FunctionDeclaration, args: readonly Words[]): Words {
    if (declared.attributes.length > 0) {
      return noCode("a function with attributes");
    }
    const [namesHere, returningHere] = [this.names, this.#returning];
    const leavingHere = this.#leaving.splice(0);
    this.names = new Names(this.program.names);
    declared.parameters.forEach(({ name, type }, at) => {
      this.names.declare(name.name, { kind: "value", type: this.typeOf(type), words: args[at] ?? [] });
    });
    const words = this.#body(declared);
    [this.names, this.#returning] = [namesHere, returningHere];
    this.#leaving.push(...leavingHere);
    return words;
  }

  #body({ result, body }: FunctionDeclaration): Words {
    const type = result ? this.typeOf(result) : nothing;
    const [only, more] = body.statements;
    if (only?.kind === "return" && only.value !== undefined && more === undefined) {
      return this.as(only.value, type);
    }
    const id = this.id();
    const words = type.kind === "nothing" ? [] : scalarsOf(type).map((_, at) => `r${id}_${at}`);
    if (words.length > 0) {
      this.emit(`var ${words.join(", ")};`);
    }
    this.#returning = { type, words, label: `R${id}` };
    this.emit(`R${id}: {`);
    this.#statements(body.statements);
    this.emit("}");
    return words;
  }

  #inBlock(write: () => void): void {
    const around = this.names;
    this.names = new Names(around);
    write();
    this.names = around;
  }

  #block({ statements }: Block): void {
    this.#inBlock(() => this.#statements(statements));
  }

  #statements(statements: readonly Statement[]): void {
    for (const one of statements) {
      this.#statement(one);
    }
  }

  #statement(one: Statement): void {
    switch (one.kind) {
      case "block":
        this.#block(one);
        break;
      case "variable":
        this.#variable(one);
        break;
      case "assign":
        this.#assign(one);
        break;
      case "step":
        this.#step(one);
        break;
      case "call statement":
        this.of(one.call);
        break;
      case "if":
        this.#if(one);
        break;
      case "for":
      case "while":
      case "loop":
        this.#inBlock(() => this.#loop(one));
        break;
      case "switch":
        this.#switch(one);
        break;
      case "return":
        this.#return(one.value);
        break;
      case "break":
        this.emit(`break ${this.#leaving.at(-1)?.label ?? noCode("no loop")};`);
        break;
      case "continue":
        this.emit(`break ${this.#leaving.filter(({ body }) => body).at(-1)?.body ?? noCode("no loop")};`);
        break;
      case "break if":
        this.emit(
          `if (${this.word(one.condition, bool)}) break ${this.#leaving.at(-1)?.label ?? noCode("no loop")};`,
        );
        break;
      case "empty":
        break;
      case "continuing":
      case "const_assert":
      case "discard":
        noCode(one.kind);
        break;
      default:
        one satisfies never;
    }
  }

  #variable(one: Variable): void {
    const { keyword, name, type: declared, value, template } = one;
    if (keyword === "const") {
      this.names.declare(name.name, { kind: "constant", variable: one, names: this.names.now() });
      return;
    }
    const [space] = template;
    if (keyword === "override" || (space && !(space.kind === "name" && space.name === "function"))) {
      noCode("a variable of another address space");
    }
    const type = declared ? this.typeOf(declared) : concrete(value ? this.typeOf(value) : nothing);
    const given = value ? this.as(value, type) : scalarsOf(type).map(zero);
    const id = this.id();
    const words = given.map((word, at) => {
      this.emit(`var v${id}_${at} = ${word};`);
      return `v${id}_${at}`;
    });
    // The value may use an outer variable of the same name.
    this.names.declare(name.name, { kind: "value", type, words });
  }

  #place(one: Expression): Place {
    switch (one.kind) {
      case "parentheses":
        return this.#place(one.inner);
      case "name": {
        const meaning = this.names.find(one.name);
        return meaning?.kind === "value"
          ? { type: meaning.type, rows: [meaning.words] }
          : noVariable(one.name);
      }
      case "member":
      case "index":
        return this.partOf(one, this.#place(one.of));
      default:
        return noCode("no variable");
    }
  }

  /** Stores words, each of which is computed before any is stored. */
  #store({ rows, row }: Place, given: Words): void {
    const words = given.length > 1 || row !== undefined ? given.map((word) => this.#copied(word)) : given;
    rows.forEach((places, index) => {
      const isLast = index === rows.length - 1;
      const condition = row === undefined ? "" : `if (${row} ${isLast ? ">=" : "==="} ${index}) `;
      places.forEach((place, at) => {
        this.emit(`${condition}${place} = ${words[at] ?? noCode("a value of another size")};`);
      });
    });
  }

  #copied(word: string): string {
    const name = `t${this.id()}`;
    this.emit(`var ${name} = ${word};`);
    return name;
  }

  #assign({ target, operator, value, from, to }: Extract<Statement, { kind: "assign" }>): void {
    if (target === undefined) {
      this.as(value, concrete(this.typeOf(value)));
      return;
    }
    const place = this.#place(target);
    if (operator === undefined) {
      this.#store(place, this.as(value, place.type));
      return;
    }
    const both = { kind: "binary", operator, at: from, left: target, right: value, from, to } as const;
    this.#store(place, this.compound(both, place.type, this.load(place)));
  }

  #step({ target, operator }: Extract<Statement, { kind: "step" }>): void {
    const place = this.#place(target);
    const name = scalarNameOf(place.type);
    const [word = ""] = this.load(place);
    this.#store(place, [binary(operator === "++" ? "+" : "-", name, word, literal(name, 1n))]);
  }

  #if({ condition, then, otherwise }: Extract<Statement, { kind: "if" }>): void {
    this.emit(`if (${this.word(condition, bool)}) {`);
    this.#block(then);
    if (otherwise !== undefined) {
      this.emit("} else {");
      this.#statement(otherwise);
    }
    this.emit("}");
  }

  #loop(one: Extract<Statement, { kind: "for" | "while" | "loop" }>): void {
    const id = this.id();
    if (one.kind === "for" && one.start) {
      this.#statement(one.start);
    }
    this.emit(`L${id}: for (var n${id} = 0; ; ) {`);
    this.emit(`if (++n${id} > ${MOST_TURNS}) isEndless();`);
    const condition = one.kind === "loop" ? undefined : one.condition;
    if (condition !== undefined) {
      this.emit(`if (!${this.word(condition, bool)}) break;`);
    }
    this.#leaving.push({ label: `L${id}`, body: `C${id}` });
    this.#inBlock(() => this.#loopBody(one.body, `C${id}`));
    if (one.kind === "for" && one.update) {
      this.#statement(one.update);
    }
    this.#leaving.pop();
    this.emit("}");
  }

  /** What a loop's body declares is visible in its `continuing`, which stands last. */
  #loopBody({ statements }: Block, label: string): void {
    const last = statements.at(-1);
    const continuing = last?.kind === "continuing" ? last.body.statements : [];
    this.emit(`${label}: {`);
    this.#statements(last?.kind === "continuing" ? statements.slice(0, -1) : statements);
    this.emit("}");
    this.#statements(continuing);
  }

  #switch({ on, cases }: Extract<Statement, { kind: "switch" }>): void {
    const id = this.id();
    const types = [on, ...cases.flatMap(({ selectors }) => selectors)].map((one) => this.typeOf(one));
    const type = types.find((of) => of.kind === "scalar" && !isAbstract(of)) ?? scalar("i32");
    this.emit(`S${id}: switch (${this.word(on, type)}) {`);
    this.#leaving.push({ label: `S${id}` });
    for (const { selectors, isDefault, body } of cases) {
      for (const selector of selectors) {
        const value = this.typing.constantOf(selector);
        this.emit(`case ${value === undefined ? noCode("a selector") : literal(scalarNameOf(type), value)}:`);
      }
      this.emit(`${isDefault ? "default: " : ""}{`);
      this.#block(body);
      this.emit(`} break S${id};`);
    }
    this.#leaving.pop();
    this.emit("}");
  }

  #return(value: Expression | undefined): void {
    const returning = this.#returning ?? noCode("no function");
    if (value !== undefined) {
      const words = this.as(value, returning.type);
      words.forEach((word, at) => {
        this.emit(`${returning.words[at]} = ${word};`);
      });
    }
    this.emit(`break ${returning.label};`);
  }
}
