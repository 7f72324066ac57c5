import { u32 } from "../algebra/integers.ts";
import type { ElementType, ScalarType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { LimitError, refuse, shown } from "../errors.ts";
import { copyKernel } from "../kernels/compact.ts";
import { carriedAs } from "../kernels/contract.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { bindingOf } from "../kernels/kernel.ts";
import type { Sizes } from "../kernels/sizes.ts";
import type { Payload, SortKernelOptions, SortLookBack, SortShape } from "../kernels/sort.ts";
import {
  baseNames,
  countDigitsKernel,
  gatherKernel,
  histogramOfDigits,
  isByArrival,
  keysPassKernel,
  movesPairs,
  oneTileKernel,
  partsOf,
  sortBindingOf,
  sortMemory,
  sortPassKernel,
  spinePlaces,
  takesMarks,
} from "../kernels/sort.ts";
import { comparedKernel, comparedMemory } from "../kernels/sort_compared.ts";
import type { Digits } from "../kernels/sort_key.ts";
import { digitsOf, keyBits, wordsPerKey } from "../kernels/sort_key.ts";
import { requireChosen } from "./check_tuning_options.ts";
import { requireFeature, requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Methods } from "./methods.ts";
import { plainSizes, ungrouped } from "./one_dispatch_plan.ts";
import type { Passes, TuningOptions } from "./options.ts";
import type { Pass, Plan, RangeName, Slot } from "./plan.ts";
import { ALL_ARRANGEMENTS, bound, distinct, itemBytesOf, paddedBytes, wholeWords } from "./plan.ts";
import { planScan } from "./scan.ts";
import type { SortKeyOptions } from "./sort_key.ts";
import { requireBits, requireKey } from "./sort_key.ts";
import type { TuningRow } from "./tuning_row.ts";

/** The options of `prepareSort`. */
export interface SortOptions<Name extends string = string> extends TuningOptions, SortKeyOptions {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /** Whether to write the positions of the items, as u32, instead of the items. */
  readonly indices?: boolean;
  /** The most items of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** What a plan moves together with the items. For other values, it moves positions, and the values are gathered by these. */
export type Moved = ScalarType | "positions" | undefined;

/** A row of the table of sizes. */
export interface SortRow {
  readonly workGroupSize: number;
  /**
   * Items of a thread that are ranked by votes alone: `longKeyItems` if keys have two words and do not move alone; `items` if items or
   * values have two, or values go in windows; otherwise `wordItems`.
   */
  readonly items: number;
  readonly longKeyItems: number;
  readonly wordItems: readonly [keys: number, withValues: number];
  /** Shorter data takes fewer items a thread, so that more work-groups share it. The rows for the shortest data come first. */
  readonly shorter: readonly (readonly [upTo: number, items: number])[];
  /** The same for keys and values of one word each. */
  readonly shorterWithValues: readonly (readonly [upTo: number, items: number])[];
  /** The same for keys of one word that are ranked as they arrive. */
  readonly shorterKeys: readonly (readonly [upTo: number, items: number])[];
  /** Items of a thread if keys of two words are ranked as they arrive: of integers, and of floats; and for shorter data. */
  readonly arrivingPairs: readonly [integers: number, floats: number];
  readonly shorterPairs: readonly (readonly [upTo: number, items: number])[];
  /** From this number of items on, a thread holds the ranks of items with values two to a word, which takes fewer registers and more time. */
  readonly packsFrom: number;
  /** Whether subgroups vote, if there are any. */
  readonly byVotes: boolean;
  /** The most bytes of a key for which keys alone are ranked by the order in which they arrive at counters, if subgroups can vote where it is wrong. */
  readonly byArrival: 0 | 4 | 8;
  /** Whether other items are ranked by that order, too, if subgroups can vote where it is wrong. */
  readonly byMarks: boolean;
  /** Items of a thread that are ranked so: words alone, with values of a word, and with values of two. Keys of two words have `longKeyItems`. */
  readonly markedItems: readonly [keys: number, withValues: number, longValues: number];
  /** The same for shorter data of words alone, and with values of a word. */
  readonly shorterMarkedKeys: readonly (readonly [upTo: number, items: number])[];
  readonly shorterMarked: readonly (readonly [upTo: number, items: number])[];
  /** From this number of words with values of a word on, a work-group that ranks them so has this many threads. */
  readonly longMarked: readonly [from: number, threads: number];
  /** The most bits of a digit: if subgroups vote, and if threads have counters. */
  readonly bits: number;
  readonly counterBits: number;
  /** Items of a thread, and threads of a work-group, if threads have counters. */
  readonly counterItems: number;
  readonly counterThreads: number;
  /** The kernel that counts all digits: its threads and items of a thread, its work-groups, and how many copies of each counter one has. */
  readonly countThreads: number;
  readonly countItems: number;
  readonly workGroups: number;
  readonly copies: number;
  /** A look-back: how often a tile reads an entry that is not there yet, and how many entries a thread reads at a time. */
  readonly patience: number;
  readonly atOnce: number;
  /** Up to a number of items, data is sorted by comparing: that number, the items whose places a work-group finds, and its threads. The rows for the shortest data come first. */
  readonly compared: readonly (readonly [upTo: number, own: number, threads: number])[];
  /** The most items that one work-group sorts alone, and the threads that it has. */
  readonly oneTile: number;
  readonly oneTileThreads: number;
  /** For shorter data, that work-group has fewer threads. The rows for the shortest data come first. */
  readonly shorterTiles: readonly (readonly [upTo: number, threads: number])[];
  /** If a tile's items take more bytes of work-group memory, they go through it in parts, one after another. */
  readonly partBytes: number;
}

/** The sizes that suit an adapter. */
export const sortRows = {
  software: {
    workGroupSize: 64,
    items: 16,
    longKeyItems: 16,
    wordItems: [16, 16],
    shorter: [],
    shorterWithValues: [],
    packsFrom: Infinity,
    shorterKeys: [],
    arrivingPairs: [16, 16],
    shorterPairs: [],
    byVotes: false,
    byArrival: 0,
    byMarks: false,
    markedItems: [16, 16, 16],
    shorterMarkedKeys: [],
    shorterMarked: [],
    longMarked: [Infinity, 64],
    bits: 6,
    counterBits: 4,
    counterItems: 16,
    counterThreads: 64,
    countThreads: 256,
    countItems: 16,
    workGroups: 16,
    copies: 1,
    patience: 16,
    atOnce: 4,
    compared: [],
    oneTile: 1024,
    oneTileThreads: 64,
    shorterTiles: [],
    partBytes: Infinity,
  },
  // H100, 2^26 u32, µs, as they arrive: 1373 (256 × 30: 1477; 256 × 36: 1418; 384 × 22: 1437; 512 × 16: 1449; CUB 1449). By votes: 1779
  // (256 × 22: 1970; 256 × 28: 1879; 256 × 36: 1834; 256 × 40: 2417, since a thread then takes more registers, and a
  // multiprocessor has room for one work-group; 384 × 20: 1909; 512 × 16: 1954; CUB 1464). With u32 values: 2566
  // (256 × 22: 2623; 256 × 32: 3462; CUB 2347). 2^25 u64: 2475 (256 × 24: 2493; 256 × 28: 3328; CUB 2267).
  nvidia: {
    workGroupSize: 256,
    items: 22,
    // H200, 2^23, µs, by marks with 16 items and 22: u64 + u32 817, 1087 (by votes 900); u64 + u64 909, 1173 (1297). H100, u64 by 32 bits, by
    // marks with 16, 20 and 22: 371, 384, 480 (by votes 415); u64 + u32 without look-back, by votes with 16 and 22: 1200, 1247.
    longKeyItems: 16,
    // H100, u32 + u32, 2^26, µs, with 22 items and 28: without look-back 3063, 2664, in four windows 10,070, 10,632. f16 + u32, 2^24: 518, 372.
    wordItems: [32, 28],
    // H100, u32, µs, with 22 items: 2^14 50.5 and 33.9; 2^16 51.8 and 38.6; 2^18 53.9 and 46.1; 2^20 71.5 and 68.2.
    shorter: [
      [2 ** 16, 4],
      [2 ** 18, 8],
      [2 ** 22, 16],
    ],
    shorterWithValues: [
      [2 ** 16, 4],
      [2 ** 18, 8],
      [2 ** 22, 16],
      [2 ** 23, 20],
      [2 ** 24, 24],
    ],
    packsFrom: 26,
    // H100, u32, µs, with 16 items and 32: 2^18 42.8 (8: 42.6) and 49.5; 2^20 58.6 and 58.8; 2^21 90.1 and 75.6; 2^22 152 and 131.
    shorterKeys: [
      [2 ** 16, 4],
      [2 ** 18, 8],
      [2 ** 20, 16],
    ],
    // H100, µs, by votes, and as they arrive with 24 items in three parts, 22 and 16 in two: u64 2^23 777, 728, 722, 698; 2^25 2453, 2306, 2363;
    // 2^27 9185, 8752, 8921. f64 2^23 841, 1091, 800, 774; 2^24 1455, 1945, 1403, 1440; 2^27 9948, 13,712, 9647.
    arrivingPairs: [24, 22],
    shorterPairs: [
      [2 ** 16, 4],
      [2 ** 18, 8],
      [2 ** 23, 16],
    ],
    byVotes: true,
    byArrival: 8,
    byMarks: true,
    // H200, u32 + u64, 2^23, µs, with 16 items and 22: 411, 394 (by votes 425).
    markedItems: [22, 22, 22],
    // H100, u32 by 16 bits, µs, by votes and with 16 items, 20 and 22: 2^20 37.6, 35.0, – , 35.3; 2^21 61.0, 51.8, – , 50.1; 2^22 98.5, 90.3,
    // 86.0, 86.7; 2^24 271, – , 263, 255; 2^26 929, – , – , 895 (512 × 22: 974); 2^28 3562, – , – , 3476.
    shorterMarkedKeys: [
      [2 ** 16, 4],
      [2 ** 18, 8],
      [2 ** 20, 16],
    ],
    // H200, u32 + u32, µs, with 16 items, 21 and 22: 2^20 65.8; 2^21 112.7, 111.7; 2^22 193.5, 186.3, 191.9; 2^23 – , 324.7, 325; 2^24 – , 596, 589
    // (24: 611; 28: 813; 32: 761); 2^26 – , – , 2172 (24: 2237; 28: 3007). 21 make three tiles for each work-group that 132 multiprocessors
    // hold at 2^22. By votes 219, 670 and 2391.
    shorterMarked: [
      [2 ** 16, 4],
      [2 ** 18, 8],
      [2 ** 20, 16],
      [2 ** 22, 21],
    ],
    // H100, u32 + u32, µs, by 256 threads and by 512: 2^24 688, 707; 2^25 1339, 1312; 2^26 2657, 2510 (512 × 20: 2574; 512 × 24: 2612; 1024 × 16:
    // 3062); 2^28 10,742, 9690.
    longMarked: [2 ** 25, 512],
    bits: 8,
    counterBits: 4,
    counterItems: 16,
    counterThreads: 128,
    // H200, this kernel in a sort of 2^20, 2^22, 2^24, 2^26 u32, and by 16 bits, µs: 11.1, 16.9, 41.8, 133.7, 83.9 (256 × 16, 528 work-groups, with 4
    // copies 12.7, 23.3, 49.5, 161.4, 84.0, 1 copy 13.3, 18.3, 42.4, 131.6, 83.1; 1056, 1 copy 13.0, 23.2, 41.9, 129.9, 83.7).
    countThreads: 1024,
    countItems: 8,
    workGroups: 264,
    copies: 2,
    patience: 1000,
    atOnce: 8,
    // H100, u32, µs, and by a network or in tiles: 2^10 10.4 (11.2; 1024 threads 11.3; CUB 13.9); 2^11 10.6 (13.1); 2^12 11.9 (16.7; 16 own items
    // 13.7, 64 12.6, 512 threads 12.6; CUB 15.0); 2^13 15.6 (31.7); 2^14 24.5 (32.0); 2^15 46.8 (34.8). u64 2^12 13.4 (24.6), 2^14 33.7 (55.6), 2^15 72.9 (60.1).
    compared: [
      [2 ** 11, 16, 512],
      [2 ** 12, 32, 1024],
      [2 ** 13, 64, 1024],
      [2 ** 14, 128, 1024],
    ],
    oneTile: 4096,
    oneTileThreads: 512,
    // H100, u32: 2^10 by 256 threads 14.7 µs (in a tile of 4,096: 23.4); 2^11 18.0 (23.7); 2^12 by 256 25.2 (24.1).
    shorterTiles: [
      [1024, 256],
      [2048, 256],
    ],
    // Past 24 KB in all, a multiprocessor has room for one work-group: H100, 2^27 u64, 12,821 µs.
    partBytes: 22_528,
  },
  gpu: {
    workGroupSize: 256,
    items: 12,
    longKeyItems: 12,
    wordItems: [12, 12],
    shorter: [],
    shorterWithValues: [],
    packsFrom: Infinity,
    shorterKeys: [],
    arrivingPairs: [12, 12],
    shorterPairs: [],
    byVotes: true,
    byArrival: 0,
    byMarks: false,
    markedItems: [12, 12, 12],
    shorterMarkedKeys: [],
    shorterMarked: [],
    longMarked: [Infinity, 256],
    bits: 8,
    counterBits: 4,
    counterItems: 16,
    counterThreads: 128,
    countThreads: 256,
    countItems: 16,
    workGroups: 512,
    copies: 2,
    patience: 1000,
    atOnce: 4,
    compared: [[1024, 32, 256]],
    oneTile: 4096,
    oneTileThreads: 256,
    shorterTiles: [],
    partBytes: Infinity,
  },
} as const satisfies Record<"software" | "nvidia" | "gpu", SortRow>;

/** For tests: sizes, and the faults of a look-back. */
export type SortTesting = Partial<SortRow> &
  Pick<SortLookBack, "fault" | "share"> & {
    readonly tickets?: boolean;
    /** Items of every such tile arrive in a wrong order. */
    readonly disorder?: number;
  };

/** A plan of a sort. */
export interface SortPlan extends Plan {
  /** The passes for keys that differ only in their lowest `bits` bits. It takes a plan with kernels for fewer digits. */
  lowest(length: number, bits: number): readonly Pass[];
}

type CheckedSort = ReturnType<typeof checkedSort>;
type Layout = ReturnType<typeof layoutOf>;

/** The words that a plan moves as values. */
const payloadOf = (moved: Moved): Payload =>
  moved === undefined
    ? { kind: "none" }
    : moved === "positions"
      ? { kind: "positions" }
      : { kind: "buffer", words: moved.bytes === 8 ? 2 : 1 };

/** Whether a plan moves values of the type itself. Others are gathered by their positions. */
export const movesDirectly = (type: ElementType): type is ScalarType =>
  type.kind !== "struct" && (type.bytes === 4 || type.bytes === 8);

/** The length of a plan that takes no windows. The error says which limit a device needs for more. @throws {LimitError} */
export function requireBindable(
  title: string,
  maxLength: unknown,
  itemBytes: number,
  limits: DeviceFacts["limits"],
  option?: string,
): number {
  try {
    return requireMaxLength(title, maxLength, itemBytes, limits, option);
  } catch (cause) {
    if (!(cause instanceof LimitError)) {
      throw cause;
    }
    const { maxStorageBufferBindingSize, maxBufferSize } = limits;
    const name =
      maxStorageBufferBindingSize < maxBufferSize ? "maxStorageBufferBindingSize" : "maxBufferSize";
    throw new LimitError(
      `${cause.message}; a device with a larger ${name} takes more`,
      cause.needed,
      cause.limit,
      cause.option,
    );
  }
}

const itemsUpTo = (maxLength: number, shorter: SortRow["shorter"]): number | undefined =>
  shorter.find(([upTo]) => maxLength <= upTo)?.[1];

/** The sizes if marks check ranks. */
function markedSizesOf({ row, base, maxLength }: CheckedSort): Pick<SortRow, "items" | "workGroupSize"> {
  const [keys, withValues, longValues] = row.markedItems;
  const isPair = movesPairs(base);
  const isAlone = base.payload.kind === "none";
  const [items, shorter] = isPair
    ? [wordsPerKey(base.key.type) === 2 ? row.longKeyItems : longValues, row.shorter]
    : isAlone
      ? [keys, row.shorterMarkedKeys]
      : [withValues, row.shorterMarked];
  const [from, threads] = row.longMarked;
  return {
    items: itemsUpTo(maxLength, shorter) ?? items,
    workGroupSize: !isPair && !isAlone && maxLength >= from ? threads : row.workGroupSize,
  };
}

/**
 * Checks the options that all sorts have, and returns what follows from them. The row has the items of threads that rank by votes, or
 * keys as they arrive.
 */
export function checkedSort(
  options: SortOptions,
  facts: DeviceFacts,
  moved: Moved,
  testing: SortTesting,
  name = "sort",
  inWindows = false,
) {
  const { lengthOnGpu = false, indices = false } = options;
  const type = requireType(options.type, name);
  const title = `${name}<${type.name}>`;
  const key = requireKey(options, type, title);
  const range = requireBits(options.bits, key, title);
  requireFeature(type, title, facts);
  requireFeature(key.type, title, facts);
  // Items by their keys are not stored: the caller gathers them by their positions.
  const keysAlone = indices || key.text !== undefined;
  const row: SortRow = {
    ...sortRows[facts.software ? "software" : facts.vendor === "nvidia" ? "nvidia" : "gpu"],
    ...testing,
  };
  const payload = payloadOf(moved);
  const isPair = movesPairs({ type, key, keysAlone, payload });
  const [from, to] = range;
  const digits = { from, bits: to - from };
  const arrives = isByArrival({ ...row, type, keysAlone, payload, digits, shape: row });
  const [items, shorterItems] = arrives
    ? isPair
      ? [row.arrivingPairs[type.kind === "float" ? 1 : 0], row.shorterPairs]
      : [row.wordItems[0], row.shorterKeys]
    : payload.kind === "none"
      ? [isPair ? row.items : row.wordItems[0], row.shorter]
      : isPair || inWindows
        ? [wordsPerKey(key.type) === 2 ? row.longKeyItems : row.items, row.shorter]
        : [row.wordItems[1], row.shorterWithValues];
  const valueBytes = payload.kind === "buffer" ? payload.words * 4 : 4;
  const keyBytes = keysAlone ? wordsPerKey(key.type) * 4 : type.bytes;
  const longest = Math.max(type.bytes, valueBytes, keyBytes);
  // What goes in windows is checked where these are known.
  const maxLength = inWindows
    ? options.maxLength
    : requireBindable(title, options.maxLength, longest, facts.limits);
  requireChosen(options, title, facts);
  const base = { type, key, keysAlone, payload, lengthOnGpu };
  return {
    title,
    type,
    range,
    row: { ...row, items: testing.items ?? itemsUpTo(options.maxLength, shorterItems) ?? items },
    base,
    maxLength,
    longest,
    valueBytes,
    keyBytes,
  };
}

/**
 * Plans a sort: it moves the items by one digit of their keys after another, from the lowest on. `moved` moves with the items:
 * values, to the range `reordered`; or the items' positions. With `indices` or a `key`, only the positions are stored. With
 * `anyDigits`, it has kernels for fewer digits, too.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSort(
  options: SortOptions,
  given: DeviceFacts,
  methods: Methods,
  moved: Moved = options.indices ? "positions" : undefined,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: SortTesting = {},
  anyDigits = false,
): SortPlan {
  const checked = checkedSort(options, given, moved, testing);
  const { title, base, range, maxLength } = checked;
  // Tuning measures no sorts of one tile, so lengths that one tile may hold keep Wavefold's own sizes.
  const facts = maxLength > checked.row.oneTile ? given : untuned(given);
  const tuned = tunedFor(options, facts, methods, checked);
  // A row's sizes were measured together, so a caller who chooses one of them gets Wavefold's own for the other.
  const isSized = options.workGroupSize !== undefined || options.itemsPerThread !== undefined;
  const lookBack = lookBackFor(tuned ?? options, facts, checked.row, testing, maxLength);
  // Without look-back, votes are faster: H200, u32 + u32, 2^24 and 2^26, 719 and 2402 µs, and 831 and 2869 by marks.
  const byMarks = testing.byMarks ?? (checked.row.byMarks && lookBack !== undefined);
  const digitBits = { from: range[0], bits: range[1] - range[0] };
  const isMarked = takesMarks({ ...base, ...checked.row, byMarks, digits: digitBits, shape: checked.row });
  const row: SortRow = {
    ...checked.row,
    ...(isMarked && markedSizesOf(checked)),
    ...(tuned && !isSized && sizesOf(tuned.row)),
    ...testing,
  };
  const isOneTile = !base.lengthOnGpu && maxLength <= row.oneTile && options.workGroupSize === undefined;
  const ofTiles = { partBytes: row.partBytes, byArrival: row.byArrival, byMarks };
  const [oneTile, oneTileThreads] = (testing.oneTile === undefined ? row.shorterTiles : []).find(
    ([upTo]) => maxLength <= upTo,
  ) ?? [row.oneTile, row.oneTileThreads];
  const shaped = (tile?: number, { workGroupSize } = row): Shaped | LimitError => {
    const own = { ...row, workGroupSize, oneTileThreads };
    return shapeFor(tile ? base : { ...base, ...ofTiles }, range, options, own, facts, methods, title, tile);
  };
  /** With the row's threads. If it has more of them for long data, and they lack memory or take more passes, with those for shorter data. */
  const shapedOfTiles = (): Shaped | LimitError => {
    const first = shaped();
    const fewer = row.workGroupSize > checked.row.workGroupSize ? shaped(undefined, checked.row) : first;
    const isBetter =
      !(fewer instanceof LimitError) &&
      (first instanceof LimitError || fewer.digits.count < first.digits.count);
    return isBetter ? fewer : first;
  };
  const compared = comparedFor(checked, row, options, testing, facts, methods);
  if (compared) {
    return planCompared(checked, compared, arrangements, facts);
  }
  const alone = isOneTile ? shaped(oneTile) : undefined;
  const own = alone === undefined || alone instanceof LimitError ? shapedOfTiles() : alone;
  if (own instanceof LimitError) {
    throw own;
  }
  const { shape, digits } = own;
  const { workGroupSize, items } = shape.sizes;
  const kernelOptions: SortKernelOptions = {
    ...base,
    ...(own !== alone && { ...ofTiles, packsRanks: base.payload.kind !== "none" && items >= row.packsFrom }),
    shape,
    digits,
  };
  const tile = workGroupSize * items;
  const tilesOf = (length: number): number => Math.ceil(length / tile);
  // The kernel of one tile moves no parts, so its memory would not hold all items.
  const isWhole = maxLength <= tile && partsOf(kernelOptions) === 1;
  const passesOverData = isWhole ? 1 : digits.count;
  const layout = layoutOf(checked, shape.sizes, arrangements, passesOverData, facts);
  const { storesKeys, spine, slotsFor, copies } = layout;

  if (isWhole) {
    const kernel = oneTileKernel({ ...kernelOptions, byArrival: 0, byMarks: false }, storesKeys);
    return planOnePass(layout, kernel, () => 1);
  }

  // The first pass reads the caller's items, and the last one may store no keys.
  const passKernels = (count: number): Kernel[] =>
    Array.from({ length: count }, (_, at) =>
      isByArrival(kernelOptions)
        ? keysPassKernel(kernelOptions, lookBack, testing.disorder)
        : sortPassKernel(
            kernelOptions,
            at === 0 ? "items" : "keys",
            storesKeys || at < count - 1,
            lookBack,
            testing.disorder,
          ),
    );
  const counts = anyDigits ? Array.from({ length: digits.count }, (_, at) => at + 1) : [digits.count];
  const kernelsOf = new Map(counts.map((count) => [count, passKernels(count)]));
  const counted = lookBack
    ? countedAtOnce(kernelOptions, row, facts, spine)
    : countedByPass(kernelOptions, facts, methods, spine, tilesOf(maxLength));
  const passesBy = (count: number, length: number, aside: boolean): readonly Pass[] => {
    if (length === 0) {
      return [];
    }
    const isAside = aside && count % 2 === 1;
    const tiles = tilesOf(length);
    return [
      ...counted.before(length),
      ...(kernelsOf.get(count) as Kernel[]).flatMap((kernel, digit): Pass[] => {
        const slots = slotsFor(kernel, digit, count, isAside);
        return [
          ...counted.each(length, digit, slots.get(bindingOf.input) as Slot),
          { kernel, slots, length, tiles, params: { digit } },
        ];
      }),
      ...(isAside ? copies(length) : []),
    ];
  };
  return {
    ...layout.common,
    kernels: distinct([...[...kernelsOf.values()].flat(), ...counted.kernels, ...layout.kernels]),
    scratch: [...layout.scratch, ...counted.scratch(tilesOf(maxLength))],
    eagerScratch: layout.scratch.length + counted.scratch(1).length,
    passes: (length, _, aside = false) => passesBy(digits.count, length, aside),
    lowest: (length, bits) => passesBy(Math.min(digits.count, Math.ceil(bits / digits.each)), length, false),
  };
}

/**
 * The row of the adapter's own tuning, if there is one. If the caller does not choose passes, it also says how often each pass reads
 * its data.
 */
function tunedFor(
  { passes }: TuningOptions,
  { tuned, lookBack }: DeviceFacts,
  { algorithms }: Methods,
  { base, maxLength }: CheckedSort,
): { readonly row: TuningRow; readonly passes?: Passes } | undefined {
  const elementBytes = keyBits(base.key.type) / 8;
  // The fastest sizes for keys alone may take a third more time if values or positions move with the keys.
  const primitive = base.payload.kind === "none" ? "sort" : "pairs";
  const rowOf = (one: Passes): TuningRow | undefined =>
    tuned?.(one !== "single", primitive, { elementBytes }, maxLength, algorithms);
  if (passes !== undefined || !lookBack) {
    const row = rowOf(passes ?? "reduce-then-scan");
    return row && { row, ...(passes && { passes }) };
  }
  const single = rowOf("single");
  const twice = single?.isDefault ? undefined : rowOf("reduce-then-scan");
  return single && (twice ? { row: twice, passes: "reduce-then-scan" } : { row: single, passes: "single" });
}

/** The facts without the adapter's own tuning: for what was not measured. */
export const untuned = ({ tuned: _, ...facts }: DeviceFacts): DeviceFacts => facts;

/** The sizes of a tuning's row, of the way to rank that it names. The other way keeps its own. */
const sizesOf = ({ algorithm, workGroupSize, items }: TuningRow): Partial<SortRow> =>
  algorithm === "subgroup"
    ? { byVotes: true, workGroupSize, items }
    : { byVotes: false, counterThreads: workGroupSize, counterItems: items };

/** Where a sort leaves keys and values, and what plans of sorts have in common. */
export function layoutOf(
  { title, type, base, maxLength, valueBytes, keyBytes }: CheckedSort,
  sizes: Sizes,
  arrangements: readonly Arrangement[],
  passesOverData: number,
  facts: DeviceFacts,
) {
  const { keysAlone, payload, lengthOnGpu } = base;
  const storesKeys = !keysAlone;
  const needs = new Set<RangeName>([
    "input",
    "output",
    ...(payload.kind === "buffer" ? (["values", "reordered"] as const) : []),
    ...(payload.kind === "positions" && storesKeys ? (["reordered"] as const) : []),
    ...(lengthOnGpu ? (["length"] as const) : []),
  ]);
  const valuesOut: RangeName = storesKeys ? "reordered" : "output";
  const scratchKeyBytes = wholeWords(maxLength * keyBytes);
  const scratchValueBytes = payload.kind === "none" ? 0 : wholeWords(maxLength * valueBytes);
  // The scratch of keys that no range takes, of values, and what counts digits.
  const keys = 0;
  const values = 1;
  const otherKeys = 2;
  const spine = 3;

  const copySizes = plainSizes({ workGroupSize: 256, items: 4 }, title, type, {}, facts);
  const mayShare = arrangements.some((one) => one === "one-buffer" || one === "in-place");
  const takesCopies = mayShare && passesOverData % 2 === 1;
  const copyKeys =
    takesCopies && storesKeys ? copyKernel(carriedAs(type), copySizes, lengthOnGpu, true) : undefined;
  const copyValues =
    takesCopies && payload.kind !== "none"
      ? copyKernel(valueBytes === 8 ? "vec2<u32>" : "u32", copySizes, lengthOnGpu, true)
      : undefined;

  /** Where pass `at` of `count` leaves keys and values. The last one fills the caller's ranges, unless results go aside. */
  const slotsOf = (at: number, count: number, aside: boolean): readonly [keys: Slot, values: Slot] => {
    const isLast = (count - 1 - at) % 2 === 0;
    const isOut = isLast !== aside;
    const inOutput: Slot = storesKeys ? "output" : { scratch: otherKeys };
    return [isOut ? inOutput : { scratch: keys }, isOut ? valuesOut : { scratch: values }];
  };
  const slotsFor = (kernel: Kernel, at: number, count: number, aside: boolean): Pass["slots"] => {
    const [keysOut, valuesTo] = slotsOf(at, count, aside);
    const [keysIn, valuesIn]: readonly [Slot, Slot] =
      at === 0 ? ["input", "values"] : slotsOf(at - 1, count, aside);
    return bound(kernel, [
      [bindingOf.input, keysIn],
      [bindingOf.output, keysOut],
      [sortBindingOf.values, valuesIn],
      [sortBindingOf.reordered, valuesTo],
      [bindingOf.spine, { scratch: spine }],
      [bindingOf.length, "length"],
    ]);
  };
  /** The copies of results that went aside. */
  const copies = (length: number): Pass[] =>
    [copyKeys, copyValues].flatMap((kernel, at) =>
      kernel === undefined
        ? []
        : [
            {
              kernel,
              slots: bound(kernel, [
                [bindingOf.input, { scratch: at === 0 ? keys : values }],
                [bindingOf.output, at === 0 ? "output" : valuesOut],
                [bindingOf.length, "length"],
              ]),
              length,
              tiles: Math.ceil(length / (copySizes.workGroupSize * copySizes.items)),
            },
          ],
    );
  const common = {
    title,
    maxLength,
    vector: 1,
    needs,
    itemBytes: {
      ...itemBytesOf(type.bytes, storesKeys ? type.bytes : 4),
      values: valueBytes,
      reordered: valueBytes,
    },
    baseNames,
    sizes: { workGroupSize: sizes.workGroupSize, itemsPerThread: sizes.items },
    indirectWords: 0,
    outputLength: (length: number) => length,
    variants: [
      { arrangement: "items" as const },
      ...(takesCopies ? [{ arrangement: "one-buffer" as const, aside: true }] : []),
    ],
    groupingOf: ungrouped(title),
  };
  return {
    storesKeys,
    common,
    kernels: [copyKeys, copyValues],
    scratch: [scratchKeyBytes, scratchValueBytes, storesKeys ? 0 : scratchKeyBytes],
    spine,
    slotsFor,
    copies,
  };
}

/** One of two ways to count digits: how often each value of a digit occurs. */
interface Counted {
  readonly kernels: readonly Kernel[];
  /** Bytes of each of its scratch buffers. */
  scratch(tiles: number): readonly number[];
  /** The passes that run once, before all others; and those that run before each digit's pass, on what that pass reads. */
  before(length: number): readonly Pass[];
  each(length: number, digit: number, source: Slot): readonly Pass[];
}

/** All digits are counted first, and the tiles of each pass hand on their counts. */
function countedAtOnce(options: SortKernelOptions, row: SortRow, facts: DeviceFacts, spine: number): Counted {
  const { digits, type } = options;
  const radix = 2 ** digits.each;
  const sizes = {
    ...plainSizes({ workGroupSize: row.countThreads, items: row.countItems }, "sort", type, {}, facts),
    unrolled: !facts.software,
  };
  const bins = digits.count * radix;
  const most = Math.max(1, Math.floor(facts.limits.maxComputeWorkgroupStorageSize / 2 / (bins * 4)));
  const histogram = histogramOfDigits(options, sizes, 2 ** Math.floor(Math.log2(Math.min(row.copies, most))));
  return {
    kernels: [histogram],
    scratch: (tiles) => [(spinePlaces(digits).FIRST_ENTRY + radix * tiles) * 4],
    before: (length) => [
      {
        kernel: histogram,
        slots: bound(histogram, [
          [bindingOf.input, "input"],
          [bindingOf.bins, { scratch: spine }],
          [bindingOf.length, "length"],
        ]),
        length,
        tiles: Math.min(row.workGroups, Math.ceil(length / (sizes.workGroupSize * sizes.items))),
      },
    ],
    each: () => [],
  };
}

/** Before each pass, a kernel counts the digits of each tile, and a scan adds the counts up. No work-group waits for another. */
function countedByPass(
  options: SortKernelOptions,
  facts: DeviceFacts,
  methods: Methods,
  spine: number,
  mostTiles: number,
): Counted {
  const { digits, shape } = options;
  const radix = 2 ** digits.each;
  const { singlePass: _, ...twoPass } = methods;
  const scan = planScan({ type: u32, exclusive: true, maxLength: radix * mostTiles }, facts, twoPass, [
    "padded",
  ]);
  // The scan takes the scratch behind: its input, and its own.
  const slotOf = (slot: Slot): Slot =>
    typeof slot === "object"
      ? { scratch: spine + 2 + slot.scratch }
      : { scratch: slot === "input" ? spine + 1 : spine };
  const kernels = [countDigitsKernel(options, "items"), countDigitsKernel(options, "keys")] as const;
  return {
    kernels: [...kernels, ...scan.kernels],
    scratch: (tiles) => {
      const bytes = paddedBytes(radix * tiles, 4, scan.vector);
      return [bytes, bytes, ...scan.scratch];
    },
    before: () => [],
    each(length, digit, source) {
      const kernel = kernels[digit === 0 ? 0 : 1];
      const tiles = Math.ceil(length / (shape.sizes.workGroupSize * shape.sizes.items));
      return [
        {
          kernel,
          slots: bound(kernel, [
            [bindingOf.input, source],
            [bindingOf.spine, { scratch: spine + 1 }],
            [bindingOf.length, "length"],
          ]),
          length,
          tiles,
          params: { digit },
        },
        ...scan.passes(radix * tiles, "padded").map((pass) => ({
          ...pass,
          slots: new Map([...pass.slots].map(([binding, slot]) => [binding, slotOf(slot)])),
        })),
      ];
    },
  };
}

/** Whether the tiles of a pass hand on their counts to one another, and how. */
function lookBackFor(
  { passes }: TuningOptions,
  facts: DeviceFacts,
  { patience, atOnce }: SortRow,
  { fault, share, tickets = facts.vendor !== "nvidia" }: SortTesting,
  maxLength: number,
): SortLookBack | undefined {
  // An entry has 30 bits for a count.
  const fits = maxLength <= 2 ** 30;
  return fits && (passes === "single" || (passes === undefined && facts.lookBack))
    ? { patience, atOnce, tickets, ...(fault && { fault }), ...(share && { share }) }
    : undefined;
}

/** The sizes of the kernels, how they rank items, and the digits of the keys. */
interface Shaped {
  readonly shape: SortShape;
  readonly digits: Digits;
}

/** Whether subgroups vote. */
export const votesFor = (
  { algorithm }: TuningOptions,
  row: SortRow,
  { features }: DeviceFacts,
  { algorithms }: Methods,
): boolean =>
  features.has("subgroups") &&
  algorithms.subgroup !== undefined &&
  (algorithm === undefined ? row.byVotes : algorithm === "subgroup");

/** The most threads of a work-group. */
export const mostThreads = ({ limits }: DeviceFacts): number =>
  Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);

/** A thread takes more items in loops: unrolled, 124 items of 8 bytes take 6.5 s to compile on an H100, and 1.3 in loops. */
const MOST_UNROLLED = 64;

/**
 * The kernels' sizes, the digits, and the bytes of work-group memory. With `slotBits`, some of a digit's bits number its slot, so the
 * digit says less of the key.
 */
export function shapeOf(
  base: Omit<SortKernelOptions, "shape" | "digits">,
  range: readonly [number, number],
  facts: DeviceFacts,
  { algorithms }: Methods,
  algorithm: TuningOptions["algorithm"],
  workGroupSize: number,
  items: number,
  byVotes: boolean,
  bits: number,
): Shaped & { readonly bytes: number } {
  const sizes = {
    workGroupSize,
    items,
    unrolled: !facts.software && items <= MOST_UNROLLED,
    oneByOne: false,
    minSubgroupSize: facts.subgroupMinSize,
    maxSubgroupSize: facts.subgroupMaxSize,
  };
  const name = byVotes ? "subgroup" : algorithm === "hillis-steele" ? algorithm : "blelloch";
  const tiles = algorithms[name] ?? algorithms.blelloch;
  const shape: SortShape = {
    sizes,
    algorithm: name,
    byVotes,
    sources: tiles.sources({ sizes, subgroupIds: facts.subgroupIds }),
  };
  // A thread looks after one value of a digit.
  const most = Math.min(bits, Math.floor(Math.log2(workGroupSize))) - (base.slotBits ?? 0);
  const digits = digitsOf(range, Math.max(1, most));
  return { shape, digits, bytes: sortMemory({ ...base, shape, digits }) };
}

/** The sizes of the kernels; or the error if work-group memory has no room for them. */
export function shapeFor(
  base: Omit<SortKernelOptions, "shape" | "digits">,
  range: readonly [number, number],
  options: TuningOptions,
  row: SortRow,
  facts: DeviceFacts,
  methods: Methods,
  title: string,
  oneTile: number | undefined,
): Shaped | LimitError {
  const { limits } = facts;
  const { algorithm } = options;
  const byVotes = votesFor(options, row, facts, methods);
  const most = mostThreads(facts);
  const threads = Math.min(
    most,
    options.workGroupSize ??
      (oneTile === undefined ? (byVotes ? row.workGroupSize : row.counterThreads) : row.oneTileThreads),
  );
  const wanted =
    options.itemsPerThread ??
    (oneTile === undefined ? (byVotes ? row.items : row.counterItems) : Math.ceil(oneTile / threads));
  const memory = limits.maxComputeWorkgroupStorageSize;
  if (threads < 2) {
    refuse(title, "workGroupSize", shown(threads), "2 or more");
  }
  // Without a choice of the caller's, fewer items, or digits of fewer bits, take less memory.
  let least = Infinity;
  for (const votes of byVotes && algorithm === undefined ? [true, false] : [byVotes]) {
    for (const bits of votes ? [row.bits, 6, 4, 2] : [row.counterBits, 2, 1]) {
      for (
        let items = wanted;
        items >= 1 && (items === wanted || (options.itemsPerThread === undefined && oneTile === undefined));
        items = Math.floor(items / 2)
      ) {
        const made = shapeOf(base, range, facts, methods, algorithm, threads, items, votes, bits);
        least = Math.min(least, made.bytes);
        if (made.bytes <= memory) {
          return made;
        }
      }
    }
  }
  return new LimitError(
    `${title} with workGroupSize ${threads} and itemsPerThread ${wanted} needs ${least} bytes of work-group memory, and the device's limit is ${memory}`,
    least,
    memory,
    (["workGroupSize", "itemsPerThread", "algorithm"] as const).find((name) => options[name] !== undefined),
  );
}

/** The sizes if data is sorted by comparing; undefined if it is too long or has no room, or if the caller chose a size or an algorithm. */
function comparedFor(
  { base, range, maxLength }: CheckedSort,
  { compared }: SortRow,
  { algorithm, workGroupSize, itemsPerThread }: TuningOptions,
  testing: SortTesting,
  facts: DeviceFacts,
  methods: Methods,
): (Shaped & { readonly own: number }) | undefined {
  const [, own, most = 0] = compared.find(([upTo]) => maxLength <= upTo) ?? [];
  const threads = Math.min(most, mostThreads(facts));
  // A test that sets the length of one tile tests the kernels of tiles, and no sort by comparing.
  const isOther = testing.oneTile !== undefined && testing.compared === undefined;
  return isOther ||
    own === undefined ||
    (algorithm ?? workGroupSize ?? itemsPerThread) !== undefined ||
    threads % own !== 0 ||
    comparedMemory(base, own) > facts.limits.maxComputeWorkgroupStorageSize
    ? undefined
    : { ...shapeOf(base, range, facts, methods, "blelloch", threads, 1, false, 8), own };
}

/** Plans a sort by comparing. */
function planCompared(
  checked: CheckedSort,
  { shape, digits, own }: Shaped & { readonly own: number },
  arrangements: readonly Arrangement[],
  facts: DeviceFacts,
): SortPlan {
  const { base } = checked;
  const layout = layoutOf(checked, shape.sizes, arrangements, 1, facts);
  const kernel = comparedKernel({ ...base, shape, digits }, own, layout.storesKeys);
  return planOnePass(layout, kernel, (length) => Math.ceil(length / own));
}

/** The plan of a sort that is one pass of one kernel. */
function planOnePass(
  { common, kernels, scratch, slotsFor, copies }: Layout,
  kernel: Kernel,
  tilesOf: (length: number) => number,
): SortPlan {
  const passes = (length: number, aside: boolean): readonly Pass[] =>
    length === 0
      ? []
      : [
          { kernel, slots: slotsFor(kernel, 0, 1, aside), length, tiles: tilesOf(length) },
          ...(aside ? copies(length) : []),
        ];
  return {
    ...common,
    kernels: distinct([kernel, ...kernels]),
    scratch,
    eagerScratch: 0,
    passes: (length, _, aside = false) => passes(length, aside),
    lowest: (length) => passes(length, false),
  };
}

/** The sizes of a kernel that moves items. */
export const moveSizes = (title: string, type: ElementType, facts: DeviceFacts): Sizes =>
  plainSizes(
    facts.software ? { workGroupSize: 64, items: 16 } : { workGroupSize: 256, items: 4 },
    title,
    type,
    {},
    facts,
  );

/**
 * Plans the moves of items to the places of their sorted positions, which the range `positions` has. They go from one range to
 * another, or back to the same.
 *
 * @throws {ArgumentError} {@link LimitError}
 */
export function planGather(
  { type, maxLength, lengthOnGpu = false }: Pick<SortOptions, "type" | "maxLength" | "lengthOnGpu">,
  facts: DeviceFacts,
  title: string,
  [from, to]: readonly ["input", "output"] | readonly ["values", "reordered"],
): Plan {
  const sizes = moveSizes(title, type, facts);
  const gather = gatherKernel(type, lengthOnGpu, sizes);
  const copy = copyKernel(carriedAs(type), sizes, lengthOnGpu, true);
  return {
    title,
    maxLength: requireMaxLength(title, maxLength, Math.max(type.bytes, 4), facts.limits),
    vector: 1,
    kernels: [gather, copy],
    scratch: [wholeWords(maxLength * type.bytes)],
    eagerScratch: 0,
    needs: new Set([from, to, "positions", ...(lengthOnGpu ? (["length"] as const) : [])] as const),
    itemBytes: { ...itemBytesOf(type.bytes, type.bytes), values: type.bytes, reordered: type.bytes },
    baseNames,
    indirectWords: 0,
    outputLength: (length) => length,
    variants: [{ arrangement: "items" }, { arrangement: "one-buffer", aside: true }],
    groupingOf: ungrouped(title),
    passes(length, _, aside = false) {
      const tiles = Math.ceil(length / (sizes.workGroupSize * sizes.items));
      const pass = (kernel: Kernel, input: Slot, output: Slot): Pass => ({
        kernel,
        slots: bound(kernel, [
          [bindingOf.input, input],
          [bindingOf.output, output],
          [sortBindingOf.positions, "positions"],
          [bindingOf.length, "length"],
        ]),
        length,
        tiles,
      });
      if (length === 0) {
        return [];
      }
      return aside
        ? [pass(gather, from, { scratch: 0 }), pass(copy, { scratch: 0 }, to)]
        : [pass(gather, from, to)];
    },
  };
}
