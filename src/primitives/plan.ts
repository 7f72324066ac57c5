import type { Kernel, Sharing } from "../codegen/kernels.ts";
import { ArgumentError, LimitError } from "../errors.ts";
import type { Grouping } from "../reference/grouping.ts";
import type { Limits } from "./tuning.ts";

/** A buffer that a pass binds: one of the caller's ranges, or scratch by its number. */
export type Slot = "input" | "output" | "flags" | "total" | { readonly scratch: number };

/** One dispatch. */
export interface Pass {
  readonly kernel: Kernel;
  /** By binding number. Binding 0 is always the uniform of parameters. */
  readonly slots: ReadonlyMap<number, Slot>;
  /** Items that the kernel reads: `params.length`. */
  readonly length: number;
  /** Work-groups. */
  readonly tiles: number;
}

/** What is the same for every length: the pipelines to make, and the scratch to hold. */
export interface Plan {
  /** `scan<u32, add>`: for messages and labels. */
  readonly title: string;
  readonly maxLength: number;
  /** The order of its operations. */
  readonly grouping: Grouping;
  /** Everything that `passes` may use. */
  readonly kernels: readonly Kernel[];
  /** Bytes of each scratch buffer. */
  readonly scratch: readonly number[];
  /** How many of them every recording uses. The rest are made when they are first needed. */
  readonly eagerScratch: number;
  /** The ranges that a recording takes. */
  readonly needs: ReadonlySet<"input" | "output" | "flags" | "total">;
  /** Bytes of an item of each of the caller's ranges. */
  readonly itemBytes: {
    readonly input: number;
    readonly output: number;
    readonly flags: number;
    readonly total: number;
  };
  /** Items that the output must hold for a length. */
  outputLength(length: number): number;
  /** The dispatches for a length up to maxLength. */
  passes(length: number, sharing: Sharing, inPlace: boolean): readonly Pass[];
}

/** How the caller's ranges may share buffers: what a plan has kernels for. */
export const ALL_SHARINGS = ["two-buffers", "one-buffer"] as const satisfies readonly Sharing[];

/** Something for each of the ways in which ranges may share buffers that a plan is made for. */
export function perSharing<T>(
  sharings: readonly Sharing[],
  make: (sharing: Sharing) => T,
): (sharing: Sharing) => T {
  const made = new Map(sharings.map((sharing) => [sharing, make(sharing)]));
  return (sharing) => {
    const one = made.get(sharing);
    if (one === undefined) {
      throw new Error(`the plan was not made for ${sharing}`);
    }
    return one;
  };
}

/** Bytes of a storage binding: a multiple of 4, and never empty. */
export const bindingBytes = (items: number, itemBytes: number): number =>
  Math.max(4, Math.ceil((items * itemBytes) / 4) * 4);

/**
 * The number of items at each level of the spine: tiles of the input, tiles of those, and so on
 * until one tile holds a whole level. An input of one tile has no spine.
 */
export function spineLengths(length: number, tile: number): number[] {
  const lengths: number[] = [];
  for (let items = Math.ceil(length / tile); items > 1; items = Math.ceil(items / tile)) {
    lengths.push(items);
  }
  return lengths;
}

/** Tiles as rows of a dispatch that stays within the limit of each dimension. */
export function gridOf(tiles: number, limits: Limits, title: string): { width: number; height: number } {
  const most = limits.maxComputeWorkgroupsPerDimension;
  const height = Math.max(1, Math.ceil(tiles / most));
  if (height > most) {
    throw new LimitError(`${title} needs ${tiles} work-groups, and the device's limit is ${most} × ${most}`);
  }
  return { width: Math.max(1, Math.ceil(tiles / height)), height };
}

/** The length that a plan is made for, checked against what a binding holds. */
export function requireMaxLength(
  title: string,
  maxLength: unknown,
  itemBytes: number,
  limits: Limits,
): number {
  if (typeof maxLength !== "number" || !Number.isInteger(maxLength) || maxLength < 0) {
    throw new ArgumentError(`${title}: maxLength is ${String(maxLength)}; it takes a whole number from 0 up`);
  }
  const most = Math.floor(Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize) / itemBytes);
  if (maxLength > most) {
    throw new LimitError(
      `${title}: ${maxLength} items of ${itemBytes} bytes are more than the device can bind, which is ${most}`,
    );
  }
  return maxLength;
}
