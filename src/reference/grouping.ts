import type { Algorithm } from "../codegen/algorithms.ts";
import type { LookBackShape } from "../codegen/look_back.ts";
import type { Monoid } from "../operators.ts";
import { spineLengths } from "../primitives/plan.ts";
import type { Value } from "../types.ts";

/**
 * In which groups a plan combines its elements: all that the order of its operations depends on.
 * A prepared scan or reduction names its own. f64 is rounded after each operation, so its results
 * are the same bit for bit where the grouping is the same; operators that are associative to the
 * last bit, as on integers, give the same results in all.
 */
export type Grouping = TileGrouping &
  (
    | {
        /** A tile's carry comes from a scan of all totals. */
        readonly passes: "reduce-then-scan";
      }
    | {
        /** A tile's carry comes from a look-back. */
        readonly passes: "single";
        readonly lookBack: LookBackShape;
      }
  );

/** How the items of a tile are combined. */
interface TileGrouping {
  readonly algorithm: Algorithm;
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
  /** Consecutive items that are combined first, since they are loaded together; 1 where it is left out. */
  readonly itemsPerVector?: number;
  /** For `subgroup`: the subgroup size that the kernel runs with. An adapter with several names its least. */
  readonly subgroupSize: number;
}

type Combine = Pick<Monoid, "identity" | "reference">;

interface WorkGroupScan {
  readonly prefixes: readonly Value[];
  readonly total: Value;
}

interface TileScan {
  /** What comes before each vector, on top of a carry. */
  before(carry: Value): readonly Value[];
  readonly total: Value;
}

/** What a tile makes of the combinations of its vectors, and a work-group of an element a thread. */
interface TileAlgorithm {
  scan(monoid: Combine, sums: readonly Value[], grouping: TileGrouping): TileScan;
  reduce(monoid: Combine, sums: readonly Value[], grouping: TileGrouping): Value;
  reduceElements(monoid: Combine, elements: readonly Value[], grouping: TileGrouping): Value;
}

/** A file of shaders/work_group/, step by step: a value a thread. */
interface WorkGroupAlgorithm {
  exclusive(monoid: Combine, elements: readonly Value[]): WorkGroupScan;
  reduce(monoid: Combine, elements: readonly Value[]): Value;
}

const hillisSteeleAlgorithm: WorkGroupAlgorithm = {
  exclusive(monoid, elements) {
    const prefixes = hillisSteele(monoid, elements);
    return { prefixes: [monoid.identity, ...prefixes.slice(0, -1)], total: prefixes.at(-1) as Value };
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
};

const blellochAlgorithm: WorkGroupAlgorithm = {
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
};

/** shaders/device/portable.wgsl: each thread takes consecutive vectors. */
const portable = (algorithm: WorkGroupAlgorithm): TileAlgorithm => ({
  scan(monoid, sums, { workGroupSize }) {
    const { reference } = monoid;
    const threads = chunksOf(sums, sums.length / workGroupSize);
    const { prefixes, total } = algorithm.exclusive(
      monoid,
      threads.map((own) => fold(monoid, own)),
    );
    const before = threads.flatMap((own, thread) => {
      let prefix = prefixes[thread] as Value;
      return own.map((sum) => {
        const earlier = prefix;
        prefix = reference(prefix, sum);
        return earlier;
      });
    });
    return { before: (carry) => before.map((prefix) => reference(carry, prefix)), total };
  },
  reduce: (monoid, sums, { workGroupSize }) =>
    algorithm.reduce(
      monoid,
      chunksOf(sums, sums.length / workGroupSize).map((own) => fold(monoid, own)),
    ),
  reduceElements: (monoid, elements) => algorithm.reduce(monoid, elements),
});

/** shaders/device/subgroup.wgsl: each subgroup takes rows of vectors. */
const bySubgroups: TileAlgorithm = {
  scan(monoid, sums, { workGroupSize, subgroupSize }) {
    const { identity, reference } = monoid;
    const vectors = sums.length / workGroupSize;
    // The last subgroup may have fewer threads.
    const subgroups = chunksOf(sums, subgroupSize * vectors).map((own) =>
      chunksOf(own, own.length / vectors).map((row) => hillisSteele(monoid, row)),
    );
    const totals = subgroups.map((rows) =>
      fold(
        monoid,
        rows.map((row) => row.at(-1) as Value),
      ),
    );
    const starts = totals.map((_, at) => (at === 0 ? identity : fold(monoid, totals.slice(0, at))));
    const before = (carry: Value): Value[] =>
      subgroups.flatMap((rows, subgroup) => {
        let prefix = reference(carry, starts[subgroup] as Value);
        return rows.flatMap((row) => {
          const start = prefix;
          prefix = reference(prefix, row.at(-1) as Value);
          return row.map((_, lane) => (lane === 0 ? start : reference(start, row[lane - 1] as Value)));
        });
      });
    return { before, total: fold(monoid, totals) };
  },
  reduce: (monoid, sums, grouping) => bySubgroups.scan(monoid, sums, grouping).total,
  reduceElements: (monoid, elements, { subgroupSize }) =>
    fold(
      monoid,
      chunksOf(elements, subgroupSize).map((own) => hillisSteele(monoid, own).at(-1) as Value),
    ),
};

const algorithms = {
  "hillis-steele": portable(hillisSteeleAlgorithm),
  blelloch: portable(blellochAlgorithm),
  subgroup: bySubgroups,
} as const satisfies Record<Algorithm, TileAlgorithm>;

const chunksOf = <T>(values: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size),
  );

/** One after another. */
const fold = ({ reference }: Combine, values: readonly Value[]): Value =>
  values.slice(1).reduce((earlier, later) => reference(earlier, later), values[0] as Value);

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

/** The vectors of each tile; past the end stands the identity. */
function tilesOf(
  { identity }: Combine,
  items: readonly Value[],
  { workGroupSize, itemsPerThread }: TileGrouping,
  itemsPerVector: number,
): (readonly Value[])[][] {
  const tile = workGroupSize * itemsPerThread;
  return Array.from({ length: Math.max(1, Math.ceil(items.length / tile)) }, (_, at) =>
    chunksOf(
      Array.from({ length: tile }, (__, item) => items[at * tile + item] ?? identity),
      itemsPerVector,
    ),
  );
}

/** shaders/device/reduce_tiles.wgsl. */
function totalsOfTiles(
  monoid: Combine,
  items: readonly Value[],
  grouping: TileGrouping,
  itemsPerVector: number,
): Value[] {
  return tilesOf(monoid, items, grouping, itemsPerVector).map((vectors) =>
    algorithms[grouping.algorithm].reduce(
      monoid,
      vectors.map((own) => fold(monoid, own)),
      grouping,
    ),
  );
}

/** shaders/device/scan_tiles.wgsl, and scan_single_pass.wgsl, whose carries come from the totals of its own scans. */
function scanTiles(
  monoid: Combine,
  items: readonly Value[],
  carriesOf: (totals: readonly Value[]) => readonly Value[],
  exclusive: boolean,
  grouping: TileGrouping,
  itemsPerVector: number,
): Value[] {
  const { identity, reference } = monoid;
  const tiles = tilesOf(monoid, items, grouping, itemsPerVector);
  const scans = tiles.map((vectors) =>
    algorithms[grouping.algorithm].scan(
      monoid,
      vectors.map((own) => fold(monoid, own)),
      grouping,
    ),
  );
  const carries = carriesOf(scans.map((scan) => scan.total));
  const prefixes = tiles.flatMap((vectors, tile) => {
    const before = scans[tile]?.before(tile === 0 ? identity : (carries[tile] as Value)) ?? [];
    return vectors.flatMap((own, vector) => {
      let prefix = before[vector] as Value;
      return own.map((item) => {
        const earlier = prefix;
        prefix = reference(prefix, item);
        return exclusive ? earlier : prefix;
      });
    });
  });
  return prefixes.slice(0, items.length);
}

/** shaders/device/look_back.wgsl: what comes before each tile, from entries that a work-group's threads read. */
function carriesByWorkGroup(
  monoid: Combine,
  totals: readonly Value[],
  fanOut: number,
  grouping: TileGrouping,
): Value[] {
  const { identity } = monoid;
  const groups: Value[] = [];
  // Nothing comes before section 0.
  const sections: (Value | undefined)[] = [undefined];
  const gather = (
    section: Value | undefined,
    firstGroups: readonly Value[],
    tiles: readonly Value[],
  ): Value => {
    const elements = new Array<Value>(grouping.workGroupSize).fill(identity);
    elements[0] = section ?? identity;
    elements.splice(1, firstGroups.length, ...firstGroups);
    elements.splice(fanOut, tiles.length, ...tiles);
    return algorithms[grouping.algorithm].reduceElements(monoid, elements, grouping);
  };
  return totals.map((_, tile) => {
    const group = Math.floor(tile / fanOut);
    const section = Math.floor(group / fanOut);
    const carry =
      tile === 0
        ? identity
        : gather(
            sections[section],
            groups.slice(section * fanOut, group),
            totals.slice(group * fanOut, tile),
          );
    if ((tile + 1) % fanOut === 0) {
      groups.push(gather(undefined, [], totals.slice(group * fanOut, tile + 1)));
    }
    if ((tile + 1) % (fanOut * fanOut) === 0) {
      sections.push(gather(sections[section], groups.slice(section * fanOut), []));
    }
    return carry;
  });
}

/** shaders/device/look_back_subgroup.wgsl: what comes before each tile, from entries that a subgroup reads. */
function carriesBySubgroup(
  monoid: Combine,
  totals: readonly Value[],
  fanOut: number,
  { subgroupSize }: TileGrouping,
): Value[] {
  const { identity, reference } = monoid;
  const reduce = (own: readonly Value[]): Value =>
    hillisSteele(
      monoid,
      Array.from({ length: subgroupSize }, (_, lane) => own[lane] ?? identity),
    ).at(-1) as Value;
  let groupCarry = identity;
  return totals.map((_, tile) => {
    const first = tile - (tile % fanOut);
    const carry = reference(groupCarry, reduce(totals.slice(first, tile)));
    if (tile === first + fanOut - 1) {
      groupCarry = reference(groupCarry, reduce(totals.slice(first, tile + 1)));
    }
    return carry;
  });
}

/** The levels of the spine: the tiles' totals, the totals of tiles of those, and so on. */
function spineOf(monoid: Combine, items: readonly Value[], grouping: TileGrouping): Value[][] {
  const levels: Value[][] = [];
  let below = items;
  let itemsPerVector = grouping.itemsPerVector ?? 1;
  for (const _ of spineLengths(items.length, grouping.workGroupSize * grouping.itemsPerThread)) {
    const level = totalsOfTiles(monoid, below, grouping, itemsPerVector);
    levels.push(level);
    below = level;
    itemsPerVector = 1;
  }
  return levels;
}

/** The prefixes as primitives/scan.ts plans them. */
export function groupedScan(
  monoid: Combine,
  elements: readonly Value[],
  exclusive: boolean,
  grouping: Grouping,
): Value[] {
  if (elements.length === 0) {
    return [];
  }
  const { itemsPerVector = 1 } = grouping;
  if (grouping.passes === "single") {
    const { bySubgroup, fanOut } = grouping.lookBack;
    const carriesOf = bySubgroup ? carriesBySubgroup : carriesByWorkGroup;
    return scanTiles(
      monoid,
      elements,
      (totals) => carriesOf(monoid, totals, fanOut, grouping),
      exclusive,
      grouping,
      itemsPerVector,
    );
  }
  let carries: readonly Value[] = [];
  for (const level of spineOf(monoid, elements, grouping).reverse()) {
    const above = carries;
    carries = scanTiles(monoid, level, () => above, true, grouping, 1);
  }
  return scanTiles(monoid, elements, () => carries, exclusive, grouping, itemsPerVector);
}

/** The total as primitives/reduce.ts plans it. */
export function groupedReduce(monoid: Combine, elements: readonly Value[], grouping: Grouping): Value {
  const top = spineOf(monoid, elements, grouping).at(-1);
  return totalsOfTiles(
    monoid,
    top ?? elements,
    grouping,
    top === undefined ? (grouping.itemsPerVector ?? 1) : 1,
  )[0] as Value;
}
