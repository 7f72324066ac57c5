import type { Expression, Parameter, Statement } from "../../text/syntax.ts";
import type { Type } from "../../text/wgsl_types.ts";
import { scalar } from "../../text/wgsl_types.ts";
import type { Way } from "../machine/ways.ts";
import { BRANCHED, LEFT_LOOP } from "../machine/ways.ts";
import { STORAGE_MEMORY, WORK_GROUP_MEMORY } from "../machine/work_group.ts";
import { builtinWordsOf } from "./builtin_values.ts";
import { atomicTexts, zeroOutside } from "./expressions.ts";
import type { SharedFunction } from "./function_text.ts";
import { hasArray, scalarOf } from "./layout.ts";
import type { Call, FunctionDeclaration } from "./module.ts";
import { attributeOf } from "./module.ts";
import type { Words } from "./place_writer.ts";
import { whenInside, wordName } from "./place_writer.ts";
import type { Local, MemoryPlace, Place } from "./places.ts";
import { at, plusTerm, textOfIndex } from "./places.ts";
import { hasAbstract } from "./settled.ts";
import { conditionText, partsOfLoop, StatementWriter } from "./statements.ts";
import { isSubgroupFunction, subgroupCall } from "./subgroup_calls.ts";
import type { Declared } from "./uses.ts";

// Functions in which threads meet. All threads of a work-group run each of their steps together, under a mask of those that are active.
// What stands between two such steps is a stretch: a loop over the active threads, in which each thread runs it from start to end.
// A variable that two stretches use is a column: an array with an element for each thread.

interface Stretch {
  readonly id: number;
  readonly mask: string;
  readonly before: readonly string[];
  readonly lines: readonly string[];
}

/** The names of columns that other functions find in the scope: of a word of a parameter, of a parameter in memory, of a word of a result. */
const parameterColumn = (name: string, parameter: number, word: number): string =>
  `a${parameter}_${word}_${name}`;
const parameterMemory = (name: string, parameter: number): string => `a${parameter}_${name}`;
const resultColumn = (name: string, word: number): string => `r${word}_${name}`;

/** In a line: the declaration of a variable, or the variable; the place of memory; and a column. */
const PLACES = /(var (?=\$v\d+_\d+\$ =))?\$v(\d+)_(\d+)\$|\$b(\d+)\$|@A(\d+)_(\d+)/g;

/** In a line, a variable, which may be declared or assigned there. */
const VARIABLES = /(var )?(\$v(\d+)_\d+\$)( = )?/g;

/** The name of the count of a mask's threads. */
const countOf = (mask: string): string => `c${mask.slice(1)}`;

/** What puts a thread into a mask, and what takes it out. */
const entryText = (mask: string): string => `${mask}[t] = 1; ${countOf(mask)}++;`;
const exitText = (mask: string): string => `${mask}[t] = 0; ${countOf(mask)}--;`;

/** Turns of a loop in which threads meet. */
const MOST_TURNS = 2 ** 22;

const BARRIERS: Readonly<Record<string, number>> = {
  workgroupBarrier: WORK_GROUP_MEMORY,
  storageBarrier: STORAGE_MEMORY,
  textureBarrier: STORAGE_MEMORY,
};

export class WideWriter extends StatementWriter {
  readonly #out: (string | Stretch)[] = [];
  /** The masks that hold the active threads, from the function's own to the innermost. */
  #masks: string[] = [];
  #before: string[] = [];
  readonly #columns = new Set<number>();
  readonly #memories: Local[] = [];
  readonly #arrays: Local[] = [];

  // The whole function

  override write(): SharedFunction {
    const { name, parameters, result, body } = this.declaration;
    const { module } = this.output;
    const { yields } = module.reachOf(name.name);
    const own = this.#newMask();
    this.#masks = [own];
    const locals = parameters.map((parameter) => this.parameterLocal(parameter));
    for (const local of locals) {
      this.#columns.add(local.id);
      if (local.inMemory) {
        this.#memories.push(local);
      }
    }
    const count = result ? this.wordsIn(module.typing.typeOf(result)) : 0;
    for (let word = 0; word < count; word++) {
      const column = resultColumn(name.name, word);
      this.output.declareColumn(column);
      this.output.give(column);
    }
    const isEntry = this.declaration.attributes.some((one) => one.name === "compute");
    if (isEntry) {
      this.#takeBuiltins(locals);
    }
    this.statements(body.statements);
    this.#flush();
    const memories = locals.flatMap(({ target }) => (target ? [target.memory] : []));
    const head = `function${yields ? "*" : ""} f_${name.name}(${["mask", "count", ...memories].join(", ")}) {`;
    const start = `${own}.set(mask); ${countOf(own)} = count;`;
    const text = [head, start, ...this.#assembled(memories.join(", ")), "}"].join("\n");
    this.output.give(`f_${name.name}`);
    this.#giveParameters(locals);
    return this.output.finished(text);
  }

  /** Callers write parameters where these are. */
  #giveParameters(locals: readonly Local[]): void {
    locals.forEach(({ id, inMemory }, parameter) => {
      if (inMemory) {
        this.output.give(parameterMemory(this.functionName, parameter), `M${id}`);
        return;
      }
      for (let word = 0; word < (this.#parameterWords.get(id) ?? 0); word++) {
        const column = parameterColumn(this.functionName, parameter, word);
        this.output.give(column, this.#columnName(String(id), String(word)));
      }
    });
  }

  #takeBuiltins(locals: readonly Local[]): void {
    const { parameters } = this.declaration;
    const { module } = this.output;
    parameters.forEach(({ attributes, type }, index) => {
      const builtin = attributeOf(attributes, "builtin");
      const found = module.typing.typeOf(type);
      const words =
        builtin === undefined && found.kind === "struct"
          ? [...module.layout.attributesOf(found).values()].flatMap((of) =>
              builtinWordsOf(attributeOf(of, "builtin")?.args[0]),
            )
          : builtinWordsOf(builtin?.args[0]);
      const local = locals[index] as Local;
      words.forEach((word, at) => {
        this.emit(`${wordName(local, at)} = ${word};`);
      });
    });
  }

  /** The function's lines. Only now it is known which variables are columns. */
  #assembled(memories: string): string[] {
    this.#findColumns();
    this.#declareMemories();
    this.#declareParameters();
    return this.#out.flatMap((one) =>
      typeof one === "string" ? [this.#placed(one)] : [...one.before, this.#stretchText(one, memories)],
    );
  }

  /**
   * Where work-groups stop before atomics, a stretch is a function of its own: what a generator keeps while it stops is all variables in it.
   */
  #stretchText({ id, mask, lines }: Stretch, memories: string): string {
    const [loads, text] = this.#withLoads(lines.join("\n").replaceAll("$stretch$", `S${id}`));
    const loop = [
      `{ const n = ${countOf(mask)}, o = g.order(${mask}, n);`,
      `S${id}: for (let k = 0; k < n; k++) { const t = o[k];`,
      ...loads,
      this.#placed(text),
      "} }",
    ].join("\n");
    if (!this.output.module.reachOf(this.functionName).yields) {
      return loop;
    }
    this.output.declare(`function s${id}(${memories}) ${loop}`);
    return `s${id}(${memories});`;
  }

  /** A stretch that uses a thread's element of a column several times loads it once, and stores what it assigns. */
  #withLoads(text: string): readonly [loads: readonly string[], text: string] {
    const used = new Set<string>();
    const loads = new Map<string, string>();
    for (const [, declares, name = "", id] of text.matchAll(VARIABLES)) {
      if (used.has(name) && !loads.has(name)) {
        loads.set(name, `let ${loadedName(name)} = ${this.#placed(name)};`);
      } else if (this.#columns.has(Number(id))) {
        used.add(name);
        if (declares) {
          loads.set(name, `let ${loadedName(name)};`);
        }
      }
    }
    const changed = text.replaceAll(VARIABLES, (whole: string, ...found: readonly string[]) => {
      const [, name = "", , assigns] = found;
      return !loads.has(name) ? whole : loadedName(name) + (assigns ? ` = ${name} = ` : "");
    });
    return [[...loads.values()], changed];
  }

  /** Variables and memory that two stretches use are columns. */
  #findColumns(): void {
    const stretchOf = new Map<number, number>();
    for (const one of this.#out) {
      if (typeof one === "string") {
        continue;
      }
      for (const [, text] of one.lines.join("\n").matchAll(/(?:\$[vb]|\bM)(\d+)(?:[_$]|\b)/g)) {
        const id = Number(text);
        if ((stretchOf.get(id) ?? one.id) !== one.id) {
          this.#columns.add(id);
        }
        stretchOf.set(id, one.id);
      }
    }
  }

  #declareMemories(): void {
    const arrays = this.#arrays.filter(({ id }) => this.#columns.has(id));
    for (const { id, type } of [...this.#memories, ...arrays]) {
      this.output.declareMemory(`M${id}`, this.wordsIn(type), this.#columns.has(id));
      this.#memoryWords.set(id, this.wordsIn(type));
    }
  }

  /** Callers write parameters, also those that the function does not use. */
  #declareParameters(): void {
    for (const [id, count] of this.#parameterWords) {
      if (this.#columns.has(id) && !this.#memoryWords.has(id)) {
        for (let word = 0; word < count; word++) {
          this.#columnName(String(id), String(word));
        }
      }
    }
  }

  #columnName(id: string, word: string): string {
    const name = `A${id}_${word}`;
    this.output.declareColumn(name);
    return name;
  }

  /** A line in which all variables have their places. */
  #placed(line: string): string {
    return line.replaceAll(PLACES, (whole: string, ...found: readonly (string | undefined)[]) => {
      const [, variable, word = "", memory, column, columnWord = ""] = found;
      const id = variable ?? memory ?? column ?? "";
      if (column === undefined && !this.#columns.has(Number(id))) {
        return memory === undefined ? whole : "0";
      }
      if (memory !== undefined) {
        return `t * ${this.#memoryWords.get(Number(id))}`;
      }
      return column === undefined ? this.#inColumn(id, word) : this.#columnName(id, columnWord);
    });
  }

  /** A thread's word of a variable that two stretches use. */
  #inColumn(id: string, word: string): string {
    const words = this.#memoryWords.get(Number(id));
    return words === undefined ? `${this.#columnName(id, word)}[t]` : `M${id}[t * ${words} + ${word}]`;
  }

  readonly #memoryWords = new Map<number, number>();
  readonly #parameterWords = new Map<number, number>();

  protected override parameterLocal(parameter: Parameter): Local {
    const local = super.parameterLocal(parameter);
    this.#parameterWords.set(local.id, this.wordsInLocal(local));
    return local;
  }

  /** Callers write parameters, and know only their types. */
  protected override liesInMemory(declared: Declared, type: Type): boolean {
    return "keyword" in declared ? super.liesInMemory(declared, type) : hasArray(type);
  }

  /** An array of variables is in memory if two stretches use it. */
  override declare(local: Local, words: Words): void {
    if (!local.inMemory && hasArray(local.type)) {
      this.#arrays.push(local);
    }
    super.declare(local, words);
  }

  protected override declareMemory(local: Local): void {
    this.#memories.push(local);
  }

  /** The text of a variable's column, for what all threads do together. */
  #column(local: Local, word = 0): string {
    this.#columns.add(local.id);
    return `@A${local.id}_${word}`;
  }

  // Stretches

  get #mask(): string {
    return this.#masks.at(-1) as string;
  }

  #flush(): void {
    const lines = this.takeLines();
    if (lines.length > 0 || this.#before.length > 0) {
      this.#out.push({ id: this.output.id(), mask: this.#mask, before: this.#before, lines });
      this.#before = [];
    }
  }

  /** A line that runs once for all threads. */
  #together(line: string): void {
    this.#flush();
    this.#out.push(line);
  }

  /** A mask, and the count of its threads. */
  #newMask(): string {
    const name = `k${this.output.id()}`;
    this.output.declareMask(name);
    this.output.declare(`var ${countOf(name)};`);
    return name;
  }

  /** A mask that holds the threads of another one. */
  #copyOf(mask: string): string {
    const name = this.#newMask();
    this.#together(`${name}.set(${mask}); ${countOf(name)} = ${countOf(mask)};`);
    return name;
  }

  /** What `write` emits, for the threads of a mask, if there are any. */
  #under(mask: string, write: () => void): void {
    this.#together(`if (${countOf(mask)} > 0) {`);
    this.#masks.push(mask);
    write();
    this.#flush();
    this.#masks.pop();
    this.#together("}");
  }

  /** An empty mask. The next stretch fills it. */
  #emptied(): string {
    const mask = this.#newMask();
    this.#before.push(`${mask}.fill(0); ${countOf(mask)} = 0;`);
    return mask;
  }

  // Statements

  #isWide(one: Statement | Expression | undefined): boolean {
    return one !== undefined && this.output.module.reachIn(this.declaration, one).isWide;
  }

  override statement(one: Statement): void {
    if (!this.#isWide(one)) {
      super.statement(one);
      return;
    }
    switch (one.kind) {
      case "block":
        this.inBlock(() => this.statements(one.statements));
        break;
      case "if":
        this.#wideIf(one);
        break;
      case "for":
      case "while":
      case "loop":
        this.inBlock(() => this.#wideLoop(one));
        break;
      case "switch":
        this.#wideSwitch(one);
        break;
      case "break if":
        this.#hoist(one.condition);
        super.statement(one);
        break;
      case "variable":
      case "return":
        this.#hoist(one.value);
        super.statement(one);
        break;
      case "assign":
        this.#wideAssign(one);
        break;
      case "step":
        this.#hoistPlace(one.target, false);
        super.statement(one);
        break;
      case "call statement":
        this.#hoist(one.call);
        super.statement(one);
        break;
      default:
        super.statement(one);
    }
  }

  /** The place comes first, then the value before of `a op= b`, then the new value. */
  #wideAssign(one: Extract<Statement, { kind: "assign" }>): void {
    const { target, operator, value, from } = one;
    if (target === undefined || !this.#isWide(value)) {
      this.#hoistPlace(target, false);
      this.#hoist(value);
      super.statement(one);
      return;
    }
    this.#hoistPlace(target, true);
    const place = this.#keptPlace(this.place(target));
    const before = operator && this.#kept(place.type, this.load(place, from));
    this.#hoist(value);
    this.assignTo(place, one, before);
  }

  #wideIf({ condition, then, otherwise }: Extract<Statement, { kind: "if" }>): void {
    this.#hoist(condition);
    const yes = this.#emptied();
    const no = otherwise && this.#emptied();
    this.noteWay(BRANCHED, condition.from);
    const text = conditionText(this.word(condition));
    this.emit(`if (${text}) { ${entryText(yes)} }${no ? ` else { ${entryText(no)} }` : ""}`);
    this.#under(yes, () => this.inBlock(() => this.statements(then.statements)));
    if (no) {
      this.#under(no, () => this.statement(otherwise));
    }
  }

  #wideLoop(one: Extract<Statement, { kind: "for" | "while" | "loop" }>): void {
    if (one.kind === "for" && one.start) {
      this.statement(one.start);
    }
    const id = this.output.id();
    const live = this.#copyOf(this.#mask);
    this.#together(`for (let turns${id} = 0; ${countOf(live)} > 0; ) {`);
    this.#together(`if (++turns${id} > ${MOST_TURNS}) g.stuck(${live}.indexOf(1), ${this.site(one.from)});`);
    const depth = this.#masks.length;
    this.#masks.push(live);
    const condition = one.kind === "loop" ? undefined : one.condition;
    if (condition !== undefined) {
      this.#hoist(condition);
      this.noteWay(LEFT_LOOP, condition.from);
      this.emit(`if (!(${conditionText(this.word(condition))})) { ${exitText(live)} }`);
      this.#together(`if (${countOf(live)} === 0) break;`);
    }
    const inTurn = this.#copyOf(live);
    this.leaving.push({ isLoop: true, label: "", depth });
    const { body, continuing } = partsOfLoop(one.body);
    this.#masks.push(inTurn);
    this.inBlock(() => {
      this.statements(body);
      this.#flush();
      this.#masks.pop();
      this.statements(continuing);
    });
    if (one.kind === "for" && one.update) {
      this.statement(one.update);
    }
    this.#flush();
    this.leaving.pop();
    this.#masks.pop();
    this.#together("}");
  }

  #wideSwitch({ on, cases }: Extract<Statement, { kind: "switch" }>): void {
    this.#hoist(on);
    const type = this.selectorType(on, cases);
    const masks = cases.map(() => this.#emptied());
    this.noteWay(BRANCHED, on.from);
    this.emit(`switch (${this.word(on, type)}) {`);
    cases.forEach(({ selectors, isDefault }, index) => {
      const labels = selectors.map((selector) => `case ${this.selectorWord(selector, type)}:`);
      const all = [...labels, ...(isDefault ? ["default:"] : [])].join(" ");
      this.emit(`${all} ${entryText(masks[index] as string)} break;`);
    });
    this.emit("}");
    cases.forEach(({ body }, index) => {
      this.leaving.push({ isLoop: false, label: "", depth: this.#masks.length });
      this.#under(masks[index] as string, () => this.inBlock(() => this.statements(body.statements)));
      this.leaving.pop();
    });
  }

  protected override writeReturn(value: Expression | undefined): void {
    const { result, name } = this.declaration;
    if (value !== undefined && result !== undefined) {
      const words = this.value(value, this.output.module.typing.typeOf(result));
      words.forEach((word, at) => {
        this.emit(`${resultColumn(name.name, at)}[t] = ${word};`);
      });
    }
    this.#leave(0);
  }

  protected override writeBreak(): void {
    const last = this.leaving.at(-1);
    if (last?.depth === undefined) {
      super.writeBreak();
    } else {
      this.#leave(last.depth);
    }
  }

  protected override writeContinue(): void {
    const loop = this.innermostLoop;
    if (loop?.depth === undefined) {
      super.writeContinue();
    } else {
      // The loop's own mask keeps the thread.
      this.#leave(loop.depth + 1);
    }
  }

  /** Takes the thread out of the masks from this one on. It does nothing more in the stretch. */
  #leave(depth: number): void {
    this.emit(`${this.#masks.slice(depth).map(exitText).join(" ")} continue $stretch$;`);
  }

  // Expressions: what all threads do together comes first, and leaves its result in variables.

  #hoist(one: Expression | undefined): void {
    if (one === undefined || this.hoisted.has(one) || !this.#isWide(one)) {
      return;
    }
    switch (one.kind) {
      case "parentheses":
        this.#hoist(one.inner);
        break;
      case "member":
        this.#hoist(one.of);
        break;
      case "unary":
        if (one.operator === "&" || one.operator === "*") {
          this.#hoistPlace(one.operand, false);
        } else {
          this.#hoist(one.operand);
        }
        break;
      case "index":
        if (this.isPlace(one)) {
          this.#hoistPlace(one, false);
        } else {
          this.#hoistAll([one.of, one.index]);
        }
        break;
      case "binary":
        if (one.operator === "&&" || one.operator === "||") {
          this.#hoistShortCircuit(one);
        } else {
          this.#hoistAll([one.left, one.right]);
        }
        break;
      case "call":
        this.#hoistAll(one.args);
        this.#meet(one);
        break;
      default:
        break;
    }
  }

  /** Of a place, only the indices are read, from left to right. What lies there is not. With `isKept`, a step of all threads comes after it. */
  #hoistPlace(one: Expression | undefined, isKept: boolean): void {
    switch (one?.kind) {
      case "parentheses":
        this.#hoistPlace(one.inner, isKept);
        break;
      case "unary":
        this.#hoistPlace(one.operand, isKept);
        break;
      case "member":
        this.#hoistPlace(one.of, isKept);
        break;
      case "index":
        this.#hoistPlace(one.of, isKept || this.#isWide(one.index));
        this.#hoist(one.index);
        if (isKept) {
          this.#keep(one.index);
        }
        break;
      default:
        this.#hoist(one);
    }
  }

  /** If the program is watched. */
  protected override noteWay(way: Way, from: number): void {
    const line = this.output.watching?.way(way, this.site(from));
    if (line) {
      this.emit(line);
    }
  }

  /** What stands before such a step is read before it. */
  #hoistAll(expressions: readonly Expression[]): void {
    const last = expressions.map((one) => this.#isWide(one)).lastIndexOf(true);
    expressions.slice(0, last + 1).forEach((one, index) => {
      this.#hoist(one);
      if (index < last) {
        this.#keep(one);
      }
    });
  }

  #keep(one: Expression): void {
    const { typing } = this.output.module;
    const type = typing.typeOf(one);
    if (type.kind === "pointer") {
      this.#hoistPlace(one, true);
      return;
    }
    // An expression of abstract numbers is constant. Its type follows from what stands around it.
    if (typing.constantOf(one) !== undefined || hasAbstract(type) || this.hoisted.has(one)) {
      return;
    }
    const settled = this.typeOf(one);
    this.hoisted.set(one, this.#kept(settled, this.value(one, settled)));
  }

  /** Words in a new variable. */
  #kept(type: Type, words: Words): Words {
    const local = this.local(type, false);
    this.declare(local, words);
    return words.map((_, word) => wordName(local, word));
  }

  #hoistShortCircuit(one: Extract<Expression, { kind: "binary" }>): void {
    this.#hoist(one.left);
    if (!this.#isWide(one.right)) {
      return;
    }
    const [name = ""] = this.#kept(scalar("bool"), [this.word(one.left)]);
    const mask = this.#emptied();
    this.noteWay(BRANCHED, one.from);
    this.emit(`if (${one.operator === "&&" ? "" : "!"}${name}) { ${entryText(mask)} }`);
    this.#under(mask, () => {
      this.#hoist(one.right);
      this.emit(`${name} = ${this.word(one.right)};`);
    });
    this.hoisted.set(one, [name]);
  }

  /** A call at which threads meet. */
  #meet(one: Call): void {
    const { name } = one.callee;
    const declared = this.output.module.functions.get(name);
    if (declared !== undefined) {
      if (this.output.module.reachOf(name).isWide) {
        this.hoisted.set(one, this.#callWide(one, declared));
      }
      return;
    }
    if (Object.hasOwn(BARRIERS, name)) {
      this.#barrier(BARRIERS[name] as number, one);
      this.hoisted.set(one, []);
    } else if (name === "workgroupUniformLoad") {
      this.hoisted.set(one, this.#uniformLoad(one));
    } else if (name.startsWith("atomic")) {
      // Those on work-group memory are done by each thread for itself.
      if (this.output.module.storageAtomics.has(one)) {
        this.hoisted.set(one, this.#storageAtomic(one));
      }
    } else if (isSubgroupFunction(name)) {
      this.hoisted.set(one, this.#subgroup(one));
    }
  }

  #barrier(kind: number, { from }: Call): void {
    this.#together(`g.barrier(${this.#mask}, ${countOf(this.#mask)}, ${kind}, ${this.site(from)});`);
  }

  #callWide(one: Call, declared: FunctionDeclaration): Words {
    const { name } = declared.name;
    const { module } = this.output;
    const memories: string[] = [];
    declared.parameters.forEach(({ type: given }, parameter) => {
      const arg = one.args[parameter] as Expression;
      const type = module.typing.typeOf(given);
      if (type.kind === "pointer") {
        const place = this.pointer(arg);
        memories.push(place.memory);
        this.#keepMemory(place);
        this.pointerWords(place).forEach((word, at) => {
          this.emit(`${this.output.take(parameterColumn(name, parameter, at))}[t] = ${word};`);
        });
        return;
      }
      const words = this.value(arg, type);
      words.forEach((word, at) => {
        const target = hasArray(type)
          ? `${this.output.take(parameterMemory(name, parameter))}[t * ${words.length} + ${at}]`
          : `${this.output.take(parameterColumn(name, parameter, at))}[t]`;
        this.emit(`${target} = ${word};`);
      });
    });
    const call = `${this.output.take(`f_${name}`)}(${[this.#mask, countOf(this.#mask), ...memories].join(", ")})`;
    const [before, behind] = this.around(one, this.#mask);
    for (const line of [...before, `${module.reachOf(name).yields ? "yield " : ""}${call};`, ...behind]) {
      this.#together(line);
    }
    if (declared.result === undefined) {
      return [];
    }
    const result = module.typing.typeOf(declared.result);
    const columns = Array.from({ length: this.wordsIn(result) }, (_, word) =>
      this.output.take(resultColumn(name, word)),
    );
    return this.#kept(
      result,
      columns.map((column) => `${column}[t]`),
    );
  }

  /** The called function reads and writes what lies there in stretches of its own, so each thread has a variable of its own. */
  #keepMemory({ memory }: MemoryPlace): void {
    const [, id] = /^M(\d+)$/.exec(memory) ?? [];
    if (id !== undefined) {
      this.#columns.add(Number(id));
    }
  }

  #uniformLoad(one: Call): Words {
    const place = this.#keptPlace(this.pointer(one.args[0] as Expression));
    this.#barrier(WORK_GROUP_MEMORY, one);
    const type = place.type.kind === "atomic" ? place.type.of : place.type;
    const words = this.#kept(type, this.load(place, one.from));
    this.#barrier(WORK_GROUP_MEMORY, one);
    return words;
  }

  /** The same place, where its index stays what it was. */
  #keptPlace<Of extends Place>(place: Of): Of {
    if (place.kind === "register") {
      const [component] = place.component ? this.#kept(scalar("u32"), [place.component]) : [];
      return component === undefined ? place : { ...place, component };
    }
    if (place.index.terms.length === 0) {
      return place;
    }
    const [index = ""] = this.#kept(scalar("u32"), [textOfIndex(place.index)]);
    const [isInside] = place.isInside ? this.#kept(scalar("bool"), [place.isInside]) : [];
    return { ...place, index: plusTerm(at(0), index, 1), isInside };
  }

  /** Other work-groups go on before it. Then each active thread does it, and goes on to the end of the stretch. */
  #storageAtomic(one: Call): Words {
    const pointed = this.pointer(one.args[0] as Expression);
    const of = scalarOf(pointed.type);
    const place = this.#keptPlace(pointed);
    const args = one.args
      .slice(1)
      .map((arg) => this.#kept(scalar(of), [this.word(arg, scalar(of))])[0] as string);
    this.#together(`yield ${this.site(one.from)};`);
    const { memory, isInside } = place;
    const index = this.named(textOfIndex(place.index, 4));
    const reads = one.callee.name === "atomicLoad" ? "load" : "latest";
    const old = this.named(
      zeroOutside(isInside, `${memory}.${reads}(${index}, g, ${this.site(one.from)}, t)`),
    );
    const { stored, result } = atomicTexts(one.callee.name, of, old, args);
    if (stored !== undefined) {
      this.emit(`${whenInside(isInside)}${memory}.store(${index}, ${stored}, g);`);
    }
    const type: Type = this.output.module.typing.typeOf(one);
    return result.length === 0 ? [] : this.#kept(type, result);
  }

  #subgroup(one: Call): Words {
    const { name } = one.callee;
    const operands = this.operandsOf(one, undefined).map(({ type, words }) => {
      const local = this.local(type, false);
      this.declare(local, words);
      return { type, local, count: words.length };
    });
    const [first, second] = operands;
    const result = this.output.module.typing.typeOf(one);
    const type = result.kind === "vector" || first === undefined ? result : this.typeOf(one, first.type);
    const local = this.local(type, false);
    const tail = `${this.site(one.from)});`;
    const mask = this.#mask;
    const output = (word = 0): string => this.#column(local, word);
    if (name === "subgroupElect") {
      this.#together(`g.elect(${mask}, ${output()}, ${tail}`);
    } else if (first === undefined) {
      return this.fail(`the simulator has no function ${name}`, one);
    } else if (name === "subgroupBallot") {
      const outputs = [0, 1, 2, 3].map(output).join(", ");
      this.#together(`g.ballot(${mask}, ${this.#column(first.local)}, [${outputs}], ${tail}`);
    } else if (name === "subgroupAll" || name === "subgroupAny") {
      const input = this.#column(first.local);
      this.#together(`g.vote(${mask}, ${name === "subgroupAll"}, ${input}, ${output()}, ${tail}`);
    } else {
      const by = second && this.#column(second.local);
      const of = scalarOf(scalarPart(first.type));
      const call =
        subgroupCall(this.output, name, of, by) ?? this.fail(`the simulator has no function ${name}`, one);
      for (let word = 0; word < first.count; word++) {
        const input = this.#column(first.local, word);
        this.#together(call(mask, input, output(word)) + tail);
      }
    }
    return Array.from({ length: this.wordsIn(type) }, (_, word) => wordName(local, word));
  }
}

/** The name of what is loaded of a variable that is a column. */
const loadedName = (variable: string): string => `y${variable.slice(2, -1)}`;

const scalarPart = (type: Type): Type => (type.kind === "vector" ? type.of : type);
