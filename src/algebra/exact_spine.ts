import portableThreads from "#shaders/device/tiles/portable_threads.wgsl";
import spineFile from "#shaders/exact/spine.wgsl";
import spineReduceFile from "#shaders/exact/spine_reduce.wgsl";
import spineScanFile from "#shaders/exact/spine_scan.wgsl";
import { unrollFile } from "../text/module.ts";
import type { SourceText } from "../text/source.ts";
import type { TileFiles, TileKernel, TileSizes, WorkGroupLimits } from "./monoid.ts";

// Kernels that combine the totals of tiles of exact sums.

/** The least words of a sum whose totals are added up by columns. H200, 2^26 f16: 63 µs by columns, 36 otherwise. */
const COLUMNS = 10;

/** The most threads of a kernel that adds up tiles' totals, and how many totals of a group of threads it takes at a time. */
const SPINE_THREADS = 1024;
const SPINE_STEP = 8;

/** What kernels have of tiles whose items are the totals of other tiles; undefined if work-group memory has no room for them. */
export const spineTiles = <Sizes extends TileSizes>(
  words: number,
  entryPoint: string,
  kernel: TileKernel<Sizes>,
  limits: WorkGroupLimits,
): { readonly sizes: Sizes; readonly files?: TileFiles } | undefined =>
  words < COLUMNS
    ? { sizes: spreadOut(kernel.sizes, words, limits) }
    : byColumns(words, entryPoint, kernel, limits);

/** Kernels that add up tiles' totals by columns. They take as many totals as a tile has items. */
function byColumns<Sizes extends TileSizes>(
  words: number,
  entryPoint: string,
  { sizes, carry, arrangement }: TileKernel<Sizes>,
  limits: WorkGroupLimits,
): { readonly sizes: Sizes; readonly files: TileFiles } | undefined {
  let workGroupSize = Math.min(
    SPINE_THREADS,
    limits.maxComputeInvocationsPerWorkgroup,
    limits.maxComputeWorkgroupSizeX,
  );
  // See shaders/exact/spine.wgsl and spine_scan.wgsl.
  const memory = (threads: number): number =>
    Math.floor(threads / words) * (SPINE_STEP * 4 * (words + Math.ceil(words / 32)) + 4);
  while (memory(workGroupSize) > limits.maxComputeWorkgroupStorageSize) {
    workGroupSize >>= 1;
  }
  const groups = Math.floor(workGroupSize / words);
  if (groups === 0) {
    return undefined;
  }
  // A reduction reads one buffer, and writes another one.
  const [from, to] =
    arrangement === "one-buffer" && entryPoint !== "reduce_tiles"
      ? ["output", "output"]
      : ["input", "output"];
  const counts = { STEP: SPINE_STEP };
  const isReduced = entryPoint === "reduce_tiles";
  const text: SourceText = {
    name: "totals by columns",
    text: [
      `const SPINE_TILE = ${sizes.items * sizes.workGroupSize}u;`,
      `const GROUPS = ${groups}u;`,
      `const STEP = ${SPINE_STEP}u;`,
      `fn word_of_total(index: u32, word: u32) -> u32 {\n  return ${from}[call.input_base + index][word];\n}`,
      ...(isReduced
        ? []
        : [
            `fn put_word(index: u32, word: u32, value: u32) {\n  ${to}[call.output_base + index][word] = value;\n}`,
            `fn word_before_tile(tile: u32, word: u32) -> u32 {\n  ${carry === true ? "return select(0u, spine[tile][word], tile > 0u)" : "return 0u"};\n}`,
          ]),
    ].join("\n\n"),
  };
  const columns = [text, unrollFile(spineFile, counts)];
  return {
    sizes: { ...sizes, items: 1, workGroupSize },
    files: isReduced
      ? // The last one loads, too.
        { tile: [portableThreads, ...columns, unrollFile(spineReduceFile, counts)], load: [] }
      : { tile: [portableThreads], entryPoint: [...columns, unrollFile(spineScanFile, counts)] },
  };
}

/**
 * Kernels that combine tiles' totals take as long as a thread does for its elements. So more threads take fewer elements each, in tiles
 * of the same size. The algorithm takes work-group memory for up to two elements a thread.
 */
function spreadOut<Sizes extends TileSizes>(sizes: Sizes, words: number, limits: WorkGroupLimits): Sizes {
  const mostThreads = Math.min(
    limits.maxComputeInvocationsPerWorkgroup,
    limits.maxComputeWorkgroupSizeX,
    limits.maxComputeWorkgroupStorageSize / (2 * 4 * words),
  );
  let { items, workGroupSize } = sizes;
  while (items % 2 === 0 && 2 * workGroupSize <= mostThreads) {
    items /= 2;
    workGroupSize *= 2;
  }
  return { ...sizes, items, workGroupSize };
}
