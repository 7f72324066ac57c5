import type { AnyArray } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireType } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import { gatherAtPositionsKernel } from "../kernels/gather.ts";
import type { OptionTable } from "../options.ts";
import type { DeviceFacts } from "../plan/device_facts.ts";
import type { TuningOptions } from "../plan/options.ts";
import { plainPlan } from "../plan/plain_plan.ts";
import type { Plan } from "../plan/plan.ts";
import { itemTypesOf } from "../plan/plan.ts";
import type { IntoOption } from "./call_options.ts";
import type { Examples } from "./examples.ts";
import { between } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Primitive } from "./primitive.ts";
import { requireU32 } from "./primitive.ts";
import type { BufferRange, Length, PreparedPrimitive } from "./ranges.ts";

/** The sizes of the kernel of `gather`. */
export interface GatherTuning extends Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {}

/** The options of `gather`. */
export interface HandGatherOptions<Name extends string> extends GatherTuning {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** The options of `prepareGather`. */
export interface GatherOptions<Name extends string = string> extends GatherTuning {
  /** The type of the values. */
  readonly type: ElementType<Name>;
  /** The most positions of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the number of positions from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** What calls on arrays on the GPU plan, too. */
interface CountedOption {
  /** Whether recordings take the number of values from a buffer. Then `valuesLength` is the most that it may be. */
  readonly valuesCount?: boolean;
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

/**
 * Plans the reading of the values at some positions, which the input has. A position past the last value gives zero.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
function planAtPositions(options: GatherOptions & CountedOption, facts: DeviceFacts): Plan {
  const { valuesCount = false } = options;
  const type = requireType(options.type, "gather");
  return plainPlan({
    title: `gather<${type.name}>`,
    type,
    options,
    facts,
    kernelOf: (lengthOnGpu, sizes) => gatherAtPositionsKernel(type, lengthOnGpu, valuesCount, sizes),
    itemTypes: itemTypesOf(u32, type),
    lookedUp: { range: "values", type, counter: valuesCount ? "count" : undefined },
  });
}

/** @throws {ArgumentError} which names the first position past the end. `what` says what the length is. */
export function requireInside(positions: Uint32Array, length: number, title: string, what: string): void {
  let at = 0;
  while (at < positions.length && (positions[at] as number) < length) {
    at++;
  }
  if (at < positions.length) {
    throw new ArgumentError(
      `${title}: positions[${at}] is ${positions[at]}; it takes less than ${length}, ${what}`,
      "positions",
    );
  }
}

/** The value at each position. */
export const gather: Primitive<HandGatherOptions<string>, "values" | "positions", "gathered"> = {
  name: "gather",
  onCpu: "moves",
  operands: [
    { name: "values", range: "values", isNamed: true, count: "valuesCount" },
    { name: "positions", range: "input" },
  ],
  options: {
    type: "type",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<HandGatherOptions<string>>,
  callOptions: { into: true } satisfies OptionTable<IntoOption<AnyArray>>,
  request({ types: { values, positions }, lengths, arrays, options: given }) {
    const { into: _, ...options } = given as typeof given & { readonly into?: unknown };
    const type = requireType(values, "gather", "values");
    const title = `gather<${type.name}>`;
    requireU32(positions, "positions", title);
    const valuesLength = lengths.values ?? 0;
    return {
      title,
      options: { ...options, type },
      numbers: { valuesLength },
      requireContents: () =>
        requireInside(arrays?.positions as Uint32Array, valuesLength, title, "the number of values"),
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
  plan: planAtPositions,
};

export const gatherHelp: HelpOf<typeof gather> = {
  summary: "take the values at some positions",
  says: "Takes the value at each position, as often as the position is there. The result has the positions' shape. A position past the last value is an error.",
  operands: {
    values: "the values",
    positions: "the positions, which count from 0: whole numbers; with --raw and --text u32",
  },
  wholeNumbers: ["positions"],
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

export const described: readonly Described[] = [
  { primitive: gather, help: gatherHelp, examples: gatherExamples },
];
