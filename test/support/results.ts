import { describe, expect, test } from "vitest";
import { valuesOf } from "../../src/algebra/array_values.ts";
import type { ScalarArray } from "../../src/algebra/arrays.ts";
import { f16 } from "../../src/algebra/floats.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { min } from "../../src/algebra/operators.ts";
import { roundingOf } from "../../src/algebra/rounding.ts";
import type { Scalar, ScalarType } from "../../src/algebra/types.ts";
import type { Algorithm } from "../../src/kernels/algorithms.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { expectSameBits, expectWithin } from "./compare.ts";
import { algorithmNames, untyped, useFold } from "./fold.ts";
import { allTypes, operatorsOf } from "./kernels.ts";
import { allBits, anyItems, randomBits, sparseItems, valuesAs } from "./random.ts";

/** An f16 result in a `Uint16Array` is its bits already; a reduction's is a number. */
export const asItems = (type: ScalarType, value: Scalar): ScalarArray => valuesAs(type.name, [value]);

/** Three levels of spine; and vectors of four items, and tiles that make several groups of a look-back. */
export const smallTunings = [
  { workGroupSize: 4, itemsPerThread: 2, passes: "reduce-then-scan", most: 600 },
  { workGroupSize: 8, itemsPerThread: 4, passes: "single", most: 1100 },
] as const satisfies (TuningOptions & { readonly most: number })[];

/** Around their work-groups, tiles and levels or groups. */
export const smallLengths = {
  "reduce-then-scan": [0, 1, 4, 7, 8, 9, 64, 65, 513],
  single: [0, 1, 8, 31, 32, 33, 101, 1025],
} as const;

/** Any bits; or, for an operator that they would saturate, values of which most change nothing. */
function itemsFor(type: ScalarType, opName: string, length: number, isSparse: boolean): ScalarArray {
  const name = `${type.name} ${opName} ${length}`;
  const sparse: Record<string, [rare: Scalar, usual: Scalar]> = {
    mul: [3, 1],
    and: [0x7ffffffe, allBits(type)],
    or: [64, 0],
    logicalAnd: [0, 5],
    logicalOr: [7, 0],
  };
  const pair = isSparse ? sparse[opName] : undefined;
  return pair === undefined
    ? anyItems(type.name, length, name)
    : sparseItems(type.name, length, name, Math.max(2, length >> 1), pair[0], pair[1]);
}

/** The operators whose results do not depend on the order of operations. */
const exactOperatorsOf = (type: ScalarType): Operator[] =>
  operatorsOf(type).filter((op) => roundingOf(op, type) === "none");

/** Around tiles, and two levels of spine, if passes are two; a group of a look-back and more, if it is one. */
const exactLengths = {
  "reduce-then-scan": [0, 7, 8, 9, 65],
  single: [0, 31, 32, 33, 300],
} as const;

/** An operator in an algorithm, with the `at`th of the kinds of passes and of scans. */
const checkOf = (op: Operator, algorithm: Algorithm, at: number) => ({
  name: op.name,
  op: untyped(op),
  algorithm,
  tuning: smallTunings[at % 2] as (typeof smallTunings)[number],
  exclusive: (at >> 1) % 2 === 0,
  // A reduction has no other functions than a scan.
  isReduced: algorithm === "subgroup" && at % 2 === 0,
});

/**
 * Every operator of a type against the reference: all that is exact. Each operator meets subgroups in each type, since subgroups have
 * functions for some operators of some types. It meets each of the other algorithms in some type: there, only the operator's text depends
 * on the type. `operators.test.ts` has all algorithms in all lengths for one operator.
 */
export function testExactResults(type: ScalarType): void {
  const fold = useFold();
  const shift = allTypes.indexOf(type);
  const checks = exactOperatorsOf(type).flatMap((op, at) => [
    checkOf(op, "subgroup", at),
    ...((at + shift) % 3 === 0
      ? [checkOf(op, (at + shift) % 2 === 0 ? "blelloch" : "hillis-steele", at + 1)]
      : []),
  ]);
  const missing = (): boolean => type.name === f16.name && !fold().device.features.has("shader-f16");

  const expectTotal = async (
    data: ScalarArray,
    op: Operator<string>,
    options: TuningOptions,
    title: string,
  ): Promise<void> => {
    const total = await fold().reduce(data, { op, type, ...options });
    const wanted = asItems(type, reduceReference(data, { op, type }));
    expectSameBits(asItems(type, total), wanted, `reduce ${title}`);
  };

  test.for(checks)(
    `${type.name} $name, $algorithm, $tuning.passes, exclusive: $exclusive`,
    async ({ name, op, algorithm, tuning, exclusive, isReduced }, { skip }) => {
      skip(missing(), "the adapter has no shader-f16");
      const { workGroupSize, itemsPerThread, passes } = tuning;
      const options = { algorithm, workGroupSize, itemsPerThread, passes };
      for (const [at, length] of exactLengths[passes].entries()) {
        const title = `${type.name} ${name} ${length}`;
        const data = itemsFor(type, name, length, at % 2 === 1);
        const found = await fold().scan(data, { op, type, exclusive, ...options });
        expectSameBits(found, scanReference(data, { op, type, exclusive }), title);
        if (isReduced) {
          await expectTotal(data, op, options, title);
        }
      }
    },
  );

  // The sizes that are chosen do not depend on the operator, and each algorithm has those of some types.
  test.for([algorithmNames[shift % algorithmNames.length] as Algorithm])(
    `${type.name}, %s, with the sizes that are chosen`,
    async (algorithm, { skip }) => {
      skip(missing(), "the adapter has no shader-f16");
      const data = anyItems(type.name, 2600, `${type.name} ${algorithm}`);
      const op = untyped(min);
      if (algorithm === "blelloch") {
        await expectTotal(data, op, { algorithm }, "of 2600");
      } else {
        const found = await fold().scan(data, { op, type, algorithm });
        expectSameBits(found, scanReference(data, { op, type }), "scan");
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
  describe.each(all)(`${type.name} $name, $algorithm`, ({ name, algorithm }) => {
    const op = untyped(operatorsOf(type).find((one) => one.name === name) ?? { name });
    const numbersOfItems = (items: ScalarArray): number[] =>
      Array.from({ length: items.length }, (_, index) => valuesOf(items, type)(index) as number);
    const options = { op, type, algorithm, workGroupSize, itemsPerThread } as const;
    const exclusive = (algorithm === "blelloch") === (name === "add");
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
        const actual = await fold().scan(data, { ...options, exclusive });
        expectWithin(numbersOfItems(actual), exactPrefixes(name, numbers, exclusive), `${length}`);
        const total = await fold().reduce(data, options);
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
        const actual = await fold().scan(data, { ...options, exclusive });
        expectSameBits(actual, scanReference(data, { op, type, exclusive }), `${length}`);
        expect(await fold().reduce(data, options)).toBe(reduceReference(data, { op, type }));
      }
    });
  });
}
