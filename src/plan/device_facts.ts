import type { AdapterIdentity } from "../adapters/adapter.ts";
import type { TunedRows } from "../adapters/tables.ts";

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
export interface DeviceFacts extends AdapterIdentity {
  readonly limits: Limits;
  readonly features: ReadonlySet<string>;
  readonly subgroupMinSize: number;
  readonly subgroupMaxSize: number;
  /** Whether WGSL has `subgroup_id` here. */
  readonly subgroupIds: boolean;
  /** Whether work-groups of one dispatch may hand results on to each other: the adapter's traits say so, or a test found it out. */
  readonly lookBack: boolean;
  /** The rows that a tuning of the adapter itself has, if there is one. */
  readonly tuned?: TunedRows;
}

/** The most threads of a work-group in one dimension. */
export const mostThreads = ({ limits }: Pick<DeviceFacts, "limits">): number =>
  Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
