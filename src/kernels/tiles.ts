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

/** An algorithm of tiles: the files for such threads. */
export type TileAlgorithm = (threads: NumberedThreads) => TileSources;
