import type { ByKind } from "../adapters/adapter.ts";
import { tableFor } from "../adapters/adapter.ts";
import { expandRuns as gpu } from "../adapters/gpu.ts";
import { expandRuns as nvidia } from "../adapters/nvidia.ts";
import { expandRuns as software } from "../adapters/software.ts";
import type { Shape } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import { ArgumentError } from "../errors.ts";
import { storeSortedKernel } from "../kernels/expand_runs.ts";
import { countTakenKernel } from "../kernels/select.ts";
import type { SortedSegments } from "../kernels/sort_segments.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { saturatingSum } from "./expand_runs.ts";
import { moveSizes } from "./gather.ts";
import { plainSizes } from "./one_dispatch_plan.ts";
import type { Pass, Plan, RangeName, Scratch, SegmentRanges } from "./plan.ts";
import { bound, distinct, wholeWords, withRanges } from "./plan.ts";
import { planScan } from "./scan.ts";
import { countsOf } from "./segment_counts.ts";
import type { TopKRowsOptions } from "./select.ts";
import { common } from "./select.ts";
import { untuned } from "./sort.ts";
import { requireWhole } from "./sort_key.ts";
import type { SegmentTesting } from "./sort_segments.ts";
import { planSegmentSort, startBindings } from "./sort_segments.ts";

// Selections of the first elements of each segment, where each segment has a k of its own. The segments are sorted. A dispatch counts what is
// taken of each, a scan of the counts gives where the results of each start, and each result looks for its segment, as items of runs do.

const tables: ByKind<Shape> = { software, nvidia, gpu };

/** The numbers of a recording: the segments, and how many results there is room for. The default is room for all elements. */
const numbersOf = (segments: SortedSegments, mostSegments: number): SegmentRanges => ({
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
    const { outputLength = length } = given;
    return { ...counts, room: requireWhole(outputLength, 0, plan.title, "outputLength") };
  },
});

/** Plans the selection of as many first elements of each segment as the range `k` says. `options` were checked, and `segments` are those that they name. */
export function planTopKEach(
  options: TopKRowsOptions,
  segments: SortedSegments,
  facts: DeviceFacts,
  testing: SegmentTesting,
): Plan {
  const { k: _, smallest, maxSegmentCount, lengthOnGpu = false, ...others } = options;
  const { type, maxLength } = options;
  const title = `topK<${type.name}> of ${segments}`;
  const mostSegments = requireWhole(maxSegmentCount ?? maxLength, 0, title, "maxSegmentCount");
  const sorted = { ...others, lengthOnGpu, indices: true, descending: smallest !== true };
  const own = untuned(facts);
  const order = planSegmentSort(sorted, own, "positions", ["items"], testing);
  const moves = moveSizes(title, u32, facts);
  const counting = countTakenKernel(segments, lengthOnGpu, moves);
  const scan = planScan({ type: u32, op: saturatingSum, maxLength: mostSegments + 1 }, own, ["items"]);
  const sizes = plainSizes(tableFor(tables, facts), title, type, {}, facts);
  const store = storeSortedKernel(type, sizes);
  const words = (name: string, length: number): Scratch => ({ name, bytes: wholeWords(length * u32.bytes) });
  const positions = words("sorted positions", maxLength);
  const counts = words("numbers of taken elements", mostSegments + 1);
  const begins = words("begins of segments", mostSegments);
  return {
    ...common(title, maxLength, type),
    segments: numbersOf(segments, mostSegments),
    vector: 1,
    needs: new Set<RangeName>([...order.needs, "k", "indices", "outputOffsets", "count"]),
    variants: [{ arrangement: "items" }],
    outputLength: (length, { room = length } = {}) => room,
    kernels: distinct([...order.kernels, counting, ...scan.kernels, store]),
    scratch: [positions, counts, begins, ...order.scratch, ...scan.scratch],
    passes(length, arrangement, _, params = {}) {
      const { segment_count: count = 0, room = length } = params;
      const passOf = (
        kernel: Pass["kernel"],
        bindings: Pass["bindings"],
        { items, tile, of = length }: { readonly items: number; readonly tile: number; readonly of?: number },
      ): Pass => ({
        kernel,
        bindings: bound(kernel, bindings),
        length: of,
        tiles: Math.max(1, Math.ceil(items / tile)),
      });
      return [
        ...withRanges(
          order.passes(length, arrangement, false, params),
          { output: positions },
          { first_index: 0 },
        ),
        passOf(
          counting,
          { k: "k", output: counts, begins, ...startBindings(segments), length_buffer: "length" },
          { items: count + 1, tile: moves.workGroupSize * moves.items },
        ),
        ...withRanges(scan.passes(count + 1, "items"), { input: counts, output: "outputOffsets" }),
        passOf(
          store,
          {
            input: "input",
            output: "output",
            indices: "indices",
            positions,
            begins,
            ends: "outputOffsets",
            count_buffer: "count",
          },
          { items: room, tile: sizes.workGroupSize * sizes.items, of: count + 1 },
        ),
      ];
    },
  };
}
