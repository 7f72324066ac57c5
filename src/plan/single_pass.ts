import storeByPairsFile from "#shaders/device/io/store_by_pairs.wgsl";
import writePairEvenFile from "#shaders/device/io/write_pair_even.wgsl";
import writePairOfThreeFile from "#shaders/device/io/write_pair_of_three.wgsl";
import scanInPlace from "#shaders/device/kernels/scan_in_place.wgsl";
import scanSinglePass from "#shaders/device/kernels/scan_single_pass.wgsl";
import takeTileOfWords from "#shaders/device/kernels/take_tile_of_words.wgsl";
import takeTiles from "#shaders/device/kernels/take_tiles.wgsl";
import totalHandedOn from "#shaders/device/look_back/total_handed_on.wgsl";
import { tablesFor, traitsOf } from "../adapters/adapter.ts";
import type { SinglePassTable, TuningRow } from "../adapters/tables.ts";
import type { Monoid } from "../algebra/monoid.ts";
import type { Domain, ElementType } from "../algebra/types.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { hasFullSubgroups, memoryOf } from "../kernels/algorithms.ts";
import type { Arrangement, Kernel } from "../kernels/kernel.ts";
import { filesOf, isWide, scanKernel } from "../kernels/kernel.ts";
import type { LookBackChoices } from "../kernels/look_back.ts";
import {
  laneItems,
  lookBackMemory,
  lookBackShape,
  lookBackSources,
  spineSize,
} from "../kernels/look_back.ts";
import type { Sizes } from "../kernels/sizes.ts";
import { partsOfVector } from "../kernels/words.ts";
import { unrollFile } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import { algorithmOf, chooseSizes, rowOf } from "./choose_sizes.ts";
import type { DeviceFacts } from "./device_facts.ts";
import type { MapOptions } from "./map.ts";
import type { Chosen, SegmentOptions } from "./options.ts";
import type { Bindings, Scratch } from "./plan.ts";
import { bound, perArrangement, RUNS } from "./plan.ts";
import type { Combination, PlannedScan, PlanSinglePass, ScanOnce, SinglePass } from "./plan_facts.ts";
import { callersRanges, storesWithoutItems, vectorOfScan } from "./scan.ts";
import { groupingOf, tileOf } from "./tuning.ts";

/**
 * The fewest bytes of an element whose inclusive prefixes come from the next lane, as in subgroup_prefixes_shifted.wgsl. Structs, H100,
 * 2^30 bytes, without and with that: 16 bytes 799 µs and 750, 32 bytes 908 and 860.
 */
const SHORTEST_SHIFTED = 16;

/** The files that store vectors of a number of parts of 16 bytes by pairs of lanes. */
const storeByPairs = (parts: number): readonly SourceText[] => [
  storeByPairsFile,
  parts === 3 ? writePairOfThreeFile : unrollFile(writePairEvenFile, { PART_PAIRS: parts / 2 }),
];

/** The most parts of a vector that lanes store by pairs. Longer vectors were not tried. */
const MOST_PARTS = 4;

/**
 * Bytes of work-group memory in which shaders/device/kernels/reduce_offsets.wgsl marks the ends of a tile's segments, and of what else it
 * keeps there: a word and a value.
 */
const endsMemory = ({ sizes: { workGroupSize, items } }: { readonly sizes: Sizes }): number =>
  memoryOf(Array<number>(2).fill((workGroupSize * items) / laneItems(items)), 4, 2);

/** The row of a scan of segments whose threads hold values without heads. */
const flatRow = (
  known: TuningRow,
  { elementBytes }: Pick<Domain, "elementBytes">,
  { flatSegments }: SinglePassTable,
): TuningRow | undefined =>
  known.algorithm === "subgroup" && flatSegments && elementBytes <= flatSegments.elementBytes
    ? flatSegments
    : undefined;

/**
 * Whether the threads of a scan hold narrow items as the words that these share, until the carry is known. They do if they add up items, row by row,
 * without a map. Items of segments have a word each, and so have items in mirrored order.
 */
const holdsWords = (
  packed: ElementType["packed"],
  { map }: { readonly map?: unknown },
  monoid: Monoid,
  algorithm: Algorithm,
): boolean =>
  packed !== undefined &&
  map === undefined &&
  monoid.operation === "add" &&
  monoid.domain.operations === undefined &&
  algorithm === "subgroup";

/** The row for narrow items, of which threads hold words. */
const wordsRow = (
  known: TuningRow,
  { type, monoid }: Combination,
  options: Chosen & MapOptions & SegmentOptions,
  facts: DeviceFacts,
  { scan, words }: SinglePassTable,
): TuningRow | undefined =>
  known.isDefault &&
  scan.includes(known) &&
  !options.reverse &&
  options.segments === undefined &&
  holdsWords((options.from ?? type).packed, options, monoid, algorithmOf(known, options, facts))
    ? words
    : undefined;

/** The row for items whose vectors pairs of lanes store. These take full subgroups, and not the caller's choice of another algorithm. */
const pairRow = (
  known: TuningRow,
  { bytes }: ElementType,
  { elementBytes }: Pick<Domain, "elementBytes">,
  options: Chosen,
  facts: DeviceFacts,
  { scan, pairs }: SinglePassTable,
): TuningRow | undefined =>
  known.isDefault &&
  !options.reverse &&
  scan.includes(known) &&
  algorithmOf(known, options, facts) === "subgroup"
    ? pairs?.find(
        (row) =>
          row.elementBytes === bytes &&
          row.elementBytes === elementBytes &&
          hasFullSubgroups({ workGroupSize: row.workGroupSize, maxSubgroupSize: facts.subgroupMaxSize }),
      )
    : undefined;

export const planSinglePass: PlanSinglePass = (asked, combination, options, facts, testing) => {
  const { type, monoid } = combination;
  // An operator's own tiles, and the row for them, are for two passes.
  const { row: rowOfOperator, ...domain } = monoid.domain;
  const { passes } = options;
  const table = tablesFor(facts).singlePass;
  const primitive = asked === "flat" ? "scan" : asked;
  // Totals of segments by offsets have a kernel and rows of their own.
  const { segments } = options as SegmentOptions;
  const byOffsets = primitive === "totals" && (segments === "offsets" || segments === "begins");
  const known = rowOf(table, byOffsets ? "offsets" : primitive, domain, options, facts);
  const row =
    (asked === "flat" ? flatRow(known, domain, table) : undefined) ??
    wordsRow(known, combination, options, facts, table) ??
    pairRow(known, type, domain, options, facts, table) ??
    known;
  const { patience, startsInOrder, takesTilesOfOperators } = traitsOf(facts);
  const bringsTiles = takesTilesOfOperators && rowOfOperator !== undefined;
  const isFaster = row.isDefault === true && facts.lookBack && !bringsTiles;
  if (passes === "reduce-then-scan" || (passes === undefined && !isFaster)) {
    return undefined;
  }
  const tuning = chooseSizes(
    row,
    { ...combination, monoid: { ...monoid, domain } },
    options,
    facts,
    (shape) => lookBackMemory(shape, domain.elementBytes) + (byOffsets ? endsMemory(shape) : 0),
  );
  const shape = lookBackShape(tuning);
  const tilesOf = (length: number): number => Math.ceil(length / tileOf(tuning));
  return {
    tuning,
    carry: lookBackSources(monoid, shape, { patience, tickets: !startsInOrder, ...testing }),
    tilesOf,
    spineOf: (length) => spineSize(shape, Math.max(1, tilesOf(length)), monoid, RUNS),
    groupingOf: (itemsPerVector) => ({
      ...groupingOf(tuning, itemsPerVector),
      passes: "single",
      lookBack: shape,
    }),
  };
};

/**
 * Whether a scan may take a single pass if its ranges lie so. Ranges of two buffers may if they start at a vector. If they start at any item, those of
 * segments may only in mirrored order. A scan in place may, unless it is one of segments.
 */
const takesOnce = (arrangement: Arrangement, { segments, kernelOptions: { mirror } }: PlannedScan): boolean =>
  arrangement === "vectors" ||
  (arrangement === "items" && (segments === undefined || mirror !== undefined)) ||
  (arrangement === "in-place" && segments === undefined);

const isAtVectors = (arrangement: Arrangement): boolean =>
  arrangement === "vectors" || arrangement === "in-place";

/** How lanes exchange what they store, and in which vectors: the files for it depend on how the ranges lie. */
function storesOf({ tuning }: SinglePass, scan: PlannedScan) {
  const { type, monoid, kernelOptions, segments } = scan;
  const { domain } = monoid;
  const { mirror } = kernelOptions;
  const vector = vectorOfScan(scan, tuning);
  const lanesExchange = tuning.algorithm === "subgroup" && hasFullSubgroups(tuning.sizes) && !segments;
  // 2^30 bytes, H200, 64 bytes: 912 µs, and 1075 without. H100, 32 bytes, inclusive and exclusive: 847 and 820 (855 and 834), in place 847
  // and 829 (899 and 877; loaded by pairs, too, 892 and 872).
  // Of 12 bytes, 2^28 bytes, H200, 192 × 12: 164 µs, and 194 without, H100 199 and 221.
  // What is mapped gains, too: 2^26 f16 to f32, H100, 174 (210), 2^25 u32 to u64 152 (177), 2^24 u32 to 16 bytes 156 (230).
  const parts = partsOfVector(domain.stored ?? domain.element, vector);
  const byPairs = lanesExchange && !mirror && parts > 1 && parts <= MOST_PARTS;
  return {
    vector,
    isShifted: (arrangement: Arrangement): boolean =>
      lanesExchange &&
      type.bytes >= SHORTEST_SHIFTED &&
      vector === 1 &&
      !kernelOptions.exclusive &&
      isAtVectors(arrangement),
    filesOf: (arrangement: Arrangement): readonly SourceText[] | undefined =>
      byPairs && isAtVectors(arrangement) ? storeByPairs(parts) : undefined,
  };
}

/** The most work-groups of a scan whose length is on the GPU. If there are fewer than tiles, each takes one tile after another. */
function mostWorkGroupsOf(
  single: SinglePass,
  { monoid: { domain }, maxLength, kernelOptions, segments }: PlannedScan,
  facts: DeviceFacts,
  { scanWorkGroups = tablesFor(facts).singlePass.mostWorkGroups }: Partial<LookBackChoices>,
): number {
  // Long operations lose (f64, H100, 2^26: 1764 µs for 1378), and longer elements were not measured.
  const isShort = !domain.long && domain.elementBytes <= 8;
  const mayTakeTurns = kernelOptions.lengthOnGpu && isShort && segments === undefined;
  const most = (mayTakeTurns && scanWorkGroups) || Number.POSITIVE_INFINITY;
  return most < single.tilesOf(maxLength) ? most : Number.POSITIVE_INFINITY;
}

export const scanOnce: ScanOnce = (single, scan, given, facts, testing) => {
  const { tuning, carry } = single;
  const { monoid, maxLength, kernelOptions, segments } = scan;
  const { mirror } = kernelOptions;
  if (!given.includes(mirror ? "items" : "vectors")) {
    return undefined;
  }
  const arrangements = given.filter((arrangement) => takesOnce(arrangement, scan));
  const { vector, isShifted, filesOf: storedBy } = storesOf(single, scan);
  const mostWorkGroups = mostWorkGroupsOf(single, scan, facts, testing);
  const once = [scanSinglePass, ...carry];
  const usual = mostWorkGroups === Number.POSITIVE_INFINITY ? once : [takeTiles, ...once];
  const ofWords =
    !mirror && vector > 1 && holdsWords(kernelOptions.packed, kernelOptions, monoid, tuning.algorithm)
      ? [takeTileOfWords]
      : [];
  const optionsOf = (arrangement: Arrangement) =>
    ({
      ...kernelOptions,
      ...tuning,
      sources: (one, traits) =>
        tuning.sources(one, {
          oneItem: !filesOf(arrangement, mirror).wide,
          isAwaited: true,
          isShifted: isShifted(arrangement),
          ...traits,
        }),
      store: storedBy(arrangement),
      arrangement,
      carry:
        arrangement === "in-place"
          ? [scanInPlace, totalHandedOn, ...once]
          : arrangement === "vectors"
            ? [...ofWords, ...usual]
            : usual,
    }) satisfies Parameters<typeof scanKernel>[1];
  const kernels = perArrangement(arrangements, (arrangement) => {
    const all = optionsOf(arrangement);
    // Segments may have an entry point of their own.
    return kernelOptions.segments?.singlePass?.({ ...all, carry }) ?? scanKernel(monoid, all);
  });
  // In place, a second dispatch scans the tiles that the first one leaves.
  const left = arrangements.includes("in-place")
    ? scanKernel(monoid, { ...optionsOf("in-place"), entryPoint: "scan_left_tiles" })
    : undefined;
  const { entries, bytes } = single.spineOf(maxLength);
  const spine: Scratch = { name: "spine", bytes };
  const bindingsOf = (kernel: Kernel): Bindings =>
    bound(kernel, { ...callersRanges, ...segments?.bindings, spine });
  return {
    arrangements,
    vector,
    kernels: [...kernels.all, left],
    scratch: [spine],
    spine: { scratch: spine, entries },
    groupingOf: (arrangement) => ({
      ...single.groupingOf(isWide(arrangement) ? vector : 1),
      ...(isShifted(arrangement) && { shifted: true }),
    }),
    passes(length, arrangement) {
      if (length === 0 && !storesWithoutItems(scan)) {
        return [];
      }
      const kernel = kernels.of(arrangement);
      const tiles = Math.max(1, single.tilesOf(length));
      const isInPlace = arrangement === "in-place";
      const workGroups = isInPlace ? tiles : Math.min(mostWorkGroups, tiles);
      const first = { kernel, bindings: bindingsOf(kernel), length, tiles: workGroups };
      // Before a single tile, there is nothing to find.
      if (left === undefined || !isInPlace || tiles === 1) {
        return [first];
      }
      const others = Math.ceil(tiles / tuning.sizes.workGroupSize);
      return [first, { kernel: left, bindings: bindingsOf(left), length, tiles: others }];
    },
  };
};
