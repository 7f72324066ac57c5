import type { Kernel, Sharing } from "../codegen/kernels.ts";
import { reduceKernel } from "../codegen/kernels.ts";
import type { Operator } from "../operators.ts";
import { add, monoid as monoidOf } from "../operators.ts";
import type { ElementType } from "../types.ts";
import type { Pass, Plan, Slot } from "./plan.ts";
import { ALL_SHARINGS, perSharing, requireMaxLength, spineLengths } from "./plan.ts";
import { spineScratch } from "./scan.ts";
import type { DeviceFacts, TuningOptions } from "./tuning.ts";
import { groupingOf, tune } from "./tuning.ts";

/** What a prepared reduction is for. */
export interface ReduceOptions<Name extends string = string> extends TuningOptions {
  readonly type: ElementType<Name>;
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<Name>;
  /** The most items that it will be recorded for. Scratch is sized by it. */
  readonly maxLength: number;
}

/**
 * Plans a reduction: the tiles' totals, the totals of tiles of those, until one is left.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planReduce(
  options: ReduceOptions,
  facts: DeviceFacts,
  sharings: readonly Sharing[] = ALL_SHARINGS,
): Plan {
  const { type, op = add } = options;
  const monoid = monoidOf(op as Operator, type, "reduce");
  const title = `reduce<${monoid.title}>`;
  const tuning = tune("reduce", title, type, monoid.domain, options, facts);
  const maxLength = requireMaxLength(title, options.maxLength, type.bytes, facts.limits);
  const tile = tuning.sizes.workGroupSize * tuning.sizes.items;
  const levels = spineLengths(maxLength, tile);

  const twoBuffers = { ...tuning, sharing: "two-buffers" } as const;
  const only = perSharing(sharings, (sharing) =>
    reduceKernel(monoid, { ...tuning, input: "items", output: "items", sharing }),
  );
  // Where there is a spine: from the items, between its levels, and to the result.
  const spine =
    levels.length > 0
      ? {
          first: reduceKernel(monoid, { ...twoBuffers, input: "items", output: "elements" }),
          last: reduceKernel(monoid, { ...twoBuffers, input: "elements", output: "items" }),
          middle: reduceKernel(monoid, { ...twoBuffers, input: "elements", output: "elements" }),
        }
      : undefined;

  return {
    title,
    maxLength,
    grouping: groupingOf(tuning),
    kernels: [
      ...sharings.map((sharing) => only(sharing)),
      ...(spine === undefined ? [] : [spine.first, spine.last, ...(levels.length > 1 ? [spine.middle] : [])]),
    ],
    scratch: spineScratch(levels, monoid.domain.elementBytes),
    eagerScratch: levels.length,
    needs: new Set(["input", "output"] as const),
    itemBytes: { input: type.bytes, output: type.bytes, flags: 4, total: 4 },
    outputLength: () => 1,
    passes(length, sharing) {
      const used = spineLengths(length, tile);
      const pass = (kernel: Kernel, from: Slot, to: Slot, items: number): Pass => ({
        kernel,
        slots: new Map<number, Slot>(
          kernel.bindings.has(1)
            ? [
                [1, from],
                [2, to],
              ]
            : [[2, to]],
        ),
        length: items,
        tiles: Math.max(1, Math.ceil(items / tile)),
      });
      if (used.length === 0 || spine === undefined) {
        return [pass(only(sharing), "input", "output", length)];
      }
      return [
        pass(spine.first, "input", { scratch: 0 }, length),
        ...used
          .slice(1)
          .map((_, at) => pass(spine.middle, { scratch: at }, { scratch: at + 1 }, used[at] ?? 0)),
        pass(spine.last, { scratch: used.length - 1 }, "output", used.at(-1) ?? 0),
      ];
    },
  };
}
