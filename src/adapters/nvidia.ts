import type {
  ColumnTable,
  CountTable,
  CpuLengths,
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

// NVIDIA's GPUs. All rows were chosen on an H100 and an H200, with driver 580.159, in Dawn on Vulkan. Each has 132 multiprocessors and 32 lanes a
// subgroup. Comments have the time that decided a row, in µs, and in brackets those of other sizes. bench/LOG.md has the rest.
// H200, exclusive sums, if nothing else is said: copies take 7.9 µs at 2^20, 39.7 at 2^24 and 513.5 at 2^28 words.

// H200 and Node.js, µs on the CPU and on the GPU. Scans of 2^15 u32 and f32 62 and 148, 151 and 210, of 2^16 117 and 169, 397 and 246; sums 40 and
// 157, 149 and 116, 99 and 120, 294 and 123; sorts of 2^12 95 and 325, of 2^14 341 to 611 and 404 to 439; argSort of 2^11 140 and 142, of 2^12 254
// and 171; sums of rows of 8 of 2^17 230 and 301, scans by keys 871 and 513; exact sums and scans of 2^12 97 to 331 and 141 to 345, of 2^14 328 to
// 703 and 287 to 353; histograms of 2^15 131 to 283 and 143 to 229, of 2^16 248 to 291 and 150 to 172; searches of 2^10 among 2^10 119 and 164, of
// 2^11 236 and 169; compactions of 2^16 211 to 233 and 230, `unique` 233 and 372, `merge` 1343 and 1227, 8 classes 468 and 406, `gather` 255 and 512,
// of 2^17 380 to 499 and 323, 450 and 389, 2724 and 2126, 960 and 507, 519 and 777. In browsers a call to the GPU takes longer.
const cpuLengths = {
  scan: 2 ** 15,
  reduce: 2 ** 15,
  sort: 2 ** 13,
  argSort: 2 ** 11,
  segments: 2 ** 17,
  exactAdd: 2 ** 12,
  histogram: 2 ** 15,
  searchSorted: 2 ** 10,
  others: 2 ** 16,
} as const satisfies CpuLengths;

const traits = {
  looksBack: true,
  tellsSubgroupSizes: true,
  // u32, H200, by a single pass and by two: 2^24 49.2 and 78, 2^27 276.9 and 402.6.
  recordsBySubgroups: true,
  unrolls: true,
  takesTilesOfOperators: true,
  // With tickets, 2^28 u32 take 629 for 574.
  startsInOrder: true,
  patience: 1000,
  outlastsTunings: true,
  cpuLengths,
} as const satisfies Traits;

const twoPass = {
  scan: [
    // u32, 2^28: 783 µs (256 × 16: 798).
    { elementBytes: 4, algorithm: "subgroup", workGroupSize: 256, items: 8 },
    // f64, 2^27: 3243 µs (4 items: 3624).
    { elementBytes: 8, long: true, algorithm: "blelloch", workGroupSize: 256, items: 8 },
    // u64, 2^27, before rows were scanned together: 1210 µs (512 threads: 1289; 16 items: 1308).
    { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 8 },
    // Not compared with other sizes.
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
    // u64, 2^24 and 2^27: 46.8 µs and 250. Not compared with other sizes.
    { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 8 },
    // Structs of 12 and 32 bytes, H100, in copies: 0.55 and 0.61 (by subgroups 0.63 and 0.51, which is not in).
    { elementBytes: 64, algorithm: "blelloch", workGroupSize: 256, items: 4 },
  ],
  // u32, half kept, 2^28: 720 µs (128 × 8: 712; 512 × 8: 756; 256 × 12: 754).
  compact: [{ elementBytes: 64, algorithm: "subgroup", workGroupSize: 256, items: 8 }],
} as const satisfies TwoPassTable;

const singlePass = {
  totals: [
    // u32, H100, 2^28, rows of 32: 895 µs (512 × 16: 930; 128 × 32: 1115; 256 × 32: 1073), runs of 32 with their keys: 1026
    // (512 × 16: 1072; 128 × 32: 1162). The elements are those of segments, of 8 bytes.
    { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 16, isDefault: true },
    // Longer elements: not measured.
    { elementBytes: 16, algorithm: "subgroup", workGroupSize: 256, items: 8, isDefault: true },
    { elementBytes: 128, algorithm: "subgroup", workGroupSize: 256, items: 8 },
  ],
  offsets: [
    // u32, H200, mean length 32 and 1024, 2^22: 19.1 µs and 17.2 (256 × 16: 19.1 and 17.9), 2^24: 50.9 and 46.9 (128 × 24: 53.7 and 54.4; 256 × 16:
    // 54.1 and 53.7; 256 × 20: 53.9 and 50.1).
    {
      elementBytes: 8,
      maxLength: 2 ** 25,
      algorithm: "subgroup",
      workGroupSize: 256,
      items: 24,
      isDefault: true,
    },
    // 2^28, mean length 32, 1024 and 4, where a dispatch before found first segments: 394 µs, 356 and 1225 (128 × 24: 405, 371, 1192; 128 × 20: 406,
    // 376, 1136; 256 × 28: 452, 396, 1293; 256 × 24: 459, 404, 1262; 96 × 24: 427, 405, 1225).
    { elementBytes: 8, algorithm: "subgroup", workGroupSize: 128, items: 28, isDefault: true },
    // Longer elements: not measured.
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
    // u32, half kept, H200, 2^22: 17.3 µs (512 × 16: 17.2; 256 × 12: 17.8; 384 × 12: 17.2), 2^24: 47.3 (47.6; 48.3; 48.0).
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
    // Keys or starts alone, u32, runs of about 4 and 100, H100, 2^20: 13.2 µs and 12.8 (384 × 12: 12.7 and 12.5; 512 × 16: 13.2 and 12.5), 2^22:
    // 21.4 and 20.2 (21.3 and 19.0; 21.7 and 20.8), 2^24: runs of 100 and 256 45.7 and 45.3 (46.9 and 46.7; 47.1 and 46.7). Lengths with their keys,
    // 2^24, runs of 100 and 256: 55.8 and 55.8 (512 × 16: 54.3 and 53.8; 384 × 12: 58.8 and 58.3; 256 × 20: 56.8 and 56.1), 2^28: 756 µs (738; 256 ×
    // 20: 787; 384 × 16: 844; 128 × 16: 994), of single keys 1431 (1521; 1637; 1682; 1598).
    { elementBytes: 64, algorithm: "subgroup", workGroupSize: 256, items: 16, isDefault: true },
  ],
  // u32, half kept, H200, 2^20: 13.3 µs, 2^24: 64.7, 2^28 by 192 × 16: 825, where another run had 749 by 256 × 16. With votes in registers, 2^24:
  // 62.3 (512 × 8: 67.6; 256 × 12: 63.7; 192 × 16: 62.6).
  parts: [{ elementBytes: 64, algorithm: "subgroup", workGroupSize: 256, items: 16, isDefault: true }],
  // u8, 2^24: 34.8 µs (512 × 32: 35.4; 512 × 24: 40.7; 512 × 16: 38.9), 2^28: 354 (357; 383; 410); u16, 2^27: 214 (216; 227; 246).
  words: { elementBytes: 4, algorithm: "subgroup", workGroupSize: 256, items: 32, isDefault: true },
  // 2^28 bytes, H200, where a copy takes 134, and H100, where it takes 190. The first shape in brackets is what `scan` has.
  pairs: [
    // Integers, inclusive 159 and 198 (192 × 12: 164 and 199; 128 × 16: 164 and 200; 160 × 16: 166 and 202), exclusive 174 and 232 (165 and 200; 162
    // and 204), `variance` 203 and 229 (224 and 238; 211 and 233; 212 and 235), exclusive 198 and 223 (220 and 235; 206 and 224).
    { elementBytes: 12, algorithm: "subgroup", workGroupSize: 192, items: 16, isDefault: true },
    // Integers, inclusive 200 and 222 (128 × 8: 204 and 232; 128 × 12: 196 and 223), exclusive 197 and 221 (207 and 260; 193 and 239), 2^24 bytes on
    // the H100 28.6 (33.8; 33.9).
    { elementBytes: 24, algorithm: "subgroup", workGroupSize: 256, items: 6, isDefault: true },
    // Integers, inclusive 230 and 261 (192 × 4: 276 and 287; 128 × 8: 243 and 271), exclusive 220 and 255 (268 and 281; 229 and 262).
    { elementBytes: 48, algorithm: "subgroup", workGroupSize: 192, items: 8, isDefault: true },
    // 2^30 bytes. Their threads do not hold the items beside their prefixes. H100, exclusive and inclusive: 945 and 998 (192 × 4: 1041 and 1088;
    // inclusive with the items held, 192 × 4 1172, 128 × 8 1240), H200, exclusive: 912 (192 × 4: 1022; 192 × 8: 987).
    { elementBytes: 64, algorithm: "subgroup", workGroupSize: 128, items: 8, isDefault: true },
  ],
  // Values of at most a word. u32 in runs of 4 and of 10^6 items, H200, 2^28: by keys, loaded as vectors, 787 and 906 (128 × 28: 799 and 890;
  // 128 × 16: 894 and 1123; elements of segments, 256 × 16: 938 and 939), by flags 819 and 955 (912 and 1037; 889 and 1126), by bits 666 and 878
  // (719 and 854; 776 and 1136). On an H100, memory limits all of them (keys: 384 × 16 1077; elements of segments 1112). Rows: not compared with other sizes.
  flatSegments: { elementBytes: 8, algorithm: "subgroup", workGroupSize: 128, items: 24, isDefault: true },
  // More than any GPU runs at once, and few enough to be started in 2 µs. u32, H100, 1000 items of at most 2^28: 15.1 (a work-group for each tile:
  // 31.0), 2^24 68.6 (82.7).
  mostWorkGroups: 2048,
} as const satisfies SinglePassTable;

const reduction = {
  // Elements of two words of a key, a position and 0. Arg-min of u64 and f64, H100, 2^28 words: 365 and 366.
  positions: { algorithm: "subgroup", workGroupSize: 256, items: 4 },
  // u64 from u32, H100, a dispatch for each level: 256 × 16 take 41 at 2^24 (256 × 8: 55; 512 × 16: 51; 256 × 32: 73). 2^28: 256 × 24 take 372
  // (256 × 16: 392; 256 × 32: 377; 192 × 24: 374; 320 × 24: 373). In one dispatch, 256 × 16 take 354.
  takesMoreNarrowItems: true,
} as const satisfies ReductionTable;

const rows = {
  // f64, H100, 2^27 in rows of 32 and 1024: scans 2691 and 3821 (as segments 3453 and 4946), reductions 1268 and 1870 (3494 and 5434).
  byLevels: [
    { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 128, items: 16 },
    { elementBytes: 8, algorithm: "hillis-steele", workGroupSize: 128, items: 8 },
    { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 128, items: 4 },
  ],
  // 16-byte structs, H100, 2^26, rows of 32: 1418 by levels, and 1289 as segments.
  longestByLevels: 8,
  // H100, u32, 2^28; a copy takes 730.
  bySubgroups: {
    scan: [
      // Any shape from 128 × 16 to 512 × 24 takes 716 to 728. Rows of odd numbers of items: 725 (256 × 8: 742).
      { elementBytes: 4, maxLength: 2 ** 25, algorithm: "subgroup", workGroupSize: 256, items: 16 },
      // Two rows of 5000 or one of 12288: 755 and 724 (256 × 16, in parts: 1153 and 846; as segments: 910 and 900).
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 512, items: 24 },
      // Not compared with other sizes.
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 8 },
    ],
    reduce: [
      // Rows of 32 and of 1024: 474 and 422 (256 × 16: 502 and 456; 512 × 16: 529 and 482; 256 × 32: 609 and 514). On an H200, where a copy takes
      // 514, since rows that start at vectors look for no start within one: 319 and 314 (before 338 and 337; 512 × 12: 359 and 379).
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 256, items: 24 },
      // Not compared with other sizes.
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 8 },
    ],
    long: [
      // Rows of 8192, 2^14, 20004, 2^16 and 2^24: 722, 727, 757, 729 and 722 (256 × 16: 844, 842, 824, 843 and 813; 512 × 24: 831, 954, 889, 803 and
      // 747; as segments: 896 to 909).
      { elementBytes: 4, algorithm: "subgroup", workGroupSize: 512, items: 16 },
      // Not compared with other sizes.
      { elementBytes: 8, algorithm: "subgroup", workGroupSize: 256, items: 16 },
    ],
  },
} as const satisfies RowsTable;

const columns = {
  scan: {
    alone: 2 ** 16,
    threads: 2 ** 17,
    block: 32,
    rows: [
      // f32, H200, 2^14 columns of 2^14: 617 (512 × 16: 643; 1024 × 8: 640; 256 × 16: 604, which was timed for one matrix on one card).
      { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 512, items: 8 },
      // Longer elements: not compared with other sizes.
      { elementBytes: 8, algorithm: "hillis-steele", workGroupSize: 512, items: 8 },
      { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 128, items: 4 },
    ],
  },
  reduce: {
    alone: 2 ** 17,
    threads: 2 ** 17,
    rows: [
      // u32, H100, 2^14 columns of 2^14: 386, 0.51 copies.
      { elementBytes: 4, algorithm: "hillis-steele", workGroupSize: 64, items: 16 },
      // Longer elements: not compared with other sizes.
      { elementBytes: 8, algorithm: "hillis-steele", workGroupSize: 64, items: 8 },
      { elementBytes: 64, algorithm: "hillis-steele", workGroupSize: 64, items: 4 },
    ],
  },
} as const satisfies ColumnTable;

// Work-groups that have nothing to do: 20,000 of a compaction start in 20 µs, and an indirect dispatch of 0.5 ms takes 50 longer than a direct one. A
// scan in two passes, H100, 1000 items of at most 2^28: 41 for 839.
const counting = { few: 4096, countsOnePass: false } as const satisfies CountTable;

// H100, 2^28 u32, 256 bins whose width is divided: random 969, all equal 925 (32 copies: 1462, 1456), where a scan takes 742.
const histogram = {
  workGroupSize: 512,
  items: 16,
  copies: 8,
  counterBytes: 2 ** 15,
  runs: false,
  fewCopies: 8,
  workGroups: 528,
} as const satisfies HistogramRow;

// Searches, and moves of items to their places: not compared with other sizes.
const search = { workGroupSize: 256, items: 4 } as const satisfies Shape;
const moves = { workGroupSize: 256, items: 4 } as const satisfies Shape;

// Merges: tiles whose items take more work-group memory have fewer. H200, 2^26 + 2^26, keys alone 397 (256 × 11: 426; 256 × 13: 464; 128 × 11: 417),
// with values 822 (256 × 5: 880; 128 × 9: 894; 256 × 3: 853; 256 × 11: 921).
const merge = {
  alone: { workGroupSize: 256, items: 9 },
  withValues: { workGroupSize: 128, items: 5 },
} as const satisfies MergeTable;

// Runs of 4 that are written out, H200, 2^24: 130 (256 × 8: 138; 512 × 4: 132; 128 × 16: 189), 2^26: 438 (486; 523; 636).
const expandRuns = { workGroupSize: 128, items: 8 } as const satisfies Shape;

// The greatest 100 of f32, H100, 2^28: 401 by 1024 threads × 16 elements in blocks (512 × 16: 417; 512 × 8: 431; 1024 × 8: 406). The
// other numbers were not compared.
const select = {
  workGroupSize: 256,
  items: 16,
  workGroups: 528,
  copies: 4,
  blocks: 16_384,
  threads: 1024,
  tileShift: 4,
  // 2^28: 445 by a sort of what is taken, 401 in the dispatch that chooses it.
  inOrder: 512,
} as const satisfies SelectRow;

const sort = {
  // H100, 2^26 u32, µs, as they arrive: 1373 (256 × 30: 1477; 256 × 36: 1418; 384 × 22: 1437; 512 × 16: 1449; CUB 1449). By votes: 1779
  // (256 × 22: 1970; 256 × 28: 1879; 256 × 36: 1834; 256 × 40: 2417, since a thread then takes more registers, and a multiprocessor has room
  // for one work-group; 384 × 20: 1909; 512 × 16: 1954; CUB 1464). With u32 values: 2566 (256 × 22: 2623; 256 × 32: 3462; CUB 2347). 2^25 u64:
  // 2475 (256 × 24: 2493; 256 × 28: 3328; CUB 2267).
  workGroupSize: 256,
  // H200, u32 + u32, by marks, µs, with 16 items, 22 and 24: 2^20 65.8; 2^22 193.5, 191.9; 2^24 – , 589, 611; 2^26 – , 2172, 2237 (28: 3007).
  // u32 + u64, 2^23, with 16 items and 22: 411, 394. H100, u32 by 16 bits, with 16 and 22: 2^20 35.0, 35.3; 2^22 90.3, 86.7.
  items: 22,
  // H200, 2^23, µs, by marks with 16 items and 22: u64 + u32 817, 1087 (by votes 900); u64 + u64 909, 1173 (1297). H100, u64 by 32 bits, by
  // marks with 16, 20 and 22: 371, 384, 480 (by votes 415); u64 + u32 without look-back, by votes with 16 and 22: 1200, 1247.
  longKeyItems: 16,
  // H100, u32 + u32, 2^26, µs, with 22 items and 28: without look-back 3063, 2664. f16 + u32, 2^24: 518, 372.
  wordItems: [32, 28],
  // H100, u32, µs, with 4 items and 22: 2^14 33.9, 50.5; 2^16 38.6, 51.8. As they arrive, with 16 items and 32: 2^18 42.8 (8: 42.6) and 49.5; 2^20
  // 58.6 and 58.8; 2^21 90.1 and 75.6; 2^22 152 and 131.
  shorter: [
    [2 ** 16, 4],
    [2 ** 18, 8],
    [2 ** 20, 16],
  ],
  byVotes: true,
  byArrival: true,
  counterItems: 16,
  counterThreads: 128,
  // H200, this kernel in a sort of 2^20, 2^22, 2^24, 2^26 u32, and by 16 bits, µs: 11.1, 16.9, 41.8, 133.7, 83.9 (256 × 16, 528 work-groups, with 4
  // copies 12.7, 23.3, 49.5, 161.4, 84.0, 1 copy 13.3, 18.3, 42.4, 131.6, 83.1; 1056, 1 copy 13.0, 23.2, 41.9, 129.9, 83.7).
  countThreads: 1024,
  countItems: 8,
  workGroups: 264,
  copies: 2,
  // H100, u32, µs, and by a network or in tiles: 2^10 10.4 (11.2; 1024 threads 11.3; CUB 13.9); 2^11 10.6 (13.1); 2^12 11.9 (16.7; 16 own items
  // 13.7, 64 12.6, 512 threads 12.6; CUB 15.0); 2^13 15.6 (31.7); 2^14 24.5 (32.0); 2^15 46.8 (34.8). u64 2^12 13.4 (24.6), 2^14 33.7 (55.6), 2^15 72.9 (60.1).
  compared: [
    [2 ** 11, 16, 512],
    [2 ** 12, 32, 1024],
    [2 ** 13, 64, 1024],
    [2 ** 14, 128, 1024],
  ],
  // Past 24 KB in all, a multiprocessor has room for one work-group: H100, 2^27 u64, 12,821 µs.
  partBytes: 22_528,
} as const satisfies SortRow;

const segmentSort = {
  // H100, 2^26 u32: segments of 8 take 287 (by digits 13,469), of 16 414, of 32 776 (4280), of 64 1458. f32 alone, of 16: 438 (by networks 543).
  compared: { keys: 8, floats: 16, items: 32 },
  comparedThreads: 256,
  comparedItems: 4,
  // H100, 2^26 u32 (a copy 188), keys alone: segments of 16 take 188, of 64 244, of 256 326 (by digits 2494), of 1024 473 (1818). f32 alone: of 64 599, of
  // 1024 951. With values: of 64 833, of 256 1487, of 1024 2320.
  network: { keys: 1024, floats: 1024, items: 256 },
  networkThreads: 64,
  networkItems: 16,
  // Segments of 128: 2668 (4 items: 2879), of 1024 1723 (8 items: 1818).
  slotItems: { upTo: 256, items: 8, longer: 4 },
  tile: 4096,
  tileThreads: 512,
} as const satisfies SegmentSortRow;

export const nvidia = {
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
