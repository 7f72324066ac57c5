import { describe, expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { Scalar, TypeName } from "../../src/algebra/types.ts";
import { ArgumentError } from "../../src/node.ts";
import { searchSortedReference } from "../../src/reference/search.ts";
import { readWords, storageBuffer, submit } from "../support/buffers.ts";
import { bitsOf, expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { pairs } from "../support/pairs.ts";
import { anyItems, arrayOfBits, randomBits } from "../support/random.ts";

const fold = useFold();
const typed = (type: TypeName): object => (type === "f16" ? { type: f16 } : {});
const lacks = (type: TypeName): boolean => type === "f16" && !fold().device.features.has("shader-f16");

/** Items of all bits in ascending order, NaNs last. */
function sortedItems(type: TypeName, length: number, name: string): ScalarArray {
  const data = anyItems(type, length, name);
  const read = valuesOf(data, elementTypes[type]) as (index: number) => Scalar;
  const bits = bitsOf(data);
  const order = Array.from({ length }, (_, index) => index).sort((a, b) => {
    const [x, y] = [read(a), read(b)];
    return Number.isNaN(x) || Number.isNaN(y)
      ? Number(Number.isNaN(x)) - Number(Number.isNaN(y))
      : x < y
        ? -1
        : Number(x > y);
  });
  return arrayOfBits(
    type,
    order.map((index) => bits[index] ?? 0),
  );
}

/** Half of the values are elements of the sorted array. */
function valuesFor(type: TypeName, sorted: ScalarArray, length: number, name: string): ScalarArray {
  const values = anyItems(type, length, name);
  const next = randomBits(name);
  for (let at = 0; at < length && sorted.length > 0; at += 2) {
    values[at] = sorted[next() % sorted.length] as never;
  }
  return values;
}

const cases = (Object.keys(elementTypes) as TypeName[]).flatMap((type) =>
  (["left", "right"] as const).map((side) => [type, side] as const),
);

const shapes = [{}, { workGroupSize: 3, itemsPerThread: 5 }];
test.for(cases.map((row, at) => [...row, shapes[((at >> 1) + at) % 2] as object] as const))(
  "%s, %s, %o",
  async ([type, side, shape], { skip }) => {
    skip(lacks(type), "the adapter has no shader-f16");
    for (const [entries, length] of [
      [0, 15],
      [1, 16],
      [2, 0],
      [3, 1],
      [7, 15],
      [8, 31],
      [9, 15],
      [1025, 100],
    ] as const) {
      const title = `${type} ${side}: ${length} in ${entries}`;
      const sorted = sortedItems(type, entries, title);
      const values = valuesFor(type, sorted, length, `${title} values`);
      const expected = searchSortedReference(sorted, values as never, { side, ...typed(type) });
      const found = await fold().searchSorted(sorted, values as never, { side, ...shape, ...typed(type) });
      expectSameBits(found, expected, title);
    }
  },
);

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

describe("recorded", () => {
  const BEHIND = 80;
  const table = pairs({
    type: ["u32", "i32", "f32", "f64", "u64", "f16"] as const,
    side: ["left", "right"] as const,
    shape: [
      { workGroupSize: 1, itemsPerThread: 1 },
      { workGroupSize: 7, itemsPerThread: 3 },
      { workGroupSize: 32, itemsPerThread: 4 },
    ],
  });
  test.for(table)(
    "$type, $side, $shape.workGroupSize × $shape.itemsPerThread",
    async ({ type, side, shape }, { skip }) => {
      skip(lacks(type), "the adapter has no shader-f16");
      const { device } = fold();
      const { bytes } = elementTypes[type];
      const lengthOnGpu = side === "right";
      const maxLength = 300;
      const search = await fold().prepareSearchSorted({
        type: elementTypes[type] as typeof u32,
        side,
        maxLength,
        lengthOnGpu,
        ...shape,
      });
      for (const [first, from, length, entries] of [
        [0, 0, 1, 1],
        [5, 3, 85, 77],
        [1, 128, 300, 64],
        [64, 1, 0, 10],
        [3, 0, 10, 0],
      ] as const) {
        const title = `${type} ${side} ${length} from ${first} in ${entries} from ${from}`;
        const sorted = sortedItems(type, entries, title);
        const values = valuesFor(type, sorted, length, `${title} values`);
        const held = (data: ScalarArray, start: number, room: number): Uint32Array => {
          const all = new Uint8Array(Math.ceil(((start + room) * bytes + BEHIND) / 4) * 4).fill(0x3c);
          all.set(
            new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength),
            start * bytes,
          );
          return new Uint32Array(all.buffer);
        };
        const dirty = new Uint32Array(first + maxLength + BEHIND).fill(0xa5a5a5a5);
        const contents = [
          held(sorted, from, entries),
          held(values, first, maxLength),
          dirty,
          Uint32Array.of(length),
        ];
        const buffers = contents.map((words) => storageBuffer(device, words));
        const [table, input, output, count] = buffers as [GPUBuffer, GPUBuffer, GPUBuffer, GPUBuffer];
        submit(device, (encoder) =>
          search.record(encoder, {
            sorted: { buffer: table, offset: from * bytes },
            sortedLength: entries,
            input: { buffer: input, offset: first * bytes },
            output: { buffer: output, offset: first * 4 },
            length: lengthOnGpu ? count : length,
          }),
        );
        const expected = dirty.slice();
        expected.set(searchSortedReference(sorted, values as never, { side, ...typed(type) }), first);
        expectSameBits(await readWords(device, output), expected, title);
        for (const [at, buffer] of [table, input].entries()) {
          expectSameBits(
            await readWords(device, buffer),
            contents[at] as Uint32Array,
            `${title}: what is read`,
          );
        }
        for (const buffer of buffers) {
          buffer.destroy();
        }
      }
      search.destroy();
    },
  );

  test("the same buffers with another sorted length", async () => {
    const { device } = fold();
    const search = await fold().prepareSearchSorted({ type: u32, maxLength: 1 });
    const [sorted, input, output] = [Uint32Array.of(1, 2, 3, 4), Uint32Array.of(9), Uint32Array.of(0)].map(
      (words) => storageBuffer(device, words),
    ) as [GPUBuffer, GPUBuffer, GPUBuffer];
    for (const sortedLength of [4, 2, 3]) {
      submit(device, (encoder) => search.record(encoder, { sorted, sortedLength, input, output, length: 1 }));
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
    [data, Int32Array.of(1), {}, "values", /sorted holds u32, and values holds i32/],
    [[1, 2], data, {}, "data", /has no element type/],
    [data, 5, {}, "data", /has no element type/],
    [pair.array(1), pair.array(1), {}, "sorted", /the struct Both; it takes u32/],
    [data, data, { side: "middle" }, "side", /side is "middle"; it takes left or right/],
    [data, data, { type: f32 }, "type", /type says f32/],
    [data, data, { op: 1 }, "op", /takes no option op/],
    [data, data, { workGroupSize: 0.5 }, "workGroupSize", /workGroupSize/],
  ])("%o %o %o", async (sorted, values, options, option, message) => {
    const error = await fold()
      .searchSorted(sorted as never, values as never, options as never)
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as ArgumentError).option).toBe(option);
    expect((error as ArgumentError).message).toMatch(message);
  });
});
