import type { Examples } from "./examples.ts";
import { expandRuns, expandRunsExamples, expandRunsHelp } from "./expand_runs.ts";
import {
  all,
  allHelp,
  any,
  anyHelp,
  count,
  countExamples,
  countHelp,
  findExamples,
  findFirst,
  findFirstHelp,
  findLast,
  findLastHelp,
} from "./find.ts";
import { gather, gatherExamples, gatherHelp } from "./gather.ts";
import type { HelpOf } from "./help.ts";
import { histogram, histogramExamples, histogramHelp } from "./histogram.ts";
import { nth, nthExamples, nthHelp } from "./nth.ts";
import type { Primitive } from "./primitive.ts";
import { runLengths, runLengthsExamples, runLengthsHelp } from "./run_lengths.ts";
import { searchSorted, searchSortedExamples, searchSortedHelp } from "./search_sorted.ts";
import { argSort, argSortExamples, argSortHelp, sort, sortExamples, sortHelp } from "./sort.ts";
import { topK, topKExamples, topKHelp } from "./top_k.ts";
import { unique, uniqueExamples, uniqueHelp } from "./unique.ts";

// The primitives whose commands, plans in `wavefold explain` and forms on the site follow from their descriptions.

/** A primitive, what help says of it, and its examples. */
export interface Described {
  readonly primitive: Primitive<never>;
  readonly help: HelpOf<Primitive<never>>;
  readonly examples: Examples;
  /** What its command calls in its place if this flag is given. It has the same operands. */
  readonly instead?: readonly [flag: string, primitive: Primitive<never>];
}

/** The primitives that the site has by their descriptions. */
export const onSite: readonly Described[] = [
  { primitive: expandRuns, help: expandRunsHelp, examples: expandRunsExamples },
  { primitive: histogram, help: histogramHelp, examples: histogramExamples },
  { primitive: searchSorted, help: searchSortedHelp, examples: searchSortedExamples },
  { primitive: gather, help: gatherHelp, examples: gatherExamples },
  { primitive: count, help: countHelp, examples: countExamples },
  { primitive: any, help: anyHelp, examples: countExamples },
  { primitive: all, help: allHelp, examples: countExamples },
  { primitive: findFirst, help: findFirstHelp, examples: findExamples },
  { primitive: findLast, help: findLastHelp, examples: findExamples },
  { primitive: topK, help: topKHelp, examples: topKExamples },
  { primitive: nth, help: nthHelp, examples: nthExamples },
];

export const primitives: readonly Described[] = [
  { primitive: sort, help: sortHelp, examples: sortExamples },
  { primitive: argSort, help: argSortHelp, examples: argSortExamples },
  { primitive: unique, help: uniqueHelp, examples: uniqueExamples, instead: ["counts", runLengths] },
  { primitive: runLengths, help: runLengthsHelp, examples: runLengthsExamples },
  ...onSite,
];

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
  const first = [
    ...operands.flatMap(({ name, isOption, inside }) => (isOption || inside ? [] : [name])),
    ...numbers,
  ];
  const options = Object.entries(given).filter(([name]) => !first.includes(name));
  return [...first.map((name) => given[name]), ...(options.length > 0 ? [Object.fromEntries(options)] : [])];
}
