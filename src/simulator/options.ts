import { ArgumentError, refuse, shown } from "../errors.ts";
import type { Finding } from "./findings.ts";
import type { TraceEvent } from "./trace_event.ts";

/** How a work-group's threads are dealt to the lanes of its subgroups. */
export type LaneOrder = "natural" | "reversed" | "permuted";
/** Which work-group starts next, and which goes on. */
export type Schedule = "in order" | "reversed" | "random" | "priorities" | "starve";
/** In which order the threads of a work-group do one atomic operation. */
export type AtomicOrder = "natural" | "reversed" | "random";

const laneOrders = { natural: true, reversed: true, permuted: true } as const satisfies Record<
  LaneOrder,
  true
>;
const schedules = {
  "in order": true,
  reversed: true,
  random: true,
  priorities: true,
  starve: true,
} as const satisfies Record<Schedule, true>;
const atomicOrders = { natural: true, reversed: true, random: true } as const satisfies Record<
  AtomicOrder,
  true
>;

/**
 * How a simulated GPU behaves. WGSL leaves all of it open, so a right kernel gives the same results with every choice.
 */
export interface SimulatorOptions {
  /** Lanes of a subgroup: 1, 2, 4 … 128. 32 by default. */
  readonly subgroupSize?: number;
  /** What the adapter reports as its smallest subgroups. The least of `subgroupSize` and `otherSubgroupSize` by default. */
  readonly subgroupMinSize?: number;
  /** What the adapter reports as its largest subgroups. The greatest of `subgroupSize` and `otherSubgroupSize` by default. */
  readonly subgroupMaxSize?: number;
  /**
   * Also carries out each dispatch that uses subgroups with subgroups of this size, on a copy of what it may write. It is a finding if that
   * leaves other words than `subgroupSize` does. Kernels whose results depend on the order of work-groups may differ by that alone. Not done
   * by default.
   */
  readonly otherSubgroupSize?: number;
  /**
   * How threads are dealt to lanes. `"natural"`, the default: thread = subgroup × size + lane. `"reversed"`: backwards
   * within each subgroup. `"permuted"`: any thread may be at any lane of any subgroup.
   */
  readonly lanes?: LaneOrder;
  /**
   * Whether subgroups hold fewer threads than they have lanes, with gaps at any lane, so that there are more subgroups.
   * Few kernels are made for that. False by default.
   */
  readonly partlyFilled?: boolean;
  /** How many work-groups run at a time, at most. 8 by default. The others start as these end. */
  readonly residentGroups?: number;
  /**
   * Which work-group starts next, and which goes on after an atomic operation on storage memory.
   *
   * - `"in order"`, the default: from the first on. A work-group goes on until it ends or seems to wait.
   * - `"reversed"`: the same, from the last on.
   * - `"random"`: they start in any order, and any goes on.
   * - `"priorities"`: the one with the highest priority goes on. Priorities are random, and change a few times at random.
   *   That finds faults that need few changes between work-groups (Burckhardt et al., "A randomized scheduler with
   *   probabilistic guarantees of finding bugs", 2010).
   * - `"starve"`: as `"in order"`, but one work-group goes on only if no other can, or after many turns of the others.
   */
  readonly schedule?: Schedule;
  /** In which order the threads of a work-group do one atomic operation. `"natural"` by default: by their index. */
  readonly atomics?: AtomicOrder;
  /**
   * Whether `atomicLoad` may give a value that a word of storage memory held before, as memory models allow: never one
   * older than what the same work-group has seen there, and the newest after some tries. False by default.
   */
  readonly olderValues?: boolean;
  /**
   * Whether it is a finding that a thread loads or stores an atomic of work-group memory which another thread changes, with no barrier
   * between them. WGSL allows that, but the value is another one if the other thread comes first. The threads of a work-group are
   * simulated together, so that few results show it. False by default.
   */
  readonly unorderedAtomics?: boolean;
  /**
   * Whether reads of memory that nothing has written are findings. WebGPU fills all memory with zeros, so they have a
   * meaning, but often nobody meant it. False by default.
   */
  readonly uninitialized?: boolean;
  /** How many turns of work-groups may pass without a change of storage memory or an end of a work-group, before those that run are said to wait for ever. 100,000 by default. */
  readonly patience?: number;
  /** Every choice that is made at random comes from it: the same seed gives the same run. A whole number from 0 to 2^32 − 1, 1 by default. */
  readonly seed?: number;
  /**
   * Another GPU, such as the browser's or a null device of Dawn. Each call on a device is also made on one of it, so that two implementations
   * check each call and each text. It is a finding if only one of them takes a call. Adapters have the features and limits that both have.
   */
  readonly validator?: GPU;
  /** Called with each finding, at once. What it throws ends the dispatch. */
  readonly onFinding?: (finding: Finding) => void;
  /**
   * Called with each access to memory, each barrier and each function of a subgroup, in the order in which they happen. Accesses to variables of
   * functions and to private ones are not among them. Kernels then run several times slower. What it throws ends the dispatch.
   */
  readonly trace?: (event: TraceEvent) => void;
  /**
   * The vendor that the adapter names, such as `"nvidia"`, so that programs choose what they choose there. `"wavefold"` by default, of an adapter
   * that says that it is a fallback; with another vendor it says that it is none.
   */
  readonly vendor?: string;
  /**
   * The features of the adapter: `"shader-f16"`, `"subgroups"` and `"timestamp-query"` by default. There is also `"subgroup-size-control"`: a
   * kernel's `@subgroup_size(16)` has it run with subgroups of 16 lanes, whatever `subgroupSize` says.
   */
  readonly features?: readonly string[];
  /** Limits of the adapter, by WebGPU's names, for those that shall differ from the simulator's own. */
  readonly limits?: Readonly<Record<string, number>>;
  /** How many bytes all buffers of a device may have together. To create more is an out-of-memory error. No limit by default. */
  readonly memoryLimit?: number;
}

/** The options that a machine needs, each with a value. */
export type MachineOptions = Required<
  Pick<
    SimulatorOptions,
    | "subgroupSize"
    | "lanes"
    | "partlyFilled"
    | "residentGroups"
    | "schedule"
    | "atomics"
    | "olderValues"
    | "unorderedAtomics"
    | "uninitialized"
    | "patience"
    | "seed"
  >
> &
  Pick<SimulatorOptions, "otherSubgroupSize" | "onFinding" | "trace">;

type Check = (caller: string, option: string, given: unknown) => void;

const among =
  (table: Readonly<Record<string, true>>): Check =>
  (caller, option, given) => {
    const values = Object.keys(table);
    if (!values.some((value) => value === given)) {
      refuse(caller, option, shown(given), values.map((value) => `"${value}"`).join(", "));
    }
  };
const trueOrFalse: Check = (caller, option, given) => {
  if (typeof given !== "boolean") {
    refuse(caller, option, shown(given), "true or false");
  }
};
const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER): Check =>
  (caller, option, given) => {
    if (!(Number.isInteger(given) && Number(given) >= least && Number(given) <= most)) {
      const end = most === Number.MAX_SAFE_INTEGER ? "up" : `to ${most}`;
      refuse(caller, option, shown(given), `a whole number from ${least} ${end}`);
    }
  };
const subgroupSizes: Check = (caller, option, given) => {
  if (![1, 2, 4, 8, 16, 32, 64, 128].some((size) => size === given)) {
    refuse(caller, option, shown(given), "1, 2, 4, 8, 16, 32, 64 or 128");
  }
};
const ofType =
  (type: "function" | "object", takes: string): Check =>
  (caller, option, given) => {
    if (typeof given !== type || given === null) {
      refuse(caller, option, shown(given), takes);
    }
  };
const name: Check = (caller, option, given) => {
  if (typeof given !== "string" || given === "") {
    refuse(caller, option, shown(given), "a name");
  }
};
const list: Check = (caller, option, given) => {
  if (!Array.isArray(given)) {
    refuse(caller, option, shown(given), "a list of names");
  }
};

const gpu: Check = (caller, option, given) => {
  if (typeof (given as Partial<GPU> | null)?.requestAdapter !== "function") {
    refuse(caller, option, shown(given), "a GPU, as navigator.gpu is one");
  }
};

const checks = {
  subgroupSize: subgroupSizes,
  subgroupMinSize: subgroupSizes,
  subgroupMaxSize: subgroupSizes,
  otherSubgroupSize: subgroupSizes,
  lanes: among(laneOrders),
  partlyFilled: trueOrFalse,
  residentGroups: wholeNumber(1),
  schedule: among(schedules),
  atomics: among(atomicOrders),
  olderValues: trueOrFalse,
  unorderedAtomics: trueOrFalse,
  uninitialized: trueOrFalse,
  patience: wholeNumber(1),
  seed: wholeNumber(0, 2 ** 32 - 1),
  validator: gpu,
  onFinding: ofType("function", "a function"),
  trace: ofType("function", "a function"),
  vendor: name,
  features: list,
  limits: ofType("object", "an object of limits"),
  memoryLimit: wholeNumber(0),
} satisfies Record<keyof SimulatorOptions, Check>;

/**
 * Requires options of the simulator. An option that is undefined counts as left out.
 *
 * @throws {ArgumentError} which names the option that does not exist, or has no such value.
 */
export function requireSimulatorOptions(caller: string, options: SimulatorOptions): void {
  if (typeof options !== "object" || options === null) {
    refuse(caller, "options", shown(options), "an object");
  }
  const known: Readonly<Record<string, Check>> = checks;
  for (const [option, given] of Object.entries(options)) {
    if (given !== undefined) {
      const check = Object.hasOwn(known, option) ? known[option] : undefined;
      if (check === undefined) {
        throw new ArgumentError(
          `${caller} takes no option ${option}; it takes ${Object.keys(checks).join(", ")}`,
          option,
        );
      }
      check(caller, option, given);
    }
  }
  requireSubgroupSizes(caller, options);
}

function requireSubgroupSizes(caller: string, options: SimulatorOptions): void {
  const { subgroupSize = 32, otherSubgroupSize } = options;
  if (otherSubgroupSize === subgroupSize) {
    refuse(caller, "otherSubgroupSize", otherSubgroupSize, `another size than subgroupSize, ${subgroupSize}`);
  }
  const { least, most } = reportedSizes(options);
  for (const [name, size] of Object.entries({ subgroupSize, otherSubgroupSize })) {
    if (size !== undefined && least > size) {
      refuse(caller, "subgroupMinSize", least, `at most ${name}, ${size}`);
    }
    if (size !== undefined && most < size) {
      refuse(caller, "subgroupMaxSize", most, `at least ${name}, ${size}`);
    }
  }
}

/** The sizes of subgroups that the adapter reports. */
export function reportedSizes({
  subgroupSize = 32,
  otherSubgroupSize = subgroupSize,
  subgroupMinSize: least = Math.min(subgroupSize, otherSubgroupSize),
  subgroupMaxSize: most = Math.max(subgroupSize, otherSubgroupSize),
}: SimulatorOptions): { readonly least: number; readonly most: number } {
  return { least, most };
}

/** The options of a machine, with the defaults for those that are left out. */
export function machineOptions(options: SimulatorOptions): MachineOptions {
  return {
    subgroupSize: options.subgroupSize ?? 32,
    lanes: options.lanes ?? "natural",
    partlyFilled: options.partlyFilled ?? false,
    residentGroups: options.residentGroups ?? 8,
    schedule: options.schedule ?? "in order",
    atomics: options.atomics ?? "natural",
    olderValues: options.olderValues ?? false,
    unorderedAtomics: options.unorderedAtomics ?? false,
    uninitialized: options.uninitialized ?? false,
    patience: options.patience ?? 100_000,
    seed: options.seed ?? 1,
    ...(options.otherSubgroupSize && { otherSubgroupSize: options.otherSubgroupSize }),
    ...(options.onFinding && { onFinding: options.onFinding }),
    ...(options.trace && { trace: options.trace }),
  };
}
