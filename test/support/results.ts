import { describe, expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { f16 } from "../../src/algebra/floats.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { roundingOf } from "../../src/algebra/rounding.ts";
import type { Scalar, ScalarType } from "../../src/algebra/types.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits, expectWithin } from "./compare.ts";
import { algorithmNames, untyped, useFold } from "./fold.ts";
import { allTypes, operatorsOf } from "./kernels.ts";
import { around, edgeLengths } from "./lengths.ts";
import { allBits, anyItems, randomBits, sparseItems, valuesAs } from "./random.ts";
import { rows } from "./rows.ts";

/** An f16 result in a `Uint16Array` is its bits already; a reduction's is a number. */
export const asItems = (type: ScalarType, value: Scalar): ScalarArray => valuesAs(type.name, [value]);

/** Three levels of spine; and vectors of four items, and tiles that make several groups of a look-back. */
export const smallTunings = [
  { workGroupSize: 4, itemsPerThread: 2, passes: "reduce-then-scan", most: 600 },
  { workGroupSize: 8, itemsPerThread: 4, passes: "single", most: 1100 },
] as const satisfies (TuningOptions & { readonly most: number })[];

/** Kinds of data, so that no operator meets only items that saturate it. */
const datasets = (type: ScalarType, opName: string, length: number): [string, ScalarArray][] => {
  const name = `${type.name} ${opName} ${length}`;
  const sparse: Record<string, [Scalar, Scalar]> = {
    mul: [3, 1],
    and: [0x7ffffffe, allBits(type)],
    or: [64, 0],
    logicalAnd: [0, 5],
    logicalOr: [7, 0],
  };
  const pair = sparse[opName];
  return [
    ["any bits", anyItems(type.name, length, name)],
    ...(pair === undefined
      ? []
      : ([["sparse", sparseItems(type.name, length, name, Math.max(2, length >> 1), pair[0], pair[1])]] as [
          string,
          ScalarArray,
        ][])),
  ];
};

/** The operators whose results do not depend on the order of operations. */
const exactOperatorsOf = (type: ScalarType): Operator[] =>
  operatorsOf(type).filter((op) => roundingOf(op, type) === "none");

/** Every operator of a type, in every algorithm, against the reference: all that is exact. */
export function testExactResults(type: ScalarType): void {
  const fold = useFold();
  const exact = exactOperatorsOf(type);
  const isFirst = (op: Operator<string>): boolean => op === exact[0] || op.name === "min";
  const all = exact.flatMap((op) =>
    algorithmNames.map((algorithm) => ({ name: op.name, op: untyped(op), algorithm })),
  );
  // The default tuning is the same for every operator, and its large kernels compile slowly in software:
  // the first operator and the first that compares take it.
  const checks = [
    ...all.map((one) => ({ ...one, title: "at every edge of three levels", isDefault: false })),
    ...all
      .filter(({ op }) => isFirst(op))
      .map((one) => ({ ...one, title: "with the default tuning", isDefault: true })),
  ];
  // In the quick tier, not all types take the same operator.
  const shift = 5 * allTypes.indexOf(type);
  const missing = (): boolean => type.name === f16.name && !fold().device.features.has("shader-f16");

  const check = async (
    data: ScalarArray,
    options: TuningOptions & { readonly op: Operator<string>; readonly algorithm: Algorithm },
    title: string,
  ): Promise<void> => {
    const { op } = options;
    for (const exclusive of [false, true]) {
      const actual = await fold().scan(data, { ...options, type, exclusive });
      expectSameBits(
        actual,
        scanReference(data, { op, type, exclusive }),
        `${exclusive ? "exclusive" : "inclusive"} ${title}`,
      );
    }
    const total = await fold().reduce(data, { ...options, type });
    expectSameBits(
      asItems(type, total),
      asItems(type, reduceReference(data, { op, type })),
      `reduce ${title}`,
    );
  };

  test.for(rows(checks, { of: 60, shift }))(
    `${type.name} $name, $algorithm: $title`,
    async ({ name, op, algorithm, isDefault }, { skip }) => {
      skip(missing(), "the adapter has no shader-f16");
      if (isDefault) {
        for (const length of [...around(1024), 5000]) {
          for (const [kind, data] of datasets(type, name, length)) {
            await check(data, { op, algorithm }, `${kind}, ${length}`);
          }
        }
        return;
      }
      // Which items a kernel takes does not depend on the operator: the first and `min` take every
      // length, the others every second one, in turn; and those alternate between the passes.
      const turn = exact.indexOf(op) % 2;
      for (const tuning of smallTunings.filter((_, at) => isFirst(op) || at === turn)) {
        const { workGroupSize, itemsPerThread, passes, most } = tuning;
        const lengths = edgeLengths(workGroupSize, itemsPerThread).filter((length) => length <= most);
        for (const length of lengths.filter((_, at) => isFirst(op) || at % 2 === turn)) {
          for (const [kind, data] of datasets(type, name, length)) {
            const options = { op, algorithm, workGroupSize, itemsPerThread, passes };
            await check(data, options, `${kind}, ${length}, ${passes}`);
          }
        }
      }
    },
  );
}

/**
 * Sums and products of floats. The bound: each combination of two rounded numbers is off by a
 * factor 1 + d with |d| <= u, one unit in the last place, since WGSL leaves the direction of rounding
 * open. A sum in which each item goes through at most k additions is off by at most
 * k·u/(1 - k·u) · Σ|x| (Higham, Accuracy and Stability of Numerical Algorithms, 4.2); a subnormal
 * that is flushed adds the least normal number each time. A product of n items takes n - 1
 * multiplications in any order, so it is off by the factor with k = n - 1.
 *
 * The additions that an item goes through, in one kernel: itemsPerThread - 1 in its thread,
 * workGroupSize - 1 in any tree over the threads, the totals' carries (as many again), the carry,
 * and itemsPerThread more after it. A spine of L levels makes a chain of 2L + 1 kernels.
 */
export function testFloatResults(
  type: ScalarType,
  unit: number,
  least: number,
  sizes: readonly number[],
): void {
  const fold = useFold();
  const workGroupSize = 4;
  const itemsPerThread = 2;
  const tile = workGroupSize * itemsPerThread;
  const levelsOf = (length: number): number =>
    Math.max(0, Math.ceil(Math.log(Math.max(1, length)) / Math.log(tile) - 1e-9) - 1);
  const gamma = (k: number): number => (k * unit) / (1 - k * unit);

  const exactPrefixes = (name: "add" | "mul", numbers: readonly number[], exclusive: boolean) => {
    const additions = (2 * levelsOf(numbers.length) + 1) * (2 * itemsPerThread + 2 * workGroupSize);
    let value = name === "add" ? 0 : 1;
    let magnitude = 0;
    const rows = numbers.map((x, index) => {
      const before = { value, magnitude, count: index };
      value = name === "add" ? value + x : value * x;
      magnitude += Math.abs(x);
      return exclusive ? before : { value, magnitude, count: index + 1 };
    });
    return rows.map((row) => ({
      value: row.value,
      bound:
        name === "add"
          ? gamma(Math.min(additions, Math.max(0, row.count - 1))) * row.magnitude +
            row.count * (least + 2 ** -53 * row.magnitude)
          : gamma(Math.max(0, row.count - 1)) * Math.abs(row.value) +
            row.count * (least + 2 ** -53 * Math.abs(row.value)),
    }));
  };

  const all = (["add", "mul"] as const).flatMap((name) =>
    algorithmNames.map((algorithm) => ({ name, algorithm })),
  );
  describe.each(rows(all, { of: 6, shift: allTypes.indexOf(type) }))(
    `${type.name} $name, $algorithm`,
    ({ name, algorithm }) => {
      const op = untyped(operatorsOf(type).find((one) => one.name === name) ?? { name });
      const numbersOfItems = (items: ScalarArray): number[] =>
        Array.from({ length: items.length }, (_, index) => valuesOf(items, type)(index) as number);
      const run = async (
        data: ScalarArray,
        verify: (actual: ScalarArray, exclusive: boolean) => void,
      ): Promise<void> => {
        const options = { op, type, algorithm, workGroupSize, itemsPerThread } as const;
        for (const exclusive of [false, true]) {
          verify(await fold().scan(data, { ...options, exclusive }), exclusive);
        }
      };
      const missing = (): boolean => type.name === f16.name && !fold().device.features.has("shader-f16");

      test("within the bound", async ({ skip }) => {
        skip(missing(), "the adapter has no shader-f16");
        for (const length of sizes) {
          const next = randomBits(`${type.name} ${name} ${length}`);
          const data = valuesAs(
            type.name,
            Array.from({ length }, () => {
              const x = (next() / 2 ** 32) * 2 - 1;
              return name === "add" ? x : 1 + x / 16;
            }),
          );
          const numbers = numbersOfItems(data);
          await run(data, (actual, exclusive) => {
            expectWithin(
              numbersOfItems(actual),
              exactPrefixes(name, numbers, exclusive),
              `${length} exclusive=${exclusive}`,
            );
          });
          const total = await fold().reduce(data, { op, type, algorithm, workGroupSize, itemsPerThread });
          const last = exactPrefixes(name, numbers, false).at(-1) ?? {
            value: name === "add" ? 0 : 1,
            bound: 0,
          };
          expectWithin([total as number], [last], `reduce ${length}`);
        }
      });

      test("exact where every partial result is", async ({ skip }) => {
        skip(missing(), "the adapter has no shader-f16");
        for (const length of sizes) {
          const next = randomBits(`exact ${type.name} ${name} ${length}`);
          const most = type.name === f16.name ? 2 : 1000;
          const data = valuesAs(
            type.name,
            Array.from({ length }, () => (name === "add" ? 1 + (next() % most) : ([-1, 1][next() % 2] ?? 1))),
          );
          await run(data, (actual, exclusive) => {
            expectSameBits(
              actual,
              scanReference(data, { op, type, exclusive }),
              `${length} exclusive=${exclusive}`,
            );
          });
          expect(await fold().reduce(data, { op, type, algorithm })).toBe(
            reduceReference(data, { op, type }),
          );
        }
      });
    },
  );
}
