import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { blockItems } from "../../src/kernels/expand_runs.ts";
import { ArgumentError, DeviceLostError, LimitError, OutOfMemoryError, openFold } from "../../src/node.ts";
import { expandRunsReference, runLengthsReference } from "../../src/reference/runs.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { adapter, planAs, useFold } from "../support/fold.ts";
import { randomBits, randomWords } from "../support/random.ts";
import { watched } from "../support/watched_device.ts";

// Runs that are written out, against the reference, on every element.

const fold = useFold();

/** The counts of a number of runs: none, one, around a tile of 1024 items, and random ones. */
const counted: Readonly<Record<string, (runs: number) => Uint32Array>> = {
  ones: (runs) => new Uint32Array(runs).fill(1),
  "none but one": (runs) => Uint32Array.from({ length: runs }, (_, run) => (run === runs >> 1 ? 1500 : 0)),
  "around tiles": (runs) =>
    Uint32Array.from({ length: runs }, (_, run) => [1023, 0, 1, 1024, 0, 0, 1025, 7][run % 8] as number),
  random(runs) {
    const next = randomBits(`counts ${runs}`);
    return Uint32Array.from({ length: runs }, () => (next() % 3 === 0 ? 0 : next() % 30));
  },
};

test("the inverse of runLengths, on the GPU without reading anything back", async () => {
  const data = randomWords(800, "inverse").map((word) => word % 2);
  const array = await fold().upload(data);
  const { values, counts } = await fold().runLengths(array);
  const back = await fold().expandRuns(values, counts, { maxLength: 800 });
  expectSameBits(await back.read(), data, "back");
  const sums = await fold().scan(back);
  expect((await sums.read()).at(-1)).toBe(data.reduce((sum, one) => sum + one, 0));
  destroyAll(array, values, counts, back, sums);
  const { values: own, counts: lengths } = runLengthsReference(data);
  expectSameBits(expandRunsReference(own, lengths), data, "reference");
});

test("recorded: counts that start at a vector are scanned as vectors, to the last one", async () => {
  const { device } = fold();
  const most = 1500;
  const counts = randomWords(most, "counts").map((word) => word % 4);
  const values = randomWords(most, "values");
  const expand = await fold().prepareExpandRuns({ type: u32, maxLength: most });
  const input = storageBuffer(device, values);
  const count = storageBuffer(device, new Uint32Array(1));
  /** The pipelines of a recording, whose counts start behind some others. */
  const record = (
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    before: number,
    length: number,
    output: GPUBuffer,
  ) => {
    const buffer = storageBuffer(device, Uint32Array.of(...Array(before).fill(9), ...counts));
    expand.record(encoder, {
      input,
      counts: { buffer, offset: before * 4 },
      output: { buffer: output, offset: 12 },
      outputLength: 4 * most,
      count,
      length,
    });
  };
  const numbers = new Map<unknown, number>();
  const pipelinesOf = (before: number): readonly unknown[] => {
    const pipelines: unknown[] = [];
    const pass = {
      setPipeline(pipeline: unknown) {
        numbers.set(pipeline, numbers.get(pipeline) ?? numbers.size);
        pipelines.push(numbers.get(pipeline));
      },
      setBindGroup() {},
      dispatchWorkgroups() {},
    };
    record(pass as never, before, most, storageBuffer(device, new Uint32Array(3 + 4 * most)));
    return pipelines;
  };
  expect(pipelinesOf(4)).toEqual(pipelinesOf(0));
  expect(pipelinesOf(2)).not.toEqual(pipelinesOf(0));
  for (const before of [0, 2, 4, 64]) {
    for (const length of [most, most - 1, 1025, 1000, 67, 3]) {
      const output = storageBuffer(device, new Uint32Array(3 + 4 * most));
      const encoder = device.createCommandEncoder();
      record(encoder, before, length, output);
      device.queue.submit([encoder.finish()]);
      const expected = new Uint32Array(3 + 4 * most);
      expected.set(expandRunsReference(values.slice(0, length), counts.slice(0, length)), 3);
      expectSameBits(await readWords(device, output), expected, `${length} counts behind ${before}`);
    }
  }
  expand.destroy();
});

test("several blocks in a tile: runs within a block, and runs that fill some", async () => {
  for (const [workGroupSize, itemsPerThread] of [
    [64, 64],
    [128, 24],
    [256, 32],
  ] as const) {
    const sizes = { workGroupSize, itemsPerThread };
    expect(blockItems({ workGroupSize, items: itemsPerThread }) * 2).toBeLessThanOrEqual(itemsPerThread);
    for (const [how, countsOf] of Object.entries(counted)) {
      const counts = countsOf(how === "around tiles" ? 8 : 200);
      const values = randomWords(counts.length, `blocks ${how}`);
      expectSameBits(
        await fold().expandRuns(values, counts, sizes as never),
        expandRunsReference(values, counts),
        `${workGroupSize} x ${itemsPerThread}, ${how}`,
      );
    }
  }
});

test("counts that add up to more than 2^32 fill the room", async () => {
  const values = await fold().upload(Uint32Array.of(5, 6, 7));
  const counts = await fold().upload(Uint32Array.of(3, 0xffffffff, 0xffffffff));
  const found = await fold().expandRuns(values, counts, { maxLength: 10 });
  expectSameBits(await found.read(), Uint32Array.of(5, 5, 5, 6, 6, 6, 6, 6, 6, 6), "filled");
  destroyAll(values, counts, found);
});

test("what it refuses", async () => {
  const six = await fold().upload(new Uint32Array(6));
  const five = await fold().upload(new Uint32Array(5));
  const floats = await fold().upload(new Float32Array(6));
  const none = new Uint32Array(2);
  for (const [values, counts, options, option, message] of [
    [none, none, { maxLength: 5 }, "maxLength", /takes no option maxLength/],
    [none, Uint32Array.of(0xffffffff, 9), {}, "counts", /the counts add up to 4294967304/],
    [six, floats, { maxLength: 5 }, "counts", /counts holds f32; it takes u32/],
    [six, six, {}, "maxLength", /maxLength is undefined/],
  ] as const) {
    await expect(
      fold().expandRuns(values as never, counts as never, options as never),
      String(message),
    ).rejects.toMatchObject({
      option,
      message: expect.stringMatching(message),
    });
  }
  const expand = await fold().prepareExpandRuns({ type: u32, maxLength: 6 });
  const encoder = fold().device.createCommandEncoder();
  const counts = await fold().upload(new Uint32Array(6));
  const ranges = { input: six, counts, output: floats, outputLength: 6, count: five, length: 6 };
  const refuses = (change: object, option: string | undefined, message: RegExp, to: unknown = encoder) => {
    let found: unknown;
    try {
      expand.record(to as never, { ...ranges, ...change } as never);
    } catch (cause) {
      found = cause;
    }
    expect(found, String(message)).toBeInstanceOf(ArgumentError);
    expect(found, String(message)).toMatchObject({ option, message: expect.stringMatching(message) });
  };
  for (const [change, option, message] of [
    [{ counts: five }, "counts", /^expandRuns<u32>: counts has 20 bytes/],
    [{ counts: 5 }, "counts", /^expandRuns<u32>: counts is 5; it takes a GPUBuffer/],
    [{ length: 7 }, "length", /^expandRuns<u32>: length 7 is more than the maxLength 6/],
    [{ outputLength: -3 }, "outputLength", /^expandRuns<u32>: outputLength is -3/],
    [{ outputLength: 60 }, "output", /^expandRuns<u32>: output has/],
    [{ output: six }, "input", /^expandRuns<u32>: input .*and output .*(apart|different)/],
    [{ outputLength: undefined }, "outputLength", /^expandRuns<u32>: outputLength is undefined; it takes/],
    [{ counts: floats }, "counts", /^expandRuns<u32>: counts .* and output .* overlap; they must be apart$/],
    [
      { counts: six, count: six, input: counts },
      "counts",
      /^expandRuns<u32>: counts .* and count .* overlap/,
    ],
  ] as const) {
    refuses(change, option, message);
  }
  refuses({}, "encoder", /^expandRuns<u32>: record takes a GPUCommandEncoder/, {});
  // Values and counts are only read, and no dispatch reads the counts and writes a result.
  expand.record(encoder, { ...ranges, input: counts });
  expand.record(encoder, { ...ranges, counts: { buffer: five.buffer, offset: 64 } });
  expand.destroy();
  refuses({}, undefined, /^expandRuns<u32> was destroyed; prepare it again$/);
  destroyAll(six, five, floats, counts);
});

test("more than the device has room for is refused before anything is scanned", async () => {
  const { facts } = contextOf(fold().device);
  const long = new Uint32Array(3).fill(400);
  const { device, made } = watched(fold().device);
  const one = await openFold({ device });
  const [values, counts, wide] = [
    await one.upload(long),
    await one.upload(long),
    await one.upload(new Float64Array(3)),
  ];
  for (const sizes of [
    { maxStorageBufferBindingSize: 4096, maxBufferSize: 65536 },
    { maxStorageBufferBindingSize: 65536, maxBufferSize: 4096 },
  ]) {
    const restore = planAs({ device }, { limits: { ...facts.limits, ...sizes } });
    const before = made().length;
    try {
      for (const [call, option, needed, limit] of [
        [() => one.expandRuns(values, counts, { maxLength: 1025 }), "maxLength", 1025, 1024],
        [() => one.expandRuns(wide, counts, { maxLength: 2 ** 30 }), "maxLength", 2 ** 30, 512],
        [() => one.expandRuns(long, long), "counts", 1200, 1024],
        [() => one.expandRuns(new Float64Array(3), long), "counts", 1200, 512],
      ] as const) {
        const found = await call().catch((cause: unknown) => cause);
        expect(found).toBeInstanceOf(LimitError);
        expect(found).toMatchObject({ option, needed, limit });
        expect((found as Error).message).toMatch(
          new RegExp(`${needed} items of .* which is ${limit}; open the device`),
        );
      }
      expect(made().length, "no buffer is made").toBe(before);
    } finally {
      restore();
    }
  }
  // The kernel takes no more, whatever the device has room for.
  const limits = { ...facts.limits, maxStorageBufferBindingSize: 2 ** 40, maxBufferSize: 2 ** 40 };
  const restore = planAs({ device }, { limits });
  const found = await one.expandRuns(values, counts, { maxLength: 2 ** 32 - 1 }).catch((cause) => cause);
  const atHand = await one
    .expandRuns(
      long,
      long.map(() => 0x55555555),
    )
    .catch((cause) => cause);
  restore();
  expect(found).toBeInstanceOf(ArgumentError);
  expect(found).toMatchObject({ option: "maxLength", message: expect.stringMatching(/0 to 2\^32 - 2/) });
  expect(atHand).toBeInstanceOf(LimitError);
  expect(atHand).toMatchObject({ option: "counts", needed: 2 ** 32 - 1, limit: 2 ** 32 - 2 });
  one.destroy();
});

test("values that are destroyed while the counts are scanned stay until the call ends", async () => {
  const { device } = fold();
  let compiles: (() => void) | undefined;
  const hooked = new Proxy(device, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "createComputePipelineAsync") {
        return (descriptor: GPUComputePipelineDescriptor) => {
          compiles?.();
          return target.createComputePipelineAsync(descriptor);
        };
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const one = await openFold({ device: hooked });
  const [values, counts] = [
    await one.upload(Uint32Array.of(5, 6, 7)),
    await one.upload(Uint32Array.of(2, 0, 3)),
  ];
  let isDestroyed = false;
  compiles = () => {
    values.destroy();
    isDestroyed = true;
  };
  const found = await one.expandRuns(values, counts, { maxLength: 9 });
  expect(isDestroyed).toBe(true);
  expectSameBits(await found.read(), Uint32Array.of(5, 5, 7, 7, 7), "values of the call");
  one.destroy();
});

// A GPU may well have room for the largest buffer.
test.skipIf(adapter === "gpu")("without room, it leaves nothing behind", async () => {
  const { maxBufferSize } = fold().device.limits;
  let starved = / count$/;
  const { device, alive } = watched(fold().device, {
    buffer: (one) => ({ ...one, ...(starved.test(one.label ?? "") && { size: maxBufferSize }) }),
  });
  const one = await openFold({ device, maxKeptBytes: 0 });
  const values = await one.upload(Uint32Array.of(5, 6, 7));
  const counts = await one.upload(Uint32Array.of(2, 0, 3));
  const before = alive();
  await expect(one.expandRuns(values, counts, { maxLength: 9 })).rejects.toMatchObject({
    name: "OutOfMemoryError",
    needed: 4,
    message: expect.stringMatching(/^expandRuns<u32>: no room/),
  });
  one.trim();
  expect(alive()).toEqual(before);
  destroyAll(values, counts);
  expect(alive().filter((label) => /upload/.test(label))).toEqual([]);
  starved = /expandRuns<u32> scratch: ends$/;
  const [again, more] = [await one.upload(Uint32Array.of(5)), await one.upload(Uint32Array.of(2))];
  await expect(one.expandRuns(again, more, { maxLength: 9 })).rejects.toThrow(/^expandRuns<u32>: no room/);
  const found = await one.prepareExpandRuns({ type: u32, maxLength: 100_000 }).catch((cause) => cause);
  expect(found).toBeInstanceOf(OutOfMemoryError);
  expect(found.message).toMatch(/^expandRuns<u32>: no room/);
  one.destroy();
});

test("a lost device is an error of the runs", async () => {
  const one = await openFold({ adapter });
  const expand = await one.prepareExpandRuns({ type: u32, maxLength: 6 });
  const buffer = storageBuffer(one.device, new Uint32Array(6));
  const encoder = one.device.createCommandEncoder();
  one.device.destroy();
  await one.device.lost;
  await new Promise((resolve) => setTimeout(resolve, 10));
  const record = () =>
    expand.record(encoder, {
      input: buffer,
      counts: buffer,
      output: buffer,
      outputLength: 6,
      count: buffer,
      length: 6,
    });
  expect(record).toThrow(DeviceLostError);
  expect(record).toThrow(/^expandRuns<u32>: the device/);
});
