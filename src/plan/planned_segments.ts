import type { Monoid } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { InitialBytes, SegmentSources } from "../kernels/kernel.ts";
import type { KeySource } from "../kernels/segments.ts";
import type { Bindings, Plan, RangeName, SegmentRanges } from "./plan.ts";
import type { Alone } from "./run_key.ts";
import type { Tuning } from "./tuning.ts";
import type { Preparation } from "./ways.ts";

/** What a scan, or a reduction, needs for segments. `segmentsOf` in src/plan/segments.ts makes it from the options. */
export interface PlannedSegments {
  readonly title: string;
  /** The operator that combines within segments. */
  readonly monoid: Monoid;
  /** The sources of the kernels that read items. */
  readonly kernels: SegmentSources;
  readonly needs: readonly RangeName[];
  readonly initial?: InitialBytes;
  readonly ranges: SegmentRanges;
  /** The type of the items of the range `keys`. */
  readonly key: ElementType;
  /** The type of a key of a run, if it is stored. */
  readonly uniqueType?: ElementType | undefined;
  /** Bytes for each item of the range that says where segments start, if it has a key or a flag for each. The default is 0. */
  readonly startBytes?: number;
  /** Whether the threads of a scan may hold values without heads. */
  readonly isFlat: boolean;
  /** Whether the device can bind all ranges if input and output are bound as vectors. */
  readonly fitsVectors: boolean;
  /** What its kernels bind of the caller's. */
  readonly bindings: Bindings;
  /** The passes that come before those of a plan, if there are any. */
  preparationOf(plan: Plan, tuning: Tuning): Preparation | undefined;
}

/** What a reduction by keys stores of its runs. */
export interface StoredRuns {
  readonly keys: KeySource;
  readonly unique: boolean | "first item";
  /** The one result that is wanted, if not both are. */
  readonly alone: Alone | undefined;
}

/** The segments of a scan or a reduction; of a reduction by keys, what it stores of the runs, too. */
export interface SegmentsOf {
  readonly segments: PlannedSegments;
  readonly runs?: StoredRuns | undefined;
}
