import { f32 } from "../algebra/floats.ts";
import { i32, u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { f64, u64 } from "../algebra/words_64.ts";
import { ArgumentError } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import type { TuningOptions } from "../plan/options.ts";
import { tuningNames } from "../plan/options.ts";
import type { KeysOrder, SortKeyOptions } from "../plan/sort_key.ts";
import { requireBits, requireKey, requireKeys } from "../plan/sort_key.ts";
import type { PreparedSortOptions } from "../plan/sort_with_values.ts";
import { planSortWithValues } from "../plan/sort_with_values.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Example, ExampleArray, Examples, Random } from "./examples.ts";
import { between, ordersOf, pick, rowsWithin } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import { orderHelp } from "./help.ts";
import type { Given, Operand, Primitive, Request, Result } from "./primitive.ts";
import { keyedOptions } from "./primitive.ts";
import type { BufferRange, Length, ParamsRange, PreparedPrimitive } from "./ranges.ts";
import { starts, startsOf } from "./sort_starts.ts";
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
  /** With `thenBy`: the other keys of the items, or a list of as many ranges as there are types of these. */
  readonly thenBy?: BufferRange | readonly BufferRange[];
  /** Receives the other keys in the order of the sorted items. It is a list if `thenBy` is one. */
  readonly thenOutput?: BufferRange | readonly BufferRange[];
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
  /**
   * With `segments: "begins"`: where each segment begins, as u32. Segments ascend, and do not overlap. Items between two segments stay where they
   * are. Where segments overlap or do not ascend, the result has the same items in some order, and nothing outside the ranges is written.
   */
  readonly begins?: BufferRange;
  /** With `segments: "begins"`: where each segment ends, as u32: the position behind its last item. */
  readonly ends?: BufferRange;
  /** With `segments: "offsets"` and `"begins"`: how many segments there are. */
  readonly segmentCount?: number;
}

/** A sort, compiled and with its scratch allocated. */
export interface PreparedSort extends PreparedPrimitive<SortRanges> {
  /**
   * Records the sort of `length` items. Everything is checked before anything is recorded, and nothing is read back.
   *
   * Ranges may start at any item. `input` and `output` may be the same range, and so may values, or other keys, and where they go. All
   * others are apart. A `length` on the GPU must be in another buffer than what is written.
   *
   * @throws {ArgumentError} {@link LimitError} {@link DeviceLostError}
   */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: SortRanges): void;
}

/** The options of a call beside its arrays. Nobody has checked the segments. */
interface Options extends Omit<SortKeyOptions, "descending">, KeysOrder, TuningOptions, CallParamsOption {
  readonly type?: ElementType;
  readonly segments?: unknown;
  readonly maxSegmentLength?: number;
}

/** Checks a call of `sort` or `argSort`. @throws {ArgumentError} */
function request(name: "sort" | "argSort", given: Given<Options & { readonly into?: unknown }>): Request {
  const { types, lists = {}, lengths } = given;
  const { into, segments: _, maxSegmentLength: __, ...options } = given.options;
  const type = requireType(types.data, name, "data");
  const later = (lists.thenBy ?? []).map((one) => requireType(one, name, "data"));
  const ofKeys = [type, ...later];
  const title = `${name}<${ofKeys.map((one) => one.name).join(", ")}>`;
  const itemBytes = requireOrders(options, ofKeys, title);
  const values = lists.values ?? types.values;
  if (values !== undefined && into !== undefined) {
    throw new ArgumentError(`${title} takes values or into, and not both`, "into");
  }
  const { planned, ...recorded } = startsOf(given, title);
  const indices = name === "argSort";
  if (later.length > 0 && !indices && into !== undefined) {
    throw new ArgumentError(`${title} takes no option into, since it gives several arrays`, "into");
  }
  const moved = [values ?? []].flat() as readonly ElementType[];
  const all = { most: lengths.data ?? 0, length: "input" } as const;
  const keys: Result = {
    name: "keys",
    range: "output",
    type: indices ? u32 : type,
    ...all,
    ...(!indices && { like: "data" }),
    // What is sorted as a whole has no rows any more.
    ...(planned && { shape: "input" }),
  };
  const others = (indices ? [] : later).map(
    (of, at): Result => ({
      name: `thenBy[${at}]`,
      range: `thenOutput[${at}]`,
      type: of,
      like: `thenBy[${at}]`,
      ...all,
    }),
  );
  const reordered = moved.map((of, at): Result => {
    const place = lists.values ? (`[${at}]` as const) : "";
    return { name: `values${place}`, range: `reordered${place}`, type: of, like: `values${place}`, ...all };
  });
  return {
    title,
    options: {
      ...options,
      type,
      ...(later.length > 0 && { thenBy: later }),
      indices,
      ...planned,
      ...(moved.length > 0 && { values }),
    },
    ...recorded,
    results: [keys, ...others, ...reordered],
    give: (made) => {
      const ofKeys = others.length === 0 ? made[0] : made.slice(0, 1 + others.length);
      const ofValues = made.slice(1 + others.length);
      return values === undefined ? ofKeys : { keys: ofKeys, values: lists.values ? ofValues : ofValues[0] };
    },
    itemBytes,
    // The plan is for up to twice as many items.
    scratchBytes:
      2 *
      all.most *
      [...moved, ...later].reduce((sum, { bytes }) => sum + bytes, (planned ? 40 : 16) + 24 * later.length),
  };
}

/** Checks the order of a sort by one key or several. It gives the bytes of the longest key that plans sort by. @throws {ArgumentError} */
function requireOrders(options: Options, types: readonly ElementType[], title: string): number {
  const [type] = types as [ElementType];
  if (types.length > 1) {
    requireKeys(options, types, title);
    // Two keys of 32 bits are sorted as one of 64.
    return 8;
  }
  const key = requireKey(options as SortKeyOptions, type, title);
  requireBits(options.bits, key, title);
  return key.type.bytes;
}

const data: Operand = { name: "data", range: "input", isNamed: true };
const thenBy: Operand = { name: "thenBy", range: "thenBy", behind: "data", isOneEach: true };

const common = {
  onCpu: "sorts" as const,
  options: {
    ...keyedOptions,
    descending: "booleans",
    bits: "numbers",
    segments: true,
    maxSegmentLength: "count",
    ...tuningNames,
  } satisfies OptionTable<Options>,
  planOptions: { indices: "boolean", values: true, thenBy: true } satisfies OptionTable<
    Pick<PreparedSortOptions, "indices" | "values" | "thenBy">
  >,
  plan: planSortWithValues,
} as const;

/** The elements in an order, with values. */
export const sort: Primitive<Options> = {
  ...common,
  name: "sort",
  callOptions: { values: true, into: true },
  operands: [data, thenBy, { name: "values", range: "values", isOption: true, isOneEach: true }, ...starts],
  request: (given) => request("sort", given),
};

/** The positions of the elements in an order. */
export const argSort: Primitive<Options> = {
  ...common,
  name: "argSort",
  recordedBy: "sort",
  callOptions: { into: true },
  operands: [data, thenBy, ...starts],
  request: (given) => request("argSort", given),
};

/** What help says of both. */
const commonHelp = {
  operands: {
    data: "the elements",
    thenBy:
      "an array that decides where the elements are equal; this option may be given several times: each array decides where those before it are equal",
  },
  options: {
    ...orderHelp,
    descending: "put the greatest first; elements with equal keys keep their order",
  },
  lists: ["thenBy"],
  segments: ["rows", "offsets", "begins"],
  results: { keys: "where the result goes" },
} as const;

/** Sorts by two keys, by three and by four, some of which have 64 bits together. At hand, f16 in a Uint16Array is named for the first key alone. */
function byKeys(type: ElementType, length: number, random: Random): readonly Example<Options>[] {
  if (type.kind === "struct") {
    return [];
  }
  // Some of anything: floats have NaN of several kinds and zeros of both signs.
  const key = (of: ElementType): ExampleArray => ({
    type: of,
    ...pick(random, [{ contents: "small" as const }, {}]),
  });
  const descending = pick(random, [[true, false], [false, true], true, false]);
  const later = pick<readonly ElementType[]>(random, [
    [u64, pick<ElementType>(random, [u32, i32, f32])],
    [f32, u32, u32],
  ]);
  const segmented = pick<Pick<Example<Options>, "options" | "operands" | "isLengthKnown">>(random, [
    { options: { segments: { rows: between(random, 1, Math.max(1, length)) } }, isLengthKnown: true },
    { options: {}, operands: { offsets: { type: u32, length: between(random, 2, 9), contents: "offsets" } } },
  ]);
  return [
    {
      options: { descending },
      operands: { data: key(type), thenBy: [key(type.name === "f16" || type.name === "i32" ? u32 : type)] },
    },
    {
      options: { descending: [false, ...later.map((_, at) => at % 2 === 0)] },
      operands: { data: key(type), thenBy: later.map(key) },
    },
    {
      ...segmented,
      options: { descending: [true, false], ...segmented.options },
      operands: { data: key(type), thenBy: [key(u32)], ...segmented.operands },
    },
  ];
}

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
    thenBy: "where the elements of --then-by go, in the same order; once for each --then-by",
    values: "where the values go, in the order of the elements; once for each --values",
  },
  lists: ["thenBy", "values"],
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
    const of = { type: u32, length: between(random, 2, 9) } as const;
    const longest = Math.max(1, length);
    const most = pick(random, [longest, between(random, 1, 40)]);
    const operands =
      (first + at) % 2 === 0
        ? { begins: { ...of, contents: "begins" as const }, ends: { ...of, contents: "ends" as const } }
        : { offsets: most < longest ? segmentsUpTo(most) : { ...of, contents: "offsets" as const } };
    const all = { ...options, ...pick(random, [{}, { maxSegmentLength: Math.min(most, longest) }]) };
    const inRows = { ...others, options: { ...all, segments: { rows: between(random, 1, most) } } };
    return [
      { ...others, options },
      // Of rows, the length is known, so that they divide it.
      { ...inRows, isLengthKnown: true },
      { ...others, options: "begins" in operands ? options : all, operands },
    ];
  });
  return [...byAllBits, ...segmented];
}

/** Offsets of segments that have no more than so many elements each. */
const segmentsUpTo = (most: number): ExampleArray => ({
  type: u32,
  length: (items) => 2 * Math.ceil(items / most) + 1,
  contents: { upTo: most },
});

/** The options of both sorts, if the last row may be short. */
function withShortRow({ segments, ...others }: Partial<Options>, length: number): Partial<Options> {
  const { rows } = segments as { readonly rows: number };
  const offsets = Array.from({ length: Math.ceil(length / rows) + 1 }, (_, at) =>
    Math.min(at * rows, length),
  );
  return { ...others, segments: { offsets: Uint32Array.from(offsets) } };
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
  layouts: ["in place"],
  tuning: ["maxSegmentLength"],
  of: (type, length, random) => [...segmentedOrders(type, length, random), ...byKeys(type, length, random)],
  forLength,
  withShortRow,
};

/** Each order alone, with an array of values, and with two. No example has `into`. */
export const sortExamples: Examples<Options> = {
  tuning: ["maxSegmentLength"],
  order: "argSort",
  layouts: ["in place"],
  of: (type, length, random) => [
    ...segmentedOrders(type, length, random).flatMap((example) => {
      // At hand, values in a Uint16Array have no element type.
      const types = [
        pick<ElementType>(random, [u32, u64, i32]),
        pick<ElementType>(random, [f64, type.name === "f16" ? u32 : type]),
      ];
      const [first, second] = types.map((one) => ({ type: one })) as [ExampleArray, ExampleArray];
      const values = pick(random, [undefined, first, second, [second, first]]);
      return [example, ...(values ? [{ ...example, operands: { ...example.operands, values } }] : [])];
    }),
    ...byKeys(type, length, random).map((example, at) =>
      at === 1 ? { ...example, operands: { ...example.operands, values: { type: u32 } } } : example,
    ),
  ],
  forLength,
  withShortRow,
};

export const described: readonly Described[] = [
  { primitive: sort, help: sortHelp, examples: sortExamples },
  { primitive: argSort, help: argSortHelp, examples: argSortExamples },
];
