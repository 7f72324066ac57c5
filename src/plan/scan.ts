import type { Monoid, Operator } from "../algebra/monoid.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import { elementsOfVector, itemsOfVector } from "../kernels/contract.ts";
import { endsOf } from "../kernels/initial_and_total.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { isApart, isWide, packedUnless, reduceKernel, scanKernel } from "../kernels/kernel.ts";
import type { LookBackChoices } from "../kernels/look_back.ts";
import { chooseSizes, requireMaxLength, twoPassRowOf } from "./choose_sizes.ts";
import type { MapOptions } from "./map.ts";
import { mapOf } from "./map.ts";
import type {
  AnyOperator,
  EndOptions,
  ParamsOption,
  SegmentOptions,
  SoonOption,
  TuningOptions,
} from "./options.ts";
import type { Bindings, Pass, Plan, Scratch } from "./plan.ts";
import {
  ALL_ARRANGEMENTS,
  bound,
  itemTypesOf,
  paddedBytes,
  perArrangement,
  rangesTaken,
  spineLengths,
} from "./plan.ts";
import type { PlanFacts, PlannedScan } from "./plan_facts.ts";
import type { PlannedSegments } from "./planned_segments.ts";
import { orderOf } from "./reverse.ts";
import type { LoadedTuning, Tuning } from "./tuning.ts";
import { groupingOf, tileOf } from "./tuning.ts";
import type { Way } from "./ways.ts";
import { planOfWays, prepared } from "./ways.ts";

/** The options of `prepareScan`. */
export interface ScanOptions<Name extends string = string>
  extends TuningOptions,
    MapOptions,
    ParamsOption,
    EndOptions,
    SegmentOptions,
    SoonOption {
  /** The type of the elements that are combined, and of the output. */
  readonly type: ElementType<Name>;
  /** The operator. The default is `add`. */
  readonly op?: Operator<NoInfer<Name>>;
  /** Whether each prefix leaves out the element at its own place. */
  readonly exclusive?: boolean;
  /**
   * Whether to combine from the last item to the first: each result combines the item at its own place and all that follow, in their order.
   * An initial value then comes after the last item.
   */
  readonly reverse?: boolean;
  /** The most items of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** Options for data that takes several executions: windows, or pieces. */
export interface Continued {
  /** Whether the initial value is the total of the data before. */
  readonly continued?: boolean;
  /**
   * Whether the initial value, the total of a scan and the result of a reduction are stored as elements of the operator's domain, instead
   * of as items.
   */
  readonly carried?: boolean;
}

/** For tests: options of the look-back that replace those chosen for the adapter. */
export type LookBackTesting = Partial<LookBackChoices>;

/** The kernels that scan a spine of any depth in place. */
export interface SpineKernels {
  /** Reduces tiles of totals to their totals. */
  readonly reduce: Kernel;
  /** Scans the top level, which fits in one tile. It may be `below`, since the first tile reads no carry. */
  readonly top: Kernel;
  readonly below: Kernel;
}

/** The kernels that scan a spine. `arrangement` is `one-buffer`, which scans each level in place, or `padded`. */
export function spineKernels(
  monoid: Monoid,
  tuning: LoadedTuning,
  arrangement: Arrangement = "one-buffer",
): SpineKernels {
  const options = { ...tuning, lengthOnGpu: false };
  const base = {
    ...options,
    exclusive: true,
    side: "elements",
    arrangement,
  } as const;
  const below = scanKernel(monoid, { ...base, carry: true });
  return {
    reduce: reduceKernel(monoid, { ...options, input: "elements", output: "elements", arrangement }),
    // If levels are padded, `below` scans the top level, too, so that there is a kernel fewer to compile. In place, there is no second
    // buffer that could be bound as the carries.
    top: arrangement === "padded" ? below : scanKernel(monoid, { ...base, carry: false }),
    below,
  };
}

/** The buffers of a level of the spine. They are one if the level is scanned in place. */
export interface SpineLevel {
  readonly totals: Scratch;
  readonly prefixes: Scratch;
}

/** Turns the totals of level 0 into their exclusive prefixes: first level by level up, then level by level down. */
export function spinePasses(
  kernels: SpineKernels,
  lengths: readonly number[],
  tile: number,
  levels: readonly SpineLevel[],
): Pass[] {
  const pass = (kernel: Kernel, level: number, bindings: Bindings): Pass => {
    const length = lengths[level] ?? 0;
    const tiles = Math.max(1, Math.ceil(length / tile));
    return { kernel, bindings: bound(kernel, bindings), length, tiles };
  };
  const at = (level: number): SpineLevel => levels[level] as SpineLevel;
  const passes: Pass[] = [];
  const top = lengths.length - 1;
  for (let level = 0; level < top; level++) {
    passes.push(pass(kernels.reduce, level, { input: at(level).totals, output: at(level + 1).totals }));
  }
  for (let level = top; level >= 0; level--) {
    passes.push(
      pass(level === top ? kernels.top : kernels.below, level, {
        input: at(level).totals,
        output: at(level).prefixes,
        spine: level === top ? at(level).totals : at(level + 1).prefixes,
        count_buffer: "count",
        indirect: "indirect",
      }),
    );
  }
  return passes;
}

/** The buffers of the levels of a spine, from their lengths. Whole vectors fit in them. */
export const spineLevelsOf = (
  lengths: readonly number[],
  elementBytes: number,
  { vector = 1, isInPlace = true } = {},
): SpineLevel[] =>
  lengths.map((length, level) => {
    const bytes = paddedBytes(length, elementBytes, vector);
    const totals = { name: `totals of level ${level}`, bytes };
    return { totals, prefixes: isInPlace ? totals : { name: `prefixes of level ${level}`, bytes } };
  });

/** All buffers of a spine. */
export const spineScratch = (levels: readonly SpineLevel[]): Scratch[] => [
  ...new Set(levels.flatMap(({ totals, prefixes }) => [totals, prefixes])),
];

/**
 * Plans a scan. It takes a single pass if the adapter manages it and the ranges lie so that it can: input and output are in two buffers, or they
 * are one range that starts at a vector. Ranges of segments must be in two buffers and start at vectors. All other scans take reduce-then-scan:
 * each tile is reduced to a total, the totals are scanned, and then each tile is scanned on top of its carry.
 *
 * `segments` are the ones that the options name: `planSegmented` in src/plan/plan_segmented.ts makes them.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planScan(
  options: AnyOperator<ScanOptions> & Continued,
  facts: PlanFacts,
  givenArrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: LookBackTesting = {},
  segments?: PlannedSegments,
): Plan {
  const { type, op = add, exclusive = false, lengthOnGpu = false } = options;
  const order = orderOf(options);
  const own = segments?.monoid ?? order.operatorOf(monoidOf(op, type, "scan"));
  const title = segments?.title ?? `scan<${own.title}>`;
  const ends = segments ? undefined : endsOf({ ...options, isEmpty: order.isEmpty }, title, own);
  const monoid = ends?.monoid ?? own;
  const arrangements = order.arrangementsOf(bindableAs(givenArrangements, segments));
  const map = mapOf(options, type, title, facts.features);
  const from = options.from ?? type;
  const itemBytes = from.bytes;
  const reduces = segments?.ranges.reduces;
  // A binding that spans both ranges has items of one size.
  const canShare = itemBytes === type.bytes && !reduces;
  const lying = arrangements.filter((one) => canShare || isApart(one));
  const recorded = SCAN_ARRANGEMENTS.filter((one) => lying.includes(one));
  const combination = { title, type, monoid };
  const single = facts.fasterWays?.planSinglePass?.(
    reduces ? "totals" : segments?.isFlat ? "flat" : "scan",
    combination,
    options,
    facts,
    testing,
  );
  const row = twoPassRowOf("scan", monoid.domain, options, facts);
  const tuning = chooseSizes(row, combination, options, facts);
  const longest = Math.max(itemBytes, type.bytes, segments?.startBytes ?? 0);
  const maxLength = requireMaxLength(title, options.maxLength, longest, facts.limits);
  const scan: PlannedScan = {
    ...combination,
    maxLength,
    itemBytes,
    kernelOptions: {
      exclusive,
      side: "items",
      lengthOnGpu,
      map,
      packed: packedUnless(from, segments),
      mirror: order.mirror,
      ends,
      segments: segments?.kernels,
    },
    segments,
  };
  const once = single && facts.fasterWays?.scanOnce?.(single, scan, recorded, facts, testing);
  // Reduce-then-scan, for the arrangements that a single pass does not take.
  const twice = reduceThenScan(
    scan,
    tuning,
    lying.filter((one) => !once?.arrangements.includes(one)),
  );
  const initial = segments?.initial ?? ends?.initial;
  const plan = planOfWays(
    {
      title,
      maxLength,
      ...(initial && { initial }),
      ...(segments && { segments: segments.ranges }),
      needs: rangesTaken({ input: true, output: true, length: lengthOnGpu }, segments?.needs ?? ends?.needs),
      itemTypes: {
        ...itemTypesOf(from, type, segments?.key),
        ...(segments?.uniqueType && { unique: segments.uniqueType }),
      },
      outputLength: (length) => length,
      wholeVectors: order.mirror !== undefined,
      variants: recorded.map((arrangement) => ({ arrangement })),
    },
    [once, twice],
  );
  return prepared(plan, segments?.preparationOf(plan, (once && single?.tuning) ?? tuning));
}

/** Ranges that start at a vector are bound as single items, if the device cannot bind as many buffers as vectors need. */
const bindableAs = (
  arrangements: readonly Arrangement[],
  segments: PlannedSegments | undefined,
): readonly Arrangement[] =>
  segments?.fitsVectors === false
    ? [...new Set(arrangements.map((arrangement) => (arrangement === "vectors" ? "items" : arrangement)))]
    : arrangements;

/** Whether a scan stores something even if there are no items: a total, or a number of segments. */
export const storesWithoutItems = ({ kernelOptions: { ends, segments } }: PlannedScan): boolean =>
  ends?.total === true || segments?.count !== undefined;

/** The way of a scan that reads the data twice: it reduces tiles, scans their totals, and then scans tiles. */
function reduceThenScan(scan: PlannedScan, tuning: LoadedTuning, arrangements: readonly Arrangement[]): Way {
  const { monoid, type, maxLength, kernelOptions, segments } = scan;
  const reduces = segments?.ranges.reduces;
  const tile = tileOf(tuning);
  const levels = spineLengths(maxLength, tile);
  const carried = perArrangement(arrangements, (arrangement) =>
    scanKernel(monoid, { ...kernelOptions, ...tuning, arrangement, carry: levels.length > 0 }),
  );
  const totals = perArrangement(levels.length > 0 ? arrangements : [], (arrangement) =>
    reduceKernel(monoid, {
      ...kernelOptions,
      ...tuning,
      ends: undefined,
      input: "items",
      output: "elements",
      arrangement,
      ...(!reduces && { storedBytes: type.bytes }),
    }),
  );
  // Our own buffers are padded. The caller's are not, and then the spine is scanned in place.
  const isPadded = arrangements.includes("padded");
  const spine =
    arrangements.length > 0 && levels.length > 0
      ? spineKernels(monoid, tuning, isPadded ? "padded" : "one-buffer")
      : undefined;
  const spineLevels =
    spine === undefined
      ? []
      : spineLevelsOf(levels, monoid.domain.elementBytes, {
          vector: isPadded ? elementsOfVector(monoid, tuning.sizes.items) : 1,
          isInPlace: !isPadded,
        });
  const vector = vectorOfScan(scan, tuning);
  return {
    arrangements,
    vector,
    kernels: [
      ...carried.all,
      ...(spine === undefined ? [] : [...totals.all, spine.top]),
      ...(spine && levels.length > 1 ? [spine.reduce, spine.below] : []),
    ],
    scratch: spineScratch(spineLevels),
    groupingOf: (arrangement) => groupingOf(tuning, isWide(arrangement) ? vector : 1),
    passes(length, arrangement) {
      if (length === 0 && !storesWithoutItems(scan)) {
        return [];
      }
      const kernel = carried.of(arrangement);
      const tiles = Math.max(1, Math.ceil(length / tile));
      const [firstLevel] = spineLevels;
      const last = {
        kernel,
        bindings: bound(kernel, {
          ...callersRanges,
          ...segments?.bindings,
          ...(firstLevel && { spine: firstLevel.prefixes }),
        }),
        length,
        tiles,
      };
      if (tiles === 1 || spine === undefined || firstLevel === undefined) {
        return [last];
      }
      const first = totals.of(arrangement);
      return [
        {
          kernel: first,
          bindings: bound(first, {
            input: "input",
            length_buffer: "length",
            ...segments?.bindings,
            output: firstLevel.totals,
          }),
          length,
          tiles,
        },
        ...spinePasses(spine, spineLengths(length, tile), tile, spineLevels),
        last,
      ];
    },
  };
}

/** How the ranges of a scan may lie, in order of preference. */
export const SCAN_ARRANGEMENTS = [
  "vectors",
  "in-place",
  "items",
  "one-buffer",
] as const satisfies readonly Arrangement[];

/** What a scan binds of the caller's. */
export const callersRanges = {
  input: "input",
  output: "output",
  length_buffer: "length",
  initial: "initial",
  total: "total",
} as const satisfies Bindings;

/**
 * How many items a vector has, for a type and a thread's run. If the loaded items have another size, the number is right
 * for both sizes.
 */
export const vectorOf = (
  type: ElementType | undefined,
  { sizes }: Tuning,
  loadedBytes = type?.bytes ?? 0,
): number => itemsOfVector(loadedBytes, sizes.items, type?.bytes);

/** Items of a vector of a scan. Totals of segments are stored one by one. */
export const vectorOfScan = (
  { type, itemBytes, kernelOptions: { mirror }, segments }: PlannedScan,
  tuning: Tuning,
): number =>
  mirror && !mirror.vectors ? 1 : vectorOf(segments?.ranges.reduces ? undefined : type, tuning, itemBytes);
