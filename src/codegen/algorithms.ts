import { ArgumentError } from "../errors.ts";
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

/** The algorithms, by name. */
export const algorithms = {
  blelloch: { subgroups: false, memory: blellochMemory },
  "hillis-steele": { subgroups: false, memory: hillisSteeleMemory },
  subgroup: { subgroups: true, memory: subgroupMemory },
} as const satisfies Record<string, { readonly subgroups: boolean; readonly memory: Memory }>;

/** How the threads of a work-group combine their elements. */
export type Algorithm = keyof typeof algorithms;

/** The algorithm of that name. */
export function requireAlgorithm(name: unknown, caller: string): Algorithm {
  if (typeof name !== "string" || !Object.hasOwn(algorithms, name)) {
    throw new ArgumentError(
      `${caller}: ${String(name)} is not an algorithm; it takes ${Object.keys(algorithms).join(", ")}`,
    );
  }
  return name as Algorithm;
}
