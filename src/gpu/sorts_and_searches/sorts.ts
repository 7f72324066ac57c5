import { isOnGpu } from "../../algebra/arrays.ts";
import { nth as anNth } from "../../primitives/nth.ts";
import { topK as aTopK } from "../../primitives/top_k.ts";
import type { Context } from "../device/context.ts";
import { formsOf } from "../forms/forms.ts";
import type { Arrays } from "../gpu_arrays/gpu_array.ts";
import type { SortArrays, SortPrimitive } from "./sort_calls.ts";
import { sortAtHand, sortOnGpu } from "./sort_calls.ts";

// Sorts, and selections of the first elements in an order.

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

export const topK = formsOf(aTopK);
export const nth = formsOf(anNth);
