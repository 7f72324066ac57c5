import type { ElementType, ScalarType } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { SortOptions, SortTesting } from "../../src/plan/check_sort.ts";
import { movesDirectly } from "../../src/plan/check_sort.ts";
import { planSort } from "../../src/plan/sort.ts";
import type { PreparedSortOptions } from "../../src/plan/sort_with_values.ts";

// Sorts as other adapters and other lengths have them, on any adapter.

/** Items are ranked by the order in which they arrive, and tiles go through work-group memory in parts. */
const byArrival = { byArrival: true, byMarks: true, byVotes: true, partBytes: 512, compared: [] } as const;

/** By comparing; or by arrival, in an order that is right, or wrong in one of so many tiles. */
const testings = {
  "by comparing": { compared: [[8192, 8, 32]] },
  "by arrival": byArrival,
  "by arrival, wrong in all tiles": { ...byArrival, disorder: 1 },
  "by arrival, wrong in every second tile": { ...byArrival, disorder: 2 },
  "by arrival, wrong in every third tile": { ...byArrival, disorder: 3 },
} as const satisfies Readonly<Record<string, SortTesting>>;
export type Sorting = keyof typeof testings;
export const sortings = Object.keys(testings) as readonly Sorting[];

/** Prepares such a sort, if one plan of tiles does all of it: for keys alone, positions, and keys with one array of values that moves with them. */
export function preparedSort(
  device: GPUDevice,
  { values, thenBy, segments, ...options }: Partial<PreparedSortOptions>,
  sorting: Sorting | undefined,
): Promise<Prepared> | undefined {
  const [moved, ...others] = [values ?? []].flat() as readonly ElementType[];
  const isPlain =
    (thenBy ?? segments ?? others[0] ?? options.type?.wide) === undefined &&
    (options.indices === true || options.key === undefined) &&
    (moved === undefined || movesDirectly(moved));
  if (sorting === undefined || !isPlain) {
    return undefined;
  }
  const context = contextOf(device);
  const own = options as SortOptions;
  return prepare(context, planSort(own, context.facts, moved as ScalarType, undefined, testings[sorting]));
}
