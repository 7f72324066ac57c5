import type { Domain, ElementType } from "../algebra/types.ts";
import { FeatureError, LimitError } from "../errors.ts";
import type { Algorithm, TileShape } from "../kernels/algorithms.ts";
import { algorithms, mostRows } from "../kernels/algorithms.ts";
import type { TileAlgorithm } from "../kernels/tiles.ts";
import { requireCount } from "../options.ts";
import type { DeviceFacts, Limits } from "./device_facts.ts";
import type { Grouping } from "./grouping.ts";
import type { LoadedTuning, Methods, Tuning } from "./methods.ts";
import type { Chosen, TuningOptions } from "./options.ts";
import type { Tuned, TuningRow } from "./tuning_row.ts";

/** The kinds of adapters that were measured, and `gpu` for all others. */
export type AdapterKind = "software" | "nvidia" | "gpu";

/**
 * For each kind of adapter and each primitive, rows in order of the elements' size and the length. Rows for long operations come
 * first among those of the same size.
 */
export type TuningTable<Name extends Tuned> = Readonly<
  Record<AdapterKind, Readonly<Record<Name, readonly TuningRow[]>>>
>;

/**
 * The most bytes of a short item. Longer items go one by one on a software adapter, in loops that hold no item over a
 * barrier. bench/LOG.md has the figures.
 */
const SHORT_BYTES = 8;
/** The same on a GPU. */
const LONG_BYTES = 128;

/** The rows of reductions, and of scans and compactions that read their data twice. bench/LOG.md has the figures. */
export const twoPassRows: TuningTable<"scan" | "reduce" | "compact"> = {
  // Barriers cost the most time, so few threads take many items each. 32 items instead of 16 run no faster, and take twice
  // the time to compile. Memory does not limit the speed, so it gains nothing to read the data once.
  software: {
    scan: [
      { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 32, items: 16 },
      { elementBytes: SHORT_BYTES, algorithm: "hillis-steele", workGroupSize: 32, items: 8 },
      // Fewer threads take less work-group memory. 64 bytes, 2^16: 14.6 ms (32 × 8: 31.3). If the driver sets work-group
      // memory to zero, compiling takes 1.9 s of CPU (32 × 8: 3.6).
      { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 8, items: 32 },
    ],
    reduce: [
      { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 32, items: 16 },
      { elementBytes: SHORT_BYTES, algorithm: "hillis-steele", workGroupSize: 32, items: 8 },
      { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 8, items: 32 },
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
      // f64, 2^18: 16.9 µs (256 × 4: 15.9; 256 × 8: 20.0; 256 × 16: 28.2), 2^20: 22.7 (22.1; 24.1; 29.3), 2^22: 51.6 (54.1; 54.1; 56.4 to
      // 72.0), 2^23: 85.5 (256 × 8: 83.8; 256 × 16: 100.6), 2^24: 144 (256 × 8: 136; 256 × 16: 138).
      {
        elementBytes: 8,
        long: true,
        algorithm: "blelloch",
        workGroupSize: 512,
        items: 4,
        maxLength: 2 ** 23,
      },
      // f64, H100, 2^27: 746 µs (4 items: 896; 8 items: 784; 128 × 16: 762; 64 × 16: 919; 128 × 32: 851).
      { elementBytes: 8, long: true, algorithm: "blelloch", workGroupSize: 256, items: 16 },
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 8 },
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    // u32, half kept, 2^28: 720 µs (128 × 8: 712; 512 × 8: 756; 256 × 12: 754).
    compact: [{ elementBytes: 64, algorithm: "subgroup", workGroupSize: 256, items: 8 }],
  },
  // Chosen on an H100 that said it was an unknown GPU.
  gpu: {
    scan: [
      // u32, 2^26: 320 µs (256 × 8: 322; Hillis and Steele, 128 × 8: 335; 128 × 4: 368; 256 × 16: 380; 256 × 4: 402), 2^20: 21.7.
      { elementBytes: 4, algorithm: "blelloch", workGroupSize: 128, items: 8 },
      { elementBytes: 8, algorithm: "blelloch", workGroupSize: 256, items: 4 },
      { elementBytes: 12, algorithm: "blelloch", workGroupSize: 128, items: 4 },
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    reduce: [
      // u32, 2^26: 102 µs (128 × 8: 103; 256 × 16: 105; 256 × 4: 138), 2^22: 16.2 (256 × 16: 16.6; 128 × 8: 19.0).
      { elementBytes: 4, algorithm: "blelloch", workGroupSize: 256, items: 8 },
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    // u32, half kept, 2^26: 395 µs (128 × 8: 396; 256 × 4: 416; Hillis and Steele: 441; 256 × 16: 559), 2^20: 25.
    compact: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8 }],
  },
};

export type Combined = Pick<Domain, "elementBytes" | "long" | "row">;

/**
 * The row for an adapter, elements and a length: the first one of the adapter's own tuning that fits; if there is none, one of the
 * table. Rows with subgroups need kernels that most calls at hand do not load. Then other rows of the tuning apply, or those of
 * `gpu`, on NVIDIA, too.
 */
export function rowOf<Name extends Tuned>(
  table: TuningTable<Name>,
  primitive: Name,
  combined: Combined,
  { maxLength }: Chosen,
  { software, vendor, tuned }: Pick<DeviceFacts, "software" | "vendor" | "tuned">,
  { algorithms: loaded }: Methods,
): TuningRow {
  const { elementBytes, long, row } = combined;
  const isNvidia = vendor === "nvidia" && loaded.subgroup;
  const rows = table[software ? "software" : isNvidia ? "nvidia" : "gpu"][primitive];
  return ((!software && row?.(primitive)) ||
    (tuned?.(table === twoPassRows, primitive, combined, maxLength, loaded) ??
      // maxLength is checked later. If it is no number, any row will do until then. No length is more than undefined.
      rows.find(
        (one) =>
          elementBytes <= one.elementBytes &&
          (long || !one.long) &&
          !(typeof maxLength === "number" && maxLength > (one.maxLength as number)),
      ) ??
      rows.at(-1))) as TuningRow;
}

/** @throws {FeatureError} if the device lacks the feature that a type needs. */
export function requireFeature({ feature }: ElementType, title: string, { features }: DeviceFacts): void {
  if (feature !== undefined && !features.has(feature)) {
    throw typeFeatureError(title, feature);
  }
}

/** The error for a type that needs a feature which the device lacks: f16, or a struct with fields of f16. */
export const typeFeatureError = (title: string, feature: "shader-f16"): FeatureError =>
  new FeatureError(
    `${title} needs the adapter feature "${feature}"; most GPUs have it, and software adapters do not: open the device with it, or take f32`,
    feature,
  );

/** The caller's algorithm, or else the row's. If that needs subgroups and the device has none, it is Blelloch's. */
export const algorithmOf = (
  row: Pick<TuningRow, "algorithm">,
  options: TuningOptions,
  { features }: Pick<DeviceFacts, "features">,
): Algorithm =>
  options.algorithm ??
  (algorithms[row.algorithm].subgroups && !features.has("subgroups") ? "blelloch" : row.algorithm);

/**
 * Chooses the algorithm and the sizes that the caller leaves open, and checks all of them against the device. `memoryBeside` gives the bytes of
 * work-group memory that a kernel takes beside those of its algorithm.
 *
 * @throws {ArgumentError} for sizes that mean nothing.
 * @throws {LimitError} for sizes over the device's limits.
 * @throws {FeatureError} for a type or an algorithm whose feature the device lacks.
 */
export function chooseSizes(
  row: TuningRow,
  title: string,
  type: ElementType,
  { elementBytes, long }: Combined,
  options: Chosen,
  facts: DeviceFacts,
  methods: Methods,
  memoryBeside: (shape: TileShape) => number = () => 0,
): LoadedTuning {
  const { limits, subgroupIds } = facts;
  requireFeature(type, title, facts);
  methods.requireChosen?.(options, title, facts);
  const algorithm = algorithmOf(row, options, facts);
  // src/gpu/executor/load_methods.ts has loaded the algorithm.
  const tiles = methods.algorithms[algorithm] as TileAlgorithm;
  const longest = Math.max(type.bytes, elementBytes, options.from?.bytes ?? 0);
  const oneByOne = goOneByOne(longest, facts);
  const tuningOf = (workGroupSize: number): Tuning => ({
    algorithm,
    sizes: {
      workGroupSize,
      items: options.itemsPerThread ?? row.items,
      // If many long combinations follow one another, a software adapter takes seconds to compile them. A GPU's driver
      // compiles them at once.
      unrolled: !(oneByOne || (facts.software && long)),
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
    fitting >>= 1;
  }
  const tuning = tuningOf(options.workGroupSize ?? fitting);
  methods.requireFit?.(tuning, options, title, memoryOf(tuning), most);
  return {
    ...tuning,
    sources: tiles.sources(tuning),
    oneByOne: oneByOne ? methods.oneByOne?.[tiles.threadsTake] : undefined,
    gpuLimits: !facts.software && limits,
  };
}

/**
 * Whether items go one by one: because a software adapter would take seconds to compile kernels that hold many of them, or
 * because no GPU has registers for several.
 */
export const goOneByOne = (itemBytes: number, { software }: Pick<DeviceFacts, "software">): boolean =>
  itemBytes > (software ? SHORT_BYTES : LONG_BYTES);

/** Items of a tile. */
export const tileOf = ({ sizes }: Pick<Tuning, "sizes">): number => sizes.workGroupSize * sizes.items;

/** The order of operations that follows from a tuning. */
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
export function requireMaxLength(
  title: string,
  maxLength: unknown,
  itemBytes: number,
  { maxStorageBufferBindingSize, maxBufferSize }: Limits,
  option = "maxLength",
): number {
  requireCount(title, option, maxLength, 0);
  const most = Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / itemBytes);
  if (maxLength > most) {
    throw new LimitError(
      `${title}: ${maxLength} items of ${itemBytes} bytes are more than the device can bind, which is ${most}`,
      maxLength,
      most,
      option,
    );
  }
  return maxLength;
}
