import type { ByKind } from "../adapters/adapter.ts";
import { tableFor, traitsOf } from "../adapters/adapter.ts";
import { sort as gpu, moves as gpuMoves } from "../adapters/gpu.ts";
import { sort as nvidia, moves as nvidiaMoves } from "../adapters/nvidia.ts";
import { sort as software, moves as softwareMoves } from "../adapters/software.ts";
import type { Shape, SortRow } from "../adapters/tables.ts";
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
import type { TuningOptions } from "./options.ts";
import type { Pass, Plan, RangeName, Slot } from "./plan.ts";
import { ALL_ARRANGEMENTS, bound, distinct, itemBytesOf, paddedBytes, wholeWords } from "./plan.ts";
import { planScan } from "./scan.ts";
import type { SortKeyOptions } from "./sort_key.ts";
import { requireBits, requireKey } from "./sort_key.ts";

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

const tables: ByKind<SortRow> = { software, nvidia, gpu };
const moves: ByKind<Shape> = { software: softwareMoves, nvidia: nvidiaMoves, gpu: gpuMoves };

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
  const row: SortRow = { ...tableFor(tables, facts), ...testing };
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
  const tuned = facts.tuned?.sortOf(
    {
      // The fastest sizes for keys alone may take a third more time if values or positions move with the keys.
      primitive: base.payload.kind === "none" ? "sort" : "pairs",
      elementBytes: keyBits(base.key.type) / 8,
      maxLength,
      passes: options.passes,
      lookBack: facts.lookBack,
    },
    methods.algorithms,
  );
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
    ...(tuned && !isSized && tuned.sizes),
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

/** The facts without the adapter's own tuning: for what was not measured. */
export const untuned = ({ tuned: _, ...facts }: DeviceFacts): DeviceFacts => facts;

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
    unrolled: traitsOf(facts).unrollsLong,
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
  { fault, share, tickets = !traitsOf(facts).startsInOrder }: SortTesting,
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
    unrolled: traitsOf(facts).unrollsLong && items <= MOST_UNROLLED,
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
  plainSizes(tableFor(moves, facts), title, type, {}, facts);

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
