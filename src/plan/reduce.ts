import { tablesFor } from "../adapters/adapter.ts";
import type { TuningRow } from "../adapters/tables.ts";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Side } from "../kernels/contract.ts";
import { elementsOfVector } from "../kernels/contract.ts";
import { endsOf } from "../kernels/initial_and_total.ts";
import type { Arrangement, Kernel, ReduceFiles } from "../kernels/kernel.ts";
import { isApart, isWide, packedUnless, reduceKernel } from "../kernels/kernel.ts";
import { chooseSizes, requireMaxLength, twoPassRowOf } from "./choose_sizes.ts";
import type { MapOptions } from "./map.ts";
import { mapOf } from "./map.ts";
import type {
  AnyOperator,
  Chosen,
  EndOptions,
  ParamsOption,
  SegmentOptions,
  SoonOption,
  TuningOptions,
} from "./options.ts";
import type { Bindable, Pass, Plan, Scratch } from "./plan.ts";
import {
  ALL_ARRANGEMENTS,
  bound,
  itemTypesOf,
  perArrangement,
  rangesTaken,
  spineLengths,
  TWO_BUFFERS,
} from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { Continued, LookBackTesting } from "./scan.ts";
import { spineLevelsOf, vectorOf } from "./scan.ts";
import type { LoadedTuning } from "./tuning.ts";
import { groupingOf as groupingOfTuning, tileOf } from "./tuning.ts";
import type { Way } from "./ways.ts";
import { planOfWays } from "./ways.ts";

/** The options of `prepareReduce`. */
export interface ReduceOptions<Name extends string = string>
  extends TuningOptions,
    MapOptions,
    ParamsOption,
    SegmentOptions,
    SoonOption,
    Pick<EndOptions, "initial"> {
  /** The type of the elements that are combined, and of the output. */
  readonly type: ElementType<Name>;
  /** The operator. The default is `add`. */
  readonly op?: Operator<NoInfer<Name>>;
  /** The most items of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** What a count says of itself to the planner of reductions. */
export interface Counting {
  /** How messages begin. The map is a condition, and an item for which it holds counts as 1. */
  readonly counting?: string;
}

/**
 * Plans a reduction. One dispatch reduces all tiles if the adapter manages it. Otherwise it reduces tiles to totals, and reduces these totals again,
 * until one is left. Reductions of segments have a planner of their own: `planSegmented` in src/plan/plan_segmented.ts.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planReduce(
  options: AnyOperator<ReduceOptions> & Continued & Counting,
  facts: PlanFacts,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: LookBackTesting = {},
): Plan {
  const { type, op = add, lengthOnGpu = false, counting } = options;
  const own = monoidOf(op, type, "reduce");
  const title = counting ?? `reduce<${own.title}>`;
  const ends = endsOf(options, title, own);
  const monoid = ends?.monoid ?? own;
  const map = mapOf({ ...options, isCondition: counting !== undefined }, type, title, facts.features);
  const loaded = options.from ?? type;
  const row = reductionRow(monoid, loaded, options, facts);
  const tuning = chooseSizes(row, { title, type, monoid }, options, facts);
  const maxLength = requireMaxLength(title, options.maxLength, loaded.bytes, facts.limits);
  // A dispatch cannot read a buffer that it writes. So if input and output share one, the result goes through the spine.
  const detour = arrangements.some((one) => one === "one-buffer" || one === "in-place");
  const kernelOf: LevelOptions["kernelOf"] = (input, output, arrangement, files) =>
    reduceKernel(monoid, {
      ...tuning,
      ...files,
      // Only the first pass reads the caller's items, so only it reads their length from a buffer.
      lengthOnGpu: lengthOnGpu && input === "items",
      input,
      output: options.carried ? "elements" : output,
      arrangement,
      map,
      packed: packedUnless(loaded, input !== "items"),
      ends: output === "items" ? ends : undefined,
    });
  const vector = vectorOf(loaded, tuning);
  const groupingOf: Plan["groupingOf"] = (arrangement) =>
    groupingOfTuning(tuning, isWide(arrangement) ? vector : 1);
  // By vectors if possible. If the result lies on the input, it goes through the spine.
  const variants = TWO_BUFFERS.filter((one) => arrangements.includes(one)).flatMap((arrangement) =>
    (detour ? [false, true] : [false]).map((aside) => ({ arrangement, aside })),
  );
  const once = facts.fasterWays?.reduceOnce?.(
    { monoid, tuning, kernelOf: (files) => kernelOf("items", "items", "vectors", files) },
    { maxLength, variants, vector, groupingOf },
    options,
    facts,
    testing,
  );
  // If one dispatch takes all that is longer than a tile, there are no levels.
  const isAlwaysOnce = once !== undefined && variants.length === 1 && maxLength <= once.longest;
  const levels = reduceLevels({
    maxLength: isAlwaysOnce ? Math.min(maxLength, tileOf(tuning)) : maxLength,
    arrangements: isAlwaysOnce ? ["vectors"] : arrangements,
    detour,
    monoid,
    tuning,
    kernelOf,
  });
  return planOfWays(
    {
      title,
      maxLength,
      ...(ends?.initial && { initial: ends.initial }),
      needs: rangesTaken({ input: true, output: true, length: lengthOnGpu }, ends?.needs),
      itemTypes: itemTypesOf(loaded, type),
      outputLength: () => 1,
      variants,
    },
    [once?.way, { ...levels, vector, groupingOf }],
  );
}

/** The row of a reduction's sizes. */
function reductionRow(
  monoid: Monoid,
  loaded: ElementType,
  options: Chosen & { readonly maxLength: number },
  facts: PlanFacts,
): TuningRow {
  const { domain, type } = monoid;
  const usual = twoPassRowOf("reduce", domain, options, facts);
  const { positions, takesMoreNarrowItems } = tablesFor(facts).reduction;
  // Elements of two words of a key, a position and 0. A tuning, which times sums, does not apply to them.
  const isEntry = monoid.leading !== undefined && domain.elementBytes === 16;
  const row: TuningRow = { ...usual, ...(isEntry && facts.fasterWays && positions) };
  const loadedBytes = (loaded.narrow ?? loaded).bytes;
  const isNarrow = takesMoreNarrowItems && loadedBytes < type.bytes && row.algorithm === "subgroup";
  const isOrdered = monoid.operation === undefined && monoid.leading === undefined;
  return isNarrow ? { ...row, items: row.items * (isOrdered && options.maxLength > 2 ** 25 ? 3 : 2) } : row;
}

interface LevelOptions {
  readonly maxLength: number;
  readonly arrangements: readonly Arrangement[];
  /** Whether results may go through the spine even if there is one tile. */
  readonly detour: boolean;
  readonly monoid: Monoid;
  readonly tuning: LoadedTuning;
  kernelOf(input: Side, output: Side, arrangement: Arrangement, files?: ReduceFiles): Kernel;
}

/** The way of a reduction that takes a dispatch for each level of totals. */
function reduceLevels({
  maxLength,
  arrangements,
  detour,
  monoid,
  tuning,
  kernelOf,
}: LevelOptions): Omit<Way, "vector" | "groupingOf"> {
  const tile = tileOf(tuning);
  const levels = spineLengths(maxLength, tile);
  const spineLevels = levels.length === 0 && detour ? [1] : levels;
  const only = perArrangement(arrangements.filter(isApart), (arrangement) =>
    kernelOf("items", "items", arrangement),
  );
  // With a spine there are three kernels: from the items, between its levels, and to the result.
  const first =
    spineLevels.length > 0
      ? perArrangement(arrangements, (arrangement) => kernelOf("items", "elements", arrangement))
      : undefined;
  // Our own buffers are padded.
  const isPadded = arrangements.includes("padded");
  const between = isPadded ? "padded" : "items";
  const last = kernelOf("elements", "items", between);
  const middle = kernelOf("elements", "elements", between);
  const totals = spineLevelsOf(spineLevels, monoid.domain.elementBytes, {
    vector: isPadded ? elementsOfVector(monoid, tuning.sizes.items) : 1,
  }).map((level) => level.totals);
  return {
    arrangements,
    kernels: [
      ...only.all,
      ...(first === undefined ? [] : [...first.all, last]),
      ...(levels.length > 1 ? [middle] : []),
    ],
    scratch: totals,
    passes(length, arrangement, aside = false) {
      const pass = (kernel: Kernel, from: Bindable, to: Bindable, items: number): Pass => ({
        kernel,
        bindings: bound(kernel, { input: from, output: to, length_buffer: "length", initial: "initial" }),
        length: items,
        tiles: Math.max(1, Math.ceil(items / tile)),
      });
      const used = spineLengths(length, tile);
      if (first === undefined || (used.length === 0 && !aside)) {
        return [pass(only.of(arrangement), "input", "output", length)];
      }
      const through = used.length === 0 ? [1] : used;
      const at = (level: number): Scratch => totals[level] as Scratch;
      return [
        pass(first.of(arrangement), "input", at(0), length),
        ...through.slice(1).map((_, level) => pass(middle, at(level), at(level + 1), through[level] ?? 0)),
        pass(last, at(through.length - 1), "output", through.at(-1) ?? 0),
      ];
    },
  };
}
