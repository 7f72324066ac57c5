import type { ElementType } from "../algebra/types.ts";
import { ArgumentError, FeatureError, LimitError } from "../errors.ts";
import { algorithms } from "../kernels/algorithms.ts";
import { requireAlgorithm } from "../kernels/require_algorithm.ts";
import type { Chosen, DeviceFacts, Tuning } from "./tuning.ts";
import { tileOf } from "./tuning.ts";

// This is loaded where a caller chooses an algorithm, sizes or a type that not every device has, and where a plan
// is refused.

/**
 * Checks what the caller chooses, each on its own.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError}
 */
export function requireChosen(
  { feature }: ElementType,
  options: Chosen,
  title: string,
  { limits, features }: DeviceFacts,
): void {
  if (feature !== undefined && !features.has(feature)) {
    throw new FeatureError(`${title} needs the adapter feature "${feature}"`);
  }
  const { algorithm } = options;
  const itemsPerThread = options.itemsPerThread ?? 1;
  const workGroupSize = options.workGroupSize ?? 1;
  if (
    algorithm !== undefined &&
    algorithms[requireAlgorithm(algorithm, title)].subgroups &&
    !features.has("subgroups")
  ) {
    throw new FeatureError(`${title} with the algorithm ${algorithm} needs the adapter feature "subgroups"`);
  }
  requireCount(title, "itemsPerThread", itemsPerThread);
  requireCount(title, "workGroupSize", workGroupSize);
  const most = Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX);
  if (workGroupSize > most) {
    throw new LimitError(`${title}: workGroupSize is ${workGroupSize}, and the device's limit is ${most}`);
  }
  if (itemsPerThread > 64) {
    throw new ArgumentError(`${title}: itemsPerThread is ${itemsPerThread}; it takes 1 to 64`);
  }
}

/** Why an algorithm and sizes do not go together. */
export function misfit(tuning: Tuning, title: string, memory: number, mostMemory: number): Error {
  return tileOf(tuning) < 2
    ? new ArgumentError(`${title}: a tile is workGroupSize * itemsPerThread = 1 item; it takes at least 2`)
    : new LimitError(
        `${title} with the algorithm ${tuning.algorithm} and workGroupSize ${tuning.sizes.workGroupSize} needs ${memory} bytes of work-group memory, and the device's limit is ${mostMemory}`,
      );
}

/** Why a plan is not made for a length: it is none, or is more than `most` items. */
export function lengthProblem(title: string, maxLength: unknown, itemBytes: number, most: number): Error {
  return typeof maxLength !== "number" || !Number.isInteger(maxLength) || maxLength < 0
    ? new ArgumentError(`${title}: maxLength is ${String(maxLength)}; it takes a whole number from 0 up`)
    : new LimitError(
        `${title}: ${maxLength} items of ${itemBytes} bytes are more than the device can bind, which is ${most}`,
      );
}

/** A whole number of at least 1. */
function requireCount(title: string, name: string, value: unknown): void {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1) {
    throw new ArgumentError(`${title}: ${name} is ${String(value)}; it takes a whole number from 1 up`);
  }
}
