import { describe, expect, test } from "vitest";
import { create } from "webgpu";
import { u32 } from "../../src/algebra/integers.ts";
import { openFold } from "../../src/index.ts";
import { scanReference } from "../../src/reference/index.ts";
import type { SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { randomBits } from "../support/random.ts";

const bits = randomBits("subgroup size");
const FEATURE = "subgroup-size-control";
const WITH = ["shader-f16", "subgroups", FEATURE];

/** The texts of the shaders that a device compiles from now on. */
function textsCompiledOn(device: GPUDevice): string[] {
  const texts: string[] = [];
  const made = device.createShaderModule.bind(device);
  device.createShaderModule = (descriptor) => {
    texts.push(descriptor.code);
    return made(descriptor);
  };
  return texts;
}

/** A fold on a simulated adapter, and the texts of the shaders that it has compiled. `refuses`: whether pipelines with a size fail. */
async function openedWith(options: SimulatorOptions, refuses = false) {
  const gpu = simulatedGpu(options);
  const adapter = (await gpu.requestAdapter()) as GPUAdapter;
  const fold = await openFold({ adapter, cpu: "never" });
  const { device } = fold;
  const texts = textsCompiledOn(device);
  if (refuses) {
    const pipeline = device.createComputePipelineAsync.bind(device);
    device.createComputePipelineAsync = async (descriptor) => {
      if (texts.at(-1)?.includes("@subgroup_size")) {
        throw new Error("this driver has no such size");
      }
      return pipeline(descriptor);
    };
  }
  return { gpu, fold, texts };
}

async function scanned({ fold, texts }: Awaited<ReturnType<typeof openedWith>>): Promise<readonly string[]> {
  const data = Uint32Array.from({ length: 3000 }, () => bits());
  texts.length = 0;
  const scan = await fold.scan(data, {
    algorithm: "subgroup",
    passes: "reduce-then-scan",
    workGroupSize: 64,
  });
  expect(scan).toEqual(scanReference(data));
  return texts.filter((text) => /enable subgroups/.test(text));
}

const sizesIn = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.map((text) => /@compute @subgroup_size\((\d+)\) @workgroup_size/.exec(text)?.[1] ?? "none"));

describe("kernels with subgroups ask for one size", () => {
  test.each([
    [8, 32, 16, "32"],
    [4, 16, 8, "16"],
    [64, 128, 128, "64"],
    [16, 64, 64, "32"],
  ])("of an adapter from %i to %i", async (subgroupMinSize, subgroupMaxSize, subgroupSize, asked) => {
    const opened = await openedWith({ subgroupMinSize, subgroupMaxSize, subgroupSize, features: WITH });
    expect(opened.fold.device.features.has(FEATURE)).toBe(true);
    const texts = await scanned(opened);
    expect(texts.length).toBeGreaterThan(0);
    expect(sizesIn(texts)).toEqual(new Set([asked]));
    expect(opened.gpu.findings).toEqual([]);
    opened.fold.destroy();
  });

  test("and run without it where the device refuses it", async () => {
    const opened = await openedWith(
      { subgroupMinSize: 8, subgroupSize: 16, subgroupMaxSize: 32, features: WITH },
      true,
    );
    expect(sizesIn(await scanned(opened))).toEqual(new Set(["32", "none"]));
    opened.fold.destroy();
  });

  test("but not where work-groups do not fill subgroups", async () => {
    const opened = await openedWith({
      subgroupMinSize: 8,
      subgroupSize: 16,
      subgroupMaxSize: 32,
      features: WITH,
    });
    opened.texts.length = 0;
    const data = Uint32Array.from({ length: 300 }, () => bits());
    expect(await opened.fold.reduce(data, { algorithm: "subgroup", workGroupSize: 16 })).toBe(
      data.reduce((sum, one) => (sum + one) >>> 0, 0),
    );
    expect(opened.texts.some((text) => /enable subgroups/.test(text))).toBe(true);
    expect(sizesIn(opened.texts)).toEqual(new Set(["none"]));
    opened.fold.destroy();
  });

  test.each([
    ["of an adapter without the feature", { subgroupMinSize: 8, subgroupSize: 16, subgroupMaxSize: 32 }],
    ["of an adapter with one size", { subgroupSize: 16, features: WITH }],
  ])("texts %s stay what they are", async (_, options) => {
    const opened = await openedWith(options);
    const texts = await scanned(opened);
    expect(texts.length).toBeGreaterThan(0);
    expect(
      texts.filter((text) => text.includes("subgroup_size_control") || text.includes("@subgroup_size")),
    ).toEqual([]);
    opened.fold.destroy();
  });

  test("but not on a device of the caller's that was opened without the feature", async () => {
    const options = { subgroupMinSize: 8, subgroupSize: 16, subgroupMaxSize: 32, features: WITH } as const;
    const adapter = (await simulatedGpu(options).requestAdapter()) as GPUAdapter;
    const device = await adapter.requestDevice({ requiredFeatures: ["subgroups"] });
    const texts: string[] = [];
    const made = device.createShaderModule.bind(device);
    device.createShaderModule = (descriptor) => {
      texts.push(descriptor.code);
      return made(descriptor);
    };
    const fold = await openFold({ device, cpu: "never" });
    await fold.scan(Uint32Array.of(1, 2), { algorithm: "subgroup" });
    expect(sizesIn(texts)).toEqual(new Set(["none"]));
    fold.destroy();
    device.destroy();
  });

  test("a text of the caller's that does not compile is told as without it", async () => {
    const options = { subgroupMinSize: 8, subgroupSize: 16, subgroupMaxSize: 32 };
    const messages = await Promise.all(
      [options, { ...options, features: WITH }].map(async (one) => {
        const { fold } = await openedWith(one);
        const error = await fold
          .reduce(Uint32Array.of(1, 2), { algorithm: "subgroup", workGroupSize: 64, map: "x + y" })
          .catch((cause: Error) => cause.message);
        fold.destroy();
        return error;
      }),
    );
    expect(messages[0]).toMatch(/^the map, line 1: y is not declared/);
    expect(messages[1]).toBe(messages[0]);
  });
});

test("Dawn takes the texts", async () => {
  const gpu = create(["backend=null"]);
  const adapter = (await gpu.requestAdapter()) as GPUAdapter;
  expect(adapter.features.has(FEATURE as GPUFeatureName)).toBe(true);
  const fold = await openFold({ adapter, cpu: "never" });
  const { device } = fold;
  const texts = textsCompiledOn(device);
  const plan = await fold.prepareScan({
    type: u32,
    maxLength: 1 << 16,
    algorithm: "subgroup",
    workGroupSize: 128,
  });
  const withSubgroups = texts.filter((text) => /enable subgroups/.test(text));
  expect(withSubgroups.length).toBeGreaterThan(0);
  expect(sizesIn(withSubgroups)).toEqual(new Set(["32"]));
  plan.destroy();
  fold.destroy();
});
