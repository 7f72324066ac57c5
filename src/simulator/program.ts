import type { Expression, Variable } from "../text/syntax.ts";
import { TextFault } from "../text/syntax.ts";
import { checkModule } from "./check/module.ts";
import { constantWordOf, requireTrue } from "./compile/evaluate.ts";
import { ExpressionWriter } from "./compile/expressions.ts";
import type { ArrayType } from "./compile/layout.ts";
import type { FunctionDeclaration, GlobalVariable } from "./compile/module.ts";
import { attributeOf, Module } from "./compile/module.ts";
import { Names } from "./compile/names.ts";
import type { Site } from "./compile/program_text.ts";
import { ProgramText } from "./compile/program_text.ts";
import { runText } from "./compile/run_text.ts";
import { StatementWriter } from "./compile/statements.ts";
import { usesSubgroups } from "./compile/subgroup_calls.ts";
import type { WideFunction } from "./compile/wide.ts";
import { WideWriter } from "./compile/wide.ts";
import type { Machine } from "./machine/machine.ts";
import type { StorageRange } from "./machine/memory.ts";
import { runWithBothSizes } from "./machine/other_subgroups.ts";
import type { Instance } from "./machine/schedule.ts";
import { runDispatch } from "./machine/schedule.ts";
import { WorkGroup } from "./machine/work_group.ts";
import type { MachineOptions } from "./options.ts";

/** A binding that an entry point uses. */
export interface BindingUse {
  readonly group: number;
  readonly binding: number;
  readonly type: "storage" | "read-only-storage" | "uniform";
  /** The least size of the range, in bytes. */
  readonly minSize: number;
}

export interface EntryPoint {
  readonly name: string;
  readonly bindings: readonly BindingUse[];
  /** The work-group memory that it uses, in bytes. */
  readonly workGroupMemory: number;
}

/** WGSL that has been read, with what a device has to know of it. */
export class WgslModule {
  readonly module: Module;
  readonly entryPoints: readonly EntryPoint[];
  /** The extensions that it enables, such as `f16`. */
  readonly enables: readonly string[];
  /** The language features that it requires, such as `subgroup_id`. */
  readonly requires: readonly string[];

  constructor(module: Module) {
    this.module = module;
    this.entryPoints = [...module.functions.values()]
      .filter(({ attributes }) => attributeOf(attributes, "compute") !== undefined)
      .map((one) => entryPointOf(module, one));
    this.enables = namesAfter(module, "enable");
    this.requires = namesAfter(module, "requires");
  }
}

/** The names in a module's directives of a kind. */
const namesAfter = ({ declarations }: Module, directive: "enable" | "requires"): readonly string[] =>
  declarations.flatMap((one) =>
    one.kind === "directive" && one.text.startsWith(`${directive} `)
      ? one.text.slice(directive.length).split(/[ ,]+/).filter(Boolean)
      : [],
  );

/** Reads WGSL. @throws {TextFault} */
export function readModule(code: string): WgslModule {
  const module = new Module(code);
  checkModule(module);
  const program = new ProgramText(module, {});
  for (const one of module.declarations) {
    if (one.kind === "const_assert") {
      requireTrue(program, namesOf(module), one.condition);
    }
  }
  return new WgslModule(module);
}

/** The variables at module scope that an entry point reaches, by name. */
function globalsOf(module: Module, entryPoint: string): ReadonlyMap<string, GlobalVariable> {
  const found = new Map<string, GlobalVariable>();
  for (const declaration of module.inCallOrder(entryPoint)) {
    for (const name of module.usesOf(declaration).globals) {
      const variable = module.globals.get(name);
      if (variable !== undefined) {
        found.set(name, variable);
      }
    }
  }
  return found;
}

function entryPointOf(module: Module, { name }: FunctionDeclaration): EntryPoint {
  const globals = [...globalsOf(module, name.name).values()];
  const bindings = globals
    .filter(({ space }) => space === "storage" || space === "uniform")
    .map(({ space, isWritten, group, binding, type }) => ({
      group,
      binding,
      type:
        space === "uniform"
          ? ("uniform" as const)
          : isWritten
            ? ("storage" as const)
            : ("read-only-storage" as const),
      minSize: module.layout.extentOf(type).size,
    }));
  const workGroupMemory = globals
    .filter(({ space }) => space === "workgroup")
    .reduce((sum, { type }) => sum + 16 * Math.ceil(module.layout.extentOf(type).size / 16), 0);
  return { name: name.name, bindings, workGroupMemory };
}

/** What the generated text makes for one work-group at a time. */
interface Runner {
  bind(ranges: ReadonlyMap<string, StorageRange>): void;
  run(): Generator<number, void, void> | undefined;
}

interface Resident extends Instance {
  readonly runner: Runner;
}

type MakeRunner = (group: WorkGroup, stretchSize: readonly number[]) => Runner;

/** A pipeline's program: an entry point and all that it reaches, as JavaScript. */
export class Program {
  readonly workGroupSize: readonly [number, number, number];
  /** The places that findings name by their numbers. */
  readonly sites: readonly Site[];
  /** The JavaScript. */
  readonly text: string;
  readonly #usesSubgroups: boolean;
  /** The words of work-group memory. */
  readonly #memory: number;
  readonly #variables: readonly WorkGroupVariable[];
  /** The keys of bindings, by the names of their variables. */
  readonly #ranges: ReadonlyMap<string, string>;
  readonly #make: MakeRunner;
  /** The work-groups that the program has been made for, by the options of their machines. They are used again. */
  readonly #residents = new WeakMap<MachineOptions, Resident[]>();

  /** `constants` are the values of `override` variables. @throws {TextFault} for what the simulator cannot run. */
  constructor({ module }: WgslModule, entryPoint: string, constants: Readonly<Record<string, number>> = {}) {
    const program = new ProgramText(module, constantsByName(module, constants));
    this.workGroupSize = workGroupSizeOf(program, entryPoint);
    this.#usesSubgroups = usesSubgroups(module, entryPoint);
    const written = writeProgram(program, entryPoint);
    this.sites = written.sites;
    this.text = written.text;
    this.#memory = written.memory;
    this.#variables = written.variables;
    this.#ranges = written.ranges;
    this.#make = runText(written.text) as MakeRunner;
  }

  /** Runs a dispatch to its end. `ranges` are the bindings by "group,binding". */
  run(
    machine: Machine,
    groups: readonly [number, number, number],
    ranges: ReadonlyMap<string, StorageRange>,
  ): void {
    machine.context = { ...machine.context, workGroupVariables: this.#variables };
    for (const [name, key] of this.#ranges) {
      const range = ranges.get(key);
      if (range !== undefined) {
        range.name = name;
      }
    }
    const run = (bound: ReadonlyMap<string, StorageRange>): void => this.#dispatch(machine, groups, bound);
    if (this.#usesSubgroups && machine.options.otherSubgroupSize !== undefined) {
      runWithBothSizes(machine, ranges, run);
    } else {
      run(ranges);
    }
  }

  #dispatch(
    machine: Machine,
    groups: readonly [number, number, number],
    ranges: ReadonlyMap<string, StorageRange>,
  ): void {
    const residents = this.#residents.get(machine.options) ?? [];
    this.#residents.set(machine.options, residents);
    let used = 0;
    const makeInstance = (): Instance => {
      const resident = residents[used] ?? this.#newResident(machine);
      residents[used++] = resident;
      resident.runner.bind(ranges);
      return resident;
    };
    runDispatch(makeInstance, groups, machine);
  }

  #newResident(machine: Machine): Resident {
    const group = new WorkGroup(machine, this.workGroupSize, this.#memory);
    const runner = this.#make(group, this.workGroupSize);
    return { group, runner, run: () => runner.run() };
  }
}

/** Most threads that a work-group may have on any device. The race checks have room for as many. */
const MOST_THREADS = 2048;

function workGroupSizeOf(program: ProgramText, entryPoint: string): readonly [number, number, number] {
  const { module } = program;
  const declaration = module.functions.get(entryPoint);
  const attribute = declaration && attributeOf(declaration.attributes, "workgroup_size");
  if (attribute === undefined) {
    throw new TextFault(`${entryPoint} is no compute shader with a @workgroup_size`, declaration?.from ?? 0);
  }
  const [x = 1, y = 1, z = 1] = attribute.args.map((arg) => {
    const known = module.constant(arg);
    return known === undefined ? constantWordOf(program, namesOf(module), arg) : Number(known);
  });
  if (Math.min(x, y, z) < 1 || x * y * z > MOST_THREADS) {
    const problem = `@workgroup_size(${x}, ${y}, ${z}) has ${x * y * z} threads; it takes 1 to ${MOST_THREADS}`;
    throw new TextFault(problem, attribute.from);
  }
  return [x, y, z];
}

/** The values that a pipeline gives to `override` variables, by their names. Those with an @id are given by that. @throws {TextFault} */
function constantsByName(
  module: Module,
  given: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const overrides = [...module.constants.values()].filter(({ keyword }) => keyword === "override");
  const keyOf = ({ attributes, name }: Variable): string => {
    const id = attributeOf(attributes, "id");
    return id === undefined ? name.name : String(module.argument(id));
  };
  const names = new Map(overrides.map((variable) => [keyOf(variable), variable.name.name]));
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const name = names.get(key);
      if (name === undefined) {
        const known = [...names.keys()].join(", ") || "none";
        throw new TextFault(`the module has no override ${JSON.stringify(key)}; it has ${known}`, 0);
      }
      return [name, value];
    }),
  );
}

interface Written {
  readonly text: string;
  readonly sites: readonly Site[];
  readonly memory: number;
  readonly variables: readonly WorkGroupVariable[];
  readonly ranges: ReadonlyMap<string, string>;
}

/** A variable of work-group memory, and its words there. */
interface WorkGroupVariable {
  readonly name: string;
  readonly first: number;
  readonly count: number;
}

function writeProgram(program: ProgramText, entryPoint: string): Written {
  const { module } = program;
  const names = namesOf(module);
  const globals = globalsOf(module, entryPoint);
  const variables = declareGlobals(program, globals);
  const wide = new Map<string, WideFunction>();
  const functions = module.inCallOrder(entryPoint).map((declaration) => {
    const { name } = declaration.name;
    const isWide = name === entryPoint || module.reachOf(name).isWide;
    const inside = new Names(names);
    return isWide
      ? new WideWriter(wide, program, declaration, inside).write()
      : new StatementWriter(program, declaration, inside).write();
  });
  const { yields } = module.reachOf(entryPoint);
  const bound = [...program.ranges].map(([name, key]) => {
    const type = globals.get(name)?.type as ArrayType;
    const isOpen = type.kind === "array" && type.count === undefined;
    return {
      declared: isOpen ? `s_${name}, n_${name}` : `s_${name}`,
      set:
        `s_${name} = ranges.get("${key}");` +
        (isOpen ? ` n_${name} = Math.trunc(s_${name}.size / ${module.layout.strideOf(type)});` : ""),
    };
  });
  const body = [...program.declarations, ...functions].join("\n");
  const text = `return (g, SIZE) => {
const N = g.threads, W = g.memory, R = new Int32Array(${program.mostResults});
${program.buffers}
${bound.length > 0 ? `let ${bound.map(({ declared }) => declared).join(", ")};` : ""}
${body}
return {
  bind(ranges) { ${bound.map(({ set }) => set).join(" ")} },
  run() {
    ${startPrivate(program, globals, names)}
    ${yields ? `return f_${entryPoint}(g.every);` : `f_${entryPoint}(g.every); return undefined;`}
  },
};
};`;
  const memory = variables.reduce((words, { count }) => words + count, 0);
  return { text, sites: program.sites, memory, variables, ranges: program.ranges };
}

/** What names at module scope stand for. */
function namesOf(module: Module): Names {
  const names = new Names();
  for (const [name, variable] of module.constants) {
    names.declare(name, { kind: "constant", variable, names });
  }
  for (const [name, variable] of module.globals) {
    names.declare(name, { kind: "global", variable });
  }
  return names;
}

/** Declares where variables at module scope lie. Gives those of work-group memory. */
function declareGlobals(
  program: ProgramText,
  globals: ReadonlyMap<string, GlobalVariable>,
): readonly WorkGroupVariable[] {
  const variables: WorkGroupVariable[] = [];
  let first = 0;
  for (const [name, { space, type }] of globals) {
    const count = program.module.layout.wordsOf(type);
    if (space === "workgroup") {
      program.declare(`const w_${name} = ${first};`);
      variables.push({ name, first, count });
      first += count;
    } else if (space === "private") {
      program.declareMemory(`P_${name}`, count, true);
    }
  }
  return variables;
}

/** Gives private variables the values with which they start. */
function startPrivate(
  program: ProgramText,
  globals: ReadonlyMap<string, GlobalVariable>,
  names: Names,
): string {
  return [...globals]
    .filter(([, { space }]) => space === "private")
    .map(([name, { declaration, type }]) => {
      const { value } = declaration;
      if (value === undefined) {
        return `P_${name}.fill(0);`;
      }
      return fillText(program, name, value, { type, names });
    })
    .join("\n");
}

function fillText(
  program: ProgramText,
  name: string,
  value: Expression,
  { type, names }: { readonly type: GlobalVariable["type"]; readonly names: Names },
): string {
  const writer = new ExpressionWriter(program, name, names);
  const words = writer.value(value, type);
  const stores = words.map((word, at) => `P_${name}[t * ${words.length} + ${at}] = ${word};`);
  return `for (let t = 0; t < N; t++) { ${[...writer.takeLines(), ...stores].join(" ")} }`;
}
