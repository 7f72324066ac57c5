import carryNone from "#shaders/device/io/carry_none.wgsl";
import carrySpine from "#shaders/device/io/carry_spine.wgsl";
import edges from "#shaders/device/io/edges.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import inputPadded from "#shaders/device/io/input_padded.wgsl";
import inputVectors from "#shaders/device/io/input_vectors.wgsl";
import lengthBuffer from "#shaders/device/io/length_buffer.wgsl";
import lengthOfCall from "#shaders/device/io/length_of_call.wgsl";
import loadItems from "#shaders/device/io/load_items.wgsl";
import oneBufferItems from "#shaders/device/io/one_buffer_items.wgsl";
import oneBufferVectors from "#shaders/device/io/one_buffer_vectors.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import outputPadded from "#shaders/device/io/output_padded.wgsl";
import outputVectors from "#shaders/device/io/output_vectors.wgsl";
import result from "#shaders/device/io/result.wgsl";
import storePrefixes from "#shaders/device/io/store_prefixes.wgsl";
import totalNone from "#shaders/device/io/total_none.wgsl";
import reduceTiles from "#shaders/device/kernels/reduce_tiles.wgsl";
import scanTiles from "#shaders/device/kernels/scan_tiles.wgsl";
import type { Monoid, OwnTiles, TileFiles, TileKernel, WorkGroupLimits } from "../algebra/monoid.ts";
import type { ElementType, RangeFiles } from "../algebra/types.ts";
import type { LinkedModule } from "../text/link.ts";
import { linkSources } from "../text/link.ts";
import type { Constants } from "../text/module.ts";
import type { Source, SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import type { TileShape } from "./algorithms.ts";
import type { Side } from "./contract.ts";
import {
  callText,
  callTextWith,
  constantsOf,
  constantsText,
  elementsOfVector,
  elementWords,
  itemsOfVector,
  operatorSources,
  storageText,
} from "./contract.ts";
import type { ItemMap } from "./map.ts";
import type { Sizes } from "./sizes.ts";
import type { TileSources } from "./tiles.ts";

/** How a kernel binds a buffer. A `digit` and `params` are uniforms that a dynamic offset chooses. */
export type BindingKind = "uniform" | "digit" | "params" | "read" | "read_write";

/** A binding of group 0. */
export interface Binding {
  readonly number: number;
  readonly kind: BindingKind;
}

/** A compute shader as data, with all that its pipeline is made of. */
export interface Kernel extends LinkedModule {
  readonly label: string;
  readonly entryPoint: string;
  /** Its bindings, by the names of their variables. */
  readonly bindings: ReadonlyMap<string, Binding>;
  /** Items of a vector, if its ranges are bound as vectors. */
  readonly vector: number;
  /** The items that a work-group takes, of as many as its threads have. */
  readonly tile: number;
  /** The members of `Call` that it has beside those of all kernels: numbers, and where ranges start, that no other kernel takes. */
  readonly members?: readonly string[];
}

/**
 * How input and output lie. `vectors`: they are ranges of two buffers, and both start at a vector. `items`: they are ranges
 * of two buffers, and start at any item. `one-buffer`: they are two ranges of one buffer, or the same range, and start at
 * any item. `in-place`: they are the same range, which starts at a vector. `padded`: they are two whole buffers of ours,
 * with room for whole vectors.
 */
export type Arrangement = "vectors" | "items" | "one-buffer" | "in-place" | "padded";

/** The options that every kernel is generated for. */
export interface KernelOptions extends TileShape {
  readonly sources: TileSources;
  /** The device's limits, if it is a GPU. */
  readonly gpuLimits?: WorkGroupLimits | false;
  /** Whether a buffer holds the length. */
  readonly lengthOnGpu: boolean;
}

const arrangements = {
  vectors: { files: [inputVectors, outputVectors, edges], input: [inputVectors, edges], wide: true },
  items: { files: [inputItems, outputItems, edges], input: [inputItems, edges], wide: false },
  "one-buffer": { files: [oneBufferItems, edges], input: [inputItems, edges], wide: false },
  "in-place": { files: [oneBufferVectors, edges], input: [inputVectors, edges], wide: true },
  padded: { files: [inputPadded, outputPadded], input: [inputPadded], wide: true },
} as const satisfies Record<Arrangement, RangeFiles>;

/** Whether items are loaded as vectors. */
export const isWide = (arrangement: Arrangement): boolean => arrangements[arrangement].wide;

/** Whether input and output are in two buffers. */
export const isApart = (arrangement: Arrangement): boolean =>
  arrangement === "vectors" || arrangement === "items" || arrangement === "padded";

/** The files of kernels that take items in mirrored order: those that say where mirrored items lie come first. */
export type Mirror = Readonly<
  Record<Exclude<Arrangement, "vectors" | "padded">, RangeFiles> & Partial<Record<"vectors", RangeFiles>>
>;

/** The files for an arrangement; or `others` in their place, as for items in mirrored order, or for items that share words. */
export const filesOf = (
  arrangement: Arrangement,
  others?: Readonly<Partial<Record<Arrangement, RangeFiles>>>,
): RangeFiles => others?.[arrangement] ?? arrangements[arrangement];

/** The files by which kernels read packed items, unless what the kernels are for needs a word for each item. */
export const packedUnless = ({ packed }: ElementType, needsWords: unknown): ElementType["packed"] =>
  needsWords ? undefined : packed;

/** What a kernel's constants say beside its sizes. */
export interface KernelConstants {
  /** Items of a vector. The default is 1. */
  readonly vector?: number;
  /** Words of an element. The default is 1. */
  readonly words?: number;
  /** Constants that only the sources of this kernel use. */
  readonly more?: Constants | undefined;
  /** As {@link Kernel.members}. */
  readonly members?: readonly string[];
}

/** Links sources to the kernel of an entry point, and finds the kernel's bindings. */
export function linkKernel(
  label: string,
  entryPoint: string,
  sources: readonly Source[],
  sizes: Sizes,
  { vector = 1, words = 1, more, members }: KernelConstants = {},
): Kernel {
  const constants = { ...constantsOf(sizes, vector, words), ...more };
  const module = linkSources(
    [constantsText(constants), members ? callTextWith(members) : callText, ...sources],
    entryPoint,
    sizes.unrolled ? constants : undefined,
  );
  return {
    label,
    entryPoint,
    bindings: bindingsIn(module.code),
    vector,
    tile: sizes.workGroupSize * sizes.items,
    ...(members && { members }),
    ...module,
  };
}

/** The bindings that a text declares, by the names of their variables. */
export const bindingsIn = (code: string): ReadonlyMap<string, Binding> =>
  new Map(
    [...code.matchAll(/@binding\((\d+)\) var<(.*?)> (\w+):/g)].map(([, number, space, name = ""]) => [
      name,
      { number: Number(number), kind: kindOf(name, space) },
    ]),
  );

/** The kind of a binding, from its name, and the address space and the access that it is declared with. */
function kindOf(name: string, space: string | undefined): BindingKind {
  if (space === "uniform") {
    return name === "run_low" || name === "run_high" ? "digit" : name === "params" ? "params" : "uniform";
  }
  return space === "storage, read" ? "read" : "read_write";
}

/** Declares `select_prefix`: whether a scan asks for an item's exclusive or inclusive prefix. */
export const prefixText = (exclusive: boolean): SourceText =>
  generated(
    `fn select_prefix(exclusive: Element, inclusive: Element) -> Element {\n  return ${exclusive ? "exclusive" : "inclusive"};\n}`,
  );

export const lengthFile = (lengthOnGpu: boolean): SourceText => (lengthOnGpu ? lengthBuffer : lengthOfCall);

/** How a kernel of an operator reads and writes its ranges. */
interface RangesRead {
  readonly input: Side;
  readonly output: Side;
  readonly vector: number;
  /** The map that items go through. Elements go through none. */
  readonly map?: ItemMap | undefined;
  /** Whether a map stores vectors of as many items as it loads. */
  readonly storesVectors?: boolean;
  /** As in {@link storageText}. */
  readonly shown?: string | undefined;
  readonly isMirrored?: boolean;
}

/** The declarations of what a kernel reads and writes, and the files of its types: those of the map, or of the operator's type. */
export const rangeSources = (
  monoid: Monoid,
  { input, output, vector, map, storesVectors = false, shown, isMirrored }: RangesRead,
): readonly Source[] =>
  (input === "items" ? map : undefined)?.sources(monoid, output, vector, storesVectors, shown) ?? [
    storageText(monoid, input, output, vector, shown, isMirrored),
    ...monoid.type.files,
  ];

/** Where a kernel's carry comes from; `result` is for the kernel that stores the result of a reduction. */
export type CarryPlace = "one tile" | "spine" | "look-back" | "result";

/** Gives the bytes of an initial value, as a buffer holds them. @throws {ArgumentError} for what is no value of the type. */
export type InitialBytes = (value: unknown) => Uint8Array;

/** The ends of a scan or a reduction: an initial value before the first element, and a range for the total. */
export interface Ends {
  /** The operator. If there is an initial value, this operator has no `start` of its own. */
  readonly monoid: Monoid;
  readonly initial?: InitialBytes;
  readonly total: boolean;
  /** The ranges that a recording takes. */
  readonly needs: readonly ("initial" | "total")[];
  /** The declarations for a kernel's carry and total. */
  sources(place: CarryPlace): readonly SourceText[];
}

/** The declarations for what a reduction stores for a total. */
export const resultSources = (ends: Ends | undefined): readonly SourceText[] =>
  ends?.sources("result") ?? [result];

/** The facts that decide how a kernel stores totals: its tiles, and where their carries come from. */
export type TotalsOptions = TileShape & {
  readonly carry: boolean | readonly SourceText[];
};

/** The sources for segments of the kernels that read items. */
export interface SegmentSources {
  /** Declares `select_prefix`, if exclusive prefixes start anew with each segment. */
  readonly prefix?: SourceText;
  /** The files that say where segments start. */
  readonly heads: readonly Source[];
  /** The file that loads a tile's items in place of load_items.wgsl, and says of each whether a segment starts there. */
  readonly load: SourceText;
  /** The file that stores prefixes, if not store_prefixes.wgsl. */
  readonly store?: SourceText;
  /** The files of the output of totals, if not output_items.wgsl alone. */
  readonly output?: readonly SourceText[];
  /** The files that store the totals of segments instead of prefixes, in a kernel of these options. */
  totals?(options: TotalsOptions): readonly SourceText[];
  /** Stores the number of segments. */
  readonly count?: SourceText;
  /** The kernel of a single pass, if it differs from that of a scan. */
  singlePass?(options: SinglePassKernelOptions): Kernel | undefined;
}

/** The options of the kernel of a single pass over segments. `carry` is what it looks back with. */
export type SinglePassKernelOptions = KernelOptions &
  ScanKernelOptions & { readonly arrangement: Arrangement; readonly carry: readonly SourceText[] };

/** The options that all kernels of a scan share. */
export interface ScanKernelOptions {
  readonly exclusive: boolean;
  readonly side: Side;
  /** Whether a buffer holds the length. */
  readonly lengthOnGpu: boolean;
  readonly map?: ItemMap | undefined;
  /** As {@link ElementType.packed} of items. */
  readonly packed?: ElementType["packed"];
  /** The files for mirrored items, if the scan goes from the last item to the first. */
  readonly mirror?: Mirror | undefined;
  readonly ends?: Ends | undefined;
  readonly segments?: SegmentSources | undefined;
}

/** Links a kernel of tiles. `sourcesOf` takes the files of the operator's own tiles. */
function linkTiles(
  label: string,
  entryPoint: Parameters<OwnTiles>[1],
  sourcesOf: (files: Partial<TileFiles>) => readonly Source[],
  monoid: Monoid,
  options: KernelOptions & Partial<Pick<TileKernel<Sizes>, "exclusive" | "carry" | "ends">>,
  { side, vector }: { readonly side: Side; readonly vector: number },
): Kernel {
  const { sizes } = options;
  const words = elementWords(monoid);
  const own = monoid.tiles?.(side, entryPoint, constantsOf(sizes, vector, words), options);
  return linkKernel(label, entryPoint, sourcesOf(own?.files ?? {}), own?.sizes ?? sizes, { vector, words });
}

/** Items of a vector of a kernel. `loaded` and `stored` are the bytes of an item that is loaded, and of one that is stored. */
const vectorOf = (
  { wide }: RangeFiles,
  side: Side,
  monoid: Monoid,
  { items }: Sizes,
  loaded: number,
  stored?: number,
): number =>
  !wide ? 1 : side === "elements" ? elementsOfVector(monoid, items) : itemsOfVector(loaded, items, stored);

/** Where a scan's carries come from, and what it stores beside prefixes. A single pass has the files of its carries. */
function endSources(
  carry: TotalsOptions["carry"],
  ends: Ends | undefined,
  segments: SegmentSources | undefined,
): readonly SourceText[] {
  const singlePass = typeof carry === "object";
  return (
    ends?.sources(singlePass ? "look-back" : carry ? "spine" : "one tile") ?? [
      ...(singlePass ? [] : [carry ? carrySpine : carryNone]),
      segments?.count ?? totalNone,
    ]
  );
}

/** The kernel that scans each tile on top of its carry. */
export function scanKernel(
  monoid: Monoid,
  options: KernelOptions &
    ScanKernelOptions & {
      readonly arrangement: Arrangement;
      /** Whether tiles have carries; or the files of a single pass: its entry point, and what it looks back with. */
      readonly carry: boolean | readonly SourceText[];
      /** The entry point, if it is another than that of tiles or of a single pass. */
      readonly entryPoint?: "scan_left_tiles";
      /** The files that store prefixes, if not store_prefixes.wgsl. */
      readonly store?: readonly SourceText[] | undefined;
    },
): Kernel {
  const { sources, sizes, exclusive, side, arrangement, carry, lengthOnGpu, map, ends } = options;
  const { segments, mirror, packed, store = [storePrefixes] } = options;
  const totals = segments?.totals?.(options);
  const { bytes } = monoid.type;
  const loaded = map?.from.bytes ?? bytes;
  const lying = filesOf(arrangement, mirror ?? packed);
  const vector = vectorOf(lying, side, monoid, sizes, loaded, totals ? loaded : bytes);
  const singlePass = typeof carry === "object";
  const shown = exclusive && side === "items" ? monoid.start?.before : undefined;
  const entryPoint = options.entryPoint ?? (singlePass ? "scan_single_pass" : "scan_tiles");
  return linkTiles(
    `wavefold ${entryPoint} of ${side} <${monoid.title}>`,
    entryPoint,
    (own) => [
      segments?.prefix ?? prefixText(exclusive),
      ...operatorSources(monoid),
      ...rangeSources(monoid, {
        input: side,
        output: side,
        vector,
        map,
        storesVectors: !totals,
        shown,
        isMirrored: mirror !== undefined,
      }),
      ...(totals ? [...inputFor(arrangement), ...(segments?.output ?? [outputItems])] : lying.files),
      ...(singlePass ? carry : (own.entryPoint ?? [scanTiles])),
      ...endSources(carry, ends, segments),
      ...(segments?.heads ?? []),
      lengthFile(lengthOnGpu),
      ...(own.tile ?? sources(monoid)),
      ...(own.load ?? [segments?.load ?? loadItems]),
      ...(totals ?? own.store ?? (segments?.store ? [segments.store] : store)),
    ],
    monoid,
    options,
    { side, vector },
  );
}

/** The files that read the input, for a kernel that writes to another buffer. */
export const inputFor = (...given: Parameters<typeof filesOf>): readonly SourceText[] =>
  filesOf(...given).input;

/** The files by which a kernel reduces tiles. */
export interface ReduceFiles {
  readonly sources: TileSources;
  /** Those of the entry point, if not reduce_tiles.wgsl. */
  readonly entryPoint?: readonly SourceText[];
}

/** The kernel that reduces each tile to its total. */
export function reduceKernel(
  monoid: Monoid,
  options: KernelOptions &
    ReduceFiles & {
      readonly input: Side;
      readonly output: Side;
      readonly arrangement: Arrangement;
      /** The map that items go through. Elements go through none. */
      readonly map?: ItemMap | undefined;
      /** As in {@link ScanKernelOptions}. */
      readonly packed?: ElementType["packed"];
      /** As in {@link ScanKernelOptions}. */
      readonly mirror?: Mirror | undefined;
      /** The initial value. It joins in the kernel that stores the result. */
      readonly ends?: Ends | undefined;
      /**
       * Bytes of an item that another pass stores, in vectors of as many items. The default is the size of the items that are
       * loaded.
       */
      readonly storedBytes?: number;
      /** What items need for segments. Elements need nothing. */
      readonly segments?: SegmentSources | undefined;
    },
): Kernel {
  const { sources, sizes, input, output, arrangement, lengthOnGpu, map, ends, storedBytes, segments } =
    options;
  const { entryPoint = [reduceTiles], mirror, packed } = options;
  const mapped = input === "items" ? map : undefined;
  const loaded = mapped?.from.bytes ?? monoid.type.bytes;
  const lying = filesOf(arrangement, mirror ?? packed);
  const vector = vectorOf(lying, input, monoid, sizes, loaded, storedBytes);
  const { start } = monoid;
  // Only an input of items may be empty. An input of elements has one for each tile.
  const shown = start && input === "items" ? `select(x, ${start.before}, data_length() == 0u)` : undefined;
  return linkTiles(
    `wavefold reduce ${input} to ${output} <${monoid.title}>`,
    "reduce_tiles",
    (own) => [
      ...operatorSources(monoid),
      ...rangeSources(monoid, { input, output, vector, map, shown, isMirrored: mirror !== undefined }),
      // The input is only read here. If it shares a buffer with the output, that buffer is bound once, for reading.
      ...lying.input,
      outputItems,
      lengthFile(lengthOnGpu),
      ...(own.tile ?? sources(monoid)),
      ...(own.load ?? [segments?.load ?? loadItems]),
      ...entryPoint,
      ...resultSources(ends),
      ...(segments?.heads ?? []),
    ],
    monoid,
    options,
    { side: input, vector },
  );
}
