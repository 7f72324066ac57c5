import type { ReduceOptions } from "../primitives/reduce.ts";
import { planReduce } from "../primitives/reduce.ts";
import type { AnyArray, NameOf, ValueIn } from "../reference/arrays.ts";
import { arrayLike, valuesOf } from "../reference/arrays.ts";
import type { ElementType } from "../types.ts";
import type { Context } from "./context.ts";
import type { HandOptions } from "./fold.ts";
import { APART, runAtHand, typeOfArray } from "./hand.ts";

export { planReduce };

/** `Fold.reduce`, loaded with the first one. */
export async function reduceAtHand<A extends AnyArray>(
  context: Context,
  data: A,
  options: HandOptions<NameOf<A>>,
): Promise<ValueIn<A>> {
  const type = await typeOfArray(data, options.type as ElementType | undefined, "reduce");
  const plan = await planReduce(
    { ...(options as unknown as ReduceOptions), type, maxLength: data.length },
    context.facts,
    APART,
  );
  const [output] = await runAtHand(context, plan, data, undefined, [type.bytes]);
  return valuesOf(arrayLike(data, output as ArrayBuffer), type)(0) as ValueIn<A>;
}
