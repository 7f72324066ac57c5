import type { Operator } from "../algebra/monoid.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import { combineKernel } from "../kernels/combine_pairs.ts";
import { chooseSizes, requireMaxLength, twoPassRowOf } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { ofItems } from "./plain_plan.ts";
import type { Plan } from "./plan.ts";
import { itemTypesOf } from "./plan.ts";
import { groupingOf } from "./tuning.ts";

/** The options of a prepared combination of pairs. */
export interface CombineOptions {
  readonly type: ElementType;
  readonly op: Operator;
  /** The most items that it will be recorded for, two for each pair. */
  readonly maxLength: number;
}

/**
 * Plans the combination of items two by two: half as many items come out. The input and the output
 * are in different buffers.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planCombine(options: CombineOptions, facts: DeviceFacts): Plan {
  const { type, op } = options;
  const monoid = monoidOf(op, type, "combine");
  const title = `combine<${monoid.title}>`;
  // A thread takes one pair, and no work-group memory. A tuning needs an algorithm, but this kernel does not use it.
  const { domain } = monoid;
  const sizes = { workGroupSize: 64, itemsPerThread: 1, maxLength: options.maxLength };
  const row = twoPassRowOf("reduce", domain, sizes, facts);
  const tuning = chooseSizes(row, { title, type, monoid }, sizes, facts);
  const kernel = combineKernel(monoid, tuning.sizes);
  const bindings = { input: "input", output: "output" } as const;
  const outputLength = (length: number): number => Math.floor(length / 2);
  return {
    ...ofItems(title, requireMaxLength(title, options.maxLength, type.bytes, facts.limits)),
    kernels: [kernel],
    scratch: [],
    needs: new Set(["input", "output"] as const),
    itemTypes: itemTypesOf(type, type),
    outputLength,
    groupingOf: () => groupingOf(tuning, 1),
    passes(length) {
      const tiles = Math.ceil(outputLength(length) / tuning.sizes.workGroupSize);
      return tiles === 0 ? [] : [{ kernel, bindings, length, tiles }];
    },
  };
}
