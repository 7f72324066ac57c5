import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../text/source.ts";
import type { Sizes } from "./sizes.ts";

/** What the numbers of a kernel's threads depend on. */
export interface NumberedThreads {
  readonly sizes: Sizes;
  /** Whether WGSL has `subgroup_id`. */
  readonly subgroupIds: boolean;
}

/**
 * The files that a tile is scanned and reduced by, for one operator. Unlike a caller's, kernels of our own may number
 * their threads. `votes`: whether each vector's combination is 0 or 1, and the operator adds them up.
 */
export type TileSources = (monoid: Monoid, votes?: boolean) => readonly SourceText[];

/** Loops that hold no item over a barrier: each file is for the kernels that have what it replaces. See `Sizes.oneByOne`. */
export interface OneByOne {
  /** Where items are combined. */
  readonly items: readonly SourceText[];
  /** Where items are kept or left out, and those that are kept are counted. */
  readonly kept: readonly SourceText[];
}

/** An algorithm of tiles. */
export interface TileAlgorithm {
  /** The files for such threads. */
  sources(threads: NumberedThreads): TileSources;
  readonly oneByOne: OneByOne;
}
