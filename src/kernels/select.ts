import numberOfRun from "#shaders/device/expand/number_of_run.wgsl";
import storeSorted from "#shaders/device/expand/store_sorted.wgsl";
import amountOne from "#shaders/device/histogram/amount_one.wgsl";
import binsWords from "#shaders/device/histogram/bins_words.wgsl";
import countersWords from "#shaders/device/histogram/counters_words.wgsl";
import tallyEach from "#shaders/device/histogram/tally_each.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import beginSelection from "#shaders/device/kernels/begin_selection.wgsl";
import chooseDigit from "#shaders/device/kernels/choose_digit.wgsl";
import chooseFirstBlocks from "#shaders/device/kernels/choose_first_blocks.wgsl";
import countLeft from "#shaders/device/kernels/count_left.wgsl";
import countTaken from "#shaders/device/kernels/count_taken.wgsl";
import expandRuns from "#shaders/device/kernels/expand_runs.wgsl";
import findLeft from "#shaders/device/kernels/find_left.wgsl";
import firstOfBlocks from "#shaders/device/kernels/first_of_blocks.wgsl";
import firstOfTiles from "#shaders/device/kernels/first_of_tiles.wgsl";
import histogram from "#shaders/device/kernels/histogram.wgsl";
import storeFirst from "#shaders/device/kernels/store_first.wgsl";
import storeFirstOfSegments from "#shaders/device/kernels/store_first_of_segments.wgsl";
import storeTaken from "#shaders/device/kernels/store_taken.wgsl";
import takeBlocks from "#shaders/device/kernels/take_blocks.wgsl";
import takeFirst from "#shaders/device/kernels/take_first.wgsl";
import blocks from "#shaders/device/select/blocks.wgsl";
import blocksAll from "#shaders/device/select/blocks_all.wgsl";
import blocksChosen from "#shaders/device/select/blocks_chosen.wgsl";
import choose from "#shaders/device/select/choose.wgsl";
import few from "#shaders/device/select/few.wgsl";
import firstKey from "#shaders/device/select/first_key.wgsl";
import keepTaken from "#shaders/device/select/keep_taken.wgsl";
import selection from "#shaders/device/select/selection.wgsl";
import storeFound from "#shaders/device/select/store_found.wgsl";
import tallyLeft from "#shaders/device/select/tally_left.wgsl";
import untilAll from "#shaders/device/select/until_all.wgsl";
import untilOne from "#shaders/device/select/until_one.wgsl";
import { u32 } from "../algebra/integers.ts";
import { monoid } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { carriedAs, itemsOfVector, operatorSources, vectorText } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import { blockItems } from "./expand_runs.ts";
import type { Arrangement, Kernel, KernelConstants } from "./kernel.ts";
import { inputFor, isWide, lengthFile, linkKernel } from "./kernel.ts";
import { moveKernel } from "./move_items.ts";
import type { Sizes } from "./sizes.ts";
import type { Digits, SortKey } from "./sort_key.ts";
import { digitConstants, digitSources, keyAlias, keyBitsText, keySourcesOf, orderFile } from "./sort_key.ts";
import type { SortedSegments } from "./sort_segments.ts";
import { segmentFiles } from "./sort_segments.ts";
import type { TileSources } from "./tiles.ts";

/** Bytes of the state of a selection: struct Selection in shaders/device/select/selection.wgsl. */
export const SELECTION_BYTES = 32;

/** What the kernels of a selection are generated for. */
export interface SelectKernelOptions {
  readonly type: ElementType;
  readonly key: SortKey;
  /** The digits of the keys; and how many digits the indices have, each of as many bits as a key's digit, or more. */
  readonly digits: Digits;
  readonly indexDigits: number;
  readonly indexBits: number;
  /** Whether the selection looks for one element. Else it takes all up to it. */
  readonly single: boolean;
  readonly lengthOnGpu: boolean;
}

const count = /* @__PURE__ */ (() => monoid(add, u32, "select"))();

const link = (
  name: string,
  entryPoint: string,
  options: SelectKernelOptions,
  sources: readonly Source[],
  sizes: Sizes,
  { vector = 1, copies = 1 } = {},
): Kernel => {
  const bins = 2 ** options.indexBits;
  return linkKernel(
    `wavefold ${name} <${options.type.name}>`,
    entryPoint,
    [...sources, selection, orderFile(options.key), lengthFile(options.lengthOnGpu)],
    sizes,
    {
      vector,
      more: {
        ...digitConstants(options.digits),
        INDEX_DIGITS: options.indexDigits,
        INDEX_BITS: options.indexBits,
        BINS: bins,
        COPIES: copies,
        COUNTERS: bins * copies,
      },
    },
  );
};

/** Declares items, and their keys. */
function itemSources(
  { type, key }: SelectKernelOptions,
  arrangement: Arrangement,
  sizes: Sizes,
): { readonly sources: readonly Source[]; readonly vector: number } {
  const carried = carriedAs(type);
  const vector = isWide(arrangement) ? itemsOfVector(type.bytes, sizes.items) : 1;
  return {
    sources: [
      generated(
        [
          `alias Input = ${carried};`,
          `alias Output = ${carried};`,
          "alias Amount = u32;",
          vectorText(carried, undefined, vector),
        ].join("\n"),
      ),
      ...keySourcesOf(type, key),
      ...digitSources(key),
      ...inputFor(arrangement),
      histogram,
    ],
    vector,
  };
}

/** What declares `Key` for kernels that see no items. */
const keyAlone = ({ key }: { readonly key: SortKey }): SourceText =>
  generated(`${keyAlias(key)}\nalias Amount = u32;`);

const until = ({ single }: SelectKernelOptions): SourceText => (single ? untilOne : untilAll);

/** The kernel with which a selection begins. */
export const beginKernel = (options: SelectKernelOptions, sizes: Sizes): Kernel =>
  link(
    "begin selection",
    "begin_selection",
    options,
    [keyAlone(options), binsWords, until(options), beginSelection],
    sizes,
  );

/** The kernel that counts the elements that are left by their next digit. */
export function countLeftKernel(
  options: SelectKernelOptions,
  arrangement: Arrangement,
  sizes: Sizes,
  copies: number,
): Kernel {
  const { sources, vector } = itemSources(options, arrangement, sizes);
  return link(
    "count what is left",
    "count_left",
    options,
    [...sources, amountOne, tallyEach, tallyLeft, countersWords, binsWords, countLeft],
    sizes,
    { vector, copies },
  );
}

/** The kernel that chooses the next digit. `tile` has the files of its scan. */
export const chooseKernel = (options: SelectKernelOptions, sizes: Sizes, tile: TileSources): Kernel =>
  link(
    "choose a digit",
    "choose_digit",
    options,
    [keyAlone(options), ...operatorSources(count), ...tile(count), binsWords, until(options), chooseDigit],
    sizes,
  );

/** The kernel that stores the one element that is left. */
export function findKernel(options: SelectKernelOptions, arrangement: Arrangement, sizes: Sizes): Kernel {
  const { sources, vector } = itemSources(options, arrangement, sizes);
  return link(
    "find an element",
    "find_left",
    options,
    [...sources, outputItems, storeFound, findLeft],
    sizes,
    { vector },
  );
}

/** Declares `keep`, for a compaction that keeps what a selection takes. */
export const keepTakenSources = (options: SelectKernelOptions): readonly Source[] => [
  ...keySourcesOf(options.type, options.key),
  selection,
  orderFile(options.key),
  keepTaken,
];

/** The kernel that stores what was taken, in the order of sorted positions. */
export const storeTakenKernel = (type: ElementType, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  moveKernel("store what was taken", "store_taken", type, lengthOnGpu, [storeTaken], sizes);

/** The kernel that stores the first elements of rows, of which a sort has put the positions in order. */
export const storeFirstKernel = (type: ElementType, sizes: Sizes): Kernel =>
  moveKernel("store first of rows", "store_first", type, false, [storeFirst], sizes);

/** The kernel that stores the first elements of segments that places give, of which a sort has put the positions in order. */
export const storeFirstOfSegmentsKernel = (
  type: ElementType,
  segments: SortedSegments,
  lengthOnGpu: boolean,
  sizes: Sizes,
): Kernel =>
  moveKernel(
    "store first of segments",
    "store_first_of_segments",
    type,
    lengthOnGpu,
    [...segmentFiles[segments], storeFirstOfSegments],
    sizes,
  );

/** The kernel that counts the elements that are taken of each segment, as its k says. */
export const countTakenKernel = (segments: SortedSegments, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold count what is taken of ${segments}`,
    "count_taken",
    [itemsText("u32"), outputItems, lengthFile(lengthOnGpu), ...segmentFiles[segments], countTaken],
    sizes,
    { members: ["k_base"] },
  );

/** The kernel that stores the first elements of each segment, of which a sort has put the positions in order. A run has those of a segment. */
export const storeSortedKernel = (type: ElementType, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold store first of each segment <${type.name}>`,
    "expand_runs",
    [itemsText(carriedAs(type)), ...type.files, numberOfRun, storeSorted, lengthFile(false), expandRuns],
    sizes,
    { more: { BLOCK_ITEMS: blockItems(sizes) } },
  );

/** What the kernels of a selection by blocks are generated for. */
export interface BlockKernelOptions {
  readonly type: ElementType;
  readonly key: SortKey;
  readonly digits: Digits;
  /** The first blocks have 2 to this power elements. */
  readonly firstShift: number;
  /** Blocks that were taken are divided into 2 to this power. */
  readonly ratioBits: number;
  readonly lengthOnGpu: boolean;
}

/** How many bits longer the numbers of the last blocks, of one element, are than those of the blocks before. */
const lastBits = ({ firstShift, ratioBits }: BlockKernelOptions): number =>
  firstShift === 0 ? 0 : ((firstShift - 1) % ratioBits) + 1;

const linkBlocks = (
  name: string,
  entryPoint: string,
  options: BlockKernelOptions,
  sources: readonly Source[],
  sizes: Sizes,
  { vector = 1, more }: Pick<KernelConstants, "vector" | "more"> = {},
): Kernel =>
  linkKernel(
    `wavefold ${name} <${options.type.name}>`,
    entryPoint,
    [...sources, blocks, orderFile(options.key), lengthFile(options.lengthOnGpu)],
    sizes,
    {
      vector,
      more: {
        ...digitConstants(options.digits),
        FIRST_SHIFT: options.firstShift,
        RATIO_BITS: options.ratioBits,
        LAST_BITS: lastBits(options),
        ...more,
      },
    },
  );

/** Declares items, their keys, and the bits of the keys that count. */
function blockSources(options: BlockKernelOptions, vector: number): readonly Source[] {
  const { type, key } = options;
  const carried = carriedAs(type);
  return [
    generated(
      [
        `alias Input = ${carried};`,
        `alias Output = ${carried};`,
        vectorText(carried, undefined, vector),
        keyBitsText(options),
      ].join("\n"),
    ),
    ...keySourcesOf(type, key),
    firstKey,
  ];
}

/** The kernel that finds the first key of each block, of which a thread takes one. */
export const firstOfBlocksKernel = (options: BlockKernelOptions, sizes: Sizes): Kernel =>
  linkBlocks(
    "first keys of blocks",
    "first_of_blocks",
    options,
    [...blockSources(options, 1), inputItems, firstOfBlocks],
    sizes,
  );

/** The kernel that finds the first key of each block. `lanes` threads take a block: a power of 2. */
export function firstOfTilesKernel(
  options: BlockKernelOptions,
  arrangement: Arrangement,
  sizes: Sizes,
  lanes: number,
): Kernel {
  const vector = isWide(arrangement) ? itemsOfVector(options.type.bytes, sizes.items) : 1;
  return linkBlocks(
    "first keys of tiles",
    "first_of_tiles",
    options,
    [...blockSources(options, vector), ...inputFor(arrangement), firstOfTiles],
    sizes,
    { vector, more: { LANES: lanes } },
  );
}

/** The kernel that takes the blocks with the first keys. `tile` has the files of its scan. */
export const takeBlocksKernel = (options: BlockKernelOptions, sizes: Sizes, tile: TileSources): Kernel =>
  linkBlocks(
    "take blocks",
    "take_blocks",
    options,
    [keyAlone(options), ...operatorSources(count), ...tile(count), ...digitSources(options.key), takeBlocks],
    sizes,
  );

/** The kernel that chooses the blocks with the first keys, if at most `most` elements are wanted. */
export const chooseFirstBlocksKernel = (options: BlockKernelOptions, most: number, sizes: Sizes): Kernel =>
  linkBlocks(
    "choose first blocks",
    "choose_first_blocks",
    options,
    [
      generated(`${keyAlias(options.key)}\n${keyBitsText(options)}`),
      ...digitSources(options.key),
      choose,
      few,
      blocksChosen,
      chooseFirstBlocks,
    ],
    sizes,
    { more: { MOST_WANTED: most } },
  );

/** The kernel that stores the first elements, of the last blocks or of short data. At most `most` are wanted. */
export const takeFirstKernel = (options: BlockKernelOptions, most: number, sizes: Sizes): Kernel =>
  linkBlocks(
    "take first elements",
    "take_first",
    options,
    [
      ...blockSources(options, 1),
      ...digitSources(options.key),
      inputItems,
      outputItems,
      choose,
      few,
      options.firstShift === 0 ? blocksAll : blocksChosen,
      takeFirst,
    ],
    sizes,
    { more: { MOST_WANTED: most } },
  );
