import type { ByKind } from "../adapters/adapter.ts";
import { tableFor, traitsOf } from "../adapters/adapter.ts";
import { select as gpu } from "../adapters/gpu.ts";
import { select as nvidia } from "../adapters/nvidia.ts";
import { select as software } from "../adapters/software.ts";
import type { SelectRow } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { itemsOfVector } from "../kernels/contract.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { bindingOf } from "../kernels/kernel.ts";
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
  selectBindingOf,
  storeTakenKernel,
  takeBlocksKernel,
  takeFirstKernel,
} from "../kernels/select.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { gatherKernel } from "../kernels/sort.ts";
import { digitsOf } from "../kernels/sort_key.ts";
import { requireChosen } from "./check_tuning_options.ts";
import { requireFeature, requireMaxLength } from "./choose_sizes.ts";
import { planCompact } from "./compact.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { moveSizes } from "./gather.ts";
import type { Methods } from "./methods.ts";
import { plainSizes, ungrouped } from "./one_dispatch_plan.ts";
import type { TuningOptions } from "./options.ts";
import type { Pass, Plan, RangeName, Slot } from "./plan.ts";
import { bound, distinct, itemBytesOf, perArrangement, wholeWords } from "./plan.ts";
import { planSort, untuned } from "./sort.ts";
import type { SortKeyOptions } from "./sort_key.ts";
import { requireBits, requireKey, requireWhole } from "./sort_key.ts";

// Selections: they find the elements that a sort would put first, or one of them, and do not sort the others.

/** Options that all recorded selections have. */
interface SelectOptions<Name extends string> {
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

const tables: ByKind<SelectRow> = { software, nvidia, gpu };

/** The most bytes of the items that a thread holds at a time. */
const THREAD_BYTES = 64;

/** The options of a selection of the first elements of each row. */
export interface TopKRowsOptions<Name extends string = string> extends TopKOptions<Name> {
  /** Takes elements of each row. A recording gives `rows`, the items of a row. */
  readonly segments: "rows";
  /** The most items of a row. The default is `maxLength`. */
  readonly maxSegmentLength?: number;
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
  /** Bytes of its scratch: {@link STATE}, then {@link BINS}. They come first in the plan. */
  readonly scratch: readonly number[];
  /** Items of a vector, and the items of a tile of its kernels. */
  readonly vector: number;
  readonly tile: number;
  /** The kernel that stores the one element that is left. */
  find(arrangement: Arrangement): Kernel;
  /** The passes that find out which elements are the first `wanted`. */
  passes(length: number, wanted: number, arrangement: Arrangement): readonly Pass[];
}

const ARRANGEMENTS = ["vectors", "items"] as const;

/** The scratch for what the passes have found out so far, and for the counts of one digit. */
const STATE: Slot = { scratch: 0 };
const BINS: Slot = { scratch: 1 };

/** Checks the options that all selections have, and returns the key, the sizes and the facts that they lead to. */
function checkedSelection(
  name: string,
  options: SelectOptions<string> & SortKeyOptions,
  facts: DeviceFacts,
  testing: SelectTesting,
) {
  const type = requireType(options.type, name);
  const title = `${name}<${type.name}>`;
  const key = requireKey(options, type, title);
  const range = requireBits(options.bits, key, title);
  requireFeature(type, title, facts);
  requireFeature(key.type, title, facts);
  const { limits } = facts;
  const maxLength = requireMaxLength(title, options.maxLength, Math.max(type.bytes, 4), limits);
  const row: SelectRow = { ...tableFor(tables, facts), ...testing };
  /** The most threads of a work-group. */
  const most = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  return { type, title, key, range, maxLength, row, most };
}

/** Plans a selection by digits. `single` says whether one element is looked for, or all up to it. */
function planSelection(
  name: string,
  options: SelectOptions<string> & SortKeyOptions,
  single: boolean,
  facts: DeviceFacts,
  { algorithms }: Methods,
  testing: SelectTesting,
): Selection {
  const { limits } = facts;
  const { lengthOnGpu = false } = options;
  const { type, title, key, range, maxLength, row, most } = checkedSelection(name, options, facts, testing);
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
    algorithms.blelloch.sources({ sizes: digitSizes, subgroupIds: facts.subgroupIds }),
  );
  const counts = perArrangement(ARRANGEMENTS, (one) => countLeftKernel(own, one, sizes, copies));
  const finds = single ? perArrangement(ARRANGEMENTS, (one) => findKernel(own, one, sizes)) : undefined;
  const tile = sizes.workGroupSize * sizes.items;
  const slots = (kernel: Kernel): Pass["slots"] =>
    bound(kernel, [
      [bindingOf.input, "input"],
      [bindingOf.flags, STATE],
      [bindingOf.bins, BINS],
      [bindingOf.length, "length"],
    ]);
  return {
    title,
    type,
    maxLength,
    options: own,
    kernels: [begin, choose, ...counts.all, ...(finds?.all ?? [])],
    scratch: [SELECTION_BYTES, radix * 4],
    vector: itemsOfVector(type.bytes, sizes.items),
    tile,
    find: (arrangement) => (finds as NonNullable<typeof finds>).of(arrangement),
    passes(length, wanted, arrangement) {
      const count = counts.of(arrangement);
      const tiles = Math.min(row.workGroups, Math.ceil(length / tile));
      const narrowing = Array.from({ length: digits.count + indexDigits }, (_, at): Pass[] => {
        const params = { digit: digits.count + indexDigits - 1 - at };
        return [
          { kernel: count, slots: slots(count), length, tiles, params },
          { kernel: choose, slots: slots(choose), length, tiles: 1, params },
        ];
      });
      return [
        { kernel: begin, slots: slots(begin), length, tiles: 1, params: { wanted } },
        ...narrowing.flat(),
      ];
    },
  };
}

/** What plans of selections have in common. */
export const common = (title: string, maxLength: number, type: ElementType) => ({
  title,
  maxLength,
  itemBytes: itemBytesOf(type.bytes, type.bytes),
  baseNames: { [bindingOf.length]: "length_base", [selectBindingOf.indices]: "reordered_base" },
  indirectWords: 0,
  variants: ARRANGEMENTS.map((arrangement) => ({ arrangement })),
  groupingOf: ungrouped(title),
});

/** The passes of a plan inside another plan: its scratch gets higher numbers, and its ranges other names. */
const renamed = (
  passes: readonly Pass[],
  scratch: number,
  named: Readonly<Partial<Record<RangeName, Slot>>>,
): readonly Pass[] =>
  passes.map((pass) => ({
    ...pass,
    slots: new Map(
      [...pass.slots].map(([binding, slot]) => [
        binding,
        typeof slot === "object" ? { scratch: scratch + slot.scratch } : (named[slot] ?? slot),
      ]),
    ),
  }));

/** The same for passes whose items count from 0. */
const within = (...given: Parameters<typeof renamed>): readonly Pass[] =>
  renamed(...given).map((pass) => ({ ...pass, params: { ...pass.params, first_index: 0 } }));

/** How the first elements in an order are taken, as a part of a plan. */
interface Taking {
  readonly kernels: readonly Kernel[];
  readonly scratch: readonly number[];
  readonly eagerScratch: number;
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
  options: TopKOptions,
  k: number,
  facts: DeviceFacts,
  methods: Methods,
  testing: SelectTesting,
): Taking {
  const selection = planSelection("topK", options, false, facts, methods, testing);
  const { type, maxLength } = selection;
  const { lengthOnGpu = false, passes } = options;
  const keep = planCompact(
    { type, indices: true, maxLength, lengthOnGpu, ...(passes !== undefined && { passes }) },
    facts,
    methods,
    ARRANGEMENTS,
    {},
    undefined,
    keepTakenSources(selection.options),
  );
  const first = selection.scratch.length;
  return {
    kernels: [...selection.kernels, ...keep.kernels],
    scratch: [...selection.scratch, ...keep.scratch],
    eagerScratch: first + keep.eagerScratch,
    ...(keep.spine && { spine: { ...keep.spine, scratch: first + keep.spine.scratch } }),
    vector: Math.max(selection.vector, keep.vector),
    inOrder: false,
    passes: (length, arrangement) => [
      ...selection.passes(length, k, arrangement),
      ...within(keep.passes(length, arrangement), first, { flags: STATE }),
    ],
  };
}

/**
 * Takes few elements: the blocks that have them, shorter blocks of these, and so on. It is undefined if they are too many for one
 * work-group to choose from. The bindings have the names that {@link takeByDigits} has.
 */
function takeByBlocks(
  options: TopKOptions,
  k: number,
  facts: DeviceFacts,
  { algorithms }: Methods,
  testing: SelectTesting,
): Taking | undefined {
  const { lengthOnGpu = false } = options;
  const { title, type, key, range, maxLength, row, most } = checkedSelection("topK", options, facts, testing);
  const threads = 2 ** Math.floor(Math.log2(Math.min(row.threads, most)));
  const items = row.blocks / row.threads;
  const room = threads * items;
  const ratioBits = Math.floor(Math.log2(room / k));
  if (ratioBits < 2) {
    return undefined;
  }
  const firstShift = Math.max(0, Math.ceil(Math.log2(Math.max(1, maxLength))) - Math.log2(room));
  const own: BlockKernelOptions = {
    type,
    key,
    digits: digitsOf(range, Math.min(8, Math.log2(threads))),
    firstShift,
    ratioBits,
    lengthOnGpu,
  };
  const plain = (workGroupSize: number, items: number): Sizes => ({
    ...plainSizes({ workGroupSize, items }, title, type, {}, facts),
    unrolled: traitsOf(facts).unrollsLong,
  });
  const perThread = Math.max(1, Math.min(row.items, Math.floor(THREAD_BYTES / type.bytes)));
  const shortSizes = plain(64, Math.min(8, perThread));
  const longSizes = plain(row.workGroupSize, perThread);
  const takeSizes = plain(threads, items);
  const inOrder = k <= row.inOrder;
  // The first keys of blocks, and the numbers of blocks that were taken. These take turns with the positions.
  const firsts: Slot = { scratch: 0 };
  const numbers: Slot = { scratch: 1 };
  const shifts = [firstShift];
  for (let at = firstShift; at > 0; ) {
    at -= Math.min(at, ratioBits);
    shifts.push(at);
  }
  // Elements that are stored in order are no blocks.
  const turns = inOrder ? Math.max(1, shifts.length - 1) : shifts.length;
  const levels = shifts.slice(0, turns).map((shift) => {
    // Threads of a block: a power of two, whatever an item's size is.
    const threads = Math.max(1, Math.min(longSizes.workGroupSize, 2 ** shift / perThread));
    const lanes = 2 ** Math.floor(Math.log2(threads));
    const isLong = shift >= row.tileShift;
    const kernels = isLong
      ? perArrangement(ARRANGEMENTS, (one) => firstOfTilesKernel(own, one, longSizes, lanes))
      : perArrangement(["items"], () => firstOfBlocksKernel(own, shortSizes));
    const blocks = isLong ? longSizes.workGroupSize / lanes : shortSizes.workGroupSize;
    return { shift, isLong, kernels, blocks };
  });
  const isLong = levels.some((level) => level.isLong);
  const vector = isLong ? itemsOfVector(type.bytes, longSizes.items) : 1;
  const finds = inOrder && firstShift === 0 ? [] : levels.flatMap(({ kernels }) => kernels.all);
  const keyBytes = key.type.bytes === 8 ? 8 : 4;
  /** The passes that find the first keys of each level's blocks, and those that take blocks by them. */
  const passesOf = (
    length: number,
    arrangement: Arrangement,
    takes: (at: number) => Pass,
  ): readonly Pass[] => {
    let blocks = Math.ceil(length / 2 ** firstShift);
    return levels.flatMap((level, at): readonly Pass[] => {
      const { shift, kernels } = level;
      blocks = at === 0 ? blocks : Math.min(blocks, k) * 2 ** ((shifts[at - 1] as number) - shift);
      const kernel = kernels.of(level.isLong ? arrangement : "items");
      const tiles = Math.ceil(blocks / level.blocks);
      return [
        { kernel, slots: slotsOf(kernel, at), length, tiles, params: { digit: shift, wanted: k } },
        takes(at),
      ];
    });
  };
  /** What is bound at a level. The last one leaves the positions. */
  const slotsOf = (of: Kernel, at: number): Pass["slots"] => {
    const other: Slot = inOrder ? { scratch: 2 } : "output";
    const [into, from]: readonly Slot[] = (turns - at) % 2 === 1 ? [other, numbers] : [numbers, other];
    return bound(of, [
      [bindingOf.input, "input"],
      [bindingOf.spine, firsts],
      [bindingOf.count, "count"],
      [bindingOf.length, "length"],
      [selectBindingOf.positions, from as Slot],
      [selectBindingOf.indices, into as Slot],
    ]);
  };

  if (inOrder) {
    const choose = levels.length > 1 ? chooseFirstBlocksKernel(own, row.inOrder, takeSizes) : undefined;
    const take = takeFirstKernel(own, row.inOrder, takeSizes);
    // Behind the numbers are two words for a key.
    const bytes = [room * keyBytes, (k + 2) * 4, (k + 2) * 4];
    const held = levels.length > 1 ? 3 : 2;
    return {
      kernels: distinct([...finds, choose, take]),
      scratch: firstShift === 0 ? [] : bytes.slice(0, held),
      eagerScratch: firstShift === 0 ? 0 : held,
      vector,
      inOrder,
      passes(length, arrangement) {
        const last = levels.length - 1;
        const takes = (at: number): Pass => {
          const kernel = at === last ? take : (choose as Kernel);
          const slots = slotsOf(kernel, at);
          return {
            kernel,
            slots:
              at === last
                ? new Map([
                    ...slots,
                    ...bound(take, [
                      [bindingOf.output, "output"],
                      [selectBindingOf.indices, "indices"],
                    ]),
                  ])
                : slots,
            length,
            tiles: 1,
            params: { digit: (levels[at] as { shift: number }).shift, wanted: k },
          };
        };
        return firstShift === 0 ? [takes(0)] : passesOf(length, arrangement, takes);
      },
    };
  }

  const take = takeBlocksKernel(
    own,
    takeSizes,
    algorithms["hillis-steele"].sources({ sizes: takeSizes, subgroupIds: facts.subgroupIds }),
  );
  return {
    kernels: distinct([...finds, take]),
    scratch: [room * keyBytes, k * 4],
    eagerScratch: 2,
    vector,
    inOrder,
    passes: (length, arrangement) =>
      passesOf(length, arrangement, (at) => ({
        kernel: take,
        slots: slotsOf(take, at),
        length,
        tiles: 1,
        params: { digit: shifts[at] as number, wanted: k },
      })),
  };
}

/**
 * Plans the selection of the first elements in an order. It takes them by blocks if they are few, else by digits, and sorts what it
 * has taken. The adapter's own tuning does not count.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planTopK(
  options: TopKOptions,
  given: DeviceFacts,
  methods: Methods,
  testing: SelectTesting = {},
): Plan {
  const facts = untuned(given);
  const { lengthOnGpu = false, passes, smallest, key, keyType, bits } = options;
  const ordered = { ...options, descending: smallest !== true };
  const { title, type, maxLength } = checkedSelection("topK", ordered, facts, testing);
  requireChosen(options, title, facts);
  const k = requireWhole(options.k, 1, title, "k");
  const most = Math.min(k, maxLength);
  const taking =
    takeByBlocks(ordered, Math.max(1, most), facts, methods, testing) ??
    takeByDigits(ordered, k, facts, methods, testing);
  const plan = {
    ...common(title, maxLength, type),
    vector: taking.vector,
    needs: new Set([
      "input",
      "output",
      "indices",
      ...(lengthOnGpu ? (["length", "count"] as const) : []),
    ] as const),
    outputLength: (length: number) => Math.min(k, length),
  };
  // The number that is taken.
  const count: Slot = { scratch: 0 };
  const taken = lengthOnGpu ? "count" : count;
  if (taking.inOrder) {
    return {
      ...plan,
      kernels: taking.kernels,
      scratch: [4, ...taking.scratch],
      eagerScratch: 1 + taking.eagerScratch,
      passes: (length, arrangement) =>
        length === 0 && !lengthOnGpu ? [] : renamed(taking.passes(length, arrangement), 1, { count: taken }),
    };
  }
  const by = {
    descending: ordered.descending,
    ...(key !== undefined && { key }),
    ...(keyType && { keyType }),
    ...(bits && { bits }),
    ...(passes !== undefined && { passes }),
  };
  const sort = planSort({ type, ...by, indices: true, maxLength: most, lengthOnGpu }, facts, methods, u32, [
    "items",
  ]);
  const sizes = moveSizes(title, type, facts);
  const gather = gatherKernel(type, lengthOnGpu, sizes);
  const store = storeTakenKernel(type, lengthOnGpu, sizes);

  // The positions and the items that are taken, in the order of the data; and the positions in the order of the result.
  const positions: Slot = { scratch: 1 };
  const items: Slot = { scratch: 2 };
  const sorted: Slot = { scratch: 3 };
  const scratch = [4, wholeWords(most * 4), wholeWords(most * type.bytes), wholeWords(most * 4)];
  const sortScratch = scratch.length;
  const takeScratch = sortScratch + sort.scratch.length;
  return {
    ...plan,
    kernels: distinct([...taking.kernels, gather, ...sort.kernels, store]),
    scratch: [...scratch, ...sort.scratch, ...taking.scratch],
    eagerScratch: takeScratch + taking.eagerScratch,
    ...(taking.spine && { spine: { ...taking.spine, scratch: takeScratch + taking.spine.scratch } }),
    passes(length, arrangement) {
      const wanted = Math.min(k, length);
      if (wanted === 0 && !lengthOnGpu) {
        return [];
      }
      // These passes store how many elements are taken, so they also run if none is.
      const takes = within(taking.passes(length, arrangement), takeScratch, {
        output: positions,
        count: taken,
      });
      if (wanted === 0) {
        return takes;
      }
      const move = (kernel: Kernel, output: Slot, from: Slot): Pass => ({
        kernel,
        slots: bound(kernel, [
          [bindingOf.input, "input"],
          [bindingOf.output, output],
          [selectBindingOf.indices, "indices"],
          [selectBindingOf.positions, from],
          [bindingOf.length, taken],
        ]),
        length: wanted,
        tiles: Math.ceil(wanted / (sizes.workGroupSize * sizes.items)),
      });
      return [
        ...takes,
        move(gather, items, positions),
        ...within(sort.passes(wanted, "items"), sortScratch, {
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
export function planNth(
  options: NthOptions,
  facts: DeviceFacts,
  methods: Methods,
  testing: SelectTesting = {},
): Plan {
  const selection = planSelection("nth", options, true, facts, methods, testing);
  const n = requireWhole(options.n, 0, selection.title, "n");
  return {
    ...common(selection.title, selection.maxLength, selection.type),
    vector: selection.vector,
    kernels: distinct(selection.kernels),
    scratch: selection.scratch,
    eagerScratch: selection.scratch.length,
    needs: new Set([
      "input",
      "output",
      "indices",
      ...(options.lengthOnGpu ? (["length"] as const) : []),
    ] as const),
    outputLength: (length) => Math.min(1, length),
    passes(length, arrangement) {
      if (length === 0) {
        return [];
      }
      const find = selection.find(arrangement);
      return [
        ...selection.passes(length, Math.min(n + 1, 0xffffffff), arrangement),
        {
          kernel: find,
          slots: bound(find, [
            [bindingOf.input, "input"],
            [bindingOf.output, "output"],
            [bindingOf.flags, STATE],
            [selectBindingOf.indices, "indices"],
            [bindingOf.length, "length"],
          ]),
          length,
          tiles: Math.ceil(length / selection.tile),
        },
      ];
    },
  };
}
