import type { Kernel, Sharing } from "../codegen/kernels.ts";
import { reduceKernel, scanKernel } from "../codegen/kernels.ts";
import type { Monoid, Operator } from "../operators.ts";
import { add, monoid as monoidOf } from "../operators.ts";
import type { ElementType } from "../types.ts";
import type { Pass, Plan, Slot } from "./plan.ts";
import { ALL_SHARINGS, bindingBytes, perSharing, requireMaxLength, spineLengths } from "./plan.ts";
import type { DeviceFacts, Tuning, TuningOptions } from "./tuning.ts";
import { groupingOf, tune } from "./tuning.ts";

/** What a prepared scan is for. */
export interface ScanOptions<Name extends string = string> extends TuningOptions {
  readonly type: ElementType<Name>;
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<Name>;
  /** Whether a prefix leaves out the element at its own place. */
  readonly exclusive?: boolean;
  /** The most items that it will be recorded for. Scratch is sized by it. */
  readonly maxLength: number;
}

/** The kernels that scan a spine of any depth in place. */
export interface SpineKernels {
  /** Totals of tiles of totals. */
  readonly reduce: Kernel;
  /** The level that one tile holds. */
  readonly top: Kernel;
  readonly below: Kernel;
}

export function spineKernels(monoid: Monoid, tuning: Tuning, total: boolean): SpineKernels {
  const base = { ...tuning, exclusive: true, side: "elements", sharing: "one-buffer" } as const;
  return {
    reduce: reduceKernel(monoid, {
      ...tuning,
      input: "elements",
      output: "elements",
      sharing: "two-buffers",
    }),
    top: scanKernel(monoid, { ...base, carry: false, total }),
    below: scanKernel(monoid, { ...base, carry: true, total: false }),
  };
}

/**
 * Turns the totals in scratch buffer 0 into their exclusive prefixes: level by level up, then down.
 * Level n is scratch buffer n.
 */
export function spinePasses(kernels: SpineKernels, levels: readonly number[], tile: number): Pass[] {
  const passes: Pass[] = [];
  const tilesOf = (level: number): number => Math.max(1, Math.ceil((levels[level] ?? 0) / tile));
  for (let level = 0; level + 1 < levels.length; level++) {
    passes.push({
      kernel: kernels.reduce,
      slots: new Map<number, Slot>([
        [1, { scratch: level }],
        [2, { scratch: level + 1 }],
      ]),
      length: levels[level] ?? 0,
      tiles: tilesOf(level),
    });
  }
  for (let level = levels.length - 1; level >= 0; level--) {
    const top = level === levels.length - 1;
    const kernel = top ? kernels.top : kernels.below;
    const slots = new Map<number, Slot>([[2, { scratch: level }]]);
    if (!top) {
      slots.set(3, { scratch: level + 1 });
    } else if (kernel.bindings.has(5)) {
      slots.set(5, "total");
    }
    passes.push({
      kernel,
      slots,
      length: levels[level] ?? 0,
      tiles: tilesOf(level),
    });
  }
  return passes;
}

/** Bytes of each level's scratch buffer. */
export const spineScratch = (levels: readonly number[], elementBytes: number): number[] =>
  levels.map((length) => bindingBytes(length, elementBytes));

/**
 * Plans a scan as reduce-then-scan: the tiles' totals, their scan, then each tile on top of its carry.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planScan(
  options: ScanOptions,
  facts: DeviceFacts,
  sharings: readonly Sharing[] = ALL_SHARINGS,
): Plan {
  const { type, op = add, exclusive = false } = options;
  const monoid = monoidOf(op as Operator, type, "scan");
  const title = `scan<${monoid.title}>`;
  const tuning = tune("scan", title, type, monoid.domain, options, facts);
  const maxLength = requireMaxLength(title, options.maxLength, type.bytes, facts.limits);
  const tile = tuning.sizes.workGroupSize * tuning.sizes.items;
  const levels = spineLengths(maxLength, tile);

  const base = { ...tuning, exclusive, side: "items", total: false } as const;
  const items = perSharing(sharings, (sharing) => ({
    only: scanKernel(monoid, { ...base, sharing, carry: false }),
    ...(levels.length > 0 && { carried: scanKernel(monoid, { ...base, sharing, carry: true }) }),
  }));
  const spine =
    levels.length > 0
      ? {
          ...spineKernels(monoid, tuning, false),
          // The input is only read, so one buffer is bound once, to be read.
          ofItems: reduceKernel(monoid, {
            ...tuning,
            input: "items",
            output: "elements",
            sharing: "two-buffers",
          }),
        }
      : undefined;

  return {
    title,
    maxLength,
    grouping: groupingOf(tuning),
    kernels: [
      ...sharings.flatMap((sharing) => Object.values(items(sharing))),
      ...(spine === undefined
        ? []
        : [spine.ofItems, spine.top, ...(levels.length > 1 ? [spine.reduce, spine.below] : [])]),
    ],
    scratch: spineScratch(levels, monoid.domain.elementBytes),
    eagerScratch: levels.length,
    needs: new Set(["input", "output"] as const),
    itemBytes: { input: type.bytes, output: type.bytes, flags: 4, total: 4 },
    outputLength: (length) => length,
    passes(length, sharing) {
      if (length === 0) {
        return [];
      }
      const kernels = items(sharing);
      const tiles = Math.ceil(length / tile);
      const ends: [number, Slot][] =
        sharing === "one-buffer"
          ? [[2, "output"]]
          : [
              [1, "input"],
              [2, "output"],
            ];
      const used = spineLengths(length, tile);
      if (used.length === 0 || spine === undefined || kernels.carried === undefined) {
        return [{ kernel: kernels.only, slots: new Map(ends), length, tiles }];
      }
      return [
        {
          kernel: spine.ofItems,
          slots: new Map<number, Slot>([
            [1, "input"],
            [2, { scratch: 0 }],
          ]),
          length,
          tiles,
        },
        ...spinePasses(spine, used, tile),
        {
          kernel: kernels.carried,
          slots: new Map<number, Slot>([...ends, [3, { scratch: 0 }]]),
          length,
          tiles,
        },
      ];
    },
  };
}
