export * from "./algebra.ts";
export { linkDirectives } from "./codegen/directives.ts";
export type {
  InKernelFunctions,
  InKernelOptions,
  OperatorFunctionOptions,
  ThreadTileOptions,
  WorkGroupAllocateOptions,
  WorkGroupCompactOptions,
  WorkGroupOptions,
} from "./codegen/functions.ts";
export {
  coalescedReduce,
  coalescedScan,
  threadTileReduce,
  threadTileScan,
  workGroupAllocate,
  workGroupCompact,
  workGroupReduce,
  workGroupScan,
} from "./codegen/functions.ts";
export type { LinkOptions } from "./codegen/link.ts";
export { link } from "./codegen/link.ts";
export type { WorkGroupAlgorithm } from "./codegen/work_group_algorithms.ts";
export { blelloch, hillisSteele, subgroup } from "./codegen/work_group_algorithms.ts";
export { ArgumentError, SourceError, WavefoldError } from "./errors.ts";
