import { u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Plan } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import { planRecording } from "./plan_recording.ts";
import { plannerOfSegments } from "./plan_segmented.ts";
import { planSortWithValues } from "./sort_with_values.ts";

/** The bits of the numbers up to one: at least 1. */
const bitsUpTo = (most: number): number => Math.max(1, 32 - Math.clz32(most));

/**
 * Plans the sort of values by their positions, which are at most `mostPosition`, and the reduction of each run of equal ones. The sort is stable and
 * reductions keep the order, so elements are combined in theirs.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export async function planSortedRuns(
  type: ElementType,
  op: Operator,
  mostPosition: number,
  lengths: { readonly maxLength: number; readonly lengthOnGpu: boolean },
  facts: PlanFacts,
): Promise<{ readonly sort: Plan; readonly reduce: Plan }> {
  const bits = [0, bitsUpTo(mostPosition)] as const;
  return {
    sort: await planSortWithValues({ type: u32, values: type, bits, ...lengths }, facts),
    reduce: planRecording(
      "reduce",
      { type, op, segments: { keys: u32, unique: true }, ...lengths } as object,
      facts,
      ["vectors"],
      plannerOfSegments("reduce"),
    ),
  };
}
