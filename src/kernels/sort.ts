import amountOne from "#shaders/device/histogram/amount_one.wgsl";
import countersWords from "#shaders/device/histogram/counters_words.wgsl";
import tallyEach from "#shaders/device/histogram/tally_each.wgsl";
import edges from "#shaders/device/io/edges.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import countDigits from "#shaders/device/kernels/count_digits.wgsl";
import histogram from "#shaders/device/kernels/histogram.wgsl";
import sortKeysPass from "#shaders/device/kernels/sort_keys_pass.wgsl";
import sortPass from "#shaders/device/kernels/sort_pass.wgsl";
import tileByNumber from "#shaders/device/look_back/tile_by_number.wgsl";
import arrivalsPlanted from "#shaders/device/sort/arrivals_planted.wgsl";
import countTile from "#shaders/device/sort/count_tile.wgsl";
import countWholeTile from "#shaders/device/sort/count_whole_tile.wgsl";
import faultsNone from "#shaders/device/sort/faults_none.wgsl";
import faultsPlanted from "#shaders/device/sort/faults_planted.wgsl";
import firstByLookBack from "#shaders/device/sort/first_by_look_back.wgsl";
import firstBySpine from "#shaders/device/sort/first_by_spine.wgsl";
import memory from "#shaders/device/sort/memory.wgsl";
import order from "#shaders/device/sort/order.wgsl";
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
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { carriedAs, conversion, operatorSources, vectorText } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";
import { digitSources, keySourcesOf, wordsPerKey } from "./sort_key.ts";
import type { SortKernelOptions } from "./sort_tile.ts";
import { areHalves, constantsOf, isByMarks, itemWords, partsOf, spinePlaces, wordsOf } from "./sort_tile.ts";

/** What a pass reads: the caller's items, or the keys that the pass before has left in their place. */
export type SortSource = "items" | "keys";

/** How the tiles of a single pass look back. `fault` and `share` are for tests. */
export interface SortLookBack {
  readonly patience: number;
  readonly tickets: boolean;
  readonly fault?: SortFault;
  readonly share?: number;
}

/** The faults that tests plant, in the order of their numbers in faults_planted.wgsl, from 1 on. */
export const sortFaults = ["late", "no part", "some digits", "late sum", "no part, late sum"] as const;
export type SortFault = (typeof sortFaults)[number];

const sum = /* @__PURE__ */ (() => monoid(add, u32, "sort"))();

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
  const share = partsOf(options) === 1 ? "TILE" : "SHARE";
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
    { more: { ...constantsOf(options), ...more } },
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

/** The entries that a thread reads at a time as it looks back. */
const AT_ONCE = 8;

const lookBackConstants = (lookBack: SortLookBack | undefined): Readonly<Record<string, number>> =>
  lookBack
    ? {
        PATIENCE: lookBack.patience,
        AT_ONCE,
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

const arrivalFile = (disorder: number | undefined): SourceText =>
  disorder === undefined ? rankByArrival : arrivalsPlanted;

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
  ...(isByMarks(options) ? [arrivalFile(disorder), rankByMarks] : []),
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
      arrivalFile(disorder),
      ...firstSources(lookBack),
      sortKeysPass,
    ],
    { ...lookBackConstants(lookBack), ...disorderConstant(disorder) },
  );
}

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
      edges,
      amountOne,
      tallyEach,
      tallyDigits,
      countersWords,
      histogram,
    ],
    { COPIES: copies, COUNTERS: BINS * copies },
    sizes,
  );
};
