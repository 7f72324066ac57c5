import type { Arrangement } from "../kernels/kernel.ts";
import { planCompact, planPartition } from "./compact.ts";
import { countWorkGroups } from "./count_work_groups.ts";
import type { Plan } from "./plan.ts";
import { withTextParams } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import { planReduce } from "./reduce.ts";
import { planScan } from "./scan.ts";

/** The primitives that `prepareScan` and so on record. */
export type FoldName = "scan" | "reduce" | "compact" | "partition";

/** The planner of a primitive. It checks the options. */
export type Planner = (options: never, facts: PlanFacts, arrangements: readonly Arrangement[]) => Plan;

const planners: Record<FoldName, Planner> = {
  scan: planScan,
  reduce: planReduce,
  compact: planCompact,
  partition: planPartition,
};

/**
 * Plans a recording. If a buffer has the length, the plan may count its work-groups on the GPU. `planner` is for segments: `planSegmented` is loaded only
 * for these.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export function planRecording(
  primitive: FoldName,
  options: { readonly lengthOnGpu?: unknown; readonly params?: unknown },
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
  planner: Planner = planners[primitive],
): Plan {
  const plan = withTextParams(planner(options as never, facts, arrangements), options);
  return options.lengthOnGpu ? countWorkGroups(plan, primitive === "scan", facts) : plan;
}
