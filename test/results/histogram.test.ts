import { describe, expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { decodeFloat16, encodeFloat16 } from "../../src/algebra/float16.ts";
import { f16 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { Scalar, TypeName } from "../../src/algebra/types.ts";
import { i64, u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { ArgumentError, add, exactAdd, FeatureError, LimitError, SourceError } from "../../src/node.ts";
import type { HistogramOptions } from "../../src/plan/histogram.ts";
import { planHistogram } from "../../src/plan/histogram.ts";
import { histogramReference } from "../../src/reference/histogram.ts";
import { readWords, storageBuffer } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useFold } from "../support/fold.ts";
import { factsWith } from "../support/kernels.ts";
import { errorOf } from "../support/option_checks.ts";
import { anyItems, randomBits, valuesAs } from "../support/random.ts";

const fold = useFold();

type Rule = Pick<HistogramOptions, "bins" | "range" | "edges">;

/** Ranges and edges that end inside and outside of a type, with bins of all widths. */
const rulesOf: Readonly<Record<TypeName, readonly Rule[]>> = {
  u32: [
    { bins: 256, range: [0, 2 ** 32] },
    { bins: 10, range: [0, 100] },
    { bins: 7, range: [3, 45] },
    { bins: 7, range: [3, 46] },
    { bins: 3, range: [-10, 10] },
    { bins: 5, range: [2 ** 32 - 3, 2 ** 33] },
    { bins: 2, range: [2 ** 33, 2 ** 34] },
    { bins: 9, range: [-20, -10] },
    { bins: 1, range: [0, 0xffffffff] },
    { bins: 1, range: [0, 2 ** 32] },
    { bins: 1000, range: [5, 25] },
    { edges: [0.5, 3, 3.5, 3.75, 7.5, 1e10] },
    { edges: [Number.NEGATIVE_INFINITY, 4, 0xffffffff] },
  ],
  i32: [
    { bins: 256, range: [-(2 ** 31), 2 ** 31] },
    { bins: 10, range: [-50, 50] },
    { bins: 12, range: [-5, 90] },
    { bins: 4, range: [-(2 ** 40), 2 ** 40] },
    { edges: [-7.5, -1, 0, 0.25, 0.5, 12] },
    { edges: [-3n, 5n] },
  ],
  f32: [
    { bins: 256, range: [0, 1] },
    { bins: 10, range: [-1, 1] },
    { bins: 7, range: [0.1, 0.3] },
    { bins: 100, range: [1, 1.00001] },
    { bins: 5, range: [-3e38, 3e38] },
    { bins: 5, range: [0, 1e-40] },
    { bins: 70_000, range: [-2, 3] },
    { edges: [-1, 0, 0.5, 0.50001, 2] },
    { edges: [Number.NEGATIVE_INFINITY, 0, Number.POSITIVE_INFINITY] },
  ],
  f16: [{ bins: 256, range: [0, 1] }, { bins: 10, range: [-60000, 60000] }, { edges: [-1, 0, 0.1, 2] }],
  u64: [
    { bins: 10, range: [0n, 2n ** 64n] },
    { bins: 7, range: [3, 45] },
    { edges: [2n ** 33n, 2n ** 40n, 2n ** 64n - 1n] },
  ],
  i64: [{ bins: 10, range: [-(2n ** 63n), 2n ** 63n] }, { edges: [-(2n ** 33n), 0n, 2n ** 40n] }],
  f64: [{ bins: 100, range: [-1, 2] }, { bins: 5, range: [0, 1e-310] }, { edges: [-1e300, -0, 1e-320, 5] }],
};

/** Items of all bits; values in the range; and edges with their neighbours. */
function itemsFor(type: TypeName, rule: Rule, length: number, name: string): ScalarArray {
  const next = randomBits(name);
  const any = anyItems(type, length, name);
  const { range } = rule;
  const ends = (range ?? [rule.edges?.[0] ?? 0, rule.edges?.[rule.edges.length - 1] ?? 0]).map(Number);
  const [low = 0, high = 0] = ends.map((end) => (Number.isFinite(end) ? end : Math.sign(end) * 10));
  const isBig = type === "u64" || type === "i64";
  const isFloat = type === "f32" || type === "f16" || type === "f64";
  const values = Array.from({ length }, (): Scalar => {
    const turn = next() % 4;
    const part = turn === 0 ? (next() % ((rule.bins ?? 8) + 1)) / (rule.bins ?? 8) : next() / 2 ** 32;
    const value = low + part * (high - low);
    if (isFloat) {
      return value;
    }
    const whole = Math.round(value) + (turn === 1 ? (next() % 3) - 1 : 0);
    const { lowest, greatest } = elementTypes[type];
    const inside = Math.min(Math.max(whole, Number(lowest)), Number(greatest));
    return isBig ? BigInt.asUintN(63, BigInt(inside)) : inside;
  });
  const near = valuesAs(type, values);
  for (let at = 0; at < length; at += 3) {
    near[at] = any[at] as never;
  }
  return near;
}

const typed = (type: TypeName): object => (type === "f16" ? { type: f16 } : {});

const lacks = (type: TypeName): boolean => type === "f16" && !fold().device.features.has("shader-f16");

const all = Object.entries(rulesOf).flatMap(([type, rules]) =>
  rules.map((rule) => {
    const what = rule.edges
      ? `edges ${Array.from(rule.edges).join()}`
      : `${rule.bins} bins in ${rule.range?.join()}`;
    return [`${type}, ${what}`, type as TypeName, rule] as const;
  }),
);

test.for(all)("%s", async ([title, type, rule], { skip }) => {
  skip(lacks(type), "the adapter has no shader-f16");
  for (const length of [0, 3, 1200]) {
    const data = itemsFor(type, rule, length, `${title} ${length}`);
    const options = { ...rule, ...typed(type) };
    const expected = histogramReference(data, options as never);
    const counts = await fold().histogram(data, options as never);
    expect(counts).toBeInstanceOf(Uint32Array);
    expectSameBits(counts, expected, `${title}, length ${length}`);
  }
});

/** By another way than the reference and the kernels: NumPy's numbers, and bins that are found with comparisons alone. */
const known = [
  [Uint32Array.of(1, 2, 1, 3, 3, 4), { edges: [0, 1, 2, 3] }, [0, 2, 3]],
  [Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), { bins: 3, range: [0, 10] }, [4, 3, 4]],
  [Int32Array.of(-5, -4, 0, 4, 5, 6), { bins: 2, range: [-5, 5] }, [2, 3]],
  [
    Float32Array.of(0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, -0.1, Number.NaN),
    { bins: 4, range: [0, 1] },
    [2, 1, 1, 2],
  ],
  [Float32Array.of(-0, 0, 1e-45, -1e-45), { edges: [0, 1e-45, 1] }, [2, 1]],
  [Float32Array.of(0.7, 0.3), { edges: [0.3, 0.5, 0.7] }, [1, 1]],
  [
    Float64Array.of(Number.NEGATIVE_INFINITY, 5, Number.POSITIVE_INFINITY, Number.NaN),
    { edges: [Number.NEGATIVE_INFINITY, 5, Number.POSITIVE_INFINITY] },
    [1, 2],
  ],
] as const;
test.each(known)("%o, %o", async (data, rule, expected) => {
  expect([...(await fold().histogram(data as Float32Array, rule))]).toEqual(expected);
  expect([...histogramReference(data as Float32Array, rule)]).toEqual(expected);
});

describe("WGSL for the bin", () => {
  const types = Object.values(elementTypes).filter(({ name }) => name !== "f16");
  test.each(types)("$name", async ({ name }) => {
    const data = anyItems(name, 1000, `bin ${name}`);
    const counts = await fold().histogram(data, { bins: 6, bin: "i % 7u" } as never);
    expect([...counts]).toEqual([143, 143, 143, 143, 143, 143]);
  });

  test("sees the value, and may be statements", async () => {
    const data = Float32Array.of(0.5, 1.5, 2.5, -3);
    expect([
      ...(await fold().histogram(data, { bins: 3, bin: "if (x < 0) { return 7u; }\nreturn u32(x);" })),
    ]).toEqual([1, 1, 1]);
    expect([
      ...(await fold().histogram(BigUint64Array.of(2n ** 32n, 5n), { bins: 2, bin: "x >> 32" })),
    ]).toEqual([1, 1]);
  });

  test("takes a number of any kind: one below 0 is not counted, and a fraction is cut off", async () => {
    const data = Float32Array.of(-3, -1, -0.5, 0, 0.75, 1, 2.5, 3, 5e9);
    const kinds: readonly [bin: string, of: (x: number) => number][] = [
      ["x", (x) => x],
      ["i32(max(x, -7.0))", (x) => Math.max(x, -7)],
      ["x > 0.5", (x) => Number(x > 0.5)],
      ["u32(x)", (x) => Math.max(x, 0)],
      ["if (x < 0.0) { return 2u; }\nreturn u32(x);", (x) => (x < 0 ? 2 : x)],
      ["select(1u, 4000000000u, x < 0.0)", (x) => (x < 0 ? 4e9 : 1)],
    ];
    for (const [bin, of] of kinds) {
      const counts = await fold().histogram(data, { bins: 3, bin });
      expect([...counts], bin).toEqual([...histogramReference(data, { bins: 3, bin: of })]);
    }
    expect([...histogramReference(data, { bins: 3, bin: (x) => x })]).toEqual([3, 1, 1]);
    expect([...histogramReference(data, { bins: 3, bin: () => Number.NaN })]).toEqual([0, 0, 0]);
  });

  test("what is wrong in it is an error at its line", async () => {
    const error = await fold()
      .histogram(Uint32Array.of(1), { bins: 3, bin: "x +\n nonsense" })
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(SourceError);
    expect((error as SourceError).line).toBe(2);
  });
});

describe("recorded", () => {
  test("again and again into the same bins, and parts of longer data", async () => {
    const { device } = fold();
    const histogram = await fold().prepareHistogram({ type: u32, bins: 3, bin: "i % 5u", maxLength: 100 });
    const [input, output] = [new Uint32Array(100), new Uint32Array(3)].map((words) =>
      storageBuffer(device, words),
    ) as [GPUBuffer, GPUBuffer];
    const encoder = device.createCommandEncoder();
    histogram.record(encoder, { input, output, length: 100 });
    histogram.record(encoder, { input, output, length: 4, firstIndex: 4 });
    device.queue.submit([encoder.finish()]);
    expect([...(await readWords(device, output))]).toEqual([1, 1, 1]);
    histogram.destroy();
  });

  test("input and output in one buffer", async () => {
    const { device } = fold();
    const histogram = await fold().prepareHistogram({ type: u32, bins: 3, range: [0, 3], maxLength: 100 });
    const buffer = storageBuffer(device, new Uint32Array(1000));
    const ranges = { input: buffer, output: { buffer, offset: 2048 }, length: 100 };
    expect(() => histogram.record(device.createCommandEncoder(), ranges)).toThrow(/different buffers/);
    histogram.destroy();
  });
});

test("sums of weights wrap, and those of f32 are within a bound of the exact sum", async () => {
  const many = 1500;
  const data = new Uint32Array(many).fill(1);
  const bins = { bins: 2, range: [0, 2] } as const;
  const ones = new Uint32Array(many).fill(0xffffffff);
  expect([...(await fold().histogram(data, { ...bins, weights: ones }))]).toEqual([0, 2 ** 32 - many]);
  const next = randomBits("weights");
  const few = 600;
  const weights = Float32Array.from({ length: few }, () => 1 + next() / 2 ** 32);
  const [, sum = 0] = await fold().histogram(data.subarray(0, few), { ...bins, weights });
  const exact = weights.reduce((total, one) => total + one, 0);
  // Each of the additions rounds a sum of at most twice as many, by half a unit in the last place. One weight too few is 1 off.
  expect(Math.abs(sum - exact)).toBeLessThan(few * 2 * few * 2 ** -24);
});

test("a call takes the plan of an equal one, and not that of another", async () => {
  const data = Uint32Array.of(1, 2, 3, 4);
  const { plans } = contextOf(fold().device).kept;
  await fold().histogram(data, { bins: 2, range: [0, 4] });
  const before = plans.length;
  await fold().histogram(data, { bins: 2, range: [0, 4] });
  expect(plans.length).toBe(before);
  expect([...(await fold().histogram(data, { edges: [0, 1, 5] }))]).toEqual([0, 4]);
  expect([...(await fold().histogram(data, { edges: [0, 2, 5] }))]).toEqual([1, 3]);
});

describe("bad input", () => {
  const data = Uint32Array.of(1, 2, 3);
  const pair = struct({ name: "Two", fields: { a: u32, b: u32 } });
  const edgesOnly = { edges: [0, 1] };
  test.each([
    [{}, "bins", /takes edges, or bins and range, or bins and bin; it was given none of them/],
    [{ bins: 4 }, "bins", /given bins/],
    [{ bins: 4, ...edgesOnly }, "edges", /given bins and edges/],
    [{ bins: 4, range: [0, 1], bin: "x" }, "range", /given bins and range and bin/],
    [{ bins: 0, range: [0, 1] }, "bins", /bins is 0; it takes a whole number from 1/],
    [{ bins: 2 ** 32, range: [0, 1] }, "bins", /bins is 4294967296/],
    [{ bins: 4, range: [1, 1] }, "range", /range is \[1, 1\]; it takes two finite numbers/],
    [{ bins: 4, range: [2, 1] }, "range", /range is \[2, 1\]/],
    [{ bins: 4, range: [0, Number.POSITIVE_INFINITY] }, "range", /Infinity/],
    [{ bins: 4, range: [Number.NaN, 1] }, "range", /NaN/],
    [{ bins: 4, range: [0] }, "range", /range is \[0\]; it takes two/],
    [{ bins: 4, range: [0, 1.5] }, "range", /whole numbers, since the items are u32/],
    [{ edges: [1] }, "edges", /an array of 1; it takes an array of at least two edges/],
    [{ edges: [0, 2, 1] }, "edges", /edges\[2\] is 1, and edges\[1\] is 2; edges are in ascending order/],
    [{ edges: [0, 2, 2] }, "edges", /edges\[2\] is 2, as is edges\[1\]; a bin between them has no width/],
    [{ edges: [0, Number.NaN] }, "edges", /edges\[1\] is NaN/],
    [{ edges: [0, "1"] }, "edges", /edges\[1\] is "1"; it takes a number/],
    [{ bins: 4, bin: "" }, "bin", /bin is empty/],
    [{ ...edgesOnly, weights: pair.array(3) }, "weights", /weights: weights is the struct Two; it takes u32/],
    [{ ...edgesOnly, op: add }, "op", /^histogram<u32>: op is only for weights; it takes weights, too$/],
    [
      { ...edgesOnly, weights: data, op: exactAdd },
      "op",
      /exactAdd has no meaning on u32; it takes f16, f32, f64$/,
    ],
    [{ ...edgesOnly, weights: data, op: "add" }, "op", /op is "add"; it takes an operator itself/],
    [{ ...edgesOnly, workGroupSize: 0 }, "workGroupSize", /workGroupSize/],
    [{ ...edgesOnly, itemsPerThread: 65 }, "itemsPerThread", /1 to 64/],
  ] as const)("%o", async (options, option, message) => {
    const error = await fold()
      .histogram(data, options as never)
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as ArgumentError).option).toBe(option);
    expect((error as ArgumentError).message).toMatch(message);
  });

  test("a condition, for which bin is to leave elements out", async () => {
    const data = Uint32Array.of(0, 1, 2, 3, 0, 2, 5);
    const message =
      'takes no option where; an element outside the bins is not counted: with 4 bins, bin: "select(4u, u32(x), x > 0)" leaves out what is not above 0';
    for (const call of [
      () => fold().histogram(data, { bins: 4, range: [0, 4], where: "x > 0" } as never),
      () =>
        fold().prepareHistogram({ type: u32, bins: 4, range: [0, 4], where: "x > 0", maxLength: 7 } as never),
    ]) {
      const error = await errorOf(call());
      expect([error.name, error.option]).toEqual(["ArgumentError", "where"]);
      expect(error.message).toContain(message);
    }
    const bin = "select(4u, u32(x), x > 0)";
    expect(await fold().histogram(data, { bins: 4, bin })).toEqual(Uint32Array.of(0, 1, 2, 1));
    expect(await fold().histogram(Float32Array.from(data), { bins: 4, bin })).toEqual(
      Uint32Array.of(0, 1, 2, 1),
    );
  });

  test("of floats, and of what is none", async () => {
    const floats = Float32Array.of(1);
    await expect(fold().histogram(floats, { edges: [0, 0.1, 0.1000000001] })).rejects.toThrow(
      /edges\[2\] is 0\.1000000001, and edges\[1\] is 0\.1, the same as f32; a bin between them has no width/,
    );
    await expect(fold().histogram(floats, { edges: [0, 1e300] })).rejects.toThrow(
      /edges\[1\] is 1e\+300; no value of f32/,
    );
    await expect(fold().histogram(floats, { bins: 2, range: [0, 1e300] })).rejects.toThrow(
      /no value of f32 is near it/,
    );
    await expect(fold().histogram(floats, { bins: 2, range: [1, 1 + 1e-12] })).rejects.toThrow(
      /apart as f32/,
    );
    await expect(fold().histogram(Float64Array.of(1), { bins: 2, range: [-1e308, 1e308] })).rejects.toThrow(
      /difference is finite/,
    );
    await expect(fold().histogram(pair.array(1) as never, edgesOnly)).rejects.toThrow(
      /the struct Two; it takes u32/,
    );
  });

  test("planned", () => {
    const facts = factsWith();
    const options = { type: u32, ...edgesOnly, maxLength: 100 };
    const planOf =
      (more: object, own = facts) =>
      () =>
        planHistogram({ ...options, ...more } as HistogramOptions, own);
    expect(planOf({ edges: undefined, bins: 2 ** 25 + 1, range: [0, 2 ** 26] })).toThrow(LimitError);
    expect(planOf({ maxLength: 2 ** 30 })).toThrow(LimitError);
    expect(planOf({ maxLength: -1 })).toThrow(ArgumentError);
    expect(planOf({ weights: pair })).toThrow(/weights is the struct Two; it takes u32/);
    expect(planOf({ weights: Uint32Array.of(1) })).toThrow(/is not an element type/);
    expect(planOf({ type: pair })).toThrow(/the struct Two/);
    expect(planOf({ type: f16 }, factsWith({ features: new Set() }))).toThrow(FeatureError);
    expect(planOf({ type: i64 })().title).toBe("histogram<i64>");
    expect(planOf({ type: u64 })().outputLength(5)).toBe(1);
  });
});

test("the reference of f16 reads bits", () => {
  const data = Uint16Array.of(encodeFloat16(0.25), encodeFloat16(0.75), encodeFloat16(-1));
  expect(decodeFloat16(data[0] ?? 0)).toBe(0.25);
  expect([...histogramReference(data, { bins: 2, range: [0, 1], type: f16 })]).toEqual([1, 1]);
});

test("edges that are no array, and that change between calls", async () => {
  const edges: Record<string, number> & { length: number } = { length: 3, 0: 0, 1: 5, 2: 10 };
  const data = Uint32Array.of(1, 3, 4, 6);
  expect([...(await fold().histogram(data, { edges }))]).toEqual([3, 1]);
  edges[1] = 2;
  expect([...(await fold().histogram(data, { edges }))]).toEqual([1, 3]);
});
