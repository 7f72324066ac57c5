import { ArgumentError, FeatureError, LimitError, refuse, shown } from "../errors.ts";
import { algorithms, requireAlgorithm } from "../kernels/algorithms.ts";
import { requireCount } from "../options.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { mostThreads } from "./device_facts.ts";
import type { Chosen, TuningOptions } from "./options.ts";
import type { Tuning } from "./tuning.ts";
import { tileOf } from "./tuning.ts";

/**
 * Checks each of the caller's choices on its own.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export function requireChosen(options: TuningOptions, title: string, facts: DeviceFacts): void {
  const { algorithm, passes, itemsPerThread = 1, workGroupSize = 1 } = options;
  if (
    algorithm !== undefined &&
    algorithms[requireAlgorithm(algorithm, title)].subgroups &&
    !facts.features.has("subgroups")
  ) {
    throw new FeatureError(
      `${title} with the algorithm ${algorithm} needs the adapter feature "subgroups"`,
      "subgroups",
    );
  }
  if (passes !== undefined && passes !== "single" && passes !== "reduce-then-scan") {
    refuse(title, "passes", shown(passes), "single or reduce-then-scan");
  }
  requireCount(title, "itemsPerThread", itemsPerThread, 1);
  requireCount(title, "workGroupSize", workGroupSize, 1);
  const most = mostThreads(facts);
  if (workGroupSize > most) {
    throw new LimitError(
      `${title}: workGroupSize is ${workGroupSize}, and the device's limit is ${most}`,
      workGroupSize,
      most,
      "workGroupSize",
    );
  }
  if (itemsPerThread > 64) {
    refuse(title, "itemsPerThread", shown(itemsPerThread), "1 to 64");
  }
}

/**
 * Checks that an algorithm and sizes of the caller go together. Those that Wavefold chooses always do.
 *
 * @throws {ArgumentError} for a tile of one item.
 * @throws {LimitError} for more work-group memory than the device has.
 */
export function requireFit(
  tuning: Tuning,
  options: Chosen,
  title: string,
  memory: number,
  mostMemory: number,
): void {
  if (tileOf(tuning) < 2) {
    throw new ArgumentError(
      `${title}: a tile is workGroupSize * itemsPerThread = 1 item; it takes at least 2`,
      "workGroupSize",
    );
  }
  if (memory > mostMemory) {
    throw new LimitError(
      `${title} with the algorithm ${tuning.algorithm} and workGroupSize ${tuning.sizes.workGroupSize} needs ${memory} bytes of work-group memory, and the device's limit is ${mostMemory}`,
      memory,
      mostMemory,
      (["algorithm", "workGroupSize"] as const).find((name) => options[name] !== undefined),
    );
  }
}
