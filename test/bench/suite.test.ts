import { describe, expect, it } from "vitest";
import { formatLength, parseSizes } from "../../bench/sizes.ts";
import type { SuiteFacts } from "../../bench/suite.ts";
import { planSuite } from "../../bench/suite.ts";
import { ArgumentError } from "../../src/errors.ts";

const software: SuiteFacts = {
  software: true,
  features: new Set(["timestamp-query"]),
  maxStorageBufferBindingSize: 2 ** 30,
  maxBufferSize: 2 ** 30,
};
const gpu: SuiteFacts = {
  software: false,
  features: new Set(["subgroups", "timestamp-query"]),
  maxStorageBufferBindingSize: 2 ** 31 - 4,
  maxBufferSize: 2 ** 40,
};

describe("parseSizes", () => {
  it("takes exponents, ranges and lengths, each once, in order", () => {
    expect(parseSizes("4Ki,1Ki..2Ki, 1000003 ,2^10,32,3Mi")).toEqual([
      32,
      1024,
      2048,
      4096,
      1000003,
      3 * 2 ** 20,
    ]);
    expect(parseSizes("2Gi").map(formatLength)).toEqual(["2^31"]);
    expect(formatLength(1000003)).toBe("1000003");
  });

  it.each(["", "x", "10..", "12..10", "10..40", "2^40", "-4", "1.5", "10,,12", "99999999999"])(
    "rejects %j, and says what it takes",
    (text) => {
      expect(() => parseSizes(text)).toThrow(ArgumentError);
      expect(() => parseSizes(text)).toThrow(/it takes numbers of elements .*ranges/);
    },
  );
});

describe("planSuite", () => {
  it("goes to the largest that fits", () => {
    const lengthsOf = (type: string, facts: SuiteFacts): number[] =>
      planSuite({}, facts)
        .sets.filter((set) => set.type === type)
        .map(({ length }) => Math.log2(length));
    expect(lengthsOf("u32", gpu)).toEqual([10, 12, 14, 16, 18, 20, 22, 24, 26, 28]);
    expect(lengthsOf("f64", gpu)).toEqual([20, 22, 24, 26]);
    expect(lengthsOf("u32", software)).toEqual([10, 12, 14, 16]);
    expect(lengthsOf("struct16", software)).toEqual([16]);
    const small = { ...gpu, maxStorageBufferBindingSize: 2 ** 27 };
    expect(Math.max(...lengthsOf("u32", small))).toBe(25);
  });

  it("times all three primitives on u32, and the scan on the others", () => {
    const { sets } = planSuite({}, gpu);
    const primitivesOf = (type: string): string[] | undefined =>
      sets
        .filter((set) => set.type === type)
        .at(-1)
        ?.cases.map(({ primitive }) => primitive);
    expect(primitivesOf("u32")).toEqual(["scan", "reduce", "compact"]);
    for (const type of ["f32", "u64", "f64", "struct16"]) {
      expect(primitivesOf(type)).toEqual(["scan"]);
    }
  });

  it("takes what is asked for, in place too", () => {
    const { sets, notes } = planSuite(
      { sizes: [1000], types: ["i32"], ops: ["max"], algorithms: ["default", "subgroup"], inPlace: true },
      gpu,
    );
    expect(notes).toEqual([]);
    expect(sets).toEqual([
      {
        type: "i32",
        op: "max",
        length: 1000,
        cases: [
          { primitive: "scan", inPlace: false },
          { primitive: "scan", inPlace: true },
          { primitive: "scan", algorithm: "subgroup", inPlace: false },
          { primitive: "scan", algorithm: "subgroup", inPlace: true },
          { primitive: "reduce", inPlace: false },
          { primitive: "reduce", algorithm: "subgroup", inPlace: false },
        ],
      },
    ]);
  });

  it("says which sizes do not fit", () => {
    const { sets, notes } = planSuite({ sizes: [2 ** 20, 2 ** 28], types: ["u32", "f64"] }, gpu);
    expect(sets.map(({ type, length }) => `${type} ${length}`)).toEqual([
      `u32 ${2 ** 20}`,
      `u32 ${2 ** 28}`,
      `f64 ${2 ** 20}`,
    ]);
    expect(notes).toEqual([
      "f64 at 2^28 was left out: 2147483648 bytes are more than the 2147483644 that the adapter takes in a buffer",
    ]);
    expect(() => planSuite({ sizes: [2 ** 31] }, gpu)).toThrow(/8589934592 bytes are more than/);
  });

  it.each([
    [{ types: ["u33"] }, /types: "u33" is not known; it takes u32, i32/],
    [{ ops: ["plus"] }, /ops: "plus" is not known; it takes add, mul/],
    [{ algorithms: ["best"] }, /algorithms: "best" is not known; it takes default, blelloch/],
    [{ primitives: ["sort"] }, /primitives: "sort" is not known; it takes scan, reduce, compact/],
    [{ types: ["f32"], ops: ["xor"] }, /xor has no meaning on f32/],
    [{ types: ["struct16"], ops: ["max"] }, /max has no meaning on Quad/],
    [{ algorithms: ["subgroup"] }, /the algorithm subgroup needs the adapter feature "subgroups"/],
    [{ types: ["f16"] }, /the type f16 needs the adapter feature "shader-f16"/],
    [{ primitives: ["compact"], ops: ["max"] }, /nothing is left to time; compact takes no operator/],
  ])("rejects %j", (options, message) => {
    expect(() => planSuite(options, software)).toThrow(ArgumentError);
    expect(() => planSuite(options, software)).toThrow(message);
  });
});
