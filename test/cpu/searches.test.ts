import { expect, test } from "vitest";
import type { AnyArray, ScalarArray } from "../../src/algebra/arrays.ts";
import { elementTypes } from "../../src/algebra/element_types.ts";
import type { Scalar, ScalarType } from "../../src/algebra/types.ts";
import type { CpuCall, Numbers, OnCpu } from "../../src/cpu/call.ts";
import { histogram, searchSorted } from "../../src/cpu/search_loops.ts";
import { histogramReference } from "../../src/reference/histogram.ts";
import { searchSortedReference } from "../../src/reference/search.ts";
import { sortReference } from "../../src/reference/sort.ts";
import { expectSameBits } from "../support/compare.ts";
import { anyItems, randomBits, valuesAs } from "../support/random.ts";
import { cpuArray } from "./calls.ts";

const types = Object.values(elementTypes) as readonly ScalarType[];

/** The only result of a call on arrays of one type, but weights. */
async function resultOf(
  run: OnCpu,
  type: ScalarType,
  arrays: Readonly<Record<string, unknown>>,
  options: object,
): Promise<Numbers> {
  const call = {
    arrays: Object.fromEntries(
      Object.entries(arrays).map(([name, array]) => [
        name,
        cpuArray(
          name !== "weights"
            ? type
            : array instanceof Float32Array
              ? elementTypes.f32
              : array instanceof Int32Array
                ? elementTypes.i32
                : elementTypes.u32,
          array as AnyArray,
        ),
      ]),
    ),
    request: { title: "test", options: { ...options, type }, results: [] },
    mapped: async () => undefined,
    condition: async () => undefined,
    addedToBins: async () => false,
    elementsInOrder: async () => undefined,
    positionsInOrder: async () => undefined,
  } satisfies CpuCall;
  return (await run(call))?.[0] as Numbers;
}

test.each(types)("places of $name, NaN and zeros among them", async (type) => {
  for (const length of [0, 1, 2, 3, 255, 256, 257, 3000]) {
    const sorted = sortReference(anyItems(type.name, length, `sorted ${length}`), { type: type as never });
    const values = anyItems(type.name, 3000, `values ${length}`);
    for (const side of ["left", "right"] as const) {
      expectSameBits(
        await resultOf(searchSorted, type, { sorted, values }, { side }),
        searchSortedReference(sorted as Uint32Array, values as Uint32Array, { type: type as never, side }),
        `${length} ${side}`,
      );
    }
  }
});

/** Ranges inside of a type, around it, and as long as it. */
const rangesOf = ({ kind, bytes, lowest, greatest }: ScalarType): readonly (readonly [Scalar, Scalar])[] => {
  if (kind === "float") {
    return [
      [0, 1],
      [-0.1, 0.7],
      [-3, 1000],
      [-(2 ** -14), 2 ** -14],
      [0, 60000],
      [1000, 1001],
      // Some bins are narrower than what lies between two f32.
      ...(bytes > 2 ? [[1, 1 + 2 ** -20] as const] : []),
    ];
  }
  const most = BigInt(greatest);
  return [
    [0, 1],
    [-7, 1000],
    [0, 2 ** 20],
    [BigInt(lowest), most],
    [BigInt(lowest) - 5n, most + 1000n],
    [most - 1000n, most],
    [most - 10n ** 7n, most + 3n],
    [-(10n ** 18n), 10n ** 18n],
    // As a double, the lower edge is greater.
    [-(2n ** 53n) - 1n, -(2n ** 31n) - 1n],
    ...(bytes === 8 ? [[2n ** 60n, 2n ** 60n + 2n ** 40n] as const] : []),
  ];
};

test.each(types)("bins of $name", async (type) => {
  const next = randomBits(`bins ${type.name}`);
  for (const [low, high] of rangesOf(type)) {
    for (const bins of [1, 2, 3, 10, 1000]) {
      const length = 2100;
      const nearby = Array.from({ length }, (): Scalar => {
        const share = next() / 2 ** 32;
        const value = Number(low) + Math.round(share * bins) * ((Number(high) - Number(low)) / bins);
        if (type.kind === "float") {
          return type.round((next() % 3 ? value : share * 2 * Number(high)) as never);
        }
        const whole = BigInt(Math.floor(value)) + BigInt(next() % 3) - 1n;
        return type.bytes === 8 ? type.round(whole as never) : Number(BigInt.asUintN(32, whole));
      });
      for (const data of [valuesAs(type.name, nearby), anyItems(type.name, length, `bins ${bins}`)]) {
        for (const weights of [undefined, anyItems("u32", length, "u"), anyItems("i32", length, "i")]) {
          const options = { bins, range: [low, high] as const };
          const title = `${low} to ${high}, ${bins}, ${weights?.constructor.name}`;
          const expected = histogramReference(data as Uint32Array, {
            ...options,
            type: type as never,
            ...(weights && { weights: weights as Uint32Array }),
          });
          const made = await resultOf(histogram, type, { data, ...(weights && { weights }) }, options);
          expectSameBits(made, expected, title);
        }
      }
    }
  }
});

test.each(types)("edges of $name", async (type) => {
  const isFloat = type.kind === "float";
  for (const edges of [
    [0, 1],
    isFloat ? [-Infinity, -1, -0, 2.5, Infinity] : [-(2 ** 70), 3, 2 ** 33],
    [-3, 0, 1, 7, 100, 1000, 60000],
    [-Infinity, Infinity],
  ]) {
    const near = Array.from({ length: 3000 }, (_, at) => (isFloat ? (at % 40) / 2 - 3 : at % 1200));
    for (const data of [anyItems(type.name, 3000, "edges"), valuesAs(type.name, near)] as ScalarArray[]) {
      const weights = new Float32Array(3000).fill(0.1);
      expectSameBits(
        await resultOf(histogram, type, { data, weights }, { edges }),
        histogramReference(data as Uint32Array, { edges, weights, type: type as never }),
        `${edges}`,
      );
    }
  }
});

test("bins by a text that has no code", async () => {
  const data = Uint32Array.of(1);
  expect(await resultOf(histogram, elementTypes.u32, { data }, { bins: 2, bin: "x" })).toBe(undefined);
});
