import valuesCounted from "#shaders/device/gather/values_counted.wgsl";
import valuesOfCall from "#shaders/device/gather/values_of_call.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import gatherAtPositions from "#shaders/device/kernels/gather_at_positions.wgsl";
import type { ElementType } from "../algebra/types.ts";
import { carriedAs } from "./contract.ts";
import { itemsText } from "./copied_items.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

/** The kernel that reads the values at some positions, which the input has. `isCounted` is whether a buffer has the number of values. */
export const gatherAtPositionsKernel = (
  type: ElementType,
  lengthOnGpu: boolean,
  isCounted: boolean,
  sizes: Sizes,
): Kernel =>
  linkKernel(
    `wavefold gather at positions <${type.name}>`,
    "gather_at_positions",
    [
      itemsText("u32", carriedAs(type)),
      ...type.files,
      inputItems,
      outputItems,
      lengthFile(lengthOnGpu),
      isCounted ? valuesCounted : valuesOfCall,
      gatherAtPositions,
    ],
    sizes,
  );
