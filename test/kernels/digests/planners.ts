import type { ElementType, ScalarType } from "../../../src/algebra/types.ts";
import { u64 } from "../../../src/algebra/types_64.ts";
import { arrangementFor } from "../../../src/gpu/executor/plans_of_calls.ts";
import type { Arrangement } from "../../../src/kernels/kernel.ts";
import { litmusKernel, litmusTests } from "../../../src/kernels/litmus.ts";
import { planAppend } from "../../../src/plan/append_kept_items.ts";
import type { ArgCall } from "../../../src/plan/arg_min_max.ts";
import { reductionOf } from "../../../src/plan/arg_min_max.ts";
import { planCombine } from "../../../src/plan/combine_pairs.ts";
import { planCompact, planPartition } from "../../../src/plan/compact.ts";
import type { DeviceFacts } from "../../../src/plan/device_facts.ts";
import { planGather } from "../../../src/plan/gather.ts";
import type { Plan } from "../../../src/plan/plan.ts";
import { ALL_ARRANGEMENTS } from "../../../src/plan/plan.ts";
import { planFactsFor } from "../../../src/plan/plan_facts_for.ts";
import { planRecording } from "../../../src/plan/plan_recording.ts";
import { plannerOfSegments } from "../../../src/plan/plan_segmented.ts";
import { planReduce } from "../../../src/plan/reduce.ts";
import { planScan } from "../../../src/plan/scan.ts";
import { planSort } from "../../../src/plan/sort.ts";
import { planSegmentSort } from "../../../src/plan/sort_segments.ts";
import type { PlannedExample } from "../../support/example_plans.ts";
import { planExample } from "../../support/example_plans.ts";
import type { Described } from "../../support/primitives.ts";
import type { Options } from "./mixes.ts";

// Makes plans from options, as the calls of `Fold` do.

/** A plan, or kernels that no plan has. */
export type Planned = Plan | Pick<Plan, "kernels">;

export type Planner = (
  options: Options,
  facts: DeviceFacts,
) => readonly Planned[] | Promise<readonly Planned[]>;

const planners = { scan: planScan, reduce: planReduce, compact: planCompact, partition: planPartition };

export type RecordedPrimitive = keyof typeof planners;

/** The plan of `prepareScan` and so on. Options may name a few arrangements. */
export const recorded =
  (primitive: RecordedPrimitive): Planner =>
  async ({ arrangements = ALL_ARRANGEMENTS, ...options }, facts) => [
    planRecording(
      primitive,
      options,
      await planFactsFor(options, facts, true),
      arrangements as readonly Arrangement[],
      options.segments === undefined ? undefined : plannerOfSegments(primitive),
    ),
  ];

/** The plan of a call at hand. */
export const atHand =
  (primitive: RecordedPrimitive): Planner =>
  async (options, facts) => [
    planners[primitive](options as never, await planFactsFor(options, facts), [arrangementFor(options)]),
  ];

export const argMinMax: Planner = async ({ call, type, ...options }, facts) =>
  atHand("reduce")({ ...options, ...reductionOf(call as ArgCall, type as ScalarType, u64) }, facts);

export const appended: Planner = async (options, facts) => {
  const [plan] = (await recorded("compact")(options, facts)) as [Plan];
  return [plan, planAppend(options as never, plan, 4096, facts)];
};

/** Plans an example of a primitive that is described. */
export const exampleOf =
  (of: Described): Planner =>
  async ({ type, maxLength, example, lengthOnGpu, counted, ...tuning }, facts) => [
    await planExample(
      of,
      { type, maxLength, example, lengthOnGpu, counted, tuning } as PlannedExample,
      facts,
    ),
  ];

export const combine: Planner = (options, facts) => [planCombine(options as never, facts)];

/** What moves with the keys, as the option `moved`: a type, or `positions`. */
type Moved = ScalarType | "positions" | undefined;

export const sort: Planner = ({ moved, segments, anyDigits, ...options }, facts) => [
  segments === undefined
    ? planSort(options as never, facts, moved as Moved, undefined, {}, anyDigits === true)
    : planSegmentSort({ ...options, segments } as never, facts, moved as Moved),
];

export const gather: Planner = (options, facts) => [
  planGather(options as never, facts, "sort", ["values", "reordered"]),
  planGather(options as never, facts, "sort", ["input", "output"]),
];

export const litmus: Planner = () => [
  { kernels: litmusTests.map((one) => litmusKernel(one, { workGroupSize: 64, testers: 32 })) },
];

export const typeOf = ({ type }: Options): ElementType => type as ElementType;
