import { describe, expect, test } from "vitest";
import { add, mul } from "../../src/operators.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { f64 } from "../../src/types64.ts";
import { bitsOf, expectSameBits } from "../support/compare.ts";
import { algorithmNames, useSoftwareFold } from "../support/fold.ts";
import { edgeLengths } from "../support/lengths.ts";
import { anyItems, randomBits } from "../support/random.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(f64);

const fold = useSoftwareFold();

/** Sums that are rounded almost every time, of both signs and of exponents far apart. */
const addends = (length: number, name: string): Float64Array => {
  const next = randomBits(name);
  return Float64Array.from(
    { length },
    () => (next() - 2 ** 31 + next() / 2 ** 32) * 2 ** ((next() % 40) - 20),
  );
};
/** Products that stay in range, subnormals among them: each factor's exponent undoes the one before it. */
const factors = (length: number, name: string): Float64Array => {
  const next = randomBits(name);
  let exponent = -1000;
  return Float64Array.from({ length }, (_, index) => {
    const target = -1074 + (next() % 80);
    const factor = (1 + next() / 2 ** 32) * 2 ** (index === 0 ? -500 : Math.max(-400, target - exponent));
    exponent = index === 0 ? -500 : Math.max(exponent - 400, target);
    return next() % 2 === 0 ? factor : -factor;
  });
};

describe.each([
  ["add", add, addends],
  ["mul", mul, factors],
] as const)("f64 %s, bit for bit in the plan's order", (name, op, dataOf) => {
  describe.each(algorithmNames)("%s", (algorithm) => {
    // How elements are grouped does not depend on the operator, and f64 compiles slowly in software.
    test.each(
      op === add
        ? [
            [4, 2],
            [7, 3],
          ]
        : [[32, 1]],
    )("%i × %i", async (workGroupSize = 0, itemsPerThread = 0) => {
      const tuning = { algorithm, workGroupSize, itemsPerThread } as const;
      const lengths = edgeLengths(workGroupSize, itemsPerThread).filter((one) => one <= 600);
      const maxLength = Math.max(...lengths);
      const scan = await fold().prepareScan({ type: f64, op, maxLength, ...tuning });
      const reduce = await fold().prepareReduce({ type: f64, op, maxLength, ...tuning });
      const { grouping } = scan;
      expect(reduce.grouping).toEqual(grouping);
      scan.destroy();
      reduce.destroy();
      for (const length of lengths) {
        for (const data of [dataOf(length, `${name} ${length}`), anyItems("f64", length, `${length}`)]) {
          for (const exclusive of [false, true]) {
            expectSameBits(
              canonical(await fold().scan(data as Float64Array, { op, exclusive, ...tuning })),
              canonical(scanReference(data as Float64Array, { op, exclusive, grouping })),
              `${length} exclusive=${exclusive}`,
            );
          }
          expect(await fold().reduce(data as Float64Array, { op, ...tuning }), `reduce ${length}`).toBe(
            reduceReference(data as Float64Array, { op, grouping }),
          );
        }
      }
    });
  });
});

/** JavaScript leaves open which NaN an operation gives. */
const canonical = (array: Float64Array): BigUint64Array =>
  BigUint64Array.from(array, (value, index) =>
    Number.isNaN(value) ? 0x7ff8000000000000n : (bitsOf(array)[index] as bigint),
  );

test("the order matters: another grouping gives other bits", () => {
  // 600 prefixes: that rounding leaves all of them alike is out of the question.
  const data = addends(600, "order");
  const grouping = { workGroupSize: 4, itemsPerThread: 2, subgroupSize: 4 } as const;
  const prefixes = [
    scanReference(data),
    ...algorithmNames.map((algorithm) => scanReference(data, { grouping: { ...grouping, algorithm } })),
    scanReference(data, { grouping: { ...grouping, algorithm: "blelloch", itemsPerThread: 3 } }),
  ];
  // A subgroup of four threads and Hillis–Steele over four group alike.
  expect(new Set(prefixes.map((one) => bitsOf(one).join())).size).toBe(prefixes.length - 1);
});

test("the sign of a sum of zeros is kept", async () => {
  expect(await fold().reduce(Float64Array.of(-0, -0, -0))).toBe(-0);
  expect(await fold().reduce(Float64Array.of(-0, 0))).toBe(0);
  expect(await fold().reduce(new Float64Array(0))).toBe(-0);
});
