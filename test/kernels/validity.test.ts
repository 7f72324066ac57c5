import { describe, expect, test } from "vitest";
import type { BindingKind } from "../../src/kernels/kernel.ts";
import { algorithmNames } from "../support/fold.ts";
import type { TitledKernel } from "../support/kernels.ts";
import { allTypes, kernelsOf, mappedKernelsOf } from "../support/kernels.ts";
import { mapRows } from "../support/maps.ts";
import { failures, useNullDevice } from "../support/null_device.ts";

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

describe.each(allTypes.map((type) => [type.name, type] as const))("%s", (_, type) => {
  describe.each(algorithmNames)("%s", (algorithm) => {
    test.each(shapes)("every kernel compiles: $workGroupSize × $itemsPerThread", async (shape) => {
      const kernels = await kernelsOf(type, algorithm, shape);
      expect(kernels.length).toBeGreaterThan(20);
      expect(await failures(device(), kernels)).toEqual([]);
    });

    test("32 × 4: every pipeline fits the bindings that its kernel names, and nothing unused is enabled", async () => {
      const kernels = await kernelsOf(type, algorithm, { workGroupSize: 32, itemsPerThread: 4 });
      expect((await Promise.all(kernels.map(pipelineFailure))).flat()).toEqual([]);
      for (const { title, code } of kernels) {
        const text = code.replace(/^enable .*|\/\/.*/gm, "");
        expect(/\benable f16;/.test(code), title).toBe(/\bf16\b/.test(text));
        expect(/\benable subgroups;/.test(code), title).toBe(/\bsubgroup[A-Z]\w*\(/.test(text));
      }
    });
  });
});

describe.each(algorithmNames)("maps, %s", (algorithm) => {
  test.each([
    { workGroupSize: 1, itemsPerThread: 2 },
    { workGroupSize: 96, itemsPerThread: 3 },
    { workGroupSize: 32, itemsPerThread: 8 },
  ])("every pipeline compiles: $workGroupSize × $itemsPerThread", async (shape) => {
    const made = await Promise.all(mapRows.map((row) => mappedKernelsOf(row, algorithm, shape)));
    const kernels = made.flat();
    expect(kernels.length).toBeGreaterThan(mapRows.length * 8);
    expect((await Promise.all(kernels.map(pipelineFailure))).flat()).toEqual([]);
    for (const { title, code } of kernels) {
      const text = code.replace(/^enable .*|\/\/.*/gm, "");
      expect(/\benable f16;/.test(code), title).toBe(/\bf16\b/.test(text));
      // A kernel that loads items maps them, and one of elements does not.
      expect(/\bmap_value\b/.test(code), title).toBe(/^wavefold (scan|reduce|compact) items/.test(title));
    }
  });
});

/** A function for a kernel of the caller's. */
const callable = /^(work_group|coalesced|thread_tile)_/;

test("what a caller does not use is not in the WGSL", async () => {
  const shape = { workGroupSize: 32, itemsPerThread: 4 };
  for (const type of allTypes) {
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
  }
});

test("same input, same text", async () => {
  const shape = { workGroupSize: 32, itemsPerThread: 4 };
  for (const type of allTypes) {
    const texts = async () =>
      (await kernelsOf(type, "subgroup", shape)).map(({ title, code }) => [title, code]);
    expect(await texts()).toEqual(await texts());
  }
});
