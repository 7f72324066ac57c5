import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import type { OptionTable } from "../options.ts";
import type { BinOptions } from "../plan/bins.ts";
import { requireBins } from "../plan/bins.ts";
import type { HistogramOptions, HistogramTuning } from "../plan/histogram.ts";
import { planHistogram, requireWeights } from "../plan/histogram.ts";
import { requireScalar } from "../plan/require_scalar.ts";
import type { HelpOf } from "./help.ts";
import type { Primitive } from "./primitive.ts";
import type { BufferRange, Length, PartOption, PreparedPrimitive } from "./ranges.ts";

/** The options of `histogram`. It takes `edges`, or `bins` and `range`, or `bins` and `bin`. */
export interface HandHistogramOptions<Name extends string> extends BinOptions, HistogramTuning {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** The weights of a histogram: the result has their sums instead of counts. */
export interface WeightsOption<W> {
  /** A weight for each element. Sums of f32 are added in an order that differs from run to run. */
  readonly weights: W;
}

/** An array of weights. */
export type WeightArray = Uint32Array | Int32Array | Float32Array;

/** Where a histogram reads and writes. */
export interface HistogramRanges extends PartOption {
  /** The items to count. */
  readonly input: BufferRange;
  /**
   * A u32 for each bin; with weights, an item of their type. It receives all bins, whatever it held. It must be in another buffer
   * than the ranges that are read.
   */
  readonly output: BufferRange;
  /** For plans prepared with `weights`: a weight for each item. */
  readonly weights?: BufferRange;
  /** The number of items. */
  readonly length: Length;
}

/** A histogram, compiled. */
export interface PreparedHistogram extends PreparedPrimitive<HistogramRanges> {}

/** How many elements fall in each bin, or the sums of their weights. */
export const histogram: Primitive<HandHistogramOptions<string>, "data" | "weights", "bins"> = {
  name: "histogram",
  operands: [
    { name: "data", range: "input", isNamed: true },
    { name: "weights", range: "weights", isOption: true, isOneEach: true },
  ],
  options: {
    type: "type",
    bins: "count",
    range: "numbers",
    edges: "numbers",
    bin: "expression",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<HandHistogramOptions<string>>,
  callOptions: { weights: true },
  planOptions: { weights: "type" } satisfies OptionTable<Pick<HistogramOptions, "weights">>,
  request({ types: { data, weights }, options }) {
    const type = requireScalar(data, "histogram", "data");
    const title = `histogram<${type.name}>`;
    requireWeights(weights, title);
    const { count } = requireBins(options, type, title);
    return {
      title,
      options: { ...options, type, ...(weights && { weights }) },
      results: [{ name: "bins", range: "output", type: weights ?? u32, most: count }],
    };
  },
  plan: planHistogram,
};

export const histogramHelp: HelpOf<typeof histogram> = {
  summary: "count the elements in each bin",
  says: "Counts the elements in each bin, as <u4. A bin has its lower edge but not its upper one; the last bin has both. Elements outside all bins are not counted, and neither is nan.",
  operands: {
    data: "the elements",
    weights: "a weight for each element, <u4 <i4 <f4: the result has the sum of weights in each bin",
  },
  options: {
    bins: "how many bins; it takes --range or --bin",
    range: "the lowest and the highest edge of even bins, such as 0,1",
    edges: "the edges, one more than bins, in place of --bins",
    bin: "WGSL that gives the number of an element's bin; a fraction is cut off, and if the number is then below 0 or past the last bin, the element is not counted; x is the element, i its index (u32)",
  },
  results: { bins: "where the counts go" },
  ways: {
    clear_bins: ({ passes }) => ({
      way: "one pass over the data, after the bins are set to 0",
      why: [
        passes.some(({ kernel }) => kernel.code.includes("var<workgroup>"))
          ? "Each work-group counts in its own memory, and then adds its counts to the bins."
          : "Work-group memory has no room for as many bins, so threads add to them where they are.",
      ],
      table: "histogram",
    }),
  },
  completed: (given) =>
    (given.range ?? given.edges ?? given.bin) === undefined
      ? { bins: 256, range: [0, given.bins ?? 256], ...given }
      : given,
};
