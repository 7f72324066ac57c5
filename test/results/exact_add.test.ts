import { expect, test } from "vitest";
import type { AnyArray, ScalarArray } from "../../src/algebra/arrays.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import type { FloatRow } from "../support/exact_sums.ts";
import {
  awkwardSums,
  floats,
  floatsOf,
  permutations,
  spreadItems,
  tiledItems,
} from "../support/exact_sums.ts";
import { algorithmNames, asOnGpus, untyped, useFold } from "../support/fold.ts";
import { checkFunctions } from "../support/in_kernel.ts";
import { operatorFunctions } from "../support/kernels.ts";
import { edgeLengths } from "../support/lengths.ts";
import { asItems, smallTunings } from "../support/results.ts";

const fold = useFold();
const op = untyped(exactAdd);
const [ofF16, ofF32, ofF64] = floats as readonly [FloatRow, FloatRow, FloatRow];
const missing = ({ type }: FloatRow): boolean => type === f16 && !fold().device.features.has("shader-f16");

/** Scans and reduces at hand, and compares each bit with the reference. Where many arrays take turns, each has one kind of scan. */
async function check(
  { type }: FloatRow,
  data: ScalarArray,
  options: TuningOptions,
  title: string,
  turn?: number,
): Promise<void> {
  const like = { op, type } as never;
  for (const exclusive of turn === undefined ? [false, true] : [turn % 2 === 0]) {
    const found = await fold().scan(data, { ...options, op, type, exclusive } as never);
    const expected = scanReference(data, { op, type, exclusive } as never);
    expectSameBits(
      found as AnyArray,
      expected as AnyArray,
      `${exclusive ? "exclusive" : "inclusive"} ${title}`,
    );
  }
  const total = (await fold().reduce(data, { ...options, op, type } as never)) as unknown as number;
  const expected = reduceReference(data, like) as unknown as number;
  expectSameBits(asItems(type, total), asItems(type, expected), `reduce ${title}`);
}

// Each pair of a type, an algorithm and a number of passes.
const plans = floats.flatMap((float, at) =>
  algorithmNames.map((algorithm, by) => ({
    float,
    name: float.type.name,
    algorithm,
    ...(smallTunings[(at + by) % 2] as (typeof smallTunings)[number]),
  })),
);
test.for(plans)("$name, $algorithm, $passes", async (row, { skip }) => {
  const { float, algorithm, workGroupSize, itemsPerThread, passes, most } = row;
  skip(missing(float), "the adapter has no shader-f16");
  const options = { algorithm, workGroupSize, itemsPerThread, passes };
  const all = 2 ** float.exponent - 1;
  for (const [at, length] of edgeLengths(workGroupSize, itemsPerThread)
    .filter((length) => length <= (float === ofF64 ? 30 : Math.min(most, 150)))
    .entries()) {
    // Few binades, many, and any bits with NaN and infinities among them.
    for (const binades of [[3, 40, all - 1][at % 3] as number, ...(at % 4 === 0 ? [all + 1] : [])]) {
      const from = binades > all ? 0 : at % (all - Math.min(binades, all - 1));
      const data = spreadItems(float, length, `${length} ${passes}`, Math.min(binades, all + 1), from);
      await check(float, data, options, `${length} of ${binades} binades`, at);
    }
  }
});

test.for(floats)("$type.name: what goes wrong where one thing does", async (float, { skip }) => {
  skip(missing(float), "the adapter has no shader-f16");
  const { type } = float;
  const all = awkwardSums(float);
  // All in one call: each is a segment.
  let end = 0;
  const offsets = Uint32Array.from([0, ...all.map((row) => (end += row.length))]);
  const data = floatsOf(float, all.flat());
  for (const initial of [undefined, -0]) {
    const options = { op, type, segments: { offsets }, ...(initial !== undefined && { initial }) } as never;
    const [totals, sums] = [await fold().reduce(data, options), await fold().scan(data, options)] as never[];
    expectSameBits(totals as never, reduceReference(data, options) as never, `totals after ${initial}`);
    expectSameBits(sums as never, scanReference(data, options) as never, `prefixes after ${initial}`);
  }
  for (const row of all.filter((one, at) => one.length < 2 || at % 8 === 0)) {
    await check(float, floatsOf(float, row), {}, row.join(" + "));
  }
});

test.for(floats)("$type.name: every order of a few items gives the same bits", async (float, { skip }) => {
  skip(missing(float), "the adapter has no shader-f16");
  const { type } = float;
  const [big, least] = (
    { f16: [60000, 2 ** -24], f32: [1e38, 2 ** -149], f64: [1e308, 2 ** -1074] } as const
  )[type.name];
  const few = [big, 1.125, -big, least];
  const orders = permutations(few);
  // All orders in one call: each is a row.
  const data = floatsOf(float, orders.flat());
  const options = { op, type, segments: { rows: few.length } } as never;
  const totals = (await fold().reduce(data, options)) as never;
  const sum = reduceReference(floatsOf(float, few), { op, type } as never) as unknown as number;
  expectSameBits(
    totals,
    floatsOf(
      float,
      orders.map(() => sum),
    ),
    "totals",
  );
  expect(sum).toBe(1.125);
  expectSameBits(
    (await fold().scan(data, options)) as never,
    scanReference(data, options) as never,
    "prefixes",
  );
});

test("the default sizes, as on a software adapter", () =>
  check(ofF32, spreadItems(ofF32, 1100, "default", 254), {}, "as on a software adapter"));

test("the default sizes, as on a GPU", () =>
  asOnGpus(fold(), () =>
    check(
      ofF32,
      spreadItems(ofF32, 1100, "default", 254),
      { algorithm: "blelloch", workGroupSize: 32 },
      "as on a GPU",
    ),
  ));

// In functions of f64, all threads together take seconds to compile: only one has its turn.
const inKernel = [
  ...algorithmNames.flatMap((algorithm) =>
    // Each part by one algorithm, and both halves by subgroups.
    (algorithm === "subgroup" ? [1, 2] : [algorithm === "blelloch" ? 1 : 2]).map((part) => ({
      type: f32,
      algorithm,
      size: 20,
      part,
      parts: 2,
    })),
  ),
  { type: f64, algorithm: "hillis-steele", size: 8, part: 1, parts: 1 } as const,
];
test.for(inKernel)(
  "in-kernel: $type.name, $algorithm, part $part of $parts",
  async ({ type, algorithm, size, part, parts }) => {
    const all = operatorFunctions(type, op, algorithm, size, false, [4]);
    const names = all.flatMap((functions) => functions.names);
    const own = names
      .filter((name) => type === f32 || name.startsWith("work_group_reduce"))
      .filter((_, at) => at % parts === part - 1);
    expect(own.length).toBeGreaterThan(0);
    // A thread that combines nothing gets the sum of nothing.
    await checkFunctions(fold().device, { type, op, nothing: 0 }, all, own, [size], `${algorithm} ${size}`);
  },
);

// One kind of function at a time: of f64, whose kernels take seconds to compile, or of f16, where the adapter has it.
const kinds = [
  "work_group_scan_inclusive",
  "work_group_scan_exclusive",
  "thread_tile_4_scan_inclusive",
  "thread_tile_4_reduce",
  "coalesced_scan_exclusive",
  "coalesced_reduce",
];
const inKernelKinds = kinds.map((kind, at) => {
  const float = at % 2 === 0 ? ofF64 : ofF16;
  return { float, type: float.type.name, kind };
});
test.for(inKernelKinds)("in-kernel: $kind of $type", async ({ float, kind }, { skip }) => {
  skip(missing(float), "the adapter lacks shader-f16");
  const { type } = float;
  const all = operatorFunctions(type, op, "hillis-steele", 8, false, [4]);
  const own = all.flatMap(({ names }) => names).filter((name) => name.startsWith(kind));
  expect(own.length).toBeGreaterThan(0);
  await checkFunctions(fold().device, { type, op, nothing: 0 }, all, own, [8], kind);
});

// As on a GPU, most tiles are combined in a few words, of fixed point. A single pass combines whole sums.
const fewWords = [
  { float: ofF32, passes: "reduce-then-scan", algorithm: "blelloch" },
  { float: ofF16, passes: "reduce-then-scan", algorithm: "blelloch" },
  { float: ofF32, passes: "single", algorithm: "hillis-steele" },
  { float: ofF64, passes: "reduce-then-scan", algorithm: "hillis-steele" },
] as const;
test.for(fewWords)("as on a GPU: $float.type.name, $passes", async ({ float, ...options }, { skip }) => {
  skip(missing(float), "the adapter has no shader-f16");
  await asOnGpus(fold(), async () => {
    const sizes = { ...options, workGroupSize: 4, itemsPerThread: 2 };
    const tile = 8;
    for (let seed = 0; seed < 2; seed++) {
      await check(float, tiledItems(float, 12, tile, `${seed}`), sizes, `tiles ${seed}`);
    }
    for (const [at, length] of [0, 1, 3, tile, tile + 1, 8 * tile + 1].entries()) {
      const few = float === ofF16 ? ([12, 10] as const) : ([30, 100] as const);
      await check(float, spreadItems(float, length, `few ${length}`, ...few), sizes, `${length}`, at);
      const any = spreadItems(float, length, `any ${length}`, 2 ** float.exponent);
      await check(float, any, sizes, `any ${length}`, at + 1);
    }
    // All of them are in one call above.
    const awkward = awkwardSums(float).filter((_, at) => at % 3 === 0);
    for (const [at, values] of awkward.entries()) {
      await check(float, floatsOf(float, values), sizes, values.join(" + "), at);
    }
    // Many binades, and the first thread's run carries or borrows past the words that its items are in.
    const { fraction } = float;
    const unit = float === ofF32 ? 2 ** -149 : 2 ** -1074;
    const full = (2 ** (fraction + 1) - 1) * unit;
    const ends = [full * 2 ** (128 + (float === ofF32 ? 31 : 63) - fraction - 1), full * 2 ** 127];
    for (const sign of [1, -1]) {
      const values = [...ends.map((one) => sign * one), unit, 1, 2 ** 100, ...ends];
      await check(float, floatsOf(float, values), sizes, values.join(" + "));
    }
    // A tie in the second tile, and what breaks it in the first tile, far below.
    const [least, half, far] = (
      {
        f16: [2 ** -24, 2 ** -11, 2 ** -10],
        f32: [2 ** -149, 2 ** -24, 2 ** -39],
        f64: [2 ** -1074, 2 ** -53, 2 ** -74],
      } as const
    )[float.type.name];
    for (const [at, below] of [least, -least, 3 * least].entries()) {
      for (const sign of [1, -1]) {
        for (const odd of [0, 2 * half]) {
          const values = [
            below,
            ...Array(tile - 1).fill(0),
            sign,
            sign * odd,
            sign * half,
            -sign * half,
            sign * half,
          ];
          // The last item counts in inclusive prefixes alone.
          await check(float, floatsOf(float, values), sizes, values.join(" + "), 1 + Number(at === 2));
        }
      }
    }
    // A tie of the second thread: alone, with the least float below it, and with what fixed point still holds.
    for (const sign of [1, -1]) {
      for (const row of [
        [1, 1, 2 * half],
        [1, least, half],
        [far * (1 + 2 * half), -far, 1, half],
      ]) {
        const values = row.map((x) => sign * x);
        await check(float, floatsOf(float, values), sizes, values.join(" + "));
      }
    }
  });
});

test("the total of tiles of any number of threads", async () => {
  await asOnGpus(fold(), async () => {
    for (const workGroupSize of [2, 3, 8]) {
      const options = { op: exactAdd, exclusive: true, algorithm: "hillis-steele", workGroupSize } as const;
      const data = spreadItems(ofF32, 9 * workGroupSize, `total ${workGroupSize}`, 30, 100) as Float32Array;
      for (const length of [workGroupSize, 4 * workGroupSize - 1, data.length]) {
        const [given, own] = [new Float32Array(1), new Float32Array(1)];
        const items = data.slice(0, length);
        const found = await fold().scan(items, { ...options, itemsPerThread: 4, total: given });
        const expected = scanReference(items, { op: exactAdd, exclusive: true, total: own });
        expectSameBits(found, expected, `${length} by ${workGroupSize}`);
        expectSameBits(given, own, `total of ${length} by ${workGroupSize}`);
      }
    }
  });
});

test("in a single pass, recorded from any place, with a map and an initial value", async () => {
  const { device } = fold();
  const data = tiledItems(ofF32, 10, 8, "recorded") as Float32Array;
  const input = storageBuffer(device, new Uint32Array(data.buffer));
  const sizes = { algorithm: "blelloch", passes: "single", workGroupSize: 4, itemsPerThread: 4 } as const;
  const options = { type: f32, op: exactAdd, maxLength: 160, initial: true, map: "x * 2", ...sizes } as const;
  const scan = await asOnGpus(fold(), () => fold().prepareScan(options));
  // At a vector, and in the middle of one.
  for (const offset of [0, 3]) {
    const output = storageBuffer(device, new Uint32Array(256).fill(0xdeadbeef));
    const encoder = device.createCommandEncoder();
    const length = 160 - offset;
    const initial = 2 ** -149;
    scan.record(encoder, { input: { buffer: input, offset: 4 * offset }, output, length, initial });
    device.queue.submit([encoder.finish()]);
    const twin = { op: exactAdd, map: (x: number) => x * 2, initial };
    const words = await readWords(device, output);
    const expected = scanReference(data.slice(offset), twin);
    expectSameBits(words.slice(0, length), new Uint32Array(expected.buffer), `from ${offset}`);
    expect(words[length]).toBe(0xdeadbeef);
  }
  scan.destroy();
});

// f64 goes in vectors of two, where both ranges start at one: at a vector, and in the middle of one; the whole input, a part of it, and what ends
// in the middle of a vector.
const places = [
  [0, 0],
  [1, 1],
  [2, 1],
  [1, 4],
  ["same", 2],
  ["same", 3],
  ["beside", 1],
] as const;
test.for([
  { kind: "exclusive", binades: 60, from: 1000 },
  { kind: "inclusive", binades: 2047, from: 0 },
] as const)("f64 of odd lengths, recorded from any place: $kind", async ({ kind, binades, from }) => {
  const { device } = fold();
  const exclusive = kind === "exclusive";
  const sizes = { algorithm: "blelloch", workGroupSize: 4, itemsPerThread: 4 } as const;
  const options = { type: f64, op: exactAdd, maxLength: 90, ...sizes } as const;
  const scan = await asOnGpus(fold(), () => fold().prepareScan({ ...options, exclusive }));
  const reduce = await asOnGpus(fold(), () => fold().prepareReduce(options));
  const data = spreadItems(ofF64, 120, `placed ${binades}`, binades, from) as Float64Array;
  const words = new Uint32Array(data.buffer);
  for (const [at, [input, output]] of places.entries()) {
    // Each length in each place is in one of both kinds.
    for (const length of [1, 16, 17, 33, 86].filter((_, by) => (at + by) % 2 === (exclusive ? 1 : 0))) {
      const isApart = typeof input === "number";
      const first = input === "same" ? output : isApart ? input : output + length + (output % 2);
      if (!isApart && first + length > data.length) {
        continue;
      }
      const title = `${kind}, ${binades} binades, ${length} from ${input} to ${output}`;
      const given = storageBuffer(device, words);
      const poisoned = new Uint32Array(words.length).fill(0xdeadbeef);
      const target = isApart ? storageBuffer(device, poisoned) : given;
      const total = storageBuffer(device, new Uint32Array(4));
      const encoder = device.createCommandEncoder();
      const ranges = {
        input: { buffer: given, offset: 8 * first },
        output: { buffer: target, offset: 8 * output },
        length,
      };
      reduce.record(encoder, { ...ranges, output: total });
      scan.record(encoder, ranges);
      device.queue.submit([encoder.finish()]);
      const own = data.slice(first, first + length);
      const expected = (isApart ? poisoned : words).slice();
      const prefixes = scanReference(own, { op: exactAdd, exclusive });
      expected.set(new Uint32Array(prefixes.buffer), 2 * output);
      expectSameBits(await readWords(device, target), expected, title);
      const sum = Float64Array.of(reduceReference(own, { op: exactAdd }));
      expectSameBits(
        (await readWords(device, total)).slice(0, 2),
        new Uint32Array(sum.buffer),
        `reduce ${title}`,
      );
    }
  }
  destroyAll(scan, reduce);
});

// Tiles of 16 items: their totals, totals of these, and once more.
const deep = [
  { float: ofF32, lengths: [257, 290] },
  { float: ofF64, lengths: [270] },
] as const;
test.for(deep)("$float.type.name: totals of totals, recorded", async ({ float, lengths }) => {
  const { device } = fold();
  const { type } = float;
  const sizes = { algorithm: "blelloch", passes: "reduce-then-scan", workGroupSize: 4 } as const;
  const maxLength = Math.max(...lengths);
  const options = { type, op: exactAdd, maxLength, itemsPerThread: 4, ...sizes } as const;
  const scan = await asOnGpus(fold(), () => fold().prepareScan({ ...options, exclusive: true } as never));
  const reduce = await asOnGpus(fold(), () => fold().prepareReduce(options as never));
  const bytes = type.bytes;
  for (const length of lengths) {
    const few = spreadItems(float, length, `deep ${length}`, 12, 100) as Float64Array;
    const many = spreadItems(float, length, `deep many ${length}`) as Float64Array;
    // Sums of whole rows of totals that are below zero, and then above it; and an infinity in the middle.
    const turns = few.map((_, at) => (at < length >> 1 ? -(1 + at) : 3 * at));
    const infinite = few.slice();
    infinite[length >> 1] = Infinity;
    for (const [name, data] of Object.entries({ few, many, turns, infinite })) {
      const words = new Uint32Array(data.buffer);
      const given = storageBuffer(device, words);
      const apart = storageBuffer(device, new Uint32Array(words.length).fill(0xdeadbeef));
      const total = storageBuffer(device, new Uint32Array(4));
      const encoder = device.createCommandEncoder();
      reduce.record(encoder, { input: given, output: total, length });
      scan.record(encoder, { input: given, output: apart, length });
      // In place.
      scan.record(encoder, { input: given, output: given, length });
      device.queue.submit([encoder.finish()]);
      const like = { op, type };
      const prefixes = scanReference(data, { ...like, exclusive: true } as never) as Float64Array;
      const expected = new Uint32Array(prefixes.buffer);
      expectSameBits(await readWords(device, apart), expected, `${length} ${name}`);
      expectSameBits(await readWords(device, given), expected, `${length} ${name} in place`);
      const sum = asItems(type, reduceReference(data, like as never) as unknown as number) as Float64Array;
      const found = (await readWords(device, total)).slice(0, bytes / 4);
      expectSameBits(found, new Uint32Array(sum.buffer), `${length} ${name} reduced`);
    }
  }
  destroyAll(scan, reduce);
});

test("recorded, with an initial value and a total, and the length on the GPU", async () => {
  const { device } = fold();
  const data = spreadItems(ofF32, 1000, "recorded", 200) as Float32Array;
  const output = (): GPUBuffer => storageBuffer(device, new Uint32Array(1024).fill(0xdeadbeef));
  const input = storageBuffer(device, new Uint32Array(data.buffer));
  const total = storageBuffer(device, new Uint32Array(4));
  const length = storageBuffer(device, Uint32Array.of(700, 0, 0, 0));
  for (const passes of ["single", "reduce-then-scan"] as const) {
    const options = { type: f32, op: exactAdd, maxLength: 1000, passes, workGroupSize: 16 } as const;
    const scan = await fold().prepareScan({
      ...options,
      exclusive: true,
      initial: true,
      total: true,
      lengthOnGpu: true,
    });
    const reduce = await fold().prepareReduce({ ...options, initial: true });
    const [scanned, reduced] = [output(), output()];
    const encoder = device.createCommandEncoder();
    scan.record(encoder, {
      input,
      output: scanned,
      length: { buffer: length },
      initial: -(2 ** 100),
      total: { buffer: total },
    });
    reduce.record(encoder, { input, output: reduced, length: 1000, initial: 2 ** -149 });
    device.queue.submit([encoder.finish()]);
    const sum = Float32Array.of(0);
    const expected = scanReference(data.subarray(0, 700), {
      op: exactAdd,
      exclusive: true,
      initial: -(2 ** 100),
      total: sum,
    });
    const words = await readWords(device, scanned);
    expectSameBits(words.slice(0, 700), new Uint32Array(expected.buffer), passes);
    expect(words[700]).toBe(0xdeadbeef);
    expectSameBits((await readWords(device, total)).slice(0, 1), new Uint32Array(sum.buffer), "total");
    const one = Float32Array.of(reduceReference(data, { op: exactAdd, initial: 2 ** -149 }));
    expectSameBits((await readWords(device, reduced)).slice(0, 1), new Uint32Array(one.buffer), "reduce");
    destroyAll(scan, reduce);
  }
});

test("arrays on the GPU, maps, and an array of another type", async () => {
  const counts = Uint32Array.from({ length: 500 }, (_, at) => (at * 2654435761) >>> 0);
  const map = "bitcast<f32>(x & 0xbfffffffu)";
  const twin = (x: number): number => new Float32Array(Uint32Array.of(x & 0xbfffffff).buffer)[0] ?? 0;
  const options = { type: f32, op: exactAdd, map } as const;
  const mapped = { type: f32, op: exactAdd, map: twin } as const;
  expectSameBits(await fold().scan(counts, options), scanReference(counts, mapped), "map to f32");
  const halved = { op: exactAdd, map: "x * 0.5" } as const;
  const data = spreadItems(ofF32, 500, "map", 60, 100) as Float32Array;
  expectSameBits(
    await fold().scan(data, halved),
    scanReference(data, { op: exactAdd, map: (x) => x * 0.5 }),
    "map of f32",
  );
  const array = await fold().upload(data);
  const sums = await fold().scan(array, { op: exactAdd });
  const sum = await fold().reduce(sums, { op: exactAdd });
  const expected = scanReference(data, { op: exactAdd });
  expectSameBits(await sums.read(), expected, "on the GPU");
  expect(await sum.read()).toEqual(Float32Array.of(reduceReference(expected, { op: exactAdd })));
});

const segmented = {
  rows: (length: number) => (length % 30 === 0 ? 30 : 1),
  columns: (length: number) => (length % 30 === 0 ? 30 : 1),
  offsets: (length: number) => Uint32Array.of(0, 0, length >> 3, length >> 1, length),
  heads: (length: number) => Uint32Array.from({ length }, (_, at) => (at % 41 === 0 ? 1 : 0)),
  headBits: (length: number) =>
    Uint32Array.from({ length: Math.ceil(length / 32) }, (_, at) => (at * 2654435761) & 0x10020004),
  keys: (length: number) => Uint32Array.from({ length }, (_, at) => Math.floor(at / 37) % 3),
} as const;
// Sources of segments are the same for each type: those of f16 and f64 have one each, and f32 all.
const segmentRows = floats.flatMap((float, by) =>
  Object.entries(segmented)
    .filter((_, at) => float === ofF32 || at === by + 3)
    .map(([name, make]) => ({ float, type: float.type.name, name, make })),
);
test.for(segmentRows)(
  "segments of $type: $name, at hand and recorded",
  async ({ float, name, make }, { skip }) => {
    skip(missing(float), "the adapter lacks shader-f16");
    const { type } = float;
    const { device } = fold();
    const most = 100;
    const kind = (name === "keys" ? { keys: u32 } : name) as never;
    const scan = await fold().prepareScan({ type, op, segments: kind, maxLength: most } as never);
    for (const length of [1, 90, most]) {
      const data = spreadItems(float, length, `segments ${name}`, length === 90 ? 8 : 250);
      const made = make(length);
      const segments = { [name]: made };
      for (const exclusive of [false, true]) {
        const options = { op, type, exclusive, segments } as never;
        expectSameBits(
          (await fold().scan(data, options)) as never,
          scanReference(data, options) as never,
          `${length} items, exclusive ${exclusive}`,
        );
      }
      const options = { op, type, segments } as never;
      expect(await fold().reduce(data, options), `${length} items`).toEqual(reduceReference(data, options));

      const bytes = Math.ceil(data.byteLength / 4) * 4;
      const words = new Uint32Array(bytes / 4);
      new Uint8Array(words.buffer).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      const input = storageBuffer(device, words);
      const output = storageBuffer(device, words);
      const places = typeof made === "number" ? undefined : storageBuffer(device, made);
      const encoder = device.createCommandEncoder();
      scan.record(encoder, {
        input,
        output,
        length,
        ...(places === undefined ? { [name]: made } : { [name === "headBits" ? "heads" : name]: places }),
        ...(name === "offsets" && { segmentCount: 4 }),
      } as never);
      device.queue.submit([encoder.finish()]);
      const found = new Uint8Array((await readWords(device, output)).buffer, 0, data.byteLength);
      const expected = scanReference(data, options) as ScalarArray;
      expectSameBits(
        found,
        new Uint8Array(expected.buffer, expected.byteOffset, expected.byteLength),
        `recorded, ${length} items`,
      );
      destroyAll(input, output, places);
    }
    scan.destroy();
  },
);

const streamOf = (chunks: readonly Float32Array[]): ReadableStream<Float32Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(chunk);
      }
      controller.close();
    },
  });

test("pieces and streams carry the sum itself, and not what it rounds to", async () => {
  const { kept } = contextOf(fold().device);
  const { longBytes, pieceBytes } = kept;
  // 1e38 is in the first piece, and what it hides is, too.
  const data = spreadItems(ofF32, 2600, "pieces", 200) as Float32Array;
  data.set([1e38, 1, 2 ** -149], 0);
  data.set([-1e38], 2100);
  kept.longBytes = kept.pieceBytes = 4096;
  try {
    for (const exclusive of [false, true]) {
      const [total, sum] = [Float32Array.of(0), Float32Array.of(0)];
      const options = { op: exactAdd, exclusive, initial: 0.125 };
      const found = await fold().scan(data, { ...options, total });
      expectSameBits(found, scanReference(data, { ...options, total: sum }), "pieces");
      expectSameBits(total, sum, "the total of pieces");
    }
    expect(await fold().reduce(data, { op: exactAdd })).toBe(reduceReference(data, { op: exactAdd }));
    const chunks = [data.subarray(0, 1500), data.subarray(1500, 1501), data.subarray(1501)];
    expect(await fold().reduceStream(streamOf(chunks), { type: f32, op: exactAdd })).toBe(
      reduceReference(data, { op: exactAdd }),
    );
    const nothing = await fold().reduceStream(streamOf([]), { type: f32, op: exactAdd });
    expect(Object.is(nothing, 0)).toBe(true);
    const zeros = new Float32Array(3000).fill(-0);
    expect(Object.is(await fold().reduceStream(streamOf([zeros]), { type: f32, op: exactAdd }), -0)).toBe(
      true,
    );
    const results: Float32Array[] = [];
    const reader = streamOf(chunks)
      .pipeThrough(fold().scanStream({ type: f32, op: exactAdd }))
      .getReader();
    for (let one = await reader.read(); !one.done; one = await reader.read()) {
      results.push(one.value as Float32Array);
    }
    const all = new Float32Array(results.flatMap((one) => [...one]));
    expectSameBits(all, scanReference(data, { op: exactAdd }), "a stream");
    // An array of f64, whose carry is longer than a vector.
    const wide = spreadItems(ofF64, 1100, "pieces", 2000) as Float64Array;
    expect(await fold().reduce(wide, { op: exactAdd })).toBe(reduceReference(wide, { op: exactAdd }));
  } finally {
    Object.assign(kept, { longBytes, pieceBytes });
  }
});

test("what exactAdd does not do is refused before the GPU is touched", async () => {
  await expect(fold().scan(Uint32Array.of(1), { op: exactAdd as never })).rejects.toThrow(
    "scan<u32, exactAdd>: exactAdd has no meaning on u32; it takes f16, f32, f64",
  );
  await expect(fold().prepareReduce({ type: u32, op: exactAdd as never, maxLength: 1 })).rejects.toThrow(
    "exactAdd has no meaning on u32",
  );
  const context = contextOf(fold().device);
  const { facts } = context;
  context.facts = { ...facts, limits: { ...facts.limits, maxStorageBufferBindingSize: 2 ** 16 } };
  try {
    const prepared = { type: f64, op: exactAdd, maxLength: 2 ** 20 } as const;
    for (const prepare of [() => fold().prepareScan(prepared), () => fold().prepareReduce(prepared)]) {
      await expect(prepare()).rejects.toThrow(
        /1048576 items are more than a binding of the device holds, which is about \d+; .* A stream keeps them exact/,
      );
    }
  } finally {
    context.facts = facts;
  }
});
