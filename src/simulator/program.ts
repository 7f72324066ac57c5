import { TextFault } from "../text/syntax.ts";
import { checkModule } from "./check/module.ts";
import type { Block, Compiled } from "./compile/compiled.ts";
import { compiled, globalsOf } from "./compile/compiled.ts";
import { requireTrue } from "./compile/evaluate.ts";
import { FunctionText } from "./compile/function_text.ts";
import { namesOf } from "./compile/functions.ts";
import type { FunctionDeclaration } from "./compile/module.ts";
import { attributeOf, Module, namesAfter } from "./compile/module.ts";
import { usesSubgroups } from "./compile/subgroup_calls.ts";
import type { Watch } from "./compile/watching.ts";
import type { Machine, Sites } from "./machine/machine.ts";
import type { StorageRange } from "./machine/memory.ts";
import { runWithBothSizes } from "./machine/other_subgroups.ts";
import type { Instance } from "./machine/schedule.ts";
import { runDispatch } from "./machine/schedule.ts";
import { tracerOf, workGroupFor } from "./machine/trace.ts";
import type { MachineOptions } from "./options.ts";
import type { Resident } from "./resident.ts";
import { residentOf } from "./resident.ts";

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

/**
 * A program that has run so many threads on a machine is made anew, and V8 compiles it for that machine alone. That takes about as long as it
 * saves with as many threads.
 */
const MANY_THREADS = 2 ** 17;

/** What runs a program on one machine. */
interface Residents {
  /** Each runs one work-group at a time. They are used again. */
  readonly all: Resident[];
  readonly areAlone: boolean;
  /** How many threads they have run. */
  threads: number;
}

/** A pipeline's program: an entry point and all that it reaches, as JavaScript. */
export class Program {
  readonly workGroupSize: readonly [number, number, number];
  /** The size of its subgroups, if it asks for one. */
  readonly subgroupSize: number | undefined;
  /** The places that findings name by their numbers. */
  readonly sites: Sites;
  /** Of a program that is watched: `ran` of a machine says which of them have run. */
  readonly blocks: readonly Block[];
  readonly #usesSubgroups: boolean;
  readonly #compiled: Compiled;
  /** Whether several work-groups of it run by turns. */
  readonly #yields: boolean;
  /** By the options of machines. */
  readonly #residents = new WeakMap<MachineOptions, Residents>();

  /** `constants` are the values of `override` variables. @throws {TextFault} for what the simulator cannot run. */
  constructor(
    { module }: WgslModule,
    entryPoint: string,
    constants: Readonly<Record<string, number>> = {},
    watch?: Watch,
  ) {
    this.#compiled = orSeparate(
      () => compiled(module, entryPoint, constants, watch),
      () => compiled(module.separate(), entryPoint, constants, watch),
    );
    this.workGroupSize = this.#compiled.workGroupSize;
    this.subgroupSize = this.#compiled.subgroupSize;
    this.#usesSubgroups = usesSubgroups(module, entryPoint);
    this.#yields = module.reachOf(entryPoint).yields;
    this.sites = this.#compiled.sites;
    this.blocks = this.#compiled.blocks;
  }

  /** Runs a dispatch to its end. `ranges` are the bindings by "group,binding". */
  run(
    machine: Machine,
    groups: readonly [number, number, number],
    ranges: ReadonlyMap<string, StorageRange>,
  ): void {
    machine.context = { ...machine.context, workGroupVariables: this.#compiled.variables };
    if (machine.ran.length < this.blocks.length) {
      machine.ran = new Uint8Array(this.blocks.length);
    }
    for (const { name, key } of this.#compiled.bindings) {
      const range = ranges.get(key);
      if (range !== undefined) {
        range.name = name;
      }
    }
    const run = (bound: ReadonlyMap<string, StorageRange>): void => this.#dispatch(machine, groups, bound);
    if (this.subgroupSize !== undefined) {
      machine.withSubgroupSize(this.subgroupSize, () => run(ranges));
    } else if (this.#usesSubgroups && machine.options.otherSubgroupSize !== undefined) {
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
    const { all, areAlone } = this.#residentsFor(groups, machine);
    let used = 0;
    const makeInstance = (): Instance => {
      const resident = all[used] ?? this.#newResident(machine, areAlone);
      all[used++] = resident;
      resident.bind(ranges);
      return resident;
    };
    runDispatch(makeInstance, groups, machine);
    tracerOf(machine)?.flush();
  }

  #residentsFor([x, y, z]: readonly [number, number, number], { options }: Machine): Residents {
    const [width, height, depth] = this.workGroupSize;
    const kept = this.#residents.get(options) ?? { all: [], areAlone: false, threads: 0 };
    // Work-groups that run by turns have functions of their own, and each would be compiled.
    const isMade = kept.areAlone || this.#yields || kept.threads < MANY_THREADS;
    const residents = isMade ? kept : { all: [], areAlone: true, threads: 0 };
    residents.threads += x * y * z * width * height * depth;
    this.#residents.set(options, residents);
    return residents;
  }

  #newResident(machine: Machine, isAlone: boolean): Resident {
    const { workGroupSize, memory } = this.#compiled;
    return residentOf(this.#compiled, workGroupFor(machine, workGroupSize, memory), isAlone);
  }
}
