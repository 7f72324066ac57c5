import { refuse, shown } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireCount, requireOptions } from "../../options.ts";
import type { LaneOrder } from "../options.ts";
import type { OverrideValue } from "./text.ts";
import type { Fill } from "./values.ts";

/** How a kernel is checked. */
export interface CheckOptions {
  /** The name of the kernel in findings. `"kernel.wgsl"` by default. */
  readonly file?: string;
  /** The kernel before `link` or `linkDirectives` added functions to it. What is found in these is told at the lines that call them. */
  readonly source?: string;
  /** The entry point. It may be left out if the text has one compute shader. */
  readonly entryPoint?: string;
  /** The values of `override`s, by their names or their numbers. */
  readonly overrides?: Readonly<Record<string, OverrideValue>>;
  /** How many work-groups run. As many as cover `items` by default, and eight at least. */
  readonly dispatch?: number | readonly number[];
  /** The elements of each array without a length. By default as many as the shortest has that is given, and 1,000 if none is. */
  readonly items?: number;
  /** What buffers hold, by the variables' names, or as `"group:binding"`. Others are made. */
  readonly buffers?: Readonly<Record<string, ArrayBuffer | ArrayBufferView>>;
  /** Numbers in buffers that are made, by their places, such as `"params.count"`. An array's name stands for all its elements. */
  readonly values?: Readonly<Record<string, number>>;
  /** How integers in arrays are made: `"indices"`, the default, are below `items`; `"words"` are any. */
  readonly fill?: Fill;
  /** The sizes of subgroups, 1 to 128, for a kernel that uses them. 32, 64, 16, 8, 128 and 4 by default. */
  readonly subgroupSizes?: readonly number[];
  /** Which threads are which lanes, for a kernel that uses subgroups. All by default. `["natural"]` is how GPUs do it. */
  readonly lanes?: readonly LaneOrder[];
  /** How many runs there are. By default one for each different choice: 8, and 25 with subgroups. */
  readonly runs?: number;
  /** No run starts after so many seconds. 20 by default. */
  readonly seconds?: number;
  /** Also finds reads of work-group memory that nothing has written. False by default. */
  readonly uninitialized?: boolean;
  /** Also finds loads and stores of atomics of work-group memory that no barrier orders with other threads' changes. True by default. */
  readonly unordered?: boolean;
  /** All that is random comes from it: a whole number from 0 to 2^32 − 1. 1 by default. */
  readonly seed?: number;
}

/** What messages call the function. */
export const CALLER = "checkKernel";

const names = {
  file: true,
  source: true,
  entryPoint: true,
  overrides: true,
  dispatch: true,
  items: "count",
  buffers: true,
  values: true,
  fill: true,
  subgroupSizes: "numbers",
  lanes: true,
  runs: "count",
  seconds: true,
  uninitialized: "boolean",
  unordered: "boolean",
  seed: "count",
} satisfies OptionTable<CheckOptions>;

const SUBGROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, 128];
const LANES: readonly LaneOrder[] = ["natural", "reversed", "permuted"];
const FILLS: readonly Fill[] = ["indices", "words"];
/** The work-groups of a dispatch in one dimension, as devices have them at most. */
const MOST_GROUPS = 65_535;
const LAST_SEED = 2 ** 32 - 1;

/** The options, with the defaults for those that are left out. */
export type Chosen = Required<Omit<CheckOptions, "source" | "entryPoint" | "dispatch" | "items" | "runs">> & {
  readonly source: string | undefined;
  readonly items: number | undefined;
  readonly entryPoint: string | undefined;
  readonly dispatch: readonly [number, number, number] | undefined;
  readonly runs: number | undefined;
};

/** Requires entries of a list to be among some. */
function requireAmong<Value>(option: string, given: readonly Value[], among: readonly Value[]): void {
  const takes = `some of ${among.map(shown).join(", ")}`;
  if (!Array.isArray(given) || given.length === 0) {
    refuse(CALLER, option, shown(given), takes);
  }
  for (const one of given) {
    if (!among.includes(one)) {
      refuse(CALLER, option, shown(one), takes);
    }
  }
}

function dispatchOf(given: CheckOptions["dispatch"]): Chosen["dispatch"] {
  if (given === undefined) {
    return undefined;
  }
  const list: readonly number[] = typeof given === "number" ? [given] : given;
  const isRight =
    Array.isArray(list) &&
    list.length >= 1 &&
    list.length <= 3 &&
    list.every((count) => Number.isInteger(count) && count >= 1 && count <= MOST_GROUPS);
  if (!isRight) {
    refuse(CALLER, "dispatch", shown(given), `one to three whole numbers from 1 to ${MOST_GROUPS}`);
  }
  const [x = 1, y = 1, z = 1] = list;
  return [x, y, z];
}

function requireNumbers(option: string, given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "number") {
      refuse(CALLER, `${option}[${shown(name)}]`, shown(value), "a number");
    }
  }
}

/** The options of a check. @throws {ArgumentError} which names the option that does not exist, or has no such value. */
export function chosenOf(options: CheckOptions): Chosen {
  requireOptions(CALLER, options, names, { signal: "checkKernelAsync takes it" });
  const {
    file = "kernel.wgsl",
    items,
    fill = "indices",
    subgroupSizes = [32, 64, 16, 8, 128, 4],
    lanes = LANES,
    seconds = 20,
    seed = 1,
    overrides = {},
    buffers = {},
    values = {},
    uninitialized = false,
    unordered = true,
    source,
    entryPoint,
    runs,
  } = options;
  if (items !== undefined) {
    requireCount(CALLER, "items", items, 1);
  }
  requireCount(CALLER, "seed", seed, 0);
  if (seed > LAST_SEED) {
    refuse(CALLER, "seed", seed, `a whole number from 0 to ${LAST_SEED}`);
  }
  if (runs !== undefined) {
    requireCount(CALLER, "runs", runs, 1);
  }
  if (!(typeof seconds === "number" && seconds > 0)) {
    refuse(CALLER, "seconds", shown(seconds), "a number above 0");
  }
  requireAmong("fill", [fill], FILLS);
  requireAmong("subgroupSizes", subgroupSizes, SUBGROUP_SIZES);
  requireAmong("lanes", lanes, LANES);
  for (const [option, given] of Object.entries({ overrides, buffers, values })) {
    if (typeof given !== "object" || given === null) {
      refuse(CALLER, option, shown(given), "an object, by the names in the kernel");
    }
  }
  requireNumbers("values", values);
  if (source !== undefined && typeof source !== "string") {
    refuse(CALLER, "source", shown(source), "the kernel's text before functions were linked to it");
  }
  const dispatch = dispatchOf(options.dispatch);
  return {
    file,
    items,
    fill,
    subgroupSizes,
    lanes,
    seconds,
    seed,
    overrides,
    buffers,
    values,
    uninitialized,
    unordered,
    source,
    entryPoint,
    runs,
    dispatch,
  };
}
