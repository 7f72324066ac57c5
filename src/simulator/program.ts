import type { Variable } from "../text/syntax.ts";
import { TextFault } from "../text/syntax.ts";
import { checkModule } from "./check/module.ts";
import { constantWordOf, requireTrue } from "./compile/evaluate.ts";
import type { Bind, MemoryCounts, Scope, SharedFunction } from "./compile/function_text.ts";
import { FunctionText } from "./compile/function_text.ts";
import type { Constants } from "./compile/functions.ts";
import { namesOf, sharedFunction, startFunction, startOf } from "./compile/functions.ts";
import type { FunctionDeclaration, GlobalVariable } from "./compile/module.ts";
import { attributeOf, Module } from "./compile/module.ts";
import { usesSubgroups } from "./compile/subgroup_calls.ts";
import type { Machine, Sites } from "./machine/machine.ts";
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
export const readModule = (code: string): WgslModule =>
  orSeparate(
    () => readDeclarations(new Module(code)),
    () => readDeclarations(new Module(code, true)),
  );

/** What is made of a module. A fault is that of the separate module, in which places count from the start of the text. @throws {TextFault} */
function orSeparate<Made>(ofShared: () => Made, ofSeparate: () => Made): Made {
  try {
    return ofShared();
  } catch (cause) {
    if (cause instanceof TextFault) {
      return ofSeparate();
    }
    throw cause;
  }
}

function readDeclarations(module: Module): WgslModule {
  checkModule(module);
  const output = new FunctionText(module, {});
  for (const one of module.declarations) {
    if (one.kind === "const_assert") {
      requireTrue(output, namesOf(module), one.condition);
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

interface Resident extends Instance {
  /** Sets the bindings of the next dispatch. */
  bind(ranges: ReadonlyMap<string, StorageRange>): void;
}

/** A pipeline's program: an entry point and all that it reaches, as JavaScript. */
export class Program {
  readonly workGroupSize: readonly [number, number, number];
  /** The places that findings name by their numbers. */
  readonly sites: Sites;
  readonly #usesSubgroups: boolean;
  readonly #compiled: Compiled;
  /** The work-groups that the program has been made for, by the options of their machines. They are used again. */
  readonly #residents = new WeakMap<MachineOptions, Resident[]>();

  /** `constants` are the values of `override` variables. @throws {TextFault} for what the simulator cannot run. */
  constructor({ module }: WgslModule, entryPoint: string, constants: Readonly<Record<string, number>> = {}) {
    this.#compiled = orSeparate(
      () => compiled(module, entryPoint, constants),
      () => compiled(module.separate(), entryPoint, constants),
    );
    this.workGroupSize = this.#compiled.workGroupSize;
    this.#usesSubgroups = usesSubgroups(module, entryPoint);
    this.sites = this.#compiled.sites;
  }

  /** Runs a dispatch to its end. `ranges` are the bindings by "group,binding". */
  run(
    machine: Machine,
    groups: readonly [number, number, number],
    ranges: ReadonlyMap<string, StorageRange>,
  ): void {
    machine.context = { ...machine.context, workGroupVariables: this.#compiled.variables };
    for (const { name, key } of this.#compiled.bindings) {
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
      resident.bind(ranges);
      return resident;
    };
    runDispatch(makeInstance, groups, machine);
  }

  #newResident(machine: Machine): Resident {
    const { workGroupSize, memory } = this.#compiled;
    return residentOf(this.#compiled, new WorkGroup(machine, workGroupSize, memory));
  }
}

/** Most threads that a work-group may have on any device. The race checks have room for as many. */
const MOST_THREADS = 2048;

function workGroupSizeOf(
  module: Module,
  constants: Constants,
  entryPoint: string,
): readonly [number, number, number] {
  const declaration = module.functions.get(entryPoint);
  const attribute = declaration && attributeOf(declaration.attributes, "workgroup_size");
  if (attribute === undefined) {
    throw new TextFault(`${entryPoint} is no compute shader with a @workgroup_size`, declaration?.from ?? 0);
  }
  const [x = 1, y = 1, z = 1] = attribute.args.map((arg) => {
    const known = module.constant(arg);
    return known === undefined
      ? constantWordOf(new FunctionText(module, constants), namesOf(module), arg)
      : Number(known);
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

/** A function of a program, and what of the program's sites and memory is its own. */
interface PlacedFunction extends SharedFunction {
  /** The number of its first site. */
  readonly firstSite: number;
  /** What functions before it have. */
  readonly before: MemoryCounts;
}

/** A variable of work-group memory, and its words there. */
interface WorkGroupVariable {
  readonly name: string;
  readonly first: number;
  readonly count: number;
}

interface PrivateVariable {
  readonly name: string;
  /** For each thread. */
  readonly words: number;
  /** Whether a function gives it the value with which it starts. Otherwise that is 0. */
  readonly hasStart: boolean;
}

interface Binding {
  readonly name: string;
  /** "group,binding" */
  readonly key: string;
  /** Of an array without a length: the bytes of an element. */
  readonly stride: number | undefined;
}

interface Compiled {
  readonly workGroupSize: readonly [number, number, number];
  readonly entryPoint: string;
  /** Each behind those that it calls. */
  readonly functions: readonly PlacedFunction[];
  readonly sites: Sites;
  /** What all functions have. */
  readonly counts: MemoryCounts;
  /** The words of work-group memory. */
  readonly memory: number;
  readonly variables: readonly WorkGroupVariable[];
  readonly privates: readonly PrivateVariable[];
  readonly bindings: readonly Binding[];
}

function compiled(module: Module, entryPoint: string, given: Readonly<Record<string, number>>): Compiled {
  const constants = constantsByName(module, given);
  const workGroupSize = workGroupSizeOf(module, constants, entryPoint);
  const globals = globalsOf(module, entryPoint);
  const starts = [...globals].flatMap(
    ([
      name,
      {
        space,
        type,
        declaration: { value },
      },
    ]) => (space === "private" && value ? [startFunction(module, constants, name, { value, type })] : []),
  );
  const functions = module
    .inCallOrder(entryPoint)
    .map((declaration) => sharedFunction(module, constants, declaration));
  const variables = workGroupVariablesOf(module, globals);
  const placed = placedFunctions([...starts, ...functions]);
  return {
    workGroupSize,
    entryPoint,
    ...placed,
    sites: sitesOf(module, placed.functions),
    memory: variables.reduce((words, { count }) => words + count, 0),
    variables,
    privates: [...globals]
      .filter(([, { space }]) => space === "private")
      .map(([name, { type, declaration }]) => ({
        name,
        words: module.layout.wordsOf(type),
        hasStart: declaration.value !== undefined,
      })),
    bindings: bindingsOf(module, new Set(functions.flatMap(({ ranges }) => [...ranges]))),
  };
}

/** Gives each function sites and memory behind those of the functions before it. */
function placedFunctions(functions: readonly SharedFunction[]): Pick<Compiled, "functions" | "counts"> {
  const counts = { threadWords: 0, words: 0, masks: 0 };
  let firstSite = 0;
  const placed = functions.map((one) => {
    const before = { ...counts };
    const found = { ...one, firstSite, before };
    firstSite += one.sites.length;
    counts.threadWords += one.threadWords;
    counts.words += one.words;
    counts.masks += one.masks;
    return found;
  });
  return { functions: placed, counts };
}

/** Lines are found only for sites that are asked for. */
function sitesOf(module: Module, functions: readonly PlacedFunction[]): Sites {
  const sites = functions.flatMap((one) => one.sites);
  return {
    at(number) {
      const site = sites[number];
      return site && { ...module.placeIn(site.declaration, site.from), function: site.function };
    },
  };
}

function workGroupVariablesOf(
  { layout }: Module,
  globals: ReadonlyMap<string, GlobalVariable>,
): readonly WorkGroupVariable[] {
  let first = 0;
  return [...globals]
    .filter(([, { space }]) => space === "workgroup")
    .map(([name, { type }]) => {
      const count = layout.wordsOf(type);
      first += count;
      return { name, first: first - count, count };
    });
}

const bindingsOf = ({ globals, layout }: Module, names: ReadonlySet<string>): readonly Binding[] =>
  [...names].flatMap((name) => {
    const found = globals.get(name);
    if (found === undefined) {
      return [];
    }
    const { group, binding, type } = found;
    const isOpen = type.kind === "array" && type.count === undefined;
    return [{ name, key: `${group},${binding}`, stride: isOpen ? layout.strideOf(type) : undefined }];
  });

/** Makes the functions of a program for one work-group at a time. */
function residentOf(compiled: Compiled, group: WorkGroup): Resident {
  const { functions, bindings, privates } = compiled;
  const scope = scopeOf(compiled, group);
  const { threads } = group;
  const binds = functions.flatMap(({ make, firstSite, before }): Bind | readonly Bind[] => {
    const words = 4 * (threads * before.threadWords + before.words);
    return make(scope, firstSite, words, threads * before.masks) ?? [];
  });
  const starts = privates.map(({ name, hasStart }) =>
    hasStart ? (scope[startOf(name)] as () => void) : () => (scope[`P_${name}`] as Int32Array).fill(0),
  );
  const enter = scope[`f_${compiled.entryPoint}`] as (mask: Uint8Array) => ReturnType<Instance["run"]>;
  return {
    group,
    bind(ranges) {
      for (const { name, key, stride } of bindings) {
        const range = ranges.get(key);
        scope[`s_${name}`] = range;
        scope[`n_${name}`] = range && stride && Math.trunc(range.size / stride);
      }
      for (const bind of binds) {
        bind();
      }
    },
    run() {
      for (const start of starts) {
        start();
      }
      return enter(group.every);
    },
  };
}

/** What functions find in their scope, but for each other. */
function scopeOf(
  { functions, workGroupSize, counts, variables, privates }: Compiled,
  group: WorkGroup,
): Scope {
  const { threads } = group;
  const scope: Scope = {
    g: group,
    N: threads,
    W: group.memory,
    R: new Int32Array(Math.max(...functions.map(({ mostResults }) => mostResults))),
    SIZE: workGroupSize,
    B: new ArrayBuffer(4 * (threads * counts.threadWords + counts.words)),
    K: new ArrayBuffer(threads * counts.masks),
  };
  for (const { name, first } of variables) {
    scope[`w_${name}`] = first;
  }
  for (const { name, words } of privates) {
    scope[`P_${name}`] = new Int32Array(threads * words);
  }
  return scope;
}
