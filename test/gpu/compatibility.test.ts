import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { openFold as openInBrowser } from "../../src/gpu/open.ts";
import type { Fold } from "../../src/node.ts";
import { LimitError, max, openFold, u64 } from "../../src/node.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { randomWords } from "../support/random.ts";

// WebGPU's compatibility mode: https://www.w3.org/TR/webgpu/#limits has its lower limits.

const limits = {
  maxComputeInvocationsPerWorkgroup: 128,
  maxComputeWorkgroupSizeX: 128,
  maxComputeWorkgroupSizeY: 128,
  maxStorageBuffersPerShaderStage: 4,
  maxUniformBufferBindingSize: 2 ** 14,
  maxStorageBufferBindingSize: 2 ** 27,
  maxBufferSize: 2 ** 28,
  maxComputeWorkgroupStorageSize: 2 ** 14,
};
const items = randomWords(3000, "compatibility").map((word) => word % 1000);
const floats = Float64Array.from(items, (item) => item / 7);
const sorted = items.slice().sort();
const places = items.map((_, index) => (index * 7) % 3000);
const offsets = Uint32Array.of(0, 5, 5, 700, 2999, 3000);

describe("a device of 128 threads and 4 storage buffers", () => {
  let fold: Fold;
  let cpu: Fold;
  beforeAll(async () => {
    const adapter = (await simulatedGpu({ limits, features: [] }).requestAdapter()) as GPUAdapter;
    fold = await openFold({ adapter });
    cpu = await openFold({ cpu: "always" });
  });
  afterAll(() => {
    fold.destroy();
    cpu.destroy();
  });

  test.for<[string, (own: Fold) => Promise<unknown>]>([
    ["scan", (own) => own.scan(items)],
    ["scan of u64", (own) => own.scan(items, { type: u64, exclusive: true })],
    ["scan of f64", (own) => own.scan(floats, { op: max })],
    ["suffix sums", (own) => own.scan(items, { reverse: true })],
    ["reduce", (own) => own.reduce(items)],
    ["rows", (own) => own.reduce(items, { segments: { rows: 100 } })],
    ["columns", (own) => own.scan(items, { segments: { columns: 100 } })],
    ["compact", (own) => own.compact(items, { where: "x > 500u" })],
    ["partition", (own) => own.partition(items, { where: "x > 500u" })],
    ["count", (own) => own.count(items, { where: "x > 500u" })],
    ["findFirst", (own) => own.findFirst(items, { where: "x > 998u" })],
    ["map", (own) => own.map(items, { map: "x * 2u" })],
    ["gather", (own) => own.gather(items, places)],
    ["scatter", (own) => own.scatter(items, places, { length: 3000 })],
    ["sort", (own) => own.sort(items)],
    ["sort of f64", (own) => own.sort(floats)],
    ["searchSorted", (own) => own.searchSorted(sorted, items)],
    ["merge", (own) => own.merge(sorted, sorted)],
    ["histogram", (own) => own.histogram(items, { bins: 10, range: [0, 1000] })],
    ["argMax", (own) => own.argMax(items)],
    ["segments by offsets", (own) => own.scan(items, { segments: { offsets } })],
  ])("%s", async ([, call]) => {
    expect(await call(fold)).toEqual(await call(cpu));
  });

  test.for<[string, number, (own: Fold) => Promise<unknown>]>([
    ["sort of pairs", 5, (own) => own.sort(items, { values: places })],
    ["argSort", 5, (own) => own.argSort(items)],
    ["topK", 6, (own) => own.topK(items, 7)],
    ["unique", 6, (own) => own.unique(sorted)],
    ["sums by offsets", 5, (own) => own.reduce(items, { segments: { offsets } })],
    ["sums by keys", 6, (own) => own.reduce(items, { segments: { keys: sorted } })],
    ["runLengths", 6, (own) => own.runLengths(sorted)],
    ["union", 6, (own) => own.union(sorted, sorted.subarray(900))],
  ])("%s binds %i", async ([, needed, call]) => {
    const error = await call(fold).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ needed, limit: 4 });
    expect((error as Error).message).toMatch(
      `the kernel binds ${needed} storage buffers, and the device at most 4 (maxStorageBuffersPerShaderStage)`,
    );
  });
});

describe("featureLevel", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.for([
    ["core", {}],
    ["core", { featureLevel: "core" }],
    ["compatibility", { featureLevel: "compatibility" }],
  ] as const)("asks the browser for %s: %o", async ([featureLevel, options]) => {
    const gpu = simulatedGpu();
    const requestAdapter = vi.spyOn(gpu, "requestAdapter");
    vi.stubGlobal("navigator", { gpu });
    const fold = await openInBrowser(options);
    expect(requestAdapter).toHaveBeenCalledWith({ powerPreference: "high-performance", featureLevel });
    expect(fold.device.features.has("core-features-and-limits")).toBe(true);
    fold.destroy();
  });

  test("is refused beside a device or an adapter, and where there is no such level", async () => {
    const adapter = (await simulatedGpu().requestAdapter()) as GPUAdapter;
    await expect(openInBrowser({ adapter, featureLevel: "compatibility" })).rejects.toThrow(
      "openFold: featureLevel is given beside adapter; it takes adapter alone, which has its level",
    );
    const device = await adapter.requestDevice();
    await expect(openInBrowser({ device, featureLevel: "core" })).rejects.toThrow(
      "openFold: featureLevel is given beside device; it takes device alone, which has its level",
    );
    await expect(openInBrowser({ featureLevel: "full" as never })).rejects.toThrow(
      'openFold: featureLevel is "full"; it takes "core", "compatibility"',
    );
    await expect(openFold({ adapter: "simulated", featureLevel: "core" })).rejects.toThrow(
      'openFold: featureLevel is given beside adapter: "simulated"; it takes GPUs alone',
    );
  });
});
