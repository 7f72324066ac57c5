import type { Arrangement } from "../kernels/kernel.ts";
import { planColumns } from "./columns.ts";
import type { AnyOperator } from "./options.ts";
import type { Plan } from "./plan.ts";
import { ALL_ARRANGEMENTS } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { Planner, Primitive } from "./plan_recording.ts";
import type { ReduceOptions } from "./reduce.ts";
import { planRows } from "./rows.ts";
import type { ScanOptions } from "./scan.ts";
import { planSegments } from "./segments.ts";

/**
 * Plans a scan or a reduction of segments, each on its own. Columns and rows have planners of their own; that of rows leaves some to the planner of all
 * segments.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSegmented(
  primitive: "scan" | "reduce",
  options: AnyOperator<ScanOptions & ReduceOptions>,
  facts: PlanFacts,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
): Plan {
  const { segments } = options;
  if (segments === "columns") {
    return planColumns(primitive, options, facts, arrangements);
  }
  const rows = segments === "rows" ? planRows(primitive, options, facts, arrangements) : undefined;
  return rows ?? planSegments(primitive, options, facts, arrangements);
}

/** The planner of recordings with segments. Of compactions and partitions, no options name any. */
export const plannerOfSegments =
  (primitive: Primitive): Planner =>
  (...given) =>
    planSegmented(primitive as "scan" | "reduce", ...given);
