import { expect, test } from "vitest";
import { GPUBufferUsage, GPUMapMode } from "../../../src/gpu/device/usage_flags.ts";
import { bufferOf, deviceOf, handMadeGpu, openDevice, outcomeOf } from "./devices.ts";
import { texts } from "./hand_made.ts";

const { COPY_SRC, COPY_DST, MAP_READ, QUERY_RESOLVE, STORAGE } = GPUBufferUsage;

const pipelineOf = (device: GPUDevice, text: keyof typeof texts, label = ""): GPUComputePipeline =>
  device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code: texts[text].code, label }) },
  });

const bind = (
  device: GPUDevice,
  pipeline: GPUComputePipeline,
  ...resources: readonly (GPUBuffer | GPUBufferBinding)[]
): GPUBindGroup =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: resources.map((resource, binding) => ({ binding, resource })),
  });

/** Copies a buffer into one that can be read. */
function readable(device: GPUDevice, encoder: GPUCommandEncoder, buffer: GPUBuffer): GPUBuffer {
  const copy = bufferOf(device, buffer.size, MAP_READ | COPY_DST);
  encoder.copyBufferToBuffer(buffer, copy);
  return copy;
}

async function wordsOf(copy: GPUBuffer): Promise<number[]> {
  await copy.mapAsync(GPUMapMode.READ);
  return [...new Uint32Array(copy.getMappedRange())];
}

/** Runs some dispatches of `count` on one buffer, and reads it. */
async function count(
  device: GPUDevice,
  dispatches: (pass: GPUComputePassEncoder) => void,
): Promise<number | undefined> {
  const buffer = bufferOf(device, 4, STORAGE | COPY_SRC);
  const pipeline = pipelineOf(device, "count");
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bind(device, pipeline, buffer));
  dispatches(pass);
  pass.end();
  const copy = readable(device, encoder, buffer);
  device.queue.submit([encoder.finish()]);
  return (await wordsOf(copy))[0];
}

test("commands run in the order in which they were submitted, and not before the call is over", async () => {
  const device = await deviceOf();
  const buffer = bufferOf(device, 16);
  const states: string[] = [];
  device.queue.writeBuffer(buffer, 0, Uint32Array.of(1, 2, 3, 4));
  const encoder = device.createCommandEncoder();
  const before = readable(device, encoder, buffer);
  encoder.clearBuffer(buffer, 4, 8);
  const after = readable(device, encoder, buffer);
  device.queue.submit([encoder.finish()]);
  device.queue.writeBuffer(buffer, 12, Uint32Array.of(9));
  const second = device.createCommandEncoder();
  const last = readable(device, second, buffer);
  device.queue.submit([second.finish()]);
  const mapped = before.mapAsync(GPUMapMode.READ).then(() => states.push("mapped"));
  const done = device.queue.onSubmittedWorkDone().then(() => states.push("done"));
  states.push("submitted");
  await Promise.all([mapped, done]);
  expect(states.sort()).toEqual(["done", "mapped", "submitted"]);
  expect([...new Uint32Array(before.getMappedRange())]).toEqual([1, 2, 3, 4]);
  expect(await wordsOf(after)).toEqual([1, 0, 0, 4]);
  expect(await wordsOf(last)).toEqual([1, 0, 0, 9]);
});

test("a dispatch sees the ranges that are bound, with their dynamic offsets", async () => {
  const device = await deviceOf();
  const source = bufferOf(device, 1024);
  const destination = bufferOf(device, 1024);
  const words = Uint32Array.from({ length: 256 }, (_, at) => at);
  device.queue.writeBuffer(source, 0, words);
  const layout = device.createBindGroupLayout({
    entries: [
      { binding: 1, visibility: 4, buffer: { type: "storage", hasDynamicOffset: true } },
      { binding: 0, visibility: 4, buffer: { type: "read-only-storage", hasDynamicOffset: true } },
    ],
  });
  const pipeline = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module: device.createShaderModule({ code: texts.copy.code }) },
  });
  const group = device.createBindGroup({
    layout,
    entries: [
      { binding: 1, resource: { buffer: destination, size: 256 } },
      { binding: 0, resource: { buffer: source, offset: 256, size: 256 } },
    ],
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  // Offsets come in the order of bindings: of 0 first.
  pass.setBindGroup(0, group, [256, 768]);
  pass.dispatchWorkgroups(3);
  pass.end();
  const copy = readable(device, encoder, destination);
  device.queue.submit([encoder.finish()]);
  const result = await wordsOf(copy);
  expect(result.slice(192, 196)).toEqual([128, 129, 130, 0]);
  expect(result.filter((word) => word !== 0)).toHaveLength(3);
});

test("a pass keeps what was set when a dispatch was recorded", async () => {
  const device = await deviceOf();
  const [first, second] = [bufferOf(device, 4), bufferOf(device, 4)];
  const pipeline = pipelineOf(device, "count");
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bind(device, pipeline, first));
  pass.dispatchWorkgroups(2, 3, 4);
  pass.setBindGroup(0, bind(device, pipeline, second));
  pass.dispatchWorkgroups(5);
  pass.end();
  const copies = [readable(device, encoder, first), readable(device, encoder, second)];
  device.queue.submit([encoder.finish()]);
  expect(await Promise.all(copies.map(wordsOf))).toEqual([[24], [5]]);
});

test("an indirect dispatch takes the numbers that the buffer has when it runs; over the limit, it runs nothing", async () => {
  const device = await deviceOf();
  const run = async (...groups: readonly number[]) => {
    const numbers = bufferOf(device, 64);
    device.queue.writeBuffer(numbers, 8, Uint32Array.from(groups));
    return count(device, (pass) => pass.dispatchWorkgroupsIndirect(numbers, 8));
  };
  expect(await run(2, 3, 4)).toBe(24);
  expect(await run(65535, 1, 1)).toBe(65535);
  expect(await run(65536, 1, 1)).toBe(0);
  expect(await run(1, 1, 0xffffffff)).toBe(0);
  expect(await run(0, 1, 1)).toBe(0);
  expect(await count(device, (pass) => pass.dispatchWorkgroups(7, 0, 7))).toBe(0);
});

test("a buffer may be destroyed as soon as the work that uses it is submitted", async () => {
  const device = await deviceOf();
  const buffer = bufferOf(device, 8);
  device.queue.writeBuffer(buffer, 0, Uint32Array.of(1, 2));
  const encoder = device.createCommandEncoder();
  const copy = readable(device, encoder, buffer);
  device.queue.submit([encoder.finish()]);
  buffer.destroy();
  expect(await wordsOf(copy)).toEqual([1, 2]);
});

test("timestamps are nanoseconds that do not go back", async () => {
  const device = await deviceOf();
  const querySet = device.createQuerySet({ type: "timestamp", count: 3 });
  const resolved = bufferOf(device, 32, QUERY_RESOLVE | COPY_SRC);
  const encoder = device.createCommandEncoder();
  const writes = { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 2 };
  encoder.beginComputePass({ timestampWrites: writes }).end();
  encoder.resolveQuerySet(querySet, 0, 3, resolved, 0);
  const copy = readable(device, encoder, resolved);
  const before = performance.now();
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(GPUMapMode.READ);
  const [start = 0n, untouched, end = 0n] = new BigUint64Array(copy.getMappedRange());
  expect(Number(start) / 1e6).toBeGreaterThanOrEqual(before - 1);
  expect(Number(start) / 1e6).toBeLessThan(performance.now() + 1);
  expect(untouched).toBe(0n);
  expect(end).toBeGreaterThanOrEqual(start);
});

test("a finding names the module's label, the line and the entry point", async () => {
  const seen: unknown[] = [];
  const gpu = handMadeGpu({ uninitialized: true, onFinding: (finding) => seen.push(finding) });
  const device = await openDevice(gpu);
  const pipeline = pipelineOf(device, "read", "kernel.wgsl");
  const run = async (buffer: GPUBuffer) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bind(device, pipeline, buffer));
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return gpu.findings.length;
  };
  const written = bufferOf(device, 8);
  device.queue.writeBuffer(written, 0, Uint32Array.of(1));
  expect(await run(written)).toBe(0);
  const cleared = bufferOf(device, 8);
  const clearing = device.createCommandEncoder();
  clearing.clearBuffer(cleared);
  device.queue.submit([clearing.finish()]);
  expect(await run(cleared)).toBe(0);
  const mapped = device.createBuffer({ size: 8, usage: STORAGE, mappedAtCreation: true });
  mapped.getMappedRange();
  mapped.unmap();
  expect(await run(mapped)).toBe(0);
  const untouched = bufferOf(device, 8);
  expect(await run(untouched)).toBe(1);
  expect(gpu.findings[0]).toMatchObject({
    kind: "uninitialized",
    file: "kernel.wgsl",
    line: 2,
    entryPoint: "main",
  });
  expect(seen).toEqual(gpu.findings);
  // A copy of what nothing has written is no better, and one of what was written is.
  const copied = bufferOf(device, 8);
  const copying = device.createCommandEncoder();
  copying.copyBufferToBuffer(untouched, 0, copied, 0, 4);
  device.queue.submit([copying.finish()]);
  expect(await run(copied)).toBe(2);
  const again = device.createCommandEncoder();
  again.copyBufferToBuffer(written, 0, copied, 0, 4);
  device.queue.submit([again.finish()]);
  expect(await run(copied)).toBe(2);
});

test("what onFinding throws ends the work, and loses the device", async () => {
  const gpu = handMadeGpu({
    uninitialized: true,
    onFinding: ({ message }) => {
      throw new Error(`stop: ${message}`);
    },
  });
  const device = await openDevice(gpu);
  const pipeline = pipelineOf(device, "read");
  const buffer = bufferOf(device, 8);
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bind(device, pipeline, buffer));
  pass.dispatchWorkgroups(1);
  pass.end();
  const copy = readable(device, encoder, buffer);
  device.queue.submit([encoder.finish()]);
  expect(await outcomeOf(device, () => copy.mapAsync(GPUMapMode.READ))).toBe("AbortError");
  const { reason, message } = await device.lost;
  expect(reason).toBe("unknown");
  expect(message).toMatch(/stop: thread 0 of work-group \(0, 0, 0\) reads word 0/);
});
