import type {
  ColumnTable,
  CountTable,
  HistogramRow,
  MergeTable,
  ReductionTable,
  RowsTable,
  SegmentSortRow,
  SelectRow,
  Shape,
  SinglePassTable,
  SortRow,
  Tables,
  Traits,
  TwoPassTable,
} from "./tables.ts";
import { plainSort } from "./tables.ts";

// Adapters that compute on the CPU. SwiftShader was measured, on two cores. A barrier takes the most time, and takes it for each thread, so few threads take
// many items. Memory does not limit the speed, so that it gains nothing to read data once. bench/LOG.md has the rest.

const traits = {
  looksBack: false,
  tellsSubgroupSizes: true,
  recordsBySubgroups: false,
  // SwiftShader takes 2 to 6 times as long to compile them, and some never end: its time grows with the paths through a loop, and each item
  // that branches doubles their number. In loops, 2^18 items take 0.75 to 1.5 times as long.
  unrolls: false,
  takesTilesOfOperators: false,
  startsInOrder: false,
  // It runs work-groups on few threads. So the work-group that another one waits for may not run meanwhile.
  patience: 16,
  outlastsTunings: false,
  // A scan of 10^6 takes 233 ms, and a loop 22.
  cpuLengths: { others: Infinity },
} as const satisfies Traits;

// u32, 2^18: 57 ms (luma.gl: 186), 2^20: 229 (758). 32 items instead of 16 run no faster, and take twice the time to compile.
const scan = [
  { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 32, items: 16 },
  // 64 bytes, 2^16, CPU: 101 ms (32 × 4: 156; 16 × 16: 88; 8 × 32: 81), and 2.8 s to prepare it (4.0; 4.0; 5.9).
  { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 32, items: 8 },
] as const;

// It counts items, in elements of 4 bytes.
const compact = [{ elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 32, items: 16 }] as const;

const twoPass = { scan, reduce: scan, compact } as const satisfies TwoPassTable;

// A single pass takes the same time as two.
const singlePass = {
  scan,
  totals: scan,
  offsets: scan,
  compact,
  runs: compact,
  parts: compact,
} as const satisfies SinglePassTable;

const reduction = { takesMoreNarrowItems: false } as const satisfies ReductionTable;

const rows = {
  byLevels: scan,
  longestByLevels: Infinity,
} as const satisfies RowsTable;

// Items that are loaded together save nothing, and take time to compile.
const columnRows = [
  { elementBytes: 8, algorithm: "hillis-steele", workGroupSize: 32, items: 4 },
  { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 32, items: 1 },
] as const;

const columns = {
  scan: { alone: 32, threads: 64, rows: columnRows },
  reduce: { alone: 64, threads: 64, rows: columnRows },
} as const satisfies ColumnTable;

// It takes as long for two work-groups as for the count. 1000 items of at most 2^18 take 0.2 ms (a work-group for each tile: 110).
const counting = { few: 16, countsOnePass: true } as const satisfies CountTable;

// Threads of a work-group take turns, so that copies of a counter save nothing.
const histogram = {
  workGroupSize: 64,
  items: 16,
  copies: 1,
  counterBytes: 2 ** 15,
  runs: false,
  fewCopies: 1,
  workGroups: 16,
} as const satisfies HistogramRow;

// Not compared with other sizes. Of runs that are written out, long ones take up to 1.4 times as long as if each item searches.
const search = { workGroupSize: 64, items: 16 } as const satisfies Shape;
const moves = { workGroupSize: 64, items: 16 } as const satisfies Shape;
const expandRuns = { workGroupSize: 64, items: 16 } as const satisfies Shape;
const merged = { workGroupSize: 64, items: 15 } as const satisfies Shape;
const merge = { alone: merged, withValues: merged } as const satisfies MergeTable;

// Not compared with other sizes.
const select = {
  workGroupSize: 64,
  items: 16,
  workGroups: 16,
  copies: 1,
  blocks: 512,
  threads: 64,
  tileShift: 10,
  inOrder: 64,
} as const satisfies SelectRow;

// 2^14 keys: 25 ms, with values 64 (luma.gl's GPUSort: 110).
const sort = {
  ...plainSort,
  workGroupSize: 64,
  items: 16,
  longKeyItems: 16,
  wordItems: [16, 16],
  byVotes: false,
  counterItems: 16,
  counterThreads: 64,
  countThreads: 256,
  countItems: 16,
  workGroups: 16,
  copies: 1,
  // u32, the fastest of 40 calls, ms: of 64 items 0.5 (in passes 2.3), of 256 0.6 (2.2), of 512 1.1 (2.3), of 1000 4.2 (2.3). The first call takes 0.5 s (1.4).
  compared: [[512, 64, 64]],
} as const satisfies SortRow;

// Each work-group of a radix sort takes 1.3 ms, and a network of 16 items a thread takes seconds to compile. So networks sort nothing.
const segmentSort = {
  compared: { keys: 96, floats: 96, items: 96 },
  comparedThreads: 64,
  comparedItems: 4,
  network: { keys: 0, floats: 0, items: 0 },
  networkThreads: 64,
  networkItems: 16,
  slotItems: { upTo: 256, items: 8, longer: 4 },
  tile: 1024,
  tileThreads: 64,
} as const satisfies SegmentSortRow;

export const software = {
  traits,
  twoPass,
  singlePass,
  reduction,
  rows,
  columns,
  counting,
  histogram,
  search,
  moves,
  merge,
  expandRuns,
  select,
  sort,
  segmentSort,
} as const satisfies Tables;
