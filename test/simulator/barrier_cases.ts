import faults from "#shaders/device/look_back/faults_by_run.wgsl";
import { changeKernels } from "../../bench/change_kernels.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Ranges } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import { workGroupAlgorithms } from "../../src/in_kernel/algorithms.ts";
import { threadTileShuffle, workGroupBroadcast } from "../../src/in_kernel/exchange.ts";
import {
  threadTileScanUpdate,
  workGroupAllocate,
  workGroupScanUpdate,
} from "../../src/in_kernel/functions.ts";
import type { InKernelFunctions } from "../../src/in_kernel/link.ts";
import { link } from "../../src/in_kernel/link.ts";
import { workGroupSort, workGroupSortPairs } from "../../src/in_kernel/sort.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import type { Fold } from "../../src/node.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { planSort } from "../../src/plan/sort.ts";
import { planSegmentSort } from "../../src/plan/sort_segments.ts";
import { histogramReference } from "../../src/reference/histogram.ts";
import { mergeReference, unionReference } from "../../src/reference/merge.ts";
import { scatterReference } from "../../src/reference/moves.ts";
import { partitionReference } from "../../src/reference/partition.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { expandRunsReference, runLengthsReference } from "../../src/reference/runs.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { argSortReference, sortReference, topKReference } from "../../src/reference/sort.ts";
import { affineItems, fourMaps, fourMapsInTurn, lastingItems } from "../look_back/operators.ts";
import { expectExact, prepareReduce, prepareScan, runsOfFaults } from "../look_back/support.ts";
import { compileKernel, readWords, storageBuffer, submit, wordsOf } from "../support/buffers.ts";
import { planAs, untyped } from "../support/fold.ts";
import type { Case } from "../support/in_kernel.ts";
import { checkFunctions } from "../support/in_kernel.ts";
import { coalescedTileFunctions, operatorFunctions, segmentedFunctions } from "../support/kernels.ts";
import { affine } from "../support/operators.ts";
import { planScan } from "../support/plans.ts";

/** What a call gives, and what it should give. */
export type Outcome = readonly [found: unknown, expected: unknown];
/** Calls on data of a length. For in-kernel functions, the length is that of the work-group. */
export type Operation = (fold: Fold, length: number) => AsyncIterable<Outcome>;

/** What the adapter counts as, when plans choose kernels. */
export const gpus = {
  simulator: {},
  gpu: { software: false },
  nvidia: { software: false, vendor: "nvidia", lookBack: true },
} as const satisfies Record<string, Partial<DeviceFacts>>;

/** The same words in every run: what shows that a barrier is missing must not depend on the seed. */
function data(length: number, name = "numbers"): Uint32Array {
  let state = [...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7);
  return Uint32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.imul(state ^ (state >>> 15), 2246822519) >>> 0;
  });
}
const few = (length: number): Uint32Array => data(length).map((x) => x % 5);
const op = untyped(affine);
const algorithmsOfAll = ["hillis-steele", "blelloch", "subgroup"] as const;
type Passes = "single" | "reduce-then-scan";
const small = (algorithm: Algorithm, passes: Passes, workGroupSize = 16, itemsPerThread = 4) =>
  ({ algorithm, passes, workGroupSize, itemsPerThread }) as const;

/** The options of a call without those that say how it is computed. */
const meaningOf = ({
  algorithm,
  passes,
  workGroupSize,
  itemsPerThread,
  ...meaning
}: Record<string, unknown>) => meaning;
const scanned = (options: object, input: (length: number) => unknown = data): Operation =>
  async function* (fold, length) {
    const items = input(length) as Uint32Array;
    yield [
      await fold.scan(items, options as never),
      scanReference(items, meaningOf({ ...options }) as never),
    ];
  };
const reduced = (options: object, input: (length: number) => unknown = data): Operation =>
  async function* (fold, length) {
    const items = input(length) as Uint32Array;
    yield [
      await fold.reduce(items, options as never),
      reduceReference(items, meaningOf({ ...options }) as never),
    ];
  };
/** Options of segments that depend on the length. */
const withSegments =
  (call: typeof scanned, options: object, segments: (length: number) => object): Operation =>
  (fold, length) =>
    call({ ...options, segments: segments(length) })(fold, length);

const flagsOf = (length: number): Uint32Array =>
  data(length, "flags").map((x, at) => Number(x % 7 === 0 || at === length - 2));
const keysOf = (length: number): Uint32Array => {
  let key = 0;
  return flagsOf(length).map((flag) => {
    key += flag;
    return key % 3;
  });
};
const offsetsOf = (length: number): number[] => [
  0,
  0,
  3,
  3,
  3,
  length >> 3,
  (length >> 3) + 1,
  length >> 1,
  length,
  length,
];
const rowsOf = (length: number) => ({
  rows: [17, 10, 7, 5, 3, 2].find((columns) => length % columns === 0) ?? 1,
});

/** Runs a plan once on ranges, and reads some of them. */
async function recorded(
  fold: Fold,
  plan: Plan,
  words: Readonly<Record<string, Uint32Array>>,
  length: number,
  more: object = {},
) {
  const { device } = fold;
  const prepared = await prepare(contextOf(device), plan);
  const buffers = Object.fromEntries(
    Object.entries(words).map(([name, one]) => [name, storageBuffer(device, one)]),
  );
  submit(device, (encoder) =>
    prepared.record(encoder, { ...buffers, ...more, length } as unknown as Ranges, length),
  );
  const found: Record<string, Uint32Array> = {};
  for (const [name, buffer] of Object.entries(buffers)) {
    found[name] = await readWords(device, buffer);
  }
  prepared.destroy();
  return found;
}

/** Keys alone, or with positions, by a plan. */
const sortedBy = (
  planned: (facts: DeviceFacts, length: number) => Plan,
  moved?: "positions",
  input = few,
  more: (length: number) => object = () => ({}),
): Operation =>
  async function* (fold, length) {
    const items = input(length);
    const plan = planned(contextOf(fold.device).facts, length);
    const words = {
      input: items,
      output: new Uint32Array(length),
      ...(moved && { reordered: new Uint32Array(length) }),
    };
    const found = await recorded(fold, plan, words, length, more(length));
    yield [[...(found.output as Uint32Array)], [...sortReference(items)]];
    if (moved) {
      yield [[...(found.reordered as Uint32Array)], [...argSortReference(items)]];
    }
  };

const sortedAtHand = (options: object, input = few): Operation =>
  async function* (fold, length) {
    const items = input(length);
    yield [await fold.sort(items, options as never), sortReference(items)];
    yield [await fold.argSort(items, options as never), argSortReference(items)];
  };

const segmentedSort = (segments: (length: number) => object, options: object = {}): Operation =>
  async function* (fold, length) {
    const items = few(length);
    const values = data(length, "values");
    const by = { segments: segments(length) } as never;
    const expected = argSortReference(items, by);
    yield [await fold.argSort(items, { ...(by as object), ...options } as never), expected];
    const found = (await fold.sort(items, { ...(by as object), values, ...options } as never)) as unknown as {
      keys: unknown;
      values: unknown;
    };
    yield [found.keys, sortReference(items, by)];
    yield [found.values, expected.map((at) => values[at] as number)];
  };

const greatest = (
  input: (length: number) => Uint32Array,
  k: (length: number) => number,
  segments?: (length: number) => object,
): Operation =>
  async function* (fold, length) {
    const options = (segments ? { segments: segments(length) } : {}) as never;
    const items = input(length);
    const { values, indices } = await fold.topK(items, k(length), options);
    const expected = topKReference(items, k(length), options);
    yield [
      [values, indices],
      [expected.values, expected.indices],
    ];
  };

/** In-kernel functions of an operator, one after another. */
const inKernel = (
  functions: (threads: number) => readonly InKernelFunctions[],
  pick: RegExp = /./,
  of: Case = { type: u32, op },
): Operation =>
  async function* ({ device }, threads) {
    const all = functions(threads);
    const names = all.flatMap((one) => one.names).filter((name) => pick.test(name));
    await checkFunctions(device, of, all, names, [threads], "barriers");
    yield [names.length > 0, true];
  };

/** A kernel whose threads each call functions in some rounds, on words, and give words. */
const called = (
  functions: (threads: number) => readonly InKernelFunctions[],
  statements: string,
  width: number,
  expected: (words: Uint32Array, round: number) => number[],
): Operation =>
  async function* ({ device }, threads) {
    const rounds = 3;
    const code = link(
      `@group(0) @binding(0) var<storage, read_write> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32) {
  for (var round = 0u; round < ${rounds}u; round++) {
    let at = round * ${threads}u + i;
    let base = at * ${width}u;
    let x = input[at];
    ${statements}
  }
}`,
      functions(threads),
    );
    const run = await compileKernel(device, code);
    const words = data(rounds * threads);
    const [, output = words] = await run([words, new Uint32Array(rounds * threads * width)]);
    yield [
      [...output],
      Array.from({ length: rounds }, (_, round) =>
        expected(words.subarray(round * threads, (round + 1) * threads), round),
      ).flat(),
    ];
  };

const TILE = 8;
const shuffled = (algorithm: Algorithm): Operation =>
  called(
    (workGroupSize) => [
      threadTileShuffle({
        type: u32,
        tileSize: TILE,
        workGroupSize,
        algorithm: workGroupAlgorithms[algorithm],
      }),
      workGroupBroadcast({ type: u32, workGroupSize }),
    ],
    `output[base] = thread_tile_${TILE}_shuffle_u32(x, x % ${TILE}u, i);
    output[base + 1u] = thread_tile_${TILE}_shuffle_xor_u32(x, 3u, i);
    output[base + 2u] = work_group_broadcast_u32(x, round + 1u, i);
    output[base + 3u] = work_group_broadcast_u32(x, round + 2u, i);`,
    4,
    (words, round) =>
      [...words].flatMap((x, at) => {
        const base = at - (at % TILE);
        return [words[base + (x % TILE)], words[at ^ 3], words[round + 1], words[round + 2]].map(Number);
      }),
  );

const sortedInKernel = (
  algorithm: Algorithm,
  pairs: boolean,
  values: ElementType = u32,
  items = 3,
): Operation =>
  async function* ({ device }, threads) {
    const options = {
      type: u32,
      items,
      workGroupSize: threads,
      bits: [0, 3] as const,
      algorithm: workGroupAlgorithms[algorithm],
    };
    const functions = pairs ? workGroupSortPairs({ ...options, values }) : workGroupSort(options);
    const tile = threads * items;
    const name = functions.names.find((one) => !one.endsWith("_partial"));
    const code = link(
      `@group(0) @binding(0) var<storage, read_write> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> moved: array<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32) {
  for (var round = 0u; round < 2u; round++) {
    let first = round * ${tile}u + i * ${items}u;
    var keys: array<u32, ${items}>;
    var values: array<${values.value}, ${items}>;
    for (var item = 0u; item < ${items}u; item++) {
      keys[item] = input[first + item];
      values[item] = ${values.value}(i * ${items}u + item);
    }
    ${name}(&keys${pairs ? ", &values" : ""}, i);
    for (var item = 0u; item < ${items}u; item++) {
      output[first + item] = keys[item];
      moved[first + item] = values[item]${values === u32 ? "" : ".y"};
    }
  }
}`,
      [functions],
    );
    const run = await compileKernel(device, code);
    const words = few(2 * tile);
    const [, keys = words, moved = words] = await run([
      words,
      new Uint32Array(2 * tile),
      new Uint32Array(2 * tile),
    ]);
    for (const round of [0, 1]) {
      const items = words.slice(round * tile, (round + 1) * tile);
      yield [[...keys.subarray(round * tile, (round + 1) * tile)], [...sortReference(items)]];
      if (pairs) {
        yield [[...moved.subarray(round * tile, (round + 1) * tile)], [...argSortReference(items)]];
      }
    }
  };

const exactFloats = (length: number): Float32Array =>
  Float32Array.from(
    data(length),
    (x, at) => (x % 3 === 0 ? -1 : 1) * (1 + (x % 1000) * 2 ** -20) * 2 ** ((at * 5) % 39),
  );
const wideFloats = (length: number): Float32Array =>
  Float32Array.from(
    data(length),
    (x, at) => (x % 3 === 0 ? -1 : 1) * (1 + (x % 1000) * 2 ** -20) * 2 ** (((at * 37) % 240) - 120),
  );
/** Of 16 items a tile: the least float, and sums next to a tie that it decides. */
const tiedFloats = (length: number): Float32Array =>
  Float32Array.from({ length }, (_, at) =>
    at === 0 ? 2 ** -149 : ([1, 2 ** -24, 0, 0, -(2 ** -24)][at % 16] ?? 0),
  );
const wideDoubles = (length: number): Float64Array =>
  Float64Array.from(wideFloats(length), (x) => x ** 3 / 3);

const operatorOf = (algorithm: Algorithm) => (threads: number) =>
  operatorFunctions(u32, op, algorithm, threads, false, [4, TILE, 16]);

const cases: Record<string, Operation> = {
  // The counters of all classes have no room, so that each class is counted by itself.
  "classes in little memory": async function* (fold, length) {
    const { limits } = contextOf(fold.device).facts;
    const restore = planAs(fold, { limits: { ...limits, maxComputeWorkgroupStorageSize: 60 } });
    const items = data(length);
    const tuning = small("subgroup", "reduce-then-scan");
    const found = await fold.partition(items, { classes: 5, class: "x % 6u", ...tuning } as never);
    restore();
    yield [found, partitionReference(items, (x) => x % 6, { classes: 5 })];
  },
};
for (const algorithm of algorithmsOfAll) {
  cases[`in-kernel, ${algorithm}: work-group`] = inKernel(operatorOf(algorithm), /^work_group/);
  cases[`in-kernel, ${algorithm}: work-group, scans`] = inKernel(
    operatorOf(algorithm),
    /^work_group_scan_inclusive_[a-z]+_u32$/,
  );
  cases[`in-kernel, ${algorithm}: work-group, uniform`] = inKernel(
    operatorOf(algorithm),
    /^work_group_scan_exclusive_[a-z]+_u32_uniform$/,
  );
  cases[`in-kernel, ${algorithm}: tiles of 4`] = inKernel(operatorOf(algorithm), /^thread_tile_4_/);
  cases[`in-kernel, ${algorithm}: tiles of 16`] = inKernel(operatorOf(algorithm), /^thread_tile_16_/);
  cases[`in-kernel, ${algorithm}: segments`] = inKernel(
    (threads) => segmentedFunctions(u32, op, algorithm, threads, [4, 16]),
    /^work_group/,
  );
  cases[`in-kernel, ${algorithm}: shuffles`] = shuffled(algorithm);
  cases[`in-kernel, ${algorithm}: sort`] = sortedInKernel(algorithm, false);
  cases[`in-kernel, ${algorithm}: sort of pairs`] = sortedInKernel(algorithm, true);
  cases[`in-kernel, ${algorithm}: sort of long pairs`] = sortedInKernel(algorithm, true, u64);
  const floatSums = { type: f64, op: untyped(add) };
  cases[`in-kernel, ${algorithm}: coalesced sums of floats`] = inKernel(
    (threads) => operatorFunctions(f64, floatSums.op, algorithm, threads, false, [TILE]),
    /^coalesced/,
    floatSums,
  );
  cases[`in-kernel, ${algorithm}: coalesced sums of floats in tiles`] = inKernel(
    (threads) => coalescedTileFunctions(f64, floatSums.op, algorithm, threads, [TILE]),
    /./,
    floatSums,
  );
  for (const passes of ["single", "reduce-then-scan"] as const) {
    cases[`scan in work-groups of 20: ${algorithm}, ${passes}`] = scanned({
      op: affine,
      ...small(algorithm, passes, 20),
    });
    const how = `${algorithm}, ${passes}`;
    const tuning = small(algorithm, passes);
    cases[`scan: ${how}`] = scanned({ op: affine, exclusive: true, ...tuning });
    cases[`scan of pairs: ${how}`] = scanned(
      { ...tuning },
      (length) => new BigUint64Array(data(2 * length).buffer as ArrayBuffer),
    );
    cases[`reduce: ${how}`] = reduced({ op: affine, ...tuning });
    cases[`compact: ${how}`] = async function* (fold, length) {
      const items = data(length);
      yield [
        await fold.compact(items, { where: "x % 3u != 1u", ...tuning }),
        items.filter((x) => x % 3 !== 1),
      ];
    };
    cases[`classes: ${how}`] = async function* (fold, length) {
      const items = data(length);
      const found = await fold.partition(items, { classes: 5, class: "x % 6u", ...tuning } as never);
      yield [found, partitionReference(items, (x) => x % 6, { classes: 5 })];
    };
    cases[`reduce of offsets: ${how}`] = withSegments(reduced, { op: affine, ...tuning }, (length) => ({
      offsets: offsetsOf(length),
    }));
    cases[`sort: ${how}`] = sortedAtHand(tuning);
    cases[`exact scan: ${how}`] = scanned(
      { op: exactAdd, exclusive: true, ...tuning, workGroupSize: 8 },
      exactFloats,
    );
    cases[`exact scan of wide floats: ${how}`] = scanned(
      { op: exactAdd, exclusive: true, ...tuning, workGroupSize: 8 },
      wideFloats,
    );
    cases[`exact scan of wide doubles: ${how}`] = scanned(
      { op: exactAdd, ...tuning, workGroupSize: 8 },
      wideDoubles,
    );
  }
  cases[`exact reduction: ${algorithm}`] = reduced(
    { op: exactAdd, ...small(algorithm, "reduce-then-scan", 8) },
    exactFloats,
  );
  cases[`exact scan of ties: ${algorithm}`] = scanned(
    { op: exactAdd, exclusive: true, ...small(algorithm, "reduce-then-scan", 4, 4) },
    tiedFloats,
  );
  cases[`run lengths: ${algorithm}`] = async function* (fold, length) {
    const { values, counts } = await fold.runLengths(few(length), small(algorithm, "single") as never);
    const expected = runLengthsReference(few(length));
    yield [
      [values, counts],
      [expected.values, expected.counts],
    ];
  };
  cases[`sort of rows: ${algorithm}`] = segmentedSort(rowsOf, small(algorithm, "reduce-then-scan"));
  const group = algorithm === "subgroup" ? 16 : 8;
  const late = (
    prepareOn: typeof prepareScan | typeof prepareReduce,
    reference: (items: Uint32Array) => Uint32Array,
  ): Operation =>
    async function* (fold, length) {
      const sizes = { algorithm, passes: "single", workGroupSize: group, itemsPerThread: 4 } as const;
      const options = { type: u32, op, maxLength: length, ...sizes } as never;
      const subject = await prepareOn(fold, options, { faults, patience: 3 });
      const items = affineItems(length, "late") as Uint32Array;
      // All entries never come, then some.
      const run = { data: items, expected: reference(items) };
      await expectExact(subject, runsOfFaults([run as never], "", 10));
      subject.prepared.destroy();
      yield [true, true];
    };
  cases[`scan late or never: ${algorithm}`] = late(
    prepareScan,
    (items) => scanReference(items, { op: affine } as never) as Uint32Array,
  );
  cases[`reduction late or never: ${algorithm}`] = late(prepareReduce, (items) =>
    Uint32Array.of(reduceReference(items, { op: affine } as never) as number),
  );
  cases[`scan in place: ${algorithm}`] = async function* (fold, length) {
    const { facts } = contextOf(fold.device);
    const plan = await planScan(
      { type: u32, op, maxLength: length, ...small(algorithm, "single") } as never,
      facts,
      ["vectors", "in-place"],
      { patience: 0 },
    );
    const items = data(length);
    const prepared = await prepare(contextOf(fold.device), plan);
    const buffer = storageBuffer(fold.device, items);
    const encoder = fold.device.createCommandEncoder();
    prepared.record(encoder, { input: buffer, output: buffer, length } as never, length);
    fold.device.queue.submit([encoder.finish()]);
    yield [await readWords(fold.device, buffer), scanReference(items, { op: affine } as never)];
    prepared.destroy();
  };
  cases[`scan of a length on the GPU: ${algorithm}`] = async function* (fold, length) {
    const { facts } = contextOf(fold.device);
    const plan = await planScan(
      { type: u32, op, maxLength: 4 * length, lengthOnGpu: true, ...small(algorithm, "single") } as never,
      facts,
      ["vectors"],
      { scanWorkGroups: 3 },
    );
    const items = data(length);
    const { device } = fold;
    const more = { length: storageBuffer(device, Uint32Array.of(length)) };
    const prepared = await prepare(contextOf(device), plan);
    const [input, output] = [
      storageBuffer(device, data(4 * length)),
      storageBuffer(device, new Uint32Array(4 * length)),
    ];
    device.queue.writeBuffer(input, 0, items as Uint32Array<ArrayBuffer>);
    submit(device, (encoder) => prepared.record(encoder, { input, output, ...more } as never, 4 * length));
    yield [
      (await readWords(device, output)).subarray(0, length),
      scanReference(items, { op: affine } as never),
    ];
    prepared.destroy();
  };
}
for (const { title, algorithm } of [
  { title: "portable", algorithm: "blelloch" },
  { title: "subgroup", algorithm: "subgroup" },
] as const) {
  const own = workGroupAlgorithms[algorithm];
  const counted = (workGroupSize: number) =>
    ({ type: u32, op: untyped(add), workGroupSize, algorithm: own, counter: "used" }) as never;
  const kernelOf = (
    functions: (threads: number) => InKernelFunctions,
    argument: string,
    member = "",
  ): Operation =>
    async function* ({ device }, threads) {
      const made = functions(threads);
      const name =
        made.names.find((one) => one.includes("exclusive") && one.endsWith("_update")) ??
        (made.names[0] as string);
      const code = link(
        `@group(0) @binding(0) var<storage, read_write> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<storage, read_write> used: atomic<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32) {
  for (var round = 0u; round < 3u; round++) {
    let at = round * ${threads}u + i;
    let x = input[at];
    output[at] = ${name}(${argument}, i)${member};
  }
}`,
        [made],
      );
      const run = await compileKernel(device, code);
      // Each thread adds one, so that each gets another number: the counter's at the end is their number.
      const ones = new Uint32Array(3 * threads).fill(1);
      const [, output = ones, used = ones] = await run([
        ones,
        new Uint32Array(3 * threads),
        new Uint32Array(1),
      ]);
      yield [
        [[...output].sort((a, b) => a - b), used[0]],
        [Array.from(ones, (_, at) => at), ones.length],
      ];
    };
  cases[`in-kernel, ${title}: update`] = kernelOf((threads) => workGroupScanUpdate(counted(threads)), "x");
  cases[`in-kernel, ${title}: update of tiles`] = kernelOf(
    (threads) => threadTileScanUpdate({ ...(counted(threads) as object), tileSize: TILE } as never),
    "x",
  );
  cases[`in-kernel, ${title}: allocate`] = kernelOf(
    (threads) => workGroupAllocate({ workGroupSize: threads, algorithm: own, counter: "used" } as never),
    "x",
    ".offset",
  );
}

const by = { type: u32, algorithm: "subgroup", workGroupSize: 16, itemsPerThread: 4 } as const;
const sortPlans = {
  "by arrival": { planned: { byArrival: true, partBytes: 128 }, moved: undefined },
  "by arrival, out of order": {
    planned: { byArrival: true, partBytes: 128, disorder: 2 },
    moved: undefined,
  },
  "by votes": { planned: { byMarks: false }, moved: "positions" },
  "by marks": { planned: { byMarks: true, partBytes: 128 }, moved: "positions" },
  "by marks, out of order": { planned: { byMarks: true, partBytes: 128, disorder: 2 }, moved: "positions" },
} as const;
for (const [title, { planned, moved }] of Object.entries(sortPlans)) {
  // Tiles wait for one turn.
  cases[`sort ${title}, whose counts never come`] = sortedBy((facts, maxLength) => {
    const options = { ...by, passes: "single", maxLength } as const;
    const testing = { ...planned, tickets: true, fault: "no part, late sum", share: 2 } as never;
    return changeKernels(planSort(options, facts, moved, undefined, testing), (kernel) => ({
      ...kernel,
      code: kernel.code.replace(/const PATIENCE = \d+u/, "const PATIENCE = 1u"),
    }));
  }, moved);
  for (const passes of ["reduce-then-scan", "single"] as const) {
    cases[`sort ${title}: ${passes}`] = sortedBy(
      (facts, maxLength) => planSort({ ...by, passes, maxLength }, facts, moved, undefined, planned as never),
      moved,
    );
  }
}
cases["sort by comparing: keys"] = sortedBy((facts, maxLength) =>
  planSort({ type: u32, maxLength }, facts, undefined, undefined, { compared: [[256, 8, 32]] } as never),
);
for (const moved of [undefined, "positions"] as const) {
  const sizes = { short: 0, network: 256, networkThreads: 64, networkItems: 4 } as const;
  cases[`sort by a network: ${moved ?? "keys"}`] = sortedBy(
    (facts, maxLength) =>
      planSegmentSort({ type: u32, segments: "rows", maxLength }, facts, moved, undefined, sizes),
    moved,
    few,
    (length) => ({ rows: length }),
  );
}
/** A recorded scan whose results replace the items. */
const inPlace = (
  options: object,
  input: (length: number) => Parameters<typeof wordsOf>[0],
  segments: { readonly segments?: "rows"; readonly rows?: number } = {},
): Operation =>
  async function* (fold, length) {
    const { device } = fold;
    const { segments: kind, rows: count } = segments;
    const prepared = await fold.prepareScan({
      ...options,
      maxLength: length,
      ...(kind && { segments: kind }),
    } as never);
    const items = input(length);
    const buffer = storageBuffer(device, wordsOf(items));
    submit(device, (encoder) =>
      prepared.record(encoder, {
        input: buffer,
        output: buffer,
        length,
        ...(count && { rows: count }),
      } as never),
    );
    const expected = scanReference(
      items as never,
      {
        ...(meaningOf({ ...options }) as object),
        ...(count && { segments: { rows: count } }),
      } as never,
    );
    yield [await readWords(device, buffer), wordsOf(expected)];
    prepared.destroy();
  };
cases["scan in place by pairs of lanes"] = inPlace(
  {
    type: fourMaps,
    op: fourMapsInTurn,
    algorithm: "subgroup",
    passes: "single",
    workGroupSize: 32,
    itemsPerThread: 2,
  },
  (length) => lastingItems(fourMaps, length, "pairs in place"),
);
cases["scan of rows in place by subgroups"] = inPlace(
  { type: u32, workGroupSize: 64, itemsPerThread: 4 },
  data,
  { segments: "rows", rows: 12 },
);
cases["sort of floats with NaN by a network"] = async function* (fold, length) {
  const sizes = { short: 0, network: 256, networkThreads: 64, networkItems: 4 } as const;
  const plan = planSegmentSort(
    { type: f32, segments: "rows", maxLength: length },
    contextOf(fold.device).facts,
    undefined,
    undefined,
    sizes,
  );
  const bits = data(length).map((x, at) => (at % 3 === 0 ? 0x7fc00000 + (x % 2 ** 20) : x % 2 ** 30));
  const found = await recorded(fold, plan, { input: bits, output: new Uint32Array(length) }, length, {
    rows: length,
  });
  yield [
    [...(found.output as Uint32Array)],
    [...argSortReference(new Float32Array(bits.buffer as ArrayBuffer))].map((at) => bits[at]),
  ];
};
Object.assign(cases, {
  "sort of pairs with values": async function* (fold, length) {
    const values = data(2 * length, "values");
    const items = few(length);
    const pairs = new BigUint64Array(values.buffer as ArrayBuffer);
    const found = (await fold.sort(items, {
      values: pairs,
      ...small("subgroup", "reduce-then-scan"),
    } as never)) as unknown as { values: BigUint64Array };
    yield [[...found.values], [...argSortReference(items)].map((at) => pairs[at])];
  },
  "sort of short rows": segmentedSort(rowsOf),
  "the greatest": greatest(data, () => 10),
  "the greatest of few values": greatest(few, () => 10),
  "many of the greatest": greatest(data, () => 100),
  "very many of the greatest": greatest(
    (length) => data(length).map((x) => x % 50),
    (length) => Math.floor(0.8 * length),
  ),
  "the greatest of long rows": greatest(
    data,
    () => 3,
    (length) => ({ rows: length / 2 }),
  ),
  "find the first": async function* (fold, length) {
    const items = few(length);
    const sizes = { workGroupSize: 16, itemsPerThread: 4 };
    yield [await fold.findFirst(items, { where: "x == 3u", ...sizes }), items.indexOf(3)];
  },
  "histogram of channels": async function* (fold, length) {
    const items = few(length);
    const options = { bins: 7, range: [0, 7], channels: 2, workGroupSize: 16, itemsPerThread: 4 } as const;
    const { workGroupSize, itemsPerThread, ...meant } = options;
    yield [[...(await fold.histogram(items, options))], [...histogramReference(items, meant)]];
  },
  "scatter with add": async function* (fold, length) {
    const [values, positions] = [data(length), few(length)];
    const found = await fold.scatter(values, positions, {
      length: 7,
      op: add,
      workGroupSize: 16,
      itemsPerThread: 4,
    });
    yield [found, scatterReference(values, positions, { length: 7, op: add })];
  },
  "histogram of weights": async function* (fold, length) {
    const items = few(length);
    const weights = data(length, "weights").map((x) => x % 100);
    const bins = Array.from({ length: 7 }, (_, bin) =>
      items.reduce((sum, x, at) => sum + (x === bin ? (weights[at] as number) : 0), 0),
    );
    yield [
      [
        ...((await fold.histogram(items, {
          bins: 7,
          range: [0, 7],
          weights,
          workGroupSize: 16,
          itemsPerThread: 4,
        } as never)) as Uint32Array),
      ],
      bins,
    ];
  },
  async *"union of sorted arrays"(fold, length) {
    const [one, two] = [data(length).sort(), data(length, "others").sort()];
    const sizes = { workGroupSize: 16, itemsPerThread: 4 };
    yield [await fold.union(one, two, sizes), unionReference(one, two)];
  },
  async *"merge of sorted arrays"(fold, length) {
    const [one, two] = [data(length).sort(), data(length, "others").sort()];
    yield [await fold.merge(one, two, { workGroupSize: 16, itemsPerThread: 4 }), mergeReference(one, two)];
  },
  async *"merge by a key"(fold, length) {
    const [one, two] = [data(length).sort(), data(length, "others").sort()];
    const found = await fold.merge(one, two, { key: "x / 2u", workGroupSize: 16, itemsPerThread: 4 });
    yield [found, mergeReference(one, two, { key: (x) => Math.floor(x / 2) })];
  },
  "runs written out": async function* (fold, length) {
    const counts = Uint32Array.from({ length }, (_, run) =>
      run > length / 4 && run < length / 2 ? 0 : ([1, 0, 40, 3][run % 4] as number),
    );
    counts[5] = 300;
    const items = data(length);
    yield [
      await fold.expandRuns(items, counts, { workGroupSize: 64, itemsPerThread: 64 } as never),
      expandRunsReference(items, counts),
    ];
  },
  "scan of many columns": (fold, length) =>
    scanned({ op: affine, segments: { columns: 40 }, workGroupSize: 128 })(fold, length - (length % 40)),
  "scan of whole rows": withSegments(scanned, { op: affine, workGroupSize: 64, itemsPerThread: 4 }, rowsOf),
  "totals of runs of one": withSegments(
    reduced,
    { op: affine, ...small("subgroup", "single", 16, 8) },
    (length) => ({ keys: Uint32Array.from({ length }, (_, at) => at % 7) }),
  ),
  "reduce of whole rows": withSegments(reduced, { op: affine, workGroupSize: 64, itemsPerThread: 4 }, rowsOf),
  "scan of parts of rows": (fold, length) =>
    scanned({ op: affine, segments: { rows: 257 }, workGroupSize: 64, itemsPerThread: 4 })(
      fold,
      length - (length % 257),
    ),
  "totals by keys in one dispatch": withSegments(reduced, small("subgroup", "single", 16, 8), (length) => ({
    keys: keysOf(length),
  })),
} satisfies Record<string, Operation>);

export const operations: Readonly<Record<string, Operation>> = cases;
