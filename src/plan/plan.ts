import { u32 } from "../algebra/integers.ts";
import type { DeclaredParams } from "../algebra/seen_params.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import { LimitError } from "../errors.ts";
import type { Arrangement, InitialBytes, Kernel } from "../kernels/kernel.ts";
import type { Limits } from "./device_facts.ts";
import type { Grouping } from "./grouping.ts";
import type { LookedUpName, LookedUpRange } from "./looked_up_range.ts";

/** The lists of ranges that a recording may give. */
export type ListName = "values" | "reordered" | "thenBy" | "thenOutput";

/** The caller's ranges. The name of one in a list has its place there. */
export type RangeName =
  | "input"
  | "output"
  | "flags"
  | "count"
  | "counts"
  | "length"
  | "indirect"
  | "initial"
  | "total"
  | "heads"
  | "keys"
  | "offsets"
  | "begins"
  | "ends"
  | "unique"
  | "weights"
  | "y"
  | "reordered"
  | "positions"
  | "indices"
  | "rest"
  | "otherValues"
  | "ranks"
  | "inverse"
  | "k"
  | "outputOffsets"
  | "params"
  | "thenBy"
  | "thenOutput"
  | LookedUpName
  | `${LookedUpName}Count`
  | `${ListName}[${number}]`
  | `with.${string}`;

/** The ranges that are written, and lists of such ranges. */
export const WRITTEN: readonly string[] = [
  "output",
  "count",
  "indirect",
  "total",
  "unique",
  "reordered",
  "thenOutput",
  "indices",
  "ranks",
  "inverse",
  "rest",
  "outputOffsets",
] satisfies readonly RangeName[];

/** The types of the items of ranges. In all others, such as flags, counts and lengths, items are u32. */
export type ItemTypes = Readonly<
  Record<"input" | "output", ElementType> & Partial<Record<RangeName, ElementType>>
>;

/** The types of the items of each range that does not always hold u32. */
export const itemTypesOf = (input: ElementType, output: ElementType, key: ElementType = u32): ItemTypes => ({
  input,
  output,
  initial: output,
  total: output,
  keys: key,
  unique: key,
});

/** Bytes of an item of a range. */
export const itemBytesOf = ({ itemTypes }: Pick<Plan, "itemTypes">, name: RangeName): number =>
  (itemTypes[name] ?? u32).bytes;

/** A buffer of a plan. Each plan has its own, and passes bind it by this object. */
export interface Scratch {
  /** What it holds: for labels, and for people. */
  readonly name: string;
  readonly bytes: number;
  /** What it holds from the start, if kernels do not write it. */
  readonly filled?: Uint32Array;
  /** Whether it is made when a recording first needs it. All others are made with the plan. */
  readonly late?: boolean;
  /** Bytes of an item, if kernels may take its items as vectors. */
  readonly itemBytes?: number;
}

/** What a pass binds to a variable: one of the caller's ranges, or scratch. */
export type Bindable = RangeName | Scratch;

/** What a pass may bind, by the names of the variables in WGSL. A kernel that does not declare a variable leaves it out. */
export type Bindings = Readonly<Record<string, Bindable>>;

/** One dispatch. */
export interface Pass {
  readonly kernel: Kernel;
  /**
   * What is bound, by the names of the kernel's variables. The executor adds the parameters, the ends of ranges that are bound as vectors,
   * and the digits of the run number.
   */
  readonly bindings: Bindings;
  /** Items that the kernel reads: `call.length`. */
  readonly length: number;
  /** How many work-groups are dispatched. */
  readonly tiles: number;
  /** The scratch that holds the arguments of the dispatch, if a pass before counts the work-groups on the GPU. */
  readonly counted?: Scratch;
  /** Parameters of its own. */
  readonly params?: PassParams;
}

/** Parameters of segments, rows, columns, sorts and selections. shaders/contract.wgsl explains each. */
export interface PassParams {
  /** For passes on scratch, whose items count from 0. */
  readonly first_index?: number;
  /** The entries of the spine, if they differ from those of the plan's spine. */
  readonly spine_entries?: number;
  readonly counted_grid_width?: number;
  readonly segment_count?: number;
  readonly room?: number;
  /** The columns of a matrix, which each recording gives. */
  readonly columns?: number;
  readonly chunk_rows?: number;
  readonly row_length?: number;
  readonly tile_items?: number;
  readonly row_tiles?: number;
  readonly digit?: number;
  readonly k?: number;
  readonly block_shift?: number;
  readonly limit_place?: number;
  readonly row_chunks?: number;
  readonly stored_per_chunk?: number;
  /** The items of the range that a plan looks things up in. */
  readonly sorted_length?: number;
  /**
   * The rows that a thread takes at a time, if work-groups take blocks of columns. Only {@link Plan.groupingOf} reads it, and no kernel.
   */
  readonly run_rows?: number;
}

/** One of the variants of a plan. All do the same, each for ranges in one arrangement. */
export interface Variant {
  readonly arrangement: Arrangement;
  /** Whether results go to scratch, and from there to the output by a dispatch of their own. */
  readonly aside?: boolean;
  /** Whether it takes only an input and an output that have no byte in common. */
  readonly apart?: boolean;
}

/** The numbers that a recording of segments takes. */
export type SegmentNumber = "rows" | "columns" | "segmentCount" | "outputLength";

/** The parameters of a recording of segments. */
export type SegmentCounts = Pick<PassParams, "columns" | "row_length" | "segment_count" | "room">;

/** What the ranges of a recording of segments hold. */
export interface SegmentRanges {
  /** The numbers that a recording takes. */
  readonly numbers: readonly SegmentNumber[];
  /** Whether the output has the segments' totals. */
  readonly reduces: boolean;
  /** Words of the range `heads`, for `length` items. */
  headsOf(length: number): number;
  /** The numbers that a recording takes, checked. @throws {ArgumentError} */
  countsOf(
    given: Readonly<Partial<Record<SegmentNumber, unknown>>>,
    length: number,
    plan: Plan,
  ): SegmentCounts;
}

/** What is the same for every length: the kernels to compile, the scratch to make, and how dispatches follow from a length. */
export interface Plan {
  /** `scan<u32, add>`: for messages and labels. */
  readonly title: string;
  readonly maxLength: number;
  /** All kernels that `passes` may use. */
  readonly kernels: readonly Kernel[];
  /** All buffers that passes bind beside the caller's ranges. */
  readonly scratch: readonly Scratch[];
  /** The spine of single-pass kernels, and how many entries it has. */
  readonly spine?: { readonly scratch: Scratch; readonly entries: number };
  /** For an initial value, if a recording takes one. */
  readonly initial?: InitialBytes;
  /** For segments, what their ranges hold. */
  readonly segments?: SegmentRanges;
  /** The values that its texts name, which each recording gives. */
  readonly textParams?: DeclaredParams;
  /** The ranges that a recording takes. */
  readonly needs: ReadonlySet<RangeName>;
  /** Ranges that are others, which recordings give once. */
  readonly sameAs?: Readonly<Partial<Record<RangeName, RangeName>>>;
  /** The ranges that it writes, beside those that no plan reads. */
  readonly writes?: readonly RangeName[];
  /** The types of the items of the caller's ranges. */
  readonly itemTypes: ItemTypes;
  /** The range that kernels look things up in, such as sorted items that are searched, if there is one. Its length is not that of the recording. */
  readonly lookedUp?: LookedUpRange;
  /** Why the output must be apart from the input, if input and output have items of one size and it must. */
  readonly apart?: string;
  /** The ranges whose items share words. They start at a word. */
  readonly packed?: ReadonlySet<RangeName>;
  /** Words of the range `indirect`. The default is 0. */
  readonly indirectWords?: number;
  /** Words of the range `count`. The default is 1. */
  readonly countWords?: number;
  /** Whether the output has as many items as the input, though the plan counts some of them. */
  readonly storesAll?: boolean;
  /** How many items a vector has. If {@link vectorRanges} all start at a vector, they can be loaded and stored as vectors. */
  readonly vector: number;
  /** The ranges that kernels take as vectors, if these are not the input and the output. */
  readonly vectorRanges?: readonly RangeName[];
  /** Whether kernels take vectors only if the length is a multiple of {@link vector}. */
  readonly wholeVectors?: boolean | undefined;
  /** Items that the output must hold for a length, with the parameters of the recording. */
  outputLength(length: number, params?: PassParams): number;
  /** The variants, in order of preference. A recording takes the first one whose dispatches can bind its ranges. */
  readonly variants: readonly Variant[];
  /** The sizes of its tiles, for a plan without an order of operations. */
  readonly sizes?: Pick<Grouping, "workGroupSize" | "itemsPerThread">;
  /** The order of operations for ranges in this arrangement, and the parameters of the first pass. */
  groupingOf(arrangement: Arrangement, params?: PassParams): Grouping;
  /**
   * The dispatches for a length up to maxLength. `aside` is {@link Variant.aside}, and `params` are the parameters of the
   * recording.
   */
  passes(length: number, arrangement: Arrangement, aside?: boolean, params?: PassParams): readonly Pass[];
}

/** How the caller's ranges may lie in their buffers. A plan has kernels for each of them. */
export const ALL_ARRANGEMENTS = [
  "vectors",
  "items",
  "one-buffer",
  "in-place",
] as const satisfies readonly Arrangement[];

/** How ranges of two buffers may lie. */
export const TWO_BUFFERS = ["vectors", "items"] as const satisfies readonly Arrangement[];

/** Makes something for each arrangement that a plan is made for. */
export function perArrangement<T>(
  arrangements: readonly Arrangement[],
  make: (arrangement: Arrangement) => T,
): { all: readonly T[]; of(arrangement: Arrangement): T } {
  const made = new Map(arrangements.map((arrangement) => [arrangement, make(arrangement)]));
  return {
    all: [...made.values()],
    of(arrangement) {
      const one = made.get(arrangement);
      if (one === undefined) {
        throw new Error(`the plan has no kernel: ${arrangement}`);
      }
      return one;
    },
  };
}

/** The kernels, without those that have the same text as another one. */
export const distinct = (kernels: readonly (Kernel | undefined)[]): Kernel[] => [
  ...new Map(
    kernels.filter((kernel) => kernel !== undefined).map((kernel) => [kernel.code, kernel]),
  ).values(),
];

/** Only what a kernel declares. */
export const bound = (kernel: Kernel, bindings: Bindings): Bindings =>
  Object.fromEntries(Object.entries(bindings).filter(([variable]) => kernel.bindings.has(variable)));

/** The ranges that a recording of a plan gives: those that have a value here, and others. */
export const rangesTaken = (
  named: Readonly<Partial<Record<RangeName, boolean | object | undefined>>>,
  others: readonly RangeName[] = [],
): ReadonlySet<RangeName> =>
  new Set([...(Object.keys(named) as RangeName[]).filter((name) => named[name]), ...others]);

/** A plan whose texts see the params that its options name. */
export const withTextParams = (plan: Plan, options: { readonly params?: unknown }): Plan => {
  const textParams = paramsIn(options);
  return textParams ? { ...plan, textParams } : plan;
};

/** A pass that binds other buffers. */
export const rebound = (pass: Pass, place: (from: Bindable) => Bindable): Pass => ({
  ...pass,
  bindings: Object.fromEntries(
    Object.entries(pass.bindings).map(([variable, from]) => [variable, place(from)]),
  ),
});

/** The passes of a plan inside another plan, where its ranges are other ranges or scratch. `params` override those of the passes. */
export const withRanges = (
  passes: readonly Pass[],
  ranges: Readonly<Partial<Record<RangeName, Bindable>>>,
  params?: PassParams,
): readonly Pass[] =>
  passes.map((pass) => ({
    ...rebound(pass, (from) => (typeof from === "object" ? from : (ranges[from] ?? from))),
    ...((params ?? pass.params) && { params: { ...pass.params, ...params } }),
  }));

/** Bytes of a buffer or a binding that holds at least `bytes` bytes: a multiple of 4, and never 0. */
export const wholeWords = (bytes: number): number => Math.max(4, Math.ceil(bytes / 4) * 4);

/** Bytes of a buffer that holds `length` items, rounded up to whole vectors. */
export const paddedBytes = (length: number, itemBytes: number, vector: number): number =>
  wholeWords(Math.ceil(length / vector) * vector * itemBytes);

/** Bytes of a range of `length` items. If it is bound as vectors, these are whole vectors; otherwise it ends with its last item. */
export const rangeBytes = (length: number, itemBytes: number, vector: number): number =>
  vector === 1 ? length * itemBytes : paddedBytes(length, itemBytes, vector);

/** How many executions one spine serves before it is replaced. Each has a run number, which goes into the entries. */
export const RUNS = 4095;

/**
 * The number of items at each level of the spine: tiles of the input, tiles of those, and so on
 * until one tile holds a whole level. An input of one tile has no spine.
 */
export function spineLengths(length: number, tile: number): number[] {
  const lengths: number[] = [];
  for (let items = Math.ceil(length / tile); items > 1; items = Math.ceil(items / tile)) {
    lengths.push(items);
  }
  return lengths;
}

/** The size of a dispatch of `tiles` work-groups, in rows that stay within the device's limit. There is one at least, which may have a count to store. */
export function gridOf(tiles: number, limits: Limits, title: string): { width: number; height: number } {
  const most = limits.maxComputeWorkgroupsPerDimension;
  const height = Math.max(1, Math.ceil(tiles / most));
  if (height > most) {
    throw new LimitError(
      `${title} needs ${tiles} work-groups, and the device's limit is ${most} × ${most}`,
      tiles,
      most * most,
    );
  }
  return { width: Math.max(1, Math.ceil(tiles / height)), height };
}
