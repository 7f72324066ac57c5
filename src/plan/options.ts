import type { Operator } from "../algebra/monoid.ts";
import type { ParamTypes } from "../algebra/params.ts";
import type { SegmentsByAxis } from "../algebra/segments.ts";
import type { ElementType } from "../algebra/types.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import type { OptionTable } from "../options.ts";

/** How a primitive is carried out. Wavefold chooses for the device what you leave out. */
export interface TuningOptions {
  /** How the threads of a work-group combine their elements. `subgroup` needs the feature "subgroups". */
  readonly algorithm?: Algorithm;
  /** Threads in a work-group: from 1 to the device's limit. */
  readonly workGroupSize?: number;
  /** Consecutive items that one thread takes: 1 to 64. The product with `workGroupSize` must be at least 2. */
  readonly itemsPerThread?: number;
  /**
   * How many times the data is read. `single` reads it once, and each tile looks back at the totals that the tiles before
   * it handed on. `reduce-then-scan` reads it twice. Ranges that share a buffer are read twice, except in a scan in place without
   * segments that starts at a vector. A reduction always reads its data once: `single` takes one dispatch for up to as many tiles as a
   * tile has items (2048 at most) if the range starts at a vector, and `reduce-then-scan` takes one for each level of totals.
   */
  readonly passes?: Passes;
}

/** The names of {@link TuningOptions}. */
export const tuningNames = {
  algorithm: true,
  workGroupSize: "count",
  itemsPerThread: "count",
  passes: true,
} as const satisfies OptionTable<TuningOptions>;

/** The names of the options that every call takes: {@link TuningOptions}, the types, and the map. */
export const commonNames = {
  type: true,
  from: true,
  map: true,
  params: "params",
  ...tuningNames,
} as const satisfies OptionTable<TuningOptions & Record<"type" | "from" | "map" | "params", unknown>>;

/** The option `params` of plans. */
export interface ParamsOption {
  /**
   * The types of values that the WGSL of the other options names, by their names, such as `{ limit: f32 }` for `"x > limit"`. Each recording gives the
   * values, which need no new kernel. A type is a scalar, `vec2`, `vec3` or `vec4` of one, a struct, or `fixedArray` of what has 16 bytes
   * or a multiple.
   */
  readonly params?: ParamTypes | undefined;
}

/** The option `soon` of plans that wait for kernels which a driver takes long to compile. */
export interface SoonOption {
  /**
   * Whether `prepare…` resolves as soon as any kernels are there: two passes of kernels that compile quickly. `record` takes the plan's own
   * kernels once they are compiled, and then the plan's `settled` resolves. Sums and products of floats change their order then,
   * and may change their last bits. The default is false: a program that times its recordings, or compares their bits, would have two
   * plans. Both have scratch until the plan is destroyed. Plans with `segments` do not take it.
   */
  readonly soon?: boolean;
}

/** The ends of a prepared scan. A prepared reduction has the first one. */
export interface EndOptions {
  /** Whether recordings take a value that comes before the first item. */
  readonly initial?: boolean;
  /** Whether recordings take a range for the combination of all items, the initial value included. */
  readonly total?: boolean;
}

/**
 * The kind of segments. Each recording says where they start: `rows` is a number, the items of a row; `heads` a u32 for each
 * item, or a bit for each item with `headBits`; `offsets` the position where each segment starts, and where the last one
 * ends; with `begins`, `begins` and `ends` are where each segment begins and ends, and items between two segments are in none; `keys` a key for each item: a segment is a run of equal keys. With `columns`, the number of columns, the items are
 * the rows of a matrix one after another, and each column is a segment; such plans take no `algorithm` and no single pass. A shape and an axis
 * are fixed in the plan, all but the product of the dimensions before the axis, or the first axis itself: the length of a recording says what that is.
 */
export type SegmentsBy =
  | "rows"
  | "columns"
  | "offsets"
  | "begins"
  | "heads"
  | "headBits"
  | SegmentsByAxis
  | {
      /**
       * The type of the range `keys`. Two keys are equal if they have the same bits, or are both NaN. The bits between a struct's
       * fields do not count.
       */
      readonly keys: ElementType;
      /** WGSL over an item `x` of the range `keys` that gives its key, such as `"x.cell"`. Without it, the items are the keys. */
      readonly key?: string;
      /** The type of the key. It is needed unless `key` is a field of a struct or a scalar in one, or the key has the type of the range. */
      readonly keyType?: ElementType;
      /** For a reduction: whether recordings take a range for the key of each run. */
      readonly unique?: boolean;
    };

/** Segments of a prepared scan or reduction. */
export interface SegmentOptions {
  /** Combines each segment on its own. An initial value comes before the first element of each. */
  readonly segments?: SegmentsBy;
}

/** How many times a scan or a compaction reads its data. */
export type Passes = "single" | "reduce-then-scan";

/** The caller's choices, the length, the type of the input's items, and their order: what a row of sizes may depend on. */
export type Chosen = TuningOptions & {
  readonly maxLength: unknown;
  readonly from?: ElementType;
  readonly reverse?: unknown;
};

/** The same options with any operator. The planner checks whether the operator takes the type. */
export type AnyOperator<Options extends { readonly op?: unknown }> = Omit<Options, "op"> & {
  readonly op?: Operator;
};
