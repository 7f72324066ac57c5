import { describe, expect, it } from "vitest";
import { formatLength, parseSizes } from "../../bench/sizes.ts";
import type { SuiteFacts, SuiteOptions } from "../../bench/suite.ts";
import { benchPrimitives, byInterest, planSuite, scanPrimitives } from "../../bench/suite.ts";
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

const planAll = (options: SuiteOptions, facts: SuiteFacts) => planSuite(options, facts, benchPrimitives);

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
      planAll({}, facts)
        .sets.filter((set) => set.type === type)
        .map(({ length }) => Math.log2(length));
    expect(lengthsOf("u32", gpu)).toEqual([10, 12, 14, 16, 18, 20, 22, 24, 26, 28]);
    expect(lengthsOf("f64", gpu)).toEqual([20, 22, 24, 26]);
    expect(lengthsOf("u32", software)).toEqual([10, 12, 14, 16]);
    expect(lengthsOf("struct16", software)).toEqual([16]);
    const small = { ...gpu, maxStorageBufferBindingSize: 2 ** 27 };
    expect(Math.max(...lengthsOf("u32", small))).toBe(25);
  });

  it("times all primitives on u32, and the scan on the others", () => {
    const { sets } = planAll({}, gpu);
    const primitivesOf = (type: string): string[] | undefined =>
      sets
        .filter((set) => set.type === type)
        .at(-1)
        ?.cases.map(({ primitive }) => primitive);
    expect(primitivesOf("u32")).toEqual(["scan", "reduce", "compact", "sort", "pairs"]);
    for (const type of ["f32", "u64", "f64", "struct16"]) {
      expect(primitivesOf(type)).toEqual(["scan"]);
    }
  });

  it("takes what is asked for, in place too", () => {
    const { sets, notes } = planAll(
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

  it("times sorts where they are fast or asked for, of what has an order, once and without an operator", () => {
    const casesOf = (options: SuiteOptions, facts: SuiteFacts): string[] =>
      planAll({ sizes: [1000], ...options }, facts).sets.flatMap(({ type, op, cases }) =>
        cases.map(({ primitive, inPlace }) =>
          [primitive, type, op, inPlace && "in place"].filter(Boolean).join(" "),
        ),
      );
    expect(casesOf({}, software).some((one) => /sort|pairs/.test(one))).toBe(false);
    expect(casesOf({ primitives: ["sort"] }, software)).toEqual(["sort u32 add"]);
    const some = { primitives: ["reduce", "sort", "pairs"], types: ["f64", "struct16"], inPlace: true };
    expect(casesOf(some, gpu)).toEqual([
      "reduce f64 add",
      "sort f64 add",
      "pairs f64 add",
      "reduce struct16 add",
    ]);
    expect(casesOf({ ...some, types: ["u32"], ops: ["max"] }, gpu)).toEqual(["reduce u32 max"]);
    const named = { ...some, types: ["u32"], algorithms: ["blelloch"], inPlace: false };
    expect(casesOf(named, gpu)).toEqual(["reduce u32 add"]);
    expect(() => planSuite({ primitives: ["sort"] }, gpu, scanPrimitives)).toThrow(
      'primitives: "sort" is not known; it takes scan, reduce, compact',
    );
  });

  it("says which sizes do not fit", () => {
    const { sets, notes } = planAll({ sizes: [2 ** 20, 2 ** 28], types: ["u32", "f64"] }, gpu);
    expect(sets.map(({ type, length }) => `${type} ${length}`)).toEqual([
      `u32 ${2 ** 20}`,
      `u32 ${2 ** 28}`,
      `f64 ${2 ** 20}`,
    ]);
    expect(notes).toEqual([
      "f64 at 2^28 was left out: 2147483648 bytes are more than the 2147483644 that the adapter takes in a buffer",
    ]);
    expect(() => planAll({ sizes: [2 ** 31] }, gpu)).toThrow(/8589934592 bytes are more than/);
  });

  it.each([
    [{ types: ["u33"] }, /types: "u33" is not known; it takes u32, i32/],
    [{ ops: ["plus"] }, /ops: "plus" is not known; it takes add, mul/],
    [{ algorithms: ["best"] }, /algorithms: "best" is not known; it takes default, blelloch/],
    [
      { primitives: ["copy"] },
      /primitives: "copy" is not known; it takes scan, reduce, compact, sort, pairs/,
    ],
    [
      { primitives: ["sort"], types: ["struct16"] },
      /nothing is left to time of sort; .*struct16 cannot be sorted/,
    ],
    [{ types: ["f32"], ops: ["xor"] }, /xor has no meaning on f32/],
    [{ types: ["struct16"], ops: ["max"] }, /max has no meaning on Quad/],
    [{ algorithms: ["subgroup"] }, /the algorithm subgroup needs the adapter feature "subgroups"/],
    [{ types: ["f16"] }, /the type f16 needs the adapter feature "shader-f16"/],
    [
      { primitives: ["compact"], ops: ["max"] },
      /nothing is left to time of compact; a compaction and a sort take no operator/,
    ],
  ])("rejects %j", (options, message) => {
    expect(() => planAll(options, software)).toThrow(ArgumentError);
    expect(() => planAll(options, software)).toThrow(message);
  });
});

describe("byInterest", () => {
  it("begins with what people look at: of each type three lengths, the longest among them", () => {
    const sets = byInterest(planAll({}, gpu).sets);
    expect(sets.map(({ type, length }) => `${type} ${Math.log2(length)}`)).toEqual([
      ...["u32 24", "u32 28", "u32 20"],
      ...["f32 24", "f32 28", "f32 20"],
      ...["u64 24", "u64 26", "u64 20"],
      ...["f64 24", "f64 26", "f64 20"],
      ...["struct16 24", "struct16 26", "struct16 20"],
      ...[26, 22, 18, 16, 14, 12, 10].map((power) => `u32 ${power}`),
      ...["f32 26", "f32 22", "u64 22", "f64 22", "struct16 22"],
    ]);
  });

  it("has each set once, whatever the lengths", () => {
    for (const sizes of [[10], [10, 2 ** 20], [2 ** 25, 2 ** 26], [2 ** 16, 2 ** 10, 7]]) {
      const { sets } = planAll({ sizes, ops: ["add", "max"], types: ["i32"] }, gpu);
      const ordered = byInterest(sets);
      expect(new Set(ordered)).toEqual(new Set(sets));
      expect(ordered).toHaveLength(sets.length);
    }
  });
});
