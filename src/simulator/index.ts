/**
 * A GPU for compute in plain JavaScript, for Node.js and browsers. It runs any WGSL, with the subgroups, lanes and schedule that you
 * choose, and reports races, divergence, and accesses out of bounds. `checkKernel` runs a kernel on it in many ways.
 *
 * @module wavefold/simulator
 */
export type { CheckBuffer, CheckFinding, CheckReport } from "./check_kernel/check_kernel.ts";
export { checkKernel, checkKernelAsync } from "./check_kernel/check_kernel.ts";
export type { CompileOptions } from "./check_kernel/compile_kernel.ts";
export { compileKernel } from "./check_kernel/compile_kernel.ts";
export type { RunOptions } from "./check_kernel/machines.ts";
export type { NotRun } from "./check_kernel/not_run.ts";
export type { CheckOptions } from "./check_kernel/options.ts";
export type { Override, OverrideValue } from "./check_kernel/text.ts";
export type { Fill } from "./check_kernel/values.ts";

import { SimulatedGpuObject } from "./device/gpu.ts";
import type { Finding } from "./findings.ts";
import { moduleText } from "./kept_texts.ts";
import type { SimulatorOptions } from "./options.ts";
import { validateWith } from "./validator/validated_gpu.ts";

export type { Finding, FindingKind, FindingThread } from "./findings.ts";
export type { AtomicOrder, LaneOrder, Schedule, SimulatorOptions } from "./options.ts";
export type { TraceEvent, TraceKind } from "./trace_event.ts";

/** A `GPU` as `navigator.gpu` is one, which also tells what it has found. */
export interface SimulatedGpu extends GPU {
  /** What was found in the kernels that ran on its devices so far, the earliest first. */
  readonly findings: readonly Finding[];
}

/**
 * Makes a simulated GPU. It follows WebGPU's rules for compute: a call that a GPU refuses is refused with an error that says why. It
 * has no textures and renders nothing: such calls throw. Work runs on this thread, in a microtask after it was submitted: nothing else
 * runs until it is done. It is far slower than a GPU.
 *
 * @throws {ArgumentError} for options that do not exist, or that have no such value.
 *
 * @example
 * ```ts
 * import { openFold } from "wavefold";
 * import { simulatedGpu } from "wavefold/simulator";
 *
 * const gpu = simulatedGpu({ subgroupSize: 16, schedule: "random", seed: 7 });
 * const adapter = await gpu.requestAdapter();
 * const fold = await openFold({ adapter });
 * await fold.scan(Uint32Array.of(3, 1, 7)); // 3 4 11
 * gpu.findings.length; // 0
 * fold.destroy();
 * ```
 */
export function simulatedGpu(options: SimulatorOptions = {}): SimulatedGpu {
  const gpu = new SimulatedGpuObject(options, moduleText);
  if (options.validator) {
    validateWith(gpu, options.validator);
  }
  return gpu;
}
