import rankKept from "#shaders/device/io/rank_kept_by_votes.wgsl";
import subgroupTiles from "#shaders/device/tiles/subgroup.wgsl";
import anyOrder from "#shaders/device/tiles/subgroup_any_order.wgsl";
import ballot from "#shaders/device/tiles/subgroup_ballot.wgsl";
import byCount from "#shaders/device/tiles/subgroup_by_count.wgsl";
import byId from "#shaders/device/tiles/subgroup_by_id.wgsl";
import byLanes from "#shaders/device/tiles/subgroup_by_lanes.wgsl";
import count from "#shaders/device/tiles/subgroup_count.wgsl";
import laneTotals from "#shaders/device/tiles/subgroup_lane_totals.wgsl";
import byLeadingWord from "#shaders/device/tiles/subgroup_leading_word.wgsl";
import prefixesShifted from "#shaders/device/tiles/subgroup_prefixes_shifted.wgsl";
import prefixesTogether from "#shaders/device/tiles/subgroup_prefixes_together.wgsl";
import reduceTogether from "#shaders/device/tiles/subgroup_reduce_together.wgsl";
import rows from "#shaders/device/tiles/subgroup_rows.wgsl";
import rowsTogether from "#shaders/device/tiles/subgroup_rows_together.wgsl";
import scanFirst from "#shaders/device/tiles/subgroup_scan_first.wgsl";
import scanTotals from "#shaders/device/tiles/subgroup_scan_totals.wgsl";
import total from "#shaders/device/tiles/subgroup_total.wgsl";
import votesFile from "#shaders/device/tiles/subgroup_votes.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import { roundingIn } from "../algebra/rounding.ts";
import type { SourceText } from "../text/source.ts";
import { generated } from "../text/source.ts";
import { hasFullSubgroups, memoryOf, subgroupSlots } from "./algorithms.ts";
import { conversion } from "./contract.ts";
import type { Sizes } from "./sizes.ts";
import { hasBuiltin, scansNatively, subgroupSources, takesAnyOrder } from "./subgroup_sources.ts";
import type { NumberedThreads, TileAlgorithm, TileTraits } from "./tiles.ts";

/** The most lanes whose votes are in one word. */
const MOST_VOTING_LANES = 32;

/** Whether subgroups are full, and the votes of one are in one word. */
export const votesInWord = (sizes: Pick<Sizes, "workGroupSize" | "maxSubgroupSize">): boolean =>
  hasFullSubgroups(sizes) && sizes.maxSubgroupSize <= MOST_VOTING_LANES;

/** The most bytes that rank_kept_by_votes.wgsl takes. Each device has twice as many, and what else a compaction takes is short. */
const MOST_VOTES_BYTES = 2 ** 13;

/** The file by which votes rank the items that a kernel keeps and moves, if there is room for the votes. */
const rankingOf = (sizes: Sizes): readonly SourceText[] =>
  votesInWord(sizes) && memoryOf([subgroupSlots(sizes) * sizes.items], 8, 0) <= MOST_VOTES_BYTES
    ? [rankKept]
    : [];

/** The sources by which items of an operator on pairs of words, such as the least u64, are compared by one word first. */
function leadingWord({ operation, domain, type, leading }: Monoid): readonly SourceText[] {
  const isPair = domain.operations !== undefined && (operation === "min" || operation === "max");
  const upper = `${operation === "max" ? "~" : ""}x.y${type.kind === "signed" ? " ^ 0x80000000u" : ""}`;
  const word = leading ?? (isPair ? upper : undefined);
  return word === undefined
    ? []
    : [generated(conversion("leading_word", "Element", "u32", word)), byLeadingWord];
}

/** Whether lanes reduce by exchanges that are written out, rather than by WGSL's built-ins. */
const exchangesFor = (monoid: Monoid, strides: boolean): boolean =>
  strides ? !hasBuiltin(monoid) : monoid.operation === "add" && monoid.type.bytes === 8;

/** The files that scan a tile row by row or all rows together, and give its total. */
function rowFiles(
  monoid: Monoid,
  { votes = false, oneItem = false, isAwaited = false, isShifted = false, hasTotal = false }: TileTraits,
): readonly SourceText[] {
  const rounding = roundingIn(monoid.type, monoid.domain);
  const inAnyOrder = takesAnyOrder(monoid) && !votes;
  // WGSL's own scans are faster row by row, unless there are many rows.
  const rowsAreTogether = !votes && (oneItem || !scansNatively(monoid));
  // Where the order of operations must be kept, rows that are together are reduced together.
  const isReducedTogether = rowsAreTogether && !inAnyOrder;
  // The order of operations decides a float's bits, so floats keep theirs.
  const isScannedFirst = votes || (inAnyOrder && rounding === "none" && !isAwaited);
  // If another work-group computes a tile's total, that total must have the same bits as the tile's own.
  const totalFile = isReducedTogether
    ? reduceTogether
    : inAnyOrder && rounding === "adapter"
      ? laneTotals
      : total;
  return [
    ...(inAnyOrder ? [anyOrder] : []),
    ...(hasTotal ? [] : [totalFile]),
    ...(isReducedTogether || isScannedFirst ? [scanFirst] : []),
    ...(rowsAreTogether ? [rowsTogether, isShifted ? prefixesShifted : prefixesTogether] : []),
    votes ? votesFile : rows,
  ];
}

/** The files by which subgroups scan a tile, for an operator. */
function tileFiles(
  { sizes, subgroupIds }: NumberedThreads,
  monoid: Monoid,
  traits: TileTraits,
): readonly SourceText[] {
  const { votes = false, moves = false, strides = false } = traits;
  const inAnyOrder = takesAnyOrder(monoid) && !votes;
  return [
    ...subgroupSources(monoid, inAnyOrder && exchangesFor(monoid, strides)),
    ...(hasFullSubgroups(sizes) ? [count, subgroupIds ? byId : byCount] : [byLanes]),
    ballot,
    ...(strides ? leadingWord(monoid) : []),
    ...rowFiles(monoid, traits),
    ...(votes && moves ? rankingOf(sizes) : []),
    scanTotals,
    subgroupTiles,
  ];
}

/**
 * The files by which subgroups scan tiles in device-wide kernels. They depend on whether all subgroups are full, and on
 * whether the language has `subgroup_id`.
 */
export const subgroup: TileAlgorithm =
  (threads) =>
  (monoid, traits = {}) =>
    tileFiles(threads, monoid, traits);
