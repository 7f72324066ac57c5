/** OpenCL C's work_group_scan_inclusive_add and work_group_scan_exclusive_add on `3 1 7 0 4 1 6 3`. */
import type { Fold } from "wavefold/node";
import { add, i32, link, workGroupScan } from "wavefold/wgsl";
import { printWhenRun, runKernel } from "./kernel.ts";
import kernel from "./opencl-scan.wgsl";

export async function run({
  device,
}: Pick<Fold, "device">): Promise<{ inclusive: Int32Array; exclusive: Int32Array }> {
  const code = link(kernel, [workGroupScan({ type: i32, op: add, workGroupSize: 8 })]);
  const items = Uint32Array.of(3, 1, 7, 0, 4, 1, 6, 3);
  const [, inclusive = items, exclusive = items] = await runKernel(device, code, [
    items,
    new Uint32Array(8),
    new Uint32Array(8),
  ]);
  return { inclusive: new Int32Array(inclusive.buffer), exclusive: new Int32Array(exclusive.buffer) };
}

await printWhenRun(import.meta.url, run);
