/** CUDA's tile scan: `0 1 3 6 10 15 21 28` for each tile of eight threads. */
import type { Fold } from "wavefold/node";
import { add, link, threadTileScan, u32 } from "wavefold/wgsl";
import kernel from "./cuda-tile-scan.wgsl";
import { printWhenRun, runKernel } from "./kernel.ts";

export async function run({ device }: Pick<Fold, "device">): Promise<{ sums: Uint32Array }> {
  const code = link(kernel, [threadTileScan({ type: u32, op: add, tileSize: 8, workGroupSize: 64 })]);
  const [sums = new Uint32Array()] = await runKernel(device, code, [new Uint32Array(64)]);
  return { sums };
}

await printWhenRun(import.meta.url, run);
