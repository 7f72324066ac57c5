import scanFlatRowsFile from "../../shaders/device/kernels/scan_flat_rows.wgsl";
import flatAnyOrderFile from "../../shaders/device/rows/flat_any_order.wgsl";
import flatInOrderFile from "../../shaders/device/rows/flat_in_order.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../text/source.ts";
import { elementWords, file, itemsOfVector, operatorSources, storageText } from "./contract.ts";
import type { Arrangement, Kernel, KernelOptions, ScanKernelOptions } from "./kernel.ts";
import { filesOf, lengthFile, linkKernel, loadItems, prefixText, storePrefixes } from "./kernel.ts";
import { firstNeeded, sourcesWithoutTotal, valueSources } from "./offsets.ts";
import { laneStages, takesAnyOrder } from "./subgroup_sources.ts";

// This is loaded only if a plan takes segments.

const flatAnyOrder = /* @__PURE__ */ file("rows/flat_any_order.wgsl", flatAnyOrderFile);
const flatInOrder = /* @__PURE__ */ file("rows/flat_in_order.wgsl", flatInOrderFile);
const scanFlatRows = /* @__PURE__ */ file("kernels/scan_flat_rows.wgsl", scanFlatRowsFile);

/** The kernel that scans rows in a single pass, in tiles of items. `carry` is what it looks back with. */
export function scanFlatRowsKernel(
  monoid: Monoid,
  options: KernelOptions &
    ScanKernelOptions & { readonly arrangement: Arrangement; readonly carry: readonly SourceText[] },
): Kernel {
  const { sources, sizes, arrangement, carry, lengthOnGpu, map, exclusive } = options;
  const { type, onValues } = monoid;
  const vector = itemsOfVector(map?.from.bytes ?? type.bytes, sizes.items, type.bytes);
  return linkKernel(
    `wavefold scan items of rows in a single pass <${monoid.title}>`,
    "scan_flat_rows",
    [
      prefixText(exclusive),
      ...operatorSources(monoid),
      ...(map?.sources(monoid, "items", vector, true) ?? [
        storageText(monoid, "items", "items", vector),
        ...type.files,
      ]),
      ...filesOf(arrangement, sizes).files,
      ...valueSources(onValues),
      firstNeeded,
      scanFlatRows,
      // It replaces a function of the algorithm. In any order, each lane of a subgroup takes what all others have, so all must be there.
      onValues && takesAnyOrder(onValues) && sizes.minSubgroupSize === sizes.maxSubgroupSize
        ? flatAnyOrder
        : flatInOrder,
      ...carry,
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
