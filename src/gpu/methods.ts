import type { Operator } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import type { EndChoices } from "../kernels/ends.ts";
import type { DeviceFacts } from "../plan/facts.ts";
import type { MapOptions } from "../plan/map.ts";
import type { Methods } from "../plan/methods.ts";
import { portable } from "../plan/methods.ts";
import type { TuningOptions } from "../plan/options.ts";
import { goOneByOne } from "../plan/tuning.ts";

/**
 * The methods that a plan may choose from. Subgroups and the single pass are loaded if the options name one of them. For a
 * recording, they are also loaded if the adapter was tuned, or is known to be faster with them: a call at hand takes longer for its copies
 * than either saves. The others are loaded if the options need them.
 */
export async function methodsFor(
  options: TuningOptions &
    MapOptions &
    EndChoices & {
      readonly type?: ElementType;
      readonly op?: Operator;
      readonly segments?: unknown;
    },
  facts: DeviceFacts,
  isRecorded = false,
): Promise<Methods> {
  const { algorithm, workGroupSize, itemsPerThread, passes, map, initial, total, segments, type, from, op } =
    options;
  const isFaster = isRecorded && (facts.vendor === "nvidia" || facts.lookBack || facts.tuned);
  const isEvery = isFaster || algorithm === "subgroup" || passes === "single";
  const isChosen = [algorithm, workGroupSize, itemsPerThread, passes].some((one) => one !== undefined);
  // An element of a segment has a number beside its value.
  const elementBytes = (op?.mostBytes ?? type?.bytes ?? 0) + (segments ? 4 : 0);
  const isLong = goOneByOne(Math.max(elementBytes, from?.bytes ?? 0), facts);
  const [every, chosen, maps, ends, oneByOne] = await Promise.all([
    isEvery ? import("../plan/every_method.ts") : undefined,
    isChosen ? import("../plan/choices.ts") : undefined,
    map === undefined && from === undefined ? undefined : import("../plan/map.ts"),
    initial === undefined && total === undefined ? undefined : import("../kernels/ends.ts"),
    isLong ? import("../kernels/one_by_one.ts") : undefined,
  ]);
  // These modules export methods, and nothing else.
  return { ...(every?.everyMethod ?? portable), ...chosen, ...maps, ...ends, ...oneByOne };
}
