import type { Algorithm } from "../codegen/algorithms.ts";
import { algorithms, requireAlgorithm } from "../codegen/algorithms.ts";
import type { Sizes } from "../codegen/contract.ts";
import type { AlgorithmSources } from "../codegen/device_files.ts";
import { lookBackMemory, lookBackShape } from "../codegen/kernels.ts";
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
  /** Whether WGSL has `subgroup_id` here. */
  readonly subgroupIds: boolean;
  /** Whether the adapter computes on the CPU. */
  readonly software: boolean;
  /** `GPUAdapterInfo.vendor`, such as "nvidia"; empty where it is not told. */
  readonly vendor: string;
  /** Whether work-groups of one dispatch may hand results on to each other: found out by a test, or known. */
  readonly lookBack: boolean;
}

/** How a primitive is carried out. What is left out is chosen for the device. */
export interface TuningOptions {
  /** How the threads of a work-group combine their elements. `subgroup` needs the feature "subgroups". */
  readonly algorithm?: Algorithm;
  /** Threads in a work-group: 1 to the device's limit. */
  readonly workGroupSize?: number;
  /** Consecutive items that one thread takes: 1 to 64. Their product with workGroupSize is at least 2. */
  readonly itemsPerThread?: number;
  /**
   * How many times the data is read: `single`, once, where each tile looks back at what those before it
   * handed on; or `reduce-then-scan`, twice. Ranges that share a buffer take the latter in any case.
   */
  readonly passes?: Passes;
}

/** How many times a scan or a compaction reads its data. */
export type Passes = "single" | "reduce-then-scan";

/** What is tuned on its own. */
export type Primitive = "scan" | "reduce" | "compact";

/** What the table holds: where a primitive is single-pass, the shapes are others. */
type Row = "single scan" | "single compact" | Primitive;

interface TuningRow {
  /** The elements that it is for: of at most so many bytes. */
  readonly elementBytes: number;
  /** Whether it is for operations of hundreds of instructions: f64's. */
  readonly long?: boolean;
  /** The lengths that it is for: up to so many items. Any, where it is left out. */
  readonly maxLength?: number;
  readonly algorithm: Algorithm;
  readonly workGroupSize: number;
  readonly items: number;
  /** Of a single pass: whether it is the faster way, and so the default. */
  readonly isDefault?: boolean;
}

/** The adapters that were measured, and all others. */
type AdapterKind = "software" | "nvidia" | "gpu";

/** For each kind of adapter, rows in order of the elements' size and the length. bench/LOG.md has the figures. */
const rows: Record<AdapterKind, Record<Row, readonly TuningRow[]>> = {
  // Barriers are what costs, so few threads take many items each; 32 of them instead of 16 run no
  // faster, and compile in twice the time. Where memory is not what binds, reading it once gains nothing.
  software: {
    "single scan": [
      { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 32, items: 16 },
      { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 32, items: 8 },
    ],
    "single compact": [{ elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 32, items: 16 }],
    scan: [
      { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 32, items: 16 },
      { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 32, items: 8 },
    ],
    reduce: [
      { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 32, items: 16 },
      { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 32, items: 8 },
    ],
    compact: [{ elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 32, items: 16 }],
  },
  // H200, driver 580.159, exclusive sums; copies take 7.9 µs at 2^20, 39.7 at 2^24 and 513.5 at 2^28 words.
  nvidia: {
    "single scan": [
      // u32, 2^20: 12.5 µs (reduce-then-scan 19.4; 256 × 32: 13.9); 2^24: 60.2.
      {
        elementBytes: 4,
        maxLength: 2 ** 22,
        algorithm: "subgroup",
        workGroupSize: 512,
        items: 16,
        isDefault: true,
      },
      // u32, 2^24: 59.2 µs (reduce-then-scan 81.9; 512 × 32: 60.6); 2^28: 645 (512 × 32: 637; 512 × 24: 674;
      // 512 × 16: 713; reduce-then-scan 783). f32, 2^28: 653 (512 × 32: 977).
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 256, items: 32, isDefault: true },
      // f64, 2^21: 211 µs (16 items: 835); 2^27: 2920 (reduce-then-scan 300, 3243; subgroup 3897, 10406).
      {
        elementBytes: 8,
        long: true,
        maxLength: 2 ** 24,
        algorithm: "blelloch",
        workGroupSize: 256,
        items: 8,
        isDefault: true,
      },
      // f64, 2^27: 2615 µs.
      {
        elementBytes: 8,
        long: true,
        algorithm: "blelloch",
        workGroupSize: 256,
        items: 16,
        isDefault: true,
      },
      // u64, 2^27: 2545 µs (reduce-then-scan 1210).
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 512, items: 16 },
      // 16-byte struct, 2^26: 1815 µs (reduce-then-scan 1086).
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8 },
    ],
    "single compact": [
      // u32, half kept, 2^20: 13.0 µs (reduce-then-scan 19.2), 2^24: 68.6 (78.5; 512 × 32: 76.5).
      {
        elementBytes: 64,
        maxLength: 2 ** 25,
        algorithm: "subgroup",
        workGroupSize: 512,
        items: 16,
        isDefault: true,
      },
      // 2^28: 826 µs (reduce-then-scan 720).
      { elementBytes: 64, algorithm: "subgroup", workGroupSize: 512, items: 16 },
    ],
    scan: [
      // u32, 2^28: 783 µs (256 × 16: 798).
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 256, items: 8 },
      // f64, 2^27: 3243 µs (4 items: 3624).
      { elementBytes: 8, long: true, algorithm: "blelloch", workGroupSize: 256, items: 8 },
      // u64, 2^27: 1210 µs (512 threads: 1289; 16 items: 1308).
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 8 },
      { elementBytes: 12, algorithm: "blelloch", workGroupSize: 128, items: 4 },
      // 16-byte struct, 2^26: 1086 µs (subgroup: 1382).
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    reduce: [
      // u32, 2^28: 253 µs (512 × 16: 253; 1024 × 16: 251; 256 × 32: 259), 2^20: 13.8.
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 256, items: 16 },
      { elementBytes: 8, long: true, algorithm: "blelloch", workGroupSize: 256, items: 4 },
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 8 },
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    // u32, half kept, 2^28: 720 µs (128 × 8: 712; 512 × 8: 756; 256 × 12: 754).
    compact: [{ elementBytes: 64, algorithm: "subgroup", workGroupSize: 256, items: 8 }],
  },
  // Not measured: a single pass is the default for the elements for which it is the faster way on an H200, once a
  // test has shown that it works.
  gpu: {
    "single scan": [
      { elementBytes: 4, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true },
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    "single compact": [
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true },
    ],
    scan: [
      { elementBytes: 8, algorithm: "blelloch", workGroupSize: 256, items: 4 },
      { elementBytes: 12, algorithm: "blelloch", workGroupSize: 128, items: 4 },
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    reduce: [
      { elementBytes: 4, algorithm: "blelloch", workGroupSize: 256, items: 8 },
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    compact: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8 }],
  },
};

type Combined = Pick<Domain, "elementBytes" | "long">;

/** The row for an adapter, elements and a length. */
function rowOf(
  facts: DeviceFacts,
  row: Row,
  { elementBytes, long = false }: Combined,
  maxLength: number,
): TuningRow {
  const kind: AdapterKind = facts.software ? "software" : facts.vendor === "nvidia" ? "nvidia" : "gpu";
  const table = rows[kind][row];
  const fitting = table.filter(
    (one) => elementBytes <= one.elementBytes && maxLength <= (one.maxLength ?? Infinity),
  );
  const found =
    fitting.find((one) => (one.long ?? false) === long) ?? fitting.find((one) => !one.long) ?? table.at(-1);
  if (found === undefined) {
    throw new Error("the tuning table is empty");
  }
  return found;
}

/** An algorithm and sizes that the device can run. */
export interface Tuning {
  readonly algorithm: Algorithm;
  readonly sizes: Sizes;
  readonly subgroupIds: boolean;
}

/** With the files of its algorithm. */
export type LoadedTuning = Tuning & { readonly sources: AlgorithmSources };

/**
 * Chooses what the caller leaves open, and checks the whole against the device.
 *
 * @throws {ArgumentError} for sizes that mean nothing.
 * @throws {LimitError} for sizes over the device's limits.
 * @throws {FeatureError} for a type or an algorithm whose feature the device lacks.
 */
export function tune(
  primitive: Row,
  title: string,
  type: ElementType,
  domain: Combined,
  options: TuningOptions & { readonly maxLength: unknown },
  facts: DeviceFacts,
): Tuning {
  const { limits, features } = facts;
  const { elementBytes, long = false } = domain;
  if (type.feature !== undefined && !features.has(type.feature)) {
    throw new FeatureError(`${title} needs the adapter feature "${type.feature}"`);
  }
  const subgroups = features.has("subgroups");
  // The length is checked later, with the ranges; what is no number is tuned for any.
  const row = rowOf(facts, primitive, domain, lengthOf(options));
  const algorithm =
    options.algorithm === undefined
      ? portable(row.algorithm, subgroups)
      : requireAlgorithm(options.algorithm, title);
  if (algorithms[algorithm].subgroups && !subgroups) {
    throw new FeatureError(`${title} with the algorithm ${algorithm} needs the adapter feature "subgroups"`);
  }
  const most = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  const items = requireCount(title, "itemsPerThread", options.itemsPerThread ?? row.items);
  const sizesOf = (workGroupSize: number): Sizes => ({
    workGroupSize,
    items,
    // A software adapter compiles many long combinations in a row in seconds, a GPU's driver at once.
    unrolled: !(facts.software && long),
    minSubgroupSize: facts.subgroupMinSize,
    maxSubgroupSize: facts.subgroupMaxSize,
  });
  const memoryOf = (workGroupSize: number): number =>
    algorithms[algorithm].memory(sizesOf(workGroupSize), elementBytes) +
    (primitive === "single scan" || primitive === "single compact"
      ? lookBackMemory({ algorithm, sizes: sizesOf(workGroupSize) }, elementBytes)
      : 0);
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
  return { algorithm, sizes: sizesOf(workGroupSize), subgroupIds: facts.subgroupIds };
}

/** What a row names, or what does without subgroups. */
const portable = (algorithm: Algorithm, subgroups: boolean): Algorithm =>
  algorithms[algorithm].subgroups && !subgroups ? "blelloch" : algorithm;

/** The order of operations that a tuning makes. */
export const groupingOf = (tuning: Tuning, passes: Passes, itemsPerVector: number): Grouping => ({
  algorithm: tuning.algorithm,
  workGroupSize: tuning.sizes.workGroupSize,
  itemsPerThread: tuning.sizes.items,
  itemsPerVector,
  subgroupSize: tuning.sizes.minSubgroupSize,
  ...(passes === "single" ? { passes, lookBack: lookBackShape(tuning) } : { passes }),
});

/** Threads that a look-back takes at least: one for each total that it reads. */
const LOOK_BACK_THREADS = 2;

// The length is checked later, with the ranges; what is no number is tuned for any.
const lengthOf = ({ maxLength }: { readonly maxLength: unknown }): number => Number(maxLength);

/**
 * How many times the data is read: what the caller says, or what is faster. Once only where the adapter is known
 * to manage.
 *
 * @throws {ArgumentError} for another word, or a work-group that is too small.
 */
export function passesOf(
  primitive: "scan" | "compact",
  domain: Combined,
  options: TuningOptions & { readonly maxLength: unknown },
  facts: DeviceFacts,
  title: string,
): Passes {
  const { passes, workGroupSize } = options;
  if (passes !== undefined && passes !== "single" && passes !== "reduce-then-scan") {
    throw new ArgumentError(`${title}: passes is ${String(passes)}; it takes single or reduce-then-scan`);
  }
  const tooSmall = workGroupSize !== undefined && workGroupSize < LOOK_BACK_THREADS;
  if (passes === "single" && tooSmall) {
    throw new ArgumentError(
      `${title}: passes is single and workGroupSize ${workGroupSize}; a single pass takes at least ${LOOK_BACK_THREADS} threads`,
    );
  }
  const { isDefault = false } = rowOf(facts, `single ${primitive}`, domain, lengthOf(options));
  return passes ?? (facts.lookBack && isDefault && !tooSmall ? "single" : "reduce-then-scan");
}

/** How a single pass looks back on an adapter. */
export const lookBackOf = (facts: DeviceFacts): { patience: number; tickets: boolean } => ({
  // Where work-groups run on few threads, the one that is waited for may not run meanwhile.
  patience: facts.software ? 16 : 1000,
  // Measured to start work-groups in the order of their numbers; a ticket costs more than it saves there.
  tickets: facts.vendor !== "nvidia",
});

/** A whole number of at least 1. */
function requireCount(title: string, name: string, value: unknown): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1) {
    throw new ArgumentError(`${title}: ${name} is ${String(value)}; it takes a whole number from 1 up`);
  }
  return value;
}
