import type { Sizes } from "./contract.ts";

/** Places for the subgroups' totals. */
export const subgroupSlots = ({ workGroupSize, minSubgroupSize }: Sizes): number =>
  Math.ceil(workGroupSize / minSubgroupSize);

/** Bytes of work-group memory, as WebGPU counts them: each variable is rounded up to 16. */
export const memoryOf = (elements: readonly number[], elementBytes: number, words: number): number =>
  elements.reduce((bytes, count) => bytes + Math.ceil((count * elementBytes) / 16) * 16, 16 * words);

/** Bytes of work-group memory that an algorithm uses. */
type Memory = (sizes: Sizes, elementBytes: number) => number;

export const blellochMemory: Memory = ({ workGroupSize }, elementBytes) => {
  const leaves = 2 ** Math.ceil(Math.log2(workGroupSize));
  return memoryOf([leaves + Math.floor(leaves / 32)], elementBytes, 0);
};
export const hillisSteeleMemory: Memory = ({ workGroupSize }, elementBytes) =>
  memoryOf([2 * workGroupSize], elementBytes, 0);
export const subgroupMemory: Memory = (sizes, elementBytes) =>
  memoryOf([subgroupSlots(sizes) + 1, 1], elementBytes, 1);
/** The same for kernels of our own, whose threads are numbered. */
const numberedSubgroupMemory: Memory = (sizes, elementBytes) =>
  memoryOf([subgroupSlots(sizes)], elementBytes, 1);

/** The algorithms of kernels of our own, by name. */
export const algorithms = {
  blelloch: { subgroups: false, memory: blellochMemory },
  "hillis-steele": { subgroups: false, memory: hillisSteeleMemory },
  subgroup: { subgroups: true, memory: numberedSubgroupMemory },
} as const satisfies Record<string, { readonly subgroups: boolean; readonly memory: Memory }>;

/** How the threads of a work-group combine their elements. */
export type Algorithm = keyof typeof algorithms;
