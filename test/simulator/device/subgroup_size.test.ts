import { describe, expect, test } from "vitest";
import { create } from "webgpu";
import type { SimulatorOptions } from "../../../src/simulator/index.ts";
import { checkKernel, simulatedGpu } from "../../../src/simulator/index.ts";

const FEATURE = "subgroup-size-control" as GPUFeatureName;
const ENABLED = "enable subgroups, subgroup_size_control;";
const options: SimulatorOptions = {
  subgroupMinSize: 8,
  subgroupSize: 16,
  subgroupMaxSize: 32,
  features: ["subgroups", FEATURE],
};

const kernel = (attribute: string, threads = "64", enables = ENABLED): string => `${enables}
const LANES = 8;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(${threads}) ${attribute}
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32) {
  data[i] = size * 1000u + subgroupAdd(1u);
}`;

/** What a device says of a kernel: the errors of its module and of its pipeline. */
async function problemOf(device: GPUDevice, code: string): Promise<string> {
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code });
  const [error] = (await module.getCompilationInfo()).messages;
  device.createComputePipeline({ layout: "auto", compute: { module } });
  return error?.message ?? (await device.popErrorScope())?.message.split("\n")[0] ?? "";
}

async function deviceOf(gpu: GPU): Promise<GPUDevice> {
  const adapter = (await gpu.requestAdapter()) as GPUAdapter;
  return adapter.requestDevice({ requiredFeatures: ["subgroups", FEATURE] });
}

/** What the kernel leaves in its buffer. */
async function run(device: GPUDevice, code: string): Promise<ReadonlySet<number>> {
  const module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
  const buffer = device.createBuffer({ size: 256, usage: 0x84 });
  const read = device.createBuffer({ size: 256, usage: 0x9 });
  const layout = pipeline.getBindGroupLayout(0);
  const group = device.createBindGroup({ layout, entries: [{ binding: 0, resource: { buffer } }] });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, read, 0, 256);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(1);
  return new Set(new Uint32Array(read.getMappedRange()));
}

describe("a kernel with @subgroup_size", () => {
  test.each([
    ["@subgroup_size(8)", 8008],
    ["@subgroup_size(32)", 32_032],
    ["@subgroup_size(LANES * 2)", 16_016],
    ["", 16_016],
  ])("%s runs with subgroups of that size, in any order of lanes", async (attribute, word) => {
    for (const lanes of ["natural", "permuted"] as const) {
      const gpu = simulatedGpu({ ...options, lanes });
      const device = await deviceOf(gpu);
      // The next one runs with the machine's own size again.
      expect(await run(device, kernel(attribute))).toEqual(new Set([word]));
      expect(await run(device, kernel(""))).toEqual(new Set([16_016]));
      expect(gpu.findings).toEqual([]);
    }
  });

  test("is not compared with another size", async () => {
    const gpu = simulatedGpu({ ...options, otherSubgroupSize: 32 });
    const device = await deviceOf(gpu);
    await run(device, kernel("@subgroup_size(8)"));
    expect(gpu.findings).toEqual([]);
    await run(device, kernel(""));
    expect(gpu.findings).toMatchObject([{ kind: "subgroup-size" }]);
  });

  test("is refused by a device that was opened without the feature", async () => {
    const adapter = (await simulatedGpu(options).requestAdapter()) as GPUAdapter;
    const device = await adapter.requestDevice({ requiredFeatures: ["subgroups"] });
    expect(await problemOf(device, kernel("@subgroup_size(8)"))).toContain(
      'enable subgroup_size_control takes the feature "subgroup-size-control" of the device',
    );
  });

  test("is checked with that size alone", () => {
    const report = checkKernel(kernel("@subgroup_size(8)"), { dispatch: 1 });
    expect(report.findings).toEqual([]);
    expect(checkKernel(kernel(""), { dispatch: 1 }).findings).toMatchObject([{ kind: "subgroup-size" }]);
  });
});

test("adapters have the feature only where it is named", async () => {
  const adapter = (await simulatedGpu({ subgroupMinSize: 8 }).requestAdapter()) as GPUAdapter;
  expect(adapter.features.has(FEATURE)).toBe(false);
});

test.each([
  [4, "The subgroup_size attribute (4) is not in the allowed range ([8, 32])."],
  [64, "The subgroup_size attribute (64) is not in the allowed range ([8, 32])."],
])("a size of %i that the adapter lacks is refused, in Dawn's words", async (size, problem) => {
  const device = await deviceOf(simulatedGpu(options));
  expect(await problemOf(device, kernel(`@subgroup_size(${size})`))).toContain(problem);
});

describe("what Dawn refuses, the simulator refuses", () => {
  test.each([
    ["threads that do not fill subgroups", kernel("@subgroup_size(32)", "48")],
    ["the same in several dimensions", kernel("@subgroup_size(32)", "16, 4")],
    ["no power of two", kernel("@subgroup_size(12)", "48")],
    ["zero", kernel("@subgroup_size(0)")],
    ["no directive", kernel("@subgroup_size(32)", "64", "enable subgroups;")],
  ])("%s", async (_, code) => {
    const dawn = await deviceOf(create(["backend=null"]));
    const own = await deviceOf(
      simulatedGpu({ subgroupMinSize: 4, subgroupMaxSize: 128, features: ["subgroups", FEATURE] }),
    );
    const told = await problemOf(dawn, code);
    expect(told).not.toBe("");
    const [, said = told] = /(The (?:subgroup_size attribute|x-dimension).*)/.exec(told) ?? [];
    const expected = /power of 2|at least 1/.test(told) ? "@subgroup_size takes a power of two" : said;
    expect(await problemOf(own, code)).toContain(expected);
  });

  test.each([
    ["a size of the adapter", kernel("@subgroup_size(32)")],
    ["a constant", kernel("@subgroup_size(LANES)")],
    [
      "an override",
      kernel("@subgroup_size(SIZE)").replace("const LANES", "override SIZE = 8u;\nconst LANES"),
    ],
    [
      "its directive alone",
      kernel("@subgroup_size(8)", "64", "enable subgroup_size_control;\nenable subgroups;"),
    ],
  ])("and takes %s", async (_, code) => {
    const gpus = [
      create(["backend=null"]),
      simulatedGpu({ subgroupMinSize: 4, features: ["subgroups", FEATURE] }),
    ];
    for (const gpu of gpus) {
      expect(await problemOf(await deviceOf(gpu), code)).toBe("");
    }
  });
});
