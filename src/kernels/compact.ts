import carryNone from "#shaders/device/io/carry_none.wgsl";
import carrySpine from "#shaders/device/io/carry_spine.wgsl";
import edges from "#shaders/device/io/edges.wgsl";
import keepFlagged from "#shaders/device/io/keep_flagged.wgsl";
import keepFlaggedAndTrue from "#shaders/device/io/keep_flagged_and_true.wgsl";
import lengthOfCall from "#shaders/device/io/length_of_call.wgsl";
import loadItems from "#shaders/device/io/load_items.wgsl";
import loadKept from "#shaders/device/io/load_kept.wgsl";
import noInput from "#shaders/device/io/no_input.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import storeKept from "#shaders/device/io/store_kept.wgsl";
import storePrefixes from "#shaders/device/io/store_prefixes.wgsl";
import totalBuffer from "#shaders/device/io/total_buffer.wgsl";
import totalDispatch from "#shaders/device/io/total_dispatch.wgsl";
import totalDraw from "#shaders/device/io/total_draw.wgsl";
import compactSinglePass from "#shaders/device/kernels/compact_single_pass.wgsl";
import compactTiles from "#shaders/device/kernels/compact_tiles.wgsl";
import countTiles from "#shaders/device/kernels/count_tiles.wgsl";
import scanTiles from "#shaders/device/kernels/scan_tiles.wgsl";
import { expressionFiles, typeFiles } from "../algebra/expression_files.ts";
import type { Monoid } from "../algebra/monoid.ts";
import type { DeclaredParams, ParamsSeen } from "../algebra/seen_params.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Constants } from "../text/module.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import type { TileShape } from "./algorithms.ts";
import { algorithms } from "./algorithms.ts";
import { conditionSources } from "./condition.ts";
import {
  carriedAs,
  itemsOfVector,
  operatorSources,
  storageText,
  valueFromItem,
  vectorText,
} from "./contract.ts";
import type { Arrangement, Kernel, KernelOptions } from "./kernel.ts";
import { filesOf, inputFor, isWide, lengthFile, linkKernel, prefixText } from "./kernel.ts";
import type { ItemMap } from "./map.ts";
import type { Sizes } from "./sizes.ts";
import { textFunction } from "./text_function.ts";
import type { TileTraits } from "./tiles.ts";

/** What decides whether an item is kept. */
export type Selector =
  | { readonly by: "flags" }
  /** With `flags`, an item is kept if its flag is set, too. */
  | { readonly by: "where"; readonly where: string; readonly flags: boolean }
  | { readonly by: "class"; readonly class: string; readonly classes: number }
  /** They declare `keep`. */
  | { readonly by: "sources"; readonly sources: readonly Source[] };

/** Whether positions are found by flags alone, so that no kernel reads the items. */
export const readsNoItems = ({
  selector,
  indices,
}: Pick<CompactKernelOptions, "selector" | "indices">): boolean => selector.by === "flags" && indices;

/** Declares what the shaders of a compaction call: `kept_item`, and `keep`, or `class_of` of a partition by classes. */
function compactionSources(
  type: ElementType,
  selector: Selector,
  indices: boolean,
  vector: number,
  map: ItemMap | undefined,
  params: DeclaredParams | undefined,
): readonly Source[] {
  const from = map?.from ?? type;
  const output = indices ? "u32" : carriedAs(type);
  const head = [
    `alias Input = ${carriedAs(from)};`,
    `alias Output = ${output};`,
    vectorText(carriedAs(from), undefined, vector),
    "fn kept_item(item: Input, index: u32) -> Output {",
    `  return ${indices ? "index + call.first_index" : map === undefined ? "item" : "mapped_item(item, index)"};`,
    "}",
    "",
    ...((selector.by === "flags" && map === undefined) || selector.by === "sources"
      ? []
      : [valueFromItem(from)]),
  ];
  if (selector.by === "flags" || selector.by === "sources") {
    return [generated(head.join("\n")), ...(selector.by === "flags" ? [keepFlagged] : selector.sources)];
  }
  const isWhere = selector.by === "where";
  const expression = isWhere ? selector.where : selector.class;
  const own = "value_from_item(item), index + call.first_index";
  const [declared, call] = isWhere
    ? (["fn keep(item: Input, index: u32) -> bool", `keep_value(${own})`] as const)
    : ([
        `${classesText(selector.classes)}\nfn class_of(item: Input, index: u32) -> u32`,
        `min(CLASSES - 1u, class_value(${own}))`,
      ] as const);
  if (isWhere && selector.flags) {
    return [generated(head.join("\n")), keepFlaggedAndTrue, ...conditionSources(from, expression, params)];
  }
  return [
    generated([...head, `${declared} {\n  return ${call};\n}`].join("\n")),
    ...(isWhere
      ? conditionSources(from, expression, params)
      : textFunction({
          name: "class_value",
          title: "the class",
          text: expression,
          parameters: { x: from, i: "u32" },
          result: "class",
          params,
        })),
  ];
}

/** The indirect call whose arguments a compaction writes, beside the number of kept items. */
export type Indirect =
  | {
      /** A dispatch over the kept items. */
      readonly dispatch: {
        /** How many of the kept items each work-group takes. */
        readonly itemsPerWorkGroup: number;
      };
    }
  | {
      /** A draw that has an instance for each kept item. */
      readonly draw: {
        /** The vertices of an instance. */
        readonly vertexCount: number;
      };
    }
  | {
      /** An indexed draw that has an instance for each kept item. */
      readonly drawIndexed: {
        /** The indices of an instance. */
        readonly indexCount: number;
      };
    };

/** How a partition differs from a compaction: it stores the items that are not kept, too. */
export interface Parted {
  /** The files that replace those of a compaction: they say which items are stored, and where. */
  readonly store?: readonly SourceText[];
  /**
   * Whether the rest comes behind the kept items, in the output. Then its places depend on how many items are kept in all. Otherwise it has a
   * range of its own.
   */
  readonly restFollows: boolean;
  /** For classes, the kernels that count and move items class by class. */
  readonly classes?: {
    /** How many there are. */
    readonly number: number;
    /** What gives an item's class: WGSL over the element `x` and its index `i`. */
    readonly expression: string;
    /** The files that count items and move them, if items have these sizes. */
    kernelsOf(options: TileShape): ClassKernels;
    /** The kernel that stores where classes begin. */
    offsets(sum: Monoid, sizes: Sizes): Kernel;
  };
}

/** The files of the two kernels of a partition by classes, each with an entry point. */
export interface ClassKernels {
  readonly count: readonly SourceText[];
  readonly move: readonly SourceText[];
  /** Whether each loads a tile once, and not once for each class. */
  readonly loadOnce: boolean;
  /** The constants that only they use. */
  readonly constants?: Constants;
}

/** Declares the number of classes. */
export const classesText = (classes: number): string => `const CLASSES = ${classes}u;`;

/** Declares the constants that indirect arguments are made of. */
const indirectText = (indirect: Indirect, mostWorkGroups: number): SourceText =>
  generated(
    ("dispatch" in indirect
      ? [
          `const ITEMS_PER_WORK_GROUP = ${indirect.dispatch.itemsPerWorkGroup}u;`,
          `const MOST_WORK_GROUPS = ${mostWorkGroups}u;`,
        ]
      : [
          `const VERTEX_COUNT = ${"draw" in indirect ? indirect.draw.vertexCount : indirect.drawIndexed.indexCount}u;`,
          `const INDEXED = ${"drawIndexed" in indirect};`,
        ]
    ).join("\n"),
  );

/** The options that the kernels of a compaction are generated for. */
export interface CompactKernelOptions extends KernelOptions, ParamsSeen {
  readonly type: ElementType;
  readonly selector: Selector;
  readonly indices: boolean;
  readonly arrangement: Arrangement;
  /** The map that the kept items go through. */
  readonly map?: ItemMap | undefined;
  /** As {@link ElementType.packed} of items. */
  readonly packed?: ElementType["packed"];
  readonly parted?: Parted | undefined;
}

/** The sources that all kernels of a compaction share. `sum` is that of u32. */
function compactSources(
  sum: Monoid,
  options: CompactKernelOptions,
  vector: number,
  traits: Pick<TileTraits, "moves"> = {},
): Source[] {
  const { type, selector, indices, sources, lengthOnGpu, map, params } = options;
  return [
    prefixText(true),
    ...operatorSources(sum),
    ...compactionSources(type, selector, indices, vector, map, params),
    // The sources of a selector bring the files of the type.
    ...(selector.by === "sources"
      ? []
      : (map?.keptSources(type) ?? (selector.by === "flags" ? typeFiles : expressionFiles)(type))),
    lengthFile(lengthOnGpu),
    ...sources(sum, { votes: vector === 1, ...traits }),
    loadKept,
  ];
}

/**
 * How many items a vector has. With subgroups, lanes take single items, so that a row's kept items are stored side by side.
 */
const compactVector = (options: CompactKernelOptions): number => {
  const { algorithm, arrangement, type, sizes, map } = options;
  return isWide(arrangement) && !readsNoItems(options) && !algorithms[algorithm].subgroups
    ? itemsOfVector(map?.from.bytes ?? type.bytes, sizes.items)
    : 1;
};

const compactInput = (options: CompactKernelOptions): readonly SourceText[] =>
  readsNoItems(options) ? [noInput, edges] : inputFor(options.arrangement, options.packed);

/** The kernel that counts how many items of each tile are kept. */
export function countKernel(sum: Monoid, options: CompactKernelOptions): Kernel {
  const vector = compactVector(options);
  const classes = options.parted?.classes?.kernelsOf(options);
  return linkKernel(
    `wavefold count ${classes ? "classes" : "kept"} <${options.type.name}>`,
    classes ? "count_classes" : "count_tiles",
    [...compactSources(sum, options, vector), ...compactInput(options), ...(classes?.count ?? [countTiles])],
    options.sizes,
    { vector, more: classes?.constants },
  );
}

/** The kernel that moves a tile's kept items, or their positions, to their places. */
export function compactKernel(
  sum: Monoid,
  options: CompactKernelOptions & {
    /** Where carries come from: the spine, or the sources that a single pass looks back with. */
    readonly carry: "spine" | readonly SourceText[];
    readonly indirect?: Indirect;
    readonly mostWorkGroups: number;
  },
): Kernel {
  const { type, indices, sizes, arrangement, carry, indirect, mostWorkGroups, parted } = options;
  const vector = compactVector(options);
  const singlePass = typeof carry === "object";
  const classes = parted?.classes?.kernelsOf(options);
  return linkKernel(
    `wavefold ${parted ? "partition" : "compact"} ${indices ? "indices" : "items"}${singlePass ? " in a single pass" : ""} <${type.name}>`,
    singlePass ? "compact_single_pass" : classes ? "part_classes" : "compact_tiles",
    [
      ...compactSources(sum, options, vector, { moves: classes === undefined }),
      ...(arrangement === "one-buffer"
        ? filesOf(arrangement).files
        : [...compactInput(options), outputItems]),
      ...(singlePass ? [...carry, ...totalSources(indirect, mostWorkGroups)] : [carrySpine]),
      ...(classes?.move ?? [
        storeKept,
        ...(parted?.store ?? []),
        singlePass ? compactSinglePass : compactTiles,
      ]),
    ],
    sizes,
    { vector, more: classes?.constants },
  );
}

export const totalSources = (indirect: Indirect | undefined, mostWorkGroups: number): SourceText[] =>
  indirect === undefined
    ? [totalBuffer]
    : [indirectText(indirect, mostWorkGroups), "dispatch" in indirect ? totalDispatch : totalDraw];

/** The kernel that scans the last level of a spine of counts in place, and stores their total. */
export function topOfCountsKernel(
  sum: Monoid,
  options: KernelOptions & { readonly indirect?: Indirect; readonly mostWorkGroups: number },
): Kernel {
  const { sources, sizes, indirect, mostWorkGroups } = options;
  return linkKernel(
    `wavefold scan counts <${sum.title}>`,
    "scan_tiles",
    [
      prefixText(true),
      ...operatorSources(sum),
      storageText(sum, "elements", "elements", 1),
      ...filesOf("one-buffer").files,
      carryNone,
      ...totalSources(indirect, mostWorkGroups),
      lengthOfCall,
      ...sources(sum),
      loadItems,
      storePrefixes,
      scanTiles,
    ],
    sizes,
  );
}
