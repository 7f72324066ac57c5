import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { keysPassKernel, sortPassKernel } from "../kernels/sort.ts";
import { comparedKernel } from "../kernels/sort_compared.ts";
import { isByArrival } from "../kernels/sort_tile.ts";
import type { CheckedSort, Moved, SortOptions, SortTesting } from "./check_sort.ts";
import { checkedSort } from "./check_sort.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Bindable, Pass, Plan } from "./plan.ts";
import { ALL_ARRANGEMENTS, distinct } from "./plan.ts";
import { countedAtOnce, countedByPass } from "./sort_counts.ts";
import { layoutOf } from "./sort_layout.ts";
import type { Shaped } from "./sort_sizes.ts";
import { comparedFor } from "./sort_sizes.ts";
import { tilesFor } from "./sort_tiles.ts";

/** A plan of a sort. */
export interface SortPlan extends Plan {
  /** The passes for keys that differ only in their lowest `bits` bits. It takes a plan with kernels for fewer digits. */
  lowest(length: number, bits: number): readonly Pass[];
}

/**
 * Plans a sort: it moves the items by one digit of their keys after another, from the lowest on. `moved` moves with the items:
 * values, to the range `reordered`; or the items' positions. With `indices` or a `key`, only the positions are stored. With
 * `anyDigits`, it has kernels for fewer digits, too.
 *
 * @throws {ArgumentError} {@link LimitError} {@link FeatureError} before anything is compiled.
 */
export function planSort(
  options: SortOptions,
  facts: DeviceFacts,
  moved: Moved = options.indices ? "positions" : undefined,
  arrangements: readonly Arrangement[] = ALL_ARRANGEMENTS,
  testing: SortTesting = {},
  anyDigits = false,
): SortPlan {
  const checked = checkedSort(options, facts, moved, testing);
  const compared = comparedFor(checked, options, facts);
  if (compared) {
    return planCompared(checked, compared, arrangements, facts);
  }
  const { lookBack, row, kernelOptions } = tilesFor(checked, options, facts, testing);
  const { shape, digits } = kernelOptions;
  const tilesOf = (length: number): number =>
    Math.ceil(length / (shape.sizes.workGroupSize * shape.sizes.items));
  const layout = layoutOf(checked, shape.sizes, arrangements, digits.count, facts);
  const { storesKeys, bindingsFor, copies } = layout;

  const kernels = new Map<string, Kernel>();
  /** The kernel of pass `at` of `count`: the first one reads the caller's items, and the last one may store no keys. */
  const kernelOf = (at: number, count: number): Kernel => {
    const source = at === 0 ? "items" : "keys";
    const stores = storesKeys || at < count - 1;
    const name = isByArrival(kernelOptions) ? "by arrival" : `${source}, ${stores}`;
    const kernel =
      kernels.get(name) ??
      (isByArrival(kernelOptions)
        ? keysPassKernel(kernelOptions, lookBack, testing.disorder)
        : sortPassKernel(kernelOptions, source, stores, lookBack, testing.disorder));
    kernels.set(name, kernel);
    return kernel;
  };
  const kernelsOf = (count: number): Kernel[] =>
    Array.from({ length: count }, (_, at) => kernelOf(at, count));
  const counted = lookBack
    ? countedAtOnce(kernelOptions, row, facts, tilesOf(checked.maxLength))
    : countedByPass(kernelOptions, facts, tilesOf(checked.maxLength));
  const passesBy = (count: number, length: number, aside: boolean): readonly Pass[] => {
    if (length === 0) {
      return [];
    }
    const isAside = aside && count % 2 === 1;
    const tiles = tilesOf(length);
    return [
      ...counted.before(length),
      ...kernelsOf(count).flatMap((kernel, digit): Pass[] => {
        const bindings = bindingsFor(kernel, digit, count, isAside, counted.spine);
        return [
          ...counted.each(length, digit, bindings.input as Bindable),
          { kernel, bindings, length, tiles, params: { digit } },
        ];
      }),
      ...(isAside ? copies(length) : []),
    ];
  };
  const counts = anyDigits ? Array.from({ length: digits.count }, (_, at) => at + 1) : [digits.count];
  return {
    ...layout.common,
    kernels: distinct([...counts.flatMap(kernelsOf), ...counted.kernels, ...layout.kernels]),
    scratch: [...layout.scratch, ...counted.scratch],
    passes: (length, _, aside = false) => passesBy(digits.count, length, aside),
    lowest: (length, bits) => passesBy(Math.min(digits.count, Math.ceil(bits / digits.each)), length, false),
  };
}

/** The facts without the adapter's own tuning: for what was not measured. */
export const untuned = ({ tuned: _, ...facts }: DeviceFacts): DeviceFacts => facts;

/** Plans a sort by comparing: one pass of one kernel. */
function planCompared(
  checked: CheckedSort,
  { shape, digits, placed }: Shaped & { readonly placed: number },
  arrangements: readonly Arrangement[],
  facts: DeviceFacts,
): SortPlan {
  const layout = layoutOf(checked, shape.sizes, arrangements, 1, facts);
  const { common, kernels, scratch, storesKeys, bindingsFor, copies } = layout;
  const kernel = comparedKernel({ ...checked.base, shape, digits }, placed, storesKeys);
  const passes = (length: number, aside: boolean): readonly Pass[] =>
    length === 0
      ? []
      : [
          { kernel, bindings: bindingsFor(kernel, 0, 1, aside), length, tiles: Math.ceil(length / placed) },
          ...(aside ? copies(length) : []),
        ];
  return {
    ...common,
    kernels: distinct([kernel, ...kernels]),
    scratch,
    passes: (length, _, aside = false) => passes(length, aside),
    lowest: (length) => passes(length, false),
  };
}
