import type { Monoid } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { TileShape } from "../kernels/algorithms.ts";
import type { ClassKernels } from "../kernels/compact.ts";
import type { Arrangement, Kernel, ReduceFiles, ScanKernelOptions } from "../kernels/kernel.ts";
import type { LookBackChoices, SpineSize } from "../kernels/look_back.ts";
import type { TileAlgorithm } from "../kernels/tiles.ts";
import type { SourceText } from "../text/source.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Grouping } from "./grouping.ts";
import type { Chosen } from "./options.ts";
import type { Plan } from "./plan.ts";
import type { PlannedSegments } from "./planned_segments.ts";
import type { LoadedTuning } from "./tuning.ts";
import type { Way } from "./ways.ts";

/** What a plan is made from: the facts of the device, and the faster ways if they are loaded. */
export interface PlanFacts extends DeviceFacts {
  /** Without them, as in calls at hand, plans take the portable algorithms, and read the data twice. */
  readonly fasterWays?: FasterWays;
}

/**
 * The algorithm of subgroups, and the ways that read data once, with subgroups or without. src/plan/faster_ways.ts has them. It is loaded later, since a
 * first scan would have half as many bytes again with it. A sort adds its counts up by the algorithm alone.
 */
export interface FasterWays {
  /** The algorithm `subgroup`. */
  readonly tiles: TileAlgorithm;
  readonly planSinglePass?: PlanSinglePass;
  readonly scanOnce?: ScanOnce;
  readonly reduceOnce?: ReduceOnce;
  /** The kernels of a partition by classes in which subgroups vote, for a number of classes, bytes of work-group memory, and sizes. */
  readonly classesByVotes?: (
    classes: number,
    mostMemory: number,
    options: TileShape,
  ) => ClassKernels | undefined;
}

/** What is combined, and what messages call it. */
export interface Combination {
  readonly title: string;
  readonly type: ElementType;
  readonly monoid: Monoid;
}

/** What a plan needs to read its data once: a single pass. */
export interface SinglePass {
  readonly tuning: LoadedTuning;
  /** The sources that its kernel looks back with. */
  readonly carry: readonly SourceText[];
  /** The number of tiles that `length` items take. */
  tilesOf(length: number): number;
  /** The size of the spine for `length` items. */
  spineOf(length: number): SpineSize;
  groupingOf(itemsPerVector: number): Grouping;
}

/**
 * Plans a single pass if the caller asks for one, or if it is faster and the adapter is known to manage it. Otherwise the
 * data is read twice, and the result is undefined. The primitive `flat` is a scan of segments whose threads may hold values without heads.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export type PlanSinglePass = (
  primitive: "scan" | "flat" | "compact" | "totals" | "runs" | "parts",
  combination: Combination,
  options: Chosen,
  facts: PlanFacts,
  testing: Partial<LookBackChoices>,
) => SinglePass | undefined;

/** A scan, as its ways need it. */
export interface PlannedScan extends Combination {
  readonly maxLength: number;
  readonly itemBytes: number;
  readonly kernelOptions: ScanKernelOptions;
  readonly segments?: PlannedSegments | undefined;
}

/** The way of a scan that reads its data once; undefined if ranges that lie in none of these arrangements can be scanned so. */
export type ScanOnce = (
  single: SinglePass,
  scan: PlannedScan,
  arrangements: readonly Arrangement[],
  facts: DeviceFacts,
  testing: Partial<LookBackChoices>,
) => Way | undefined;

/** A reduction, as its way in one dispatch needs it. */
export interface PlannedReduction {
  readonly monoid: Monoid;
  readonly tuning: LoadedTuning;
  /** The kernel from items to the result, with these files. */
  kernelOf(files: ReduceFiles): Kernel;
}

/**
 * The way of a reduction that takes one dispatch for data of several tiles. The ranges start at a vector. Operators that may combine in any order
 * take data of any length, and others as many tiles as a tile has items. `longest` is the most items that the way takes.
 */
export type ReduceOnce = (
  reduction: PlannedReduction,
  plan: Pick<Plan, "maxLength" | "variants" | "vector" | "groupingOf">,
  options: Chosen,
  facts: DeviceFacts,
  testing: Partial<LookBackChoices>,
) => { readonly way: Way; readonly longest: number } | undefined;
