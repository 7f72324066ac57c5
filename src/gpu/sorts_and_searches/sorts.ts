import type { Context } from "../device/context.ts";
import type { Given } from "../device/transfer.ts";
import type { Arrays } from "../gpu_arrays/gpu_array.ts";
import { isGpuArray } from "../gpu_arrays/gpu_array.ts";
import type { SelectPrimitive } from "./select_calls.ts";
import { selectAtHand, selectOnGpu } from "./select_calls.ts";
import type { SortArrays, SortPrimitive } from "./sort_calls.ts";
import { sortAtHand, sortOnGpu } from "./sort_calls.ts";

// Sorts, and selections of the first elements in an order.

export { prepareNth, prepareTopK } from "./recorded_select.ts";
export { prepareSort } from "./recorded_sort.ts";

/** `Fold.sort` and `Fold.argSort`. */
export async function sort(
  context: Context,
  arrays: Arrays,
  primitive: SortPrimitive,
  call: SortArrays,
  options: object,
): Promise<unknown> {
  const { data } = call.given;
  return isGpuArray(data)
    ? sortOnGpu(primitive, context, arrays, data, options)
    : sortAtHand(primitive, context, arrays, call, options);
}

/** `Fold.topK` and `Fold.nth`. */
export async function select(
  context: Context,
  arrays: Arrays,
  primitive: SelectPrimitive,
  given: Given,
  number: number,
  options: object,
): Promise<unknown> {
  return isGpuArray(given.data)
    ? selectOnGpu(primitive, context, arrays, given.data, number, options)
    : selectAtHand(primitive, context, arrays, given, number, options);
}
