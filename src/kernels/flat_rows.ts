import loadItems from "#shaders/device/io/load_items.wgsl";
import storePrefixes from "#shaders/device/io/store_prefixes.wgsl";
import scanFlatRows from "#shaders/device/kernels/scan_flat_rows.wgsl";
import flatAnyOrder from "#shaders/device/rows/flat_any_order.wgsl";
import flatInOrder from "#shaders/device/rows/flat_in_order.wgsl";
import firstNeeded from "#shaders/device/segments/first_needed.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { Source, SourceText } from "../text/source.ts";
import { elementWords, itemsOfVector, operatorSources, storageText } from "./contract.ts";
import type { Arrangement, Kernel, KernelOptions, ScanKernelOptions } from "./kernel.ts";
import { filesOf, lengthFile, linkKernel, prefixText } from "./kernel.ts";
import { sourcesWithoutTotal, valueSources } from "./offsets.ts";
import { laneStages, takesAnyOrder } from "./subgroup_sources.ts";

// This is loaded only if a plan takes segments.

/** What tells scans whose threads hold values without heads apart. */
interface FlatScan {
  /** What is scanned, as labels say it. */
  readonly title: string;
  readonly entryPoint: string;
  /** The kernel's file, and what it needs in front of it. */
  readonly files: readonly SourceText[];
  readonly anyOrder: SourceText;
  readonly inOrder: SourceText;
  /** What comes behind the look-back. */
  readonly behind?: readonly Source[];
}

/** Options of these kernels. `carry` is what they look back with. */
export type FlatOptions = KernelOptions &
  ScanKernelOptions & { readonly arrangement: Arrangement; readonly carry: readonly SourceText[] };

/** A kernel that scans segments in a single pass, in tiles of items, whose threads hold values without heads. */
export function scanFlatKernel(
  monoid: Monoid,
  { sources, sizes, arrangement, carry, lengthOnGpu, map, exclusive }: FlatOptions,
  { title, entryPoint, files, anyOrder, inOrder, behind = [] }: FlatScan,
): Kernel {
  const { type, onValues } = monoid;
  const vector = flatVector(monoid, { sizes, map });
  return linkKernel(
    `wavefold scan items of ${title} in a single pass <${monoid.title}>`,
    entryPoint,
    [
      prefixText(exclusive),
      ...operatorSources(monoid),
      ...(map?.sources(monoid, "items", vector, true) ?? [
        storageText(monoid, "items", "items", vector),
        ...type.files,
      ]),
      ...filesOf(arrangement).files,
      ...valueSources(onValues),
      firstNeeded,
      ...files,
      // It replaces a function of the algorithm. In any order, each lane of a subgroup takes what all others have, so all must be there.
      onValues && takesAnyOrder(onValues) && sizes.minSubgroupSize === sizes.maxSubgroupSize
        ? anyOrder
        : inOrder,
      ...carry,
      ...behind,
      lengthFile(lengthOnGpu),
      ...sourcesWithoutTotal(sources(monoid)),
      loadItems,
      storePrefixes,
    ],
    sizes,
    vector,
    elementWords(monoid),
    laneStages(sizes),
  );
}

/** How many items of a thread are neighbours. */
export const flatVector = ({ type }: Monoid, { sizes, map }: Pick<FlatOptions, "sizes" | "map">): number =>
  itemsOfVector(map?.from.bytes ?? type.bytes, sizes.items, type.bytes);

/** The kernel that scans rows in a single pass, in tiles of items. */
export const scanFlatRowsKernel = (monoid: Monoid, options: FlatOptions): Kernel =>
  scanFlatKernel(monoid, options, {
    title: "rows",
    entryPoint: "scan_flat_rows",
    files: [scanFlatRows],
    anyOrder: flatAnyOrder,
    inOrder: flatInOrder,
  });
