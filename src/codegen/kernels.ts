import carryNoneFile from "../../shaders/device/carry_none.wgsl";
import carrySpineFile from "../../shaders/device/carry_spine.wgsl";
import combinePairsFile from "../../shaders/device/combine_pairs.wgsl";
import compactSinglePassFile from "../../shaders/device/compact_single_pass.wgsl";
import compactTilesFile from "../../shaders/device/compact_tiles.wgsl";
import copyItemsFile from "../../shaders/device/copy_items.wgsl";
import countTilesFile from "../../shaders/device/count_tiles.wgsl";
import faultsNoneFile from "../../shaders/device/faults_none.wgsl";
import inputItemsFile from "../../shaders/device/input_items.wgsl";
import inputVectorsFile from "../../shaders/device/input_vectors.wgsl";
import keepFlaggedFile from "../../shaders/device/keep_flagged.wgsl";
import lengthBufferFile from "../../shaders/device/length_buffer.wgsl";
import lengthParamsFile from "../../shaders/device/length_params.wgsl";
import loadItemsFile from "../../shaders/device/load_items.wgsl";
import loadKeptFile from "../../shaders/device/load_kept.wgsl";
import loadMappedFile from "../../shaders/device/load_mapped.wgsl";
import lookBackFile from "../../shaders/device/look_back.wgsl";
import lookBackSubgroupFile from "../../shaders/device/look_back_subgroup.wgsl";
import noInputFile from "../../shaders/device/no_input.wgsl";
import oneBufferItemsFile from "../../shaders/device/one_buffer_items.wgsl";
import oneBufferVectorsFile from "../../shaders/device/one_buffer_vectors.wgsl";
import outputItemsFile from "../../shaders/device/output_items.wgsl";
import outputVectorsFile from "../../shaders/device/output_vectors.wgsl";
import reduceTilesFile from "../../shaders/device/reduce_tiles.wgsl";
import scanSinglePassFile from "../../shaders/device/scan_single_pass.wgsl";
import scanTilesFile from "../../shaders/device/scan_tiles.wgsl";
import spineEntriesFile from "../../shaders/device/spine_entries.wgsl";
import storeKeptFile from "../../shaders/device/store_kept.wgsl";
import storePrefixesFile from "../../shaders/device/store_prefixes.wgsl";
import tileByNumberFile from "../../shaders/device/tile_by_number.wgsl";
import tileByTicketFile from "../../shaders/device/tile_by_ticket.wgsl";
import totalBufferFile from "../../shaders/device/total_buffer.wgsl";
import totalDispatchFile from "../../shaders/device/total_dispatch.wgsl";
import totalDrawFile from "../../shaders/device/total_draw.wgsl";
import totalNoneFile from "../../shaders/device/total_none.wgsl";
import { SourceError } from "../errors.ts";
import type { Monoid } from "../operators.ts";
import type { ElementType, SourceText } from "../types.ts";
import type { Algorithm } from "./algorithms.ts";
import { algorithms, memoryOf, subgroupSlots } from "./algorithms.ts";
import type { Indirect, ItemMap, Selector, Side, Sizes } from "./contract.ts";
import {
  compactionText,
  elementWords,
  indirectText,
  itemsOfVector,
  mappedText,
  operatorText,
  paramsText,
  patienceText,
  sizesText,
  storageText,
  subgroupText,
  typeSources,
  wordsText,
} from "./contract.ts";
import type { Declaration, Module, SourceParts } from "./module.ts";
import { assemble, parseSources, reachable, usesF16 } from "./module.ts";

const file = (name: string, text: string): SourceText => ({ name: `shaders/device/${name}`, text });
const carryNone = file("carry_none.wgsl", carryNoneFile);
const carrySpine = file("carry_spine.wgsl", carrySpineFile);
const combinePairs = file("combine_pairs.wgsl", combinePairsFile);
const compactSinglePass = file("compact_single_pass.wgsl", compactSinglePassFile);
const compactTiles = file("compact_tiles.wgsl", compactTilesFile);
const copyItems = file("copy_items.wgsl", copyItemsFile);
const countTiles = file("count_tiles.wgsl", countTilesFile);
const faultsNone = file("faults_none.wgsl", faultsNoneFile);
const inputItems = file("input_items.wgsl", inputItemsFile);
const inputVectors = file("input_vectors.wgsl", inputVectorsFile);
const keepFlagged = file("keep_flagged.wgsl", keepFlaggedFile);
const lengthBuffer = file("length_buffer.wgsl", lengthBufferFile);
const lengthParams = file("length_params.wgsl", lengthParamsFile);
const loadItems = file("load_items.wgsl", loadItemsFile);
const loadKept = file("load_kept.wgsl", loadKeptFile);
const loadMapped = file("load_mapped.wgsl", loadMappedFile);
const lookBack = file("look_back.wgsl", lookBackFile);
const lookBackSubgroup = file("look_back_subgroup.wgsl", lookBackSubgroupFile);
const spineEntries = file("spine_entries.wgsl", spineEntriesFile);
const noInput = file("no_input.wgsl", noInputFile);
const oneBufferItems = file("one_buffer_items.wgsl", oneBufferItemsFile);
const oneBufferVectors = file("one_buffer_vectors.wgsl", oneBufferVectorsFile);
const outputItems = file("output_items.wgsl", outputItemsFile);
const outputVectors = file("output_vectors.wgsl", outputVectorsFile);
const reduceTiles = file("reduce_tiles.wgsl", reduceTilesFile);
const scanSinglePass = file("scan_single_pass.wgsl", scanSinglePassFile);
const scanTiles = file("scan_tiles.wgsl", scanTilesFile);
const storeKept = file("store_kept.wgsl", storeKeptFile);
const storePrefixes = file("store_prefixes.wgsl", storePrefixesFile);
const tileByNumber = file("tile_by_number.wgsl", tileByNumberFile);
const tileByTicket = file("tile_by_ticket.wgsl", tileByTicketFile);
const totalBuffer = file("total_buffer.wgsl", totalBufferFile);
const totalDispatch = file("total_dispatch.wgsl", totalDispatchFile);
const totalDraw = file("total_draw.wgsl", totalDrawFile);
const totalNone = file("total_none.wgsl", totalNoneFile);

/** How a kernel binds a buffer. A `digit` is a uniform that a dynamic offset chooses. */
export type BindingKind = "uniform" | "digit" | "read" | "read_write";

/** Where kernels bind what: the numbers in group 0, as the files of shaders/device/ have them. */
export const bindingOf = {
  params: 0,
  input: 1,
  output: 2,
  spine: 3,
  flags: 4,
  total: 5,
  inputEnd: 6,
  outputEnd: 7,
  length: 8,
  indirect: 9,
  runLow: 10,
  runHigh: 11,
} as const satisfies Record<string, number>;

/** A compute shader, as data: what it takes to make its pipeline. */
export interface Kernel extends Module {
  readonly label: string;
  readonly entryPoint: string;
  /** By binding number, in group 0. */
  readonly bindings: ReadonlyMap<number, BindingKind>;
  /** Items of a vector, where its ranges are bound as vectors. */
  readonly vector: number;
}

/**
 * How the ranges lie. Vectors: input and output are ranges of two buffers, and both start at a vector.
 * Items: they start anywhere. One buffer: two ranges of it, or one, anywhere. In place: one range, which
 * starts at a vector.
 */
export type Arrangement = "vectors" | "items" | "one-buffer" | "in-place";

/** What every kernel is generated for. */
export interface KernelOptions {
  readonly algorithm: Algorithm;
  readonly sizes: Sizes;
  /** Whether a buffer holds the length. */
  readonly lengthOnGpu: boolean;
}

/** What a single-pass kernel is generated for beside. */
export interface LookBackOptions {
  /** Attempts to read what another work-group hands on, before it is computed again. */
  readonly patience: number;
  /** Whether tiles are taken in the order in which work-groups start. */
  readonly tickets: boolean;
  /** For tests: declarations in place of those of faults_none.wgsl. */
  readonly faults?: SourceText;
}

const arrangements = {
  vectors: { files: [inputVectors, outputVectors], wide: true },
  items: { files: [inputItems, outputItems], wide: false },
  "one-buffer": { files: [oneBufferItems], wide: false },
  "in-place": { files: [oneBufferVectors], wide: true },
} as const satisfies Record<Arrangement, { files: readonly SourceText[]; wide: boolean }>;

/** Tiles of a group where a work-group's threads look back together. */
const MOST_FAN_OUT = 32;

/** How a single pass looks back, which its spine is sized by. */
export interface LookBackShape {
  /** Whether one subgroup does it; else the work-group's threads together. */
  readonly bySubgroup: boolean;
  /** Tiles of a group. */
  readonly fanOut: number;
}

/** Subgroups look back where all of them are full, and more than one. */
export function lookBackShape({
  algorithm,
  sizes,
}: Pick<KernelOptions, "algorithm" | "sizes">): LookBackShape {
  const { workGroupSize, minSubgroupSize, maxSubgroupSize } = sizes;
  const allFull = workGroupSize % maxSubgroupSize === 0 && workGroupSize > maxSubgroupSize;
  if (algorithms[algorithm].subgroups && allFull) {
    return { bySubgroup: true, fanOut: Math.min(32, minSubgroupSize) };
  }
  return { bySubgroup: false, fanOut: Math.min(MOST_FAN_OUT, 2 ** Math.floor(Math.log2(workGroupSize / 2))) };
}

/** Groups that subgroups look back through, at once and in all: as look_back_subgroup.wgsl has them. */
const GROUPS_AT_ONCE = 2;
const MOST_GROUPS = 32 * GROUPS_AT_ONCE;

/** Bytes of work-group memory that a look-back uses beside its algorithm. */
export function lookBackMemory(
  kernel: Pick<KernelOptions, "algorithm" | "sizes">,
  elementBytes: number,
): number {
  const { bySubgroup, fanOut } = lookBackShape(kernel);
  return bySubgroup
    ? memoryOf([GROUPS_AT_ONCE, MOST_GROUPS, 1, fanOut], elementBytes, 4)
    : memoryOf([], elementBytes, 2);
}

/** Bytes of a spine that a single pass hands results on in: entries, each twice, and a ticket a run. */
export function spineBytes(shape: LookBackShape, tiles: number, elementWords: number, runs: number): number {
  const { bySubgroup, fanOut } = shape;
  const groups = Math.floor(tiles / fanOut);
  const entries = tiles + groups + 1 + (bySubgroup ? 0 : Math.floor(groups / fanOut));
  const entryWords = bySubgroup ? 2 * elementWords : Math.ceil((2 * elementWords) / 8) * 8;
  return (2 * entries * entryWords + runs + 1) * 4;
}

/** Links sources, keeps what the entry point reaches, and reads the bindings off it. */
function link(
  label: string,
  entryPoint: string,
  sources: readonly (SourceText | SourceParts)[],
  sizes: Sizes,
  vector = 1,
  words = 1,
): Kernel {
  const constants = {
    ITEMS: sizes.items,
    VECTOR: vector,
    VECTORS: sizes.items / vector,
    ELEMENT_WORDS: words,
    SUBGROUP_SLOTS: subgroupSlots(sizes),
    WINDOW_SLOTS: Math.min(subgroupSlots(sizes), Math.ceil((2 * MOST_FAN_OUT) / sizes.minSubgroupSize)),
  };
  const { enables, diagnostics, declarations } = parseSources(
    [sizesText(sizes), paramsText, ...sources],
    sizes.unrolled ? constants : undefined,
  );
  rejectClashes(declarations);
  const kept = reachable(declarations, [entryPoint]);
  const bindings = new Map<number, BindingKind>();
  for (const declaration of kept) {
    if (declaration.keyword === "var") {
      const text = declaration.lines.map((line) => line.text).join("\n");
      const number = /@binding\((\d+)\)/.exec(text)?.[1];
      if (number !== undefined) {
        bindings.set(Number(number), kindOf(Number(number), text));
      }
    }
  }
  const enabled = [...enables.filter((name) => name !== "f16"), ...(usesF16(kept) ? ["f16"] : [])];
  return { label, entryPoint, bindings, vector, ...assemble(enabled, kept, diagnostics) };
}

function kindOf(number: number, text: string): BindingKind {
  if (text.includes("var<uniform>")) {
    return number === bindingOf.params ? "uniform" : "digit";
  }
  return text.includes("read_write") ? "read_write" : "read";
}

/** A name that the caller declares must not be one of ours, nor one that another text of theirs has. */
function rejectClashes(declarations: readonly Declaration[]): void {
  const taken = new Set(
    declarations.filter((one) => !one.lines.some((line) => line.source.callers)).map((one) => one.name),
  );
  for (const { name, lines } of declarations) {
    const line = lines.find((one) => one.source.callers);
    if (line !== undefined && taken.has(name)) {
      throw new SourceError(
        `${line.source.name}, line ${line.number}: the name ${name} is taken; choose another`,
        line.source.text,
        line.number,
        0,
      );
    }
    taken.add(name);
  }
}

const workGroup = (monoid: Monoid, algorithm: Algorithm): SourceText[] => [
  ...(algorithms[algorithm].subgroups ? [subgroupText(monoid)] : []),
  ...algorithms[algorithm].deviceFiles,
];

const lengthFile = (lengthOnGpu: boolean): SourceText => (lengthOnGpu ? lengthBuffer : lengthParams);

const lookBackText = (monoid: Monoid, kernel: KernelOptions, options: LookBackOptions): SourceText[] => [
  ...(options.faults === undefined ? [] : [options.faults]),
  faultsNone,
  patienceText(options.patience),
  wordsText(monoid),
  spineEntries,
  lookBackShape(kernel).bySubgroup ? lookBackSubgroup : lookBack,
  options.tickets ? tileByTicket : tileByNumber,
];

/** A tile's prefixes on top of a carry; with a total, that of all tiles. */
export function scanKernel(
  monoid: Monoid,
  options: KernelOptions & {
    readonly exclusive: boolean;
    readonly side: Side;
    readonly arrangement: Arrangement;
    readonly carry: boolean | LookBackOptions;
    readonly total: boolean;
    readonly map?: ItemMap | undefined;
  },
): Kernel {
  const { algorithm, sizes, exclusive, side, arrangement, carry, total, lengthOnGpu, map } = options;
  const { files, wide } = arrangements[arrangement];
  const { bytes } = monoid.type;
  const vector = wide ? itemsOfVector(map?.from.bytes ?? bytes, sizes.items, bytes) : 1;
  const singlePass = typeof carry === "object";
  return link(
    `wavefold scan ${side}${singlePass ? " in a single pass" : ""} <${monoid.title}>`,
    singlePass ? "scan_single_pass" : "scan_tiles",
    [
      { name: "generated contract", text: `const EXCLUSIVE = ${exclusive};` },
      operatorText(monoid),
      ...(map === undefined
        ? [storageText(monoid, side, side, vector), ...typeSources(monoid.type)]
        : mappedSources(monoid, map, side, vector, true)),
      ...files,
      ...(singlePass ? lookBackText(monoid, options, carry) : [carry ? carrySpine : carryNone]),
      total ? totalBuffer : totalNone,
      lengthFile(lengthOnGpu),
      ...workGroup(monoid, algorithm),
      loadItems,
      storePrefixes,
      singlePass ? scanSinglePass : scanTiles,
    ],
    sizes,
    vector,
    elementWords(monoid),
  );
}

/** What two types bring along, each source once. */
const typesSources = (...types: readonly ElementType[]): SourceText[] => [
  ...new Set([...new Set(types)].flatMap(typeSources)),
];

/** What a kernel of mapped items is written against, and what loads them. */
const mappedSources = (
  monoid: Monoid,
  map: ItemMap,
  output: Side,
  vector: number,
  storesVectors: boolean,
): (SourceText | SourceParts)[] => [
  mappedText(monoid, map, output, vector, storesVectors),
  ...typesSources(map.from, monoid.type),
  // Its functions are the first of their names.
  loadMapped,
];

/** The tiles' totals. */
export function reduceKernel(
  monoid: Monoid,
  options: KernelOptions & {
    readonly input: Side;
    readonly output: Side;
    readonly wide: boolean;
    /** What items go through; elements go through none. */
    readonly map?: ItemMap | undefined;
    /** Bytes of the items that another pass stores by vectors of as many; as those loaded, where it is left out. */
    readonly storedBytes?: number;
  },
): Kernel {
  const { algorithm, sizes, input, output, wide, lengthOnGpu, map, storedBytes } = options;
  const mapped = input === "items" ? map : undefined;
  const vector = wide ? itemsOfVector(mapped?.from.bytes ?? monoid.type.bytes, sizes.items, storedBytes) : 1;
  return link(
    `wavefold reduce ${input} to ${output} <${monoid.title}>`,
    "reduce_tiles",
    [
      operatorText(monoid),
      ...(mapped === undefined
        ? [storageText(monoid, input, output, vector), ...typeSources(monoid.type)]
        : mappedSources(monoid, mapped, output, vector, false)),
      wide ? inputVectors : inputItems,
      outputItems,
      lengthFile(lengthOnGpu),
      ...workGroup(monoid, algorithm),
      loadItems,
      reduceTiles,
    ],
    sizes,
    vector,
  );
}

/** What a compaction's kernels are generated for. */
export interface CompactKernelOptions extends KernelOptions {
  readonly type: ElementType;
  readonly selector: Selector;
  readonly indices: boolean;
  readonly arrangement: Arrangement;
  /** What the items that are kept go through. */
  readonly map?: ItemMap;
}

/** What a compaction's kernels have in common. `count` is the sum of u32. */
function compactSources(
  count: Monoid,
  options: CompactKernelOptions,
  vector: number,
): (SourceText | SourceParts)[] {
  const { type, selector, indices, algorithm, lengthOnGpu, map } = options;
  return [
    operatorText(count),
    ...compactionText(type, selector, indices, vector, map),
    ...(selector === "flags" ? [keepFlagged] : []),
    ...typesSources(map?.from ?? type, type),
    lengthFile(lengthOnGpu),
    ...workGroup(count, algorithm),
    loadItems,
    loadKept,
  ];
}

const compactVector = ({ arrangement, type, selector, indices, sizes, map }: CompactKernelOptions): number =>
  arrangement === "vectors" && !(selector === "flags" && indices)
    ? itemsOfVector(map?.from.bytes ?? type.bytes, sizes.items)
    : 1;

const compactInput = ({ arrangement, selector, indices }: CompactKernelOptions): SourceText =>
  selector === "flags" && indices ? noInput : arrangement === "vectors" ? inputVectors : inputItems;

/** How many items of each tile are kept. */
export function countKernel(count: Monoid, options: CompactKernelOptions): Kernel {
  const vector = compactVector(options);
  return link(
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
    readonly carry: "spine" | LookBackOptions;
    readonly indirect?: Indirect;
    readonly mostWorkGroups: number;
  },
): Kernel {
  const { type, indices, sizes, arrangement, carry, indirect, mostWorkGroups } = options;
  const vector = compactVector(options);
  const singlePass = typeof carry === "object";
  return link(
    `wavefold compact ${indices ? "indices" : "items"}${singlePass ? " in a single pass" : ""} <${type.name}>`,
    singlePass ? "compact_single_pass" : "compact_tiles",
    [
      ...compactSources(count, options, vector),
      ...(arrangement === "one-buffer" ? [oneBufferItems] : [compactInput(options), outputItems]),
      ...(singlePass
        ? [...lookBackText(count, options, carry), ...totalSources(indirect, mostWorkGroups)]
        : [carrySpine]),
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
  const { algorithm, sizes, indirect, mostWorkGroups } = options;
  return link(
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
      ...workGroup(count, algorithm),
      loadItems,
      storePrefixes,
      scanTiles,
    ],
    sizes,
  );
}

/** Copies as many items as the total says. */
export function copyKernel(stored: string, sizes: Sizes): Kernel {
  return link(
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

/** The combination of each two items. */
export function combineKernel(monoid: Monoid, sizes: Sizes): Kernel {
  return link(
    `wavefold combine <${monoid.title}>`,
    "combine_pairs",
    [
      operatorText(monoid),
      storageText(monoid, "items", "items", 1),
      ...typeSources(monoid.type),
      inputItems,
      outputItems,
      combinePairs,
    ],
    sizes,
  );
}
