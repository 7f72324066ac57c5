import { elementTypes } from "../../src/algebra/element_types.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { monoid } from "../../src/algebra/monoid.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import type { ElementType, ScalarType, TypeName } from "../../src/algebra/types.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, LimitError } from "../../src/errors.ts";
import { workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { threadTileCoalescedReduce, threadTileCoalescedScan } from "../../src/in_kernel/coalesced_tiles.ts";
import { threadTileShuffle, workGroupBroadcast, workGroupSplit } from "../../src/in_kernel/exchange.ts";
import {
  coalescedReduce,
  coalescedScan,
  coalescedScanUniform,
  coalescedScanUpdate,
  threadTileReduce,
  threadTileScan,
  threadTileScanUpdate,
  workGroupAllocate,
  workGroupCompact,
  workGroupCompactUpdate,
  workGroupReduce,
  workGroupScan,
  workGroupScanUniform,
  workGroupScanUpdate,
} from "../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { link } from "../../src/in_kernel/link.ts";
import {
  threadTileSegmentedReduce,
  threadTileSegmentedScan,
  workGroupSegmentedReduce,
  workGroupSegmentedScan,
} from "../../src/in_kernel/segmented.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import type { Kernel } from "../../src/kernels/kernel.ts";
import { planColumns } from "../../src/plan/columns.ts";
import type { DeviceFacts, Limits } from "../../src/plan/device_facts.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import type { Passes } from "../../src/plan/options.ts";
import { ALL_ARRANGEMENTS } from "../../src/plan/plan.ts";
import { planRows } from "../../src/plan/rows.ts";
import type { LookBackTesting } from "../../src/plan/scan.ts";
import { planNth, planTopK } from "../../src/plan/select.ts";
import { planTopKRows } from "../../src/plan/select_rows.ts";
import { planSort } from "../../src/plan/sort.ts";
import { planSegmentSort } from "../../src/plan/sort_segments.ts";
import { examplePlans } from "./example_plans.ts";
import type { MapRow } from "./maps.ts";
import { planCompact, planReduce, planScan } from "./plans.ts";
import { untyped } from "./untyped.ts";

/** WebGPU's default limits. */
export const defaultLimits: Limits = {
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeWorkgroupsPerDimension: 65535,
  maxStorageBufferBindingSize: 2 ** 27,
  maxStorageBuffersPerShaderStage: 8,
  maxBufferSize: 2 ** 28,
  minStorageBufferOffsetAlignment: 256,
};

/** A device that is only thought of. */
export const factsWith = (changes: Partial<DeviceFacts> = {}, limits: Partial<Limits> = {}): DeviceFacts => ({
  limits: { ...defaultLimits, ...limits },
  features: new Set(["subgroups", "shader-f16"]),
  subgroupMinSize: 4,
  subgroupMaxSize: 128,
  subgroupIds: true,
  software: false,
  vendor: "",
  lookBack: true,
  ...changes,
});

export interface Shape {
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
}

export interface TitledKernel {
  readonly title: string;
  readonly code: string;
  /** Nothing for in-kernel functions. */
  readonly kernel?: Kernel;
}

/** The files of `shaders/` that a kernel is linked from. */
const shadersOf = ({ kernel }: TitledKernel): readonly string[] =>
  (kernel?.sources ?? [])
    .flat()
    .map(({ name }) => name)
    .filter((name) => name.startsWith("shaders/"));

/**
 * Takes kernels that between them have each file of `shaders/` with each mark: a mark is a choice that a kernel was made by, such as its
 * algorithm. Functions for callers' kernels come with their texts alone, so it takes all of them.
 */
export function eachFileOnce(): (
  kernels: readonly TitledKernel[],
  marks: readonly string[],
) => TitledKernel[] {
  const met = new Set<string>();
  return (kernels, marks) =>
    kernels.filter((one) => {
      const before = met.size;
      for (const file of shadersOf(one)) {
        for (const mark of marks) {
          met.add(`${file} ${mark}`);
        }
      }
      return one.kernel === undefined || met.size > before;
    });
}

const bigLimits = {
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupStorageSize: 32768,
};

const predicates = {
  u32: "x % 2u == 1u && i != 3u",
  i32: "x < 0",
  f32: "x > 0.5f",
  f16: "x > 0.5h",
  u64: "less_u64(vec2(5u, 1u), x) && i != 3u",
  i64: "less_i64(x, vec2(0u))",
  f64: "less_f64(f64_from_i32(-1), x)",
} as const satisfies Record<TypeName, string>;

/** The operators that a type takes, but those whose elements are longer than values: exactAdd has tests of its own. */
export const operatorsOf = (type: ScalarType): Operator[] =>
  Object.values<Operator>(operators).filter((op) => {
    try {
      return monoid(op, type, "test").carried === undefined;
    } catch {
      return false;
    }
  });

/** The operators whose elements are longer than values, if a work-group has the memory for them. */
const longOperatorsOf = (type: ScalarType, workGroupSize: number): Operator[] =>
  type.kind === "float" && workGroupSize > 1 && workGroupSize * type.bytes <= 200 ? [exactAdd] : [];

export const allTypes: readonly ScalarType[] = Object.values(elementTypes);

/** The types that a counter takes. */
export const hasAtomic = (type: ElementType): boolean => ["u32", "i32", "f32", "f16"].includes(type.name);

/** The sizes of thread tiles that a work-group takes, of 1, 4, 8, 32, and the largest. */
export const tileSizesOf = (workGroupSize: number): number[] => [
  ...new Set([1, 4, 8, 32].filter((size) => size <= workGroupSize)).add(
    2 ** Math.floor(Math.log2(workGroupSize)),
  ),
];

/** All in-kernel functions of an operator, with a counter named `used` where there is an atomic. */
export function operatorFunctions(
  type: ElementType,
  op: Operator<string>,
  algorithm: Algorithm,
  workGroupSize: number,
  counted = hasAtomic(type) && op !== exactAdd,
  tileSizes: readonly number[] = tileSizesOf(workGroupSize),
): InKernelFunctions[] {
  const plain = { type, op, workGroupSize };
  const options = { ...plain, algorithm: workGroupAlgorithms[algorithm] };
  const counter = "used";
  return [
    workGroupScan(options),
    workGroupScanUniform(options),
    ...(counted ? [workGroupScanUpdate({ ...options, counter })] : []),
    workGroupReduce(options),
    coalescedScan(options),
    coalescedScanUniform(options),
    ...(counted ? [coalescedScanUpdate({ ...options, counter })] : []),
    coalescedReduce(options),
    // The portable body of a thread tile is one and the same for both portable algorithms.
    ...(algorithm === "blelloch" ? [1] : tileSizes).flatMap((tileSize) => {
      const tile = { ...options, tileSize };
      return [
        threadTileScan(tile),
        ...(counted ? [threadTileScanUpdate({ ...tile, counter })] : []),
        threadTileReduce(tile),
      ];
    }),
  ];
}

/** All segmented in-kernel functions of an operator. */
export function segmentedFunctions(
  type: ElementType,
  op: Operator<string>,
  algorithm: Algorithm,
  workGroupSize: number,
  tileSizes: readonly number[] = tileSizesOf(workGroupSize),
): InKernelFunctions[] {
  const options = { type, op, workGroupSize, algorithm: workGroupAlgorithms[algorithm] };
  return [
    workGroupSegmentedScan(options),
    workGroupSegmentedReduce(options),
    ...(algorithm === "blelloch" ? [1] : tileSizes).flatMap((tileSize) => [
      threadTileSegmentedScan({ ...options, tileSize }),
      threadTileSegmentedReduce({ ...options, tileSize }),
    ]),
  ];
}

/** All functions over the active threads of a tile. */
export function coalescedTileFunctions(
  type: ElementType,
  op: Operator<string>,
  algorithm: Algorithm,
  workGroupSize: number,
  tileSizes: readonly number[] = tileSizesOf(workGroupSize),
): InKernelFunctions[] {
  const options = { type, op, workGroupSize, algorithm: workGroupAlgorithms[algorithm] };
  return (algorithm === "blelloch" ? [1] : tileSizes).flatMap((tileSize) => [
    threadTileCoalescedScan({ ...options, tileSize }),
    threadTileCoalescedReduce({ ...options, tileSize }),
  ]);
}

/** Both, and for u32 what compacts and allocates: all that is for an operator, an algorithm and 32 threads. */
export function inKernelFunctions(
  type: ElementType,
  op: Operator<string>,
  algorithm: Algorithm,
): InKernelFunctions[] {
  const options = { workGroupSize: 32, algorithm: workGroupAlgorithms[algorithm] };
  const counted = { ...options, counter: "used" };
  try {
    return [
      ...operatorFunctions(type, op, algorithm, 32),
      threadTileShuffle({ type, tileSize: 8, ...options }),
      workGroupBroadcast({ type, workGroupSize: 32 }),
      ...segmentedFunctions(type, op, algorithm, 32),
      ...coalescedTileFunctions(type, op, algorithm, 32),
      ...(type.name === "u32"
        ? [
            workGroupCompact(options),
            workGroupCompactUpdate(counted),
            workGroupAllocate(counted),
            workGroupSplit(options),
          ]
        : []),
    ];
  } catch (cause) {
    // Not every operator takes every type. Whatever else is wrong is a mistake of the tests.
    if (cause instanceof ArgumentError && cause.message.includes("has no meaning on")) {
      return [];
    }
    throw cause;
  }
}

/** A kernel that calls every function once. */
function callingAll(type: ElementType, functions: readonly InKernelFunctions[]): string {
  const calls = functions
    .flatMap(({ names }) => {
      return names.map((name) =>
        /_(shuffle|broadcast)_/.test(name)
          ? `${name}(x, 1u, i)`
          : name.includes("coalesced_") || name.includes("_segmented_")
            ? `${name}(x, keep, i)`
            : /^work_group_(compact|split)/.test(name)
              ? `${name}(keep, i)`
              : `${name}(x, i)`,
      );
    })
    .map((call) => (call.includes("_uniform") ? call.replace(")", ", &total)") : call));
  const kernel = [
    // The directives go here.
    "",
    `@group(0) @binding(0) var<storage, read> list: array<u32>;`,
    `var<workgroup> used: atomic<${type.name === "i32" ? "i32" : "u32"}>;`,
    `@compute @workgroup_size(${functions[0]?.workGroupSize})`,
    "fn main(@builtin(local_invocation_index) i: u32) {",
    `  let x = ${type.value}();`,
    "  let keep = i != 3u;",
    `  var total: ${type.value};`,
    ...calls.map((call) => `  _ = ${call};`),
    "}",
  ].join("\n");
  return link(kernel, functions);
}

/** Every kernel that the library makes for a map, an algorithm and a shape, each text once. */
export async function mappedKernelsOf(
  { from, type, op, map, title }: MapRow,
  algorithm: Algorithm,
  shape: Shape,
): Promise<TitledKernel[]> {
  const facts = factsWith({}, bigLimits);
  const maxLength = (shape.workGroupSize * shape.itemsPerThread) ** 2 + 1;
  const base = { ...shape, algorithm, maxLength, from, type, op, map };
  const passes: readonly Passes[] =
    shape.workGroupSize > 1 ? ["single", "reduce-then-scan"] : ["reduce-then-scan"];
  const plans = await Promise.all([
    ...passes.map((one) => planScan({ ...base, passes: one, lengthOnGpu: one === "single" }, facts)),
    planReduce(base, facts),
    ...passes.map((one) => planCompact({ ...base, passes: one, where: "i != 3u" }, facts)),
    planCompact(base, facts),
  ]);
  return [
    ...new Map(
      plans
        .flatMap(({ kernels }) => kernels)
        .map((kernel) => [kernel.code, { title: `${kernel.label} ${title}`, code: kernel.code, kernel }]),
    ).values(),
  ];
}

/** Every kernel that the library makes for a type, an algorithm, a shape and a device's limits, each text once. */
export async function kernelsOf(
  type: ScalarType,
  algorithm: Algorithm,
  shape: Shape,
  limits: Partial<Limits> = bigLimits,
): Promise<TitledKernel[]> {
  const facts = factsWith({}, limits);
  const tile = shape.workGroupSize * shape.itemsPerThread;
  // Three levels of spine, as far as a binding goes.
  const maxLength = Math.min(
    tile ** 3 + 1,
    facts.limits.maxStorageBufferBindingSize / Math.max(4, type.bytes),
  );
  const base = { ...shape, algorithm, maxLength, type };
  const result = new Map<string, TitledKernel>();
  const where = `${algorithm} ${shape.workGroupSize} × ${shape.itemsPerThread}`;
  const take = (kernels: readonly Kernel[]): void => {
    for (const kernel of kernels) {
      result.set(kernel.code, { title: `${kernel.label} ${where}`, code: kernel.code, kernel });
    }
  };
  // A single pass takes two threads.
  const allPasses: readonly Passes[] =
    shape.workGroupSize > 1 ? ["single", "reduce-then-scan"] : ["reduce-then-scan"];
  const ofType = [...operatorsOf(type), ...longOperatorsOf(type, shape.workGroupSize)].map(untyped);
  for (const op of ofType) {
    // What else there is to choose does not depend on the operator: one of them has all of it, and so has each whose elements are long.
    const isWhole = op.name === "max" || op === untyped(exactAdd);
    if (!isWhole) {
      take((await planScan({ ...base, op, passes: "reduce-then-scan" }, facts, ["vectors"])).kernels);
      take((await planReduce({ ...base, op }, facts)).kernels);
    }
    // Where the length comes from, and a tile's number, goes with one operator.
    const variants: readonly (readonly [{ readonly lengthOnGpu?: boolean }, LookBackTesting])[] =
      op.name === "max"
        ? [
            [{}, {}],
            [{ lengthOnGpu: true }, { tickets: false }],
          ]
        : [[{}, {}]];
    for (const [changes, testing] of isWhole ? variants : []) {
      for (const passes of allPasses) {
        for (const exclusive of [false, true]) {
          const options = { ...base, ...changes, op, passes, exclusive };
          take((await planScan(options, facts, ALL_ARRANGEMENTS, testing)).kernels);
        }
      }
      take((await planReduce({ ...base, ...changes, op }, facts)).kernels);
      for (const passes of allPasses) {
        take((await planScan({ ...base, ...changes, op, passes, reverse: true }, facts)).kernels);
      }
    }
    // Columns take no algorithm, so they go with one of them.
    for (const exclusive of isWhole && algorithm === "blelloch" ? [false, true] : []) {
      const lengthOnGpu = op.name === "max";
      const options = { ...shape, type, op, exclusive, initial: exclusive, lengthOnGpu, maxLength };
      for (const primitive of ["scan", "reduce"] as const) {
        take(planColumns(primitive, options, withFasterWays(facts), ALL_ARRANGEMENTS).kernels);
        const matrices = { ...options, segments: "matrices" };
        take(planColumns(primitive, matrices, withFasterWays(facts), ALL_ARRANGEMENTS).kernels);
        const asRows = { ...options, segments: "rows" } as const;
        take(planRows(primitive, asRows, withFasterWays(facts), ALL_ARRANGEMENTS)?.kernels ?? []);
        if (primitive === "scan") {
          const reversed = { ...options, reverse: true };
          const all = withFasterWays(facts);
          take(planColumns(primitive, reversed, all, ALL_ARRANGEMENTS).kernels);
          take(planColumns(primitive, { ...matrices, reverse: true }, all, ALL_ARRANGEMENTS).kernels);
          const rows = { ...reversed, segments: "rows" } as const;
          take(planRows(primitive, rows, all, ALL_ARRANGEMENTS)?.kernels ?? []);
        }
      }
    }
    // All in one kernel; and, of one operator, as the text that compiles as it stands.
    const size = shape.workGroupSize;
    if (op.name === "max") {
      const tileSize = Math.min(8, 2 ** Math.floor(Math.log2(size)));
      const own = { type, workGroupSize: size, algorithm: workGroupAlgorithms[algorithm] };
      const code = callingAll(type, [
        ...segmentedFunctions(type, op, algorithm, size, [tileSize]),
        threadTileShuffle({ ...own, tileSize }),
        workGroupBroadcast({ type, workGroupSize: size }),
      ]);
      result.set(code, { title: `segmented functions of max ${type.name} ${where}`, code });
    }
    const kernel = callingAll(type, operatorFunctions(type, op, algorithm, size));
    result.set(kernel, { title: `in-kernel functions of ${op.name} ${type.name} ${where}`, code: kernel });
    for (const { names, code } of op.name === "max"
      ? operatorFunctions(type, op, algorithm, shape.workGroupSize, false)
      : []) {
      result.set(code, { title: `${names[0]} ${where}`, code });
    }
  }
  // The sort within a selection has an algorithm of its own choice, so it may have no subgroups to choose.
  const portable = { ...facts, features: new Set([...facts.features].filter((one) => one !== "subgroups")) };
  // Keys that are joined to sort by them take 8 bytes an item.
  const some = Math.min(maxLength, facts.limits.maxStorageBufferBindingSize / 8);
  const examples = examplePlans(type, some, algorithm === "subgroup" ? facts : portable, { ...shape });
  for (const plan of await Promise.allSettled(examples)) {
    if (plan.status === "fulfilled") {
      take(plan.value.kernels);
    } else if (!(plan.reason instanceof LimitError) || shape.workGroupSize < 1024) {
      // Tiles of merges take a little more than the memory of 1024 threads.
      throw plan.reason;
    }
  }
  if (type.name === "u32") {
    const options = {
      workGroupSize: shape.workGroupSize,
      algorithm: workGroupAlgorithms[algorithm],
    };
    const counting = { ...options, counter: "used" };
    for (const capacity of [undefined, 1000, "arrayLength(&list)"]) {
      const allocate = workGroupAllocate({ ...counting, ...(capacity === undefined ? {} : { capacity }) });
      const code = callingAll(type, [workGroupCompact(options), workGroupCompactUpdate(counting), allocate]);
      result.set(code, { title: `work_group_compact and work_group_allocate ${where}`, code });
    }
  }
  // A work-group of one thread sorts nothing.
  for (const passes of shape.workGroupSize === 1 ? [] : allPasses) {
    const options = { type, algorithm, ...shape, maxLength, passes };
    for (const one of [{ ...options, indices: true, descending: true }, options]) {
      try {
        const moved = one === options ? (type.bytes === 8 ? f64 : u32) : undefined;
        take(planSort(one, facts, moved).kernels);
      } catch (cause) {
        // Large tiles of long items are more than work-group memory has room for.
        if (!(cause instanceof LimitError) || shape.workGroupSize < 1024) {
          throw cause;
        }
      }
    }
  }
  for (const most of shape.workGroupSize === 1
    ? []
    : [30, shape.workGroupSize * shape.itemsPerThread, maxLength]) {
    const segments = most === 30 ? ("offsets" as const) : ("rows" as const);
    const options = { type, maxLength, segments, maxSegmentLength: most };
    const chosen = most === 30 ? {} : { algorithm, ...shape };
    try {
      take(planSegmentSort({ ...options, ...chosen }, facts, u32).kernels);
    } catch (cause) {
      if (!(cause instanceof LimitError) || shape.workGroupSize < 1024) {
        throw cause;
      }
    }
  }
  // Comparisons depend on no algorithm, and neither do networks. Small ones compile soon.
  for (const moved of algorithm === "blelloch" ? [undefined, u32, f64] : []) {
    const sizes = { compared: [[64, 4, 16]] } as const;
    take(planSort({ type, maxLength: 64 }, facts, moved, undefined, sizes).kernels);
  }
  for (const moved of algorithm === "blelloch" ? [undefined, u32] : []) {
    const options = { type, maxLength, segments: "rows", maxSegmentLength: 16 } as const;
    const network = { network: 16, networkThreads: 4, networkItems: 4, short: 0 };
    take(planSegmentSort(options, facts, moved, undefined, network).kernels);
  }
  if (type.bytes === 8 && algorithm === "subgroup" && shape.workGroupSize > 1) {
    const options = { type, algorithm, ...shape, maxLength, passes: "single" } as const;
    try {
      take(planSort(options, facts, f64, undefined, { partBytes: 1024 }).kernels);
    } catch (cause) {
      // The counters of 32 subgroups alone take what there is.
      if (!(cause instanceof LimitError) || shape.workGroupSize < 1024) {
        throw cause;
      }
    }
  }
  if ((type.name === "u32" || type.name === "f64") && algorithm === "subgroup" && shape.workGroupSize > 1) {
    const options = { type, algorithm, ...shape, maxLength, passes: "single" } as const;
    const testing = { byArrival: true, byMarks: true, partBytes: 16_384 };
    try {
      take(planSort(options, facts, undefined, ["items"], testing).kernels);
      take(planSort(options, facts, type.bytes === 8 ? f64 : u32, ["items"], testing).kernels);
    } catch (cause) {
      if (!(cause instanceof LimitError) || shape.workGroupSize < 1024) {
        throw cause;
      }
    }
  }
  // One tile takes all the memory that there is. Some of these kernels are compiled for the least that a device has.
  const least = { ...facts, limits: { ...facts.limits, maxComputeWorkgroupStorageSize: 16_384 } };
  take(planSort({ type, algorithm, maxLength: 100, key: "x" }, least, "positions").kernels);
  for (const options of [
    { type, maxLength },
    { type, maxLength, key: "x", lengthOnGpu: true },
  ]) {
    const plain = { ...least, features: portable.features };
    take(planTopK({ ...options, k: 5, passes: "single" }, plain).kernels);
    take(planNth({ ...options, n: 5, descending: true }, plain).kernels);
    if (options.lengthOnGpu !== true) {
      // Too many for one work-group to put in order.
      take(planTopK({ ...options, k: 1000 }, plain).kernels);
      const rows = { ...options, segments: "rows", k: 5 } as const;
      take(planTopKRows(rows, plain).kernels);
      take(planTopKRows({ ...rows, maxSegmentLength: 30 }, plain).kernels);
    }
  }
  for (const indices of [false, true]) {
    for (const passes of allPasses) {
      take((await planCompact({ ...base, passes, indices, where: predicates[type.name] }, facts)).kernels);
      take((await planCompact({ ...base, passes, indices }, facts)).kernels);
    }
  }
  // Neither depends on the type.
  for (const passes of type.name === "u32" ? allPasses : []) {
    const options = { ...base, passes, lengthOnGpu: true };
    for (const indirect of [
      { dispatch: { itemsPerWorkGroup: 64 } },
      { draw: { vertexCount: 4 } },
      { drawIndexed: { indexCount: 6 } },
    ]) {
      take(
        (await planCompact({ ...options, indirect }, facts, ALL_ARRANGEMENTS, { tickets: false })).kernels,
      );
    }
  }
  return [...result.values()];
}
