import { spawnSync } from "node:child_process";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { expect, it, test } from "vitest";
import { globals } from "webgpu";
import * as node from "../src/node.ts";
import { adapter, swiftShaderMissing } from "./support/adapter.ts";

// Dawn's object may be collected after `destroy()`. While other threads still compile, that ends the process, or it never ends.
const source = `
import { openFold, u32 } from ${JSON.stringify(pathToFileURL("dist/node.js").href)};

const open = () => openFold({ adapter: ${JSON.stringify(adapter)} });
const after = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
async function leave(round) {
  const fold = await open();
  const plans = [16, 32, 64].flatMap((workGroupSize) =>
    [2, 4].map((itemsPerThread) =>
      fold.prepareScan({ type: u32, maxLength: 1000, workGroupSize, itemsPerThread }).catch(() => {}),
    ),
  );
  await after(5 * round);
  fold.destroy();
  return plans;
}
for (let round = 0; round < 3; round++) {
  const plans = await leave(round);
  for (let turn = 0; turn < 5; turn++) {
    gc();
    await after(2);
  }
  await Promise.all(plans);
}
const fold = await open();
console.log((await fold.scan(Uint32Array.of(3, 1, 7))).join(" "));
fold.destroy();
`;

test("a fold may be destroyed while its plans compile, and another one opened", () => {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ["--expose-gc", "--input-type=module", "--eval", source],
    { encoding: "utf8", timeout: 120_000 },
  );
  expect({ status, signal, stdout }, stderr).toEqual({ status: 0, signal: null, stdout: "3 4 11\n" });
}, 150_000);

const pending = `
import { openFold, u32 } from ${JSON.stringify(pathToFileURL("dist/node.js").href)};
const fold = await openFold({ adapter: "software" });
const plan = await fold.prepareScan({ type: u32, maxLength: 1000 });
const buffers = [1, 2].map(() => fold.device.createBuffer({ size: 4000, usage: 0x80 }));
const encoder = fold.device.createCommandEncoder();
plan.record(encoder, { input: buffers[0], output: buffers[1], length: 1000 });
fold.device.queue.submit([encoder.finish()]);
const array = await fold.upload(new Uint32Array(100_000).fill(1));
const sums = await fold.scan(array);
globalThis.held = { fold, plan, buffers, array, sums };
// Nobody waits for it.
sums.read().then((read) => console.log(read.at(-1)));
`;

test("on SwiftShader, a process ends without destroy(), once no call is pending", ({ skip }) => {
  skip(swiftShaderMissing !== undefined, swiftShaderMissing);
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ["--input-type=module", "--eval", pending],
    { encoding: "utf8", timeout: 60_000 },
  );
  expect({ status, signal, stdout }, stderr).toEqual({ status: 0, signal: null, stdout: "100000\n" });
}, 90_000);

it("wavefold/node has WebGPU's flags, as browsers do", () => {
  const { GPUBufferUsage, GPUColorWrite, GPUMapMode, GPUShaderStage, GPUTextureUsage } = node;
  const flags = { GPUBufferUsage, GPUColorWrite, GPUMapMode, GPUShaderStage, GPUTextureUsage };
  const all = globals as Readonly<Record<string, object>>;
  for (const [name, values] of Object.entries(flags)) {
    expect({ ...all[name] }, name).toEqual(values);
  }
});
