/** The limits that plans depend on: a part of `GPUSupportedLimits`. */
export interface Limits {
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupSizeX: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
  readonly minStorageBufferOffsetAlignment: number;
}

/** What a plan depends on, as values: no device is needed to make one. */
export interface DeviceFacts {
  readonly limits: Limits;
  readonly features: ReadonlySet<string>;
  readonly subgroupMinSize: number;
  readonly subgroupMaxSize: number;
  /** Whether WGSL has `subgroup_id` here. */
  readonly subgroupIds: boolean;
  /** Whether the adapter computes on the CPU. */
  readonly software: boolean;
  /** `GPUAdapterInfo.vendor`, such as "nvidia"; empty where it is not told. */
  readonly vendor: string;
  /** Whether work-groups of one dispatch may hand results on to each other: found out by a test, or known. */
  readonly lookBack: boolean;
}
