import { expect, test } from "vitest";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { arrayOver } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import { decodeFloat16, encodeFloat16 } from "../../src/algebra/float16.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { narrowTypes } from "../../src/algebra/narrow_types.ts";
import { operators } from "../../src/algebra/operator_table.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { add, exactAdd, f16, max, openFold } from "../../src/node.ts";
import type { WeighedOptions } from "../../src/plan/bin_weights.ts";
import type { HistogramOptions } from "../../src/plan/histogram.ts";
import { histogramReference } from "../../src/reference/histogram.ts";
import { simulatedGpu } from "../../src/simulator/index.ts";
import { bytesIn, destroyAll } from "../support/buffers.ts";
import { expectSameBits } from "../support/compare.ts";
import { useAdapters, useFold } from "../support/fold.ts";
import { affine } from "../support/operators.ts";
import { pairs } from "../support/pairs.ts";
import { randomBits, randomItems } from "../support/random.ts";
import { lacks } from "../support/sorts.ts";

// Weights of histograms: of each type, by operators, in the order of the elements.

const fold = useFold();
const nextAdapter = useAdapters();

/** What of the data is in which bin: by even bins, edges and WGSL, for channels and two dimensions. Some elements are outside of all. */
const rules: readonly (Omit<HistogramOptions, "type" | "maxLength" | "y"> & { readonly y?: true })[] = [
  { bins: 7, range: [3, 24] },
  { edges: [1, 5, 6, 30] },
  { bins: 5, bin: "x % 6u" },
  { bins: 4, range: [2, 33], channels: 3 },
  { bins: 3, range: [0, 30], y: true, yEdges: [0, 0.25, 0.5] },
  // If 2^30 were a bin of the data, its four bins of y would start at 2^32, which is 0 again.
  { bins: 3, bin: "select((x + i) % 4u, 1073741824u, x > 35u)", y: true, yBins: 4, yRange: [0.125, 0.75] },
];

/** Weights and what combines them. Floats that are added up are small, so that their sums are exact. */
const combined: readonly (readonly [type: keyof typeof elementTypes, op: Operator | undefined])[] = [
  ["u32", undefined],
  ["u64", undefined],
  ["i64", add as Operator],
  ["f64", undefined],
  ["f32", undefined],
  ["f16", add as Operator],
  ["f64", exactAdd as Operator],
  ["f32", exactAdd as Operator],
  ["f16", exactAdd as Operator],
  ["i32", max as Operator],
  ["i32", operators.mul as Operator],
  ["u32", affine as Operator],
];

const isExact = (type: ElementType, op: Operator | undefined): boolean =>
  type.kind !== "float" || op === exactAdd;

/** Sums of these are exact in each type, and some are −0. */
function weightsOf(type: ElementType, op: Operator | undefined, length: number, name: string): ScalarArray {
  if (type.name in narrowTypes) {
    const next = randomBits(name);
    const bytes = Uint8Array.from({ length: length * type.bytes }, next);
    return arrayOver(type, bytes.buffer) as ScalarArray;
  }
  if (isExact(type, op)) {
    return randomItems(type, length, name) as ScalarArray;
  }
  const next = randomBits(name);
  const numbers = Array.from({ length }, () => (next() % 4 === 0 ? -0 : (next() % 9) / 4 - 1));
  return type.name === "f64"
    ? Float64Array.from(numbers)
    : type.name === "f32"
      ? Float32Array.from(numbers)
      : Uint16Array.from(numbers, encodeFloat16);
}

/** The data of a call, and what goes with it. */
function dataOf(rule: (typeof rules)[number], length: number, name: string) {
  const next = randomBits(name);
  const data = Uint32Array.from({ length }, () => next() % 40);
  const y = rule.y && Float32Array.from({ length }, () => (next() % 10) / 8 - 0.25);
  return { data, y, options: { ...rule, ...(y && { y }) } };
}

/** What is meant. The reference knows f16 only as its numbers, whose sums are exact as f64. */
function meant(
  { data, options }: ReturnType<typeof dataOf>,
  type: ElementType,
  weights: ScalarArray,
  others: WeighedOptions | undefined,
): ScalarArray {
  const isHalf = type.name === "f16";
  const given = isHalf ? Float64Array.from(weights as Uint16Array, decodeFloat16) : weights;
  const found = histogramReference(data, { ...options, weights: given, ...others } as never) as ScalarArray;
  return isHalf ? Uint16Array.from(found as Float64Array, encodeFloat16) : found;
}

const atHand = pairs({
  combination: [
    ...combined.filter(([name], at) => name !== "f16" && at % 2 === 0),
    ...Object.keys(narrowTypes).map((name, at) => [name, at % 2 ? (max as Operator) : undefined] as const),
  ],
  cpu: ["never", "always"] as const,
}).map((row, at) => ({ ...row, rule: rules[(at >> 1) % rules.length] as (typeof rules)[number] }));

test.for(atHand)("at hand, $rule, $combination, the CPU: $cpu", async ({ rule, combination, cpu }) => {
  const own = await openFold({ adapter: await nextAdapter(), cpu });
  const [name, op] = combination;
  const isNarrow = name in narrowTypes;
  const type = (isNarrow ? narrowTypes[name as "u8"] : elementTypes[name as "u32"]) as ElementType;
  for (const length of [0, 1, 500]) {
    const given = dataOf(rule, length, `${name} at hand`);
    const weights = weightsOf(type, op, length, `${name} at hand`);
    const others = op && { op: op as Operator<string> };
    const expected = meant(given, type, weights, others);
    const found = await own.histogram(given.data, { ...given.options, weights, ...others } as never);
    expect(found).toBeInstanceOf(expected.constructor);
    expectSameBits(found, expected as Uint32Array, `${name} ${length}`);
  }
  own.destroy();
});

/** Sums of f32 of many magnitudes, on machines with other schedules and other orders of atomics. */
async function sumsOn(seed: number, options: WeighedOptions<"f32">): Promise<Float32Array> {
  const own = await openFold({
    adapter: (await simulatedGpu({
      schedule: "random",
      atomics: "random",
      seed,
    }).requestAdapter()) as GPUAdapter,
    cpu: "never",
  });
  const next = randomBits("sums of f32");
  const length = 1500;
  const data = Uint32Array.from({ length }, () => next() % 5);
  const weights = Float32Array.from({ length }, () => next() / 2 ** (next() % 32));
  const sums = await own.histogram(data, { bins: 4, bin: "x", weights, ...options });
  own.destroy();
  return sums;
}

test("sums of f32 have the same bits on each schedule", async () => {
  const seeds = [1, 2, 3];
  const bitsBy = async (options: WeighedOptions<"f32">): Promise<number> =>
    new Set(
      (await Promise.all(seeds.map((seed) => sumsOn(seed, options)))).map((sums) => bytesIn(sums).join()),
    ).size;
  expect(await bitsBy({})).toBe(1);
  expect(await bitsBy({ op: exactAdd })).toBe(1);
});

test("arrays on the GPU, of f16, too", async ({ skip }) => {
  skip(lacks(fold(), f16), "the adapter has no f16");
  const halves = Uint16Array.from([0.5, 1, -0.25, 2, 8], encodeFloat16);
  const [data, weights] = [
    await fold().upload(Uint32Array.of(1, 0, 1, 2, 9)),
    await fold().upload(halves, { type: f16 }),
  ];
  const sums = await fold().histogram(data, { bins: 4, bin: "x", weights });
  expect(sums.type.name).toBe("f16");
  expect(Array.from((await sums.read()) as Uint16Array, decodeFloat16)).toEqual([1, 0.25, 2, 0]);
  destroyAll(data, weights, sums);
});
