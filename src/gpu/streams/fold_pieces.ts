import { valueOfBytes } from "../../algebra/array_values.ts";
import { bytesOfInitial } from "../../algebra/initial.ts";
import type { Carried } from "../../algebra/monoid.ts";
import { monoid } from "../../algebra/monoid.ts";
import { add } from "../../algebra/operators.ts";
import { loadSegmentsAndRuns } from "../../parts.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { AnyOperator } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { planFactsFor } from "../../plan/plan_facts_for.ts";
import type { ReduceOptions } from "../../plan/reduce.ts";
import { planReduce } from "../../plan/reduce.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { planScan } from "../../plan/scan.ts";
import { arrangementFor } from "../executor/plans_of_calls.ts";
import type { PieceCall } from "./piece_sizes.ts";
import type { RowCut } from "./row_pieces.ts";

// Scans and reductions in pieces, of streams and of long arrays. Each piece has whole rows, or comes after the total of those before it.

type FoldOptions = AnyOperator<ScanOptions & ReduceOptions>;

/** A scan or a reduction whose data is cut into pieces. */
export interface FoldInPieces {
  readonly primitive: "scan" | "reduce";
  /** The options of its plan, for as many items as a piece has. */
  readonly options: FoldOptions;
  readonly rows: RowCut | undefined;
  /** The bytes of the initial value, if there is one. */
  readonly initial: Uint8Array | undefined;
}

/** How its pieces are planned, what comes before the first item, and how carries are held, if they are no values of the type. */
export function planFoldPieces(
  { primitive, options, rows, initial }: FoldInPieces,
  facts: DeviceFacts,
): Pick<PieceCall, "planned" | "initial"> & { readonly carried?: Carried | undefined } {
  const plan = (all: object): Promise<Plan> => planPieces(primitive, all as FoldOptions, facts);
  if (rows?.isWhole) {
    // Nothing is carried from one whole row to the next.
    const all = { ...options, ...(initial && { initial: true }), segments: "rows" as const };
    return { planned: { primitive, all, plan }, initial };
  }
  const { type, op = add } = options;
  const { identity, carried } = monoid(op, type, primitive);
  const all = {
    ...options,
    // Without an initial value, the first piece comes after the identity.
    initial: true,
    ...(primitive === "scan" && { total: true, continued: initial === undefined }),
    ...(carried && { carried: true }),
  };
  const before = carried
    ? carried.bytes(initial && valueOfBytes(initial, type))
    : (initial ?? bytesOfInitial(identity, type, primitive));
  return { planned: { primitive, all, plan }, initial: before, carried };
}

/** Plans pieces of whole rows; or others, whose options name no segments. */
async function planPieces(
  primitive: "scan" | "reduce",
  options: FoldOptions,
  facts: DeviceFacts,
): Promise<Plan> {
  if (options.segments === undefined) {
    const planner = primitive === "scan" ? planScan : planReduce;
    return planner(options, await planFactsFor(options, facts), [arrangementFor(options)]);
  }
  const [planFacts, { planSegmented }] = await Promise.all([
    planFactsFor(options, facts, true),
    loadSegmentsAndRuns(),
  ]);
  // Pieces start at vectors, in buffers of their own.
  return planSegmented(primitive, options, planFacts, ["vectors"]);
}
