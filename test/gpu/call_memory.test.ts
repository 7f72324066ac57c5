import { describe, expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { openFold as openInBrowsers } from "../../src/index.ts";
import { ArgumentError, type Fold, OutOfMemoryError, openFold } from "../../src/node.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { nullGpu } from "../support/null_device.ts";
import { type Watched, watched } from "../support/watched_device.ts";

// What calls at hand leave for the next ones, pieces of long arrays, and arrays of the caller's for results.

const fold = useFold();
const Pair = struct({ name: "Pair", fields: { a: u32, b: f32 } });

const sumsOf = (data: Uint32Array): Uint32Array => {
  let sum = 0;
  return data.map((one) => {
    sum = (sum + one) >>> 0;
    return sum;
  });
};
const dataOf = (length: number): Uint32Array =>
  Uint32Array.from({ length }, (_, at) => (at * 2654435761) >>> 7);

/** A fold of its own on the file's device, with its buffers watched, and bytes of a piece. */
async function foldOf(
  options: { maxKeptBytes?: number; pieceBytes?: number; buffer?: Parameters<typeof watched>[1] } = {},
): Promise<Watched & { one: Fold; keptBytes(): number }> {
  const { pieceBytes, buffer, ...given } = options;
  const own = watched(fold().device, buffer);
  const one = await openFold({ device: own.device, ...given });
  const { kept } = contextOf(own.device);
  kept.pieceBytes = pieceBytes ?? kept.pieceBytes;
  kept.longBytes = pieceBytes ?? kept.longBytes;
  return { ...own, one, keptBytes: () => kept.buffers.reduce((sum, { size }) => sum + size, 0) };
}

async function nullDevice(): Promise<GPUDevice> {
  const device = await (await nullGpu().requestAdapter())?.requestDevice();
  if (device === undefined) {
    throw new Error("Dawn has no null adapter");
  }
  return device;
}

/** Calls of each kind that are right. */
async function callEach(one: Fold, data: Uint32Array): Promise<void> {
  const sums = sumsOf(data);
  expect(await one.scan(data)).toEqual(sums);
  expect(await one.reduce(data)).toBe(sums.at(-1) ?? 0);
  expect(await one.compact(data, { where: "x % 3u == 1u" })).toEqual(data.filter((x) => x % 3 === 1));
  expect(await one.compact(data, { flags: data.map((x) => x & 1), indices: true })).toEqual(
    Uint32Array.from(data.keys()).filter((at) => ((data[at] as number) & 1) === 1),
  );
}

describe("buffers and plans", () => {
  test("calls of the same lengths make nothing after the first", async () => {
    const { one, made, alive } = await foldOf();
    const data = dataOf(600);
    for (let turn = 0; turn < 2; turn++) {
      await callEach(one, data);
    }
    const before = made().length;
    for (let turn = 0; turn < 4; turn++) {
      await callEach(one, data);
    }
    expect(before).toBeGreaterThan(10);
    // A run whose buffers are others than the last time's has its own parameters.
    expect(
      made()
        .slice(before)
        .filter((label) => !/^wavefold \w+<[^>]*>$/.test(label)),
    ).toEqual([]);
    const { length } = alive();
    await callEach(one, data);
    expect(alive().length).toBe(length);
    one.trim();
    expect(alive()).toEqual([]);
    await callEach(one, data);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("a call that is repeated makes nothing at all, its parameters neither", async () => {
    const { one, made } = await foldOf();
    const data = dataOf(600);
    const calls = [
      () => one.scan(data),
      () => one.reduce(data),
      () => one.compact(data, { where: "x > 7u" }),
      () => one.scan(data, { passes: "single", workGroupSize: 8, itemsPerThread: 4 }),
    ];
    for (const call of calls) {
      await call();
      await call();
      const before = made();
      for (let turn = 0; turn < 3; turn++) {
        await call();
      }
      expect(made()).toEqual(before);
    }
    one.destroy();
  });

  test("a call that is repeated is one submission and one answer, and neither asks whether it is right nor makes labels", async () => {
    const { one } = await foldOf();
    // More than the queue writes without staging.
    for (const length of [1000, 20_000]) {
      const data = dataOf(length);
      const sums = sumsOf(data);
      const into = new Uint32Array(length);
      const total = new Uint32Array(1);
      const calls: [string, () => Promise<unknown>][] = [
        ["scan", () => one.scan(data, { into, exclusive: true, initial: 5, total })],
        ["reduce", () => one.reduce(data)],
        ["compact", () => one.compact(data, { where: "x % 3u == 1u", into })],
        ["compact by flags", () => one.compact(data, { flags: data, indices: true })],
      ];
      for (const [title, call] of calls) {
        await call();
        await call();
        const { device } = fold();
        const { queue } = device;
        const own = { submit: queue.submit };
        const { pushErrorScope, createCommandEncoder } = device;
        const counted = { submits: 0, scopes: 0, labels: 0 };
        queue.submit = (commands) => {
          counted.submits++;
          own.submit.call(queue, commands);
        };
        device.pushErrorScope = (filter) => {
          counted.scopes++;
          pushErrorScope.call(device, filter);
        };
        const count = (descriptor?: { readonly label?: string }): void => {
          counted.labels += Number(descriptor?.label !== undefined);
        };
        device.createCommandEncoder = (descriptor) => {
          count(descriptor);
          const encoder = createCommandEncoder.call(device, descriptor);
          const { beginComputePass } = encoder;
          return Object.assign(encoder, {
            beginComputePass(one?: GPUComputePassDescriptor) {
              count(one);
              return beginComputePass.call(encoder, one);
            },
          });
        };
        try {
          await call();
        } finally {
          Object.assign(queue, own);
          Object.assign(device, { pushErrorScope, createCommandEncoder });
        }
        expect(counted, `${title} of ${length}`).toEqual({ submits: 1, scopes: 0, labels: 0 });
      }
      await calls[0]?.[1]();
      expect(into).toEqual(sums.map((_, at) => ((sums[at - 1] ?? 0) + 5) >>> 0));
      expect(total[0]).toBe(((sums.at(-1) as number) + 5) >>> 0);
    }
    // Too many to be read before anybody knows how many are kept: the number is read first.
    const many = dataOf(70_000);
    for (let turn = 0; turn < 2; turn++) {
      expect(await one.compact(many, { where: "x % 3u == 1u" })).toEqual(many.filter((x) => x % 3 === 1));
      expect((await one.compact(many, { where: "false" })).length).toBe(0);
    }
    one.destroy();
  });

  test("calls of other lengths share plans and scratch", async () => {
    const { one, made } = await foldOf();
    const all = dataOf(4096);
    const call = async (length: number): Promise<void> => {
      const data = all.subarray(0, length);
      expect(await one.scan(data)).toEqual(sumsOf(data));
      expect(await one.reduce(data)).toBe(sumsOf(data).at(-1) ?? 0);
      expect(await one.compact(data, { where: "x % 3u == 1u" })).toEqual(data.filter((x) => x % 3 === 1));
    };
    await call(4096);
    await call(4096);
    const buffers = (): string[] => made().filter((label) => !/^wavefold \w+<[^>]*>$/.test(label));
    const before = buffers();
    const { plans } = contextOf(one.device).kept;
    expect(plans.length).toBe(3);
    for (const length of [2049, 4095, 3000, 2500, 4096, 3999]) {
      await call(length);
    }
    expect(buffers()).toEqual(before);
    expect(contextOf(one.device).kept.plans.length).toBe(3);
    one.destroy();
  });

  const shapes = [
    { workGroupSize: 4, itemsPerThread: 2 },
    { workGroupSize: 7, itemsPerThread: 3 },
  ];
  test.each(shapes)(
    "sums of f64 do not depend on the length that a plan is made for: $workGroupSize × $itemsPerThread",
    async (sizes) => {
      const { one } = await foldOf();
      const tuning = { algorithm: "blelloch", passes: "reduce-then-scan", ...sizes } as const;
      const grouping = { ...tuning, subgroupSize: 4 };
      const all = Float64Array.from({ length: 513 }, (_, at) => Math.sin(at) * 10 ** (at % 9));
      for (const length of [0, 1, 7, 8, 9, 21, 22, 65, 256, 257, 441, 442, 513]) {
        const data = all.subarray(0, length);
        for (const exclusive of [false, true]) {
          const expected = scanReference(data, { grouping, exclusive });
          expectSameBits(await one.scan(data, { ...tuning, exclusive }), expected, `${length}`);
        }
        expect(await one.reduce(data, tuning)).toBe(reduceReference(data, { grouping }));
      }
      one.destroy();
    },
  );

  test("what is kept does not grow over calls of many lengths and maps", async () => {
    const { one, alive, keptBytes } = await foldOf({ maxKeptBytes: 2 ** 16 });
    const most: number[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const data = dataOf((turn * 97) % 1000);
      // More plans than are kept, and then the last ones again.
      const map = turn < 20 ? turn : 12 + (turn % 8);
      // Small kernels, since each map compiles some.
      const sizes = { algorithm: "blelloch", workGroupSize: 16, itemsPerThread: 2 } as const;
      expect(await one.scan(data, { map: `x + ${map}u`, ...sizes })).toEqual(
        sumsOf(data.map((x) => x + map)),
      );
      expect(keptBytes()).toBeLessThanOrEqual(2 ** 16);
      most.push(alive().length);
    }
    expect(Math.max(...most.slice(20))).toBeLessThanOrEqual(Math.max(...most.slice(0, 20)) + 8);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("maxKeptBytes: 0 keeps no buffer", async () => {
    const { one, keptBytes } = await foldOf({ maxKeptBytes: 0 });
    await callEach(one, dataOf(1000));
    expect(keptBytes()).toBe(0);
    await callEach(one, dataOf(1000));
    one.destroy();
  });

  test.each([-1, 0.5, "1", null])("maxKeptBytes: %j", async (maxKeptBytes) => {
    await expect(openFold({ device: fold().device, maxKeptBytes: maxKeptBytes as number })).rejects.toThrow(
      `openFold: maxKeptBytes is ${typeof maxKeptBytes === "string" ? JSON.stringify(maxKeptBytes) : maxKeptBytes}; it takes a whole number from 0 up`,
    );
  });

  test("calls at once have buffers and plans of their own", async () => {
    const { one, keptBytes } = await foldOf({ maxKeptBytes: 2 ** 20 });
    for (let turn = 0; turn < 3; turn++) {
      const arrays = Array.from({ length: 20 }, (_, at) => dataOf(1 + ((at * 61) % 900)).map((x) => x + at));
      const scans = await Promise.all(arrays.map((data) => one.scan(data)));
      expect(scans).toEqual(arrays.map(sumsOf));
      expect(keptBytes()).toBeLessThanOrEqual(2 ** 20);
    }
    one.destroy();
  });

  // Dawn's null backend runs nothing, so that many calls take little time.
  test("hundreds of calls in a loop: buffers do not grow", async () => {
    const device = await nullDevice();
    const { device: own, alive } = watched(device);
    const one = await openFold({ device: own });
    const { kept } = contextOf(own);
    const lengths = [1, 300, 1000];
    const into = new Uint32Array(1000);
    const counts = new Set<string>();
    for (let turn = 1; turn <= 200; turn++) {
      const length = lengths[turn % lengths.length] as number;
      const data = into.subarray(0, length);
      await one.scan(data, { into: data, exclusive: true, initial: 3 });
      await one.reduce(data);
      // Nothing tells a compaction how much it keeps here.
      await one.partition(data, { where: "x > 7u", into: data });
      await one.scan(data, { passes: "single", total: into.subarray(0, 1) });
      if (turn % 50 === 0) {
        counts.add(`${alive().length} ${kept.plans.length}`);
      }
    }
    expect(counts.size).toBe(1);
    expect(kept).toMatchObject({ usedBytes: 0, waiting: [] });
    one.destroy();
    expect(alive()).toEqual([]);
    device.destroy();
  });

  test("many calls at once are right, and keep no more than was stated", async () => {
    const maxKeptBytes = 2 ** 14;
    const sizes = { workGroupSize: 4, itemsPerThread: 2 } as const;
    const { one, alive, keptBytes } = await foldOf({ maxKeptBytes, pieceBytes: 2 ** 12 });
    // One in thirty is so long that it goes in pieces.
    const arrays = Array.from({ length: 120 }, (_, at) =>
      dataOf(at % 30 === 0 ? 1500 : 1 + ((at * 61) % 90)),
    );
    const found = await Promise.all(
      arrays.map(async (data, at) =>
        at % 3 === 0
          ? Uint32Array.of(await one.reduce(data, sizes))
          : at % 3 === 1
            ? one.scan(data, sizes)
            : one.compact(data, { where: "x % 3u == 1u", ...sizes }),
      ),
    );
    expect(found).toEqual(
      arrays.map((data, at) =>
        at % 3 === 0 ? sumsOf(data).slice(-1) : at % 3 === 1 ? sumsOf(data) : data.filter((x) => x % 3 === 1),
      ),
    );
    expect(keptBytes()).toBeLessThanOrEqual(maxKeptBytes);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("operators, types and options are told apart", async () => {
    const { one } = await foldOf();
    const data = dataOf(500);
    for (let turn = 0; turn < 2; turn++) {
      expect((await one.scan(data, { exclusive: true }))[1]).toBe(data[0]);
      expect((await one.scan(data))[0]).toBe(data[0]);
      expect(await one.scan(new Int32Array(data.buffer))).toEqual(new Int32Array(sumsOf(data).buffer));
      expect((await one.scan(data, { map: "x + 1u" }))[0]).toBe((data[0] as number) + 1);
      expect((await one.scan(data, { map: "x + 2u" }))[0]).toBe((data[0] as number) + 2);
      expect(await one.reduce(data, { map: "f32(x & 1u)", type: f32 })).toBe(
        data.filter((x) => x & 1).length,
      );
    }
    // What is wrong is wrong each time.
    for (let turn = 0; turn < 2; turn++) {
      await expect(one.scan(data, { map: "nonsense" })).rejects.toThrow("nonsense");
      await expect(one.scan(data, { workGroupSize: 0 })).rejects.toThrow(ArgumentError);
    }
    one.destroy();
  });

  test("if there is no room, what is kept makes room", async () => {
    let starved = 0;
    const { maxBufferSize } = fold().device.limits;
    const { one, alive } = await foldOf({
      buffer: {
        buffer: (descriptor) =>
          descriptor.label?.endsWith(" input") && starved-- > 0
            ? { ...descriptor, size: maxBufferSize }
            : descriptor,
      },
    });
    await callEach(one, dataOf(600));
    const kept = contextOf(one.device).kept.buffers.length;
    expect(kept).toBeGreaterThan(0);
    starved = 1;
    await callEach(one, dataOf(17_000));
    starved = 2;
    await expect(one.scan(dataOf(34_000))).rejects.toThrow(OutOfMemoryError);
    starved = 0;
    expect(await one.reduce(dataOf(34_000))).toBe(sumsOf(dataOf(34_000)).at(-1));
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("a call that fails leaves nothing, and the next one works", async () => {
    const { one, alive } = await foldOf({ pieceBytes: 2 ** 12 });
    const data = dataOf(5000);
    const pending = one.scan(data);
    const [error] = await Promise.all([
      pending.catch((cause: unknown) => cause),
      new Promise<void>((resolve) => {
        structuredClone(data.buffer, { transfer: [data.buffer as ArrayBuffer] });
        resolve();
      }),
    ]);
    expect(error).toBeInstanceOf(ArgumentError);
    // The plan and the buffers are as good as new, so the next call may take them.
    one.trim();
    expect(alive()).toEqual([]);
    await callEach(one, dataOf(2500));
    one.destroy();
    expect(alive()).toEqual([]);
  });
});

describe("arrays of many pieces", () => {
  test.each([
    ["Node.js", openFold, 2 ** 24],
    ["browsers", openInBrowsers, 2 ** 23],
  ] as const)("the length of a piece in %s", async (_, open, pieceBytes) => {
    const sizes: number[] = [];
    // Dawn's null backend runs nothing, so that long arrays take little time.
    const nothing = await nullDevice();
    const { device, alive } = watched(nothing, {
      buffer(descriptor) {
        if (descriptor.label?.endsWith("staging")) {
          sizes.push(descriptor.size);
        }
        return descriptor;
      },
    });
    const one = await open({ device });
    expect(contextOf(device).kept.pieceBytes).toBe(pieceBytes);
    const data = new Uint32Array(2 ** 22 + 5);
    await one.reduce(data);
    expect(sizes).toEqual(
      Array.from({ length: Math.ceil((4 * data.length) / pieceBytes) }, () => pieceBytes),
    );
    one.destroy();
    expect(alive()).toEqual([]);
    nothing.destroy();
  });

  test.each([1024, 1025, 8193])("%i words", async (length) => {
    const { one, alive, made } = await foldOf({ pieceBytes: 2 ** 12 });
    const data = dataOf(length);
    await callEach(one, data);
    await callEach(one, data);
    // Four pieces of staging at most, each way; and four of flags. Those of a compaction's total are smaller.
    expect(made().filter((label) => label.endsWith("staging")).length).toBeLessThanOrEqual(8);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("items that do not divide a piece, and half words", async () => {
    const { one } = await foldOf({ pieceBytes: 2 ** 12 });
    const pairs = Pair.from(Array.from({ length: 3001 }, (_, at) => ({ a: at, b: at / 2 })));
    const odd = await one.compact(pairs, { where: "x.a % 2u == 1u" });
    expect(odd.length).toBe(1500);
    expect(odd.get(1499)).toEqual({ a: 2999, b: 1499.5 });
    if (one.device.features.has("shader-f16")) {
      const halves = new Uint16Array(7001).fill(0x3c00);
      const kept = await one.compact(halves, { type: f16, where: "i != 3u" });
      expect(kept).toEqual(new Uint16Array(7000).fill(0x3c00));
    }
    one.destroy();
  });

  test("an array that becomes shorter between pieces is refused", async () => {
    const { one } = await foldOf({ pieceBytes: 2 ** 12 });
    const data = dataOf(20_000);
    // Once a piece is on its way.
    let copies = 0;
    const { prototype } = one.device.createCommandEncoder().constructor;
    const { copyBufferToBuffer } = prototype;
    prototype.copyBufferToBuffer = function (...copy: unknown[]) {
      if (++copies === 3) {
        structuredClone(data.buffer, { transfer: [data.buffer as ArrayBuffer] });
      }
      return copyBufferToBuffer.apply(this, copy);
    };
    try {
      await expect(one.scan(data)).rejects.toThrow(
        "the array was transferred or became shorter during the call",
      );
    } finally {
      prototype.copyBufferToBuffer = copyBufferToBuffer;
    }
    expect(copies).toBeGreaterThanOrEqual(3);
    expect(await one.scan(dataOf(3000))).toEqual(sumsOf(dataOf(3000)));
    one.destroy();
  });
});

describe("into", () => {
  test.each([5, 5000])("takes the result, and nothing beside: %i words", async (length) => {
    const { one } = await foldOf({ pieceBytes: 2 ** 12 });
    const data = dataOf(length);
    const all = new Uint32Array(length + 6).fill(7);
    const into = all.subarray(3, 3 + length);
    expect(await one.scan(data, { into })).toBe(into);
    expect(into).toEqual(sumsOf(data));
    expect([...all.slice(0, 3), ...all.slice(-3)]).toEqual([7, 7, 7, 7, 7, 7]);

    const kept = await one.compact(data, { where: "x % 3u == 1u", into });
    expect(kept).toEqual(data.filter((x) => x % 3 === 1));
    expect(kept.buffer).toBe(all.buffer);
    expect(kept.byteOffset).toBe(into.byteOffset);
    expect(into.slice(kept.length)).toEqual(sumsOf(data).slice(kept.length));
    // In place, and in memory that threads share.
    const shared = new Uint32Array(new SharedArrayBuffer(4 * length));
    shared.set(data);
    expect(await one.scan(shared, { into: shared })).toBe(shared);
    expect([...shared]).toEqual([...sumsOf(data)]);
    one.destroy();
  });

  test("of other types, positions, and nothing", async () => {
    const data = Float32Array.of(0.2, 0.9, 0.7);
    const counts = new Uint32Array(3);
    expect(await fold().scan(data, { type: u32, map: "u32(x > 0.5)", into: counts })).toBe(counts);
    expect([...counts]).toEqual([0, 1, 2]);
    expect([...(await fold().compact(data, { where: "x > 0.5", indices: true, into: counts }))]).toEqual([
      1, 2,
    ]);
    const pairs = Pair.from([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    const room = Pair.array(5);
    const kept = await fold().compact(pairs, { where: "x.a > 1u", into: room });
    expect([...kept]).toEqual([{ a: 3, b: 4 }]);
    expect(room.get(0)).toEqual({ a: 3, b: 4 });
    expect(room.get(1)).toEqual({ a: 0, b: 0 });
    const empty = new Float32Array(0);
    expect(await fold().scan(new Float32Array(0), { into: empty })).toBe(empty);
    expect((await fold().compact(data, { where: "false", into: new Float32Array(3) })).length).toBe(0);
    expect((await fold().compact(empty, { where: "true", into: data })).length).toBe(0);
  });

  const Other = struct({ name: "Pair", fields: { a: u32, b: f32 } });
  test.each([
    [new Float32Array(3), "scan: into is Float32Array; it takes Uint32Array, as the result is"],
    [new Uint32Array(2), "scan: into has 2 elements; it takes 3, as many as the data"],
    [new Uint32Array(4), "scan: into has 4 elements; it takes 3, as many as the data"],
    [null, "scan: into is null; it takes Uint32Array"],
    [Pair.array(3), "scan: into is an array of Pair; it takes Uint32Array"],
  ])("%o is refused", async (into, message) => {
    const error = await fold()
      .scan(Uint32Array.of(1, 2, 3), { into: into as never })
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toContain(message);
  });

  test("too short for a compaction, and another struct of the same name", async () => {
    const data = Uint32Array.of(1, 2, 3);
    await expect(fold().compact(data, { where: "x > 2u", into: new Uint32Array(2) })).rejects.toThrow(
      "compact: into has 2 elements; it takes at least 3, as many as the data",
    );
    await expect(
      fold().compact(Pair.array(1), { where: "true", into: Other.array(1) as never }),
    ).rejects.toThrow("compact: into is an array of Pair; it takes an array of Pair, as the result is");
    await expect(fold().reduce(data, { into: data } as never)).rejects.toThrow("into");
  });

  test("an array that is transferred meanwhile is refused", async () => {
    const into = new Uint32Array(1000);
    const pending = fold().scan(dataOf(1000), { into });
    structuredClone(into.buffer, { transfer: [into.buffer] });
    await expect(pending).rejects.toThrow("scan: into was transferred or became shorter during the call");
    expect(await fold().reduce(Uint32Array.of(1, 2, 3))).toBe(6);
  });
});
