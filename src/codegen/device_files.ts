import {
  loadBlelloch,
  loadHillisSteele,
  loadPortable,
  loadSubgroupFiles,
  loadSubgroupText,
} from "../later.ts";
import type { Monoid } from "../operators.ts";
import type { SourceText } from "../types.ts";
import type { Algorithm } from "./algorithms.ts";

/**
 * What a kernel's algorithm is linked with. Unlike a caller's, kernels of our own may number their threads.
 * `votes`: whether each vector's combination is 0 or 1, and the operator adds them up.
 */
export type AlgorithmSources = (monoid: Monoid, votes?: boolean) => readonly SourceText[];

/** A file of shaders/, loaded when it is asked for. */
export const load = async (
  name: string,
  module: Promise<{ readonly default: string }>,
): Promise<SourceText> => ({ name: `shaders/${name}`, text: (await module).default });

const portable = (): Promise<SourceText> => load("device/portable.wgsl", loadPortable());

/** Nobody needs more than one of the algorithms on a device: each is loaded where a plan takes it. */
const algorithmSources: Record<Algorithm, (subgroupIds: boolean) => Promise<AlgorithmSources>> = {
  async blelloch() {
    const sources = await Promise.all([load("work_group/blelloch.wgsl", loadBlelloch()), portable()]);
    return () => sources;
  },
  async "hillis-steele"() {
    const sources = await Promise.all([
      load("work_group/hillis_steele.wgsl", loadHillisSteele()),
      portable(),
    ]);
    return () => sources;
  },
  async subgroup(subgroupIds) {
    const [{ subgroupText }, { subgroupFiles }] = await Promise.all([
      loadSubgroupText(),
      loadSubgroupFiles(),
    ]);
    return (monoid, votes = false) => [subgroupText(monoid), ...subgroupFiles({ subgroupIds, votes })];
  },
};

/** A tuning with its algorithm's sources; with none, where no kernel takes them. */
export async function withSources<
  Tuning extends { readonly algorithm: Algorithm; readonly subgroupIds: boolean },
>(tuning: Tuning, areTaken = true): Promise<Tuning & { readonly sources: AlgorithmSources }> {
  return {
    ...tuning,
    sources: areTaken ? await algorithmSources[tuning.algorithm](tuning.subgroupIds) : () => [],
  };
}
