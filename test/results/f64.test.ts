import { describe, expect, test } from "vitest";
import { add, mul } from "../../src/algebra/operators.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import { mostRows } from "../../src/kernels/algorithms.ts";
import type { Arrangement } from "../../src/kernels/kernel.ts";
import type { Grouping } from "../../src/plan/grouping.ts";
import { reduceReference } from "../../src/reference/reduce.ts";
import { scanReference } from "../../src/reference/scan.ts";
import { bitsOf, expectSameBits } from "../support/compare.ts";
import { algorithmNames, useFold } from "../support/fold.ts";
import { edgeLengths } from "../support/lengths.ts";
import { machineOf } from "../support/machine.ts";
import { pairs } from "../support/pairs.ts";
import { planReduce, planScan } from "../support/plans.ts";
import { anyItems, randomBits } from "../support/random.ts";
import type { Places } from "../support/ranges.ts";
import { runPlaced } from "../support/ranges.ts";
import { testExactResults } from "../support/results.ts";

testExactResults(f64);

/** At most 16 lanes, so that tiles of full subgroups are short. Sums have the order that groupingOf gives where one size is reported. */
const lanes = Math.min(16, machineOf("test/results/f64.test.ts").subgroupSize ?? 16);
const fold = useFold({ subgroupSize: lanes, subgroupMinSize: lanes, subgroupMaxSize: lanes });

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

/** Ranges whose vectors can be loaded, ranges whose vectors cannot, and ranges of one buffer. */
const layouts = {
  vectors: () => ({ input: 0, output: 2, shared: false }),
  items: () => ({ input: 1, output: 0, shared: false }),
  "in-place": () => ({ input: 4, output: 4, shared: true }),
  "one-buffer": (length: number) => ({ input: 1, output: length + 2, shared: true }),
} as const satisfies Record<Exclude<Arrangement, "padded">, (length: number) => Places>;

/** Small tiles, some with several vectors a thread, so that there are many groups and levels. */
const tunings = [
  { workGroupSize: 4, itemsPerThread: 4, itemsPerVector: 2 },
  { workGroupSize: 7, itemsPerThread: 3, itemsPerVector: 1 },
  { workGroupSize: 16, itemsPerThread: 2, itemsPerVector: 2 },
] as const;

/** Full subgroups, which scan as many rows together as there are, and that twice. */
const fullSubgroups = { subgroups: 2, itemsPerThread: 32, itemsPerVector: 2 } as const;

const eitherPasses = ["single", "reduce-then-scan"] as const;
const sums = [
  ...pairs({ algorithm: algorithmNames, passes: eitherPasses, shape: tunings }),
  ...pairs({ algorithm: ["subgroup"] as const, passes: eitherPasses, shape: [fullSubgroups] }),
];

describe("f64 add, bit for bit in the plan's order", () => {
  test.each(sums)("$algorithm, $passes, $shape", async ({ algorithm, passes, shape }) => {
    const { itemsPerThread, itemsPerVector, ...size } = shape;
    const { subgroupMaxSize } = fold().device.adapterInfo;
    const workGroupSize = "subgroups" in size ? size.subgroups * subgroupMaxSize : size.workGroupSize;
    const tuning = { algorithm, workGroupSize, itemsPerThread } as const;
    const most = Math.max(300, 2 * workGroupSize * itemsPerThread + 5);
    const lengths = edgeLengths(workGroupSize, itemsPerThread).filter((one) => one <= most);
    const options = { type: f64, op: add, maxLength: Math.max(...lengths), ...tuning } as const;
    // How elements are grouped does not depend on which prefixes are written.
    const exclusive = passes === "single";
    const scan = await fold().prepareScan({ ...options, exclusive, passes });
    const reduce = passes === "single" ? undefined : await fold().prepareReduce(options);
    for (const arrangement of Object.keys(layouts) as (keyof typeof layouts)[]) {
      const isShared = "subgroups" in size && (arrangement === "in-place" || arrangement === "one-buffer");
      if (isShared || (passes === "single" && arrangement !== "vectors")) {
        // The same kernels as with two passes, or of another arrangement.
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
        const isAny = length % 3 === 0;
        for (const data of [
          isAny ? (anyItems("f64", length, title) as Float64Array) : addends(length, title),
        ]) {
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
    for (const length of edgeLengths(32, 2).filter((one) => one <= 200)) {
      for (const data of [factors(length, `mul ${length}`), anyItems("f64", length, `${length}`)]) {
        const exclusive = algorithm === "subgroup";
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
  // The two groupings that are nearest to each other differ in one prefix of 400, on average: in 20 of these.
  const next = randomBits("order");
  const data = Float64Array.from({ length: 8000 }, () => 1 + next() / 2 ** 32 + next() / 2 ** 64);
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

const negativeZeros = (length: number): Float64Array => new Float64Array(length).fill(-0);

const zeros = pairs({ algorithm: algorithmNames, passes: eitherPasses, exclusive: [true, false] }).map(
  // 0 comes before all of an exclusive scan, and 0 + -0 is 0; what an inclusive one sums is -0 alone.
  (one) => ({ ...one, expected: one.exclusive ? 0 : -0 }),
);
/** Calls at hand and recorded plans of one algorithm, passes and sizes. */
const atHand = pairs({
  sizes: [
    { workGroupSize: 25, itemsPerThread: 2 },
    { workGroupSize: 3, itemsPerThread: 3 },
  ],
  algorithm: algorithmNames,
  passes: eitherPasses,
}).map(({ sizes, ...ways }) => ({ ...ways, ...sizes }));

test.each(zeros)(
  "the sign of a scan of zeros: $algorithm, $passes, exclusive $exclusive",
  async ({ algorithm, passes, exclusive, expected }) => {
    const tuning = { algorithm, workGroupSize: 4, itemsPerThread: 2 } as const;
    const options = { ...tuning, type: f64, passes, exclusive, maxLength: 300 } as const;
    const scan = await fold().prepareScan(options);
    // Software adapters compile a single pass slowly.
    const mapped =
      passes === "single"
        ? undefined
        : await fold().prepareScan({ ...options, from: u64, map: "bitcast<f64>(x)" });
    for (const length of [1, 2, 7, 40, 300]) {
      const title = `${length}, exclusive: ${exclusive}`;
      const all = new Float64Array(length).fill(expected);
      const data = negativeZeros(length);
      expectSameBits(scanReference(data, { exclusive }), all, `reference, ${title}`);
      for (const [name, one] of Object.entries({ scan, ...(mapped && { mapped }) })) {
        for (const arrangement of ["vectors", "items"] as const) {
          let grouping: Grouping | undefined;
          const prefixes = await runPlaced(
            fold().device,
            f64,
            data,
            length,
            layouts[arrangement](),
            (encoder, ranges) => {
              grouping = one.groupingOf(ranges);
              one.record(encoder, ranges);
            },
            title,
          );
          expectSameBits(prefixes, all, `${name}, ${arrangement}, ${title}`);
          const grouped = scanReference(data, { exclusive, ...(grouping && { grouping }) });
          expectSameBits(grouped, all, `grouped reference, ${title}`);
        }
      }
    }
    scan.destroy();
    mapped?.destroy();
  },
);

describe.each(["hillis-steele", "subgroup"] as const)("the sign of a sum of zeros: %s", (algorithm) => {
  const tuning = { algorithm, workGroupSize: 4, itemsPerThread: 2 } as const;

  test("what follows", async () => {
    expectSameBits(
      await fold().scan(Float64Array.of(-0, 0, -0, Number.NaN, -0, -1), {
        ...tuning,
        exclusive: true,
      }),
      Float64Array.of(0, 0, 0, 0, Number.NaN, Number.NaN),
      "what follows",
    );
  });

  test("a total", async () => {
    const reduce = await fold().prepareReduce({ ...tuning, type: f64, maxLength: 300 });
    for (const length of [1, 2, 7, 40, 300]) {
      for (const expected of [-0, 0]) {
        const data = negativeZeros(length);
        // Any element that is not -0 makes it what JavaScript makes it.
        data[length >> 1] = expected;
        expect(reduceReference(data)).toBe(expected);
        const title = `${length}, ${expected}`;
        const total = await runPlaced(
          fold().device,
          f64,
          data,
          1,
          layouts.items(),
          (encoder, ranges) => reduce.record(encoder, { ...ranges, length }),
          title,
        );
        expectSameBits(total, Float64Array.of(expected), title);
      }
    }
    reduce.destroy();
  });

  test("a sum of nothing", async () => {
    expect(await fold().reduce(new Float64Array(0), tuning)).toBe(0);
    expect(reduceReference(new Float64Array(0))).toBe(0);
    expect(await fold().reduce(new Uint32Array(0), { ...tuning, type: f64, map: "vec2(x, 0u)" })).toBe(0);
    for (const [maxLength, lengthOnGpus] of [
      [0, [algorithm === "subgroup"]],
      [100, [false, true]],
    ] as const) {
      for (const lengthOnGpu of lengthOnGpus) {
        const reduce = await fold().prepareReduce({ type: f64, maxLength, lengthOnGpu, ...tuning });
        for (const shared of [false, true]) {
          const places = { input: 1, output: maxLength + 2, shared };
          const data = new Float64Array(maxLength).fill(-7);
          const lengths = fold().device.createBuffer({ size: 16, usage: 0x80 | 0x08 });
          const title = `${maxLength}, on the GPU: ${lengthOnGpu}, in one buffer: ${shared}`;
          const [total] = await runPlaced(
            fold().device,
            f64,
            data,
            1,
            places,
            (encoder, ranges) =>
              reduce.record(encoder, { ...ranges, length: lengthOnGpu ? lengths : 0 } as never),
            title,
          );
          expect(total, title).toBe(0);
          lengths.destroy();
        }
        reduce.destroy();
      }
    }
  });
});

test.each(atHand)(
  "calls at hand have the bits of recorded plans: $algorithm, $passes, $workGroupSize × $itemsPerThread",
  async (sizes) => {
    const { workGroupSize, itemsPerThread } = sizes;
    const options = { op: add, type: f64, ...sizes } as const;
    // Up to three levels of totals.
    for (const length of [3 * workGroupSize * itemsPerThread + 1, 900]) {
      const data = addends(length, `${Object.values(sizes).join()}, ${length} items`);
      const { facts } = contextOf(fold().device);
      const scan = await planScan({ ...options, maxLength: length }, facts, ["vectors"]);
      expectSameBits(
        await fold().scan(data, options),
        scanReference(data, { op: add, grouping: scan.groupingOf("vectors") }),
        `${length} items`,
      );
      const reduce = await planReduce({ ...options, maxLength: length }, facts, ["vectors"]);
      expectSameBits(
        Float64Array.of(await fold().reduce(data, options)),
        Float64Array.of(reduceReference(data, { op: add, grouping: reduce.groupingOf("vectors") })),
        `reduce, ${length} items`,
      );
    }
  },
);
