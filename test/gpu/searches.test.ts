import { describe, expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import type { GpuArray } from "../../src/node.ts";
import { ArgumentError, openFold } from "../../src/node.ts";
import { histogramReference } from "../../src/reference/histogram.ts";
import { searchSortedReference } from "../../src/reference/search.ts";
import { storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { adapter, useFold } from "../support/fold.ts";
import { anyItems, randomBits } from "../support/random.ts";

const fold = useFold();
const bins = { bins: 16, range: [0, 2 ** 32] } as const;

describe("histogram", () => {
  test("of an array on the GPU, and of one whose length is there, too", async () => {
    const data = anyItems("u32", 3000, "on the GPU") as Uint32Array;
    const numbers = await fold().upload(data);
    const counts = await fold().histogram(numbers, bins);
    expect([counts.type.name, counts.length]).toEqual(["u32", 16]);
    expectSameBits(await counts.read(), histogramReference(data, bins), "all");
    const odd = await fold().compact(numbers, { where: "x % 2u == 1u" });
    const ofOdd = await fold().histogram(odd, bins);
    expectSameBits(
      await ofOdd.read(),
      histogramReference(
        data.filter((x) => x % 2 === 1),
        bins,
      ),
      "odd",
    );
    // The counts are an array like others.
    const sums = await fold().scan(counts);
    expect((await sums.read()).at(-1)).toBe(3000);
    for (const one of [numbers, counts, odd, ofOdd, sums]) {
      one.destroy();
    }
  });

  test("with weights, from the middle of a buffer", async () => {
    const words = anyItems("u32", 500, "middle") as Uint32Array;
    const buffer = storageBuffer(fold().device, words);
    const data = await fold().wrap({ buffer, type: u32, offset: 12, length: 200 });
    const weights = await fold().wrap({ buffer, type: u32, offset: 1004, length: 200 });
    const sums = await fold().histogram(data, { ...bins, weights });
    const expected = histogramReference(words.subarray(3, 203), {
      ...bins,
      weights: words.subarray(251, 451),
    });
    expectSameBits(await sums.read(), expected, "sums");
    const halves = await fold().upload(new Float32Array(200).fill(0.5));
    const floats = await fold().histogram(data, { ...bins, weights: halves });
    expect(floats.type.name).toBe("f32");
    expect((await floats.read()).reduce((total, one) => total + one, 0)).toBe(100);
    for (const one of [data, weights, sums, halves, floats]) {
      one.destroy();
    }
    buffer.destroy();
  });

  test("what is wrong is said before anything is done", async () => {
    const data = await fold().upload(Uint32Array.of(1, 2, 3));
    const short = await fold().upload(Uint32Array.of(1));
    const wide = await fold().upload(Float64Array.of(1, 2, 3));
    const fails = (options: object, message: RegExp, array: unknown = data): Promise<void> =>
      expect(fold().histogram(array as GpuArray<"u32", number>, options as never)).rejects.toThrow(message);
    await fails({}, /takes edges, or bins and range/);
    await fails(
      { ...bins, weights: Uint32Array.of(1, 2, 3) },
      /weights is Uint32Array, and data is on the GPU/,
    );
    await fails({ ...bins, weights: short }, /1 weights for 3 elements/);
    await fails({ ...bins, weights: wide }, /weights is of f64/);
    await fails({ ...bins, type: f32 }, /holds u32, but type says f32/);
    await fails({ ...bins, op: 1 }, /takes no option op/);
    await expect(fold().histogram(Uint32Array.of(1), { ...bins, weights: data as never })).rejects.toThrow(
      ArgumentError,
    );
    const other = await openFold({ adapter });
    await expect(other.histogram(data, bins)).rejects.toThrow(/another device/);
    other.destroy();
    data.destroy();
    await fails(bins, /destroyed/);
    short.destroy();
    wide.destroy();
  });
});

describe("searchSorted", () => {
  test("of arrays on the GPU", async () => {
    const next = randomBits("search on the GPU");
    const table = Float32Array.from({ length: 700 }, () => next() % 100).sort();
    const wanted = Float32Array.from({ length: 300 }, () => (next() % 110) - 5);
    const sorted = await fold().upload(table);
    const values = await fold().upload(wanted);
    for (const side of ["left", "right"] as const) {
      const places = await fold().searchSorted(sorted, values, { side });
      expectSameBits(await places.read(), searchSortedReference(table, wanted, { side }), side);
      places.destroy();
    }
    const some = await fold().compact(values, { where: "x > 50" });
    const places = await fold().searchSorted(sorted, some);
    const kept = wanted.filter((x) => x > 50);
    expectSameBits(await places.read(), searchSortedReference(table, kept), "kept");
    // The result has its number of elements also when the array that gave it is gone.
    some.destroy();
    expect((await places.read()).length).toBe(kept.length);
    for (const one of [sorted, values, places]) {
      one.destroy();
    }
  });

  test("what is wrong is said before anything is done", async () => {
    const sorted = await fold().upload(Uint32Array.of(1, 2, 3));
    const floats = await fold().upload(Float32Array.of(1));
    const fails = (
      values: unknown,
      message: RegExp,
      options: object = {},
      table: unknown = sorted,
    ): Promise<void> =>
      expect(
        fold().searchSorted(table as GpuArray<"u32", number>, values as GpuArray<"u32", number>, options),
      ).rejects.toThrow(message);
    await fails(floats, /values holds f32; it takes u32/);
    await fails(Uint32Array.of(1), /values is Uint32Array, and sorted is on the GPU/);
    await fails(sorted, /sorted is Uint32Array, and values is on the GPU/, {}, Uint32Array.of(1));
    await fails(sorted, /side is "up"; it takes left or right/, { side: "up" });
    for (const one of [sorted, floats]) {
      one.destroy();
    }
  });

  test("in an array whose length is on the GPU", async () => {
    const next = randomBits("search in a counted array");
    const numbers = Float32Array.from({ length: 700 }, () => next() % 100).sort();
    const wanted = Float32Array.from({ length: 300 }, () => (next() % 110) - 5);
    const data = await fold().upload(numbers);
    const values = await fold().upload(wanted);
    const kinds = await fold().unique(data);
    const table = numbers.filter((x, at) => x !== numbers[at - 1]);
    // What was there before lies behind the elements.
    const none = await fold().compact(data, { where: "x > 1000" });
    const some = await fold().compact(values, { where: "x > 50" });
    for (const side of ["left", "right"] as const) {
      for (const [title, sorted, given, inTable, own] of [
        ["unique", kinds, values, table, wanted],
        ["nothing", none, values, table.subarray(0, 0), wanted],
        ["both lengths", kinds, some, table, wanted.filter((x) => x > 50)],
        ["one array", kinds, kinds, table, table],
        ["a known length", data, kinds, numbers, table],
      ] as const) {
        const places = await fold().searchSorted(sorted, given, { side });
        expectSameBits(
          await places.read(),
          searchSortedReference(inTable, own, { side }),
          `${title} ${side}`,
        );
        places.destroy();
      }
    }
    const places = await fold().searchSorted(kinds, values);
    kinds.destroy();
    expectSameBits(await places.read(), searchSortedReference(table, wanted), "destroyed before it is read");
    for (const one of [data, values, none, some, places]) {
      one.destroy();
    }
  });

  test("a length on the GPU that is more than the array has room for", async () => {
    const { device } = fold();
    const [buffer, length] = [Uint32Array.of(9, 1, 3, 5, 7), Uint32Array.of(0, 900)].map((words) =>
      storageBuffer(device, words),
    ) as [GPUBuffer, GPUBuffer];
    const sorted = await fold().wrap({
      buffer,
      type: u32,
      offset: 4,
      maxLength: 3,
      length: { buffer: length, offset: 4 },
    });
    const values = await fold().upload(Uint32Array.of(0, 3, 8));
    const places = await fold().searchSorted(sorted, values);
    expect([...(await places.read())]).toEqual([0, 1, 3]);
    for (const one of [sorted, values, places, buffer, length]) {
      one.destroy();
    }
  });
});
