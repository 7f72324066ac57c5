// Adapters that are described, so that a plan can be looked at without a GPU. Limits are WebGPU's own, or what such adapters have at least.

const limits = {
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBuffersPerShaderStage: 8,
  maxStorageBufferBindingSize: 2 ** 30,
  maxBufferSize: 2 ** 30,
  minStorageBufferOffsetAlignment: 256,
} as const;

const features: ReadonlySet<string> = new Set(["shader-f16", "subgroups"]);

const gpu = {
  limits,
  features,
  subgroupMinSize: 4,
  subgroupMaxSize: 128,
  subgroupIds: true,
  software: false,
  vendor: "",
  lookBack: false,
} as const;

/** An adapter of each kind, by the name of the kind's file, as facts of a device. */
export const describedAdapters = {
  nvidia: {
    ...gpu,
    limits: {
      ...limits,
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupStorageSize: 32_768,
      maxStorageBuffersPerShaderStage: 10,
    },
    vendor: "nvidia",
    subgroupMinSize: 32,
    subgroupMaxSize: 32,
    lookBack: true,
  },
  gpu,
  software: { ...gpu, software: true, subgroupMaxSize: 4 },
} as const;
