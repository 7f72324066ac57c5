import type { ScalarArray } from "../algebra/arrays.ts";
import type { NthOptions, TopKOptions, TopKRowsOptions } from "../plan/select.ts";
import type { Context } from "./context.ts";
import type { Arrays, GpuArray } from "./gpu_array.ts";
import type { RunPrimitive } from "./runs.ts";
import type { SelectPrimitive } from "./select_calls.ts";
import type { SortPrimitive } from "./sort_calls.ts";
import type { Given } from "./transfer.ts";

// The calls that most programs do not need. Each is loaded by its first call. One module stands for them all, so that a program
// without them has nothing of them but one import.

/** The parameters of a function without the first. */
type Rest<F> = F extends (context: Context, ...given: infer Given) => unknown ? Given : never;

/** Whether a call's array is one on the GPU. */
const isOnGpu = (given: Given): given is Given & { readonly data: GpuArray } =>
  (Object(given.data) as Partial<GpuArray>).callOnGpu !== undefined;

export const argAtHand = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./arg_at_hand.ts").argAtHand>
): Promise<object> => (await import("./arg_at_hand.ts")).argAtHand(context, ...given);

export async function histogram(
  context: Context,
  arrays: Arrays,
  ...[given, weights, options]: Rest<typeof import("./histogram.ts").histogramAtHand>
): Promise<ScalarArray | GpuArray> {
  return isOnGpu(given)
    ? (await import("./more_on_gpu.ts")).histogramOnGpu(context, arrays, given.data, options)
    : (await import("./histogram.ts")).histogramAtHand(context, given, weights, options);
}

export const prepareHistogram = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./histogram.ts").prepareHistogram>
): ReturnType<typeof import("./histogram.ts").prepareHistogram> =>
  (await import("./histogram.ts")).prepareHistogram(context, ...given);

export async function searchSorted(
  context: Context,
  arrays: Arrays,
  ...[sorted, values, options]: Rest<typeof import("./search.ts").searchSortedAtHand>
): Promise<Uint32Array | GpuArray> {
  return isOnGpu(sorted) || isOnGpu(values)
    ? (await import("./more_on_gpu.ts")).searchSortedOnGpu(context, arrays, sorted.data, values.data, options)
    : (await import("./search.ts")).searchSortedAtHand(context, sorted, values, options);
}

export const prepareSearchSorted = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./search.ts").prepareSearchSorted>
): ReturnType<typeof import("./search.ts").prepareSearchSorted> =>
  (await import("./search.ts")).prepareSearchSorted(context, ...given);

export async function runs(
  context: Context,
  arrays: Arrays,
  primitive: RunPrimitive,
  given: Given,
  options: object,
): Promise<unknown> {
  const { runsAtHand, runsOnGpu } = await import("./runs.ts");
  return isOnGpu(given)
    ? runsOnGpu(primitive, context, arrays, given.data, options)
    : runsAtHand(primitive, context, arrays, given, options);
}

export async function expandRuns(
  context: Context,
  arrays: Arrays,
  ...[values, counts, options]: readonly [values: Given, counts: Given, options: object]
): Promise<unknown> {
  const { expandRunsAtHand, expandRunsOnGpu } = await import("./expand_runs.ts");
  return isOnGpu(values) || isOnGpu(counts)
    ? expandRunsOnGpu(context, arrays, values.data, counts.data, options as never)
    : expandRunsAtHand(context, arrays, values, counts, options);
}

export const prepareExpandRuns = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./expand_runs.ts").prepareExpandRuns>
): ReturnType<typeof import("./expand_runs.ts").prepareExpandRuns> =>
  (await import("./expand_runs.ts")).prepareExpandRuns(context, ...given);

export const segments = async (
  context: Context,
  arrays: Arrays,
  primitive: "scan" | "reduce",
  given: Given,
  options: object,
): Promise<unknown> =>
  (await import("./segments_at_hand.ts")).segmentsAtHand(primitive, context, arrays, given, options);

export async function sort(
  context: Context,
  arrays: Arrays,
  primitive: SortPrimitive,
  given: Given,
  ...others: readonly [room: Given, values: readonly Given[], options: object]
): Promise<unknown> {
  const { sortAtHand, sortOnGpu } = await import("./sort_calls.ts");
  return isOnGpu(given)
    ? sortOnGpu(primitive, context, arrays, given.data, others[2])
    : sortAtHand(primitive, context, arrays, given, ...others);
}

export async function select(
  context: Context,
  arrays: Arrays,
  primitive: SelectPrimitive,
  given: Given,
  ...others: readonly [number: number, options: object]
): Promise<unknown> {
  const { selectAtHand, selectOnGpu } = await import("./select_calls.ts");
  return isOnGpu(given)
    ? selectOnGpu(primitive, context, arrays, given.data, ...others)
    : selectAtHand(primitive, context, arrays, given, ...others);
}

export const prepareTopK = async (
  context: Context,
  _: Arrays,
  options: TopKOptions | TopKRowsOptions,
): ReturnType<typeof import("./select.ts").prepareTopK> =>
  (await import("./select.ts")).prepareTopK(context, options);

export const prepareNth = async (
  context: Context,
  _: Arrays,
  options: NthOptions,
): ReturnType<typeof import("./select.ts").prepareNth> =>
  (await import("./select.ts")).prepareNth(context, options);

export const prepareSort = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./sort.ts").prepareSort>
): ReturnType<typeof import("./sort.ts").prepareSort> =>
  (await import("./sort.ts")).prepareSort(context, ...given);

export const partition = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./partition.ts").partitionAtHand>
): ReturnType<typeof import("./partition.ts").partitionAtHand> =>
  (await import("./partition.ts")).partitionAtHand(context, ...given);

export const prepareReduce = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./recording.ts").prepareReduce>
): ReturnType<typeof import("./recording.ts").prepareReduce> =>
  (await import("./recording.ts")).prepareReduce(context, ...given);

export const prepareCompact = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./recording.ts").prepareCompact>
): ReturnType<typeof import("./recording.ts").prepareCompact> =>
  (await import("./recording.ts")).prepareCompact(context, ...given);

export const preparePartition = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./partition.ts").preparePartition>
): ReturnType<typeof import("./partition.ts").preparePartition> =>
  (await import("./partition.ts")).preparePartition(context, ...given);

export const reduceStream = async (
  context: Context,
  _: Arrays,
  ...given: Rest<typeof import("./streams.ts").reduceStream>
): ReturnType<typeof import("./streams.ts").reduceStream> =>
  (await import("./streams.ts")).reduceStream(context, ...given);

export const upload = async (
  ...given: Parameters<typeof import("./to_gpu.ts").upload>
): ReturnType<typeof import("./to_gpu.ts").upload> => (await import("./to_gpu.ts")).upload(...given);

export const wrap = async (
  ...given: Parameters<typeof import("./to_gpu.ts").wrap>
): ReturnType<typeof import("./to_gpu.ts").wrap> => (await import("./to_gpu.ts")).wrap(...given);
