import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import appendItems from "#shaders/device/kernels/append_items.wgsl";
import storeCountFileOf from "#shaders/device/kernels/store_count.wgsl";
import { generated } from "../text/source.ts";
import type { Indirect } from "./compact.ts";
import { totalSources } from "./compact.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

// The kernels that join the kept items of the windows of a compaction.

/** The kernel that copies what a window kept to its place in the output. `stored` is the WGSL type of an item. */
export const appendKernel = (stored: string, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold append <${stored}>`,
    "append_items",
    [itemsText(stored), inputItems, outputItems, appendItems],
    sizes,
  );

/** The kernel that stores how many items all windows kept, and the arguments of an indirect call. */
export const storeCountKernel = (
  indirect: Indirect | undefined,
  mostWorkGroups: number,
  sizes: Sizes,
): Kernel =>
  linkKernel(
    "wavefold store count",
    "store_count",
    [generated("alias Element = u32;"), ...totalSources(indirect, mostWorkGroups), storeCountFileOf],
    sizes,
  );
