import { valuesOf } from "../../algebra/array_values.ts";
import type { Value } from "../../algebra/types.ts";
import type { InitialOption } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { AnyOperator } from "../../plan/options.ts";
import { commonNames } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import type { ReduceOptions } from "../../plan/reduce.ts";
import { planReduce } from "../../plan/reduce.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/transfer.ts";
import { methodsFor } from "../executor/load_methods.ts";
import { arrangementFor, plannedLength } from "../executor/plans_of_calls.ts";
import type { EndValues, HandMapOptions, HandOptions, TypeOptions } from "./scan_at_hand.ts";
import { endReaderOf, runAtHand, typesOf } from "./scan_at_hand.ts";

export { planReduce };

// Reductions at hand, with their planner.

const reduceNames = { op: true, initial: true, ...commonNames } as const satisfies Record<
  keyof HandOptions<string> | keyof HandMapOptions<string, string, Value> | keyof InitialOption<Value>,
  true
>;

/** `Fold.reduce`. `given` is the array as it was when the call began. */
export async function reduceAtHand(
  context: Context,
  given: Given,
  options: TypeOptions & EndValues,
): Promise<Value> {
  requireOptions("reduce", options, reduceNames);
  const { initial, ...others } = options;
  const { arrayOf, ...types } = await typesOf(given.data, options, "reduce");
  const { type } = types;
  const { options: endOptions, ...own } = await endReaderOf("reduce", initial)({ arrayOf, ...types });
  const all = {
    ...(others as Partial<AnyOperator<ReduceOptions>>),
    ...types,
    ...endOptions,
    maxLength: plannedLength(given.length),
  };
  const plan = async (options: typeof all): Promise<Plan> =>
    planReduce(options, context.facts, await methodsFor(options, context.facts), [arrangementFor(options)]);
  const made = await runAtHand(context, { primitive: "reduce", all, plan }, types, given, own);
  return valuesOf(arrayOf(made.buffer as ArrayBuffer), type)(0);
}
