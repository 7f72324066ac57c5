import threadTileSubgroupFile from "#shaders/thread_tile/subgroup.wgsl";
import blellochFile from "#shaders/work_group/blelloch.wgsl";
import hillisSteeleFile from "#shaders/work_group/hillis_steele.wgsl";
import hillisSteeleReduceFile from "#shaders/work_group/hillis_steele_reduce.wgsl";
import hillisSteeleUniformFile from "#shaders/work_group/hillis_steele_uniform.wgsl";
import subgroupFile from "#shaders/work_group/subgroup.wgsl";
import subgroupPlaceFile from "#shaders/work_group/subgroup_place.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import { ArgumentError, refuse, refuseOthers, shown } from "../errors.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import {
  blellochMemory,
  blellochPlaces,
  hillisSteeleMemory,
  memoryOf,
  subgroupMemory,
  subgroupSlots,
} from "../kernels/algorithms.ts";
import { subgroupSources } from "../kernels/subgroup_sources.ts";
import { assemble, resolved } from "../text/module.ts";

/** The parts of an algorithm, for a scan or for a reduction. */
export interface AlgorithmBody {
  /** Bytes of work-group memory. */
  memory(workGroupSize: number, elementBytes: number): number;
  texts(monoid: Monoid): readonly string[];
  /** The words of the texts to replace, beside those of the contract. */
  words?(workGroupSize: number): Readonly<Record<string, string>>;
  /** The size of a thread tile as a part of names, such as `8_`. */
  readonly tile?: string;
}

/**
 * How the threads of a work-group combine their elements in a kernel of yours: {@link hillisSteele},
 * {@link blelloch} or {@link subgroup}. A bundle holds only the algorithms that you import.
 */
export interface WorkGroupAlgorithm {
  /** Whether a kernel needs the feature "subgroups". */
  readonly subgroups: boolean;
  /** @internal */
  readonly scan: AlgorithmBody;
  /** Scans with a total that is uniform. @internal */
  readonly uniform: AlgorithmBody;
  /** @internal */
  readonly reduce: AlgorithmBody;
  /** For thread tiles. The default is the portable ones. @internal */
  readonly tiles?: AlgorithmBody;
}

/** The default of scans. It has nothing that only reductions take. */
export const hillisSteeleScan: AlgorithmBody = {
  memory: hillisSteeleMemory,
  texts: () => [hillisSteeleFile.text],
};
/** The default of reductions. */
export const hillisSteeleReduce: AlgorithmBody = {
  memory: (workGroupSize, elementBytes) => hillisSteeleMemory(workGroupSize, elementBytes, 1),
  texts: () => [hillisSteeleReduceFile.text],
};
/** The default of scans with a uniform total. */
export const hillisSteeleUniform: AlgorithmBody = {
  memory: hillisSteeleMemory,
  texts: () => [hillisSteeleFile.text, hillisSteeleUniformFile.text],
};

/** The algorithm of Hillis and Steele. It takes the fewest steps, and runs on every adapter. */
export const hillisSteele: WorkGroupAlgorithm = {
  subgroups: false,
  scan: hillisSteeleScan,
  uniform: hillisSteeleUniform,
  reduce: hillisSteeleReduce,
};

const blellochBody: AlgorithmBody = {
  memory: blellochMemory,
  texts: () => [blellochFile.text],
  words: (workGroupSize) =>
    Object.fromEntries(
      Object.entries(blellochPlaces(workGroupSize)).map(([name, value]) => [name, `${value}u`]),
    ),
};

/** Blelloch's algorithm, a tree. It takes the fewest combinations, and runs on every adapter. */
export const blelloch: WorkGroupAlgorithm = {
  subgroups: false,
  scan: blellochBody,
  uniform: blellochBody,
  reduce: blellochBody,
};

/** The functions of a subgroup for an operator's elements, as one text. */
function subgroupTextOf(monoid: Monoid): string {
  const { directives, declarations } = resolved(subgroupSources(monoid));
  return assemble(directives, declarations);
}

/** Sizes that subgroups have, on some adapter. */
const SUBGROUP_SIZES: readonly number[] = [4, 8, 16, 32, 64, 128];

/**
 * The algorithm {@link subgroup} for subgroup sizes that you know. It takes less work-group memory and fewer steps. If an
 * adapter's subgroups have another size after all, the results are the same, but slower.
 *
 * @throws {ArgumentError} when a size is none, or `minSize` is more than `maxSize`.
 *
 * @example
 * ```ts
 * const scan = workGroupScan({ type: u32, workGroupSize: 256, algorithm: subgroupOf({ minSize: 32, maxSize: 32 }) });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = work_group_scan_exclusive_add_u32(x, local_index);
 * ```
 */
export function subgroupOf(
  options: {
    /** The least subgroup size, which an adapter may report too high. The default is 4, which is right everywhere. */
    readonly minSize?: number;
    /** The greatest subgroup size. The default is 128. */
    readonly maxSize?: number;
  } = {},
): WorkGroupAlgorithm {
  const { minSize = 4, maxSize = 128, ...others }: typeof options = Object(options);
  refuseOthers("subgroupOf", others, "minSize, maxSize");
  for (const [name, size] of Object.entries({ minSize, maxSize })) {
    if (!SUBGROUP_SIZES.includes(size)) {
      refuse("subgroupOf", name, shown(size), "4, 8, 16, 32, 64 or 128");
    }
  }
  if (maxSize < minSize) {
    throw new ArgumentError(
      `subgroupOf: maxSize is ${maxSize}, and minSize is ${minSize}; it takes at least as much`,
      "maxSize",
    );
  }
  const sizesOf = (workGroupSize: number) => ({ workGroupSize, minSubgroupSize: minSize });
  const words = (workGroupSize: number) => ({
    MIN_SUBGROUP_SIZE: `${minSize}u`,
    MAX_SUBGROUP_SIZE: `${maxSize}u`,
    SUBGROUP_SLOTS: `${subgroupSlots(sizesOf(workGroupSize))}u`,
  });
  const body: AlgorithmBody = {
    words,
    memory: (threads, elementBytes) => subgroupMemory(sizesOf(threads), elementBytes),
    texts: (monoid) => [subgroupTextOf(monoid), subgroupPlaceFile.text, subgroupFile.text],
  };
  return {
    subgroups: true,
    scan: body,
    uniform: body,
    reduce: body,
    tiles: {
      words,
      memory: (threads, elementBytes) => memoryOf([subgroupSlots(sizesOf(threads)), 1], elementBytes, 1),
      texts: (monoid) => [subgroupTextOf(monoid), subgroupPlaceFile.text, threadTileSubgroupFile.text],
    },
  };
}

/** An algorithm by subgroups. It needs the feature "subgroups". */
export const subgroup: WorkGroupAlgorithm = /* @__PURE__ */ subgroupOf();

/** The algorithms, by the names that directives and commands have for them. */
export const workGroupAlgorithms = {
  blelloch,
  "hillis-steele": hillisSteele,
  subgroup,
} as const satisfies Record<Algorithm, WorkGroupAlgorithm>;
