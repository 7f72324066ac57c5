import type { DeviceFacts } from "../plan/facts.ts";
import type { Kept } from "./kept.ts";

/** A pipeline, and what it takes to bind to it. */
export interface Pipeline {
  readonly pipeline: GPUComputePipeline;
  readonly layout: GPUBindGroupLayout;
}

/** The digits of a number, each a uniform of its own for a dynamic offset to choose. */
export interface Digits {
  /** One digit. */
  readonly resource: GPUBufferBinding;
  /** Plans that hold it. */
  uses: number;
  /** Where the low digit of a run's number is, and the high one. */
  offsetsOf(run: number): readonly [number, number];
}

/** The result of the test of the single pass on a device: see `openFold`. */
export interface SinglePassTest {
  /** Whether every element of every run was right, and came in time. */
  readonly passed: boolean;
  /** How many runs were right, or what went wrong. */
  readonly detail: string;
  readonly milliseconds: number;
}

/** What is kept for each device: its facts and its pipelines. */
export interface Context {
  readonly device: GPUDevice;
  facts: DeviceFacts;
  /** What became of the test of the single pass, where it was asked for. */
  singlePassTest?: SinglePassTest;
  /** By the shader's text and entry point: all that makes two pipelines differ. The one used last is the last. */
  readonly pipelines: Map<string, Promise<Pipeline>>;
  /** How many pipelines are kept for the next call that takes them. */
  mostPipelines: number;
  /** What calls at hand have left for the next ones. */
  readonly kept: Kept;
  /** Once a single pass is prepared. */
  digits?: Digits;
  /** Why the device is gone, once it is. */
  lost: GPUDeviceLostInfo | undefined;
}
