import type { ScalarArray } from "../../algebra/arrays.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/transfer.ts";
import type { Arrays, GpuArray } from "../gpu_arrays/gpu_array.ts";
import { isGpuArray } from "../gpu_arrays/gpu_array.ts";
import type { HandHistogramOptions } from "./histogram.ts";
import { histogramAtHand, histogramOnGpu } from "./histogram.ts";
import type { HandSearchOptions } from "./search.ts";
import { searchSortedAtHand, searchSortedOnGpu } from "./search.ts";

// Questions about data: how many elements each bin has, where values stand in sorted data, and where the least or the greatest
// element is.

export { argAtHand } from "../at_hand/arg_min_max_at_hand.ts";
export { prepareHistogram } from "./histogram.ts";
export { prepareSearchSorted } from "./search.ts";

/** `Fold.histogram`. */
export async function histogram(
  context: Context,
  arrays: Arrays,
  given: Given,
  weights: Given,
  options: HandHistogramOptions<string> & { readonly weights?: unknown },
): Promise<ScalarArray | GpuArray> {
  return isGpuArray(given.data)
    ? histogramOnGpu(context, arrays, given.data, options)
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
  return isGpuArray(sorted.data) || isGpuArray(values.data)
    ? searchSortedOnGpu(context, arrays, sorted.data, values.data, options)
    : searchSortedAtHand(context, sorted, values, options);
}
