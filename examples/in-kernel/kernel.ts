import { realpathSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Fold } from "wavefold/node";
import { openFold } from "wavefold/node";

// What WebGPU calls GPUBufferUsage and GPUMapMode: not in every runtime.
const STORAGE = 0x80;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const MAP_READ = 0x1;

/**
 * Runs a kernel on storage buffers 0, 1, 2 … that hold these words, and returns what they hold then. It throws if the kernel has other
 * bindings, or does not compile.
 */
export async function runKernel(
  device: GPUDevice,
  code: string,
  contents: readonly Uint32Array[],
  workGroups = 1,
): Promise<Uint32Array[]> {
  device.pushErrorScope("validation");
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }) },
  });
  const buffers = contents.map((words) => {
    const usage = STORAGE | COPY_SRC | COPY_DST;
    const buffer = device.createBuffer({ size: words.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, words.slice().buffer);
    return buffer;
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(workGroups);
  pass.end();
  const copies = buffers.map((buffer) => {
    const copy = device.createBuffer({ size: buffer.size, usage: MAP_READ | COPY_DST });
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    return copy;
  });
  device.queue.submit([encoder.finish()]);
  const error = await device.popErrorScope();
  if (error) {
    throw new Error(`the kernel did not run: ${error.message}`);
  }
  return Promise.all(
    copies.map(async (copy, index) => {
      await copy.mapAsync(MAP_READ);
      const words = new Uint32Array(copy.getMappedRange().slice(0));
      copy.destroy();
      buffers[index]?.destroy();
      return words;
    }),
  );
}

/** Runs an example on the best adapter there is and prints its result, where its file is the program. */
export async function printWhenRun(url: string, run: (fold: Fold) => Promise<object>): Promise<void> {
  if (process.argv[1] === undefined || realpathSync(process.argv[1]) !== fileURLToPath(url)) {
    return;
  }
  const fold = await openFold();
  try {
    for (const [name, value] of Object.entries(await run(fold))) {
      console.log(`${name}: ${typeof value === "object" ? Array.from(value).join(" ") : value}`);
    }
  } finally {
    fold.destroy();
  }
}
