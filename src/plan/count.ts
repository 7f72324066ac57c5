import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import { requireCode } from "../text/callers.ts";
import type { TuningOptions } from "./options.ts";
import type { Plan } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import { planRecording } from "./plan_recording.ts";

/** A condition over elements. */
export interface ConditionOption {
  /**
   * WGSL over the element `x` and its index `i` (u32), such as `"x > 0.5"`: an expression that is true, or a number that is not zero, for
   * the elements that are meant; or statements that end in `return` of a bool.
   */
  readonly where: string;
}

/** The options of `prepareCount`, `prepareAny`, `prepareAll`, `prepareFindFirst` and `prepareFindLast`. */
export interface ConditionOptions<Name extends string = string>
  extends ConditionOption,
    Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /** The most items of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** How messages begin of a call or a plan with a condition, once that and the type are checked. @throws {ArgumentError} */
export function requireCondition(
  name: string,
  { type, where }: { readonly type: unknown; readonly where: unknown },
  option?: "data",
): string {
  const title = `${name}<${requireType(type, name, option).name}>`;
  requireCode(title, "where", where, "a WGSL expression over the element x and its index i");
  return title;
}

/**
 * Plans a count: a sum of 1 for each item for which the condition holds.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planCount(
  options: ConditionOptions,
  facts: PlanFacts,
  arrangements: readonly Arrangement[],
): Plan {
  const counting = requireCondition("count", options);
  const { type: from, where: map, ...others } = options;
  const reduction = { ...others, from, type: u32, map, counting };
  return planRecording("reduce", reduction, facts, arrangements);
}
