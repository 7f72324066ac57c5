import storePrefixes from "#shaders/device/io/store_prefixes.wgsl";
import totalNone from "#shaders/device/io/total_none.wgsl";
import scanFlatSegments from "#shaders/device/kernels/scan_flat_segments.wgsl";
import firstNeeded from "#shaders/device/look_back/first_needed_of_segments.wgsl";
import flatAnyOrder from "#shaders/device/segments/flat_any_order.wgsl";
import flatHeadBits from "#shaders/device/segments/flat_head_bits.wgsl";
import flatHeads from "#shaders/device/segments/flat_heads.wgsl";
import flatInOrder from "#shaders/device/segments/flat_in_order.wgsl";
import flatRows from "#shaders/device/segments/flat_rows.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { SourceText } from "../text/source.ts";
import { elementWords, itemsOfVector, operatorSources } from "./contract.ts";
import type { Kernel, SinglePassKernelOptions } from "./kernel.ts";
import { filesOf, lengthFile, linkKernel, prefixText, rangeSources } from "./kernel.ts";
import { valueSources } from "./offsets.ts";
import { laneStages, takesAnyOrder } from "./subgroup_sources.ts";

// This is loaded only if a plan takes segments.

/** What says where segments start: rows, flags, bits, or keys of a type of one word. */
export type FlatHeads = "rows" | "heads" | "headBits" | "offsets" | ElementType;

/** The files that find the heads of a thread's items. */
function headFilesOf(heads: FlatHeads): readonly SourceText[] {
  switch (heads) {
    case "rows":
      return [flatRows];
    case "headBits":
    case "offsets":
      return [flatHeadBits];
    default:
      return [flatHeads];
  }
}

/**
 * The kernel that scans segments in a single pass, in tiles of items, whose threads hold values without heads. `carry` is what it looks
 * back with.
 */
export function scanFlatSegmentsKernel(
  monoid: Monoid,
  heads: FlatHeads,
  options: SinglePassKernelOptions,
): Kernel {
  const { sources, sizes, arrangement, carry, lengthOnGpu, map, exclusive, segments } = options;
  const { type, onValues } = monoid;
  const vector = itemsOfVector(map?.from.bytes ?? type.bytes, sizes.items, type.bytes);
  return linkKernel(
    `wavefold scan items of segments in a single pass <${monoid.title}>`,
    "scan_flat_segments",
    [
      prefixText(exclusive),
      ...operatorSources(monoid),
      ...rangeSources(monoid, { input: "items", output: "items", vector, map, storesVectors: true }),
      ...filesOf(arrangement).files,
      ...valueSources(onValues),
      firstNeeded,
      ...headFilesOf(heads),
      scanFlatSegments,
      // In any order, each lane of a subgroup takes what all others have, so all must be there.
      onValues && takesAnyOrder(onValues) && sizes.minSubgroupSize === sizes.maxSubgroupSize
        ? flatAnyOrder
        : flatInOrder,
      ...carry,
      totalNone,
      ...(segments?.heads ?? []),
      lengthFile(lengthOnGpu),
      ...sources(monoid, { hasTotal: true }),
      storePrefixes,
    ],
    sizes,
    { vector, words: elementWords(monoid), more: laneStages(sizes) },
  );
}
