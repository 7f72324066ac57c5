export { type Context, Machine, type Site, type Sites } from "./machine.ts";
export { Memory, StorageRange } from "./memory.ts";
export { type Instance, runDispatch } from "./schedule.ts";
export type { QuadKind, ShuffleKind } from "./subgroups.ts";
export { rangeFor, workGroupFor } from "./trace.ts";
export { WorkGroup } from "./work_group.ts";
