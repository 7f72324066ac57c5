import amountOne from "#shaders/device/histogram/amount_one.wgsl";
import binsWords from "#shaders/device/histogram/bins_words.wgsl";
import countersWords from "#shaders/device/histogram/counters_words.wgsl";
import tallyEach from "#shaders/device/histogram/tally_each.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import loadItems from "#shaders/device/io/load_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import countDigits from "#shaders/device/kernels/count_digits.wgsl";
import gatherItems from "#shaders/device/kernels/gather_items.wgsl";
import histogram from "#shaders/device/kernels/histogram.wgsl";
import sortKeysPass from "#shaders/device/kernels/sort_keys_pass.wgsl";
import sortOneTile from "#shaders/device/kernels/sort_one_tile.wgsl";
import sortPass from "#shaders/device/kernels/sort_pass.wgsl";
import tileByNumber from "#shaders/device/look_back/tile_by_number.wgsl";
import arrivalsPlanted from "#shaders/device/sort/arrivals_planted.wgsl";
import binsInTurn from "#shaders/device/sort/bins_in_turn.wgsl";
import countTile from "#shaders/device/sort/count_tile.wgsl";
import countWholeTile from "#shaders/device/sort/count_whole_tile.wgsl";
import faultsNone from "#shaders/device/sort/faults_none.wgsl";
import faultsPlanted from "#shaders/device/sort/faults_planted.wgsl";
import firstByLookBack from "#shaders/device/sort/first_by_look_back.wgsl";
import firstBySpine from "#shaders/device/sort/first_by_spine.wgsl";
import memory from "#shaders/device/sort/memory.wgsl";
import order from "#shaders/device/sort/order.wgsl";
import orderOfPairs from "#shaders/device/sort/order_of_pairs.wgsl";
import rankByArrival from "#shaders/device/sort/rank_by_arrival.wgsl";
import rankByCounters from "#shaders/device/sort/rank_by_counters.wgsl";
import rankByMarks from "#shaders/device/sort/rank_by_marks.wgsl";
import rankByVotes from "#shaders/device/sort/rank_by_votes.wgsl";
import storeKeys from "#shaders/device/sort/store_keys.wgsl";
import storeNoKeys from "#shaders/device/sort/store_no_keys.wgsl";
import tallyDigits from "#shaders/device/sort/tally_digits.wgsl";
import tileByTicket from "#shaders/device/sort/tile_by_ticket.wgsl";
import valuesBuffer from "#shaders/device/sort/values_buffer.wgsl";
import valuesMoved from "#shaders/device/sort/values_moved.wgsl";
import valuesNone from "#shaders/device/sort/values_none.wgsl";
import valuesPositions from "#shaders/device/sort/values_positions.wgsl";
import { u32 } from "../algebra/integers.ts";
import { monoid } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Constants } from "../text/module.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import type { Algorithm } from "./algorithms.ts";
import { algorithms, memoryOf, subgroupSlots } from "./algorithms.ts";
import { carriedAs, conversion, operatorSources, vectorText } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { bindingOf, lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";
import type { Digits, SortKey } from "./sort_key.ts";
import { digitConstants, digitSources, keySourcesOf, wordsPerKey } from "./sort_key.ts";
import type { TileSources } from "./tiles.ts";

/** The binding numbers that only sorts have. */
export const sortBindingOf = { values: 17, reordered: 18, positions: 19 } as const;

/**
 * The parameters that say where a range starts in its binding, by the binding's number. Which range a pass binds there depends on where
 * the pass before has left the items.
 */
export const baseNames: Readonly<Record<number, string>> = {
  [bindingOf.input]: "input_base",
  [bindingOf.output]: "output_base",
  [sortBindingOf.values]: "values_base",
  [sortBindingOf.reordered]: "reordered_base",
};

/** What moves with the keys: nothing; values from a buffer, each of `words` words; or the positions of the items. */
export type Payload =
  | { readonly kind: "none" }
  | { readonly kind: "buffer"; readonly words: 1 | 2 }
  | { readonly kind: "positions" };

/** What a pass reads: the caller's items, or the keys that the pass before has left in their place. */
export type SortSource = "items" | "keys";

/** How a tile's items are ranked, and the sizes of a kernel. */
export interface SortShape {
  readonly sizes: Sizes;
  readonly algorithm: Algorithm;
  /** Whether subgroups vote; else each thread has counters. */
  readonly byVotes: boolean;
  readonly sources: TileSources;
}

/** How the tiles of a single pass look back. `fault` and `share` are for tests. */
export interface SortLookBack {
  readonly patience: number;
  readonly tickets: boolean;
  /** The entries that a thread reads at a time. */
  readonly atOnce: number;
  readonly fault?: SortFault;
  readonly share?: number;
}

/** The faults that tests plant, in the order of their numbers in faults_planted.wgsl, from 1 on. */
export const sortFaults = ["late", "no part", "some digits", "late sum", "no part, late sum"] as const;
export type SortFault = (typeof sortFaults)[number];

/** What the kernels of a sort are generated for. */
export interface SortKernelOptions {
  /** The type of the items. */
  readonly type: ElementType;
  readonly key: SortKey;
  /** Whether the keys take the items' place: the caller asks for positions, or moves the items later. */
  readonly keysAlone: boolean;
  readonly digits: Digits;
  readonly payload: Payload;
  readonly lengthOnGpu: boolean;
  readonly shape: SortShape;
  /** The most bytes of work-group memory that a tile's items take at a time, if four parts are enough. The default is no limit. */
  readonly partBytes?: number;
  /** The most bytes of keys alone that are ranked by the order in which they arrive at counters. Votes come only where it is wrong. */
  readonly byArrival?: 0 | 4 | 8;
  /** Whether other items are ranked by that order, too, if subgroups can vote. Marks show where it is wrong. */
  readonly byMarks?: boolean;
  /** Whether a thread holds the ranks of its items two to a word. */
  readonly packsRanks?: boolean;
  /** The bits of a digit that have the number of a segment in its tile. The default is 0. */
  readonly slotBits?: number;
}

const sum = /* @__PURE__ */ (() => monoid(add, u32, "sort"))();

/** The constants of a sort, by their names in shaders. */
const constantsOf = (options: SortKernelOptions, memoryWords: number): Constants => {
  const { digits, shape, packsRanks = false } = options;
  const parts = partsOf(options);
  return {
    ...digitConstants(digits),
    MEMORY: memoryWords,
    ...spinePlaces(digits),
    RANKS: packsRanks ? 2 : 1,
    PARTS: parts,
    SHARE: (shape.sizes.workGroupSize * shape.sizes.items) / parts,
    SHARE_ITEMS: shape.sizes.items / parts,
  };
};

/** The parts that a tile goes through work-group memory in. Each part has as many items of each thread. */
export function partsOf(options: SortKernelOptions): number {
  const { partBytes = Infinity, shape } = options;
  const { workGroupSize, items } = shape.sizes;
  const bytes = workGroupSize * items * wordsInMemory(options) * 4;
  return [1, 2, 3, 4].find((parts) => items % parts === 0 && bytes / parts <= partBytes) ?? 1;
}

/**
 * Where the parts of the spine start: two sets of bins, two words that say which set is whose, a ticket for each digit and one that no
 * work-group takes, and the entries of tiles.
 */
export const spinePlaces = ({ count, each }: Digits) => {
  const BINS = count * 2 ** each;
  return {
    BINS,
    NEXT_BINS: 2 * BINS,
    COUNTED_BINS: 2 * BINS + 1,
    FIRST_TICKET: 2 * BINS + 2,
    FIRST_ENTRY: Math.ceil((2 * BINS + 2 + count + 1) / 64) * 64,
  };
};

const wordsOf = (payload: Payload): number => (payload.kind === "buffer" ? payload.words : 1);

/** Words of what a pass moves. */
const itemWords = ({ type, key, keysAlone }: Pick<SortKernelOptions, "type" | "key" | "keysAlone">): 1 | 2 =>
  keysAlone ? wordsPerKey(key.type) : type.bytes === 8 ? 2 : 1;

/** Whether items or values have two words each. */
export const movesPairs = (
  options: Pick<SortKernelOptions, "type" | "key" | "keysAlone" | "payload">,
): boolean => itemWords(options) === 2 || wordsOf(options.payload) === 2;

/** Whether items go through memory of their own, since WGSL has no bits of theirs that are sure to stay the same. */
const areHalves = ({ type, keysAlone }: Pick<SortKernelOptions, "type" | "keysAlone">): boolean =>
  !keysAlone && type.bytes === 2;

/** How many values a digit has. */
export const radixOf = ({ digits, slotBits = 0 }: SortKernelOptions): number => 2 ** (digits.each + slotBits);

/** Words of an item or of a value, whatever has more, while it is in the memory of words. */
const wordsInMemory = (options: Pick<SortKernelOptions, "type" | "key" | "keysAlone" | "payload">): number =>
  Math.max(areHalves(options) ? 1 : wordsPerKey(options.key.type), wordsOf(options.payload));

/** Words of the memory that counters and items take turns in. */
function sharedWords(options: SortKernelOptions): number {
  const { sizes, byVotes } = options.shape;
  const radix = radixOf(options);
  // Before a part stands the last item of the part before, if passes look at neighbours.
  const looks = isByArrival(options) || isByMarks(options);
  const share = (sizes.workGroupSize * sizes.items) / partsOf(options) + (looks ? 1 : 0);
  return Math.max(
    (byVotes ? subgroupSlots(sizes) : sizes.workGroupSize) * radix,
    share * wordsInMemory(options),
  );
}

/** The most items of a tile whose marks have room for their places: 16 bits. */
const MOST_MARKED = 2 ** 16;

/**
 * Whether passes rank by the order in which items arrive. It takes keys alone that are sorted by all their bits: nobody sees the
 * order of those that are equal, and a tile that is in order by them is right.
 */
export const isByArrival = ({
  type,
  keysAlone,
  payload,
  digits,
  shape,
  byArrival = 0,
}: Pick<SortKernelOptions, "type" | "keysAlone" | "payload" | "byArrival"> & {
  readonly digits: Pick<Digits, "from" | "bits">;
  readonly shape: Pick<SortKernelOptions["shape"], "byVotes">;
}): boolean =>
  type.bytes <= byArrival &&
  shape.byVotes &&
  payload.kind === "none" &&
  !keysAlone &&
  (type.bytes === 4 || type.bytes === 8) &&
  digits.from === 0 &&
  digits.bits === type.bytes * 8;

/** Whether passes rank other items by the order in which they arrive, and look at marks, if a tile has no more than {@link MOST_MARKED}. */
export const takesMarks = (
  options: Parameters<typeof isByArrival>[0] & Pick<SortKernelOptions, "byMarks">,
): boolean =>
  options.byMarks === true &&
  options.shape.byVotes &&
  !isByArrival(options) &&
  // Items of f16 have memory of their own beside the marks: H200, with u32, 2^24, 425 µs, and by votes 362.
  !areHalves(options);

const isByMarks = (options: SortKernelOptions): boolean =>
  takesMarks(options) && options.shape.sizes.workGroupSize * options.shape.sizes.items <= MOST_MARKED;

/** Bytes of work-group memory that a sort's kernels take. */
export function sortMemory(options: SortKernelOptions): number {
  const { shape } = options;
  const { sizes, byVotes, algorithm } = shape;
  const radix = radixOf(options);
  const ranking =
    memoryOf([2 * (byVotes ? subgroupSlots(sizes) : radix)], 4, 0) + algorithms[algorithm].memory(sizes, 4);
  const halves = areHalves(options) ? (sizes.workGroupSize * sizes.items * 2) / partsOf(options) : 0;
  return memoryOf([sharedWords(options), radix], 4, 4) + halves + ranking;
}

/** Declares what a pass reads and stores, and their keys. */
export function itemSources(options: SortKernelOptions, source: SortSource): readonly Source[] {
  const { type, key, keysAlone } = options;
  const keyName = wordsPerKey(key.type) === 2 ? "vec2<u32>" : "u32";
  const input = source === "keys" && keysAlone ? keyName : carriedAs(type);
  const output = keysAlone ? keyName : carriedAs(type);
  const asItem = !keysAlone || source === "keys";
  return [
    generated(
      [
        `alias Input = ${input};`,
        `alias Output = ${output};`,
        vectorText(input, undefined, 1),
        conversion("output_from_input", "Input", "Output", asItem ? "x" : "key_from_item(x)"),
        conversion("key_of", "Output", "Key", keysAlone ? "x" : "key_from_item(x)"),
      ].join("\n"),
    ),
    ...keySourcesOf(type, key),
    ...digitSources(key),
  ];
}

/** Declares how items and values go through work-group memory. */
export function exchangeText(options: SortKernelOptions): SourceText {
  const share = isByArrival(options) ? "SHARE + 1u" : partsOf(options) === 1 ? "TILE" : "SHARE";
  const put = (name: string, item: string, words: number): string[] => [
    `fn put_${name}(place: u32, item: ${item}) {`,
    ...(words === 1
      ? ["  atomicStore(&sort_memory[place], item);"]
      : [
          "  atomicStore(&sort_memory[place], item.x);",
          `  atomicStore(&sort_memory[${share} + place], item.y);`,
        ]),
    "}",
    `fn take_${name}(place: u32) -> ${item} {`,
    words === 1
      ? "  return atomicLoad(&sort_memory[place]);"
      : `  return vec2<u32>(atomicLoad(&sort_memory[place]), atomicLoad(&sort_memory[${share} + place]));`,
    "}",
  ];
  const words = wordsOf(options.payload);
  return generated(
    [
      ...(areHalves(options)
        ? [
            `var<workgroup> sort_halves: array<f16, ${share}>;`,
            "fn put_item(place: u32, item: Output) {",
            "  sort_halves[place] = item;",
            "}",
            "fn take_item(place: u32) -> Output {",
            "  return sort_halves[place];",
            "}",
          ]
        : put("item", "Output", itemWords(options))),
      `alias Value = ${words === 2 ? "vec2<u32>" : "u32"};`,
      ...put("value", "Value", words),
    ].join("\n"),
  );
}

export const rankSources = ({ shape }: SortKernelOptions): readonly Source[] => [
  ...operatorSources(sum),
  ...shape.sources(sum),
  shape.byVotes ? rankByVotes : rankByCounters,
  memory,
];

/** Links a kernel of a sort. */
export const linkSort = (
  options: SortKernelOptions,
  name: string,
  entryPoint: string,
  sources: readonly Source[],
  more: Readonly<Record<string, number>> = {},
  sizes = options.shape.sizes,
): Kernel => {
  const { type, lengthOnGpu } = options;
  return linkKernel(
    `wavefold ${name} <${type.name}>`,
    entryPoint,
    [...sources, inputItems, lengthFile(lengthOnGpu)],
    sizes,
    1,
    1,
    { ...constantsOf(options, sharedWords(options)), ...more },
  );
};

/** Where values come from in a pass: the first one takes positions. */
export const valueFile = ({ payload }: SortKernelOptions, source: SortSource): SourceText =>
  payload.kind === "positions" && source === "items" ? valuesPositions : valuesBuffer;

/** The sources that find out where the first item of each digit of a tile goes. */
const firstSources = (lookBack: SortLookBack | undefined): readonly SourceText[] =>
  lookBack
    ? [
        firstByLookBack,
        countTile,
        lookBack.tickets ? tileByTicket : tileByNumber,
        lookBack.fault === undefined ? faultsNone : faultsPlanted,
      ]
    : [firstBySpine, tileByNumber];

const lookBackConstants = (lookBack: SortLookBack | undefined): Readonly<Record<string, number>> =>
  lookBack
    ? {
        PATIENCE: lookBack.patience,
        AT_ONCE: lookBack.atOnce,
        ...(lookBack.fault && {
          FAULT: sortFaults.indexOf(lookBack.fault) + 1,
          FAULT_SHARE: lookBack.share ?? 1,
        }),
      }
    : {};

/**
 * The kernel that sorts by one digit. `source` says what it reads. `storesKeys` is false if only values are asked for, in the
 * last pass. Without `lookBack`, the digits of all tiles are counted by a kernel before. `disorder` is for tests: in every such tile, the
 * items of a thread arrive out of order.
 */
export function sortPassKernel(
  options: SortKernelOptions,
  source: SortSource,
  storesKeys: boolean,
  lookBack: SortLookBack | undefined,
  disorder?: number,
): Kernel {
  return linkSort(
    options,
    "sort by a digit",
    "sort_pass",
    passSources(options, source, storesKeys, lookBack, disorder),
    { ...lookBackConstants(lookBack), ...disorderConstant(disorder) },
  );
}

const arrivalSources = (disorder: number | undefined): readonly SourceText[] => [
  rankByArrival,
  ...(disorder === undefined ? [] : [arrivalsPlanted]),
];

const disorderConstant = (disorder: number | undefined): Readonly<Record<string, number>> =>
  disorder === undefined ? {} : { DISORDER_SHARE: disorder };

const passSources = (
  options: SortKernelOptions,
  source: SortSource,
  storesKeys: boolean,
  lookBack: SortLookBack | undefined,
  disorder?: number,
): Source[] => [
  ...itemSources(options, source),
  exchangeText(options),
  outputItems,
  ...rankSources(options),
  ...(isByMarks(options) ? [...arrivalSources(disorder), rankByMarks] : []),
  ...firstSources(lookBack),
  ...(options.payload.kind === "none" ? [valuesNone] : [valuesMoved, valueFile(options, source)]),
  storesKeys ? storeKeys : storeNoKeys,
  sortPass,
];

/** WGSL for whether items with different bits have this key. Only NaNs do. */
export function equalsOthersText({ type, key }: Pick<SortKernelOptions, "type" | "key">): string {
  const nan = `Key(${key.descending ? "0u" : "0xffffffffu"})`;
  return conversion("are_equals_others", "Key", "bool", type.kind === "float" ? `all(x == ${nan})` : "false");
}

/**
 * The kernel that sorts keys alone by one digit, if they are ranked by the order in which they arrive. `disorder` is for tests: every
 * such tile is out of order.
 */
export function keysPassKernel(
  options: SortKernelOptions,
  lookBack: SortLookBack | undefined,
  disorder?: number,
): Kernel {
  const isPair = wordsPerKey(options.key.type) === 2;
  return linkSort(
    options,
    "sort keys by a digit",
    "sort_keys_pass",
    [
      ...itemSources(options, "items"),
      generated(equalsOthersText(options)),
      exchangeText(options),
      outputItems,
      ...rankSources(options),
      order,
      ...(isPair ? [orderOfPairs] : []),
      ...arrivalSources(disorder),
      ...firstSources(lookBack),
      sortKeysPass,
    ],
    { ...lookBackConstants(lookBack), ...disorderConstant(disorder) },
  );
}

/** The kernel that sorts data of one tile. */
export const oneTileKernel = (options: SortKernelOptions, storesKeys: boolean): Kernel =>
  linkSort(options, "sort one tile", "sort_one_tile", [
    ...itemSources(options, "items"),
    exchangeText(options),
    outputItems,
    ...rankSources(options),
    ...(options.payload.kind === "none" ? [valuesNone] : [valuesMoved, valueFile(options, "items")]),
    storesKeys ? storeKeys : storeNoKeys,
    sortOneTile,
  ]);

/** The kernel that counts the digits of each tile. */
export const countDigitsKernel = (options: SortKernelOptions, source: SortSource): Kernel =>
  linkSort(options, "count digits", "count_digits", [
    ...itemSources(options, source),
    memory,
    countWholeTile,
    countDigits,
  ]);

/** The kernel that counts all digits of the whole data, in bins of each digit. */
export const histogramOfDigits = (options: SortKernelOptions, sizes: Sizes, copies: number): Kernel => {
  const { BINS } = spinePlaces(options.digits);
  return linkSort(
    options,
    "histogram of digits",
    "histogram",
    [
      ...itemSources(options, "items"),
      generated("alias Amount = u32;"),
      loadItems,
      amountOne,
      tallyEach,
      tallyDigits,
      countersWords,
      binsWords,
      binsInTurn,
      histogram,
    ],
    { COPIES: copies, COUNTERS: BINS * copies },
    sizes,
  );
};

/** The kernel that moves items to the places of their sorted positions. */
export const gatherKernel = (type: ElementType, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold gather <${type.name}>`,
    "gather_items",
    [
      itemsText(carriedAs(type)),
      ...type.files,
      inputItems,
      outputItems,
      lengthFile(lengthOnGpu),
      gatherItems,
    ],
    sizes,
  );
