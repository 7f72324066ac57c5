import valuesCounted from "#shaders/device/gather/values_counted.wgsl";
import valuesOfCall from "#shaders/device/gather/values_of_call.wgsl";
import inputItems from "#shaders/device/io/input_items.wgsl";
import outputItems from "#shaders/device/io/output_items.wgsl";
import gatherAtPositions from "#shaders/device/kernels/gather_at_positions.wgsl";
import type { ElementType } from "../algebra/types.ts";
import { generated } from "../text/source.ts";
import { carriedAs } from "./contract.ts";
import type { Kernel } from "./kernel.ts";
import { lengthFile, linkKernel } from "./kernel.ts";
import type { Sizes } from "./sizes.ts";

/** The kernel that gives the value at each position. `countOnGpu` is whether the number of values is on the GPU. */
export const gatherAtPositionsKernel = (
  type: ElementType,
  lengthOnGpu: boolean,
  countOnGpu: boolean,
  sizes: Sizes,
): Kernel =>
  linkKernel(
    `wavefold gather at positions <${type.name}>`,
    "gather_at_positions",
    [
      generated(
        [
          "alias Input = u32;",
          `alias Output = ${carriedAs(type)};`,
          "alias InputVector = Input;",
          "alias OutputVector = Output;",
        ].join("\n"),
      ),
      ...type.files,
      inputItems,
      outputItems,
      lengthFile(lengthOnGpu),
      countOnGpu ? valuesCounted : valuesOfCall,
      gatherAtPositions,
    ],
    sizes,
  );
