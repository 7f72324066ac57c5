import { nvidia } from "./nvidia.ts";
import type {
  ColumnTable,
  HistogramRow,
  ReductionTable,
  RowsTable,
  SegmentSortRow,
  SelectRow,
  SinglePassTable,
  SortRow,
  Tables,
  Traits,
  TwoPassTable,
} from "./tables.ts";
import { plainSort } from "./tables.ts";

// All GPUs but NVIDIA's. Nobody measured them. Rows with a time were chosen on an H100 that said it was an unknown GPU: µs, and in brackets those of other
// sizes. All fit WebGPU's default limits.

// As on NVIDIA's GPUs.
const segmentSort = { ...nvidia.segmentSort, tileThreads: 256 } as const satisfies SegmentSortRow;

const traits = {
  looksBack: false,
  // An Intel GPU reported at least 16 lanes and ran 8, and Safari reports 32 for any GPU.
  tellsSubgroupSizes: false,
  // Kernels that expect 4 to 128 lanes look back in groups of two tiles, so subgroups lose.
  recordsBySubgroups: false,
  unrolls: true,
  takesTilesOfOperators: true,
  startsInOrder: false,
  patience: 1000,
  outlastsTunings: false,
  cpuLengths: nvidia.traits.cpuLengths,
} as const satisfies Traits;

/** AMD's GPUs have the rows of all others. */
export const amdTraits = {
  ...traits,
  tellsSubgroupSizes: true,
} as const satisfies Traits;

const twoPass = {
  scan: [
    // u32, 2^26: 320 µs (256 × 8: 322; Hillis and Steele, 128 × 8: 335; 128 × 4: 368; 256 × 16: 380; 256 × 4: 402), 2^20: 21.7.
    { elementBytes: 4, algorithm: "blelloch", workGroupSize: 128, items: 8 },
    // `max` of u64, 2^26 words: 321 (256 × 8: 368; 128 × 8: 363; 128 × 4: 320).
    { elementBytes: 8, algorithm: "blelloch", workGroupSize: 256, items: 4 },
    // Longer elements: not measured.
    { elementBytes: 12, algorithm: "blelloch", workGroupSize: 128, items: 4 },
    { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
  ],
  reduce: [
    // u32, 2^26: 102 µs (128 × 8: 103; 256 × 16: 105; 256 × 4: 138), 2^22: 16.2 (256 × 16: 16.6; 128 × 8: 19.0).
    { elementBytes: 4, algorithm: "blelloch", workGroupSize: 256, items: 8 },
    // Longer elements: not measured.
    { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
  ],
  // u32, half kept, 2^26: 395 µs (128 × 8: 396; 256 × 4: 416; Hillis and Steele: 441; 256 × 16: 559), 2^20: 25.
  compact: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8 }],
} as const satisfies TwoPassTable;

// The sizes were not measured. A single pass is the default for those elements for which one is faster on an H200, once a test has shown that it works.
const singlePass = {
  scan: [
    { elementBytes: 4, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true },
    { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
  ],
  totals: [{ elementBytes: 128, algorithm: "blelloch", workGroupSize: 256, items: 4 }],
  offsets: [{ elementBytes: 128, algorithm: "blelloch", workGroupSize: 256, items: 4 }],
  compact: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true }],
  runs: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true }],
  parts: [{ elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 8, isDefault: true }],
  // More than any GPU runs at once, and few enough to be started in 2 µs, by an H100.
  mostWorkGroups: 2048,
} as const satisfies SinglePassTable;

// Not measured.
const reduction = { takesMoreNarrowItems: true } as const satisfies ReductionTable;

// Not measured.
const rows = {
  byLevels: [
    { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 256, items: 8 },
    { elementBytes: 8, algorithm: "hillis-steele", workGroupSize: 256, items: 4 },
    { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 128, items: 4 },
  ],
  longestByLevels: Infinity,
} as const satisfies RowsTable;

// As on NVIDIA's GPUs, but in smaller work-groups.
const columns = {
  ...nvidia.columns,
  scan: {
    ...nvidia.columns.scan,
    rows: [
      { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 256, items: 8 },
      { elementBytes: 8, algorithm: "hillis-steele", workGroupSize: 256, items: 8 },
      { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 128, items: 4 },
    ],
  },
} as const satisfies ColumnTable;

// Not measured.
const histogram = {
  workGroupSize: 256,
  items: 16,
  copies: 8,
  counterBytes: 2 ** 14,
  runs: true,
  fewCopies: 0,
  workGroups: 512,
} as const satisfies HistogramRow;

// Not measured.
const select = {
  workGroupSize: 256,
  items: 16,
  workGroups: 512,
  copies: 2,
  blocks: 4096,
  threads: 256,
  tileShift: 4,
  inOrder: 512,
} as const satisfies SelectRow;

// Not measured.
const sort = {
  ...plainSort,
  workGroupSize: 256,
  items: 12,
  longKeyItems: 12,
  wordItems: [12, 12],
  byVotes: true,
  counterItems: 16,
  counterThreads: 128,
  countThreads: 256,
  countItems: 16,
  workGroups: 512,
  copies: 2,
  compared: [[1024, 32, 256]],
} as const satisfies SortRow;

export const gpu = {
  traits,
  twoPass,
  singlePass,
  reduction,
  rows,
  columns,
  counting: nvidia.counting,
  histogram,
  search: nvidia.search,
  moves: nvidia.moves,
  merge: nvidia.merge,
  expandRuns: nvidia.expandRuns,
  select,
  sort,
  segmentSort,
} as const satisfies Tables;
