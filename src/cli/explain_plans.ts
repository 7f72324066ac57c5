import { elementTypes } from "../algebra/element_types.ts";
import { u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { TypeName } from "../algebra/types.ts";
import { planFactsFor } from "../gpu/executor/load_later.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import { planHistogram } from "../plan/histogram.ts";
import type { Passes } from "../plan/options.ts";
import type { PassParams, Plan } from "../plan/plan.ts";
import { ALL_ARRANGEMENTS } from "../plan/plan.ts";
import type { Primitive } from "../plan/plan_recording.ts";
import { planRecording } from "../plan/plan_recording.ts";
import { plannerOfSegments } from "../plan/plan_segmented.ts";
import { ALONE, FIRST_ITEMS } from "../plan/run_key.ts";
import { planNth, planTopK } from "../plan/select.ts";
import { planTopKRows } from "../plan/select_rows.ts";
import { planSortWithValues } from "../plan/sort_with_values.ts";
import { UsageError } from "./errors.ts";

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
  readonly k?: number;
  readonly n?: number;
  readonly bins: number;
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

/** Rows of a sort or a selection. All are as long as the one that is given. */
const rowsOf = ({ rows = 1 }: ExplainPlanOptions) => ({ segments: "rows", maxSegmentLength: rows }) as const;

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

/** Runs are reduced by keys that are the data itself. */
const runs =
  (counts: boolean): Planner =>
  (options, facts) => {
    const { type, ...others } = basicOf(options);
    const segments = {
      keys: type,
      ...keyOf(options),
      unique: true,
      ...(options.key !== undefined && { [FIRST_ITEMS]: true }),
      ...(!counts && { [ALONE]: "keys" }),
    };
    return planned(
      "reduce",
      { ...others, ...tuningOf(options), from: type, type: u32, map: "1u", segments },
      facts,
    );
  };

const sorted =
  (indices: boolean): Planner =>
  (options, facts) =>
    planSortWithValues(
      {
        ...basicOf(options),
        ...tuningOf(options),
        ...keyOf(options),
        ...(options.rows !== undefined && rowsOf(options)),
        ...(indices ? { indices } : options.values && { values: u32 }),
      },
      facts,
    );

const topK: Planner = (options, facts) => {
  const { k = 0, rows, passes } = options;
  const all = { ...basicOf(options), ...keyOf(options), k, ...(passes && { passes }) };
  return rows === undefined ? planTopK(all, facts) : planTopKRows({ ...all, ...rowsOf(options) }, facts);
};

const nth: Planner = (options, facts) =>
  planNth({ ...basicOf(options), ...keyOf(options), n: options.n ?? 0 }, facts);

const histogram: Planner = (options, facts) =>
  planHistogram({ ...basicOf(options), bins: options.bins, range: [0, options.bins] }, facts);

/** The primitives, and what each takes of the options that not all take. */
export const explained = {
  scan: { planner: folded("scan"), takes: ["op", "exclusive", "rows", "algorithm", "passes"] },
  reduce: { planner: folded("reduce"), takes: ["op", "rows", "algorithm", "passes"] },
  compact: { planner: kept("compact"), takes: ["where", "algorithm", "passes"] },
  partition: { planner: kept("partition"), takes: ["where", "algorithm", "passes"] },
  sort: { planner: sorted(false), takes: ["key", "keyType", "values", "rows", "algorithm", "passes"] },
  argSort: { planner: sorted(true), takes: ["key", "keyType", "rows", "algorithm", "passes"] },
  topK: { planner: topK, takes: ["key", "keyType", "k", "rows", "passes"] },
  nth: { planner: nth, takes: ["key", "keyType", "n"] },
  histogram: { planner: histogram, takes: ["bins"] },
  unique: { planner: runs(false), takes: ["key", "keyType", "algorithm", "passes"] },
  runs: { planner: runs(true), takes: ["key", "keyType", "algorithm", "passes"] },
} as const satisfies Record<string, { planner: Planner; takes: readonly (keyof ExplainPlanOptions)[] }>;

export type ExplainedPrimitive = keyof typeof explained;

/** The plan of a primitive, as a recording makes it. @throws {ArgumentError} {@link LimitError} {@link FeatureError} {@link UsageError} */
export async function planFor(
  primitive: ExplainedPrimitive,
  options: ExplainPlanOptions,
  facts: DeviceFacts,
): Promise<PlanToExplain> {
  const { rows, length } = options;
  const plan = await explained[primitive].planner(options, facts);
  if (rows !== undefined && length % rows !== 0) {
    throw new UsageError(
      `explain ${primitive}: --rows is ${rows}, and --length is ${length}; it takes a number that divides the length`,
    );
  }
  return { plan, params: plan.segments?.countsOf(rows === undefined ? {} : { rows }, length, plan) ?? {} };
}
