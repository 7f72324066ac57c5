import type { Expression, Variable } from "../../text/syntax.ts";
import { TextFault } from "../../text/syntax.ts";
import type { Site, Sites } from "../machine/machine.ts";
import { MOST_SITES } from "../machine/shadow.ts";
import { constantWordOf } from "./evaluate.ts";
import type { MemoryCounts, SharedFunction } from "./function_text.ts";
import { FunctionText } from "./function_text.ts";
import type { Constants } from "./functions.ts";
import { namesOf, sharedFunction, startFunction } from "./functions.ts";
import type { GlobalVariable, Module } from "./module.ts";
import { attributeOf, namesAfter } from "./module.ts";
import type { SharedCall, Watch } from "./watching.ts";

/** Most threads that a work-group may have on any device. The race checks have room for as many. */
const MOST_THREADS = 2048;

/** The number that an attribute of an entry point has. */
function argumentOf(module: Module, constants: Constants, arg: Expression): number {
  const known = module.constant(arg);
  return known === undefined
    ? constantWordOf(new FunctionText(module, constants), namesOf(module), arg)
    : Number(known);
}

const SIZE_CONTROL = "subgroup_size_control";

/** The size of subgroups that an entry point asks for by `@subgroup_size`, if it does. @throws {TextFault} */
function subgroupSizeOf(module: Module, constants: Constants, entryPoint: string): number | undefined {
  const { attributes = [] } = module.functions.get(entryPoint) ?? {};
  const attribute = attributeOf(attributes, "subgroup_size");
  const [arg] = attribute?.args ?? [];
  if (attribute === undefined) {
    return undefined;
  }
  if (!namesAfter(module, "enable").includes(SIZE_CONTROL)) {
    throw new TextFault(
      `use of '@subgroup_size' requires enabling extension '${SIZE_CONTROL}'`,
      attribute.from,
    );
  }
  const size = arg === undefined ? 0 : argumentOf(module, constants, arg);
  if (size < 1 || (size & (size - 1)) !== 0) {
    throw new TextFault(`@subgroup_size takes a power of two, and this is ${size}`, attribute.from);
  }
  return size;
}

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
  const [x = 1, y = 1, z = 1] = attribute.args.map((arg) => argumentOf(module, constants, arg));
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
  /** Those of its first block and its first call that are watched. */
  readonly firstBlock: number;
  readonly firstCall: number;
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

/** Statements of which all run if the first one does: the first and the last line of each. */
export interface Block {
  readonly function: string;
  readonly lines: readonly (readonly [first: number, last: number])[];
}

/** An entry point and all that it reaches, as JavaScript. */
export interface Compiled {
  readonly workGroupSize: readonly [number, number, number];
  /** The size of its subgroups, if it asks for one. */
  readonly subgroupSize: number | undefined;
  readonly entryPoint: string;
  /** Each behind those that it calls. */
  readonly functions: readonly PlacedFunction[];
  readonly sites: Sites;
  /** How far the sites of a linked function are from each other in two calls. */
  readonly sitesOfCall: number;
  /** Of a watched program. */
  readonly blocks: readonly Block[];
  /** What all functions have. */
  readonly counts: MemoryCounts;
  /** The words of work-group memory. */
  readonly memory: number;
  readonly variables: readonly WorkGroupVariable[];
  readonly privates: readonly PrivateVariable[];
  readonly bindings: readonly Binding[];
}

/** `given` are the values of `override` variables. @throws {TextFault} for what the simulator cannot run. */
export function compiled(
  module: Module,
  entryPoint: string,
  given: Readonly<Record<string, number>>,
  watch?: Watch,
): Compiled {
  const constants = constantsByName(module, given);
  const workGroupSize = workGroupSizeOf(module, constants, entryPoint);
  const globals = globalsOf(module, entryPoint);
  const starts = [...globals].flatMap(([name, { space, type, declaration }]) => {
    const { value } = declaration;
    return space === "private" && value ? [startFunction(module, constants, name, { value, type })] : [];
  });
  const functions = module
    .inCallOrder(entryPoint)
    .map((declaration) => sharedFunction(module, constants, declaration, watch));
  const variables = workGroupVariablesOf(module, globals);
  const placed = placedFunctions([...starts, ...functions]);
  return {
    workGroupSize,
    subgroupSize: subgroupSizeOf(module, constants, entryPoint),
    entryPoint,
    ...placed,
    ...sitesOf(module, placed.functions, entryPoint, watch),
    blocks: blocksOf(module, placed.functions),
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
  const first = { firstSite: 0, firstBlock: 0, firstCall: 0 };
  const placed = functions.map((one) => {
    const before = { ...counts };
    // V8 adds members to a copy slowly: a microsecond for each.
    const found = { before, ...first, ...one };
    first.firstSite += one.sites.length;
    first.firstBlock += one.blocks.length;
    first.firstCall += one.calls.length;
    counts.threadWords += one.threadWords;
    counts.words += one.words;
    counts.masks += one.masks;
    return found;
  });
  return { functions: placed, counts };
}

/** Lines are found only for sites that are asked for. Those of linked functions are where the caller's text calls them. */
function sitesOf(
  module: Module,
  functions: readonly PlacedFunction[],
  entryPoint: string,
  watch: Watch | undefined,
): Pick<Compiled, "sites" | "sitesOfCall"> {
  const sites = functions.flatMap((one) => one.sites);
  const calls = functions.flatMap((one) => one.calls);
  const isRoom = sites.length * (calls.length + 1) < MOST_SITES;
  const siteOf = (site: (typeof sites)[number]): Site => ({
    ...module.placeIn(site.declaration, site.from),
    function: site.function,
  });
  const callOf = (call: SharedCall | undefined, called: string): Site => ({
    ...(call ? siteOf(call) : { ...module.placeIn(entryPoint, 0), function: entryPoint }),
    called: call?.called ?? called,
  });
  const at = (number: number): Site | undefined => {
    const site = sites[number % sites.length];
    return site && watch?.isLinked(site.declaration)
      ? callOf(calls[Math.floor(number / sites.length) - 1], site.function)
      : site && siteOf(site);
  };
  return { sites: { at }, sitesOfCall: isRoom ? sites.length : 0 };
}

const blocksOf = (module: Module, functions: readonly PlacedFunction[]): readonly Block[] =>
  functions.flatMap(({ blocks }) =>
    blocks.map(({ declaration, statements }) => ({
      function: declaration,
      lines: statements.map(({ from, to }) => {
        const lineOf = (place: number): number => module.placeIn(declaration, place).line;
        return [lineOf(from), lineOf(to - 1)] as const;
      }),
    })),
  );

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

/** The variables at module scope that an entry point reaches, by name. */
export function globalsOf(module: Module, entryPoint: string): ReadonlyMap<string, GlobalVariable> {
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
