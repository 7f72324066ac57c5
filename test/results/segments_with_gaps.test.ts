import { describe, expect, test } from "vitest";
import type { AnyArray } from "../../src/algebra/arrays.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { add, max } from "../../src/algebra/operators.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import {
  arrayBuffer,
  bytesIn,
  destroyAll,
  readAs,
  readWords,
  storageBuffer,
  submit,
} from "../support/buffers.ts";
import { combinations, itemsOf } from "../support/combinations.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFoldOfOneSize } from "../support/fold.ts";
import { pairs } from "../support/pairs.ts";
import { randomBits, randomWords } from "../support/random.ts";
import { lacks } from "../support/sorts.ts";

// Segments that begins and ends give, with items between them that are in none: scans leave these, and reductions do without them.

const fold = useFoldOfOneSize();
const MOST = 200;
const lengths = [0, 1, 9, 33, 200];

interface Spans {
  readonly begins: Uint32Array;
  readonly ends: Uint32Array;
}

/** The lengths of gaps and of segments, in turn. */
const spans: Readonly<Record<string, (length: number) => number[]>> = {
  "no segments": () => [],
  "one, from the first item to the last": (length) => [0, length],
  "one between two gaps": (length) => [3, length - 6],
  "without gaps": () => Array(80).fill([0, 5]).flat(),
  "single items": () => Array(100).fill(1),
  "empty ones between": () => [4, 0, 0, 0, 3, 5, 0, 0, 2, 0, 0, 7, 50, 0, 0, 9],
  "around tiles": () => [1, 7, 8, 9, 0, 15, 16, 17, 0, 31, 32, 33],
  random(length) {
    const next = randomBits(`spans ${length}`);
    return Array.from({ length: 100 }, () => (next() % 3 === 0 ? 0 : next() % 20));
  },
};

function spansOf(parts: readonly number[], length: number): Spans {
  const places: number[] = [];
  for (const items of parts) {
    places.push(Math.min(length, (places.at(-1) ?? 0) + Math.max(0, items)));
  }
  const pairsOf = (first: number) => Uint32Array.from(places.filter((_, at) => at % 2 === first));
  return { begins: pairsOf(0), ends: pairsOf(1) };
}

/** What a scan writes, where the output held other bytes before. */
function withGaps(
  scanned: AnyArray,
  before: Uint8Array,
  { begins, ends }: Spans,
  type: ElementType,
): AnyArray {
  const made = bytesIn(scanned);
  let from = 0;
  for (const [at, begin] of [...begins, scanned.byteLength / type.bytes].entries()) {
    made.set(before.subarray(from * type.bytes, begin * type.bytes), from * type.bytes);
    from = ends[at] ?? 0;
  }
  return scanned;
}

const named = Object.entries(spans);
const cases = pairs({
  row: combinations,
  algorithm: ["subgroup", "blelloch", "hillis-steele"] as const,
  tuning: [
    { workGroupSize: 4, itemsPerThread: 2, passes: "reduce-then-scan" },
    { workGroupSize: 8, itemsPerThread: 4, passes: "single" },
  ] as const,
  exclusive: [false, true],
  startsFrom: [false, true],
  reverse: [false, true],
  lengthOnGpu: [false, true],
}).map(({ row, tuning, ...others }, turn) => ({
  ...row,
  ...tuning,
  ...others,
  turn,
  name: `${row.type.name}, ${row.op.name}`,
}));

const title = "$name, $algorithm, $passes, exclusive: $exclusive, reverse: $reverse, initial: $startsFrom";

test.for(cases)(`a scan of ${title}`, async (row, { skip }) => {
  const { type, op, initial, exclusive, reverse, startsFrom, turn, lengthOnGpu, ...others } = row;
  const { device } = fold();
  skip(lacks(fold(), type), "the adapter has no shader-f16");
  const { algorithm, workGroupSize, itemsPerThread, passes } = others;
  const scan = await fold().prepareScan({
    ...{ type, op, algorithm, workGroupSize, itemsPerThread, passes, exclusive, reverse, lengthOnGpu },
    maxLength: MOST,
    segments: "begins",
    ...(startsFrom && { initial: true }),
  } as never);
  const starts = startsFrom ? { initial } : {};
  for (const [at, length] of lengths.entries()) {
    const [how, partsOf] = named[(at + turn) % named.length] as (typeof named)[number];
    const given = spansOf(partsOf(length), length);
    const own = `${length}, ${how}`;
    const data = itemsOf(row, length);
    // In two buffers, in place, and in one buffer from any item on.
    const place = (at + turn) % 3;
    const input = arrayBuffer(device, data, 0, 3000);
    const output = place === 0 ? storageBuffer(device, randomWords(2500, own)) : input;
    const itemWords = Math.max(1, type.bytes / 4);
    const offset = place === 2 ? 4 * itemWords * (MOST + 1) : 0;
    const before = bytesIn(await readWords(device, output)).slice();
    const [begins, ends, count] = [
      arrayBuffer(device, given.begins, 4, 8),
      arrayBuffer(device, given.ends, 8, 8),
      storageBuffer(device, Uint32Array.of(length)),
    ];
    const ranges = {
      input: { buffer: input, size: Math.max(4, MOST * type.bytes) },
      output: { buffer: output, offset },
      length: lengthOnGpu ? count : length,
      begins: { buffer: begins, offset: 16 },
      ends: { buffer: ends, offset: 32 },
      segmentCount: given.begins.length,
      ...starts,
    } as never;
    const grouping = scan.groupingOf(ranges);
    submit(device, (encoder) => scan.record(encoder, ranges));
    const order = type.name === "f64" ? { grouping } : {};
    const like = { op, type, exclusive, reverse, segments: given, ...starts, ...order };
    const expected = withGaps(
      scanReference(data, like as never) as AnyArray,
      before.subarray(offset),
      given,
      type,
    );
    const words = await readWords(device, output);
    expectSameBits(readAs(expected, type, words.slice(offset / 4)), expected, own);
    const behind = Math.ceil((offset + length * type.bytes) / 4);
    expectSameBits(
      words.slice(behind),
      new Uint32Array(before.buffer).slice(behind),
      `behind the output, ${own}`,
    );
    destroyAll(input, output, begins, ends, count);
  }
  scan.destroy();
});

test.for(cases.filter(({ exclusive }) => exclusive))(
  "a reduction of $name, $algorithm, $passes, initial: $startsFrom",
  async (row, { skip }) => {
    const { type, op, initial, startsFrom, turn, lengthOnGpu, ...others } = row;
    const { device } = fold();
    skip(lacks(fold(), type), "the adapter has no shader-f16");
    const { algorithm, workGroupSize, itemsPerThread, passes } = others;
    const reduce = await fold().prepareReduce({
      ...{ type, op, algorithm, workGroupSize, itemsPerThread, passes, lengthOnGpu },
      maxLength: MOST,
      segments: "begins",
      ...(startsFrom && { initial: true }),
    } as never);
    const starts = startsFrom ? { initial } : {};
    for (const [at, length] of lengths.entries()) {
      for (const step of [0, 5]) {
        const [how, partsOf] = named[(at + step + turn) % named.length] as (typeof named)[number];
        const given = spansOf(partsOf(length), length);
        const own = `${length}, ${how}`;
        const data = itemsOf(row, length);
        const input = arrayBuffer(device, data, type.bytes / 4 >= 1 ? type.bytes / 4 : 1, 1000);
        const output = storageBuffer(device, randomWords(3200, own));
        const [begins, ends, count] = [
          arrayBuffer(device, given.begins, 4, 8),
          arrayBuffer(device, given.ends, 8, 8),
          storageBuffer(device, Uint32Array.of(length)),
        ];
        const ranges = {
          input: { buffer: input, offset: Math.max(4, type.bytes) },
          output,
          length: lengthOnGpu ? count : length,
          begins: { buffer: begins, offset: 16 },
          ends: { buffer: ends, offset: 32 },
          segmentCount: given.begins.length,
          ...starts,
        } as never;
        const grouping = reduce.groupingOf(ranges);
        submit(device, (encoder) => reduce.record(encoder, ranges));
        const order = type.name === "f64" ? { grouping } : {};
        const like = { op, type, segments: given, ...starts, ...order };
        const expected = reduceReference(data, like as never) as unknown as AnyArray;
        const words = await readWords(device, output);
        expectSameBits(readAs(expected, type, words), expected, own);
        const behind = Math.ceil((expected.length * type.bytes) / 4);
        expectSameBits(
          words.slice(behind),
          randomWords(3200, own).slice(behind),
          `behind the output, ${own}`,
        );
        destroyAll(input, output, begins, ends, count);
      }
    }
    reduce.destroy();
  },
);

describe("at hand, on the CPU and on the GPU, and of arrays on the GPU", () => {
  const data = randomWords(400, "gaps at hand");
  for (const [at, [how, partsOf]] of named.entries()) {
    test(how, async () => {
      const segments = spansOf(partsOf(data.length), data.length);
      const cpu = await openFold({ device: fold().device, cpu: "always" });
      const options = { op: at % 2 === 0 ? max : add, ...(at % 3 === 0 && { initial: 9 }) };
      const order = { exclusive: at % 4 > 1, reverse: at % 2 === 0 };
      const scanned = scanReference(data, { ...options, ...order, segments });
      const reduced = reduceReference(data, { ...options, segments });
      const kept = withGaps(scanned.slice(), bytesIn(data), segments, u32);
      for (const [name, own] of [
        ["on the GPU", fold()],
        ["on the CPU", cpu],
      ] as const) {
        expectSameBits(await own.scan(data, { ...options, ...order, segments }), scanned, `scan ${name}`);
        expectSameBits(await own.reduce(data, { ...options, segments }), reduced, `reduce ${name}`);
        const into = data.slice();
        await own.scan(data, { ...options, ...order, segments, into });
        expectSameBits(into, kept, `scan into an array ${name}`);
      }
      const sums = Float64Array.from(data, (word) => word / 7);
      const likeSums = { segments, exclusive: order.exclusive };
      expectSameBits(await cpu.scan(sums, likeSums), scanReference(sums, likeSums), "sums of f64");
      const onGpu = await fold().upload(data);
      const [begins, ends] = [await fold().upload(segments.begins), await fold().upload(segments.ends)];
      const there = { ...options, segments: { begins, ends } };
      // Memory that was used before is not empty.
      (await fold().scan(onGpu)).destroy();
      const result = await fold().scan(onGpu, { ...there, ...order });
      expectSameBits(await result.read(), scanned, "scan of an array on the GPU");
      const totals = await fold().reduce(onGpu, there);
      expectSameBits(await totals.read(), reduced, "reduce of an array on the GPU");
      await fold().scan(onGpu, { ...there, ...order, into: onGpu });
      expectSameBits(await onGpu.read(), kept, "scan in place");
      destroyAll(onGpu, begins, ends, result, totals, cpu);
    });
  }

  test("exact sums, and items of 8 bits", async () => {
    const { exactAdd, u8 } = await import("../../src/node.ts");
    const segments = spansOf(spans.random?.(300) ?? [], 300);
    const cpu = await openFold({ device: fold().device, cpu: "always" });
    const floats = Float32Array.from(randomWords(300, "exact"), (word) => (word % 1000) / 8);
    const options = { op: exactAdd, segments };
    const bytes = Uint8Array.from(randomWords(300, "bytes"));
    for (const own of [fold(), cpu]) {
      expectSameBits(await own.scan(floats, options), scanReference(floats, options), "exact scan");
      const reversed = { ...options, reverse: true };
      expectSameBits(await own.scan(floats, reversed), scanReference(floats, reversed), "in reverse");
      expectSameBits(await own.reduce(floats, options), reduceReference(floats, options), "exact reduce");
      expectSameBits(await own.scan(bytes, { segments }), scanReference(bytes, { segments }), "bytes");
    }
    expect(u8.bytes).toBe(1);
    cpu.destroy();
  });
});

test("what is no segments is refused, and the message names the first one that is not right", async () => {
  const data = Uint32Array.of(1, 2, 3, 4);
  for (const [segments, message] of [
    [
      { begins: [0, 2], ends: [3, 4] },
      "reduce<u32>: segment 1 begins at 2 and ends at 4, and segment 0 ends at 3; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [3, 0], ends: [4, 1] },
      "reduce<u32>: segment 1 begins at 0 and ends at 1, and segment 0 ends at 4; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [2], ends: [1] },
      "reduce<u32>: segment 0 begins at 2 and ends at 1; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [0], ends: [5] },
      "reduce<u32>: segment 0 begins at 0 and ends at 5; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [0.5], ends: [2] },
      "reduce<u32>: segment 0 begins at 0.5 and ends at 2; segments ascend, do not overlap, and end at the length, 4, or before",
    ],
    [
      { begins: [0, 1], ends: [1] },
      "reduce<u32>: there are 2 begins and 1 ends; each segment has one of both",
    ],
    [{ begins: [0] }, "reduce<u32>: segments is { begins }; it takes { begins, ends }"],
    [{ begins: [0], ends: 4 }, "reduce<u32>: segments is ends: 4; it takes an array"],
    [
      { begins: BigUint64Array.of(0n), ends: BigUint64Array.of(1n) },
      "reduce<u32>: segments is begins or ends of bigint; it takes numbers, such as Uint32Array.from(begins, Number)",
    ],
  ] as const) {
    await expect(fold().reduce(data, { segments } as never)).rejects.toMatchObject({
      name: "ArgumentError",
      message,
      option: "segments",
    });
  }
  const [words, floats] = [await fold().upload(data), await fold().upload(Float32Array.of(1))];
  for (const segments of [
    { begins: words },
    { begins: words, ends: floats },
    { begins: words, ends: await fold().upload(Uint32Array.of(1)) },
  ]) {
    await expect(fold().scan(words, { segments } as never)).rejects.toThrow(ArgumentError);
  }
});

test("segments that overlap, or do not ascend, write nothing outside of the ranges", async () => {
  const { device } = fold();
  const next = randomBits("overlapping");
  const options = {
    type: u32,
    maxLength: MOST,
    workGroupSize: 4,
    itemsPerThread: 2,
    segments: "begins",
  } as const;
  for (const passes of ["single", "reduce-then-scan"] as const) {
    const scan = await fold().prepareScan({ ...options, passes });
    const reduce = await fold().prepareReduce({ ...options, passes });
    for (let round = 0; round < 6; round++) {
      const anywhere = () =>
        Uint32Array.from({ length: 20 }, () => (next() % 5 === 0 ? next() : next() % 220));
      const data = randomWords(150, `overlapping ${round}`);
      const [begins, ends] = [arrayBuffer(device, anywhere(), 4), arrayBuffer(device, anywhere(), 4)];
      for (const [plan, room] of [
        [scan, 150],
        [reduce, 20],
      ] as const) {
        const input = arrayBuffer(device, data);
        const poison = randomWords(400, "poison");
        const output = storageBuffer(device, poison);
        const ranges = {
          input,
          output: { buffer: output, offset: 256 },
          length: data.length,
          begins: { buffer: begins, offset: 16 },
          ends: { buffer: ends, offset: 16 },
          segmentCount: 20,
        };
        submit(device, (encoder) => plan.record(encoder, ranges));
        const words = await readWords(device, output);
        expectSameBits(words.slice(0, 64), poison.slice(0, 64), "before the output");
        expectSameBits(words.slice(64 + room), poison.slice(64 + room), "behind the output");
        destroyAll(input, output);
      }
      destroyAll(begins, ends);
    }
    destroyAll(scan, reduce);
  }
});
