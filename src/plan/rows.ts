import { tablesFor, traitsOf } from "../adapters/adapter.ts";
import type { TuningRow } from "../adapters/tables.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { Domain } from "../algebra/types.ts";
import { hillisSteeleMemory } from "../kernels/algorithms.ts";
import { greatestCommonDivisor, itemsOfVector } from "../kernels/contract.ts";
import { endsOf } from "../kernels/initial_and_total.ts";
import type { Arrangement, Ends, Kernel, Mirror } from "../kernels/kernel.ts";
import { isApart, isWide } from "../kernels/kernel.ts";
import type { LookBackChoices } from "../kernels/look_back.ts";
import { lookBackMemory, lookBackShape, lookBackSources, spineSize } from "../kernels/look_back.ts";
import type { ItemMap } from "../kernels/map.ts";
import { ROW_FAN, reduceRowsKernel, rowMemory, scanLongRowsKernel, scanRowsKernel } from "../kernels/rows.ts";
import { chooseSizes, requireMaxLength } from "./choose_sizes.ts";
import type { Grouping } from "./grouping.ts";
import { mapOf } from "./map.ts";
import type { AnyOperator, Chosen } from "./options.ts";
import type { Bindable, Bindings, Pass, PassParams, Plan, Scratch } from "./plan.ts";
import { bound, itemTypesOf, perArrangement, RUNS, rangesTaken, rebound, wholeWords } from "./plan.ts";
import type { Combination, PlanFacts } from "./plan_facts.ts";
import type { ReduceOptions } from "./reduce.ts";
import { orderOf } from "./reverse.ts";
import type { ScanOptions } from "./scan.ts";
import { SCAN_ARRANGEMENTS, vectorOf } from "./scan.ts";
import { countsOf, refuseTotal } from "./segment_counts.ts";
import { planSegments } from "./segments.ts";
import type { LoadedTuning } from "./tuning.ts";
import { groupingOf, tileOf } from "./tuning.ts";
import type { PlanBase, Way } from "./ways.ts";
import { planOfWays } from "./ways.ts";

/** Whether rows go by subgroups: if their kernels are loaded, as for recordings on some adapters, and one or two shuffles move an element. */
function rowFor(
  primitive: "scan" | "reduce" | "long",
  { elementBytes, long }: Pick<Domain, "elementBytes" | "long">,
  { workGroupSize, maxLength }: Chosen,
  facts: PlanFacts,
): TuningRow {
  const { byLevels, bySubgroups } = tablesFor(facts).rows;
  const fits = ({ elementBytes: most, maxLength: longest = Number.POSITIVE_INFINITY }: TuningRow): boolean =>
    elementBytes <= most && !(typeof maxLength === "number" && maxLength > longest);
  const mayShuffle = facts.fasterWays && facts.features.has("subgroups") && !long;
  const row = mayShuffle ? bySubgroups?.[primitive].find(fits) : undefined;
  // Each subgroup is full.
  if (row !== undefined && (workGroupSize ?? row.workGroupSize) % facts.subgroupMaxSize === 0) {
    return row;
  }
  return byLevels.find(fits) ?? (byLevels.at(-1) as TuningRow);
}

/**
 * The share of tiles that rows fill, if rows are not scanned as segments, wherever they start in tiles. H100, u32, 2^28: 0.81 takes 755 µs,
 * 0.75 780, 0.61 926; as segments 815.
 */
const LEAST_FILL = 0.72;

/** The items of whole rows that a tile takes, if each tile starts at a vector. It is 0 if there is no such tile. */
function wholeRowItems(width: number, tile: number, vector: number): number {
  const step = vector / greatestCommonDivisor(width, vector);
  const rows = Math.floor(tile / width);
  return (rows - (rows % step)) * width;
}

/** The most items that a tile takes of rows of this length. */
function chunkOf(width: number, tile: number, vector: number): number {
  const whole = wholeRowItems(width, tile, vector);
  // If a tile may start between vectors, it may share its first and its last vector with the tiles beside it.
  const others = width % vector === 0 ? tile : tile - vector + 1;
  return whole || Math.max(1, Math.floor(others / width)) * Math.min(width, others);
}

/** The items of the longest row: a length on the GPU may be less than a whole row. */
const widthOf = (length: number, columns: number): number => Math.max(1, Math.min(length, columns));

/** How many tiles rows take. */
const tilesOf = (rows: number, width: number, chunk: number): number =>
  chunk >= width ? Math.ceil(rows / Math.floor(chunk / width)) : rows * Math.ceil(width / chunk);

/** A scan or a reduction of rows, as its ways need it. */
interface PlannedRows extends Combination {
  readonly maxLength: number;
  /** Items of a vector of the plan. */
  readonly vector: number;
  readonly tuning: LoadedTuning;
  readonly bySubgroups: boolean;
  readonly arrangements: readonly Arrangement[];
  /** The kernel options that all kernels have. */
  readonly base: LoadedTuning & {
    readonly lengthOnGpu: boolean;
    readonly map: ItemMap | undefined;
    readonly mirror: Mirror | undefined;
    readonly ends: Ends | undefined;
  };
  vectorFor(arrangement: Arrangement): number;
  /** The order of operations in rows of `width` items, in chunks of `chunk` items. */
  groupingFor(arrangement: Arrangement, width: number, chunk: number): Grouping;
}

/** What the kernels of rows bind of the caller's. */
const callers = {
  input: "input",
  output: "output",
  length_buffer: "length",
  initial: "initial",
  row_count: "count",
} as const satisfies Bindings;

type RowOptions = AnyOperator<ScanOptions & ReduceOptions>;

/**
 * Plans a scan or a reduction of rows, each on its own. A work-group takes whole rows, so no tile waits for another one, and
 * each item is read once.
 *
 * Rows that are longer than a tile are reduced in parts, and the totals of parts are rows for the next pass. Such rows are scanned as all segments
 * are. By subgroups, each of them is scanned in a single pass of its own, if it starts at a vector and fills its tiles.
 *
 * If the caller chooses an algorithm or passes, rows are segments as all others, and the result is undefined.
 */
export function planRows(
  primitive: "scan" | "reduce",
  options: RowOptions,
  facts: PlanFacts,
  lying: readonly Arrangement[],
  testing: Partial<LookBackChoices> = {},
): Plan | undefined {
  const { type, op = add, lengthOnGpu = false, algorithm, passes, total } = options;
  if (algorithm !== undefined || passes !== undefined) {
    return undefined;
  }
  const reduces = primitive === "reduce";
  const order = orderOf(options);
  const own = order.operatorOf(monoidOf(op, type, primitive));
  const title = `${primitive}<${own.title}> of rows`;
  refuseTotal(total, title);
  const ends = endsOf({ initial: options.initial }, title, own);
  const monoid = ends?.monoid ?? own;
  const { domain } = monoid;
  const map = mapOf(options, type, title, facts.features);
  const from = options.from ?? type;
  const itemBytes = from.bytes;
  const row = fittingRow(primitive, domain, options, facts);
  if (row === undefined) {
    return undefined;
  }
  const bySubgroups = row.algorithm === "subgroup";
  const combination = { title, type, monoid };
  const tuning = chooseSizes(row, combination, options, facts, (shape) =>
    bySubgroups
      ? reduces
        ? 0
        : lookBackMemory(shape, domain.elementBytes)
      : rowMemory(shape.sizes, domain.elementBytes),
  );
  const { sizes } = tuning;
  if (sizes.workGroupSize < 4 || tileOf(tuning) < 16) {
    // With tiles that are hardly longer than a vector, the totals of parts would be about as many as the items.
    return undefined;
  }
  const maxLength = requireMaxLength(title, options.maxLength, Math.max(itemBytes, type.bytes), facts.limits);
  const canShare = itemBytes === type.bytes && !reduces;
  const taken = order.arrangementsOf(lying);
  const arrangements = SCAN_ARRANGEMENTS.filter((one) => taken.includes(one) && (canShare || isApart(one)));
  const vectorFor = (arrangement: Arrangement): number =>
    isWide(arrangement) && !options.reverse
      ? itemsOfVector(itemBytes, sizes.items, reduces ? itemBytes : type.bytes)
      : 1;
  const vector = options.reverse ? 1 : vectorOf(reduces ? undefined : type, tuning, itemBytes);
  const rows: PlannedRows = {
    ...combination,
    maxLength,
    vector,
    tuning,
    bySubgroups,
    arrangements,
    base: { ...tuning, lengthOnGpu, map, mirror: order.mirror, ends },
    vectorFor,
    groupingFor: (arrangement, width, chunk) => ({
      // A scan by levels combines items.
      ...groupingOf(
        tuning,
        (reduces || bySubgroups) && width % vectorFor(arrangement) === 0 ? vectorFor(arrangement) : 1,
      ),
      ...(!bySubgroups && { fanIn: ROW_FAN, itemsPerRow: chunk }),
    }),
  };
  const base: PlanBase = {
    title,
    maxLength,
    ...(ends?.initial && { initial: ends.initial }),
    segments: { numbers: ["rows"], reduces, headsOf: () => 0, countsOf },
    needs: rangesTaken(
      { input: true, output: true, length: lengthOnGpu, count: reduces && lengthOnGpu },
      ends?.needs,
    ),
    itemTypes: itemTypesOf(from, type),
    outputLength: (length: number) => length,
    variants: arrangements.map((arrangement) => ({ arrangement })),
  };
  return reduces
    ? planOfWays(base, [{ vector, ...reduceEachRow(rows) }])
    : planScanOfRows(base, rows, options, facts, lying, testing);
}

/** The row of sizes, if tiles of rows have room for what the caller chose, and if elements are not too long. */
function fittingRow(
  primitive: "scan" | "reduce",
  domain: Domain,
  options: RowOptions,
  facts: PlanFacts,
): TuningRow | undefined {
  const { elementBytes, long } = domain;
  const row = rowFor(primitive, domain, options, facts);
  if (row.algorithm === "subgroup") {
    return row;
  }
  const asked = { workGroupSize: options.workGroupSize ?? 1, items: options.itemsPerThread ?? row.items };
  const memory = rowMemory(asked, elementBytes) + hillisSteeleMemory(asked.workGroupSize, elementBytes);
  const isTooLong = primitive === "scan" && !long && elementBytes > tablesFor(facts).rows.longestByLevels;
  return isTooLong || memory > facts.limits.maxComputeWorkgroupStorageSize ? undefined : row;
}

/** A plan in which other scratch stands in the place of one of its buffers. */
function withScratch(plan: Plan, replaced: Scratch, scratch: Scratch): Plan {
  const placed = (one: Scratch): Scratch => (one === replaced ? scratch : one);
  const place = (from: Bindable): Bindable => (typeof from === "object" ? placed(from) : from);
  return {
    ...plan,
    scratch: plan.scratch.map(placed),
    ...(plan.spine && { spine: { ...plan.spine, scratch: placed(plan.spine.scratch) } }),
    passes: (...given) => plan.passes(...given).map((pass) => rebound(pass, place)),
  };
}

/** A scan of rows goes three ways: rows that fill tiles, longer rows that start at vectors, and all others as segments. */
function planScanOfRows(
  base: PlanBase,
  rows: PlannedRows,
  options: RowOptions,
  facts: PlanFacts,
  given: readonly Arrangement[],
  testing: Partial<LookBackChoices>,
): Plan {
  const { maxLength, tuning, arrangements, vector, vectorFor, groupingFor } = rows;
  const { exclusive = false } = options;
  const tile = tileOf(tuning);
  /** The plan for rows that are longer than a tile: they are segments. */
  const planned =
    maxLength > tile / Math.max(...arrangements.map(vectorFor))
      ? planSegments("scan", options, facts, given)
      : undefined;
  const isFlat = planned?.kernels.some(({ entryPoint }) => entryPoint === "scan_flat_segments");
  const long = planned?.spine && scanLongRows(rows, planned.spine.scratch, options, facts, testing);
  const general = planned?.spine && long ? withScratch(planned, planned.spine.scratch, long.spine) : planned;
  const kernels = perArrangement(arrangements, (arrangement) =>
    scanRowsKernel(rows.monoid, { ...rows.base, arrangement, exclusive }),
  );
  const widthAndChunk = (length: number, arrangement: Arrangement, { columns = 1 }: PassParams = {}) => {
    const width = widthOf(length, columns);
    return { columns, width, chunk: wholeRowItems(width, tile, vectorFor(arrangement)) };
  };
  const short: Way = {
    arrangements,
    takes(length, arrangement, _, params) {
      const { chunk } = widthAndChunk(length, arrangement, params);
      const isFilled = chunk > 0 && (chunk >= LEAST_FILL * tile || arrangement !== "vectors" || !isFlat);
      return isFilled || general === undefined;
    },
    vector,
    kernels: kernels.all,
    scratch: [],
    groupingOf: (arrangement, { columns = 1, row_length: width = columns, tile_items: chunk = 1 } = {}) =>
      groupingFor(arrangement, width, chunk),
    passes(length, arrangement, _, params) {
      if (length === 0) {
        return [];
      }
      const { columns, width, chunk } = widthAndChunk(length, arrangement, params);
      const kernel = kernels.of(arrangement);
      const tiles = tilesOf(Math.ceil(length / columns), width, chunk);
      const own = { columns, row_length: width, tile_items: chunk };
      return [{ kernel, bindings: bound(kernel, callers), length, tiles, params: own }];
    },
  };
  return {
    ...planOfWays(base, [long?.way, short, general && { ...general, arrangements }]),
    groupingOf(arrangement, params = {}) {
      const { columns: _, row_length: __, tile_items: chunk, ...others } = params;
      if (long && params.spine_entries !== undefined) {
        return long.way.groupingOf(arrangement);
      }
      return chunk === undefined && general
        ? general.groupingOf(arrangement, others)
        : short.groupingOf(arrangement, params);
    },
  };
}

/**
 * Where rows are longer and start at vectors, each is a single pass of its own, with groups of its own in the spine. Both share a spine with the
 * plan of segments, which has room for either. It is undefined if subgroups do not vote, or if no rows start at vectors.
 */
function scanLongRows(
  rows: PlannedRows,
  shared: Scratch,
  options: RowOptions,
  facts: PlanFacts,
  testing: Partial<LookBackChoices>,
): { readonly way: Way; readonly spine: Scratch } | undefined {
  const { monoid, maxLength, tuning: usual, base, vectorFor } = rows;
  if (!rows.bySubgroups || !rows.arrangements.includes("vectors")) {
    return undefined;
  }
  const { domain } = monoid;
  const row = rowFor("long", domain, options, facts);
  const tuning = chooseSizes(row, rows, options, facts, (shape) =>
    lookBackMemory(shape, domain.elementBytes),
  );
  const shape = lookBackShape(tuning);
  if (!shape.byVotes) {
    return undefined;
  }
  const tile = tileOf(tuning);
  const vector = vectorFor("vectors");
  const kernel = scanLongRowsKernel(monoid, {
    ...base,
    ...tuning,
    exclusive: options.exclusive ?? false,
    carry: lookBackSources(monoid, shape, {
      patience: traitsOf(facts).patience,
      // Adapters by subgroups start work-groups in the order of their numbers.
      tickets: false,
      ...testing,
    }),
  });
  // Each row begins a group of tiles. Rows that fill one tile just enough take the most groups.
  const mostTiles = (Math.ceil(maxLength / tile / LEAST_FILL) + 1) * shape.fanOut;
  const { entries, bytes } = spineSize(shape, mostTiles, monoid, RUNS);
  const spine: Scratch = { ...shared, bytes: Math.max(shared.bytes, bytes) };
  const tilesOfRow = (columns: number): number => Math.ceil(columns / tile);
  const way: Way = {
    arrangements: ["vectors"],
    takes(length, arrangement, _, { columns = 1 } = {}) {
      const chunk = wholeRowItems(widthOf(length, columns), tileOf(usual), vectorFor(arrangement));
      const fill = columns / (tilesOfRow(columns) * tile);
      return (
        columns % vector === 0 &&
        widthOf(length, columns) === columns &&
        fill > Math.max(chunk / tileOf(usual), LEAST_FILL)
      );
    },
    vector: 1,
    kernels: [kernel],
    scratch: [],
    groupingOf: () => ({ ...groupingOf(tuning, vector), passes: "single", lookBack: shape }),
    passes: (length, _, __, { columns = 1 } = {}) => [
      {
        kernel,
        bindings: bound(kernel, { ...callers, spine }),
        length,
        tiles: Math.ceil(length / columns) * tilesOfRow(columns),
        params: { columns, row_tiles: tilesOfRow(columns), spine_entries: entries },
      },
    ],
  };
  return { way, spine };
}

/** The way of a reduction of rows. The totals of parts of long rows are rows for the next pass. */
function reduceEachRow({
  monoid,
  maxLength,
  tuning,
  arrangements,
  base,
  vectorFor,
  groupingFor,
}: PlannedRows): Omit<Way, "vector"> {
  const tile = tileOf(tuning);
  const counts = base.lengthOnGpu;
  // The elements of each level of parts. Each part of a row that is longer than a tile has at least half a tile of items, but for the
  // last part.
  const half = Math.floor(tile / 2);
  const levels: number[] = [];
  let longest = maxLength;
  while (longest > half) {
    levels.push(2 * Math.ceil((levels.at(-1) ?? maxLength) / half) + 1);
    longest = Math.ceil(longest / half);
  }
  const inParts = levels.length > 0;
  const whole = perArrangement(arrangements, (arrangement) =>
    reduceRowsKernel(monoid, { ...base, arrangement, input: "items", output: "items", counts }),
  );
  const parts = perArrangement(inParts ? arrangements : [], (arrangement) =>
    reduceRowsKernel(monoid, { ...base, arrangement, input: "items", output: "elements", counts: false }),
  );
  const ofParts = { ...base, arrangement: "items", input: "elements" } as const;
  const between = reduceRowsKernel(monoid, { ...ofParts, output: "elements", counts: false });
  const last = reduceRowsKernel(monoid, { ...ofParts, output: "items", counts });
  const scratch = levels.map(
    (elements, level): Scratch => ({
      name: `totals of level ${level}`,
      bytes: wholeWords(elements * monoid.domain.elementBytes),
      ...(level > 0 && { late: true }),
    }),
  );
  const at = (level: number): Scratch => scratch[level] as Scratch;
  return {
    arrangements,
    kernels: [
      ...whole.all,
      ...parts.all,
      ...(inParts ? [last] : []),
      ...(levels.length > 1 ? [between] : []),
    ],
    scratch,
    groupingOf: (arrangement, { columns = 1, row_length: width = columns, tile_items: chunk = 1 } = {}) =>
      groupingFor(arrangement, width, chunk),
    passes(length, arrangement, _, { columns = 1 } = {}) {
      if (length === 0 && !counts) {
        return [];
      }
      const count = Math.ceil(length / columns);
      const found: Pass[] = [];
      const pass = (kernel: Kernel, others: Bindings, width: number, vector: number): number => {
        const chunk = chunkOf(width, tile, vector);
        const tiles = Math.max(1, tilesOf(count, width, chunk));
        found.push({
          kernel,
          bindings: bound(kernel, { ...callers, ...others }),
          length,
          tiles,
          params: { columns, row_length: width, tile_items: chunk, segment_count: count },
        });
        return Math.ceil(width / chunk);
      };
      const vector = vectorFor(arrangement);
      const items = widthOf(length, columns);
      if (chunkOf(items, tile, vector) >= items) {
        pass(whole.of(arrangement), {}, items, vector);
        return found;
      }
      let width = pass(parts.of(arrangement), { output: at(0) }, items, vector);
      let level = 0;
      while (chunkOf(width, tile, 1) < width) {
        width = pass(between, { input: at(level), output: at(level + 1) }, width, 1);
        level += 1;
      }
      pass(last, { input: at(level) }, width, 1);
      return found;
    },
  };
}
