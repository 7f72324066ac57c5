import type { ArrayOf } from "../../algebra/arrays.ts";
import { arrayOver, goneError } from "../../algebra/arrays.ts";
import { f32 } from "../../algebra/floats.ts";
import { i32, u32 } from "../../algebra/integers.ts";
import type { ElementType } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { BinOptions } from "../../plan/bins.ts";
import { requireBins } from "../../plan/bins.ts";
import type { HistogramOptions, HistogramTuning, WeightName } from "../../plan/histogram.ts";
import { planHistogram, requireWeights } from "../../plan/histogram.ts";
import { requireScalar } from "../../plan/require_scalar.ts";
import { planAtHand, readBackOf, typesOf } from "../at_hand/scan_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/transfer.ts";
import { fresh } from "../device/transfer.ts";
import { arrangementFor } from "../executor/plans_of_calls.ts";
import {
  plannedLengthOnGpu,
  requireNamed,
  requireOneEach,
  requireOnGpu,
} from "../gpu_arrays/calls_on_gpu.ts";
import type { Arrays, GpuArray } from "../gpu_arrays/gpu_array.ts";
import { countOf, rangeOf, runOnGpu } from "../gpu_arrays/one_plan_call.ts";
import type { Prepared } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";

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

const binNames = {
  bins: true,
  range: true,
  edges: true,
  bin: true,
} as const satisfies OptionTable<BinOptions>;
/** The options of `histogram`. */
const histogramNames = {
  type: true,
  weights: true,
  workGroupSize: true,
  itemsPerThread: true,
  ...binNames,
} as const satisfies OptionTable<HandHistogramOptions<string> & Record<"weights", unknown>>;
const preparedNames = {
  maxLength: true,
  lengthOnGpu: "boolean",
  ...histogramNames,
} as const satisfies OptionTable<HistogramOptions>;

/** `Fold.prepareHistogram`. */
export async function prepareHistogram(context: Context, options: HistogramOptions): Promise<Prepared> {
  requireOptions("prepareHistogram", options, preparedNames);
  return prepare(context, planHistogram(options, context.facts));
}

const weightTypes = { Uint32Array: u32, Int32Array: i32, Float32Array: f32 } as const;

/** The type of an array of weights. */
function typeOfWeights(
  { data, length, isGone }: Given,
  items: number,
  title: string,
): ElementType<WeightName> {
  if (isGone) {
    throw goneError(title, "weights");
  }
  const tag: unknown = Object(data)[Symbol.toStringTag];
  if (typeof tag !== "string" || !Object.hasOwn(weightTypes, tag)) {
    throw new ArgumentError(
      `${title}: weights is ${tag ?? typeof data}; it takes Uint32Array, Int32Array or Float32Array`,
      "weights",
    );
  }
  if (length !== items) {
    throw new ArgumentError(
      `${title}: ${length} weights for ${items} elements; it takes one for each`,
      "weights",
    );
  }
  return weightTypes[tag as keyof typeof weightTypes];
}

/** `Fold.histogram`. `given` and `marks` are the array and the weights as they were when the call began. */
export async function histogramAtHand(
  context: Context,
  given: Given,
  marks: Given,
  options: HandHistogramOptions<string> & { readonly weights?: unknown },
): Promise<ArrayOf<WeightName, number>> {
  requireOptions("histogram", options, histogramNames);
  const { length } = given;
  const { type } = await typesOf(given, { type: options.type }, "histogram");
  const scalar = requireScalar(type, "histogram", "data");
  const title = `histogram<${type.name}>`;
  const { weights: _, ...others } = options;
  const weights = options.weights === undefined ? undefined : typeOfWeights(marks, length, title);
  const bins = requireBins(others, scalar, title).count;
  const all = { ...others, type, ...(weights && { weights }), maxLength: length };
  // Two arrays with the same numbers give the same bins.
  const key = { ...all, range: textOf(options.range), edges: textOf(options.edges) };
  const made = await planAtHand(
    context,
    {
      primitive: "histogram",
      all: key,
      plan: async () => planHistogram(all, context.facts, [arrangementFor(all)]),
    },
    bufferBytesFor(given.byteLength) +
      (weights ? bufferBytesFor(marks.byteLength) : 0) +
      bufferBytesFor(bins * u32.bytes),
    async ({ upload, output, run }) => {
      const ranges = {
        input: given.byteLength > 0 ? await upload("input", given) : undefined,
        weights: weights && marks.byteLength > 0 ? await upload("weights", marks) : undefined,
        output: await output("output", bins),
      };
      const bytes = bins * u32.bytes;
      const result = fresh(bytes);
      await run(ranges, length, [readBackOf(ranges.output, bytes, result)]);
      return result();
    },
  );
  return arrayOver(weights ?? u32, made.buffer as ArrayBuffer) as ArrayOf<WeightName, number>;
}

/** Numbers as text, for the key of a plan. */
const textOf = (values: ArrayLike<unknown> | undefined): string | undefined =>
  values && Array.from(values, (value) => `${typeof value} ${value}`).join();

/** `Fold.histogram` of an array on the GPU. */
export async function histogramOnGpu(
  context: Context,
  arrays: Arrays,
  data: unknown,
  options: HandHistogramOptions<string> & { readonly weights?: unknown },
): Promise<GpuArray> {
  requireOptions("histogram", options, histogramNames);
  const input = requireOnGpu("histogram", context, data, "data");
  requireNamed("histogram", input, options.type);
  const type = requireScalar(input.type, "histogram", "data");
  const title = `histogram<${type.name}>`;
  const { weights: marks, ...others } = options;
  const weights = marks === undefined ? undefined : requireOnGpu("histogram", context, marks, "weights");
  requireWeights(weights?.type, title);
  if (weights !== undefined) {
    requireOneEach(title, input, weights, "weights");
  }
  const bins = requireBins(others, type, title);
  const count = countOf(input);
  const all = {
    ...others,
    type,
    ...(weights && { weights: weights.type as ElementType<"u32"> }),
    maxLength: plannedLengthOnGpu(input.maxLength, Math.max(type.bytes, u32.bytes), context),
    lengthOnGpu: count !== undefined,
  };
  return runOnGpu(context, arrays, {
    title,
    primitive: "histogram",
    all: { ...all, range: textOf(options.range), edges: textOf(options.edges) } as object as typeof all,
    plan: () => planHistogram(all, context.facts),
    sources: weights === undefined ? [input] : [input, weights],
    input,
    ranges: { input: rangeOf(input), ...(weights && { weights: rangeOf(weights) }) },
    type: weights?.type ?? u32,
    most: bins.count,
  });
}
