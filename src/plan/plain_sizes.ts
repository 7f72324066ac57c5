import type { ElementType } from "../algebra/types.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { requireChosen } from "./chosen.ts";
import type { DeviceFacts } from "./facts.ts";
import type { Chosen } from "./options.ts";
import { requireFeature } from "./tuning.ts";
import type { TuningRow } from "./tuning_row.ts";

/**
 * The sizes of a kernel that neither scans nor reduces tiles, from a row and the caller's choices.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export function plainSizes(
  { workGroupSize, items }: Pick<TuningRow, "workGroupSize" | "items">,
  title: string,
  type: ElementType,
  options: Omit<Chosen, "algorithm" | "passes">,
  facts: DeviceFacts,
): Sizes {
  requireFeature(type, title, facts);
  requireChosen(options, title, facts);
  const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX } = facts.limits;
  return {
    workGroupSize:
      options.workGroupSize ??
      Math.min(workGroupSize, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX),
    items: options.itemsPerThread ?? items,
    unrolled: true,
    oneByOne: false,
    minSubgroupSize: facts.subgroupMinSize,
    maxSubgroupSize: facts.subgroupMaxSize,
  };
}
