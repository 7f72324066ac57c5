import process from "node:process";
import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { TypeName } from "../../src/algebra/types.ts";
import type { Passes } from "../../src/plan/options.ts";
import { argSortReference } from "../../src/reference/sort.ts";
import { readWords, storageBuffer, submit, wordsOf } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { anyItems } from "../support/random.ts";
import { gathered, kinds } from "../support/sorted_arrays.ts";

// Sorts of many lengths in turn, again and again, on a busy GPU: each result is compared on the GPU, word by word. There are 2,000 on a
// GPU, or as many as WAVEFOLD_CASES says. Elsewhere each sort is done twice, so that one has what another left in its scratch.

const fold = useFold();

interface Task {
  readonly type: TypeName;
  readonly length: number;
  readonly values?: boolean;
  readonly bits?: readonly [number, number];
  readonly passes?: Passes;
}

const short: readonly Task[] = [
  { type: "u32", length: 777 },
  { type: "u32", length: 1000, values: true },
  { type: "u64", length: 1500 },
  { type: "u32", length: 4096 },
  { type: "f32", length: 8191 },
];
const longer: readonly Task[] = [
  { type: "u32", length: 30_011 },
  { type: "u32", length: 16_384, values: true },
  { type: "u32", length: 32_768, values: true },
  { type: "u32", length: 65_536, values: true },
  { type: "u32", length: 50_001, bits: [0, 16] },
  { type: "u32", length: 200_003 },
  { type: "u32", length: 100_003, values: true },
  { type: "u64", length: 70_001 },
  { type: "f32", length: 65_537, passes: "reduce-then-scan" },
  { type: "u32", length: 1_000_003 },
];

const WORK_GROUPS = 64;

/** Counts the words of `found` that are not those of `expected`. */
const COMPARE = `
@group(0) @binding(0) var<storage, read> found: array<u32>;
@group(0) @binding(1) var<storage, read> expected: array<u32>;
@group(0) @binding(2) var<storage, read_write> wrong: atomic<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  for (var at = id.x; at < arrayLength(&expected); at += ${WORK_GROUPS * 256}u) {
    if (found[at] != expected[at]) {
      atomicAdd(&wrong, 1u);
    }
  }
}
`;

test("a sort gives the same words each time", { timeout: 300_000 }, async () => {
  const { device, software } = fold();
  const times = software ? 2 * short.length : Number(process.env.WAVEFOLD_CASES ?? 2000);
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module: device.createShaderModule({ code: COMPARE }) },
  });
  const layout = pipeline.getBindGroupLayout(0);
  const wrong = storageBuffer(device, new Uint32Array(4));
  const tasks = await Promise.all(
    [...short, ...(software ? [] : longer)].map(async (task) => {
      const { type: name, length, values = false, bits, passes } = task;
      const title = `${name} ${length}${values ? " with values" : ""}${bits ? ` by bits ${bits}` : ""}${passes ? `, ${passes}` : ""}`;
      const type = elementTypes[name];
      const data = values
        ? (kinds.few(name, length, title) as Uint32Array)
        : (anyItems(name, length, title) as Uint32Array);
      const some = bits && { bits };
      const order = argSortReference(data, { type: type as never, ...some });
      const options = { type: type as never, maxLength: length, ...some, ...(passes && { passes }) };
      const sort = await fold().prepareSort(values ? { ...options, values: u32 } : options);
      const words = (type.bytes / 4) * length;
      const input = storageBuffer(device, wordsOf(data));
      const output = storageBuffer(device, new Uint32Array(words));
      // The values are the items' positions.
      const given = storageBuffer(
        device,
        Uint32Array.from({ length }, (_, at) => at),
      );
      const reordered = storageBuffer(device, new Uint32Array(length));
      const pairs: [GPUBuffer, Uint32Array][] = [[output, wordsOf(gathered(data, order))]];
      if (values) {
        pairs.push([reordered, order]);
      }
      const groups = pairs.map(([found, expected]) =>
        device.createBindGroup({
          layout,
          entries: [found, storageBuffer(device, expected), wrong].map((buffer, binding) => ({
            binding,
            resource: { buffer },
          })),
        }),
      );
      const compare = (pass: GPUComputePassEncoder): void => {
        pass.setPipeline(pipeline);
        for (const group of groups) {
          pass.setBindGroup(0, group);
          pass.dispatchWorkgroups(WORK_GROUPS);
        }
      };
      return {
        title,
        compare,
        nonzero: pairs.reduce((sum, [, words]) => sum + words.filter((word) => word !== 0).length, 0),
        record(encoder: GPUCommandEncoder): void {
          encoder.clearBuffer(output);
          if (values) {
            encoder.clearBuffer(reordered);
          }
          const pass = encoder.beginComputePass();
          sort.record(pass, { input, output, ...(values && { values: given, reordered }), length } as never);
          compare(pass);
          pass.end();
        },
        destroy: () => sort.destroy(),
      };
    }),
  );
  // Before the first sort there are zeros, which the comparison must find wrong.
  submit(device, (encoder) => {
    const pass = encoder.beginComputePass();
    for (const { compare } of tasks) {
      compare(pass);
    }
    pass.end();
  });
  expect((await readWords(device, wrong))[0]).toBe(tasks.reduce((sum, { nonzero }) => sum + nonzero, 0));
  submit(device, (encoder) => encoder.clearBuffer(wrong));
  let done = 0;
  for (let round = 0; done < times; round++) {
    submit(device, (encoder) => {
      for (const { record } of tasks) {
        record(encoder);
      }
    });
    done += tasks.length;
    // So that not too much waits.
    if (round % 20 === 0) {
      await device.queue.onSubmittedWorkDone();
    }
  }
  const [count] = await readWords(device, wrong);
  expect(count, `wrong words of ${done} sorts: ${tasks.map(({ title }) => title).join("; ")}`).toBe(0);
  for (const { destroy } of tasks) {
    destroy();
  }
});
