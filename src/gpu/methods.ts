import type { DeviceFacts } from "../plan/facts.ts";
import type { MapOptions } from "../plan/map.ts";
import type { Methods } from "../plan/methods.ts";
import { portable } from "../plan/methods.ts";
import type { TuningOptions } from "../plan/options.ts";

/**
 * The methods that a plan may choose from. Subgroups and the single pass are loaded if the options name one of them, or if
 * the adapter is known to be faster with them. A call at hand gives no facts, since its copies take longer than either
 * saves. Maps are loaded if the options have one.
 */
export async function methodsFor(
  { algorithm, passes, map }: TuningOptions & MapOptions,
  facts?: DeviceFacts,
): Promise<Methods> {
  const isEvery =
    algorithm === "subgroup" || passes === "single" || facts?.vendor === "nvidia" || facts?.lookBack;
  const [every, maps] = await Promise.all([
    isEvery ? import("../plan/every_method.ts") : undefined,
    map === undefined ? undefined : import("../kernels/map.ts"),
  ]);
  return { ...(every?.everyMethod ?? portable), ...(maps && { itemMap: maps.itemMap }) };
}
