import copyCounted from "#shaders/device/io/copy_counted.wgsl";
import copyWhole from "#shaders/device/io/copy_whole.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import copyItems from "#shaders/device/kernels/copy_items.wgsl";
import gatherItems from "#shaders/device/kernels/gather_items.wgsl";
import type { ElementType } from "../algebra/types.ts";
import type { Source } from "../text/source.ts";
import { carriedAs } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

// Kernels that copy items, and move them.

/** The kernel that copies as many items as the total says; or all of them (`whole`). */
export function copyKernel(stored: string, sizes: Sizes, lengthOnGpu: boolean, whole: boolean): Kernel {
  return linkKernel(
    `wavefold copy <${stored}>`,
    "copy_items",
    [
      itemsText(stored),
      inputItems,
      outputItems,
      copyItems,
      ...(whole ? [lengthFile(lengthOnGpu), copyWhole] : [copyCounted]),
    ],
    sizes,
  );
}

/** A kernel that moves items of a type as they are. `sources` say where each goes. */
export const moveKernel = (
  name: string,
  entryPoint: string,
  type: ElementType,
  lengthOnGpu: boolean,
  sources: readonly Source[],
  sizes: Sizes,
): Kernel =>
  linkKernel(
    `wavefold ${name} <${type.name}>`,
    entryPoint,
    [itemsText(carriedAs(type)), ...type.files, inputItems, outputItems, lengthFile(lengthOnGpu), ...sources],
    sizes,
  );

/** The kernel that moves items to the places of their sorted positions. */
export const gatherKernel = (type: ElementType, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  moveKernel("gather", "gather_items", type, lengthOnGpu, [gatherItems], sizes);
