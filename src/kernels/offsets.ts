import reduceOffsets from "#shaders/device/kernels/reduce_offsets.wgsl";
import firstNeeded from "#shaders/device/look_back/first_needed_of_segments.wgsl";
import firstSegmentSearched from "#shaders/device/segments/first_segment_searched.wgsl";
import scanLanes from "#shaders/device/segments/scan_lanes.wgsl";
import segmentValues from "#shaders/device/segments/values.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../text/source.ts";
import type { TileShape } from "./algorithms.ts";
import { algorithms } from "./algorithms.ts";
import { elementWords, itemsOfVector, operatorSources } from "./contract.ts";
import type { Kernel, SinglePassKernelOptions } from "./kernel.ts";
import { inputFor, lengthFile, linkKernel, rangeSources } from "./kernel.ts";
import { laneItems } from "./look_back.ts";
import { laneStages, valueShuffles } from "./subgroup_sources.ts";
import { votesInWord } from "./subgroup_tiles.ts";

// The package loads this file only if a plan has segments.

/** The bits of a word: the most items of a thread of which a word tells which ones end segments. */
export const WORD_BITS = 32;
/** The most bytes of a value that is moved lane by lane. */
const MOST_VALUE_BYTES = 8;

/** Whether kernels that hold the values of segments without heads take the operator and the sizes. */
export const takesValues = ({ onValues: own, tiles }: Monoid, { algorithm, sizes }: TileShape): boolean =>
  own !== undefined &&
  own.tiles === undefined &&
  tiles === undefined &&
  !own.domain.long &&
  own.domain.elementBytes <= MOST_VALUE_BYTES &&
  algorithms[algorithm].subgroups &&
  votesInWord(sizes) &&
  sizes.items <= WORD_BITS;

/** The sources that load the values of segments without heads, and combine them lane by lane. */
export const valueSources = (onValues: Monoid | undefined): readonly SourceText[] => [
  ...(onValues ? [valueShuffles(onValues)] : []),
  segmentValues,
  scanLanes,
];

/**
 * The kernel that reduces segments by their offsets in a single pass. `carry` is what it looks back with. `files` find segments, store totals,
 * and say what an empty segment gives.
 */
export function reduceOffsetsKernel(
  monoid: Monoid,
  options: SinglePassKernelOptions,
  files: readonly SourceText[],
): Kernel {
  const { sources, sizes, arrangement, carry, lengthOnGpu, map } = options;
  const { type, onValues } = monoid;
  const loaded = map?.from.bytes ?? type.bytes;
  const vector = itemsOfVector(loaded, sizes.items, loaded);
  const own = laneItems(sizes.items);
  return linkKernel(
    `wavefold reduce items by offsets <${monoid.title}>`,
    "reduce_offsets",
    [
      ...operatorSources(monoid),
      ...rangeSources(monoid, { input: "items", output: "items", vector, map }),
      ...inputFor(arrangement),
      ...files,
      ...valueSources(onValues),
      firstNeeded,
      reduceOffsets,
      firstSegmentSearched,
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
