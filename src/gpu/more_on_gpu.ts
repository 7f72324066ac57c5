import { arrayOver } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { isSameType } from "../algebra/types.ts";
import { ArgumentError, WavefoldError } from "../errors.ts";
import { requireOptions } from "../options.ts";
import { requireBins } from "../plan/bins.ts";
import { planHistogram, requireWeights } from "../plan/histogram.ts";
import type { Plan } from "../plan/plan.ts";
import { requireScalar, requireSide } from "../plan/scalar.ts";
import { planSearch } from "../plan/search.ts";

import type { Context } from "./context.ts";
import { explain } from "./device.ts";
import type { Arrays, Count, Memory } from "./gpu_array.ts";
import { GpuArray, hold, own } from "./gpu_array.ts";
import type { HandHistogramOptions } from "./histogram.ts";
import { histogramNames, textOf } from "./histogram.ts";
import {
  callOnGpu,
  plannedLength,
  requireNamed,
  requireOneEach,
  requireOnGpu,
  submitOnGpu,
  withPlan,
} from "./on_gpu.ts";
import { keyOfCall } from "./planned.ts";
import type { Ranges } from "./recording.ts";
import { prepare } from "./recording.ts";
import type { HandSearchOptions } from "./search.ts";
import { searchNames } from "./search.ts";
import { roomFor } from "./transfer.ts";

// Histograms of arrays on the GPU, and searches in them. As in on_gpu.ts, nothing is read back.

const { partsOf } = GpuArray;

/** A call whose arguments were checked. */
interface Call {
  readonly title: string;
  readonly primitive: string;
  /** What the plan depends on. */
  readonly all: { readonly maxLength: number };
  plan(): Plan;
  /** The arrays that it reads. */
  readonly sources: readonly GpuArray[];
  /** The array that decides the length. */
  readonly input: GpuArray;
  readonly ranges: Omit<Ranges, "output" | "length">;
  /** The result: its type, the most items, and where their number is, if that is on the GPU. */
  readonly type: ElementType;
  readonly most: number;
  readonly count?: Count | undefined;
  /** An array of the type, if the result reads into arrays like it. */
  readonly like?: GpuArray;
}

const rangeOf = ({ buffer, offset }: GpuArray): { buffer: GPUBuffer; offset: number } => ({ buffer, offset });

/** Records a call and submits it. */
export async function run(context: Context, arrays: Arrays, call: Call): Promise<GpuArray> {
  const { title, input, sources, type, most, count } = call;
  const key = keyOfCall({ primitive: `${call.primitive} on the GPU`, all: call.all });
  const releases = sources.map((array) => hold(partsOf(array)));
  const make = async () => prepare(context, call.plan(), undefined, true);
  let made: Memory | undefined;
  try {
    return await withPlan(context, key, make, async (prepared) => {
      made = own(context, arrays, await roomFor(context, title, "result", most * type.bytes));
      const memory = made;
      const used = [...sources.map((array) => partsOf(array).memory), count?.memory];
      submitOnGpu(context, title, used, [memory], (encoder) =>
        prepared.record(
          encoder,
          { ...call.ranges, output: memory.buffer, length: input.length },
          input.maxLength,
        ),
      );
      made = undefined;
      count?.memory.hold();
      const contents = call.like ? GpuArray.makeOf(call.like) : arrayOver.bind(undefined, type);
      return new GpuArray(type, contents, {
        context,
        memory,
        offset: 0,
        maxLength: most,
        count,
        held: count === undefined ? [memory] : [memory, count.memory],
        call: callOnGpu,
      });
    });
  } catch (cause) {
    throw cause instanceof WavefoldError ? cause : await explain(context, title, cause);
  } finally {
    made?.letGo();
    for (const release of releases) {
      release();
    }
  }
}

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
  const { count } = partsOf(input);
  const all = {
    ...others,
    type,
    ...(weights && { weights: weights.type as ElementType<"u32"> }),
    maxLength: plannedLength(input.maxLength, Math.max(type.bytes, u32.bytes), context),
    lengthOnGpu: count !== undefined,
  };
  return run(context, arrays, {
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

/** `Fold.searchSorted` of arrays on the GPU. */
export async function searchSortedOnGpu(
  context: Context,
  arrays: Arrays,
  sortedData: unknown,
  values: unknown,
  options: HandSearchOptions<string>,
): Promise<GpuArray> {
  const caller = "searchSorted";
  requireOptions(caller, options, searchNames);
  const sorted = requireOnGpu(caller, context, sortedData, "sorted", "values");
  const input = requireOnGpu(caller, context, values, "values", "sorted");
  requireNamed(caller, sorted, options.type);
  const type = requireScalar(sorted.type, caller, "sorted");
  const title = `${caller}<${type.name}>`;
  if (!isSameType(type, input.type)) {
    throw new ArgumentError(
      `${title}: values holds ${input.type.name}; it takes ${type.name}, as sorted holds`,
      "values",
    );
  }
  const { length: sortedLength } = sorted;
  if (typeof sortedLength !== "number") {
    throw new ArgumentError(
      `${title}: the length of sorted is on the GPU; it takes an array whose length is known`,
      "sorted",
    );
  }
  requireSide(options.side, title);
  const { count } = partsOf(input);
  const all = {
    ...options,
    type,
    maxLength: plannedLength(input.maxLength, Math.max(type.bytes, u32.bytes), context),
    lengthOnGpu: count !== undefined,
  };
  return run(context, arrays, {
    title,
    primitive: caller,
    all,
    plan: () => planSearch(all, context.facts),
    sources: [sorted, input],
    input,
    ranges: { input: rangeOf(input), sorted: rangeOf(sorted), sortedLength },
    type: u32,
    most: input.maxLength,
    count,
  });
}
