import { expect, test } from "vitest";
import { simulatedGpu } from "../../../src/simulator/index.ts";

const gpu = simulatedGpu();
const adapter = (await gpu.requestAdapter()) as GPUAdapter;
const device = await adapter.requestDevice({ requiredFeatures: ["shader-f16"] });

/** The messages for a text, which may be wrong. */
async function messagesOf(code: string): Promise<readonly GPUCompilationMessage[]> {
  device.pushErrorScope("validation");
  const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
  expect((await device.popErrorScope()) === null).toBe(messages.length === 0);
  return messages;
}

test.each([
  ["let x = 0.5h;", 8],
  ["let x: f16 = 1.0;", 7],
  ["let x = vec3h();", 8],
  ["var x: mat2x2h;", 7],
])("%s takes enable f16", async (use, at) => {
  const before = "@compute @workgroup_size(1) fn main() { ";
  const code = `// f16, 1h\n${before}${use} }`;
  const messages = await messagesOf(code);
  const place = { lineNum: 2, linePos: before.length + at + 1 };
  expect(messages).toMatchObject([{ message: "f16 is used without enable f16;", ...place }]);
  expect(await messagesOf(`enable f16;\n${code}`)).toEqual([]);
});
