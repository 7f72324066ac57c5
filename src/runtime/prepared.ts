import type { CompactOptions } from "../primitives/compact.ts";
import type { Plan } from "../primitives/plan.ts";
import { RUNS } from "../primitives/plan.ts";
import type { ReduceOptions } from "../primitives/reduce.ts";
import type { ScanOptions } from "../primitives/scan.ts";
import { planScan } from "../primitives/scan.ts";
import type { Prepared } from "./checked.ts";
import { checked } from "./checked.ts";
import { compilePlan } from "./compiled.ts";
import type { Context } from "./context.ts";
import { handNames, requireOptions } from "./hand_plan.ts";

// This is loaded where a caller prepares recordings of their own.
export type { BufferRange, Prepared, Ranges } from "./checked.ts";

/**
 * Compiles a plan and allocates its scratch. `runs` is how many numbers a spine has: fewer in tests.
 *
 * @throws {SourceError} {@link OutOfMemoryError} {@link DeviceLostError}
 */
export const prepare = async (context: Context, plan: Plan, runs = RUNS): Promise<Prepared> =>
  checked(await compilePlan(context, plan, runs));

const planNames = { maxLength: true, lengthOnGpu: true, ...handNames } as const;
const scanNames = { op: true, exclusive: true, ...planNames } satisfies Record<keyof ScanOptions, true>;
const reduceNames = { op: true, ...planNames } satisfies Record<keyof ReduceOptions, true>;
const compactNames = {
  where: true,
  flags: true,
  indices: true,
  indirect: true,
  ...planNames,
} satisfies Record<keyof CompactOptions, true>;

/** `Fold.prepareScan`. */
export async function prepareScan(context: Context, options: ScanOptions): Promise<Prepared> {
  requireOptions("prepareScan", options, scanNames);
  return prepare(context, await planScan(options, context.facts));
}

/** `Fold.prepareReduce`. */
export async function prepareReduce(context: Context, options: ReduceOptions): Promise<Prepared> {
  requireOptions("prepareReduce", options, reduceNames);
  const { planReduce } = await import("./hand_reduce.ts");
  return prepare(context, await planReduce(options, context.facts));
}

/** `Fold.prepareCompact`. */
export async function prepareCompact(context: Context, options: CompactOptions): Promise<Prepared> {
  requireOptions("prepareCompact", options, compactNames);
  const { planCompact } = await import("./hand_compact.ts");
  return prepare(context, await planCompact(options, context.facts));
}
