import portableFile from "../../shaders/device/portable.wgsl";
import subgroupDeviceFile from "../../shaders/device/subgroup.wgsl";
import subgroupByCountFile from "../../shaders/device/subgroup_by_count.wgsl";
import subgroupByIdFile from "../../shaders/device/subgroup_by_id.wgsl";
import subgroupCountFile from "../../shaders/device/subgroup_count.wgsl";
import subgroupRowsFile from "../../shaders/device/subgroup_rows.wgsl";
import subgroupVotesFile from "../../shaders/device/subgroup_votes.wgsl";
import blellochFile from "../../shaders/work_group/blelloch.wgsl";
import hillisSteeleFile from "../../shaders/work_group/hillis_steele.wgsl";
import subgroupFile from "../../shaders/work_group/subgroup.wgsl";
import subgroupPlaceFile from "../../shaders/work_group/subgroup_place.wgsl";
import { ArgumentError } from "../errors.ts";
import type { SourceText } from "../types.ts";
import type { Sizes } from "./contract.ts";

/** What makes the bodies of kernels of our own differ. */
export interface DeviceBody {
  /** Whether the language has `subgroup_id`. */
  readonly subgroupIds: boolean;
  /** Whether each vector's combination is 0 or 1, and the operator adds them up. */
  readonly votes: boolean;
}

/** A row of the table of in-kernel algorithms. */
interface AlgorithmRow {
  readonly files: readonly SourceText[];
  /** The same for kernels of our own, which may number their threads. */
  readonly deviceFiles: (has: DeviceBody) => readonly SourceText[];
  readonly subgroups: boolean;
  /** Work-group memory: the elements of each variable, and how many more variables are a word. */
  readonly elements: (sizes: Sizes) => readonly number[];
  readonly words: number;
  /** The same for kernels of our own. */
  readonly deviceElements: (sizes: Sizes) => readonly number[];
}

/** What subgroup bodies find out about their threads. */
export const subgroupPlace: SourceText = {
  name: "shaders/work_group/subgroup_place.wgsl",
  text: subgroupPlaceFile,
};

/** Places for the subgroups' totals. */
export const subgroupSlots = ({ workGroupSize, minSubgroupSize }: Sizes): number =>
  Math.ceil(workGroupSize / minSubgroupSize);

const leaves = (size: number): number => 2 ** Math.ceil(Math.log2(size));

const blelloch: SourceText = { name: "shaders/work_group/blelloch.wgsl", text: blellochFile };
const hillisSteele: SourceText = { name: "shaders/work_group/hillis_steele.wgsl", text: hillisSteeleFile };
const device = (name: string, text: string): SourceText => ({ name: `shaders/device/${name}`, text });
const portable = device("portable.wgsl", portableFile);
const subgroupDevice = device("subgroup.wgsl", subgroupDeviceFile);
const subgroupCount = device("subgroup_count.wgsl", subgroupCountFile);
const subgroupById = device("subgroup_by_id.wgsl", subgroupByIdFile);
const subgroupByCount = device("subgroup_by_count.wgsl", subgroupByCountFile);
const subgroupRows = device("subgroup_rows.wgsl", subgroupRowsFile);
const subgroupVotes = device("subgroup_votes.wgsl", subgroupVotesFile);

const leafElements = ({ workGroupSize }: Sizes): number[] => [
  leaves(workGroupSize) + Math.floor(leaves(workGroupSize) / 32),
];
const twoElements = ({ workGroupSize }: Sizes): number[] => [2 * workGroupSize];

/** The in-kernel algorithms: one file each, same signatures. */
export const algorithms = {
  blelloch: {
    files: [blelloch],
    deviceFiles: () => [blelloch, portable],
    subgroups: false,
    elements: leafElements,
    deviceElements: leafElements,
    words: 0,
  },
  "hillis-steele": {
    files: [hillisSteele],
    deviceFiles: () => [hillisSteele, portable],
    subgroups: false,
    elements: twoElements,
    deviceElements: twoElements,
    words: 0,
  },
  subgroup: {
    files: [subgroupPlace, { name: "shaders/work_group/subgroup.wgsl", text: subgroupFile }],
    deviceFiles: ({ subgroupIds, votes }) => [
      subgroupCount,
      subgroupIds ? subgroupById : subgroupByCount,
      votes ? subgroupVotes : subgroupRows,
      subgroupDevice,
    ],
    subgroups: true,
    elements: (sizes) => [subgroupSlots(sizes) + 1, 1],
    deviceElements: (sizes) => [subgroupSlots(sizes)],
    words: 1,
  },
} as const satisfies Record<string, AlgorithmRow>;

/** How the threads of a work-group combine their elements. */
export type Algorithm = keyof typeof algorithms;

/** Bytes of work-group memory, as WebGPU counts them: each variable is rounded up to 16. */
export const memoryOf = (elements: readonly number[], elementBytes: number, words: number): number =>
  elements.reduce((bytes, count) => bytes + Math.ceil((count * elementBytes) / 16) * 16, 16 * words);

/** Bytes of work-group memory that an algorithm uses, in a kernel of the caller's or of our own. */
export function workGroupMemory(
  algorithm: Algorithm,
  sizes: Sizes,
  elementBytes: number,
  kernel: "caller's" | "own" = "caller's",
): number {
  const row: AlgorithmRow = algorithms[algorithm];
  const elements = kernel === "own" ? row.deviceElements(sizes) : row.elements(sizes);
  return memoryOf(elements, elementBytes, row.words);
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
