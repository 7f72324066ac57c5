import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import { u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError } from "../../src/errors.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";

describe("a reference that gives another kind of value than its type's", () => {
  const wrong = (value: unknown) =>
    operator({
      name: "wrong",
      type: u64,
      identity: 0n,
      combine: "earlier",
      reference: () => value as bigint,
    });
  test.each([
    [7, "7 is no value of u64, which takes a bigint"],
    [undefined, "undefined is no value of u64, which takes a bigint"],
    ["7", '"7" is no value of u64, which takes a bigint'],
  ])("%j", (value, problem) => {
    const data = BigUint64Array.of(1n, 2n);
    const op = wrong(value);
    for (const [name, run] of [
      ["scanReference", () => scanReference(data, { op })],
      ["reduceReference", () => reduceReference(data, { op })],
    ] as const) {
      expect(run).toThrow(ArgumentError);
      expect(run).toThrow(
        `${name}<u64, wrong>: reference(1n, 2n) is ${typeof value === "string" ? JSON.stringify(value) : value}: ${problem}`,
      );
    }
  });

  test("a bigint where it takes a number", () => {
    const op = operator({
      name: "wrong",
      type: u32,
      identity: 0,
      combine: "earlier",
      reference: () => 7n as unknown as number,
    });
    expect(() => scanReference(Uint32Array.of(1, 2), { op })).toThrow(
      "scanReference<u32, wrong>: reference(1, 2) is 7n: 7n is no value of u32, which takes a number",
    );
  });

  test("structs", () => {
    const Pair = struct({ name: "Pair", fields: { a: u32, b: u64 } });
    const data = Pair.from([
      { a: 1, b: 1n },
      { a: 2, b: 2n },
    ]);
    for (const value of [7, null, undefined, { a: 1, b: 2 }, { a: 1 }]) {
      const op = operator({
        name: "wrong",
        type: Pair,
        identity: { a: 0, b: 0n },
        combine: "earlier",
        reference: () => value as never,
      });
      expect(() => scanReference(data, { op }), JSON.stringify(value)).toThrow(ArgumentError);
      expect(() => scanReference(data, { op })).toThrow(/Pair/);
      expect(() => reduceReference(data, { op }), JSON.stringify(value)).toThrow(
        /^reduceReference<Pair, wrong>: reference\(\{ a: 1, b: 1n \}, \{ a: 2, b: 2n \}\) is /,
      );
    }
  });

  test("numbers that no element can be", () => {
    for (const value of [Number.NaN, 2.5, Number.POSITIVE_INFINITY]) {
      const op = operator({
        name: "wrong",
        type: u32,
        identity: 0,
        combine: "earlier",
        reference: () => value,
      });
      const data = Uint32Array.of(1, 2);
      for (const call of [() => scanReference(data, { op }), () => reduceReference(data, { op })]) {
        expect(call).toThrow(`is ${value}: ${value} is no value of u32`);
      }
    }
  });
});

test("a reference's numbers are wrapped and rounded at each step, as on the GPU", () => {
  const sum = (earlier: number, later: number): number => earlier + later;
  const most = (earlier: number, later: number): number => Math.max(2 * earlier, later);
  const of = (reference: typeof sum) => ({ name: "own", identity: 0, combine: "earlier", reference });
  // 2^32 is 0. Without that, it would stay the greatest.
  const op = operator({ ...of(most), type: u32 });
  expect(scanReference(Uint32Array.of(2 ** 31, 1, 2), { op })).toEqual(Uint32Array.of(2 ** 31, 0, 2));
  expect(reduceReference(Uint32Array.of(2 ** 31, 1, 2), { op })).toBe(2);
  const tenths = new Float32Array(1000).fill(0.1);
  let total = 0;
  for (const tenth of tenths) {
    total = Math.fround(total + tenth);
  }
  expect(reduceReference(tenths, { op: operator({ ...of(sum), type: f32 }) })).toBe(total);
});
