import { exactAdd } from "../algebra/exact_add.ts";
import { f32 } from "../algebra/floats.ts";
import { i32, u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import { max, mul } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import { f64, u64 } from "../algebra/types_64_later.ts";
import type { OptionTable } from "../options.ts";
import type { WeighedOptions, Weights } from "../plan/bin_weights.ts";
import { requireWeights } from "../plan/bin_weights.ts";
import type { BinnedOptions, BinOptions } from "../plan/bins.ts";
import { requireBinned } from "../plan/bins.ts";
import type { Planned, Told } from "../plan/explain_way.ts";
import { has } from "../plan/explain_way.ts";
import type { HistogramOptions, HistogramTuning } from "../plan/histogram.ts";
import { checkedHistogram, planHistogram, requireBinText } from "../plan/histogram.ts";
import { planScattered } from "../plan/histogram_scattered.ts";
import { requireScalar } from "../plan/require_scalar.ts";
import type { CallParamsOption } from "./call_options.ts";
import type { Example, Examples, Random } from "./examples.ts";
import { between, pick } from "./examples.ts";
import type { Described, HelpOf } from "./help.ts";
import type { Primitive } from "./primitive.ts";
import type { BufferRange, Length, ParamsRange, PartOption, PreparedPrimitive } from "./ranges.ts";

/** The options of `histogram`. It takes `edges`, or `bins` and `range`, or `bins` and `bin`. */
export interface HandHistogramOptions<Name extends string, Weight extends string = string>
  extends BinOptions,
    BinnedOptions,
    WeighedOptions<Weight>,
    HistogramTuning,
    CallParamsOption {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** The weights of a histogram: the result has their sums instead of counts. */
export interface WeightsOption<W> {
  /** A weight for each element. Those of a bin are combined in the order of the elements, so that sums have the same bits each time. */
  readonly weights: W;
}

/** The second dimension of a histogram. */
export interface SecondOption<Y> {
  /** A value for each element: the two fall in a bin of two dimensions. */
  readonly y?: Y;
}

/** Where a histogram reads and writes. */
export interface HistogramRanges extends PartOption, ParamsRange {
  /** The items to count. */
  readonly input: BufferRange;
  /**
   * A u32 for each bin; with weights, an item of the type of their sums. It receives all bins, whatever it held. It must be in another buffer
   * than the ranges that are read.
   */
  readonly output: BufferRange;
  /** For plans prepared with `weights`: a weight for each item. */
  readonly weights?: BufferRange;
  /** For plans prepared with `y`: an item of its type for each item. */
  readonly y?: BufferRange;
  /** The number of items. */
  readonly length: Length;
}

/** A histogram, compiled. */
export interface PreparedHistogram extends PreparedPrimitive<HistogramRanges> {}

/** How many elements fall in each bin, or the sums of their weights. */
export const histogram: Primitive<HandHistogramOptions<string>, "data" | "weights" | "y", "bins"> = {
  name: "histogram",
  onCpu: "searches",
  cures: {
    where:
      'an element outside the bins is not counted: with 4 bins, bin: "select(4u, u32(x), x > 0)" leaves out what is not above 0',
  },
  operands: [
    { name: "data", range: "input", isNamed: true },
    { name: "weights", range: "weights", isOption: true, isOneEach: true },
    { name: "y", range: "y", isOption: true, isOneEach: true },
  ],
  options: {
    type: "type",
    bins: "count",
    range: "numbers",
    edges: "numbers",
    bin: "expression",
    channels: "count",
    yBins: "count",
    yRange: "numbers",
    yEdges: "numbers",
    op: "operator",
    params: "params",
    workGroupSize: "count",
    itemsPerThread: "count",
  } satisfies OptionTable<HandHistogramOptions<string>>,
  callOptions: { weights: true, y: true },
  planOptions: { weights: "type", y: "type" } satisfies OptionTable<Pick<HistogramOptions, "weights" | "y">>,
  request({ types: { data, weights, y }, lengths, options }) {
    const type = requireScalar(data, "histogram", "data");
    const title = `histogram<${type.name}>`;
    const weighed = requireWeights({ weights, op: options.op }, title);
    const typeOfY = y && requireScalar(y, title, "y");
    const { count, bins, channels, y: binsOfY } = requireBinned(options, type, typeOfY, title);
    const shape = binsOfY ? [bins.count, binsOfY.count] : channels && [channels, bins.count];
    requireBinText(options, title);
    return {
      title,
      options: { ...options, type, ...(weights && { weights }), ...(y && { y }) },
      results: [
        { name: "bins", range: "output", type: weighed?.type ?? u32, most: count, ...(shape && { shape }) },
      ],
      scratchBytes: (lengths.data ?? 0) * scratchBytesFor(y, weighed),
    };
  },
  plan(options: HistogramOptions, facts) {
    const checked = checkedHistogram(options);
    const { weights } = checked;
    return weights === undefined || weights.areAdded
      ? planHistogram(options, facts, {}, checked)
      : planScattered(options, facts, checked, weights);
  },
};

/** Bytes of scratch for each element: the number of its bin, and where weights are scattered, what a scatter takes. */
const scratchBytesFor = (y: unknown, weights: Weights | undefined): number =>
  (y ? u32.bytes : 0) + (weights && !weights.areAdded ? 6 * u32.bytes + 3 * weights.type.bytes : 0);

/** A histogram whose weights are scattered. In two dimensions, its first pass stores the bins of the data. */
const byScatter = ({ passes }: Planned): Told => ({
  way: has(passes, "cut_positions")
    ? "a pass stores the position of each bin, and the weights are sorted by it; each run of equal positions is reduced"
    : "a pass stores the position of each bin, and the weights are combined there by atomics",
  why: [
    has(passes, "cut_positions")
      ? "Only in the order of the elements does any operator give the same bits each time."
      : "WGSL combines such weights by atomics, whose order does not show in the result.",
  ],
  table: "moves",
});

export const histogramHelp: HelpOf<typeof histogram> = {
  summary: "count the elements in each bin",
  says: "Counts the elements in each bin, as <u4. A bin has its lower edge but not its upper one; the last bin has both. Elements outside all bins are not counted, and neither is nan.",
  operands: {
    data: "the elements",
    weights: "a weight for each element: the result has the sum of the weights in each bin",
    y: "a second value for each element: the bins are of two dimensions, those of y for the first bin of the elements, then for the second one, and so on",
  },
  options: {
    bins: "how many bins; it takes --range or --bin",
    range: "the lowest and the highest edge of even bins, such as 0,1",
    edges: "the edges, one more than bins, in place of --bins",
    bin: "WGSL that gives the number of an element's bin; a fraction is cut off, and if the number is then below 0 or past the last bin, the element is not counted; x is the element, i its index (u32)",
    channels:
      "how many channels take turns in the elements, such as 4 for RGBA; each has bins of its own, those of the first one first",
    yBins: "how many bins y has; without it, as many as --bins",
    yRange: "the lowest and the highest edge of the bins of y; without it, --range",
    yEdges: "the edges of the bins of y, in place of --y-bins and --y-range",
    op: "the operator that combines the weights of a bin, in the order of the elements; without it, add",
  },
  tries: {
    "bins of equal width": { bins: 10, range: [0, 100] },
    "bins between edges": { edges: [0, 10, 50, 100] },
    "bins given by WGSL": { bins: 10, bin: "x % 10u" },
  },
  sums: { bins: "weights" },
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
    store_bins: byScatter,
  },
  completed: (given) =>
    (given.range ?? given.edges ?? given.bin) === undefined
      ? { bins: 256, range: [0, given.bins ?? 256], ...given }
      : given,
};

type BinExample = Example<HandHistogramOptions<string>>;

/** Bins that have the width of a step, and edges at some of their ends. All of them are values of each type, if steps are whole. */
function binsOf(type: ElementType, random: Random): readonly BinExample[] {
  const step = type.kind === "float" ? 0.25 : 1;
  const low = type.name.startsWith("u") ? 0 : -between(random, 0, 20);
  const high = low + between(random, 1, 900) * step;
  const edges = [low];
  for (let count = between(random, 1, 40); count > 0; count--) {
    edges.push((edges.at(-1) ?? low) + between(random, 1, 9) * step);
  }
  const bins = between(random, 1, pick(random, [16, 3000]));
  const whole = Math.floor((low + high) / (2 * step)) * step;
  return [
    { options: { bins, range: [low, high] }, values: [low, whole, high] },
    { options: { edges }, values: edges },
  ];
}

/** Bins whose numbers WGSL gives: of any scalar type, some below 0, with fractions, or too great. */
function numberedBins(type: ElementType, random: Random): readonly BinExample[] {
  const bins = between(random, 1, pick(random, [16, 3000]));
  const [factor, modulus] = [between(random, 1, 9999), between(random, 1, 4000)];
  const text = `((i * ${factor}u) % ${modulus}u)`;
  const number = (i: number): number => (Math.imul(i, factor) >>> 0) % modulus;
  const forms: readonly (readonly [bin: string, of: (number: number) => number])[] = [
    [text, (x) => x],
    [`i32(${text}) - 3`, (x) => x - 3],
    [`f32(${text}) * 0.5 - 1.75`, (x) => x * 0.5 - 1.75],
    [`let number = ${text};\nreturn number;`, (x) => x],
  ];
  const ofElements =
    type === u32 || type === i32
      ? [{ options: { bins, bin: "x" }, twins: { bin: (x: number) => x }, values: [0, 1, bins - 1, bins] }]
      : [];
  return [
    ...forms.map(([bin, of]) => ({
      options: { bins, bin },
      twins: { bin: (_: unknown, i: number) => of(number(i)) },
    })),
    ...ofElements,
  ];
}

/** Bins of channels, and of two dimensions. */
function severalBins(type: ElementType, random: Random): readonly BinExample[] {
  const [even, betweenEdges] = binsOf(type, random) as [BinExample, BinExample];
  const other = pick<ElementType>(random, [u32, i32, f32]);
  const [evenY, edgesY] = binsOf(other, random) as [BinExample, BinExample];
  const channels = between(random, 1, 5);
  const y = { type: other };
  const { bins, range } = evenY.options;
  return [
    { ...even, options: { ...even.options, channels } },
    { ...betweenEdges, options: { ...betweenEdges.options, channels } },
    {
      ...betweenEdges,
      options: { ...betweenEdges.options, yBins: Math.min(bins ?? 1, 40), ...(range && { yRange: range }) },
      operands: { y },
    },
    {
      options: { bins: 9, bin: "i % 11u", ...(edgesY.options.edges && { yEdges: edgesY.options.edges }) },
      twins: { bin: (_: unknown, i: number) => i % 11 },
      operands: { y },
    },
  ];
}

/** Histograms by a range, by edges and by WGSL, some of them with weights. */
export const histogramExamples: Examples<HandHistogramOptions<string>> = {
  keepsBelowWrap: true,
  // The first item is of another channel, so the bins of all channels move on.
  startingAt(firstIndex, result, { channels = 1 }) {
    const bins = result as Uint32Array;
    const moved = bins.slice();
    const channel = firstIndex % channels;
    const end = bins.length - (channel * bins.length) / channels;
    moved.set(bins.subarray(0, end), bins.length - end);
    moved.set(bins.subarray(end));
    return moved;
  },
  of: (type, _, random) =>
    type.kind === "struct"
      ? []
      : [...binsOf(type, random), ...numberedBins(type, random), ...severalBins(type, random)].map(
          (example) => weighed(example, random),
        ),
};

/** Weights of some types, by an operator. Results have the same bits in any order, or keep that of the elements. */
function weighed(example: BinExample, random: Random): BinExample {
  const type = pick<ElementType | undefined>(random, [undefined, u32, i32, f32, u64, f64]);
  if (type === undefined) {
    return example;
  }
  const isFloat = type.kind === "float";
  const op = pick<Operator | undefined>(random, [undefined, isFloat ? exactAdd : mul, max]);
  const isSum = isFloat && op === undefined;
  return {
    ...example,
    options: { ...example.options, ...(op && { op: op as Operator<string> }) },
    // Sums of small whole numbers are exact in any order.
    operands: { ...example.operands, weights: { type, ...(isSum && { contents: "small" as const }) } },
  };
}

export const described: readonly Described[] = [
  { primitive: histogram, help: histogramHelp, examples: histogramExamples },
];
