import { expect, test } from "vitest";
import { i32, u32 } from "../../src/algebra/integers.ts";
import { add, max } from "../../src/algebra/operators.ts";
import type { BindingKind } from "../../src/kernels/kernel.ts";
import type { Limits } from "../../src/plan/device_facts.ts";
import { algorithmNames } from "../support/fold.ts";
import type { TitledKernel } from "../support/kernels.ts";
import { allTypes, eachSetOnce, factsWith, kernelsOf, mappedKernelsOf } from "../support/kernels.ts";
import { mapRows } from "../support/maps.ts";
import { failures, useNullDevice } from "../support/null_device.ts";
import { planScan } from "../support/plans.ts";

const device = useNullDevice();

const shapes = [
  { workGroupSize: 1, itemsPerThread: 2 },
  { workGroupSize: 96, itemsPerThread: 3 },
  { workGroupSize: 100, itemsPerThread: 1 },
  { workGroupSize: 1024, itemsPerThread: 4 },
];

const bufferLayouts = {
  uniform: { type: "uniform" },
  digit: { type: "uniform", hasDynamicOffset: true },
  read: { type: "read-only-storage" },
  read_write: { type: "storage" },
} as const satisfies Record<BindingKind, GPUBufferBindingLayout>;

async function pipelineFailure({ title, kernel }: TitledKernel): Promise<string[]> {
  if (kernel === undefined) {
    return [];
  }
  const layout = device().createBindGroupLayout({
    entries: [...kernel.bindings].map(([binding, kind]) => ({
      binding,
      visibility: 4,
      buffer: bufferLayouts[kind],
    })),
  });
  try {
    await device().createComputePipelineAsync({
      layout: device().createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: device().createShaderModule({ code: kernel.code }), entryPoint: kernel.entryPoint },
    });
    return [];
  } catch (cause) {
    return [`${title}: ${String(cause)}`];
  }
}

/** The limits of a work-group, of all that a device has. */
const sizesOf = (limits: GPUSupportedLimits): Partial<Limits> => ({
  maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
  maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
  maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
});

// Of the kernels that a process has compiled, and of those that it has made pipelines of.
const notCompiled = eachSetOnce();
const withoutPipelines = eachSetOnce();

const ofTypes = allTypes.flatMap((type) => algorithmNames.map((algorithm) => ({ type, algorithm })));
const ofShapes = ofTypes.flatMap((one) => shapes.map((shape) => ({ ...one, shape })));

test.each(ofShapes)(
  "$type.name, $algorithm: every kernel compiles: $shape.workGroupSize × $shape.itemsPerThread",
  async ({ type, algorithm, shape }) => {
    const kernels = await kernelsOf(type, algorithm, shape);
    expect(kernels.length).toBeGreaterThan(20);
    expect(await failures(device(), notCompiled(kernels))).toEqual([]);
  },
);

test.each(ofTypes)(
  "$type.name, $algorithm, 32 × 4: every pipeline fits the bindings that its kernel names, and nothing unused is enabled",
  async ({ type, algorithm }) => {
    // Some kernels of exactAdd have as many threads as the device lets them.
    const shape = { workGroupSize: 32, itemsPerThread: 4 };
    const kernels = await kernelsOf(type, algorithm, shape, sizesOf(device().limits));
    expect((await Promise.all(withoutPipelines(kernels).map(pipelineFailure))).flat()).toEqual([]);
    for (const { title, code } of kernels) {
      const text = code.replace(/^enable .*|\/\/.*/gm, "");
      expect(/\benable f16;/.test(code), title).toBe(/\bf16\b/.test(text));
      expect(/\benable subgroups;/.test(code), title).toBe(/\bsubgroup[A-Z]\w*\(/.test(text));
    }
  },
);

const mapped = algorithmNames.flatMap((algorithm) =>
  [
    { workGroupSize: 1, itemsPerThread: 2 },
    { workGroupSize: 96, itemsPerThread: 3 },
    { workGroupSize: 32, itemsPerThread: 8 },
  ].flatMap((shape) => mapRows.map((row) => ({ algorithm, shape, row }))),
);
test.each(mapped)(
  "map $row.title, $algorithm: every pipeline compiles: $shape.workGroupSize × $shape.itemsPerThread",
  async ({ algorithm, shape, row }) => {
    const kernels = await mappedKernelsOf(row, algorithm, shape);
    expect(kernels.length).toBeGreaterThan(8);
    expect((await Promise.all(withoutPipelines(kernels).map(pipelineFailure))).flat()).toEqual([]);
    for (const { title, code } of kernels) {
      const text = code.replace(/^enable .*|\/\/.*/gm, "");
      expect(/\benable f16;/.test(code), title).toBe(/\bf16\b/.test(text));
      // A kernel that loads items maps them, and one of elements does not.
      expect(/\bmap_value\b/.test(code), title).toBe(
        /^wavefold (scan_\w+ of|reduce|compact) items/.test(title),
      );
    }
  },
);

/** A function for a kernel of the caller's. */
const callable = /^(work_group|coalesced|thread_tile)_/;

const typesByName = allTypes.map((type) => [type.name, type] as const);

test.each(typesByName)("%s: what a caller does not use is not in the WGSL", async (_, type) => {
  const shape = { workGroupSize: 32, itemsPerThread: 4 };
  for (const { title, code } of await kernelsOf(type, "blelloch", shape)) {
    const functions = [...code.matchAll(/^fn (\w+)/gm)].map(([, name = ""]) => name);
    for (const name of functions) {
      // A function is there to be called, and an entry point to be dispatched.
      const uses = code.match(new RegExp(`\\b${name}\\b`, "g"))?.length ?? 0;
      const isEntry = new RegExp(`@compute[^{]*fn ${name}\\b`).test(code) || callable.test(name);
      expect(isEntry || uses > 1, `${title}: ${name}`).toBe(true);
    }
    const text = functions.join(" ");
    expect(/_f64\b|_f64_/.test(text) && type.name !== "f64", title).toBe(false);
    expect(/mul_u64/.test(text) && !/mul/.test(title), title).toBe(false);
    expect(type.bytes < 8 && /_u64/.test(text), title).toBe(false);
  }
});

test.each(typesByName)("%s: same input, same text", async (_, type) => {
  const shape = { workGroupSize: 32, itemsPerThread: 4 };
  const texts = async () =>
    (await kernelsOf(type, "subgroup", shape)).map(({ title, code }) => [title, code]);
  expect(await texts()).toEqual(await texts());
});

test("a set of linked files is met again in another size, and not with another type, operator, map or arrangement", async () => {
  const options = {
    type: u32,
    op: add,
    maxLength: 1e5,
    workGroupSize: 32,
    itemsPerThread: 4,
    map: "x + 1u",
  } as const;
  const kernelsOfScan = async (changes: object): Promise<TitledKernel[]> =>
    (await planScan({ ...options, ...changes }, factsWith(), ["vectors"])).kernels.map((kernel) => ({
      title: kernel.label,
      code: kernel.code,
      kernel,
    }));
  const once = eachSetOnce();
  const kernels = await kernelsOfScan({});
  expect(once(kernels)).toEqual(kernels);
  expect(once(await kernelsOfScan({ workGroupSize: 64, itemsPerThread: 8 }))).toEqual([]);
  for (const changes of [
    { type: i32, from: u32, map: "i32(x)" },
    { op: max },
    { map: "x + 2u" },
    { exclusive: true },
  ]) {
    expect(once(await kernelsOfScan(changes)), JSON.stringify(changes)).not.toEqual([]);
  }
  const code = "const SIZE = 8u;\nvar<private> a: array<u32, SIZE>;";
  const texts = [code, code.replace("8u", "9u"), code.replace("<u32", "<i32")];
  expect(once(texts.map((one) => ({ title: one, code: one })))).toHaveLength(2);
});
