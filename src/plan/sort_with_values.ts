import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import { loadSelectedAndSorted } from "../parts.ts";
import type { SortOptions } from "./check_sort.ts";
import { movesDirectly } from "./check_sort.ts";
import { requireChosen } from "./check_tuning_options.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { planGather } from "./gather.ts";
import type { Plan, RangeName, Scratch } from "./plan.ts";
import { distinct, wholeWords, withRanges } from "./plan.ts";
import { planSort } from "./sort.ts";
import type { KeysOrder } from "./sort_key.ts";
import { requireKeys } from "./sort_key.ts";
import type { SegmentSortOptions } from "./sort_segments.ts";

// Whole sorts. Keys, and values of 4 or 8 bytes, move in each pass. Several values, values of other types, and elements that are sorted
// by an expression or by several keys move once: the passes sort their positions.

/** The types of what moves with the elements of a prepared sort: one type, or one for each of several ranges. */
export type ValueTypes = ElementType | readonly ElementType[];

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

/** What moves from one range to another: values, or the items by an expression. */
interface Move {
  readonly type: ElementType;
  readonly from: RangeName;
  readonly to: RangeName;
}

/** The moves of values, or of the keys behind the first. @throws {ArgumentError} */
function movesOf(
  types: unknown,
  [from, to]: readonly ["values", "reordered"] | readonly ["thenBy", "thenOutput"],
  title: string,
): readonly Move[] {
  if (types === undefined) {
    return [];
  }
  if (!Array.isArray(types)) {
    return [{ type: requireType(types, title, from), from, to }];
  }
  if (types.length === 0) {
    refuse(title, from, "an empty list", "an element type, or a list of them");
  }
  return types.map((type, at) => ({
    type: requireType(type, title, from),
    from: `${from}[${at}]`,
    to: `${to}[${at}]`,
  }));
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
  const others = given as SortOptions;
  const [first] = moves;
  const byKey = others.key !== undefined && others.indices !== true;
  const direct = !byKey && moves.length === 1 && first && movesDirectly(first.type) ? first.type : undefined;
  const moved = direct ?? (byKey || first || others.indices ? "positions" : undefined);
  const sorted = { ...others, ...(byKey && { indices: true }) };
  const longest = maxSegmentLength === undefined ? {} : { maxSegmentLength };
  const sort =
    segments === undefined
      ? { ...planSort(sorted, facts, moved), leavesPositions: false }
      : (await loadSelectedAndSorted()).planSegmentSort({ ...sorted, ...longest, segments }, facts, moved);
  const movesItems = byKey || (sort.leavesPositions && !others.indices);
  const items: Move = { type: others.type, from: "input", to: "output" };
  const gathered = movesItems ? [items, ...moves] : direct ? [] : moves;
  return gathered.length === 0
    ? withValues(sort, moves)
    : withGathers(sort, movesItems ? "output" : "reordered", gathered, others, facts);
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
      : planLong(ordered, requireSortedSegments(options, title), `${title} of ${segments}`, facts, {}, order);
  const sorted: Plan = {
    ...bySegments,
    needs: new Set([...order.needs, ...bySegments.needs]),
    itemTypes: order.itemTypes,
  };
  const items: Move = { type, from: "input", to: "output" };
  return indices ? sorted : withGathers(sorted, "output", [items, ...later, ...moves], options, facts);
}

/** The types of the items of each range that something moves from or to. */
const typesOf = (moves: readonly Move[]): Readonly<Record<string, ElementType>> =>
  Object.fromEntries(moves.flatMap(({ type, from, to }) => [from, to].map((range) => [range, type])));

/** A sort that moves values itself, if there are any: in the ranges that they have in a recording. */
function withValues(sort: Plan, moves: readonly Move[]): Plan {
  const [move] = moves;
  if (move === undefined) {
    return sort;
  }
  const ranges: Readonly<Partial<Record<RangeName, RangeName>>> = { values: move.from, reordered: move.to };
  return {
    ...sort,
    needs: new Set([...sort.needs].map((range) => ranges[range] ?? range)),
    itemTypes: { ...sort.itemTypes, ...typesOf(moves) },
    passes: (...given) => withRanges(sort.passes(...given), ranges),
  };
}

/** A sort that leaves positions in the place of a range, and the plans that then move what it has not moved. */
function withGathers(
  sort: Plan,
  left: "output" | "reordered",
  moves: readonly Move[],
  options: Pick<SortOptions, "maxLength" | "lengthOnGpu">,
  facts: DeviceFacts,
): Plan {
  const gathers = moves.map(({ type, from, to }) =>
    planGather({ ...options, type }, facts, sort.title, [from, to]),
  );
  const positions: Scratch = { name: "positions", bytes: wholeWords(sort.maxLength * 4) };
  const without = ({ needs }: Plan, range: RangeName): readonly RangeName[] =>
    [...needs].filter((one) => one !== range);
  return {
    ...sort,
    kernels: distinct([sort, ...gathers].flatMap(({ kernels }) => kernels)),
    scratch: [positions, ...[sort, ...gathers].flatMap(({ scratch }) => scratch)],
    needs: new Set([...without(sort, left), ...gathers.flatMap((gather) => without(gather, "positions"))]),
    itemTypes: { ...sort.itemTypes, ...typesOf(moves) },
    variants: [{ arrangement: "items" }, { arrangement: "one-buffer", aside: true }],
    passes(length, arrangement, aside = false, params = {}) {
      // Positions that go to scratch never go aside. They count from 0.
      const passes = sort.passes(length, arrangement, aside && left !== "output", params);
      return [
        ...withRanges(passes, { [left]: positions }, { first_index: 0 }),
        ...gathers.flatMap((gather) => withRanges(gather.passes(length, arrangement, aside), { positions })),
      ];
    },
  };
}
