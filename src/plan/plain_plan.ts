import { tablesFor, traitsOf } from "../adapters/adapter.ts";
import type { Shape } from "../adapters/tables.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { requireChosen } from "./check_tuning_options.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { mostThreads } from "./device_facts.ts";
import type { LookedUpName } from "./looked_up_range.ts";
import { lookedUpRange } from "./looked_up_range.ts";
import type { Chosen, TuningOptions } from "./options.ts";
import type { Bindings, Pass, PassParams, Plan, RangeName, Variant } from "./plan.ts";
import { bound } from "./plan.ts";
import { requireFeature } from "./require_feature.ts";

/** The sizes of a kernel that moves items of a type. */
export const moveSizes = (
  title: string,
  type: ElementType,
  facts: DeviceFacts,
  options: Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> = {},
): Sizes => plainSizes(tablesFor(facts).moves, title, type, options, facts);

/**
 * The sizes of a kernel that neither scans nor reduces tiles, from a row and the caller's choices.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export function plainSizes(
  { workGroupSize, items }: Shape,
  title: string,
  type: ElementType,
  options: Pick<TuningOptions, "workGroupSize" | "itemsPerThread">,
  facts: DeviceFacts,
): Sizes {
  requireFeature(type, title, facts);
  requireChosen(options, title, facts);
  return {
    workGroupSize: options.workGroupSize ?? Math.min(workGroupSize, mostThreads(facts)),
    items: options.itemsPerThread ?? items,
    unrolled: traitsOf(facts).unrolls,
    minSubgroupSize: facts.subgroupMinSize,
    maxSubgroupSize: facts.subgroupMaxSize,
  };
}

/** A dispatch with work-groups for so many items. They are as many as it reads, if `length` does not say otherwise. It binds what its kernel declares. */
export const passOver = (
  kernel: Kernel,
  items: number,
  bindings: Bindings,
  { length = items, params }: Partial<Pick<Pass, "length" | "params">> = {},
): Pass => ({
  kernel,
  bindings: bound(kernel, bindings),
  length,
  tiles: Math.ceil(items / kernel.tile),
  ...(params && { params }),
});

/** The grouping of a plan that combines no elements. */
export const ungrouped = (title: string) => (): never => {
  throw new ArgumentError(`${title} has no order of operations`);
};

/** What plans share that combine no items. Most take single ones, wherever these start. */
export const ofItems = (
  title: string,
  maxLength: number,
  arrangements: readonly Arrangement[] = ["items"],
) => ({
  title,
  maxLength,
  vector: 1,
  outputLength: (length: number) => length,
  variants: arrangements.map((arrangement): Variant => ({ arrangement })),
  groupingOf: ungrouped(title),
});

/** A plan that is one dispatch of one kernel. Its threads neither scan nor reduce tiles. */
interface PlainPlan {
  readonly title: string;
  readonly type: ElementType;
  /** The sizes of the kernel, unless the caller chooses others. The default are those of kernels that move items. */
  readonly row?: Shape;
  readonly options: PlainOptions;
  readonly facts: DeviceFacts;
  kernelOf(lengthOnGpu: boolean, sizes: Sizes): Kernel;
  readonly itemTypes: Plan["itemTypes"];
  /** The ranges that the kernel binds, by the names of its variables, beside the input, the output and a length on the GPU. */
  readonly ranges?: Readonly<Record<string, RangeName>>;
  /** The range that it looks things up in, if there is one. */
  readonly lookedUp?: LookedUp;
  /** How many items its threads share. The default is the length. */
  itemsOf?(length: number, params: PassParams): number;
}

/** A range that a kernel looks things up in, in a variable of the same name. */
interface LookedUp {
  readonly range: LookedUpName;
  readonly type: ElementType;
  /** The variable that has the number of its items, if a buffer has it. */
  readonly counter: string | undefined;
}

type PlainOptions = Omit<Chosen, "algorithm" | "passes"> & {
  readonly maxLength: number;
  readonly lengthOnGpu?: boolean;
};

/**
 * Makes a plan for ranges that start at any item. The planner of a primitive adds its own members.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export function plainPlan({
  title,
  type,
  options,
  facts,
  row = tablesFor(facts).moves,
  kernelOf,
  itemTypes,
  ranges,
  lookedUp,
  itemsOf = (length) => length,
}: PlainPlan): Plan {
  const { lengthOnGpu = false } = options;
  const sizes = plainSizes(row, title, type, options, facts);
  const maxLength = requireMaxLength(title, options.maxLength, Math.max(type.bytes, 4), facts.limits);
  const kernel = kernelOf(lengthOnGpu, sizes);
  const all: Record<string, RangeName> = { input: "input", output: "output", ...ranges };
  if (lookedUp) {
    const { range, counter } = lookedUp;
    Object.assign(all, { [range]: range, ...(counter && { [counter]: `${range}Count` }) });
  }
  if (lengthOnGpu) {
    all.length_buffer = "length";
  }
  return {
    ...ofItems(title, maxLength),
    kernels: [kernel],
    scratch: [],
    needs: new Set(Object.values(all)),
    itemTypes: { ...itemTypes, ...(lookedUp && { [lookedUp.range]: lookedUp.type }) },
    ...(lookedUp && { lookedUp: lookedUpRange(lookedUp.range, title) }),
    passes(length, _arrangement, _aside, params = {}) {
      const items = itemsOf(length, params);
      return items === 0 ? [] : [passOver(kernel, items, all, { length })];
    },
  };
}
