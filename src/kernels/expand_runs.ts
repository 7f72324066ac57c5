import expandRunsFile from "../../shaders/device/kernels/expand_runs.wgsl";
import type { ElementType } from "../algebra/types.ts";
import { carriedAs, file } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { inputItems, lengthFile, linkKernel, outputItems } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

const expandRuns = /* @__PURE__ */ file("kernels/expand_runs.wgsl", expandRunsFile);

/** The kernel that writes runs out. */
export const expandKernel = (type: ElementType, lengthOnGpu: boolean, sizes: Sizes): Kernel =>
  linkKernel(
    `wavefold expand runs <${type.name}>`,
    "expand_runs",
    [itemsText(carriedAs(type)), ...type.files, inputItems, outputItems, lengthFile(lengthOnGpu), expandRuns],
    sizes,
  );
