import type { Domain } from "../algebra/types.ts";
import type { Algorithm } from "../kernels/algorithms.ts";

// The tables that each file of this folder fills for a kind of adapter.

/** What an adapter of a kind does, as all plans ask. */
export interface Traits {
  /**
   * Whether work-groups of one dispatch are known to hand results on to each other, so that a tile may look back at those before it. On
   * other adapters, a test finds it out.
   */
  readonly looksBack: boolean;
  /** Whether subgroups have the sizes that the adapter tells. Otherwise they may have any size that WGSL has. */
  readonly tellsSubgroupSizes: boolean;
  /**
   * Whether recordings are faster with subgroups and single passes, so that they load both. Calls at hand load neither, and take the rows of
   * `gpu` for two passes.
   */
  readonly recordsBySubgroups: boolean;
  /** Whether loops over the items of a thread are written out. */
  readonly unrolls: boolean;
  /** Whether operators that bring tiles and sizes of their own, as exact sums do, use them. */
  readonly takesTilesOfOperators: boolean;
  /** Whether work-groups start in the order of their numbers. Otherwise those that look back draw tickets first. */
  readonly startsInOrder: boolean;
  /** How often a tile that looks back reads a total that is not there yet, before it computes that total itself. */
  readonly patience: number;
  /**
   * Whether the rows were measured on longer data, and for more primitives, than a tuning times. Then a tuning's rows end with the
   * longest length that it timed, and run lengths and partitions keep their rows.
   */
  readonly outlastsTunings: boolean;
  readonly cpuLengths: CpuLengths;
}

/**
 * The most elements of a call at hand that the CPU takes, since there and back to the GPU takes longer: by the names of `Fold`'s methods, and
 * for all others. `segments` are scans and reductions of segments, and `exactAdd` all calls with that operator.
 */
export type CpuLengths = Readonly<
  Partial<
    Record<
      "scan" | "reduce" | "sort" | "argSort" | "segments" | "exactAdd" | "histogram" | "searchSorted",
      number
    >
  > & { readonly others: number }
>;

/** The primitives, each of which is tuned on its own. */
export type ScanPrimitive = "scan" | "reduce" | "compact";

/**
 * What a row is for. Reductions of segments are `totals`, which a scan computes, or `offsets`, which have a kernel of their own. `runs`
 * are run lengths, and `parts` are partitions whose rest has a range of its own: the kernels of both do nearly what a compaction's do.
 */
export type Tuned = ScanPrimitive | "totals" | "offsets" | "runs" | "parts";

/**
 * What an adapter is tuned for. Sorts and histograms have tables of their own, with more columns than rows have. "sort" is of keys alone,
 * and "pairs" of keys with which something moves.
 */
export type TunedPrimitive = ScanPrimitive | "sort" | "pairs" | "histogram";

/** The threads of a work-group, and the consecutive items that each takes. */
export interface Shape {
  readonly workGroupSize: number;
  readonly items: number;
}

/** A row of a table of algorithms and sizes. */
export interface TuningRow extends Shape {
  /** The most bytes of an element that the row is for. */
  readonly elementBytes: number;
  /** Whether the row is for operations of hundreds of instructions, as f64 has them. */
  readonly long?: boolean;
  /** The greatest length that the row is for, in items. The default is any length. */
  readonly maxLength?: number;
  readonly algorithm: Algorithm;
  /** In a row of a single pass: whether the single pass is the faster way, and so the default. */
  readonly isDefault?: boolean;
}

/**
 * For each primitive, rows in order of the elements' size and the length. The first row that fits counts. Rows for long operations come
 * first among those of the same size.
 */
export type Rows<Name extends Tuned> = Readonly<Record<Name, readonly TuningRow[]>>;

/** Rows of reductions, and of scans and compactions that read their data twice. */
export type TwoPassTable = Rows<"scan" | "reduce" | "compact">;

/** Rows of primitives that read their data once. */
export interface SinglePassTable extends Rows<"scan" | "compact" | "totals" | "offsets" | "runs" | "parts"> {
  /** Rows that come before those of `scan` if these are the default: for elements of exactly so many bytes, whose lanes store vectors by pairs. */
  readonly pairs?: readonly TuningRow[];
  /** The row of scans of narrow items, of which threads hold words, if that of `scan` is the default. */
  readonly words?: TuningRow;
  /** The row of scan_flat_segments.wgsl, where `scan` takes subgroups. */
  readonly flatSegments?: TuningRow;
  /** The most work-groups of a scan whose length only the GPU knows. They take tiles in turn. The default is one for each tile. */
  readonly mostWorkGroups?: number;
}

/** What reductions take besides rows. */
export interface ReductionTable {
  /** The algorithm and sizes for positions of the least or greatest key of two words, if subgroups are loaded. */
  readonly positions?: Shape & Pick<TuningRow, "algorithm">;
  /** Whether a thread takes more narrow items that become wide elements, if subgroups combine these. */
  readonly takesMoreNarrowItems: boolean;
}

/** How scans and reductions of rows take them. */
export interface RowsTable {
  /** Rows that go level by level, in work-group memory. */
  readonly byLevels: readonly TuningRow[];
  /** The most bytes of an element of a scan that goes so, if its operation is not long. Rows of longer ones are segments. */
  readonly longestByLevels: number;
  /** Rows that go by subgroups, if these are loaded: scans, reductions, and scans of rows each of which is a single pass. */
  readonly bySubgroups?: Readonly<Record<"scan" | "reduce" | "long", readonly TuningRow[]>>;
}

/** How the work on columns is divided among threads. */
export interface ColumnTuning {
  /** The least threads for which all rows are one chunk. Then a scan reads each item once. */
  readonly alone: number;
  /** About how many threads run for several chunks. It bounds the scratch: one element for each thread. */
  readonly threads: number;
  /** A block: columns that a work-group takes, with several threads for each. If the matrix has fewer columns, a thread takes a column. */
  readonly block?: number | undefined;
  /** By the size of an element: the size of a work-group, and how many items a thread loads before it combines them. */
  readonly rows: readonly TuningRow[];
}

export type ColumnTable = Readonly<Record<"scan" | "reduce", ColumnTuning>>;

/** When a recording whose length is on the GPU counts its work-groups first, and starts them indirectly. */
export interface CountTable {
  /** How many work-groups are few enough to start all of them. */
  readonly few: number;
  /** Whether plans of one pass count theirs. In several passes, scans do everywhere. */
  readonly countsOnePass: boolean;
}

/** Sizes of merges and sets: a thread has so many items at most. */
export interface MergeTable {
  readonly alone: Shape;
  /** Where values move with the items. */
  readonly withValues: Shape;
}

/** Sizes of histograms. */
export interface HistogramRow extends Shape {
  /** The most counters of a work-group for each bin. They take at most `counterBytes` bytes. */
  readonly copies: number;
  readonly counterBytes: number;
  /** Whether a thread adds up the items that fall in one bin one after another. */
  readonly runs: boolean;
  /** It also does if there are fewer copies than this, since then many threads would add to one counter. */
  readonly fewCopies: number;
  /** The most work-groups. Each adds its counters to the bins once. */
  readonly workGroups: number;
}

/** Sizes of selections. */
export interface SelectRow extends Shape {
  /** The kernel that counts digits: how many work-groups it has, and how many copies of each counter a work-group has. */
  readonly workGroups: number;
  readonly copies: number;
  /** The kernel that chooses blocks: the most blocks that its one work-group takes, and the threads that this has. */
  readonly blocks: number;
  readonly threads: number;
  /** A block has 2^n elements. If n is less than this, each thread takes a block; otherwise several threads do. */
  readonly tileShift: number;
  /** As many elements are stored by the work-group that chooses them, in order. If more are asked for, they are sorted after that. */
  readonly inOrder: number;
}

/** Sizes of sorts. */
export interface SortRow extends Shape {
  /**
   * Items of a thread: `longKeyItems` if keys have two words; `items` if values have two, or if marks check ranks; otherwise `wordItems`.
   */
  readonly longKeyItems: number;
  readonly wordItems: readonly [keys: number, withValues: number];
  /** Shorter data takes fewer items a thread, so that more work-groups share it: up to a number of items, with the shortest first. */
  readonly shorter: readonly (readonly [upTo: number, items: number])[];
  /** Whether subgroups vote, if there are any. */
  readonly byVotes: boolean;
  /**
   * Whether items are ranked by the order in which they arrive at counters, if subgroups can vote where it is wrong: words alone, and in a
   * single pass all others, with marks.
   */
  readonly byArrival: boolean;
  /** Items of a thread, and threads of a work-group, if threads have counters. */
  readonly counterItems: number;
  readonly counterThreads: number;
  /** The kernel that counts all digits: its threads and items of a thread, its work-groups, and how many copies of each counter one has. */
  readonly countThreads: number;
  readonly countItems: number;
  readonly workGroups: number;
  readonly copies: number;
  /** Up to a number of items, data is sorted by comparing: that number, the items whose places a work-group finds, and its threads. The rows for the shortest data come first. */
  readonly compared: readonly (readonly [upTo: number, placed: number, threads: number])[];
  /** If a tile's items take more bytes of work-group memory, they go through it in parts, one after another. */
  readonly partBytes: number;
}

/** The columns of sorts for adapters on which no way but the plain one was measured: the same sizes for data of any length. */
export const plainSort = {
  shorter: [],
  byArrival: false,
  partBytes: Infinity,
} as const satisfies Partial<SortRow>;

/** The most items of a segment, by what is sorted: integers alone, floats alone, and items with which something moves. */
type MostItems = Readonly<Record<"keys" | "floats" | "items", number>>;

/** Sizes of sorts of segments, each in work-group memory. */
export interface SegmentSortRow {
  /** Segments that are sorted by comparing all their items, with these threads of a work-group, and so many items of a thread. */
  readonly compared: MostItems;
  readonly comparedThreads: number;
  readonly comparedItems: number;
  /** Longer ones that are sorted by networks, in tiles of these threads, and so many items of a thread: powers of 2. */
  readonly network: MostItems;
  readonly networkThreads: number;
  readonly networkItems: number;
  /** The rest is sorted by digits, in tiles of at most so many items. These threads sort long segments, and all if subgroups do not vote. */
  readonly tile: number;
  readonly tileThreads: number;
  /** If a tile has several segments of at most `upTo` items, a thread takes `items`; if they are longer, `longer`. */
  readonly slotItems: { readonly upTo: number; readonly items: number; readonly longer: number };
}

/** All tables of a kind of adapter. */
export interface Tables {
  readonly traits: Traits;
  readonly twoPass: TwoPassTable;
  readonly singlePass: SinglePassTable;
  readonly reduction: ReductionTable;
  readonly rows: RowsTable;
  readonly columns: ColumnTable;
  readonly counting: CountTable;
  readonly histogram: HistogramRow;
  readonly search: Shape;
  /** Sizes of kernels that move items. */
  readonly moves: Shape;
  readonly merge: MergeTable;
  readonly expandRuns: Shape;
  readonly select: SelectRow;
  readonly sort: SortRow;
  readonly segmentSort: SegmentSortRow;
}

/**
 * What was measured on the adapter itself, as `wavefold tune` does. It overrides the rows of the adapter's kind. `loaded` are the algorithms
 * that are loaded.
 */
export interface TunedRows {
  /** The row for elements and a length; undefined if none fits. `readsTwice` says whether the data is read twice. */
  rowOf(
    readsTwice: boolean,
    primitive: Tuned,
    elements: Pick<Domain, "elementBytes" | "long">,
    maxLength: unknown,
    loaded: Partial<Record<Algorithm, unknown>>,
  ): TuningRow | undefined;
  /** The row of a histogram of items of these bytes. */
  histogramOf(row: HistogramRow, elementBytes: number, maxLength: unknown): HistogramRow;
  /** What changes in the row of a sort, and how often each pass reads its data; undefined if no row fits. */
  sortOf(sort: TunedSort, loaded: Partial<Record<Algorithm, unknown>>): TunedSortRow | undefined;
}

/** What a tuning knows a sort by. */
export interface TunedSort {
  readonly primitive: "sort" | "pairs";
  /** Bytes of a key. */
  readonly elementBytes: number;
  readonly maxLength: number;
  /** How often the caller has each pass read its data. */
  readonly passes?: "single" | "reduce-then-scan" | undefined;
  /** Whether work-groups may look back. */
  readonly lookBack: boolean;
}

/** The sizes that a tuning gives a sort. Passes are there if the caller chose them, or if the tuning does. */
export interface TunedSortRow {
  readonly sizes: Partial<SortRow>;
  readonly passes?: "single" | "reduce-then-scan";
}
