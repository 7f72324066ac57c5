import { u32 } from "../algebra/integers.ts";
import { appendKernel, storeCountKernel } from "../kernels/append_kept_items.ts";
import { carriedAs } from "../kernels/contract.ts";
import type { CompactOptions } from "./compact.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { ofItems, passOver, plainSizes } from "./plain_plan.ts";
import type { Plan, Scratch } from "./plan.ts";
import { itemTypesOf, wholeWords } from "./plan.ts";

/** The names of the scratch of {@link planAppend}: the counts, and the items that a window kept. */
export const appendScratch = { counts: "counts", kept: "kept items" } as const;

/**
 * Plans the kernels that join the windows of a compaction: one appends the kept items of a window to the output; with `aside`, the
 * other one stores how many items all windows kept. If the counts are `known`, they hold that from the start, and the kept items
 * get their scratch when it is first needed.
 */
export function planAppend(
  { type, indices = false, indirect, maxLength }: CompactOptions,
  { title, needs, indirectWords }: Plan,
  window: number,
  facts: DeviceFacts,
  known?: Uint32Array,
): Plan {
  const output = indices ? u32 : type;
  const sizes = plainSizes({ workGroupSize: 256, items: 16 }, title, type, {}, facts);
  const append = appendKernel(indices ? "u32" : carriedAs(type), sizes);
  const store = storeCountKernel(indirect, facts.limits.maxComputeWorkgroupsPerDimension, sizes);
  const counts: Scratch = {
    name: appendScratch.counts,
    bytes: (2 + Math.ceil(maxLength / window)) * u32.bytes,
    ...(known && { filled: known }),
  };
  const kept: Scratch = {
    name: appendScratch.kept,
    bytes: wholeWords(window * output.bytes),
    ...(known && { late: true }),
  };
  return {
    ...ofItems(title, maxLength),
    kernels: [append, store],
    scratch: [counts, kept],
    needs,
    itemTypes: itemTypesOf(output, output),
    ...(indirectWords !== undefined && { indirectWords }),
    groupingOf: () => {
      throw new Error(`${title}: a compaction has no grouping`);
    },
    passes: (length, _, aside = false) =>
      aside
        ? [passOver(store, 1, { counts, count_buffer: "count", indirect: "indirect" }, { length })]
        : [passOver(append, length, { counts, input: kept, output: "output" })],
  };
}
