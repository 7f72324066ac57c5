import type { AnyArray } from "../algebra/arrays.ts";
import type { IndicesOption, OptionTable } from "../options.ts";
import type { CompactOptions } from "../plan/compact.ts";
import { commonNames } from "../plan/options.ts";
import type { IntoOption } from "./call_options.ts";
import type { OptionsOf } from "./option_names.ts";
import type { BufferRange, Length, ParamsRange, PartOption, PreparedPrimitive } from "./ranges.ts";

/** What says which elements are kept: a condition, flags, or both. */
export type KeepOption<Flags> = {
  /**
   * WGSL over the element `x` and its index `i` (u32), such as `"x % 2u == 1u"`: an expression that is true, or a number that is not
   * zero, for each element to keep; or statements that end in `return` of a bool.
   */
  readonly where?: string | undefined;
  /**
   * A flag for each element. An element is kept if its flag is not zero or false, and the condition holds, if there is one. The flags are
   * read during the call: do not change them before it ends.
   */
  readonly flags?: Flags | undefined;
} & (
  | {
      /** The condition: one of the two is needed. */
      readonly where: string;
    }
  | {
      /** The flags: one of the two is needed. */
      readonly flags: Flags;
    }
);

/** Where a compaction reads and writes. */
export interface CompactRanges extends PartOption, ParamsRange {
  /** Not needed by positions with `flags`, which do not read the items. */
  readonly input?: BufferRange;
  /** Receives the kept items, or their positions. It has room for as many as the input has. */
  readonly output: BufferRange;
  /** Receives the number of kept items, a u32. */
  readonly count: BufferRange;
  /** For plans prepared with `indirect`: a buffer that receives the arguments of the indirect call. */
  readonly indirect?: BufferRange;
  /** The number of items. */
  readonly length: Length;
}

/** Where a compaction by flags reads and writes. */
export interface FlaggedRanges extends CompactRanges {
  /** A u32 for each item. An item is kept if its flag is not zero. */
  readonly flags: BufferRange;
}

/** A compaction, compiled and with its scratch allocated. */
export interface CompactOf<Ranges extends CompactRanges> extends PreparedPrimitive<Ranges> {
  /**
   * Records the compaction of `length` items, as {@link PreparedScan.record} does. `output` must have room for all of
   * them. `count` (one u32) receives the number of kept items. Items of `output` after the kept ones keep their
   * values.
   *
   * Ranges may share buffers. But `count` must be in another buffer than `output` if the compaction is in place, if
   * `flags` or `length` are in the output's buffer, or if an input with items of another size is.
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges): void;
  /** As {@link PreparedScan.settled}. */
  readonly settled: Promise<void>;
}

/** A compaction that was prepared with `where`. */
export interface PreparedCompact extends CompactOf<CompactRanges> {}

/** A compaction that was prepared without `where`, or with `flags` beside it: its ranges have `flags`. */
export interface FlaggedCompact extends CompactOf<FlaggedRanges> {}

/** A compaction that may take flags. */
export interface EitherCompact extends CompactOf<CompactRanges & Partial<FlaggedRanges>> {}

/** The options of a compaction. */
export const compact = {
  name: "compact",
  options: { where: true, indices: "boolean", ...commonNames } satisfies OptionTable<
    Record<keyof typeof commonNames | "where", unknown> & IndicesOption
  >,
  callOptions: { flags: true, into: true } satisfies OptionTable<
    Record<"flags", unknown> & IntoOption<AnyArray>
  >,
  planOptions: { flags: "boolean", indirect: true, soon: "boolean" } satisfies OptionTable<
    Pick<CompactOptions, "flags" | "indirect" | "soon">
  >,
} as const satisfies OptionsOf;
