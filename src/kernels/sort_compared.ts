import outputItems from "#shaders/device/io/output_items.wgsl";
import sortByComparing from "#shaders/device/kernels/sort_by_comparing.wgsl";
import segmentValuesMoved from "#shaders/device/sort/segment_values_moved.wgsl";
import segmentValuesNone from "#shaders/device/sort/segment_values_none.wgsl";
import storeKeys from "#shaders/device/sort/store_keys.wgsl";
import storeNoKeys from "#shaders/device/sort/store_no_keys.wgsl";
import valuesMoved from "#shaders/device/sort/values_moved.wgsl";
import { generated } from "../text/source.ts";
import type { Kernel } from "./kernel.ts";
import { exchangeText, itemSources, linkSort, valueFile } from "./sort.ts";
import { keyBitsText, orderFile, wordsPerKey } from "./sort_key.ts";
import type { SortKernelOptions } from "./sort_tile.ts";

// The kernel that sorts short data by comparing.

/** The keys that a thread loads at a time. */
const AT_ONCE = 4;

/** Bytes of work-group memory, for `own` items of a work-group, which are 4 or more. */
export const comparedMemory = ({ key }: Pick<SortKernelOptions, "key">, own: number): number =>
  4 * own * (2 * wordsPerKey(key.type) + 3);

/** The kernel whose work-groups find the places of `own` items each: a power of 2 that divides their threads. */
export function comparedKernel(options: SortKernelOptions, own: number, storesKeys: boolean): Kernel {
  const { key, payload, shape } = options;
  return linkSort(
    options,
    "sort by comparing",
    "sort_by_comparing",
    [
      ...itemSources(options, "items"),
      exchangeText(options),
      outputItems,
      ...(payload.kind === "none"
        ? [segmentValuesNone]
        : [valuesMoved, valueFile(options, "items"), segmentValuesMoved]),
      storesKeys ? storeKeys : storeNoKeys,
      orderFile(key),
      generated(keyBitsText(options)),
      sortByComparing,
    ],
    { OWN: own, CHUNKS: shape.sizes.workGroupSize / own, AT_ONCE },
  );
}
