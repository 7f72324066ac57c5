import type { Kernel } from "../../kernels/kernel.ts";
import type { Grouping } from "../../plan/grouping.ts";

/** A plan with its pipelines compiled and its scratch allocated, for recordings of these ranges. */
export interface PreparedOn<Ranges> {
  readonly kernels: readonly Kernel[];
  readonly settled: Promise<void>;
  groupingOf(ranges: Ranges): Grouping;
  /** Checks what `record` checks, and records nothing. @throws {ArgumentError} {@link LimitError} {@link DeviceLostError} */
  check(ranges: Ranges, most?: number): void;
  /** `most` is the most that a length on the GPU may be. The default is the plan's. */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges, most?: number): void;
  /** Drops what recordings have made. The next recording of the same ranges makes it anew. */
  forget(): void;
  destroy(): void;
  [Symbol.dispose](): void;
  /** Whether ranges were recorded, or checked, for which `prepare…` puts kernels off. */
  takesOthers?(): boolean;
  /** Compiles the kernels that were put off, if there are any. @throws {SourceError} {@link DeviceLostError} if one cannot be compiled. */
  compileOthers?(): Promise<void>;
}

/** What is done while a plan is prepared. */
export interface Meanwhile {
  /** Called once the options are checked, before anything is compiled. What it returns is waited for. Not for ranges in windows. */
  checked?(): unknown;
  /** Called once the device was asked for the first kernels. */
  begun?(): void;
  /** Whether the kernels that are put off wait until they are used, on a GPU, too. */
  readonly waits?: boolean;
}
