import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { ArgumentError } from "../../src/node.ts";
import { searchSortedReference } from "../../src/reference/search.ts";
import { destroyAll, readWords, storageBuffer } from "../support/buffers.ts";
import { useFold } from "../support/fold.ts";
import { anyItems } from "../support/random.ts";

const fold = useFold();

/** By counting, which is another way than the reference and the kernel. */
test("counts the elements before each value", async () => {
  const sorted = Int32Array.from([-5, -5, 0, 2, 2, 2, 9]);
  const values = Int32Array.from({ length: 20 }, (_, at) => at - 8);
  const count = (isBefore: (entry: number, value: number) => boolean): number[] =>
    Array.from(values, (value) => sorted.filter((entry) => isBefore(entry, value)).length);
  const [left, right] = [count((a, b) => a < b), count((a, b) => a <= b)];
  expect([...(await fold().searchSorted(sorted, values))]).toEqual(left);
  expect([...(await fold().searchSorted(sorted, values, { side: "right" }))]).toEqual(right);
  expect([...searchSortedReference(sorted, values)]).toEqual(left);
  expect([...searchSortedReference(sorted, values, { side: "right" })]).toEqual(right);
});

test("NaN is behind all numbers, and both zeros are one", async () => {
  const sorted = Float64Array.of(-1, -0, 0, Number.POSITIVE_INFINITY, Number.NaN, Number.NaN);
  const values = Float64Array.of(Number.NaN, 0, -0, Number.POSITIVE_INFINITY);
  expect([...(await fold().searchSorted(sorted, values))]).toEqual([4, 1, 1, 3]);
  expect([...(await fold().searchSorted(sorted, values, { side: "right" }))]).toEqual([6, 3, 3, 4]);
});

test("what is not sorted gives places inside", async () => {
  const sorted = anyItems("u32", 1000, "unsorted") as Uint32Array;
  const values = anyItems("u32", 1000, "values") as Uint32Array;
  const places = await fold().searchSorted(sorted, values);
  expect(Math.max(...places)).toBeLessThanOrEqual(1000);
});

test("calls with other sorted arrays of other lengths do not share what they keep", async () => {
  const values = Uint32Array.of(5);
  for (const length of [3, 9, 4, 9, 0, 1]) {
    const sorted = Uint32Array.from({ length }, (_, at) => at);
    expect([...(await fold().searchSorted(sorted, values))]).toEqual([Math.min(5, length)]);
  }
});

test("one array on the GPU, whose length only the GPU knows, for both", async () => {
  const data = await fold().upload(Float32Array.of(1, 1, 2, 5, 5, 5, 9));
  const kinds = await fold().unique(data);
  const places = await fold().searchSorted(kinds, kinds, { side: "right" });
  expect([...(await places.read())]).toEqual([1, 2, 3, 4]);
  destroyAll(data, kinds, places);
});

describe("recorded", () => {
  test("the same buffers with another sorted length", async () => {
    const { device } = fold();
    const search = await fold().prepareSearchSorted({ type: u32, maxLength: 1 });
    const [sorted, input, output] = [Uint32Array.of(1, 2, 3, 4), Uint32Array.of(9), Uint32Array.of(0)].map(
      (words) => storageBuffer(device, words),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    for (const sortedLength of [4, 2, 3]) {
      const encoder = device.createCommandEncoder();
      search.record(encoder, { sorted, sortedLength, input, output, length: 1 });
      device.queue.submit([encoder.finish()]);
      expect([...(await readWords(device, output))]).toEqual([sortedLength]);
    }
    search.destroy();
  });

  test("bad ranges", async () => {
    const { device } = fold();
    const sizes = { workGroupSize: 8, itemsPerThread: 4 } as const;
    const search = await fold().prepareSearchSorted({ type: u32, maxLength: 4, ...sizes });
    const [sorted, input, output] = [1, 2, 3].map(() => storageBuffer(device, new Uint32Array(4))) as [
      GPUBuffer,
      GPUBuffer,
      GPUBuffer,
    ];
    const all = { sorted, sortedLength: 4, input, output, length: 4 };
    const record = (changes: object) => () =>
      search.record(device.createCommandEncoder(), { ...all, ...changes } as typeof all);
    expect(record({})).not.toThrow();
    for (const sortedLength of [undefined, -1, 1.5, "4", 2 ** 32]) {
      expect(record({ sortedLength })).toThrow(/sortedLength is .*; it takes a whole number from 0/);
    }
    expect(record({ sortedLength: 5 })).toThrow(/sorted has 16 bytes from offset 0 on, and 5 items/);
    expect(record({ sorted: undefined })).toThrow(/sorted is undefined/);
    expect(record({ output: input })).toThrow(ArgumentError);
    expect(record({ output: sorted })).toThrow(/overlap/);
    search.destroy();
    const scan = await fold().prepareScan({ type: u32, maxLength: 4, ...sizes });
    expect(() => scan.record(device.createCommandEncoder(), { ...all } as never)).toThrow(
      /takes no option sorted/,
    );
    scan.destroy();
  });
});

describe("bad input", () => {
  const pair = struct({ name: "Both", fields: { a: u32, b: u32 } });
  const data = Uint32Array.of(1, 2);
  test.each([
    [data, Int32Array.of(1), {}, "values", /values holds i32; it takes u32, as sorted holds/],
    [pair.array(1), pair.array(1), {}, "sorted", /the struct Both; it takes u32/],
  ])("%o %o %o", async (sorted, values, options, option, message) => {
    const error = await fold()
      .searchSorted(sorted as never, values as never, options as never)
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as ArgumentError).option).toBe(option);
    expect((error as ArgumentError).message).toMatch(message);
  });
});
