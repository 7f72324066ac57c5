import type { DeviceFacts } from "../../../src/plan/device_facts.ts";
import { factsWith } from "../../support/kernels.ts";

/** Bindings hold what the longest plans need, so that few are refused. */
const long = { maxStorageBufferBindingSize: 2 ** 30, maxBufferSize: 2 ** 30 };
const large = {
  ...long,
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupStorageSize: 32768,
  maxStorageBuffersPerShaderStage: 10,
};

/** Adapters for which Wavefold plans differently. */
export const adapters = {
  software: factsWith({ software: true, vendor: "google", subgroupMaxSize: 4, lookBack: false }, long),
  unknown: factsWith({ lookBack: false }, long),
  nvidia: factsWith({ vendor: "nvidia", subgroupMinSize: 32, subgroupMaxSize: 32 }, large),
  "without subgroups": factsWith(
    { features: new Set(["shader-f16"]), subgroupIds: false, lookBack: false },
    long,
  ),
} as const satisfies Record<string, DeviceFacts>;

export type AdapterName = keyof typeof adapters;
