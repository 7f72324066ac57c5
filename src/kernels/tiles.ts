import type { Monoid } from "../algebra/operators.ts";
import { loadBlelloch, loadHillisSteele, loadOneByOne, loadSubgroup } from "../later.ts";
import type { SourceText } from "../text/source.ts";
import type { Algorithm } from "./algorithms.ts";
import { algorithms } from "./algorithms.ts";
import type { Sizes } from "./contract.ts";

/**
 * What a kernel's algorithm is linked with. Unlike a caller's, kernels of our own may number their threads.
 * `votes`: whether each vector's combination is 0 or 1, and the operator adds them up.
 */
export type AlgorithmSources = (monoid: Monoid, votes?: boolean) => readonly SourceText[];

/** What the numbers of a kernel's threads depend on. */
export interface NumberedThreads {
  readonly sizes: Sizes;
  /** Whether WGSL has `subgroup_id`. */
  readonly subgroupIds: boolean;
}

/** Nobody needs more than one of the algorithms on a device: each is loaded where a plan takes it. */
const algorithmSources = {
  blelloch: loadBlelloch,
  "hillis-steele": loadHillisSteele,
  subgroup: loadSubgroup,
} satisfies Record<
  Algorithm,
  () => Promise<{ readonly sourcesOf: (threads: NumberedThreads) => AlgorithmSources }>
>;

/** A tuning with its algorithm's sources; with none, where no kernel takes them. */
export async function withSources<Tuning extends NumberedThreads & { readonly algorithm: Algorithm }>(
  tuning: Tuning,
  areTaken = true,
): Promise<Tuning & { readonly sources: AlgorithmSources; readonly instead: readonly SourceText[] }> {
  return {
    ...tuning,
    // By subgroups, a thread's items are not consecutive.
    instead:
      areTaken && tuning.sizes.oneByOne && !algorithms[tuning.algorithm].subgroups
        ? (await loadOneByOne()).instead
        : [],
    sources: areTaken ? (await algorithmSources[tuning.algorithm]()).sourcesOf(tuning) : () => [],
  };
}
