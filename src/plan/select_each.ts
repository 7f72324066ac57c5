import { tablesFor } from "../adapters/adapter.ts";
import { u32 } from "../algebra/integers.ts";
import { ArgumentError } from "../errors.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { countTakenKernel, storeSortedKernel } from "../kernels/select.ts";
import type { SortedSegments } from "../kernels/sort_segments.ts";
import { mostBindable, requireBindable } from "./binding_length.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { saturatingSum } from "./expand_runs.ts";
import { moveSizes, passOver, plainSizes } from "./plain_plan.ts";
import type { Pass, PassParams, Plan, Scratch, SegmentRanges } from "./plan.ts";
import { distinct, rangesTaken, wholeWords, withRanges } from "./plan.ts";
import { planScan } from "./scan.ts";
import { countsOf, startBindings } from "./segment_counts.ts";
import type { TopKRowsOptions } from "./select.ts";
import { common } from "./select.ts";
import { untuned } from "./sort.ts";
import { requireWhole } from "./sort_key.ts";
import { startRanges } from "./sort_segments.ts";

// Selections of the first elements of each segment, where each segment has a k of its own. The segments are sorted, or if they are rows of which
// few elements are taken, the first ones of each are selected. A dispatch counts what is taken of each, a scan of the counts gives where the
// results of each start, and each result looks for its segment, as items of runs do.

/** What puts the first positions of each segment in order: the first passes of such a plan. */
export interface SortedPositions {
  readonly kernels: readonly Kernel[];
  readonly scratch: readonly Scratch[];
  /** Where it leaves the positions, each segment's from where the segment begins. */
  readonly positions: Scratch;
  /** How many positions it leaves of a row, if these are not all. The rows of positions are as long. */
  storedOf?(columns: number): number;
  passes(length: number, arrangement: Arrangement, params: PassParams): readonly Pass[];
}

/** The segments of such a plan, and the most of them, and of the elements to take of each. */
interface EachSegment {
  readonly segments: SortedSegments;
  readonly mostSegments: number;
  readonly mostK: number;
}

/** The numbers of a recording: the segments, and how many results there is room for. The default is room for all. */
const numbersOf = ({ segments, mostSegments, mostK }: EachSegment): SegmentRanges => ({
  numbers: [segments === "rows" ? "rows" : "segmentCount", "outputLength"],
  reduces: false,
  headsOf: (length) => length,
  countsOf(given, length, plan) {
    const counts = countsOf(given, length, plan);
    const { segment_count: count = 0 } = counts;
    if (count > mostSegments) {
      throw new ArgumentError(
        `${plan.title}: there are ${count} segments, and this was prepared for a maxSegmentCount of ${mostSegments}`,
        segments === "rows" ? "rows" : "segmentCount",
      );
    }
    const { outputLength = Math.min(length, count * mostK) } = given;
    return { ...counts, room: requireWhole(outputLength, 0, plan.title, "outputLength") };
  },
});

/**
 * Plans the selection of as many first elements of each segment as the range `k` says, at most `mostK`. `sorted` leaves at least so many
 * positions. The options were checked.
 */
export function planTopKEach(
  options: TopKRowsOptions,
  mostK: number,
  sorted: SortedPositions,
  facts: DeviceFacts,
): Plan {
  const { type, maxLength, segments, maxSegmentCount, lengthOnGpu = false } = options;
  const title = `topK<${type.name}> of ${segments}`;
  const mostSegments =
    maxSegmentCount === undefined
      ? Math.min(maxLength, mostBindable(u32.bytes, facts.limits) - 1)
      : requireWhole(maxSegmentCount, 0, title, "maxSegmentCount");
  // There is one more number than there are segments.
  requireBindable(title, mostSegments + 1, u32.bytes, facts.limits, "maxSegmentCount");
  const moves = moveSizes(title, u32, facts);
  const counting = countTakenKernel(segments, lengthOnGpu, moves);
  const scan = planScan({ type: u32, op: saturatingSum, maxLength: mostSegments + 1 }, untuned(facts), [
    "items",
  ]);
  const sizes = plainSizes(tablesFor(facts).expandRuns, title, type, {}, facts);
  const store = storeSortedKernel(type, sizes);
  const words = (name: string, length: number): Scratch => ({ name, bytes: wholeWords(length * u32.bytes) });
  const counts = words("numbers of taken elements", mostSegments + 1);
  const begins = words("begins of segments", mostSegments);
  const { positions } = sorted;
  return {
    ...common(title, maxLength, type),
    segments: numbersOf({ segments, mostSegments, mostK }),
    vector: 1,
    needs: rangesTaken({ length: lengthOnGpu }, [
      ...(["input", "output", "indices", "k", "outputOffsets", "count"] as const),
      ...startRanges(segments),
    ]),
    variants: [{ arrangement: "items" }],
    outputLength: (length, { room = length } = {}) => room,
    kernels: distinct([...sorted.kernels, counting, ...scan.kernels, store]),
    scratch: [positions, counts, begins, ...sorted.scratch, ...scan.scratch],
    passes(length, arrangement, _, params = {}) {
      const { segment_count: count = 0, columns = 0, room = length } = params;
      const stored = sorted.storedOf?.(columns);
      return [
        ...sorted.passes(length, arrangement, params),
        passOver(
          counting,
          count + 1,
          { k: "k", output: counts, begins, ...startBindings(segments), length_buffer: "length" },
          {
            length: stored === undefined ? length : count * stored,
            params: { k: mostK, ...(stored !== undefined && { columns: stored }) },
          },
        ),
        ...withRanges(scan.passes(count + 1, "items"), { input: counts, output: "outputOffsets" }),
        passOver(
          store,
          room,
          {
            input: "input",
            output: "output",
            indices: "indices",
            positions,
            begins,
            ends: "outputOffsets",
            count_buffer: "count",
          },
          { length: count + 1 },
        ),
      ];
    },
  };
}
