import type { DeviceFacts } from "../plan/facts.ts";
import type { MapOptions } from "../plan/map.ts";
import type { Methods } from "../plan/methods.ts";
import { portable } from "../plan/methods.ts";
import type { TuningOptions } from "../plan/options.ts";

/**
 * What a plan may choose from. Subgroups and the single pass are loaded where the options name them, or the adapter is
 * known to be faster with them. A call at hand gives no facts: its copies take longer than either saves. What maps items is
 * loaded where there is a map.
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
