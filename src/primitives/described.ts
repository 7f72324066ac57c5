import { expandRuns, expandRunsHelp } from "./expand_runs.ts";
import { gather, gatherHelp } from "./gather.ts";
import type { HelpOf } from "./help.ts";
import { histogram, histogramHelp } from "./histogram.ts";
import { nth, nthHelp } from "./nth.ts";
import type { Primitive } from "./primitive.ts";
import { searchSorted, searchSortedHelp } from "./search_sorted.ts";
import { topK, topKHelp } from "./top_k.ts";

// The primitives whose commands, plans in `wavefold explain` and forms on the site follow from their descriptions.

/** A primitive, and what help says of it. */
export interface Described {
  readonly primitive: Primitive<never>;
  readonly help: HelpOf<Primitive<never>>;
}

export const primitives: readonly Described[] = [
  { primitive: histogram, help: histogramHelp },
  { primitive: searchSorted, help: searchSortedHelp },
  { primitive: gather, help: gatherHelp },
  { primitive: topK, help: topKHelp },
  { primitive: nth, help: nthHelp },
];

/** The primitives that the site has by their descriptions. The command `expand` has more than its description says. */
export const onSite: readonly Described[] = [{ primitive: expandRuns, help: expandRunsHelp }, ...primitives];

/** What each option of a call takes, the numbers included. */
export const kindsOf = ({ options, planOptions }: Primitive<never>): Readonly<Record<string, unknown>> => ({
  ...planOptions,
  ...options,
});

/** The arguments of a call, in their order. Operands, numbers and options are given by their names; an object of the options comes last, if there are any. */
export function argumentsOf(
  { operands, numbers = [] }: Primitive<never>,
  given: Readonly<Record<string, unknown>>,
): unknown[] {
  const first = [...operands.flatMap(({ name, isOption }) => (isOption ? [] : [name])), ...numbers];
  const options = Object.entries(given).filter(([name]) => !first.includes(name));
  return [...first.map((name) => given[name]), ...(options.length > 0 ? [Object.fromEntries(options)] : [])];
}
