import type { ElementType } from "../algebra/types.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import { parted } from "../kernels/partition.ts";
import { planCompact } from "./compact.ts";
import type { DeviceFacts } from "./facts.ts";
import type { Methods } from "./methods.ts";
import type { TuningOptions } from "./options.ts";
import type { Plan } from "./plan.ts";

/** The options of `preparePartition`. */
export interface PartitionOptions<Name extends string = string> extends TuningOptions {
  /** The type of the items. */
  readonly type: ElementType<Name>;
  /**
   * A WGSL expression over the element `x` and its index `i` (u32). An item is kept if it is true, or a number that is not
   * zero. Without it, each recording takes `flags`: a u32 for each item, which is kept if its flag is not zero.
   */
  readonly where?: string;
  /** Whether to write the positions of the items, as u32, instead of the items. */
  readonly indices?: boolean;
  /** The most items that you will record. It sets the size of the scratch. */
  readonly maxLength: number;
  /** Whether recordings take the length from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/**
 * Plans a partition: a compaction that stores the other items, too. Where they begin is known once all kept items are
 * counted, so the data is always read twice.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planPartition(
  options: PartitionOptions,
  facts: DeviceFacts,
  { singlePass: _, ...methods }: Methods,
  arrangements?: readonly Arrangement[],
): Plan {
  return planCompact(options, facts, methods, arrangements, undefined, parted);
}
