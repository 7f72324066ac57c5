import { isOnGpu } from "../../algebra/arrays.ts";
import type { Context } from "../device/context.ts";
import type { Arrays } from "../gpu_arrays/gpu_array.ts";
import type { SortArrays, SortPrimitive } from "./sort_calls.ts";
import { sortAtHand, sortOnGpu } from "./sort_calls.ts";

// Sorts.

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
  return isOnGpu(data)
    ? sortOnGpu(primitive, context, arrays, data, options)
    : sortAtHand(primitive, context, arrays, call, options);
}
