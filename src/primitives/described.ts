import { expandRuns, described as expansions } from "./expand_runs.ts";
import { all, any, described as conditions, count, findFirst, findLast } from "./find.ts";
import { gather, described as gathers } from "./gather.ts";
import type { Described } from "./help.ts";
import { histogram, described as histograms } from "./histogram.ts";
import { map, described as maps } from "./map.ts";
import { difference, intersection, merge, described as merges, union } from "./merge.ts";
import { nth, described as places } from "./nth.ts";
import type { Primitive } from "./primitive.ts";
import { argumentOf, argumentsAmong } from "./primitive.ts";
import { scatter, described as scatters } from "./scatter.ts";
import { described as searches, searchSorted } from "./search_sorted.ts";
import { described as sorts } from "./sort.ts";
import { described as selections, topK } from "./top_k.ts";
import { runLengths, described as runs, unique } from "./unique.ts";

// The primitives whose methods, commands, plans in `wavefold explain` and forms on the site follow from their descriptions.

/** The primitives that `src/gpu/parts/primitives.ts` loads: all but sorts. A program takes this list alone, which has no help and no examples. */
export const primitivesWithoutSorts: readonly Primitive<never>[] = [
  all,
  any,
  count,
  difference,
  expandRuns,
  findFirst,
  findLast,
  gather,
  histogram,
  intersection,
  map,
  merge,
  nth,
  runLengths,
  scatter,
  searchSorted,
  topK,
  union,
  unique,
];

/** The primitives that the site has by their descriptions. */
export const onSite: readonly Described[] = /* @__PURE__ */ [
  expansions,
  histograms,
  searches,
  gathers,
  scatters,
  conditions,
  selections,
  places,
].flat();

export const primitives: readonly Described[] = /* @__PURE__ */ [sorts, runs, maps, merges, onSite].flat();

/** What each option of a call takes, the numbers included. */
export const kindsOf = ({
  options,
  callOptions,
  planOptions,
}: Primitive<never>): Readonly<Record<string, unknown>> => ({
  ...callOptions,
  ...planOptions,
  ...options,
});

/** The arguments of a call, in their order. Operands, numbers and options are given by their names; an object of the options comes last, if there are any. */
export function argumentsOf(
  { operands, numbers = [] }: Primitive<never>,
  given: Readonly<Record<string, unknown>>,
): unknown[] {
  const first = [...argumentsAmong(operands).map(({ name }) => name), ...numbers];
  const isBehind = (name: string): boolean => operands.some((one) => one.behind && one.name === name);
  const options = Object.entries(given).filter(([name]) => !(first.includes(name) || isBehind(name)));
  return [
    ...first.map((name) => argumentOf(operands, name, given)),
    ...(options.length > 0 ? [Object.fromEntries(options)] : []),
  ];
}
