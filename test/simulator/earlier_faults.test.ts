import { expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { workGroupAllocate } from "../../src/in_kernel/functions.ts";
import { link } from "../../src/in_kernel/link.ts";
import { openFold } from "../../src/node.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { compileKernel, readWords } from "../support/buffers.ts";
import { plant } from "../support/plant.ts";

// Faults that software adapters did not show, planted again: the simulator shows them.

test("a vector past the end of the data is read", async () => {
  /** The kinds of what is found in a scan whose input ends before its buffer, in which its output follows. */
  const kindsOf = async (isPlanted: boolean): Promise<string[]> => {
    const gpu = simulatedGpu({ subgroupSize: 8 });
    const fold = await openFold({ adapter: (await gpu.requestAdapter()) as GPUAdapter });
    const { device } = fold;
    const context = contextOf(device);
    context.facts = { ...context.facts, software: false };
    const from = /first < length && (first \+ VECTOR <= call\.wide_length)/g;
    const takeBack = isPlanted ? plant(fold, { from, to: "$1" }) : undefined;
    const options = {
      algorithm: "blelloch",
      passes: "reduce-then-scan",
      workGroupSize: 16,
      itemsPerThread: 4,
    } as const;
    const scan = await fold.prepareScan({ type: u32, maxLength: 1000, ...options });
    const changed = takeBack?.();
    expect(changed ?? [1], "shaders that have the text").not.toContain(0);
    const buffer = device.createBuffer({ size: 8192, usage: 0x8c });
    const encoder = device.createCommandEncoder();
    scan.record(encoder, { input: { buffer }, output: { buffer, offset: 4 * 520 }, length: 517 });
    device.queue.submit([encoder.finish()]);
    await readWords(device, buffer);
    fold.destroy();
    return [...new Set(gpu.findings.map(({ kind }) => kind))];
  };
  expect(await kindsOf(false)).toEqual([]);
  expect(await kindsOf(true)).not.toEqual([]);
});

test("an allocation's counter wraps around", async () => {
  const threads = 4;
  const groups = 24;
  const code = link(
    `@group(0) @binding(0) var<storage, read_write> amounts: array<u32>;
@group(0) @binding(1) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> used: atomic<u32>;
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
  let at = group.x * ${threads}u + i;
  offsets[at] = work_group_allocate(amounts[at], i).offset;
}`,
    [workGroupAllocate({ workGroupSize: threads, counter: "used", capacity: 0xffffffff })],
  );
  const planted = code.replace(/let most(\w*) = \(0xffffffffu - \w+\) >> 16u;/, "let most$1 = 1u << 15u;");
  expect(planted).not.toBe(code);
  // One work-group takes almost all there is.
  const amounts = Uint32Array.from({ length: groups * threads }, (_, at) => (at === 21 ? 0xfffffff0 : 1));
  const usedBy = async (text: string, seed: number): Promise<number> => {
    const gpu = simulatedGpu({ schedule: "random", seed });
    const device = (await (await gpu.requestAdapter())?.requestDevice()) as GPUDevice;
    const run = await compileKernel(device, text);
    const [, , used] = await run([amounts, new Uint32Array(groups * threads), new Uint32Array(1)], groups);
    device.destroy();
    expect(gpu.findings).toEqual([]);
    return used?.[0] as number;
  };
  const seeds = [1, 2, 3, 4, 5];
  expect(await Promise.all(seeds.map((seed) => usedBy(code, seed)))).toEqual(seeds.map(() => 0xffffffff));
  const least = Math.min(...(await Promise.all(seeds.map((seed) => usedBy(planted, seed)))));
  expect(least).toBeLessThan(0xffffffff);
});
