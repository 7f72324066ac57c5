import reduceSinglePass from "#shaders/device/kernels/reduce_single_pass.wgsl";
import faultsNone from "#shaders/device/look_back/faults_none.wgsl";
import lookBack from "#shaders/device/look_back/look_back.wgsl";
import lookBackThreads from "#shaders/device/look_back/look_back_threads.wgsl";
import lookBackVotes from "#shaders/device/look_back/look_back_votes.wgsl";
import spineEntries from "#shaders/device/look_back/spine_entries.wgsl";
import tileByNumber from "#shaders/device/look_back/tile_by_number.wgsl";
import tileByTicket from "#shaders/device/look_back/tile_by_ticket.wgsl";
import oneTile from "#shaders/device/reduce/one_tile.wgsl";
import severalTiles from "#shaders/device/reduce/several_tiles.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import type { TileShape } from "./algorithms.ts";
import { algorithms, hasFullSubgroups, memoryOf } from "./algorithms.ts";
import { constantsText, elementWords } from "./contract.ts";
import { range, regrouped } from "./words.ts";

/** How a single pass looks back. The size of its spine follows from this. */
export interface LookBackShape {
  /** Whether the lanes of a subgroup vote; else each thread decides by itself. */
  readonly byVotes: boolean;
  /** Tiles of a group. */
  readonly fanOut: number;
}

/**
 * Whether lanes vote, and how many tiles a group has. Lanes vote if all subgroups are full, since any subgroup may be the
 * one that starts first and looks back. With votes, each tile of a group has a lane, and so has the carry. Without votes,
 * each tile has a thread. Large groups mean few round trips to memory, but a group's totals are combined one after another: f64, H100,
 * 512 × 16, sums of 2^27, groups of 8 2507 µs (16: 2557; 4: 2624).
 */
export function lookBackShape({ algorithm, sizes }: TileShape): LookBackShape {
  const { workGroupSize, minSubgroupSize } = sizes;
  return algorithms[algorithm].subgroups && hasFullSubgroups(sizes)
    ? { byVotes: true, fanOut: Math.min(30, minSubgroupSize - 2) }
    : {
        byVotes: false,
        fanOut: workGroupSize < 512 ? Math.min(16, 2 ** Math.floor(Math.log2(workGroupSize))) : 8,
      };
}

/**
 * How many groups a tile looks through. The tile waits for the carry of the farthest group. `words` are those of an element: of long ones,
 * fewer groups fit in work-group memory.
 */
const mostGroups = (byVotes: boolean, words: number): number =>
  Math.max(2, Math.min(64, Math.floor((byVotes ? 1280 : 128) / words)));

/**
 * How many places a group has in the spine: one for each tile, one for its carry, and one that says who hands on the carry in
 * place of its owner. So groups of 30 tiles start at aligned addresses.
 */
const groupEntries = (fanOut: number): number => fanOut + 2;

/** The most groups that are read at the same time by votes. */
const MOST_AT_ONCE = 3;

/** Bytes of work-group memory that a look-back uses beside those of its algorithm. */
export function lookBackMemory(kernel: TileShape, elementBytes: number): number {
  const { byVotes, fanOut } = lookBackShape(kernel);
  const groups = mostGroups(byVotes, Math.ceil(elementBytes / 4));
  const finding = byVotes ? [groups, groups, MOST_AT_ONCE] : [fanOut * groups, fanOut, groups];
  // Five words come on top: what stopped the look-back, whether it found something, the group, what is missing there, and the ticket.
  return memoryOf([...finding, 1, 1], elementBytes, 5);
}

/** The most items of a lane in a row: a word has a bit for each, and one more. */
const MOST_LANE_ITEMS = 31;

/** The consecutive items that a lane has in a row of shaders/device/kernels/reduce_offsets.wgsl: all of the thread's, if they are not too many. */
export const laneItems = (items: number): number =>
  items > MOST_LANE_ITEMS && items % 2 === 0 ? laneItems(items / 2) : items;

/** The entries of a spine, which kernels have as `call.spine_entries`, and its bytes. */
export interface SpineSize {
  readonly entries: number;
  readonly bytes: number;
}

/** Words of an entry of the spine: each word has half of a word of the element, and the number of the run. */
const entryWords = (monoid: Monoid): number => 2 * elementWords(monoid);

/**
 * The size of the spine of a single pass. The last group may use no entry but its carry. There are two
 * places for each entry, and a ticket for each run.
 */
export function spineSize({ fanOut }: LookBackShape, tiles: number, monoid: Monoid, runs: number): SpineSize {
  const entries = (Math.floor(tiles / fanOut) + 1) * groupEntries(fanOut);
  return { entries, bytes: (2 * entries * entryWords(monoid) + runs + 1) * 4 };
}

/** Declares `words_from_element` and `element_from_words`, which the look-back calls. */
function wordsText(monoid: Monoid): SourceText {
  const count = elementWords(monoid);
  const { onValues } = monoid;
  if (onValues === undefined) {
    return generated(conversionsText(monoid, "element", "Element", "ELEMENT_WORDS", count));
  }
  // An element of a segment is its value, and the number of heads. What is left of its words is zero.
  const words = elementWords(onValues);
  const parts = range(words);
  return generated(
    [
      conversionsText(onValues, "value", "SegmentValue", `${words}u`, words),
      "fn words_from_element(x: Element) -> array<u32, ELEMENT_WORDS> {",
      "  let value = words_from_value(x.value);",
      `  return array<u32, ELEMENT_WORDS>(${[
        ...parts.map((at) => `value[${at}]`),
        "x.heads",
        ...range(count - words - 1).map(() => "0u"),
      ].join(", ")});`,
      "}",
      "",
      "fn element_from_words(words: array<u32, ELEMENT_WORDS>) -> Element {",
      `  let value = array<u32, ${words}u>(${parts.map((at) => `words[${at}]`).join(", ")});`,
      `  return Element(value_from_words(value), words[${words}]);`,
      "}",
    ].join("\n"),
  );
}

/** The functions that take an element of an operator apart into words, and put it together, by other names. */
function conversionsText(
  { domain, type }: Monoid,
  name: string,
  element: string,
  length: string,
  count: number,
): string {
  const {
    element: wgsl,
    stored = wgsl,
    toStored = "x",
    fromStored = "x",
  } = type.kind === "struct" ? domain : { element: domain.element };
  const parts = range(count).map((at) => `words[${at}]`);
  return [
    `fn words_from_${name}(x: ${element}) -> array<u32, ${length}> {`,
    `  let stored = ${toStored};`,
    `  return array<u32, ${length}>(${regrouped(stored, ["stored"], "u32", count).join(", ")});`,
    "}",
    "",
    `fn ${name}_from_words(words: array<u32, ${length}>) -> ${element} {`,
    `  let x = ${regrouped("u32", parts, stored).join()};`,
    `  return ${fromStored};`,
    "}",
    "",
  ].join("\n");
}

/** The options of a single-pass kernel, beside those of every kernel. */
export interface LookBackChoices {
  /** How often a work-group tries to read what another one hands on, before it computes that itself. */
  readonly patience: number;
  /** Whether work-groups take tiles in the order in which they start. */
  readonly tickets: boolean;
  /** For tests: the most work-groups that scan data whose length only the GPU knows. */
  readonly scanWorkGroups?: number;
  /** For tests: the most work-groups that reduce data by several tiles each. */
  readonly reduceWorkGroups?: number;
  /** For tests: declarations in place of those of faults_none.wgsl. */
  readonly faults?: SourceText;
}

/** The sources by which work-groups hand elements on. */
const entrySources = (
  monoid: Monoid,
  { byVotes, fanOut }: LookBackShape,
  { faults, patience }: Pick<LookBackChoices, "faults" | "patience">,
): readonly SourceText[] => [
  faults ?? faultsNone,
  constantsText({
    PATIENCE: patience,
    FAN_OUT: fanOut,
    MOST_GROUPS: mostGroups(byVotes, elementWords(monoid)),
    GROUP_ENTRIES: groupEntries(fanOut),
    ENTRY_WORDS: entryWords(monoid),
    MOST_AT_ONCE,
  }),
  wordsText(monoid),
  spineEntries,
  lookBack,
];

/**
 * The sources that make one dispatch of a reduction of tiles, in place of reduce_tiles.wgsl. `strides` says whether a work-group takes
 * more than one tile.
 */
export const reduceOnceSources = (
  monoid: Monoid,
  shape: LookBackShape,
  strides: boolean,
  options: Pick<LookBackChoices, "faults" | "patience">,
): readonly SourceText[] => [
  ...entrySources(monoid, shape, options),
  strides ? severalTiles : oneTile,
  reduceSinglePass,
];

/** Bytes of work-group memory that a reduction in one dispatch uses beside those of its algorithm. */
export const reduceOnceMemory = (elementBytes: number): number => memoryOf([1], elementBytes, 3);

/** The sources that a single pass looks back with. */
export function lookBackSources(
  monoid: Monoid,
  shape: LookBackShape,
  options: LookBackChoices,
): readonly SourceText[] {
  return [
    ...entrySources(monoid, shape, options),
    options.tickets ? tileByTicket : tileByNumber,
    shape.byVotes ? lookBackVotes : lookBackThreads,
  ];
}
