import type { ScalarArray } from "../../algebra/arrays.ts";
import { part } from "../../errors.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/transfer.ts";
import type { Arrays, GpuArray } from "../gpu_arrays/gpu_array.ts";
import type { HandHistogramOptions } from "./histogram.ts";
import { histogramAtHand, histogramOnGpu } from "./histogram.ts";
import type { HandSearchOptions } from "./search.ts";
import { searchSortedAtHand, searchSortedOnGpu } from "./search.ts";

// Questions about data: how many elements each bin has, where values stand in sorted data, and where the least or the greatest
// element is.

export { argAtHand } from "../at_hand/arg_min_max_at_hand.ts";
export { prepareHistogram } from "./histogram.ts";
export { prepareSearchSorted } from "./search.ts";

/** Whether a call's array is one on the GPU. */
const isOnGpu = ({ data }: Given): boolean => Object(data).callOnGpu !== undefined;

const loadOnGpu = () => part(import("../gpu_arrays/gpu_arrays_part.ts"));

/** `Fold.histogram`. */
export async function histogram(
  context: Context,
  arrays: Arrays,
  given: Given,
  weights: Given,
  options: HandHistogramOptions<string> & { readonly weights?: unknown },
): Promise<ScalarArray | GpuArray> {
  return isOnGpu(given)
    ? histogramOnGpu((await loadOnGpu()).onGpu, context, arrays, given.data, options)
    : histogramAtHand(context, given, weights, options);
}

/** `Fold.searchSorted`. */
export async function searchSorted(
  context: Context,
  arrays: Arrays,
  sorted: Given,
  values: Given,
  options: HandSearchOptions<string>,
): Promise<Uint32Array | GpuArray> {
  return isOnGpu(sorted) || isOnGpu(values)
    ? searchSortedOnGpu((await loadOnGpu()).onGpu, context, arrays, sorted.data, values.data, options)
    : searchSortedAtHand(context, sorted, values, options);
}
