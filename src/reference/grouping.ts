import type { Algorithm } from "../codegen/algorithms.ts";
import type { Monoid } from "../operators.ts";
import { spineLengths } from "../primitives/plan.ts";
import type { Value } from "../types.ts";

/**
 * In which groups a plan combines its elements: all that the order of its operations depends on.
 * A prepared scan or reduction names its own. f64 is rounded after each operation, so its results
 * are the same bit for bit where the grouping is the same; operators that are associative to the
 * last bit, as on integers, give the same results in all.
 */
export interface Grouping {
  readonly algorithm: Algorithm;
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
  /** For `subgroup`: the subgroup size that the kernel runs with. An adapter with several names its least. */
  readonly subgroupSize: number;
}

type Combine = Pick<Monoid, "identity" | "reference">;

interface WorkGroupScan {
  readonly prefixes: readonly Value[];
  readonly total: Value;
}

/** The file of shaders/work_group/ of each algorithm, step by step: a value a thread. */
const algorithms = {
  "hillis-steele": {
    exclusive(monoid, elements) {
      const prefixes = hillisSteele(monoid, elements);
      return shifted(monoid, prefixes);
    },
    reduce({ reference }, elements) {
      const tree = [...elements];
      for (let distance = 1; distance < tree.length; distance *= 2) {
        for (let at = 0; at + distance < tree.length; at += 2 * distance) {
          tree[at] = reference(tree[at] as Value, tree[at + distance] as Value);
        }
      }
      return tree[0] as Value;
    },
  },
  blelloch: {
    exclusive(monoid, elements) {
      const { identity, reference } = monoid;
      const tree = blellochUpSweep(monoid, elements);
      const last = tree.length - 1;
      const total = tree[last] as Value;
      tree[last] = identity;
      for (let half = tree.length / 2; half >= 1; half /= 2) {
        for (let right = 2 * half - 1; right < tree.length; right += 2 * half) {
          const leftTotal = tree[right - half] as Value;
          tree[right - half] = tree[right] as Value;
          tree[right] = reference(tree[right] as Value, leftTotal);
        }
      }
      return { prefixes: tree.slice(0, elements.length), total };
    },
    reduce: (monoid, elements) => blellochUpSweep(monoid, elements).at(-1) as Value,
  },
  subgroup: {
    exclusive(monoid, elements, grouping) {
      const { reference } = monoid;
      const { prefixes, bases, total } = subgroupScans(monoid, elements, grouping);
      const size = grouping.subgroupSize;
      return {
        prefixes: prefixes.map((prefix, at) => reference(bases[Math.floor(at / size)] as Value, prefix)),
        total,
      };
    },
    reduce: (monoid, elements, grouping) => subgroupScans(monoid, elements, grouping).total,
  },
} as const satisfies Record<
  Algorithm,
  {
    exclusive(monoid: Combine, elements: readonly Value[], grouping: Grouping): WorkGroupScan;
    reduce(monoid: Combine, elements: readonly Value[], grouping: Grouping): Value;
  }
>;

/** Inclusive prefixes: each element with the one 1, 2, 4 … places before it. */
function hillisSteele({ reference }: Combine, elements: readonly Value[]): Value[] {
  let prefixes = [...elements];
  for (let distance = 1; distance < elements.length; distance *= 2) {
    prefixes = prefixes.map((prefix, at) =>
      at >= distance ? reference(prefixes[at - distance] as Value, prefix) : prefix,
    );
  }
  return prefixes;
}

const shifted = ({ identity }: Combine, inclusive: readonly Value[]): WorkGroupScan => ({
  prefixes: [identity, ...inclusive.slice(0, -1)],
  total: inclusive.at(-1) as Value,
});

function blellochUpSweep({ identity, reference }: Combine, elements: readonly Value[]): Value[] {
  const leaves = 2 ** Math.ceil(Math.log2(elements.length));
  const tree = Array.from({ length: leaves }, (_, at) => elements[at] ?? identity);
  for (let half = 1; half < leaves; half *= 2) {
    for (let right = 2 * half - 1; right < leaves; right += 2 * half) {
      tree[right] = reference(tree[right - half] as Value, tree[right] as Value);
    }
  }
  return tree;
}

/** Each thread's exclusive prefix in its subgroup, the prefix of each subgroup, and the total. */
function subgroupScans(
  monoid: Combine,
  elements: readonly Value[],
  grouping: Grouping,
): { prefixes: Value[]; bases: Value[]; total: Value } {
  const { identity, reference } = monoid;
  const size = grouping.subgroupSize;
  const prefixes: Value[] = [];
  const totals: Value[] = [];
  for (let start = 0; start < elements.length; start += size) {
    const scan = shifted(monoid, hillisSteele(monoid, elements.slice(start, start + size)));
    prefixes.push(...scan.prefixes);
    totals.push(scan.total);
  }
  const bases: Value[] = [];
  let carry = identity;
  for (let start = 0; start < totals.length; start += size) {
    const scan = shifted(monoid, hillisSteele(monoid, totals.slice(start, start + size)));
    for (const prefix of scan.prefixes) {
      bases.push(reference(carry, prefix));
    }
    carry = reference(carry, scan.total);
  }
  return { prefixes, bases, total: carry };
}

/** Kernels of shaders/device/: what one tile, or each tile, makes of its items. */
function totalsOfTiles(monoid: Combine, items: readonly Value[], grouping: Grouping): Value[] {
  const { identity, reference } = monoid;
  const { algorithm, itemsPerThread } = grouping;
  return tilesOf(items, grouping).map((threads) =>
    algorithms[algorithm].reduce(
      monoid,
      threads.map((own) => own.slice(1, itemsPerThread).reduce(reference, own[0] ?? identity)),
      grouping,
    ),
  );
}

function scanTiles(
  monoid: Combine,
  items: readonly Value[],
  carries: readonly Value[],
  exclusive: boolean,
  grouping: Grouping,
): Value[] {
  const { identity, reference } = monoid;
  const { algorithm, itemsPerThread } = grouping;
  return tilesOf(items, grouping).flatMap((threads, tile) => {
    const full = threads.map((own) => Array.from({ length: itemsPerThread }, (_, at) => own[at] ?? identity));
    const sums = full.map((own) => own.slice(1).reduce(reference, own[0] as Value));
    const { prefixes } = algorithms[algorithm].exclusive(monoid, sums, grouping);
    return threads.flatMap((own, thread) => {
      let prefix = reference(carries[tile] ?? identity, prefixes[thread] as Value);
      return own.map((item) => {
        const before = prefix;
        prefix = reference(prefix, item);
        return exclusive ? before : prefix;
      });
    });
  });
}

/** The items of each thread of each tile; past the end, a thread has none. */
function tilesOf(
  items: readonly Value[],
  { workGroupSize, itemsPerThread }: Grouping,
): (readonly Value[])[][] {
  const tile = workGroupSize * itemsPerThread;
  return Array.from({ length: Math.max(1, Math.ceil(items.length / tile)) }, (_, at) =>
    Array.from({ length: workGroupSize }, (__, thread) => {
      const first = at * tile + thread * itemsPerThread;
      return items.slice(first, first + itemsPerThread);
    }),
  );
}

/** The levels of the spine: the tiles' totals, the totals of tiles of those, and so on. */
function spineOf(monoid: Combine, items: readonly Value[], grouping: Grouping): Value[][] {
  const levels: Value[][] = [];
  let below = items;
  for (const _ of spineLengths(items.length, grouping.workGroupSize * grouping.itemsPerThread)) {
    const level = totalsOfTiles(monoid, below, grouping);
    levels.push(level);
    below = level;
  }
  return levels;
}

/** The prefixes as primitives/scan.ts plans them: reduce-then-scan. */
export function groupedScan(
  monoid: Combine,
  elements: readonly Value[],
  exclusive: boolean,
  grouping: Grouping,
): Value[] {
  let carries: Value[] = [];
  for (const level of spineOf(monoid, elements, grouping).reverse()) {
    carries = scanTiles(monoid, level, carries, true, grouping);
  }
  return elements.length === 0 ? [] : scanTiles(monoid, elements, carries, exclusive, grouping);
}

/** The total as primitives/reduce.ts plans it. */
export function groupedReduce(monoid: Combine, elements: readonly Value[], grouping: Grouping): Value {
  const top = spineOf(monoid, elements, grouping).at(-1) ?? elements;
  return totalsOfTiles(monoid, top, grouping)[0] as Value;
}
