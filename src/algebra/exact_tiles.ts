import carryWholeFile from "#shaders/exact/carry_whole.wgsl";
import carryWordsFile from "#shaders/exact/carry_words.wgsl";
import doubleItemsFile from "#shaders/exact/double_items.wgsl";
import fixedFile from "#shaders/exact/fixed.wgsl";
import fixedDoubleFile from "#shaders/exact/fixed_double.wgsl";
import fixedFloatFile from "#shaders/exact/fixed_float.wgsl";
import fixedRunFile from "#shaders/exact/fixed_run.wgsl";
import fixedDigitsFile from "#shaders/exact/fixed_run_digits.wgsl";
import fixedRunDoubleFile from "#shaders/exact/fixed_run_double.wgsl";
import floatItemsFile from "#shaders/exact/float_items.wgsl";
import halvesFile from "#shaders/exact/halves.wgsl";
import itemsFile from "#shaders/exact/items.wgsl";
import nearFile from "#shaders/exact/near.wgsl";
import noNearFile from "#shaders/exact/near_none.wgsl";
import reduceFile from "#shaders/exact/reduce.wgsl";
import runFile from "#shaders/exact/run.wgsl";
import scanFile from "#shaders/exact/scan.wgsl";
import scanLanesFile from "#shaders/exact/scan_lanes.wgsl";
import scanSumsFile from "#shaders/exact/scan_sums.wgsl";
import scanLongSumsFile from "#shaders/exact/scan_sums_long.wgsl";
import steadyFile from "#shaders/exact/steady.wgsl";
import steadyDoubleFile from "#shaders/exact/steady_double.wgsl";
import steadyFloatFile from "#shaders/exact/steady_float.wgsl";
import noSteadyFile from "#shaders/exact/steady_none.wgsl";
import storeEachFile from "#shaders/exact/store_each.wgsl";
import storeOutputsFile from "#shaders/exact/store_outputs.wgsl";
import storePrefixesFile from "#shaders/exact/store_prefixes.wgsl";
import storeWholeFile from "#shaders/exact/store_whole.wgsl";
import sumFile from "#shaders/exact/sum.wgsl";
import tilesFile from "#shaders/exact/tiles.wgsl";
import { unrollFile } from "../text/module.ts";
import { compactText, piecesOf } from "../text/pieces.ts";
import type { SourceText } from "../text/source.ts";
import { spineTiles } from "./exact_spine.ts";
import type { ExactFormat } from "./exact_sums.ts";
import type { OwnLanes, OwnTiles, TileKernel, TileSizes, WorkGroupLimits } from "./monoid.ts";

// Tiles of exact sums, most of which are scanned and reduced in a few words. The line `// replaces:` of a file says what the file
// replaces in a kernel. shaders/exact/scan.wgsl, tiles.wgsl and reduce.wgsl explain the three kinds.

/** What tiles have for a type, beside its format. */
export interface ExactTileFormat {
  /** The words of a window in a single pass. */
  readonly window: number;
  /** The words of a sum in fixed point, and how far above its lowest bit an item may start. */
  readonly fixed: number;
  readonly span: number;
  /** The words of an item. */
  readonly itemWords: 1 | 2;
  /** Whether a thread's items are added up in digits of 22 bits, and prefixes of many binades are tried in two words: f32. */
  readonly near: boolean;
  /** WGSL that makes an output of a float's bits, `x`. */
  readonly toOutput: string;
  /** The tiles for subgroups: f16, whose sums fit two words. */
  readonly lanes?: OwnLanes;
}

/** The most items of a tile whose digits have room. See shaders/exact/reduce.wgsl. */
const MOST_OF_TILE = 16_384;

/** The most items of a thread that adds them up in digits. See shaders/exact/fixed_run_digits.wgsl. */
const MOST_IN_DIGITS = 256;

/**
 * The most items of a thread that adds up items of f64 in digits, and that tries prefixes in digits. See shaders/exact/fixed_run_double.wgsl,
 * steady_float.wgsl and steady_double.wgsl.
 */
const MOST_STEADY = 30;

/** The most items of f16 of a thread whose sums two digits hold. See shaders/exact/halves.wgsl. */
const MOST_HALVES = 32;

/** The tiles of f16 for subgroups, in a single pass. See shaders/exact/scan_lanes.wgsl. */
export const lanesOfHalves: OwnLanes = {
  // 8 binades, H100, 2^20: 18 µs (512 × 16: 22; two passes 28), 2^23: 53 (512 × 8: 55; 71). 2^26: 283, and two passes take 273.
  // Lengths are written out: with a power, bundlers keep this in programs that do not use it.
  rows: [
    { elementBytes: 12, maxLength: 1_048_576, algorithm: "subgroup", workGroupSize: 512, items: 8 },
    { elementBytes: 12, maxLength: 8_388_608, algorithm: "subgroup", workGroupSize: 512, items: 16 },
  ],
  takes: ({ workGroupSize, items, minSubgroupSize, maxSubgroupSize }) =>
    items <= MOST_HALVES &&
    workGroupSize * items <= MOST_OF_TILE &&
    workGroupSize % maxSubgroupSize === 0 &&
    workGroupSize <= minSubgroupSize * minSubgroupSize,
  // What comes before each subgroup. WebGPU counts in 16 bytes.
  memory: ({ workGroupSize, minSubgroupSize }) =>
    16 * Math.ceil((12 * (workGroupSize / minSubgroupSize)) / 16),
};

/** The most words of a sum whose loops over words are written out in tiles. */
const SHORT = 12;

/**
 * The bytes of work-group memory of a scan in fixed point: for each thread a sum in fixed point and, if it is short, a whole sum; the carry;
 * and some words, each in 16 bytes. See shaders/exact/scan.wgsl.
 */
const scanMemory = (workGroupSize: number, words: number, fixed: number): number =>
  4 * (workGroupSize * ((fixed | 1) + (words <= SHORT ? words : 0)) + words) + 128;

/** The names that the functions of sum.wgsl have for sums of a window. */
const narrowNames: Readonly<Record<string, string>> = {
  EXACT_WORDS: "NARROW_WORDS",
  ExactSum: "NarrowSum",
  exact_combine: "narrow_combine",
  exact_from_parts: "narrow_from_parts",
  exact_lead: "narrow_lead",
};

/** The functions of sum.wgsl for sums of a window. */
const narrowText = (): string =>
  piecesOf(sumFile.text, (word) => narrowNames[word] ?? word)
    .filter(({ name }) => Object.values(narrowNames).includes(name))
    .map(compactText)
    .join("\n\n");

/** Whether tiles are those of exact sums. Subgroups have kernels of their own. */
const hasTiles = (
  gpuLimits: TileKernel<TileSizes>["gpuLimits"],
  algorithm: string,
): gpuLimits is WorkGroupLimits => Boolean(gpuLimits) && algorithm !== "subgroup";

/** The tiles of a type's exact sums. */
export function exactTiles(
  { words }: ExactFormat,
  { window, fixed, span, itemWords, near, toOutput, lanes }: ExactTileFormat,
): OwnTiles {
  const own = { NARROW_WORDS: window, FIXED_WORDS: fixed, FIXED_SPAN: span, ITEM_WORDS: itemWords };
  const isWide = itemWords === 2;
  return (side, entryPoint, constants, kernel) => {
    const { sizes, algorithm, exclusive, gpuLimits, carry, ends } = kernel;
    const isByLanes = entryPoint === "scan_single_pass" && algorithm === "subgroup" && lanes?.takes(sizes);
    if (!isByLanes && !hasTiles(gpuLimits, algorithm)) {
      return undefined;
    }
    if (side === "elements" && gpuLimits) {
      return constants.VECTOR === 1 ? spineTiles(words, entryPoint, kernel, gpuLimits) : undefined;
    }
    if (
      entryPoint === "scan_tiles" &&
      gpuLimits &&
      scanMemory(sizes.workGroupSize, words, fixed) > gpuLimits.maxComputeWorkgroupStorageSize
    ) {
      return undefined;
    }
    // Loops over many words stay loops.
    const counts = { ...constants, ...own, ...(words <= SHORT && { EXACT_WORDS: words }) };
    const unrolled = (file: SourceText): SourceText => unrollFile(file, counts);
    // Short sums of threads have places in work-group memory.
    const placed = ({ name, text }: SourceText): SourceText =>
      unrolled({
        name,
        text: words <= SHORT ? text.replaceAll("exact_place", "exact_memory[thread]") : text,
      });
    const select = (name: string, sum: string): string =>
      `fn select_${name}(exclusive: ${sum}, inclusive: ${sum}) -> ${sum} {\n  return ${exclusive ? "exclusive" : "inclusive"};\n}`;
    const isHalf = fixed === 2 && sizes.items <= MOST_HALVES;
    const isSteady = fixed > 2 && sizes.items <= MOST_STEADY;
    const common = [
      {
        name: "exact sums in a few words",
        text: [
          ...Object.entries(own).map(([name, value]) => `const ${name} = ${value}u;`),
          `fn output_from_float(x: FloatBits) -> Output {\n  return ${toOutput};\n}`,
          select("fixed", "Fixed"),
          select("near", "vec2<u32>"),
          ...(isHalf ? [select("digits", "Digits"), select("word", "u32")] : []),
          ...(isSteady ? [select("steady", `vec${itemWords + 1}<i32>`)] : []),
          select("narrow", "NarrowSum"),
        ].join("\n\n"),
      },
      isWide ? unrolled(doubleItemsFile) : unrolled(floatItemsFile),
      unrolled(itemsFile),
      unrolled({ name: sumFile.name, text: narrowText() }),
    ];
    const inFixedPoint = [
      unrolled(fixedFile),
      isWide ? unrolled(fixedDoubleFile) : unrolled(fixedFloatFile),
      isHalf
        ? unrolled(halvesFile)
        : near && sizes.items <= MOST_IN_DIGITS
          ? unrolled(fixedDigitsFile)
          : isWide && isSteady
            ? unrolled(fixedRunDoubleFile)
            : unrolled(fixedRunFile),
    ];
    const stored = [
      isByLanes ? unrolled(storeEachFile) : unrolled(storeWholeFile),
      unrolled(storeOutputsFile),
    ];
    const tiles = unrolled(tilesFile);
    const scanSums = unrolled(scanSumsFile);
    if (entryPoint === "reduce_tiles") {
      const fits = (constants.TILE ?? 0) <= MOST_OF_TILE;
      return {
        files: [...common, ...(fits ? [...inFixedPoint, unrolled(reduceFile)] : [tiles, scanSums])],
      };
    }
    const scan = [
      ...inFixedPoint,
      placed(scanFile),
      // Threads share the words of a carry that is in the spine as it is.
      carry === true && !ends ? unrolled(carryWordsFile) : unrolled(carryWholeFile),
      ...(isHalf ? [] : [near ? placed(nearFile) : unrolled(noNearFile)]),
      ...(isSteady
        ? [unrolled(steadyFile), isWide ? unrolled(steadyDoubleFile) : unrolled(steadyFloatFile)]
        : isHalf
          ? []
          : [unrolled(noSteadyFile)]),
    ];
    if (isByLanes) {
      return {
        files: [...common, ...inFixedPoint, unrolled(scanLanesFile), unrolled(runFile), ...stored],
      };
    }
    return {
      files: [
        ...common,
        tiles,
        words > SHORT && entryPoint === "scan_tiles" ? unrolled(scanLongSumsFile) : scanSums,
        ...(entryPoint === "scan_tiles" ? scan : [unrolled(runFile), unrolled(storePrefixesFile)]),
        ...stored,
      ],
    };
  };
}
