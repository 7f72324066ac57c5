import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { requireScalar, requireSide } from "../plan/require_scalar.ts";
import type { SearchTuning } from "../plan/search.ts";
import { planSearch } from "../plan/search.ts";
import type { Examples } from "./examples.ts";
import { between } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Primitive } from "./primitive.ts";
import type { BufferRange, Length, PartOption, PreparedPrimitive } from "./ranges.ts";

/** The options of `searchSorted`. */
export interface HandSearchOptions<Name extends string> extends SearchTuning {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** Where a search reads and writes. */
export interface SearchRanges extends PartOption {
  /** The sorted items, in ascending order. */
  readonly sorted: BufferRange;
  /** How many there are. */
  readonly sortedLength: number;
  /** The values to look for. */
  readonly input: BufferRange;
  /** A u32 for each value: its place. It must be in another buffer than the ranges that are read. */
  readonly output: BufferRange;
  /** The number of values. */
  readonly length: Length;
}

/** A search in sorted items, compiled. */
export interface PreparedSearchSorted extends PreparedPrimitive<SearchRanges> {}

/** The place of each value in a sorted array. */
export const searchSorted: Primitive<HandSearchOptions<string>, "sorted" | "values", "places"> = {
  name: "searchSorted",
  onCpu: "searches",
  operands: [
    { name: "sorted", range: "sorted", isNamed: true, count: "sortedCount" },
    { name: "values", range: "input", isNamed: true },
  ],
  options: {
    type: "type",
    side: ["left", "right"],
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<HandSearchOptions<string>>,
  request({ types: { sorted, values }, lengths, options }) {
    const type = requireScalar(sorted, "searchSorted", "sorted");
    const title = `searchSorted<${type.name}>`;
    if (values === undefined || !isSameType(type, values)) {
      throw new ArgumentError(
        `${title}: values holds ${values?.name}; it takes ${type.name}, as sorted holds`,
        "values",
      );
    }
    requireSide(options.side, title);
    return {
      title,
      options: { ...options, type },
      numbers: { sortedLength: lengths.sorted ?? 0 },
      results: [
        {
          name: "places",
          range: "output",
          type: u32,
          most: lengths.values ?? 0,
          length: "input",
          shape: "input",
        },
      ],
    };
  },
  plan: planSearch,
};

export const searchSortedHelp: HelpOf<typeof searchSorted> = {
  summary: "find the place of each value among sorted elements",
  says: "Finds the place of each value among sorted elements, as <u4: the number of elements that come before it. The result has the values' shape.",
  operands: {
    sorted: "the elements, in ascending order",
    values: "the values to look for, of the same type",
  },
  options: {
    side: "the place of a value among equal elements: before them (left, the default) or behind them (right)",
  },
  results: { places: "where the places go" },
  ways: {
    search_sorted: () => ({
      way: "one dispatch: each thread searches for its own values",
      why: ["No search waits for another one."],
      table: "search",
    }),
  },
};

/** Searches in few elements, and in as many as there are values or more. */
export const searchSortedExamples: Examples<HandSearchOptions<string>> = {
  of: (type, length, random) =>
    type.kind === "struct"
      ? []
      : [between(random, 0, 9), between(random, 0, 2 * length + 9)].map((entries) => ({
          options: {},
          operands: { sorted: { type, length: entries, contents: "ascending" } },
        })),
};

export const described: readonly Described[] = [
  { primitive: searchSorted, help: searchSortedHelp, examples: searchSortedExamples },
];
