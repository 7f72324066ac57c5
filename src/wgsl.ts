export * from "./algebra.ts";
export type { Algorithm } from "./codegen/algorithms.ts";
export type { WorkGroupFunctions, WorkGroupOptions } from "./codegen/link.ts";
export { link, workGroupReduce, workGroupScan } from "./codegen/link.ts";
export { ArgumentError, SourceError, WavefoldError } from "./errors.ts";
