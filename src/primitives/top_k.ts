import { u32 } from "../algebra/integers.ts";
import { requireKind, requireRows } from "../algebra/segments.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Planned, Told } from "../plan/explain_way.ts";
import type { Plan } from "../plan/plan.ts";
import type { TopKOptions, TopKOrder, TopKRowsOptions } from "../plan/select.ts";
import { planTopK } from "../plan/select.ts";
import { planTopKRows } from "../plan/select_rows.ts";
import { requireWhole } from "../plan/sort_key.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Examples } from "./examples.ts";
import { between, rowsWithin } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import { orderHelp } from "./help.ts";
import type { NthRanges } from "./nth.ts";
import { ordersOf, requireOrder } from "./nth.ts";
import type { Given, Primitive } from "./primitive.ts";
import type { BufferRange, PreparedPrimitive } from "./ranges.ts";
import { shortSegments, sortCountedAtOnce, sortCountedByPass } from "./sort_ways.ts";

/** The options of `topK`. */
export interface HandTopKOptions<Name extends string> extends TopKOrder, CallParamsOption {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** Takes the first elements of each row. The results have those of the first row, then those of the second one, and so on. */
  readonly segments?: {
    /** The elements of a row. They divide the length. */
    readonly rows: number;
  };
}

/** The first elements in an order, and where they are in the data. */
export interface TopK<Values, Indices> {
  /** The elements, the first one first. */
  readonly values: Values;
  /** The position of each in the data. */
  readonly indices: Indices;
}

/** Where a selection of the first elements reads and writes. */
export interface TopKRanges extends NthRanges {
  /**
   * Receives the elements, the first one first: as many as were asked for, or fewer if there are fewer; with `segments`, those of
   * each row. It is in another buffer than the input.
   */
  readonly output: BufferRange;
  /** Receives the elements' positions, as u32. */
  readonly indices: BufferRange;
  /** With `segments: "rows"`: the items of a row. They divide the length. */
  readonly rows?: number;
  /** With `lengthOnGpu`: receives how many elements were taken, as a u32. It is in another buffer than all other ranges. */
  readonly count?: BufferRange;
}

/** A selection of the first elements, compiled and with its scratch allocated. */
export interface PreparedTopK extends PreparedPrimitive<TopKRanges> {}

type Options = HandTopKOptions<string> & { readonly k: number };

/** The elements of a row; undefined if all elements are one. @throws {ArgumentError} */
function rowsOf({ options: { segments }, lengths, isCounted }: Given<Options>, title: string) {
  if (segments === undefined) {
    return undefined;
  }
  const [kind, rows] = requireKind(segments, title);
  if (kind !== "rows") {
    refuse(title, "segments", `{ ${kind} }`, "{ rows }");
  }
  if (isCounted) {
    throw new ArgumentError(
      `${title} of rows takes no length on the GPU; it takes an array whose length is known`,
      "data",
    );
  }
  return requireRows(kind, rows, lengths.data, title);
}

/** Plans a selection from all items, or from each row. */
function plan(options: TopKOptions | TopKRowsOptions, facts: DeviceFacts): Plan {
  if ("segments" in options && options.segments !== undefined) {
    return planTopKRows(options, facts);
  }
  const { maxSegmentLength } = options as Partial<TopKRowsOptions>;
  if (maxSegmentLength !== undefined) {
    refuse("topK", "maxSegmentLength", shown(maxSegmentLength), "a number only beside segments");
  }
  return planTopK(options, facts);
}

/** The first elements in an order, and their positions. */
export const topK: Primitive<Options, "data", "values" | "indices"> = {
  name: "topK",
  onCpu: "selections",
  operands: [{ name: "data", range: "input", isNamed: true }],
  numbers: ["k"],
  options: {
    type: "type",
    key: "expression",
    params: "params",
    keyType: "type",
    bits: "numbers",
    smallest: "boolean",
    passes: ["single", "reduce-then-scan"],
    segments: true,
  } satisfies OptionTable<HandTopKOptions<string>>,
  planOptions: { k: "count", maxSegmentLength: "count" } satisfies OptionTable<
    Pick<TopKRowsOptions, "k" | "maxSegmentLength">
  >,
  request(given) {
    const { lengths, isCounted } = given;
    const { segments, k, ...others } = given.options;
    const { type, title } = requireOrder("topK", given);
    requireWhole(k, 1, title, "k");
    const rows = rowsOf(given, title);
    const { data: length = 0 } = lengths;
    const taken = Math.min(k, rows ?? length);
    const most = rows === undefined ? taken : taken * (length / rows);
    const made = {
      most,
      ...(isCounted && { length: "count" as const }),
      ...(rows !== undefined && { shape: [length / rows, taken] }),
    };
    return {
      title,
      // Plans are for the next power of two, so that they are shared.
      options: {
        ...others,
        ...(rows !== undefined && { segments: "rows", maxSegmentLength: 2 ** Math.ceil(Math.log2(rows)) }),
        k,
        type,
      },
      ...(rows !== undefined && { numbers: { rows } }),
      results: [
        { name: "values", range: "output", type, like: "data", ...made },
        { name: "indices", range: "indices", type: u32, ...made },
      ],
      // What is taken is sorted; of rows, keys and positions of all elements may be there twice.
      scratchBytes: 2 * most * (type.bytes + 28) + (rows === undefined ? 0 : 24 * length),
    };
  },
  plan,
};

/** How blocks of elements are chosen, for `wavefold explain`. */
const byBlocks = ({ passes }: Planned): Told => ({
  way: `by blocks: the first key of each block tells which blocks to look at again${
    passes.some(({ kernel }) => kernel.entryPoint === "take_blocks") ? "; what is taken is sorted" : ""
  }`,
  why: ["The elements to take are so few that one work-group can choose their blocks."],
  table: "select",
});

export const topKHelp: HelpOf<typeof topK> = {
  summary: "take the greatest elements, or the least",
  says: "Takes the greatest elements, the greatest first, in one dimension; with --rows, those of each row, in two. Of equal elements it takes the first ones. nan is the greatest of the floats.",
  operands: { data: "the elements" },
  options: {
    k: "how many elements; if there are fewer, all",
    smallest: "take the least elements, the least first",
    ...orderHelp,
  },
  tries: { "the first eight": { k: 8 } },
  segments: ["rows"],
  results: { values: "where the elements go", indices: "where the positions of the elements go, as <u4" },
  ways: {
    histogram: sortCountedAtOnce,
    count_digits: sortCountedByPass,
    sort_short_segments: shortSegments,
    sort_segments_in_threads: shortSegments,
    sort_keys_in_threads: shortSegments,
    sort_segments: shortSegments,
    first_of_blocks: byBlocks,
    first_of_tiles: byBlocks,
    take_first: () => ({
      way: "one dispatch of one work-group",
      why: ["There are no more elements than one work-group looks at."],
      table: "select",
    }),
    begin_selection: () => ({
      way: "by digits: the last element to take is found digit by digit, all up to it are kept, and these are sorted",
      why: ["The elements to take are too many for one work-group to choose their blocks."],
      table: "select",
    }),
  },
};

/** Few elements, many, more than there are, and some of each row. */
export const topKExamples: Examples<Options> = {
  positions: ["indices"],
  of: (type, length, random) =>
    ordersOf(type, random).flatMap(({ options, ...others }) => [
      { ...others, options: { ...options, k: between(random, 1, 40) } },
      { ...others, options: { ...options, k: between(random, 1, length + 9) } },
      {
        ...others,
        options: {
          ...options,
          k: between(random, 1, 40),
          segments: { rows: between(random, 1, Math.max(1, length)) },
        },
        isLengthKnown: true,
      },
    ]),
  // A row has as many elements, or the most that divide the length.
  forLength: ({ segments, ...others }, length) => ({
    ...others,
    ...(segments && { segments: { rows: rowsWithin(segments.rows, length) } }),
  }),
};

export const described: readonly Described[] = [{ primitive: topK, help: topKHelp, examples: topKExamples }];
