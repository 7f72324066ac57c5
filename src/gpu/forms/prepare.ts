import type { Arrangement } from "../../kernels/kernel.ts";
import { requireOptions } from "../../options.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { TuningOptions } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Primitive } from "../../primitives/primitive.ts";
import { planNames } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import { onGpuAlone } from "../device/cpu_context.ts";
import { planFactsFor } from "../executor/plan_facts_for.ts";
import type { Prepared } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";

/** Plans a primitive for ranges in some of its arrangements. */
export async function planPrimitive(
  primitive: Primitive<never>,
  facts: DeviceFacts,
  options: TuningOptions,
  arrangements: readonly Arrangement[] = primitive.arrangements ?? [],
): Promise<Plan> {
  const planFacts = primitive.arrangements ? await planFactsFor(options, facts, true) : facts;
  return primitive.plan(options as never, planFacts, arrangements);
}

/** `Fold.prepareHistogram` and others: a primitive for recordings. @throws {NoGpuError} */
export async function preparePrimitive(
  primitive: Primitive<never>,
  context: Context,
  options: object,
): Promise<Prepared> {
  const { name } = primitive;
  const caller = `prepare${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  onGpuAlone(context, caller);
  requireOptions(caller, options, planNames(primitive));
  return prepare(context, await planPrimitive(primitive, context.facts, options));
}
