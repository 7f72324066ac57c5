import { describe, expect, test, vi } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import { ArgumentError, type Fold, openFold } from "../../src/node.ts";
import { storageBuffer } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { bytesInUse, collectGarbage, touchYoungObjects } from "../support/memory_use.ts";
import { useNullDevice } from "../support/null_device.ts";
import { planScan } from "../support/plans.ts";
import { watched } from "../support/watched_device.ts";

// What a device keeps for its folds, and what a plan owns.

const fold = useFold();
const nullDevice = useNullDevice();
const tuning = { workGroupSize: 4, itemsPerThread: 2 } as const;

/** What is left of things once the rest was collected. */
async function leftOf(things: readonly WeakRef<object>[]): Promise<number> {
  await collectGarbage();
  return things.filter((one) => one.deref() !== undefined).length;
}

/** A fold on a device that runs nothing, whose pipelines are watched. */
async function foldWithPipelines(
  options: { maxPipelines?: number } = {},
): Promise<{ one: Fold; pipelines: WeakRef<object>[]; kept(): number }> {
  const device = nullDevice();
  const pipelines: WeakRef<object>[] = [];
  const own = new Proxy(device, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "createComputePipelineAsync") {
        return async (descriptor: GPUComputePipelineDescriptor) => {
          const pipeline = await target.createComputePipelineAsync(descriptor);
          pipelines.push(new WeakRef(pipeline));
          return pipeline;
        };
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const one = await openFold({ device: own, ...options });
  return { one, pipelines, kept: () => contextOf(own).pipelines.size };
}

describe("pipelines", () => {
  // Several tiles. Scans: on a device that runs nothing, a compaction would read any count.
  const data = new Uint32Array(20);
  const maps = Array.from({ length: 10 }, (_, at) => `x + ${at}u`);

  test("128 are kept", async () => {
    const one = await openFold({ device: nullDevice() });
    expect(contextOf(one.device).mostPipelines).toBe(128);
    one.destroy();
  });

  test("as many as are stated are kept over more maps; trim() lets go of them", async () => {
    const { one, pipelines, kept } = await foldWithPipelines({ maxPipelines: 16 });
    for (const map of maps) {
      await one.scan(data, { map, ...tuning });
    }
    // Two for the totals, whose plan is for 256 items: their top level takes the kernel of the level below. And two for each map.
    expect(pipelines.length).toBe(22);
    expect(kept()).toBe(16);
    expect(await leftOf(pipelines)).toBeLessThanOrEqual(16);
    one.trim();
    expect(kept()).toBe(0);
    expect(await leftOf(pipelines)).toBe(0);
    // What comes next is compiled again.
    await one.scan(data, tuning);
    expect(kept()).toBeGreaterThan(0);
    one.destroy();
    expect(kept()).toBe(0);
    expect(await leftOf(pipelines)).toBe(0);
  });

  test("the one that was used least recently goes first", async () => {
    const { one, pipelines } = await foldWithPipelines({ maxPipelines: 8 });
    const scan = async (map: string): Promise<number> => {
      const before = pipelines.length;
      await one.scan(data, { map, ...tuning });
      return pipelines.length - before;
    };
    const first = await scan("x * x");
    expect(first).toBe(4);
    for (const map of maps) {
      // What all maps share is used each time, and so is the first one.
      expect(await scan(map)).toBe(2);
      expect(await scan("x * x")).toBe(0);
    }
    expect(await scan(maps[0] as string)).toBe(2);
    one.destroy();
  });

  test("what is prepared keeps its own", async () => {
    const { one, pipelines } = await foldWithPipelines({ maxPipelines: 0 });
    const compact = await one.prepareCompact({ type: u32, where: "x > 1u", maxLength: 100, ...tuning });
    const { length } = (compact as object as Prepared).kernels;
    expect(length).toBeGreaterThan(2);
    // Some are compiled in the background.
    await vi.waitFor(() => expect(pipelines).toHaveLength(length), 30_000);
    expect(await leftOf(pipelines)).toBe(length);
    compact.destroy();
    expect(await leftOf(pipelines)).toBe(0);
    one.destroy();
  });

  test.each([-1, 1.5, Number.NaN, "8", null])("maxPipelines: %j", async (maxPipelines) => {
    const opened = openFold({ device: nullDevice(), maxPipelines: maxPipelines as number });
    await expect(opened).rejects.toThrow(ArgumentError);
    await expect(opened).rejects.toThrow(
      `openFold: maxPipelines is ${typeof maxPipelines === "string" ? JSON.stringify(maxPipelines) : maxPipelines}; it takes a whole number from 0 up`,
    );
  });
});

describe("buffers", () => {
  const usesOf = (device: GPUDevice): number | undefined => contextOf(device).digits?.uses;

  test("of many plans that were recorded and destroyed, none is left", async () => {
    const { device, alive, made } = watched(fold().device);
    const one = await openFold({ device });
    const buffers = [0, 1, 2, 3].map(() => storageBuffer(fold().device, new Uint32Array(200)));
    const [input, output, count, flags] = buffers as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
    for (let at = 0; at < 12; at++) {
      const passes = at % 2 === 0 ? ("single" as const) : ("reduce-then-scan" as const);
      const scan = await one.prepareScan({ type: u32, maxLength: 200, passes, ...tuning });
      const compact = await one.prepareCompact({ type: u32, maxLength: 200, passes, ...tuning });
      const encoder = device.createCommandEncoder();
      for (const length of [0, 5, 200]) {
        scan.record(encoder, { input, output, length });
        scan.record(encoder, { input, output: input, length });
        compact.record(encoder, { input, output, flags, count, length });
        compact.record(encoder, { input, output: input, flags, count, length });
      }
      encoder.finish();
      scan.destroy();
      compact.destroy();
      // Twice is as once.
      scan.destroy();
    }
    expect(made().length).toBeGreaterThan(120);
    // The digits of single passes belong to the device.
    expect(alive()).toEqual(["wavefold digits"]);
    expect(usesOf(device)).toBe(0);
    one.trim();
    expect(alive()).toEqual([]);
    expect(usesOf(device)).toBeUndefined();
    one.destroy();
  });

  test("of recordings that are forgotten and of spines that are replaced, none is left", async () => {
    const { device, alive, made } = watched(fold().device);
    const one = await openFold({ device });
    const context = contextOf(device);
    const plan = await planScan({ type: u32, maxLength: 200, passes: "single", ...tuning }, context.facts);
    // A spine for three runs.
    const prepared = await prepare(context, plan, 3);
    const [input, output] = [0, 1].map(() => storageBuffer(fold().device, new Uint32Array(200).fill(1))) as [
      GPUBuffer,
      GPUBuffer,
    ];
    const encoder = device.createCommandEncoder();
    for (let length = 1; length <= 200; length++) {
      prepared.record(encoder, { input, output, length });
    }
    // All of them are still valid: nothing was destroyed before its time.
    device.pushErrorScope("validation");
    device.queue.submit([encoder.finish()]);
    expect(await device.popErrorScope()).toBeNull();
    expect(made().filter((label) => label.includes("scratch")).length).toBeGreaterThan(60);
    expect(alive().length).toBeGreaterThan(250);
    prepared.destroy();
    expect(alive()).toEqual(["wavefold digits"]);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("of calls at hand, none is left once trim() let go of them", async () => {
    const { device, alive, made } = watched(fold().device);
    const one = await openFold({ device });
    const data = Uint32Array.from({ length: 3000 }, (_, at) => at);
    const passes = "single";
    await one.scan(data);
    await one.scan(data, { passes, ...tuning });
    await one.reduce(data);
    await one.compact(data, { where: "x > 7u", ...tuning });
    await one.compact(data, { flags: data, passes, ...tuning });
    await one.compact(data, { where: "nonsense" }).catch(() => {});
    expect(made().length).toBeGreaterThan(20);
    expect(alive()).toContain("wavefold digits");
    one.trim();
    expect(alive()).toEqual([]);
    await one.scan(data);
    one.destroy();
    expect(alive()).toEqual([]);
  });

  test("what a plan in use takes is not let go of", async () => {
    const { device, alive } = watched(fold().device);
    const one = await openFold({ device });
    const scan = await one.prepareScan({ type: u32, maxLength: 200, passes: "single", ...tuning });
    one.trim();
    const [input, output] = [0, 1].map(() => storageBuffer(fold().device, new Uint32Array(200).fill(1))) as [
      GPUBuffer,
      GPUBuffer,
    ];
    const encoder = device.createCommandEncoder();
    scan.record(encoder, { input, output, length: 200 });
    device.pushErrorScope("validation");
    device.queue.submit([encoder.finish()]);
    expect(await device.popErrorScope()).toBeNull();
    scan.destroy();
    one.trim();
    expect(alive()).toEqual([]);
    one.destroy();
  });

  test("a long-lived plan does not hold what it let go of", async () => {
    const { device } = fold();
    const made: WeakRef<object>[] = [];
    const own = new Proxy(device, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === "createBuffer") {
          return (descriptor: GPUBufferDescriptor) => {
            const buffer = target.createBuffer(descriptor);
            made.push(new WeakRef(buffer));
            return buffer;
          };
        }
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const context = contextOf(own);
    const plan = await planScan({ type: u32, maxLength: 1000, passes: "single", ...tuning }, context.facts);
    const prepared = await prepare(context, plan, 3);
    const [input, output] = [0, 1].map(() => storageBuffer(device, new Uint32Array(1000))) as [
      GPUBuffer,
      GPUBuffer,
    ];
    for (let length = 1; length <= 1000; length++) {
      prepared.record(device.createCommandEncoder(), { input, output, length });
    }
    expect(made.length).toBeGreaterThan(1300);
    // The kept recordings' parameters, the spine, and what there is once.
    expect(await leftOf(made)).toBeLessThan(64 + 20);
    prepared.destroy();
  });
});

test("thousands of calls in a loop: memory stays flat", async () => {
  const { device, alive } = watched(nullDevice());
  const one = await openFold({ device });
  const { kept } = contextOf(device);
  // Some calls go in pieces.
  kept.pieceBytes = 2 ** 12;
  kept.longBytes = 2 ** 12;
  const arrays = [0, 1, 7, 300, 1000, 1001, 3000].map((length) => new Uint32Array(length));
  const call = async (at: number): Promise<void> => {
    const data = arrays[at % arrays.length] as Uint32Array;
    switch (at % 4) {
      case 0:
        await one.scan(data, { into: data });
        return;
      case 1:
        await one.scan(data, { initial: 5 });
        return;
      case 2:
        await one.reduce(data);
        return;
      default: {
        const there = await one.upload(data);
        const sums = await one.scan(there);
        there.destroy();
        await sums.read({ into: data });
        sums.destroy();
      }
    }
  };
  touchYoungObjects();
  const sizes: { heap: number; rss: number; buffers: number }[] = [];
  for (let at = 0; at < 2000; at++) {
    await call(at);
    if (at === 499 || at === 1999) {
      sizes.push({ ...(await bytesInUse()), buffers: alive().length });
    }
  }
  const [early, late] = sizes as [(typeof sizes)[0], (typeof sizes)[0]];
  expect(late.buffers).toBeLessThanOrEqual(early.buffers);
  // Bytes that 1500 calls have left: less than 500 a call.
  expect(late.heap - early.heap).toBeLessThan(0.75e6);
  expect(late.rss - early.rss).toBeLessThan(16e6);
  one.destroy();
  expect(alive()).toEqual([]);
});
