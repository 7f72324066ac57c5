import type { AnyArray } from "../algebra/arrays.ts";
import type { Value } from "../algebra/types.ts";
import type { ScanOptions } from "../plan/scan.ts";
import { planScan } from "../plan/scan.ts";
import type { Context } from "./device.ts";
import type { HandMapOptions, HandOptions } from "./fold.ts";
import type { AnyHandOptions, Given } from "./hand.ts";
import { APART, handNames, requireOptions, runAtHand, typesOf } from "./hand_plan.ts";

const names = { op: true, exclusive: true, ...handNames } satisfies Record<
  keyof HandOptions<string> | keyof HandMapOptions<string, string, Value> | "exclusive",
  true
>;

/** `Fold.scan` of anything, loaded with the first one that is not plain. */
export async function scanOfAny(context: Context, given: Given, options: AnyHandOptions): Promise<AnyArray> {
  requireOptions("scan", options, names);
  const { data, length } = given;
  const { arrayOf, ...types } = await typesOf(data, options, "scan");
  const plan = await planScan(
    { ...(options as unknown as ScanOptions), ...types, maxLength: length },
    context.facts,
    APART,
  );
  return arrayOf(await runAtHand(context, plan, given, length * types.type.bytes));
}
