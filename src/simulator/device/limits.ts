import { refuse, shown } from "../../errors.ts";

/** The numbers of `GPUSupportedLimits`. */
export type Limits = Readonly<Record<LimitName, number>>;

export type LimitName = keyof typeof defaults;

// https://www.w3.org/TR/webgpu/#limits. There is no immediate data, so that its limit is 0.
const defaults = {
  maxTextureDimension1D: 8192,
  maxTextureDimension2D: 8192,
  maxTextureDimension3D: 2048,
  maxTextureArrayLayers: 256,
  maxBindGroups: 4,
  maxBindGroupsPlusVertexBuffers: 24,
  maxImmediateSize: 0,
  maxBindingsPerBindGroup: 1000,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
  maxSampledTexturesPerShaderStage: 16,
  maxSamplersPerShaderStage: 16,
  maxStorageBuffersPerShaderStage: 8,
  maxStorageBuffersInVertexStage: 8,
  maxStorageBuffersInFragmentStage: 8,
  maxStorageTexturesPerShaderStage: 4,
  maxStorageTexturesInVertexStage: 4,
  maxStorageTexturesInFragmentStage: 4,
  maxUniformBuffersPerShaderStage: 12,
  maxUniformBufferBindingSize: 2 ** 16,
  maxStorageBufferBindingSize: 2 ** 27,
  minUniformBufferOffsetAlignment: 256,
  minStorageBufferOffsetAlignment: 256,
  maxVertexBuffers: 8,
  maxBufferSize: 2 ** 28,
  maxVertexAttributes: 16,
  maxVertexBufferArrayStride: 2048,
  maxInterStageShaderVariables: 16,
  maxColorAttachments: 8,
  maxColorAttachmentBytesPerSample: 32,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupsPerDimension: 65535,
} as const satisfies Record<string, number>;

/** What the adapter has beyond the defaults: as much as desktop GPUs have. */
const raised = {
  maxStorageBuffersPerShaderStage: 10,
  maxStorageBuffersInVertexStage: 10,
  maxStorageBuffersInFragmentStage: 10,
  maxStorageBufferBindingSize: 2 ** 31 - 4,
  maxBufferSize: 2 ** 31,
  maxComputeWorkgroupStorageSize: 32768,
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupSizeY: 1024,
} as const satisfies Partial<Limits>;

const isLimit = (name: string): name is LimitName => Object.hasOwn(defaults, name);

/** Limits of this kind are powers of two, and the lesser is the better. */
const isAlignment = (name: LimitName): boolean => name.endsWith("Alignment");

const isBetter = (name: LimitName, value: number, than: number): boolean =>
  isAlignment(name) ? value < than : value > than;

const isPowerOf2 = (value: number): boolean =>
  value > 0 && value < 2 ** 32 && Number.isInteger(Math.log2(value));

/** The adapter's limits, with those of the options in place of its own. @throws {ArgumentError} */
export function adapterLimits(chosen: Readonly<Partial<Record<string, number>>> = {}): Limits {
  const limits: Record<LimitName, number> = { ...defaults, ...raised };
  for (const [name, value] of Object.entries(chosen)) {
    if (!isLimit(name)) {
      refuse("simulatedGpu", "limits", shown(name), "the names of WebGPU's limits");
    }
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
      refuse("simulatedGpu", `limits.${name}`, shown(value), "a whole number");
    }
    limits[name] = value ?? limits[name];
  }
  return limits;
}

/** The limits that two adapters both have. One that another adapter does not know is as it is here. */
export function commonLimits(limits: Limits, others: Readonly<Partial<Record<LimitName, number>>>): Limits {
  const common: Record<LimitName, number> = { ...limits };
  for (const name of Object.keys(common) as LimitName[]) {
    const other = others[name] ?? common[name];
    common[name] = isBetter(name, common[name], other) ? other : common[name];
  }
  return common;
}

/** Why an adapter does not give these limits; undefined if it does. */
export function limitProblem(
  adapter: Limits,
  required: Readonly<Record<string, number>>,
): string | undefined {
  for (const [name, value] of Object.entries(required)) {
    if (!isLimit(name)) {
      return `requiredLimits has ${name}, which WebGPU has no limit of`;
    }
    if (isBetter(name, value, adapter[name])) {
      return `requiredLimits.${name} is ${value}, and the adapter has ${adapter[name]}`;
    }
    if (isAlignment(name) && !isPowerOf2(value)) {
      return `requiredLimits.${name} is ${value}; it takes a power of two less than 2^32`;
    }
  }
  return undefined;
}

/** A device's limits: what is required, and never less than the defaults. An adapter that has less gives what it has. */
export function deviceLimits(adapter: Limits, required: Readonly<Record<string, number>>): Limits {
  const limits: Record<LimitName, number> = { ...defaults };
  for (const name of Object.keys(limits) as LimitName[]) {
    const value = required[name];
    if (value !== undefined && isBetter(name, value, limits[name])) {
      limits[name] = value;
    }
    if (isBetter(name, limits[name], adapter[name])) {
      limits[name] = adapter[name];
    }
  }
  return limits;
}
