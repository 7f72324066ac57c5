import { countOf, rangeOf, runOnGpu } from "./call_on_gpu.ts";
import type { Context } from "./context.ts";
import { expandRunsAtHand, expandRunsOnGpu } from "./expand_runs.ts";
import type { Arrays } from "./gpu_array.ts";
import { isGpuArray } from "./gpu_array.ts";
import { plannedLength, requireNamed, requireOneEach, requireOnGpu } from "./on_gpu.ts";
import type { RunPrimitive } from "./runs.ts";
import { runsAtHand, runsOnGpu } from "./runs.ts";
import type { Given } from "./transfer.ts";

// Arrays on the GPU, and the calls at hand that take several of them: those on segments and on runs.

export { prepareExpandRuns } from "./expand_runs.ts";
export { segmentsAtHand } from "./segments_at_hand.ts";
export { upload, wrap } from "./to_gpu.ts";

/** What other calls on arrays on the GPU take. */
export const onGpu = {
  countOf,
  plannedLength,
  rangeOf,
  requireNamed,
  requireOneEach,
  requireOnGpu,
  runOnGpu,
} as const;
export type OnGpu = typeof onGpu;

/** `Fold.unique` and `Fold.runLengths`. */
export async function runs(
  context: Context,
  arrays: Arrays,
  primitive: RunPrimitive,
  given: Given,
  options: object,
): Promise<unknown> {
  return isGpuArray(given.data)
    ? runsOnGpu(primitive, context, arrays, given.data, options)
    : runsAtHand(primitive, context, arrays, given, options);
}

/** `Fold.expandRuns`. */
export async function expandRuns(
  context: Context,
  arrays: Arrays,
  values: Given,
  counts: Given,
  options: object,
): Promise<unknown> {
  return isGpuArray(values.data) || isGpuArray(counts.data)
    ? expandRunsOnGpu(context, arrays, values.data, counts.data, options as never)
    : expandRunsAtHand(context, arrays, values, counts, options);
}
