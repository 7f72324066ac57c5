import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../text/source.ts";
import type { Sizes } from "./sizes.ts";

/** The facts that decide how a kernel's threads are numbered. */
export interface NumberedThreads {
  readonly sizes: Sizes;
  /** Whether WGSL has `subgroup_id`. */
  readonly subgroupIds: boolean;
}

/** What a kernel's tiles are like. */
export interface TileTraits {
  /** Whether each vector's combination is 0 or 1, and the operator adds these up. */
  readonly votes?: boolean;
  /** Whether vectors have one item each, so that a tile has many rows. */
  readonly oneItem?: boolean;
  /** Whether a work-group reduces several tiles to one total, in any order. */
  readonly strides?: boolean;
  /** Whether tiles wait for each other's totals, so that these come as early as possible. */
  readonly isAwaited?: boolean;
  /** Whether the kernel moves the items that it keeps to their places. */
  readonly moves?: boolean;
  /** Whether the kernel itself has `total_of_tile`, the total of any tile. */
  readonly hasTotal?: boolean;
  /** Whether the next lane hands on an inclusive prefix: `shifted` of a grouping. Vectors have one item. */
  readonly isShifted?: boolean;
}

/**
 * Gives the files that scan and reduce a tile, for one operator. Device-wide kernels may number their threads, which a
 * caller's kernel does itself.
 */
export type TileSources = (monoid: Monoid, traits?: TileTraits) => readonly SourceText[];

/** An algorithm of tiles: it gives the files for threads that are numbered in this way. */
export type TileAlgorithm = (threads: NumberedThreads) => TileSources;
