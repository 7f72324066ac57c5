import shuffleFile from "#shaders/thread_tile/shuffle.wgsl";
import shuffleMemoryFile from "#shaders/thread_tile/shuffle_memory.wgsl";
import shuffleSubgroupFile from "#shaders/thread_tile/shuffle_subgroup.wgsl";
import broadcastFile from "#shaders/work_group/broadcast.wgsl";
import broadcastSourceFile from "#shaders/work_group/broadcast_source.wgsl";
import splitFile from "#shaders/work_group/split.wgsl";
import type { Operator } from "../algebra/monoid.ts";
import type { ElementType } from "../algebra/types.ts";
import { requireValueType } from "../algebra/types.ts";
import { refuseOthers } from "../errors.ts";
import { memoryOf } from "../kernels/algorithms.ts";
import type { AlgorithmBody } from "./algorithms.ts";
import type { ThreadTileOptions } from "./functions.ts";
import { count, SIZES, tiled, tilesBody, uniformBody, withOwn } from "./functions.ts";
import type { InKernelOptions, OperatorOptions } from "./generate.ts";
import { generate, splitAgain, withFamily } from "./generate.ts";
import type { InKernelFunctions } from "./link.ts";

/** The options of {@link workGroupBroadcast}. */
export interface WorkGroupBroadcastOptions extends Omit<InKernelOptions, "algorithm"> {
  /** The type of the value: a scalar, or a struct. */
  readonly type: ElementType;
}

/** The options of {@link threadTileShuffle}. */
export interface ThreadTileShuffleOptions
  extends InKernelOptions,
    Pick<ThreadTileOptions<string>, "tileSize"> {
  /** The type of the values: a scalar, or a struct. */
  readonly type: ElementType;
}

/**
 * A stable split by one bit, as a radix sort uses it: threads whose flag is false come first, then those whose flag is true,
 * both in order. `work_group_split(flag, local_index)` returns the place that the thread moves to. With `_total` after the
 * name, it returns a struct of `place` and `total_falses`, the number of threads whose flag is false.
 * `work_group_split_uniform(flag, local_index, &total_falses)` returns the place, and writes that number to a variable of
 * yours, which may steer control flow.
 *
 * @throws {ArgumentError} if a size is out of range.
 *
 * @example
 * ```ts
 * const split = workGroupSplit({ workGroupSize: 256 });
 * const code = link(myKernel, [split]);
 * // in myKernel:  let place = work_group_split((x & 1u) == 1u, local_index);
 * ```
 */
export function workGroupSplit(options: InKernelOptions): InKernelFunctions {
  const caller = "workGroupSplit";
  return generate(
    caller,
    withOwn(count, caller, options, SIZES),
    splitFile.text,
    uniformBody(options),
    SIZES,
  );
}

/** An operator that combines nothing. The functions that move values get the name of the values' type from it. */
function moving(type: ElementType, caller: string): OperatorOptions {
  const { name: key, native } = requireValueType(type, caller);
  const on: Operator["on"] = () => ({
    key,
    title: key,
    type,
    domain: { ...native, literal: () => [`${native.element}()`] },
    operation: undefined,
    combine: "later",
    identity: 0,
  });
  return { type, op: { name: caller, on } };
}

/**
 * OpenCL C's `work_group_broadcast`: `work_group_broadcast_u32(x, source, local_index)`. All threads get the value of the
 * thread `source`, and it is uniform. All pass the same source, which counts modulo the work-group size.
 *
 * @throws {ArgumentError} if a size is out of range.
 *
 * @example
 * ```ts
 * const broadcast = workGroupBroadcast({ type: u32, workGroupSize: 256 });
 * const code = link(myKernel, [broadcast]);
 * // in myKernel:  let last = work_group_broadcast_u32(x, 255u, local_index);
 * ```
 */
export function workGroupBroadcast(options: WorkGroupBroadcastOptions): InKernelFunctions {
  const caller = "workGroupBroadcast";
  const { op, algorithm, type }: Partial<OperatorOptions & InKernelOptions> = Object(options);
  const takes = "type, workGroupSize, suffix";
  refuseOthers(caller, { op, algorithm }, takes);
  const made = generate(
    caller,
    { ...options, ...moving(type as ElementType, caller) },
    broadcastFile.text,
    {
      memory: () => memoryOf([1], options.type.native.elementBytes, 0),
      texts: () => [broadcastSourceFile.text],
    },
    takes,
  );
  return splitAgain(made, options.type);
}

/**
 * CUDA's `shfl`, `shfl_up`, `shfl_down` and `shfl_xor` over a `thread_block_tile`, and a broadcast.
 * `thread_tile_8_shuffle_u32(x, source, local_index)` returns the value of the thread `source` of the tile, counted from 0
 * modulo the tile's size. So does `thread_tile_8_broadcast_u32(x, source, local_index)`, for a source that all threads of
 * the tile share. `thread_tile_8_shuffle_up_u32(x, distance, local_index)` returns the value of the thread that is `distance`
 * places before, `…_shuffle_down_…` of the one after, and `thread_tile_8_shuffle_xor_u32(x, mask, local_index)` of the one
 * whose place is this one's xor the mask: if that is outside the tile, a thread gets its own value. With each of the five, it also does if
 * the work-group ends before that thread, in its last tile.
 *
 * @throws {ArgumentError} if a size is out of range, or if the tile size is not a power of two.
 *
 * @example
 * ```ts
 * const shuffle = threadTileShuffle({ type: u32, tileSize: 8, workGroupSize: 256 });
 * const code = link(myKernel, [shuffle]);
 * // in myKernel:  let other = thread_tile_8_shuffle_xor_u32(x, 1u, local_index);
 * ```
 */
export function threadTileShuffle(options: ThreadTileShuffleOptions): InKernelFunctions {
  const caller = "threadTileShuffle";
  const { op, type }: Partial<OperatorOptions> = Object(options);
  const takes = `type, tileSize, ${SIZES}`;
  refuseOthers(caller, { op }, takes);
  const { tileSize, ...others } = { ...options, ...moving(type as ElementType, caller) };
  const made = generate(
    caller,
    others,
    shuffleFile.text,
    withFamily(shuffleBody(options, tilesBody(options)), tiled(caller, options)),
    takes,
  );
  return splitAgain(made, options.type);
}

function shuffleBody(
  { type, tileSize, algorithm }: ThreadTileShuffleOptions,
  body: AlgorithmBody,
): AlgorithmBody {
  const bytes = type.native.elementBytes;
  if (!algorithm?.tiles) {
    return (
      body && { memory: (threads) => memoryOf([threads], bytes, 0), texts: () => [shuffleMemoryFile.text] }
    );
  }
  const placesOf = (threads: number): number => {
    const least = Number.parseInt(body.words?.(threads).MIN_SUBGROUP_SIZE ?? "", 10);
    return tileSize > least ? threads : 1;
  };
  return {
    ...body,
    words: (threads) => ({ ...body.words?.(threads), SHUFFLE_PLACES: `${placesOf(threads)}u` }),
    memory: (threads) => memoryOf([placesOf(threads)], bytes, 1),
    texts: (monoid) => [...body.texts(monoid), shuffleSubgroupFile.text],
  };
}
