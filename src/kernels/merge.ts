import carrySpine from "#shaders/device/io/carry_spine.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import totalBuffer from "#shaders/device/io/total_buffer.wgsl";
import totalNone from "#shaders/device/io/total_none.wgsl";
import countMerged from "#shaders/device/kernels/count_merged.wgsl";
import mergeTiles from "#shaders/device/kernels/merge_tiles.wgsl";
import splitTiles from "#shaders/device/kernels/split_tiles.wgsl";
import countKept from "#shaders/device/merge/count_kept.wgsl";
import keepAll from "#shaders/device/merge/keep_all.wgsl";
import keepOnce from "#shaders/device/merge/keep_once.wgsl";
import mergedItems from "#shaders/device/merge/merged_items.wgsl";
import mergedPlaces from "#shaders/device/merge/merged_places.wgsl";
import orderNone from "#shaders/device/merge/order_none.wgsl";
import orderNoted from "#shaders/device/merge/order_noted.wgsl";
import other from "#shaders/device/merge/other.wgsl";
import otherCounted from "#shaders/device/merge/other_counted.wgsl";
import otherOfCall from "#shaders/device/merge/other_of_call.wgsl";
import placesAll from "#shaders/device/merge/places_all.wgsl";
import placesKept from "#shaders/device/merge/places_kept.wgsl";
import storeByOrder from "#shaders/device/merge/store_by_order.wgsl";
import storeStaged from "#shaders/device/merge/store_staged.wgsl";
import tile from "#shaders/device/merge/tile.wgsl";
import valuesMoved from "#shaders/device/merge/values_moved.wgsl";
import valuesNone from "#shaders/device/merge/values_none.wgsl";
import hillisSteele from "#shaders/work_group/hillis_steele.wgsl";
import { u32 } from "../algebra/integers.ts";
import { monoid } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Source } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { carriedAs, conversion, operatorSources } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";
import type { SortKey } from "./sort_key.ts";
import { keySourcesOf, orderFile, wordsPerKey } from "./sort_key.ts";

// The kernels of merges, and of unions, intersections and differences, which are merges that keep some items.

/** What is made of two sorted ranges. */
export type MergeName = "merge" | "union" | "intersection" | "difference";

/** Which of equal items are kept: WGSL over whether the first of them is of the input, and whether the other range has one. All are if it is undefined. */
const chosen: Readonly<Record<MergeName, string | undefined>> = {
  merge: undefined,
  union: "true",
  intersection: "is_own && is_in_other",
  difference: "is_own && !is_in_other",
};

/** What the kernels are generated for. */
export interface MergeKernelOptions {
  readonly name: MergeName;
  readonly type: ElementType;
  readonly key: SortKey;
  /** The type of the values that move with the items. */
  readonly values?: ElementType | undefined;
  readonly sizes: Sizes;
}

const count = /* @__PURE__ */ (() => monoid(add, u32, "merge"))();

/** Whether work-group memory has the items themselves. Otherwise it has their keys, and items are read twice. */
const stagesItems = ({ key }: Pick<MergeKernelOptions, "key">): boolean => key.text === undefined;

/** Whether a tile notes where its items come from. */
const notesOrder = (options: Pick<MergeKernelOptions, "key" | "values">): boolean =>
  !stagesItems(options) || options.values !== undefined;

/** Bytes of work-group memory for each item of a tile. */
const mergeItemBytes = (options: Pick<MergeKernelOptions, "type" | "key" | "values">): number =>
  (stagesItems(options) ? Math.max(4, options.type.bytes) : 4 * wordsPerKey(options.key.type)) +
  (notesOrder(options) ? 4 : 0);

/** Bytes of work-group memory of a tile, at most. */
export const mergeMemory = (options: Omit<MergeKernelOptions, "sizes">, sizes: Sizes): number =>
  (sizes.workGroupSize * sizes.items + 2) * mergeItemBytes(options) +
  (options.name === "merge" ? 0 : 2 * sizes.workGroupSize * u32.bytes);

/** The items of both ranges, and their keys. */
const itemSources = ({ type, key }: MergeKernelOptions): readonly Source[] => [
  itemsText(carriedAs(type)),
  ...operatorSources(count),
  ...keySourcesOf(type, key),
  orderFile(key),
  inputItems,
  other,
];

/** The kernel that finds which items each tile of the merged order takes. */
export const splitKernel = (
  options: MergeKernelOptions,
  {
    lengthOnGpu,
    otherCount,
    storesCount,
  }: { readonly lengthOnGpu: boolean; readonly otherCount: boolean; readonly storesCount: boolean },
): Kernel =>
  linkKernel(
    `wavefold split tiles <${options.type.name}>`,
    "split_tiles",
    [
      ...itemSources(options),
      lengthFile(lengthOnGpu),
      otherCount ? otherCounted : otherOfCall,
      storesCount ? totalBuffer : totalNone,
      splitTiles,
    ],
    options.sizes,
  );

/** The files that stage a tile, and say which items are kept. */
function tileSources(options: MergeKernelOptions): readonly Source[] {
  const isChosen = chosen[options.name];
  const staged = (name: string, from: string, to: string): string =>
    conversion(name, from, to, from === to ? "x" : "key_from_item(x)");
  const held = stagesItems(options) ? "Input" : "Key";
  return [
    ...itemSources(options),
    generated(
      [
        `alias Staged = ${held};`,
        staged("staged_from", "Input", held),
        staged("key_of_staged", held, "Key"),
      ].join("\n"),
    ),
    tile,
    ...(isChosen === undefined
      ? [keepAll]
      : [
          keepOnce,
          generated(`fn is_chosen(is_own: bool, is_in_other: bool) -> bool {\n  return ${isChosen};\n}`),
        ]),
  ];
}

/** The kernel that counts what each tile keeps. */
export const countMergedKernel = (options: MergeKernelOptions): Kernel =>
  linkKernel(
    `wavefold count ${options.name} <${options.type.name}>`,
    "count_merged",
    [...tileSources(options), mergedPlaces, countKept, hillisSteele, countMerged],
    options.sizes,
  );

/** The kernel that merges each tile, and stores what is kept. */
export function mergeKernel(options: MergeKernelOptions): Kernel {
  const { name, type, values, sizes } = options;
  const sources = tileSources(options);
  return linkKernel(
    `wavefold ${name} tiles <${type.name}>`,
    "merge_tiles",
    [
      ...sources,
      outputItems,
      ...(name === "merge" ? [placesAll] : [placesKept, countKept, hillisSteele, carrySpine, totalBuffer]),
      notesOrder(options) ? orderNoted : orderNone,
      ...(name === "merge" && stagesItems(options)
        ? [mergedItems]
        : [mergedPlaces, stagesItems(options) ? storeStaged : storeByOrder]),
      ...(values
        ? [
            generated(`alias Value = ${carriedAs(values)};`),
            ...values.files.filter((file) => !sources.includes(file)),
            valuesMoved,
          ]
        : [valuesNone]),
      mergeTiles,
    ],
    sizes,
  );
}
