import faultsNoneFile from "../../shaders/device/faults_none.wgsl";
import spineEntriesFile from "../../shaders/device/spine_entries.wgsl";
import tileByNumberFile from "../../shaders/device/tile_by_number.wgsl";
import tileByTicketFile from "../../shaders/device/tile_by_ticket.wgsl";
import type { Monoid } from "../operators.ts";
import type { SourceText } from "../types.ts";
import { algorithms, memoryOf, subgroupSlots } from "./algorithms.ts";
import { elementWords } from "./contract.ts";
import type { KernelOptions } from "./kernels.ts";
import { MOST_FAN_OUT } from "./kernels.ts";
import { generated } from "./module.ts";
import { regrouped } from "./words.ts";

const faultsNone: SourceText = { name: "shaders/device/faults_none.wgsl", text: faultsNoneFile };
const spineEntries: SourceText = {
  name: "shaders/device/spine_entries.wgsl",
  text: spineEntriesFile,
};
const tileByNumber: SourceText = {
  name: "shaders/device/tile_by_number.wgsl",
  text: tileByNumberFile,
};
const tileByTicket: SourceText = {
  name: "shaders/device/tile_by_ticket.wgsl",
  text: tileByTicketFile,
};

/** How a single pass looks back, which its spine is sized by. */
export interface LookBackShape {
  /** Whether one subgroup does it; else the work-group's threads together. */
  readonly bySubgroup: boolean;
  /** Tiles of a group. */
  readonly fanOut: number;
}

/** Subgroups look back where all of them are full, and more than one. */
export function lookBackShape({
  algorithm,
  sizes,
}: Pick<KernelOptions, "algorithm" | "sizes">): LookBackShape {
  const { workGroupSize, minSubgroupSize, maxSubgroupSize } = sizes;
  const allFull = workGroupSize % maxSubgroupSize === 0 && workGroupSize > maxSubgroupSize;
  if (algorithms[algorithm].subgroups && allFull) {
    return { bySubgroup: true, fanOut: Math.min(32, minSubgroupSize) };
  }
  return { bySubgroup: false, fanOut: Math.min(MOST_FAN_OUT, 2 ** Math.floor(Math.log2(workGroupSize / 2))) };
}

/** Groups that subgroups look back through, at once and in all: as look_back_subgroup.wgsl has them. */
const GROUPS_AT_ONCE = 2;
const MOST_GROUPS = 32 * GROUPS_AT_ONCE;

/** Bytes of work-group memory that a look-back uses beside its algorithm. */
export function lookBackMemory(
  kernel: Pick<KernelOptions, "algorithm" | "sizes">,
  elementBytes: number,
): number {
  const { bySubgroup, fanOut } = lookBackShape(kernel);
  if (bySubgroup) {
    return memoryOf([GROUPS_AT_ONCE, MOST_GROUPS, 1, fanOut], elementBytes, 4);
  }
  const windows = algorithms[kernel.algorithm].subgroups ? [subgroupSlots(kernel.sizes)] : [];
  return memoryOf(windows, elementBytes, 2);
}

/** Bytes of a spine that a single pass hands results on in: entries, each twice, and a ticket a run. */
export function spineBytes(shape: LookBackShape, tiles: number, elementWords: number, runs: number): number {
  const { bySubgroup, fanOut } = shape;
  const groups = Math.floor(tiles / fanOut);
  const entries = tiles + groups + 1 + (bySubgroup ? 0 : Math.floor(groups / fanOut));
  const entryWords = bySubgroup ? 2 * elementWords : Math.ceil((2 * elementWords) / 8) * 8;
  return (2 * entries * entryWords + runs + 1) * 4;
}

/** `words_from_element` and back: what the look-back is written against. */
function wordsText(monoid: Monoid): SourceText {
  const { domain, type } = monoid;
  const isStruct = type.kind === "struct";
  const stored = isStruct ? domain.stored : domain.element;
  const count = elementWords(monoid);
  const parts = Array.from({ length: count }, (_, at) => `words[${at}]`);
  return generated(
    [
      `const ELEMENT_WORDS = ${count}u;`,
      "fn words_from_element(x: Element) -> array<u32, ELEMENT_WORDS> {",
      `  let stored = ${isStruct ? domain.toStored : "x"};`,
      `  return array<u32, ELEMENT_WORDS>(${regrouped(stored, ["stored"], "u32", count).join(", ")});`,
      "}",
      "",
      "fn element_from_words(words: array<u32, ELEMENT_WORDS>) -> Element {",
      `  let x = ${regrouped("u32", parts, stored).join()};`,
      `  return ${isStruct ? domain.fromStored : "x"};`,
      "}",
    ].join("\n"),
  );
}

/** How long a work-group waits for another. */
const patienceText = (attempts: number): SourceText => generated(`const PATIENCE = ${attempts}u;`);

/** What a single-pass kernel is generated for beside. */
export interface LookBackOptions {
  /** Attempts to read what another work-group hands on, before it is computed again. */
  readonly patience: number;
  /** Whether tiles are taken in the order in which work-groups start. */
  readonly tickets: boolean;
  /** For tests: declarations in place of those of faults_none.wgsl. */
  readonly faults?: SourceText;
}

/** A file of shaders/, loaded when it is asked for. */
const load = async (name: string, module: Promise<{ readonly default: string }>): Promise<SourceText> => ({
  name: `shaders/${name}`,
  text: (await module).default,
});

/** What a single pass looks back with: by one subgroup, or by the work-group's threads together. */
export async function lookBackSources(
  primitive: "scan" | "compact",
  monoid: Monoid,
  { bySubgroup }: LookBackShape,
  { faults, patience, tickets }: LookBackOptions,
): Promise<readonly SourceText[]> {
  const [lookBack, ...scan] = await Promise.all([
    bySubgroup
      ? load("device/look_back_subgroup.wgsl", import("../../shaders/device/look_back_subgroup.wgsl"))
      : load("device/look_back.wgsl", import("../../shaders/device/look_back.wgsl")),
    ...(primitive === "scan"
      ? [load("device/scan_single_pass.wgsl", import("../../shaders/device/scan_single_pass.wgsl"))]
      : []),
  ]);
  return [
    ...(faults === undefined ? [] : [faults]),
    faultsNone,
    patienceText(patience),
    wordsText(monoid),
    spineEntries,
    lookBack,
    tickets ? tileByTicket : tileByNumber,
    ...scan,
  ];
}
