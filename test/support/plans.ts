import type { Arrangement } from "../../src/kernels/kernel.ts";
import { planCompact as compact, planPartition as partition } from "../../src/plan/compact.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import { planNarrow } from "../../src/plan/narrow.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planReduce as reduce } from "../../src/plan/reduce.ts";
import type { LookBackTesting } from "../../src/plan/scan.ts";
import { planScan as scan } from "../../src/plan/scan.ts";
import { planSegments } from "../../src/plan/segments.ts";

// Plans that may read their data once and take subgroups, as most tests want them. What is wrong rejects.

type Rest = readonly [arrangements?: readonly Arrangement[], testing?: LookBackTesting];

export const planScan = async (
  options: Parameters<typeof scan>[0],
  facts: DeviceFacts,
  ...rest: Rest
): Promise<Plan> =>
  options.segments === undefined
    ? options.from?.wide
      ? planNarrow(options, facts, (own) => scan(own, withFasterWays(facts), ...rest))
      : scan(options, withFasterWays(facts), ...rest)
    : planSegments("scan", options, withFasterWays(facts), ...rest);

export const planReduce = async (
  options: Parameters<typeof reduce>[0],
  facts: DeviceFacts,
  ...rest: Rest
): Promise<Plan> =>
  options.segments === undefined
    ? reduce(options, withFasterWays(facts), ...rest)
    : planSegments("reduce", options, withFasterWays(facts), ...rest);

export const planCompact = async (
  options: Parameters<typeof compact>[0],
  facts: DeviceFacts,
  ...rest: Rest
): Promise<Plan> => compact(options, withFasterWays(facts), ...rest);

export const planPartition = async (
  options: Parameters<typeof partition>[0],
  facts: DeviceFacts,
  ...rest: Rest
): Promise<Plan> => partition(options, withFasterWays(facts), ...rest);
