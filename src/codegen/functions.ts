import threadTileFunctionsFile from "../../shaders/thread_tile/functions.wgsl";
import threadTileHillisSteeleFile from "../../shaders/thread_tile/hillis_steele.wgsl";
import threadTileUpdateFile from "../../shaders/thread_tile/update.wgsl";
import allocateFile from "../../shaders/work_group/allocate.wgsl";
import coalescedFile from "../../shaders/work_group/coalesced.wgsl";
import coalescedUpdateFile from "../../shaders/work_group/coalesced_update.wgsl";
import compactFile from "../../shaders/work_group/compact.wgsl";
import functionsFile from "../../shaders/work_group/functions.wgsl";
import updateFile from "../../shaders/work_group/update.wgsl";
import { ArgumentError } from "../errors.ts";
import type { Monoid, Operator } from "../operators.ts";
import { add, monoid as monoidOf, operator, requireName } from "../operators.ts";
import type { ElementType, SourceText } from "../types.ts";
import { u32 } from "../types.ts";
import { memoryOf } from "./algorithms.ts";
import type { Sizes } from "./contract.ts";
import {
  allocationText,
  counterText,
  operatorSources,
  sizesText,
  threadTileText,
  typeSources,
  valueText,
} from "./contract.ts";
import type { Declaration, Source } from "./module.ts";
import { assemble, declaration, declared, directivesFor, reachable, rename } from "./module.ts";
import type { WorkGroupAlgorithm } from "./work_group_algorithms.ts";
import { hillisSteele } from "./work_group_algorithms.ts";

/** What all in-kernel functions take. */
export interface InKernelOptions {
  /** Threads in the work-group: the product of `@workgroup_size`. Any number from 1 up. */
  readonly workGroupSize: number;
  /** How the threads combine their elements; `hillisSteele` where it is left out. `subgroup` needs the feature "subgroups". */
  readonly algorithm?: WorkGroupAlgorithm;
  /** The least subgroup size of the adapters it will run on; 4 where it is left out, which is right everywhere. */
  readonly minSubgroupSize?: number;
  /** The greatest one; 128 where it is left out. A lower one saves steps. */
  readonly maxSubgroupSize?: number;
  /** An ending for the functions' names, to tell apart two that would have the same. */
  readonly suffix?: string;
}

/** Functions of an operator. */
export interface OperatorFunctionOptions<Name extends string> extends InKernelOptions {
  /** The element type. */
  readonly type: ElementType<Name>;
  /** The operator; `add` where it is left out. */
  readonly op?: Operator<Name>;
  /**
   * A counter of the caller's, as the kernel would name it: `bump.used`. It is an `atomic<u32>` or
   * `atomic<i32>` in work-group or storage memory. With it come the `_update` functions, for `add`,
   * `min`, `max`, `and`, `or` and `xor`.
   */
  readonly counter?: string;
}

/** What {@link workGroupScan} and {@link workGroupReduce} take. */
export type WorkGroupOptions<Name extends string> = OperatorFunctionOptions<Name>;

/** What {@link threadTileScan} and {@link threadTileReduce} take. */
export interface ThreadTileOptions<Name extends string> extends OperatorFunctionOptions<Name> {
  /** Consecutive threads in a tile: a power of two up to the work-group's size. The last tile may be shorter. */
  readonly tileSize: number;
}

/** What {@link workGroupCompact} takes. */
export interface WorkGroupCompactOptions extends InKernelOptions {
  /** The length of the list that `work_group_compact_update` appends to: an `atomic<u32>`, as the kernel would name it. */
  readonly counter?: string;
}

/** What {@link workGroupAllocate} takes. */
export interface WorkGroupAllocateOptions extends InKernelOptions {
  /** How much is used: an `atomic<u32>`, as the kernel would name it. */
  readonly counter: string;
  /** The room that there is: a number, or a WGSL expression of u32. Left out: 2^32 - 1. */
  readonly capacity?: number | string;
}

/** In-kernel functions as text, to link into a kernel. */
export interface InKernelFunctions {
  /** The functions that a kernel may call. */
  readonly names: readonly string[];
  /** The same with the work-group size at the end, for kernels that use several sizes. */
  readonly longNames: readonly string[];
  /** Bytes of work-group memory that they use together. */
  readonly workGroupMemory: number;
  /** The functions and all they need, as WGSL that compiles as it stands; `counter` is the caller's. */
  readonly code: string;
  /** @internal */
  readonly directives: readonly string[];
  /** By their long names. @internal */
  readonly declarations: readonly Declaration[];
}

// Whatever is called here is marked as pure: a function's files are bundled where it is.
const file = (name: string, text: string): SourceText => ({ name: `shaders/${name}`, text });
const workGroupFunctions = /* @__PURE__ */ file("work_group/functions.wgsl", functionsFile);
const coalescedFunctions = /* @__PURE__ */ file("work_group/coalesced.wgsl", coalescedFile);
const coalescedUpdate = /* @__PURE__ */ file("work_group/coalesced_update.wgsl", coalescedUpdateFile);
const update = /* @__PURE__ */ file("work_group/update.wgsl", updateFile);
const compact = /* @__PURE__ */ file("work_group/compact.wgsl", compactFile);
const allocate = /* @__PURE__ */ file("work_group/allocate.wgsl", allocateFile);
const threadTileFunctions = /* @__PURE__ */ file("thread_tile/functions.wgsl", threadTileFunctionsFile);
const threadTileUpdate = /* @__PURE__ */ file("thread_tile/update.wgsl", threadTileUpdateFile);
const threadTileHillisSteele = /* @__PURE__ */ file(
  "thread_tile/hillis_steele.wgsl",
  threadTileHillisSteeleFile,
);

/** What functions are generated from. */
interface Recipe {
  readonly caller: string;
  /** The functions' names in the shaders: `value` stands for the operator and the type. */
  readonly templates: readonly string[];
  readonly monoid: Monoid;
  readonly sizes: Sizes;
  /** After the contract: the algorithm, then what is built on it. */
  readonly sources: readonly Source[];
  readonly workGroupMemory: number;
  readonly tileSize?: number;
  readonly suffix: string | undefined;
  readonly counter: string | undefined;
}

const scans = (scope: string, endings: readonly string[]): string[] =>
  endings.flatMap((ending) => [
    `${scope}_scan_inclusive_value${ending}`,
    `${scope}_scan_exclusive_value${ending}`,
  ]);

/** Writes a recipe out, and gives each declaration a name of its instance's own. */
function generate(recipe: Recipe): InKernelFunctions {
  const { templates, monoid, sizes, tileSize, suffix } = recipe;
  const { directives, declarations: all } = declared([
    sizesText(sizes),
    ...(tileSize === undefined ? [] : [threadTileText(tileSize)]),
    ...operatorSources(monoid),
    valueText(monoid),
    ...typeSources(monoid.type),
    ...recipe.sources,
  ]);
  const taken = all.find((one) => one.name === recipe.counter?.match(/^\w+/)?.[0]);
  if (taken !== undefined) {
    throw new ArgumentError(
      `${recipe.caller}: a counter named ${taken.name} would be taken for a name of the functions'; choose another`,
    );
  }
  // Aliases are written out, so that a signature reads as the caller's own would.
  const aliases = new Map([
    ["Element", monoid.domain.element],
    ["Value", monoid.type.value],
  ]);
  const kept = reachable(all, templates).filter((one) => one.keyword !== "alias" || !aliases.has(one.name));
  const shared = sharedNames(monoid.type.files, all);
  const ending = suffix === undefined ? "" : `_${suffix}`;
  const instance = `${monoid.key}${tileSize === undefined ? "" : `_${tileSize}`}_${sizes.workGroupSize}${ending}`;
  const publicName = (template: string): string => {
    const scoped =
      tileSize === undefined ? template : template.replace("thread_tile_", `thread_tile_${tileSize}_`);
    return `${scoped.replace("_value", `_${monoid.key}`)}${ending}`;
  };
  const longName = (template: string): string => `${publicName(template)}_${sizes.workGroupSize}`;
  const callable = new Set(templates);
  const nameOf = ({ name }: Declaration, short: boolean): string => {
    if (callable.has(name)) {
      return short ? publicName(name) : longName(name);
    }
    if (name === monoid.type.value) {
      return name;
    }
    // A struct that a function returns can be named; the rest is private.
    return RESULTS.has(name)
      ? `${name.replace(/Value$/, "")}_${instance}`
      : shared.has(name)
        ? `_${name}`
        : `_${name}_${instance}`;
  };
  const renamed = (short: boolean): Declaration[] => {
    const names = new Map([...aliases, ...kept.map((one) => [one.name, nameOf(one, short)] as const)]);
    return kept.map((one) => renameDeclaration(one, names));
  };
  const declarations = renamed(false);
  const needed = directivesFor(directives, declarations);
  return {
    names: templates.map(publicName),
    longNames: templates.map(longName),
    workGroupMemory: recipe.workGroupMemory,
    code: assemble(needed, renamed(true)),
    directives: needed,
    declarations,
  };
}

/** What functions return beside values. */
const RESULTS = new Set([
  "WorkGroupScanValue",
  "ThreadTileScanValue",
  "WorkGroupCompaction",
  "WorkGroupAllocation",
]);

/**
 * Helpers that are the same in every instance: those of a type's files that use nothing else. The
 * contract, the algorithms and what the caller wrote are each instance's own.
 */
function sharedNames(files: readonly SourceText[], all: readonly Declaration[]): ReadonlySet<string> {
  const helpers = declared(files).declarations;
  const shared = new Set(helpers.map((one) => one.name));
  const own = new Set(all.map((one) => one.name).filter((name) => !shared.has(name)));
  for (let size = -1; size !== own.size; ) {
    size = own.size;
    for (const { name, references } of helpers) {
      if ([...references].some((reference) => own.has(reference))) {
        shared.delete(name);
        own.add(name);
      }
    }
  }
  return shared;
}

/** A declaration under other names, in its references too. */
export const renameDeclaration = (
  { name, keyword, text }: Declaration,
  names: ReadonlyMap<string, string>,
): Declaration => declaration(rename(text, names), keyword, names.get(name) ?? name);

/** What the functions of every family have in common, checked. */
function common(
  caller: string,
  options: InKernelOptions,
): { algorithm: WorkGroupAlgorithm; sizes: Sizes; suffix: string | undefined } {
  const {
    workGroupSize,
    algorithm = hillisSteele,
    minSubgroupSize = 4,
    maxSubgroupSize = 128,
    suffix,
  } = options;
  if (typeof (algorithm as Partial<WorkGroupAlgorithm> | null)?.sources !== "function") {
    throw new ArgumentError(
      `${caller}: ${String(algorithm)} is not an algorithm; it takes hillisSteele, blelloch or subgroup, from wavefold/wgsl`,
    );
  }
  if (!Number.isInteger(workGroupSize) || workGroupSize < 1 || workGroupSize > 1024) {
    throw new ArgumentError(`${caller}: workGroupSize is ${String(workGroupSize)}; it takes 1 to 1024`);
  }
  for (const [name, size] of Object.entries({ minSubgroupSize, maxSubgroupSize })) {
    if (![4, 8, 16, 32, 64, 128].includes(size)) {
      throw new ArgumentError(`${caller}: ${name} is ${size}; it takes 4, 8, 16, 32, 64 or 128`);
    }
  }
  if (maxSubgroupSize < minSubgroupSize) {
    throw new ArgumentError(
      `${caller}: maxSubgroupSize is ${maxSubgroupSize}, and minSubgroupSize is ${minSubgroupSize}; it takes at least as much`,
    );
  }
  if (suffix !== undefined) {
    requireName(suffix, `${caller}: suffix`);
  }
  const sizes = { workGroupSize, items: 1, unrolled: false, minSubgroupSize, maxSubgroupSize };
  return { algorithm, sizes, suffix };
}

/** Functions of one operator over a scope of shaders/work_group/. */
function overWorkGroup<Name extends string>(
  caller: string,
  options: WorkGroupOptions<Name>,
  plain: readonly string[],
  updates: readonly string[],
  files: readonly SourceText[] = [],
  updateFiles: readonly SourceText[] = [],
): InKernelFunctions {
  const { algorithm, sizes, suffix } = common(caller, options);
  const monoid = monoidOf((options.op ?? add) as Operator, options.type as ElementType, caller);
  const { elementBytes } = monoid.domain;
  const { counter } = options;
  return generate({
    caller,
    templates: [...plain, ...(counter === undefined ? [] : updates)],
    monoid,
    sizes,
    sources: [
      ...algorithm.sources(monoid),
      workGroupFunctions,
      ...files,
      ...(counter === undefined ? [] : [counterText(counter, monoid, caller), update, ...updateFiles]),
    ],
    workGroupMemory:
      algorithm.memory(sizes, elementBytes) + memoryOf(counter === undefined ? [] : [1], elementBytes, 0),
    suffix,
    counter,
  });
}

/**
 * OpenCL C's `work_group_scan_inclusive_<op>` and `work_group_scan_exclusive_<op>` for one operator
 * and type: `work_group_scan_exclusive_add_u32(x, local_index)` returns the prefix, and with
 * `_total` after the name a struct of `prefix` and `total`. With a `counter`, CUDA's
 * `inclusive_scan_update` too: `work_group_scan_inclusive_add_u32_update(x, local_index)`.
 *
 * @throws {ArgumentError} when the operator does not take the type, or a size is out of range.
 *
 * @example
 * ```ts
 * const scan = workGroupScan({ type: u32, op: add, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = work_group_scan_exclusive_add_u32(x, local_index);
 * ```
 */
export function workGroupScan<Name extends string>(options: WorkGroupOptions<Name>): InKernelFunctions {
  return overWorkGroup(
    "workGroupScan",
    options,
    scans("work_group", ["", "_total"]),
    scans("work_group", ["_update"]),
  );
}

/**
 * OpenCL C's `work_group_reduce_<op>` for one operator and type. The result is uniform.
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
export function workGroupReduce<Name extends string>(
  options: Omit<WorkGroupOptions<Name>, "counter">,
): InKernelFunctions {
  return overWorkGroup("workGroupReduce", options, ["work_group_reduce_value"], []);
}

/**
 * CUDA's `inclusive_scan` and `exclusive_scan` over a `coalesced_group`: among the threads that pass
 * `is_active`, in order. All threads call `coalesced_scan_exclusive_add_u32(x, is_active, local_index)`;
 * those that are not active get the identity. `_total` and `_update` as for {@link workGroupScan}.
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
  return overWorkGroup(
    "coalescedScan",
    options,
    scans("coalesced", ["", "_total"]),
    scans("coalesced", ["_update"]),
    [coalescedFunctions],
    [coalescedUpdate],
  );
}

/**
 * CUDA's `reduce` over a `coalesced_group`: `coalesced_reduce_add_u32(x, is_active, local_index)`.
 * The threads that are not active get the identity.
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
export function coalescedReduce<Name extends string>(
  options: Omit<WorkGroupOptions<Name>, "counter">,
): InKernelFunctions {
  return overWorkGroup("coalescedReduce", options, ["coalesced_reduce_value"], [], [coalescedFunctions]);
}

function overThreadTile<Name extends string>(
  caller: string,
  options: ThreadTileOptions<Name>,
  plain: readonly string[],
  updates: readonly string[],
): InKernelFunctions {
  const { algorithm, sizes, suffix } = common(caller, options);
  const { workGroupSize } = sizes;
  const { tileSize, counter } = options;
  if (
    !Number.isInteger(tileSize) ||
    tileSize < 1 ||
    (tileSize & (tileSize - 1)) !== 0 ||
    tileSize > workGroupSize
  ) {
    throw new ArgumentError(
      `${caller}: tileSize is ${String(tileSize)}; it takes a power of two up to workGroupSize, which is ${workGroupSize}`,
    );
  }
  const monoid = monoidOf((options.op ?? add) as Operator, options.type as ElementType, caller);
  const { elementBytes } = monoid.domain;
  const { tiles } = algorithm;
  return generate({
    caller,
    templates: [...plain, ...(counter === undefined ? [] : updates)],
    monoid,
    sizes,
    tileSize,
    sources: [
      // One portable body serves both portable algorithms.
      ...(tiles?.sources(monoid) ?? [threadTileHillisSteele]),
      threadTileFunctions,
      ...(counter === undefined ? [] : [counterText(counter, monoid, caller), threadTileUpdate]),
    ],
    workGroupMemory:
      (tiles ?? hillisSteele).memory(sizes, elementBytes) +
      memoryOf(counter === undefined ? [] : [Math.ceil(workGroupSize / tileSize)], elementBytes, 0),
    suffix,
    counter,
  });
}

/**
 * CUDA's `inclusive_scan` and `exclusive_scan` over a `thread_block_tile`: in each run of `tileSize`
 * consecutive threads, inside one subgroup or across several.
 * `thread_tile_8_scan_exclusive_add_u32(x, local_index)`; `_total` and `_update` as for
 * {@link workGroupScan}, with one atomic operation a tile.
 *
 * @throws as {@link workGroupScan}; for a tile size that is no power of two.
 *
 * @example
 * ```ts
 * const scan = threadTileScan({ type: u32, op: add, tileSize: 8, workGroupSize: 256 });
 * const code = link(myKernel, [scan]);
 * // in myKernel:  let rank = thread_tile_8_scan_exclusive_add_u32(x, local_index);
 * ```
 */
export function threadTileScan<Name extends string>(options: ThreadTileOptions<Name>): InKernelFunctions {
  return overThreadTile(
    "threadTileScan",
    options,
    scans("thread_tile", ["", "_total"]),
    scans("thread_tile", ["_update"]),
  );
}

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
export function threadTileReduce<Name extends string>(
  options: Omit<ThreadTileOptions<Name>, "counter">,
): InKernelFunctions {
  return overThreadTile("threadTileReduce", options, ["thread_tile_reduce_value"], []);
}

/**
 * Stream compaction in a kernel: `work_group_compact(keep, local_index)` returns a kept thread's `slot`
 * and the `count` kept. With a `counter`, `work_group_compact_update(keep, local_index)` appends to a
 * list that all work-groups share: its slots start from what the counter held.
 *
 * @throws {ArgumentError} when a size is out of range.
 *
 * @example
 * ```ts
 * const compact = workGroupCompact({ workGroupSize: 256 });
 * const code = link(myKernel, [compact]);
 * // in myKernel:  let place = work_group_compact(x > 7u, local_index).slot;
 * ```
 */
export function workGroupCompact(options: WorkGroupCompactOptions): InKernelFunctions {
  const caller = "workGroupCompact";
  const { algorithm, sizes, suffix } = common(caller, options);
  const { counter } = options;
  const monoid = monoidOf(add, u32, caller);
  return generate({
    caller,
    templates: ["work_group_compact", ...(counter === undefined ? [] : ["work_group_compact_update"])],
    monoid,
    sizes,
    sources: [
      ...algorithm.sources(monoid),
      ...(counter === undefined ? [] : [counterText(counter, monoid, caller), update]),
      compact,
    ],
    workGroupMemory: algorithm.memory(sizes, u32.bytes) + memoryOf([], 0, counter === undefined ? 0 : 1),
    suffix,
    counter,
  });
}

/** The sum that stays at its greatest value: an amount too large to fit never wraps to one that does. */
const saturatingAdd = (): Operator =>
  operator({
    name: "saturating_add",
    type: u32,
    identity: 0,
    combine: "earlier + min(later, ~earlier)",
    reference: (earlier, later) => Math.min(earlier + later, 0xffffffff),
  }) as Operator;

/**
 * Buffer allocation in a kernel: `work_group_allocate(amount, local_index)` returns each thread's
 * `offset`, what all asked for together (`total`), and whether the thread's run `fits` in the
 * capacity: an offset never goes past it. The counter stops at the capacity; where a work-group asks
 * for more than is left, its first threads get theirs, and nobody gets the rest.
 *
 * @throws {ArgumentError} when a size is out of range, or the counter is missing.
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
  const { algorithm, sizes, suffix } = common(caller, options);
  const { counter, capacity = 0xffffffff } = options;
  const monoid = monoidOf(saturatingAdd(), u32, caller);
  return generate({
    caller,
    templates: ["work_group_allocate"],
    monoid,
    sizes,
    sources: [...algorithm.sources(monoid), ...allocationText(counter, capacity, caller), update, allocate],
    workGroupMemory: algorithm.memory(sizes, u32.bytes) + memoryOf([], 0, 1),
    suffix,
    counter,
  });
}
