import { isOnGpu } from "../../algebra/arrays.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/transfer.ts";
import { expandRunsAtHand, expandRunsOnGpu } from "./expand_runs.ts";
import type { Arrays, GpuArray } from "./gpu_array.ts";
import type { RunPrimitive } from "./run_lengths.ts";
import { runsAtHand, runsOnGpu } from "./run_lengths.ts";

// Arrays on the GPU, and the calls at hand that take several of them: those on segments and on runs.

export { prepareExpandRuns } from "./expand_runs.ts";
export { callOnGpu } from "./fold_calls.ts";
export { segmentsAtHand } from "./segments_via_gpu.ts";
export { upload, wrap } from "./upload_and_wrap.ts";

/** `Fold.unique` and `Fold.runLengths`. */
export async function runs(
  context: Context,
  arrays: Arrays,
  primitive: RunPrimitive,
  given: Given,
  options: object,
): Promise<unknown> {
  return isOnGpu(given.data)
    ? runsOnGpu(primitive, context, arrays, given.data as object as GpuArray, options)
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
  return isOnGpu(values.data) || isOnGpu(counts.data)
    ? expandRunsOnGpu(context, arrays, values.data, counts.data, options as never)
    : expandRunsAtHand(context, arrays, values, counts, options);
}
