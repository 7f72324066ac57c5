/** CUDA's stream compaction, in one work-group: the multiples of three among 0 … 99, in order. */
import type { Fold } from "wavefold/node";
import { add, link, u32, workGroupScan } from "wavefold/wgsl";
import kernel from "./cuda-stream-compaction.wgsl";
import { printWhenRun, runKernel } from "./kernel.ts";

export async function run({ device }: Pick<Fold, "device">): Promise<{ kept: Uint32Array }> {
  const code = link(kernel, [workGroupScan({ type: u32, op: add, workGroupSize: 32 })]);
  const items = Uint32Array.from({ length: 100 }, (_, index) => index);
  const [, kept = items, count = items] = await runKernel(device, code, [
    items,
    new Uint32Array(items.length),
    new Uint32Array(1),
  ]);
  return { kept: kept.subarray(0, count[0]) };
}

await printWhenRun(import.meta.url, run);
