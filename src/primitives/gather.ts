import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { OptionTable } from "../options.ts";
import type { GatherTuning } from "../plan/gather_at_positions.ts";
import { planGatherAtPositions } from "../plan/gather_at_positions.ts";
import type { Examples } from "./examples.ts";
import { between } from "./examples.ts";
import type { HelpOf } from "./help.ts";
import type { Primitive } from "./primitive.ts";
import type { BufferRange, Length, PreparedPrimitive } from "./ranges.ts";

/** The options of `gather`. */
export interface HandGatherOptions<Name extends string> extends GatherTuning {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** Where a gather reads and writes. */
export interface GatherRanges {
  /** The values. */
  readonly values: BufferRange;
  /** How many there are. */
  readonly valuesLength: number;
  /** The positions of values, as u32. They count from 0. */
  readonly input: BufferRange;
  /**
   * Receives the value at each position. For a position of `valuesLength` or more, all bits are zero. It must be in another buffer than
   * the ranges that are read.
   */
  readonly output: BufferRange;
  /** The number of positions. */
  readonly length: Length;
}

/** A gather, compiled. */
export interface PreparedGather extends PreparedPrimitive<GatherRanges> {}

/** @throws {ArgumentError} which names the first position that has no value. */
function requireInside(positions: Uint32Array, length: number, title: string): void {
  const at = positions.findIndex((position) => position >= length);
  if (at >= 0) {
    throw new ArgumentError(
      `${title}: positions[${at}] is ${positions[at]}; it takes less than ${length}, the number of values`,
      "positions",
    );
  }
}

/** The value at each position. */
export const gather: Primitive<HandGatherOptions<string>, "values" | "positions", "gathered"> = {
  name: "gather",
  operands: [
    { name: "values", range: "values", isNamed: true, count: "valuesCount" },
    { name: "positions", range: "input" },
  ],
  options: {
    type: "type",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<HandGatherOptions<string>>,
  request({ types: { values, positions }, lengths, arrays, options }) {
    const type = requireType(values, "gather", "values");
    const title = `gather<${type.name}>`;
    if (positions === undefined || !isSameType(positions, u32)) {
      throw new ArgumentError(`${title}: positions holds ${positions?.name}; it takes u32`, "positions");
    }
    const valuesLength = lengths.values ?? 0;
    if (arrays) {
      requireInside(arrays.positions as Uint32Array, valuesLength, title);
    }
    return {
      title,
      options: { ...options, type },
      numbers: { valuesLength },
      results: [
        {
          name: "gathered",
          range: "output",
          type,
          most: lengths.positions ?? 0,
          length: "input",
          like: "values",
          shape: "input",
        },
      ],
    };
  },
  plan: planGatherAtPositions,
};

export const gatherHelp: HelpOf<typeof gather> = {
  summary: "take the values at some positions",
  says: "Takes the value at each position, as often as the position is there. The result has the positions' shape. A position past the last value is an error.",
  operands: {
    values: "the values",
    positions: "the positions, which count from 0: u32, with --raw and --text, too",
  },
  options: {},
  results: { gathered: "where the values at the positions go" },
  ways: {
    gather_at_positions: () => ({
      way: "one dispatch: each thread reads the values at its own positions",
      why: ["No value waits for another one."],
      table: "moves",
    }),
  },
};

/** Positions in few values, in many, and past the last one, which only the GPU takes. */
export const gatherExamples: Examples<HandGatherOptions<string>> = {
  of: (type, length, random) =>
    [between(random, 1, 9), between(random, 1, 2 * length + 9), between(random, 0, 9)].map((count, at) => {
      const isPast = at === 2;
      return {
        options: {},
        operands: {
          values: { type, length: count },
          positions: { type: u32, contents: { below: isPast ? 2 * count + 1 : count } },
        },
        ...(isPast && { isRefusedAtHand: true }),
      };
    }),
};
