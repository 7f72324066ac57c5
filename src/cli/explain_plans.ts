import { elementTypes } from "../algebra/element_types.ts";
import { u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, TypeName } from "../algebra/types.ts";
import { planFactsFor } from "../gpu/executor/load_later.ts";
import { planFor as planOf } from "../gpu/forms/prepare.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Passes } from "../plan/options.ts";
import type { PassParams, Plan } from "../plan/plan.ts";
import { ALL_ARRANGEMENTS } from "../plan/plan.ts";
import type { Primitive } from "../plan/plan_recording.ts";
import { planRecording } from "../plan/plan_recording.ts";
import { plannerOfSegments } from "../plan/plan_segmented.ts";
import { planRuns } from "../plan/runs.ts";
import { planSortWithValues } from "../plan/sort_with_values.ts";
import type { Described } from "../primitives/described.ts";
import { primitives } from "../primitives/described.ts";
import type { Operand } from "../primitives/primitive.ts";
import { UsageError } from "./errors.ts";
import { inFlags, optionsOf } from "./primitive.ts";

// The plans that recordings make of a command's options.

/** What a plan is made from, as commander hands it over. */
export interface ExplainPlanOptions {
  readonly type: TypeName;
  readonly length: number;
  readonly op: Operator<TypeName>;
  readonly exclusive?: true;
  readonly where?: string;
  readonly key?: string;
  readonly keyType?: TypeName;
  readonly values?: true;
  readonly rows?: number;
  readonly algorithm?: Algorithm;
  readonly passes?: Passes;
  readonly lengthOnGpu?: true;
}

/** A plan, and the parameters of a recording of it. */
export interface PlanToExplain {
  readonly plan: Plan;
  readonly params: PassParams;
}

type Planner = (options: ExplainPlanOptions, facts: DeviceFacts) => Plan | Promise<Plan>;

/** What every plan takes. */
const basicOf = ({ type, length, lengthOnGpu }: ExplainPlanOptions) => ({
  type: elementTypes[type],
  maxLength: length,
  ...(lengthOnGpu && { lengthOnGpu }),
});

const tuningOf = ({ algorithm, passes }: ExplainPlanOptions) => ({
  ...(algorithm && { algorithm }),
  ...(passes && { passes }),
});

const keyOf = ({ key, keyType }: ExplainPlanOptions) => ({
  ...(key !== undefined && { key }),
  ...(keyType && { keyType: elementTypes[keyType] }),
});

/** Plans as a recording does. */
async function planned(
  primitive: Primitive,
  options: Readonly<Record<string, unknown>>,
  facts: DeviceFacts,
): Promise<Plan> {
  const planFacts = await planFactsFor(options, facts, true);
  const planner = options.segments === undefined ? undefined : plannerOfSegments(primitive);
  return planRecording(primitive, options, planFacts, ALL_ARRANGEMENTS, planner);
}

const folded =
  (primitive: "scan" | "reduce"): Planner =>
  (options, facts) =>
    planned(
      primitive,
      {
        ...basicOf(options),
        ...tuningOf(options),
        op: options.op,
        ...(options.exclusive && { exclusive: true }),
        ...(options.rows !== undefined && { segments: "rows" }),
      },
      facts,
    );

const kept =
  (primitive: "compact" | "partition"): Planner =>
  (options, facts) =>
    planned(
      primitive,
      {
        ...basicOf(options),
        ...tuningOf(options),
        ...(options.where !== undefined && { where: options.where }),
      },
      facts,
    );

const runs =
  (counts: boolean): Planner =>
  async (options, facts) =>
    planRuns(
      {
        ...basicOf(options),
        ...tuningOf(options),
        ...keyOf(options),
        ...(!counts && { alone: "keys" }),
      },
      await planFactsFor(options, facts, true),
      ALL_ARRANGEMENTS,
    );

const sorted =
  (indices: boolean): Planner =>
  (options, facts) =>
    planSortWithValues(
      {
        ...basicOf(options),
        ...tuningOf(options),
        ...keyOf(options),
        ...(options.rows !== undefined && { segments: "rows", maxSegmentLength: options.rows }),
        ...(indices ? { indices } : options.values && { values: u32 }),
      },
      facts,
    );

/** A primitive that is described, on arrays of one length. */
const plannedFrom =
  (described: Described): Planner =>
  (options, facts) =>
    inFlags(described, {}, async () => {
      const { primitive, help } = described;
      const { type, ...others } = basicOf(options);
      const { rows, length, lengthOnGpu = false } = options;
      const given: object = {
        ...(await optionsOf(described, { ...options })),
        ...tuningOf(options),
        ...(rows !== undefined && { segments: { rows } }),
      };
      const operands = primitive.operands.filter(({ isOption }) => !isOption);
      const each = <T>(of: (operand: Operand) => T): Record<string, T> =>
        Object.fromEntries(operands.map((operand) => [operand.name, of(operand)]));
      const request = primitive.request({
        types: each<ElementType>(({ isNamed }) => (isNamed ? type : u32)),
        lengths: each(() => length),
        isCounted: lengthOnGpu,
        options: (help.completed?.(given as never) ?? given) as never,
        facts,
      });
      return planOf(primitive, facts, { ...request.options, ...tuningOf(options), ...others });
    });

/** How a primitive is explained. */
export interface Explanation {
  readonly name: string;
  readonly planner: Planner;
  /** The options that it takes of those that not all take. */
  readonly takes: readonly string[];
  /** The description that this is from. */
  readonly described?: Described;
}

/** The primitives. */
export const explained: readonly Explanation[] = [
  { name: "scan", planner: folded("scan"), takes: ["op", "exclusive", "rows", "algorithm", "passes"] },
  { name: "reduce", planner: folded("reduce"), takes: ["op", "rows", "algorithm", "passes"] },
  { name: "compact", planner: kept("compact"), takes: ["where", "algorithm", "passes"] },
  { name: "partition", planner: kept("partition"), takes: ["where", "algorithm", "passes"] },
  {
    name: "sort",
    planner: sorted(false),
    takes: ["key", "keyType", "values", "rows", "algorithm", "passes"],
  },
  { name: "argSort", planner: sorted(true), takes: ["key", "keyType", "rows", "algorithm", "passes"] },
  { name: "unique", planner: runs(false), takes: ["key", "keyType", "algorithm", "passes"] },
  { name: "runs", planner: runs(true), takes: ["key", "keyType", "algorithm", "passes"] },
  ...primitives.map((described) => ({
    name: described.primitive.name,
    planner: plannedFrom(described),
    takes: [
      ...Object.keys(described.help.options),
      ...(described.help.segments ?? []),
      ...["algorithm", "passes"].filter((name) => name in described.primitive.options),
    ],
    described,
  })),
];

/** The plan of a primitive, as a recording makes it. @throws {ArgumentError} {@link LimitError} {@link FeatureError} {@link UsageError} */
export async function planFor(
  { name, planner }: Explanation,
  options: ExplainPlanOptions,
  facts: DeviceFacts,
): Promise<PlanToExplain> {
  const { rows, length } = options;
  const plan = await planner(options, facts);
  if (rows !== undefined && length % rows !== 0) {
    throw new UsageError(
      `explain ${name}: --rows is ${rows}, and --length is ${length}; it takes a number that divides the length`,
    );
  }
  return { plan, params: plan.segments?.countsOf(rows === undefined ? {} : { rows }, length, plan) ?? {} };
}
