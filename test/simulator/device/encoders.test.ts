import { describe, expect, test } from "vitest";
import { GPUBufferUsage } from "../../../src/gpu/device/usage_flags.ts";
import type { Row } from "./devices.ts";
import { bufferOf, check, deviceOf, invalidBuffer, outcomeOf, quietly, useBoth } from "./devices.ts";
import { texts } from "./hand_made.ts";

const { COPY_SRC, COPY_DST, STORAGE, QUERY_RESOLVE, MAP_READ } = GPUBufferUsage;
const both = useBoth();
const bad = "GPUValidationError";

/** Records, and finishes. */
const record =
  (commands: (encoder: GPUCommandEncoder, device: GPUDevice) => unknown) =>
  async (device: GPUDevice): Promise<void> => {
    const encoder = device.createCommandEncoder();
    await commands(encoder, device);
    encoder.finish();
  };

const pass = (commands: (pass: GPUComputePassEncoder, device: GPUDevice) => unknown) =>
  record((encoder, device) => {
    const made = encoder.beginComputePass();
    commands(made, device);
    made.end();
  });

interface Copy {
  readonly from?: number;
  readonly to?: number;
  readonly size?: number | undefined;
  readonly usages?: readonly [number, number];
}

const copy = ({ from = 0, to = 0, size, usages = [COPY_SRC, COPY_DST] }: Copy) =>
  record((encoder, device) => {
    const [source, destination] = usages.map((usage) => bufferOf(device, 64, usage)) as [
      GPUBuffer,
      GPUBuffer,
    ];
    encoder.copyBufferToBuffer(source, from, destination, to, size);
  });

const clear = (offset?: number, size?: number, usage: number = COPY_DST) =>
  record((encoder, device) => encoder.clearBuffer(bufferOf(device, 64, usage), offset, size));

const queries = (device: GPUDevice, count = 4): GPUQuerySet =>
  device.createQuerySet({ type: "timestamp", count });

const resolve = (first: number, count: number, offset = 0, usage: number = QUERY_RESOLVE) =>
  record((encoder, device) =>
    encoder.resolveQuerySet(queries(device), first, count, bufferOf(device, 512, usage), offset),
  );

const stamps = (writes: Partial<GPUComputePassTimestampWrites>) =>
  record((encoder, device) =>
    encoder
      .beginComputePass({
        timestampWrites: { querySet: queries(device), ...writes } as GPUComputePassTimestampWrites,
      })
      .end(),
  );

const pipelineOf = (device: GPUDevice): GPUComputePipeline =>
  device.createComputePipeline({
    layout: "auto",
    compute: { module: device.createShaderModule({ code: texts.empty.code }) },
  });

const indirect = (offset: number, usage: number = GPUBufferUsage.INDIRECT) =>
  pass((made, device) => {
    made.setPipeline(pipelineOf(device));
    made.dispatchWorkgroupsIndirect(bufferOf(device, 64, usage), offset);
  });

const rows = {
  "a copy of all": { call: copy({}), outcome: "fine" },
  "a copy of a part": { call: copy({ from: 8, to: 4, size: 16 }), outcome: "fine" },
  "a copy of nothing, at the end": { call: copy({ from: 64, to: 64, size: 0 }), outcome: "fine" },
  "a copy from an odd offset": { call: copy({ from: 2, size: 4 }), outcome: bad },
  "a copy to an odd offset": { call: copy({ to: 2, size: 4 }), outcome: bad },
  "a copy of an odd size": { call: copy({ size: 6 }), outcome: bad },
  "a copy from past the end": { call: copy({ from: 60, size: 8 }), outcome: bad },
  "a copy to past the end": { call: copy({ to: 60, size: 8 }), outcome: bad },
  "a copy of all that is left, which is less than nothing": { call: copy({ from: 68 }), outcome: bad },
  "a copy of a negative size": { call: copy({ size: -4 }), outcome: "TypeError" },
  "a copy without COPY_SRC": { call: copy({ usages: [COPY_DST, COPY_DST] }), outcome: bad },
  "a copy without COPY_DST": { call: copy({ usages: [COPY_SRC, COPY_SRC] }), outcome: bad },
  "a copy within a buffer": {
    call: record((encoder, device) => {
      const buffer = bufferOf(device);
      encoder.copyBufferToBuffer(buffer, 0, buffer, 512, 4);
    }),
    outcome: bad,
  },
  "a copy without offsets": {
    call: record((encoder, device) => encoder.copyBufferToBuffer(bufferOf(device), bufferOf(device), 4)),
    outcome: "fine",
  },
  "a copy of an invalid buffer": {
    call: record(async (encoder, device) =>
      encoder.copyBufferToBuffer(await invalidBuffer(device, COPY_SRC), bufferOf(device), 4),
    ),
    outcome: bad,
  },
  "a copy of what is no buffer": {
    call: record((encoder, device) => encoder.copyBufferToBuffer({} as never, bufferOf(device))),
    outcome: "TypeError",
  },
  "a clear of all": { call: clear(), outcome: "fine" },
  "a clear of a part": { call: clear(8, 16), outcome: "fine" },
  "a clear from an odd offset": { call: clear(2), outcome: bad },
  "a clear of an odd size": { call: clear(0, 2), outcome: bad },
  "a clear past the end": { call: clear(32, 36), outcome: bad },
  "a clear from past the end": { call: clear(68), outcome: bad },
  "a clear without COPY_DST": { call: clear(0, 4, STORAGE), outcome: bad },
  "a query set": { call: (device: GPUDevice) => queries(device, 4096), outcome: "fine" },
  "a query set that is too long": { call: (device: GPUDevice) => queries(device, 4097), outcome: bad },
  "a query set of another type": {
    call: (device: GPUDevice) => device.createQuerySet({ type: "other" as never, count: 1 }),
    outcome: "TypeError",
  },
  "queries to resolve": { call: resolve(1, 3, 256), outcome: "fine" },
  "no queries to resolve": {
    call: resolve(1, 0),
    outcome: "fine",
    // It is fine there, too, with a warning on the console.
    dawn: undefined,
  },
  "queries past the last": { call: resolve(1, 4), outcome: bad },
  "no queries, past the last": { call: resolve(4, 0), outcome: bad },
  "queries to an offset that is not aligned": { call: resolve(0, 1, 8), outcome: bad },
  "queries to past the end": { call: resolve(0, 1, 512), outcome: bad },
  "queries without QUERY_RESOLVE": { call: resolve(0, 1, 0, COPY_DST), outcome: bad },
  "timestamps at both ends": {
    call: stamps({ beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 }),
    outcome: "fine",
  },
  "a timestamp at one end": { call: stamps({ endOfPassWriteIndex: 3 }), outcome: "fine" },
  "timestamps at no end": { call: stamps({}), outcome: bad },
  "both timestamps in one place": {
    call: stamps({ beginningOfPassWriteIndex: 1, endOfPassWriteIndex: 1 }),
    outcome: bad,
  },
  "a timestamp past the last query": { call: stamps({ endOfPassWriteIndex: 4 }), outcome: bad },
  "timestamps in a set of another type": {
    call: record((encoder, device) =>
      encoder
        .beginComputePass({
          timestampWrites: {
            querySet: device.createQuerySet({ type: "occlusion", count: 1 }),
            endOfPassWriteIndex: 0,
          },
        })
        .end(),
    ),
    outcome: bad,
  },
  "timestamps in an invalid set": {
    call: record(async (encoder, device) => {
      const querySet = await quietly(device, () => queries(device, 5000));
      encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 0 } }).end();
    }),
    outcome: bad,
  },
  "queries of an invalid set": {
    call: record(async (encoder, device) => {
      const querySet = await quietly(device, () => queries(device, 5000));
      encoder.resolveQuerySet(querySet, 0, 1, bufferOf(device, 256, QUERY_RESOLVE), 0);
    }),
    outcome: bad,
  },
  "no descriptor of a pass": { call: record((encoder) => encoder.beginComputePass().end()), outcome: "fine" },
  "a dispatch without a pipeline": { call: pass((made) => made.dispatchWorkgroups(1)), outcome: bad },
  "a dispatch without bind groups that it does not take": {
    call: pass((made, device) => {
      made.setPipeline(pipelineOf(device));
      made.dispatchWorkgroups(1);
    }),
    outcome: "fine",
  },
  "a pipeline that is none": { call: pass((made) => made.setPipeline({} as never)), outcome: "TypeError" },
  "an indirect dispatch": { call: indirect(52), outcome: "fine" },
  "an indirect dispatch past the end": { call: indirect(56), outcome: bad },
  "an indirect dispatch from an odd offset": { call: indirect(2), outcome: bad },
  "an indirect dispatch without INDIRECT": { call: indirect(0, STORAGE), outcome: bad },
  "an indirect dispatch from an invalid buffer": {
    call: record(async (encoder, device) => {
      const buffer = await invalidBuffer(device, GPUBufferUsage.INDIRECT);
      const made = encoder.beginComputePass();
      made.setPipeline(pipelineOf(device));
      made.dispatchWorkgroupsIndirect(buffer, 0);
      made.end();
    }),
    outcome: bad,
  },
  "an invalid pipeline": {
    call: record(async (encoder, device) => {
      const code = texts.manyThreads.code;
      const module = device.createShaderModule({ code });
      const pipeline = await quietly(device, () =>
        device.createComputePipeline({ layout: "auto", compute: { module } }),
      );
      const made = encoder.beginComputePass();
      made.setPipeline(pipeline);
      made.end();
    }),
    outcome: bad,
  },
  "debug groups": {
    call: record((encoder) => {
      encoder.pushDebugGroup("a");
      encoder.insertDebugMarker("b");
      encoder.popDebugGroup();
    }),
    outcome: "fine",
  },
  "a debug group that does not end": { call: record((encoder) => encoder.pushDebugGroup("a")), outcome: bad },
  "a debug group that did not start": { call: record((encoder) => encoder.popDebugGroup()), outcome: bad },
  "debug groups of a pass": {
    call: pass((made) => {
      made.pushDebugGroup("a");
      made.popDebugGroup();
    }),
    outcome: "fine",
  },
  "a debug group of a pass that does not end": {
    call: pass((made) => made.pushDebugGroup("a")),
    outcome: bad,
  },
  "a pass that does not end": { call: record((encoder) => encoder.beginComputePass()), outcome: bad },
  "a command between a pass and its end": {
    call: record((encoder, device) => {
      const made = encoder.beginComputePass();
      encoder.clearBuffer(bufferOf(device));
      made.end();
    }),
    outcome: bad,
  },
  "two passes at once": {
    call: record((encoder) => {
      const made = encoder.beginComputePass();
      encoder.beginComputePass();
      made.end();
    }),
    outcome: bad,
  },
  "a pass that ends twice": {
    call: record((encoder) => {
      const made = encoder.beginComputePass();
      made.end();
      made.end();
    }),
    outcome: bad,
  },
  "a command after the pass": {
    call: record((encoder) => {
      const made = encoder.beginComputePass();
      made.end();
      made.dispatchWorkgroups(1);
    }),
    outcome: bad,
    // Dawn's error comes with `finish()`.
    isFinding: true,
  },
  "a command after the encoder": {
    call: (device: GPUDevice) => {
      const encoder = device.createCommandEncoder();
      encoder.finish();
      encoder.clearBuffer(bufferOf(device));
    },
    outcome: bad,
  },
  "an encoder that finishes twice": {
    call: (device: GPUDevice) => {
      const encoder = device.createCommandEncoder();
      encoder.finish();
      encoder.finish();
    },
    outcome: bad,
  },
} as const satisfies Record<string, Row>;

describe("encoders as WebGPU has them, and as Dawn has them", () => {
  test.each(Object.entries<Row>(rows))("%s", (_, row) => check(both, row));
});

/** Submits what is recorded. */
const submit =
  (commands: (encoder: GPUCommandEncoder, device: GPUDevice) => unknown) =>
  async (device: GPUDevice): Promise<void> => {
    const encoder = device.createCommandEncoder();
    const after = commands(encoder, device) as (() => unknown) | undefined;
    const made = encoder.finish();
    await after?.();
    device.queue.submit([made]);
  };

const submits = {
  nothing: { call: (device: GPUDevice) => device.queue.submit([]), outcome: "fine" },
  "what is no command buffer": {
    call: (device: GPUDevice) => device.queue.submit([{} as never]),
    outcome: "TypeError",
  },
  "a command buffer twice": {
    call: (device: GPUDevice) => {
      const made = device.createCommandEncoder().finish();
      device.queue.submit([made, made]);
    },
    outcome: bad,
  },
  "a command buffer again": {
    call: (device: GPUDevice) => {
      const made = device.createCommandEncoder().finish();
      device.queue.submit([made]);
      device.queue.submit([made]);
    },
    outcome: bad,
  },
  "an invalid command buffer": {
    call: async (device: GPUDevice) => {
      const encoder = device.createCommandEncoder();
      encoder.popDebugGroup();
      device.pushErrorScope("validation");
      const made = encoder.finish();
      await device.popErrorScope();
      device.queue.submit([made]);
    },
    outcome: bad,
  },
  "a copy from a buffer that is destroyed": {
    call: submit((encoder, device) => {
      const buffer = bufferOf(device);
      encoder.copyBufferToBuffer(buffer, bufferOf(device));
      return () => buffer.destroy();
    }),
    outcome: bad,
  },
  "a clear of a buffer that is mapped": {
    call: submit((encoder, device) => {
      const buffer = device.createBuffer({ size: 8, usage: COPY_DST, mappedAtCreation: true });
      encoder.clearBuffer(buffer);
    }),
    outcome: bad,
  },
  "a clear of a buffer that is about to be mapped": {
    call: submit((encoder, device) => {
      const buffer = bufferOf(device, 8, COPY_DST | MAP_READ);
      encoder.clearBuffer(buffer);
      return () => {
        buffer.mapAsync(1).catch(() => {});
      };
    }),
    outcome: bad,
  },
  "a clear of a buffer that was unmapped": {
    call: submit((encoder, device) => {
      const buffer = device.createBuffer({ size: 8, usage: COPY_DST, mappedAtCreation: true });
      encoder.clearBuffer(buffer);
      return () => buffer.unmap();
    }),
    outcome: "fine",
  },
  "queries of a set that is destroyed": {
    call: submit((encoder, device) => {
      const set = queries(device);
      encoder.resolveQuerySet(set, 0, 1, bufferOf(device, 256, QUERY_RESOLVE), 0);
      return () => set.destroy();
    }),
    outcome: bad,
  },
  "a number of work-groups in a buffer that is destroyed": {
    call: submit((encoder, device) => {
      const buffer = bufferOf(device, 64, GPUBufferUsage.INDIRECT);
      const made = encoder.beginComputePass();
      made.setPipeline(pipelineOf(device));
      made.dispatchWorkgroupsIndirect(buffer, 0);
      made.end();
      return () => buffer.destroy();
    }),
    outcome: bad,
  },
  "timestamps in a set that is destroyed": {
    call: submit((encoder, device) => {
      const querySet = queries(device);
      encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 0 } }).end();
      return () => querySet.destroy();
    }),
    outcome: bad,
  },
  "a bind group whose buffer is destroyed, and which no dispatch uses": {
    call: submit((encoder, device) => {
      const buffer = bufferOf(device);
      const layout = device.createBindGroupLayout({
        entries: [{ binding: 0, visibility: 4, buffer: { type: "storage" } }],
      });
      const made = encoder.beginComputePass();
      made.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: buffer }] }));
      made.end();
      return () => buffer.destroy();
    }),
    outcome: bad,
  },
} as const satisfies Record<string, Row>;

describe("submits as WebGPU has them, and as Dawn has them", () => {
  test.each(Object.entries<Row>(submits))("%s", (_, row) => check(both, row));
});

test("the first thing that is wrong is told when the encoder finishes", async () => {
  const device = await deviceOf();
  const encoder = device.createCommandEncoder({ label: "my encoder" });
  encoder.clearBuffer(bufferOf(device, 16), 2);
  encoder.popDebugGroup();
  device.pushErrorScope("validation");
  encoder.finish();
  expect((await device.popErrorScope())?.message).toBe(
    'finish: clearBuffer: bytes 2 to 16 of the GPUBuffer "data" are no whole words',
  );
});

test("timestamps take a feature", async () => {
  expect(await outcomeOf(await deviceOf({}, []), queries)).toBe("TypeError");
});
