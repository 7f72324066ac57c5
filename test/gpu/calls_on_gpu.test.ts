import { describe, expect, test } from "vitest";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { max } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { Value } from "../../src/algebra/types.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { ContentsOf, Fold, GpuArray } from "../../src/node.ts";
import {
  ArgumentError,
  DeviceLostError,
  LimitError,
  OutOfMemoryError,
  openFold,
  SourceError,
  WavefoldError,
} from "../../src/node.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { storageBuffer } from "../support/buffers.ts";
import { adapter, useFold } from "../support/fold.ts";
import { collectGarbage } from "../support/memory_use.ts";
import { nullGpu } from "../support/null_device.ts";
import { type Watched, watched } from "../support/watched_device.ts";

// What calls on the GPU keep and give back, and what they refuse.

const fold = useFold();
const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;
/** A single pass needs a larger spine, and digits that the device keeps. */
const readTwice = { ...tuning, passes: "reduce-then-scan" } as const;
const Pair = struct({ name: "Pair", fields: { a: u32, b: f32 } });
const OtherPair = struct({ name: "Pair", fields: { a: u32, b: f32 } });

const dataOf = (length: number): Uint32Array =>
  Uint32Array.from({ length }, (_, at) => (at * 2654435761) >>> 7);

const isSimulator = (): boolean => fold().adapterInfo.architecture === "simulator";

async function foldOn(
  device: GPUDevice,
  changes?: Parameters<typeof watched>[1],
  options: { readonly maxKeptBytes?: number; readonly maxPipelines?: number } = {},
): Promise<Watched & { one: Fold }> {
  const own = watched(device, changes);
  return { ...own, one: await openFold({ device: own.device, ...options }) };
}

/** A chain of calls, each result of which is given back. */
async function chain(
  one: Fold,
  a: GpuArray<"u32", number>,
  options: object = tuning,
): Promise<GpuArray<"u32", number>> {
  const sums = await one.scan(a, options);
  const kept = await one.compact(sums, { where: "x % 2u == 1u", ...options });
  const again = await one.scan(kept, { exclusive: true, ...options });
  const most = await one.reduce(again, { op: max, ...options });
  for (const done of [sums, kept, again]) {
    done.destroy();
  }
  return most;
}

/** What an array holds. It is destroyed then, so that nothing of it is left to the garbage collector. */
async function take<Name extends string, V extends Value>(
  array: GpuArray<Name, V>,
): Promise<ContentsOf<Name, V>> {
  const data = await array.read();
  array.destroy();
  return data;
}

const expectedOf = (data: Uint32Array): number => {
  const kept = scanReference(data).filter((x) => x % 2 === 1);
  return scanReference(kept, { exclusive: true }).reduce((most, x) => Math.max(most, x), 0);
};

describe("memory", () => {
  test("a chain that is repeated makes nothing, and calls at hand use what it gave back", async () => {
    const { one, made, alive } = await foldOn(fold().device);
    const data = dataOf(700);
    const a = await one.upload(data);
    const round = async (): Promise<void> => (await chain(one, a)).destroy();
    for (let turn = 0; turn < 3; turn++) {
      await round();
    }
    const before = made();
    for (let turn = 0; turn < 20; turn++) {
      await round();
    }
    expect(made()).toEqual(before);
    expect(await take(await chain(one, a))).toEqual(Uint32Array.of(expectedOf(data)));
    // Interleaved with calls at hand, which take buffers of the same kept ones.
    const sums = scanReference(data);
    for (let turn = 0; turn < 5; turn++) {
      const pending = chain(one, a);
      expect(await one.scan(data)).toEqual(sums);
      expect(await take(await pending)).toEqual(Uint32Array.of(expectedOf(data)));
    }
    a.destroy();
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("lengths that vary reuse plans, and what is dropped is destroyed", async () => {
    const { one, alive } = await foldOn(fold().device);
    const counts: number[] = [];
    for (let turn = 0; turn < 160; turn++) {
      const data = dataOf(1 + ((turn * 37) % 200));
      const a = await one.upload(data);
      const most = await chain(one, a);
      if (turn % 20 === 0) {
        expect(await most.read()).toEqual(Uint32Array.of(expectedOf(data)));
      }
      most.destroy();
      a.destroy();
      counts.push(alive().length);
    }
    // One plan for each of the four calls.
    expect(contextOf(one.device).kept.plans.length).toBe(4);
    expect(Math.max(...counts.slice(80))).toBeLessThanOrEqual(Math.max(...counts.slice(0, 80)));
    one.destroy();
    expect(alive()).toEqual([]);
  });

  // Dawn's null backend runs nothing, so that many calls take little time.
  test.each([{}, { passes: "single" }] as const)("thousands of calls, %o", async (options) => {
    const device = await (await nullGpu().requestAdapter())?.requestDevice();
    if (device === undefined) {
      throw new Error("Dawn has no null adapter");
    }
    const { one, alive } = await foldOn(device);
    const a = await one.upload(dataOf(3000));
    const counts: number[] = [];
    for (let turn = 0; turn < 400; turn++) {
      (await chain(one, a, options)).destroy();
      if (turn % 100 === 99) {
        await device.queue.onSubmittedWorkDone();
        counts.push(alive().length);
      }
    }
    expect(new Set(counts).size).toBe(1);
    a.destroy();
    one.destroy();
    expect(alive()).toEqual([]);
    device.destroy();
  });

  test("arrays that nobody destroys are garbage-collected, with their buffers", async () => {
    const device = await (await nullGpu().requestAdapter())?.requestDevice();
    if (device === undefined) {
      throw new Error("Dawn has no null adapter");
    }
    const one = await openFold({ device });
    const a = await one.upload(dataOf(300));
    const buffers: WeakRef<GPUBuffer>[] = [];
    for (let turn = 0; turn < 150; turn++) {
      buffers.push(new WeakRef((await one.scan(a, tuning)).buffer));
    }
    await collectGarbage();
    // A plan keeps 64 recordings, and those hold their ranges.
    expect(buffers.filter((buffer) => buffer.deref() !== undefined).length).toBeLessThanOrEqual(66);
    one.destroy();
    device.destroy();
  });

  test("at most 16 plans are kept, also if calls of many kinds run at once", async () => {
    const { one, alive } = await foldOn(fold().device);
    const data = dataOf(100);
    const a = await one.upload(data);
    const kinds = Array.from({ length: 18 }, (_, at) => at);
    for (let turn = 0; turn < 2; turn++) {
      const results = await Promise.all(
        kinds.map(async (at) => {
          const scanned = await one.scan(a, { map: `x + ${at}u`, ...tuning });
          return [at, await take(scanned)] as const;
        }),
      );
      for (const [at, result] of results) {
        expect(result).toEqual(scanReference(data.map((x) => x + at)));
      }
      expect(contextOf(one.device).kept.plans.length).toBeLessThanOrEqual(16);
    }
    one.trim();
    expect(contextOf(one.device).kept.plans).toEqual([]);
    expect(await take(await one.scan(a, tuning))).toEqual(scanReference(data));
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("a plan with much scratch goes when the calls that use it end", async () => {
    for (const [maxKeptBytes, plans] of [
      [2 ** 20, 1],
      [2 ** 16, 0],
    ] as const) {
      const { one, alive } = await foldOn(fold().device, {}, { maxKeptBytes });
      // Its scratch has at least as many bytes as the data: 8,000.
      const data = dataOf(2000);
      const a = await one.upload(data);
      const sort = () => one.sort(a, { workGroupSize: 64, itemsPerThread: 4, passes: "reduce-then-scan" });
      const sorted = await Promise.all([sort(), sort()]);
      for (const result of [...sorted, await sort()]) {
        expect(await take(result)).toEqual(data.slice().sort());
      }
      expect(contextOf(one.device).kept.plans.length).toBe(plans);
      const scratch = alive().filter((label) => label.includes("scratch"));
      expect(scratch.length > 0).toBe(plans > 0);
      a.destroy();
      one.destroy();
      expect(alive()).toEqual([]);
    }
  });

  test("scratch that a sort in place makes later counts as well", async () => {
    const { one } = await foldOn(fold().device, {}, { maxKeptBytes: 2 ** 16 });
    const data = dataOf(2048);
    const a = await one.upload(data);
    (await one.sort(a, { into: a, segments: { rows: 4 } })).destroy();
    expect(contextOf(one.device).kept.plans).toEqual([]);
    a.destroy();
    one.destroy();
  });

  test("the order of options does not tell plans apart, and neither does the array's own type", async () => {
    const { one } = await foldOn(fold().device);
    const a = await one.upload(dataOf(100));
    for (const options of [
      { descending: true, key: "x % 10u" },
      { key: "x % 10u", descending: true },
      { type: u32, key: "x % 10u", descending: true },
    ]) {
      (await one.sort(a, options)).destroy();
    }
    expect(contextOf(one.device).kept.plans).toHaveLength(1);
    a.destroy();
    one.destroy();
  });

  test("calls that come while their plan is compiled wait for it", async () => {
    const { one, made, alive } = await foldOn(fold().device);
    const data = dataOf(100);
    const a = await one.upload(data);
    const results = await Promise.all(Array.from({ length: 20 }, () => one.scan(a, tuning)));
    expect(contextOf(one.device).kept.plans.length).toBe(1);
    expect(made().filter((label) => label.includes("scratch")).length).toBeLessThanOrEqual(4);
    for (const result of results) {
      expect(await take(result)).toEqual(scanReference(data));
    }
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("of many arrays that are destroyed at once, some buffers are kept", async () => {
    const { one, alive } = await foldOn(fold().device);
    const arrays = await Promise.all(Array.from({ length: 700 }, () => one.upload(dataOf(10))));
    expect(alive().length).toBe(700);
    for (const a of arrays) {
      a.destroy();
    }
    expect(alive().length).toBe(512);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("an upload of many pieces does not wait for the GPU, and gives its staging back", async () => {
    const { one, device, made, alive } = await foldOn(fold().device);
    const { kept } = contextOf(device);
    kept.pieceBytes = 2 ** 12;
    const data = dataOf(9000);
    const a = await one.upload(data);
    const staging = (labels: string[]): number => labels.filter((label) => label.endsWith("staging")).length;
    expect(staging(alive())).toBeGreaterThan(0);
    // The last pieces are still under way, but on the simulator, which has done all work when it was submitted.
    expect(kept.buffers.length).toBeLessThan(staging(alive()) + (isSimulator() ? 1 : 0));
    expect(await a.read()).toEqual(data);
    await device.queue.onSubmittedWorkDone();
    const before = staging(made());
    const again = await one.upload(data);
    expect(await again.read()).toEqual(data);
    expect(staging(made())).toBe(before);
    await device.queue.onSubmittedWorkDone();
    a.destroy();
    again.destroy();
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("without kept buffers and pipelines", async () => {
    const { one, alive } = await foldOn(fold().device, {}, { maxKeptBytes: 0, maxPipelines: 0 });
    const data = dataOf(700);
    const a = await one.upload(data);
    const before = alive().length;
    for (let turn = 0; turn < 3; turn++) {
      const most = await chain(one, a, readTwice);
      expect(await most.read()).toEqual(Uint32Array.of(expectedOf(data)));
      most.destroy();
      expect(alive().length).toBe(before);
    }
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("arrays that share a count give it back when the last of them is destroyed", async () => {
    const { one, alive } = await foldOn(fold().device, {}, { maxKeptBytes: 0 });
    const a = await one.upload(dataOf(500));
    const kept = await one.compact(a, { where: "x % 2u == 1u", ...tuning });
    const counts = (): number => alive().filter((label) => label.endsWith(" count")).length;
    const scans = await Promise.all([one.scan(kept, tuning), one.scan(kept, { into: a, ...tuning })]);
    kept.destroy();
    expect(counts()).toBe(1);
    expect((await scans[0].read()).length).toBeGreaterThan(0);
    scans[0].destroy();
    expect(counts()).toBe(1);
    scans[1].destroy();
    expect(counts()).toBe(0);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("what is destroyed during a call stays until it ends", async () => {
    const { one, alive } = await foldOn(fold().device, {}, { maxKeptBytes: 0 });
    const data = dataOf(2000);
    const a = await one.upload(data);
    const into = await one.upload(new Uint32Array(2000));
    const pending = [one.scan(a, tuning), one.scan(a, { into, ...tuning })] as const;
    a[Symbol.dispose]();
    a.destroy();
    expect(await (await pending[0]).read()).toEqual(scanReference(data));
    expect(await (await pending[1]).read()).toEqual(scanReference(data));
    const reading = into.read();
    into.destroy();
    expect(await reading).toEqual(scanReference(data));
    (await pending[0]).destroy();
    one.trim();
    expect(alive()).toEqual([]);
  });
});

/** A call that is refused, with a class of error and a text of its message, and the option that it names. */
type Refusal = [
  title: string,
  call: (one: Fold, a: GpuArray<"u32", number>, buffer: GPUBuffer) => Promise<unknown>,
  message: string,
  option?: string,
];

const readable = 0x80 | 0x8 | 0x4;

describe("refused before anything is recorded", () => {
  const refusals: readonly Refusal[] = [
    [
      "a plain array for a result",
      (one, a) => one.scan(a, { into: new Uint32Array(9) } as never),
      "scan: into is Uint32Array, and data is on the GPU",
      "into",
    ],
    [
      "plain flags",
      (one, a) => one.compact(a, { flags: new Uint32Array(9) } as never),
      "compact: flags is Uint32Array, and data is on the GPU",
      "flags",
    ],
    [
      "no array for a result",
      (one, a) => one.scan(a, { into: null } as never),
      "scan: into is null, and data is on the GPU",
      "into",
    ],
    [
      "a result on the GPU of a plain array",
      (one, a) => one.scan(new Uint32Array(9), { into: a } as never),
      "scan: into is GpuArray; it takes Uint32Array, as the result is",
      "into",
    ],
    [
      "a result on the GPU of a plain compaction",
      (one, a) => one.compact(new Uint32Array(9), { where: "true", into: a } as never),
      "compact: into is GpuArray; it takes Uint32Array",
      "into",
    ],
    [
      "flags on the GPU for a plain array",
      (one, a) => one.compact(new Uint32Array(9), { flags: a } as never),
      "compact<u32>: flags is on the GPU, and data is not",
      "flags",
    ],
    [
      "an array on the GPU that is uploaded",
      (one, a) => one.upload(a as never),
      "upload: object has no element type",
      "data",
    ],
    [
      "an option that there is not",
      (one, a) => one.scan(a, { exlusive: true } as never),
      "did you mean exclusive",
      "exlusive",
    ],
    ["no options", (one, a) => one.scan(a, null as never), "options is null", "options"],
    [
      "another type",
      (one, a) => one.scan(a, { type: f32 } as never),
      'scan: the items are u32, and the result is f32; it takes a map from one to the other, such as map: "f32(x)"',
      "map",
    ],
    [
      "another type of the items",
      (one, a) => one.scan(a, { from: f32, map: "x" } as never),
      "holds u32, but from says f32",
      "from",
    ],
    ["no type", (one, a) => one.scan(a, { type: "u32" } as never), "is not an element type", "type"],
    [
      "no operator",
      (one, a) => one.reduce(a, { op: 3 } as never),
      "it takes an operator itself, such as add",
      "op",
    ],
    [
      "neither where nor flags",
      (one, a) => one.compact(a, {} as never),
      "takes where (a WGSL expression) or flags; it was given neither",
      "where",
    ],
    [
      "a map and positions",
      (one, a) => one.compact(a, { where: "true", map: "x", indices: true } as never),
      "takes a map or indices",
      "map",
    ],
    ["sizes of no meaning", (one, a) => one.scan(a, { workGroupSize: 0 }), "workGroupSize", "workGroupSize"],
    [
      "a result of another type",
      async (one, a) => one.scan(a, { into: (await one.upload(new Int32Array(9))) as never }),
      "scan<u32>: into holds i32; it takes u32",
      "into",
    ],
    [
      "a result of another struct of the name",
      async (one) =>
        one.compact(await one.upload(Pair.array(2)), {
          where: "true",
          into: (await one.upload(OtherPair.array(2))) as never,
        }),
      "compact<Pair>: into holds another struct of the name Pair than the result",
      "into",
    ],
    [
      "a result that is too short",
      async (one, a) => one.scan(a, { into: await one.upload(new Uint32Array(8)) }),
      "scan<u32>: into has room for 8 items; it takes at least 9",
      "into",
    ],
    [
      "an empty result of a reduction",
      async (one, a) => one.reduce(a, { into: await one.upload(new Uint32Array(0)) }),
      "into has room for 0 items; it takes at least 1",
      "into",
    ],
    [
      "flags of another type",
      async (one, a) => one.compact(a, { flags: (await one.upload(new Int32Array(9))) as never }),
      "flags holds i32; it takes u32",
      "flags",
    ],
    [
      "too few flags",
      async (one, a) => one.compact(a, { flags: await one.upload(new Uint32Array(8)) }),
      "8 flags for 9 items",
      "flags",
    ],
    [
      "too many flags",
      async (one, a) => one.compact(a, { flags: await one.upload(new Uint32Array(10)) }),
      "10 flags for 9 items",
      "flags",
    ],
    [
      "too few flags for what may be kept",
      async (one, a) =>
        one.compact(await one.compact(a, { where: "true", ...tuning }), {
          flags: await one.upload(new Uint32Array(8)),
        }),
      "8 flags for at most 9 items",
      "flags",
    ],
    [
      "ranges that overlap",
      async (one, _, buffer) =>
        one.scan(await one.wrap({ buffer, type: u32, length: 9 }), {
          into: await one.wrap({ buffer, type: u32, offset: 8, length: 9 }),
          ...tuning,
        }),
      "overlap; they must be the same range, or apart",
      "into",
    ],
    [
      "a count in the result's buffer",
      async (one, _, buffer) =>
        one.scan(await one.wrap({ buffer, type: u32, offset: 256, length: buffer, maxLength: 9 }), {
          into: await one.wrap({ buffer, type: u32, offset: 512, length: 9 }),
          ...tuning,
        }),
      "must be in different buffers",
      "into",
    ],
    [
      "a result of a map in the same buffer",
      async (one, _, buffer) =>
        one.scan(await one.wrap({ buffer, type: Pair, length: 9 }), {
          type: u32,
          map: "x.a",
          into: await one.wrap({ buffer, type: u32, offset: 512, length: 9 }),
          ...tuning,
        }),
      "must be in different buffers",
      "into",
    ],
    [
      "a read into another type",
      (_, a) => a.read({ into: new Int32Array(9) as never }),
      "read: into is Int32Array; it takes Uint32Array",
      "into",
    ],
    [
      "a read into too short an array",
      (_, a) => a.read({ into: new Uint32Array(8) }),
      "read: into has 8 elements; it takes 9",
      "into",
    ],
    [
      "a read into an array on the GPU",
      async (one) => {
        const pairs = await one.upload(Pair.array(2));
        return pairs.read({ into: pairs as never });
      },
      "read: into is GpuArray; it takes an array of Pair",
      "into",
    ],
    [
      "a read with an option that there is not",
      (_, a) => a.read({ to: 3 } as never),
      "read takes no option to",
      "to",
    ],
    [
      "a wrapped nothing",
      (one) => one.wrap({ buffer: undefined as never, type: u32 }),
      "wrap<u32>: buffer is undefined; it takes a GPUBuffer",
      "buffer",
    ],
    [
      "a wrapped buffer of no type",
      (one, _, buffer) => one.wrap({ buffer, type: undefined as never }),
      "wrap: undefined is not an element type",
      "type",
    ],
    ["a wrapped array", (one) => one.wrap(new Uint32Array(3) as never), "wrap", "0"],
    [
      "no STORAGE",
      (one) => one.wrap({ buffer: one.device.createBuffer({ size: 64, usage: 0x4 }), type: u32 }),
      "wrap<u32>: the buffer lacks the usage STORAGE",
      "buffer",
    ],
    [
      "no STORAGE of a length",
      (one, _, buffer) =>
        one.wrap({ buffer, type: u32, length: one.device.createBuffer({ size: 64, usage: 0x4 }) }),
      "the buffer lacks the usage STORAGE",
      "length",
    ],
    [
      "an offset between items",
      (one, _, buffer) => one.wrap({ buffer, type: u32, offset: 6 }),
      "offset is 6 bytes; it takes a multiple of 4",
      "offset",
    ],
    [
      "an offset past the end",
      (one, _, buffer) => one.wrap({ buffer, type: u32, offset: 4096 }),
      "offset is 4096 bytes; it takes a multiple of 4 up to",
      "offset",
    ],
    [
      "a length past the end",
      (one, _, buffer) => one.wrap({ buffer, type: u32, offset: 1000, length: 7 }),
      "length is 7, and the buffer has room for 6 items of 4 bytes from offset 1000 on",
      "length",
    ],
    [
      "a length that is none",
      (one, _, buffer) => one.wrap({ buffer, type: u32, length: 1.5 }),
      "length is 1.5; it takes a whole number from 0 up",
      "length",
    ],
    [
      "a length of null",
      (one, _, buffer) => one.wrap({ buffer, type: u32, length: null as never }),
      "length is null",
      "length",
    ],
    [
      "a maxLength past the end",
      (one, _, buffer) => one.wrap({ buffer, type: u32, length: buffer, maxLength: 257 }),
      "maxLength is 257, and the buffer has room for 256 items",
      "maxLength",
    ],
    [
      "a maxLength without a length on the GPU",
      (one, _, buffer) => one.wrap({ buffer, type: u32, length: 3, maxLength: 4 }),
      "maxLength is for a length on the GPU",
      "maxLength",
    ],
    [
      "a length at a byte",
      (one, _, buffer) => one.wrap({ buffer, type: u32, length: { buffer, offset: 2 } }),
      "offset is 2 bytes; it takes a multiple of 4",
      "length",
    ],
    [
      "a length past the buffer's end",
      (one, _, buffer) => one.wrap({ buffer, type: u32, length: { buffer, offset: 1024 } }),
      "length's buffer ends before",
      "length",
    ],
    [
      "a read of a buffer without COPY_SRC",
      async (one) =>
        (await one.wrap({ buffer: one.device.createBuffer({ size: 64, usage: 0x80 }), type: u32 })).read(),
      "read: the array's buffer lacks the usage COPY_SRC",
      "buffer",
    ],
    [
      "a read of a length without COPY_SRC",
      async (one, _, buffer) =>
        (
          await one.wrap({ buffer, type: u32, length: one.device.createBuffer({ size: 64, usage: 0x80 }) })
        ).read(),
      "lacks the usage COPY_SRC",
      "buffer",
    ],
    [
      "an array that was destroyed",
      (one, a) => {
        a.destroy();
        return one.scan(a);
      },
      "scan: data was destroyed",
      "data",
    ],
    [
      "a result that was destroyed",
      async (one, a) => {
        const into = await one.upload(new Uint32Array(9));
        into.destroy();
        return one.scan(a, { into });
      },
      "scan: into was destroyed",
      "into",
    ],
    [
      "flags that were destroyed",
      async (one, a) => {
        const flags = await one.upload(new Uint32Array(9));
        flags.destroy();
        return one.compact(a, { flags });
      },
      "compact: flags was destroyed",
      "flags",
    ],
    [
      "a read of an array that was destroyed",
      (_, a) => {
        a.destroy();
        return a.read();
      },
      "read: the array was destroyed",
    ],
  ];

  test.each(refusals)("%s", async (_, call, message, option) => {
    const { one, alive } = await foldOn(fold().device);
    const a = await one.upload(dataOf(9));
    const buffer = storageBuffer(one.device, dataOf(256), readable);
    const error = await call(one, a, buffer).then(
      (value) => value,
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toContain(message);
    expect((error as ArgumentError).option).toBe(option);
    one.destroy();
    buffer.destroy();
    expect(alive().filter((label) => label.startsWith("wavefold"))).toEqual([]);
  });

  test("WGSL that does not compile, each time", async () => {
    const a = await fold().upload(dataOf(9));
    for (let turn = 0; turn < 2; turn++) {
      const calls = [1, 2].map(() => fold().compact(a, { where: "nonsense", ...tuning }));
      for (const one of await Promise.allSettled(calls)) {
        expect((one as PromiseRejectedResult).reason).toBeInstanceOf(SourceError);
      }
    }
    expect(await a.read()).toEqual(dataOf(9));
  });

  test("f16 without its feature", async ({ skip }) => {
    skip(fold().device.features.has("shader-f16"), "the adapter has shader-f16");
    const a = await fold().upload(Uint16Array.of(0x3c00), { type: f16 });
    await expect(fold().scan(a)).rejects.toThrow('needs the adapter feature "shader-f16"');
    expect([...new Uint16Array((await a.read()).buffer as ArrayBuffer, 0, 1)]).toEqual([0x3c00]);
  });
});

describe("devices", () => {
  test("an array and a buffer of another device", async () => {
    // Of the same WebGPU as the file's.
    const other = await openFold({ adapter: isSimulator() ? "simulated" : adapter });
    const theirs = await other.upload(dataOf(9));
    const ours = await fold().upload(dataOf(9));
    for (const [call, option, name = option] of [
      [() => fold().scan(theirs), "data"],
      [() => fold().scan(ours, { into: theirs }), "into"],
      [() => fold().compact(ours, { flags: theirs }), "flags"],
      [() => fold().sort([ours, theirs]), "data", "data[1]"],
      [() => fold().map(ours, { with: { y: theirs }, map: "y" }), "with", "with.y"],
    ] as const) {
      const error = await call().catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as Error).message).toContain(`: ${name} is on another device than the fold`);
      expect((error as ArgumentError).option).toBe(option);
    }
    const buffer = storageBuffer(other.device, dataOf(9));
    expect((await other.wrap({ buffer, type: u32 })).length).toBe(9);
    const refused = await fold()
      .wrap({ buffer, type: u32 })
      .catch((cause: unknown) => cause);
    expect(refused).toBeInstanceOf(ArgumentError);
    expect((refused as ArgumentError).option).toBe("buffer");
    expect((refused as Error).message).toMatch(/wrap<u32>: the device refused/);
    other.destroy();
  });

  test("two folds of one device share arrays, and each destroys its own", async () => {
    const { one, device, alive } = await foldOn(fold().device);
    const two = await openFold({ device });
    const a = await one.upload(dataOf(100));
    const sums = await two.scan(a, tuning);
    const buffer = storageBuffer(device, dataOf(9));
    const wrapped = await one.wrap({ buffer, type: u32 });
    const pending = one.scan(a, { map: "x + 3u", ...tuning });
    one.destroy();
    await expect(pending).rejects.toThrow("destroyed");
    for (const call of [() => a.read(), () => wrapped.read(), () => two.scan(a), () => one.reduce(wrapped)]) {
      const error = await call().catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ArgumentError);
      expect((error as Error).message).toContain("was destroyed, or the fold that it belongs to");
    }
    expect(await sums.read()).toEqual(scanReference(dataOf(100)));
    a.destroy();
    sums.destroy();
    two.destroy();
    // The caller's own is left.
    expect(alive()).toEqual([""]);
    buffer.destroy();
  });

  test("a device that is lost", async () => {
    const own = await openFold({ adapter });
    const a = await own.upload(dataOf(3000));
    const kept = await own.compact(a, { where: "x > 7u", ...tuning });
    const reading = kept.read();
    // It is submitted too late, or its result cannot be read.
    const pending = own.scan(kept, tuning).then((late) => late.read());
    own.device.destroy();
    await Promise.all([reading, pending].map((one) => expect(one).rejects.toThrow(DeviceLostError)));
    await own.device.lost;
    const calls = [
      () => a.read(),
      () => own.scan(a),
      () => own.reduce(kept),
      () => own.compact(a, { where: "true" }),
      () => own.upload(dataOf(9)),
      () => own.wrap({ buffer: a.buffer, type: u32 }),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toThrow(DeviceLostError);
    }
    a.destroy();
    kept.destroy();
    own.destroy();
    await expect(a.read()).rejects.toThrow(WavefoldError);
  });

  test("a wrapped buffer that is destroyed during a call: whoever reads a result is told", async () => {
    const gpu = nullGpu();
    const device = await (await gpu.requestAdapter())?.requestDevice();
    if (device === undefined) {
      throw new Error("the null device is always there");
    }
    const one = await openFold({ device });
    const uncaught: string[] = [];
    device.addEventListener("uncapturederror", (event) => {
      event.preventDefault();
      uncaught.push(event.error.message);
    });
    type Numbers = GpuArray<"u32", number>;
    const wrap = (buffer: GPUBuffer): Promise<Numbers> => one.wrap({ buffer, type: u32 });
    const where = "x % 2u == 1u";
    const flags = await one.upload(dataOf(300));
    const ours = await one.upload(dataOf(300));
    const calls: Record<string, (theirs: Numbers) => Promise<Numbers>> = {
      scan: (theirs) => one.scan(theirs),
      "into it": (theirs) => one.scan(ours, { into: theirs }),
      compact: (theirs) => one.compact(theirs, { flags }),
      flags: (theirs) => one.compact(ours, { flags: theirs }),
      partition: async (theirs) => (await one.partition(theirs, { where })).count,
      sort: (theirs) => one.sort(theirs),
      values: async (theirs) => (await one.sort(ours, { values: theirs })).values as Numbers,
      topK: async (theirs) => (await one.topK(theirs, 9)).values,
      histogram: (theirs) => one.histogram(theirs, { bins: 9, range: [0, 99] }),
      "a later call": async (theirs) => one.reduce(await one.compact(await one.scan(theirs), { where })),
    };
    for (const [name, call] of Object.entries(calls)) {
      // A call that compiles first, and one that is warm.
      for (const turn of ["first", "second"]) {
        const buffer = storageBuffer(device, dataOf(300));
        const theirs = await wrap(buffer);
        const pending = call(theirs);
        buffer.destroy();
        const result = await pending;
        for (const read of [() => result.read(), () => result.view()]) {
          const cause = await read().catch((error: unknown) => error);
          expect(cause, `${name}, ${turn}`).toBeInstanceOf(WavefoldError);
          expect((cause as Error).message, `${name}, ${turn}`).toMatch(/the device refused it: .*destroyed/s);
        }
        const good = storageBuffer(device, dataOf(300));
        expect((await (await call(await wrap(good))).read()).length, name).toBeLessThanOrEqual(300);
        good.destroy();
      }
    }
    expect(uncaught).toEqual([]);
    one.destroy();
    device.destroy();
  });

  test("a fold that is destroyed with its device", async () => {
    const own = await openFold({ adapter });
    const a = await own.upload(dataOf(9));
    own.destroy();
    await expect(a.read()).rejects.toThrow(WavefoldError);
    await expect(own.scan(a)).rejects.toThrow(WavefoldError);
  });
});

describe("views", () => {
  test("show the elements until they are destroyed, and give their memory back", async () => {
    const { one, made, alive } = await foldOn(fold().device);
    const data = dataOf(3000);
    const a = await one.upload(data);
    const kept = await one.compact(a, { where: "x % 2u == 1u", ...tuning });
    const odd = data.filter((x) => x % 2 === 1);
    let buffers = 0;
    for (let turn = 0; turn < 5; turn++) {
      const [whole, part] = await Promise.all([a.view(), kept.view()]);
      expect(whole.elements).toEqual(data);
      expect(part.elements).toEqual(odd);
      whole.destroy();
      whole.destroy();
      expect(whole.elements.length).toBe(0);
      expect(part.elements).toEqual(odd);
      part[Symbol.dispose]();
      expect(part.elements.length).toBe(0);
      if (turn === 1) {
        buffers = made.length;
      }
    }
    // The staging of one view is taken for the other, and for a read.
    expect(made.length).toBe(buffers);
    expect(await a.read()).toEqual(data);
    const last = await kept.view();
    one.destroy();
    last.destroy();
    one.trim();
    expect(alive()).toEqual([]);
  });

  test("of structs, of parts of buffers, and of nothing", async () => {
    const pairs = Pair.from([
      { a: 7, b: 1.5 },
      { a: 9, b: -2 },
    ]);
    const structs = await fold().upload(pairs);
    using view = await structs.view();
    expect([view.elements.get(0), view.elements.get(1)]).toEqual([pairs.get(0), pairs.get(1)]);
    const words = dataOf(70);
    const part = await fold().wrap({
      buffer: storageBuffer(fold().device, words),
      type: u32,
      offset: 12,
      length: 50,
    });
    using inside = await part.view();
    expect(inside.elements).toEqual(words.subarray(3, 53));
    const empty = await fold().upload(new Uint32Array(0));
    using nothing = await empty.view();
    expect(nothing.elements).toEqual(new Uint32Array(0));
    empty.destroy();
    await expect(empty.view()).rejects.toThrow(/view: the array was destroyed/);
    const hidden = await fold().wrap({ buffer: storageBuffer(fold().device, words, 0x80), type: u32 });
    await expect(hidden.view()).rejects.toThrow(/view: the array's buffer lacks the usage COPY_SRC/);
  });
});

describe("limits", () => {
  test("near the device's limit, plans are for the length itself", async () => {
    const limits = { maxStorageBufferBindingSize: 12_000, maxBufferSize: 12_000 };
    const { one } = await foldOn(fold().device, { limits });
    const data = dataOf(3000);
    const a = await one.upload(data);
    expect(await (await one.scan(a, readTwice)).read()).toEqual(scanReference(data));
    const kept = await one.compact(a, { where: "x % 2u == 1u", ...readTwice });
    expect(await kept.read()).toEqual(data.filter((x) => x % 2 === 1));
    const wide = { type: Pair, map: "Pair(x, 1.0)" } as const;
    for (const [call, option] of [
      [() => one.upload(dataOf(3001)), "data"],
      [() => one.compact(a, { where: "true", ...wide }), "data"],
      [
        () => one.wrap({ buffer: storageBuffer(one.device, dataOf(4000)), type: u32, length: 3001 }),
        "length",
      ],
    ] as const) {
      const error = await call().catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(LimitError);
      expect((error as LimitError).option).toBe(option);
      expect((error as LimitError).needed).toBeGreaterThanOrEqual(3000);
    }
    one.destroy();
  });

  test.each([0, 2 ** 20])(
    "what does not go in windows names the length that it was given, maxKeptBytes %i",
    async (maxKeptBytes) => {
      const limits = { maxStorageBufferBindingSize: 2 ** 15, maxBufferSize: 2 ** 20 };
      const { device } = watched(fold().device, { limits });
      const one = await openFold({ device, maxKeptBytes });
      const data = dataOf(9000);
      const a = await one.upload(data);
      const few = await one.upload(Uint32Array.of(0, 9000));
      for (const call of [
        () => one.sort(data, { segments: { rows: 9000 } }),
        () => one.sort(a, { segments: { rows: 9000 } }),
        () => one.argSort(a, { segments: { rows: 3 } }),
        () => one.topK(data, 3),
        () => one.topK(a, 3),
        () => one.nth(a, 3),
        () => one.partition(a, { where: "x > 3u" }),
        () => one.sort(data),
        () => one.sort(a),
        () => one.argSort(a),
        () => one.scan(a, { segments: { rows: 3 } }),
        () => one.reduce(data, { segments: { columns: 9000 } }),
        () => one.scan(a, { segments: { offsets: few } }),
        () => one.unique(data),
        () => one.runLengths(a),
      ]) {
        const error: unknown = await call().catch((cause: unknown) => cause);
        expect(error).toBeInstanceOf(LimitError);
        expect(error).toMatchObject({ needed: 9000, option: "data" });
        expect((error as LimitError).limit).toBeLessThanOrEqual(8192);
        expect((error as LimitError).message).toMatch(
          /: 9000 items of 4 bytes are more than the device can bind, which is 8192; open/,
        );
      }
      for (const array of [a, few]) {
        array.destroy();
      }
      one.destroy();
    },
  );

  test("arrays that no binding holds go in windows, with both ends", async () => {
    const limits = { maxStorageBufferBindingSize: 2 ** 15, maxBufferSize: 2 ** 20 };
    const { one } = await foldOn(fold().device, { limits });
    const data = dataOf(9000);
    const a = await one.upload(data);
    const total = await one.upload(new Uint32Array(1));
    const sums = await one.scan(a, { initial: 7, total, exclusive: true });
    const wanted = new Uint32Array(1);
    const expected = scanReference(data, { initial: 7, total: wanted, exclusive: true });
    expect(await sums.read()).toEqual(expected);
    expect(await total.read()).toEqual(wanted);
    const kept = await one.compact(sums, { where: "x % 2u == 1u" });
    const odd = expected.filter((x) => x % 2 === 1);
    expect(await kept.read()).toEqual(odd);
    const again = await one.scan(kept, { initial: total });
    expect(await again.read()).toEqual(scanReference(odd, { initial: wanted[0] as number }));
    const most = await one.reduce(kept, { op: max, initial: total });
    expect(await most.read()).toEqual(
      Uint32Array.of(odd.reduce((x, y) => Math.max(x, y), wanted[0] as number)),
    );
    one.destroy();
  });

  test("no room for the carry of windows leaves nothing behind", async () => {
    const { maxBufferSize } = fold().device.limits;
    const limits = { maxStorageBufferBindingSize: 2 ** 15, maxBufferSize: 2 ** 20 };
    const { one, alive } = await foldOn(fold().device, {
      limits,
      buffer: (descriptor) =>
        descriptor.label?.endsWith(" carry") ? { ...descriptor, size: maxBufferSize } : descriptor,
    });
    const options = { type: u32, maxLength: 20_000, ...readTwice };
    await expect(one.prepareScan(options)).rejects.toThrow(OutOfMemoryError);
    expect(alive()).toEqual([]);
    one.destroy();
  });

  test("initial values and totals that are no array of one element are refused", async () => {
    const a = await fold().upload(dataOf(9));
    const [two, floats] = [await fold().upload(dataOf(2)), await fold().upload(Float32Array.of(1))];
    const gone = await fold().upload(dataOf(1));
    const kept = await fold().compact(a, { where: "true" });
    gone.destroy();
    for (const [options, option, message] of [
      [{ initial: two }, "initial", /initial holds 2 of u32; it takes 1 of u32/],
      [{ initial: floats }, "initial", /initial holds 1 of f32/],
      [{ initial: gone }, "initial", /was destroyed/],
      [{ initial: kept }, "initial", /initial holds 9/],
      [{ initial: 1.5 }, "initial", /1.5 is no value of u32/],
      [{ initial: new Uint32Array(2) }, "initial", /a Uint32Array is no value of u32, .*; array\[0\] gives/],
      [
        { initial: new Float32Array(1) },
        "initial",
        /a Float32Array is no value of u32, .*; array\[0\] gives/,
      ],
      [
        { initial: Pair.from([{ a: 1, b: 2 }]) },
        "initial",
        /an array of Pair is no .*; array.get\(0\) gives/,
      ],
      [{ initial: fold().reduce(a) }, "initial", /a promise \(is an await missing\?\) is no value of u32/],
      [{ total: Promise.resolve(1) }, "total", /total is a promise \(is an await missing\?\), and data is/],
      [{ total: new Uint32Array(1) }, "total", /takes an array on the GPU/],
      [{ total: two }, "total", /total holds 2/],
    ] as const) {
      const cause = await fold()
        .scan(a, options as object)
        .catch((one: unknown) => one);
      expect(cause).toBeInstanceOf(ArgumentError);
      expect((cause as ArgumentError).message).toMatch(message);
      expect((cause as ArgumentError).option).toBe(option);
    }
    await expect(fold().scan(dataOf(9), { initial: two } as object)).rejects.toThrow(
      "initial: a GpuArray is no value of u32, which takes a number; beside data on the GPU it may be an array there, and beside other data (await array.read())[0]",
    );
    await expect(fold().scan(fold().upload(dataOf(9)) as never)).rejects.toThrow(
      "scan: a promise has no element type",
    );
    for (const one of [a, two, floats, kept]) {
      one.destroy();
    }
  });

  test("no room for a result", async () => {
    let starved = 0;
    const { maxBufferSize } = fold().device.limits;
    const { one, alive } = await foldOn(fold().device, {
      buffer: (descriptor) =>
        descriptor.label?.endsWith(" result") && starved-- > 0
          ? { ...descriptor, size: maxBufferSize }
          : descriptor,
    });
    const data = dataOf(3000);
    const a = await one.upload(data);
    starved = 2;
    const error = await one.scan(a, tuning).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect((error as OutOfMemoryError).needed).toBe(12_000);
    starved = 0;
    expect(await take(await one.scan(a, tuning))).toEqual(scanReference(data));
    one.destroy();
    expect(alive()).toEqual([]);
  });
});

/** Checked by tsc alone: each line below a comment must be an error. */
async function meaningless(own: Fold, buffer: GPUBuffer): Promise<void> {
  const words = await own.upload(Uint32Array.of(1));
  const floats = await own.upload(Float32Array.of(1));
  const wide = await own.upload(BigUint64Array.of(1n));
  (await words.read()) satisfies Uint32Array;
  words satisfies Disposable;
  (await (await own.reduce(wide)).read()) satisfies BigUint64Array;
  (await (await own.scan(floats, { type: u32, map: "u32(x)" })).read()) satisfies Uint32Array;
  (await (await own.compact(floats, { where: "true", indices: true })).read()) satisfies Uint32Array;
  (await (await own.wrap({ buffer, type: Pair })).read()).get(0).b satisfies number;
  (await (await own.compact(await own.upload(Pair.array(1)), { where: "true" })).read()).get(0)
    .a satisfies number;
  const some = await own.compact(floats, { where: "true", indices: words.maxLength > 1 });
  (await some.read()) satisfies Float32Array | Uint32Array;
  // @ts-expect-error a sum of u64 is a bigint.
  (await (await own.reduce(wide)).read()) satisfies Uint32Array;
  // @ts-expect-error an array on the GPU gives an array on the GPU.
  (await own.scan(words)) satisfies Uint32Array;
  // @ts-expect-error and so does a reduction.
  (await own.reduce(words)) satisfies number;
  // @ts-expect-error an f32 type for an array of u32.
  await own.scan(words, { type: f32 });
  // @ts-expect-error the result is f32.
  await own.scan(floats, { into: words });
  // @ts-expect-error a plain array takes no result of an array on the GPU.
  await own.scan(words, { into: new Uint32Array(1) });
  // @ts-expect-error nor the other way round.
  await own.scan(new Uint32Array(1), { into: words });
  // @ts-expect-error flags are u32.
  await own.compact(words, { flags: floats });
  // @ts-expect-error and on the GPU.
  await own.compact(words, { flags: [1] });
  // @ts-expect-error u32 is read as Uint32Array.
  await words.read({ into: new Int32Array(1) });
  // @ts-expect-error it has a type.
  await own.wrap({ buffer });
  // @ts-expect-error an array of another struct.
  await own.compact(await own.upload(Pair.array(1)), { where: "true", into: floats });
  // @ts-expect-error nothing of it can be set.
  words.offset = 4;
  // @ts-expect-error an exclusive reduction.
  await own.reduce(words, { exclusive: true });
}

test("types are checked", () => {
  expect(meaningless).toBeInstanceOf(Function);
});

test("members of `segments` are no options of the call, and keys come before values", async () => {
  const data = await fold().upload(Uint32Array.of(1, 2, 3, 4));
  const into = await fold().upload(new Uint32Array(4));
  const initial = await fold().upload(Uint32Array.of(10));
  const rows = { rows: 2, into: undefined, initial: undefined };
  const sums = await fold().scan(data, { into, initial, segments: rows });
  expect(await into.read()).toEqual(Uint32Array.of(11, 13, 13, 17));
  expect(sums.buffer).toBe(into.buffer);
  const runs = await fold().reduce(data, { segments: { keys: data } });
  expect(Object.keys(runs)).toEqual(["keys", "values"]);
  for (const array of [data, into, initial, runs.keys, runs.values]) {
    array.destroy();
  }
});
