/**
 * OpenCL's work-group functions and CUDA's cooperative groups as WGSL, to link into a kernel of your own.
 * Pure text: it needs no device.
 *
 * @module wavefold/wgsl
 */
export * from "./algebra.ts";
export { linkDirectives } from "./codegen/directives.ts";
export type {
  CounterOptions,
  ThreadTileOptions,
  WorkGroupAllocateOptions,
  WorkGroupOptions,
} from "./codegen/functions.ts";
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
} from "./codegen/functions.ts";
export type { InKernelFunctions, InKernelOptions } from "./codegen/in_kernel.ts";
export type { LinkOptions } from "./codegen/link.ts";
export { link } from "./codegen/link.ts";
export { identityOf, numeric } from "./codegen/numeric.ts";
export type { WorkGroupAlgorithm } from "./codegen/work_group_algorithms.ts";
export { blelloch, hillisSteele, subgroup, subgroupOf } from "./codegen/work_group_algorithms.ts";
export { ArgumentError, SourceError, WavefoldError } from "./errors.ts";
