import { afterEach, expect, test, vi } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import type { Context } from "../../src/gpu/context.ts";
import { contextOf, keyOf, trim } from "../../src/gpu/device.ts";
import { prepareFor } from "../../src/gpu/recording.ts";
import type { Arrangement } from "../../src/kernels/kernel.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { affineItems } from "../look_back/operators.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { untyped, useSoftwareFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";

// On a GPU, a plan compiles the kernels of its first way before the others.

const fold = useSoftwareFold();
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

/** Scans ranges that lie so, and compares every word. */
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

test("what a recording needs before it is there is compiled at once, and right", {
  timeout: 60_000,
}, async () => {
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
  expect(again.kernels.every((kernel) => context.pipelines.has(keyOf(kernel)))).toBe(true);
  again.destroy();
});

test("in the background, everything is compiled once", { timeout: 60_000 }, async () => {
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

test("a kernel that one plan puts off, and another one needs first, is compiled before that one is there", {
  timeout: 60_000,
}, async () => {
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

test("what is destroyed compiles nothing more", { timeout: 60_000 }, async () => {
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

test("a software adapter compiles the others when they are used, each once", {
  timeout: 60_000,
}, async () => {
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
