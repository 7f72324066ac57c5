import type { AnyArray } from "../../src/algebra/arrays.ts";
import type { NarrowName } from "../../src/algebra/types.ts";
import { isSameType } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { givenAs } from "../../src/plan/ranges.ts";
import type { Arguments, Filled } from "../../src/primitives/example_calls.ts";
import { asArray } from "../../src/primitives/example_calls.ts";
import type { ExampleLayout } from "../../src/primitives/examples.ts";
import type { Request, Result } from "../../src/primitives/primitive.ts";
import type { Described } from "../support/primitives.ts";
import { requestFor } from "../support/request_for.ts";
import type { Fixture } from "./fixture.ts";
import { requireEqual } from "./require_equal.ts";
import type { Sorting } from "./sortings.ts";
import type { DataSpec, TypeSpec } from "./values.ts";
import type { Verdict } from "./verdict.ts";
import { Fault, oneLine } from "./verdict.ts";

// A call of a described primitive, with what all of its forms share.

export const places = ["at hand", "uploaded", "wrapped", "counted", "recorded"] as const;

/** Its memory is shared; it is gone before the call; it goes, or becomes shorter, during the call. */
export const hazards = ["shared", "detached", "transferred", "shrunk"] as const;
export type Hazard = (typeof hazards)[number];

/** What is called. */
export interface DescribedSpec {
  readonly primitive: string;
  readonly type: TypeSpec | NarrowName;
  /** The room of arrays whose length is on the GPU, and what recordings are prepared for. */
  readonly maxLength: number;
  /** Which of the primitive's examples it is, and the seed that they come from. */
  readonly example: number;
  readonly seed: number;
  /** Options beside those of the example. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Whether recordings take the length from the GPU. */
  readonly lengthOnGpu?: boolean;
  /** Whether numbers in texts are params. */
  readonly params?: boolean;
  /** How recordings of a sort are planned, if not as calls are. */
  readonly sorting?: Sorting;
}

export interface DescribedStep {
  readonly place: (typeof places)[number];
  readonly length: number;
  readonly data: DataSpec;
  /** The items before each range, and before each array in a buffer of the caller's. */
  readonly before: number;
  readonly firstIndex?: number;
  /** How ranges share buffers, or what calls take as `into`. A primitive that need not take it may refuse it. Then it is called without. */
  readonly layout?: ExampleLayout;
  /** Of calls that take `into`: the items before that array in a buffer of the caller's. */
  readonly into?: number;
  /** What becomes of an array at hand, by its number among those that are only read. Then there is no `into`. */
  readonly hazard?: { readonly kind: Hazard; readonly operand: number };
  /** Whether further calls on the GPU take the first result. */
  readonly isChained?: boolean;
}

/** What all steps of a case have in common. */
export interface Called {
  readonly spec: DescribedSpec;
  readonly described: Described;
  readonly fixture: Fixture;
  readonly title: string;
  readonly mustWork: boolean;
  /** The names and the types of the results. */
  readonly results: readonly Result[];
}

/** Whether a refusal is right. @throws {Fault} if the call must work. */
export function refused(
  { title, mustWork }: Pick<Called, "title" | "mustWork">,
  refusal: Error,
  hasResult: boolean,
): Verdict {
  if (mustWork && hasResult && refusal.name !== "LimitError") {
    throw new Fault(`${title} is refused, and must work: ${oneLine(refusal)}`);
  }
  return "refused";
}

export type Given = Arguments & { readonly isCounted: boolean };

/** What follows from the arguments of a call. */
export function requestOf(
  { described: { primitive, examples }, fixture }: Pick<Called, "described" | "fixture">,
  given: Given,
  options: object,
): Request {
  const request = requestFor(contextOf(fixture.fold.device).facts, primitive, given, options);
  const elements = examples.elements?.(request.options as Readonly<Record<string, unknown>>) ?? [];
  const results = request.results.map((one) =>
    elements.includes(one.name) ? { ...one, isElement: true } : one,
  );
  return { ...request, results };
}

/** The bytes of a range once a result is stored there. If the result has gaps, the bytes in these stay as they were. */
export function stored(
  before: Uint8Array,
  result: Result,
  elements: Uint8Array,
  { operands }: Given,
): Uint8Array {
  const after = before.slice();
  after.set(elements);
  if (result.hasGaps) {
    const [begins, ends] = ["begins", "ends"].map((name) => {
      const one = operands.find(({ operand }) => operand.name === name);
      return one ? [...(asArray(one) as Uint32Array)] : [];
    }) as [number[], number[]];
    for (const [gap, from] of [0, ...ends].entries()) {
      const [start, end] = [from, begins[gap] ?? before.length].map((place) => place * result.type.bytes);
      after.set(before.subarray(start, end), start);
    }
  }
  return after;
}

/** The results of a call, by their names. */
export function resultsOf(
  results: readonly Result[],
  made: unknown,
): readonly (readonly [Result, unknown])[] {
  // Those of lists are in the order of the results.
  const isListed = results.some(({ name }) => name !== givenAs(name));
  const named = isListed ? Object.values(Object(made)).flat() : results.map(({ name }) => Object(made)[name]);
  return results.map((one, at) => [one, results.length === 1 ? made : named[at]]);
}

/** Whether a call takes `into`: it gives one array, but for counts. */
export const takesInto = ({ described: { primitive }, results }: Called): boolean =>
  "into" in { ...primitive.callOptions } && results.filter(({ range }) => range !== "count").length === 1;

/** The operand in whose place a result may lie: for the first one, the input, and for others, what they are like. */
export const placeOf = (
  result: Result,
  results: readonly Result[],
  { operands }: Given,
): Filled | undefined =>
  operands.find(
    ({ operand, type, room }) =>
      (operand.range === "input" ? result === results[0] : operand.name === result.like) &&
      result.type.bytes === type.bytes &&
      result.most <= room,
  );

/** The input, if it is given as `into`. */
export const intoItself = (called: Called, given: Given, { layout }: DescribedStep): Filled | undefined => {
  const [first] = called.results as readonly [Result];
  const input = placeOf(first, called.results, given);
  const { type } = first;
  return layout === "in place" && takesInto(called) && input && isSameType(type, input.type)
    ? input
    : undefined;
};

/** Requires that a call has left its operands as they were, but for those that it writes. @throws {Fault} */
export async function requireUnchanged(
  operands: readonly Filled[],
  written: unknown,
  nowOf: (one: Filled) => AnyArray | Promise<AnyArray>,
  arrays: Readonly<Record<string, unknown>>,
  title: string,
): Promise<void> {
  for (const one of operands) {
    const { name, isWritten } = one.operand;
    if (!isWritten && arrays[name] !== written) {
      requireEqual(await nowOf(one), asArray(one), `after ${title}, ${name}`);
    }
  }
}
