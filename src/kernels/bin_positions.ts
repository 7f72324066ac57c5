import channelInTurn from "#shaders/device/histogram/channel_in_turn.wgsl";
import channelSingle from "#shaders/device/histogram/channel_single.wgsl";
import channelStored from "#shaders/device/histogram/channel_stored.wgsl";
import storePositions from "#shaders/device/kernels/store_positions.wgsl";
import { expressionFiles, typeFiles } from "../algebra/expression_files.ts";
import { generated } from "../text/source.ts";
import { carriedAs, vectorText } from "./contract.ts";
import type { HistogramKernelOptions } from "./histogram.ts";
import { binSources } from "./histogram.ts";
import type { Kernel } from "./kernel.ts";
import { inputFor, lengthFile, linkKernel, packedUnless } from "./kernel.ts";

/** The kernel that stores the position of each item's bin among those of all channels. */
export const storePositionsKernel = ({
  type,
  bins,
  rule,
  channels,
  lengthOnGpu,
  sizes,
  params,
}: Pick<
  HistogramKernelOptions,
  "type" | "bins" | "rule" | "channels" | "lengthOnGpu" | "sizes" | "params"
>): Kernel =>
  linkKernel(
    `wavefold store positions of bins <${type.name}>`,
    "store_positions",
    [
      generated(
        [
          `alias Input = ${carriedAs(type)};`,
          `const BINS = ${bins}u;`,
          `const CHANNELS = ${channels?.count ?? 1}u;`,
          vectorText(carriedAs(type), undefined, 1),
        ].join("\n"),
      ),
      ...(rule.by === "text" ? expressionFiles : typeFiles)(type),
      ...binSources(type, rule, params),
      // In two dimensions, the data is not this kernel's input.
      ...inputFor("items", packedUnless(type, channels?.by === "number")),
      lengthFile(lengthOnGpu),
      channels === undefined ? channelSingle : channels.by === "turn" ? channelInTurn : channelStored,
      storePositions,
    ],
    sizes,
  );
