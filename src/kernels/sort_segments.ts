import numberSegmentsFile from "../../shaders/device/kernels/number_segments.wgsl";
import sortSegmentsFile from "../../shaders/device/kernels/sort_segments.wgsl";
import sortShortSegmentsFile from "../../shaders/device/kernels/sort_short_segments.wgsl";
import offsetsFile from "../../shaders/device/segments/offsets.wgsl";
import keysFile from "../../shaders/device/select/keys.wgsl";
import keysOfPairsFile from "../../shaders/device/select/keys_of_pairs.wgsl";
import digitsInSlotsFile from "../../shaders/device/sort/digits_in_slots.wgsl";
import placesInSlotsFile from "../../shaders/device/sort/places_in_slots.wgsl";
import segmentValuesMovedFile from "../../shaders/device/sort/segment_values_moved.wgsl";
import segmentValuesNoneFile from "../../shaders/device/sort/segment_values_none.wgsl";
import segmentsByChunksFile from "../../shaders/device/sort/segments_by_chunks.wgsl";
import segmentsByOffsetsFile from "../../shaders/device/sort/segments_by_offsets.wgsl";
import segmentsByRowsFile from "../../shaders/device/sort/segments_by_rows.wgsl";
import storedFirstFile from "../../shaders/device/sort/stored_first.wgsl";
import storedInPlaceFile from "../../shaders/device/sort/stored_in_place.wgsl";
import type { Source } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { file } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel, outputItems } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";
import type { SortKernelOptions, SortSource } from "./sort.ts";
import {
  exchangeText,
  itemSources,
  linkSort,
  radixOf,
  rankSources,
  storeKeys,
  storeNoKeys,
  valueFile,
  valuesMoved,
} from "./sort.ts";
import { keyBitsText, wordsPerKey } from "./sort_key.ts";

// Kernels that sort segments which fit in a tile.

/** The order of keys of one word, or of two. */
export const keyOrders = ({ type }: SortKernelOptions["key"]): readonly Source[] => [
  keysOfOne,
  ...(wordsPerKey(type) === 2 ? [keysOfPairs] : []),
];

const digitsInSlots = /* @__PURE__ */ file("sort/digits_in_slots.wgsl", digitsInSlotsFile);
const keysOfOne = /* @__PURE__ */ file("select/keys.wgsl", keysFile);
const keysOfPairs = /* @__PURE__ */ file("select/keys_of_pairs.wgsl", keysOfPairsFile);
const numberSegments = /* @__PURE__ */ file("kernels/number_segments.wgsl", numberSegmentsFile);
export const placesInSlots = /* @__PURE__ */ file("sort/places_in_slots.wgsl", placesInSlotsFile);
const segmentValuesMoved = /* @__PURE__ */ file("sort/segment_values_moved.wgsl", segmentValuesMovedFile);
const segmentValuesNone = /* @__PURE__ */ file("sort/segment_values_none.wgsl", segmentValuesNoneFile);
const byChunks = /* @__PURE__ */ file("sort/segments_by_chunks.wgsl", segmentsByChunksFile);
const offsets = /* @__PURE__ */ file("segments/offsets.wgsl", offsetsFile);
const byOffsets = /* @__PURE__ */ file("sort/segments_by_offsets.wgsl", segmentsByOffsetsFile);
const byRows = /* @__PURE__ */ file("sort/segments_by_rows.wgsl", segmentsByRowsFile);
const sortSegments = /* @__PURE__ */ file("kernels/sort_segments.wgsl", sortSegmentsFile);
const sortShortSegments = /* @__PURE__ */ file("kernels/sort_short_segments.wgsl", sortShortSegmentsFile);
const storedFirst = /* @__PURE__ */ file("sort/stored_first.wgsl", storedFirstFile);
const storedInPlace = /* @__PURE__ */ file("sort/stored_in_place.wgsl", storedInPlaceFile);

/** What says where the segments of a sort start. */
export type SortedSegments = "rows" | "offsets";

/** What a kernel takes for segments: those of the caller; or the chunks of rows, of which it stores the first items. */
export type SegmentUse = SortedSegments | "chunks";

export const segmentFiles = { rows: [byRows], offsets: [offsets, byOffsets], chunks: [byChunks] } as const;

/** The files of a kernel that sorts segments, but for how it ranks them. */
export const sourcesFor = (
  options: SortKernelOptions,
  use: SegmentUse,
  source: SortSource,
  storesKeys: boolean,
): readonly Source[] => [
  ...itemSources(options, source),
  exchangeText(options),
  outputItems,
  ...(options.payload.kind === "none"
    ? [segmentValuesNone]
    : [valuesMoved, valueFile(options, source), segmentValuesMoved]),
  storesKeys ? storeKeys : storeNoKeys,
  placesInSlots,
  ...segmentFiles[use],
  use === "chunks" ? storedFirst : storedInPlace,
];

/** The kernel that sorts segments that fit in a slot of a tile, by one digit after another. */
export function segmentsKernel(
  options: SortKernelOptions,
  use: SegmentUse,
  source: SortSource,
  storesKeys: boolean,
): Kernel {
  const { slotBits = 0, digits, shape } = options;
  const { workGroupSize, items } = shape.sizes;
  return linkSort(
    options,
    use === "chunks" ? "sort first items of rows" : "sort segments",
    "sort_segments",
    [...sourcesFor(options, use, source, storesKeys), digitsInSlots, ...rankSources(options), sortSegments],
    {
      DIGIT_BITS: digits.each + slotBits,
      RADIX: radixOf(options),
      SLOT_DIGIT_BITS: digits.each,
      SLOT_RADIX: 2 ** digits.each,
      SLOTS: 2 ** slotBits,
      SLOT: (workGroupSize * items) / 2 ** slotBits,
    },
  );
}

/** The kernel that sorts segments of up to `slot` items by comparing them. */
export function shortSegmentsKernel(
  options: SortKernelOptions,
  slot: number,
  use: SegmentUse,
  source: SortSource,
  storesKeys: boolean,
): Kernel {
  const { key, shape } = options;
  const { workGroupSize, items } = shape.sizes;
  return linkSort(
    options,
    use === "chunks" ? "first items of short rows" : "sort short segments",
    "sort_short_segments",
    [
      ...sourcesFor(options, use, source, storesKeys),
      ...keyOrders(key),
      generated(keyBitsText(options)),
      sortShortSegments,
    ],
    { SLOT: slot, SLOTS: Math.floor((workGroupSize * items) / slot) },
  );
}

/** The kernel that finds the segments of positions. */
export const numberKernel = (segments: SortedSegments, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold number segments by ${segments}`,
    "number_segments",
    [
      generated(
        ["Input", "Output", "InputVector", "OutputVector"].map((name) => `alias ${name} = u32;`).join("\n"),
      ),
      outputItems,
      lengthFile(lengthOnGpu),
      ...segmentFiles[segments],
      numberSegments,
    ],
    sizes,
  );
