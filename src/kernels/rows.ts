import carryNone from "#shaders/device/io/carry_none.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import reduceRows from "#shaders/device/kernels/reduce_each_row.wgsl";
import scanRows from "#shaders/device/kernels/scan_each_row.wgsl";
import scanLongRows from "#shaders/device/kernels/scan_long_rows.wgsl";
import entriesOfRows from "#shaders/device/look_back/entries_of_rows.wgsl";
import rowCount from "#shaders/device/rows/count.wgsl";
import noRowCount from "#shaders/device/rows/count_none.wgsl";
import levels from "#shaders/device/rows/levels.wgsl";
import loadElements from "#shaders/device/rows/load_elements.wgsl";
import reduceLevels from "#shaders/device/rows/reduce_levels.wgsl";
import reducePart from "#shaders/device/rows/reduce_part.wgsl";
import reduceSubgroups from "#shaders/device/rows/reduce_subgroups.wgsl";
import scanLevels from "#shaders/device/rows/scan_levels.wgsl";
import scanSubgroups from "#shaders/device/rows/scan_subgroups.wgsl";
import subgroups from "#shaders/device/rows/subgroups.wgsl";
import rowTiles from "#shaders/device/rows/tiles.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import type { Algorithm } from "./algorithms.ts";
import { memoryOf, withGaps } from "./algorithms.ts";
import type { Side } from "./contract.ts";
import { elementsOfVector, elementWords, itemsOfVector, operatorSources } from "./contract.ts";
import type { Arrangement, Ends, Kernel, ScanKernelOptions } from "./kernel.ts";
import {
  filesOf,
  inputFor,
  isWide,
  lengthFile,
  linkKernel,
  prefixText,
  rangeSources,
  resultSources,
} from "./kernel.ts";
import type { ItemMap } from "./map.ts";
import type { Sizes } from "./sizes.ts";
import type { TileSources } from "./tiles.ts";

/** How many elements of a row are combined one after another, at each level. A power of two. */
export const ROW_FAN = 8;

/** Elements in work-group memory: those of a tile, and the levels above, which are a quarter at most. Every 33rd place is not used. */
const placesOf = ({ workGroupSize, items }: Pick<Sizes, "workGroupSize" | "items">): number => {
  const elements = Math.ceil((workGroupSize * items * 5) / 4);
  return withGaps(elements) + 1;
};

/** Bytes of work-group memory of these kernels. */
export const rowMemory = (sizes: Pick<Sizes, "workGroupSize" | "items">, elementBytes: number): number =>
  memoryOf([placesOf(sizes)], elementBytes, 0);

function constantsFor(sizes: Sizes): Readonly<Record<string, number>> {
  const stages = Math.log2(sizes.maxSubgroupSize);
  const short = Math.min(3, stages);
  return {
    ROW_FAN,
    ROW_BITS: Math.log2(ROW_FAN),
    ROW_TOTALS: placesOf(sizes),
    SHORT_STAGES: short,
    LONG_STAGES: stages - short,
  };
}

const itemsEnd = (text: string): SourceText => generated(`fn row_items_end() -> u32 {\n  return ${text};\n}`);

/** The options of all kernels of rows. */
interface RowKernelOptions {
  /** The algorithm: by subgroups, or any other, which takes rows level by level. */
  readonly algorithm: Algorithm;
  readonly sources: TileSources;
  readonly sizes: Sizes;
  readonly arrangement: Arrangement;
  /** Whether a buffer holds the length. */
  readonly lengthOnGpu: boolean;
  readonly map?: ItemMap | undefined;
  readonly ends?: Ends | undefined;
}

/** The kernel that scans the rows that fit in a tile. */
export function scanRowsKernel(
  monoid: Monoid,
  options: RowKernelOptions & Pick<ScanKernelOptions, "exclusive" | "mirror">,
): Kernel {
  const { algorithm, sources, sizes, arrangement, lengthOnGpu, map, ends, exclusive, mirror } = options;
  const { type } = monoid;
  const { files, wide } = filesOf(arrangement, mirror);
  const vector = wide ? itemsOfVector(map?.from.bytes ?? type.bytes, sizes.items, type.bytes) : 1;
  const shown = exclusive ? monoid.start?.before : undefined;
  return linkKernel(
    `wavefold scan items of rows <${monoid.title}>`,
    "scan_each_row",
    [
      prefixText(exclusive),
      ...operatorSources(monoid),
      ...rangeSources(monoid, { input: "items", output: "items", vector, map, storesVectors: true, shown }),
      ...files,
      ...(ends?.sources("one tile") ?? [carryNone]),
      lengthFile(lengthOnGpu),
      itemsEnd("data_length()"),
      ...sources(monoid),
      rowTiles,
      scanRows,
      ...(algorithm === "subgroup" ? [loadElements, subgroups, scanSubgroups] : [levels, scanLevels]),
    ],
    sizes,
    { vector, more: constantsFor(sizes) },
  );
}

/** The kernel that scans rows which are longer than a tile, if they start at vectors. `carry` is what it looks back with. */
export function scanLongRowsKernel(
  monoid: Monoid,
  options: Omit<RowKernelOptions, "algorithm" | "arrangement"> & {
    readonly exclusive: boolean;
    readonly carry: readonly SourceText[];
  },
): Kernel {
  const { sources, sizes, lengthOnGpu, map, ends, exclusive, carry } = options;
  const { type } = monoid;
  const vector = itemsOfVector(map?.from.bytes ?? type.bytes, sizes.items, type.bytes);
  const shown = exclusive ? monoid.start?.before : undefined;
  return linkKernel(
    `wavefold scan items of long rows <${monoid.title}>`,
    "scan_long_rows",
    [
      prefixText(exclusive),
      ...operatorSources(monoid),
      ...rangeSources(monoid, { input: "items", output: "items", vector, map, storesVectors: true, shown }),
      ...filesOf("vectors").files,
      scanLongRows,
      entriesOfRows,
      ...carry,
      ...(ends?.sources("look-back") ?? []),
      lengthFile(lengthOnGpu),
      ...sources(monoid, { isAwaited: true }),
    ],
    sizes,
    { vector, words: elementWords(monoid) },
  );
}

/** The kernel that reduces rows, or parts of them. */
export function reduceRowsKernel(
  monoid: Monoid,
  options: RowKernelOptions & {
    readonly input: Side;
    /** Elements are the totals of parts. */
    readonly output: Side;
    /** Whether a range receives the number of rows. */
    readonly counts: boolean;
  },
): Kernel {
  const { algorithm, sources: tiles, sizes, arrangement, lengthOnGpu, map, ends, input, output } = options;
  const { type } = monoid;
  const mapped = input === "items" ? map : undefined;
  const vector = !isWide(arrangement)
    ? 1
    : input === "items"
      ? itemsOfVector(mapped?.from.bytes ?? type.bytes, sizes.items)
      : elementsOfVector(monoid, sizes.items);
  return linkKernel(
    `wavefold reduce ${input} of rows to ${output} <${monoid.title}>`,
    "reduce_each_row",
    [
      ...operatorSources(monoid),
      ...rangeSources(monoid, { input, output, vector, map }),
      ...inputFor(arrangement),
      outputItems,
      lengthFile(lengthOnGpu),
      itemsEnd(input === "items" ? "data_length()" : "call.segment_count * call.row_length"),
      generated(
        `fn row_stored(row: u32) -> bool {\n  return ${output === "items" ? "row * call.columns < data_length()" : "true"};\n}`,
      ),
      ...tiles(monoid),
      rowTiles,
      reduceRows,
      // Elements are the totals of parts: a tile has a part of one row.
      ...(algorithm === "subgroup"
        ? [loadElements, ...(output === "elements" ? [reducePart] : [subgroups, reduceSubgroups])]
        : [levels, reduceLevels]),
      options.counts ? rowCount : noRowCount,
      // The initial value joins where the result is stored.
      ...resultSources(output === "items" ? ends : undefined),
    ],
    sizes,
    { vector, more: constantsFor(sizes) },
  );
}
