import { requireOptions } from "../../options.ts";
import type { Primitive } from "../../primitives/primitive.ts";
import { planNames } from "../../primitives/primitive.ts";
import type { Context } from "../device/context.ts";
import type { Prepared } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";

/** `Fold.prepareHistogram` and others: a primitive for recordings. */
export async function prepareFor(
  primitive: Primitive<never>,
  context: Context,
  options: object,
): Promise<Prepared> {
  const { name } = primitive;
  const caller = `prepare${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  requireOptions(caller, options, planNames(primitive));
  return prepare(context, primitive.plan(options as never, context.facts));
}
