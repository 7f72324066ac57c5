import type { LaneOrder, SimulatorOptions } from "../options.ts";

/** The choices of a run, each of which WGSL leaves open. */
export type RunOptions = Pick<
  SimulatorOptions,
  "subgroupSize" | "lanes" | "schedule" | "atomics" | "olderValues" | "residentGroups" | "seed"
>;

const order = (options: RunOptions): RunOptions => options;

/** Orders of work-groups, and of the threads at an atomic. The first one is the simplest. */
const orders = [
  order({ schedule: "in order", atomics: "natural" }),
  order({ schedule: "reversed", atomics: "reversed" }),
  order({ schedule: "random", atomics: "random" }),
  order({ schedule: "priorities", atomics: "random", olderValues: true }),
  order({ schedule: "starve", atomics: "natural", residentGroups: 2 }),
  order({ schedule: "random", atomics: "random", olderValues: true, residentGroups: 3 }),
  order({ schedule: "priorities", atomics: "reversed" }),
  order({ schedule: "starve", atomics: "random", olderValues: true }),
] as const;

/** The order of this number, of as many as there may be. */
const orderOf = (number: number): RunOptions => orders[number % orders.length] ?? orders[0];

/** Orders that may show that a result depends on the order. */
export const otherOrders = (options: RunOptions): readonly RunOptions[] =>
  [1, 2, 3, 4].map((at) => ({ ...options, ...orderOf(at) }));

/** A run of a check: its choices, and the number of the values that numbers outside of arrays have. */
export interface Run {
  readonly options: RunOptions;
  readonly values: number;
}

export interface Machines {
  readonly seed: number;
  /** How many different values these numbers take by turns. */
  readonly valueCount: number;
  /** None for a kernel without subgroups. */
  readonly subgroupSizes: readonly number[];
  readonly lanes: readonly LaneOrder[];
  /** How many runs there are; undefined for as many as there are different ones. */
  readonly runs?: number | undefined;
}

/**
 * The runs of a check. All orders come first, with the first subgroup size; then all sizes; then all sizes with other lanes.
 * If there are to be more, orders come again by other seeds. Only runs with the same values can be compared, so all sizes and lanes have the first.
 */
export function runsOf({ seed, valueCount, subgroupSizes, lanes, runs }: Machines): readonly Run[] {
  const [first] = subgroupSizes;
  const [natural = "natural"] = lanes;
  const start: RunOptions = first === undefined ? {} : { subgroupSize: first, lanes: natural };
  const all: RunOptions[] = orders.map((one) => ({ ...start, ...one }));
  for (const [at, laneOrder] of lanes.entries()) {
    for (const subgroupSize of at === 0 ? subgroupSizes.slice(1) : subgroupSizes) {
      all.push({ ...orders[0], subgroupSize, lanes: laneOrder });
    }
  }
  const count = runs ?? all.length;
  return Array.from({ length: count }, (_, at) => ({
    options: {
      ...(all[at] ?? { ...all[at % all.length], ...orderOf(2 + at) }),
      seed: (seed + Math.floor(at / all.length)) % 2 ** 32,
    },
    values: at < orders.length || at >= all.length ? at % valueCount : 0,
  }));
}

/** How many more runs there may be for lines that have not run. */
const MORE_RUNS = 8;

/** Runs like a first one, with values that no other run has. */
export const moreRuns = ({ options }: Run, valueCount: number): readonly Run[] =>
  Array.from({ length: MORE_RUNS }, (_, at) => ({
    options: { ...options, ...orderOf(at) },
    values: valueCount + at,
  }));
