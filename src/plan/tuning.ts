import type { Domain, ElementType, SourceText } from "../algebra/types.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { algorithms, mostRows } from "../kernels/algorithms.ts";
import type { Sizes } from "../kernels/contract.ts";
import type { AlgorithmSources } from "../kernels/tiles.ts";
import { loadChosen } from "../later.ts";
import type { Grouping } from "../reference/grouping.ts";

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

/** A row of a table of algorithms and sizes. */
export interface TuningRow {
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
export type AdapterKind = "software" | "nvidia" | "gpu";

/** For each kind of adapter and each primitive, rows in order of the elements' size and the length. */
export type TuningTable<Name extends Primitive> = Readonly<
  Record<AdapterKind, Readonly<Record<Name, readonly TuningRow[]>>>
>;

/** Of a reduction, and of what reads its data twice. bench/LOG.md has the figures. */
export const twoPassRows: TuningTable<Primitive> = {
  // Barriers are what costs, so few threads take many items each; 32 of them instead of 16 run no
  // faster, and compile in twice the time. Where memory is not what binds, reading it once gains nothing.
  software: {
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
    scan: [
      // u32, 2^28: 783 µs (256 × 16: 798).
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 256, items: 8 },
      // f64, 2^27: 3243 µs (4 items: 3624).
      { elementBytes: 8, long: true, algorithm: "blelloch", workGroupSize: 256, items: 8 },
      // u64, 2^27, before rows were scanned together: 1210 µs (512 threads: 1289; 16 items: 1308).
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 8 },
      { elementBytes: 12, algorithm: "blelloch", workGroupSize: 128, items: 4 },
      // 16-byte struct, 2^26: 1086 µs (subgroup, before rows were scanned together: 1382).
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
  gpu: {
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

/**
 * Longer items go one by one on a software adapter, in loops that hold none over a barrier. bench/LOG.md has the figures.
 */
const SHORT_BYTES = 8;

export type Combined = Pick<Domain, "elementBytes" | "long">;

/** What the caller chooses, the length, and the type of the items that go in. */
export type Chosen = TuningOptions & { readonly maxLength: unknown; readonly from?: ElementType };

/** The row for an adapter, elements and a length. */
export function rowOf<Name extends Primitive>(
  table: TuningTable<Name>,
  primitive: Name,
  { elementBytes, long = false }: Combined,
  { maxLength }: Chosen,
  { software, vendor }: Pick<DeviceFacts, "software" | "vendor">,
): TuningRow {
  const rows = table[software ? "software" : vendor === "nvidia" ? "nvidia" : "gpu"][primitive];
  // It is checked later; for what is no number, any row will do.
  const length = typeof maxLength === "number" ? maxLength : 0;
  const fitting = rows.filter(
    (one) => elementBytes <= one.elementBytes && length <= (one.maxLength ?? Infinity),
  );
  return (fitting.find((one) => (one.long ?? false) === long) ??
    fitting.find((one) => !one.long) ??
    rows.at(-1)) as TuningRow;
}

/** An algorithm and sizes that the device can run. */
export interface Tuning {
  readonly algorithm: Algorithm;
  readonly sizes: Sizes;
  readonly subgroupIds: boolean;
}

/** With the files of its algorithm. */
export type LoadedTuning = Tuning & {
  readonly sources: AlgorithmSources;
  readonly instead: readonly SourceText[];
};

/**
 * Chooses what the caller leaves open, and checks the whole against the device. `memoryBeside` is what a kernel
 * takes of work-group memory beside its algorithm.
 *
 * @throws {ArgumentError} for sizes that mean nothing.
 * @throws {LimitError} for sizes over the device's limits.
 * @throws {FeatureError} for a type or an algorithm whose feature the device lacks.
 */
export async function tune(
  row: TuningRow,
  title: string,
  type: ElementType,
  { elementBytes, long = false }: Combined,
  options: Chosen,
  facts: DeviceFacts,
  memoryBeside: (shape: Pick<Tuning, "algorithm" | "sizes">) => number = () => 0,
): Promise<Tuning> {
  const { limits, features, subgroupIds } = facts;
  const chosen = [type.feature, options.algorithm, options.itemsPerThread, options.workGroupSize];
  if (chosen.some((one) => one !== undefined)) {
    (await loadChosen()).requireChosen(type, options, title, facts);
  }
  // What a row names, or what does without subgroups.
  const algorithm =
    options.algorithm ??
    (algorithms[row.algorithm].subgroups && !features.has("subgroups") ? "blelloch" : row.algorithm);
  const longest = Math.max(type.bytes, elementBytes, options.from?.bytes ?? 0);
  const oneByOne = facts.software && longest > SHORT_BYTES;
  const tuningOf = (workGroupSize: number): Tuning => ({
    algorithm,
    sizes: {
      workGroupSize,
      items: options.itemsPerThread ?? row.items,
      // A software adapter compiles many long combinations in a row in seconds, a GPU's driver at once.
      unrolled: !(facts.software && (long || oneByOne)),
      oneByOne,
      minSubgroupSize: facts.subgroupMinSize,
      maxSubgroupSize: facts.subgroupMaxSize,
    },
    subgroupIds,
  });
  const memoryOf = (tuning: Tuning): number =>
    algorithms[algorithm].memory(tuning.sizes, elementBytes) + memoryBeside(tuning);
  const most = limits.maxComputeWorkgroupStorageSize;
  let fitting = Math.min(
    row.workGroupSize,
    limits.maxComputeInvocationsPerWorkgroup,
    limits.maxComputeWorkgroupSizeX,
  );
  while (fitting > 2 && memoryOf(tuningOf(fitting)) > most) {
    fitting = Math.floor(fitting / 2);
  }
  const tuning = tuningOf(options.workGroupSize ?? fitting);
  if (tileOf(tuning) < 2 || memoryOf(tuning) > most) {
    throw (await loadChosen()).misfit(tuning, title, memoryOf(tuning), most);
  }
  return tuning;
}

/** Items of a tile. */
export const tileOf = ({ sizes }: Tuning): number => sizes.workGroupSize * sizes.items;

/** The order of operations that a tuning makes. */
export const groupingOf = ({ algorithm, sizes }: Tuning, itemsPerVector: number): Grouping => ({
  algorithm,
  workGroupSize: sizes.workGroupSize,
  itemsPerThread: sizes.items,
  itemsPerVector,
  subgroupSize: sizes.minSubgroupSize,
  ...(algorithms[algorithm].subgroups && { rows: mostRows(sizes) }),
  passes: "reduce-then-scan",
});

/** The length that a plan is made for, checked against what a binding holds. */
export async function requireMaxLength(
  title: string,
  maxLength: number,
  itemBytes: number,
  { maxStorageBufferBindingSize, maxBufferSize }: Limits,
): Promise<number> {
  const most = Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / itemBytes);
  if (!Number.isInteger(maxLength) || maxLength < 0 || maxLength > most) {
    throw (await loadChosen()).lengthProblem(title, maxLength, itemBytes, most);
  }
  return maxLength;
}
