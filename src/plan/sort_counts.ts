import type { SortRow } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import type { Kernel } from "../kernels/kernel.ts";
import { countDigitsKernel, histogramOfDigits } from "../kernels/sort.ts";
import type { SortKernelOptions } from "../kernels/sort_tile.ts";
import { spinePlaces } from "../kernels/sort_tile.ts";
import { subgroup } from "../kernels/subgroup_tiles.ts";
import type { DeviceFacts } from "./device_facts.ts";
import { plainSizes } from "./plain_plan.ts";
import type { Bindable, Pass, Scratch } from "./plan.ts";
import { bound, paddedBytes, withRanges } from "./plan.ts";
import { planScan } from "./scan.ts";

/** One of two ways to count digits: how often each value of a digit occurs. */
interface Counted {
  readonly kernels: readonly Kernel[];
  readonly scratch: readonly Scratch[];
  /** What the passes of the sort read. */
  readonly spine: Scratch;
  /** The passes that run once, before all others; and those that run before each digit's pass, on what that pass reads. */
  before(length: number): readonly Pass[];
  each(length: number, digit: number, source: Bindable): readonly Pass[];
}

/** All digits are counted first, and the tiles of each pass hand on their counts. */
export function countedAtOnce(
  options: SortKernelOptions,
  row: SortRow,
  facts: DeviceFacts,
  mostTiles: number,
): Counted {
  const { digits, type } = options;
  const radix = 2 ** digits.each;
  const sizes = plainSizes(
    { workGroupSize: row.countThreads, items: row.countItems },
    "sort",
    type,
    {},
    facts,
  );
  const bins = digits.count * radix;
  const most = Math.max(1, Math.floor(facts.limits.maxComputeWorkgroupStorageSize / 2 / (bins * 4)));
  const histogram = histogramOfDigits(options, sizes, 2 ** Math.floor(Math.log2(Math.min(row.copies, most))));
  const spine: Scratch = {
    name: "spine",
    bytes: (spinePlaces(digits).FIRST_ENTRY + radix * mostTiles) * 4,
  };
  return {
    kernels: [histogram],
    scratch: [spine],
    spine,
    before: (length) => [
      {
        kernel: histogram,
        bindings: bound(histogram, { input: "input", bins: spine, length_buffer: "length" }),
        length,
        tiles: Math.min(row.workGroups, Math.ceil(length / (sizes.workGroupSize * sizes.items))),
      },
    ],
    each: () => [],
  };
}

/** Before each pass, a kernel counts the digits of each tile, and a scan adds the counts up. No work-group waits for another. */
export function countedByPass(options: SortKernelOptions, facts: DeviceFacts, mostTiles: number): Counted {
  const { digits, shape } = options;
  const radix = 2 ** digits.each;
  const scan = planScan(
    { type: u32, exclusive: true, maxLength: radix * mostTiles, passes: "reduce-then-scan" },
    { ...facts, fasterWays: { tiles: subgroup } },
    ["padded"],
  );
  const bytes = paddedBytes(radix * mostTiles, 4, scan.vector);
  const spine: Scratch = { name: "first places of digits", bytes };
  const counts: Scratch = { name: "counts of digits", bytes };
  const kernels = [countDigitsKernel(options, "items"), countDigitsKernel(options, "keys")] as const;
  return {
    kernels: [...kernels, ...scan.kernels],
    scratch: [spine, counts, ...scan.scratch],
    spine,
    before: () => [],
    each(length, digit, source) {
      const kernel = kernels[digit === 0 ? 0 : 1];
      const tiles = Math.ceil(length / (shape.sizes.workGroupSize * shape.sizes.items));
      return [
        {
          kernel,
          bindings: bound(kernel, { input: source, digit_counts: counts, length_buffer: "length" }),
          length,
          tiles,
          params: { digit },
        },
        ...withRanges(scan.passes(radix * tiles, "padded"), { input: counts, output: spine }),
      ];
    },
  };
}
