import { describe, expect, onTestFinished, test } from "vitest";
import { openFold } from "../../src/node.ts";
import type { SimulatedGpu, SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { readWords, storageBuffer, submit } from "../support/buffers.ts";
import { nullGpu } from "../support/null_device.ts";
import { adapterOf } from "./device/devices.ts";

// That each call of test/simulator/device/ is refused by both, or is a finding, is tested there.

const kernel = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] += 1u; }`;

interface Opened {
  readonly gpu: SimulatedGpu;
  readonly device: GPUDevice;
}

async function open(validator: GPU, options: SimulatorOptions = {}): Promise<Opened> {
  const gpu = simulatedGpu({ ...options, validator });
  const device = await (await adapterOf(gpu)).requestDevice();
  onTestFinished(() => device.destroy());
  return { gpu, device };
}

/** Another simulated GPU, whose devices are changed. */
function changed(change: (device: GPUDevice) => void): GPU {
  const gpu = simulatedGpu();
  const requestAdapter = gpu.requestAdapter.bind(gpu);
  gpu.requestAdapter = async () => {
    const adapter = (await requestAdapter()) as GPUAdapter;
    const requestDevice = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = async (descriptor) => {
      const device = await requestDevice(descriptor);
      change(device);
      return device;
    };
    return adapter;
  };
  return gpu;
}

/** The message of the error of a call, and what was found by then. */
async function errorOf({ device, gpu }: Opened, call: () => unknown) {
  device.pushErrorScope("validation");
  await call();
  const error = await device.popErrorScope();
  return { error: error?.message, findings: gpu.findings.map(({ message }) => message) };
}

function increment(device: GPUDevice, data: GPUBuffer): void {
  const module = device.createShaderModule({ code: kernel });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const entries = [{ binding: 0, resource: { buffer: data } }];
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  submit(device, (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
    pass.end();
  });
}

describe("a validator", () => {
  test("has nothing to say of calls that are right, which run on the simulator", async () => {
    const { gpu, device } = await open(nullGpu());
    const data = storageBuffer(device, Uint32Array.of(5, 6, 7, 8));
    increment(device, data);
    expect(await readWords(device, data)).toEqual(Uint32Array.of(6, 7, 8, 9));
    expect(gpu.findings).toEqual([]);
  });

  test("runs Wavefold", async () => {
    const gpu = simulatedGpu({ validator: nullGpu() });
    const fold = await openFold({ adapter: await adapterOf(gpu) });
    const data = Uint32Array.from({ length: 700 }, (_, at) => (at * 2654435761) >>> 7);
    let sum = 0;
    expect(await fold.scan(data)).toEqual(data.map((x) => (sum = (sum + x) >>> 0)));
    expect(await fold.compact(data, { where: "x % 3u == 0u" })).toEqual(data.filter((x) => x % 3 === 0));
    expect(await fold.sort(data)).toEqual(data.slice().sort());
    expect(gpu.findings).toEqual([]);
    fold.destroy();
  });

  test("refuses a call that the simulator takes", async () => {
    const found: string[] = [];
    const validator = changed((device) => {
      const { createBindGroup } = device;
      device.createBindGroup = (descriptor) =>
        createBindGroup.call(device, { ...descriptor, entries: [...descriptor.entries].slice(1) });
    });
    const opened = await open(validator, { onFinding: ({ message }) => found.push(message) });
    const { device, gpu } = opened;
    const data = storageBuffer(device, new Uint32Array(4));
    const { error, findings } = await errorOf(opened, () => increment(device, data));
    expect(error).toBeUndefined();
    // What follows from it, such as an invalid command buffer, is not told.
    expect(findings).toEqual([
      "createBindGroup: the simulator takes this call, and the validator refuses it: createBindGroup: there are 0 entries, and a GPUBindGroupLayout without a label has 1",
    ]);
    expect(found).toEqual(findings);
    expect(gpu.findings[0]).toMatchObject({ kind: "validation", file: "", line: 0, threads: [] });
    expect(await readWords(device, data)).toEqual(new Uint32Array(4).fill(1));
  });

  test("takes a call that the simulator refuses", async () => {
    const validator = changed((device) => {
      const { createBuffer } = device;
      device.createBuffer = (descriptor) => createBuffer.call(device, { ...descriptor, usage: 0x80 });
    });
    const opened = await open(validator);
    const { error, findings } = await errorOf(opened, () =>
      opened.device.createBuffer({ size: 4, usage: 0, label: "mine" }),
    );
    expect(error).toBe("createBuffer: usage is 0; it takes flags of GPUBufferUsage");
    expect(findings).toEqual([
      `createBuffer: the validator takes this call, and the simulator refuses it: ${error}`,
    ]);
    expect(opened.gpu.findings[0]?.file).toBe("mine");
  });

  test("gets what a class of the program gives in place of a dictionary", async () => {
    const { gpu, device } = await open(nullGpu());
    const data = storageBuffer(device, new Uint32Array(128));
    class Range {
      get buffer(): GPUBuffer {
        return data;
      }
      get offset(): number {
        return 256;
      }
      get itself(): Range {
        return this;
      }
    }
    const layout = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: 4, buffer: { type: "storage" } }],
    });
    device.createBindGroup(Object.freeze({ layout, entries: [{ binding: 0, resource: new Range() }] }));
    await device.queue.onSubmittedWorkDone();
    expect(gpu.findings).toEqual([]);
  });

  test("may throw, or reject, what the simulator takes", async () => {
    const validator = changed((device) => {
      device.createQuerySet = () => {
        throw new TypeError("no queries");
      };
      device.createComputePipelineAsync = () => Promise.reject(new TypeError("no pipelines"));
    });
    const { device, gpu } = await open(validator);
    const querySet = device.createQuerySet({ type: "occlusion", count: 1 });
    const encoder = device.createCommandEncoder();
    // There is no counterpart to call this with.
    encoder.resolveQuerySet(querySet, 0, 1, device.createBuffer({ size: 8, usage: 0x200 }), 0);
    encoder.finish();
    const module = device.createShaderModule({ code: kernel });
    await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
    expect(
      gpu.findings.map(({ message }) =>
        message.split(": ").slice(0, 1).concat(message.split(": ").slice(-2)),
      ),
    ).toEqual([
      ["createQuerySet", "TypeError", "no queries"],
      ["createComputePipelineAsync", "TypeError", "no pipelines"],
    ]);
  });

  test("a want of memory is no difference", async () => {
    const opened = await open(nullGpu(), { memoryLimit: 64 });
    const { device } = opened;
    device.pushErrorScope("out-of-memory");
    const { error, findings } = await errorOf(opened, () => {
      const large = device.createBuffer({ size: 128, usage: 0x8 });
      submit(device, (encoder) => encoder.clearBuffer(large));
    });
    expect((await device.popErrorScope())?.message).toMatch(/no room for 128 bytes/);
    expect([error === undefined, findings]).toEqual([false, []]);
  });

  test("adapters have what both have", async () => {
    const adapter = await adapterOf(simulatedGpu({ validator: nullGpu() }));
    expect(adapter.limits.maxComputeInvocationsPerWorkgroup).toBe(256);
    const few = simulatedGpu({ features: ["subgroups"], limits: { minStorageBufferOffsetAlignment: 512 } });
    const both = await adapterOf(simulatedGpu({ validator: few }));
    expect([...both.features]).toEqual(["core-features-and-limits", "subgroups"]);
    expect(both.limits.minStorageBufferOffsetAlignment).toBe(512);
    const device = await both.requestDevice({ requiredFeatures: ["subgroups"] });
    expect([...device.features]).toEqual(["core-features-and-limits", "subgroups"]);
  });

  test("a device with other limits than the validator's is refused", async () => {
    const adapter = await adapterOf(simulatedGpu({ validator: nullGpu(), limits: { maxBufferSize: 1024 } }));
    await expect(adapter.requestDevice()).rejects.toThrow(
      "simulatedGpu with a validator: maxBufferSize is 1024 on the simulated device and 268435456 on the other",
    );
  });

  test("a GPU without an adapter is refused", async () => {
    const validator = { requestAdapter: async () => null } as unknown as GPU;
    await expect(simulatedGpu({ validator }).requestAdapter()).rejects.toThrow("that GPU has no adapter");
    expect(() => simulatedGpu({ validator: {} as GPU })).toThrow(
      "simulatedGpu: validator is [object Object]; it takes a GPU, as navigator.gpu is one",
    );
  });
});
