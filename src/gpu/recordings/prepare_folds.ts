import type { ElementType } from "../../algebra/types.ts";
import { namesNarrow } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import type { Arrangement } from "../../kernels/kernel.ts";
import { loadSegmentsAndRuns } from "../../parts.ts";
import type { CompactOptions } from "../../plan/compact.ts";
import type { Limits } from "../../plan/device_facts.ts";
import type { AnyOperator, SegmentOptions, SoonOption } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { ALL_ARRANGEMENTS } from "../../plan/plan.ts";
import { planFactsFor } from "../../plan/plan_facts_for.ts";
import { planFold } from "../../plan/plan_fold.ts";
import type { FoldName } from "../../plan/plan_recording.ts";
import type { ReduceOptions } from "../../plan/reduce.ts";
import type { ScanOptions } from "../../plan/scan.ts";
import { windowOf } from "../../plan/window_length.ts";
import { compact } from "../../primitives/compact.ts";
import { partition } from "../../primitives/partition.ts";
import { reduce } from "../../primitives/reduce.ts";
import { scan } from "../../primitives/scan.ts";
import type { Context, Pipeline } from "../device/context.ts";
import { pipelineOf } from "../device/device.ts";
import { pipelineKeyOf, usePipelines } from "../device/kept_pipelines.ts";
import { requireDevice } from "../device/lost.ts";
import { planFor } from "../executor/plan_with_parts.ts";
import { deferKernels } from "./deferred_kernels.ts";
import { inWindows } from "./long_ranges.ts";
import { prepareSoon } from "./prepare_soon.ts";
import type { Meanwhile } from "./prepared.ts";
import type { Prepared } from "./recording.ts";
import { checked, prepare, prepareNameOf, requirePlanOptions } from "./recording.ts";

// Scans, reductions, compactions and partitions that are prepared for recordings.

/** The options of a plan. */
type Options = AnyOperator<ScanOptions> | AnyOperator<ReduceOptions> | CompactOptions;

const descriptions = { scan, reduce, compact, partition };

/**
 * `Fold.prepareScan`, `prepareReduce`, `prepareCompact` and `preparePartition`: by the plan's own kernels, or with `soon` first by others.
 *
 * @throws {NoGpuError}
 */
export async function prepareFold(
  primitive: FoldName,
  context: Context,
  given: Options & SegmentOptions & SoonOption,
): Promise<Prepared> {
  const options = await requirePlanOptions(descriptions[primitive], context, given);
  requireNoSegments(prepareNameOf(primitive), options);
  const prepareIt = (options: Options, meanwhile?: Meanwhile): Promise<Prepared> =>
    prepareFor(primitive, context, options, undefined, undefined, meanwhile);
  return options.soon ? prepareSoon(options, prepareIt) : prepareIt(options);
}

/** @throws {ArgumentError} for `soon` with segments: the quick plan might bind other ranges. */
function requireNoSegments(call: string, { soon, segments }: SegmentOptions & SoonOption): void {
  if (soon && segments) {
    throw new ArgumentError(
      `${call}: soon is true, and plans with segments wait for their own kernels; leave soon out`,
      "soon",
    );
  }
}

/**
 * Plans a primitive for recordings of ranges in these arrangements, and compiles it. The planner checks the options.
 * `isSubmitted` is as in {@link prepare}.
 */
export async function prepareFor(
  primitive: FoldName,
  context: Context,
  options: Options,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  isSubmitted?: boolean,
  meanwhile?: Meanwhile,
): Promise<Prepared> {
  const { segments } = options as ScanOptions;
  // What plans segments is loaded at the same time.
  const [facts] = await Promise.all([
    planFactsFor(options, context.facts, true),
    segments === undefined ? undefined : loadSegmentsAndRuns(),
  ]);
  // Partitions, segments and items that are widened do not go in windows, so a plan for longer ranges is refused.
  const mayGoInWindows = primitive !== "partition" && segments === undefined && !namesNarrow(options);
  const window = mayGoInWindows ? windowFor(options, facts.limits) : undefined;
  if (mayGoInWindows && window !== undefined) {
    const division = await inWindows(primitive, context, options as never, facts, window, arrangements);
    return checked(context, division, isSubmitted);
  }
  const planOf = (some: readonly Arrangement[]): Promise<Plan> =>
    planFor(options, facts, (own) => planFold(primitive, own, facts, some));
  // The device compiles the kernels of the first arrangement on threads of its own. Meanwhile, the others are linked.
  const isWhole = segments || arrangements.length === 1;
  const first = await planOf(isWhole ? arrangements : arrangements.slice(0, 1));
  await meanwhile?.checked?.();
  const given = new Map<string, Pipeline | Promise<Pipeline>>();
  const early = isWhole ? [] : first.kernels;
  for (const kernel of early) {
    given.set(kernel.code, pipelineOf(context, kernel));
  }
  meanwhile?.begun?.();
  const plan = isWhole ? first : await planOf(arrangements);
  let prepared: Prepared | undefined;
  const others = deferKernels(context, plan, first.kernels, () => prepared?.forget());
  usePipelines(context, early.map(pipelineKeyOf));
  const compileOthers = () => others.compile(() => prepared !== undefined);
  try {
    for (const [code, pipeline] of others.pipelines) {
      given.set(code, pipeline);
    }
    const made = await prepare(context, plan, undefined, isSubmitted, given);
    // What is prepared has its pipelines now, and lets go of them when it is destroyed.
    given.clear();
    prepared = made;
    return {
      ...made,
      async compileOthers() {
        const failure = await compileOthers();
        requireDevice(context, plan.title);
        if (failure) {
          throw failure.cause;
        }
      },
      destroy() {
        prepared = undefined;
        void compileOthers();
        made.destroy();
      },
    };
  } finally {
    // A software adapter would compile the others on the processors that run the first. There they wait until they are used.
    if (!prepared || !(facts.software || meanwhile?.waits)) {
      // The caller goes on first.
      setTimeout(compileOthers);
    }
  }
}

/** Items of a window, if items of these types do not fit in one binding. Nobody has checked the options yet. */
const windowFor = (
  {
    type,
    from,
    maxLength,
  }: { readonly type: ElementType; readonly from?: ElementType; readonly maxLength: number },
  limits: Limits,
): number | undefined => windowOf(maxLength, Math.max(...[type, from].map((one) => one?.bytes ?? 4)), limits);
