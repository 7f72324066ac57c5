import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { SortOptions } from "./check_sort.ts";
import { movesDirectly } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { planGather } from "./gather.ts";
import type { Plan, RangeName, Scratch } from "./plan.ts";
import { distinct, wholeWords, withRanges } from "./plan.ts";
import { planSort } from "./sort.ts";
import type { SegmentSortOptions } from "./sort_segments.ts";
import { planSegmentSort } from "./sort_segments.ts";

// Whole sorts. Keys, and values of 4 or 8 bytes, move in each pass. Several values, values of other types, and elements that are sorted
// by an expression move once: the passes sort their positions.

/** The types of what moves with the elements of a prepared sort: one type, or one for each of several ranges. */
export type ValueTypes = ElementType | readonly ElementType[];

/** The options of `prepareSort`. */
export interface PreparedSortOptions<Name extends string = string>
  extends SortOptions<Name>,
    Partial<SegmentSortOptions> {
  /** The type of the values that move with the items, or several types. Each recording then takes `values` and `reordered`. */
  readonly values?: ValueTypes;
}

/** What moves from one range to another: values, or the items by an expression. */
interface Move {
  readonly type: ElementType;
  readonly from: RangeName;
  readonly to: RangeName;
}

/** The moves of the values. @throws {ArgumentError} */
function movesOf({ values, indices }: PreparedSortOptions, title: string): readonly Move[] {
  if (values === undefined) {
    return [];
  }
  if (indices) {
    throw new ArgumentError(`${title} takes indices or values, and not both`, "indices");
  }
  if (!Array.isArray(values)) {
    return [{ type: requireType(values, title, "values"), from: "values", to: "reordered" }];
  }
  if (values.length === 0) {
    refuse(title, "values", "an empty list", "an element type, or a list of them");
  }
  return values.map((type, at) => ({
    type: requireType(type, title, "values"),
    from: `values[${at}]`,
    to: `reordered[${at}]`,
  }));
}

/**
 * Plans a sort with all that moves with the items.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSortWithValues(options: PreparedSortOptions, facts: DeviceFacts): Plan {
  const { values: _, segments, maxSegmentLength, ...others } = options;
  const type = requireType(options.type, "sort");
  const title = `sort<${type.name}>`;
  if (segments === undefined && maxSegmentLength !== undefined) {
    refuse(title, "maxSegmentLength", shown(maxSegmentLength), "a number only beside segments");
  }
  const moves = movesOf(options, title);
  const [first] = moves;
  const byKey = options.key !== undefined && options.indices !== true;
  const direct = !byKey && moves.length === 1 && first && movesDirectly(first.type) ? first.type : undefined;
  const moved = direct ?? (byKey || first || options.indices ? "positions" : undefined);
  const sorted = { ...others, ...(byKey && { indices: true }) };
  const longest = maxSegmentLength === undefined ? {} : { maxSegmentLength };
  const sort =
    segments === undefined
      ? { ...planSort(sorted, facts, moved), leavesPositions: false }
      : planSegmentSort({ ...sorted, ...longest, segments }, facts, moved);
  const movesItems = byKey || (sort.leavesPositions && !options.indices);
  const items: Move = { type, from: "input", to: "output" };
  const gathered = movesItems ? [items, ...moves] : direct ? [] : moves;
  return gathered.length === 0
    ? withValues(sort, moves)
    : withGathers(
        sort,
        movesItems ? "output" : "reordered",
        gathered,
        gathered.map((move) =>
          planGather({ ...options, type: move.type }, facts, sort.title, [move.from, move.to]),
        ),
      );
}

/** Bytes of an item of each range that something moves from or to. */
const bytesOf = (moves: readonly Move[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    moves.flatMap(({ type: { bytes }, from, to }) => [from, to].map((range) => [range, bytes])),
  );

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
    itemBytes: { ...sort.itemBytes, ...bytesOf(moves) },
    passes: (...given) => withRanges(sort.passes(...given), ranges),
  };
}

/** A sort that leaves positions in the place of a range, and the plans that then move what it has not moved. */
function withGathers(
  sort: Plan,
  left: "output" | "reordered",
  moves: readonly Move[],
  gathers: readonly Plan[],
): Plan {
  const positions: Scratch = { name: "positions", bytes: wholeWords(sort.maxLength * 4) };
  const without = ({ needs }: Plan, range: RangeName): readonly RangeName[] =>
    [...needs].filter((one) => one !== range);
  return {
    ...sort,
    kernels: distinct([sort, ...gathers].flatMap(({ kernels }) => kernels)),
    scratch: [positions, ...[sort, ...gathers].flatMap(({ scratch }) => scratch)],
    needs: new Set([...without(sort, left), ...gathers.flatMap((gather) => without(gather, "positions"))]),
    itemBytes: { ...sort.itemBytes, ...bytesOf(moves) },
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
