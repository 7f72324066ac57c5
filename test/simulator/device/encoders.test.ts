import { describe, expect, test } from "vitest";
import { GPUBufferUsage } from "../../../src/gpu/device/usage_flags.ts";
import type { Calls, Row } from "./devices.ts";
import { bufferOf, deviceOf, invalidBuffer, outcomeOf, quietly, testCalls, useBoth } from "./devices.ts";
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

const rows: Calls = {
  fine: {
    "a copy of all": copy({}),
    "a copy of a part": copy({ from: 8, to: 4, size: 16 }),
    "a copy of nothing, at the end": copy({ from: 64, to: 64, size: 0 }),
    "a copy without offsets": record((encoder, device) =>
      encoder.copyBufferToBuffer(bufferOf(device), bufferOf(device), 4),
    ),
    "a clear of all": clear(),
    "a clear of a part": clear(8, 16),
    "a query set": (device) => queries(device, 4096),
    "queries to resolve": resolve(1, 3, 256),
    "timestamps at both ends": stamps({ beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 }),
    "a timestamp at one end": stamps({ endOfPassWriteIndex: 3 }),
    "no descriptor of a pass": record((encoder) => encoder.beginComputePass().end()),
    "a dispatch without bind groups that it does not take": pass((made, device) => {
      made.setPipeline(pipelineOf(device));
      made.dispatchWorkgroups(1);
    }),
    "an indirect dispatch": indirect(52),
    "debug groups": record((encoder) => {
      encoder.pushDebugGroup("a");
      encoder.insertDebugMarker("b");
      encoder.popDebugGroup();
    }),
    "debug groups of a pass": pass((made) => {
      made.pushDebugGroup("a");
      made.popDebugGroup();
    }),
  },
  GPUValidationError: {
    "a copy from an odd offset": copy({ from: 2, size: 4 }),
    "a copy to an odd offset": copy({ to: 2, size: 4 }),
    "a copy of an odd size": copy({ size: 6 }),
    "a copy from past the end": copy({ from: 60, size: 8 }),
    "a copy to past the end": copy({ to: 60, size: 8 }),
    "a copy of all that is left, which is less than nothing": copy({ from: 68 }),
    "a copy without COPY_SRC": copy({ usages: [COPY_DST, COPY_DST] }),
    "a copy without COPY_DST": copy({ usages: [COPY_SRC, COPY_SRC] }),
    "a copy within a buffer": record((encoder, device) => {
      const buffer = bufferOf(device);
      encoder.copyBufferToBuffer(buffer, 0, buffer, 512, 4);
    }),
    "a copy of an invalid buffer": record(async (encoder, device) =>
      encoder.copyBufferToBuffer(await invalidBuffer(device, COPY_SRC), bufferOf(device), 4),
    ),
    "a clear from an odd offset": clear(2),
    "a clear of an odd size": clear(0, 2),
    "a clear past the end": clear(32, 36),
    "a clear from past the end": clear(68),
    "a clear without COPY_DST": clear(0, 4, STORAGE),
    "a query set that is too long": (device) => queries(device, 4097),
    "queries past the last": resolve(1, 4),
    "no queries, past the last": resolve(4, 0),
    "queries to an offset that is not aligned": resolve(0, 1, 8),
    "queries to past the end": resolve(0, 1, 512),
    "queries without QUERY_RESOLVE": resolve(0, 1, 0, COPY_DST),
    "timestamps at no end": stamps({}),
    "both timestamps in one place": stamps({ beginningOfPassWriteIndex: 1, endOfPassWriteIndex: 1 }),
    "a timestamp past the last query": stamps({ endOfPassWriteIndex: 4 }),
    "timestamps in a set of another type": record((encoder, device) =>
      encoder
        .beginComputePass({
          timestampWrites: {
            querySet: device.createQuerySet({ type: "occlusion", count: 1 }),
            endOfPassWriteIndex: 0,
          },
        })
        .end(),
    ),
    "timestamps in an invalid set": record(async (encoder, device) => {
      const querySet = await quietly(device, () => queries(device, 5000));
      encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 0 } }).end();
    }),
    "queries of an invalid set": record(async (encoder, device) => {
      const querySet = await quietly(device, () => queries(device, 5000));
      encoder.resolveQuerySet(querySet, 0, 1, bufferOf(device, 256, QUERY_RESOLVE), 0);
    }),
    "a dispatch without a pipeline": pass((made) => made.dispatchWorkgroups(1)),
    "an indirect dispatch past the end": indirect(56),
    "an indirect dispatch from an odd offset": indirect(2),
    "an indirect dispatch without INDIRECT": indirect(0, STORAGE),
    "an indirect dispatch from an invalid buffer": record(async (encoder, device) => {
      const buffer = await invalidBuffer(device, GPUBufferUsage.INDIRECT);
      const made = encoder.beginComputePass();
      made.setPipeline(pipelineOf(device));
      made.dispatchWorkgroupsIndirect(buffer, 0);
      made.end();
    }),
    "an invalid pipeline": record(async (encoder, device) => {
      const code = texts.manyThreads.code;
      const module = device.createShaderModule({ code });
      const pipeline = await quietly(device, () =>
        device.createComputePipeline({ layout: "auto", compute: { module } }),
      );
      const made = encoder.beginComputePass();
      made.setPipeline(pipeline);
      made.end();
    }),
    "a debug group that does not end": record((encoder) => encoder.pushDebugGroup("a")),
    "a debug group that did not start": record((encoder) => encoder.popDebugGroup()),
    "a debug group of a pass that does not end": pass((made) => made.pushDebugGroup("a")),
    "a pass that does not end": record((encoder) => encoder.beginComputePass()),
    "a command between a pass and its end": record((encoder, device) => {
      const made = encoder.beginComputePass();
      encoder.clearBuffer(bufferOf(device));
      made.end();
    }),
    "two passes at once": record((encoder) => {
      const made = encoder.beginComputePass();
      encoder.beginComputePass();
      made.end();
    }),
    "a pass that ends twice": record((encoder) => {
      const made = encoder.beginComputePass();
      made.end();
      made.end();
    }),
    "a command after the encoder": (device) => {
      const encoder = device.createCommandEncoder();
      encoder.finish();
      encoder.clearBuffer(bufferOf(device));
    },
    "an encoder that finishes twice": (device) => {
      const encoder = device.createCommandEncoder();
      encoder.finish();
      encoder.finish();
    },
  },
  TypeError: {
    "a copy of a negative size": copy({ size: -4 }),
    "a copy of what is no buffer": record((encoder, device) =>
      encoder.copyBufferToBuffer({} as never, bufferOf(device)),
    ),
    "a query set of another type": (device) => device.createQuerySet({ type: "other" as never, count: 1 }),
    "a pipeline that is none": pass((made) => made.setPipeline({} as never)),
  },
};

const rowsInDawn: Readonly<Record<string, Row>> = {
  "no queries to resolve": {
    call: resolve(1, 0),
    outcome: "fine",
    // It is fine there, too, with a warning on the console.
    dawn: undefined,
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
};

describe("encoders as WebGPU has them, and as Dawn has them", () => {
  testCalls(both, rows, rowsInDawn);
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

const submits: Calls = {
  fine: {
    nothing: (device) => device.queue.submit([]),
    "a clear of a buffer that was unmapped": submit((encoder, device) => {
      const buffer = device.createBuffer({ size: 8, usage: COPY_DST, mappedAtCreation: true });
      encoder.clearBuffer(buffer);
      return () => buffer.unmap();
    }),
  },
  TypeError: {
    "what is no command buffer": (device) => device.queue.submit([{} as never]),
  },
  GPUValidationError: {
    "a command buffer twice": (device) => {
      const made = device.createCommandEncoder().finish();
      device.queue.submit([made, made]);
    },
    "a command buffer again": (device) => {
      const made = device.createCommandEncoder().finish();
      device.queue.submit([made]);
      device.queue.submit([made]);
    },
    "an invalid command buffer": async (device) => {
      const encoder = device.createCommandEncoder();
      encoder.popDebugGroup();
      device.pushErrorScope("validation");
      const made = encoder.finish();
      await device.popErrorScope();
      device.queue.submit([made]);
    },
    "a copy from a buffer that is destroyed": submit((encoder, device) => {
      const buffer = bufferOf(device);
      encoder.copyBufferToBuffer(buffer, bufferOf(device));
      return () => buffer.destroy();
    }),
    "a clear of a buffer that is mapped": submit((encoder, device) => {
      const buffer = device.createBuffer({ size: 8, usage: COPY_DST, mappedAtCreation: true });
      encoder.clearBuffer(buffer);
    }),
    "a clear of a buffer that is about to be mapped": submit((encoder, device) => {
      const buffer = bufferOf(device, 8, COPY_DST | MAP_READ);
      encoder.clearBuffer(buffer);
      return () => {
        buffer.mapAsync(1).catch(() => {});
      };
    }),
    "queries of a set that is destroyed": submit((encoder, device) => {
      const set = queries(device);
      encoder.resolveQuerySet(set, 0, 1, bufferOf(device, 256, QUERY_RESOLVE), 0);
      return () => set.destroy();
    }),
    "a number of work-groups in a buffer that is destroyed": submit((encoder, device) => {
      const buffer = bufferOf(device, 64, GPUBufferUsage.INDIRECT);
      const made = encoder.beginComputePass();
      made.setPipeline(pipelineOf(device));
      made.dispatchWorkgroupsIndirect(buffer, 0);
      made.end();
      return () => buffer.destroy();
    }),
    "timestamps in a set that is destroyed": submit((encoder, device) => {
      const querySet = queries(device);
      encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 0 } }).end();
      return () => querySet.destroy();
    }),
    "a bind group whose buffer is destroyed, and which no dispatch uses": submit((encoder, device) => {
      const buffer = bufferOf(device);
      const layout = device.createBindGroupLayout({
        entries: [{ binding: 0, visibility: 4, buffer: { type: "storage" } }],
      });
      const made = encoder.beginComputePass();
      made.setBindGroup(0, device.createBindGroup({ layout, entries: [{ binding: 0, resource: buffer }] }));
      made.end();
      return () => buffer.destroy();
    }),
  },
};

describe("submits as WebGPU has them, and as Dawn has them", () => {
  testCalls(both, submits);
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
