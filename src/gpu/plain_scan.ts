import type { LinkedScan, PlainKernels, PlainOperator } from "../kernels/linked_kernels.ts";
import type { Context } from "./device.ts";
import { pipelineOf, uniformOf } from "./device.ts";
import { BufferUsage } from "./flags.ts";
import type { Given } from "./hand.ts";
import { atHand } from "./hand.ts";

/** One dispatch: its kernel, how many items that reads, and the buffers that it binds. */
interface Step {
  readonly name: keyof LinkedScan["kernels"];
  readonly exclusive: boolean;
  readonly length: number;
  readonly buffers: readonly GPUBuffer[];
}

/**
 * Scans plain u32, by kernels that were linked when the package was built. Reduce-then-scan is all there is to plan:
 * the tiles' totals are u32 too, so their scan is the same once more.
 *
 * @returns nothing, where the device has less room than most: what takes every case also says what is wrong with it.
 */
export async function scanPlainly(
  { workGroupSize, tile, vector, params, kernelOf }: PlainKernels,
  context: Context,
  given: Given,
  op: PlainOperator,
  exclusive: boolean,
): Promise<Uint32Array | undefined> {
  const { device } = context;
  const { length, byteLength } = given;
  const { limits } = context.facts;
  const tilesOf = (length: number): number => Math.ceil(length / tile);
  const bytesOf = (length: number): number => Math.ceil(length / vector) * vector * 4;
  if (
    workGroupSize > Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX) ||
    tilesOf(length) > limits.maxComputeWorkgroupsPerDimension ||
    bytesOf(length) > Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize)
  ) {
    return undefined;
  }
  const title = `scan<u32, ${op.name}>`;

  const compiled = async ({ name, exclusive, ...step }: Step) => {
    const kernel = kernelOf(name, op, exclusive);
    return { ...step, kernel, ...(await pipelineOf(context, kernel)) };
  };

  return atHand(context, title, async ({ owned, own, upload, readBack }) => {
    const steps: Step[] = [];
    const plan = async (input: GPUBuffer, output: GPUBuffer, length: number, exclusive: boolean) => {
      const tiles = tilesOf(length);
      if (tiles <= 1) {
        steps.push({ name: "alone", exclusive, length, buffers: [input, output] });
        return;
      }
      const totals = await own("totals", bytesOf(tiles), BufferUsage.STORAGE);
      const carries = await own("carries", bytesOf(tiles), BufferUsage.STORAGE);
      steps.push({ name: "totals", exclusive: true, length, buffers: [input, totals] });
      await plan(totals, carries, tiles, true);
      steps.push({ name: "last", exclusive, length, buffers: [input, output, carries] });
    };
    const bytes = bytesOf(length);
    const input = await upload("input", given, bytes);
    const output = await own("output", bytes, BufferUsage.STORAGE | BufferUsage.COPY_SRC);
    await plan(input, output, length, exclusive);
    const dispatches = await Promise.all(steps.map(compiled));
    const scanned = await readBack(output, byteLength, (encoder) => {
      const pass = encoder.beginComputePass({ label: `wavefold ${title}` });
      for (const { kernel, pipeline, layout, length, buffers } of dispatches) {
        const tiles = tilesOf(length);
        // All items can be reached as vectors.
        const values: Record<string, number> = { length, tiles, grid_width: tiles, wide_length: 0xffffffff };
        const words = params.map((param) => values[param] ?? 0);
        const uniform = uniformOf(device, words, `wavefold ${title}`);
        owned.push(uniform);
        const bound = [uniform, ...buffers];
        const bindGroup = device.createBindGroup({
          label: `wavefold ${title}`,
          layout,
          entries: Array.from(kernel.bindings.keys(), (binding, at) => ({
            binding,
            resource: { buffer: bound[at] as GPUBuffer },
          })),
        });
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, bindGroup);
        pass.dispatchWorkgroups(tiles);
      }
      pass.end();
    });
    return new Uint32Array(scanned);
  });
}
