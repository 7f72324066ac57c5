import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { SortOptions } from "./check_sort.ts";
import { requireChosen } from "./check_tuning_options.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { loadSelectedAndSorted } from "./load_selected_and_sorted.ts";
import type { Plan, RangeName } from "./plan.ts";
import type { KeysOrder } from "./sort_key.ts";
import { requireKeys } from "./sort_key.ts";
import type { Move, ValueTypes } from "./sort_moves.ts";
import { movesOf, sortMoving, withGathers } from "./sort_moves.ts";
import type { SegmentSortOptions } from "./sort_segments.ts";

// Whole sorts. Keys, and values of 4 or 8 bytes, move in each pass. Several values, values of other types, and elements that are sorted
// by an expression or by several keys move once: the passes sort their positions.

/** The options of `prepareSort`. */
export interface PreparedSortOptions<Name extends string = string>
  extends Omit<SortOptions<Name>, "descending">,
    Partial<SegmentSortOptions>,
    KeysOrder {
  /**
   * The type of a key that decides where the items are equal, or the types of several, of which each decides where those before it are
   * equal. Each recording then takes `thenBy`, and without `indices`, `thenOutput`.
   */
  readonly thenBy?: ValueTypes;
  /** The type of the values that move with the items, or several types. Each recording then takes `values` and `reordered`. */
  readonly values?: ValueTypes;
}

/**
 * Plans a sort with all that moves with the items.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export async function planSortWithValues(options: PreparedSortOptions, facts: DeviceFacts): Promise<Plan> {
  const { values, thenBy, segments, maxSegmentLength } = options;
  const type = requireType(options.type, "sort");
  const later = movesOf(thenBy, ["thenBy", "thenOutput"], `sort<${type.name}>`);
  const title = `sort<${[type, ...later.map((move) => move.type)].map(({ name }) => name).join(", ")}>`;
  if (segments === undefined && maxSegmentLength !== undefined) {
    refuse(title, "maxSegmentLength", shown(maxSegmentLength), "a number only beside segments");
  }
  const moves = movesOf(values, ["values", "reordered"], title);
  if (moves.length > 0 && options.indices) {
    throw new ArgumentError(`${title} takes indices or values, and not both`, "indices");
  }
  return later.length > 0
    ? planSortByKeys(options, later, moves, title, facts)
    : planSortByOne(options, moves, facts);
}

/** Plans a sort by the items, or by an expression over them. */
async function planSortByOne(
  { values: _, thenBy: __, segments, maxSegmentLength, ...given }: PreparedSortOptions,
  moves: readonly Move[],
  facts: DeviceFacts,
): Promise<Plan> {
  const options = given as SortOptions;
  if (segments === undefined) {
    return sortMoving(options, moves, facts);
  }
  const longest = maxSegmentLength === undefined ? {} : { maxSegmentLength };
  const { planSegmentSort } = await loadSelectedAndSorted();
  return sortMoving(options, moves, facts, (own, moved) =>
    planSegmentSort({ ...own, ...longest, segments }, facts, moved),
  );
}

/** Plans a sort by several keys, of which the `later` ones come behind the items. */
async function planSortByKeys(
  options: PreparedSortOptions,
  later: readonly Move[],
  moves: readonly Move[],
  title: string,
  facts: DeviceFacts,
): Promise<Plan> {
  const { type, maxLength, segments, indices } = options;
  const keys = requireKeys(options, [type, ...later.map((move) => move.type)], title);
  requireChosen(options, title, facts);
  const { planByKeys, planLong, requireSortedSegments, tuningIn } = await loadSelectedAndSorted();
  const ranges = ["input", ...later.map(({ from }) => from)] as const;
  const order = planByKeys(
    options,
    keys.map((key, at) => ({ key, range: ranges[at] as RangeName })),
    title,
    facts,
  );
  const ordered = {
    type,
    maxLength,
    ...(options.lengthOnGpu && { lengthOnGpu: true }),
    ...tuningIn(options),
  };
  const bySegments =
    segments === undefined
      ? order
      : planLong(
          ordered,
          requireSortedSegments(options, maxLength, title),
          `${title} of ${segments}`,
          facts,
          {},
          order,
        );
  const sorted: Plan = {
    ...bySegments,
    needs: new Set([...order.needs, ...bySegments.needs]),
    itemTypes: order.itemTypes,
  };
  const items: Move = { type, from: "input", to: "output" };
  return indices ? sorted : withGathers(sorted, "output", [items, ...later, ...moves], options, facts);
}
