import { u32 } from "../algebra/integers.ts";
import { LimitError } from "../errors.ts";
import { copyKernel } from "../kernels/compact.ts";
import { carriedAs } from "../kernels/contract.ts";
import type { Kernel } from "../kernels/kernel.ts";
import type { SortKernelOptions } from "../kernels/sort.ts";
import { countDigitsKernel, gatherInWindowsKernel, sortPassInWindowsKernel } from "../kernels/sort.ts";
import { requireCount } from "../options.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Methods } from "./methods.ts";
import type { Plan, RangeName } from "./plan.ts";
import { ALL_ARRANGEMENTS, bound, itemBytesOf, wholeWords } from "./plan.ts";
import { planScan } from "./scan.ts";
import type { Moved, SortOptions } from "./sort.ts";
import { checkedSort, moveSizes, planGather, planSort, shapeFor, untuned } from "./sort.ts";
import { requireWindows, windowOf } from "./window_length.ts";

// Sorts of data that no binding holds. No work-group waits for another one: before each move, a kernel counts the digits of each
// window's tiles, and one scan adds the counts of all tiles up. Then each window's items move, once for each window of the output:
// a dispatch stores the items whose places are in the window that it binds.

/** What moves the data by one digit: a plan of one kernel for each step. */
export interface SortStep {
  readonly count: Plan;
  readonly move: Plan;
}

/** The plans of a sort in windows. */
export interface WindowedSort {
  /** What a recording takes, and the most of it. */
  readonly plan: Plan;
  /** Items of a window, and of a tile. */
  readonly window: number;
  readonly tile: number;
  /** How many values a digit has. */
  readonly radix: number;
  /** The steps, from the lowest digit on. */
  readonly steps: readonly SortStep[];
  readonly scan: Plan;
  /** Copy keys and values from scratch, if there is an odd number of steps. */
  readonly copies: readonly Plan[];
  /** Bytes of scratch: for keys, for values, and for keys that no range takes. */
  readonly scratch: readonly [keys: number, values: number, otherKeys: number];
  /** Bytes of a key and of a value in scratch, and whether the output has the keys. */
  readonly keyBytes: number;
  readonly valueBytes: number;
  readonly storesKeys: boolean;
}

/** A plan of one dispatch, for ranges of the names that it binds. `tiles` of the items have a work-group each. */
function planOne(
  whole: Plan,
  kernel: Kernel,
  tile: number,
  window: number,
  itemBytes: Plan["itemBytes"],
): Plan {
  return {
    ...whole,
    maxLength: window,
    kernels: [kernel],
    scratch: [],
    itemBytes,
    variants: [{ arrangement: "items" }],
    passes: (length) => [
      {
        kernel,
        bindings: bound(kernel, {
          input: "input",
          output: "output",
          spine: "offsets",
          digit_counts: "offsets",
          length_buffer: "length",
          values: "values",
          reordered: "reordered",
          positions: "positions",
        }),
        length,
        tiles: Math.ceil(length / tile),
      },
    ],
  };
}

/**
 * Plans a sort of more items than a binding holds; undefined if one holds them. `moved` is as in {@link planSort}.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSortInWindows(
  options: SortOptions,
  given: DeviceFacts,
  methods: Methods,
  moved: Moved = options.indices ? "positions" : undefined,
): WindowedSort | undefined {
  const facts = untuned(given);
  const checked = checkedSort(options, facts, moved, {}, "sort", true);
  const { title, base, range, row, keyBytes, valueBytes, type, maxLength, longest } = checked;
  const most = windowOf(maxLength, longest, facts.limits);
  if (most === undefined) {
    return undefined;
  }
  requireCount(title, "maxLength", maxLength, 0);
  requireWindows(title, maxLength, longest, facts.limits);
  const inWindow = { ...options, maxLength: most };
  const ofTiles = { ...base, partBytes: row.partBytes };
  const shaped = shapeFor(ofTiles, range, options, row, facts, methods, title, undefined);
  if (shaped instanceof LimitError) {
    throw shaped;
  }
  const { shape, digits } = shaped;
  const tile = shape.sizes.workGroupSize * shape.sizes.items;
  const window = Math.floor(most / tile) * tile;
  if (window === 0) {
    throw new LimitError(
      `${title}: a tile of ${tile} items of ${longest} bytes is more than a binding of the device holds, which is ${most}; a smaller itemsPerThread or workGroupSize makes smaller tiles`,
      tile,
      most,
      "itemsPerThread",
    );
  }
  const radix = 2 ** digits.each;
  const entries = radix * Math.ceil(maxLength / tile);
  const room = Math.min(facts.limits.maxStorageBufferBindingSize, facts.limits.maxBufferSize);
  if (entries * 4 > room) {
    throw new LimitError(
      `${title}: the counts of ${maxLength} items take ${entries * 4} bytes, and a binding of the device holds ${room}; a device with a larger maxStorageBufferBindingSize has room for them, and so has a larger itemsPerThread`,
      entries * 4,
      room,
      "maxLength",
    );
  }
  const storesKeys = !base.keysAlone;
  const { variants: _, ...others } = planSort(inWindow, facts, methods, moved, ["items"]);
  const plan: Plan = { ...others, maxLength, kernels: [], variants: [{ arrangement: "items" }] };
  const kernelOptions: SortKernelOptions = { ...ofTiles, shape, digits };
  const bytesOf = (input: number, output: number): Plan["itemBytes"] => ({
    ...itemBytesOf(input, output),
    values: valueBytes,
    reordered: valueBytes,
  });
  const steps = Array.from({ length: digits.count }, (_, at): SortStep => {
    const source = at === 0 ? "items" : "keys";
    const bytes = bytesOf(at === 0 ? type.bytes : keyBytes, keyBytes);
    const move = sortPassInWindowsKernel(kernelOptions, source, storesKeys || at < digits.count - 1, window);
    return {
      count: planOne(plan, countDigitsKernel(kernelOptions, source), tile, window, bytes),
      move: planOne(plan, move, tile, window, bytes),
    };
  });
  const { singlePass: __, ...twoPass } = methods;
  const copySizes = moveSizes(title, type, facts);
  const copyOf = (stored: string, bytes: number): Plan =>
    planOne(
      plan,
      copyKernel(stored, copySizes, base.lengthOnGpu, true),
      copySizes.workGroupSize * copySizes.items,
      window,
      bytesOf(bytes, bytes),
    );
  return {
    plan,
    window,
    tile,
    radix,
    steps,
    scan: planScan({ type: u32, exclusive: true, maxLength: entries }, facts, twoPass, ALL_ARRANGEMENTS),
    copies:
      digits.count % 2 === 0
        ? []
        : [
            ...(storesKeys ? [copyOf(carriedAs(type), type.bytes)] : []),
            ...(base.payload.kind === "none"
              ? []
              : [copyOf(valueBytes === 8 ? "vec2<u32>" : "u32", valueBytes)]),
          ],
    scratch: [
      wholeWords(maxLength * keyBytes),
      base.payload.kind === "none" ? 0 : wholeWords(maxLength * valueBytes),
      storesKeys ? 0 : wholeWords(maxLength * keyBytes),
    ],
    keyBytes,
    valueBytes,
    storesKeys,
  };
}

/** The plans that move items of longer data than a binding holds to the places of their sorted positions, window after window. */
export interface WindowedGather {
  readonly plan: Plan;
  readonly window: number;
  /** Takes the items of one window of the input that a window of the output wants. */
  readonly gather: Plan;
  readonly copy: Plan;
  /** Bytes of scratch, for items that go back to their own range. */
  readonly scratch: number;
  readonly names: readonly [from: RangeName, to: RangeName];
}

/** The same for what {@link planGather} moves; undefined if a binding holds it. @throws {LimitError} */
export function planGatherInWindows(
  { type, maxLength, lengthOnGpu = false }: Pick<SortOptions, "type" | "maxLength" | "lengthOnGpu">,
  facts: DeviceFacts,
  title: string,
  names: readonly ["input", "output"] | readonly ["values", "reordered"],
): WindowedGather | undefined {
  const longest = Math.max(type.bytes, 4);
  const window = windowOf(maxLength, longest, facts.limits);
  if (window === undefined) {
    return undefined;
  }
  requireWindows(title, maxLength, longest, facts.limits);
  const sizes = moveSizes(title, type, facts);
  const tile = sizes.workGroupSize * sizes.items;
  const bytes: Plan["itemBytes"] = itemBytesOf(type.bytes, type.bytes);
  const whole = planGather({ type, maxLength: window, lengthOnGpu }, facts, title, names);
  return {
    plan: { ...whole, maxLength, kernels: [] },
    window,
    gather: planOne(whole, gatherInWindowsKernel(type, lengthOnGpu, sizes, window), tile, window, bytes),
    copy: planOne(whole, copyKernel(carriedAs(type), sizes, lengthOnGpu, true), tile, window, bytes),
    scratch: wholeWords(maxLength * type.bytes),
    names,
  };
}
