import threadTileSubgroupFile from "../../shaders/thread_tile/subgroup.wgsl";
import blellochFile from "../../shaders/work_group/blelloch.wgsl";
import hillisSteeleFile from "../../shaders/work_group/hillis_steele.wgsl";
import subgroupFile from "../../shaders/work_group/subgroup.wgsl";
import subgroupPlaceFile from "../../shaders/work_group/subgroup_place.wgsl";
import type { Monoid } from "../operators.ts";
import type { SourceText } from "../types.ts";
import type { Algorithm } from "./algorithms.ts";
import { blellochMemory, hillisSteeleMemory, memoryOf, subgroupMemory, subgroupSlots } from "./algorithms.ts";
import type { Sizes } from "./contract.ts";
import { subgroupText } from "./subgroup_text.ts";

/**
 * How the threads of a work-group combine their elements in a kernel of yours: {@link hillisSteele},
 * {@link blelloch} or {@link subgroup}. Only what is imported is bundled.
 */
export interface WorkGroupAlgorithm {
  /** Whether a kernel needs the feature "subgroups". */
  readonly subgroups: boolean;
  /** @internal */
  memory(sizes: Sizes, elementBytes: number): number;
  /** @internal */
  sources(monoid: Monoid): readonly SourceText[];
  /** Over thread tiles, where they are not the portable ones. @internal */
  readonly tiles?: {
    memory(sizes: Sizes, elementBytes: number): number;
    sources(monoid: Monoid): readonly SourceText[];
  };
}

const blellochSource: SourceText = { name: "shaders/work_group/blelloch.wgsl", text: blellochFile };
const hillisSteeleSource: SourceText = {
  name: "shaders/work_group/hillis_steele.wgsl",
  text: hillisSteeleFile,
};
const subgroupSource: SourceText = { name: "shaders/work_group/subgroup.wgsl", text: subgroupFile };
const subgroupPlace: SourceText = {
  name: "shaders/work_group/subgroup_place.wgsl",
  text: subgroupPlaceFile,
};
const threadTileSubgroup: SourceText = {
  name: "shaders/thread_tile/subgroup.wgsl",
  text: threadTileSubgroupFile,
};

/** Hillis and Steele's: the fewest steps. Portable. */
export const hillisSteele: WorkGroupAlgorithm = {
  subgroups: false,
  memory: hillisSteeleMemory,
  sources: () => [hillisSteeleSource],
};

/** Blelloch's tree: the fewest combinations. Portable. */
export const blelloch: WorkGroupAlgorithm = {
  subgroups: false,
  memory: blellochMemory,
  sources: () => [blellochSource],
};

/** By subgroups, which needs the feature "subgroups". */
export const subgroup: WorkGroupAlgorithm = {
  subgroups: true,
  memory: subgroupMemory,
  sources: (monoid) => [subgroupText(monoid), subgroupPlace, subgroupSource],
  tiles: {
    memory: (sizes, elementBytes) => memoryOf([subgroupSlots(sizes), 1], elementBytes, 1),
    sources: (monoid) => [subgroupText(monoid), subgroupPlace, threadTileSubgroup],
  },
};

/** The algorithms, by the names that directives and commands have for them. */
export const workGroupAlgorithms = {
  blelloch,
  "hillis-steele": hillisSteele,
  subgroup,
} as const satisfies Record<Algorithm, WorkGroupAlgorithm>;
