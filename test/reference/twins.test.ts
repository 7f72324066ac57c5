import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
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
    ["7", "7 is no value of u64, which takes a bigint"],
  ])("%j", (value, problem) => {
    const data = BigUint64Array.of(1n, 2n);
    const op = wrong(value);
    for (const [name, run] of [
      ["scanReference", () => scanReference(data, { op })],
      ["reduceReference", () => reduceReference(data, { op })],
    ] as const) {
      expect(run).toThrow(ArgumentError);
      expect(run).toThrow(`${name}<u64, wrong>: reference(1n, 2n) is ${value}: ${problem}`);
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
    }
  });
});
