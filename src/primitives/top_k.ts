import { isOnGpu, requireMemory } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import { powerOfTwoFor } from "../algebra/power_of_two.ts";
import type { ElementType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { loadSelectedAndSorted } from "../parts.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Planned, Told } from "../plan/explain_way.ts";
import type { Plan } from "../plan/plan.ts";
import type { TopKOptions, TopKOrder, TopKRowsOptions } from "../plan/select.ts";
import { requireWhole } from "../plan/sort_key.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { ExampleArray, Examples } from "./examples.ts";
import { between, keysOf, ordersOf, pick, rowsWithin } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import { orderHelp } from "./help.ts";
import type { NthRanges } from "./nth.ts";
import { requireOrder } from "./nth.ts";
import type { Given, Primitive, Request } from "./primitive.ts";
import { keyedOptions, requireU32 } from "./primitive.ts";
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

/** The first elements of each segment, where each segment has a number of its own. */
export interface TopKOfEach<Values, Indices> extends TopK<Values, Indices> {
  /** Where the results of each segment start, and where those of the last one end: one number more than there are segments. */
  readonly offsets: Indices;
}

/** Where a selection of the first elements reads and writes. */
export interface TopKRanges extends NthRanges {
  /**
   * Receives the elements, the first one first: as many as were asked for, or fewer if there are fewer; with `segments`, those of
   * each segment. It is in another buffer than the input. With `segments: "offsets"` or `"begins"`, it has `k` places for each segment: if a segment has
   * fewer elements, all bits of the last places are 0. With `k: u32`, the results of a segment follow those of the segment before.
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
  /** With `k: u32`: how many elements to take of each segment, as u32. Of a segment that has fewer, all are taken. */
  readonly k?: BufferRange;
  /**
   * With `k: u32`: how many elements `output` and `indices` have room for. Those past that many are left out. The default is room for all that
   * there can be: the length, or `maxK` for each segment if that is less.
   */
  readonly outputLength?: number;
  /**
   * With `k: u32`: receives where the results of each segment start, and where those of the last one end, as u32. They are the same if there
   * is less room. They are in another buffer than the results.
   */
  readonly outputOffsets?: BufferRange;
  /**
   * With `k: u32`, or with `lengthOnGpu` and without `segments`: receives how many elements were stored, as a u32. It is in another buffer than
   * all other ranges.
   */
  readonly count?: BufferRange;
}

/** A selection of the first elements, compiled and with its scratch allocated. */
export interface PreparedTopK extends PreparedPrimitive<TopKRanges> {}

type Options = HandTopKOptions<string> &
  StartsOptions & {
    readonly maxK?: number;
    /** A number; or at hand, an array of numbers. If that is on the GPU, it is an operand. Nobody has checked it. */
    readonly k: unknown;
  };

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

/** The numbers of the segments, if each has one of its own. */
interface EachNumber {
  /** The numbers, if they are at hand. */
  readonly k?: Uint32Array;
}

/** What says how many elements to take of each segment; undefined if that is one number. @throws {ArgumentError} */
function eachNumberOf(
  { types, lengths, counted, options: { k, maxK } }: Given<Options>,
  segments: number | undefined,
  title: string,
): EachNumber | undefined {
  const isThere = types.k !== undefined;
  const { length } = Object(k) as ArrayLike<unknown>;
  const isArray = isThere || isOnGpu(k) || (typeof k === "object" && typeof length === "number");
  if (!isArray) {
    requireWhole(k, 1, title, "k");
    if (maxK !== undefined) {
      refuse(title, "maxK", shown(maxK), "a number only beside a k that is an array");
    }
    return undefined;
  }
  const most = maxK === undefined ? 0xffffffff : requireWhole(maxK, 1, title, "maxK");
  if (segments === undefined) {
    refuse(title, "k", "an array", "a whole number, or beside segments an array with a number for each");
  }
  if (!isThere) {
    if (isOnGpu(k)) {
      throw new ArgumentError(
        `${title}: k is on the GPU, and data is not; fold.upload(data) puts it there`,
        "k",
      );
    }
    requireMemory(title, "k", k, "k");
  }
  if (counted?.includes("k")) {
    refuse(title, "k", "an array with a length on the GPU", "one whose length is on the CPU");
  }
  const count = lengths.k ?? length;
  if (count !== segments) {
    refuse(title, "k", `${count} numbers for ${segments} segments`, "one for each");
  }
  if (isThere) {
    requireU32(types.k, "k", title);
    return {};
  }
  return {
    k: Uint32Array.from(k as ArrayLike<number>, (one, at) => {
      if (!(Number.isInteger(one) && one >= 0 && one <= 0xffffffff)) {
        throw new ArgumentError(
          `${title}: k[${at}] is ${shown(one)}; it takes a whole number from 0 to 2^32 - 1`,
          "k",
        );
      }
      return Math.min(one, most);
    }),
  };
}

/** How many elements are taken of all segments. */
function totalOf(k: Uint32Array, { numbers, words }: Starts): number {
  const { offsets, begins = offsets, ends = offsets?.subarray(1) } = words ?? {};
  return k.reduce(
    (total, one, at) =>
      total +
      Math.min(one, begins && ends ? (ends[at] as number) - (begins[at] as number) : (numbers?.rows ?? 0)),
    0,
  );
}

/** A call with a number for each segment, which was checked. */
interface EachCall {
  readonly type: ElementType;
  readonly title: string;
  /** The elements of the data, and the segments. */
  readonly length: number;
  readonly segments: number;
  /** The options beside k and the segments. */
  readonly options: { readonly maxK?: number };
}

/** What follows from a number for each segment. */
function requestOfEach(
  { k }: EachNumber,
  { planned, ...starts }: Starts,
  { type, title, length, segments, options }: EachCall,
): Request<"values" | "indices" | "offsets"> {
  const { maxK } = options;
  const most = k ? totalOf(k, starts) : Math.min(length, segments * (maxK ?? length));
  const made = { most, length: "count" } as const;
  // Plans are for the next power of two, so that they are shared.
  const greatest = k?.reduce((one, other) => Math.max(one, other), 1);
  const ofRows = { maxK: greatest === undefined ? maxK : powerOfTwoFor(Math.min(greatest, length || 1)) };
  const ofOthers = { maxK, maxSegmentCount: powerOfTwoFor(Math.max(1, segments)) };
  return {
    title,
    // There are no more rows than elements, and only of rows it matters how many are taken.
    options: {
      ...options,
      ...planned,
      ...(planned?.segments === "rows" ? ofRows : ofOthers),
      k: u32,
      type,
    },
    ...starts,
    numbers: { ...starts.numbers, outputLength: most },
    ...(k && { words: { ...starts.words, k } }),
    results: [
      { name: "values", range: "output", type, like: "data", ...made },
      { name: "indices", range: "indices", type: u32, ...made },
      { name: "offsets", range: "outputOffsets", type: u32, most: segments + 1 },
    ],
    // Keys and positions of all elements may be there twice; and of each segment, its begin and its count.
    scratchBytes: 48 * length + 16 * segments,
  };
}

/** Plans a selection from all items, or from each segment. */
async function plan(options: TopKOptions | TopKRowsOptions, facts: DeviceFacts): Promise<Plan> {
  const { planTopK, planTopKRows } = await loadSelectedAndSorted();
  if ("segments" in options && options.segments !== undefined) {
    return planTopKRows(options, facts);
  }
  const { maxSegmentLength, maxSegmentCount, maxK, k } = options as Partial<TopKRowsOptions>;
  for (const [name, given] of Object.entries({ maxSegmentLength, maxSegmentCount, maxK })) {
    if (given !== undefined) {
      refuse("topK", name, shown(given), "a number only beside segments");
    }
  }
  if (typeof k === "object") {
    refuse("topK", "k", k?.name ?? shown(k), "a whole number from 1, or u32 beside segments");
  }
  return planTopK(options as TopKOptions, facts);
}

/** The first elements in an order, and their positions. */
export const topK: Primitive<
  Options,
  "data" | "offsets" | "begins" | "ends" | "k",
  "values" | "indices" | "offsets"
> = {
  name: "topK",
  onCpu: "selections",
  operands: [
    { name: "data", range: "input", isNamed: true },
    ...startOperands,
    { name: "k", range: "k", inside: "k" },
  ],
  numbers: ["k"],
  options: {
    ...keyedOptions,
    bits: "numbers",
    smallest: "boolean",
    passes: ["single", "reduce-then-scan"],
    segments: true,
    maxSegmentLength: "count",
    maxK: "count",
  } satisfies OptionTable<HandTopKOptions<string> & StartsOptions & Pick<Options, "maxK">>,
  planOptions: { k: "counts", maxSegmentCount: "count" } satisfies OptionTable<
    Pick<TopKRowsOptions, "k" | "maxSegmentCount">
  >,
  request(given) {
    const { lengths, isCounted } = given;
    const { segments: _, maxSegmentLength: __, k, ...others } = given.options;
    const { type, title } = requireOrder("topK", given);
    const { planned, ...starts } = requireStarts(given, title);
    const { rows, segmentCount } = starts.numbers ?? {};
    const { data: length = 0 } = lengths;
    const segments = rows === undefined ? segmentCount : length / rows;
    const each = eachNumberOf(given, segments, title);
    if (each && segments !== undefined) {
      return requestOfEach(
        each,
        { ...(planned && { planned }), ...starts },
        { type, title, length, segments, options: others },
      );
    }
    const one = k as number;
    // A segment between offsets has as many places as are asked for.
    const taken = segmentCount === undefined ? Math.min(one, rows ?? length) : one;
    const shape = planned && [segments as number, taken];
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
  says: "Takes the greatest elements, the greatest first, in one dimension; with --rows or --offsets, those of each segment, in two. If a segment between offsets has fewer, its last elements are 0, and their positions 4294967295. With a number for each segment, the elements of all segments go one after another, in one dimension. Of equal elements it takes the first ones. nan is the greatest of the floats.",
  operands: {
    data: "the elements",
    offsets: "where segments start",
    begins: "where segments begin",
    ends: "where they end",
    k: "how many elements of each segment",
  },
  options: {
    k: "how many elements; if there are fewer, all",
    smallest: "take the least elements, the least first",
    ...orderHelp,
  },
  tries: { "the first eight": { k: 8 } },
  segments: ["rows", "offsets", "begins"],
  results: {
    values: "where the elements go",
    indices: "where the positions of the elements go, as <u4",
    offsets:
      "with a -k of several numbers: where the offsets go between which each segment's elements lie, as <u4",
  },
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
  tuning: ["maxSegmentLength", "maxSegmentCount", "maxK"],
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
    // A number for each segment.
    ...ordersOf(type, random).flatMap(({ options, ...others }) => {
      const most = Math.max(1, length);
      const [rows, segments] = [rowsWithin(between(random, 1, most), most), between(random, 1, 9)];
      const each = (of: NonNullable<ExampleArray["length"]>): ExampleArray => ({
        type: u32,
        length: of,
        contents: { below: pick(random, [3, 40]) },
      });
      return [
        {
          ...others,
          options: { ...options, segments: { rows }, ...pick(random, [{}, { maxK: 40 }]) },
          operands: { k: each((count) => count / rowsWithin(rows, count)) },
          isLengthKnown: true,
        },
        {
          ...others,
          options: {
            ...options,
            ...pick<Partial<Options>>(random, [
              {},
              { maxSegmentLength: most },
              { maxSegmentLength: most, maxK: 40 },
            ]),
          },
          operands: {
            offsets: { type: u32, length: segments + 1, contents: "offsets" } as const,
            k: each(segments),
          },
        },
        {
          ...others,
          options,
          operands: {
            begins: { type: u32, length: segments, contents: "begins" } as const,
            ends: { type: u32, length: segments, contents: "ends" } as const,
            k: each(segments),
          },
        },
      ];
    }),
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
