import type { Helper, Surroundings, Variable } from "./random_expressions.ts";
import { ExpressionMaker } from "./random_expressions.ts";
import type { Choices, StructType, Type } from "./random_types.ts";
import { bool, randomType, scalar, scalarsOf, textOf, u32, vector } from "./random_types.ts";

// Random statements of a function. Loops end after few turns. Barriers stand only where WGSL sees that all threads come by: under
// conditions of uniform values, and in no loop that a thread may leave before the others.

/** What a function is made with. */
export interface FunctionPlan {
  readonly choices: Choices;
  readonly structs: readonly StructType[];
  readonly helpers: readonly Helper[];
  readonly globals: readonly Variable[];
  readonly parameters: readonly Variable[];
  readonly result: Type;
  readonly meeting: number;
  /** Whether it has barriers, and may call functions that have. */
  readonly hasBarriers: boolean;
  readonly barrierHelpers: readonly Helper[];
}

/** What may stand at a place. */
interface Flow {
  /** Whether WGSL sees that all threads come by together. */
  readonly isUniform: boolean;
  readonly canReturn: boolean;
  readonly canBreak: boolean;
  readonly canContinue: boolean;
  readonly depth: number;
  readonly loops: number;
}

export class FunctionMaker {
  readonly #plan: FunctionPlan;
  readonly #choices: Choices;
  readonly #scopes: Variable[][];
  /** Names of values that are the same for all threads. */
  readonly #uniform: string[] = ["id"];
  readonly #around: Surroundings & { variables: readonly Variable[] };
  readonly #expressions: ExpressionMaker;
  #names = 0;

  constructor(plan: FunctionPlan) {
    this.#plan = plan;
    this.#choices = plan.choices;
    this.#scopes = [[...plan.globals], [...plan.parameters]];
    this.#around = {
      choices: plan.choices,
      variables: [],
      helpers: plan.helpers,
      meeting: plan.meeting,
      calls: 8,
    };
    this.#expressions = new ExpressionMaker(this.#around);
  }

  /** The body of a function, with its braces. With `hash`, it returns a hash of all its variables. */
  body(hash: boolean): string {
    const flow = {
      isUniform: true,
      canReturn: !this.#plan.hasBarriers,
      canBreak: false,
      canContinue: false,
      depth: 2,
      loops: 0,
    };
    this.#scopes.push([]);
    const lines = this.#lines(flow, 2 + this.#choices.below(4));
    const result = hash ? this.#hashed(lines) : this.#make(this.#plan.result);
    return `{\n${[...lines, `return ${result};`].join("\n")}\n}`;
  }

  #hashed(lines: string[]): string {
    lines.push("var hash = 0u;");
    for (const { text, type } of this.#visible()) {
      for (const [of, name] of scalarsOf(text, type)) {
        const word = name === "u32" ? of : name === "f32" ? `u32(i32(small(${of})))` : `u32(${of})`;
        lines.push(`hash = (hash ^ ${word}) * 16777619u;`);
      }
    }
    return "hash";
  }

  #make(type: Type, depth = 1 + this.#choices.below(2)): string {
    this.#around.variables = this.#visible();
    return this.#expressions.make(type, depth);
  }

  #name(): string {
    // Now and then a name hides another of an outer block.
    const outer = this.#scopes.slice(2, -1).flat();
    const hidden = this.#choices.percent(15) && outer.length > 0 ? this.#choices.of(outer).text : "";
    const isFree = /^v\d+$/.test(hidden) && !this.#scopes.at(-1)?.some(({ text }) => text.includes(hidden));
    return isFree ? hidden : `v${this.#names++}`;
  }

  #declare(variable: Variable): void {
    this.#scopes.at(-1)?.push(variable);
  }

  /** The variables that no inner one hides. */
  #visible(): readonly Variable[] {
    const nameOf = ({ text }: Variable): string => /\w+/.exec(text)?.[0] ?? "";
    return this.#scopes.flatMap((scope, level) => {
      const inner = new Set(this.#scopes.slice(level + 1).flatMap((one) => one.map(nameOf)));
      return scope.filter((variable) => !inner.has(nameOf(variable)));
    });
  }

  /** Writes a block with names of its own. */
  #block(flow: Flow, count = 1 + this.#choices.below(2), first: readonly string[] = []): string {
    const before = [...this.#scopes];
    const uniform = this.#uniform.length;
    this.#scopes.push([]);
    const lines = [...first, ...this.#lines(flow, count)];
    this.#scopes.length = 0;
    this.#scopes.push(...before);
    this.#uniform.length = uniform;
    return `{\n${lines.join("\n")}\n}`;
  }

  #lines(flow: Flow, count: number): string[] {
    return Array.from({ length: count }, () => this.#statement(flow));
  }

  #statement(flow: Flow): string {
    const choices = this.#choices;
    const kind = choices.below(flow.depth > 0 ? 20 : 11);
    if (kind < 4) {
      return this.#variable();
    }
    if (kind < 8) {
      return this.#assignment();
    }
    if (kind === 8) {
      return this.#step();
    }
    if (kind === 9) {
      return this.#plan.hasBarriers && flow.isUniform ? this.#barrier() : this.#exit(flow);
    }
    if (kind === 10) {
      return this.#callStatement();
    }
    const inside = { ...flow, depth: flow.depth - 1 };
    if (kind < 14) {
      return this.#if(inside);
    }
    if (kind < 18 && flow.loops < 2) {
      return this.#loop({ ...inside, loops: flow.loops + 1 });
    }
    return kind === 18 ? this.#block(inside) : this.#switch(inside);
  }

  // Simple statements

  #variable(): string {
    const choices = this.#choices;
    if (choices.percent(15)) {
      const pointer = this.#pointer();
      if (pointer !== undefined) {
        return pointer;
      }
    }
    const type = randomType(choices, this.#plan.structs);
    const keyword = choices.of(["let", "var", "var"]);
    const isZero = keyword === "var" && choices.percent(15);
    const value = isZero ? "" : ` = ${this.#make(type)}`;
    const name = this.#name();
    const isMutable = keyword === "var";
    this.#declare({ text: name, type, isMutable, hasAddress: isMutable });
    return `${keyword} ${name}${isZero || choices.percent(50) ? `: ${textOf(type)}` : ""}${value};`;
  }

  #pointer(): string | undefined {
    const type = randomType(this.#choices, this.#plan.structs);
    const target = this.#target(type, ({ hasAddress = false }) => hasAddress);
    if (target === undefined || /(?:\.[xyzwrgba]|\]) *$/.test(target.text)) {
      return undefined;
    }
    const name = this.#name();
    this.#declare({ text: `(*${name})`, type, isMutable: true });
    return `let ${name} = &${target.text};`;
  }

  #target(type: Type, canUse = ({ isMutable }: Variable): boolean => isMutable): Variable | undefined {
    this.#around.variables = this.#visible();
    return this.#expressions.path(type, 2, canUse);
  }

  #assignment(): string {
    const choices = this.#choices;
    if (choices.percent(5)) {
      return `_ = ${this.#make(randomType(choices, this.#plan.structs))};`;
    }
    const mutable = this.#visible().filter(({ isMutable }) => isMutable);
    const start = choices.of(mutable);
    const type = choices.percent(30) ? start.type : this.#numberType();
    const target = this.#target(type);
    if (target === undefined) {
      return "";
    }
    const isInteger = type.kind === "scalar" && (type.name === "u32" || type.name === "i32");
    if (isInteger && choices.percent(50)) {
      const operator = choices.of([..."+-*/%&|^", "<<", ">>"]);
      const value = operator.length === 2 ? `(${this.#make(u32)} & 31u)` : this.#make(type);
      return `${target.text} ${operator}= ${value};`;
    }
    const isVector = type.kind === "vector" && type.of.name !== "bool" && type.of.name !== "f32";
    if (isVector && choices.percent(50)) {
      const value = this.#make(choices.percent(30) ? type.of : type);
      return `${target.text} ${choices.of([..."+-*"])}= ${value};`;
    }
    return `${target.text} = ${this.#make(type)};`;
  }

  #numberType(): Type {
    const name = this.#choices.of(["u32", "i32", "f32", "bool"] as const);
    return this.#choices.percent(70) ? scalar(name) : vector(2 + this.#choices.below(3), name);
  }

  #step(): string {
    const target = this.#target(scalar(this.#choices.of(["u32", "i32"] as const)));
    return target === undefined ? "" : `${target.text}${this.#choices.of(["++", "--"])};`;
  }

  #callStatement(): string {
    const { helpers } = this.#plan;
    if (helpers.length === 0 || this.#around.calls <= 0) {
      return `atomicAdd(&tallies[t], ${this.#make(scalar("i32"), 2)});`;
    }
    this.#around.variables = this.#visible();
    const call = this.#expressions.call(this.#choices.of(helpers), 2);
    return call === undefined ? "" : `_ = ${call};`;
  }

  /** Leaves the function, a loop or a turn of it, under a condition. */
  #exit({ canReturn, canBreak, canContinue }: Flow): string {
    const exits = [
      ...(canReturn ? [`return ${this.#make(this.#plan.result, 2)};`] : []),
      ...(canBreak ? ["break;"] : []),
      ...(canContinue ? ["continue;"] : []),
    ];
    return exits.length === 0 ? "" : `if (${this.#make(bool, 2)}) { ${this.#choices.of(exits)} }`;
  }

  // Work-group memory

  #barrier(): string {
    const { barrierHelpers } = this.#plan;
    const choices = this.#choices;
    const value = this.#make(u32);
    const other = this.#make(u32, 1);
    const name = `v${this.#names++}`;
    this.#declare({ text: name, type: u32, isMutable: false });
    if (barrierHelpers.length > 0 && choices.percent(40)) {
      const call = (helper: Helper, arg: string): string => `${helper.name}(t, id, thread, ${arg})`;
      const first = call(choices.of(barrierHelpers), value);
      const second = choices.percent(50) ? call(choices.of(barrierHelpers), "t") : "0u";
      return `let ${name} = (${other} ^ ${first}) + ${second} * 3u;`;
    }
    if (choices.percent(30)) {
      return `if (t == ${choices.below(4)}u) { chosen = ${value}; }\nlet ${name} = workgroupUniformLoad(&chosen);`;
    }
    const from = `(t + ${1 + choices.below(7)}u) % THREADS`;
    return `words[t] = ${value};\nworkgroupBarrier();\nlet ${name} = words[${from}];\nworkgroupBarrier();`;
  }

  // Compound statements

  /** A condition, and whether all threads find the same. */
  #condition({ isUniform }: Flow): readonly [text: string, isUniform: boolean] {
    if (this.#plan.hasBarriers && isUniform && this.#choices.percent(60)) {
      return [`((${this.#uniformWord()}) & 1u) == ${this.#choices.below(2)}u`, true];
    }
    return [this.#make(bool), false];
  }

  #uniformWord(): string {
    const choices = this.#choices;
    return choices.percent(50)
      ? choices.of(this.#uniform)
      : `${choices.of(this.#uniform)} + ${choices.of(this.#uniform)} * ${choices.below(5)}u`;
  }

  /** What may stand where only some threads come by. */
  #under(flow: Flow, isUniform: boolean): Flow {
    return isUniform || !this.#plan.hasBarriers || !flow.isUniform
      ? flow
      : { ...flow, isUniform: false, canReturn: false, canBreak: false, canContinue: false };
  }

  #if(flow: Flow): string {
    const [condition, isUniform] = this.#condition(flow);
    const inside = this.#under(flow, isUniform);
    const then = `if (${condition}) ${this.#block(inside)}`;
    switch (this.#choices.below(4)) {
      case 0:
        return then;
      case 1:
        return `${then} else if (${this.#make(bool, 2)}) ${this.#block(this.#under(inside, false))}`;
      case 2:
        return `${then} else if (${this.#make(bool, 2)}) ${this.#block(this.#under(inside, false))} else ${this.#block(this.#under(inside, false))}`;
      default:
        return `${then} else ${this.#block(inside)}`;
    }
  }

  #switch(flow: Flow): string {
    const choices = this.#choices;
    const isUniform = this.#plan.hasBarriers && flow.isUniform && choices.percent(60);
    const on = isUniform ? `(${this.#uniformWord()}) % 5u` : `${this.#make(u32, 2)} % 5u`;
    const inside = { ...this.#under(flow, isUniform), canBreak: true };
    const body = (): string => this.#block(inside);
    const parts = [
      `case 0u: ${body()}`,
      choices.percent(50) ? `case 1u, 3u ${body()}` : `case 1, 3u, ${body()}`,
      choices.percent(50) ? `default: ${body()}` : `case 2u, default ${body()}`,
      `case 4u ${body()}`,
    ];
    // The default stands anywhere.
    const at = choices.below(parts.length);
    return `switch (${on}) {\n${[...parts.slice(at), ...parts.slice(0, at)].join("\n")}\n}`;
  }

  #loop(flow: Flow): string {
    const choices = this.#choices;
    const isUniform = this.#plan.hasBarriers && flow.isUniform && choices.percent(60);
    const around = this.#under(flow, isUniform);
    // Where a loop has barriers, its threads leave it together: only by its count.
    const canLeave = !around.isUniform || !this.#plan.hasBarriers;
    const inside = { ...around, canBreak: canLeave, canContinue: canLeave };
    const counter = `c${this.#names++}`;
    const turns = isUniform ? `${1 + choices.below(4)}u` : `(${this.#make(u32, 2)} % 5u)`;
    const variable = { text: counter, type: u32, isMutable: false };
    const body = (first: readonly string[] = []): string => {
      const before = [...this.#scopes];
      this.#scopes.push([variable]);
      if (isUniform) {
        this.#uniform.push(counter);
      }
      const text = this.#block(inside, 1 + choices.below(3), first);
      this.#scopes.length = 0;
      this.#scopes.push(...before);
      if (isUniform) {
        this.#uniform.pop();
      }
      return text;
    };
    switch (choices.below(3)) {
      case 0:
        return `for (var ${counter} = 0u; ${counter} < ${turns}; ${counter}++) ${body()}`;
      case 1:
        return `var ${counter} = 0u;\nwhile (${counter} < ${turns}) ${body([`${counter} += 1u;`])}`;
      default: {
        const last = `last${counter}`;
        const ends = choices.percent(50)
          ? `sum${counter} += ${last}; ${counter}++; break if ${counter} >= 3u;`
          : `sum${counter} ^= ${last}; ${counter} += 1u;`;
        const first = [
          `if (${counter} >= ${isUniform ? turns : "4u"}) { break; }`,
          `let ${last} = ${isUniform ? counter : this.#make(u32, 2)};`,
        ];
        const text = body(first).replace(/\}$/, `continuing { ${ends} }\n}`);
        this.#declare({ text: `sum${counter}`, type: u32, isMutable: true });
        return `var ${counter} = 0u;\nvar sum${counter} = 0u;\nloop ${text}`;
      }
    }
  }
}
