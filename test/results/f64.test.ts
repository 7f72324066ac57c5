import { describe, expect, test } from "vitest";
import { mostRows } from "../../src/codegen/algorithms.ts";
import type { Arrangement } from "../../src/codegen/kernels.ts";
import { add, mul } from "../../src/operators.ts";
import type { Grouping } from "../../src/reference/grouping.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { f64 } from "../../src/types64.ts";
import { bitsOf, expectSameBits } from "../support/compare.ts";
import { algorithmNames, useSoftwareFold } from "../support/fold.ts";
import { edgeLengths } from "../support/lengths.ts";
import { anyItems, randomBits } from "../support/random.ts";
import type { Places } from "../support/ranges.ts";
import { runPlaced } from "../support/ranges.ts";
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

/** Ranges that lie so that vectors can be loaded, so that they cannot, and of one buffer. */
const layouts = {
  vectors: () => ({ input: 0, output: 2, shared: false }),
  items: () => ({ input: 1, output: 0, shared: false }),
  "in-place": () => ({ input: 4, output: 4, shared: true }),
  "one-buffer": (length: number) => ({ input: 1, output: length + 2, shared: true }),
} as const satisfies Record<Arrangement, (length: number) => Places>;

/** Small tiles, some with several vectors a thread, so that there are many groups and levels. */
const tunings = [
  { workGroupSize: 4, itemsPerThread: 4, itemsPerVector: 2 },
  { workGroupSize: 7, itemsPerThread: 3, itemsPerVector: 1 },
  { workGroupSize: 16, itemsPerThread: 2, itemsPerVector: 2 },
] as const;

/** Full subgroups, which scan as many rows together as there are, and that twice. */
const fullSubgroups = { subgroups: 2, itemsPerThread: 32, itemsPerVector: 2 } as const;

describe.each(algorithmNames)("f64 add, bit for bit in the plan's order: %s", (algorithm) => {
  describe.each(["single", "reduce-then-scan"] as const)("%s", (passes) => {
    const shapes = [...tunings, ...(algorithm === "subgroup" ? [fullSubgroups] : [])];
    test.each(shapes)("%o", async ({ itemsPerThread, itemsPerVector, ...size }) => {
      const { subgroupMaxSize } = fold().device.adapterInfo;
      const workGroupSize = "subgroups" in size ? size.subgroups * subgroupMaxSize : size.workGroupSize;
      const tuning = { algorithm, workGroupSize, itemsPerThread } as const;
      const most = Math.max(1100, 4 * workGroupSize * itemsPerThread);
      const lengths = edgeLengths(workGroupSize, itemsPerThread).filter((one) => one <= most);
      const options = { type: f64, op: add, maxLength: Math.max(...lengths), ...tuning } as const;
      // How elements are grouped does not depend on which prefixes are written.
      const exclusive = passes === "single";
      const scan = await fold().prepareScan({ ...options, exclusive, passes });
      const reduce = passes === "single" ? undefined : await fold().prepareReduce(options);
      for (const arrangement of Object.keys(layouts) as Arrangement[]) {
        if (passes === "single" && arrangement !== "vectors") {
          // The same kernels as with two passes.
          continue;
        }
        for (const length of lengths) {
          const title = `${arrangement} ${length}`;
          const places = layouts[arrangement](length);
          const expectedGrouping = {
            ...tuning,
            passes,
            itemsPerVector: arrangement === "vectors" || arrangement === "in-place" ? itemsPerVector : 1,
          };
          for (const data of [addends(length, title), anyItems("f64", length, title) as Float64Array]) {
            let grouping: Grouping | undefined;
            const prefixes = await runPlaced(
              fold().device,
              f64,
              data,
              length,
              places,
              (encoder, ranges) => {
                grouping = scan.groupingOf(ranges);
                scan.record(encoder, ranges);
              },
              title,
            );
            // An empty input lies nowhere.
            expect(length === 0 || grouping, title).toEqual(
              length === 0 || expect.objectContaining(expectedGrouping),
            );
            expectSameBits(
              canonical(prefixes),
              canonical(scanReference(data, { op: add, exclusive, ...(grouping && { grouping }) })),
              title,
            );
            if (reduce !== undefined) {
              const total = await runPlaced(
                fold().device,
                f64,
                data,
                1,
                places,
                (encoder, ranges) => {
                  grouping = reduce.groupingOf(ranges);
                  reduce.record(encoder, ranges);
                },
                `reduce ${title}`,
              );
              expectSameBits(
                canonical(total),
                canonical(Float64Array.of(reduceReference(data, { op: add, ...(grouping && { grouping }) }))),
                `reduce ${title}`,
              );
            }
          }
        }
      }
      scan.destroy();
      reduce?.destroy();
    });
  });
});

describe.each(algorithmNames)("f64 mul, bit for bit in the plan's order: %s", (algorithm) => {
  test("at hand", async () => {
    // How elements are grouped does not depend on the operator, and f64 compiles slowly in software.
    const tuning = { algorithm, workGroupSize: 32, itemsPerThread: 2 } as const;
    const { subgroupMinSize: minSubgroupSize, subgroupMaxSize: maxSubgroupSize } = fold().device.adapterInfo;
    const grouping = {
      ...tuning,
      passes: "reduce-then-scan",
      itemsPerVector: 2,
      subgroupSize: minSubgroupSize,
      rows: mostRows({ ...tuning, minSubgroupSize, maxSubgroupSize }),
    } as const;
    for (const length of edgeLengths(32, 2).filter((one) => one <= 600)) {
      for (const data of [factors(length, `mul ${length}`), anyItems("f64", length, `${length}`)]) {
        const exclusive = length % 2 === 0;
        const options = { op: mul, ...tuning, passes: "reduce-then-scan" } as const;
        expectSameBits(
          canonical(await fold().scan(data as Float64Array, { ...options, exclusive })),
          canonical(scanReference(data as Float64Array, { op: mul, exclusive, grouping })),
          `${length} exclusive=${exclusive}`,
        );
        expect(await fold().reduce(data as Float64Array, { op: mul, ...tuning }), `reduce ${length}`).toBe(
          reduceReference(data as Float64Array, { op: mul, grouping }),
        );
      }
    }
  });
});

/** JavaScript leaves open which NaN an operation gives. */
const canonical = (array: Float64Array): BigUint64Array =>
  BigUint64Array.from(array, (value, index) =>
    Number.isNaN(value) ? 0x7ff8000000000000n : (bitsOf(array)[index] as bigint),
  );

test("the order matters: another grouping gives other bits", () => {
  // Of 2000 prefixes of numbers of one size, that rounding leaves all of them alike is out of the question.
  const next = randomBits("order");
  const data = Float64Array.from({ length: 2000 }, () => 1 + next() / 2 ** 32 + next() / 2 ** 64);
  const base = { workGroupSize: 8, itemsPerThread: 4, subgroupSize: 4 } as const;
  const single = { ...base, algorithm: "blelloch", passes: "single" } as const;
  const groupings: (Grouping | undefined)[] = [
    undefined,
    ...algorithmNames.flatMap((algorithm) =>
      // Of vectors only the subgroups' rows are made.
      (algorithm === "subgroup" ? [1, 2] : [1]).map(
        (itemsPerVector): Grouping => ({ ...base, algorithm, passes: "reduce-then-scan", itemsPerVector }),
      ),
    ),
    ...[2, 4].map(
      (rows): Grouping => ({
        ...base,
        algorithm: "subgroup",
        passes: "reduce-then-scan",
        itemsPerVector: 1,
        rows,
      }),
    ),
    { ...base, algorithm: "blelloch", passes: "reduce-then-scan", itemsPerThread: 3 },
    { ...single, lookBack: { byVotes: false, fanOut: 4 } },
    { ...single, lookBack: { byVotes: false, fanOut: 2 } },
    { ...single, algorithm: "subgroup", lookBack: { byVotes: true, fanOut: 2 } },
  ];
  const prefixes = groupings.map((grouping) => scanReference(data, { ...(grouping && { grouping }) }));
  expect(new Set(prefixes.map((one) => bitsOf(one).join())).size).toBe(prefixes.length);
});

test("the sign of a sum of zeros is kept", async () => {
  expect(await fold().reduce(Float64Array.of(-0, -0, -0))).toBe(-0);
  expect(await fold().reduce(Float64Array.of(-0, 0))).toBe(0);
  expect(await fold().reduce(new Float64Array(0))).toBe(-0);
});
