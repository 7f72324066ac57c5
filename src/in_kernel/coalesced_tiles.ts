import totalStartFile from "#shaders/thread_tile/coalesced_total_start.wgsl";
import coalescedFile from "#shaders/work_group/coalesced.wgsl";
import coalescedReduceFile from "#shaders/work_group/coalesced_reduce.wgsl";
import coalescedScanFile from "#shaders/work_group/coalesced_scan.wgsl";
import coalescedTotalFile from "#shaders/work_group/coalesced_total.wgsl";
import coalescedUpdateFile from "#shaders/work_group/coalesced_update.wgsl";
import type { Operator } from "../algebra/monoid.ts";
import { operatorOn } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import { memoryOf } from "../kernels/algorithms.ts";
import type { CounterOptions, ThreadTileOptions } from "./functions.ts";
import { overCountedTiles, overTiles, tilesOf, untyped } from "./functions.ts";
import type { InKernelFunctions } from "./link.ts";

/** The functions of a file over the active threads of each tile. */
const coalescedTiles = <Name extends string>(
  caller: string,
  options: ThreadTileOptions<Name>,
  file: string,
): InKernelFunctions =>
  overTiles(caller, untyped(options), file, () => {
    const { type, op = add as Operator } = untyped(options);
    return operatorOn(op, type, caller).start
      ? { texts: [coalescedFile.text, totalStartFile.text], memory: memoryOf([tilesOf(options)], 4, 0) }
      : { texts: [coalescedFile.text, coalescedTotalFile.text] };
  });

/**
 * CUDA's `inclusive_scan` and `exclusive_scan` over a `coalesced_group` of a warp: a scan over the threads of each run of `tileSize`
 * threads whose `is_active` is true, in order. All threads call `thread_tile_32_coalesced_scan_exclusive_add_u32(x, is_active,
 * local_index)`. Threads that are not active get the identity as their prefix. `_total` works as for {@link workGroupScan}, and all
 * threads of a tile get the same total.
 *
 * @throws as {@link threadTileScan}.
 *
 * @example
 * ```ts
 * const scan = threadTileCoalescedScan({ type: u32, op: add, tileSize: 32, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = thread_tile_32_coalesced_scan_exclusive_add_u32(1u, x > 7u, local_index);
 * ```
 */
export const threadTileCoalescedScan = <Name extends string>(
  options: ThreadTileOptions<Name>,
): InKernelFunctions => coalescedTiles("threadTileCoalescedScan", options, coalescedScanFile.text);

/**
 * CUDA's `reduce` over a `coalesced_group` of a warp: `thread_tile_32_coalesced_reduce_add_u32(x, is_active, local_index)`. All threads
 * of a tile get the total of its active threads. If none of them is active, it is the identity.
 *
 * @throws as {@link threadTileScan}.
 *
 * @example
 * ```ts
 * const reduce = threadTileCoalescedReduce({ type: u32, op: max, tileSize: 32, workGroupSize: 256 });
 * const code = link(myKernel, [reduce]);
 * // in myKernel:  let most = thread_tile_32_coalesced_reduce_max_u32(x, x > 7u, local_index);
 * ```
 */
export const threadTileCoalescedReduce = <Name extends string>(
  options: ThreadTileOptions<Name>,
): InKernelFunctions => coalescedTiles("threadTileCoalescedReduce", options, coalescedReduceFile.text);

/**
 * {@link threadTileCoalescedScan} on a `counter` of yours, with one atomic operation for each tile, as {@link threadTileScanUpdate} does
 * it: `thread_tile_32_coalesced_scan_exclusive_add_u32_update(x, is_active, local_index)`.
 *
 * @throws as {@link threadTileScanUpdate}.
 *
 * @example
 * ```ts
 * const update = threadTileCoalescedScanUpdate({ type: u32, tileSize: 32, workGroupSize: 256, counter: "used" });
 * const code = link(myKernel, [update]);
 * // in myKernel:  let place = thread_tile_32_coalesced_scan_exclusive_add_u32_update(1u, x > 7u, local_index);
 * ```
 */
export const threadTileCoalescedScanUpdate = <Name extends string>(
  options: ThreadTileOptions<Name> & CounterOptions,
): InKernelFunctions =>
  overCountedTiles("threadTileCoalescedScanUpdate", untyped(options), coalescedUpdateFile.text, [
    coalescedFile.text,
  ]);
