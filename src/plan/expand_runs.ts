import { tablesFor } from "../adapters/adapter.ts";
import { u32 } from "../algebra/integers.ts";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { expandKernel } from "../kernels/expand_runs.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import type { TuningOptions } from "./options.ts";
import { plainPlan } from "./plain_plan.ts";
import type { Plan, Scratch } from "./plan.ts";
import { distinct, itemTypesOf, TWO_BUFFERS, wholeWords, withRanges } from "./plan.ts";
import type { PlanFacts } from "./plan_facts.ts";
import { planRecording } from "./plan_recording.ts";
import { countsOf } from "./segment_counts.ts";

/** The options of `prepareExpandRuns`. */
export interface ExpandOptions<Name extends string = string>
  extends Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** The type of the values. */
  readonly type: ElementType<Name>;
  /** The most runs of a recording: a whole number from 0 up. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the number of runs from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
  /** Whether to write the number of each item's run, as u32, instead of the run's value. */
  readonly indices?: boolean;
  /** Whether recordings take `ranks`, which receives how many items of the same run come before each item, as u32. */
  readonly ranks?: boolean;
}

/** What is planned only inside other plans, too. */
interface PlannedExpansion extends ExpandOptions {
  /** Whether each item is stored at its position, which the range `positions` has. Items are the numbers of their runs. */
  readonly atPositions?: boolean;
}

/** A sum that stays at 2^32 - 1 once it is there. So ends of runs never fall, however large counts are. */
export const saturatingSum: Operator<"u32"> = {
  name: "saturatingSum",
  on: (_, type): Monoid => ({
    key: "saturating_sum",
    title: `${type.name}, saturatingSum`,
    type,
    domain: type.native,
    operation: undefined,
    combine: "earlier + min(later, ~earlier)",
    identity: 0,
  }),
};

/**
 * Plans the writing out of runs: a scan of the counts finds where each run ends, and then each item looks for its run.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planExpandRuns(
  options: PlannedExpansion,
  facts: PlanFacts,
  arrangements: readonly Arrangement[] = TWO_BUFFERS,
): Plan {
  const of = requireType(options.type, "expandRuns");
  const title = `expandRuns<${of.name}>`;
  const { indices = false, ranks = false, atPositions = false } = options;
  const readsValues = !(indices || atPositions);
  const type = readsValues ? of : u32;
  const expand = plainPlan({
    title,
    type,
    row: tablesFor(facts).expandRuns,
    options,
    facts,
    kernelOf: (lengthOnGpu, sizes) => expandKernel(type, { indices, ranks, atPositions }, lengthOnGpu, sizes),
    itemTypes: itemTypesOf(of, type),
    ranges: {
      ends: "offsets",
      count_buffer: "count",
      ...(ranks && { indices: "ranks" }),
      ...(atPositions && { positions: "positions" }),
    },
    // Threads share the room of the output. If there is no room, one work-group writes the count.
    itemsOf: (_, { room = 0 }) => Math.max(1, room),
  });
  const { maxLength, needs } = expand;
  const { lengthOnGpu = false } = options;
  const counted = { type: u32, op: saturatingSum, maxLength, lengthOnGpu };
  const scan = planRecording("scan", counted, facts, arrangements);
  const ends: Scratch = { name: "ends", bytes: wholeWords(maxLength * u32.bytes), itemBytes: u32.bytes };
  return {
    ...expand,
    kernels: distinct([...scan.kernels, ...expand.kernels]),
    scratch: [ends, ...scan.scratch],
    ...(scan.spine && { spine: scan.spine }),
    needs: new Set(
      [...needs, "counts" as const].filter((name) => name !== "offsets" && (readsValues || name !== "input")),
    ),
    vector: scan.vector,
    vectorRanges: ["counts"],
    variants: scan.variants,
    // The number of segments is the room of the output.
    segments: { numbers: ["outputLength"], reduces: true, headsOf: () => 0, countsOf },
    passes: (length, arrangement, aside, params) => [
      ...withRanges(scan.passes(length, arrangement), { input: "counts", output: ends }),
      ...withRanges(expand.passes(length, "items", aside, params), { offsets: ends }),
    ],
  };
}
