import { describe, expect, test } from "vitest";
import { GPUBufferUsage, GPUShaderStage } from "../../../src/gpu/device/usage_flags.ts";
import type { Row } from "./devices.ts";
import { bufferOf, check, deviceOf, invalidBuffer, outcomeOf, quietly, useBoth } from "./devices.ts";
import { texts } from "./hand_made.ts";

const { COMPUTE, FRAGMENT, VERTEX } = GPUShaderStage;
const { STORAGE, UNIFORM, COPY_SRC } = GPUBufferUsage;
const both = useBoth();

type Entry = Partial<GPUBindGroupLayoutEntry>;

const layoutOf = (device: GPUDevice, entries: readonly Entry[]): GPUBindGroupLayout =>
  device.createBindGroupLayout({
    entries: entries.map((entry, binding) => ({ binding, visibility: COMPUTE, buffer: {}, ...entry })),
  });

const layout =
  (...entries: readonly Entry[]) =>
  (device: GPUDevice): GPUBindGroupLayout =>
    layoutOf(device, entries);

const many = (count: number, entry: Entry): Entry[] => Array.from({ length: count }, () => entry);
const storage = { buffer: { type: "storage" } } as const satisfies Entry;
const readOnly = { buffer: { type: "read-only-storage" } } as const satisfies Entry;

const layouts = {
  "a layout without entries": { call: layout(), outcome: "fine" },
  "a layout of all types": { call: layout({}, storage, readOnly), outcome: "fine" },
  "a binding twice": { call: layout({ binding: 3 }, { binding: 3 }), outcome: "GPUValidationError" },
  "the last binding": { call: layout({ binding: 999 }), outcome: "fine" },
  "a binding past the last": { call: layout({ binding: 1000 }), outcome: "GPUValidationError" },
  "a binding that is no number": { call: layout({ binding: "a" as never }), outcome: "TypeError" },
  "an unknown stage": { call: layout({ visibility: 8 }), outcome: "GPUValidationError" },
  "no stage": { call: layout({ visibility: 0 }), outcome: "fine" },
  "storage for vertices": { call: layout({ ...storage, visibility: VERTEX }), outcome: "GPUValidationError" },
  "read-only storage for vertices": { call: layout({ ...readOnly, visibility: VERTEX }), outcome: "fine" },
  "an unknown type": { call: layout({ buffer: { type: "texel" as never } }), outcome: "TypeError" },
  "no kind of resource": { call: layout({ buffer: undefined as never }), outcome: "GPUValidationError" },
  "as many storage buffers as there may be": { call: layout(...many(8, storage)), outcome: "fine" },
  "too many storage buffers": { call: layout(...many(9, readOnly)), outcome: "GPUValidationError" },
  "too many uniform buffers": { call: layout(...many(13, {})), outcome: "GPUValidationError" },
  "too many dynamic uniform buffers": {
    call: layout(...many(9, { buffer: { hasDynamicOffset: true } })),
    outcome: "GPUValidationError",
  },
  "too many dynamic storage buffers": {
    call: layout(...many(5, { buffer: { type: "storage", hasDynamicOffset: true } })),
    outcome: "GPUValidationError",
  },
  "entries that are no list": {
    call: (device: GPUDevice) => device.createBindGroupLayout({ entries: 5 as never }),
    outcome: "TypeError",
  },
  "a pipeline layout with gaps": {
    call: (device: GPUDevice) =>
      device.createPipelineLayout({ bindGroupLayouts: [null, layoutOf(device, [{}])] }),
    outcome: "fine",
  },
  "too many bind groups": {
    call: (device: GPUDevice) =>
      device.createPipelineLayout({
        bindGroupLayouts: Array.from({ length: 5 }, () => layoutOf(device, [])),
      }),
    outcome: "GPUValidationError",
  },
  "immediate data": {
    call: (device: GPUDevice) => device.createPipelineLayout({ bindGroupLayouts: [], immediateSize: 4 }),
    outcome: "GPUValidationError",
    // The simulator has none.
    dawn: "fine",
  },
  "too many storage buffers in all groups": {
    call: (device: GPUDevice) =>
      device.createPipelineLayout({
        bindGroupLayouts: [layoutOf(device, many(5, storage)), layoutOf(device, many(4, storage))],
      }),
    outcome: "GPUValidationError",
  },
  "a pipeline layout of an invalid layout": {
    call: async (device: GPUDevice) => {
      const invalid = await quietly(device, () => layoutOf(device, [{ visibility: 8 }]));
      device.createPipelineLayout({ bindGroupLayouts: [invalid] });
    },
    outcome: "GPUValidationError",
  },
  "a pipeline layout of an automatic layout": {
    call: (device: GPUDevice) => {
      const pipeline = device.createComputePipeline({
        layout: "auto",
        compute: { module: device.createShaderModule({ code: texts.count.code }) },
      });
      device.createPipelineLayout({ bindGroupLayouts: [pipeline.getBindGroupLayout(0)] });
    },
    outcome: "GPUValidationError",
  },
  "a pipeline layout of something else": {
    call: (device: GPUDevice) => device.createPipelineLayout({ bindGroupLayouts: [{} as never] }),
    outcome: "TypeError",
  },
} as const satisfies Record<string, Row>;

describe("layouts as WebGPU has them, and as Dawn has them", () => {
  test.each(Object.entries<Row>(layouts))("%s", (_, row) => check(both, row));
});

interface Group {
  readonly entry?: Entry;
  readonly size?: number;
  readonly usage?: number;
  readonly binding?: Omit<GPUBufferBinding, "buffer">;
}

/** A bind group of one binding. */
const bind =
  ({ entry = storage, size = 1024, usage = STORAGE | UNIFORM, binding = {} }: Group) =>
  (device: GPUDevice): GPUBindGroup =>
    device.createBindGroup({
      layout: layoutOf(device, [entry]),
      entries: [{ binding: 0, resource: { buffer: bufferOf(device, size, usage), ...binding } }],
    });

const entries =
  (...bindings: readonly number[]) =>
  (device: GPUDevice): GPUBindGroup =>
    device.createBindGroup({
      layout: layoutOf(device, [readOnly, readOnly]),
      entries: bindings.map((binding) => ({ binding, resource: { buffer: bufferOf(device) } })),
    });

const groups = {
  "a whole buffer": { call: bind({}), outcome: "fine" },
  "a buffer, not in a binding": {
    call: (device: GPUDevice) =>
      device.createBindGroup({
        layout: layoutOf(device, [storage]),
        entries: [{ binding: 0, resource: bufferOf(device) }],
      }),
    outcome: "fine",
  },
  "all entries, in any order": { call: entries(1, 0), outcome: "fine" },
  "too few entries": { call: entries(0), outcome: "GPUValidationError" },
  "too many entries": { call: entries(0, 1, 2), outcome: "GPUValidationError" },
  "an entry twice": { call: entries(0, 0), outcome: "GPUValidationError" },
  "an entry that the layout does not have": { call: entries(0, 2), outcome: "GPUValidationError" },
  "storage without STORAGE": { call: bind({ usage: UNIFORM }), outcome: "GPUValidationError" },
  "a uniform without UNIFORM": { call: bind({ entry: {}, usage: STORAGE }), outcome: "GPUValidationError" },
  "an offset": { call: bind({ binding: { offset: 256 } }), outcome: "fine" },
  "storage at an offset that is not aligned": {
    call: bind({ binding: { offset: 128 } }),
    outcome: "GPUValidationError",
  },
  "a uniform at an offset that is not aligned": {
    call: bind({ entry: {}, binding: { offset: 128 } }),
    outcome: "GPUValidationError",
  },
  "the end as offset": { call: bind({ binding: { offset: 1024 } }), outcome: "GPUValidationError" },
  "an offset past the end": { call: bind({ binding: { offset: 1280 } }), outcome: "GPUValidationError" },
  "no bytes": { call: bind({ binding: { size: 0 } }), outcome: "GPUValidationError" },
  "more bytes than there are": {
    call: bind({ binding: { offset: 256, size: 772 } }),
    outcome: "GPUValidationError",
  },
  "storage of bytes that are no whole words": {
    call: bind({ binding: { size: 6 } }),
    outcome: "GPUValidationError",
  },
  "a uniform of bytes that are no whole words": {
    call: bind({ entry: {}, binding: { size: 6 } }),
    outcome: "fine",
  },
  "fewer bytes than minBindingSize": {
    call: bind({ entry: { buffer: { type: "storage", minBindingSize: 64 } }, binding: { size: 60 } }),
    outcome: "GPUValidationError",
  },
  "as many bytes as minBindingSize": {
    call: bind({ entry: { buffer: { type: "storage", minBindingSize: 64 } }, binding: { size: 64 } }),
    outcome: "fine",
  },
  "a uniform that is too long": {
    call: bind({ entry: {}, size: 65552, usage: UNIFORM }),
    outcome: "GPUValidationError",
  },
  "storage that is too long": { call: bind({ size: 2 ** 27 + 4 }), outcome: "GPUValidationError" },
  "a buffer that is destroyed": {
    call: (device: GPUDevice) => {
      const buffer = bufferOf(device);
      buffer.destroy();
      device.createBindGroup({
        layout: layoutOf(device, [storage]),
        entries: [{ binding: 0, resource: { buffer } }],
      });
    },
    outcome: "fine",
  },
  "an invalid buffer": {
    call: async (device: GPUDevice) => {
      const buffer = await invalidBuffer(device, STORAGE);
      device.createBindGroup({
        layout: layoutOf(device, [storage]),
        entries: [{ binding: 0, resource: { buffer } }],
      });
    },
    outcome: "GPUValidationError",
  },
  "an invalid layout": {
    call: async (device: GPUDevice) => {
      const invalid = await quietly(device, () => layoutOf(device, [{ ...storage, visibility: 8 }]));
      device.createBindGroup({ layout: invalid, entries: [{ binding: 0, resource: bufferOf(device) }] });
    },
    outcome: "GPUValidationError",
  },
  "a layout that is none": {
    call: (device: GPUDevice) => device.createBindGroup({ layout: {} as never, entries: [] }),
    outcome: "TypeError",
  },
  "what is no resource": {
    call: (device: GPUDevice) =>
      device.createBindGroup({
        layout: layoutOf(device, [storage]),
        entries: [{ binding: 0, resource: {} as never }],
      }),
    outcome: "TypeError",
  },
} as const satisfies Record<string, Row>;

describe("bind groups as WebGPU has them, and as Dawn has them", () => {
  test.each(Object.entries<Row>(groups))("%s", (_, row) => check(both, row));
});

interface Set {
  readonly index?: number;
  readonly entries?: readonly Entry[];
  readonly args?: readonly unknown[];
}

/** A pass that sets a bind group of one buffer of 1024 bytes. */
const set =
  ({ index = 0, entries: given = [storage], args = [] }: Set) =>
  (device: GPUDevice): void => {
    const made = layoutOf(device, given);
    const group = device.createBindGroup({
      layout: made,
      entries: given.map((_, binding) => ({ binding, resource: { buffer: bufferOf(device), size: 512 } })),
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    (pass.setBindGroup as (...all: unknown[]) => void)(index, group, ...args);
    pass.end();
    encoder.finish();
  };

const dynamic = { buffer: { type: "storage", hasDynamicOffset: true } } as const satisfies Entry;

const sets = {
  "the last index": { call: set({ index: 3 }), outcome: "fine" },
  "an index past the last": { call: set({ index: 4 }), outcome: "GPUValidationError" },
  "a dynamic offset": { call: set({ entries: [dynamic], args: [[256]] }), outcome: "fine" },
  "a dynamic offset from an array": {
    call: set({ entries: [dynamic], args: [Uint32Array.of(9, 512), 1, 1] }),
    outcome: "fine",
  },
  "dynamic offsets past an array's end": {
    call: set({ entries: [dynamic], args: [Uint32Array.of(9, 512), 2, 1] }),
    outcome: "RangeError",
  },
  "a part of an array of another type": {
    call: set({ entries: [dynamic], args: [Float64Array.of(9, 512), 1, 1] }),
    outcome: "TypeError",
  },
  "no dynamic offset": { call: set({ entries: [dynamic] }), outcome: "GPUValidationError" },
  "too many dynamic offsets": { call: set({ args: [[256]] }), outcome: "GPUValidationError" },
  "a dynamic offset that is not aligned": {
    call: set({ entries: [dynamic], args: [[128]] }),
    outcome: "GPUValidationError",
  },
  "a dynamic offset past the end": {
    call: set({ entries: [dynamic], args: [[768]] }),
    outcome: "GPUValidationError",
  },
  "an invalid bind group": {
    call: async (device: GPUDevice) => {
      const group = await quietly(device, () =>
        device.createBindGroup({
          layout: layoutOf(device, []),
          entries: [{ binding: 0, resource: bufferOf(device) }],
        }),
      );
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setBindGroup(0, group);
      pass.end();
      encoder.finish();
    },
    outcome: "GPUValidationError",
  },
  "no bind group": {
    call: (device: GPUDevice) => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setBindGroup(0, null);
      pass.end();
      encoder.finish();
    },
    outcome: "fine",
  },
} as const satisfies Record<string, Row>;

describe("bind groups that are set as WebGPU has them, and as Dawn has them", () => {
  test.each(Object.entries<Row>(sets))("%s", (_, row) => check(both, row));
});

interface Dispatch {
  readonly text?: keyof typeof texts;
  /** The ranges of one buffer of 1024 bytes, by binding. */
  readonly ranges?: readonly (readonly [offset: number, size: number])[];
  readonly types?: readonly GPUBufferBindingType[];
  readonly groups?: readonly [number, number?, number?];
  readonly group?: number;
  readonly isIndirect?: boolean;
}

/** A dispatch with a layout of these types, all of one buffer. */
const dispatch =
  ({
    text = "two",
    ranges = [],
    types = [],
    groups: counts = [1],
    group = 0,
    isIndirect = false,
  }: Dispatch) =>
  (device: GPUDevice): void => {
    const made = layoutOf(
      device,
      types.map((type) => ({ buffer: { type } })),
    );
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [made] }),
      compute: { module: device.createShaderModule({ code: texts[text].code }) },
    });
    const buffer = bufferOf(device);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      group,
      device.createBindGroup({
        layout: made,
        entries: ranges.map(([offset, size], binding) => ({ binding, resource: { buffer, offset, size } })),
      }),
    );
    if (isIndirect) {
      pass.dispatchWorkgroupsIndirect(buffer, 1000);
    } else {
      pass.dispatchWorkgroups(...counts);
    }
    pass.end();
    encoder.finish();
  };

const two = ["storage", "storage"] as const;
const sideBySide = [
  [0, 256],
  [256, 256],
] as const;

const dispatches = {
  "ranges side by side, both written": {
    call: dispatch({ types: two, ranges: sideBySide }),
    outcome: "fine",
  },
  "ranges that overlap, both written": {
    call: dispatch({
      types: two,
      ranges: [
        [0, 260],
        [256, 256],
      ],
    }),
    outcome: "GPUValidationError",
  },
  "one range twice, both written": {
    call: dispatch({
      types: two,
      ranges: [
        [0, 256],
        [0, 256],
      ],
    }),
    outcome: "GPUValidationError",
  },
  "one buffer written and read, even side by side": {
    call: dispatch({ text: "copy", types: ["read-only-storage", "storage"], ranges: sideBySide }),
    outcome: "GPUValidationError",
  },
  "one range read twice": {
    call: dispatch({
      text: "empty",
      types: ["read-only-storage", "read-only-storage"],
      ranges: [
        [0, 256],
        [0, 256],
      ],
    }),
    outcome: "fine",
  },
  "one range read as uniform and as storage": {
    call: dispatch({
      text: "empty",
      types: ["read-only-storage", "uniform"],
      ranges: [
        [0, 256],
        [0, 256],
      ],
    }),
    outcome: "fine",
  },
  "a buffer that is written, and has the number of work-groups": {
    call: dispatch({ types: two, ranges: sideBySide, isIndirect: true }),
    outcome: "GPUValidationError",
  },
  "a buffer that is read, and has the number of work-groups": {
    call: dispatch({ text: "empty", types: ["read-only-storage"], ranges: [[0, 256]], isIndirect: true }),
    outcome: "fine",
  },
  "a buffer that is written, and read by a bind group that the pipeline does not take": {
    call: (device: GPUDevice) => {
      const buffer = bufferOf(device);
      const pipeline = device.createComputePipeline({
        layout: "auto",
        compute: { module: device.createShaderModule({ code: texts.count.code }) },
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      for (const [index, given] of [pipeline.getBindGroupLayout(0), layoutOf(device, [readOnly])].entries()) {
        pass.setBindGroup(
          index,
          device.createBindGroup({ layout: given, entries: [{ binding: 0, resource: { buffer } }] }),
        );
      }
      pass.dispatchWorkgroups(1);
      pass.end();
      encoder.finish();
    },
    outcome: "fine",
  },
  "a range shorter than the shader takes": {
    call: dispatch({ text: "uniform", types: ["uniform"], ranges: [[0, 12]] }),
    outcome: "GPUValidationError",
  },
  "a range as long as the shader takes": {
    call: dispatch({ text: "uniform", types: ["uniform"], ranges: [[0, 16]] }),
    outcome: "fine",
  },
  "no bind group where the pipeline takes one": {
    call: dispatch({ types: two, ranges: sideBySide, group: 1 }),
    outcome: "GPUValidationError",
  },
  "as many work-groups as there may be": {
    call: dispatch({ types: two, ranges: sideBySide, groups: [65535, 65535, 65535] }),
    outcome: "fine",
  },
  "no work-groups": {
    call: dispatch({ types: two, ranges: sideBySide, groups: [0] }),
    outcome: "fine",
    // It is fine there, too, with a warning on the console.
    dawn: undefined,
  },
  "too many work-groups": {
    call: dispatch({ types: two, ranges: sideBySide, groups: [1, 65536] }),
    outcome: "GPUValidationError",
  },
  "a number of work-groups that is no number": {
    call: dispatch({ types: two, ranges: sideBySide, groups: [-1] }),
    outcome: "TypeError",
  },
} as const satisfies Record<string, Row>;

describe("dispatches as WebGPU has them, and as Dawn has them", () => {
  test.each(Object.entries<Row>(dispatches))("%s", (_, row) => check(both, row));
});

test("a bind group of another pipeline's automatic layout does not fit, and one of an equal layout does", async () => {
  const device = await deviceOf();
  const module = device.createShaderModule({ code: texts.count.code });
  const pipelines = [0, 1].map(() =>
    device.createComputePipeline({ layout: "auto", compute: { module } }),
  ) as [GPUComputePipeline, GPUComputePipeline];
  const explicit = (): GPUBindGroupLayout => layoutOf(device, [storage]);
  const dispatchWith = (pipeline: GPUComputePipeline, given: GPUBindGroupLayout) =>
    outcomeOf(device, () => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({ layout: given, entries: [{ binding: 0, resource: bufferOf(device) }] }),
      );
      pass.dispatchWorkgroups(1);
      pass.end();
      encoder.finish();
    });
  expect(await dispatchWith(pipelines[0], pipelines[0].getBindGroupLayout(0))).toBe("fine");
  expect(await dispatchWith(pipelines[0], pipelines[1].getBindGroupLayout(0))).toBe("GPUValidationError");
  expect(await dispatchWith(pipelines[0], explicit())).toBe("GPUValidationError");
  const withLayout = device.createComputePipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: [explicit()] }),
    compute: { module },
  });
  expect(await dispatchWith(withLayout, explicit())).toBe("fine");
  expect(
    await dispatchWith(withLayout, layoutOf(device, [{ ...storage, visibility: COMPUTE | FRAGMENT }])),
  ).toBe("GPUValidationError");
});

test("a bind group takes no buffer of another device", async () => {
  const [device, other] = [await deviceOf(), await deviceOf()];
  const outcome = await outcomeOf(device, () =>
    device.createBindGroup({
      layout: layoutOf(device, [storage]),
      entries: [{ binding: 0, resource: { buffer: bufferOf(other, 16, STORAGE | COPY_SRC) } }],
    }),
  );
  expect(outcome).toBe("GPUValidationError");
});
