import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Planned, Told } from "../plan/explain_way.ts";
import { loadSelectedAndSorted } from "../plan/load_selected_and_sorted.ts";
import type { Plan } from "../plan/plan.ts";
import type { TopKOptions, TopKOrder, TopKRowsOptions } from "../plan/select.ts";
import { requireWhole } from "../plan/sort_key.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Examples } from "./examples.ts";
import { between, keysOf, ordersOf, rowsWithin } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import { orderHelp } from "./help.ts";
import type { NthRanges } from "./nth.ts";
import { requireOrder } from "./nth.ts";
import type { Given, Primitive } from "./primitive.ts";
import type { BufferRange, PreparedPrimitive } from "./ranges.ts";
import type { Starts, StartsOptions } from "./sort_starts.ts";
import { areStartsOnGpu, starts as startOperands, startsOf } from "./sort_starts.ts";
import { shortSegments, sortCountedAtOnce, sortCountedByPass } from "./sort_ways.ts";

/** The options of `topK`. */
export interface HandTopKOptions<Name extends string> extends TopKOrder, CallParamsOption {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
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
   * each segment. It is in another buffer than the input. With `segments: "offsets"` or `"begins"`, it has `k` places for each segment: if a segment has
   * fewer elements, all bits of the last places are 0.
   */
  readonly output: BufferRange;
  /** Receives the elements' positions, as u32. That of a place without an element is 4294967295. */
  readonly indices: BufferRange;
  /** With `segments: "rows"`: the items of a row. They divide the length. */
  readonly rows?: number;
  /** With `segments: "offsets"`: where each segment starts, and where the last one ends, as u32. They start from 0, and end with the length. */
  readonly offsets?: BufferRange;
  /** With `segments: "begins"`: where each segment begins, as u32. Segments ascend, and do not overlap. Between two of them may be other items. */
  readonly begins?: BufferRange;
  /** With `segments: "begins"`: where each segment ends, as u32: the position behind its last item. */
  readonly ends?: BufferRange;
  /** With `segments: "offsets"` and `"begins"`: how many segments there are. */
  readonly segmentCount?: number;
  /** With `lengthOnGpu` and without `segments`: receives how many elements were taken, as a u32. It is in another buffer than all other ranges. */
  readonly count?: BufferRange;
}

/** A selection of the first elements, compiled and with its scratch allocated. */
export interface PreparedTopK extends PreparedPrimitive<TopKRanges> {}

type Options = HandTopKOptions<string> & StartsOptions & { readonly k: number };

/** Where the segments of a call start. Of rows, the length is known. @throws {ArgumentError} */
function requireStarts(given: Given<Options>, title: string): Starts {
  if (given.isCounted && given.options.segments !== undefined && !areStartsOnGpu(given)) {
    throw new ArgumentError(
      `${title} of rows takes no length on the GPU; it takes an array whose length is known`,
      "data",
    );
  }
  return startsOf(given, title);
}

/** Plans a selection from all items, or from each segment. */
async function plan(options: TopKOptions | TopKRowsOptions, facts: DeviceFacts): Promise<Plan> {
  const { planTopK, planTopKRows } = await loadSelectedAndSorted();
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
export const topK: Primitive<Options, "data" | "offsets" | "begins" | "ends", "values" | "indices"> = {
  name: "topK",
  onCpu: "selections",
  operands: [{ name: "data", range: "input", isNamed: true }, ...startOperands],
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
    maxSegmentLength: "count",
  } satisfies OptionTable<HandTopKOptions<string> & StartsOptions>,
  planOptions: { k: "count" } satisfies OptionTable<Pick<TopKRowsOptions, "k">>,
  request(given) {
    const { lengths, isCounted } = given;
    const { segments: _, maxSegmentLength: __, k, ...others } = given.options;
    const { type, title } = requireOrder("topK", given);
    requireWhole(k, 1, title, "k");
    const { planned, ...starts } = requireStarts(given, title);
    const { rows, segmentCount } = starts.numbers ?? {};
    const { data: length = 0 } = lengths;
    // A segment between offsets has as many places as are asked for.
    const taken = segmentCount === undefined ? Math.min(k, rows ?? length) : k;
    const shape = planned && [segmentCount ?? length / (rows as number), taken];
    const most = taken * (shape?.[0] ?? 1);
    const made = {
      most,
      ...(isCounted && !planned && { length: "count" as const }),
      ...(shape && { shape }),
    };
    return {
      title,
      options: { ...others, ...planned, k, type },
      ...starts,
      results: [
        { name: "values", range: "output", type, like: "data", ...made },
        { name: "indices", range: "indices", type: u32, ...made },
      ],
      // What is taken is sorted; of segments, keys and positions of all elements may be there twice.
      scratchBytes: 2 * most * (type.bytes + 28) + (planned ? 40 * length : 0),
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
  says: "Takes the greatest elements, the greatest first, in one dimension; with --rows or --offsets, those of each segment, in two. If a segment between offsets has fewer, its last elements are 0, and their positions 4294967295. Of equal elements it takes the first ones. nan is the greatest of the floats.",
  operands: {
    data: "the elements",
    offsets: "where segments start",
    begins: "where segments begin",
    ends: "where they end",
  },
  options: {
    k: "how many elements; if there are fewer, all",
    smallest: "take the least elements, the least first",
    ...orderHelp,
  },
  tries: { "the first eight": { k: 8 } },
  segments: ["rows", "offsets", "begins"],
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

/** Few elements, many, more than there are, and some of each row, and of each segment. */
export const topKExamples: Examples<Options> = {
  positions: ["indices"],
  tuning: ["maxSegmentLength"],
  of: (type, length, random) => [
    ...ordersOf(type, random).flatMap(({ options, ...others }) => [
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
    ...[undefined, Math.max(1, length)].map((most) => ({
      ...keysOf(type)[0],
      options: {
        ...(({ twins: _, ...key }) => key)(keysOf(type)[0]),
        k: between(random, 1, 9),
        ...(most && { maxSegmentLength: most }),
      },
      operands: { offsets: { type: u32, length: between(random, 2, 9), contents: "offsets" } as const },
    })),
    ...[between(random, 1, 9)].map((segments) => ({
      ...keysOf(type)[0],
      options: { ...(({ twins: _, ...key }) => key)(keysOf(type)[0]), k: between(random, 1, 9) },
      operands: {
        begins: { type: u32, length: segments, contents: "begins" } as const,
        ends: { type: u32, length: segments, contents: "ends" } as const,
      },
    })),
  ],
  // A row has as many elements, or the most that divide the length.
  forLength: ({ segments, ...others }, length) => ({
    ...others,
    ...(segments !== undefined && {
      segments: { rows: rowsWithin((segments as { readonly rows: number }).rows, length) },
    }),
  }),
};

export const described: readonly Described[] = [{ primitive: topK, help: topKHelp, examples: topKExamples }];
