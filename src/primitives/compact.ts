import type { Selector } from "../codegen/contract.ts";
import type { Kernel, Sharing } from "../codegen/kernels.ts";
import { compactKernel, copyKernel, countKernel } from "../codegen/kernels.ts";
import { ArgumentError } from "../errors.ts";
import { add, monoid as monoidOf } from "../operators.ts";
import type { ElementType } from "../types.ts";
import { requireType, u32 } from "../types.ts";
import type { Pass, Plan, Slot } from "./plan.ts";
import { ALL_SHARINGS, bindingBytes, perSharing, requireMaxLength, spineLengths } from "./plan.ts";
import { spineKernels, spinePasses, spineScratch } from "./scan.ts";
import type { DeviceFacts, TuningOptions } from "./tuning.ts";
import { groupingOf, tune } from "./tuning.ts";

/** What a prepared compaction is for. It takes `where` or `flags`. */
export interface CompactOptions<Name extends string = string> extends TuningOptions {
  readonly type: ElementType<Name>;
  /** WGSL: an expression over the element `x` and its index `i` (u32). True, or a number that is not zero, keeps the item. */
  readonly where?: string;
  /** Whether a buffer of flags decides, one u32 an item: not zero keeps it. */
  readonly flags?: boolean;
  /** Whether to write the kept items' positions, as u32, instead of the items. */
  readonly indices?: boolean;
  /** The most items that it will be recorded for. Scratch is sized by it. */
  readonly maxLength: number;
}

/**
 * Plans a compaction: how many of each tile are kept, the scan of those counts, then each tile's
 * kept items to their places, in order. The number kept is the total.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planCompact(
  options: CompactOptions,
  facts: DeviceFacts,
  sharings: readonly Sharing[] = ALL_SHARINGS,
): Plan {
  const { where, flags = false, indices = false } = options;
  const type = requireType(options.type, "compact");
  const title = `compact<${type.name}>`;
  if ((where !== undefined) === flags) {
    throw new ArgumentError(`${title} takes where (a WGSL expression) or flags, and not both`);
  }
  if (where !== undefined && typeof where !== "string") {
    throw new ArgumentError(
      `${title}: where is ${typeof where}; it takes a WGSL expression over the element x and its index i`,
    );
  }
  const selector: Selector = where === undefined ? "flags" : { where };
  const count = monoidOf(add, u32, "compact");
  const tuning = tune("compact", title, type, count.domain, options, facts);
  const output = indices ? u32.bytes : type.bytes;
  const maxLength = requireMaxLength(
    title,
    options.maxLength,
    Math.max(type.bytes, output, flags ? 4 : 0),
    facts.limits,
  );
  const tile = tuning.sizes.workGroupSize * tuning.sizes.items;
  // Unlike a scan's, a compaction's spine has at least one level: it yields the total.
  const levelsOf = (length: number): number[] => {
    const levels = spineLengths(length, tile);
    return levels.length === 0 ? [Math.min(1, length)] : levels;
  };
  const levels = levelsOf(maxLength);

  const kernelOptions = { ...tuning, type, selector, indices };
  const counting = countKernel(count, kernelOptions);
  const canShare = !indices || type.bytes === u32.bytes;
  const moving = perSharing(sharings, (sharing) =>
    compactKernel(count, { ...kernelOptions, sharing: canShare ? sharing : "two-buffers" }),
  );
  const spine = spineKernels(count, tuning, true);
  const copying = copyKernel(indices ? "u32" : type.carried, tuning.sizes);

  const spineBytes = spineScratch(levels, u32.bytes);
  const aside = spineBytes.length;
  return {
    title,
    maxLength,
    grouping: groupingOf(tuning),
    kernels: [
      counting,
      ...sharings.map((sharing) => moving(sharing)),
      spine.top,
      ...(levels.length > 1 ? [spine.reduce, spine.below] : []),
      ...(sharings.includes("one-buffer") ? [copying] : []),
    ],
    // The last one is for compaction in place alone; it is made when that is first recorded.
    scratch: [...spineBytes, bindingBytes(maxLength, output)],
    eagerScratch: aside,
    needs: new Set([
      ...(flags && indices ? [] : (["input"] as const)),
      "output",
      ...(flags ? (["flags"] as const) : []),
      "total",
    ] as const),
    itemBytes: { input: type.bytes, output, flags: 4, total: 4 },
    outputLength: (length) => length,
    passes(length, sharing, inPlace) {
      if (sharing === "one-buffer" && !inPlace && !canShare) {
        throw new ArgumentError(
          `${title}: the indices (u32) and the input (${type.name}) must be in different buffers`,
        );
      }
      const used = levelsOf(length);
      const tiles = Math.max(1, Math.ceil(length / tile));
      const sources: [number, Slot][] = [
        [1, "input"],
        [4, "flags"],
      ];
      const bound = (kernel: Kernel, slots: readonly [number, Slot][]): Map<number, Slot> =>
        new Map(slots.filter(([binding]) => kernel.bindings.has(binding)));
      const passes: Pass[] = [];
      if (length > 0) {
        passes.push({
          kernel: counting,
          slots: bound(counting, [...sources, [2, { scratch: 0 }]]),
          length,
          tiles,
        });
      }
      passes.push(...spinePasses(spine, used, tile));
      if (length > 0) {
        // In place, an item could land on one that another work-group has yet to read.
        const kernel = moving(inPlace ? "two-buffers" : sharing);
        passes.push({
          kernel,
          slots: bound(kernel, [
            ...sources,
            [2, inPlace ? { scratch: aside } : "output"],
            [3, { scratch: 0 }],
          ]),
          length,
          tiles,
        });
        if (inPlace) {
          passes.push({
            kernel: copying,
            slots: new Map<number, Slot>([
              [1, { scratch: aside }],
              [2, "output"],
              [5, "total"],
            ]),
            length,
            tiles,
          });
        }
      }
      return passes;
    },
  };
}
