import process from "node:process";
import { afterEach, expect, test, vi } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { DeviceLostError, ShaderError } from "../../src/errors.ts";
import type { Context } from "../../src/gpu/device/context.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { pipelineKeyOf, trim } from "../../src/gpu/device/kept_pipelines.ts";
import { prepareFor } from "../../src/gpu/recordings/prepare_folds.ts";
import type { Prepared } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import type { Arrangement } from "../../src/kernels/kernel.ts";
import { openFold } from "../../src/node.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { affineItems } from "../look_back/operators.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { planAs, untyped, useFold } from "../support/fold.ts";
import { nullGpu } from "../support/null_device.ts";
import { affine } from "../support/operators.ts";
import { planScan } from "../support/plans.ts";

// `prepare…` waits only for the kernels of the first way. On a GPU, the others are compiled after that, one after another. On a
// software adapter, each is compiled when a recording first needs it.

const fold = useFold();
const POISON = 0xdeadbeef;
const LENGTH = 700;
const options = {
  type: u32,
  op: untyped(affine),
  maxLength: 5000,
  algorithm: "hillis-steele",
  workGroupSize: 4,
  itemsPerThread: 4,
  passes: "reduce-then-scan",
} as const;

/** The device, as if it were a GPU, with no pipelines yet. */
function gpu(): Context {
  const context = contextOf(fold().device);
  trim(context);
  return { ...context, facts: { ...context.facts, software: false } };
}

/** Counts how many pipelines are made at once, and in the background. */
const spies = () => ({
  now: vi.spyOn(fold().device, "createComputePipeline"),
  later: vi.spyOn(fold().device, "createComputePipelineAsync"),
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** How input and output lie: their places in a buffer of words, and whether they share it. */
const layouts: Readonly<
  Record<Exclude<Arrangement, "padded">, readonly [from: number, to: number, shared: boolean]>
> = {
  vectors: [0, 0, false],
  items: [1, 3, false],
  "one-buffer": [1, 1000, true],
  "in-place": [64, 64, true],
};
type Layout = keyof typeof layouts;

/** Scans ranges of this arrangement, and compares every word. */
async function expectScanned(
  prepared: Awaited<ReturnType<typeof prepareFor>>,
  layout: Layout,
): Promise<void> {
  const { device } = fold();
  const [from, to, shared] = layouts[layout];
  const data = affineItems(LENGTH, `later ${layout}`);
  const words = new Uint32Array(2048).fill(POISON);
  words.set(data, from);
  const input = storageBuffer(device, words);
  const output = shared ? input : storageBuffer(device, new Uint32Array(2048).fill(POISON));
  const encoder = device.createCommandEncoder();
  prepared.record(encoder, {
    input: { buffer: input, offset: 4 * from },
    output: { buffer: output, offset: 4 * to },
    length: LENGTH,
  });
  device.queue.submit([encoder.finish()]);
  const wanted = shared ? words : new Uint32Array(2048).fill(POISON);
  wanted.set(scanReference(data, { op: affine }), to);
  expectSameBits(await readWords(device, output), wanted, layout);
  input.destroy();
  output.destroy();
}

const others = Object.keys(layouts) as Layout[];

test("what a recording needs before it is there is compiled at once, and right", async () => {
  const { now, later } = spies();
  const context = gpu();
  const prepared = await prepareFor("scan", context, options);
  // Of ranges at vectors: one tile, the totals, and three of the spine; and one that has begun in the background.
  expect(later.mock.calls.length).toBeLessThanOrEqual(prepared.kernels.length - 2);
  await expectScanned(prepared, "vectors");
  expect(now).not.toHaveBeenCalled();
  prepared.destroy();
  trim(context);
  const again = await prepareFor("scan", context, options);
  for (const layout of others) {
    await expectScanned(again, layout);
  }
  // Other plans find them, and nothing compiles them again.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(again.kernels.every((kernel) => context.pipelines.has(pipelineKeyOf(kernel)))).toBe(true);
  again.destroy();
});

test("in the background, everything is compiled once", async () => {
  const { now, later } = spies();
  const prepared = await prepareFor("scan", gpu(), options);
  await vi.waitFor(() => expect(later).toHaveBeenCalledTimes(prepared.kernels.length), 30_000);
  await Promise.all(later.mock.results.map(({ value }) => value));
  // A turn for the last one to be put in its place.
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const layout of others) {
    await expectScanned(prepared, layout);
  }
  expect(now).not.toHaveBeenCalled();
  expect(later).toHaveBeenCalledTimes(prepared.kernels.length);
  prepared.destroy();
});

test("a kernel that one plan puts off, and another one needs first, is compiled before that one is there", async () => {
  const { now } = spies();
  const context = gpu();
  // Nothing goes on in the background until both are planned.
  const [everywhere, items] = await Promise.all([
    prepareFor("scan", context, options),
    prepareFor("scan", context, options, ["items"]),
  ]);
  await expectScanned(items, "items");
  expect(now).not.toHaveBeenCalled();
  everywhere.destroy();
  items.destroy();
});

test("what is destroyed compiles nothing more", async () => {
  const { now, later } = spies();
  const prepared = await prepareFor("scan", gpu(), options);
  const calls = later.mock.calls.length;
  expect(calls).toBeLessThanOrEqual(prepared.kernels.length - 2);
  prepared.destroy();
  await Promise.all(later.mock.results.map(({ value }) => value));
  await new Promise((resolve) => setTimeout(resolve, 300));
  // One had begun.
  expect(later.mock.calls.length).toBeLessThanOrEqual(calls + 1);
  expect(now).not.toHaveBeenCalled();
});

test("a software adapter compiles the others when they are used, each once", async () => {
  const { now, later } = spies();
  const own = contextOf(fold().device);
  trim(own);
  const context = { ...own, facts: { ...own.facts, software: true } };
  const prepared = await prepareFor("scan", context, options);
  const calls = later.mock.calls.length;
  expect(calls).toBeLessThanOrEqual(prepared.kernels.length - 2);
  await expectScanned(prepared, "vectors");
  expect(now).not.toHaveBeenCalled();
  for (const layout of others) {
    await expectScanned(prepared, layout);
  }
  const used = now.mock.calls.length;
  expect(used).toBeGreaterThan(0);
  // What was used is there for the next plan.
  const again = await prepareFor("scan", context, options);
  for (const layout of others) {
    await expectScanned(again, layout);
  }
  expect([later.mock.calls.length, now.mock.calls.length]).toEqual([calls, used]);
  again.destroy();
  prepared.destroy();
});

test("a plan that is destroyed gives back the places of what it put off, and no other plan's", async () => {
  const { one, device, record } = await nullFold();
  const own = contextOf(device);
  const context = { ...own, facts: { ...own.facts, software: true } };
  const { pipelines } = context;
  const prepared = await prepareFor("scan", context, options);
  const { kernels } = prepared;
  const putOff = kernels.filter((kernel) => typeof pipelines.get(pipelineKeyOf(kernel)) === "symbol");
  expect(putOff.length).toBeGreaterThan(2);
  expect(await record(prepared, "items")).toBeUndefined();
  // What was used is there for others.
  const used = putOff.filter((kernel) => typeof pipelines.get(pipelineKeyOf(kernel)) === "object");
  expect(used.length).toBeGreaterThan(0);
  prepared.destroy();
  await vi.waitFor(() => expect(pipelines.size).toBe(kernels.length - putOff.length + used.length), 30_000);
  // Of two plans, the one that was made last has the places.
  const [early, late] = [
    await prepareFor("scan", context, options),
    await prepareFor("scan", context, options),
  ];
  const places = [...pipelines.keys()];
  expect(places).toHaveLength(kernels.length);
  early.destroy();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect([...pipelines.keys()]).toEqual(places);
  late.destroy();
  await vi.waitFor(() => expect(pipelines.size).toBe(kernels.length - putOff.length + used.length), 30_000);
  one.destroy();
});

/** A fold of its own on Dawn's null backend, taken for one on a GPU: it compiles, and runs nothing. */
async function nullFold() {
  const adapter = await nullGpu().requestAdapter();
  if (adapter === null) {
    throw new Error("Dawn has no null adapter");
  }
  const one = await openFold({ adapter });
  planAs(one, { software: false });
  const { device } = one;
  const uncaught: string[] = [];
  device.addEventListener("uncapturederror", (event) => {
    uncaught.push((event as GPUUncapturedErrorEvent).error.message);
  });
  const buffers = [0, 1].map(() => storageBuffer(device, new Uint32Array(2048))) as [GPUBuffer, GPUBuffer];
  /** Records ranges of this arrangement, and returns why the caller's encoder is refused. */
  const record = async (prepared: Pick<Prepared, "record">, layout: Layout): Promise<string | undefined> => {
    const [from, to, shared] = layouts[layout];
    const encoder = device.createCommandEncoder();
    prepared.record(encoder, {
      input: { buffer: buffers[0], offset: 4 * from },
      output: { buffer: buffers[shared ? 0 : 1], offset: 4 * to },
      length: LENGTH,
    });
    device.pushErrorScope("validation");
    encoder.finish();
    return (await device.popErrorScope())?.message;
  };
  return { one, device, uncaught, record };
}

test("a kernel that is refused at a recording is an error of the encoder, and then of each recording that needs it", async () => {
  const { one, device, uncaught, record } = await nullFold();
  const context = contextOf(device);
  const vectors = await prepareFor("scan", context, options, ["vectors"]);
  const known = new Set(vectors.kernels.map(({ code }) => code));
  vectors.destroy();
  trim(context);
  const { createShaderModule } = device;
  let isBroken = true;
  device.createShaderModule = (descriptor) =>
    createShaderModule.call(
      device,
      isBroken && !known.has(descriptor.code)
        ? { ...descriptor, code: descriptor.code.replace("@compute", "@compute nonsense") }
        : descriptor,
    );
  const prepared = await prepareFor("scan", context, options);
  // The background has begun with the kernel of the first of these, and not with that of the second.
  const refused = ["items", "one-buffer"] as const;
  // The device's answers wait while another plan takes what it finds.
  const { popErrorScope } = device;
  let answer = (): void => {};
  const gate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  device.popErrorScope = async () => {
    const error = await popErrorScope.call(device);
    await gate;
    return error;
  };
  const recorded = refused.map((layout) => record(prepared, layout));
  device.popErrorScope = popErrorScope;
  const early = prepareFor("scan", context, options, ["one-buffer"]).catch((cause: unknown) => cause);
  await Promise.race([early, new Promise((resolve) => setTimeout(resolve, 200))]);
  answer();
  const first = await Promise.all(recorded);
  for (const message of first) {
    expect(message).toMatch(/^\[Invalid ComputePipeline "wavefold scan_tiles of items </);
  }
  for (const layout of refused) {
    const refusal = await vi.waitFor(async () => {
      const cause: unknown = await record(prepared, layout).catch((one: unknown) => one);
      expect(cause).toBeInstanceOf(ShaderError);
      return cause as ShaderError;
    }, 30_000);
    expect(refusal.message).toMatch(/^shaders\/device\/kernels\/\w+\.wgsl:\d+: /);
    expect(refusal.message).toContain("This is a defect of Wavefold.");
    expect(refusal.source).toContain("@compute");
    expect(refusal.message.endsWith(refusal.source)).toBe(true);
  }
  // Nothing is recorded before it is thrown.
  const encoder = device.createCommandEncoder();
  const pass = { dispatchWorkgroups: vi.fn(), setPipeline: vi.fn(), setBindGroup: vi.fn(), end: vi.fn() };
  const range = { buffer: storageBuffer(device, new Uint32Array(2048)), offset: 4 };
  encoder.beginComputePass = vi.fn(() => pass as never);
  expect(() => prepared.record(encoder, { input: range, output: range, length: LENGTH })).toThrow(
    ShaderError,
  );
  expect(encoder.beginComputePass).not.toHaveBeenCalled();
  // Ranges that need other kernels are recorded, and no plan takes what was refused.
  expect(await record(prepared, "vectors")).toBeUndefined();
  expect(await early).toBeInstanceOf(ShaderError);
  await expect(prepareFor("scan", context, options, ["items"])).rejects.toThrow(ShaderError);
  isBroken = false;
  const items = await prepareFor("scan", context, options, ["items"]);
  expect(await record(items, "items")).toBeUndefined();
  expect(uncaught).toEqual([]);
  items.destroy();
  prepared.destroy();
  one.destroy();
});

test("no other plan takes what a plan has put off until it is used", async () => {
  const { one, device, uncaught, record } = await nullFold();
  const own = contextOf(device);
  const context = { ...own, facts: { ...own.facts, software: true } };
  const now = vi.spyOn(device, "createComputePipeline");
  const later = vi.spyOn(device, "createComputePipelineAsync");
  const plan = await planScan(options, context.facts);
  const prepared = await prepareFor("scan", context, options);
  const { length } = prepared.kernels;
  expect(later.mock.calls.length).toBeLessThanOrEqual(length - 2);
  // It has a place for each, so that calls may keep the plan.
  expect(prepared.kernels.every((kernel) => context.pipelines.has(pipelineKeyOf(kernel)))).toBe(true);
  // A plan that puts nothing off compiles the rest.
  const whole = await prepare(context, plan);
  expect(whole.kernels).toHaveLength(length);
  expect(later).toHaveBeenCalledTimes(length);
  for (const layout of others) {
    expect(await record(whole, layout)).toBeUndefined();
  }
  expect(now).not.toHaveBeenCalled();
  // The other plan still has its own.
  expect(await record(prepared, "items")).toBeUndefined();
  expect(now).toHaveBeenCalled();
  prepared.destroy();
  expect(await record(whole, "one-buffer")).toBeUndefined();
  whole.destroy();
  expect(uncaught).toEqual([]);
  one.destroy();
});

test("fold.destroy() while kernels compile in the background: nothing more is compiled, and nothing is reported", async () => {
  const { one, device, uncaught, record } = await nullFold();
  const unhandled: unknown[] = [];
  const listener = (cause: unknown): void => void unhandled.push(cause);
  process.on("unhandledRejection", listener);
  const { createComputePipelineAsync } = device;
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isReady = false;
  // What begins after the plan is there waits at the gate.
  const later = vi.fn(async (descriptor: GPUComputePipelineDescriptor) => {
    if (isReady) {
      await gate;
      throw new Error("the device is gone");
    }
    return createComputePipelineAsync.call(device, descriptor);
  });
  device.createComputePipelineAsync = later;
  const prepared = await one.prepareScan({ ...options, op: affine });
  isReady = true;
  const before = later.mock.calls.length;
  await vi.waitFor(() => expect(later).toHaveBeenCalledTimes(before + 1), 30_000);
  one.destroy();
  await device.lost;
  letGo();
  await Promise.allSettled(later.mock.results.map(({ value }) => value));
  // Turns for what would come after it.
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  expect(later).toHaveBeenCalledTimes(before + 1);
  await expect(record(prepared as never, "items")).rejects.toThrow(DeviceLostError);
  await expect(record(prepared as never, "vectors")).rejects.toThrow(DeviceLostError);
  prepared.destroy();
  process.off("unhandledRejection", listener);
  expect(unhandled).toEqual([]);
  expect(uncaught).toEqual([]);
});
