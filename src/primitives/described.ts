import { described as expandRuns } from "./expand_runs.ts";
import { described as conditions } from "./find.ts";
import { described as gather } from "./gather.ts";
import type { Described } from "./help.ts";
import { described as histogram } from "./histogram.ts";
import { described as map } from "./map.ts";
import { described as merges } from "./merge.ts";
import { described as nth } from "./nth.ts";
import type { Primitive } from "./primitive.ts";
import { argumentOf, argumentsAmong } from "./primitive.ts";
import { described as scatter } from "./scatter.ts";
import { described as searchSorted } from "./search_sorted.ts";
import { described as sorts } from "./sort.ts";
import { described as topK } from "./top_k.ts";
import { described as runs } from "./unique.ts";

// The primitives whose commands, plans in `wavefold explain` and forms on the site follow from their descriptions.

/** The primitives that the site has by their descriptions. */
export const onSite: readonly Described[] = [
  expandRuns,
  histogram,
  searchSorted,
  gather,
  scatter,
  conditions,
  topK,
  nth,
].flat();

export const primitives: readonly Described[] = [sorts, runs, map, merges, onSite].flat();

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
