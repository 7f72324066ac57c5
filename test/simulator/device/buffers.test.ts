import { describe, expect, test } from "vitest";
import { GPUBufferUsage, GPUMapMode } from "../../../src/gpu/device/usage_flags.ts";
import { withLittleMemory } from "../../support/no_memory.ts";
import type { Row } from "./devices.ts";
import {
  adapterOf,
  bufferOf,
  check,
  deviceOf,
  handMadeGpu,
  invalidBuffer,
  outcomeOf,
  useBoth,
} from "./devices.ts";

const { MAP_READ, MAP_WRITE, COPY_SRC, COPY_DST, STORAGE } = GPUBufferUsage;
const { READ, WRITE } = GPUMapMode;
const both = useBoth();

const create =
  (descriptor: Partial<GPUBufferDescriptor>) =>
  (device: GPUDevice): GPUBuffer =>
    device.createBuffer(descriptor as GPUBufferDescriptor);

const mapped = async (device: GPUDevice, usage = MAP_READ | COPY_DST, mode: number = READ) => {
  const buffer = bufferOf(device, 64, usage);
  await buffer.mapAsync(mode);
  return buffer;
};

const rows = {
  "no usage": { call: create({ size: 4, usage: 0 }), outcome: "GPUValidationError" },
  "an unknown usage": { call: create({ size: 4, usage: 2 ** 20 }), outcome: "GPUValidationError" },
  "usage that is no flag": { call: create({ size: 4, usage: -1 }), outcome: "TypeError" },
  "MAP_READ with STORAGE": {
    call: create({ size: 4, usage: MAP_READ | STORAGE }),
    outcome: "GPUValidationError",
  },
  "MAP_WRITE with COPY_DST": {
    call: create({ size: 4, usage: MAP_WRITE | COPY_DST }),
    outcome: "GPUValidationError",
  },
  "no bytes": { call: create({ size: 0, usage: STORAGE }), outcome: "fine" },
  "an odd size": { call: create({ size: 3, usage: STORAGE }), outcome: "fine" },
  "a negative size": { call: create({ size: -4, usage: STORAGE }), outcome: "TypeError" },
  "a size that is no number": { call: create({ size: Number.NaN, usage: STORAGE }), outcome: "TypeError" },
  "no size": { call: create({ usage: STORAGE }), outcome: "TypeError" },
  "no descriptor": {
    call: (device: GPUDevice) => device.createBuffer(undefined as never),
    outcome: "TypeError",
    // The package webgpu ends the process.
    dawn: undefined,
  },
  "the largest size": { call: create({ size: 2 ** 28, usage: STORAGE }), outcome: "fine" },
  "more than maxBufferSize": {
    call: create({ size: 2 ** 28 + 4, usage: STORAGE }),
    outcome: "GPUValidationError",
  },
  "an odd size, mapped at creation": {
    call: create({ size: 6, usage: STORAGE, mappedAtCreation: true }),
    outcome: "RangeError",
  },
  "a size that nothing holds, mapped at creation": {
    call: (device: GPUDevice) =>
      withLittleMemory(() => create({ size: 2 ** 52, usage: STORAGE, mappedAtCreation: true })(device)),
    outcome: "RangeError",
    // It is a RangeError there, too, and writes to the console.
    dawn: undefined,
  },
  "an invalid buffer, mapped at creation, can be written": {
    call: (device: GPUDevice) => {
      const buffer = create({ size: 8, usage: 0, mappedAtCreation: true })(device);
      new Uint8Array(buffer.getMappedRange()).fill(1);
      buffer.unmap();
    },
    outcome: "GPUValidationError",
  },
  "map to read without MAP_READ": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_WRITE).mapAsync(READ),
    outcome: "OperationError, GPUValidationError",
  },
  "map to write without MAP_WRITE": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_READ).mapAsync(WRITE),
    outcome: "OperationError, GPUValidationError",
  },
  "map both ways": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_READ).mapAsync(READ | WRITE),
    outcome: "OperationError, GPUValidationError",
  },
  "map no way": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_READ).mapAsync(0),
    outcome: "OperationError, GPUValidationError",
  },
  "map from an offset that is no multiple of 8": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_READ).mapAsync(READ, 4),
    outcome: "OperationError, GPUValidationError",
  },
  "map a size that is no multiple of 4": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_READ).mapAsync(READ, 0, 6),
    outcome: "OperationError, GPUValidationError",
  },
  "map past the end": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_READ).mapAsync(READ, 8, 64),
    outcome: "OperationError, GPUValidationError",
  },
  "map from past the end": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_READ).mapAsync(READ, 72),
    outcome: "OperationError, GPUValidationError",
  },
  "map from a negative offset": {
    call: (device: GPUDevice) => bufferOf(device, 64, MAP_READ).mapAsync(READ, -8),
    outcome: "TypeError",
  },
  "map a mapped buffer": {
    call: async (device: GPUDevice) => (await mapped(device)).mapAsync(READ),
    outcome: "OperationError, GPUValidationError",
  },
  "map twice at once": {
    call: async (device: GPUDevice) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      const first = buffer.mapAsync(READ);
      await expect(buffer.mapAsync(READ)).rejects.toThrow();
      await first;
    },
    outcome: "GPUValidationError",
    // An earlier specification had no error for it.
    dawn: "fine",
    isFinding: false,
  },
  "map a destroyed buffer": {
    call: (device: GPUDevice) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      buffer.destroy();
      return buffer.mapAsync(READ);
    },
    outcome: "OperationError, GPUValidationError",
  },
  "unmap while it is about to be mapped": {
    call: async (device: GPUDevice) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      const waiting = buffer.mapAsync(READ);
      buffer.unmap();
      await waiting;
    },
    outcome: "AbortError",
  },
  "destroy while it is about to be mapped": {
    call: async (device: GPUDevice) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      const waiting = buffer.mapAsync(READ);
      buffer.destroy();
      await waiting;
    },
    outcome: "AbortError",
  },
  "unmap what is not mapped": {
    call: (device: GPUDevice) => bufferOf(device).unmap(),
    outcome: "fine",
  },
  "destroy twice": {
    call: (device: GPUDevice) => {
      const buffer = bufferOf(device);
      buffer.destroy();
      buffer.destroy();
    },
    outcome: "fine",
  },
  "a range of what is not mapped": {
    call: (device: GPUDevice) => bufferOf(device).getMappedRange(),
    outcome: "OperationError",
  },
  "a range from an odd offset": {
    call: async (device: GPUDevice) => (await mapped(device)).getMappedRange(4),
    outcome: "OperationError",
  },
  "a range of an odd size": {
    call: async (device: GPUDevice) => (await mapped(device)).getMappedRange(0, 5),
    outcome: "OperationError",
  },
  "a range past the end": {
    call: async (device: GPUDevice) => (await mapped(device)).getMappedRange(56, 16),
    outcome: "OperationError",
  },
  "a range outside of the mapped one": {
    call: async (device: GPUDevice) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      await buffer.mapAsync(READ, 8, 16);
      buffer.getMappedRange(0, 16);
    },
    outcome: "OperationError",
  },
  "ranges that overlap": {
    call: async (device: GPUDevice) => {
      const buffer = await mapped(device);
      buffer.getMappedRange(0, 16);
      buffer.getMappedRange(8, 16);
    },
    outcome: "OperationError",
  },
  "ranges side by side": {
    call: async (device: GPUDevice) => {
      const buffer = await mapped(device);
      buffer.getMappedRange(0, 8);
      buffer.getMappedRange(8, 8);
      buffer.getMappedRange(16);
    },
    outcome: "fine",
  },
  "write a mapped buffer": {
    call: async (device: GPUDevice) => device.queue.writeBuffer(await mapped(device), 0, new Uint8Array(4)),
    outcome: "GPUValidationError",
  },
  "write without COPY_DST": {
    call: (device: GPUDevice) =>
      device.queue.writeBuffer(bufferOf(device, 64, STORAGE), 0, new Uint8Array(4)),
    outcome: "GPUValidationError",
  },
  "write from an odd offset": {
    call: (device: GPUDevice) => device.queue.writeBuffer(bufferOf(device), 2, new Uint8Array(4)),
    outcome: "GPUValidationError",
  },
  "write an odd number of bytes": {
    call: (device: GPUDevice) => device.queue.writeBuffer(bufferOf(device), 0, new Uint8Array(3)),
    outcome: "OperationError",
  },
  "write past the end": {
    call: (device: GPUDevice) => device.queue.writeBuffer(bufferOf(device, 8), 4, new Uint8Array(8)),
    outcome: "GPUValidationError",
  },
  "write more than there is": {
    call: (device: GPUDevice) => device.queue.writeBuffer(bufferOf(device), 0, new Uint32Array(2), 1, 2),
    outcome: "OperationError",
  },
  "write from past the data's end": {
    call: (device: GPUDevice) => device.queue.writeBuffer(bufferOf(device), 0, new Uint32Array(2), 3),
    outcome: "OperationError",
  },
  "write what is no data": {
    call: (device: GPUDevice) => device.queue.writeBuffer(bufferOf(device), 0, 7 as never),
    outcome: "TypeError",
  },
  "write an object that is no data": {
    call: (device: GPUDevice) => device.queue.writeBuffer(bufferOf(device), 0, {} as never),
    outcome: "TypeError",
  },
  "write an invalid buffer": {
    call: async (device: GPUDevice) =>
      device.queue.writeBuffer(await invalidBuffer(device, COPY_DST), 0, new Uint8Array(4)),
    outcome: "GPUValidationError",
  },
  "write into what is no buffer": {
    call: (device: GPUDevice) => device.queue.writeBuffer({} as never, 0, new Uint8Array(4)),
    outcome: "TypeError",
  },
  "write a destroyed buffer": {
    call: (device: GPUDevice) => {
      const buffer = bufferOf(device);
      buffer.destroy();
      device.queue.writeBuffer(buffer, 0, new Uint8Array(4));
    },
    outcome: "GPUValidationError",
  },
} as const satisfies Record<string, Row>;

describe("buffers as WebGPU has them, and as Dawn has them", () => {
  test.each(Object.entries<Row>(rows))("%s", (_, row) => check(both, row));
});

test("an invalid buffer is not mapped, which is no further error", async () => {
  const device = await deviceOf();
  const outcome = await outcomeOf(device, async () => {
    const buffer = await invalidBuffer(device, MAP_READ);
    await buffer.mapAsync(READ);
  });
  expect(outcome).toBe("AbortError");
});

test("what is written while a buffer is mapped is there when it is unmapped, and its ranges are gone", async () => {
  const device = await deviceOf();
  const buffer = device.createBuffer({ size: 16, usage: COPY_SRC | MAP_WRITE, mappedAtCreation: true });
  expect(buffer.mapState).toBe("mapped");
  const first = buffer.getMappedRange(0, 8);
  const second = buffer.getMappedRange(8);
  new Uint32Array(first).set([1, 2]);
  new Uint32Array(second).set([3, 4]);
  buffer.unmap();
  expect([first.byteLength, second.byteLength, buffer.mapState]).toEqual([0, 0, "unmapped"]);
  const again = buffer.mapAsync(WRITE, 8);
  expect(buffer.mapState).toBe("pending");
  await again;
  expect(buffer.mapState).toBe("mapped");
  const range = buffer.getMappedRange(8);
  expect([...new Uint32Array(range)]).toEqual([3, 4]);
  new Uint32Array(range)[0] = 5;
  buffer.unmap();
  expect(await wordsOf(device, buffer)).toEqual([1, 2, 5, 4]);
});

test("what is written into a range for reading is dropped", async () => {
  const device = await deviceOf();
  const buffer = await mapped(device);
  new Uint8Array(buffer.getMappedRange()).fill(7);
  buffer.unmap();
  await buffer.mapAsync(READ);
  expect(new Uint8Array(buffer.getMappedRange()).every((byte) => byte === 0)).toBe(true);
});

test("a range that somebody else detached is an error, and its bytes stay as they were", async () => {
  const device = await deviceOf();
  const buffer = device.createBuffer({ size: 8, usage: COPY_SRC, mappedAtCreation: true });
  const range = buffer.getMappedRange();
  new Uint8Array(range).fill(7);
  structuredClone(range, { transfer: [range] });
  expect(await outcomeOf(device, () => buffer.unmap())).toBe("GPUValidationError");
  expect(await wordsOf(device, buffer)).toEqual([0, 0]);
});

test("writes take elements of typed arrays, bytes of buffers, views into them, and shared memory", async () => {
  const device = await deviceOf();
  const buffer = bufferOf(device, 32);
  const { queue } = device;
  queue.writeBuffer(buffer, 0, Uint16Array.of(9, 1, 2, 9), 1, 2);
  queue.writeBuffer(buffer, 4, Uint32Array.of(9, 3, 9).buffer, 4, 4);
  queue.writeBuffer(buffer, 8, Uint32Array.of(9, 4, 5).subarray(1));
  queue.writeBuffer(buffer, 16, new DataView(Uint32Array.of(9, 6).buffer, 4));
  const shared = new Uint32Array(new SharedArrayBuffer(4));
  shared[0] = 7;
  queue.writeBuffer(buffer, 20, shared);
  // A copy is taken at once.
  shared[0] = 8;
  expect(await wordsOf(device, buffer)).toEqual([0x20001, 3, 4, 5, 6, 7, 0, 0]);
});

test("there is room for as many bytes as the options say, and again when a buffer is destroyed", async () => {
  const device = await deviceOf({ memoryLimit: 1000 });
  const first = bufferOf(device, 600);
  expect(await outcomeOf(device, () => bufferOf(device, 404))).toBe("GPUOutOfMemoryError");
  expect(await outcomeOf(device, () => bufferOf(device, 400))).toBe("fine");
  first.destroy();
  await device.queue.onSubmittedWorkDone();
  expect(await outcomeOf(device, () => bufferOf(device, 600))).toBe("fine");
});

test("a buffer that no array holds is an out-of-memory error, and can be written while it is mapped", async () => {
  const adapter = await adapterOf(handMadeGpu({ limits: { maxBufferSize: 2 ** 40 }, memoryLimit: 2 ** 40 }));
  const device = await adapter.requestDevice({ requiredLimits: { maxBufferSize: 2 ** 40 } });
  expect(await outcomeOf(device, () => bufferOf(device, 2 ** 40))).toBe("GPUOutOfMemoryError");
  // Its bytes do not count.
  expect(await outcomeOf(device, () => bufferOf(device, 8))).toBe("fine");
  const few = await deviceOf({ memoryLimit: 4 });
  const outcome = await outcomeOf(few, () => {
    const buffer = few.createBuffer({ size: 8, usage: COPY_SRC, mappedAtCreation: true });
    new Uint8Array(buffer.getMappedRange()).fill(1);
    buffer.unmap();
  });
  expect(outcome).toBe("GPUOutOfMemoryError");
});

test("a buffer that is unmapped before it is mapped stays so, and can be mapped again", async () => {
  const device = await deviceOf();
  const buffer = bufferOf(device, 64, MAP_READ);
  const waiting = buffer.mapAsync(READ);
  buffer.unmap();
  await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  await device.queue.onSubmittedWorkDone();
  expect(buffer.mapState).toBe("unmapped");
  const first = buffer.mapAsync(READ, 0, 8);
  buffer.unmap();
  const second = buffer.mapAsync(READ, 8, 8);
  await expect(first).rejects.toMatchObject({ name: "AbortError" });
  await second;
  expect(buffer.getMappedRange(8, 8).byteLength).toBe(8);
});

/** A buffer's words, by a copy. */
async function wordsOf(device: GPUDevice, buffer: GPUBuffer): Promise<number[]> {
  const copy = bufferOf(device, buffer.size, MAP_READ | COPY_DST);
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, copy);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(READ);
  return [...new Uint32Array(copy.getMappedRange())];
}
