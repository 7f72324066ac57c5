import outputItems from "#shaders/device/io/output_items.wgsl";
import numberSegments from "#shaders/device/kernels/number_segments.wgsl";
import sortSegments from "#shaders/device/kernels/sort_segments.wgsl";
import sortShortSegments from "#shaders/device/kernels/sort_short_segments.wgsl";
import offsets from "#shaders/device/segments/offsets.wgsl";
import parts from "#shaders/device/segments/parts.wgsl";
import digitsInSlots from "#shaders/device/sort/digits_in_slots.wgsl";
import placesInSlots from "#shaders/device/sort/places_in_slots.wgsl";
import segmentValuesMoved from "#shaders/device/sort/segment_values_moved.wgsl";
import segmentValuesNone from "#shaders/device/sort/segment_values_none.wgsl";
import byChunks from "#shaders/device/sort/segments_by_chunks.wgsl";
import byOffsets from "#shaders/device/sort/segments_by_offsets.wgsl";
import byParts from "#shaders/device/sort/segments_by_parts.wgsl";
import byRows from "#shaders/device/sort/segments_by_rows.wgsl";
import storeKeys from "#shaders/device/sort/store_keys.wgsl";
import storeNoKeys from "#shaders/device/sort/store_no_keys.wgsl";
import storedFirst from "#shaders/device/sort/stored_first.wgsl";
import storedInPlace from "#shaders/device/sort/stored_in_place.wgsl";
import valuesMoved from "#shaders/device/sort/values_moved.wgsl";
import type { Source } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";
import type { SortSource } from "./sort.ts";
import { exchangeText, itemSources, linkSort, rankSources, valueFile } from "./sort.ts";
import { keyBitsText, orderFile } from "./sort_key.ts";
import type { SortKernelOptions } from "./sort_tile.ts";
import { radixOf } from "./sort_tile.ts";

// Kernels that sort segments which fit in a tile.

/** What says where the segments of a sort start. */
export type SortedSegments = "rows" | "offsets" | "begins";

/** What a kernel takes for segments: those of the caller; or the chunks of rows, of which it stores the first items. */
export type SegmentUse = SortedSegments | "chunks";

export const segmentFiles = {
  rows: [byRows],
  offsets: [offsets, byOffsets],
  begins: [parts, byParts],
  chunks: [byChunks],
} as const;

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
      orderFile(key),
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
    [itemsText("u32"), outputItems, lengthFile(lengthOnGpu), ...segmentFiles[segments], numberSegments],
    sizes,
  );
