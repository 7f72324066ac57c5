import { expect, test } from "vitest";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { ScalarType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import type { Kernel } from "../../src/kernels/kernel.ts";
import type { ReferenceSort } from "../../src/reference/sort.ts";
import { argSortReference, sortReference } from "../../src/reference/sort.ts";
import { readWords, storageBuffer, submit, submitted } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { anyItems, randomItems } from "../support/random.ts";
import { gathered } from "../support/sorted_arrays.ts";
import { expectSorted, lacks, particle, plannedSort, prepareOn, sizes, typeNames } from "../support/sorts.ts";

// What is special to sorts, and to those of short data, which compare each item with all others. All else follows from the examples of sorts:
// test/primitives/. Tiles: sort_tiles.test.ts; errors: sort_refused.test.ts.

const fold = useFold();

const byKey: readonly (readonly [key: string, keyType: ScalarType | undefined, of: (x: never) => number])[] =
  [
    ["x.depth", undefined, (x: { depth: number }) => x.depth],
    [" x . id ", undefined, (x: { id: number }) => x.id],
    ["x.id % 7u", u32, (x: { id: number }) => x.id % 7],
    ["let y = i32(x.id % 9u); return 4 - y;", i32, (x: { id: number }) => 4 - (x.id % 9)],
    [
      "vec2<u32>(x.id % 3u, x.id % 5u)",
      u64,
      (x: { id: number }) => Number((BigInt(x.id % 5) << 32n) | BigInt(x.id % 3)),
    ],
  ];
test.for(byKey)("structs are sorted by %s", async ([key, keyType, of]) => {
  const length = 300;
  const data = randomItems(particle, length, key);
  const type = keyType ?? (key.includes("depth") ? f32 : u32);
  const reference = { key: (type.bytes === 8 ? (x: never) => BigInt(of(x)) : of) as never, keyType: type };
  const options = { key, ...(keyType && { keyType }) };
  const values = Uint32Array.from({ length }, (_, at) => at);
  const sorted = await fold().sort(data, { ...options, ...sizes, values, descending: true });
  const down = argSortReference(data, { ...reference, descending: true });
  expectSameBits(sorted.values, down, "values, in several tiles");
  expectSameBits(sorted.keys, gathered(data, down), "descending, in several tiles");
  const up = argSortReference(data, reference);
  if (type === u32) {
    expectSameBits(await fold().sort(data, options), gathered(data, up), "ascending");
  } else if (type === i32) {
    expectSameBits(await fold().argSort(data, options), up, "positions");
  }
});

test("scalars are sorted by an expression, of their own type or another", async () => {
  const data = anyItems("u32", 500, "expression") as Uint32Array;
  const same: ReferenceSort<Uint32Array> = { key: (x) => x % 10 };
  expectSameBits(await fold().sort(data, { key: "x % 10u" }), sortReference(data, same), "u32");
  const other: ReferenceSort<Uint32Array> = { key: (x) => -(x % 1000), keyType: f32 };
  expectSameBits(
    await fold().sort(data, { key: "-f32(x % 1000u)", keyType: f32 }),
    sortReference(data, other),
    "f32",
  );
});

test("the bits of a float's key are in the order of its numbers", async () => {
  const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;
  const data = Float32Array.of(1, nan, -0, infinity, 0, -1, -infinity, -nan);
  expect([...(await fold().sort(data))]).toEqual([-infinity, -1, -0, 0, 1, infinity, nan, nan]);
  // NaNs are equal, so they keep their order.
  expect([...(await fold().argSort(data))]).toEqual([6, 5, 2, 4, 0, 3, 1, 7]);
  expect([...(await fold().argSort(data, { descending: true }))]).toEqual([1, 7, 3, 0, 4, 2, 5, 6]);
});

test.for([
  ["one array in a list", [u32]],
  ["several arrays", [u32, f64]],
  ["several arrays, and keys by one pass", [u32, f64], [0, 4]],
] as const)("%s: keys and values, each in place or not", async ([, types, bits]) => {
  const { device } = fold();
  const length = 300;
  const data = anyItems("u32", length, "lists") as Uint32Array;
  const some = bits && { bits };
  const positions = argSortReference(data, some);
  const sort = await fold().prepareSort({ type: u32, values: types, maxLength: length, ...sizes, ...some });
  const arrays = [data, ...types.map(({ name }, at) => anyItems(name, length, `list ${at}`))];
  for (const inPlace of [[], [0], [1], [0, 1], [2], [0, 1, 2]]) {
    const pairs = arrays.map((array, at) => {
      const words = new Uint32Array(array.buffer as ArrayBuffer);
      const from = storageBuffer(device, words);
      const to = inPlace.includes(at) ? from : storageBuffer(device, new Uint32Array(words.length).fill(7));
      return [from, to] as const;
    });
    const [[input, output], ...others] = pairs as [(typeof pairs)[number], ...typeof pairs];
    const ranges = {
      input,
      output,
      values: others.map(([from]) => from),
      reordered: others.map(([, to]) => to),
      length,
    };
    const sorted = await submitted(
      device,
      (encoder) => sort.record(encoder, ranges),
      pairs.map(([, to]) => to),
    );
    for (const [at, array] of arrays.entries()) {
      const expected = new Uint32Array(gathered(array, positions).buffer as ArrayBuffer);
      expectSameBits(sorted[at] as Uint32Array, expected, `${at}, in place: ${inPlace}`);
    }
  }
  sort.destroy();
});

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
