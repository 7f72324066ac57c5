import { elementTypes } from "../algebra/element_types.ts";
import { u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType, NarrowName, TypeName } from "../algebra/types.ts";
import { planPrimitive } from "../gpu/forms/prepare.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Passes } from "../plan/options.ts";
import type { PassParams, Plan } from "../plan/plan.ts";
import type { FoldName } from "../plan/plan_recording.ts";
import { primitives } from "../primitives/described.ts";
import { folds } from "../primitives/folds.ts";
import type { Described } from "../primitives/help.ts";
import type { Operand, Request } from "../primitives/primitive.ts";
import { operandsOfList } from "../primitives/primitive.ts";
import { UsageError } from "./errors.ts";
import { inFlags, optionsOf } from "./primitive.ts";
import { explainFlagsOf, nameOf } from "./primitives.ts";
import { combinedType, typesOfCalls } from "./types_of_calls.ts";

// The plans that recordings make of a command's options.

/** What a plan is made from, as commander hands it over. */
export interface ExplainPlanOptions {
  readonly type: TypeName | NarrowName;
  readonly length: number;
  readonly op: Operator<TypeName>;
  readonly exclusive?: true;
  readonly reverse?: true;
  readonly where?: string;
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

/** A plan, and the numbers that a recording of it takes beside the length. */
interface PlanWithNumbers {
  readonly plan: Plan;
  readonly numbers?: Request["numbers"];
}

type Planner = (options: ExplainPlanOptions, facts: DeviceFacts) => Promise<PlanWithNumbers>;

/** What every plan takes. */
const basicOf = ({ type, length, lengthOnGpu }: ExplainPlanOptions) => ({
  type: typesOfCalls[type],
  maxLength: length,
  ...(lengthOnGpu && { lengthOnGpu }),
});

/** What operators combine of such items: those of 8 and 16 bits are combined in 32. */
function combinedTypes({ type }: ExplainPlanOptions): {
  readonly type: ElementType;
  readonly from?: ElementType;
} {
  const combined = combinedType(type);
  return combined.name === type ? { type: combined } : { type: combined, from: typesOfCalls[type] };
}

/** The options of a recording that the command's flags name. Those that the primitive does not take were refused before. */
function optionsFor(primitive: FoldName, options: ExplainPlanOptions): Readonly<Record<string, unknown>> {
  const { op, exclusive, reverse, rows, where, algorithm, passes } = options;
  const combines = primitive === "scan" || primitive === "reduce";
  return {
    ...basicOf(options),
    ...(combines && { ...combinedTypes(options), op }),
    ...(exclusive && { exclusive }),
    ...(reverse && { reverse }),
    ...(rows !== undefined && { segments: "rows" }),
    ...(where !== undefined && { where }),
    ...(algorithm && { algorithm }),
    ...(passes && { passes }),
  };
}

/** A scan, a reduction, a compaction or a partition, as a recording plans it. */
const foldPlanner =
  (primitive: FoldName): Planner =>
  async (given, facts) => ({
    plan: await planPrimitive(folds[primitive], facts, optionsFor(primitive, given)),
  });

/** A primitive that is described, on arrays of one length. */
const describedPlanner =
  (described: Described): Planner =>
  (options, facts) =>
    inFlags(described, {}, async () => {
      const { primitive, help } = described;
      const { type, ...others } = basicOf(options);
      const { rows, length, lengthOnGpu = false } = options;
      const { op, ...flagsButOp }: Readonly<Record<string, unknown>> = { ...options };
      // Without weights, a histogram has nothing to combine. The flag has a default.
      const combines =
        flagsButOp.weights !== undefined || !primitive.operands.some(({ name }) => name === "weights");
      const flags: Readonly<Record<string, unknown>> = combines ? { ...flagsButOp, op } : flagsButOp;
      const given: object = {
        ...(await optionsOf(described, flags)),
        ...(rows !== undefined && { segments: { rows } }),
      };
      const operands = primitive.operands
        .filter(({ name, isOption, inside, behind }) => !inside && (!(isOption || behind) || flags[name]))
        .flatMap((one) => (one.isByName ? operandsOfList(one, flags[one.name] as string[]) : [one]));
      const from = flags.from === undefined ? type : elementTypes[flags.from as TypeName];
      const each = <T>(of: (operand: Operand) => T): Record<string, T> =>
        Object.fromEntries(operands.map((operand) => [operand.name, of(operand)]));
      const request = primitive.request({
        types: each<ElementType>(({ isNamed, isMapped }) => (isMapped ? from : isNamed ? type : u32)),
        lengths: each(() => length),
        isCounted: lengthOnGpu,
        options: (help.completed?.(given as never, length) ?? given) as never,
        facts,
      });
      const { numbers = {} } = request;
      const all: object = { ...request.options, ...others };
      return { plan: await planPrimitive(primitive, facts, all), numbers };
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
  {
    name: "scan",
    planner: foldPlanner("scan"),
    takes: ["op", "exclusive", "reverse", "rows", "algorithm", "passes"],
  },
  { name: "reduce", planner: foldPlanner("reduce"), takes: ["op", "rows", "algorithm", "passes"] },
  { name: "compact", planner: foldPlanner("compact"), takes: ["where", "algorithm", "passes"] },
  { name: "partition", planner: foldPlanner("partition"), takes: ["where", "algorithm", "passes"] },
  ...primitives.map((described) => ({
    name: nameOf(described),
    planner: describedPlanner(described),
    takes: [
      ...explainFlagsOf(described).map((flag) => flag.attributeName()),
      ...["passes"].filter((name) => name in described.primitive.options),
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
  if (rows !== undefined && length % rows !== 0) {
    throw new UsageError(
      `explain ${name}: --rows is ${rows}, and --length is ${length}; it takes a number that divides the length`,
    );
  }
  const { plan, numbers } = await planner(options, facts);
  const given = { ...(rows !== undefined && { rows }), ...numbers };
  return { plan, params: plan.segments?.countsOf(given, length, plan) ?? {} };
}
