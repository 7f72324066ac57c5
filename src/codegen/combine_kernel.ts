import combinePairsFile from "../../shaders/device/combine_pairs.wgsl";
import type { Monoid } from "../operators.ts";
import type { Sizes } from "./contract.ts";
import { operatorSources, storageText } from "./contract.ts";
import type { Kernel } from "./kernels.ts";
import { file, inputItems, linkKernel, outputItems } from "./kernels.ts";

const combinePairs = /* @__PURE__ */ file("combine_pairs.wgsl", combinePairsFile);

/** The combination of each two items. */
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
