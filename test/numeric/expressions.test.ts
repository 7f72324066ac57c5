import { expect, test } from "vitest";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { useSoftwareFold } from "../support/fold.ts";

const fold = useSoftwareFold();

const times = Float64Array.of(0.25, 0.75, 1.5, 3.5, -2.5, Number.NaN);

test("an expression over f64 makes a key, a bin, a class and a number of another type", async () => {
  const key = "u32_from_f64(x)";
  const ones = new Uint32Array(6).fill(1);
  const runs = await fold().reduce(ones, { segments: { keys: times, key, keyType: u32 } });
  expect([[...runs.keys], [...runs.values]]).toEqual([
    [0, 1, 3, 0],
    [2, 1, 1, 2],
  ]);
  expect([...(await fold().histogram(times, { bins: 4, bin: key }))]).toEqual([4, 1, 0, 1]);
  const split = await fold().partition(times, { class: key, classes: 4 });
  expect([...split.values]).toEqual([0.25, 0.75, -2.5, Number.NaN, 1.5, 3.5]);
  // A map and a key, which both convert.
  const both = { type: u32, map: key, segments: { key, keyType: u32 } } as const;
  expect([...(await fold().reduce(times, both)).values]).toEqual([0, 1, 3, 0]);
  expect([...(await fold().compact(times, { where: `${key} == 0u`, map: key, type: u32 }))]).toEqual([
    0, 0, 0, 0,
  ]);
  const byKey = { key: "i64_from_f64(x)", keyType: i64 };
  expect([...(await fold().sort(times, byKey))]).toEqual([-2.5, 0.25, 0.75, Number.NaN, 1.5, 3.5]);
  const numbers = times.subarray(0, 5);
  expect([...(await fold().scan(numbers, { map: "f32_from_f64(x)", type: f32 }))]).toEqual([
    0.25, 1, 2.5, 6, 3.5,
  ]);
  expect([...(await fold().scan(numbers, { map: "floor_f64(x)" }))]).toEqual([0, 0, 1, 4, 1]);
});

test("expressions convert 64-bit integers, and make them", async () => {
  const large = BigUint64Array.of(2n ** 53n + 1n, 5n);
  expect([...(await fold().scan(large, { map: "f64_from_u64(x)", type: f64 }))]).toEqual([
    2 ** 53,
    2 ** 53 + 4,
  ]);
  expect(await fold().reduce(large, { map: "f32_from_u64(x)", type: f32 })).toBe(2 ** 53);
  expect(
    await fold().reduce(Float64Array.of(2 ** 40 + 0.5, 7.5), { map: "u64_from_f64(x)", type: u64 }),
  ).toBe(2n ** 40n + 7n);
});
