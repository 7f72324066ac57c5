import type { CpuLengths } from "../../adapters/tables.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { Kept } from "./kept.ts";

/** A pipeline, and the layout of its bind group. */
export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

/** A buffer of all digits of run numbers. A dynamic offset chooses the digit that a dispatch gets as a uniform. */
export interface RunNumberDigits {
  /** The binding of one digit. */
  readonly resource: GPUBufferBinding;
  /** How many plans hold it. */
  uses: number;
  /** The offsets of the low and the high digit of a run number. */
  offsetsOf(run: number): readonly [number, number];
}

/** The result of the test of the single pass on a device: see `openFold`. */
export interface SinglePassTest {
  /** Whether every element of every run was right, and came in time. */
  readonly passed: boolean;
  /** How many runs were right, or what went wrong. */
  readonly detail: string;
  /** How long the test took. */
  readonly milliseconds: number;
}

/** How calls at hand use the CPU. */
export interface CpuUse {
  /** The longest calls that the CPU takes, of those that it has loops for. Without them, it takes all. */
  readonly lengths?: CpuLengths | undefined;
  /** If there is no GPU: why. */
  readonly noGpu?: Error;
  /** If there is no GPU: makes the simulated device of the calls that the CPU has no loops for. */
  open?(): Promise<void>;
}

/** What Wavefold keeps for each device: its facts, its pipelines and so on. */
export interface Context {
  /** If there is no GPU, it is a simulated one, which is there once `cpu.open` has made it. */
  readonly device: GPUDevice;
  /** It is there if calls at hand may use the CPU. */
  cpu?: CpuUse;
  facts: DeviceFacts;
  /** The result of the test of the single pass, if the caller asked for that test. */
  singlePassTest?: SinglePassTest;
  /**
   * Pipelines by the shader's text and entry point, since two pipelines differ in nothing else. The one that was used most
   * recently is the last. A symbol stands for one that a plan has put off: `deferred_kernels.ts`.
   */
  readonly pipelines: Map<string, Promise<Pipeline> | symbol>;
  /** The most pipelines to keep for later calls. */
  mostPipelines: number;
  /** The buffers and plans that calls have left for the next calls. */
  readonly kept: Kept;
  /** Drops what is kept for later calls. Prepared plans keep what they use. It is there once the device is. */
  trim?(): void;
  /** It is there once a single pass is prepared. */
  digits?: RunNumberDigits;
  /** Why the device is gone, once it is. */
  lost?: GPUDeviceLostInfo;
}
