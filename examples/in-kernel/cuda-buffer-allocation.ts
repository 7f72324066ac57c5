/** CUDA's buffer allocation: the buffer ends as `0 0 1 0 0 1 …`. */
import type { Fold } from "wavefold/node";
import { add, link, threadTileScanUpdate, u32 } from "wavefold/wgsl";
import kernel from "./cuda-buffer-allocation.wgsl";
import { printWhenRun, runKernel } from "./kernel.ts";

export async function run({ device }: Pick<Fold, "device">): Promise<{ buffer: Uint32Array; used: number }> {
  const scan = threadTileScanUpdate({
    type: u32,
    op: add,
    tileSize: 32,
    workGroupSize: 64,
    counter: "buffer_used",
  });
  const [buffer = new Uint32Array(), used = new Uint32Array()] = await runKernel(
    device,
    link(kernel, [scan]),
    [new Uint32Array(96), new Uint32Array(1)],
  );
  return { buffer, used: used[0] ?? 0 };
}

await printWhenRun(import.meta.url, run);
