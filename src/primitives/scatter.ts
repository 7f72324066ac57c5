import type { AnyArray } from "../algebra/arrays.ts";
import { exactAdd } from "../algebra/exact_add.ts";
import { u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import { add, max, mul, xor } from "../algebra/operators.ts";
import { powerOfTwoFor } from "../algebra/power_of_two.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { refuse, shown } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import { mostBindable } from "../plan/binding_length.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { Told } from "../plan/explain_way.ts";
import { has } from "../plan/explain_way.ts";
import type { TuningOptions } from "../plan/options.ts";
import { TWO_BUFFERS } from "../plan/plan.ts";
import { planScatter } from "../plan/scatter.ts";
import type { ScatterOptions } from "../plan/scatter_base.ts";
import { checkedScatter, requireCombinable } from "../plan/scatter_base.ts";
import type { IntoOption } from "./call_options.ts";
import type { Example, Examples } from "./examples.ts";
import { pick } from "./examples.ts";
import { requireInside } from "./gather.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Primitive } from "./primitive.ts";
import { requireU32 } from "./primitive.ts";
import type { BufferRange, Length, PreparedPrimitive } from "./ranges.ts";

/** The options of `scatter`. */
export interface HandScatterOptions<Name extends string>
  extends Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /** The length of the result: a whole number from 0 up. */
  readonly length: number;
  /** What combines elements whose positions meet, in the order of the elements. Without it, one of them stays there. */
  readonly op?: Operator<Name>;
  /**
   * With `op`, the type of the result, which has every value of the elements' type. Elements of 8 and 16 bits are combined as u32 or i32 unless it
   * names another one. It is also needed for f16 bits in a `Uint16Array`.
   */
  readonly type?: ElementType<Name>;
}

/** Where a scatter reads and writes. */
export interface ScatterRanges {
  /** The values. */
  readonly input: BufferRange;
  /** The position of each value, as u32. They count from 0. Values whose position is `outputLength` or more are left out. */
  readonly positions: BufferRange;
  /**
   * Receives all items, whatever it held. Where no value goes, all bits are zero; with `op`, it is the operator's identity. It must be in another
   * buffer than the ranges that are read.
   */
  readonly output: BufferRange;
  /** How many items the output has: at most `maxOutputLength`. */
  readonly outputLength: number;
  /** The number of values. */
  readonly length: Length;
}

/** A scatter, compiled and with its scratch allocated. */
export interface PreparedScatter extends PreparedPrimitive<ScatterRanges> {}

/** The most items of a result: what kernels take as a number. */
const MOST = 2 ** 32 - 2;

/** The least length that is planned: shorter results share a plan. */
const LEAST = 256;

/** The length of a result that a plan of calls is made for: a power of two, so that other lengths can use it, too, if there is room for so many. */
function plannedLength(length: number, itemBytes: number, { limits }: DeviceFacts): number {
  const rounded = powerOfTwoFor(Math.max(LEAST, length));
  return rounded <= mostBindable(itemBytes, limits) ? rounded : length;
}

/** Elements at their positions. */
export const scatter: Primitive<HandScatterOptions<string>, "values" | "positions", "scattered"> = {
  name: "scatter",
  onCpu: "moves",
  operands: [
    { name: "values", range: "input", isNamed: true, isWidened: true },
    { name: "positions", range: "positions", isOneEach: true },
  ],
  options: {
    op: "operator",
    type: "type",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<Omit<HandScatterOptions<string>, "length">>,
  callOptions: { length: "count", into: true } satisfies OptionTable<
    Pick<HandScatterOptions<string>, "length"> & Required<IntoOption<AnyArray>>
  >,
  planOptions: { maxOutputLength: "count", from: "type" } satisfies OptionTable<
    Pick<ScatterOptions, "maxOutputLength" | "from">
  >,
  // Only kernels that combine atomically take positions as vectors.
  arrangements: TWO_BUFFERS,
  request({ types: { values, positions }, lengths, arrays, options: given, facts }) {
    const { length, into: _, ...options } = given as typeof given & { readonly into?: unknown };
    const own = requireType(values, "scatter", "values");
    const named = options.type === undefined ? undefined : requireType(options.type, "scatter");
    const isOther = named !== undefined && !isSameType(named, own);
    const wanted = isOther ? named : options.op === undefined ? own : (own.wide ?? own);
    requireCombinable(own, wanted, options.op);
    const { type, title, monoid } = checkedScatter({ type: wanted, op: options.op }, "values");
    const isSame = isSameType(own, type);
    requireU32(positions, "positions", title);
    if (!(Number.isInteger(length) && length >= 0 && length <= MOST)) {
      refuse(title, "length", shown(length), "a whole number from 0 to 2^32 - 2, the length of the result");
    }
    const count = lengths.values ?? 0;
    return {
      title,
      options: {
        ...options,
        type,
        ...(!isSame && { from: own }),
        maxOutputLength: plannedLength(length, Math.max(type.bytes, 4), facts),
      },
      numbers: { outputLength: length },
      requireContents: () =>
        requireInside(arrays?.positions as Uint32Array, length, title, "the length of the result"),
      results: [
        { name: "scattered", range: "output", type, most: length, ...(isSame && { like: "values" }) },
      ],
      // Sorted positions and values, and totals.
      scratchBytes: monoid ? count * (5 * u32.bytes + 3 * type.bytes) : length * u32.bytes,
    };
  },
  plan: planScatter,
};

const byMoves = (way: string, why: string): Told => ({ way, why: [why], table: "moves" });

export const scatterHelp: HelpOf<typeof scatter> = {
  summary: "put values at their positions",
  says: "Puts each value at its position in an array of --length elements. Where no value goes, there is 0. Where positions meet, one of the values stays, and which is not stated. With --op, the values are combined there, in their order, those of 8 and 16 bits as 32 bits, and where no value goes, there is the operator's identity. A position past the end is an error.",
  operands: {
    values: "the values",
    positions: "the position of each value, which count from 0: whole numbers",
  },
  wholeNumbers: ["positions"],
  needs: ["length"],
  options: {
    length: "the length of the result",
    op: "the operator that combines values whose positions meet",
  },
  tries: { "sums at positions": { length: 4, op: add } },
  results: { scattered: "where the result goes" },
  ways: {
    fill_items: ({ passes }) => {
      if (has(passes, "cut_positions")) {
        return byMoves(
          "a sort by the positions, a reduction of each run of equal ones, and a dispatch that stores the totals",
          "Only in the order of the elements does any operator give the same bits each time.",
        );
      }
      if (has(passes, "histogram")) {
        return {
          way: "one pass over the values, after the result is filled",
          why: ["WGSL combines such values by atomics, whose order does not show in the result."],
          table: "histogram",
        };
      }
      return has(passes, "gather_at_positions")
        ? byMoves(
            "each value claims its position by its index, and then each item takes the value that claimed it",
            "Such values are not stored by one atomic store, and none may be a mix of two.",
          )
        : byMoves("one dispatch stores the values, after the result is filled", "A word is stored whole.");
    },
  },
  completed: (given, length) => ({ ...given, length: given.length ?? length }),
};

/** Positions that never meet, without an operator, and any positions by operators whose results are exact. Some positions are past the end. */
export const scatterExamples: Examples<HandScatterOptions<string>> = {
  of(type, length, random) {
    const room = powerOfTwoFor(Math.max(1, length));
    const positionsAmong = (
      length: number,
      contents: { readonly below: number } | { readonly distinct: number },
      op?: Operator,
    ): Example<HandScatterOptions<string>> => ({
      options: { length, ...(op && { op: op as Operator<string> }) },
      operands: { positions: { type: u32, contents } },
      ...(("below" in contents ? contents.below : contents.distinct) > length && { isRefusedAtHand: true }),
    });
    const some = Math.max(1, room >> 1);
    const operators = type.kind === "struct" ? [] : type.kind === "float" ? [exactAdd, max] : [add, mul, xor];
    const few = pick(random, [1, 5, 40]);
    return [
      positionsAmong(room, { distinct: room }),
      positionsAmong(some, { distinct: room }),
      ...operators.flatMap((op) => [
        positionsAmong(few, { below: few + 1 }, op),
        positionsAmong(2 * room, { below: 2 * room }, op),
      ]),
    ];
  },
};

export const described: readonly Described[] = [
  { primitive: scatter, help: scatterHelp, examples: scatterExamples },
];
