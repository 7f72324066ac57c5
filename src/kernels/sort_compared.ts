import sortByComparingFile from "../../shaders/device/kernels/sort_by_comparing.wgsl";
import keysFile from "../../shaders/device/select/keys.wgsl";
import keysOfPairsFile from "../../shaders/device/select/keys_of_pairs.wgsl";
import segmentValuesMovedFile from "../../shaders/device/sort/segment_values_moved.wgsl";
import segmentValuesNoneFile from "../../shaders/device/sort/segment_values_none.wgsl";
import { generated } from "../text/source.ts";
import { file } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { outputItems } from "./kernel.ts";
import type { SortKernelOptions } from "./sort.ts";
import {
  exchangeText,
  itemSources,
  linkSort,
  storeKeys,
  storeNoKeys,
  valueFile,
  valuesMoved,
} from "./sort.ts";
import { keyBitsText, wordsPerKey } from "./sort_key.ts";

// The kernel that sorts short data by comparing.

const keysOfOne = /* @__PURE__ */ file("select/keys.wgsl", keysFile);
const keysOfPairs = /* @__PURE__ */ file("select/keys_of_pairs.wgsl", keysOfPairsFile);
const segmentValuesMoved = /* @__PURE__ */ file("sort/segment_values_moved.wgsl", segmentValuesMovedFile);
const segmentValuesNone = /* @__PURE__ */ file("sort/segment_values_none.wgsl", segmentValuesNoneFile);
const sortByComparing = /* @__PURE__ */ file("kernels/sort_by_comparing.wgsl", sortByComparingFile);

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
      keysOfOne,
      ...(wordsPerKey(key.type) === 2 ? [keysOfPairs] : []),
      generated(keyBitsText(options)),
      sortByComparing,
    ],
    { OWN: own, CHUNKS: shape.sizes.workGroupSize / own, AT_ONCE },
  );
}
