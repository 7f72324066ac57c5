import { tablesFor } from "../adapters/adapter.ts";
import type { SelectRow } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { itemsOfVector } from "../kernels/contract.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { gatherKernel } from "../kernels/move_items.ts";
import { blelloch, hillisSteele } from "../kernels/portable_tiles.ts";
import type { BlockKernelOptions, SelectKernelOptions } from "../kernels/select.ts";
import {
  beginKernel,
  chooseFirstBlocksKernel,
  chooseKernel,
  countLeftKernel,
  findKernel,
  firstOfBlocksKernel,
  firstOfTilesKernel,
  keepTakenSources,
  SELECTION_BYTES,
  storeTakenKernel,
  takeBlocksKernel,
  takeFirstKernel,
} from "../kernels/select.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { digitsOf } from "../kernels/sort_key.ts";
import type { SortedSegments } from "../kernels/sort_segments.ts";
import { subgroup } from "../kernels/subgroup_tiles.ts";
import { checkedKey } from "./check_sort.ts";
import { requireChosen } from "./check_tuning_options.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import { planCompact } from "./compact.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { mostThreads } from "./device_facts.ts";
import { givenOptions } from "./given_options.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import { moveSizes, ofItems, passOver, plainSizes } from "./plain_plan.ts";
import type { Bindable, Bindings, Pass, PassParams, Plan, Scratch } from "./plan.ts";
import {
  bound,
  distinct,
  itemTypesOf,
  perArrangement,
  rangesTaken,
  TWO_BUFFERS,
  wholeWords,
  withRanges,
} from "./plan.ts";
import { planSinglePass } from "./single_pass.ts";
import { planSort, untuned } from "./sort.ts";
import type { SortKeyOptions } from "./sort_key.ts";
import { requireWhole } from "./sort_key.ts";

// Selections: they find the elements that a sort would put first, or one of them, and do not sort the others.

/** Options that all recorded selections have. */
interface SelectOptions<Name extends string> extends ParamsOption {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /** The most items of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** The order of the elements. The greatest come first, by their keys. */
export interface TopKOrder extends Omit<SortKeyOptions, "descending">, Pick<TuningOptions, "passes"> {
  /** Whether the least elements come first instead. */
  readonly smallest?: boolean;
}

/** The options of `prepareTopK`. */
export interface TopKOptions<Name extends string = string> extends SelectOptions<Name>, TopKOrder {
  /** How many elements to take. If there are fewer, all are taken. */
  readonly k: number;
}

/** The options of `prepareNth`. */
export interface NthOptions<Name extends string = string> extends SelectOptions<Name>, SortKeyOptions {
  /** Which element to find: the number of elements that a sort would put before it. */
  readonly n: number;
}

/** The most bytes of the items that a thread holds at a time. */
const THREAD_BYTES = 64;

/** The options of a selection of the first elements of each row, or of each segment. */
export interface TopKRowsOptions<Name extends string = string> extends Omit<TopKOptions<Name>, "k"> {
  /**
   * How many elements to take of each segment. With the type `u32`, each segment has a number of its own: a recording gives the range `k`, with a
   * u32 for each.
   */
  readonly k: number | ElementType<"u32">;
  /** Takes elements of each segment. A recording gives `rows`, the items of a row; `offsets` and `segmentCount`; or `begins`, `ends` and `segmentCount`. */
  readonly segments: SortedSegments;
  /** The most items of a segment. The default is `maxLength`. */
  readonly maxSegmentLength?: number;
  /** With `k: u32`: the most elements to take of a segment. A greater number counts as this one. If it is small, long rows are not sorted. */
  readonly maxK?: number;
  /** With `k: u32`: the most segments of a recording. The default is `maxLength`, or as many as the device can bind numbers for. */
  readonly maxSegmentCount?: number;
}

/** For tests: sizes. */
export type SelectTesting = Partial<SelectRow>;

/** A selection, as a part of a plan. */
interface Selection {
  readonly title: string;
  readonly type: ElementType;
  readonly maxLength: number;
  readonly options: SelectKernelOptions;
  readonly kernels: readonly Kernel[];
  /** What the passes have found out so far. */
  readonly state: Scratch;
  readonly scratch: readonly Scratch[];
  /** Items of a vector. */
  readonly vector: number;
  /** The kernel that stores the one element that is left. */
  find(arrangement: Arrangement): Kernel;
  /** The passes that find out which elements are the first `k`. */
  passes(length: number, k: number, arrangement: Arrangement): readonly Pass[];
}

/** Checks the options that all selections have, and returns the key, the sizes and the facts that they lead to. */
function checkedSelection(
  name: string,
  options: SelectOptions<string> & SortKeyOptions,
  facts: DeviceFacts,
  testing: SelectTesting,
) {
  const { lengthOnGpu = false } = options;
  const { type, title, key, range } = checkedKey(name, options, facts);
  const maxLength = requireMaxLength(title, options.maxLength, Math.max(type.bytes, 4), facts.limits);
  const row: SelectRow = { ...tablesFor(facts).select, ...testing };
  return { type, title, key, range, maxLength, row, most: mostThreads(facts), lengthOnGpu };
}

/** The options of a selection, checked, and what follows from them. */
type CheckedSelection = ReturnType<typeof checkedSelection>;

/** Plans a selection by digits. `single` says whether one element is looked for, or all up to it. */
function planSelection(
  { type, title, key, range, maxLength, row, most, lengthOnGpu }: CheckedSelection,
  single: boolean,
  facts: DeviceFacts,
): Selection {
  const { limits } = facts;
  const items = Math.max(1, Math.min(row.items, Math.floor(THREAD_BYTES / type.bytes)));
  const sizes = plainSizes({ ...row, items }, title, type, {}, facts);
  // A thread looks after one value of a digit. Digits of indices are as wide as can be, also if keys have few bits.
  const indexBits = Math.min(8, Math.floor(Math.log2(most)));
  const digits = digitsOf(range, indexBits);
  const radix = 2 ** indexBits;
  const digitSizes = plainSizes({ workGroupSize: radix, items: 1 }, title, type, {}, facts);
  const indexDigits = Math.ceil(Math.log2(Math.max(2, maxLength)) / indexBits);
  const own: SelectKernelOptions = { type, key, digits, indexDigits, indexBits, single, lengthOnGpu };
  const room = Math.max(1, Math.floor(limits.maxComputeWorkgroupStorageSize / 2 / (radix * 4)));
  const copies = 2 ** Math.floor(Math.log2(Math.min(row.copies, room)));
  const begin = beginKernel(own, digitSizes);
  const choose = chooseKernel(
    own,
    digitSizes,
    blelloch({ sizes: digitSizes, subgroupIds: facts.subgroupIds }),
  );
  const counts = perArrangement(TWO_BUFFERS, (one) => countLeftKernel(own, one, sizes, copies));
  const finds = single ? perArrangement(TWO_BUFFERS, (one) => findKernel(own, one, sizes)) : undefined;
  const state: Scratch = { name: "what was found out", bytes: SELECTION_BYTES };
  const bins: Scratch = { name: "counts of a digit", bytes: radix * 4 };
  const bindingsOf = (kernel: Kernel): Bindings =>
    bound(kernel, {
      input: "input",
      selection: state,
      begun: state,
      chosen: state,
      bins,
      length_buffer: "length",
    });
  return {
    title,
    type,
    maxLength,
    options: own,
    kernels: [begin, choose, ...counts.all, ...(finds?.all ?? [])],
    state,
    scratch: [state, bins],
    vector: itemsOfVector(type.bytes, sizes.items),
    find: (arrangement) => (finds as NonNullable<typeof finds>).of(arrangement),
    passes(length, k, arrangement) {
      const count = counts.of(arrangement);
      const tiles = Math.min(row.workGroups, Math.ceil(length / count.tile));
      const narrowing = Array.from({ length: digits.count + indexDigits }, (_, at): Pass[] => {
        const params = { digit: digits.count + indexDigits - 1 - at };
        return [
          { kernel: count, bindings: bindingsOf(count), length, tiles, params },
          { kernel: choose, bindings: bindingsOf(choose), length, tiles: 1, params },
        ];
      });
      return [
        { kernel: begin, bindings: bindingsOf(begin), length, tiles: 1, params: { k } },
        ...narrowing.flat(),
      ];
    },
  };
}

/** What plans of selections have in common. */
export const common = (title: string, maxLength: number, type: ElementType) => ({
  ...ofItems(title, maxLength, TWO_BUFFERS),
  itemTypes: itemTypesOf(type, type),
});

/** The passes of a plan inside another plan. Their items count from 0. */
const within = (passes: readonly Pass[], ranges: Parameters<typeof withRanges>[1]): readonly Pass[] =>
  withRanges(passes, ranges, { first_index: 0 });

/** How the first elements in an order are taken, as a part of a plan. */
interface Taking {
  readonly kernels: readonly Kernel[];
  readonly scratch: readonly Scratch[];
  readonly spine?: Plan["spine"];
  readonly vector: number;
  /** Whether its passes store the elements and their positions, in order. */
  readonly inOrder: boolean;
  /** The passes. If they do not store the elements in order, they leave the positions in the order of the data, and their number. */
  passes(length: number, arrangement: Arrangement): readonly Pass[];
}

/**
 * Takes any number of elements: it finds the last of them, digit by digit, and compacts all up to it. The compaction leaves the
 * positions in its range `output`, and their number in `count`.
 */
function takeByDigits(
  checked: CheckedSelection,
  k: number,
  { passes }: Pick<TopKOptions, "passes">,
  facts: DeviceFacts,
): Taking {
  const selection = planSelection(checked, false, facts);
  const { type, maxLength, lengthOnGpu } = checked;
  const keep = planCompact(
    { type, indices: true, maxLength, lengthOnGpu, ...(passes !== undefined && { passes }) },
    { ...facts, fasterWays: { tiles: subgroup, planSinglePass } },
    TWO_BUFFERS,
    {},
    undefined,
    keepTakenSources(selection.options),
  );
  return {
    kernels: [...selection.kernels, ...keep.kernels],
    scratch: [...selection.scratch, ...keep.scratch],
    ...(keep.spine && { spine: keep.spine }),
    vector: Math.max(selection.vector, keep.vector),
    inOrder: false,
    passes: (length, arrangement) => [
      ...selection.passes(length, k, arrangement),
      ...within(keep.passes(length, arrangement), { flags: selection.state }),
    ],
  };
}

/** Blocks of `2 ** shift` elements. */
interface BlockLevel {
  readonly shift: number;
  /** Whether work-groups read the blocks as tiles. */
  readonly isLong: boolean;
  /** The kernels that find the first key of each block, and how many blocks a work-group takes. */
  readonly kernels: ReturnType<typeof perArrangement<Kernel>>;
  readonly blocks: number;
}

/** What takes a few elements: blocks, shorter ones in those that were taken, and so on. */
interface Blocks {
  readonly options: BlockKernelOptions;
  readonly k: number;
  readonly levels: readonly BlockLevel[];
  readonly vector: number;
  /** The sizes of the one work-group that takes blocks. */
  readonly takeSizes: Sizes;
  readonly inOrder: boolean;
  readonly firsts: Scratch;
  /** The numbers of blocks that were taken, or the positions: the two take turns. */
  readonly numbers: Scratch;
  readonly others: Scratch;
}

/** What is bound at a level. The last one leaves the positions. */
function bindingsAt({ levels, inOrder, firsts, ...scratch }: Blocks, kernel: Kernel, at: number): Bindings {
  const others = inOrder ? scratch.others : "output";
  const isOther = (levels.length - at) % 2 === 1;
  const into = isOther ? others : scratch.numbers;
  return bound(kernel, {
    input: "input",
    firsts,
    first_keys: firsts,
    taken_count: "count",
    length_buffer: "length",
    numbers: isOther ? scratch.numbers : others,
    taken: into,
    indices: into,
  });
}

/** The parameters of a level's passes. The limit stands behind the numbers of all blocks that are taken. */
const paramsAt = ({ levels, k }: Blocks, at: number): PassParams => ({
  block_shift: (levels[at] as BlockLevel).shift,
  k,
  limit_place: k,
});

/** The passes that find the first keys of each level's blocks, and those that take blocks by them. */
function passesByLevel(
  blocks: Blocks,
  length: number,
  arrangement: Arrangement,
  takes: (at: number) => Pass,
): readonly Pass[] {
  const { options, k, levels } = blocks;
  let count = Math.ceil(length / 2 ** options.firstShift);
  return levels.flatMap((level, at): readonly Pass[] => {
    const { shift } = level;
    const before = levels[at - 1];
    count = before === undefined ? count : Math.min(count, k) * 2 ** (before.shift - shift);
    const kernel = level.kernels.of(level.isLong ? arrangement : "items");
    const bindings = bindingsAt(blocks, kernel, at);
    const tiles = Math.ceil(count / level.blocks);
    return [{ kernel, bindings, length, tiles, params: paramsAt(blocks, at) }, takes(at)];
  });
}

/** The pass that takes blocks of a level, or elements, by their first keys. */
const takePass = (blocks: Blocks, kernel: Kernel, length: number, at: number): Pass => ({
  kernel,
  bindings: bindingsAt(blocks, kernel, at),
  length,
  tiles: 1,
  params: paramsAt(blocks, at),
});

/** Takes elements in order, if they are no more than `most`. */
function takeInOrder(blocks: Blocks, most: number): Taking {
  const { options, levels, vector, takeSizes, firsts, numbers, others } = blocks;
  // At the first level already, each element is a block.
  const isShort = options.firstShift === 0;
  const hasShorter = levels.length > 1;
  const choose = hasShorter ? chooseFirstBlocksKernel(options, most, takeSizes) : undefined;
  const take = takeFirstKernel(options, most, takeSizes);
  const finds = isShort ? [] : levels.flatMap(({ kernels }) => kernels.all);
  const scratch = hasShorter ? [firsts, numbers, others] : [firsts, numbers];
  return {
    kernels: distinct([...finds, choose, take]),
    scratch: isShort ? [numbers] : scratch,
    vector,
    inOrder: true,
    passes(length, arrangement) {
      const takes = (at: number): Pass => {
        if (at < levels.length - 1) {
          return takePass(blocks, choose as Kernel, length, at);
        }
        const last = takePass(blocks, take, length, at);
        const results = bound(take, { output: "output", indices: "indices" });
        return { ...last, bindings: { ...last.bindings, ...results } };
      };
      return isShort ? [takes(0)] : passesByLevel(blocks, length, arrangement, takes);
    },
  };
}

/** Takes elements in the order of the data. */
function takeInOrderOfData(blocks: Blocks, { subgroupIds }: DeviceFacts): Taking {
  const { options, levels, vector, takeSizes, firsts, numbers } = blocks;
  const scan = hillisSteele({ sizes: takeSizes, subgroupIds });
  const take = takeBlocksKernel(options, takeSizes, scan);
  return {
    kernels: distinct([...levels.flatMap(({ kernels }) => kernels.all), take]),
    scratch: [firsts, numbers],
    vector,
    inOrder: false,
    passes: (length, arrangement) =>
      passesByLevel(blocks, length, arrangement, (at) => takePass(blocks, take, length, at)),
  };
}

/** By how many bits element numbers are shifted to give block numbers, level by level, to single elements. */
function shiftsFrom(firstShift: number, ratioBits: number): readonly number[] {
  const shifts = [firstShift];
  for (let at = firstShift; at > 0; ) {
    at -= Math.min(at, ratioBits);
    shifts.push(at);
  }
  return shifts;
}

/**
 * Takes few elements: the blocks that have them, shorter blocks of these, and so on. It is undefined if they are too many for one
 * work-group to choose from. The bindings have the names that {@link takeByDigits} has.
 */
function takeByBlocks(
  { title, type, key, range, maxLength, row, most, lengthOnGpu }: CheckedSelection,
  k: number,
  facts: DeviceFacts,
): Taking | undefined {
  const threads = 2 ** Math.floor(Math.log2(Math.min(row.threads, most)));
  const items = row.blocks / row.threads;
  const room = threads * items;
  const ratioBits = Math.floor(Math.log2(room / k));
  if (ratioBits < 2) {
    return undefined;
  }
  const firstShift = Math.max(0, Math.ceil(Math.log2(Math.max(1, maxLength))) - Math.log2(room));
  const digits = digitsOf(range, Math.min(8, Math.log2(threads)));
  const kernelOptions: BlockKernelOptions = { type, key, digits, firstShift, ratioBits, lengthOnGpu };
  const plain = (workGroupSize: number, items: number): Sizes =>
    plainSizes({ workGroupSize, items }, title, type, {}, facts);
  const perThread = Math.max(1, Math.min(row.items, Math.floor(THREAD_BYTES / type.bytes)));
  const shortSizes = plain(64, Math.min(8, perThread));
  const longSizes = plain(row.workGroupSize, perThread);
  const takeSizes = plain(threads, items);
  const inOrder = k <= row.inOrder;
  const shifts = shiftsFrom(firstShift, ratioBits);
  // Elements that are stored in order are no blocks.
  const mostLevels = inOrder ? Math.max(1, shifts.length - 1) : shifts.length;
  const levels = shifts.slice(0, mostLevels).map((shift): BlockLevel => {
    // Threads of a block: a power of two, whatever an item's size is.
    const most = Math.max(1, Math.min(longSizes.workGroupSize, 2 ** shift / perThread));
    const lanes = 2 ** Math.floor(Math.log2(most));
    return shift >= row.tileShift
      ? {
          shift,
          isLong: true,
          kernels: perArrangement(TWO_BUFFERS, (arrangement) =>
            firstOfTilesKernel(kernelOptions, arrangement, longSizes, lanes),
          ),
          blocks: longSizes.workGroupSize / lanes,
        }
      : {
          shift,
          isLong: false,
          kernels: perArrangement(["items"], () => firstOfBlocksKernel(kernelOptions, shortSizes)),
          blocks: shortSizes.workGroupSize,
        };
  });
  const keyBytes = key.type.bytes === 8 ? 8 : 4;
  // In order, two words for a key stand behind the numbers.
  const takenBytes = (k + (inOrder ? 2 : 0)) * 4;
  const blocks: Blocks = {
    options: kernelOptions,
    k,
    levels,
    vector: levels.some(({ isLong }) => isLong) ? itemsOfVector(type.bytes, longSizes.items) : 1,
    takeSizes,
    inOrder,
    firsts: { name: "first keys of blocks", bytes: room * keyBytes },
    numbers: { name: "numbers of blocks", bytes: takenBytes },
    others: { name: "numbers of blocks, in turn", bytes: takenBytes },
  };
  return inOrder ? takeInOrder(blocks, row.inOrder) : takeInOrderOfData(blocks, facts);
}

/**
 * Plans the selection of the first elements in an order. It takes them by blocks if they are few, else by digits, and sorts what it
 * has taken. The adapter's own tuning does not count.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planTopK(options: TopKOptions, given: DeviceFacts, testing: SelectTesting = {}): Plan {
  const facts = untuned(given);
  const ordered = { ...options, descending: options.smallest !== true };
  const checked = checkedSelection("topK", ordered, facts, testing);
  const { title, type, maxLength, lengthOnGpu } = checked;
  requireChosen(options, title, facts);
  const k = requireWhole(options.k, 1, title, "k");
  const most = Math.min(k, maxLength);
  const taking = takeByBlocks(checked, Math.max(1, most), facts) ?? takeByDigits(checked, k, options, facts);
  const plan = {
    ...common(title, maxLength, type),
    vector: taking.vector,
    needs: rangesTaken({ input: true, output: true, indices: true, length: lengthOnGpu, count: lengthOnGpu }),
    outputLength: (length: number) => Math.min(k, length),
  };
  // The number that is taken.
  const count: Scratch = { name: "number of taken elements", bytes: 4 };
  const taken = lengthOnGpu ? "count" : count;
  if (taking.inOrder) {
    return {
      ...plan,
      kernels: taking.kernels,
      scratch: [count, ...taking.scratch],
      passes: (length, arrangement) =>
        length === 0 && !lengthOnGpu ? [] : withRanges(taking.passes(length, arrangement), { count: taken }),
    };
  }
  const by = {
    descending: ordered.descending,
    ...givenOptions(options, ["key", "params", "keyType", "bits", "passes"]),
  };
  const sort = planSort({ type, ...by, indices: true, maxLength: most, lengthOnGpu }, facts, u32, ["items"]);
  const sizes = moveSizes(title, type, facts);
  const gather = gatherKernel(type, lengthOnGpu, sizes);
  const store = storeTakenKernel(type, lengthOnGpu, sizes);

  // The positions and the items that are taken, in the order of the data; and the positions in the order of the result.
  const positions: Scratch = { name: "positions", bytes: wholeWords(most * 4) };
  const items: Scratch = { name: "items", bytes: wholeWords(most * type.bytes) };
  const sorted: Scratch = { name: "sorted positions", bytes: wholeWords(most * 4) };
  return {
    ...plan,
    kernels: distinct([...taking.kernels, gather, ...sort.kernels, store]),
    scratch: [count, positions, items, sorted, ...sort.scratch, ...taking.scratch],
    ...(taking.spine && { spine: taking.spine }),
    passes(length, arrangement) {
      const wanted = Math.min(k, length);
      if (wanted === 0 && !lengthOnGpu) {
        return [];
      }
      // These passes store how many elements are taken, so they also run if none is.
      const takes = within(taking.passes(length, arrangement), {
        output: positions,
        count: taken,
      });
      if (wanted === 0) {
        return takes;
      }
      const move = (kernel: Kernel, output: Bindable, from: Scratch): Pass =>
        passOver(kernel, wanted, {
          input: "input",
          output,
          indices: "indices",
          positions: from,
          length_buffer: taken,
        });
      return [
        ...takes,
        move(gather, items, positions),
        ...within(sort.passes(wanted, "items"), {
          input: items,
          values: positions,
          output: sorted,
          length: taken,
        }),
        move(store, "output", sorted),
      ];
    },
  };
}

/**
 * Plans the search for one element of the sorted data: digit by digit of its key, and if there are equal keys, of its index. Then
 * one pass over the data stores it.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planNth(options: NthOptions, facts: DeviceFacts, testing: SelectTesting = {}): Plan {
  const selection = planSelection(checkedSelection("nth", options, facts, testing), true, facts);
  const n = requireWhole(options.n, 0, selection.title, "n");
  return {
    ...common(selection.title, selection.maxLength, selection.type),
    vector: selection.vector,
    kernels: distinct(selection.kernels),
    scratch: selection.scratch,
    needs: rangesTaken({ input: true, output: true, indices: true, length: options.lengthOnGpu }),
    outputLength: (length) => Math.min(1, length),
    passes(length, arrangement) {
      if (length === 0) {
        return [];
      }
      return [
        ...selection.passes(length, Math.min(n + 1, 0xffffffff), arrangement),
        passOver(selection.find(arrangement), length, {
          input: "input",
          output: "output",
          selection: selection.state,
          indices: "indices",
          length_buffer: "length",
        }),
      ];
    },
  };
}
