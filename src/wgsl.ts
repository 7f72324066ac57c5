/**
 * OpenCL's work-group functions and CUDA's cooperative groups as WGSL, to link into a kernel of your own.
 * Pure text: it needs no device.
 *
 * @module wavefold/wgsl
 */
export { elementTypes } from "./algebra/element_types.ts";
export * from "./algebra/index.ts";
// These read callers' texts at once, as the functions below do, and take the place of the main entry's.
export { f64, i64, u64 } from "./algebra/types_64.ts";
export type { WgslTypeDefinition } from "./algebra/wgsl_type.ts";
export { wgslType } from "./algebra/wgsl_type.ts";
export { ArgumentError, SourceError, WavefoldError } from "./errors.ts";
export type { WorkGroupAlgorithm } from "./in_kernel/algorithms.ts";
export { blelloch, hillisSteele, subgroup, subgroupOf } from "./in_kernel/algorithms.ts";
export {
  threadTileCoalescedReduce,
  threadTileCoalescedScan,
  threadTileCoalescedScanUpdate,
} from "./in_kernel/coalesced_tiles.ts";
export { linkDirectives } from "./in_kernel/directives.ts";
export type { ThreadTileShuffleOptions, WorkGroupBroadcastOptions } from "./in_kernel/exchange.ts";
export { threadTileShuffle, workGroupBroadcast, workGroupSplit } from "./in_kernel/exchange.ts";
export type {
  CounterOptions,
  ThreadTileOptions,
  TypedOperator,
  WorkGroupAllocateOptions,
  WorkGroupOptions,
} from "./in_kernel/functions.ts";
export {
  coalescedReduce,
  coalescedScan,
  coalescedScanUniform,
  coalescedScanUpdate,
  threadTileReduce,
  threadTileScan,
  threadTileScanUpdate,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUniform,
  workGroupScanUpdate,
} from "./in_kernel/functions.ts";
export type { InKernelOptions } from "./in_kernel/generate.ts";
export type { InKernelFunctions, LinkOptions } from "./in_kernel/link.ts";
export { link } from "./in_kernel/link.ts";
export { identityOf, numeric } from "./in_kernel/numeric.ts";
export {
  threadTileSegmentedReduce,
  threadTileSegmentedScan,
  workGroupSegmentedReduce,
  workGroupSegmentedScan,
} from "./in_kernel/segmented.ts";
export type { WorkGroupSortOptions, WorkGroupSortPairsOptions } from "./in_kernel/sort.ts";
export { workGroupSort, workGroupSortPairs } from "./in_kernel/sort.ts";
