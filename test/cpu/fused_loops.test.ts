import { afterAll, beforeAll, expect, test } from "vitest";
import { f32, f64, i32 } from "../../src/index.ts";
import type { Fold } from "../../src/node.ts";
import { openFold } from "../../src/node.ts";

// Calls at hand on the CPU that take one loop for a text and what follows it, and histograms that take one for bins and counts.

let fold: Fold;
beforeAll(async () => {
  fold = await openFold({ cpu: "always" });
});
afterAll(() => fold.destroy());

test("sums of what a text gives", async () => {
  const numbers = Uint32Array.of(3, 0xffffffff, 7);
  expect(await fold.reduce(numbers, { map: "x * 2u + i" })).toBe((2 * 3 + 2 * 7 - 2 + 3) >>> 0);
  expect(await fold.reduce(numbers, { map: "x", initial: 5 })).toBe(14);
  expect(await fold.reduce(Uint32Array.of(), { map: "x + 1u" })).toBe(0);
  expect(await fold.reduce(Uint32Array.of(), { map: "x + 1u", initial: 5 })).toBe(5);
  expect(await fold.reduce(Int32Array.of(-5, 2), { map: "x * 3" })).toBe(-9);
  // Each sum is rounded to f32.
  const floats = Float32Array.of(2 ** 23, 0.5, 0.5);
  expect(await fold.reduce(floats, { map: "x * 2.0" })).toBe(2 ** 24);
  expect(await fold.reduce(floats, { map: "f64(x) * 2.0", type: f64 })).toBe(2 ** 24 + 2);
  expect(await fold.reduce(Float32Array.of(0, 0), { map: "-x" })).toBe(-0);
  expect(await fold.reduce(Float32Array.of(), { map: "-x" })).toBe(0);
  expect(await fold.reduce(Float32Array.of(0), { map: "-x", initial: 0 })).toBe(0);
});

test("scans of what a text gives", async () => {
  const numbers = Uint32Array.of(3, 0xffffffff, 7);
  expect(await fold.scan(numbers, { map: "x * 2u + i" })).toEqual(Uint32Array.of(6, 5, 21));
  expect(await fold.scan(numbers, { map: "x", exclusive: true, initial: 5 })).toEqual(
    Uint32Array.of(5, 8, 7),
  );
  const total = new Uint32Array(1);
  expect(await fold.scan(numbers, { map: "x + 1u", exclusive: true, total })).toEqual(
    Uint32Array.of(0, 4, 4),
  );
  expect(total).toEqual(Uint32Array.of(12));
  expect(await fold.scan(Uint32Array.of(), { map: "x + 1u", initial: 7, total })).toEqual(Uint32Array.of());
  expect(total).toEqual(Uint32Array.of(7));
  expect(await fold.scan(Int32Array.of(-5, 2), { map: "x * 3" })).toEqual(Int32Array.of(-15, -9));
  // What is mapped is rounded to f32, and each sum.
  const floats = Float32Array.of(2 ** 23, 0.5, 0.5);
  expect(await fold.scan(floats, { map: "x * 2.0" })).toEqual(Float32Array.of(2 ** 24, 2 ** 24, 2 ** 24));
  expect(await fold.scan(floats, { map: "f64(x) * 2.0", type: f64 })).toEqual(
    Float64Array.of(2 ** 24, 2 ** 24 + 1, 2 ** 24 + 2),
  );
  expect(await fold.scan(Float32Array.of(0, 0, 1), { map: "-x" })).toEqual(Float32Array.of(-0, -0, -1));
  expect(await fold.scan(Float32Array.of(0, 0), { map: "-x", exclusive: true })).toEqual(
    Float32Array.of(0, -0),
  );
  // In reverse, the text sees each element all the same.
  expect(await fold.scan(numbers, { map: "x + i", reverse: true })).toEqual(Uint32Array.of(12, 9, 9));
});

test("scans of what a text gives into memory of the data", async () => {
  const memory = new ArrayBuffer(64);
  const data = new Uint32Array(memory, 0, 8).fill(1);
  await fold.scan(data, { map: "x + 1u", into: data });
  expect([...data]).toEqual([2, 4, 6, 8, 10, 12, 14, 16]);
  data.fill(1);
  const shifted = new Uint32Array(memory, 4, 8);
  await fold.scan(data, { map: "x + 1u", into: shifted });
  expect([...shifted]).toEqual([2, 4, 6, 8, 10, 12, 14, 16]);
  data.fill(1);
  const wide = new Float64Array(memory, 0, 8);
  await fold.scan(data, { map: "f64(x) / 2.0", type: f64, into: wide });
  expect([...wide]).toEqual([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]);
});

test("compactions with a map", async () => {
  const numbers = Int32Array.of(-4, 5, -6, 7, 8, -9);
  const options = { where: "x > limit && i != 1u", map: "f32(x) * 0.5 + f32(i)", type: f32 } as const;
  const made = await fold.compact(numbers, {
    ...options,
    params: { limit: [i32, -5] },
  } as never);
  expect(made).toEqual(Float32Array.of(-2, 6.5, 8));
  const flags = Uint32Array.of(1, 1, 1, 0, 1, 1);
  expect(await fold.compact(numbers, { flags, where: "x > 0", map: "x * x" })).toEqual(Int32Array.of(25, 64));
  expect(await fold.compact(numbers, { where: "x > 0", map: "f64(x) / 2.0", type: f64 })).toEqual(
    Float64Array.of(2.5, 3.5, 4),
  );
  const data = numbers.slice();
  expect(await fold.compact(data, { where: "x < 0", map: "-x", into: data })).toEqual(Int32Array.of(4, 6, 9));
});

test("partitions by classes into memory of the data", async () => {
  const items = [5, 2, 7, 0, 3, 6];
  const options = { classes: 3, class: "x % 3u" } as const;
  for (const [indices, expected] of [
    [false, [0, 3, 6, 7, 5, 2]],
    [true, [3, 4, 5, 2, 0, 1]],
  ] as const) {
    const data = Uint32Array.from(items);
    const { values, offsets } = await fold.partition(data, { ...options, indices, into: data });
    expect(values).toBe(data);
    expect([...data]).toEqual(expected);
    expect([...offsets]).toEqual([0, 3, 4, 6]);
  }
  expect((await fold.partition(Uint32Array.of(), options)).offsets).toEqual(Uint32Array.of(0, 0, 0, 0));
});

test("histograms", async () => {
  const words = Uint32Array.of(0, 63, 64, 255, 256, 257, 0xffffffff);
  expect(await fold.histogram(words, { bins: 4, range: [0, 256] })).toEqual(Uint32Array.of(2, 1, 0, 2));
  expect(await fold.histogram(words, { bins: 2, range: [0, 2 ** 32] })).toEqual(Uint32Array.of(6, 1));
  expect(await fold.histogram(words, { bins: 4, range: [64, 256] })).toEqual(Uint32Array.of(1, 0, 0, 2));
  const signed = Int32Array.of(-9, -8, -1, 0, 7, 8, 9);
  expect(await fold.histogram(signed, { bins: 4, range: [-8, 8] })).toEqual(Uint32Array.of(1, 1, 1, 2));
  expect(await fold.histogram(signed, { bins: 3, range: [-8, 7] })).toEqual(Uint32Array.of(1, 2, 1));
  expect(await fold.histogram(signed, { bins: 3, range: [-7, 9] })).toEqual(Uint32Array.of(0, 2, 3));
  expect(await fold.histogram(words, { bins: 3, range: [-10, 290] })).toEqual(Uint32Array.of(3, 0, 3));
  // The highest edge is past the type's greatest value, and the lowest one above its least.
  const ends = Int32Array.of(-(2 ** 31), -(2 ** 31), 5, 2 ** 31 - 1);
  const ofWords = new Uint32Array(ends.buffer).map((x) => x ^ 0x80000000);
  for (const bins of [3, 4]) {
    const counts = Uint32Array.from({ length: bins }, (_, at) => (at % (bins - 1) === 0 ? 1 : 0));
    expect(await fold.histogram(ends, { bins, range: [0, 2 ** 31] })).toEqual(counts);
    expect(await fold.histogram(ofWords, { bins, range: [2 ** 31, 2 ** 32] })).toEqual(counts);
  }
  expect(await fold.histogram(words, { bins: 4, bin: "x / 64u" })).toEqual(Uint32Array.of(2, 1, 0, 1));
  expect(await fold.histogram(signed, { bins: 3, bin: "f32(x) * 0.3" })).toEqual(Uint32Array.of(2, 0, 3));
  const weights = Uint32Array.of(1, 2, 4, 0xffffffff, 8, 16, 2);
  expect(await fold.histogram(words, { bins: 4, bin: "x / 64u", weights })).toEqual(
    Uint32Array.of(3, 4, 0, 0xffffffff),
  );
  expect(await fold.histogram(words, { bins: 2, bin: "x % 2u + (i / 6u)", weights })).toEqual(
    Uint32Array.of(13, 17),
  );
  expect(
    await fold.histogram(signed, {
      bins: 3,
      bin: "f32(x) * 0.3",
      weights: Int32Array.of(-1, -2, -3, -4, 5, 6, 7),
    }),
  ).toEqual(Int32Array.of(-7, 0, 18));
  // Sums are doubles until the end.
  const shares = Float32Array.of(2 ** 24, 0.5, 0.5, NaN, 1, 1, 1);
  expect(await fold.histogram(words, { bins: 2, bin: "x / 128u", weights: shares })).toEqual(
    Float32Array.of(2 ** 24 + 1, NaN),
  );
  const floats = Float32Array.of(-0.1, 0, 0.1, 0.3, 0.9, 1, 1.1, NaN);
  expect(await fold.histogram(floats, { bins: 10, range: [0, 1] })).toEqual(
    Uint32Array.of(1, 1, 0, 1, 0, 0, 0, 0, 0, 2),
  );
});
