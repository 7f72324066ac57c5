import type { CompactOptions } from "../plan/compact.ts";
import type { Plan } from "../plan/plan.ts";
import { RUNS } from "../plan/plan.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import type { ScanOptions } from "../plan/scan.ts";
import { planScan } from "../plan/scan.ts";
import type { Context } from "./device.ts";
import { compilePlan } from "./executor.ts";
import { handNames, requireOptions } from "./hand_plan.ts";
import type { Prepared } from "./recording.ts";
import { checked } from "./recording.ts";

// This is loaded where a caller prepares recordings of their own.
export type { BufferRange, Prepared, Ranges } from "./recording.ts";

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
