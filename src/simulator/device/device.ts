import { createBindGroup } from "./bind_group.ts";
import { createBuffer } from "./buffer.ts";
import { SimulatedCommandEncoder } from "./command_encoder.ts";
import { createComputePipeline, createComputePipelineAsync } from "./compute_pipeline.ts";
import type { CoreOptions } from "./core.ts";
import { Core } from "./core.ts";
import { unsupported } from "./errors.ts";
import { choiceOf, dictionaryOf } from "./idl.ts";
import { createBindGroupLayout, createPipelineLayout } from "./layouts.ts";
import type { Limits } from "./limits.ts";
import { createQuerySet } from "./query_set.ts";
import { SimulatedQueue } from "./queue.ts";
import { createShaderModule } from "./shader_module.ts";

type Listener = GPUDevice["onuncapturederror"];

const errorFilters = ["validation", "out-of-memory", "internal"] as const satisfies GPUErrorFilter[];

class UncapturedErrorEvent extends Event {
  readonly error: GPUError;

  constructor(error: GPUError) {
    super("uncapturederror", { cancelable: true });
    this.error = error;
  }
}

export class SimulatedDevice extends EventTarget implements GPUDevice {
  declare readonly __brand: "GPUDevice";
  label: string;
  readonly adapterInfo: GPUAdapterInfo;
  readonly queue: SimulatedQueue;
  readonly #core: Core;
  #listener: Listener = null;

  constructor(options: CoreOptions, adapterInfo: GPUAdapterInfo, descriptor: GPUDeviceDescriptor) {
    super();
    this.label = String(descriptor.label ?? "");
    this.adapterInfo = adapterInfo;
    this.#core = new Core(options, (error) => queueMicrotask(() => this.#tell(error)));
    this.queue = new SimulatedQueue(this.#core, descriptor.defaultQueue);
    this.addEventListener("uncapturederror", (event) =>
      this.#listener?.call(this, event as GPUUncapturedErrorEvent),
    );
  }

  get [Symbol.toStringTag](): string {
    return "GPUDevice";
  }

  get features(): GPUSupportedFeatures {
    return this.#core.features;
  }

  get limits(): GPUSupportedLimits {
    return this.#core.limits as Limits & GPUSupportedLimits;
  }

  get lost(): Promise<GPUDeviceLostInfo> {
    return this.#core.lost;
  }

  get onuncapturederror(): Listener {
    return this.#listener;
  }

  set onuncapturederror(listener: Listener) {
    this.#listener = typeof listener === "function" ? listener : null;
  }

  /** Tells an error that no scope took; if nobody prevents it, in the console, too. */
  #tell(error: GPUError): void {
    if (this.dispatchEvent(new UncapturedErrorEvent(error))) {
      console.warn(`${error.constructor.name} of simulatedGpu: ${error.message}`);
    }
  }

  destroy(): undefined {
    this.#core.lose("destroyed", "the device was destroyed");
    return undefined;
  }

  createBuffer(descriptor: GPUBufferDescriptor): GPUBuffer {
    return createBuffer(this.#core, descriptor);
  }

  createQuerySet(descriptor: GPUQuerySetDescriptor): GPUQuerySet {
    return createQuerySet(this.#core, descriptor);
  }

  createShaderModule(descriptor: GPUShaderModuleDescriptor): GPUShaderModule {
    return createShaderModule(this.#core, descriptor);
  }

  createBindGroupLayout(descriptor: GPUBindGroupLayoutDescriptor): GPUBindGroupLayout {
    return createBindGroupLayout(this.#core, descriptor);
  }

  createPipelineLayout(descriptor: GPUPipelineLayoutDescriptor): GPUPipelineLayout {
    return createPipelineLayout(this.#core, descriptor);
  }

  createBindGroup(descriptor: GPUBindGroupDescriptor): GPUBindGroup {
    return createBindGroup(this.#core, descriptor);
  }

  createComputePipeline(descriptor: GPUComputePipelineDescriptor): GPUComputePipeline {
    return createComputePipeline(this.#core, descriptor);
  }

  createComputePipelineAsync(descriptor: GPUComputePipelineDescriptor): Promise<GPUComputePipeline> {
    return createComputePipelineAsync(this.#core, descriptor);
  }

  createCommandEncoder(descriptor?: GPUCommandEncoderDescriptor): GPUCommandEncoder {
    return new SimulatedCommandEncoder(
      this.#core,
      dictionaryOf(descriptor, "createCommandEncoder: the descriptor"),
    );
  }

  pushErrorScope(filter: GPUErrorFilter): undefined {
    this.#core.errors.push(choiceOf(filter, errorFilters, "pushErrorScope: filter"));
    return undefined;
  }

  async popErrorScope(): Promise<GPUError | null> {
    return this.#core.isLost ? null : this.#core.errors.pop();
  }

  createTexture(): never {
    unsupported("createTexture");
  }

  createSampler(): never {
    unsupported("createSampler");
  }

  importExternalTexture(): never {
    unsupported("importExternalTexture");
  }

  createRenderPipeline(): never {
    unsupported("createRenderPipeline");
  }

  async createRenderPipelineAsync(): Promise<never> {
    unsupported("createRenderPipelineAsync");
  }

  createRenderBundleEncoder(): never {
    unsupported("createRenderBundleEncoder");
  }
}
