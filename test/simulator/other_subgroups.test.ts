import { describe, expect, test } from "vitest";
import { openFold } from "../../src/node.ts";
import type { SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { readWords, submit } from "../support/buffers.ts";
import { adapterOf } from "./device/devices.ts";
import { type Run, runProgram } from "./run_program.ts";

const sizes = { subgroupSize: 32, otherSubgroupSize: 16 } satisfies SimulatorOptions;

const kernelOf = (statements: string, declarations = ""): string => `enable subgroups;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, 4>;
var<workgroup> sum: atomic<u32>;
${declarations}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(global_invocation_id) id: vec3<u32>) {
  if (t > 1000u) { data[0] = atomicLoad(&counts[0]) + atomicLoad(&sum); }
  ${statements}
}
`;
const bothWays = (statements: string, declarations = "", options: SimulatorOptions = sizes): Run =>
  runProgram(kernelOf(statements, declarations), [128, 4], [2, 1, 1], options);

describe("a dispatch is compared with itself with subgroups of another size", () => {
  test("what depends on the size is a finding, with the word, both values and the line", () => {
    const { findings, words } = bothWays("data[id.x] = subgroupAdd(t & 1u);");
    expect(words[0]).toEqual(new Int32Array(128).fill(16));
    expect(findings).toEqual([
      {
        kind: "subgroup-size",
        file: "test",
        entryPoint: "main",
        line: 9,
        column: 3,
        threads: [{ workGroup: [0, 0, 0], thread: 0 }],
        message:
          "word 0 of data is 0x00000010 with subgroups of 32 lanes, and 0x00000008 with 16; thread 0 of work-group (0, 0, 0) wrote it at line 9 (in main); 128 of its 128 words differ",
      },
    ]);
  });

  test("what does not depend on it is none, and is carried out twice", () => {
    const { findings, words, times } = bothWays(
      "let part = subgroupAdd(t); if (subgroupElect()) { atomicAdd(&sum, part); } workgroupBarrier(); data[id.x] = atomicLoad(&sum);",
    );
    expect(words[0]).toEqual(new Int32Array(128).fill(2016));
    expect([findings, times]).toEqual([[], 2]);
  });

  test("a dispatch of which a few words of several bindings differ is one finding", () => {
    const [finding, ...others] = bothWays(
      "if (subgroupElect()) { atomicAdd(&counts[2], 1u); data[id.x] = 7u; }",
    ).findings;
    expect(finding?.message).toMatch(
      /^word 16 of data is 0x00000000 .* 0x00000007 with 16; 4 of its 128 words differ; of counts, 1 of 4 differ$/,
    );
    expect([finding?.line, finding?.threads, others]).toEqual([0, [], []]);
  });

  test("words are compared, and not numbers", () => {
    expect(bothWays("data[id.x] = 0x7fc00001u + subgroupAdd(0u);").findings).toEqual([]);
    const statements = "data[id.x] = bitcast<u32>(select(0.0, -0.0, subgroupAdd(1u) == 16u));";
    expect(bothWays(statements).findings).toHaveLength(1);
  });

  test.each([
    ["a function", "data[id.x] = lanes();", "fn lanes() -> u32 { return subgroupAdd(1u); }"],
    ["a function of four lanes", "data[id.x] = quadSwapX(subgroupShuffle(t, t & 31u));", ""],
  ])("a kernel uses subgroups by %s", (_, statements, declarations) => {
    expect(bothWays(statements, declarations).findings).toMatchObject([{ kind: "subgroup-size" }]);
  });

  test.each([
    ["a parameter", "", "@builtin(subgroup_size) lanes: u32", "lanes"],
    ["a member", "struct Given { @builtin(subgroup_size) lanes: u32 }", "given: Given", "given.lanes"],
    ["the number of subgroups", "", "@builtin(num_subgroups) count: u32", "count"],
  ])("a kernel uses subgroups by %s", (_, declarations, parameter, value) => {
    const code = `enable subgroups; requires subgroup_id;
${declarations}
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) t: u32, ${parameter}) { data[t] = ${value}; }`;
    expect(runProgram(code, [64], [1, 1, 1], sizes).findings).toMatchObject([{ kind: "subgroup-size" }]);
  });

  test("a kernel without subgroups is carried out once", () => {
    const { times, findings } = bothWays(
      "data[id.x] = subgroups(t);",
      "fn subgroups(t: u32) -> u32 { return t; }",
    );
    expect([times, findings]).toEqual([1, []]);
  });

  test("faults of both runs are told once, and those of the other run as well", () => {
    const race = bothWays("data[subgroupAdd(0u)] = 1u;");
    expect(race.findings.map(({ kind }) => kind)).toEqual(["race"]);
    const other = bothWays("data[select(t, 0u, subgroupAdd(1u) == 16u)] = 0u;");
    expect(other.findings.map(({ kind }) => kind)).toEqual(["race"]);
  });

  test("a dispatch that waits for ever is not compared", () => {
    const { findings } = bothWays(
      "data[id.x] = t; if (subgroupAdd(1u) == 16u) { while (atomicLoad(&counts[3]) == 0u) {} } data[id.x] = 5u;",
      "",
      { ...sizes, patience: 100 },
    );
    expect(findings.map(({ kind }) => kind)).toEqual(["stuck"]);
  });

  test("the usual run makes the same choices at random as without the option", () => {
    const statements = "data[atomicAdd(&counts[0], 1u)] = subgroupShuffle(id.x, 99u) + id.x;";
    const options = {
      subgroupSize: 32,
      lanes: "permuted",
      schedule: "random",
      atomics: "random",
      seed: 9,
    } as const;
    const alone = bothWays(statements, "", options);
    const both = bothWays(statements, "", { ...options, otherSubgroupSize: 8 });
    expect([alone.times, both.times]).toEqual([1, 2]);
    expect(both.words).toEqual(alone.words);
  });
});

test("ranges of one buffer, an indirect dispatch, and marks of what was written", async () => {
  const gpu = simulatedGpu({ ...sizes, uninitialized: true });
  const device = await (await adapterOf(gpu)).requestDevice({ requiredFeatures: ["subgroups"] });
  const code = `enable subgroups;
@group(0) @binding(0) var<storage, read_write> low: array<u32, 64>;
@group(0) @binding(1) var<storage, read_write> high: array<u32, 64>;
@group(0) @binding(2) var<storage, read> given: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) t: u32, @builtin(subgroup_size) lanes: u32) {
  low[t] = given[t] + low[t];
  high[t] = low[t] + u32(t == 5u && lanes == 16u);
}`;
  const module = device.createShaderModule({ code, label: "ranges.wgsl" });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const buffer = device.createBuffer({ size: 1024, usage: 0x8c });
  const given = device.createBuffer({ size: 256, usage: 0x88 });
  const indirect = device.createBuffer({ size: 12, usage: 0x108 });
  device.queue.writeBuffer(buffer, 0, new Uint32Array(256).fill(3));
  device.queue.writeBuffer(given, 0, new Uint32Array(64).fill(4));
  device.queue.writeBuffer(indirect, 0, Uint32Array.of(1, 1, 1));
  const entries = [
    { binding: 0, resource: { buffer, offset: 768, size: 256 } },
    { binding: 1, resource: { buffer, offset: 256, size: 256 } },
    { binding: 2, resource: { buffer: given } },
  ];
  const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  submit(device, (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroupsIndirect(indirect, 0);
    pass.dispatchWorkgroups(1);
    pass.end();
  });
  const words = await readWords(device, buffer);
  expect([words[191], words[192], words[69]]).toEqual([3, 11, 11]);
  // Each dispatch tells its faults.
  expect(gpu.findings.map(({ kind, message }) => `${kind}: ${message}`)).toEqual(
    [7, 11].map(
      (value) =>
        `subgroup-size: word 5 of high is 0x0000000${value.toString(16)} with subgroups of 32 lanes, and 0x0000000${(value + 1).toString(16)} with 16; thread 5 of work-group (0, 0, 0) wrote it at line 8 (in main); 1 of its 64 words differ`,
    ),
  );
  device.destroy();
});

describe("Wavefold's kernels", () => {
  const data = Uint32Array.from({ length: 3000 }, (_, at) => (at * 2654435761) >>> 7);
  const float = Float32Array.from(data);

  test.each([
    { subgroupSize: 32, otherSubgroupSize: 8, vendor: "nvidia" },
    { subgroupSize: 4, otherSubgroupSize: 128, lanes: "permuted" },
  ] satisfies SimulatorOptions[])("give integers that do not depend on the size: %o", async (options) => {
    const gpu = simulatedGpu({ ...options, schedule: "random", seed: 5 });
    const fold = await openFold({ adapter: await adapterOf(gpu) });
    await fold.scan(data, { algorithm: "subgroup" });
    await fold.compact(data, { where: "x % 3u == 0u", algorithm: "subgroup" });
    await fold.sort(data);
    expect(gpu.findings).toEqual([]);
    // A sum of floats is rounded in the order of the lanes. That shows that the dispatches are compared.
    await fold.scan(float, { algorithm: "subgroup" });
    expect(new Set(gpu.findings.map(({ kind }) => kind))).toEqual(new Set(["subgroup-size"]));
    fold.destroy();
  });
});
