import type { Domain } from "../algebra/types.ts";
import type { Algorithm } from "../kernels/algorithms.ts";

/** The primitives, each of which is tuned on its own. */
export type ScanPrimitive = "scan" | "reduce" | "compact";

/**
 * What a row is for. Reductions of segments are `totals`, which a scan computes, or `offsets`, which have a kernel of their own. `runs`
 * are run lengths, and `parts` are partitions whose rest has a range of its own: the kernels of both do nearly what a compaction's do.
 */
export type Tuned = ScanPrimitive | "totals" | "offsets" | "runs" | "parts";

/**
 * What an adapter is tuned for. Sorts and histograms have tables of their own, with more columns than rows have. "sort" is of keys alone,
 * and "pairs" of keys with which something moves.
 */
export type TunedPrimitive = ScanPrimitive | "sort" | "pairs" | "histogram";

/** A row of a table of algorithms and sizes. */
export interface TuningRow {
  /** The most bytes of an element that the row is for. */
  readonly elementBytes: number;
  /** Whether the row is for operations of hundreds of instructions, as f64 has them. */
  readonly long?: boolean;
  /** The greatest length that the row is for, in items. The default is any length. */
  readonly maxLength?: number;
  readonly algorithm: Algorithm;
  readonly workGroupSize: number;
  readonly items: number;
  /** In a row of a single pass: whether the single pass is the faster way, and so the default. */
  readonly isDefault?: boolean;
}

/**
 * The row for elements and a length among those that were measured on the adapter itself; undefined if none fits. It takes
 * whether the data is read twice, and the algorithms that are loaded.
 */
export type TunedRow = (
  readsTwice: boolean,
  primitive: Tuned | TunedPrimitive,
  elements: Pick<Domain, "elementBytes" | "long">,
  maxLength: unknown,
  loaded: Partial<Record<Algorithm, unknown>>,
) => TuningRow | undefined;
