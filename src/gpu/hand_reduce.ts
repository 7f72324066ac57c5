import { valuesOf } from "../algebra/array_values.ts";
import type { Value } from "../algebra/types.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import { planReduce } from "../plan/reduce.ts";
import type { Context } from "./device.ts";
import type { HandMapOptions, HandOptions } from "./fold.ts";
import type { AnyHandOptions, Given } from "./hand.ts";
import { APART, handNames, requireOptions, runAtHand, typesOf } from "./hand_plan.ts";

export { planReduce };

const names = { op: true, ...handNames } satisfies Record<
  keyof HandOptions<string> | keyof HandMapOptions<string, string, Value>,
  true
>;

/** `Fold.reduce`, loaded with the first one. */
export async function reduceAtHand(context: Context, given: Given, options: AnyHandOptions): Promise<Value> {
  requireOptions("reduce", options, names);
  const { data, length } = given;
  const { arrayOf, ...types } = await typesOf(data, options, "reduce");
  const { type } = types;
  const plan = await planReduce(
    { ...(options as unknown as ReduceOptions), ...types, maxLength: length },
    context.facts,
    APART,
  );
  return valuesOf(arrayOf(await runAtHand(context, plan, given, type.bytes)), type)(0);
}
