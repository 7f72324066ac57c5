import { valuesOf } from "../algebra/array_values.ts";
import type { AnyArray } from "../algebra/arrays.ts";
import { describe } from "../algebra/check_value.ts";
import { powerOfTwoFor } from "../algebra/power_of_two.ts";
import type { ElementType, Scalar } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { MergeName } from "../kernels/merge.ts";
import type { OptionTable } from "../options.ts";
import type { Planned, Told } from "../plan/explain_way.ts";
import { has } from "../plan/explain_way.ts";
import type { MergeOptions, MergeOrder, SetOptions } from "../plan/merge.ts";
import { mostOf, planMerge } from "../plan/merge.ts";
import type { TuningOptions } from "../plan/options.ts";
import { requireFeature } from "../plan/require_feature.ts";
import { requireKey } from "../plan/sort_key.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Example, ExampleArray, Examples } from "./examples.ts";
import { between, keysOf, lengthOf, pick } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import { orderHelp } from "./help.ts";
import type { Given, Operand, Primitive, Request } from "./primitive.ts";
import { keyedOptions } from "./primitive.ts";
import type { BufferRange, Length, ParamsRange, PreparedPrimitive } from "./ranges.ts";

// Two sorted arrays: merged, or as sets.

/** The options of `union`, `intersection` and `difference`. */
export interface HandSetOptions<Name extends string>
  extends MergeOrder,
    CallParamsOption,
    Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** The values that a merge moves. */
export interface MergeValues<Values> {
  /** A value for each element of the first array. */
  readonly values: Values;
  /** A value for each element of the other array, of the same type. */
  readonly otherValues: NoInfer<Values>;
}

/** Where a union, an intersection or a difference reads and writes. */
export interface SetRanges extends ParamsRange {
  /** The items of the first set, in order. */
  readonly input: BufferRange;
  /** The number of items of the first set. */
  readonly length: Length;
  /** The items of the other set, in the same order. */
  readonly other: BufferRange;
  /** How many there are. */
  readonly otherLength: number;
  /** With `otherCount`: a range that starts with the number of items of the other set, as a u32. Then `otherLength` is the most. */
  readonly otherCount?: BufferRange;
  /**
   * Receives the result. It has room for all items of a union, for as many as the shorter set has of an intersection, and for those of the first
   * set of a difference. It is in another buffer than the ranges that are read.
   */
  readonly output: BufferRange;
  /** Receives the number of items of the result, as a u32. It is in another buffer than the ranges that are read. */
  readonly count: BufferRange;
}

/** Where a merge reads and writes. */
export interface MergeRanges extends Omit<SetRanges, "count"> {
  /** Receives all items in order. It is in another buffer than the ranges that are read. */
  readonly output: BufferRange;
  /** The values of the input's items. */
  readonly values?: BufferRange;
  /** The values of the other items. */
  readonly otherValues?: BufferRange;
  /** Receives the values in the order of the items. It is in another buffer than the ranges that are read. */
  readonly reordered?: BufferRange;
  /** With `lengthOnGpu` or `otherCount`: receives the number of all items, as a u32. */
  readonly count?: BufferRange;
}

/** A union, an intersection or a difference, compiled and with its scratch allocated. */
export interface PreparedSet extends PreparedPrimitive<SetRanges> {}

/** A merge, compiled and with its scratch allocated. */
export interface PreparedMerge extends PreparedPrimitive<MergeRanges> {}

type Options = HandSetOptions<string>;
type MergePrimitive<Names extends string, Results extends string> = Primitive<Options, Names, Results>;

/** Whether a number comes before another one in the order of a sort: −0 comes before 0, and NaN after all others. */
function comesBefore(a: Scalar, b: Scalar): boolean {
  if (a < b || a > b) {
    return a < b;
  }
  return Number.isNaN(a) ? false : Number.isNaN(b) || (Object.is(a, -0) && Object.is(b, 0));
}

/** @throws {ArgumentError} which names the first element at hand that comes before the one before it. */
function requireSorted(array: AnyArray, type: ElementType, name: string, title: string, descending: boolean) {
  const read = valuesOf(array, type) as (index: number) => Scalar;
  for (let at = 1, before = read(0); at < array.length; at++) {
    const own = read(at);
    if (descending ? comesBefore(before, own) : comesBefore(own, before)) {
      throw new ArgumentError(
        `${title}: ${name}[${at}] is ${describe(own)}, after ${describe(before)}; it takes elements in ${
          descending ? "descending" : "ascending"
        } order, as sort gives them`,
        name,
      );
    }
    before = own;
  }
}

/** Plans are for the next power of two, so that they are shared. */
const rounded = (length: number): number => powerOfTwoFor(Math.max(LEAST_LENGTH, length));
const LEAST_LENGTH = 1024;

/** Checks a call. @throws {ArgumentError} {@link FeatureError} */
function request(
  name: MergeName,
  given: Given<Options & Partial<MergeValues<unknown>>>,
): Request<"keys" | "values"> {
  const { types, lengths, arrays, isCounted, counted, facts } = given;
  const { values: _, otherValues: __, ...options } = given.options;
  const type = requireType(types.data, name, "data");
  const title = `${name}<${type.name}>`;
  const key = requireKey(options, type, title);
  requireFeature(key.type, title, facts);
  const { other, values, otherValues } = types;
  const requireSame = (
    wanted: ElementType,
    own: ElementType | undefined,
    option: string,
    like: string,
  ): void => {
    if (own === undefined || !isSameType(wanted, own)) {
      throw new ArgumentError(
        own === undefined
          ? `${title}: ${option} is undefined; it takes an array beside ${like}`
          : `${title}: ${option} holds ${own.name}; it takes ${wanted.name}, as ${like} holds`,
        option,
      );
    }
  };
  requireSame(type, other, "other", "data");
  if (values || otherValues) {
    const [known, missing] = values ? ["values", "otherValues"] : ["otherValues", "values"];
    requireSame(
      (values ?? otherValues) as ElementType,
      types[missing as string],
      missing as string,
      known as string,
    );
  }
  const { data: length = 0, other: otherLength = 0 } = lengths;
  const most = mostOf[name](length, otherLength);
  const onGpu = name !== "merge" || isCounted || (counted?.includes("other") ?? false);
  const all = { most, ...(onGpu && { length: "count" as const }) };
  return {
    title,
    options: { ...options, type, maxOtherLength: rounded(otherLength), ...(values && { values }) },
    numbers: { otherLength },
    requireContents() {
      if (arrays && key.text === undefined) {
        requireSorted(arrays.data as AnyArray, type, "data", title, key.descending);
        requireSorted(arrays.other as AnyArray, type, "other", title, key.descending);
      }
    },
    results: [
      { name: "keys", range: "output", type, like: "data", ...all },
      ...(values
        ? [{ name: "values", range: "reordered", type: values, like: "values", ...all } as const]
        : []),
    ],
  };
}

const data: Operand<"data"> = { name: "data", range: "input", isNamed: true };
const other: Operand<"other"> = { name: "other", range: "other", isNamed: true, count: "otherCount" };

const common = {
  onCpu: "merges" as const,
  options: {
    ...keyedOptions,
    descending: "boolean",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<Options>,
};

const planOptions = { maxOtherLength: "count", otherCount: "boolean" } satisfies OptionTable<
  Pick<SetOptions, "maxOtherLength" | "otherCount">
>;

/** All elements of two sorted arrays, in order. */
export const merge: MergePrimitive<"data" | "other" | "values" | "otherValues", "keys" | "values"> = {
  ...common,
  name: "merge",
  operands: [
    data,
    other,
    { name: "values", range: "values", isOption: true, isOneEach: true },
    { name: "otherValues", range: "otherValues", isOption: true, isOneEach: "other" },
  ],
  callOptions: { values: true, otherValues: true } satisfies OptionTable<MergeValues<unknown>>,
  planOptions: { ...planOptions, values: true },
  request: (given) => request("merge", given),
  plan: (options: MergeOptions, facts) => planMerge("merge", options, facts),
};

/** What two sorted arrays have in common, or not. */
const setOf = (name: MergeName): MergePrimitive<"data" | "other", "keys"> => ({
  ...common,
  name,
  operands: [data, other],
  planOptions,
  request: (given) => request(name, given) as Request<"keys">,
  plan: (options: SetOptions, facts) => planMerge(name, options, facts),
});

/** The elements of either sorted array, each once. */
export const union = /* @__PURE__ */ setOf("union");
/** The elements that are in both sorted arrays, each once. */
export const intersection = /* @__PURE__ */ setOf("intersection");
/** The elements that are in the first sorted array and not in the other one, each once. */
export const difference = /* @__PURE__ */ setOf("difference");

const { key, keyType } = orderHelp;

const ways = {
  split_tiles: ({ passes }: Planned): Told =>
    has(passes, "count_merged")
      ? {
          way: "by tiles of the merged order: where they start in each array, how many elements each keeps, and these elements",
          why: ["Where a kept element goes depends on all elements before it."],
          table: "merge",
        }
      : {
          way: "by tiles of the merged order: where they start in each array, and their elements",
          why: ["Each tile then takes as many elements, however the arrays interlock."],
          table: "merge",
        },
};

const helpFor = {
  operands: { data: "the elements, in order", other: "the elements of the other array, in the same order" },
  options: { key, keyType, descending: "the elements are in descending order" },
  results: { keys: "where the result goes" },
  ways,
} as const;

const SETS =
  "Each element is there once, however often the arrays have it. Both arrays are in the order of sort, and so is the result.";

export const mergeHelp: HelpOf<typeof merge> = {
  ...helpFor,
  summary: "merge two sorted arrays",
  says: "Merges two arrays that are in the order of sort. Of equal elements, those of the first array come first, and all others keep their order.",
  operands: {
    ...helpFor.operands,
    values: "a value for each element, which moves with it",
    otherValues: "a value for each element of the other array, of the same type",
  },
  results: { ...helpFor.results, values: "where the values go, in the order of the elements" },
};

export const unionHelp: HelpOf<typeof union> = {
  ...helpFor,
  summary: "take the elements of either of two sorted arrays",
  says: `Takes the elements of either array. ${SETS}`,
};

export const intersectionHelp: HelpOf<typeof intersection> = {
  ...helpFor,
  summary: "take the elements that two sorted arrays have in common",
  says: `Takes the elements that are in both arrays. ${SETS}`,
};

export const differenceHelp: HelpOf<typeof difference> = {
  ...helpFor,
  summary: "take the elements of one sorted array that another one lacks",
  says: `Takes the elements of the first array that the other one lacks. ${SETS}`,
};

/** Arrays in each order: of anything, and of small numbers, of which many are equal. `others` are the lengths of the other array. */
const ordered = (others: (few: number, many: number) => readonly number[]): Examples<Options> => ({
  of: (type, length, random) =>
    keysOf(type).flatMap(({ twins, ...key }) =>
      [false, true].flatMap((isSmall) => {
        const descending = pick(random, [true, false]);
        const contents = { order: { descending, isSmall, ...(twins && { key: twins.key }) } };
        return others(between(random, 1, 9), between(random, 1, 2 * length + 9)).map(
          (count): Example<Options> => ({
            options: { ...key, descending },
            ...(twins && { twins }),
            operands: { data: { type, contents }, other: { type, contents, length: count } },
          }),
        );
      }),
    ),
});

export const unionExamples = /* @__PURE__ */ ordered((few, many) => [0, few, many]);
export const intersectionExamples = /* @__PURE__ */ ordered((few, many) => [many, 0, many, few]);
export const differenceExamples = /* @__PURE__ */ ordered((few, many) => [few, 0, few, many]);

/** The same with and without values. At hand, values in a Uint16Array have no element type. */
export const mergeExamples: Examples<Options> = {
  of: (type, length, random) =>
    unionExamples.of(type, length, random).flatMap((example) => {
      const values: ExampleArray = { type: pick(random, [type, keysOf(type)[0].keyType ?? type]) };
      const { other } = example.operands as Readonly<Record<string, ExampleArray>>;
      const count = lengthOf(other ?? {}, 0);
      return [
        example,
        ...(type.name !== "f16" && count > 0
          ? [
              {
                ...example,
                operands: {
                  ...example.operands,
                  values,
                  otherValues: { ...values, length: count },
                },
              },
            ]
          : []),
      ];
    }),
};

export const described: readonly Described[] = [
  { primitive: merge, help: mergeHelp, examples: mergeExamples },
  { primitive: union, help: unionHelp, examples: unionExamples },
  { primitive: intersection, help: intersectionHelp, examples: intersectionExamples },
  { primitive: difference, help: differenceHelp, examples: differenceExamples },
];
