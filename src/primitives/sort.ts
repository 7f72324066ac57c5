import { u32 } from "../algebra/integers.ts";
import { longestOf, requireKind, requireRows, requireSegments } from "../algebra/segments.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { ArgumentError, refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import type { TuningOptions } from "../plan/options.ts";
import { tuningNames } from "../plan/options.ts";
import type { SortKeyOptions } from "../plan/sort_key.ts";
import { requireBits, requireKey, requireWhole } from "../plan/sort_key.ts";
import type { PreparedSortOptions } from "../plan/sort_with_values.ts";
import { planSortWithValues } from "../plan/sort_with_values.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Example, ExampleArray, Examples, Random } from "./examples.ts";
import { between, pick, rowsWithin } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import { orderHelp } from "./help.ts";
import { ordersOf } from "./nth.ts";
import type { Given, Operand, Primitive, Request, Result } from "./primitive.ts";
import type { BufferRange, Length, ParamsRange, PreparedPrimitive } from "./ranges.ts";
import { sortWays } from "./sort_ways.ts";

/** Elements in order, and their values in the same order. */
export interface Sorted<Keys, Values> {
  /** The elements, in order. */
  readonly keys: Keys;
  /** The values, in the order of their elements. */
  readonly values: Values;
}

/** Where a sort reads and writes. */
export interface SortRanges extends ParamsRange {
  /** The items. */
  readonly input: BufferRange;
  /** Receives the sorted items, or with `indices` their positions, as u32. It has room for as many as the input. */
  readonly output: BufferRange;
  /** The values of the items, or a list of as many ranges as there are types of values. */
  readonly values?: BufferRange | readonly BufferRange[];
  /** Receives the values in the order of the sorted items. It is a list if `values` is one. */
  readonly reordered?: BufferRange | readonly BufferRange[];
  /** The number of items. */
  readonly length: Length;
  /** The position of the first item. Positions count from it, modulo 2^32. The default is 0. */
  readonly firstIndex?: number;
  /** With `segments: "rows"`: the items of a row. They divide a length that the CPU knows. */
  readonly rows?: number;
  /** With `segments: "offsets"`: where each segment starts, and where the last one ends, as u32. They start from 0, and end with the length. */
  readonly offsets?: BufferRange;
  /** With `segments: "offsets"`: how many segments there are. */
  readonly segmentCount?: number;
}

/** A sort, compiled and with its scratch allocated. */
export interface PreparedSort extends PreparedPrimitive<SortRanges> {
  /**
   * Records the sort of `length` items. Everything is checked before anything is recorded, and nothing is read back.
   *
   * Ranges may start at any item. `input` and `output` may be the same range, and so may values and where they go. All others are
   * apart. A `length` on the GPU must be in another buffer than what is written.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: SortRanges): void;
}

/** The options of a call beside its arrays. Nobody has checked the segments. */
interface Options extends SortKeyOptions, TuningOptions, CallParamsOption {
  readonly type?: ElementType;
  readonly segments?: unknown;
  readonly maxSegmentLength?: number;
}

/** What a plan takes for the segments of a call, and what a recording does. */
interface Starts extends Pick<Request, "numbers" | "words"> {
  readonly planned?: Pick<PreparedSortOptions, "segments" | "maxSegmentLength">;
}

/** Plans are for the next power of two, so that they are shared. */
const rounded = (items: number) => ({ maxSegmentLength: 2 ** Math.ceil(Math.log2(items)) });

/** Where the segments of a call start: rows, or offsets at hand or on the GPU. @throws {ArgumentError} */
function startsOf(given: Given<Options>, title: string): Starts {
  const { lengths, isCounted, options } = given;
  const { segments, maxSegmentLength } = options;
  if (segments === undefined) {
    if (maxSegmentLength !== undefined) {
      refuse(title, "maxSegmentLength", shown(maxSegmentLength), "a number only beside segments");
    }
    return {};
  }
  if (maxSegmentLength !== undefined) {
    requireWhole(maxSegmentLength, 1, title, "maxSegmentLength");
  }
  const [kind, value] = requireKind(segments, title);
  const { data: length = 0, offsets: onGpu } = lengths;
  if (kind === "rows") {
    const rows = requireRows(kind, value, isCounted ? undefined : length, title);
    return { planned: { segments: kind, ...rounded(rows) }, numbers: { rows } };
  }
  if (kind !== "offsets") {
    refuse(title, "segments", `{ ${kind} }`, "{ rows } or { offsets }");
  }
  if (onGpu === undefined) {
    const { words } = requireSegments(segments, length, title) as { readonly words: Uint32Array };
    return {
      planned: { segments: kind, ...rounded(longestOf(words)) },
      numbers: { segmentCount: words.length - 1 },
      words: { offsets: words },
    };
  }
  requireOffsets(given, title);
  const longest = maxSegmentLength === undefined ? {} : rounded(maxSegmentLength);
  return { planned: { segments: kind, ...longest }, numbers: { segmentCount: onGpu - 1 } };
}

/** @throws {ArgumentError} for offsets on the GPU that are none, or whose number only the GPU knows. */
function requireOffsets({ types: { offsets }, lengths, counted }: Given<Options>, title: string): void {
  if (offsets && !isSameType(offsets, u32)) {
    throw new ArgumentError(`${title}: offsets holds ${offsets.name}; it takes u32`, "segments");
  }
  if (lengths.offsets === 0 || counted?.includes("offsets")) {
    refuse(
      title,
      "segments",
      lengths.offsets === 0 ? "no offsets" : "offsets with a length on the GPU",
      "one offset more than there are segments, and their number on the CPU",
    );
  }
}

/** Checks a call of `sort` or `argSort`. @throws {ArgumentError} */
function request(name: "sort" | "argSort", given: Given<Options & { readonly into?: unknown }>): Request {
  const { types, lists = {}, lengths } = given;
  const { into, segments: _, maxSegmentLength: __, ...options } = given.options;
  const type = requireType(types.data, name, "data");
  const title = `${name}<${type.name}>`;
  const key = requireKey(options, type, title);
  requireBits(options.bits, key, title);
  const values = lists.values ?? types.values;
  if (values !== undefined && into !== undefined) {
    throw new ArgumentError(`${title} takes values or into, and not both`, "into");
  }
  const { planned, ...starts } = startsOf(given, title);
  const indices = name === "argSort";
  const moved = [values ?? []].flat() as readonly ElementType[];
  const all = { most: lengths.data ?? 0, length: "input" } as const;
  // What is sorted as a whole has no rows any more.
  const shared = {
    name: "keys",
    range: "output",
    ...all,
    ...(planned && { shape: "input" as const }),
  } as const;
  const keys: Result = indices ? { ...shared, type: u32 } : { ...shared, type, like: "data" };
  const reordered = moved.map((of, at): Result => {
    const place = lists.values ? (`[${at}]` as const) : "";
    return { name: `values${place}`, range: `reordered${place}`, type: of, like: `values${place}`, ...all };
  });
  return {
    title,
    options: { ...options, type, indices, ...planned, ...(moved.length > 0 && { values }) },
    ...starts,
    results: [keys, ...reordered],
    give: ([first, ...others]) =>
      values === undefined ? first : { keys: first, values: lists.values ? others : others[0] },
    itemBytes: key.type.bytes,
    // The plan is for up to twice as many items.
    scratchBytes: 2 * all.most * moved.reduce((sum, { bytes }) => sum + bytes, planned ? 40 : 16),
  };
}

const data: Operand = { name: "data", range: "input", isNamed: true };
const offsets: Operand = { name: "offsets", range: "offsets", inside: "segments" };

const common = {
  onCpu: "sorts" as const,
  options: {
    type: "type",
    key: "expression",
    params: "params",
    keyType: "type",
    descending: "boolean",
    bits: "numbers",
    segments: true,
    maxSegmentLength: "count",
    ...tuningNames,
  } satisfies OptionTable<Options>,
  planOptions: { indices: "boolean", values: true } satisfies OptionTable<
    Pick<PreparedSortOptions, "indices" | "values">
  >,
  plan: planSortWithValues,
} as const;

/** The elements in an order, with values. */
export const sort: Primitive<Options> = {
  ...common,
  name: "sort",
  callOptions: { values: true, into: true },
  operands: [data, { name: "values", range: "values", isOption: true, isOneEach: true }, offsets],
  request: (given) => request("sort", given),
};

/** The positions of the elements in an order. */
export const argSort: Primitive<Options> = {
  ...common,
  name: "argSort",
  recordedBy: "sort",
  callOptions: { into: true },
  operands: [data, offsets],
  request: (given) => request("argSort", given),
};

/** What help says of both. */
const commonHelp = {
  operands: { data: "the elements" },
  options: {
    ...orderHelp,
    descending: "put the greatest first; elements with equal keys keep their order",
  },
  segments: ["rows", "offsets"],
  results: { keys: "where the result goes" },
} as const;

export const sortHelp: HelpOf<typeof sort> = {
  ...commonHelp,
  summary: "put the elements in order",
  says: "Puts the elements in order, the least first, in one dimension. With --rows or --offsets, it sorts each segment on its own, and keeps the input's shape. Elements with equal keys keep their order. Floats have -0 before 0, and nan at the end.",
  operands: {
    ...commonHelp.operands,
    values: "a value for each element, which moves with it; this option may be given several times",
  },
  results: {
    ...commonHelp.results,
    values: "where the values go, in the order of the elements; once for each --values",
  },
  lists: ["values"],
  ways: sortWays,
};

export const argSortHelp: HelpOf<typeof argSort> = {
  ...commonHelp,
  summary: "find the positions of the elements in order",
  says: "Finds the positions (<u4) of the elements in the order of sort, in one dimension: that of the least element comes first. With --rows or --offsets, positions count over all of the input.",
  ways: sortWays,
};

/** An order by whole keys, and each order of all elements, of rows, and of segments between offsets. */
function segmentedOrders(type: ElementType, length: number, random: Random): readonly Example<Options>[] {
  const first = between(random, 0, 1);
  const orders = ordersOf(type, random);
  const byAllBits = orders
    .slice(0, 1)
    .map(({ options: { bits: _, ...options }, ...others }) => ({ ...others, options }));
  const segmented = orders.flatMap(({ options, ...others }, at) => {
    const offsets = { type: u32, length: between(random, 2, 9), contents: "offsets" } as const;
    const most = (first + at) % 2 === 0 && Math.max(1, length);
    return [
      { ...others, options },
      {
        ...others,
        options: { ...options, segments: { rows: between(random, 1, Math.max(1, length)) } },
        // Of rows, the length is known, so that they divide it.
        isLengthKnown: true,
      },
      { ...others, options: { ...options, ...(most && { maxSegmentLength: most }) }, operands: { offsets } },
    ];
  });
  return [...byAllBits, ...segmented];
}

/** The options of both sorts for another length. */
const forLength = ({ segments, ...others }: Partial<Options>, length: number): Partial<Options> => ({
  ...others,
  ...(segments !== undefined && {
    segments: { rows: rowsWithin((segments as { readonly rows: number }).rows, length) },
  }),
});

/** No example has `into`. */
export const argSortExamples: Examples<Options> = {
  positions: ["keys"],
  tuning: ["maxSegmentLength"],
  of: segmentedOrders,
  forLength,
};

/** Each order alone, with an array of values, and with two. No example has `into`. */
export const sortExamples: Examples<Options> = {
  tuning: ["maxSegmentLength"],
  order: "argSort",
  of: (type, length, random) =>
    segmentedOrders(type, length, random).flatMap((example) => {
      // At hand, values in a Uint16Array have no element type.
      const types = [u32, type.name === "f16" ? u32 : type];
      const [first, second] = types.map((one) => ({ type: one })) as [ExampleArray, ExampleArray];
      const values = pick(random, [undefined, first, second, [second, first]]);
      return [example, ...(values ? [{ ...example, operands: { ...example.operands, values } }] : [])];
    }),
  forLength,
};

export const described: readonly Described[] = [
  { primitive: sort, help: sortHelp, examples: sortExamples },
  { primitive: argSort, help: argSortHelp, examples: argSortExamples },
];
