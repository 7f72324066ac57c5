import { tablesFor } from "../adapters/adapter.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { LimitError } from "../errors.ts";
import type { MergeKernelOptions, MergeName } from "../kernels/merge.ts";
import { countMergedKernel, mergeKernel, mergeMemory, splitKernel } from "../kernels/merge.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { requireCount } from "../options.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { lookedUpRange } from "./looked_up_range.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import { ofItems, plainSizes } from "./plain_plan.ts";
import type { Bindings, Pass, PassParams, Plan, Scratch } from "./plan.ts";
import { bound, distinct, itemTypesOf, rangesTaken, wholeWords, withRanges } from "./plan.ts";
import { planScan } from "./scan.ts";
import type { SortKeyOptions } from "./sort_key.ts";
import { requireKey } from "./sort_key.ts";

/** What two sorted ranges are ordered by: as {@link SortKeyOptions}, of which a merge takes whole keys. */
export type MergeOrder = Omit<SortKeyOptions, "bits">;

/** The options of `prepareUnion`, `prepareIntersection` and `prepareDifference`. */
export interface SetOptions<Name extends string = string>
  extends MergeOrder,
    ParamsOption,
    Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** The type of the items of both ranges. */
  readonly type: ElementType<Name>;
  /** The most items of the first range: a whole number from 0 up. Both such numbers set the size of the scratch. */
  readonly maxLength: number;
  /** The most items of the other range. The default is `maxLength`. */
  readonly maxOtherLength?: number;
  /** Whether recordings take the number of items of the first range from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
  /** Whether recordings take the number of items of the other range from a buffer, too: then `otherLength` is the most that it may be. */
  readonly otherCount?: boolean;
}

/** The options of `prepareMerge`. */
export interface MergeOptions<Name extends string = string> extends SetOptions<Name> {
  /** The type of the values that move with the items. Each recording then takes `values`, `otherValues` and `reordered`. */
  readonly values?: ElementType;
}

/** How many items a result has at most. */
export const mostOf: Readonly<Record<MergeName, (length: number, other: number) => number>> = {
  merge: (length, other) => length + other,
  union: (length, other) => length + other,
  intersection: Math.min,
  difference: (length) => length,
};

/**
 * The sizes of a tile. Its items, and where they come from, are in work-group memory. Their number is odd, so that the runs of threads start in
 * different banks of that memory.
 *
 * @throws {LimitError} if a tile of sizes that the caller chooses is too long.
 */
function sizesOf(
  options: Omit<MergeKernelOptions, "sizes">,
  title: string,
  chosen: Pick<TuningOptions, "workGroupSize" | "itemsPerThread">,
  facts: DeviceFacts,
): Sizes {
  const most = facts.limits.maxComputeWorkgroupStorageSize;
  const { alone, withValues } = tablesFor(facts).merge;
  let sizes = plainSizes(
    options.values === undefined ? alone : withValues,
    title,
    options.type,
    chosen,
    facts,
  );
  while (chosen.itemsPerThread === undefined && sizes.items > 1 && mergeMemory(options, sizes) > most) {
    sizes = { ...sizes, items: Math.max(1, sizes.items - 2) };
  }
  const needed = mergeMemory(options, sizes);
  if (needed > most) {
    throw new LimitError(
      `${title}: ${sizes.workGroupSize} threads of ${sizes.items} items take ${needed} bytes of work-group memory, and the device's limit is ${most}`,
      needed,
      most,
      "itemsPerThread",
    );
  }
  return sizes;
}

/** What is merged, and the ranges that follow from the options. */
interface Planned {
  readonly kernelOptions: MergeKernelOptions;
  /** The scratch that has where tiles start. */
  readonly splits: Scratch;
  /** The tiles of so many items of both ranges: one at least, which stores that there are none. */
  tilesOf(items: number): number;
}

/** The passes of a set: they count what each tile keeps, add that up, and move it. */
function setPasses({ kernelOptions, splits, tilesOf }: Planned, mostTiles: number, facts: DeviceFacts) {
  const counting = countMergedKernel(kernelOptions);
  const scan = planScan({ type: u32, exclusive: true, maxLength: mostTiles }, facts, ["vectors"]);
  const scratchOf = (name: string): Scratch => ({
    name,
    bytes: wholeWords(mostTiles * u32.bytes),
    itemBytes: u32.bytes,
  });
  const [counts, carries] = [scratchOf("kept items of tiles"), scratchOf("kept items before tiles")];
  return {
    kernels: [counting, ...scan.kernels],
    scratch: [counts, carries, ...scan.scratch],
    spine: carries,
    passes(items: number, length: number, params: PassParams): readonly Pass[] {
      const tiles = tilesOf(items);
      const bindings = bound(counting, { input: "input", sorted: "other", splits, counts });
      return [
        { kernel: counting, bindings, length, tiles, params },
        ...withRanges(scan.passes(tiles, "vectors"), { input: counts, output: carries }),
      ];
    },
  };
}

/**
 * Plans what is made of two sorted ranges. One dispatch finds where tiles of the merged order start in each range, and one merges the tiles.
 * Of sets, a pass before that counts what each tile keeps.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planMerge(name: MergeName, options: MergeOptions, facts: DeviceFacts): Plan {
  const { lengthOnGpu = false, otherCount = false } = options;
  const type = requireType(options.type, name);
  const title = `${name}<${type.name}>`;
  const key = requireKey(options, type, title);
  const values = options.values && requireType(options.values, title, "values");
  const maxLength = requireMaxLength(title, options.maxLength, Math.max(type.bytes, 4), facts.limits);
  const { maxOtherLength = maxLength } = options;
  requireCount(title, "maxOtherLength", maxOtherLength, 0);
  const isSet = name !== "merge";
  const storesCount = isSet || lengthOnGpu || otherCount;
  const sizes = sizesOf({ name, type, key, values }, title, options, facts);
  const kernelOptions: MergeKernelOptions = { name, type, key, values, sizes };
  const tilesOf = (items: number): number =>
    Math.max(1, Math.ceil(items / (sizes.workGroupSize * sizes.items)));
  /** The dispatch that splits so many tiles writes a word for each thread, behind the lengths. */
  const splitGroups = (tiles: number): number => Math.ceil((tiles + 1) / sizes.workGroupSize);
  const mostTiles = tilesOf(maxLength + maxOtherLength);
  const splits: Scratch = {
    name: "starts of tiles",
    bytes: (2 + splitGroups(mostTiles) * sizes.workGroupSize) * u32.bytes,
  };
  const split = splitKernel(kernelOptions, { lengthOnGpu, otherCount, storesCount: storesCount && !isSet });
  const merge = mergeKernel(kernelOptions);
  const set = isSet ? setPasses({ kernelOptions, splits, tilesOf }, mostTiles, facts) : undefined;
  const bindings: Bindings = {
    input: "input",
    sorted: "other",
    length_buffer: "length",
    sorted_count: "otherCount",
    count_buffer: "count",
    splits,
    output: "output",
    values: "values",
    rest: "otherValues",
    reordered: "reordered",
    ...(set && { spine: set.spine }),
  };
  return {
    ...ofItems(title, maxLength),
    kernels: distinct([split, ...(set?.kernels ?? []), merge]),
    scratch: [splits, ...(set?.scratch ?? [])],
    needs: rangesTaken({
      ...{ input: true, other: true, output: true },
      ...{ values, otherValues: values, reordered: values },
      ...{ length: lengthOnGpu, otherCount, count: storesCount },
    }),
    itemTypes: {
      ...itemTypesOf(type, type),
      other: type,
      ...(values && { values, otherValues: values, reordered: values }),
    },
    lookedUp: lookedUpRange("other", title, maxOtherLength),
    outputLength: (length, { sorted_length = length } = {}) => mostOf[name](length, sorted_length),
    passes(length, _arrangement, _aside, { sorted_length: other = length } = {}) {
      const items = length + other;
      if (items === 0 && !storesCount) {
        return [];
      }
      const tiles = tilesOf(items);
      const params = { room: mostOf[name](length, other) };
      return [
        { kernel: split, bindings: bound(split, bindings), length, tiles: splitGroups(tiles) },
        ...(set?.passes(items, length, params) ?? []),
        { kernel: merge, bindings: bound(merge, bindings), length, tiles, params },
      ];
    },
  };
}
