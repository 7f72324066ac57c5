import { u32 } from "../algebra/integers.ts";
import type { Monoid } from "../algebra/monoid.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import { paramsIn } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { TileShape } from "../kernels/algorithms.ts";
import type { ClassKernels, Indirect, Parted, Selector } from "../kernels/compact.ts";
import { compactKernel, countKernel, readsNoItems, topOfCountsKernel } from "../kernels/compact.ts";
import { carriedAs } from "../kernels/contract.ts";
import type { Arrangement, Kernel, KernelOptions } from "../kernels/kernel.ts";
import { isWide, packedUnless } from "../kernels/kernel.ts";
import { copyKernel } from "../kernels/move_items.ts";
import { byClass, inTwo, withRest } from "../kernels/partition.ts";
import { requireOptions } from "../options.ts";
import { requireCode } from "../text/callers.ts";
import type { Source } from "../text/source.ts";
import { chooseSizes, requireMaxLength, twoPassRowOf } from "./choose_sizes.ts";
import type { MapOptions } from "./map.ts";
import { mapOf } from "./map.ts";
import type { ParamsOption, SoonOption, TuningOptions } from "./options.ts";
import { passOver } from "./plain_plan.ts";
import type { Bindings, Pass, Plan, RangeName, Scratch, Variant } from "./plan.ts";
import {
  ALL_ARRANGEMENTS,
  bound,
  itemTypesOf,
  perArrangement,
  rangesTaken,
  spineLengths,
  wholeWords,
} from "./plan.ts";
import type { Combination, PlanFacts, SinglePass } from "./plan_facts.ts";
import type { LookBackTesting } from "./scan.ts";
import { spineKernels, spineLevelsOf, spinePasses, spineScratch, vectorOf } from "./scan.ts";
import type { LoadedTuning } from "./tuning.ts";
import { groupingOf, tileOf } from "./tuning.ts";
import type { Way } from "./ways.ts";
import { planOfWays } from "./ways.ts";

/**
 * The options of `prepareCompact`. If there is a map, `where` looks at the item before the map, and the output has the mapped
 * item.
 */
export interface CompactOptions<Name extends string = string>
  extends TuningOptions,
    MapOptions,
    ParamsOption,
    SoonOption {
  /** The type of the output's items. */
  readonly type: ElementType<Name>;
  /**
   * WGSL over the element `x` and its index `i` (u32): an expression that is true, or a number that is not zero, for each item to
   * keep; or statements that end in `return` of a bool. Without it, each recording takes `flags`: a u32 for each item, which is kept if its flag is not zero.
   */
  readonly where?: string;
  /** Whether recordings take `flags` beside `where`. An item is then kept if its flag is not zero and the condition holds. */
  readonly flags?: boolean;
  /** Whether to write the positions of the kept items, as u32, instead of the items. */
  readonly indices?: boolean;
  /** The most items of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
  /** The indirect call whose arguments to write, for as many items as are kept. */
  readonly indirect?: Indirect;
}

/** A compaction or a partition, as its ways need it. */
interface PlannedCompaction {
  /** The type of the items that are loaded. */
  readonly from: ElementType;
  readonly maxLength: number;
  /** Bytes of an item of the output. */
  readonly outputBytes: number;
  readonly canShare: boolean;
  readonly count: Monoid;
  readonly kernelOptions: Omit<
    Parameters<typeof compactKernel>[1],
    keyof KernelOptions | "arrangement" | "carry"
  > & {
    readonly lengthOnGpu: boolean;
  };
  /** Kept items that do not go to the output at once, and the passes that copy them to it. */
  readonly aside: Aside;
}

/** What a compaction binds that it reads. */
const sources = {
  input: "input",
  flags: "flags",
  selection: "flags",
  length_buffer: "length",
} as const satisfies Bindings;

/** What a compaction binds. */
const ends = {
  ...sources,
  output: "output",
  count_buffer: "count",
  indirect: "indirect",
  rest: "rest",
} as const satisfies Bindings;

/**
 * Plans a compaction. It takes a single pass if the adapter manages it and if the input starts at a vector. Otherwise it
 * counts the kept items of each tile, scans the counts, and moves the kept items to their places, in order. The number of
 * kept items is the total. `parted` makes it a partition, which needs the total when it moves items. `keep` declares what is
 * kept, instead of the options.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planCompact(
  options: CompactOptions,
  facts: PlanFacts,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: LookBackTesting = {},
  parted?: Parted,
  keep?: readonly Source[],
): Plan {
  const primitive = parted ? "partition" : "compact";
  const { where, indices = false, lengthOnGpu = false } = options;
  const type = requireType(options.type, primitive);
  const title = `${primitive}<${type.name}>`;
  if (where !== undefined) {
    requireCode(
      title,
      "where",
      where,
      'a WGSL expression over the element x and its index i, such as "x > 3"',
    );
  }
  const indirect = requireIndirect(options.indirect, title);
  const map = mapOf(options, type, title, facts.features);
  if (map !== undefined && indices) {
    throw mappedIndices(title, options);
  }
  const from = options.from ?? type;
  const classes = parted?.classes;
  const selector = selectorOf(options, classes, keep);
  const flags = takesFlags(selector);
  const count = monoidOf(add, u32, "compact");
  const counting = { title, type, monoid: count };
  const output = indices ? u32 : type;
  const outputBytes = output.bytes;
  // Where a rest that follows begins is known once all kept items are counted.
  const restFollows = parted?.restFollows ?? false;
  const single = restFollows
    ? undefined
    : facts.fasterWays?.planSinglePass?.(parted ? "parts" : "compact", counting, options, facts, testing);
  const tuning = sizesOf(counting, parted, options, facts);
  const maxLength = requireMaxLength(
    title,
    options.maxLength,
    Math.max(from.bytes, outputBytes, flags ? 4 : 0),
    facts.limits,
  );
  const sharing = arrangements.some((one) => one === "one-buffer" || one === "in-place");
  const canShare = outputBytes === from.bytes;
  const compaction: PlannedCompaction = {
    from,
    maxLength,
    outputBytes,
    canShare,
    count,
    kernelOptions: {
      type,
      selector,
      indices,
      lengthOnGpu,
      mostWorkGroups: facts.limits.maxComputeWorkgroupsPerDimension,
      map,
      packed: packedUnless(from, keep),
      parted,
      params: paramsIn(options),
      ...(indirect !== undefined && { indirect }),
    },
    aside: asideOf(
      { name: "kept items", bytes: wholeWords(maxLength * outputBytes), late: true },
      sharing
        ? copyKernel(indices ? "u32" : carriedAs(type), tuning.sizes, lengthOnGpu, restFollows)
        : undefined,
    ),
  };
  const once = single && keepOnce(compaction, single, arrangements);
  const others = arrangements.filter((one) => !once?.arrangements.includes(one));
  const twice = countThenMove(compaction, tuning, others);
  const ways = once ? [once, twice] : [twice];
  return planOfWays(
    {
      title,
      maxLength,
      needs: needsOf(compaction.kernelOptions),
      itemTypes: { ...itemTypesOf(from, output), rest: output },
      indirectWords: indirectWordsOf(indirect),
      ...(classes && { countWords: classes.number + 1 }),
      outputLength: (length) => length,
      ...(restFollows && { storesAll: true }),
      variants: variantsOf(canShare).filter(({ arrangement }) => arrangements.includes(arrangement)),
    },
    readsNoItems(compaction.kernelOptions) ? ways.map((way) => ({ ...way, vector: 1 })) : ways,
  );
}

/** The error for indices with a map, or with a type that they would be converted to. */
const mappedIndices = (title: string, { map }: CompactOptions): ArgumentError =>
  map === undefined
    ? new ArgumentError(`${title}: indices are u32, and are not converted; leave type out`, "type")
    : new ArgumentError(`${title} takes a map or indices, which are not mapped, and not both`, "map");

/** The ranges of a compaction. Positions of items by their flags are found without the items. */
function needsOf(options: PlannedCompaction["kernelOptions"]): ReadonlySet<RangeName> {
  const { selector, parted, lengthOnGpu, indirect } = options;
  return rangesTaken({
    input: !readsNoItems(options),
    output: true,
    flags: takesFlags(selector),
    count: true,
    rest: parted && !parted.restFollows,
    length: lengthOnGpu,
    indirect,
  });
}

/** How many words the arguments of an indirect call have. */
const indirectWordsOf = (indirect: Indirect | undefined): number =>
  indirect === undefined ? 0 : "dispatch" in indirect ? 3 : "draw" in indirect ? 4 : 5;

/** What says which items are kept, or which class they are of. */
const selectorOf = (
  { where, flags = false }: Pick<CompactOptions, "where" | "flags">,
  classes: Parted["classes"],
  keep: readonly Source[] | undefined,
): Selector =>
  keep
    ? { by: "sources", sources: keep }
    : classes
      ? { by: "class", class: classes.expression, classes: classes.number }
      : where === undefined
        ? { by: "flags" }
        : { by: "where", where, flags };

/** Whether each item has a flag. */
const takesFlags = (selector: Selector): boolean =>
  selector.by === "flags" || (selector.by === "where" && selector.flags);

/** The sizes of a compaction that reads its data twice. */
function sizesOf(
  counting: Combination,
  parted: Parted | undefined,
  options: CompactOptions,
  facts: PlanFacts,
): LoadedTuning {
  const row = twoPassRowOf("compact", counting.monoid.domain, options, facts);
  const sizesFor = (items: number) => chooseSizes({ ...row, items }, counting, options, facts);
  const ofRow = sizesFor(row.items);
  const most = itemsByClasses(parted?.classes?.number);
  return most < row.items && parted?.classes?.kernelsOf(ofRow).loadOnce ? sizesFor(most) : ofRow;
}

/** The variants of a compaction, in order of preference. */
const variantsOf = (canShare: boolean): readonly Variant[] => [
  { arrangement: "vectors" },
  { arrangement: "items" },
  ...(canShare ? [{ arrangement: "one-buffer", apart: true } as const] : []),
  { arrangement: "in-place", aside: true },
  { arrangement: "one-buffer", aside: true },
];

/** Scratch that kept items go to first, and what copies them to the output. */
interface Aside {
  readonly kept: Scratch;
  readonly kernel: Kernel | undefined;
  passes(length: number, aside: boolean): readonly Pass[];
}

const asideOf = (kept: Scratch, kernel: Kernel | undefined): Aside => ({
  kept,
  kernel,
  passes: (length, aside) =>
    aside && length > 0 && kernel !== undefined
      ? [
          passOver(kernel, length, {
            input: kept,
            output: "output",
            count_buffer: "count",
            length_buffer: "length",
          }),
        ]
      : [],
});

/**
 * How kernels take ranges that lie so. In place, an item could land on one that nobody has read yet. So the kept items first go to scratch. They also
 * do if another range that is read lies in the output's buffer.
 */
const takenAs = (arrangement: Arrangement, canShare: boolean): Arrangement =>
  arrangement === "in-place" ? "vectors" : arrangement === "one-buffer" && !canShare ? "items" : arrangement;

/** The way of a compaction that reads its data once. */
function keepOnce(
  { from, maxLength, canShare, count, kernelOptions, aside }: PlannedCompaction,
  single: SinglePass,
  given: readonly Arrangement[],
): Way | undefined {
  const arrangements = given.filter((one) => takenAs(one, canShare) === "vectors");
  if (arrangements.length === 0) {
    return undefined;
  }
  const kernel = compactKernel(count, {
    ...kernelOptions,
    ...single.tuning,
    arrangement: "vectors",
    carry: single.carry,
  });
  const { entries, bytes } = single.spineOf(maxLength);
  const spine: Scratch = { name: "spine", bytes };
  const vector = vectorOf(from, single.tuning);
  return {
    arrangements,
    vector,
    kernels: [kernel, aside.kernel],
    scratch: [spine, aside.kept],
    spine: { scratch: spine, entries },
    groupingOf: () => single.groupingOf(vector),
    passes: (length, _, isAside = false) => [
      {
        kernel,
        bindings: bound(kernel, { ...ends, ...(isAside && { output: aside.kept }), spine }),
        length,
        tiles: Math.max(1, single.tilesOf(length)),
      },
      ...aside.passes(length, isAside),
    ],
  };
}

/** The way of a compaction that reads its data twice: it counts what each tile keeps, scans the counts, and moves the items. */
function countThenMove(
  { from, maxLength, canShare, count, kernelOptions, aside }: PlannedCompaction,
  tuning: LoadedTuning,
  given: readonly Arrangement[],
): Way {
  const { parted } = kernelOptions;
  const classes = parted?.classes;
  /** Whether items go to places that depend on how many are kept in all. */
  const needsTotal = parted?.restFollows ?? false;
  const others = given.map((one) => takenAs(one, canShare));
  const tile = tileOf(tuning);
  // Unlike a scan's spine, a compaction's has at least one level, since it gives the total.
  const levelsOf = (length: number): number[] => {
    // Each class has places for all tiles. The place after the last one has the sum of all, once the spine is scanned.
    const tiles = classes ? classes.number * Math.max(1, Math.ceil(length / tile)) : Math.ceil(length / tile);
    const levels = spineLengths((tiles + (needsTotal && tiles > 0 ? 1 : 0)) * tile, tile);
    return levels.length === 0 ? [Math.min(1, tiles)] : levels;
  };
  const levels = levelsOf(maxLength);
  const moving = perArrangement(
    // Items that are loaded one by one may go to scratch first, too.
    others.includes("one-buffer") ? [...others, "items"] : others,
    (arrangement) => compactKernel(count, { ...kernelOptions, ...tuning, arrangement, carry: "spine" }),
  );
  const counting = perArrangement(others, (arrangement) =>
    countKernel(count, { ...kernelOptions, ...tuning, arrangement }),
  );
  const spine =
    others.length > 0
      ? {
          ...spineKernels(count, tuning),
          // A kernel of its own stores where classes begin.
          ...(classes === undefined && {
            top: topOfCountsKernel(count, { ...tuning, ...kernelOptions, lengthOnGpu: false }),
          }),
        }
      : undefined;
  const offsets = classes?.offsets(count, tuning.sizes);
  const spineLevels = spine === undefined ? [] : spineLevelsOf(levels, u32.bytes);
  const counts = spineLevels[0]?.totals;
  const vector = vectorOf(from, tuning);
  return {
    arrangements: given,
    vector,
    kernels: [
      ...moving.all,
      ...(spine === undefined ? [] : [...counting.all, spine.top]),
      ...(spine !== undefined && levels.length > 1 ? [spine.reduce, spine.below] : []),
      offsets,
      aside.kernel,
    ],
    scratch: [...spineScratch(spineLevels), aside.kept],
    groupingOf: (arrangement) => groupingOf(tuning, isWide(arrangement) ? vector : 1),
    passes(length, arrangement, isAside = false) {
      if (spine === undefined || counts === undefined) {
        return [];
      }
      const tiles = Math.max(1, Math.ceil(length / tile));
      const taken = takenAs(arrangement, canShare);
      const move = moving.of(isAside && arrangement === "one-buffer" ? "items" : taken);
      const counted = counting.of(taken);
      const passes: Pass[] = [];
      if (length > 0 || classes !== undefined) {
        passes.push({
          kernel: counted,
          bindings: bound(counted, { ...sources, counts, class_counts: counts }),
          length,
          // A kernel that counts one class leaves the last place to a tile past the end.
          tiles: tiles + (needsTotal && classes === undefined ? 1 : 0),
        });
      }
      passes.push(...spinePasses(spine, levelsOf(length), tile, spineLevels));
      if (offsets !== undefined) {
        passes.push({
          kernel: offsets,
          bindings: bound(offsets, { spine: counts, class_offsets: "count" }),
          length,
          tiles: 1,
        });
      }
      if (length > 0) {
        passes.push({
          kernel: move,
          bindings: bound(move, { ...ends, ...(isAside && { output: aside.kept }), spine: counts }),
          length,
          tiles,
        });
      }
      return [...passes, ...aside.passes(length, isAside)];
    },
  };
}

/**
 * The most items of a thread where subgroups vote on classes. With fewer, what a work-group stores of each class lies closer together in
 * time. H100, u32, 2^24 and 2^28, µs, with 2 items, 4 and 8: 4 classes 160, 141, 143; 2135, 1752, 1683; 16 classes 208, 232, 263; 2687,
 * 3111, 3422. 8 classes, 2^26, with 4 and 8: 601, 692.
 */
const itemsByClasses = (classes = 1): number => (classes <= 4 ? Infinity : classes <= 8 ? 4 : 2);

/** The indirect calls, and what each takes beside the count that it gets from the kernel. */
const countNames = { dispatch: "itemsPerWorkGroup", draw: "vertexCount", drawIndexed: "indexCount" } as const;

/** The indirect call, alone. @throws {ArgumentError} if `indirect` is none. */
function requireIndirect(indirect: unknown, title: string): Indirect | undefined {
  if (indirect === undefined) {
    return undefined;
  }
  requireOptions(`${title}: indirect`, indirect, countNames);
  const all = Object.entries(indirect as object) as [keyof typeof countNames, unknown][];
  const calls = all.filter(([, call]) => call !== undefined);
  const [[kind, given] = ["draw", undefined] as const] = calls;
  if (calls.length !== 1) {
    refuse(title, "indirect", `${calls.length} calls`, "one");
  }
  const name = countNames[kind];
  // The kernels write 0 for the first vertex, the first index and the first instance.
  requireOptions(`${title}: indirect.${kind}`, given, { [name]: true });
  const { [name]: value } = given as Readonly<Record<string, unknown>>;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > 0xffffffff) {
    refuse(title, name, shown(value), "a whole number from 1 to 2^32 - 1");
  }
  return { [kind]: given } as unknown as Indirect;
}

/** The options of `preparePartition`. */
export interface PartitionOptions<Name extends string = string>
  extends TuningOptions,
    ParamsOption,
    SoonOption {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /**
   * WGSL over the element `x` and its index `i` (u32): an expression that is true, or a number that is not zero, for each item to
   * keep; or statements that end in `return` of a bool. Without it, each recording takes `flags`: a u32 for each item, which is kept if its flag is not zero.
   */
  readonly where?: string;
  /** Whether recordings take `flags` beside `where`. An item is then kept if its flag is not zero and the condition holds. */
  readonly flags?: boolean;
  /** For more parts than two: how many classes there are, 1 to 16. It goes with `class`, in place of `where`. */
  readonly classes?: number;
  /**
   * WGSL over the element `x` and its index `i` (u32) that gives an item's class, from 0: an expression of any scalar type, or
   * statements that end in `return` of a u32. A fraction is cut off, and then a number below 0 or past the last class counts as the
   * last class. NaN gets some class, which depends on the adapter. A literal above 2147483647 takes the suffix `u`.
   */
  readonly class?: string;
  /**
   * Whether the rest goes to a range of its own, which each recording takes as `rest`. Then nothing waits until all kept items are
   * counted, so the data is read once where that is faster. It does not go with classes.
   */
  readonly rest?: boolean;
  /** Whether to write the positions of the items, as u32, instead of the items. */
  readonly indices?: boolean;
  /** The most items of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/**
 * Plans a partition: a compaction that stores the other items, too. Where they begin is known once all kept items are
 * counted, so the data is always read twice, unless the rest has a range of its own.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planPartition(
  options: PartitionOptions,
  facts: PlanFacts,
  arrangements?: readonly Arrangement[],
  testing?: LookBackTesting,
): Plan {
  const mostMemory = facts.limits.maxComputeWorkgroupStorageSize;
  const parted = partedBy(options, (classes, own) =>
    facts.fasterWays?.classesByVotes?.(classes, mostMemory, own),
  );
  return planCompact(options, facts, arrangements, testing, parted);
}

/** The most classes. Where no subgroups vote, the data is read twice for each. */
export const MOST_CLASSES = 16;

/** @throws {ArgumentError} for classes that are none. */
function partedBy(
  { type, where, flags, rest, classes, class: expression }: PartitionOptions,
  byVotes: (classes: number, options: TileShape) => ClassKernels | undefined,
): Parted {
  const title = `partition<${type?.name}>`;
  if (classes === undefined && expression === undefined) {
    return rest ? withRest : inTwo;
  }
  if (rest) {
    throw new ArgumentError(
      `${title} takes rest (whether the rest has a range of its own) or classes, and not both`,
      "rest",
    );
  }
  if (typeof classes !== "number" || !Number.isInteger(classes) || classes < 1 || classes > MOST_CLASSES) {
    refuse(title, "classes", shown(classes), `a whole number from 1 to ${MOST_CLASSES}`);
  }
  requireCode(
    title,
    "class",
    expression,
    'a WGSL expression over the element x and its index i, such as "u32(x) % 3"',
  );
  if (where !== undefined) {
    throw new ArgumentError(`${title} takes where (a WGSL expression) or classes, and not both`, "where");
  }
  if (flags) {
    throw new ArgumentError(`${title} takes flags or classes, and not both`, "flags");
  }
  return byClass(classes, expression, (own) => byVotes(classes, own));
}
