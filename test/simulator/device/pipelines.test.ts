import { describe, expect, test } from "vitest";
import { GPUBufferUsage, GPUShaderStage } from "../../../src/gpu/device/usage_flags.ts";
import type { Calls, Row } from "./devices.ts";
import {
  adapterOf,
  bufferOf,
  check,
  deviceOf,
  handMadeGpu,
  outcomeOf,
  quietly,
  testCalls,
  useBoth,
} from "./devices.ts";
import { faulty, texts, unknownConstant } from "./hand_made.ts";

const both = useBoth();

const quietModule = (device: GPUDevice, code: string): Promise<GPUShaderModule> =>
  quietly(device, () => device.createShaderModule({ code, label: "kernel.wgsl" }));

interface Given {
  readonly text?: keyof typeof texts;
  readonly code?: string;
  readonly buffer?: GPUBufferBindingLayout;
  readonly visibility?: number;
  readonly stage?: Partial<GPUProgrammableStage>;
}

/** A pipeline with an automatic layout, or with a layout of one buffer. */
const make =
  ({ text = "count", code = texts[text].code, buffer, visibility, stage }: Given, isAsync = false) =>
  async (device: GPUDevice): Promise<unknown> => {
    const module = await quietModule(device, code);
    const layout =
      buffer === undefined
        ? "auto"
        : device.createPipelineLayout({
            bindGroupLayouts: [
              device.createBindGroupLayout({
                entries: [{ binding: 0, visibility: visibility ?? GPUShaderStage.COMPUTE, buffer }],
              }),
            ],
          });
    const descriptor: GPUComputePipelineDescriptor = { layout, compute: { module, ...stage } };
    return isAsync ? device.createComputePipelineAsync(descriptor) : device.createComputePipeline(descriptor);
  };

const bad = "GPUValidationError";

const pipelines = {
  "an automatic layout": { given: {}, outcome: "fine" },
  "an entry point by name": { given: { stage: { entryPoint: "main" } }, outcome: "fine" },
  "an entry point that is not there": { given: { stage: { entryPoint: "other" } }, outcome: bad },
  "no name where there are two": { given: { text: "twoEntryPoints" }, outcome: bad },
  "one of two by name": { given: { text: "twoEntryPoints", stage: { entryPoint: "b" } }, outcome: "fine" },
  "a module with a fault": { given: { code: faulty }, outcome: bad },
  "a constant that is not there": { given: { stage: { constants: { [unknownConstant]: 1 } } }, outcome: bad },
  "an explicit layout": { given: { buffer: { type: "storage" } }, outcome: "fine" },
  "a layout of another type": { given: { buffer: { type: "read-only-storage" } }, outcome: bad },
  "a layout of uniforms": { given: { buffer: {} }, outcome: bad },
  "a layout that the shader does not see": {
    given: { buffer: { type: "storage" }, visibility: GPUShaderStage.FRAGMENT },
    outcome: bad,
  },
  "a layout without the binding": {
    given: { text: "secondGroup", buffer: { type: "storage" } },
    outcome: bad,
  },
  "a minBindingSize that is too small": {
    given: { text: "uniform", buffer: { minBindingSize: 12 } },
    outcome: bad,
  },
  "a minBindingSize that suffices": {
    given: { text: "uniform", buffer: { minBindingSize: 16 } },
    outcome: "fine",
  },
  "bindings that the shader does not use": { given: { text: "empty", buffer: {} }, outcome: "fine" },
  "too many threads": { given: { text: "manyThreads" }, outcome: bad },
  "too many threads in z": { given: { text: "manyLayers" }, outcome: bad },
  "too many threads in y": { given: { text: "manyRows" }, outcome: bad },
  "too many threads in all": { given: { text: "manyInAll" }, outcome: bad },
  "too much work-group memory": { given: { text: "muchMemory" }, outcome: bad },
  "a group that is too far": { given: { text: "farGroup" }, outcome: bad },
  "a binding that is too far": { given: { text: "farBinding" }, outcome: bad },
  "too many uniform buffers": { given: { text: "manyUniforms" }, outcome: bad },
  "too many storage buffers": { given: { text: "manyBuffers" }, outcome: bad },
} as const satisfies Record<string, { given: Given; outcome: string }>;

describe("pipelines as WebGPU has them, and as Dawn has them", () => {
  const all = Object.entries<{ given: Given; outcome: string }>(pipelines);
  test.each(all)("%s", (_, { given, outcome }) => check(both, { call: make(given), outcome }));
  test.each(all)("%s, asynchronously", (_, { given, outcome }) =>
    check(both, { call: make(given, true), outcome: outcome === bad ? "GPUPipelineError" : outcome }),
  );
});

const others: Calls = {
  TypeError: {
    "a constant that is not finite": make({ stage: { constants: { a: Number.NaN } } }),
    "a module that is none": make({ stage: { module: {} as never } }),
    "a layout that is none": (device) =>
      device.createComputePipeline({ layout: "none" as never, compute: {} as never }),
  },
  GPUValidationError: {
    "an invalid layout": async (device) => {
      const layout = await quietly(device, () =>
        device.createPipelineLayout({ bindGroupLayouts: [null, null, null, null, null] }),
      );
      const module = device.createShaderModule({ code: texts.empty.code });
      device.createComputePipeline({ layout, compute: { module } });
    },
    "a text with a fault": (device) => device.createShaderModule({ code: faulty }),
    "a text that enables what the device has not": (device) =>
      device.createShaderModule({ code: texts.half.code }),
    "a text that requires what is not there": (device) =>
      device.createShaderModule({ code: texts.unknownFeature.code }),
    "the layout of a group past the last": async (device) =>
      ((await make({})(device)) as GPUComputePipeline).getBindGroupLayout(4),
  },
  fine: {
    "a text that requires what is there": (device) =>
      device.createShaderModule({ code: texts.knownFeature.code }),
    "the layout of a group that is not there": async (device) =>
      ((await make({})(device)) as GPUComputePipeline).getBindGroupLayout(3),
  },
};

const othersInDawn: Readonly<Record<string, Row>> = {
  "a descriptor without a text": {
    call: (device) => device.createShaderModule({} as never),
    outcome: "TypeError",
    // It takes the text "undefined".
    dawn: bad,
  },
};

describe("modules and layouts as WebGPU has them, and as Dawn has them", () => {
  testCalls(both, others, othersInDawn);
});

test("a fault of a text is a message with its line and column", async () => {
  const device = await deviceOf();
  const module = await quietModule(device, faulty);
  const { messages } = await module.getCompilationInfo();
  expect(messages).toEqual([
    { type: "error", message: "a fault of the text", lineNum: 2, linePos: 7, offset: 19, length: 0 },
  ]);
  expect(faulty[19]).toBe("{");
  const enabling = await quietModule(device, `\n${texts.half.code}`.slice(1));
  expect((await enabling.getCompilationInfo()).messages[0]).toMatchObject({
    message: 'enable f16 takes the feature "shader-f16" of the device',
    lineNum: 1,
    linePos: 1,
  });
  const right = device.createShaderModule({ code: texts.count.code });
  expect((await right.getCompilationInfo()).messages).toEqual([]);
});

test("the error of an asynchronous pipeline has its reason", async () => {
  const device = await deviceOf();
  await expect(make({ text: "manyThreads" }, true)(device)).rejects.toMatchObject({
    name: "GPUPipelineError",
    reason: "validation",
    message:
      "createComputePipelineAsync: the shader has 257 threads in x, and maxComputeWorkgroupSizeX is 256",
  });
});

test("each dimension of a work-group has its limit", async () => {
  const adapter = await adapterOf(handMadeGpu());
  const device = await adapter.requestDevice({ requiredLimits: { maxComputeInvocationsPerWorkgroup: 1024 } });
  const messageOf = (text: keyof typeof texts) =>
    make(
      { text },
      true,
    )(device).then(
      () => "fine",
      ({ message }: Error) => message,
    );
  expect(await messageOf("manyRows")).toContain("257 threads in y, and maxComputeWorkgroupSizeY is 256");
  expect(await messageOf("manyLayers")).toContain("65 threads in z, and maxComputeWorkgroupSizeZ is 64");
  expect(await messageOf("manyInAll")).toBe("fine");
});

test("an automatic layout asks for as many bytes as the shader takes", async () => {
  const device = await deviceOf();
  const pipeline = device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code: texts.secondGroup.code }) },
  });
  const bind = (size: number) => () =>
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(1),
      entries: [{ binding: 2, resource: { buffer: bufferOf(device, 64, GPUBufferUsage.STORAGE), size } }],
    });
  expect(await outcomeOf(device, bind(12))).toBe(bad);
  expect(await outcomeOf(device, bind(16))).toBe("fine");
});
