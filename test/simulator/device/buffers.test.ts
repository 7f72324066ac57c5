import { describe, expect, test } from "vitest";
import { GPUBufferUsage, GPUMapMode } from "../../../src/gpu/device/usage_flags.ts";
import { withLittleMemory } from "../../support/no_memory.ts";
import type { Calls, Row } from "./devices.ts";
import {
  adapterOf,
  bufferOf,
  deviceOf,
  handMadeGpu,
  invalidBuffer,
  outcomeOf,
  testCalls,
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

const rows: Calls = {
  GPUValidationError: {
    "no usage": create({ size: 4, usage: 0 }),
    "an unknown usage": create({ size: 4, usage: 2 ** 20 }),
    "MAP_READ with STORAGE": create({ size: 4, usage: MAP_READ | STORAGE }),
    "MAP_WRITE with COPY_DST": create({ size: 4, usage: MAP_WRITE | COPY_DST }),
    "more than maxBufferSize": create({ size: 2 ** 28 + 4, usage: STORAGE }),
    "an invalid buffer, mapped at creation, can be written": (device) => {
      const buffer = create({ size: 8, usage: 0, mappedAtCreation: true })(device);
      new Uint8Array(buffer.getMappedRange()).fill(1);
      buffer.unmap();
    },
    "write a mapped buffer": async (device) =>
      device.queue.writeBuffer(await mapped(device), 0, new Uint8Array(4)),
    "write without COPY_DST": (device) =>
      device.queue.writeBuffer(bufferOf(device, 64, STORAGE), 0, new Uint8Array(4)),
    "write from an odd offset": (device) => device.queue.writeBuffer(bufferOf(device), 2, new Uint8Array(4)),
    "write past the end": (device) => device.queue.writeBuffer(bufferOf(device, 8), 4, new Uint8Array(8)),
    "write an invalid buffer": async (device) =>
      device.queue.writeBuffer(await invalidBuffer(device, COPY_DST), 0, new Uint8Array(4)),
    "write a destroyed buffer": (device) => {
      const buffer = bufferOf(device);
      buffer.destroy();
      device.queue.writeBuffer(buffer, 0, new Uint8Array(4));
    },
  },
  TypeError: {
    "usage that is no flag": create({ size: 4, usage: -1 }),
    "a negative size": create({ size: -4, usage: STORAGE }),
    "a size that is no number": create({ size: Number.NaN, usage: STORAGE }),
    "no size": create({ usage: STORAGE }),
    "map from a negative offset": (device) => bufferOf(device, 64, MAP_READ).mapAsync(READ, -8),
    "write what is no data": (device) => device.queue.writeBuffer(bufferOf(device), 0, 7 as never),
    "write an object that is no data": (device) => device.queue.writeBuffer(bufferOf(device), 0, {} as never),
    "write into what is no buffer": (device) => device.queue.writeBuffer({} as never, 0, new Uint8Array(4)),
  },
  fine: {
    "no bytes": create({ size: 0, usage: STORAGE }),
    "an odd size": create({ size: 3, usage: STORAGE }),
    "the largest size": create({ size: 2 ** 28, usage: STORAGE }),
    "unmap what is not mapped": (device) => bufferOf(device).unmap(),
    "destroy twice": (device) => {
      const buffer = bufferOf(device);
      buffer.destroy();
      buffer.destroy();
    },
    "ranges side by side": async (device) => {
      const buffer = await mapped(device);
      buffer.getMappedRange(0, 8);
      buffer.getMappedRange(8, 8);
      buffer.getMappedRange(16);
    },
  },
  RangeError: {
    "an odd size, mapped at creation": create({ size: 6, usage: STORAGE, mappedAtCreation: true }),
  },
  "OperationError, GPUValidationError": {
    "map to read without MAP_READ": (device) => bufferOf(device, 64, MAP_WRITE).mapAsync(READ),
    "map to write without MAP_WRITE": (device) => bufferOf(device, 64, MAP_READ).mapAsync(WRITE),
    "map both ways": (device) => bufferOf(device, 64, MAP_READ).mapAsync(READ | WRITE),
    "map no way": (device) => bufferOf(device, 64, MAP_READ).mapAsync(0),
    "map from an offset that is no multiple of 8": (device) =>
      bufferOf(device, 64, MAP_READ).mapAsync(READ, 4),
    "map a size that is no multiple of 4": (device) => bufferOf(device, 64, MAP_READ).mapAsync(READ, 0, 6),
    "map past the end": (device) => bufferOf(device, 64, MAP_READ).mapAsync(READ, 8, 64),
    "map from past the end": (device) => bufferOf(device, 64, MAP_READ).mapAsync(READ, 72),
    "map a mapped buffer": async (device) => (await mapped(device)).mapAsync(READ),
    "map a destroyed buffer": (device) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      buffer.destroy();
      return buffer.mapAsync(READ);
    },
  },
  AbortError: {
    "unmap while it is about to be mapped": async (device) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      const waiting = buffer.mapAsync(READ);
      buffer.unmap();
      await waiting;
    },
    "destroy while it is about to be mapped": async (device) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      const waiting = buffer.mapAsync(READ);
      buffer.destroy();
      await waiting;
    },
  },
  OperationError: {
    "a range of what is not mapped": (device) => bufferOf(device).getMappedRange(),
    "a range from an odd offset": async (device) => (await mapped(device)).getMappedRange(4),
    "a range of an odd size": async (device) => (await mapped(device)).getMappedRange(0, 5),
    "a range past the end": async (device) => (await mapped(device)).getMappedRange(56, 16),
    "a range outside of the mapped one": async (device) => {
      const buffer = bufferOf(device, 64, MAP_READ);
      await buffer.mapAsync(READ, 8, 16);
      buffer.getMappedRange(0, 16);
    },
    "ranges that overlap": async (device) => {
      const buffer = await mapped(device);
      buffer.getMappedRange(0, 16);
      buffer.getMappedRange(8, 16);
    },
    "write an odd number of bytes": (device) =>
      device.queue.writeBuffer(bufferOf(device), 0, new Uint8Array(3)),
    "write more than there is": (device) =>
      device.queue.writeBuffer(bufferOf(device), 0, new Uint32Array(2), 1, 2),
    "write from past the data's end": (device) =>
      device.queue.writeBuffer(bufferOf(device), 0, new Uint32Array(2), 3),
  },
};

const rowsInDawn: Readonly<Record<string, Row>> = {
  "no descriptor": {
    call: (device) => device.createBuffer(undefined as never),
    outcome: "TypeError",
    // The package webgpu ends the process.
    dawn: undefined,
  },
  "a size that nothing holds, mapped at creation": {
    call: (device) =>
      withLittleMemory(() => create({ size: 2 ** 52, usage: STORAGE, mappedAtCreation: true })(device)),
    outcome: "RangeError",
    // It is a RangeError there, too, and writes to the console.
    dawn: undefined,
  },
  "map twice at once": {
    call: async (device) => {
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
};

describe("buffers as WebGPU has them, and as Dawn has them", () => {
  testCalls(both, rows, rowsInDawn);
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
