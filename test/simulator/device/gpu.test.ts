import { describe, expect, test } from "vitest";
import { ArgumentError } from "../../../src/errors.ts";
import type { SimulatorOptions } from "../../../src/simulator/options.ts";
import { nullGpu } from "../../support/null_device.ts";
import { adapterOf, bufferOf, deviceOf, handMadeGpu } from "./devices.ts";

test("the adapter says what it is", async () => {
  const { info, features, limits } = await adapterOf(handMadeGpu({ subgroupSize: 16, subgroupMaxSize: 64 }));
  expect(info).toMatchObject({
    vendor: "wavefold",
    architecture: "simulator",
    device: "",
    description: "Wavefold's simulator, with subgroups of 16 lanes",
    subgroupMinSize: 16,
    subgroupMaxSize: 64,
    isFallbackAdapter: true,
  });
  expect([...features].sort()).toEqual([
    "core-features-and-limits",
    "shader-f16",
    "subgroups",
    "timestamp-query",
  ]);
  expect(limits.maxComputeInvocationsPerWorkgroup).toBe(1024);
});

test("there is an adapter for the levels that WebGPU has", async () => {
  const gpu = handMadeGpu();
  const request = async (options: GPURequestAdapterOptions) => (await gpu.requestAdapter(options)) !== null;
  expect(await request({ forceFallbackAdapter: true, powerPreference: "low-power" })).toBe(true);
  expect(await request({ featureLevel: "compatibility" })).toBe(true);
  expect(await request({ featureLevel: "other" })).toBe(false);
  expect(gpu.wgslLanguageFeatures.has("subgroup_id")).toBe(true);
});

test("the limits of a device are WebGPU's defaults, which Dawn has, too", async () => {
  const simulated = await (await adapterOf(handMadeGpu())).requestDevice();
  const dawn = await (await adapterOf(nullGpu())).requestDevice();
  const names = Object.keys(simulated.limits) as (keyof GPUSupportedLimits)[];
  expect(names.length).toBeGreaterThan(30);
  for (const name of names) {
    // There are no immediate data.
    expect(simulated.limits[name], name).toBe(name === "maxImmediateSize" ? 0 : dawn.limits[name]);
  }
  expect([...simulated.features]).toEqual(["core-features-and-limits"]);
  expect(simulated.adapterInfo.vendor).toBe("wavefold");
  dawn.destroy();
});

const requests = {
  "no descriptor": { descriptor: undefined, outcome: "fine" },
  "a feature that the adapter has": { descriptor: { requiredFeatures: ["subgroups"] }, outcome: "fine" },
  "a feature that no adapter has": {
    descriptor: { requiredFeatures: ["other" as never] },
    outcome: "TypeError",
  },
  "a limit that is too high": {
    descriptor: { requiredLimits: { maxBindGroups: 1000 } },
    outcome: "OperationError",
  },
  "a limit below the default": { descriptor: { requiredLimits: { maxBindGroups: 1 } }, outcome: "fine" },
  "a limit that is undefined": { descriptor: { requiredLimits: { other: undefined } }, outcome: "fine" },
  "a limit that is none": { descriptor: { requiredLimits: { other: 1 } }, outcome: "OperationError" },
  "a limit that is negative": { descriptor: { requiredLimits: { maxBindGroups: -1 } }, outcome: "TypeError" },
  "an alignment that is too small": {
    descriptor: { requiredLimits: { minStorageBufferOffsetAlignment: 16 } },
    outcome: "OperationError",
  },
  "an alignment that is no power of two": {
    descriptor: { requiredLimits: { minStorageBufferOffsetAlignment: 300 } },
    outcome: "OperationError",
  },
} as const satisfies Record<string, { descriptor: GPUDeviceDescriptor | undefined; outcome: string }>;

describe("devices as WebGPU gives them, and as Dawn gives them", () => {
  test.each(Object.entries<{ descriptor: GPUDeviceDescriptor | undefined; outcome: string }>(requests))(
    "%s",
    async (_, { descriptor, outcome }) => {
      for (const gpu of [handMadeGpu(), nullGpu()]) {
        const adapter = await adapterOf(gpu);
        const made = await adapter.requestDevice(descriptor).then(
          (device) => {
            device.destroy();
            return "fine";
          },
          (cause: Error) => cause.name,
        );
        expect(made).toBe(outcome);
      }
    },
  );

  test("an adapter gives one device", async () => {
    for (const gpu of [handMadeGpu(), nullGpu()]) {
      const adapter = await adapterOf(gpu);
      (await adapter.requestDevice()).destroy();
      await expect(adapter.requestDevice()).rejects.toMatchObject({ name: "OperationError" });
    }
  });
});

test("a device gets the limits that it asks for, and no worse ones than the defaults", async () => {
  const adapter = await adapterOf(
    handMadeGpu({ limits: { maxBindGroups: 2, minStorageBufferOffsetAlignment: 32 } }),
  );
  const { limits } = await adapter.requestDevice({
    label: "mine",
    requiredLimits: {
      maxComputeInvocationsPerWorkgroup: 512,
      maxComputeWorkgroupSizeX: 1,
      minStorageBufferOffsetAlignment: 64,
    },
  });
  expect(limits.maxComputeInvocationsPerWorkgroup).toBe(512);
  expect(limits.maxComputeWorkgroupSizeX).toBe(256);
  expect(limits.minStorageBufferOffsetAlignment).toBe(64);
  // The adapter of these options has no more.
  expect(limits.maxBindGroups).toBe(2);
});

const wrongOptions = {
  "a feature that there is not": [{ features: ["other"] }, "features"],
  "a limit that there is not": [{ limits: { other: 1 } }, "limits"],
  "a limit that is no number": [{ limits: { maxBindGroups: 1.5 } }, "limits.maxBindGroups"],
  "an option that there is not": [{ other: 1 } as SimulatorOptions, "other"],
} as const satisfies Record<string, readonly [SimulatorOptions, string]>;

test.each(Object.entries(wrongOptions))("%s is refused", (_, [options, name]) => {
  expect(() => handMadeGpu(options)).toThrow(ArgumentError);
  expect(() => handMadeGpu(options)).toThrow(expect.objectContaining({ option: name }));
});

test("what is not for compute throws an error that names it", async () => {
  const device = await deviceOf();
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const missing: Record<string, () => unknown> = {
    createTexture: () => device.createTexture({} as never),
    createSampler: () => device.createSampler(),
    importExternalTexture: () => device.importExternalTexture({} as never),
    createRenderPipeline: () => device.createRenderPipeline({} as never),
    createRenderBundleEncoder: () => device.createRenderBundleEncoder({} as never),
    beginRenderPass: () => encoder.beginRenderPass({} as never),
    copyBufferToTexture: () => encoder.copyBufferToTexture({} as never, {} as never, {} as never),
    copyTextureToBuffer: () => encoder.copyTextureToBuffer({} as never, {} as never, {} as never),
    copyTextureToTexture: () => encoder.copyTextureToTexture({} as never, {} as never, {} as never),
    setImmediates: () => pass.setImmediates(0, new Uint8Array(4)),
    writeTexture: () => device.queue.writeTexture({} as never, new Uint8Array(4), {} as never, {} as never),
    copyExternalImageToTexture: () =>
      device.queue.copyExternalImageToTexture({} as never, {} as never, {} as never),
    getPreferredCanvasFormat: () => handMadeGpu().getPreferredCanvasFormat(),
    "texture bindings": () =>
      device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 4, texture: {} }] }),
  };
  for (const [name, call] of Object.entries(missing)) {
    expect(call, name).toThrow(`simulatedGpu has no ${name}: it is for compute alone`);
  }
  await expect(device.createRenderPipelineAsync({} as never)).rejects.toThrow(
    "simulatedGpu has no createRenderPipelineAsync: it is for compute alone",
  );
});

test("objects have labels and WebGPU's names", async () => {
  const device = await deviceOf();
  const buffer = bufferOf(device);
  expect([buffer.label, String(buffer), String(device), String(device.queue)]).toEqual([
    "data",
    "[object GPUBuffer]",
    "[object GPUDevice]",
    "[object GPUQueue]",
  ]);
  buffer.label = "other";
  expect(buffer.label).toBe("other");
});
