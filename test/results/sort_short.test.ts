import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { Kernel } from "../../src/kernels/kernel.ts";
import { sortReference } from "../../src/reference/sort.ts";
import { readWords, storageBuffer, submit } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { kinds } from "../support/sorted_arrays.ts";
import { expectSorted, lacks, plannedSort, prepareOn, typeNames } from "../support/sorts.ts";

// Short data is sorted by comparing each item with all others.

const fold = useFold();

// One work-group and several; a thread that compares with all keys, and several that share them; more keys than threads.
const shapes = [
  { maxLength: 1, items: 32, threads: 32 },
  { maxLength: 6, items: 4, threads: 64 },
  { maxLength: 128, items: 8, threads: 32 },
  { maxLength: 300, items: 32, threads: 64 },
] as const;
const table = typeNames.flatMap((name, at) =>
  ([undefined, u32, f64] as const).map((moved, turn) => ({
    name,
    moved,
    values: moved?.name ?? "nothing",
    descending: (at + turn) % 2 === 1,
    bits: turn === 1 ? ([2, 8 * elementTypes[name].bytes - 3] as const) : undefined,
    // Each type has three of the shapes, or two and the shortest.
    shape: shapes[(at + turn) % 7 === 0 ? 0 : 1 + ((at + 2 * turn) % 3)] as (typeof shapes)[number],
  })),
);

test.for(table)("$name with $values, up to $shape.maxLength items", async (row, { skip }) => {
  const { name, moved, descending, bits, shape } = row;
  const type = elementTypes[name];
  skip(lacks(fold(), type), `the adapter has no ${type.feature}`);
  const { maxLength, items, threads } = shape;
  const options = { type, descending, maxLength, ...(bits && { bits }) };
  const plan = plannedSort(fold(), options, moved, { compared: [[300, items, threads]] });
  expect(plan.kernels[0]?.entryPoint).toBe("sort_by_comparing");
  expect(plan.passes(maxLength, "items")).toHaveLength(1);
  const sort = await prepareOn(fold(), plan);
  for (const length of [0, 1, 2, 5, 6, 31, 32, 33, 65, 127, 128, 299, 300]) {
    if (length <= maxLength) {
      await expectSorted(fold(), sort, { ...row, length });
    }
  }
  sort.destroy();
});

test("of a length that is on the GPU", async () => {
  const { device } = fold();
  const options = { type: u32, maxLength: 200, lengthOnGpu: true } as const;
  const plan = plannedSort(fold(), options, undefined, { compared: [[256, 8, 32]] });
  expect(plan.kernels[0]?.entryPoint).toBe("sort_by_comparing");
  const sort = await prepareOn(fold(), plan);
  const data = kinds.few("u32", 200, "a length on the GPU") as Uint32Array;
  for (const length of [0, 1, 7, 8, 150, 200, 1000]) {
    const [input, output, count] = [data, new Uint32Array(200).fill(7), Uint32Array.of(length)].map((words) =>
      storageBuffer(device, words),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    submit(device, (encoder) => sort.record(encoder, { input, output, length: count }));
    const most = Math.min(length, 200);
    const expected = new Uint32Array(200).fill(7);
    expected.set(sortReference(data.slice(0, most)));
    expectSameBits((await readWords(device, output)).subarray(0, 200), expected, `${length}`);
  }
  sort.destroy();
});

test("nothing past the input is read, for a length on the GPU of 0, too", async () => {
  const { device } = fold();
  const options = { type: u32, maxLength: 100, lengthOnGpu: true } as const;
  const plan = plannedSort(fold(), options, undefined, { compared: [[256, 8, 32]] });
  // A thread loads four keys at a time, 128 of a work-group. The last place of the output, which no item gets, tells of a read past the input.
  const read = "return input[call.input_base + index];";
  const mark = `if (call.input_base + index >= arrayLength(&input)) {\n    output[99] = 1u;\n  }\n  ${read}`;
  const told = plan.kernels.map((kernel) => ({ ...kernel, code: kernel.code.replace(read, mark) }));
  expect(told[0]?.code).toContain(mark);
  const sort = await prepareOn(fold(), {
    ...plan,
    kernels: told,
    passes: (...given) =>
      plan
        .passes(...given)
        .map((pass) => ({ ...pass, kernel: told[plan.kernels.indexOf(pass.kernel)] as Kernel })),
  });
  for (const length of [0, 1, 75, 99]) {
    const [input, output, count] = [100, 100, 1].map((words, at) =>
      storageBuffer(device, new Uint32Array(words).fill(at === 2 ? length : 7)),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    submit(device, (encoder) => sort.record(encoder, { input, output, length: count }));
    expect((await readWords(device, output))[99], `${length}`).toBe(7);
  }
  sort.destroy();
});

test("sizes and algorithms that the caller chooses are taken instead, and so are radix sorts of more", () => {
  const kernelOf = (more: object): string =>
    plannedSort(fold(), { type: u32, maxLength: 128, ...more }, undefined, { compared: [[128, 8, 32]] })
      .kernels[0]?.entryPoint ?? "";
  expect([{}, { bits: [0, 8] }, { lengthOnGpu: true }, { type: u64 }].map(kernelOf)).toEqual(
    Array(4).fill("sort_by_comparing"),
  );
  for (const more of [
    { algorithm: "blelloch" },
    { itemsPerThread: 4 },
    { workGroupSize: 64 },
    { maxLength: 129 },
  ]) {
    expect(kernelOf(more), Object.keys(more)[0]).not.toBe("sort_by_comparing");
  }
});
