import { tablesFor } from "../adapters/adapter.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { searchKernel } from "../kernels/search.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { TuningOptions } from "./options.ts";
import { plainPlan } from "./plain_plan.ts";
import type { Plan } from "./plan.ts";
import { itemTypesOf } from "./plan.ts";
import { requireScalar, requireSide } from "./require_scalar.ts";

/** The side of equal elements, and the sizes of the kernel. */
export interface SearchTuning extends Pick<TuningOptions, "workGroupSize" | "itemsPerThread"> {
  /**
   * Which place a value has among equal elements: `"left"`, before the first of them (the default), or `"right"`, behind the last.
   */
  readonly side?: "left" | "right";
}

/** The options of `prepareSearchSorted`. */
export interface SearchOptions<Name extends string = string> extends SearchTuning {
  /** The type of the sorted items, and of the values. */
  readonly type: ElementType<Name>;
  /** The most values of a recording: a whole number from 0 up. */
  readonly maxLength: number;
  /** Whether recordings take the number of values from a buffer on the GPU. */
  readonly lengthOnGpu?: boolean;
}

/** What calls on arrays on the GPU plan, too. */
interface CountedOption {
  /** Whether recordings take the number of sorted items from a buffer. Then `sortedLength` is the most that it may be. */
  readonly sortedCount?: boolean;
}

/**
 * Plans the search for the places of values in a sorted range. Each thread searches for its own values.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSearch(options: SearchOptions & CountedOption, facts: DeviceFacts): Plan {
  const { sortedCount = false } = options;
  const type = requireScalar(options.type, "searchSorted");
  const title = `searchSorted<${type.name}>`;
  const side = requireSide(options.side, title);
  return plainPlan({
    title,
    type,
    row: tablesFor(facts).search,
    options,
    facts,
    kernelOf: (lengthOnGpu, sizes) => searchKernel(type, side, lengthOnGpu, sortedCount, sizes),
    itemTypes: itemTypesOf(type, u32),
    lookedUp: { range: "sorted", type, counter: sortedCount ? "sorted_count" : undefined },
  });
}
