import type { AdapterIdentity } from "../adapters/adapter.ts";
import { portableTwoPass, tablesFor, traitsOf } from "../adapters/adapter.ts";
import type { Rows, Tuned, TuningRow, TwoPassTable } from "../adapters/tables.ts";
import type { Domain } from "../algebra/types.ts";
import type { Algorithm, TileShape } from "../kernels/algorithms.ts";
import { algorithms } from "../kernels/algorithms.ts";
import { blelloch, hillisSteele } from "../kernels/portable_tiles.ts";
import type { TileAlgorithm } from "../kernels/tiles.ts";
import { requireCount } from "../options.ts";
import { requireBindable } from "./binding_length.ts";
import { requireChosen, requireFit } from "./check_tuning_options.ts";
import type { DeviceFacts, Limits } from "./device_facts.ts";
import { mostThreads } from "./device_facts.ts";
import type { Chosen, TuningOptions } from "./options.ts";
import type { Combination, PlanFacts } from "./plan_facts.ts";
import { requireFeature } from "./require_feature.ts";
import type { LoadedTuning, Tuning } from "./tuning.ts";

/** The algorithms that a plan may take, by name. */
const tilesOf = ({
  fasterWays,
}: Pick<PlanFacts, "fasterWays">): Partial<Record<Algorithm, TileAlgorithm>> => ({
  blelloch,
  "hillis-steele": hillisSteele,
  ...(fasterWays && { subgroup: fasterWays.tiles }),
});

export type Combined = Pick<Domain, "elementBytes" | "long" | "row">;

/**
 * The row for an adapter, elements and a length: the first one of the adapter's own tuning that fits and is loaded; if there is none, one of
 * the table.
 */
export function rowOf<Name extends Tuned>(
  table: Rows<Name>,
  primitive: Name,
  combined: Combined,
  { maxLength }: Chosen,
  facts: AdapterIdentity & Pick<PlanFacts, "tuned" | "fasterWays">,
  readsTwice = false,
): TuningRow {
  const { elementBytes, long, row } = combined;
  const rows = table[primitive];
  return ((traitsOf(facts).takesTilesOfOperators && row?.(primitive)) ||
    (facts.tuned?.rowOf(readsTwice, primitive, combined, maxLength, tilesOf(facts)) ??
      // maxLength is checked later. If it is no number, any row will do until then. No length is more than undefined.
      rows.find(
        (one) =>
          elementBytes <= one.elementBytes &&
          (long || !one.long) &&
          !(typeof maxLength === "number" && maxLength > (one.maxLength as number)),
      ) ??
      rows.at(-1))) as TuningRow;
}

/** The row of a reduction, or of a scan or a compaction that reads its data twice. */
export const twoPassRowOf = (
  primitive: keyof TwoPassTable & Tuned,
  combined: Combined,
  options: Chosen,
  facts: AdapterIdentity & Pick<PlanFacts, "tuned" | "fasterWays">,
): TuningRow =>
  rowOf(
    facts.fasterWays ? tablesFor(facts).twoPass : portableTwoPass(facts),
    primitive,
    combined,
    options,
    facts,
    true,
  );

/** The caller's algorithm, or else the row's. If that needs subgroups and the device has none, it is Blelloch's. */
export const algorithmOf = (
  row: Pick<TuningRow, "algorithm">,
  options: TuningOptions,
  { features }: Pick<DeviceFacts, "features">,
): Algorithm =>
  options.algorithm ??
  (algorithms[row.algorithm].subgroups && !features.has("subgroups") ? "blelloch" : row.algorithm);

/** The most bytes of an element of which a thread takes several. Only exact sums of f64 are longer. */
const LONGEST_HELD = 128;

/**
 * Chooses the algorithm and the sizes that the caller leaves open, and checks all of them against the device. The combination's type is that of the
 * items, which may be another one than the elements have. `memoryBeside` gives the bytes of
 * work-group memory that a kernel takes beside those of its algorithm.
 *
 * @throws {ArgumentError} for sizes that mean nothing.
 * @throws {LimitError} for sizes over the device's limits.
 * @throws {FeatureError} for a type or an algorithm whose feature the device lacks.
 */
export function chooseSizes(
  row: TuningRow,
  { title, type, monoid }: Combination,
  options: Chosen,
  facts: PlanFacts,
  memoryBeside: (shape: TileShape) => number = () => 0,
): LoadedTuning {
  const { elementBytes, row: rowOfOperator } = monoid.domain;
  const { limits, subgroupIds } = facts;
  const { unrolls, takesTilesOfOperators } = traitsOf(facts);
  requireFeature(type, title, facts);
  requireChosen(options, title, facts);
  const algorithm = algorithmOf(row, options, facts);
  // Who calls the planner has loaded the algorithm.
  const tiles = tilesOf(facts)[algorithm] as TileAlgorithm;
  const isHeld = elementBytes <= LONGEST_HELD;
  // Tiles that an operator brings hold items as they are stored.
  const bringsTiles =
    takesTilesOfOperators && rowOfOperator !== undefined && !algorithms[algorithm].subgroups;
  const tuningOf = (workGroupSize: number): Tuning => ({
    algorithm,
    sizes: {
      workGroupSize,
      items: options.itemsPerThread ?? (isHeld || bringsTiles ? row.items : 1),
      unrolled: unrolls && isHeld,
      minSubgroupSize: facts.subgroupMinSize,
      maxSubgroupSize: facts.subgroupMaxSize,
    },
    subgroupIds,
  });
  const memoryOf = (tuning: Tuning): number =>
    algorithms[algorithm].memory(tuning.sizes, elementBytes) + memoryBeside(tuning);
  const most = limits.maxComputeWorkgroupStorageSize;
  let fitting = Math.min(row.workGroupSize, mostThreads(facts));
  while (fitting > 2 && memoryOf(tuningOf(fitting)) > most) {
    fitting >>= 1;
  }
  const tuning = tuningOf(options.workGroupSize ?? fitting);
  requireFit(tuning, options, title, memoryOf(tuning), most);
  return {
    ...tuning,
    sources: tiles(tuning),
    gpuLimits: takesTilesOfOperators && limits,
  };
}

/**
 * The length that a plan is made for, checked against what a binding holds. `itemBytes` are those of the longest of its ranges, for each item.
 *
 * @throws {LimitError}
 */
export function requireMaxLength(
  title: string,
  maxLength: unknown,
  itemBytes: number,
  limits: Limits,
  option = "maxLength",
): number {
  requireCount(title, option, maxLength, 0);
  requireBindable(title, maxLength, itemBytes, limits, option);
  return maxLength;
}
