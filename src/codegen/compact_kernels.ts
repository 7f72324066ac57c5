import compactSinglePassFile from "../../shaders/device/compact_single_pass.wgsl";
import compactTilesFile from "../../shaders/device/compact_tiles.wgsl";
import copyItemsFile from "../../shaders/device/copy_items.wgsl";
import countTilesFile from "../../shaders/device/count_tiles.wgsl";
import keepFlaggedFile from "../../shaders/device/keep_flagged.wgsl";
import loadKeptFile from "../../shaders/device/load_kept.wgsl";
import noInputFile from "../../shaders/device/no_input.wgsl";
import storeKeptFile from "../../shaders/device/store_kept.wgsl";
import totalDispatchFile from "../../shaders/device/total_dispatch.wgsl";
import totalDrawFile from "../../shaders/device/total_draw.wgsl";
import type { Monoid } from "../operators.ts";
import type { ElementType, SourceText } from "../types.ts";
import type { Indirect, Selector, Sizes } from "./contract.ts";
import {
  compactionText,
  indirectText,
  itemsOfVector,
  operatorText,
  storageText,
  typeSources,
} from "./contract.ts";
import type { Arrangement, Kernel, KernelOptions } from "./kernels.ts";
import {
  carryNone,
  carrySpine,
  file,
  inputItems,
  inputVectors,
  lengthFile,
  lengthParams,
  linkKernel,
  loadItems,
  oneBufferItems,
  outputItems,
  scanTiles,
  storePrefixes,
  totalBuffer,
} from "./kernels.ts";
import type { SourceParts } from "./module.ts";

const compactSinglePass = /* @__PURE__ */ file("compact_single_pass.wgsl", compactSinglePassFile);
const compactTiles = /* @__PURE__ */ file("compact_tiles.wgsl", compactTilesFile);
const copyItems = /* @__PURE__ */ file("copy_items.wgsl", copyItemsFile);
const countTiles = /* @__PURE__ */ file("count_tiles.wgsl", countTilesFile);
const keepFlagged = /* @__PURE__ */ file("keep_flagged.wgsl", keepFlaggedFile);
const loadKept = /* @__PURE__ */ file("load_kept.wgsl", loadKeptFile);
const noInput = /* @__PURE__ */ file("no_input.wgsl", noInputFile);
const storeKept = /* @__PURE__ */ file("store_kept.wgsl", storeKeptFile);
const totalDispatch = /* @__PURE__ */ file("total_dispatch.wgsl", totalDispatchFile);
const totalDraw = /* @__PURE__ */ file("total_draw.wgsl", totalDrawFile);

/** What a compaction's kernels are generated for. */
export interface CompactKernelOptions extends KernelOptions {
  readonly type: ElementType;
  readonly selector: Selector;
  readonly indices: boolean;
  readonly arrangement: Arrangement;
}

/** What a compaction's kernels have in common. `count` is the sum of u32. */
function compactSources(
  count: Monoid,
  options: CompactKernelOptions,
  vector: number,
): (SourceText | SourceParts)[] {
  const { type, selector, indices, sources, lengthOnGpu } = options;
  return [
    operatorText(count),
    compactionText(type, selector, indices, vector),
    ...(selector === "flags" ? [keepFlagged] : []),
    ...typeSources(type),
    lengthFile(lengthOnGpu),
    ...sources(count),
    loadItems,
    loadKept,
  ];
}

const compactVector = ({ arrangement, type, selector, indices, sizes }: CompactKernelOptions): number =>
  arrangement === "vectors" && !(selector === "flags" && indices)
    ? itemsOfVector(type.bytes, sizes.items)
    : 1;

const compactInput = ({ arrangement, selector, indices }: CompactKernelOptions): SourceText =>
  selector === "flags" && indices ? noInput : arrangement === "vectors" ? inputVectors : inputItems;

/** How many items of each tile are kept. */
export function countKernel(count: Monoid, options: CompactKernelOptions): Kernel {
  const vector = compactVector(options);
  return linkKernel(
    `wavefold count kept <${options.type.name}>`,
    "count_tiles",
    [...compactSources(count, options, vector), compactInput(options), countTiles],
    options.sizes,
    vector,
  );
}

/** Moves a tile's kept items, or their positions, to their places. */
export function compactKernel(
  count: Monoid,
  options: CompactKernelOptions & {
    /** What a single pass looks back with. */
    readonly carry: "spine" | readonly SourceText[];
    readonly indirect?: Indirect;
    readonly mostWorkGroups: number;
  },
): Kernel {
  const { type, indices, sizes, arrangement, carry, indirect, mostWorkGroups } = options;
  const vector = compactVector(options);
  const singlePass = typeof carry === "object";
  return linkKernel(
    `wavefold compact ${indices ? "indices" : "items"}${singlePass ? " in a single pass" : ""} <${type.name}>`,
    singlePass ? "compact_single_pass" : "compact_tiles",
    [
      ...compactSources(count, options, vector),
      ...(arrangement === "one-buffer" ? [oneBufferItems] : [compactInput(options), outputItems]),
      ...(singlePass ? [...carry, ...totalSources(indirect, mostWorkGroups)] : [carrySpine]),
      storeKept,
      singlePass ? compactSinglePass : compactTiles,
    ],
    sizes,
    vector,
  );
}

const totalSources = (indirect: Indirect | undefined, mostWorkGroups: number): SourceText[] =>
  indirect === undefined
    ? [totalBuffer]
    : [indirectText(indirect, mostWorkGroups), "dispatch" in indirect ? totalDispatch : totalDraw];

/** Scans the last level of a spine of counts in place, and hands on their total. */
export function topOfCountsKernel(
  count: Monoid,
  options: KernelOptions & { readonly indirect?: Indirect; readonly mostWorkGroups: number },
): Kernel {
  const { sources, sizes, indirect, mostWorkGroups } = options;
  return linkKernel(
    `wavefold scan counts <${count.title}>`,
    "scan_tiles",
    [
      { name: "generated contract", text: "const EXCLUSIVE = true;" },
      operatorText(count),
      storageText(count, "elements", "elements", 1),
      oneBufferItems,
      carryNone,
      ...totalSources(indirect, mostWorkGroups),
      lengthParams,
      ...sources(count),
      loadItems,
      storePrefixes,
      scanTiles,
    ],
    sizes,
  );
}

/** Copies as many items as the total says. */
export function copyKernel(stored: string, sizes: Sizes): Kernel {
  return linkKernel(
    `wavefold copy <${stored}>`,
    "copy_items",
    [
      {
        name: "generated contract",
        text: `alias Input = ${stored};\nalias Output = ${stored};\nalias InputVector = Input;\nalias OutputVector = Output;`,
      },
      inputItems,
      outputItems,
      copyItems,
    ],
    sizes,
  );
}
