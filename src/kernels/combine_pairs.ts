import combinePairsFile from "../../shaders/device/kernels/combine_pairs.wgsl";
import type { Monoid } from "../algebra/monoid.ts";
import { file, operatorSources, storageText } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { inputItems, linkKernel, outputItems } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

const combinePairs = /* @__PURE__ */ file("kernels/combine_pairs.wgsl", combinePairsFile);

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
