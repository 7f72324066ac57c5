import blellochFile from "../../shaders/work_group/blelloch.wgsl";
import hillisSteeleFile from "../../shaders/work_group/hillis_steele.wgsl";
import subgroupFile from "../../shaders/work_group/subgroup.wgsl";
import subgroupPlaceFile from "../../shaders/work_group/subgroup_place.wgsl";
import { ArgumentError } from "../errors.ts";
import type { SourceText } from "../types.ts";
import type { Sizes } from "./contract.ts";

/** A row of the table of in-kernel algorithms. */
interface AlgorithmRow {
  readonly files: readonly SourceText[];
  readonly subgroups: boolean;
  /** Work-group memory: elements, and bytes on top. */
  readonly elements: (sizes: Sizes) => number;
  readonly extraBytes: number;
}

/** What subgroup bodies find out about their threads. */
export const subgroupPlace: SourceText = {
  name: "shaders/work_group/subgroup_place.wgsl",
  text: subgroupPlaceFile,
};

const leaves = (size: number): number => 2 ** Math.ceil(Math.log2(size));

/** The in-kernel algorithms: one file each, same signatures. */
export const algorithms = {
  blelloch: {
    files: [{ name: "shaders/work_group/blelloch.wgsl", text: blellochFile }],
    subgroups: false,
    elements: ({ workGroupSize }) => leaves(workGroupSize) + Math.floor(leaves(workGroupSize) / 32),
    extraBytes: 0,
  },
  "hillis-steele": {
    files: [{ name: "shaders/work_group/hillis_steele.wgsl", text: hillisSteeleFile }],
    subgroups: false,
    elements: ({ workGroupSize }) => 2 * workGroupSize,
    extraBytes: 0,
  },
  subgroup: {
    files: [subgroupPlace, { name: "shaders/work_group/subgroup.wgsl", text: subgroupFile }],
    subgroups: true,
    elements: ({ workGroupSize, minSubgroupSize }) => Math.ceil(workGroupSize / minSubgroupSize) + 2,
    extraBytes: 4,
  },
} as const satisfies Record<string, AlgorithmRow>;

/** How the threads of a work-group combine their elements. */
export type Algorithm = keyof typeof algorithms;

/** Bytes of work-group memory, as WGSL sizes it: each variable rounded up to 16. */
export function workGroupMemory(algorithm: Algorithm, sizes: Sizes, elementBytes: number): number {
  const row: AlgorithmRow = algorithms[algorithm];
  return Math.ceil((row.elements(sizes) * elementBytes) / 16) * 16 + row.extraBytes;
}

/** The algorithm of that name. */
export function requireAlgorithm(name: unknown, caller: string): Algorithm {
  if (typeof name !== "string" || !Object.hasOwn(algorithms, name)) {
    throw new ArgumentError(
      `${caller}: ${String(name)} is not an algorithm; it takes ${Object.keys(algorithms).join(", ")}`,
    );
  }
  return name as Algorithm;
}
