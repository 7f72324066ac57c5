import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { loadSelectedAndSorted } from "../parts.ts";
import { requireFeature } from "../plan/require_feature.ts";
import type { NthOptions } from "../plan/select.ts";
import type { SortKeyOptions } from "../plan/sort_key.ts";
import { requireBits, requireKey, requireWhole } from "../plan/sort_key.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Examples } from "./examples.ts";
import { between, ordersOf } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import { orderHelp } from "./help.ts";
import type { Given, Primitive } from "./primitive.ts";
import { keyedOptions } from "./primitive.ts";
import type { BufferRange, Length, ParamsRange, PreparedPrimitive } from "./ranges.ts";

/** The options of `nth`. */
export interface HandNthOptions<Name extends string> extends SortKeyOptions, CallParamsOption {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** An element, and where it is in the data. */
export interface Nth<V, Index> {
  /** The element. */
  readonly value: V;
  /** Its position in the data. */
  readonly index: Index;
}

/** Where a selection of one element reads and writes. */
export interface NthRanges extends ParamsRange {
  /** The items. */
  readonly input: BufferRange;
  /**
   * Receives the element. It is in another buffer than the input. If there are `n` items or fewer, it receives the last one of the
   * order. If there are none, nothing is written.
   */
  readonly output: BufferRange;
  /** Receives the element's position, as a u32. */
  readonly indices: BufferRange;
  /** The number of items. */
  readonly length: Length;
  /** The position of the first item. Positions count from it, modulo 2^32. The default is 0. */
  readonly firstIndex?: number;
}

/** A selection of one element, compiled and with its scratch allocated. */
export interface PreparedNth extends PreparedPrimitive<NthRanges> {}

type Options = HandNthOptions<string> & { readonly n: number };

/** The type of the elements, and how messages begin, of what takes elements in an order. @throws {ArgumentError} {@link FeatureError} */
export function requireOrder(
  name: string,
  { types: { data }, options, facts }: Given<SortKeyOptions>,
): { readonly type: ElementType; readonly title: string } {
  const type = requireType(data, name, "data");
  const title = `${name}<${type.name}>`;
  const key = requireKey(options, type, title);
  requireBits(options.bits, key, title);
  requireFeature(key.type, title, facts);
  return { type, title };
}

/** The element that has `n` others before it in an order, and its position. */
export const nth: Primitive<Options, "data", "value" | "index"> = {
  name: "nth",
  onCpu: "selections",
  operands: [{ name: "data", range: "input", isNamed: true }],
  numbers: ["n"],
  options: {
    ...keyedOptions,
    bits: "numbers",
    descending: "boolean",
  } satisfies OptionTable<HandNthOptions<string>>,
  planOptions: { n: "count" },
  request(given) {
    const { type, title } = requireOrder("nth", given);
    const { n } = given.options;
    requireWhole(n, 0, title, "n");
    const { data: length = 0 } = given.lengths;
    // If only the GPU knows the length, it is known here that there are none if there is no room for any.
    if (n >= length && !(given.isCounted && length > 0)) {
      throw new ArgumentError(
        length === 0
          ? `${title}: the array is empty, and the result is one of its elements`
          : `${title}: n is ${n}, and there are ${length} elements; it takes 0 to ${length - 1}`,
        length === 0 ? "data" : "n",
      );
    }
    return {
      title,
      options: { ...given.options, type },
      results: [
        { name: "value", range: "output", type, most: 1, like: "data", isElement: true },
        { name: "index", range: "indices", type: u32, most: 1, isElement: true },
      ],
    };
  },
  plan: async (options: NthOptions, facts) => (await loadSelectedAndSorted()).planNth(options, facts),
};

export const nthHelp: HelpOf<typeof nth> = {
  summary: "find the element that a sort would put at place N",
  says: "Prints the index and the value, divided by a space, of the element that a sort would put at place N, alone on stdout.",
  operands: { data: "the elements" },
  options: {
    n: "how many elements come before it: 0 for the least, half of them for the median",
    descending: "count from the greatest",
    ...orderHelp,
  },
  tries: { "the fourth": { n: 3 } },
  prints: ["index", "value"],
  ways: {
    begin_selection: () => ({
      way: "by digits: the key of the element is found digit by digit, then its position",
      why: ["Which element it is takes no sort of the others."],
      table: "select",
    }),
  },
};

/** Any element, the first one and the last one, in any order. */
export const nthExamples: Examples<Options> = {
  positions: ["index"],
  of: (type, length, random) =>
    ordersOf(type, random).flatMap(({ options, ...others }) =>
      [0, between(random, 0, Math.max(0, length - 1)), Math.max(0, length - 1)].map((n) => ({
        ...others,
        options: { ...options, n },
      })),
    ),
  // If there are `n` elements or fewer, a recording takes the last one.
  forLength: ({ n = 0, ...others }, length) =>
    length === 0 ? undefined : { ...others, n: Math.min(n, length - 1) },
};

export const described: readonly Described[] = [{ primitive: nth, help: nthHelp, examples: nthExamples }];
