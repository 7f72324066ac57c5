import type { Operator } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Algorithm } from "../kernels/algorithms.ts";

/** How a primitive is carried out. What is left out is chosen for the device. */
export interface TuningOptions {
  /** How the threads of a work-group combine their elements. `subgroup` needs the feature "subgroups". */
  readonly algorithm?: Algorithm;
  /** Threads in a work-group: 1 to the device's limit. */
  readonly workGroupSize?: number;
  /** Consecutive items that one thread takes: 1 to 64. Their product with workGroupSize is at least 2. */
  readonly itemsPerThread?: number;
  /**
   * How many times the data is read: `single`, once, where each tile looks back at what those before it
   * handed on; or `reduce-then-scan`, twice. Ranges that share a buffer take the latter in any case.
   */
  readonly passes?: Passes;
}

/** Their names. */
export const tuningNames = {
  algorithm: true,
  workGroupSize: true,
  itemsPerThread: true,
  passes: true,
} as const satisfies Record<keyof TuningOptions, true>;

/** How many times a scan or a compaction reads its data. */
export type Passes = "single" | "reduce-then-scan";

/** What the caller chooses, the length, and the type of the items that go in. */
export type Chosen = TuningOptions & { readonly maxLength: unknown; readonly from?: ElementType };

/** Options whose operator may be any: whether it takes the type is checked when they are planned. */
export type AnyOperator<Options extends { readonly op?: unknown }> = Omit<Options, "op"> & {
  readonly op?: Operator;
};
