import type { Context } from "../device/context.ts";
import type { Given } from "../device/transfer.ts";
import type { Arrays } from "./gpu_array.ts";
import { isGpuArray } from "./gpu_array.ts";
import type { RunPrimitive } from "./run_lengths.ts";
import { runsAtHand, runsOnGpu } from "./run_lengths.ts";

// Arrays on the GPU, and the calls at hand that take several of them: those on segments and on runs.

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
  return isGpuArray(given.data)
    ? runsOnGpu(primitive, context, arrays, given.data, options)
    : runsAtHand(primitive, context, arrays, given, options);
}
