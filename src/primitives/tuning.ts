import type { Algorithm } from "../codegen/algorithms.ts";
import { algorithms, requireAlgorithm, workGroupMemory } from "../codegen/algorithms.ts";
import type { Sizes } from "../codegen/contract.ts";
import { ArgumentError, FeatureError, LimitError } from "../errors.ts";
import type { Grouping } from "../reference/grouping.ts";
import type { Domain, ElementType } from "../types.ts";

/** The limits that plans depend on: a part of `GPUSupportedLimits`. */
export interface Limits {
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupSizeX: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
  readonly minStorageBufferOffsetAlignment: number;
}

/** What a plan depends on, as values: no device is needed to make one. */
export interface DeviceFacts {
  readonly limits: Limits;
  readonly features: ReadonlySet<string>;
  readonly subgroupMinSize: number;
  readonly subgroupMaxSize: number;
  /** Whether the adapter computes on the CPU. */
  readonly software: boolean;
}

/** How a primitive is carried out. What is left out is chosen for the device. */
export interface TuningOptions {
  /** How the threads of a work-group combine their elements. `subgroup` needs the feature "subgroups". */
  readonly algorithm?: Algorithm;
  /** Threads in a work-group: 1 to the device's limit. */
  readonly workGroupSize?: number;
  /** Consecutive items that one thread takes: 1 to 64. Their product with workGroupSize is at least 2. */
  readonly itemsPerThread?: number;
}

/** What is tuned on its own. */
export type Primitive = "scan" | "reduce" | "compact";

interface TuningRow {
  /** The elements that it is for: of at most so many bytes. */
  readonly elementBytes: number;
  readonly algorithm: Algorithm;
  readonly workGroupSize: number;
  readonly items: Readonly<Record<Primitive, number>>;
}

/** For each kind of adapter, rows in order of the elements' size. bench/LOG.md has the figures. */
const rows = {
  // Barriers are what costs, so few threads take many items each; 32 of them instead of 16 run no
  // faster, and compile in twice the time.
  software: [
    {
      elementBytes: 4,
      algorithm: "hillis-steele",
      workGroupSize: 32,
      items: { scan: 16, reduce: 16, compact: 16 },
    },
    {
      elementBytes: 64,
      algorithm: "hillis-steele",
      workGroupSize: 32,
      items: { scan: 8, reduce: 8, compact: 16 },
    },
  ],
  gpu: [
    // H200, u32, 2^26: scan 455 µs (subgroup 485, hillis-steele 554; 8 items: 727), reduce 100 µs
    // (146, 150; 4 items: 146), compact 309 µs (354, 349; 4 items: 404).
    { elementBytes: 4, algorithm: "blelloch", workGroupSize: 256, items: { scan: 4, reduce: 8, compact: 8 } },
    // H200, u64, 2^25: scan 416 µs (subgroup 470, hillis-steele 463; 2 items: 428), reduce 93 µs (151,
    // 150; 2 items: 150). f64: scan 909 µs (1816, 1345; 2 items: 1161), reduce 292 µs (778, 559).
    { elementBytes: 8, algorithm: "blelloch", workGroupSize: 256, items: { scan: 4, reduce: 4, compact: 8 } },
    // H200, structs of u32, 2^28 bytes: 12 bytes 375 µs (256 × 2: 446; × 4: 690); 16 bytes 301 µs
    // (hillis-steele 308, subgroup 323; 2 items: 312), reduce 81; 32 bytes 464, 64 bytes 567.
    {
      elementBytes: 12,
      algorithm: "blelloch",
      workGroupSize: 128,
      items: { scan: 2, reduce: 4, compact: 8 },
    },
    {
      elementBytes: 64,
      algorithm: "blelloch",
      workGroupSize: 256,
      items: { scan: 4, reduce: 4, compact: 8 },
    },
  ],
} as const satisfies Record<string, readonly TuningRow[]>;

/** The row for an adapter and an element. */
function rowOf(software: boolean, elementBytes: number): TuningRow {
  const table: readonly TuningRow[] = software ? rows.software : rows.gpu;
  const row = table.find((one) => elementBytes <= one.elementBytes) ?? table.at(-1);
  if (row === undefined) {
    throw new Error("the tuning table is empty");
  }
  return row;
}

/** An algorithm and sizes that the device can run. */
export interface Tuning {
  readonly algorithm: Algorithm;
  readonly sizes: Sizes;
}

/**
 * Chooses what the caller leaves open, and checks the whole against the device.
 *
 * @throws {ArgumentError} for sizes that mean nothing.
 * @throws {LimitError} for sizes over the device's limits.
 * @throws {FeatureError} for a type or an algorithm whose feature the device lacks.
 */
export function tune(
  primitive: Primitive,
  title: string,
  type: ElementType,
  domain: Pick<Domain, "elementBytes" | "long">,
  options: TuningOptions,
  facts: DeviceFacts,
): Tuning {
  const { limits, features } = facts;
  const { elementBytes, long = false } = domain;
  if (type.feature !== undefined && !features.has(type.feature)) {
    throw new FeatureError(`${title} needs the adapter feature "${type.feature}"`);
  }
  const subgroups = features.has("subgroups");
  const row = rowOf(facts.software, elementBytes);
  const algorithm =
    options.algorithm === undefined ? row.algorithm : requireAlgorithm(options.algorithm, title);
  if (algorithms[algorithm].subgroups && !subgroups) {
    throw new FeatureError(`${title} with the algorithm ${algorithm} needs the adapter feature "subgroups"`);
  }
  const most = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  const items = requireCount(title, "itemsPerThread", options.itemsPerThread ?? row.items[primitive]);
  const sizesOf = (workGroupSize: number): Sizes => ({
    workGroupSize,
    items,
    // A software adapter compiles many long combinations in a row in seconds, a GPU's driver at once.
    unrolled: !(facts.software && long),
    minSubgroupSize: facts.subgroupMinSize,
    maxSubgroupSize: facts.subgroupMaxSize,
  });
  const memoryOf = (workGroupSize: number): number =>
    workGroupMemory(algorithm, sizesOf(workGroupSize), elementBytes);
  let fitting = Math.min(row.workGroupSize, most);
  while (fitting > 2 && memoryOf(fitting) > limits.maxComputeWorkgroupStorageSize) {
    fitting = Math.floor(fitting / 2);
  }
  const workGroupSize = requireCount(title, "workGroupSize", options.workGroupSize ?? fitting);
  if (workGroupSize > most) {
    throw new LimitError(`${title}: workGroupSize is ${workGroupSize}, and the device's limit is ${most}`);
  }
  if (items > 64) {
    throw new ArgumentError(`${title}: itemsPerThread is ${items}; it takes 1 to 64`);
  }
  if (workGroupSize * items < 2) {
    throw new ArgumentError(
      `${title}: a tile is workGroupSize * itemsPerThread = 1 item; it takes at least 2`,
    );
  }
  const memory = memoryOf(workGroupSize);
  if (memory > limits.maxComputeWorkgroupStorageSize) {
    throw new LimitError(
      `${title} with the algorithm ${algorithm} and workGroupSize ${workGroupSize} needs ${memory} bytes of work-group memory, and the device's limit is ${limits.maxComputeWorkgroupStorageSize}`,
    );
  }
  return { algorithm, sizes: sizesOf(workGroupSize) };
}

/** The order of operations that a tuning makes. */
export const groupingOf = ({ algorithm, sizes }: Tuning): Grouping => ({
  algorithm,
  workGroupSize: sizes.workGroupSize,
  itemsPerThread: sizes.items,
  subgroupSize: sizes.minSubgroupSize,
});

/** A whole number of at least 1. */
function requireCount(title: string, name: string, value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1) {
    throw new ArgumentError(`${title}: ${name} is ${String(value)}; it takes a whole number from 1 up`);
  }
  return value;
}
