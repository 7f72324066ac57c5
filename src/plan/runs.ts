import { u32 } from "../algebra/integers.ts";
import { min } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import type { ParamsOption, TuningOptions } from "./options.ts";
import type { Plan } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import { planRecording } from "./plan_recording.ts";
import { plannerOfSegments } from "./plan_segmented.ts";
import type { Alone, OwnSegments, RunKeyOptions } from "./run_key.ts";
import { ALONE, FIRST_ITEMS } from "./run_key.ts";

/** What the plan of runs of equal elements is made from. */
export interface RunPlanOptions extends RunKeyOptions, TuningOptions, ParamsOption {
  /** The type of the elements. */
  readonly type: ElementType;
  /** The most elements. */
  readonly maxLength: number;
  readonly lengthOnGpu?: boolean;
  /** What is asked for: the first element of each run, or its position, as the total. Otherwise the element and its count, as the total. */
  readonly alone?: Alone;
}

/**
 * Plans the search for runs of equal elements: a reduction by keys that are the data itself. The map gives what is combined, and the
 * operator combines it. The ranges `input` and `keys` are one.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planRuns(
  { type: from, key, keyType, alone, ...options }: RunPlanOptions,
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
): Plan {
  const givesPositions = alone === "totals";
  const own: OwnSegments = {
    ...(key !== undefined && !givesPositions && { [FIRST_ITEMS]: true }),
    ...(alone && { [ALONE]: alone }),
  };
  const reduction = {
    ...options,
    from,
    type: u32,
    segments: { keys: from, key, keyType, unique: !givesPositions, ...own },
    // The least position of a run is that of its first element.
    ...(givesPositions ? { map: "i", op: min } : { map: "1u" }),
  };
  return planRecording("reduce", reduction, facts, arrangements, plannerOfSegments("reduce"));
}
