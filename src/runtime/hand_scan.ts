import type { ScanOptions } from "../primitives/scan.ts";
import { planScan } from "../primitives/scan.ts";
import type { AnyArray } from "../reference/arrays.ts";
import type { Context } from "./context.ts";
import type { AnyHandOptions, Given } from "./hand.ts";
import { APART, runAtHand, typesOf } from "./hand_plan.ts";

/** `Fold.scan` of anything, loaded with the first one that is not plain. */
export async function scanOfAny(context: Context, given: Given, options: AnyHandOptions): Promise<AnyArray> {
  const { data, length } = given;
  const { arrayOf, ...types } = await typesOf(data, options, "scan");
  const plan = await planScan(
    { ...(options as unknown as ScanOptions), ...types, maxLength: length },
    context.facts,
    APART,
  );
  return arrayOf(await runAtHand(context, plan, given, length * types.type.bytes));
}
