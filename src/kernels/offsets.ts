import findFirstSegments from "#shaders/device/kernels/find_first_segments.wgsl";
import reduceOffsets from "#shaders/device/kernels/reduce_offsets.wgsl";
import firstNeeded from "#shaders/device/look_back/first_needed_of_segments.wgsl";
import firstSegmentSearched from "#shaders/device/segments/first_segment_searched.wgsl";
import firstSegmentStored from "#shaders/device/segments/first_segment_stored.wgsl";
import scanLanes from "#shaders/device/segments/scan_lanes.wgsl";
import segmentValues from "#shaders/device/segments/values.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../text/source.ts";
import type { TileShape } from "./algorithms.ts";
import { algorithms, hasFullSubgroups } from "./algorithms.ts";
import { elementWords, itemsOfVector, operatorSources, storageText } from "./contract.ts";
import type { Arrangement, Kernel, KernelOptions, ScanKernelOptions } from "./kernel.ts";
import { inputFor, lengthFile, linkKernel } from "./kernel.ts";
import { laneItems } from "./look_back.ts";
import type { Sizes } from "./sizes.ts";
import { laneStages, valueShuffles } from "./subgroup_sources.ts";

// The package loads this file only if a plan has segments.

/** The bits of a word: the most lanes whose votes are in one, and the most items of a thread of which a word tells which ones end segments. */
export const WORD_BITS = 32;
/** The most bytes of a value that is moved lane by lane. */
const MOST_VALUE_BYTES = 8;

/**
 * Up to this many items, each tile searches for its first segment itself. For more items, a pass before searches for all tiles. u32, H100, mean length 32 and
 * 1024, 256 × 16, 2^24: 81 and 55 µs (a pass before: 88 and 63), 2^28: 930 and 681 (869 and 591).
 */
export const MOST_SEARCHED = 2 ** 25;
/**
 * For more items than this, up to {@link MOST_SEARCHED}, look-backs do not end where a segment ends. u32, H100, mean length 32 and 1024, without and
 * with that: 2^20 16.1 µs (15.0) and 15.0 (13.6), 2^24 60.7 (65.6) and 51.3 (54.2), 2^28 592 (587) and 487 (458).
 */
const MOST_ENDED_EARLY = 2 ** 22;

/** Whether kernels that hold the values of segments without heads take the operator and the sizes. */
export const takesValues = ({ onValues: own, tiles }: Monoid, { algorithm, sizes }: TileShape): boolean =>
  own !== undefined &&
  own.tiles === undefined &&
  tiles === undefined &&
  !own.domain.long &&
  own.domain.elementBytes <= MOST_VALUE_BYTES &&
  algorithms[algorithm].subgroups &&
  hasFullSubgroups(sizes) &&
  sizes.maxSubgroupSize <= WORD_BITS &&
  sizes.items <= WORD_BITS;

/** The sources that load the values of segments without heads, and combine them lane by lane. */
export const valueSources = (onValues: Monoid | undefined): readonly SourceText[] => [
  ...(onValues ? [valueShuffles(onValues)] : []),
  segmentValues,
  scanLanes,
];

/** The kernel that stores the first segment of each tile of {@link reduceOffsetsKernel}. `places` are the files that find segments. */
export const firstSegmentsKernel = (
  places: readonly SourceText[],
  tile: number,
  lengthOnGpu: boolean,
  sizes: Sizes,
): Kernel =>
  linkKernel(
    "wavefold find first segments",
    "find_first_segments",
    [...places, findFirstSegments, lengthFile(lengthOnGpu)],
    sizes,
    { more: { FIRST_TILE: tile } },
  );

/**
 * The kernel that reduces segments by their offsets in a single pass. `carry` is what it looks back with. `files` find segments, store totals,
 * and say what an empty segment gives.
 */
export function reduceOffsetsKernel(
  monoid: Monoid,
  options: KernelOptions &
    ScanKernelOptions & { readonly arrangement: Arrangement; readonly carry: readonly SourceText[] },
  files: readonly SourceText[],
  maxLength: number,
): Kernel {
  const { sources, sizes, arrangement, carry, lengthOnGpu, map } = options;
  const { type, onValues } = monoid;
  const loaded = map?.from.bytes ?? type.bytes;
  const vector = itemsOfVector(loaded, sizes.items, loaded);
  const own = laneItems(sizes.items);
  const isStored = maxLength > MOST_SEARCHED;
  return linkKernel(
    `wavefold reduce items by offsets <${monoid.title}>`,
    "reduce_offsets",
    [
      ...operatorSources(monoid),
      ...(map?.sources(monoid, "items", vector, false) ?? [
        storageText(monoid, "items", "items", vector),
        ...type.files,
      ]),
      ...inputFor(arrangement),
      ...files,
      ...valueSources(onValues),
      ...(isStored || maxLength <= MOST_ENDED_EARLY ? [firstNeeded] : []),
      reduceOffsets,
      isStored ? firstSegmentStored : firstSegmentSearched,
      ...carry,
      lengthFile(lengthOnGpu),
      ...sources(monoid, { hasTotal: true }),
    ],
    sizes,
    {
      vector,
      words: elementWords(monoid),
      more: {
        LANE_ITEMS: own,
        LANE_VECTORS: own / vector,
        LANE_ROWS: sizes.items / own,
        ...laneStages(sizes),
      },
    },
  );
}
