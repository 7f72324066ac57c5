import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import type { SortOptions } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { planExpandRuns } from "./expand_runs.ts";
import { planGather } from "./gather.ts";
import { givenOptions } from "./given_options.ts";
import type { Bindable, Scratch } from "./plan.ts";
import { wholeWords } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { FoldName } from "./plan_recording.ts";
import { planRecording } from "./plan_recording.ts";
import type { CheckedUnique, RunPlaces, Stage, Stages } from "./planned_unique.ts";
import { wordsFor } from "./planned_unique.ts";
import { planSort } from "./sort.ts";

// What a search for runs takes beside it: a sort before, and after it the positions of first items, the runs of some counts alone, and the
// index of each item's run. All of them are plans of other primitives.

/** How the stages lie: their ranges start at any item. */
const LYING = ["items"] as const;

/** Bytes of scratch for as many items. Kernels bind one item at least. */
const bytesOfItems = ({ maxLength }: CheckedUnique, { bytes }: ElementType): number =>
  wholeWords(Math.max(1, maxLength) * bytes);

/** What comes before and after the search for runs. `asked` is where its results go in the end. */
export function stagesOf(options: CheckedUnique, asked: RunPlaces, facts: PlanFacts): Stages {
  const { sort = false, indices = false, inverse = false, bounds, isCounted, type } = options;
  const sorted = sort ? sortOf(options, facts) : undefined;
  const first = indices ? u32 : type;
  /** Takes the elements at positions, of which only the GPU knows how many there are. */
  const take = (
    of: ElementType,
    input: Bindable,
    positions: Bindable,
    output: Bindable,
    length: Bindable,
  ) => ({
    plan: planGather({ type: of, maxLength: options.maxLength, lengthOnGpu: true }, facts, options.title, [
      "input",
      "output",
    ]),
    ranges: { input, positions, output, length },
  });
  const counts = bounds ? wordsFor(options, "counts of all runs") : asked.counts;
  const count: Bindable = bounds ? { name: "number of all runs", bytes: 4 } : asked.count;
  const after: Stage[] = [];
  /** Where the first items of all runs are stored, or their positions. */
  const firsts: Bindable = bounds
    ? { name: "firsts of all runs", bytes: bytesOfItems(options, first), late: true }
    : asked.firsts;
  // Positions in what is sorted are those of positions.
  const starts = sorted && indices ? wordsFor(options, "starts of runs") : firsts;
  if (indices && isCounted) {
    after.push(startsOf(options, { input: counts, output: starts, length: count }, facts));
  }
  if (sorted && indices) {
    after.push(take(u32, sorted.positions, starts, firsts, count));
  }
  if (bounds) {
    const kept = wordsFor(options, "runs that are kept");
    after.push(
      keep(options, bounds, { input: counts, output: kept, length: count, count: asked.count }, facts),
      take(first, firsts, kept, asked.firsts, asked.count),
      ...(options.counts ? [take(u32, counts, kept, asked.counts, asked.count)] : []),
    );
  }
  if (inverse) {
    after.push(inverseOf(options, counts, sorted?.positions, facts));
  }
  const unread: Scratch = {
    name: "first items",
    bytes: bytesOfItems(options, type),
    late: true,
  };
  return {
    places: {
      data: sorted?.items ?? "input",
      // If runs are counted, the search stores their first items, too.
      firsts: indices ? (isCounted ? unread : starts) : firsts,
      counts,
      count,
    },
    before: sorted?.stages ?? [],
    after,
  };
}

/** The sort, and where the items and their positions are then. */
function sortOf(options: CheckedUnique, facts: DeviceFacts) {
  const { type, key, keyType, params, maxLength, lengthOnGpu = false, title } = options;
  const positions = wordsFor(options, "positions");
  const items: Scratch = {
    name: "sorted items",
    bytes: bytesOfItems(options, type),
    itemBytes: type.bytes,
  };
  const byKey = key !== undefined;
  const order = { type, key, keyType, params, maxLength, lengthOnGpu, indices: byKey } as SortOptions;
  const sort = planSort(order, facts, "positions", LYING);
  const stages: readonly Stage[] = byKey
    ? [
        { plan: sort, ranges: { output: positions } },
        {
          plan: planGather({ type, maxLength, lengthOnGpu }, facts, title, ["input", "output"]),
          ranges: { positions, output: items },
        },
      ]
    : [{ plan: sort, ranges: { output: items, reordered: positions } }];
  return { items, positions, stages };
}

/** The sizes that the caller chose. */
const sizesIn = (options: CheckedUnique) => givenOptions(options, ["workGroupSize", "itemsPerThread"]);

/** A stage over a word for each run, of which only the GPU knows how many there are. */
const stageOfWords = (
  primitive: FoldName,
  options: CheckedUnique,
  more: object,
  ranges: Stage["ranges"],
  facts: PlanFacts,
): Stage => ({
  plan: planRecording(
    primitive,
    { ...sizesIn(options), type: u32, maxLength: options.maxLength, lengthOnGpu: true, ...more } as object,
    facts,
    LYING,
  ),
  ranges,
});

/** Where each run starts: how many items the runs before it have. */
const startsOf = (options: CheckedUnique, ranges: Stage["ranges"], facts: PlanFacts): Stage =>
  stageOfWords("scan", options, { exclusive: true }, ranges, facts);

/** The runs of which the counts are within bounds. */
const keep = (
  options: CheckedUnique,
  [least, most]: readonly [number, number],
  ranges: Stage["ranges"],
  facts: PlanFacts,
): Stage => {
  const where = `x >= ${Math.min(least, 0xffffffff)}u && x <= ${Math.min(most, 0xffffffff)}u`;
  return stageOfWords("compact", options, { where, indices: true }, ranges, facts);
};

/** The index of each item's run: runs of their own indices, written out, where the items lay before they were sorted. */
const inverseOf = (
  options: CheckedUnique,
  counts: Bindable,
  positions: Scratch | undefined,
  facts: PlanFacts,
): Stage => ({
  plan: planExpandRuns(
    {
      ...sizesIn(options),
      type: u32,
      indices: true,
      atPositions: positions !== undefined,
      maxLength: options.maxLength,
      lengthOnGpu: true,
    },
    facts,
    LYING,
  ),
  ranges: {
    counts,
    output: "inverse",
    length: "count",
    count: { name: "number of items", bytes: 4 },
    ...(positions && { positions }),
  },
});
