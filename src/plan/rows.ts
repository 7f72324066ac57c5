import type { ByKind } from "../adapters/adapter.ts";
import { tableFor, traitsOf } from "../adapters/adapter.ts";
import { rows as gpu } from "../adapters/gpu.ts";
import { rows as nvidia } from "../adapters/nvidia.ts";
import { rows as software } from "../adapters/software.ts";
import type { RowsTable, TuningRow } from "../adapters/tables.ts";
import { monoid as monoidOf } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { Domain } from "../algebra/types.ts";
import { hillisSteeleMemory } from "../kernels/algorithms.ts";
import { itemsOfVector } from "../kernels/contract.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { isApart, isWide } from "../kernels/kernel.ts";
import type { LookBackChoices } from "../kernels/look_back.ts";
import { lookBackMemory, lookBackShape, lookBackSources, spineSize } from "../kernels/look_back.ts";
import { ROW_FAN, reduceRowsKernel, rowMemory, scanLongRowsKernel, scanRowsKernel } from "../kernels/rows.ts";
import { chooseSizes, groupingOf, requireMaxLength, tileOf } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { Methods } from "./methods.ts";
import type { AnyOperator, Chosen } from "./options.ts";
import type { Bindings, Pass, Plan, RangeName, Scratch } from "./plan.ts";
import { bound, distinct, itemBytesOf, perArrangement, RUNS, wholeWords, withScratch } from "./plan.ts";
import type { ReduceOptions } from "./reduce.ts";
import type { ScanOptions } from "./scan.ts";
import { planScan, vectorOf } from "./scan.ts";
import { countsOf, refuseTotal } from "./segment_counts.ts";

const tables: ByKind<RowsTable> = { software, nvidia, gpu };

/** Whether rows go by subgroups: if their kernels are loaded, as for recordings on some adapters, and one or two shuffles move an element. */
function rowFor(
  primitive: "scan" | "reduce" | "long",
  { elementBytes, long }: Pick<Domain, "elementBytes" | "long">,
  { workGroupSize, maxLength }: Chosen,
  facts: DeviceFacts,
  { algorithms }: Methods,
): TuningRow {
  const { byLevels, bySubgroups } = tableFor(tables, facts);
  const fits = ({ elementBytes: most, maxLength: longest = Number.POSITIVE_INFINITY }: TuningRow): boolean =>
    elementBytes <= most && !(typeof maxLength === "number" && maxLength > longest);
  const mayShuffle = algorithms.subgroup && facts.features.has("subgroups") && !long;
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

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);

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

/**
 * Plans a scan or a reduction of rows, each on its own. A work-group takes whole rows, so no tile waits for another one, and
 * each item is read once. Longer rows are reduced in parts, and the totals of parts are rows for the next pass. Longer rows are
 * scanned as all segments are; by subgroups, each in a single pass of its own, if it starts at a vector and fills its tiles. If the caller chooses an algorithm or passes, rows are segments as all others, and the result is
 * undefined.
 */
export function planRows(
  primitive: "scan" | "reduce",
  options: AnyOperator<ScanOptions & ReduceOptions>,
  facts: DeviceFacts,
  methods: Methods,
  arrangements: readonly Arrangement[],
  testing: Partial<LookBackChoices> = {},
): Plan | undefined {
  const { type, op = add, exclusive = false, lengthOnGpu = false, algorithm, passes, total } = options;
  if (algorithm !== undefined || passes !== undefined) {
    return undefined;
  }
  const reduces = primitive === "reduce";
  const own = monoidOf(op, type, primitive);
  const title = `${primitive}<${own.title}> of rows`;
  refuseTotal(total, title);
  const ends = methods.endsOf?.({ initial: options.initial }, title, own);
  const monoid = ends?.monoid ?? own;
  const { domain } = monoid;
  const map = methods.mapOf?.(options, type, title, facts.features);
  const itemBytes = map?.from.bytes ?? type.bytes;
  const fitting = rowFor(primitive, domain, options, facts, methods);
  const bySubgroups = fitting.algorithm === "subgroup";
  const asked = {
    workGroupSize: options.workGroupSize ?? 1,
    items: options.itemsPerThread ?? fitting.items,
  };
  const beside = hillisSteeleMemory(asked.workGroupSize, domain.elementBytes);
  if (
    !bySubgroups &&
    rowMemory(asked, domain.elementBytes) + beside > facts.limits.maxComputeWorkgroupStorageSize
  ) {
    // The caller chose sizes that a tile of rows has no room for.
    return undefined;
  }
  const { elementBytes, long } = domain;
  if (!reduces && !bySubgroups && !long && elementBytes > tableFor(tables, facts).longestByLevels) {
    return undefined;
  }
  const tuning = chooseSizes(fitting, title, type, domain, options, facts, methods, (shape) =>
    bySubgroups
      ? reduces
        ? 0
        : lookBackMemory(shape, domain.elementBytes)
      : rowMemory(shape.sizes, domain.elementBytes),
  );
  const { sizes } = tuning;
  const tile = tileOf(tuning);
  if (sizes.workGroupSize < 4 || tile < 16) {
    // With tiles that are hardly longer than a vector, the totals of parts would be about as many as the items.
    return undefined;
  }
  const maxLength = requireMaxLength(title, options.maxLength, Math.max(itemBytes, type.bytes), facts.limits);
  const canShare = itemBytes === type.bytes && !reduces;
  const ownArrangements = (["vectors", "in-place", "items", "one-buffer"] as const).filter(
    (one) => arrangements.includes(one) && (canShare || isApart(one)),
  );
  const vectorFor = (arrangement: Arrangement): number =>
    isWide(arrangement) ? itemsOfVector(itemBytes, sizes.items, reduces ? itemBytes : type.bytes) : 1;
  const segments = {
    keyBytes: 4,
    numbers: ["rows"],
    reduces,
    headsOf: () => 0,
    countsOf,
  } as const;
  const common = {
    title,
    maxLength,
    vector: vectorOf(reduces ? undefined : type, tuning, itemBytes),
    ...(ends?.initial && { initial: ends.initial }),
    segments,
    needs: new Set<RangeName>([
      "input",
      "output",
      ...(lengthOnGpu ? (["length"] as const) : []),
      ...(ends?.needs ?? []),
      ...(reduces && lengthOnGpu ? (["count"] as const) : []),
    ]),
    itemBytes: itemBytesOf(itemBytes, type.bytes),
    indirectWords: 0,
    outputLength: (length: number) => length,
    variants: ownArrangements.map((arrangement) => ({ arrangement })),
  };
  const groupingFor = (arrangement: Arrangement, wanted: number, chunk: number) => ({
    ...groupingOf(tuning, wanted % vectorFor(arrangement) === 0 ? vectorFor(arrangement) : 1),
    ...(!bySubgroups && { fanIn: ROW_FAN, itemsPerRow: chunk }),
  });
  const callers: Bindings = {
    input: "input",
    output: "output",
    length_buffer: "length",
    initial: "initial",
    row_count: "count",
  };
  const base = { ...tuning, lengthOnGpu, map, ends } as const;

  if (!reduces) {
    const kernels = perArrangement(ownArrangements, (arrangement) =>
      scanRowsKernel(monoid, { ...base, arrangement, exclusive }),
    );
    /** The plan for rows that are longer than a tile: they are segments. */
    const planned =
      maxLength > tile / Math.max(...ownArrangements.map(vectorFor))
        ? planScan(options, facts, methods, arrangements)
        : undefined;
    const isFlat = planned?.kernels.some(({ entryPoint }) => entryPoint === "scan_flat_segments");
    /** Where rows are longer and start at vectors, each is a single pass of its own, with groups of its own in the spine. */
    const longTuning = bySubgroups
      ? chooseSizes(
          rowFor("long", domain, options, facts, methods),
          title,
          type,
          domain,
          options,
          facts,
          methods,
          (shape) => lookBackMemory(shape, domain.elementBytes),
        )
      : tuning;
    const shape = lookBackShape(longTuning);
    const longTile = tileOf(longTuning);
    const longVector = vectorFor("vectors");
    const isOwnPass =
      bySubgroups && shape.byVotes && planned?.spine !== undefined && ownArrangements.includes("vectors");
    const long = isOwnPass
      ? scanLongRowsKernel(monoid, {
          ...base,
          ...longTuning,
          exclusive,
          carry: lookBackSources("scan", monoid, shape, {
            patience: traitsOf(facts).patience,
            // Adapters by subgroups start work-groups in the order of their numbers.
            tickets: false,
            ...testing,
          }),
        })
      : undefined;
    // Each row begins a group of tiles. Rows that fill one tile just enough take the most groups.
    const longTiles = (Math.ceil(maxLength / longTile / LEAST_FILL) + 1) * shape.fanOut;
    const longSpine = spineSize(shape, longTiles, monoid, RUNS);
    // Both take one spine, which has room for either.
    const spine: Scratch | undefined = long &&
      planned?.spine && {
        ...planned.spine.scratch,
        bytes: Math.max(planned.spine.scratch.bytes, longSpine.bytes),
      };
    const general = planned?.spine && spine ? withScratch(planned, planned.spine.scratch, spine) : planned;
    return {
      ...common,
      kernels: distinct([...kernels.all, long, ...(general?.kernels ?? [])]),
      scratch: general?.scratch ?? [],
      ...(general?.spine && { spine: general.spine }),
      vector: Math.max(common.vector, general?.vector ?? 1),
      groupingOf(arrangement, { columns = 1, wanted = columns, chunk_rows: chunk, ...others } = {}) {
        if (long && others.spine_entries !== undefined) {
          return { ...groupingOf(longTuning, longVector), passes: "single", lookBack: shape };
        }
        return chunk === undefined && general
          ? general.groupingOf(arrangement, others)
          : groupingFor(arrangement, wanted, chunk ?? 1);
      },
      passes(length, arrangement, aside, params = {}) {
        const { columns = 1 } = params;
        const wanted = widthOf(length, columns);
        const chunk = wholeRowItems(wanted, tile, vectorFor(arrangement));
        const tilesOfRow = Math.ceil(columns / longTile);
        const fill = columns / (tilesOfRow * longTile);
        if (
          long &&
          spine &&
          arrangement === "vectors" &&
          columns % longVector === 0 &&
          wanted === columns &&
          fill > Math.max(chunk / tile, LEAST_FILL)
        ) {
          return [
            {
              kernel: long,
              bindings: bound(long, { ...callers, spine }),
              length,
              tiles: Math.ceil(length / columns) * tilesOfRow,
              params: { columns, wanted: tilesOfRow, spine_entries: longSpine.entries },
            },
          ];
        }
        const isFilled = chunk > 0 && (chunk >= LEAST_FILL * tile || arrangement !== "vectors" || !isFlat);
        if (!isFilled && general) {
          return general.passes(length, arrangement, aside, params);
        }
        if (length === 0) {
          return [];
        }
        const kernel = kernels.of(arrangement);
        const tiles = tilesOf(Math.ceil(length / columns), wanted, chunk);
        const own = { columns, chunk_rows: chunk, wanted };
        return [{ kernel, bindings: bound(kernel, callers), length, tiles, params: own }];
      },
    };
  }

  const counts = lengthOnGpu;
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
  const whole = perArrangement(ownArrangements, (arrangement) =>
    reduceRowsKernel(monoid, { ...base, arrangement, input: "items", output: "items", counts }),
  );
  const parts = perArrangement(inParts ? ownArrangements : [], (arrangement) =>
    reduceRowsKernel(monoid, { ...base, arrangement, input: "items", output: "elements", counts: false }),
  );
  const ofParts = { ...base, arrangement: "items", input: "elements" } as const;
  const between = reduceRowsKernel(monoid, { ...ofParts, output: "elements", counts: false });
  const last = reduceRowsKernel(monoid, { ...ofParts, output: "items", counts });
  const scratch = levels.map(
    (elements, level): Scratch => ({
      name: `totals of level ${level}`,
      bytes: wholeWords(elements * domain.elementBytes),
      ...(level > 0 && { late: true }),
    }),
  );
  const at = (level: number): Scratch => scratch[level] as Scratch;
  return {
    ...common,
    kernels: distinct([
      ...whole.all,
      ...parts.all,
      ...(inParts ? [last] : []),
      ...(levels.length > 1 ? [between] : []),
    ]),
    scratch,
    groupingOf: (arrangement, { columns = 1, wanted = columns, chunk_rows: chunk = 1 } = {}) =>
      groupingFor(arrangement, wanted, chunk),
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
          params: { columns, chunk_rows: chunk, wanted: width, segment_count: count },
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
