import { expect, test } from "vitest";
import type { SimulatorOptions } from "../../src/simulator/index.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";

// The device and the compiler together. What each does is tested on its own.

const STORAGE = 0x84;
const READABLE = 0x9;

/** Runs a kernel of one storage buffer, and gives the buffer's words and the findings. */
async function run(code: string, words: number, options: SimulatorOptions = {}) {
  const gpu = simulatedGpu(options);
  const adapter = await gpu.requestAdapter();
  const device = await adapter?.requestDevice({ requiredFeatures: ["subgroups"] });
  if (device === undefined) {
    throw new Error("the simulator has an adapter");
  }
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code, label: "my kernel" });
  const pipeline = device.createComputePipeline({ layout: "auto", compute: { module } });
  const buffer = device.createBuffer({ size: 4 * words, usage: STORAGE });
  const copy = device.createBuffer({ size: 4 * words, usage: READABLE });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [{ binding: 0, resource: { buffer } }],
    }),
  );
  pass.dispatchWorkgroups(2);
  pass.end();
  encoder.copyBufferToBuffer(buffer, copy);
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  const { messages } = await module.getCompilationInfo();
  if (error !== null) {
    return { error: error.message, messages, findings: gpu.findings, result: [] };
  }
  await copy.mapAsync(1);
  return { messages, findings: gpu.findings, result: [...new Uint32Array(copy.getMappedRange())] };
}

const kernel = (body: string): string => `enable subgroups;
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(subgroup_size) lanes: u32) {
  ${body}
}
`;

test("a kernel runs with the subgroups that the options say", async () => {
  const { result, findings } = await run(kernel("data[id.x] = id.x * 100u + lanes;"), 16, {
    subgroupSize: 4,
  });
  expect(result).toEqual(Array.from({ length: 16 }, (_, at) => at * 100 + 4));
  expect(findings).toEqual([]);
});

test("a race is found, with the module, the line and the entry point", async () => {
  const { findings } = await run(kernel("data[0] = id.x;"), 16);
  expect(findings[0]).toMatchObject({ kind: "race", file: "my kernel", line: 5, entryPoint: "main" });
});

test("what a text enables and requires must be there, and is told where it stands", async () => {
  const text = (directives: string): string => `// enable f16; requires other;
/* enable f16; */ ${directives}
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn main() { data[0] = 1u; }
`;
  const messagesOf = async (directives: string) =>
    (await run(text(directives), 16)).messages.map(({ lineNum, linePos, message }) => [
      lineNum,
      linePos,
      message.split(" takes ")[0],
    ]);
  expect(await messagesOf("enable subgroups; requires subgroup_id;")).toEqual([]);
  expect(await messagesOf("enable subgroups, f16;")).toEqual([[2, 19, "enable f16"]]);
  expect(await messagesOf("requires subgroup_id, other;")).toEqual([[2, 19, "requires other"]]);
});

test("a text with a fault makes an error with its line, and everything made of it invalid", async () => {
  const { error, messages } = await run(kernel("data[0] = ;"), 16);
  expect(error).toMatch(/^createShaderModule: the text is wrong: :5:13 error: /);
  expect(messages[0]).toMatchObject({ type: "error", lineNum: 5, linePos: 13 });
});
