import { carriedAs } from "../kernels/contract.ts";
import type { Kernel } from "../kernels/kernel.ts";
import { copyKernel, gatherKernel } from "../kernels/move_items.ts";
import type { SortOptions } from "./check_sort.ts";
import { requireMaxLength } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { moveSizes, ofItems, passOver } from "./plain_plan.ts";
import type { Bindable, Pass, Plan, RangeName, Scratch } from "./plan.ts";
import { itemTypesOf, rangesTaken, wholeWords } from "./plan.ts";

// Moves of items to the places that sorted positions give.

/**
 * Plans the moves of items to the places of their sorted positions, which the range `positions` has. They go from one range to
 * another, or back to the same.
 *
 * @throws {ArgumentError} {@link LimitError}
 */
export function planGather(
  { type, maxLength, lengthOnGpu = false }: Pick<SortOptions, "type" | "maxLength" | "lengthOnGpu">,
  facts: DeviceFacts,
  title: string,
  [from, to]: readonly [from: RangeName, to: RangeName],
): Plan {
  const sizes = moveSizes(title, type, facts);
  const gather = gatherKernel(type, lengthOnGpu, sizes);
  const copy = copyKernel(carriedAs(type), sizes, lengthOnGpu, true);
  const moved: Scratch = { name: "moved items", bytes: wholeWords(maxLength * type.bytes), late: true };
  return {
    ...ofItems(title, requireMaxLength(title, maxLength, Math.max(type.bytes, 4), facts.limits)),
    kernels: [gather, copy],
    scratch: [moved],
    needs: rangesTaken({ [from]: true, [to]: true, positions: true, length: lengthOnGpu }),
    itemTypes: { ...itemTypesOf(type, type), values: type, reordered: type },
    variants: [{ arrangement: "items" }, { arrangement: "one-buffer", aside: true }],
    passes(length, _, aside = false) {
      const pass = (kernel: Kernel, input: Bindable, output: Bindable): Pass =>
        passOver(kernel, length, { input, output, positions: "positions", length_buffer: "length" });
      if (length === 0) {
        return [];
      }
      return aside ? [pass(gather, from, moved), pass(copy, moved, to)] : [pass(gather, from, to)];
    },
  };
}
