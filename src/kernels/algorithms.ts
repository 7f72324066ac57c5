import { powerOfTwoFor } from "../algebra/power_of_two.ts";
import { refuse, shown } from "../errors.ts";
import type { Sizes } from "./sizes.ts";

type SubgroupSizes = Pick<Sizes, "workGroupSize" | "minSubgroupSize">;

/** How many places in work-group memory the subgroups' totals take. */
export const subgroupSlots = ({ workGroupSize, minSubgroupSize }: SubgroupSizes): number =>
  Math.ceil(workGroupSize / minSubgroupSize);

/** Whether all subgroups are full, for each subgroup size that the adapter may choose. */
export const hasFullSubgroups = ({
  workGroupSize,
  maxSubgroupSize,
}: Pick<Sizes, "workGroupSize" | "maxSubgroupSize">): boolean => workGroupSize % maxSubgroupSize === 0;

/** The most rows of a tile that subgroups scan together. It is one if a subgroup may lack lanes. */
export const mostRows = (
  sizes: Pick<Sizes, "workGroupSize" | "minSubgroupSize" | "maxSubgroupSize">,
): number => (hasFullSubgroups(sizes) ? Math.min(8, sizes.minSubgroupSize) : 1);

/** How many rows are scanned together: a power of two, up to `most`, that divides the number of rows. */
export const rowsTogether = (rows: number, most: number): number => Math.min(most, rows & -rows);

/** Bytes of work-group memory, as WebGPU counts them: each variable is rounded up to 16. */
export const memoryOf = (elements: readonly number[], elementBytes: number, words: number): number =>
  elements.reduce((bytes, count) => bytes + Math.ceil((count * elementBytes) / 16) * 16, 16 * words);

/** Bytes of work-group memory that an algorithm uses. */
type Memory = (sizes: Sizes, elementBytes: number) => number;

/** How many places in work-group memory elements take if one place in 33 is not used, so that strides of powers of two hit all banks. */
export const withGaps = (elements: number): number => elements + Math.floor(elements / 32);

/** The leaves of Blelloch's tree, and the places that the tree takes, by their names in shaders. */
export function blellochPlaces(workGroupSize: number): { BLELLOCH_LEAVES: number; BLELLOCH_PLACES: number } {
  const leaves = powerOfTwoFor(workGroupSize);
  return { BLELLOCH_LEAVES: leaves, BLELLOCH_PLACES: withGaps(leaves) };
}

export const blellochMemory = (workGroupSize: number, elementBytes: number): number =>
  memoryOf([blellochPlaces(workGroupSize).BLELLOCH_PLACES], elementBytes, 0);
/** Bytes for `each` elements a thread, rounded up to 16. A scan takes two elements, a reduction one. */
export const hillisSteeleMemory = (workGroupSize: number, elementBytes: number, each = 2): number =>
  Math.ceil((workGroupSize * elementBytes * each) / 16) * 16;
export const subgroupMemory = (sizes: SubgroupSizes, elementBytes: number): number =>
  memoryOf([subgroupSlots(sizes) + 1, 1], elementBytes, 1);
/** The memory of subgroups in device-wide kernels, which number their threads. */
const numberedSubgroupMemory: Memory = (sizes, elementBytes) =>
  memoryOf([subgroupSlots(sizes)], elementBytes, 1) +
  (hasFullSubgroups(sizes) ? 0 : memoryOf([subgroupSlots(sizes)], 4, 0));
const bySize =
  (memory: (workGroupSize: number, elementBytes: number) => number): Memory =>
  ({ workGroupSize }, elementBytes) =>
    memory(workGroupSize, elementBytes);

/** The algorithms of device-wide kernels, by name. */
export const algorithms = {
  blelloch: { subgroups: false, memory: /* @__PURE__ */ bySize(blellochMemory) },
  "hillis-steele": { subgroups: false, memory: /* @__PURE__ */ bySize(hillisSteeleMemory) },
  subgroup: { subgroups: true, memory: numberedSubgroupMemory },
} as const satisfies Record<string, { readonly subgroups: boolean; readonly memory: Memory }>;

/** How the threads of a work-group combine their elements. */
export type Algorithm = keyof typeof algorithms;

/** How a work-group takes a tile. */
export interface TileShape {
  readonly algorithm: Algorithm;
  readonly sizes: Sizes;
}

/** The algorithm of that name. */
export function requireAlgorithm(name: unknown, caller: string): Algorithm {
  if (typeof name !== "string" || !Object.hasOwn(algorithms, name)) {
    refuse(caller, "algorithm", shown(name), Object.keys(algorithms).join(", "));
  }
  return name as Algorithm;
}
