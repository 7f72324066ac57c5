import sortByComparingFile from "../../shaders/device/kernels/sort_by_comparing.wgsl";
import keysFile from "../../shaders/device/select/keys.wgsl";
import keysOfPairsFile from "../../shaders/device/select/keys_of_pairs.wgsl";
import keysInVectorsFile from "../../shaders/device/sort/keys_in_vectors.wgsl";
import pairsInVectorsFile from "../../shaders/device/sort/pairs_in_vectors.wgsl";
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
import { keyBitsText, keyWords } from "./sort_key.ts";

// The kernel that sorts short data by comparing each item with all others.

const keysInVectors = /* @__PURE__ */ file("sort/keys_in_vectors.wgsl", keysInVectorsFile);
const keysOfOne = /* @__PURE__ */ file("select/keys.wgsl", keysFile);
const keysOfPairs = /* @__PURE__ */ file("select/keys_of_pairs.wgsl", keysOfPairsFile);
const pairsInVectors = /* @__PURE__ */ file("sort/pairs_in_vectors.wgsl", pairsInVectorsFile);
const segmentValuesMoved = /* @__PURE__ */ file("sort/segment_values_moved.wgsl", segmentValuesMovedFile);
const segmentValuesNone = /* @__PURE__ */ file("sort/segment_values_none.wgsl", segmentValuesNoneFile);
const sortByComparing = /* @__PURE__ */ file("kernels/sort_by_comparing.wgsl", sortByComparingFile);

/** The room for `items` keys in work-group memory: a power of 2, so that data of similar lengths has one kernel. */
export const keysRoom = (items: number): number => 2 ** Math.max(2, Math.ceil(Math.log2(Math.max(1, items))));

/** Bytes of work-group memory, for `own` items of a work-group. */
export const comparedMemory = ({ key }: Pick<SortKernelOptions, "key">, items: number, own: number): number =>
  4 * (keysRoom(items) * keyWords(key.type) + own);

/**
 * The kernel for up to `items` items. Each work-group finds the places of `own` of them, a multiple of 4 that divides its threads.
 */
export function comparedKernel(
  options: SortKernelOptions,
  items: number,
  own: number,
  storesKeys: boolean,
): Kernel {
  const { key, payload, shape } = options;
  const { workGroupSize } = shape.sizes;
  const isWide = keyWords(key.type) === 2;
  const room = keysRoom(items);
  const vectorKeys = isWide ? 2 : 4;
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
      ...(isWide ? [keysOfPairs] : []),
      generated(keyBitsText(options)),
      keysInVectors,
      ...(isWide ? [pairsInVectors] : []),
      sortByComparing,
    ],
    {
      OWN: own,
      CHUNKS: workGroupSize / own,
      KEYS: room,
      VECTOR_KEYS: vectorKeys,
      LOADS: Math.ceil(room / vectorKeys / workGroupSize),
    },
  );
}
