import type { ElementType } from "../algebra/types.ts";
import type { Constants } from "../text/module.ts";
import type { Algorithm } from "./algorithms.ts";
import { algorithms, memoryOf, subgroupSlots } from "./algorithms.ts";
import type { Sizes } from "./sizes.ts";
import type { Digits, SortKey } from "./sort_key.ts";
import { digitConstants, wordsPerKey } from "./sort_key.ts";
import type { TileSources } from "./tiles.ts";

// A tile of a sort: how its items are ranked, and how they go through work-group memory.

/** What moves with the keys: nothing; values from a buffer, each of `words` words; or the positions of the items. */
export type Payload =
  | { readonly kind: "none" }
  | { readonly kind: "buffer"; readonly words: 1 | 2 }
  | { readonly kind: "positions" };

/** How a tile's items are ranked, and the sizes of a kernel. */
export interface SortShape {
  readonly sizes: Sizes;
  readonly algorithm: Algorithm;
  /** Whether subgroups vote; else each thread has counters. */
  readonly byVotes: boolean;
  readonly sources: TileSources;
}

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
  /** Whether words alone are ranked by the order in which they arrive at counters. Votes come only where it is wrong. */
  readonly byArrival?: boolean;
  /** Whether other items are ranked by that order, too, if subgroups can vote. Marks show where it is wrong. */
  readonly byMarks?: boolean;
  /** The bits of a digit that have the number of a segment in its tile. The default is 0. */
  readonly slotBits?: number;
}

/** The constants of a sort, by their names in shaders. */
export const constantsOf = (options: SortKernelOptions): Constants => {
  const { digits, shape } = options;
  const parts = partsOf(options);
  return {
    ...digitConstants(digits),
    MEMORY: sharedWords(options),
    ...spinePlaces(digits),
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

export const wordsOf = (payload: Payload): number => (payload.kind === "buffer" ? payload.words : 1);

/** Words of what a pass moves. */
export const itemWords = ({
  type,
  key,
  keysAlone,
}: Pick<SortKernelOptions, "type" | "key" | "keysAlone">): 1 | 2 =>
  keysAlone ? wordsPerKey(key.type) : type.bytes === 8 ? 2 : 1;

/** Whether items or values have two words each. */
export const movesPairs = (
  options: Pick<SortKernelOptions, "type" | "key" | "keysAlone" | "payload">,
): boolean => itemWords(options) === 2 || wordsOf(options.payload) === 2;

/** Whether items go through memory of their own, since WGSL has no bits of theirs that are sure to stay the same. */
export const areHalves = ({ type, keysAlone }: Pick<SortKernelOptions, "type" | "keysAlone">): boolean =>
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

/** What says how the items of a tile are ranked. */
type Ranked = Pick<SortKernelOptions, "type" | "keysAlone" | "payload" | "byArrival" | "byMarks"> & {
  readonly digits: Pick<Digits, "from" | "bits">;
  readonly shape: Pick<SortShape, "byVotes">;
};

/**
 * Whether passes rank by the order in which items arrive. It takes words alone that are sorted by all their bits: nobody sees the
 * order of those that are equal, and a tile that is in order by them is right.
 */
export const isByArrival = ({
  type,
  keysAlone,
  payload,
  digits,
  shape,
  byArrival = false,
}: Ranked): boolean =>
  byArrival &&
  shape.byVotes &&
  payload.kind === "none" &&
  !keysAlone &&
  type.bytes === 4 &&
  digits.from === 0 &&
  digits.bits === 32;

/** Whether passes rank other items by the order in which they arrive, and look at marks, if a tile has no more than {@link MOST_MARKED}. */
export const takesMarks = (options: Ranked): boolean =>
  options.byMarks === true &&
  options.shape.byVotes &&
  !isByArrival(options) &&
  // Items of f16 have memory of their own beside the marks: H200, with u32, 2^24, 425 µs, and by votes 362.
  !areHalves(options);

export const isByMarks = (options: SortKernelOptions): boolean =>
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
