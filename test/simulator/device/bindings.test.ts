import { describe, expect, test } from "vitest";
import { GPUBufferUsage, GPUShaderStage } from "../../../src/gpu/device/usage_flags.ts";
import type { Calls, Row } from "./devices.ts";
import { bufferOf, deviceOf, invalidBuffer, outcomeOf, quietly, testCalls, useBoth } from "./devices.ts";
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

const layouts: Calls = {
  fine: {
    "a layout without entries": layout(),
    "a layout of all types": layout({}, storage, readOnly),
    "the last binding": layout({ binding: 999 }),
    "no stage": layout({ visibility: 0 }),
    "read-only storage for vertices": layout({ ...readOnly, visibility: VERTEX }),
    "as many storage buffers as there may be": layout(...many(8, storage)),
    "a pipeline layout with gaps": (device) =>
      device.createPipelineLayout({ bindGroupLayouts: [null, layoutOf(device, [{}])] }),
  },
  GPUValidationError: {
    "a binding twice": layout({ binding: 3 }, { binding: 3 }),
    "a binding past the last": layout({ binding: 1000 }),
    "an unknown stage": layout({ visibility: 8 }),
    "storage for vertices": layout({ ...storage, visibility: VERTEX }),
    "no kind of resource": layout({ buffer: undefined as never }),
    "too many storage buffers": layout(...many(9, readOnly)),
    "too many uniform buffers": layout(...many(13, {})),
    "too many dynamic uniform buffers": layout(...many(9, { buffer: { hasDynamicOffset: true } })),
    "too many dynamic storage buffers": layout(
      ...many(5, { buffer: { type: "storage", hasDynamicOffset: true } }),
    ),
    "too many bind groups": (device) =>
      device.createPipelineLayout({
        bindGroupLayouts: Array.from({ length: 5 }, () => layoutOf(device, [])),
      }),
    "too many storage buffers in all groups": (device) =>
      device.createPipelineLayout({
        bindGroupLayouts: [layoutOf(device, many(5, storage)), layoutOf(device, many(4, storage))],
      }),
    "a pipeline layout of an invalid layout": async (device) => {
      const invalid = await quietly(device, () => layoutOf(device, [{ visibility: 8 }]));
      device.createPipelineLayout({ bindGroupLayouts: [invalid] });
    },
    "a pipeline layout of an automatic layout": (device) => {
      const pipeline = device.createComputePipeline({
        layout: "auto",
        compute: { module: device.createShaderModule({ code: texts.count.code }) },
      });
      device.createPipelineLayout({ bindGroupLayouts: [pipeline.getBindGroupLayout(0)] });
    },
  },
  TypeError: {
    "a binding that is no number": layout({ binding: "a" as never }),
    "an unknown type": layout({ buffer: { type: "texel" as never } }),
    "entries that are no list": (device) => device.createBindGroupLayout({ entries: 5 as never }),
    "a pipeline layout of something else": (device) =>
      device.createPipelineLayout({ bindGroupLayouts: [{} as never] }),
  },
};

const layoutsInDawn: Readonly<Record<string, Row>> = {
  "immediate data": {
    call: (device) => device.createPipelineLayout({ bindGroupLayouts: [], immediateSize: 4 }),
    outcome: "GPUValidationError",
    // The simulator has none.
    dawn: "fine",
  },
};

describe("layouts as WebGPU has them, and as Dawn has them", () => {
  testCalls(both, layouts, layoutsInDawn);
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

const groups: Calls = {
  fine: {
    "a whole buffer": bind({}),
    "a buffer, not in a binding": (device) =>
      device.createBindGroup({
        layout: layoutOf(device, [storage]),
        entries: [{ binding: 0, resource: bufferOf(device) }],
      }),
    "all entries, in any order": entries(1, 0),
    "an offset": bind({ binding: { offset: 256 } }),
    "a uniform of bytes that are no whole words": bind({ entry: {}, binding: { size: 6 } }),
    "as many bytes as minBindingSize": bind({
      entry: { buffer: { type: "storage", minBindingSize: 64 } },
      binding: { size: 64 },
    }),
    "a buffer that is destroyed": (device) => {
      const buffer = bufferOf(device);
      buffer.destroy();
      device.createBindGroup({
        layout: layoutOf(device, [storage]),
        entries: [{ binding: 0, resource: { buffer } }],
      });
    },
  },
  GPUValidationError: {
    "too few entries": entries(0),
    "too many entries": entries(0, 1, 2),
    "an entry twice": entries(0, 0),
    "an entry that the layout does not have": entries(0, 2),
    "storage without STORAGE": bind({ usage: UNIFORM }),
    "a uniform without UNIFORM": bind({ entry: {}, usage: STORAGE }),
    "storage at an offset that is not aligned": bind({ binding: { offset: 128 } }),
    "a uniform at an offset that is not aligned": bind({ entry: {}, binding: { offset: 128 } }),
    "the end as offset": bind({ binding: { offset: 1024 } }),
    "an offset past the end": bind({ binding: { offset: 1280 } }),
    "no bytes": bind({ binding: { size: 0 } }),
    "more bytes than there are": bind({ binding: { offset: 256, size: 772 } }),
    "storage of bytes that are no whole words": bind({ binding: { size: 6 } }),
    "fewer bytes than minBindingSize": bind({
      entry: { buffer: { type: "storage", minBindingSize: 64 } },
      binding: { size: 60 },
    }),
    "a uniform that is too long": bind({ entry: {}, size: 65552, usage: UNIFORM }),
    "storage that is too long": bind({ size: 2 ** 27 + 4 }),
    "an invalid buffer": async (device) => {
      const buffer = await invalidBuffer(device, STORAGE);
      device.createBindGroup({
        layout: layoutOf(device, [storage]),
        entries: [{ binding: 0, resource: { buffer } }],
      });
    },
    "an invalid layout": async (device) => {
      const invalid = await quietly(device, () => layoutOf(device, [{ ...storage, visibility: 8 }]));
      device.createBindGroup({ layout: invalid, entries: [{ binding: 0, resource: bufferOf(device) }] });
    },
  },
  TypeError: {
    "a layout that is none": (device) => device.createBindGroup({ layout: {} as never, entries: [] }),
    "what is no resource": (device) =>
      device.createBindGroup({
        layout: layoutOf(device, [storage]),
        entries: [{ binding: 0, resource: {} as never }],
      }),
  },
};

describe("bind groups as WebGPU has them, and as Dawn has them", () => {
  testCalls(both, groups);
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

const sets: Calls = {
  fine: {
    "the last index": set({ index: 3 }),
    "a dynamic offset": set({ entries: [dynamic], args: [[256]] }),
    "a dynamic offset from an array": set({ entries: [dynamic], args: [Uint32Array.of(9, 512), 1, 1] }),
    "no bind group": (device) => {
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setBindGroup(0, null);
      pass.end();
      encoder.finish();
    },
  },
  GPUValidationError: {
    "an index past the last": set({ index: 4 }),
    "no dynamic offset": set({ entries: [dynamic] }),
    "too many dynamic offsets": set({ args: [[256]] }),
    "a dynamic offset that is not aligned": set({ entries: [dynamic], args: [[128]] }),
    "a dynamic offset past the end": set({ entries: [dynamic], args: [[768]] }),
    "an invalid bind group": async (device) => {
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
  },
  RangeError: {
    "dynamic offsets past an array's end": set({ entries: [dynamic], args: [Uint32Array.of(9, 512), 2, 1] }),
  },
  TypeError: {
    "a part of an array of another type": set({ entries: [dynamic], args: [Float64Array.of(9, 512), 1, 1] }),
  },
};

describe("bind groups that are set as WebGPU has them, and as Dawn has them", () => {
  testCalls(both, sets);
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

const dispatches: Calls = {
  fine: {
    "ranges side by side, both written": dispatch({ types: two, ranges: sideBySide }),
    "one range read twice": dispatch({
      text: "empty",
      types: ["read-only-storage", "read-only-storage"],
      ranges: [
        [0, 256],
        [0, 256],
      ],
    }),
    "one range read as uniform and as storage": dispatch({
      text: "empty",
      types: ["read-only-storage", "uniform"],
      ranges: [
        [0, 256],
        [0, 256],
      ],
    }),
    "a buffer that is read, and has the number of work-groups": dispatch({
      text: "empty",
      types: ["read-only-storage"],
      ranges: [[0, 256]],
      isIndirect: true,
    }),
    "a buffer that is written, and read by a bind group that the pipeline does not take": (
      device: GPUDevice,
    ) => {
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
    "a range as long as the shader takes": dispatch({
      text: "uniform",
      types: ["uniform"],
      ranges: [[0, 16]],
    }),
    "as many work-groups as there may be": dispatch({
      types: two,
      ranges: sideBySide,
      groups: [65535, 65535, 65535],
    }),
  },
  GPUValidationError: {
    "ranges that overlap, both written": dispatch({
      types: two,
      ranges: [
        [0, 260],
        [256, 256],
      ],
    }),
    "one range twice, both written": dispatch({
      types: two,
      ranges: [
        [0, 256],
        [0, 256],
      ],
    }),
    "one buffer written and read, even side by side": dispatch({
      text: "copy",
      types: ["read-only-storage", "storage"],
      ranges: sideBySide,
    }),
    "a buffer that is written, and has the number of work-groups": dispatch({
      types: two,
      ranges: sideBySide,
      isIndirect: true,
    }),
    "a range shorter than the shader takes": dispatch({
      text: "uniform",
      types: ["uniform"],
      ranges: [[0, 12]],
    }),
    "no bind group where the pipeline takes one": dispatch({ types: two, ranges: sideBySide, group: 1 }),
    "too many work-groups": dispatch({ types: two, ranges: sideBySide, groups: [1, 65536] }),
  },
  TypeError: {
    "a number of work-groups that is no number": dispatch({ types: two, ranges: sideBySide, groups: [-1] }),
  },
};

const dispatchesInDawn: Readonly<Record<string, Row>> = {
  "no work-groups": {
    call: dispatch({ types: two, ranges: sideBySide, groups: [0] }),
    outcome: "fine",
    // It is fine there, too, with a warning on the console.
    dawn: undefined,
  },
};

describe("dispatches as WebGPU has them, and as Dawn has them", () => {
  testCalls(both, dispatches, dispatchesInDawn);
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
