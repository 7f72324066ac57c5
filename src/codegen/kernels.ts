import carryNoneFile from "../../shaders/device/carry_none.wgsl";
import carrySpineFile from "../../shaders/device/carry_spine.wgsl";
import combinePairsFile from "../../shaders/device/combine_pairs.wgsl";
import compactTilesFile from "../../shaders/device/compact_tiles.wgsl";
import copyItemsFile from "../../shaders/device/copy_items.wgsl";
import flagsBufferFile from "../../shaders/device/flags_buffer.wgsl";
import ioOneBufferFile from "../../shaders/device/io_one_buffer.wgsl";
import ioTwoBuffersFile from "../../shaders/device/io_two_buffers.wgsl";
import reduceTilesFile from "../../shaders/device/reduce_tiles.wgsl";
import scanTilesFile from "../../shaders/device/scan_tiles.wgsl";
import totalBufferFile from "../../shaders/device/total_buffer.wgsl";
import totalNoneFile from "../../shaders/device/total_none.wgsl";
import { SourceError } from "../errors.ts";
import type { Monoid } from "../operators.ts";
import type { ElementType, SourceText } from "../types.ts";
import type { Algorithm } from "./algorithms.ts";
import { algorithms } from "./algorithms.ts";
import type { Selector, Side, Sizes } from "./contract.ts";
import {
  compactionText,
  operatorText,
  paramsText,
  sizesText,
  storageText,
  subgroupText,
  typeSources,
} from "./contract.ts";
import type { Declaration, Module, SourceParts } from "./module.ts";
import { assemble, parseSources, reachable, usesF16 } from "./module.ts";

const file = (name: string, text: string): SourceText => ({ name: `shaders/device/${name}`, text });
const carryNone = file("carry_none.wgsl", carryNoneFile);
const carrySpine = file("carry_spine.wgsl", carrySpineFile);
const combinePairs = file("combine_pairs.wgsl", combinePairsFile);
const compactTiles = file("compact_tiles.wgsl", compactTilesFile);
const copyItems = file("copy_items.wgsl", copyItemsFile);
const flagsBuffer = file("flags_buffer.wgsl", flagsBufferFile);
const ioOneBuffer = file("io_one_buffer.wgsl", ioOneBufferFile);
const ioTwoBuffers = file("io_two_buffers.wgsl", ioTwoBuffersFile);
const reduceTiles = file("reduce_tiles.wgsl", reduceTilesFile);
const scanTiles = file("scan_tiles.wgsl", scanTilesFile);
const totalBuffer = file("total_buffer.wgsl", totalBufferFile);
const totalNone = file("total_none.wgsl", totalNoneFile);

/** How a kernel binds a buffer. */
export type BindingKind = "uniform" | "read" | "read_write";

/** A compute shader, as data: what it takes to make its pipeline. */
export interface Kernel extends Module {
  readonly label: string;
  readonly entryPoint: string;
  /** By binding number, in group 0. */
  readonly bindings: ReadonlyMap<number, BindingKind>;
}

/** Whether input and output are ranges of two buffers, or of one. */
export type Sharing = "two-buffers" | "one-buffer";

/** What every kernel is generated for. */
export interface KernelOptions {
  readonly algorithm: Algorithm;
  readonly sizes: Sizes;
}

const io = (sharing: Sharing): SourceText => (sharing === "two-buffers" ? ioTwoBuffers : ioOneBuffer);

/** Links sources, keeps what the entry point reaches, and reads the bindings off it. */
function link(
  label: string,
  entryPoint: string,
  sources: readonly (SourceText | SourceParts)[],
  sizes: Sizes,
): Kernel {
  const { enables, declarations } = parseSources(sources, sizes.unrolled ? sizes.items : undefined);
  rejectClashes(declarations);
  const kept = reachable(declarations, [entryPoint]);
  const bindings = new Map<number, BindingKind>();
  for (const declaration of kept) {
    if (declaration.keyword === "var") {
      const text = declaration.lines.map((line) => line.text).join("\n");
      const number = /@binding\((\d+)\)/.exec(text)?.[1];
      if (number !== undefined) {
        bindings.set(
          Number(number),
          text.includes("var<uniform>") ? "uniform" : text.includes("read_write") ? "read_write" : "read",
        );
      }
    }
  }
  const enabled = [...enables.filter((name) => name !== "f16"), ...(usesF16(kept) ? ["f16"] : [])];
  return { label, entryPoint, bindings, ...assemble(enabled, kept) };
}

/** A name that the caller declares must not be one of ours. */
function rejectClashes(declarations: readonly Declaration[]): void {
  const ours = new Set(
    declarations.filter((one) => !one.lines.some((line) => line.source.callers)).map((one) => one.name),
  );
  for (const { name, lines } of declarations) {
    const line = lines.find((one) => one.source.callers);
    if (line !== undefined && ours.has(name)) {
      throw new SourceError(
        `${line.source.name}, line ${line.number}: the name ${name} is taken; choose another`,
        line.source.text,
        line.number,
        0,
      );
    }
  }
}

const workGroup = (monoid: Monoid, algorithm: Algorithm): SourceText[] => [
  ...(algorithms[algorithm].subgroups ? [subgroupText(monoid)] : []),
  ...algorithms[algorithm].files,
];

/** A tile's prefixes on top of a carry; with a total, that of all tiles. */
export function scanKernel(
  monoid: Monoid,
  options: KernelOptions & {
    readonly exclusive: boolean;
    readonly side: Side;
    readonly sharing: Sharing;
    readonly carry: boolean;
    readonly total: boolean;
  },
): Kernel {
  const { algorithm, sizes, exclusive, side, sharing, carry, total } = options;
  return link(
    `wavefold scan ${side} <${monoid.title}>`,
    "scan_tiles",
    [
      sizesText(sizes),
      { name: "generated contract", text: `const EXCLUSIVE = ${exclusive};` },
      paramsText,
      operatorText(monoid),
      storageText(monoid, side, side),
      ...typeSources(monoid.type),
      io(sharing),
      carry ? carrySpine : carryNone,
      total ? totalBuffer : totalNone,
      ...workGroup(monoid, algorithm),
      scanTiles,
    ],
    sizes,
  );
}

/** The tiles' totals. */
export function reduceKernel(
  monoid: Monoid,
  options: KernelOptions & { readonly input: Side; readonly output: Side; readonly sharing: Sharing },
): Kernel {
  const { algorithm, sizes, input, output, sharing } = options;
  return link(
    `wavefold reduce ${input} to ${output} <${monoid.title}>`,
    "reduce_tiles",
    [
      sizesText(sizes),
      paramsText,
      operatorText(monoid),
      storageText(monoid, input, output),
      ...typeSources(monoid.type),
      io(sharing),
      ...workGroup(monoid, algorithm),
      reduceTiles,
    ],
    sizes,
  );
}

/** What a compaction's kernels are generated for. */
export interface CompactKernelOptions extends KernelOptions {
  readonly type: ElementType;
  readonly selector: Selector;
  readonly indices: boolean;
}

/** How many items of each tile are kept. `count` is the sum of u32. */
export function countKernel(count: Monoid, options: CompactKernelOptions): Kernel {
  const { algorithm, sizes, type, selector } = options;
  return link(
    `wavefold count kept <${type.name}>`,
    "reduce_tiles",
    [
      sizesText(sizes),
      paramsText,
      operatorText(count),
      ...typeSources(type),
      // A tile's count is a u32, whatever the items are.
      compactionText(type, selector, true),
      flagsBuffer,
      ioTwoBuffers,
      ...workGroup(count, algorithm),
      reduceTiles,
    ],
    sizes,
  );
}

/** Moves a tile's kept items, or their positions, to their places. */
export function compactKernel(
  count: Monoid,
  options: CompactKernelOptions & { readonly sharing: Sharing },
): Kernel {
  const { algorithm, sizes, type, selector, indices, sharing } = options;
  return link(
    `wavefold compact ${indices ? "indices" : "items"} <${type.name}>`,
    "compact_tiles",
    [
      sizesText(sizes),
      paramsText,
      operatorText(count),
      ...typeSources(type),
      compactionText(type, selector, indices),
      flagsBuffer,
      io(sharing),
      carrySpine,
      ...workGroup(count, algorithm),
      compactTiles,
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
      sizesText(sizes),
      paramsText,
      { name: "generated contract", text: `alias Input = ${stored};\nalias Output = ${stored};` },
      ioTwoBuffers,
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
      sizesText(sizes),
      paramsText,
      operatorText(monoid),
      storageText(monoid, "items", "items"),
      ...typeSources(monoid.type),
      ioTwoBuffers,
      combinePairs,
    ],
    sizes,
  );
}
