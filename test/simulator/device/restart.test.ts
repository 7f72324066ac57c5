import { expect, test } from "vitest";
import { openFold } from "../../../src/index.ts";
import type { SimulatedGpuObject } from "../../../src/simulator/device/gpu.ts";
import { simulatedGpu } from "../../../src/simulator/index.ts";
import type { SimulatorOptions } from "../../../src/simulator/options.ts";

/** The order in which ten work-groups wrote, some at a time. */
const ORDER = `
@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> order: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_invocation_id) lane: u32, @builtin(local_invocation_index) thread: u32) {
  let place = atomicAdd(&next, 1u);
  order[place] = group.x * 64u + thread * 8u + lane;
}`;

async function orderOn(device: GPUDevice): Promise<number[]> {
  const module = device.createShaderModule({ code: `enable subgroups;\n${ORDER}` });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const [next, order, read] = [
    device.createBuffer({ size: 16, usage: 0x80 }),
    device.createBuffer({ size: 320, usage: 0x80 | 0x4 }),
    device.createBuffer({ size: 320, usage: 0x1 | 0x8 }),
  ] as const;
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [next, order].map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(10);
  pass.end();
  encoder.copyBufferToBuffer(order, 0, read, 0, 320);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(0x1);
  return [...new Uint32Array(read.getMappedRange())];
}

test("a GPU that is restarted behaves as a new one with these options", async () => {
  const random = {
    subgroupSize: 4,
    lanes: "permuted",
    schedule: "random",
    atomics: "random",
    seed: 5,
  } as const;
  const runs: SimulatorOptions[] = [
    random,
    { subgroupSize: 4, schedule: "reversed" },
    { ...random, seed: 6 },
    random,
  ];
  const gpu = simulatedGpu({ subgroupSize: 4 }) as SimulatedGpuObject;
  const fold = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter });
  const orders: number[][] = [];
  for (const options of runs) {
    gpu.restart(options);
    orders.push(await orderOn(fold.device));
    const fresh = await openFold({ adapter: (await simulatedGpu(options).requestAdapter()) as GPUAdapter });
    expect(await orderOn(fresh.device)).toEqual(orders.at(-1));
    fresh.destroy();
  }
  fold.destroy();
  expect(orders[3]).toEqual(orders[0]);
  expect(orders[2]).not.toEqual(orders[0]);
  expect(orders[1]).not.toEqual(orders[0]);
});

test("what was found before is forgotten", async () => {
  const gpu = simulatedGpu() as SimulatedGpuObject;
  const fold = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter });
  const code = `
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) t: u32) { out[0] = t; }`;
  const { device } = fold;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const buffer = device.createBuffer({ size: 16, usage: 0x80 });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [{ binding: 0, resource: { buffer } }];
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  expect(gpu.findings).toHaveLength(1);
  gpu.restart({});
  expect(gpu.findings).toEqual([]);
  fold.destroy();
});

test("other subgroups than its devices have are refused", () => {
  const gpu = simulatedGpu({ subgroupSize: 8 }) as SimulatedGpuObject;
  expect(() => gpu.restart({ subgroupSize: 16 })).toThrow("subgroupSize");
  expect(() => gpu.restart({ schedule: "any" as never, subgroupSize: 8 })).toThrow("schedule");
});
