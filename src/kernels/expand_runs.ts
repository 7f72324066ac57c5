import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import expandRuns from "#shaders/device/kernels/expand_runs.wgsl";
import type { ElementType } from "../algebra/types.ts";
import { carriedAs } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

/** The most items of a block. It has a word of work-group memory for each. */
const MOST_IN_BLOCK = 2048;

/** The items of a block that a thread takes: as many as divide a thread's items, and as there is room for. */
export function blockItems({ workGroupSize, items }: Pick<Sizes, "workGroupSize" | "items">): number {
  let own = items;
  while (own > 1 && (items % own !== 0 || own * workGroupSize > MOST_IN_BLOCK)) {
    own--;
  }
  return own;
}

/** The kernel that writes runs out. */
export const expandKernel = (type: ElementType, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold expand runs <${type.name}>`,
    "expand_runs",
    [itemsText(carriedAs(type)), ...type.files, inputItems, outputItems, lengthFile(lengthOnGpu), expandRuns],
    sizes,
    { more: { BLOCK_ITEMS: blockItems(sizes) } },
  );
