import storeByPairsFile from "#shaders/device/io/store_by_pairs.wgsl";
import writePairEvenFile from "#shaders/device/io/write_pair_even.wgsl";
import writePairOfThreeFile from "#shaders/device/io/write_pair_of_three.wgsl";
import scanInPlace from "#shaders/device/kernels/scan_in_place.wgsl";
import takeTiles from "#shaders/device/kernels/take_tiles.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { TileShape } from "../kernels/algorithms.ts";
import { hasFullSubgroups, memoryOf } from "../kernels/algorithms.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { bindingOf, isWide, scanKernel } from "../kernels/kernel.ts";
import {
  laneItems,
  lookBackMemory,
  lookBackShape,
  lookBackSources,
  spineSize,
} from "../kernels/look_back.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { partsOfVector } from "../kernels/words.ts";
import { unrollFile } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import type { TuningTable } from "./choose_sizes.ts";
import {
  algorithmOf,
  chooseSizes,
  goOneByOne,
  groupingOf,
  rowOf,
  tileOf,
  twoPassRows,
} from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { PlanSinglePass, SinglePass } from "./methods.ts";
import type { Chosen, SegmentOptions } from "./options.ts";
import type { Pass } from "./plan.ts";
import { bound, distinct, perArrangement, RUNS } from "./plan.ts";
import { callersSlots, vectorOf } from "./scan.ts";
import type { TuningRow } from "./tuning_row.ts";

/** A row for scans whose elements are items of exactly so many bytes. Their lanes store vectors by pairs. */
interface PairRow extends TuningRow {
  /** Whether the row is for exclusive scans alone. */
  readonly exclusive?: true;
  /** The row is for plans of more items than these. */
  readonly longerThan?: number;
}

/**
 * µs of 2^28 bytes on an H200, where a copy takes 134, and on an H100, where it takes 190. Other shapes are in brackets, and the first of them
 * is what `singlePassRows` has. Items of 32 bytes have its row, if they are not many.
 */
const pairRows: readonly PairRow[] = [
  // Integers 162 and 204 (192 × 12: 165 and 200; 192 × 16: 174 and 232), `variance` 206 and 224 (220 and 235; 198 and 223).
  {
    elementBytes: 12,
    exclusive: true,
    algorithm: "subgroup",
    workGroupSize: 128,
    items: 16,
    isDefault: true,
  },
  // Integers 159 and 198 (192 × 12: 164 and 199; 128 × 16: 164 and 200; 160 × 16: 166 and 202), `variance` 203 and 229 (224 and 238; 211 and
  // 233; 212 and 235).
  { elementBytes: 12, algorithm: "subgroup", workGroupSize: 192, items: 16, isDefault: true },
  // Integers, inclusive 200 and 222 (128 × 8: 204 and 232; 128 × 12: 196 and 223), exclusive 197 and 221 (207 and 260; 193 and 239), 2^24 bytes on
  // the H100 28.6 (33.8; 33.9).
  { elementBytes: 24, algorithm: "subgroup", workGroupSize: 256, items: 6, isDefault: true },
  // Integers, inclusive 230 and 261 (192 × 4: 276 and 287; 128 × 8: 243 and 271), exclusive 220 and 255 (268 and 281; 229 and 262).
  { elementBytes: 48, algorithm: "subgroup", workGroupSize: 192, items: 8, isDefault: true },
  // 2^30 bytes, inclusive: 765 and 838 (128 × 8: 797 and 850; H200, 128 × 12: 801), 2^29 bytes, H100: 436 (441), 2^28: 234 (235), 2^26: 84 (81).
  {
    elementBytes: 32,
    longerThan: 2 ** 23,
    algorithm: "subgroup",
    workGroupSize: 160,
    items: 8,
    isDefault: true,
  },
  // 2^30 bytes. Their threads do not hold the items beside their prefixes. H100, exclusive and inclusive: 945 and 998 (192 × 4: 1041 and 1088;
  // inclusive with the items held, 192 × 4 1172, 128 × 8 1240), H200, exclusive: 912 (192 × 4: 1022; 192 × 8: 987).
  { elementBytes: 64, algorithm: "subgroup", workGroupSize: 128, items: 8, isDefault: true },
];

/**
 * The fewest bytes of an element whose inclusive prefixes come from the next lane, as in subgroup_prefixes_shifted.wgsl. Structs, H100,
 * 2^30 bytes, without and with that: 16 bytes 799 µs and 750, 32 bytes 908 and 860.
 */
const SHORTEST_SHIFTED = 16;

/** The bytes of the longest vector of flags or keys. */
const VECTOR_BYTES = 16;

/** The files that store vectors of a number of parts of 16 bytes by pairs of lanes. */
const storeByPairs = (parts: number): readonly SourceText[] => [
  storeByPairsFile,
  parts === 3 ? writePairOfThreeFile : unrollFile(writePairEvenFile, { PART_PAIRS: parts / 2 }),
];

/** The most parts of a vector that lanes store by pairs. Longer vectors were not tried. */
const MOST_PARTS = 4;

/**
 * The rows of a single pass. If memory does not limit the speed, it gains nothing to read the data once. bench/LOG.md has
 * the figures.
 */
const singlePassRows: TuningTable<"scan" | "compact" | "totals" | "offsets" | "runs" | "parts"> = {
  // Software adapters take the same time, however often the data is read.
  software: {
    ...twoPassRows.software,
    totals: twoPassRows.software.scan,
    offsets: twoPassRows.software.scan,
    runs: twoPassRows.software.compact,
    parts: twoPassRows.software.compact,
  },
  // H200, driver 580.159, exclusive sums; copies take 7.9 µs at 2^20, 39.7 at 2^24 and 513.5 at 2^28 words.
  nvidia: {
    totals: [
      // u32, H100, 2^28, rows of 32: 895 µs (512 × 16: 930; 128 × 32: 1115; 256 × 32: 1073), runs of 32 with their keys: 1026
      // (512 × 16: 1072; 128 × 32: 1162). The elements are those of segments, of 8 bytes.
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 16, isDefault: true },
      { elementBytes: 16, algorithm: "subgroup", workGroupSize: 256, items: 8, isDefault: true },
      { elementBytes: 128, algorithm: "subgroup", workGroupSize: 256, items: 8 },
    ],
    offsets: [
      // u32, H200, mean length 32 and 1024, 2^20: 12.7 µs and 12.0 (512 × 16: 13.7 and 12.1), 2^22: 19.1 and 17.9 (256 × 24: 19.1 and 17.2).
      {
        elementBytes: 8,
        maxLength: 2 ** 22,
        algorithm: "subgroup",
        workGroupSize: 256,
        items: 16,
        isDefault: true,
      },
      // 2^24: 50.9 µs and 46.9 (128 × 24: 53.7 and 54.4; 256 × 16: 54.1 and 53.7; 256 × 20: 53.9 and 50.1).
      {
        elementBytes: 8,
        maxLength: 2 ** 25,
        algorithm: "subgroup",
        workGroupSize: 256,
        items: 24,
        isDefault: true,
      },
      // 2^28, mean length 32, 1024 and 4: 394 µs, 356 and 1225 (128 × 24: 405, 371, 1192; 128 × 20: 406, 376, 1136; 256 × 28: 452, 396, 1293;
      // 256 × 24: 459, 404, 1262; 96 × 24: 427, 405, 1225).
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 128, items: 28, isDefault: true },
      { elementBytes: 16, algorithm: "subgroup", workGroupSize: 256, items: 8, isDefault: true },
      { elementBytes: 128, algorithm: "subgroup", workGroupSize: 256, items: 8 },
    ],
    scan: [
      // u32, 2^20: 11.5 µs (reduce-then-scan 18.5), 2^24: 48.8 (512 × 24: 54.5; 256 × 32: 50.0; reduce-then-scan 84).
      {
        elementBytes: 4,
        maxLength: 2 ** 25,
        algorithm: "subgroup",
        workGroupSize: 512,
        items: 16,
        isDefault: true,
      },
      // u32, 2^26: 149 µs (512 × 16: 144), 2^28: 533 (531; reduce-then-scan 792); f32, 2^28: 533 (577).
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 512, items: 24, isDefault: true },
      // f64, H100, sums of 2^20: 46.6 µs (512 × 16: 47.3; 256 × 20: 50.4), 2^22: 133 (140; 144), 2^24: 383 (380; 374).
      {
        elementBytes: 8,
        long: true,
        maxLength: 2 ** 23,
        algorithm: "blelloch",
        workGroupSize: 256,
        items: 16,
        isDefault: true,
      },
      // f64, H100, sums of 2^27: 2557 µs (256 × 16: 2695; 384 × 16: 2562; 256 × 20: 2509), products of 2^25: 812 (844; 256 × 20: 1022).
      {
        elementBytes: 8,
        long: true,
        algorithm: "blelloch",
        workGroupSize: 512,
        items: 16,
        isDefault: true,
      },
      // u64, 2^20: 15.6 µs (512 × 8: 15.4; 128 × 32: 16.9), 2^24: 89.3 (128 × 32: 90.4).
      {
        elementBytes: 8,
        maxLength: 2 ** 25,
        algorithm: "subgroup",
        workGroupSize: 256,
        items: 16,
        isDefault: true,
      },
      // u64, 2^27: 547 µs (256 × 16: 590; 128 × 24: 564; 192 × 32: 568; 64 × 32: 583; reduce-then-scan 846).
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 128, items: 32, isDefault: true },
      // 12-byte struct, H100, 2^28 bytes, each lane storing its own vector, where a copy takes 190 µs: 224 µs (128 × 24: 225; 128 × 14: 230; 192 × 8: 233; 256 × 8: 245).
      { elementBytes: 12, algorithm: "subgroup", workGroupSize: 192, items: 12, isDefault: true },
      // 16-byte struct, 2^22: 59 µs (reduce-then-scan 109), 2^26: 612 (512 × 8: 638; 256 × 16: 646; 1070).
      { elementBytes: 16, algorithm: "subgroup", workGroupSize: 256, items: 8, isDefault: true },
      // Operations of hundreds of instructions, on more than two f64: not measured.
      { elementBytes: 64, long: true, algorithm: "subgroup", workGroupSize: 256, items: 8 },
      // 32-byte struct, H100, 2^25, where a copy takes 730 µs: 911 µs (256 × 8: 1137; 128 × 4: 1208; 512 × 4: 1279;
      // reduce-then-scan 1741).
      { elementBytes: 32, algorithm: "subgroup", workGroupSize: 128, items: 8, isDefault: true },
      // Not measured for short data, and the kernel takes seconds to compile.
      { elementBytes: 64, maxLength: 2 ** 20, algorithm: "subgroup", workGroupSize: 128, items: 4 },
      // 64-byte struct, 2^30 bytes, H100, each lane storing its own item: 1219 µs (128 × 8: 1466; 128 × 4: 1257; 224 × 4: 1287; 256 × 4: 1335; in
      // two passes 1982), H200: 1168.
      { elementBytes: 64, algorithm: "subgroup", workGroupSize: 192, items: 4, isDefault: true },
    ],
    compact: [
      // Half kept, H100, u32, 2^16: 11.2 µs (512 × 14: 12.7; 512 × 12: 12.2), 2^18: 11.2 (12.0; 11.6), 2^20: 13.0 (13.5; 13.3), 2^21: 16.0
      // (15.4; 15.3); f64, 2^18: 11.6 (12.4), 2^20: 14.0 (14.6).
      {
        elementBytes: 64,
        maxLength: 2 ** 20,
        algorithm: "subgroup",
        workGroupSize: 512,
        items: 8,
        isDefault: true,
      },
      // u32, half kept, H200, 2^22: 17.3 µs (512 × 16: 17.2; 256 × 12: 17.8; 384 × 12: 17.2), 2^24: 47.3 (47.6; 48.3; 48.0; 512 × 14, with votes in
      // work-group memory: 49.5).
      {
        elementBytes: 64,
        maxLength: 2 ** 25,
        algorithm: "subgroup",
        workGroupSize: 256,
        items: 16,
        isDefault: true,
      },
      // 2^26: 160 µs (512 × 24: 165; 256 × 24: 162), 2^28: 565 (577; 578; with ranks held, 512 × 24, 622); u64, 2^27: 548 (545; 543; 614).
      { elementBytes: 64, algorithm: "subgroup", workGroupSize: 256, items: 28, isDefault: true },
    ],
    runs: [
      // Keys or starts alone, u32, runs of about 4 and 100, H100, 2^20: 12.7 µs and 12.5 (512 × 16: 13.2 and 12.5; 256 × 16: 13.2 and 12.8), 2^22:
      // 21.3 and 19.0 (21.7 and 20.8; 21.4 and 20.2), 2^24: runs of 100 and 256 46.9 and 46.7 (47.1 and 46.7; 45.7 and 45.3).
      {
        elementBytes: 4,
        maxLength: 2 ** 22,
        algorithm: "subgroup",
        workGroupSize: 384,
        items: 12,
        isDefault: true,
      },
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 256, items: 16, isDefault: true },
      // Lengths with their keys, 2^20: 14.3 µs and 13.7 (384 × 12: 14.1 and 13.5; 256 × 20: 14.8 and 13.8), 2^22: 25.5 and 23.4 (25.7 and 23.0; 26.9 and
      // 24.8; 1024 × 16: 25.3 and 22.1), 2^24, runs of 100 and 256: 54.3 and 53.8 (58.8 and 58.3; 56.8 and 56.1; 256 × 16: 55.8 and 55.8).
      {
        elementBytes: 64,
        maxLength: 2 ** 25,
        algorithm: "subgroup",
        workGroupSize: 512,
        items: 16,
        isDefault: true,
      },
      // 2^28: 756 µs (512 × 16: 738; 256 × 20: 787; 384 × 16: 844; 128 × 16: 994), of single keys 1431 (1521; 1637; 1682; 1598).
      { elementBytes: 64, algorithm: "subgroup", workGroupSize: 256, items: 16, isDefault: true },
    ],
    parts: [
      // u32, half kept, H200, 2^20: 12.5 µs (512 × 8: 12.4; 256 × 12: 13.0; 192 × 16: 13.4), 2^22: 21.0 (21.7; 20.8; 21.1), 2^24: 62.3 (67.6; 63.7;
      // 62.6; in one range 90).
      {
        elementBytes: 64,
        maxLength: 2 ** 25,
        algorithm: "subgroup",
        workGroupSize: 256,
        items: 16,
        isDefault: true,
      },
      // 2^26: 195 µs (256 × 16: 197; 256 × 12: 202; 128 × 16: 209; 512 × 8: 224), 2^28: 721 (738; 755; 786; 849; with votes in work-group memory,
      // 256 × 16, 748).
      { elementBytes: 64, algorithm: "subgroup", workGroupSize: 192, items: 16, isDefault: true },
    ],
  },
  // Not measured. A single pass is the default for those elements for which it is faster on an H200, once a test has shown
  // that it works.
  gpu: {
    scan: [
      { elementBytes: 4, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true },
      { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    ],
    totals: [{ elementBytes: 128, algorithm: "blelloch", workGroupSize: 256, items: 4 }],
    offsets: [{ elementBytes: 128, algorithm: "blelloch", workGroupSize: 256, items: 4 }],
    compact: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true }],
    runs: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true }],
    parts: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true }],
  },
};

/** The most items that the short row of {@link flatRows} is for. */
const SHORT_FLAT = 2 ** 25;

/** The rows of scan_flat_rows.wgsl, for values of at most a word. u32, H200, rows of 5001 and of 65,537. */
const flatRows = {
  // 2^24: 59.6 µs and 59.2 (256 × 24: 60.5 and 60.9; 128 × 28: 60.6 and 60.9; 192 × 28: 61.6 and 60.8), H100, 5001: 70.7 (71.1; 72.8; 72.2).
  short: { elementBytes: 8, algorithm: "subgroup", workGroupSize: 128, items: 24, isDefault: true },
  // 2^28: 555 µs and 557 (128 × 24: 570 and 568; 256 × 24: 568 and 569; 192 × 28: 571 and 568), f32: 561 and 560. H100: 736 and 735 (256 × 28: 777 and
  // 776). With a branch around each run that no row ends in: 549 and 581, 2^24: 57.8 and 57.2.
  long: { elementBytes: 8, algorithm: "subgroup", workGroupSize: 128, items: 28, isDefault: true },
} as const satisfies Record<string, TuningRow>;

/**
 * The row of scan_flat_segments.wgsl. u32 in runs of 4 and of 10^6 items, H200, 2^28, where a copy takes 534 µs: by keys 787 µs and 906 (128 × 28:
 * 799 and 890; 128 × 16: 894 and 1123; elements of segments, 256 × 16: 938 and 939), by flags 819 and 955 (912 and 1037; 889 and 1126), by bits
 * 666 and 878 (719 and 854; 776 and 1136). On an H100, memory limits all of them (keys: 384 × 16 1077; elements of segments 1112).
 */
const flatSegments = {
  elementBytes: 8,
  algorithm: "subgroup",
  workGroupSize: 128,
  items: 24,
  isDefault: true,
} as const satisfies TuningRow;

/**
 * The most work-groups for a length that only the GPU knows. More than any GPU runs at once, and few enough to be started in 2 µs.
 * u32, H100, 1000 items of at most 2^28: 15.1 µs (a work-group for each tile: 31.0), 2^24 68.6 (82.7). Long operations take no part
 * (f64, 2^26: 1764 µs for 1378), and neither do longer elements, which were not measured.
 */
const MOST_WORK_GROUPS = 2048;

/**
 * Bytes of work-group memory in which shaders/device/kernels/reduce_offsets.wgsl marks the ends of a tile's segments, and of what else it
 * keeps there: a word and a value.
 */
const endsMemory = ({ sizes: { workGroupSize, items } }: { readonly sizes: Sizes }): number =>
  memoryOf(Array<number>(2).fill((workGroupSize * items) / laneItems(items)), 4, 2);

/**
 * The row of an operator's own tiles for subgroups, where the device and the caller's choices let it have them. They were measured on
 * NVIDIA's adapters alone. For longer data, two passes are faster. A tuning, which times sums of `add`, does not apply to them.
 */
function rowOfLanes(
  { lanes }: Monoid,
  { algorithm = "subgroup", workGroupSize, itemsPerThread, maxLength, from }: Chosen,
  facts: DeviceFacts,
): TuningRow | undefined {
  const { software, vendor, features, subgroupMinSize, subgroupMaxSize } = facts;
  const isMeasured = !software && vendor === "nvidia" && features.has("subgroups");
  const fitting = lanes?.rows.find((one) => Number(maxLength) <= one.maxLength);
  const row = fitting ?? lanes?.rows.at(-1);
  if (lanes === undefined || row === undefined || !isMeasured || algorithm !== "subgroup") {
    return undefined;
  }
  const sizes = {
    workGroupSize: workGroupSize ?? row.workGroupSize,
    items: itemsPerThread ?? row.items,
    oneByOne: goOneByOne(Math.max(row.elementBytes, from?.bytes ?? 0), facts),
    minSubgroupSize: subgroupMinSize,
    maxSubgroupSize: subgroupMaxSize,
  };
  return lanes.takes(sizes) ? { ...row, isDefault: fitting !== undefined } : undefined;
}

export const singlePass: PlanSinglePass = (asked, title, type, monoid, options, facts, methods, testing) => {
  const { domain } = monoid;
  const { passes } = options;
  const primitive = asked === "flat" ? "scan" : asked;
  // Totals of segments by offsets have a kernel and rows of their own.
  const byOffsets = primitive === "totals" && (options as SegmentOptions).segments === "offsets";
  const known =
    (primitive === "scan" ? rowOfLanes(monoid, options, facts) : undefined) ??
    rowOf(singlePassRows, byOffsets ? "offsets" : primitive, domain, options, facts, methods);
  const isFlat =
    primitive === "scan" &&
    (asked === "flat" || (options as SegmentOptions).segments === "rows") &&
    facts.vendor === "nvidia" &&
    known.algorithm === "subgroup" &&
    domain.elementBytes <= flatRows.short.elementBytes;
  // Pairs of lanes take full subgroups, and not the caller's choice of another algorithm.
  const pairRow =
    known.isDefault &&
    singlePassRows.nvidia.scan.includes(known) &&
    algorithmOf(known, options, facts) === "subgroup" &&
    pairRows.find(
      ({ elementBytes, exclusive, longerThan = -1, workGroupSize }) =>
        elementBytes === type.bytes &&
        elementBytes === domain.elementBytes &&
        (!exclusive || options.exclusive) &&
        Number(options.maxLength) > longerThan &&
        hasFullSubgroups({ workGroupSize, maxSubgroupSize: facts.subgroupMaxSize }),
    );
  const row = isFlat
    ? asked === "flat"
      ? flatSegments
      : flatRows[Number(options.maxLength) > SHORT_FLAT ? "long" : "short"]
    : pairRow || known;
  const isFaster = row.isDefault === true && facts.lookBack;
  if (passes === "reduce-then-scan" || (passes === undefined && !isFaster)) {
    return undefined;
  }
  const isByLanes = ({ algorithm, sizes }: TileShape): boolean =>
    algorithm === "subgroup" && monoid.lanes?.takes(sizes) === true;
  const tuning = chooseSizes(
    row,
    title,
    type,
    domain,
    options,
    facts,
    methods,
    (shape) =>
      lookBackMemory(shape, domain.elementBytes) +
      (byOffsets ? endsMemory(shape) : 0) +
      (isByLanes(shape) ? (monoid.lanes?.memory(shape.sizes) ?? 0) : 0),
  );
  const shape = lookBackShape(tuning);
  const carry = lookBackSources(primitive, monoid, shape, tuning.sizes, {
    // A software adapter runs work-groups on few threads. So the work-group that another one waits for may not run
    // meanwhile.
    patience: facts.software ? 16 : 1000,
    // NVIDIA's adapters were measured to start work-groups in the order of their numbers. There, tickets cost more than
    // they save.
    tickets: facts.vendor !== "nvidia",
    ...testing,
  });
  // Ranges of two buffers that start at a vector, or at any item if they are no items of segments; and scans in place, if items are
  // not loaded one by one, and the operator has no tiles of its own.
  const takes: SinglePass["takes"] = (arrangement, segments) =>
    arrangement === "vectors" ||
    (segments === undefined &&
      (arrangement === "items" ||
        (arrangement === "in-place" && primitive === "scan" && !tuning.sizes.oneByOne && !monoid.tiles)));
  const single: SinglePass = {
    tuning,
    carry,
    tilesOf: (length) => Math.ceil(length / tileOf(tuning)),
    spineOf: (length) => spineSize(shape, Math.max(1, single.tilesOf(length)), monoid, RUNS),
    groupingOf: (itemsPerVector) => ({
      ...groupingOf(tuning, itemsPerVector),
      passes: "single",
      lookBack: shape,
    }),
    takes,
    scanOf(plan, own, segments) {
      const taken = plan.variants.map(({ arrangement }) => arrangement).filter((one) => takes(one, segments));
      // A software adapter starts as many work-groups as there are tiles: see count_work_groups.ts.
      const { scanWorkGroups = facts.software ? undefined : MOST_WORK_GROUPS } = testing;
      const isShort = !domain.long && domain.elementBytes <= 8 && !tuning.sizes.oneByOne;
      const mayTakeTurns = own.lengthOnGpu && isShort && segments === undefined;
      const mostWorkGroups = (mayTakeTurns && scanWorkGroups) || Number.POSITIVE_INFINITY;
      const takesTurns = mostWorkGroups < single.tilesOf(plan.maxLength);
      const vector = vectorOf(segments?.ranges.reduces ? undefined : type, tuning, plan.itemBytes.input);
      const lanesExchange =
        tuning.algorithm === "subgroup" &&
        hasFullSubgroups(tuning.sizes) &&
        !(tuning.sizes.oneByOne || monoid.tiles || segments);
      const isAtVectors = (arrangement: Arrangement): boolean =>
        arrangement === "vectors" || arrangement === "in-place";
      const isShifted = (arrangement: Arrangement): boolean =>
        lanesExchange &&
        type.bytes >= SHORTEST_SHIFTED &&
        vector === 1 &&
        !own.exclusive &&
        isAtVectors(arrangement);
      // 2^30 bytes, H200, 64 bytes: 912 µs, and 1075 without. H100, 32 bytes, inclusive and exclusive: 847 and 820 (855 and 834), in place 847
      // and 829 (899 and 877; loaded by pairs, too, 892 and 872).
      // Of 12 bytes, 2^28 bytes, H200, 192 × 12: 164 µs, and 194 without, H100 199 and 221.
      // What is mapped gains, too: 2^26 f16 to f32, H100, 174 (210), 2^25 u32 to u64 152 (177), 2^24 u32 to 16 bytes 156 (230).
      const parts = partsOfVector(domain.stored ?? domain.element, vector);
      const byPairs = lanesExchange && parts > 1 && parts <= MOST_PARTS;
      const optionsOf = (arrangement: Arrangement) =>
        ({
          ...own,
          ...tuning,
          sources: (one) => [
            ...tuning.sources(one, {
              oneItem: !isWide(arrangement),
              isAwaited: true,
              isShifted: isShifted(arrangement),
              isReplaced: isByLanes(tuning),
            }),
            ...(byPairs && isAtVectors(arrangement) ? storeByPairs(parts) : []),
          ],
          arrangement,
          carry:
            arrangement === "in-place" ? [scanInPlace, ...carry] : takesTurns ? [takeTiles, ...carry] : carry,
        }) satisfies Parameters<typeof scanKernel>[1];
      const kernels = perArrangement(taken, (arrangement) => {
        const all = optionsOf(arrangement);
        return own.segments?.singlePass?.(monoid, all, plan.maxLength) ?? scanKernel(monoid, all);
      });
      // In place, a second dispatch scans the tiles that the first one leaves.
      const left = taken.includes("in-place")
        ? scanKernel(monoid, { ...optionsOf("in-place"), entryPoint: "scan_left_tiles" })
        : undefined;
      const { entries, bytes } = single.spineOf(plan.maxLength);
      const spine = { scratch: plan.scratch.length, entries };
      // A buffer that is bound in place of flags or keys that do not fill a vector.
      const bindsHeadVectors =
        segments?.isFlat && kernels.all.some(({ bindings }) => bindings.has(bindingOf.headVectors));
      const nothing = spine.scratch + 1;
      const slotsOf = (kernel: Kernel, length: number): Pass["slots"] =>
        bound(kernel, [
          ...callersSlots,
          ...(segments?.slots ?? []),
          ...(bindsHeadVectors && length * 4 < VECTOR_BYTES
            ? [[bindingOf.headVectors, { scratch: nothing }] as const]
            : []),
          [bindingOf.spine, { scratch: spine.scratch }],
        ]);
      return {
        ...plan,
        vector: Math.max(plan.vector, vector),
        kernels: distinct([...kernels.all, left, ...plan.kernels]),
        scratch: [...plan.scratch, bytes, ...(bindsHeadVectors ? [VECTOR_BYTES] : [])],
        eagerScratch: plan.eagerScratch + 1,
        spine,
        groupingOf: (arrangement) =>
          takes(arrangement, segments)
            ? {
                ...single.groupingOf(isWide(arrangement) ? vector : 1),
                ...(isShifted(arrangement) && { shifted: true }),
              }
            : plan.groupingOf(arrangement),
        passes(length, arrangement, aside) {
          if (takes(arrangement, segments) && (length > 0 || own.ends?.total || segments?.kernels.count)) {
            const kernel = kernels.of(arrangement);
            const tiles = Math.max(1, single.tilesOf(length));
            const isInPlace = arrangement === "in-place";
            const workGroups = isInPlace ? tiles : Math.min(mostWorkGroups, tiles);
            const first = { kernel, slots: slotsOf(kernel, length), length, tiles: workGroups };
            // Before a single tile, there is nothing to find.
            if (left === undefined || !isInPlace || tiles === 1) {
              return [first];
            }
            const others = Math.ceil(tiles / tuning.sizes.workGroupSize);
            return [first, { kernel: left, slots: slotsOf(left, length), length, tiles: others }];
          }
          return plan.passes(length, arrangement, aside);
        },
      };
    },
  };
  return single;
};
