import type { ElementType } from "../algebra/types.ts";
import { ArgumentError, refuse } from "../errors.ts";
import type { Parted } from "../kernels/compact.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import { byClass, inTwo } from "../kernels/partition.ts";
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
  /** For more parts than two: how many classes there are, 1 to 16. It goes with `class`, in place of `where`. */
  readonly classes?: number;
  /**
   * A WGSL expression over the element `x` and its index `i` (u32) that gives an item's class: a number from 0 up. A number
   * past the last class counts as the last class.
   */
  readonly class?: string;
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
  return planCompact(options, facts, methods, arrangements, undefined, partedBy(options));
}

/** The most classes. The data is read twice for each. */
const MOST_CLASSES = 16;

/** @throws {ArgumentError} for classes that are none. */
function partedBy({ type, where, classes, class: expression }: PartitionOptions): Parted {
  if (classes === undefined && expression === undefined) {
    return inTwo;
  }
  const title = `partition<${type?.name}>`;
  if (typeof classes !== "number" || !Number.isInteger(classes) || classes < 1 || classes > MOST_CLASSES) {
    refuse(title, "classes", String(classes), `a whole number from 1 to ${MOST_CLASSES}`);
  }
  if (typeof expression !== "string") {
    refuse(title, "class", typeof expression, "a WGSL expression over the element x and its index i");
  }
  if (where !== undefined) {
    throw new ArgumentError(`${title} takes where (a WGSL expression) or classes, and not both`, "where");
  }
  return byClass(classes, expression);
}
