import { expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { fixedArray } from "../../src/algebra/fields.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { f64, i64, u64 } from "../../src/algebra/types_64.ts";
import { useFold } from "../support/fold.ts";

const fold = useFold();

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

test("a 64-bit value is a number in each text of a caller's", async () => {
  const large = BigUint64Array.of(2n ** 32n + 9n, 2n ** 32n + 3n, 8n);
  expect(await fold().reduce(Float64Array.of(3, 4), { map: "x * x" })).toBe(25);
  expect(await fold().reduce(BigInt64Array.of(-1n, -2n, 3n), { map: "x * x" })).toBe(14n);
  expect([...(await fold().sort(Float64Array.of(-3, 1, 2), { key: "abs(x)" }))]).toEqual([1, 2, -3]);
  expect([...(await fold().sort(large, { key: "x % 10u" }))]).toEqual([2n ** 32n + 9n, 8n, 2n ** 32n + 3n]);
  expect([...(await fold().compact(large, { where: "x > 4294967296 && x / 3 * 3 == x" }))]).toEqual([]);
  expect([...(await fold().compact(large, { where: "x & 1" }))]).toEqual([2n ** 32n + 9n, 2n ** 32n + 3n]);
  expect([...(await fold().histogram(large, { bins: 3, bin: "x >> 32" }))]).toEqual([1, 2, 0]);
  // Divided once for each item of a thread, it would take a software adapter minutes to compile.
  expect([...(await fold().histogram(Float64Array.of(9, 4, 19), { bins: 3, bin: "x / 9" }))]).toEqual([
    1, 1, 1,
  ]);
  const byClass = await fold().partition(Float64Array.of(0.5, 2.5, -1, 1), { class: "x", classes: 3 });
  // A negative number is beyond the last class, and so in that.
  expect([...byClass.values]).toEqual([0.5, 1, 2.5, -1]);
  const plus = operator({ name: "plus", type: u64, identity: 0n, combine: "earlier + later" });
  expect(await fold().reduce(BigUint64Array.of(2n ** 32n - 1n, 1n), { op: plus })).toBe(2n ** 32n);
});

test("so it is in fields, variables, compound assignments and functions of the caller's", async () => {
  const Reading = struct({ name: "Reading", fields: { time: i64, values: fixedArray(f64, 2) } });
  const readings = Reading.from([
    { time: -5n, values: [0.5, 3] },
    { time: 7n, values: [1e300, -1e-310] },
    { time: 2n ** 40n, values: [-0, 2.5] },
  ]);
  const map = `var sum: f64 = 0;
for (var k = 0u; k < 2u; k++) {
  sum += x.values[k] * 2;
}
return sum - f64(x.time);`;
  expect([...(await fold().compact(readings, { where: "x.time != 7", type: f64, map }))]).toEqual([
    12,
    5 - 2 ** 40,
  ]);
  const later = operator({
    name: "later",
    type: Reading,
    identity: { time: -(2n ** 63n), values: [0, 0] },
    declarations: `fn is_later(a: i64, b: i64) -> bool {
  return a > b;
}`,
    combine:
      "if (is_later(later.time, earlier.time)) { return later; }\nreturn Reading(earlier.time + 0, earlier.values);",
  });
  expect(await fold().reduce(readings, { op: later })).toEqual({ time: 2n ** 40n, values: [-0, 2.5] });
  const widened = await fold().reduce(Uint32Array.of(0xffffffff, 1), { type: u64, map: "x" });
  expect(widened).toBe(2n ** 32n);
});
