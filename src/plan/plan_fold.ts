import type { Arrangement } from "../kernels/kernel.ts";
import { loadSegmentsAndRuns } from "../parts.ts";
import type { Plan } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import type { FoldName } from "./plan_recording.ts";
import { planRecording } from "./plan_recording.ts";

/** As {@link planRecording}. What plans segments is loaded if the options have some. */
export async function planFold(
  primitive: FoldName,
  options: object,
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
): Promise<Plan> {
  const hasSegments = (options as { readonly segments?: unknown }).segments !== undefined;
  const part = hasSegments ? await loadSegmentsAndRuns() : undefined;
  return planRecording(primitive, options, facts, arrangements, part?.plannerOfSegments(primitive));
}
