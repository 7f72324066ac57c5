import { u32 } from "../algebra/integers.ts";
import { requireType } from "../algebra/types.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import { requireBounds } from "./count_bounds.ts";
import type { Bindable, Pass, Plan, RangeName, Scratch } from "./plan.ts";
import { distinct, rangesTaken, withRanges } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { CheckedUnique, RunPlaces, Stage, Stages, UniqueOptions } from "./planned_unique.ts";
import { wordsFor } from "./planned_unique.ts";
import { requireRunKey } from "./run_key.ts";
import { planRuns } from "./runs.ts";
import { stagesOf } from "./unique_stages.ts";

/**
 * Plans the search for runs of equal items, and all that is asked of these beside their first items. `key` and `keyType` say which items are
 * equal.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planUnique(
  options: UniqueOptions,
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
): Plan {
  const { sort = false, indices = false, counts = false, inverse = false, ...others } = options;
  const { minCount: _, maxCount: __, ...ofRuns } = others;
  const type = requireType(options.type, "unique");
  const title = `unique<${type.name}>`;
  requireRunKey(options, type, title);
  const bounds = requireBounds(options, title);
  const isCounted = counts || inverse || bounds !== undefined;
  const checked: CheckedUnique = { ...options, type, title, bounds, isCounted };
  const runs = planRuns(
    { ...ofRuns, type, ...(!isCounted && { alone: indices ? "totals" : "keys" }) },
    facts,
    // What is sorted lies in scratch, and what is stored of it may start at any item.
    sort ? ["items"] : arrangements,
  );
  const own: RunPlaces = {
    data: "input",
    firsts: "unique",
    counts: counts ? "counts" : wordsFor(options, "counts"),
    count: "count",
  };
  const isPlain = !(sort || inverse || bounds || (indices && isCounted));
  const stages: Stages = isPlain ? { places: own, before: [], after: [] } : stagesOf(checked, own, facts);
  return withStages(checked, runs, stages);
}

/** A plan of runs with what comes before and after. */
function withStages(
  { title, type, indices, counts, inverse, isCounted, lengthOnGpu }: CheckedUnique,
  runs: Plan,
  { places: { data, firsts, counts: counted, count }, before, after }: Stages,
): Plan {
  const plans = [...before, ...after].map(({ plan }) => plan);
  // A reduction stores positions where it would store counts.
  const output = indices && !isCounted ? firsts : counted;
  const ranges: Readonly<Partial<Record<RangeName, Bindable>>> = {
    ...(data !== "input" && { input: data, keys: data }),
    unique: firsts,
    output,
    count,
  };
  const scratch = [data, firsts, counted, count].filter((one) => typeof one === "object");
  const passesOf = (stages: readonly Stage[], length: number): readonly Pass[] =>
    stages.flatMap(({ plan, ranges: own }) =>
      withRanges(plan.passes(length, "items", false, { room: length }), own, { first_index: 0 }),
    );
  return {
    ...runs,
    title,
    kernels: distinct([runs, ...plans].flatMap(({ kernels }) => kernels)),
    scratch: [...new Set([...runs.scratch, ...scratch, ...scratchOf([...before, ...after])])],
    needs: rangesTaken({
      input: true,
      keys: data === "input",
      unique: true,
      counts,
      inverse,
      count: true,
      length: lengthOnGpu,
    }),
    sameAs: { keys: "input" },
    ...(counts && { writes: ["counts"] as const }),
    itemTypes: { ...runs.itemTypes, input: type, keys: type, unique: indices ? u32 : type },
    vectorRanges: [data, output].filter((one) => typeof one === "string"),
    // There is room for as many runs as items.
    segments: {
      ...runs.segments,
      headsOf: (length) => length,
      reduces: true,
      numbers: [],
      countsOf: (_, length) => ({ segment_count: length, room: length }),
    },
    passes: (length, arrangement) => [
      ...passesOf(before, length),
      ...withRanges(runs.passes(length, arrangement), ranges, { first_index: 0 }),
      ...passesOf(after, length),
    ],
  };
}

/** The buffers of plans inside a plan, and those that stand in the place of their ranges. */
const scratchOf = (stages: readonly Stage[]): readonly Scratch[] =>
  stages.flatMap(({ plan, ranges }) => [
    ...plan.scratch,
    ...Object.values(ranges).filter((one) => typeof one === "object"),
  ]);
