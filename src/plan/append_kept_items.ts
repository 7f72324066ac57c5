import { u32 } from "../algebra/integers.ts";
import { appendKernel, storeCountKernel } from "../kernels/append_kept_items.ts";
import { carriedAs } from "../kernels/contract.ts";
import { bindingOf } from "../kernels/kernel.ts";
import type { CompactOptions } from "./compact.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Plan } from "./plan.ts";
import { bound, itemBytesOf, wholeWords } from "./plan.ts";

/** The scratch of {@link planAppend}: the counts, and the items that a window kept. */
export const appendScratch = { counts: 0, kept: 1 } as const;

/**
 * Plans the kernels that join the windows of a compaction: one appends the kept items of a window to the output; with `aside`, the
 * other one stores how many items all windows kept.
 */
export function planAppend(
  { type, indices = false, indirect, maxLength }: CompactOptions,
  { title, needs, indirectWords }: Plan,
  window: number,
  { limits, subgroupMinSize, subgroupMaxSize }: DeviceFacts,
): Plan {
  const output = indices ? u32.bytes : type.bytes;
  const sizes = {
    workGroupSize: Math.min(256, limits.maxComputeInvocationsPerWorkgroup),
    items: 16,
    minSubgroupSize: subgroupMinSize,
    maxSubgroupSize: subgroupMaxSize,
    unrolled: true,
  };
  const append = appendKernel(indices ? "u32" : carriedAs(type), sizes);
  const store = storeCountKernel(indirect, limits.maxComputeWorkgroupsPerDimension, sizes);
  const counts = [bindingOf.spine, { scratch: appendScratch.counts }] as const;
  return {
    title,
    maxLength,
    kernels: [append, store],
    scratch: [(2 + Math.ceil(maxLength / window)) * u32.bytes, wholeWords(window * output)],
    eagerScratch: 2,
    needs,
    itemBytes: itemBytesOf(output, output),
    indirectWords,
    vector: 1,
    outputLength: (length) => length,
    variants: [{ arrangement: "items" }],
    groupingOf: () => {
      throw new Error(`${title}: a compaction has no grouping`);
    },
    passes: (length, _, aside = false) =>
      aside
        ? [
            {
              kernel: store,
              slots: bound(store, [counts, [bindingOf.count, "count"], [bindingOf.indirect, "indirect"]]),
              length,
              tiles: 1,
            },
          ]
        : [
            {
              kernel: append,
              slots: bound(append, [
                counts,
                [bindingOf.input, { scratch: appendScratch.kept }],
                [bindingOf.output, "output"],
              ]),
              length,
              tiles: Math.ceil(length / (sizes.workGroupSize * sizes.items)),
            },
          ],
  };
}
