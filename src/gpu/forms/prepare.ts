import type { Arrangement } from "../../kernels/kernel.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { TuningOptions } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { withTextParams } from "../../plan/plan.ts";
import { planFactsFor } from "../../plan/plan_facts_for.ts";
import type { Primitive } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import { planFor } from "../executor/plan_with_parts.ts";
import type { Prepared } from "../recordings/recording.ts";
import { prepare, requirePlanOptions } from "../recordings/recording.ts";

/** Plans a primitive for ranges in some of its arrangements. */
export async function planPrimitive(
  primitive: Primitive<never>,
  facts: DeviceFacts,
  options: TuningOptions & { readonly params?: unknown },
  arrangements: readonly Arrangement[] = primitive.arrangements ?? [],
): Promise<Plan> {
  const planFacts = primitive.arrangements ? await planFactsFor(options, facts, true) : facts;
  const plan = await planFor(options, facts, (own) => primitive.plan(own as never, planFacts, arrangements));
  return withTextParams(plan, options);
}

/** `Fold.prepareHistogram` and others: a primitive for recordings. @throws {NoGpuError} */
export async function preparePrimitive(
  primitive: Primitive<never>,
  context: Context,
  given: { readonly params?: unknown },
): Promise<Prepared> {
  const options = await requirePlanOptions(primitive, context, given);
  return prepare(context, await planPrimitive(primitive, context.facts, options));
}
