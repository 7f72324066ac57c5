import { describe } from "../algebra/check_value.ts";
import { powerOfTwoFor } from "../algebra/power_of_two.ts";
import type { Value } from "../algebra/types.ts";
import { ArgumentError } from "../errors.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { rowsTogether } from "../kernels/algorithms.ts";
import type { LookBackShape } from "../kernels/look_back.ts";
import type { Grouping, TileGrouping } from "../plan/grouping.ts";
import { spineLengths } from "../plan/plan.ts";
import type { ReferenceMonoid } from "./twins.ts";

/** The greatest value of each number of a grouping. There is a limit, since tiles are held as arrays. */
const MOST = {
  workGroupSize: 0x10000,
  itemsPerThread: 64,
  itemsPerVector: 64,
  rows: 64,
  subgroupSize: 128,
  fanOut: 0x10000,
  window: 0xffffffff,
} as const;

/**
 * Requires a grouping that a plan may have, with tiles of at least `leastTile` items. If tiles had one item, the levels of
 * totals would not come to an end.
 *
 * @throws {ArgumentError} for a grouping that no plan has.
 */
export function requireGrouping(grouping: Grouping, leastTile: 1 | 2, caller: string): void {
  const refused = (problem: string, takes: string): never => {
    throw new ArgumentError(`${caller}: grouping: ${problem}; it takes ${takes}`, "grouping");
  };
  if (typeof grouping !== "object" || grouping === null) {
    refused(describe(grouping), "what groupingOf of a prepared scan or reduction returns");
  }
  const { algorithm, passes, workGroupSize, itemsPerThread } = grouping;
  if (!Object.hasOwn(algorithms, algorithm)) {
    refused(`algorithm is ${describe(algorithm)}`, Object.keys(algorithms).join(", "));
  }
  if (passes !== "single" && passes !== "reduce-then-scan") {
    refused(`passes is ${describe(passes)}`, "single, reduce-then-scan");
  }
  const { itemsPerVector = 1, rows = 1, subgroupSize, shifted = false } = grouping;
  if (typeof shifted !== "boolean") {
    refused(`shifted is ${describe(shifted)}`, "true or false");
  }
  if (shifted && itemsPerVector !== 1) {
    refused(
      `shifted is true and itemsPerVector is ${describe(itemsPerVector)}`,
      "shifted with one item a vector",
    );
  }
  const numbers = { workGroupSize, itemsPerThread, itemsPerVector, rows, subgroupSize };
  const fanOut = passes === "single" ? grouping.lookBack?.fanOut : 1;
  const { window = 1 } = grouping;
  for (const [name, value] of Object.entries({ ...numbers, fanOut, window })) {
    const most = MOST[name as keyof typeof MOST];
    if (!(Number.isInteger(value) && value >= 1 && value <= most)) {
      refused(`${name} is ${describe(value)}`, `a whole number from 1 to ${most}`);
    }
  }
  if (workGroupSize * itemsPerThread < leastTile) {
    refused("a tile is workGroupSize * itemsPerThread = 1 item", "at least 2");
  }
}

interface Combine extends Pick<ReferenceMonoid, "identity" | "reference" | "swapped"> {
  /** The exclusive prefix of an item, from what comes before the item and its inclusive prefix, if it is not the former. */
  exclusive?(earlier: Value, inclusive: Value): Value;
}

interface WorkGroupScan {
  readonly prefixes: readonly Value[];
  readonly total: Value;
}

interface TileScan {
  readonly total: Value;
  /** The prefixes of the tile's items on top of what comes before the tile. */
  after(carry: Value): readonly Value[];
}

/** How a tile scans and reduces its items. */
interface TileAlgorithm {
  scan(monoid: Combine, items: readonly Value[], exclusive: boolean, grouping: TileGrouping): TileScan;
  reduce(monoid: Combine, items: readonly Value[], grouping: TileGrouping): Value;
}

/** A file of shaders/work_group/, step by step, with one value for each thread. */
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

/** shaders/device/tiles/portable.wgsl: each thread takes consecutive items. */
const portable = (algorithm: WorkGroupAlgorithm): TileAlgorithm => ({
  scan(monoid, items, exclusive, { itemsPerThread }) {
    const runs = chunksOf(items, itemsPerThread);
    const { prefixes, total } = algorithm.exclusive(
      monoid,
      runs.map((run) => fold(monoid, run)),
    );
    return {
      total,
      after: (carry) =>
        runs.flatMap((run, thread) =>
          prefixesOf(monoid, monoid.reference(carry, prefixes[thread] as Value), run, exclusive),
        ),
    };
  },
  reduce: (monoid, items, { itemsPerThread }) =>
    algorithm.reduce(
      monoid,
      chunksOf(items, itemsPerThread).map((run) => fold(monoid, run)),
    ),
});

/**
 * shaders/device/tiles/subgroup.wgsl with subgroup_scan_first.wgsl, subgroup_rows_together.wgsl and
 * subgroup_reduce_together.wgsl, as kernels of f64 have them, or with subgroup_prefixes_shifted.wgsl: each subgroup takes rows of
 * vectors, and the subgroups' totals are combined one after another.
 */
const bySubgroups: TileAlgorithm = {
  scan(monoid, items, exclusive, grouping) {
    const { identity, reference } = monoid;
    const scans = runsOf(monoid, items, grouping).map((rows) => {
      let earlierRows = identity;
      const prefixes = chunksOf(rows, rowsTogether(rows.length, grouping.rows ?? 1)).flatMap((chunk) => {
        const { before, total } = scanRows(monoid, chunk);
        const earlier = earlierRows;
        earlierRows = reference(earlierRows, total);
        if (grouping.shifted && !exclusive) {
          return [...before.flat().slice(1), total].map((prefix) => reference(earlier, prefix));
        }
        return chunk.flatMap(({ vectors }, row) =>
          vectors.flatMap((vector, lane) =>
            prefixesOf(monoid, reference(earlier, before[row]?.[lane] as Value), vector, exclusive),
          ),
        );
      });
      return { prefixes, total: earlierRows };
    });
    const totals = scans.map(({ total }) => total);
    return {
      total: fold(monoid, totals),
      after: (carry) =>
        scans.flatMap(({ prefixes }, at) => {
          const before = reference(carry, at === 0 ? identity : fold(monoid, totals.slice(0, at)));
          return prefixes.map((prefix) => reference(before, prefix));
        }),
    };
  },
  reduce: (monoid, items, grouping) =>
    fold(
      monoid,
      runsOf(monoid, items, grouping).map((rows) =>
        chunksOf(rows, rowsTogether(rows.length, grouping.rows ?? 1)).reduce(
          (earlier, chunk) => monoid.reference(earlier, scanRows(monoid, chunk).total),
          monoid.identity,
        ),
      ),
    ),
};

/**
 * shaders/device/tiles/subgroup_rows_together.wgsl: what comes before each lane's vector in some rows, and the total of
 * these rows. Lanes combine in pairs what they have of a row, until each lane has a part of one row. A part is as many
 * lanes wide as there are rows.
 */
function scanRows(monoid: Combine, rows: readonly Row[]): { before: Value[][]; total: Value } {
  const { identity, reference } = monoid;
  const trees = rows.map(({ elements }) => {
    const stages = [elements];
    while (2 ** (stages.length - 1) < rows.length) {
      stages.push(chunksOf(stages.at(-1) as Value[], 2).map((pair) => fold(monoid, pair)));
    }
    return { stages, parts: hillisSteele(monoid, stages.at(-1) as Value[]) };
  });
  const totals = hillisSteele(
    monoid,
    trees.map(({ parts }) => parts.at(-1) as Value),
  );
  const before = trees.map(({ stages, parts }, row) =>
    (stages[0] as Value[]).map((_, lane) => {
      const top = stages.length - 1;
      const partOf = (stage: number): number => Math.floor(lane / 2 ** stage);
      let prefix = row === 0 ? identity : (totals[row - 1] as Value);
      if (partOf(top) > 0) {
        prefix = reference(prefix, parts[partOf(top) - 1] as Value);
      }
      for (let stage = top - 1; stage >= 0; stage--) {
        if (partOf(stage) % 2 === 1) {
          prefix = reference(prefix, stages[stage]?.[partOf(stage) - 1] as Value);
        }
      }
      return prefix;
    }),
  );
  return { before, total: totals.at(-1) as Value };
}

interface Row {
  readonly vectors: readonly (readonly Value[])[];
  /** The vectors' combinations. */
  readonly elements: readonly Value[];
}

/** The rows that each subgroup takes. In a row, each lane has one vector. */
function runsOf(monoid: Combine, items: readonly Value[], grouping: TileGrouping): (readonly Row[])[] {
  const { workGroupSize, subgroupSize, itemsPerVector = 1 } = grouping;
  const vectors = chunksOf(items, itemsPerVector);
  const perThread = vectors.length / workGroupSize;
  // The last subgroup may have fewer threads.
  return chunksOf(vectors, subgroupSize * perThread).map((run) =>
    chunksOf(run, run.length / perThread).map((row) => ({
      vectors: row,
      elements: row.map((vector) => fold(monoid, vector)),
    })),
  );
}

/** A subgroup's reduction. Lanes without an element have the identity. */
const reducedByLanes = (monoid: Combine, elements: readonly Value[], lanes: number): Value =>
  hillisSteele(
    monoid,
    Array.from({ length: lanes }, (_, lane) => elements[lane] ?? monoid.identity),
  ).at(-1) as Value;

const algorithms = {
  "hillis-steele": portable(hillisSteeleAlgorithm),
  blelloch: portable(blellochAlgorithm),
  subgroup: bySubgroups,
} as const satisfies Record<Algorithm, TileAlgorithm>;

const chunksOf = <T>(values: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values.slice(at * size, (at + 1) * size),
  );

/** Combines values one after another. */
const fold = ({ reference }: Combine, values: readonly Value[]): Value =>
  values.slice(1).reduce((earlier, later) => reference(earlier, later), values[0] as Value);

/** Prefixes of consecutive items on top of what comes before them. */
function prefixesOf(
  { reference, exclusive: shown = (earlier) => earlier }: Combine,
  before: Value,
  items: readonly Value[],
  exclusive: boolean,
): Value[] {
  let prefix = before;
  return items.map((item) => {
    const earlier = prefix;
    prefix = reference(prefix, item);
    return exclusive ? shown(earlier, prefix) : prefix;
  });
}

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
  const leaves = powerOfTwoFor(elements.length);
  const tree = Array.from({ length: leaves }, (_, at) => elements[at] ?? identity);
  for (let half = 1; half < leaves; half *= 2) {
    for (let right = 2 * half - 1; right < leaves; right += 2 * half) {
      tree[right] = reference(tree[right - half] as Value, tree[right] as Value);
    }
  }
  return tree;
}

/** The items of each tile; past the end stands the identity. */
function tilesOf(
  { identity }: Combine,
  items: readonly Value[],
  { workGroupSize, itemsPerThread }: TileGrouping,
): (readonly Value[])[] {
  const tile = workGroupSize * itemsPerThread;
  return Array.from({ length: Math.max(1, Math.ceil(items.length / tile)) }, (_, at) =>
    Array.from({ length: tile }, (__, item) => items[at * tile + item] ?? identity),
  );
}

/** shaders/device/kernels/reduce_tiles.wgsl: the total of each tile. */
const totalsOfTiles = (monoid: Combine, items: readonly Value[], grouping: TileGrouping): Value[] =>
  tilesOf(monoid, items, grouping).map((own) => algorithms[grouping.algorithm].reduce(monoid, own, grouping));

/**
 * shaders/device/kernels/scan_tiles.wgsl and scan_single_pass.wgsl: the prefixes of all tiles. `carriesOf` gives the tiles'
 * carries. A single pass takes them from the totals of these scans. An initial value comes before each carry.
 */
function scanTiles(
  monoid: Combine,
  items: readonly Value[],
  carriesOf: (totals: readonly Value[]) => readonly Value[],
  exclusive: boolean,
  grouping: TileGrouping,
  initial?: Value,
): Scanned {
  const { identity, reference } = monoid;
  const scans = tilesOf(monoid, items, grouping).map((own) =>
    algorithms[grouping.algorithm].scan(monoid, own, exclusive, grouping),
  );
  const found = carriesOf(scans.map((scan) => scan.total));
  const carries = scans.map((_, tile) => {
    const carry = tile === 0 ? identity : (found[tile] as Value);
    return initial === undefined ? carry : tile === 0 ? initial : reference(initial, carry);
  });
  return {
    prefixes: scans.flatMap(({ after }, tile) => after(carries[tile] as Value)).slice(0, items.length),
    total: reference(carries.at(-1) as Value, (scans.at(-1) as TileScan).total),
  };
}

/** shaders/device/look_back/look_back.wgsl: what comes before each tile, from its group's totals and its group's carry. */
function carriesByLookBack(
  monoid: Combine,
  totals: readonly Value[],
  { fanOut, byVotes }: LookBackShape,
  { subgroupSize }: TileGrouping,
): Value[] {
  const { identity, reference } = monoid;
  const sumOf = (own: readonly Value[]): Value =>
    own.length === 0 ? identity : byVotes ? reducedByLanes(monoid, own, subgroupSize) : fold(monoid, own);
  let groupCarry = identity;
  return totals.map((total, tile) => {
    const member = tile % fanOut;
    const carry = reference(groupCarry, sumOf(totals.slice(tile - member, tile)));
    if (member === fanOut - 1) {
      groupCarry = reference(carry, total);
    }
    return carry;
  });
}

/** The levels of the spine: the tiles' totals, the totals of tiles of those, and so on. */
function spineOf(monoid: Combine, items: readonly Value[], grouping: TileGrouping): Value[][] {
  const levels: Value[][] = [];
  let below = items;
  let own: TileGrouping = grouping;
  for (const _ of spineLengths(items.length, grouping.workGroupSize * grouping.itemsPerThread)) {
    const level = totalsOfTiles(monoid, below, own);
    levels.push(level);
    below = level;
    own = { ...grouping, itemsPerVector: 1 };
  }
  return levels;
}

/** Prefixes, and the combination of all elements, the initial value included. */
interface Scanned {
  readonly prefixes: readonly Value[];
  readonly total: Value;
}

/** The prefixes and the total as plan/scan.ts plans them, from an initial value on, if there is one. */
export function groupedScanFrom(
  monoid: Combine,
  initial: Value | undefined,
  elements: readonly Value[],
  exclusive: boolean,
  { window, ...grouping }: Grouping,
): Scanned {
  if (window !== undefined && elements.length > window) {
    let total = initial;
    // Windows start where they do for the caller: in mirrored order, the first one may be the shorter one.
    const shorter = monoid.swapped ? elements.length % window : 0;
    const windows = [elements.slice(0, shorter), ...chunksOf(elements.slice(shorter), window)];
    const prefixes = windows.slice(shorter === 0 ? 1 : 0).flatMap((own) => {
      const scanned = groupedScanFrom(monoid, total, own, exclusive, grouping);
      total = scanned.total;
      return scanned.prefixes;
    });
    return { prefixes, total: total as Value };
  }
  if (grouping.passes === "single") {
    const { lookBack } = grouping;
    return scanTiles(
      monoid,
      elements,
      (totals) => carriesByLookBack(monoid, totals, lookBack, grouping),
      exclusive,
      grouping,
      initial,
    );
  }
  const { identity, reference } = monoid;
  let carries: readonly Value[] = [];
  for (const level of spineOf(monoid, elements, grouping).reverse()) {
    const above = carries;
    carries = scanTiles({ identity, reference }, level, () => above, true, {
      ...grouping,
      itemsPerVector: 1,
    }).prefixes;
  }
  return scanTiles(monoid, elements, () => carries, exclusive, grouping, initial);
}

/** The total as plan/reduce.ts plans it, from an initial value on, if there is one. */
export function groupedReduce(
  monoid: Combine,
  elements: readonly Value[],
  { window = elements.length, ...grouping }: Grouping,
  initial?: Value,
): Value {
  const totals = chunksOf(elements, window).map((own) => {
    const top = spineOf(monoid, own, grouping).at(-1);
    return totalsOfTiles(
      monoid,
      top ?? own,
      top === undefined ? grouping : { ...grouping, itemsPerVector: 1 },
    )[0] as Value;
  });
  return fold(monoid, initial === undefined ? totals : [initial, ...totals]);
}
