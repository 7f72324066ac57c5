import portableThreads from "#shaders/device/tiles/portable_threads.wgsl";
import carryWordsFile from "#shaders/exact/carry_words.wgsl";
import doubleItemsFile from "#shaders/exact/double_items.wgsl";
import fixedFile from "#shaders/exact/fixed.wgsl";
import floatItemsFile from "#shaders/exact/float_items.wgsl";
import itemsFile from "#shaders/exact/items.wgsl";
import reduceFile from "#shaders/exact/reduce.wgsl";
import runAnyFile from "#shaders/exact/run_any.wgsl";
import runDoubleFile from "#shaders/exact/run_double.wgsl";
import runFloatFile from "#shaders/exact/run_float.wgsl";
import scanFile from "#shaders/exact/scan.wgsl";
import storeFile from "#shaders/exact/store.wgsl";
import tileFile from "#shaders/exact/tile.wgsl";
import wholeSumsFile from "#shaders/exact/whole_sums.wgsl";
import wholeSumsLongFile from "#shaders/exact/whole_sums_long.wgsl";
import type { Constants } from "../text/module.ts";
import { unrollFile } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import { spineTiles } from "./exact_spine.ts";
import type { ExactFormat } from "./exact_sums.ts";
import { exactFormats, isShort } from "./exact_sums.ts";
import type { OwnTiles, TileFiles, TileKernel, TileSizes, WorkGroupLimits } from "./monoid.ts";

// Tiles of exact sums on a GPU. An element of `exactAdd` is a whole sum: 3, 10 or 67 words, with a bit for each place that an f16, f32 or f64
// may have. Most data has items of similar size, so that a few words hold the sum of a tile. All ways to add up a tile give the same bits.
// So each tile, or each thread, takes the shortest way that has room for its items. The words that the shaders use:
//
// - whole sum: an element. See shaders/exact/sum.wgsl.
// - item: a float's bits. A tile holds items, and makes sums of them as late as it can.
// - run: the consecutive items of a thread.
// - place: how far a bit is above the lowest bit of whole sums. An item's place is that of its significand's lowest bit.
// - fixed point: a sum in `fixedWords` words, whose lowest bit is at a place that is called the base. It has room for items whose places are up
//   to `fixedSpan` above the base.
// - digit: a few bits of a sum, in an integer that has room for more. So additions need no carries, until all is added.
//
// The ways that a kernel has:
//
// - A scan (scan_tiles, shaders/exact/scan.wgsl): a tile goes in fixed point, if that has room for its items and for what comes before them;
//   otherwise in whole sums. Then each thread rounds its prefixes. For short runs, run_float.wgsl and run_double.wgsl have quicker ways to add
//   up a run and to round its prefixes.
// - A reduction (reduce_tiles, reduce.wgsl): a run is added up in fixed point, if that has room, and goes to the tile's digits of 16 bits.
//   Otherwise, items go there one by one.
// - Tiles whose items are the totals of other tiles: exact_spine.ts.
//
// Software adapters, the algorithm `subgroup`, single passes, and reductions of very large tiles have no such tiles. They combine whole sums as
// other operators combine their elements.

/** What tiles need to know of a type, beside its format. */
interface TileFormat {
  readonly fixedWords: number;
  readonly fixedSpan: number;
  /** The words of an item, and the file of its conversions. */
  readonly itemWords: 1 | 2;
  readonly itemFile: SourceText;
  /** The file of runs of up to {@link MOST_IN_DIGITS} items. */
  readonly runFile: SourceText;
  /** WGSL that makes an output of a float's bits, `x`. */
  readonly toOutput: string;
}

const tileFormats = {
  // Its places span less than 32, so fixed point has room for all items.
  f16: {
    fixedWords: 2,
    fixedSpan: 32,
    itemWords: 1,
    itemFile: floatItemsFile,
    runFile: runAnyFile,
    toOutput: "f16_from_bits(x)",
  },
  f32: {
    fixedWords: 3,
    fixedSpan: 39,
    itemWords: 1,
    itemFile: floatItemsFile,
    runFile: runFloatFile,
    toOutput: "x",
  },
  f64: {
    fixedWords: 5,
    fixedSpan: 74,
    itemWords: 2,
    itemFile: doubleItemsFile,
    runFile: runDoubleFile,
    toOutput: "x",
  },
} as const satisfies Record<keyof typeof exactFormats, TileFormat>;

type Format = ExactFormat & TileFormat;

/** The most items of a run whose digits have room. See shaders/exact/run_float.wgsl and run_double.wgsl. */
const MOST_IN_DIGITS = 30;

/** The most items of a tile whose digits have room. See shaders/exact/reduce.wgsl. */
const MOST_OF_TILE = 16_384;

/** The bytes of work-group memory of shaders/exact/scan.wgsl: two sums of each thread, a carry, and some words of 16 bytes each. */
const scanMemory = ({ workGroupSize }: TileSizes, format: Format): number =>
  4 * (workGroupSize * ((format.fixedWords | 1) + (isShort(format) ? format.words : 0)) + format.words) + 128;

/** Whether a kernel takes tiles of exact sums: on a GPU, by an algorithm without subgroups. */
const takesTiles = <Kernel extends Pick<TileKernel<TileSizes>, "algorithm" | "gpuLimits">>(
  kernel: Kernel,
): kernel is Kernel & { readonly gpuLimits: WorkGroupLimits } =>
  Boolean(kernel.gpuLimits) && kernel.algorithm !== "subgroup";

/** Declares what depends on the type's format, and on whether a scan is exclusive. */
function formatText(format: TileFormat, exclusive: boolean | undefined): SourceText {
  const { fixedWords, fixedSpan, itemWords, toOutput } = format;
  const sums = {
    fixed: "Fixed",
    digits: `vec${itemWords + 1}<i32>`,
    two_words: "vec2<u32>",
  };
  return {
    name: "the format of exact sums",
    text: [
      `const FIXED_WORDS = ${fixedWords}u;`,
      `const FIXED_SPAN = ${fixedSpan}u;`,
      `const ITEM_WORDS = ${itemWords}u;`,
      `fn output_from_float(x: FloatBits) -> Output {\n  return ${toOutput};\n}`,
      ...Object.entries(sums).map(
        ([name, sum]) =>
          `fn select_${name}(exclusive: ${sum}, inclusive: ${sum}) -> ${sum} {\n  return ${exclusive ? "exclusive" : "inclusive"};\n}`,
      ),
    ].join("\n\n"),
  };
}

/** The files of a kernel, beside those that load its items; undefined if it takes whole sums as other operators take their elements. */
function filesOf(
  entryPoint: Parameters<OwnTiles>[1],
  format: Format,
  { sizes: { items, workGroupSize }, carry, ends }: TileKernel<TileSizes>,
): Omit<TileFiles, "load"> | undefined {
  const inFixedPoint = [fixedFile, items <= MOST_IN_DIGITS ? format.runFile : runAnyFile];
  if (entryPoint === "scan_tiles") {
    return {
      tile: [tileFile, ...inFixedPoint, isShort(format) ? wholeSumsFile : wholeSumsLongFile],
      // Threads share the words of a carry that is in the spine as it is.
      entryPoint: carry === true && !ends ? [scanFile, carryWordsFile] : [scanFile],
      store: [storeFile],
    };
  }
  return entryPoint === "reduce_tiles" && workGroupSize * items <= MOST_OF_TILE
    ? { tile: [...inFixedPoint, reduceFile] }
    : undefined;
}

/** A file with its loops written out. Those over the words of a sum are written out if it is short. */
function written(file: SourceText, format: Format, constants: Constants): SourceText {
  const { words, fixedWords, itemWords } = format;
  const counts = { FIXED_WORDS: fixedWords, ITEM_WORDS: itemWords };
  return isShort(format)
    ? unrollFile(file, { ...constants, ...counts, EXACT_WORDS: words })
    : unrollFile(file, { ...constants, ...counts });
}

/** The tiles of exact sums of a type. */
export function exactTiles(type: keyof typeof exactFormats): OwnTiles {
  const format: Format = { ...exactFormats[type], ...tileFormats[type] };
  return (side, entryPoint, constants, kernel) => {
    if (!takesTiles(kernel)) {
      return undefined;
    }
    const { sizes, gpuLimits, exclusive } = kernel;
    if (side === "elements") {
      return constants.VECTOR === 1 ? spineTiles(format.words, entryPoint, kernel, gpuLimits) : undefined;
    }
    const memory = entryPoint === "scan_tiles" ? scanMemory(sizes, format) : 0;
    if (memory > gpuLimits.maxComputeWorkgroupStorageSize) {
      return undefined;
    }
    const found = filesOf(entryPoint, format, kernel);
    if (found === undefined) {
      return undefined;
    }
    const { tile, store = [], entryPoint: entry } = found;
    const all = (files: readonly SourceText[]) => files.map((file) => written(file, format, constants));
    return {
      files: {
        tile: [portableThreads, ...all(tile)],
        load: [formatText(format, exclusive), ...all([format.itemFile, itemsFile])],
        store: all(store),
        ...(entry && { entryPoint: all(entry) }),
      },
    };
  };
}
