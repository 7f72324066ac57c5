import segmentedFile from "#shaders/work_group/segmented.wgsl";
import segmentedElementFile from "#shaders/work_group/segmented_element.wgsl";
import segmentedReduceFile from "#shaders/work_group/segmented_reduce.wgsl";
import segmentedScanFile from "#shaders/work_group/segmented_scan.wgsl";
import segmentedSubgroupFile from "#shaders/work_group/segmented_subgroup.wgsl";
import type { Monoid, Operator } from "../algebra/monoid.ts";
import { operatorOn } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import { memoryOf } from "../kernels/algorithms.ts";
import type { Piece } from "../text/pieces.ts";
import { piecesOf, textOf } from "../text/pieces.ts";
import type { AlgorithmBody } from "./algorithms.ts";
import type { ThreadTileOptions, WorkGroupOptions } from "./functions.ts";
import { ofTiles, scanBody, TILED, tiled, tilesBody, untyped } from "./functions.ts";
import type { Family, InKernelOptions, OperatorOptions } from "./generate.ts";
import { generate, withFamily } from "./generate.ts";
import type { InKernelFunctions } from "./link.ts";

/** What an algorithm has in place of the operator's own. */
const SEGMENTED: Readonly<Record<string, string>> = {
  Element: "SegmentedElement",
  identity: "segmented_identity",
  combine: "segmented_combine",
  element_shuffle: "segmented_shuffle",
  element_shuffle_up: "segmented_shuffle_up",
  element_shuffle_xor: "segmented_shuffle_xor",
};

const isShuffle = ({ name }: Piece): boolean => /^element_shuffle/.test(name);

const roundUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

/** The same algorithm on the segmented elements of an operator. Its names start with `segmented_`. */
function segmentedBody(body: AlgorithmBody, monoid: Monoid): AlgorithmBody {
  const { type, domain } = monoid;
  const { elementBytes, align = elementBytes } = domain;
  // The head stands right behind a vector of three, whose bytes are fewer than its place takes.
  const size = domain === type.native ? type.bytes : elementBytes;
  const bytes = roundUp(roundUp(size, 4) + 4, Math.max(4, align));
  return {
    ...body,
    memory: (threads) => body.memory(threads, bytes),
    texts() {
      // WGSL's built-in scans are no scans of segments.
      const pieces = body.texts({ ...monoid, operation: undefined }).flatMap((text) => piecesOf(text));
      const shuffles = pieces.filter(isShuffle);
      const own = pieces.filter((piece) => !isShuffle(piece));
      const names = new Map(own.map(({ name }) => [name, `segmented_${name}`]));
      return [
        segmentedElementFile.text,
        ...shuffles.map(textOf),
        shuffles.length > 0 ? segmentedSubgroupFile.text : "",
        ...piecesOf(own.map(textOf).join(""), (word) => SEGMENTED[word] ?? names.get(word) ?? word).map(
          textOf,
        ),
        segmentedFile.text,
      ];
    },
  };
}

/** The functions of a file, by an algorithm on segmented elements. */
function segmented(
  caller: string,
  options: InKernelOptions & OperatorOptions,
  file: string,
  body: AlgorithmBody,
  family: Family = {},
  takes?: string,
): InKernelFunctions {
  const { type, op = add as Operator, workGroupSize } = options;
  const monoid = operatorOn(op, type, caller);
  const memory = memoryOf([workGroupSize], monoid.domain.elementBytes, 0);
  // If the algorithm is none, `generate` throws the error.
  return generate(
    caller,
    options,
    file,
    withFamily(body && segmentedBody(body, monoid), { ...family, memory }),
    takes,
  );
}

/**
 * {@link workGroupScan} in each segment by itself. A segment starts at each thread whose `is_head` is true, and at the first
 * thread: `work_group_segmented_scan_exclusive_add_u32(x, is_head, local_index)` returns the prefix in the thread's segment.
 * With `_total` after the name, it returns a struct of `prefix` and the segment's `total`.
 *
 * @throws as {@link workGroupScan}.
 *
 * @example
 * ```ts
 * const scan = workGroupSegmentedScan({ type: u32, op: add, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = work_group_segmented_scan_exclusive_add_u32(1u, x == 0u, local_index);
 * ```
 */
export function workGroupSegmentedScan<Name extends string>(
  options: WorkGroupOptions<Name>,
): InKernelFunctions {
  return segmented("workGroupSegmentedScan", untyped(options), segmentedScanFile.text, scanBody(options));
}

/**
 * CUB's head-segmented reduction over a work-group: `work_group_segmented_reduce_add_u32(x, is_head, local_index)`. Every
 * thread gets the total of its own segment, not only the head.
 *
 * @throws as {@link workGroupScan}.
 *
 * @example
 * ```ts
 * const reduce = workGroupSegmentedReduce({ type: u32, op: max, workGroupSize: 256 });
 * const code = link(myKernel, [reduce]);
 * // in myKernel:  let most = work_group_segmented_reduce_max_u32(x, x % 8u == 0u, local_index);
 * ```
 */
export function workGroupSegmentedReduce<Name extends string>(
  options: WorkGroupOptions<Name>,
): InKernelFunctions {
  return segmented("workGroupSegmentedReduce", untyped(options), segmentedReduceFile.text, scanBody(options));
}

/**
 * {@link threadTileScan} in each segment by itself, as {@link workGroupSegmentedScan} does it. A segment starts at the first
 * thread of each tile, too. Call `thread_tile_8_segmented_scan_exclusive_add_u32(x, is_head, local_index)`.
 *
 * @throws as {@link threadTileScan}.
 *
 * @example
 * ```ts
 * const scan = threadTileSegmentedScan({ type: u32, op: add, tileSize: 8, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let sum = thread_tile_8_segmented_scan_inclusive_add_u32(x, x == 0u, local_index);
 * ```
 */
export function threadTileSegmentedScan<Name extends string>(
  options: ThreadTileOptions<Name>,
): InKernelFunctions {
  return segmentedTiles("threadTileSegmentedScan", options, segmentedScanFile.text);
}

/**
 * CUB's head-segmented reduction over thread tiles: `thread_tile_8_segmented_reduce_add_u32(x, is_head, local_index)`. Every
 * thread gets the total of its own segment, not only the head.
 *
 * @throws as {@link threadTileScan}.
 *
 * @example
 * ```ts
 * const reduce = threadTileSegmentedReduce({ type: u32, op: add, tileSize: 32, workGroupSize: 256 });
 * const code = link(myKernel, [reduce]);
 * // in myKernel:  let sum = thread_tile_32_segmented_reduce_add_u32(x, x == 0u, local_index);
 * ```
 */
export function threadTileSegmentedReduce<Name extends string>(
  options: ThreadTileOptions<Name>,
): InKernelFunctions {
  return segmentedTiles("threadTileSegmentedReduce", options, segmentedReduceFile.text);
}

function segmentedTiles<Name extends string>(
  caller: string,
  options: ThreadTileOptions<Name>,
  file: string,
): InKernelFunctions {
  const tile = tiled(caller, options);
  const { tileSize, ...others } = untyped(options);
  return segmented(caller, others, ofTiles(file), tilesBody(options), tile, TILED);
}
