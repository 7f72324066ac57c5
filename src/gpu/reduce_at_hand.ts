import { valuesOf } from "../algebra/arrays.ts";
import type { Value } from "../algebra/types.ts";
import { requireOptions } from "../options.ts";
import type { AnyOperator } from "../plan/options.ts";
import { commonNames } from "../plan/options.ts";
import type { Plan } from "../plan/plan.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import { planReduce } from "../plan/reduce.ts";
import type { HandMapOptions, HandOptions, TypeOptions } from "./at_hand.ts";
import { arrangementFor, runAtHand, typesOf } from "./at_hand.ts";
import type { Context } from "./context.ts";
import { methodsFor } from "./methods.ts";
import type { Given } from "./transfer.ts";

const reduceNames = { op: true, ...commonNames } as const satisfies Record<
  keyof HandOptions<string> | keyof HandMapOptions<string, string, Value>,
  true
>;

/** `Fold.reduce`. `given` is the array as it was when the call began. */
export async function reduceAtHand(context: Context, given: Given, options: TypeOptions): Promise<Value> {
  requireOptions("reduce", options, reduceNames);
  const { arrayOf, ...types } = await typesOf(given.data, options, "reduce");
  const { type } = types;
  const all = { ...(options as Partial<AnyOperator<ReduceOptions>>), ...types, maxLength: given.length };
  const plan = async (): Promise<Plan> =>
    planReduce(all, context.facts, await methodsFor(all), [arrangementFor(all)]);
  const made = await runAtHand(context, { primitive: "reduce", all, plan }, given);
  return valuesOf(arrayOf(made.buffer as ArrayBuffer), type)(0);
}
