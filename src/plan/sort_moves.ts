import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { refuse } from "../errors.ts";
import type { Moved, SortOptions } from "./check_sort.ts";
import { movesDirectly } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { planGather } from "./gather.ts";
import type { Plan, RangeName, Scratch } from "./plan.ts";
import { distinct, wholeWords, withRanges } from "./plan.ts";
import { planSort } from "./sort.ts";

// Sorts with what moves with the items.

/** The types of what moves with the elements of a prepared sort: one type, or one for each of several ranges. */
export type ValueTypes = ElementType | readonly ElementType[];

/** What moves from one range to another: values, or the items by an expression. */
export interface Move {
  readonly type: ElementType;
  readonly from: RangeName;
  readonly to: RangeName;
}

/** The moves of values, or of the keys behind the first. @throws {ArgumentError} */
export function movesOf(
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

/** Plans a sort of items, and of what moves with them. `planOf` plans the sort: of whole data, if it is left out. */
export function sortMoving(
  options: SortOptions,
  moves: readonly Move[],
  facts: DeviceFacts,
  planOf: (options: SortOptions, moved: Moved) => Plan & { readonly leavesPositions: boolean } = (
    own,
    moved,
  ) => ({
    ...planSort(own, facts, moved),
    leavesPositions: false,
  }),
): Plan {
  const [first] = moves;
  const byKey = options.key !== undefined && options.indices !== true;
  const direct = !byKey && moves.length === 1 && first && movesDirectly(first.type) ? first.type : undefined;
  const moved = direct ?? (byKey || first || options.indices ? "positions" : undefined);
  const sort = planOf({ ...options, ...(byKey && { indices: true }) }, moved);
  const movesItems = byKey || (sort.leavesPositions && !options.indices);
  const items: Move = { type: options.type, from: "input", to: "output" };
  const gathered = movesItems ? [items, ...moves] : direct ? [] : moves;
  return gathered.length === 0
    ? withValues(sort, moves)
    : withGathers(sort, movesItems ? "output" : "reordered", gathered, options, facts);
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
export function withGathers(
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
