import type { TunedRow } from "./tuning_row.ts";

/** The limits that plans depend on: a part of `GPUSupportedLimits`. */
export interface Limits {
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupSizeX: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxStorageBuffersPerShaderStage: number;
  readonly maxBufferSize: number;
  readonly minStorageBufferOffsetAlignment: number;
}

/** The facts of a device that a plan depends on, as values. So a plan can be made without a device. */
export interface DeviceFacts {
  readonly limits: Limits;
  readonly features: ReadonlySet<string>;
  readonly subgroupMinSize: number;
  readonly subgroupMaxSize: number;
  /** Whether WGSL has `subgroup_id` here. */
  readonly subgroupIds: boolean;
  /** Whether the adapter computes on the CPU. */
  readonly software: boolean;
  /** `GPUAdapterInfo.vendor`, such as "nvidia"; empty if the adapter does not tell it. */
  readonly vendor: string;
  /**
   * Whether work-groups of one dispatch may hand results on to each other. Wavefold knows which adapters of some vendors do; on others, a
   * test finds it out.
   */
  readonly lookBack: boolean;
  /** Chooses a row of the adapter's own tuning, if there is one. */
  readonly tuned?: TunedRow;
}
