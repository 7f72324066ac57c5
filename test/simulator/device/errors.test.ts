import { expect, test, vi } from "vitest";
import { GPUBufferUsage, GPUMapMode } from "../../../src/gpu/device/usage_flags.ts";
import { bufferOf, deviceOf, useBoth } from "./devices.ts";

const { COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
const both = useBoth();

/** An invalid call. */
const fail = (device: GPUDevice): GPUBuffer => bufferOf(device, 4, 0);

/** Both devices, for what must be the same in both. */
const devices = ["simulated", "dawn"] as const;

test.each(devices)(
  "an error goes to the innermost scope for its kind, which keeps the first: %s",
  async (name) => {
    const device = both[name]();
    device.pushErrorScope("validation");
    device.pushErrorScope("validation");
    device.pushErrorScope("out-of-memory");
    device.pushErrorScope("internal");
    fail(device);
    bufferOf(device, 2 ** 30);
    expect(await device.popErrorScope()).toBe(null);
    expect(await device.popErrorScope()).toBe(null);
    const error = await device.popErrorScope();
    expect(error?.constructor.name).toBe("GPUValidationError");
    expect(error?.message).toMatch(/usage/i);
    expect(await device.popErrorScope()).toBe(null);
  },
);

test.each(devices)("no scope to pop, and an unknown filter: %s", async (name) => {
  const device = both[name]();
  await expect(device.popErrorScope()).rejects.toMatchObject({ name: "OperationError" });
  expect(() => device.pushErrorScope("other" as never)).toThrow(TypeError);
});

test("an error that no scope takes is an event, and a warning unless a listener prevents that", async () => {
  const device = await deviceOf();
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const heard: string[] = [];
  device.onuncapturederror = ({ error }) => heard.push(error.message);
  device.addEventListener("uncapturederror", ({ error }) => heard.push(error.constructor.name));
  fail(device);
  expect(heard).toEqual([]);
  await device.queue.onSubmittedWorkDone();
  const message = "createBuffer: usage is 0; it takes flags of GPUBufferUsage";
  expect(heard.sort()).toEqual(["GPUValidationError", message]);
  expect(warn.mock.calls).toEqual([[`GPUValidationError of simulatedGpu: ${message}`]]);
  device.onuncapturederror = (event) => event.preventDefault();
  fail(device);
  await device.queue.onSubmittedWorkDone();
  expect(warn.mock.calls).toHaveLength(1);
  device.onuncapturederror = null;
  fail(device);
  await device.queue.onSubmittedWorkDone();
  expect(warn.mock.calls).toHaveLength(2);
  warn.mockRestore();
});

test("a page's own classes of errors are used", async () => {
  class GPUValidationError {
    readonly message: string;
    constructor(message: string) {
      this.message = message;
    }
  }
  vi.stubGlobal("GPUValidationError", GPUValidationError);
  const device = await deviceOf();
  device.pushErrorScope("validation");
  fail(device);
  expect(await device.popErrorScope()).toBeInstanceOf(GPUValidationError);
  vi.unstubAllGlobals();
});

test("a destroyed device reports no errors, runs nothing, and maps nothing", async () => {
  const device = await deviceOf();
  const mapped = bufferOf(device, 8, MAP_READ | COPY_DST);
  await mapped.mapAsync(GPUMapMode.READ);
  const range = mapped.getMappedRange();
  const waiting = bufferOf(device, 8, MAP_READ | COPY_DST).mapAsync(GPUMapMode.READ);
  const created = device.createBuffer({ size: 8, usage: COPY_SRC, mappedAtCreation: true });
  const createdRange = created.getMappedRange();
  const encoder = device.createCommandEncoder();
  device.pushErrorScope("validation");
  device.destroy();
  device.destroy();
  expect([range.byteLength, createdRange.byteLength]).toEqual([0, 0]);
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  const { reason, message } = await device.lost;
  expect([reason, message]).toEqual(["destroyed", "the device was destroyed"]);
  fail(device);
  encoder.popDebugGroup();
  device.queue.submit([encoder.finish()]);
  expect(await device.popErrorScope()).toBe(null);
  expect(await device.popErrorScope()).toBe(null);
  const later = device.createBuffer({ size: 8, usage: COPY_SRC, mappedAtCreation: true });
  new Uint8Array(later.getMappedRange()).fill(1);
  later.unmap();
  device.queue.writeBuffer(later, 0, new Uint8Array(8));
  await device.queue.onSubmittedWorkDone();
  await expect(bufferOf(device, 8, MAP_READ).mapAsync(GPUMapMode.READ)).rejects.toMatchObject({
    name: "AbortError",
  });
});
