import type { CoreOptions } from "./core.ts";
import { SimulatedDevice } from "./device.ts";
import { operationError } from "./errors.ts";
import { dictionaryOf, integer64, listOf } from "./idl.ts";
import type { Limits } from "./limits.ts";
import { deviceLimits, limitProblem } from "./limits.ts";

/** What a simulated GPU is made of. */
export interface AdapterOptions extends CoreOptions {
  readonly info: GPUAdapterInfo;
}

/** The feature that every device has which is not for WebGPU's compatibility mode. */
export const CORE_FEATURE = "core-features-and-limits";

export class SimulatedAdapter implements GPUAdapter {
  declare readonly __brand: "GPUAdapter";
  readonly features: GPUSupportedFeatures;
  readonly limits: GPUSupportedLimits;
  readonly info: GPUAdapterInfo;
  readonly #options: AdapterOptions;
  #isConsumed = false;

  constructor(options: AdapterOptions) {
    this.#options = options;
    this.features = options.features;
    this.limits = options.limits as GPUSupportedLimits & Limits;
    this.info = options.info;
  }

  get [Symbol.toStringTag](): string {
    return "GPUAdapter";
  }

  /** https://www.w3.org/TR/webgpu/#dom-gpuadapter-requestdevice */
  async requestDevice(given?: GPUDeviceDescriptor): Promise<GPUDevice> {
    const descriptor = dictionaryOf(given, "requestDevice: the descriptor");
    const features = listOf(descriptor.requiredFeatures ?? [], "requestDevice: requiredFeatures");
    const missing = features.find((name) => !this.features.has(name));
    if (missing !== undefined) {
      throw new TypeError(
        `requestDevice: requiredFeatures has "${missing}"; the adapter has ${[...this.features].join(", ")}`,
      );
    }
    const limits = requiredLimits(descriptor);
    const problem = this.#isConsumed
      ? "the adapter has given a device before; request a new adapter"
      : limitProblem(this.#options.limits, limits);
    if (problem !== undefined) {
      throw operationError(`requestDevice: ${problem}`);
    }
    this.#isConsumed = true;
    const { info, ...options } = this.#options;
    return new SimulatedDevice(
      {
        ...options,
        features: new Set([CORE_FEATURE, ...features]),
        limits: deviceLimits(this.#options.limits, limits),
      },
      info,
      descriptor,
    );
  }
}

function requiredLimits({ requiredLimits: given }: GPUDeviceDescriptor): Record<string, number> {
  const limits: Record<string, number> = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value !== undefined) {
      limits[name] = integer64(value, `requestDevice: requiredLimits.${name}`);
    }
  }
  return limits;
}
