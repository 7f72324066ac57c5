import { planCompact as compact, planPartition as partition } from "../../src/plan/compact.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { methodsWithSubgroups as recorded } from "../../src/plan/methods_with_subgroups.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planReduce as reduce } from "../../src/plan/reduce.ts";
import { planScan as scan } from "../../src/plan/scan.ts";
import { segmentsOf } from "../../src/plan/segments.ts";

const methodsWithSubgroups = { ...recorded, segmentsOf };

// Plans that choose from every method, as most tests want them. What is wrong rejects.

type Rest<F extends (options: never, facts: DeviceFacts, methods: never, ...rest: never) => Plan> =
  Parameters<F> extends [unknown, unknown, unknown, ...infer Others] ? Others : never;

export const planScan = async (
  options: Parameters<typeof scan>[0],
  facts: DeviceFacts,
  ...rest: Rest<typeof scan>
): Promise<Plan> => scan(options, facts, methodsWithSubgroups, ...rest);

export const planReduce = async (
  options: Parameters<typeof reduce>[0],
  facts: DeviceFacts,
  ...rest: Rest<typeof reduce>
): Promise<Plan> => reduce(options, facts, methodsWithSubgroups, ...rest);

export const planCompact = async (
  options: Parameters<typeof compact>[0],
  facts: DeviceFacts,
  ...rest: Rest<typeof compact>
): Promise<Plan> => compact(options, facts, methodsWithSubgroups, ...rest);

export const planPartition = async (
  options: Parameters<typeof partition>[0],
  facts: DeviceFacts,
  ...rest: Rest<typeof partition>
): Promise<Plan> => partition(options, facts, methodsWithSubgroups, ...rest);
