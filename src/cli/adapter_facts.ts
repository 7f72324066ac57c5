import type { Fold } from "../gpu/fold.ts";
import type { AdapterFacts } from "./verdicts.ts";

/** The limits that matter most here. */
export const shownLimits = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
  "minStorageBufferOffsetAlignment",
] as const satisfies readonly (keyof GPUSupportedLimits)[];

/**
 * The facts that reports give about the adapter, and about the device that Wavefold opened on it.
 *
 * @param card - the card's name, if the system has it. WebGPU may tell that of the driver alone.
 */
export function factsOf({ adapterInfo, software, device }: Fold, card?: string): AdapterFacts {
  const { vendor, architecture, device: model, description, subgroupMinSize, subgroupMaxSize } = adapterInfo;
  const limits: Record<string, number> = {};
  // Limits are getters of the prototype, so there are no own properties to list.
  for (const name in device.limits) {
    const value: unknown = device.limits[name as keyof GPUSupportedLimits];
    if (typeof value === "number") {
      limits[name] = value;
    }
  }
  return {
    name:
      [card, description || model, vendor, architecture].filter(Boolean).join(", ") ||
      "an adapter without a name",
    vendor,
    architecture,
    description,
    software,
    features: [...device.features].sort(),
    subgroupSizes: subgroupMinSize ? [subgroupMinSize, subgroupMaxSize] : null,
    limits,
  };
}
