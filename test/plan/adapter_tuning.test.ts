import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { u32 } from "../../src/algebra/integers.ts";
import { add } from "../../src/algebra/operators.ts";
import type { ElementType, ScalarType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError } from "../../src/errors.ts";
import type { AdapterTuningRow, TimedCandidate } from "../../src/plan/adapter_tuning.ts";
import {
  adapterOf,
  bestOf,
  requireTuning,
  rowsFrom,
  rowsOn,
  tunedRowsOf,
  tuningOf,
  verdictFor,
} from "../../src/plan/adapter_tuning.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { planHistogram } from "../../src/plan/histogram.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { TopKOptions } from "../../src/plan/select.ts";
import { planTopK } from "../../src/plan/select.ts";
import { planTopKRows } from "../../src/plan/select_rows.ts";
import { planSort } from "../../src/plan/sort.ts";
import { planSegmentSort } from "../../src/plan/sort_segments.ts";
import { version } from "../../src/version.ts";
import { factsWith } from "../support/kernels.ts";
import { planCompact, planReduce, planScan } from "../support/plans.ts";

test("the version is that of package.json", () => {
  const own = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect(version).toBe(own.version);
});

const adapter = {
  vendor: "acme",
  architecture: "x1",
  device: "7",
  description: "Acme 7, 1.0",
  software: false,
};
const scanRow = {
  primitive: "scan",
  passes: "reduce-then-scan",
  elementBytes: 4,
  algorithm: "hillis-steele",
  workGroupSize: 64,
  itemsPerThread: 3,
} as const satisfies AdapterTuningRow;

describe("plans", () => {
  const rows: AdapterTuningRow[] = [
    { ...scanRow, maxLength: 1000, workGroupSize: 32 },
    scanRow,
    { ...scanRow, passes: "single", workGroupSize: 128, isDefault: true },
    { ...scanRow, elementBytes: 8, workGroupSize: 16 },
    { primitive: "reduce", elementBytes: 4, algorithm: "subgroup", workGroupSize: 96, itemsPerThread: 5 },
    { ...scanRow, primitive: "compact", workGroupSize: 48 },
  ];
  const tuned = tunedRowsOf(tuningOf(adapter, undefined, rows));
  const facts = factsWith({ vendor: "acme", lookBack: false });
  const shapeOf = async (plan: ReturnType<typeof planScan>) => {
    const { algorithm, workGroupSize, itemsPerThread, passes } = (await plan).groupingOf("vectors");
    return [algorithm, workGroupSize, itemsPerThread, passes];
  };
  const scan = (type: ElementType, maxLength: number, more = {}) =>
    shapeOf(planScan({ type, op: add, maxLength, ...more } as never, { ...facts, tuned, ...more }));

  test("take the first row that fits the length", async () => {
    expect(await scan(u32, 1000)).toEqual(["hillis-steele", 32, 3, "reduce-then-scan"]);
    expect(await scan(u32, 1001)).toEqual(["hillis-steele", 64, 3, "reduce-then-scan"]);
  });

  test("take the single pass's own row where that works", async () => {
    const plan = planScan({ type: u32, maxLength: 1000 }, { ...facts, tuned, lookBack: true });
    expect(await shapeOf(plan)).toEqual(["hillis-steele", 128, 3, "single"]);
  });

  test("take rows of other elements' sizes for none but these, and f64 for f64", async () => {
    expect((await scan(u64, 1000))[1]).toBe(16);
    const without = await shapeOf(planScan({ type: f64, op: add, maxLength: 1000 }, facts));
    expect(await scan(f64, 1000)).toEqual(without);
    const small = tunedRowsOf(tuningOf(adapter, undefined, [{ ...scanRow, elementBytes: 16 }]));
    const plan = planScan({ type: u32, maxLength: 1000 }, { ...facts, tuned: small });
    expect(await shapeOf(plan)).toEqual(await shapeOf(planScan({ type: u32, maxLength: 1000 }, facts)));
  });

  test("take a row for reductions and for compactions", async () => {
    const withFasterWays = { ...facts, tuned, features: new Set(["subgroups"]) };
    const reduction = await planReduce({ type: u32, maxLength: 1000 }, withFasterWays);
    expect(reduction.groupingOf("vectors")).toMatchObject({
      algorithm: "subgroup",
      workGroupSize: 96,
      itemsPerThread: 5,
    });
    const plan = await planCompact({ type: u32, maxLength: 1000, where: "x > 1u" }, { ...facts, tuned });
    expect(plan.groupingOf("vectors")).toMatchObject({ algorithm: "hillis-steele", workGroupSize: 48 });
  });

  test.each([
    ["acme", 160],
    ["nvidia", undefined],
  ])("of run lengths take a compaction's row on adapters of %s: work-groups of %s", async (vendor, size) => {
    const own = { ...scanRow, primitive: "compact", passes: "single", isDefault: true } as const;
    const runs = tunedRowsOf(
      tuningOf({ ...adapter, vendor }, undefined, [{ ...own, algorithm: "subgroup", workGroupSize: 160 }]),
    );
    const given = factsWith({ vendor, lookBack: true, subgroupMinSize: 32, subgroupMaxSize: 32 });
    const options = { type: u32, maxLength: 1000, map: "1u", segments: { keys: u32 } } as const;
    const sizeOf = async (facts: DeviceFacts) =>
      (await planReduce(options, { ...facts, features: new Set(["subgroups"]) })).groupingOf("items")
        .workGroupSize;
    expect(await sizeOf({ ...given, tuned: runs })).toBe(size ?? (await sizeOf(given)));
  });

  test("leave to the caller what the caller chooses", async () => {
    const plan = planScan({ type: u32, maxLength: 1000, workGroupSize: 8 }, { ...facts, tuned });
    expect(await shapeOf(plan)).toEqual(["hillis-steele", 8, 3, "reduce-then-scan"]);
  });

  test("on NVIDIA's GPUs, take Wavefold's own sizes past what was timed", async () => {
    const shapeOn = (own: DeviceFacts, maxLength: number) => shapeOf(planScan({ type: u32, maxLength }, own));
    for (const vendor of ["nvidia", "acme"]) {
      const on = { vendor, software: false };
      const bare = factsWith({ vendor, lookBack: true, features: new Set(["subgroups"]) });
      const found = tunedRowsOf(tuningOf({ ...adapter, vendor }, undefined, rowsOn(on, rows, [1000, 4000])));
      const own = { ...bare, tuned: found };
      expect(await shapeOn(own, 4000)).toEqual(["hillis-steele", 128, 3, "single"]);
      const past = vendor === "nvidia" ? await shapeOn(bare, 4001) : await shapeOn(own, 4000);
      expect(await shapeOn(own, 4001)).toEqual(past);
      expect(past[1] === 128).toBe(vendor !== "nvidia");
    }
    expect(rowsOn({ vendor: "nvidia", software: true }, rows, [1000])).toEqual(rows);
  });

  test("pass over a row whose algorithm is not loaded", () => {
    const domain = { elementBytes: 4 };
    expect(tuned.rowOf(true, "reduce", domain, 10, { blelloch: 1 })).toBeUndefined();
    expect(tuned.rowOf(true, "reduce", domain, 10, { subgroup: 1 })).toMatchObject({
      workGroupSize: 96,
      items: 5,
    });
  });
});

describe("plans of sorts and histograms", () => {
  const sizes = { elementBytes: 4, workGroupSize: 128, itemsPerThread: 10 };
  const byVotes = { ...sizes, primitive: "sort", passes: "single", algorithm: "subgroup" } as const;
  const byCounters = {
    ...byVotes,
    passes: "reduce-then-scan",
    algorithm: "blelloch",
    workGroupSize: 64,
  } as const;
  const withRows = (...rows: AdapterTuningRow[]) => tunedRowsOf(tuningOf(adapter, undefined, rows));
  const facts = factsWith({ vendor: "acme" });
  const sortOf = (rows: AdapterTuningRow[], options = {}, own = facts) =>
    planSort(
      { type: u32, maxLength: 1e6, ...options },
      rows.length === 0 ? own : { ...own, tuned: withRows(...rows) },
    );
  /** The kernels' texts: equal plans have equal ones. */
  const textsOf = ({ kernels }: Plan): string[] => kernels.map(({ code }) => code);

  test("take the same kernels as with the sizes as options", () => {
    const { elementBytes: _, ...chosen } = sizes;
    const single = sortOf([], { ...chosen, algorithm: "subgroup", passes: "single" });
    expect(single.sizes).toEqual({ workGroupSize: 128, itemsPerThread: 10 });
    expect(textsOf(sortOf([{ ...byVotes, isDefault: true }, byCounters]))).toEqual(textsOf(single));
    const other = { ...chosen, workGroupSize: 64, algorithm: "blelloch" } as const;
    const twice = sortOf([], { ...other, passes: "reduce-then-scan" });
    expect(textsOf(sortOf([byCounters], {}, factsWith({ lookBack: false })))).toEqual(textsOf(twice));
    // The other way to read was measured to be slower; and it is taken if the caller asks for it.
    expect(textsOf(sortOf([byVotes, byCounters]))).toEqual(textsOf(twice));
    expect(textsOf(sortOf([byVotes, byCounters], { passes: "single" }))).toEqual(textsOf(single));
  });

  test("keep their own sizes without a row of theirs", () => {
    const plain = textsOf(sortOf([]));
    expect(textsOf(sortOf([{ ...byVotes, elementBytes: 8, isDefault: true }]))).toEqual(plain);
    expect(textsOf(sortOf([{ ...byVotes, maxLength: 1000, isDefault: true }]))).toEqual(plain);
    expect(textsOf(sortOf([{ ...byVotes, primitive: "scan", isDefault: true }]))).toEqual(plain);
    expect(textsOf(sortOf([byCounters]))).toEqual(plain);
    // What the caller chooses is the caller's.
    const own = { workGroupSize: 32, itemsPerThread: 4, algorithm: "subgroup", passes: "single" } as const;
    expect(textsOf(sortOf([{ ...byVotes, isDefault: true }], own))).toEqual(textsOf(sortOf([], own)));
  });

  test("are of keys alone, or of keys with which something moves", () => {
    const keys = { ...byVotes, isDefault: true } as const;
    const pairs = { ...keys, primitive: "pairs", workGroupSize: 64, itemsPerThread: 6 } as const;
    const sizesFor = (rows: AdapterTuningRow[], moved?: ScalarType | "positions"): Plan["sizes"] => {
      const own = rows.length === 0 ? facts : { ...facts, tuned: withRows(...rows) };
      const indices = moved === "positions";
      return planSort({ type: u32, maxLength: 1e6, indices }, own, moved).sizes;
    };
    const ofKeys = { workGroupSize: 128, itemsPerThread: 10 };
    const ofPairs = { workGroupSize: 64, itemsPerThread: 6 };
    expect(sizesFor([keys, pairs])).toEqual(ofKeys);
    expect(sizesFor([keys, pairs], u32)).toEqual(ofPairs);
    expect(sizesFor([keys, pairs], "positions")).toEqual(ofPairs);
    expect(sizesFor([keys], u32)).toEqual(sizesFor([], u32));
    expect(sizesFor([pairs])).toEqual(sizesFor([]));
  });

  test("take no size of the row if the caller chooses one, but its passes", () => {
    const row = { ...byVotes, workGroupSize: 512, itemsPerThread: 8, isDefault: true } as const;
    const small = factsWith({ vendor: "acme" }, { maxComputeWorkgroupStorageSize: 32_768 });
    for (const own of [{ itemsPerThread: 16 }, { workGroupSize: 64 }]) {
      expect(textsOf(sortOf([row], own, small))).toEqual(textsOf(sortOf([], own, small)));
      const twice = { ...own, passes: "reduce-then-scan" } as const;
      expect(textsOf(sortOf([byVotes, byCounters], own, small))).toEqual(textsOf(sortOf([], twice, small)));
    }
    // With 16 items of 8 bytes each, the row's 512 threads need more memory than there is.
    const long = { ...row, algorithm: "blelloch", elementBytes: 8 } as const;
    const own = { type: u64, algorithm: "blelloch", itemsPerThread: 16 } as const;
    expect(textsOf(sortOf([long], own, small))).toEqual(textsOf(sortOf([], own, small)));
  });

  test("are not for sorts by comparing, of segments, and of what topK takes", () => {
    const sizes = { workGroupSize: 64, itemsPerThread: 16, isDefault: true } as const;
    const rows: AdapterTuningRow[] = [
      { ...byCounters, ...sizes, passes: "single" },
      { ...scanRow, passes: "single", isDefault: true },
      scanRow,
      { ...scanRow, primitive: "compact" },
    ];
    const keepsOwn = (maxLength: number, plan: (options: TopKOptions, own: DeviceFacts) => Plan): void => {
      for (const passes of ["single", "reduce-then-scan"] as const) {
        const options = { type: u32, maxLength, passes, k: 20_000 };
        const tuned = textsOf(plan(options, { ...facts, tuned: withRows(...rows) }));
        expect(tuned).toEqual(textsOf(plan(options, facts)));
      }
    };
    keepsOwn(1000, ({ k: _, ...options }, own) => planSort(options, own));
    keepsOwn(1000, ({ k: _, ...options }, own) => planSort({ ...options, lengthOnGpu: true }, own));
    for (const maxSegmentLength of [100, 3000, 100_000]) {
      keepsOwn(1e6, ({ k: _, ...options }, own) =>
        planSegmentSort({ ...options, segments: "rows", maxSegmentLength }, own),
      );
    }
    keepsOwn(1e6, (options, own) => planTopK(options, own));
    keepsOwn(1e6, (options, own) => planTopKRows({ ...options, segments: "rows" }, own));
  });

  test("a histogram takes its row's sizes", () => {
    const options = { type: u32, bins: 256, range: [0, 2 ** 32], maxLength: 1e6 } as const;
    const { elementBytes: _, ...chosen } = sizes;
    const row = { ...sizes, primitive: "histogram" } as const;
    const tuned = (one: AdapterTuningRow) =>
      textsOf(planHistogram(options, { ...facts, tuned: withRows(one) }));
    const plain = textsOf(planHistogram(options, facts));
    expect(tuned(row)).toEqual(textsOf(planHistogram({ ...options, ...chosen }, facts)));
    expect(tuned(row)).not.toEqual(plain);
    expect(tuned({ ...row, elementBytes: 8 })).toEqual(plain);
  });
});

describe("a tuning that is given", () => {
  const tuning = tuningOf(adapter, true, [scanRow]);
  const check = (value: unknown, own = adapter) => requireTuning(value, own, "openFold");

  test("is taken if it is of this version and adapter, also as JSON", () => {
    expect(check(JSON.parse(JSON.stringify(tuning)))).toEqual(tuning);
  });

  test("is taken where the browser hides the adapter's name", () => {
    expect(check(tuning, { ...adapter, device: "", description: "" })).toBe(tuning);
    const hidden = { ...tuning, adapter: { ...adapter, description: "" } };
    expect(check(hidden)).toBe(hidden);
  });

  const other = `"auto", or what wavefold tune --output writes and tuneAdapter returns`;
  test.each([
    [null, `openFold: tuning is null; it takes ${other}`],
    ["fast", `openFold: tuning is "fast"; it takes ${other}`],
    [{ rows: [] }, `openFold: tuning is another object; it takes ${other}`],
    [
      { ...tuning, version: "0.0.9" },
      `openFold: tuning is of Wavefold 0.0.9, and this is ${version}; tune the adapter again, with npx wavefold tune --output FILE, or leave it out`,
    ],
    [
      { ...tuning, adapter: { ...adapter, vendor: "other" } },
      `openFold: tuning is of an adapter whose vendor is "other", and this one's is "acme"; tune the adapter again, with npx wavefold tune --output FILE, or leave it out`,
    ],
    [
      { ...tuning, adapter: { ...adapter, software: true } },
      "openFold: tuning is of a software adapter, and this is a GPU; tune the adapter again",
    ],
    [{ ...tuning, more: 1 }, "openFold: tuning takes no option more"],
    [{ ...tuning, adapter: undefined }, "openFold: tuning.adapter: options is undefined; it takes an object"],
    [{ ...tuning, singlePass: 1 }, "openFold: tuning: singlePass is 1; it takes true or false"],
    [{ ...tuning, rows: {} }, "openFold: tuning.rows is [object Object]; it takes an array"],
    [
      { ...tuning, cpuLengths: { sorts: 1 } },
      "openFold: tuning.cpuLengths takes no option sorts; did you mean sort?",
    ],
    [
      { ...tuning, cpuLengths: { sort: -1 } },
      "openFold: tuning.cpuLengths: sort is -1; it takes a whole number from 0 to 9007199254740991",
    ],
    [{ ...tuning, rows: [scanRow, 1] }, "openFold: tuning.rows[1]: options is 1; it takes an object"],
    [
      { ...tuning, rows: [{ ...scanRow, primitive: "unique" }] },
      'openFold: tuning.rows[0]: primitive is "unique"; it takes scan, reduce, compact, sort, pairs, histogram',
    ],
    [
      { ...tuning, rows: [{ ...scanRow, primitive: "sort" }] },
      'openFold: tuning.rows[0]: algorithm is "hillis-steele"; it takes blelloch, subgroup',
    ],
    [
      { ...tuning, rows: [{ ...scanRow, primitive: "histogram", passes: undefined }] },
      'openFold: tuning.rows[0]: algorithm is "hillis-steele"; it takes nothing in a row of histogram',
    ],
    [
      { ...tuning, rows: [{ ...scanRow, algorithm: undefined }] },
      "openFold: tuning.rows[0]: algorithm is undefined; it takes blelloch, hillis-steele, subgroup",
    ],
    [
      { ...tuning, rows: [{ ...scanRow, passes: undefined }] },
      "openFold: tuning.rows[0]: passes is undefined; it takes single or reduce-then-scan",
    ],
    [
      { ...tuning, rows: [{ ...scanRow, primitive: "reduce" }] },
      'openFold: tuning.rows[0]: passes is "reduce-then-scan"; it takes nothing in a row of reduce',
    ],
    [
      { ...tuning, rows: [{ ...scanRow, algorithm: "toString" }] },
      'openFold: tuning.rows[0]: algorithm is "toString"; it takes blelloch, hillis-steele, subgroup',
    ],
    [
      { ...tuning, rows: [{ ...scanRow, itemsPerThread: 65 }] },
      "openFold: tuning.rows[0]: itemsPerThread is 65; it takes a whole number from 1 to 64",
    ],
    [
      { ...tuning, rows: [{ ...scanRow, workGroupSize: "64" }] },
      'openFold: tuning.rows[0]: workGroupSize is "64"; it takes a whole number from 2 to 65536',
    ],
    [
      { ...tuning, rows: [{ ...scanRow, long: "no" }] },
      'openFold: tuning.rows[0]: long is "no"; it takes true or false',
    ],
    [
      { ...tuning, rows: [{ ...scanRow, isDefault: null }] },
      "openFold: tuning.rows[0]: isDefault is null; it takes true or false",
    ],
    [
      { ...tuning, adapter: { ...adapter, software: 0 } },
      "openFold: tuning.adapter: software is 0; it takes true or false",
    ],
  ])("is refused: %j", (value, message) => {
    expect(() => check(value)).toThrow(ArgumentError);
    expect(() => check(value)).toThrow(message);
  });

  test("its verdict counts where the adapter is surely the same, and its driver may be", () => {
    const verdict = (own: object, of: object = adapter): boolean | undefined =>
      verdictFor({ ...tuning, adapter: { ...adapter, ...of } }, { ...adapter, ...own });
    expect(verdict({})).toBe(true);
    expect(verdict({ description: "", device: "" })).toBe(true);
    expect(verdict({ description: "Acme 7, 1.1" })).toBeUndefined();
    expect(verdict({ vendor: "" })).toBeUndefined();
    expect(verdict({ architecture: "", device: "" })).toBeUndefined();
    expect(verdict({ vendor: "" }, { vendor: "" })).toBeUndefined();
    expect(verdictFor(tuningOf(adapter, false, []), adapter)).toBe(false);
  });

  test("a driver's new version leaves the sizes as they are", () => {
    expect(check(tuning, { ...adapter, description: "Acme 7, 1.1" })).toBe(tuning);
  });

  test("an adapter without a name is no error", () => {
    expect(adapterOf(undefined)).toEqual({
      vendor: "",
      architecture: "",
      device: "",
      description: "",
      software: false,
    });
  });
});

describe("rows from times", () => {
  const way = (workGroupSize: number, ...times: number[]): TimedCandidate => ({
    algorithm: "blelloch",
    workGroupSize,
    itemsPerThread: 4,
    times,
  });
  const what = { primitive: "scan", elementBytes: 4, long: false, lengths: [10, 20, 30] } as const;
  const rowsOf = (twice: TimedCandidate[], once: TimedCandidate[] = []) =>
    rowsFrom(what, { "reduce-then-scan": twice, single: once }).map(
      ({ passes, maxLength, workGroupSize, isDefault }) => [passes, maxLength, workGroupSize, isDefault],
    );
  const twice = "reduce-then-scan";

  test("the best over all lengths, and before it what is clearly better up to a length", () => {
    expect(rowsOf([way(1, 8, 1, 1), way(2, 4, 2, 2), way(3, 9, 9, 9)])).toEqual([
      [twice, 10, 2, undefined],
      [twice, undefined, 1, undefined],
    ]);
    expect(rowsOf([way(1, 100, 100, 100), way(2, 98, 120, 120)])).toEqual([[twice, undefined, 1, undefined]]);
  });

  test("a way that is better at the longest alone", () => {
    expect(rowsOf([way(1, 1, 1, 10), way(2, 9, 9, 5)])).toEqual([
      [twice, 20, 1, undefined],
      [twice, undefined, 2, undefined],
    ]);
  });

  test("a single pass is the default at those lengths at which it is faster", () => {
    expect(rowsOf([way(1, 5, 5, 5)], [way(2, 6, 4, 3)])).toEqual([
      [twice, undefined, 1, undefined],
      ["single", 10, 2, undefined],
      ["single", undefined, 2, true],
    ]);
  });

  test("rows with subgroups are followed by the best without: most calls at hand do not load subgroups", () => {
    const rows = rowsFrom(what, {
      "reduce-then-scan": [{ ...way(1, 1, 1, 1), algorithm: "subgroup" }, way(2, 4, 3, 9), way(3, 5, 4, 5)],
      single: [],
    });
    expect(rows.map((row) => [row.algorithm, row.workGroupSize, row.maxLength])).toEqual([
      ["subgroup", 1, undefined],
      ["blelloch", 2, 20],
      ["blelloch", 3, undefined],
    ]);
  });

  const sizesOf = (...own: TimedCandidate[]) =>
    rowsFrom({ ...what, primitive: "reduce" }, { "reduce-then-scan": own, single: [] }).map(
      ({ algorithm, workGroupSize, maxLength }) => [algorithm, workGroupSize, maxLength],
    );

  test("a row without subgroups is not repeated behind those with them", () => {
    expect(sizesOf({ ...way(1, 1, 9, 9), algorithm: "subgroup" }, way(2, 4, 3, 3), way(3, 5, 4, 5))).toEqual([
      ["subgroup", 1, 10],
      ["blelloch", 2, undefined],
    ]);
  });

  test("a row for all lengths does not hide those for shorter ones from calls without subgroups", () => {
    expect(sizesOf({ ...way(1, 1, 9, 9), algorithm: "subgroup" }, way(2, 4, 3, 3), way(3, 2, 8, 9))).toEqual([
      ["subgroup", 1, 10],
      ["blelloch", 3, 10],
      ["blelloch", 2, undefined],
    ]);
  });

  test("rows of histograms name no algorithm and no passes", () => {
    const { algorithm: _, ...own } = way(64, 1, 1, 1);
    const rows = rowsFrom({ ...what, primitive: "histogram" }, { "reduce-then-scan": [own], single: [] });
    expect(rows).toEqual([{ primitive: "histogram", elementBytes: 4, workGroupSize: 64, itemsPerThread: 4 }]);
    expect(requireTuning(tuningOf(adapter, undefined, rows), adapter, "openFold").rows).toEqual(rows);
  });

  test("nothing from nothing", () => {
    expect(rowsOf([])).toEqual([]);
    expect(bestOf([])).toBeUndefined();
  });
});
