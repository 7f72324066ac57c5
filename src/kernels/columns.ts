import chunks from "#shaders/device/columns/chunks.wgsl";
import matrixChunks from "#shaders/device/columns/matrices.wgsl";
import carryNone from "#shaders/device/io/carry_none.wgsl";
import carrySpine from "#shaders/device/io/carry_spine.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import reduceColumns from "#shaders/device/kernels/reduce_columns.wgsl";
import scanColumnBlocks from "#shaders/device/kernels/scan_column_blocks.wgsl";
import scanColumns from "#shaders/device/kernels/scan_columns.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import type { Side } from "./contract.ts";
import { operatorSources } from "./contract.ts";
import type { Ends, Kernel, Mirror } from "./kernel.ts";
import {
  filesOf,
  inputFor,
  lengthFile,
  linkKernel,
  prefixText,
  rangeSources,
  resultSources,
} from "./kernel.ts";
import type { ItemMap } from "./map.ts";
import type { Sizes } from "./sizes.ts";

/** The options of all kernels of columns. */
interface ColumnKernelOptions {
  /** `items` is how many items a thread loads before it combines them. */
  readonly sizes: Sizes;
  /** Whether a buffer holds the length. */
  readonly lengthOnGpu: boolean;
  /** The map that items go through. Elements go through none. */
  readonly map?: ItemMap | undefined;
  readonly ends?: Ends | undefined;
  /** Whether columns are those of several matrices. */
  readonly ofMatrices?: boolean;
}

/** The kernel that scans the columns of a matrix, or of each of its chunks on top of a carry. */
export function scanColumnsKernel(
  monoid: Monoid,
  options: ColumnKernelOptions & {
    readonly side: Side;
    readonly exclusive: boolean;
    /** Whether input and output are in one buffer. */
    readonly oneBuffer: boolean;
    /** Whether chunks have carries. The first one has none. */
    readonly carry: boolean;
    /** As in {@link ScanKernelOptions}. */
    readonly mirror?: Mirror | undefined;
    /** Columns that a work-group takes, several threads for each. The default is one thread for each column. */
    readonly block?: number;
  },
): Kernel {
  const { sizes, lengthOnGpu, map, ends, ofMatrices, side, exclusive, oneBuffer, mirror, carry, block } =
    options;
  const shown = exclusive && side === "items" ? monoid.start?.before : undefined;
  return linkKernel(
    `wavefold scan ${block ? "blocks of columns" : "columns"} of ${side} <${monoid.title}>`,
    block ? "scan_column_blocks" : "scan_columns",
    [
      prefixText(exclusive),
      ...operatorSources(monoid),
      ...rangeSources(monoid, { input: side, output: side, vector: 1, map, storesVectors: true, shown }),
      ...filesOf(oneBuffer ? "one-buffer" : "items", mirror).files,
      ...(ends?.sources(carry ? "spine" : "one tile") ?? [carry ? carrySpine : carryNone]),
      lengthFile(lengthOnGpu),
      ofMatrices ? matrixChunks : chunks,
      ...(block ? [generated(`const COLUMN_BLOCK = ${block}u;`), scanColumnBlocks] : [scanColumns]),
    ],
    sizes,
  );
}

/** Declares the total of a run without an item: what results start from, or the identity. */
function totalOfNothing({ domain, identity, start }: Monoid, output: Side): SourceText {
  const [expression, setup = ""] = domain.literal(
    start && output === "items" ? start.value : identity,
    "value",
  );
  return generated(`fn total_of_nothing() -> Element {\n  ${setup}return ${expression};\n}`);
}

/** The kernel that reduces the columns of a matrix, or of each of its chunks. */
export function reduceColumnsKernel(
  monoid: Monoid,
  options: ColumnKernelOptions & {
    readonly input: Side;
    readonly output: Side;
    /** As in {@link ScanKernelOptions}. */
    readonly mirror?: Mirror | undefined;
  },
): Kernel {
  const { sizes, lengthOnGpu, map, ends, ofMatrices, input, output, mirror } = options;
  return linkKernel(
    `wavefold reduce columns of ${input} to ${output} <${monoid.title}>`,
    "reduce_columns",
    [
      ...operatorSources(monoid),
      ...rangeSources(monoid, { input, output, vector: 1, map }),
      totalOfNothing(monoid, output),
      ...inputFor("items", mirror),
      outputItems,
      lengthFile(lengthOnGpu),
      ofMatrices ? matrixChunks : chunks,
      reduceColumns,
      // The initial value joins where the result is stored.
      ...resultSources(output === "items" ? ends : undefined),
    ],
    sizes,
  );
}
