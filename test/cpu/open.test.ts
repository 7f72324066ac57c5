import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { StructArray, struct } from "../../src/algebra/struct.ts";
import { NoGpuError, SourceError } from "../../src/errors.ts";
import { Fold } from "../../src/gpu/fold.ts";
import { openFold as openInBrowser } from "../../src/gpu/open.ts";
import type { NodeOpenOptions } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";
import type { SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { adapter, swiftShaderMissing } from "../support/adapter.ts";

// Where a fold is opened, and which calls go to the CPU.

/** Whether a call has made the simulated device of a fold without a GPU. */
function hasDevice(fold: Fold): boolean {
  try {
    return Fold.contextOf(fold).device !== undefined;
  } catch {
    return false;
  }
}

/** A simulated adapter, and how many dispatches its devices were given. */
async function countedAdapter(
  options: SimulatorOptions = {},
): Promise<{ adapter: GPUAdapter; dispatches(): number }> {
  const adapter = (await simulatedGpu(options).requestAdapter()) as GPUAdapter;
  let count = 0;
  const requestDevice = adapter.requestDevice.bind(adapter);
  Object.assign(adapter, {
    async requestDevice(descriptor?: GPUDeviceDescriptor) {
      const device = await requestDevice(descriptor);
      const submit = device.queue.submit.bind(device.queue);
      Object.assign(device.queue, {
        submit(commands: readonly GPUCommandBuffer[]) {
          count++;
          submit(commands);
        },
      });
      return device;
    },
  });
  return { adapter, dispatches: () => count };
}

const three = Uint32Array.of(3, 1, 7);

describe("without WebGPU", () => {
  test("a fold opens in a browser, and its calls run on the CPU", async () => {
    const fold = await openInBrowser();
    expect([fold.machine, fold.software]).toEqual(["cpu", true]);
    expect([...(await fold.scan(three))]).toEqual([3, 4, 11]);
    expect([...(await fold.sort(three))]).toEqual([1, 3, 7]);
    expect(await fold.argMax(three)).toEqual({ value: 7, index: 2 });
    expect([...(await fold.compact(three, { where: "x > 1u" }))]).toEqual([3, 7]);
    expect(hasDevice(fold)).toBe(false);
    fold.destroy();
  });

  test("what needs a GPU says why there is none", async () => {
    const fold = await openInBrowser();
    const why = /takes a GPU\. openFold: there is no navigator\.gpu/;
    expect(() => fold.device).toThrow(NoGpuError);
    expect(() => fold.adapterInfo).toThrow(why);
    for (const prepared of [
      fold.prepareScan({ type: u32, maxLength: 10 }),
      fold.prepareSort({ type: u32, maxLength: 10 }),
      fold.prepareHistogram({ type: u32, bins: 2, range: [0, 2], maxLength: 10 }),
      fold.wrap({ buffer: {} as GPUBuffer, type: u32 }),
    ]) {
      await expect(prepared).rejects.toThrow(why);
      await expect(prepared).rejects.toBeInstanceOf(NoGpuError);
    }
    expect(hasDevice(fold)).toBe(false);
    fold.destroy();
  });

  test("arrays on the GPU, streams, and calls without loops work, too", async () => {
    const fold = await openInBrowser();
    const there = await fold.upload(three);
    expect([...(await (await fold.scan(there)).read())]).toEqual([3, 4, 11]);
    const { readable, writable } = fold.scanStream({ type: u32 });
    const writer = writable.getWriter();
    await writer.write(three);
    const closed = writer.close();
    expect([...((await readable.getReader().read()).value as Uint32Array)]).toEqual([3, 4, 11]);
    await closed;
    // Sizes are for kernels.
    expect([...(await fold.scan(three, { workGroupSize: 64 }))]).toEqual([3, 4, 11]);
    expect(hasDevice(fold)).toBe(true);
    await expect(fold.compact(three, { where: "y > 1u" })).rejects.toThrow("y");
    fold.destroy();
    await expect(fold.scan(three)).rejects.toThrow("destroyed");
  });

  test("with cpu: never, nothing opens", async () => {
    await expect(openInBrowser({ cpu: "never" })).rejects.toThrow("there is no navigator.gpu");
  });
});

describe("on a GPU", () => {
  test("an adapter of the caller's takes all calls, unless cpu says otherwise", async () => {
    for (const [cpu, isOnGpu] of [
      [undefined, true],
      ["never", true],
      ["auto", false],
      ["always", false],
    ] as const) {
      const { adapter, dispatches } = await countedAdapter();
      const fold = await openFold({ adapter, ...(cpu && { cpu }) });
      expect(fold.machine).toBe("gpu");
      await fold.scan(three);
      await fold.scan(three, { segments: { rows: 3 } });
      await fold.reduce(three);
      await fold.histogram(three, { bins: 2, range: [0, 8] });
      expect(dispatches() > 0, String(cpu)).toBe(isOnGpu);
      // Arrays on the GPU stay there.
      await fold.scan(await fold.upload(three));
      expect(dispatches()).toBeGreaterThan(0);
      fold.destroy();
    }
  });

  test("by default, long arrays go to a GPU, and short ones do not", async () => {
    const gpu = simulatedGpu({ vendor: "nvidia" });
    const fold = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter, cpu: "auto" });
    expect(fold.explain("scan", 1000)).toMatchObject({ machine: "cpu" });
    expect(fold.explain("scan", 1 << 20)).toMatchObject({ machine: "gpu" });
    expect(fold.explain("exactAdd", 4096)).toMatchObject({ machine: "cpu" });
    expect(fold.explain("exactAdd", 4097)).toMatchObject({ machine: "gpu" });
    expect(() => fold.explain("scann" as "scan", 1)).toThrow("scan, reduce");
    expect(() => fold.explain("scan", -1)).toThrow("length");
    fold.destroy();
  });

  test("of exact sums, fewer elements are short", async () => {
    const { adapter, dispatches } = await countedAdapter({ vendor: "nvidia" });
    const fold = await openFold({ adapter, cpu: "auto" });
    const ones = new Float32Array(4097).fill(1);
    const positions = new Uint32Array(4096);
    expect(await fold.reduce(ones.subarray(1), { op: exactAdd })).toBe(4096);
    expect(await fold.reduce(ones.subarray(1), { op: exactAdd, segments: { rows: 4096 } })).toEqual(
      Float32Array.of(4096),
    );
    expect(await fold.scatter(ones.subarray(1), positions, { op: exactAdd, length: 1 })).toEqual(
      Float32Array.of(4096),
    );
    expect(dispatches()).toBe(0);
    expect(await fold.reduce(ones, { op: exactAdd })).toBe(4097);
    expect(dispatches()).toBeGreaterThan(0);
    fold.destroy();
  });

  test("an adapter that is named is the one that is taken", async () => {
    for (const cpu of [undefined, "auto", "always"] as const) {
      const fold = await openFold({ adapter: "simulated", cpu } as NodeOpenOptions);
      expect([fold.machine, fold.device !== undefined]).toEqual(["gpu", true]);
      fold.destroy();
    }
  });

  test("folds on one device use the CPU each in its own way, and take each other's arrays", async () => {
    const { adapter, dispatches } = await countedAdapter();
    const never = await openFold({ adapter, cpu: "never" });
    const { device } = never;
    const always = await openFold({ device, cpu: "always" });
    const auto = await openFold({ device, cpu: "auto" });
    const later = await openFold({ device });
    for (const [fold, isOnGpu] of [
      [never, true],
      [always, false],
      [auto, false],
      [later, true],
    ] as const) {
      const before = dispatches();
      expect(await fold.scan(three)).toEqual(Uint32Array.of(3, 4, 11));
      expect(dispatches() > before).toBe(isOnGpu);
      expect(fold.explain("scan", 3).machine).toBe(isOnGpu ? "gpu" : "cpu");
    }
    const [sorted, data] = [await auto.upload(Uint32Array.of(1, 3, 7)), await never.upload(three)];
    const positions = await always.searchSorted(sorted, data);
    expect(await positions.read()).toEqual(Uint32Array.of(1, 0, 2));
    never.destroy();
  });

  test("a use of the CPU that there is not is refused", async () => {
    await expect(openFold({ cpu: "sometimes" as "auto" })).rejects.toThrow('"auto", "never", "always"');
  });
});

test("operators and keys of the caller's run on the CPU, also on structs", async () => {
  const fold = await openFold({ cpu: "always" });
  const affine = operator({
    name: "affine",
    type: u32,
    identity: 0x10000,
    combine:
      "(((earlier >> 16u) * (later >> 16u)) << 16u) | (((later >> 16u) * (earlier & 0xffffu) + later) & 0xffffu)",
    reference: (earlier, later) =>
      ((Math.imul(earlier >>> 16, later >>> 16) << 16) |
        ((Math.imul(later >>> 16, earlier & 0xffff) + later) & 0xffff)) >>>
      0,
  });
  const maps = Uint32Array.of(0x20001, 0x30005, 0x10002);
  const [first = 0, second = 0, third = 0] = maps;
  const two = affine.reference?.(first, second) ?? 0;
  expect([...(await fold.scan(maps, { op: affine }))]).toEqual([first, two, affine.reference?.(two, third)]);
  expect(await fold.reduce(maps, { op: affine })).toBe(affine.reference?.(two, third));
  const item = struct({ name: "Item", fields: { cell: u32, weight: u32 } });
  const items = item.from([
    { cell: 4, weight: 1 },
    { cell: 2, weight: 2 },
  ]);
  const sorted = await fold.sort(items, { key: "x.cell" });
  expect([sorted.get(0), sorted.get(1)]).toEqual([items.get(1), items.get(0)]);
  expect(hasDevice(fold)).toBe(false);
  fold.destroy();
});

describe("what the loops do not take goes to the device", () => {
  test("structs that are no whole words", async () => {
    const fold = await openFold({ cpu: "always" });
    const rgb = struct({ name: "Rgb", fields: { r: f16, g: f16, b: f16 } });
    const colours = rgb.from([1, 2, 3, 4].map((x) => ({ r: x, g: x, b: x })));
    const reds = (of: typeof colours): readonly number[] =>
      Array.from({ length: of.length }, (_, at) => of.get(at).r);
    expect(reds(await fold.compact(colours, { flags: [1, 0, 1, 1] }))).toEqual([1, 3, 4]);
    expect(reds(await fold.gather(colours, Uint32Array.of(2, 0)))).toEqual([3, 1]);
    const { values } = await fold.sort(Uint32Array.of(4, 3, 2, 1), { values: colours });
    expect(reds(values)).toEqual([4, 3, 2, 1]);
    expect(hasDevice(fold)).toBe(true);
    fold.destroy();
  });

  test("texts that a compiler refuses, which the device reports", async ({ skip }) => {
    skip(swiftShaderMissing !== undefined, swiftShaderMissing);
    const fold = await openFold({ adapter, cpu: "always" });
    await expect(fold.scan(three, { map: "select(1u, 2u, x)" })).rejects.toBeInstanceOf(SourceError);
    await expect(fold.compact(three, { where: "any(x)" })).rejects.toBeInstanceOf(SourceError);
    fold.destroy();
  });

  test("the error of a text has the caller's line in its stack", async () => {
    const fold = await openFold({ cpu: "always" });
    const calls = {
      scan: () => fold.scan(three, { map: "nonsense" }),
      compact: () => fold.compact(three, { where: "nonsense" }),
      sort: () => fold.sort(three, { key: "nonsense" }),
    };
    for (const [name, call] of Object.entries(calls)) {
      const callerOfThis = async (): Promise<unknown> => await call();
      const error = await callerOfThis().catch((cause: unknown) => cause);
      expect(error, name).toBeInstanceOf(SourceError);
      expect((error as SourceError).stack, name).toContain("callerOfThis");
      expect((error as SourceError).stack, name).toContain("SourceError: ");
    }
    fold.destroy();
  });

  test("f16 on an adapter without it", async () => {
    const gpu = simulatedGpu({ features: [] });
    const fold = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter, cpu: "always" });
    const halves = Uint16Array.of(0x3c00, 0x4000);
    await expect(fold.argMin(halves, { type: f16 })).rejects.toThrow("shader-f16");
    await expect(fold.scan(halves, { type: f16 })).rejects.toThrow("shader-f16");
    const pair = Uint32Array.of(3, 4);
    await expect(fold.reduce(pair, { segments: { keys: halves, type: f16 } })).rejects.toThrow("f16");
    await expect(fold.compact(three, { where: "f16(x) > 1.0h" })).rejects.toThrow("f16");
    fold.destroy();
  });
});

test("a scan of structs writes into an array that starts between words", async () => {
  const fold = await openFold({ cpu: "always" });
  const item = struct({ name: "Sum", fields: { count: u32 } });
  const sum = operator({
    name: "sum",
    type: item,
    identity: { count: 0 },
    combine: "Sum(earlier.count + later.count)",
    reference: (earlier, later) => ({ count: earlier.count + later.count }),
  });
  const into = new StructArray(item, new ArrayBuffer(26), 2, 3);
  await fold.scan(item.from([1, 2, 3].map((count) => ({ count }))), { op: sum, into });
  expect([0, 1, 2].map((at) => into.get(at).count)).toEqual([1, 3, 6]);
  const kept = await fold.compact(into, { flags: [0, 1, 1], into });
  expect([kept.length, ...[0, 1, 2].map((at) => into.get(at).count)]).toEqual([2, 3, 6, 6]);
  fold.destroy();
});

test("messages name no function of ours, and say where a text ends", async () => {
  const fold = await openFold({ cpu: "always" });
  const data = Float32Array.of(1);
  const told = async (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => "",
      (cause: Error) => cause.message,
    );
  expect(await told(fold.map(data, { map: "u32(x)" }))).toBe(
    "the map, line 1: this is u32; it takes f32; the option type says what the map gives\n  u32(x)",
  );
  expect(await told(fold.sort(data, { key: "vec2f(x)" }))).toBe(
    "the key, line 1: this is vec2<f32>; it takes f32; the option keyType says what the key gives\n  vec2f(x)",
  );
  expect(await told(fold.compact(data, { where: "x >" }))).toBe(
    "the predicate, line 1: expected an expression, and found the end of the text\n  x >",
  );
  expect(await told(fold.compact(data, { where: "x > ;" }))).not.toContain("the end of the text");
  // A name of the caller's own stays.
  const declarations = "fn half(x: f32) -> f32 { return u32(x); }";
  const op = operator({ name: "halves", type: f32, identity: 0, declarations, combine: "half(earlier)" });
  expect(await told(fold.reduce(Float32Array.of(1, 2), { op }))).toContain(
    "half returns f32, and this is u32",
  );
  fold.destroy();
});

test("no operator is none, and constants out of range become the nearest value", async () => {
  const fold = await openFold({ cpu: "always" });
  await expect(fold.scan(three, { op: null as never })).rejects.toThrow("op is null");
  expect([...(await fold.compact(Int32Array.of(1, 2), { where: "x < i32(3e9)" }))]).toEqual([1, 2]);
  expect([...(await fold.scan(Uint32Array.of(1), { map: "u32(5e9)" }))]).toEqual([0xffffffff]);
  fold.destroy();
});
