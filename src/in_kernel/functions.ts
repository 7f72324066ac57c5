import threadTileCounterFile from "#shaders/thread_tile/counter.wgsl";
import threadTileHillisSteeleFile from "#shaders/thread_tile/hillis_steele.wgsl";
import allocateFile from "#shaders/work_group/allocate.wgsl";
import coalescedFile from "#shaders/work_group/coalesced.wgsl";
import coalescedReduceFile from "#shaders/work_group/coalesced_reduce.wgsl";
import coalescedScanFile from "#shaders/work_group/coalesced_scan.wgsl";
import coalescedScanUniformFile from "#shaders/work_group/coalesced_scan_uniform.wgsl";
import coalescedTotalFile from "#shaders/work_group/coalesced_total.wgsl";
import coalescedTotalStartFile from "#shaders/work_group/coalesced_total_start.wgsl";
import coalescedUpdateFile from "#shaders/work_group/coalesced_update.wgsl";
import compactFile from "#shaders/work_group/compact.wgsl";
import compactUpdateFile from "#shaders/work_group/compact_update.wgsl";
import counterFile from "#shaders/work_group/counter.wgsl";
import reduceFile from "#shaders/work_group/reduce.wgsl";
import scanFile from "#shaders/work_group/scan.wgsl";
import scanUniformFile from "#shaders/work_group/scan_uniform.wgsl";
import updateFile from "#shaders/work_group/update.wgsl";
import { operator } from "../algebra/custom_operator.ts";
import { u32 } from "../algebra/integers.ts";
import type { Operator } from "../algebra/monoid.ts";
import { operatorOn } from "../algebra/monoid.ts";
import { add } from "../algebra/operators.ts";
import type { ElementType } from "../algebra/types.ts";
import { refuse, refuseOthers, shown } from "../errors.ts";
import { memoryOf } from "../kernels/algorithms.ts";
import type { AlgorithmBody } from "./algorithms.ts";
import { hillisSteeleReduce, hillisSteeleScan, hillisSteeleUniform } from "./algorithms.ts";
import { allocation, counting, isIndexed, withIndex } from "./counters.ts";
import type { Family, InKernelOptions, OperatorOptions } from "./generate.ts";
import { generate, withFamily } from "./generate.ts";
import type { InKernelFunctions } from "./link.ts";

/** The options of functions that have an operator. */
export type WorkGroupOptions<Name extends string> = InKernelOptions & TypedOperator<Name>;

/**
 * A type and an operator on it. They stand beside the other options, since TypeScript infers nothing from options of which one is missing and
 * another one is unknown, such as a misspelled `workGroupSize`. It would then report the operator.
 */
export interface TypedOperator<Name extends string> {
  /** The element type. */
  readonly type: ElementType<Name>;
  /** The operator. The default is `add`. */
  readonly op?: Operator<NoInfer<Name>>;
}

/** The option of functions that update a counter of yours. */
export interface CounterOptions {
  /**
   * The counter, as your kernel names it, such as `bump.used`, in work-group or storage memory: an `atomic<i32>` for i32, an
   * `atomic<u32>` for u32, and for the bits of an f32 or f16. WGSL has atomic operations for `add`, `min`, `max`, `and`, `or`
   * and `xor` of integers. Other operators compare and exchange, again and again until no other work-group comes between.
   *
   * If the call is to say which counter it is, leave an index empty, as in `counters[]`: the function then takes the index
   * before `local_index`.
   */
  readonly counter: string;
}

/** The options of {@link threadTileScan} and {@link threadTileReduce}. */
export type ThreadTileOptions<Name extends string> = WorkGroupOptions<Name> & {
  /** Consecutive threads in a tile: a power of two up to the work-group's size. The last tile may be shorter. */
  readonly tileSize: number;
};

/** The options of {@link workGroupAllocate}. */
export interface WorkGroupAllocateOptions extends InKernelOptions {
  /** The counter that says how much is used: an `atomic<u32>`, as your kernel names it. `used[]` is as in {@link CounterOptions}. */
  readonly counter: string;
  /**
   * The room in the buffer: a number, or a WGSL expression of u32. The default is 2^31. All functions that allocate by
   * one counter must have the same capacity. A work-group that asks for more than (2^32 - capacity) / 2^16 takes turns
   * with the others, which is slow if many ask at once.
   */
  readonly capacity?: number | string;
}

/** The sum of u32. */
export const count: OperatorOptions = { type: u32, op: add as Operator };

export const untyped = <Options extends InKernelOptions>(
  options: Options,
): Omit<Options, "type" | "op"> & OperatorOptions => Object(options);

/** The names of {@link InKernelOptions}. */
export const SIZES = "workGroupSize, algorithm, suffix";

/** The options of functions that update a counter, and of those of thread tiles. */
const COUNTED = "type, op, counter, workGroupSize, algorithm, suffix";
export const TILED = "type, op, tileSize, workGroupSize, algorithm, suffix";

/** Adds a type and an operator to the options of functions that have their own. `takes` lists the caller's. */
export function withOwn<Options extends InKernelOptions>(
  own: OperatorOptions,
  caller: string,
  options: Options,
  takes: string,
): Options & OperatorOptions {
  const { type, op }: Partial<OperatorOptions> = Object(options);
  refuseOthers(caller, { type, op }, takes);
  return { ...options, ...own };
}

/** The algorithm's body for a scan, for a scan with a uniform total, and for a reduction. */
export const scanBody = (options: InKernelOptions): AlgorithmBody =>
  options?.algorithm ? options.algorithm.scan : hillisSteeleScan;
export const uniformBody = (options: InKernelOptions): AlgorithmBody =>
  options?.algorithm ? options.algorithm.uniform : hillisSteeleUniform;
const reduceBody = (options: InKernelOptions): AlgorithmBody =>
  options?.algorithm ? options.algorithm.reduce : hillisSteeleReduce;

/**
 * OpenCL C's `work_group_scan_inclusive_<op>` and `work_group_scan_exclusive_<op>` for one operator
 * and type. `work_group_scan_exclusive_add_u32(x, local_index)` returns the prefix. With `_total` after the name, it
 * returns a struct of `prefix` and `total`. If the total steers control flow, use {@link workGroupScanUniform}.
 *
 * @throws {ArgumentError} if the operator does not take the type, or if a size is out of range.
 *
 * @example
 * ```ts
 * const scan = workGroupScan({ type: u32, op: add, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = work_group_scan_exclusive_add_u32(x, local_index);
 * ```
 */
export function workGroupScan<Name extends string>(options: WorkGroupOptions<Name>): InKernelFunctions {
  return generate(
    "workGroupScan",
    options as InKernelOptions & OperatorOptions,
    scanFile.text,
    scanBody(options),
  );
}

/**
 * {@link workGroupScan} with a total that may steer control flow with barriers in it.
 * `work_group_scan_exclusive_add_u32_uniform(x, local_index, &total)` returns the prefix, and writes the total to a
 * variable of yours. A struct would not do: WGSL takes no part of it as uniform if another part is not.
 *
 * @throws as {@link workGroupScan}.
 *
 * @example
 * ```ts
 * const scan = workGroupScanUniform({ type: u32, op: add, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  var total: u32; let rank = work_group_scan_exclusive_add_u32_uniform(x, local_index, &total);
 * ```
 */
export function workGroupScanUniform<Name extends string>(
  options: WorkGroupOptions<Name>,
): InKernelFunctions {
  return generate(
    "workGroupScanUniform",
    options as InKernelOptions & OperatorOptions,
    scanUniformFile.text,
    uniformBody(options),
  );
}

/**
 * CUDA's `inclusive_scan_update` and `exclusive_scan_update` over a work-group, on a `counter` of yours.
 * `work_group_scan_exclusive_add_u32_update(x, local_index)` adds the work-group's total to the counter in one
 * atomic operation. Each thread's prefix starts from the counter's value before that.
 *
 * @throws as {@link workGroupScan}; also if the type is none of u32, i32, f32 and f16.
 *
 * @example
 * ```ts
 * const update = workGroupScanUpdate({ type: u32, op: add, workGroupSize: 256, counter: "used" });
 * const code = link(myKernel, [update]);
 * // in myKernel:  let place = work_group_scan_exclusive_add_u32_update(x, local_index);
 * ```
 */
export function workGroupScanUpdate<Name extends string>(
  options: WorkGroupOptions<Name> & CounterOptions,
): InKernelFunctions {
  const caller = "workGroupScanUpdate";
  const family = counted(caller, untyped(options), [counterFile.text]);
  const { counter, ...others } = untyped(options);
  return generate(
    caller,
    others,
    indexed(counter, updateFile.text),
    withFamily(scanBody(options), family),
    COUNTED,
  );
}

/**
 * OpenCL C's `work_group_reduce_<op>` for one operator and type. All threads get the total, and it is uniform.
 *
 * @throws as {@link workGroupScan}.
 *
 * @example
 * ```ts
 * const reduce = workGroupReduce({ type: f32, op: max, workGroupSize: 256 });
 * const code = link(myKernel, [reduce]);
 * // in myKernel:  let greatest = work_group_reduce_max_f32(f32(x), local_index);
 * ```
 */
export function workGroupReduce<Name extends string>(options: WorkGroupOptions<Name>): InKernelFunctions {
  return generate(
    "workGroupReduce",
    options as InKernelOptions & OperatorOptions,
    reduceFile.text,
    reduceBody(options),
  );
}

/**
 * CUDA's `inclusive_scan` and `exclusive_scan` over a `coalesced_group`: a scan over the threads whose `is_active` is
 * true, in order. All threads call `coalesced_scan_exclusive_add_u32(x, is_active, local_index)`. Threads that are not
 * active get the identity as their prefix. `_total` works as for {@link workGroupScan}, and all threads get the same
 * total.
 *
 * @throws as {@link workGroupScan}.
 *
 * @example
 * ```ts
 * const scan = coalescedScan({ type: u32, op: add, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = coalesced_scan_exclusive_add_u32(x, is_active, local_index);
 * ```
 */
export function coalescedScan<Name extends string>(options: WorkGroupOptions<Name>): InKernelFunctions {
  const caller = "coalescedScan";
  const family = coalesced(caller, untyped(options));
  return generate(caller, untyped(options), coalescedScanFile.text, withFamily(scanBody(options), family));
}

/**
 * {@link coalescedScan} with a total that may steer control flow, as {@link workGroupScanUniform} has:
 * `coalesced_scan_exclusive_add_u32_uniform(x, is_active, local_index, &total)`.
 *
 * @throws as {@link workGroupScan}.
 *
 * @example
 * ```ts
 * const scan = coalescedScanUniform({ type: u32, op: add, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  var total: u32; let rank = coalesced_scan_exclusive_add_u32_uniform(x, is_active, local_index, &total);
 * ```
 */
export function coalescedScanUniform<Name extends string>(
  options: WorkGroupOptions<Name>,
): InKernelFunctions {
  const caller = "coalescedScanUniform";
  const family = coalesced(caller, untyped(options));
  return generate(
    caller,
    untyped(options),
    coalescedScanUniformFile.text,
    withFamily(uniformBody(options), family),
  );
}

/**
 * {@link coalescedScan} on a `counter` of yours, as {@link workGroupScanUpdate} does it:
 * `coalesced_scan_exclusive_add_u32_update(x, is_active, local_index)`.
 *
 * @throws as {@link workGroupScanUpdate}.
 *
 * @example
 * ```ts
 * const update = coalescedScanUpdate({ type: u32, op: add, workGroupSize: 256, counter: "used" });
 * const code = link(myKernel, [update]);
 * // in myKernel:  let place = coalesced_scan_exclusive_add_u32_update(x, is_active, local_index);
 * ```
 */
export function coalescedScanUpdate<Name extends string>(
  options: WorkGroupOptions<Name> & CounterOptions,
): InKernelFunctions {
  const caller = "coalescedScanUpdate";
  const family = counted(caller, untyped(options), [counterFile.text, coalescedFile.text]);
  const { counter, ...others } = untyped(options);
  return generate(
    caller,
    others,
    indexed(counter, coalescedUpdateFile.text),
    withFamily(scanBody(options), family),
    COUNTED,
  );
}

/**
 * CUDA's `reduce` over a `coalesced_group`: `coalesced_reduce_add_u32(x, is_active, local_index)`.
 * All threads get the total of the active threads, and it is uniform. If no thread is active, it is the identity.
 *
 * @throws as {@link workGroupScan}.
 *
 * @example
 * ```ts
 * const reduce = coalescedReduce({ type: u32, op: min, workGroupSize: 256 });
 * const code = link(myKernel, [reduce]);
 * // in myKernel:  let least = coalesced_reduce_min_u32(x, is_active, local_index);
 * ```
 */
export function coalescedReduce<Name extends string>(options: WorkGroupOptions<Name>): InKernelFunctions {
  const caller = "coalescedReduce";
  const family = coalesced(caller, untyped(options));
  return generate(
    caller,
    untyped(options),
    coalescedReduceFile.text,
    withFamily(reduceBody(options), family),
  );
}

/** The files and the memory that coalesced threads need beside their family's. */
const coalesced = (caller: string, { type, op = add as Operator }: OperatorOptions): Family =>
  operatorOn(op, type, caller).start
    ? { texts: [coalescedFile.text, coalescedTotalStartFile.text], memory: memoryOf([], 0, 1) }
    : { texts: [coalescedFile.text, coalescedTotalFile.text] };

/** The functions of a file that updates a counter. If the call names the counter, they take its index. */
export const indexed = (counter: string, file: string): string =>
  isIndexed(counter) ? withIndex(file) : file;

/** The additions to a family that updates a counter `updates` times for each work-group. */
export function counted(
  caller: string,
  { type, op = add as Operator, counter }: OperatorOptions & CounterOptions,
  files: readonly string[],
  updates = 1,
): Family {
  const monoid = operatorOn(op, type, caller);
  const { text, words } = counting(counter, monoid, caller);
  return { texts: [text, ...files], words, memory: memoryOf([updates], monoid.domain.elementBytes, 0) };
}

/** One portable body serves both portable algorithms. */
const portableTiles: AlgorithmBody = {
  memory: (threads, elementBytes) => memoryOf([2 * threads], elementBytes, 0),
  texts: () => [threadTileHillisSteeleFile.text],
};

export const tilesBody = (options: InKernelOptions): AlgorithmBody => {
  const { algorithm }: Partial<InKernelOptions> = Object(options);
  return algorithm ? (algorithm.tiles ?? (algorithm.scan && portableTiles)) : portableTiles;
};

type TileSizes = Pick<ThreadTileOptions<string>, "workGroupSize" | "tileSize">;

/** The additions to a family of thread tiles. */
export function tiled(caller: string, options: TileSizes): Family {
  const { tileSize, workGroupSize }: TileSizes = Object(options);
  if (
    !Number.isInteger(tileSize) ||
    typeof workGroupSize !== "number" ||
    tileSize < 1 ||
    (tileSize & (tileSize - 1)) !== 0 ||
    tileSize > workGroupSize
  ) {
    refuse(
      caller,
      "tileSize",
      shown(tileSize),
      `a power of two up to workGroupSize, which is ${workGroupSize}`,
    );
  }
  return {
    tile: `${tileSize}_`,
    words: { THREAD_TILE: `${tileSize}u`, THREAD_TILES: `${tilesOf({ workGroupSize, tileSize })}u` },
  };
}

/** The number of tiles. The last one may be shorter. */
export const tilesOf = ({ workGroupSize, tileSize }: TileSizes): number =>
  Math.ceil(workGroupSize / tileSize);

/** The functions of a work-group as functions of thread tiles: each tile has a scan, a reduction and a first thread. */
export const ofTiles = (functions: string): string =>
  functions
    .replace(/work_group_|\b(?=coalesced_(scan|reduce)_)/g, "thread_tile_")
    .replace(/WorkGroup|\b(?=CoalescedScan)/g, "ThreadTile")
    .replace(/(?<=\blocal_index) == 0u/g, " % THREAD_TILE == 0u");

/** The functions of a file over thread tiles. `family` gives what they need beside the algorithm. */
export function overTiles(
  caller: string,
  options: InKernelOptions & OperatorOptions & TileSizes,
  functions: string,
  family: () => Family = () => ({}),
  takes = TILED,
): InKernelFunctions {
  const tile = tiled(caller, options);
  const { tileSize, ...others } = options;
  const body = withFamily(withFamily(tilesBody(options), tile), family());
  return generate(caller, others, ofTiles(functions), body, takes);
}

/** {@link overTiles} of functions that update a counter once for each tile. `files` are those that they need beside it. */
export function overCountedTiles(
  caller: string,
  options: InKernelOptions & OperatorOptions & TileSizes & CounterOptions,
  functions: string,
  files: readonly string[] = [],
): InKernelFunctions {
  const { counter, ...others } = options;
  return overTiles(
    caller,
    others,
    indexed(counter, functions),
    () => counted(caller, options, [threadTileCounterFile.text, ...files], tilesOf(options)),
    `counter, ${TILED}`,
  );
}

/**
 * CUDA's `inclusive_scan` and `exclusive_scan` over a `thread_block_tile`: a scan in each run of `tileSize`
 * consecutive threads, inside one subgroup or across several. Call `thread_tile_8_scan_exclusive_add_u32(x, local_index)`.
 * `_total` works as for {@link workGroupScan}.
 *
 * @throws as {@link workGroupScan}; also if the tile size is not a power of two.
 *
 * @example
 * ```ts
 * const scan = threadTileScan({ type: u32, op: add, tileSize: 8, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = thread_tile_8_scan_exclusive_add_u32(x, local_index);
 * ```
 */
export const threadTileScan = <Name extends string>(options: ThreadTileOptions<Name>): InKernelFunctions =>
  overTiles("threadTileScan", untyped(options), scanFile.text);

/**
 * {@link threadTileScan} on a `counter` of yours, as {@link workGroupScanUpdate} does it, with one atomic operation for
 * each tile:
 * `thread_tile_8_scan_exclusive_add_u32_update(x, local_index)`.
 *
 * @throws as {@link threadTileScan} and {@link workGroupScanUpdate}.
 *
 * @example
 * ```ts
 * const update = threadTileScanUpdate({ type: u32, tileSize: 8, workGroupSize: 256, counter: "used" });
 * const code = link(myKernel, [update]);
 * // in myKernel:  let place = thread_tile_8_scan_exclusive_add_u32_update(x, local_index);
 * ```
 */
export const threadTileScanUpdate = <Name extends string>(
  options: ThreadTileOptions<Name> & CounterOptions,
): InKernelFunctions => overCountedTiles("threadTileScanUpdate", untyped(options), updateFile.text);

/**
 * CUDA's `reduce` over a `thread_block_tile`: `thread_tile_8_reduce_add_u32(x, local_index)`. All
 * threads of a tile get its total.
 *
 * @throws as {@link threadTileScan}.
 *
 * @example
 * ```ts
 * const reduce = threadTileReduce({ type: u32, op: xor, tileSize: 32, workGroupSize: 256 });
 * const code = link(myKernel, [reduce]);
 * // in myKernel:  let parity = thread_tile_32_reduce_xor_u32(x, local_index);
 * ```
 */
export const threadTileReduce = <Name extends string>(options: ThreadTileOptions<Name>): InKernelFunctions =>
  overTiles("threadTileReduce", untyped(options), reduceFile.text);

/**
 * Stream compaction in a kernel. `work_group_compact(keep, local_index)` returns `slot`, the place of a kept thread, and
 * `count`, the number of kept threads. `work_group_compact_uniform(keep, local_index, &count)` returns the slot, and writes
 * the count to a variable of yours, which may steer control flow.
 *
 * @throws {ArgumentError} if a size is out of range.
 *
 * @example
 * ```ts
 * const compact = workGroupCompact({ workGroupSize: 256 });
 * const code = link(myKernel, [compact]);
 * // in myKernel:  let place = work_group_compact(x > 7u, local_index).slot;
 * ```
 */
export function workGroupCompact(options: InKernelOptions): InKernelFunctions {
  const caller = "workGroupCompact";
  return generate(
    caller,
    withOwn(count, caller, options, SIZES),
    compactFile.text,
    uniformBody(options),
    SIZES,
  );
}

/**
 * Stream compaction into a list that all work-groups share. The `counter` is the list's length.
 * `work_group_compact_update(keep, local_index)` and `work_group_compact_update_uniform(keep, local_index, &count)` are as
 * in {@link workGroupCompact}, but their slots start from the counter's value before the call.
 *
 * @throws {ArgumentError} if a size is out of range, or if the counter is missing.
 *
 * @example
 * ```ts
 * const append = workGroupCompactUpdate({ workGroupSize: 256, counter: "used" });
 * const code = link(myKernel, [append]);
 * // in myKernel:  let place = work_group_compact_update(x > 7u, local_index).slot;
 * ```
 */
export function workGroupCompactUpdate(options: InKernelOptions & CounterOptions): InKernelFunctions {
  const caller = "workGroupCompactUpdate";
  const family = counted(caller, { ...options, ...count }, [counterFile.text]);
  const takes = `counter, ${SIZES}`;
  const { counter, ...others } = withOwn(count, caller, options, takes);
  return generate(
    caller,
    others,
    indexed(counter, compactUpdateFile.text),
    withFamily(uniformBody(options), family),
    takes,
  );
}

/** A sum that stops at the greatest u32. So an amount that is too large never wraps to a smaller one that fits. */
const saturatingAdd = (): Operator =>
  operator({
    name: "saturating_add",
    type: u32,
    identity: 0,
    combine: "earlier + min(later, ~earlier)",
  }) as Operator;

/**
 * Buffer allocation in a kernel. `work_group_allocate(amount, local_index)` returns three values for each thread: `offset`,
 * where its run starts; `fits`, whether its run fits in the capacity; and `total`, the sum of all amounts, at most
 * 2^32 - 1. Runs that fit do not overlap, and none goes past the capacity.
 *
 * The counter stops at the capacity. If a work-group asks for more than is left, its first threads get their room, and
 * nobody gets the rest. If the counter was past the capacity before, it stays where it is, and nothing fits.
 * `work_group_allocate_uniform(amount, local_index, &total)` also writes the total to a variable of yours, which may steer
 * control flow.
 *
 * @throws {ArgumentError} if a size is out of range, or if the counter is missing.
 *
 * @example
 * ```ts
 * const allocate = workGroupAllocate({ workGroupSize: 256, counter: "used", capacity: 1024 });
 * const code = link(myKernel, [allocate]);
 * // in myKernel:  let mine = work_group_allocate(x, local_index);
 * ```
 */
export function workGroupAllocate(options: WorkGroupAllocateOptions): InKernelFunctions {
  const caller = "workGroupAllocate";
  const own = { type: u32, op: saturatingAdd() };
  const takes = `counter, capacity, ${SIZES}`;
  const { counter, capacity = 2 ** 31, ...others } = withOwn(own, caller, options, takes);
  const { text, words } = allocation(counter, capacity, caller);
  return generate(
    caller,
    others,
    indexed(counter, allocateFile.text),
    withFamily(uniformBody(options), { texts: [text], words, memory: memoryOf([], 0, 1) }),
    takes,
  );
}
