import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import combinePairs from "#shaders/device/kernels/combine_pairs.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import { operatorSources, storageText } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

/** The kernel that combines items two by two. */
export function combineKernel(monoid: Monoid, sizes: Sizes): Kernel {
  return linkKernel(
    `wavefold combine <${monoid.title}>`,
    "combine_pairs",
    [
      ...operatorSources(monoid),
      storageText(monoid, "items", "items", 1),
      ...monoid.type.files,
      inputItems,
      outputItems,
      combinePairs,
    ],
    sizes,
  );
}
