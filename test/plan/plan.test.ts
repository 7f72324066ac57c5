import { describe, expect, test } from "vitest";
import { operator } from "../../src/algebra/custom_operator.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f16, f32 } from "../../src/algebra/floats.ts";
import { i32, u32 } from "../../src/algebra/integers.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import { monoid } from "../../src/algebra/monoid.ts";
import { add, and, max, min, mul } from "../../src/algebra/operators.ts";
import { struct } from "../../src/algebra/struct.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { f64, u64 } from "../../src/algebra/types_64.ts";
import { ArgumentError, FeatureError, LimitError, type WavefoldError } from "../../src/errors.ts";
import type { Indirect } from "../../src/kernels/compact.ts";
import type { Arrangement } from "../../src/kernels/kernel.ts";
import { spineSize } from "../../src/kernels/look_back.ts";
import { argMin } from "../../src/monoids/arg_min.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import type { Plan } from "../../src/plan/plan.ts";
import { ALL_ARRANGEMENTS, gridOf, spineLengths } from "../../src/plan/plan.ts";
import { planRows } from "../../src/plan/rows.ts";
import { untyped } from "../support/fold.ts";
import { allTypes, defaultLimits, factsWith } from "../support/kernels.ts";
import { affine } from "../support/operators.ts";
import { planCompact, planPartition, planReduce, planScan } from "../support/plans.ts";

const facts = factsWith();
const small = { type: u32, workGroupSize: 4, itemsPerThread: 2 } as const;

test("an indirect call that is undefined counts as left out", async () => {
  const draw = { vertexCount: 3 };
  const codes = async (indirect: object): Promise<string[]> => {
    const options = { ...small, where: "true", maxLength: 9, indirect: indirect as Indirect };
    return (await planCompact(options, facts)).kernels.map(({ code }) => code);
  };
  expect(await codes({ dispatch: undefined, draw, drawIndexed: undefined })).toEqual(await codes({ draw }));
});

test.each([
  [0, []],
  [1, []],
  [8, []],
  [9, [2]],
  [64, [8]],
  [65, [9, 2]],
  [512, [64, 8]],
  [513, [65, 9, 2]],
])("the spine of %i items in tiles of 8", (length, expected) => {
  expect(spineLengths(length, 8)).toEqual(expected);
});

test.each([
  [0, 1, 1],
  [1, 1, 1],
  [65535, 65535, 1],
  [65536, 32768, 2],
  [65535 * 2 + 1, 43691, 3],
])("the grid of %i tiles", (tiles, width, height) => {
  const grid = gridOf(tiles, defaultLimits, "test");
  expect(grid).toEqual({ width, height });
  expect(grid.width * grid.height).toBeGreaterThanOrEqual(tiles);
});

test("a grid over both dimensions", () => {
  expect(() => gridOf(65535 ** 2 + 1, defaultLimits, "test")).toThrow(LimitError);
});

const twoPasses = { passes: "reduce-then-scan" } as const;
const onePass = { passes: "single" } as const;

test("a scan in buffers of its own has three kernels, however many levels its spine has", async () => {
  for (const maxLength of [64, 512, 2 ** 16]) {
    const { kernels, scratch, passes } = await planScan({ ...small, ...twoPasses, maxLength }, facts, [
      "padded",
    ]);
    expect(kernels).toHaveLength(3);
    const all = passes(maxLength, "padded", false);
    expect(new Set(all.map(({ kernel }) => kernel.code))).toEqual(new Set(kernels.map(({ code }) => code)));
    // No buffer is both read and written, and each one is there.
    for (const { bindings } of all) {
      const { output, input, spine } = bindings;
      expect([input, spine]).not.toContain(output);
      for (const from of [output, input, spine]) {
        expect(typeof from !== "object" || scratch.includes(from)).toBe(true);
      }
    }
  }
});

// Of a scan and a compaction in a single pass, and in two; and of a reduction in one dispatch, if it has no more than a tile of
// tiles, and in one for each level.
const dispatched = [
  [0, [0, 0], [1, 1], [1, 1]],
  [8, [1, 1], [1, 3], [1, 1]],
  [9, [1, 3], [1, 3], [1, 2]],
  [64, [1, 3], [1, 3], [1, 2]],
  [65, [1, 5], [1, 5], [3, 3]],
  [513, [1, 7], [1, 7], [4, 4]],
] as const;
test.each(dispatched)("the dispatches for %i items", async (length, scans, compactions, reductions) => {
  const options = { ...small, ...onePass, maxLength: 1000 };
  const where = "true";
  const count = (plan: Plan, arrangement: Arrangement): number =>
    plan.passes(length, arrangement, false).length;
  expect([
    count(await planScan(options, facts), "vectors"),
    count(await planScan({ ...options, ...twoPasses }, facts), "vectors"),
  ]).toEqual(scans);
  expect([
    count(await planCompact({ ...options, where }, facts), "vectors"),
    count(await planCompact({ ...options, ...twoPasses, where }, facts), "vectors"),
  ]).toEqual(compactions);
  expect([
    count(await planReduce(options, facts), "vectors"),
    count(await planReduce({ ...options, ...twoPasses }, facts), "vectors"),
  ]).toEqual(reductions);
  expect(count(await planReduce(options, facts), "items")).toBe(reductions[1]);
  // A scan's single pass takes ranges of two buffers that start at any item.
  expect(count(await planScan(options, facts), "items")).toBe(scans[0]);
  // Where ranges lie otherwise, a single pass is none.
  expect(count(await planScan(options, facts), "one-buffer")).toBe(scans[1]);
  for (const arrangement of ["items", "one-buffer"] as const) {
    expect(count(await planCompact({ ...options, where }, facts), arrangement)).toBe(compactions[1]);
  }
  // In place, a second dispatch scans the tiles that the first one leaves.
  const isOneTile = length <= small.workGroupSize * small.itemsPerThread;
  expect(count(await planScan(options, facts), "in-place")).toBe(isOneTile ? scans[0] : 2);
  expect(count(await planScan({ ...options, ...twoPasses }, facts), "in-place")).toBe(scans[1]);
  // What is kept is put aside, then copied.
  expect((await planCompact({ ...options, where }, facts)).passes(length, "in-place", true)).toHaveLength(
    (compactions[0] ?? 0) + (length > 0 ? 1 : 0),
  );
});

describe("on a software adapter, no loop over items is written out", () => {
  const letters = [..."abcdefghijklmnop"];
  const type = struct({ name: "Sixteen", fields: Object.fromEntries(letters.map((one) => [one, u32])) });
  const op = operator({
    name: "sum",
    type,
    identity: Object.fromEntries(letters.map((one) => [one, 0])),
    combine: `Sixteen(${letters.map((one) => `earlier.${one} + later.${one}`).join(", ")})`,
    reference: (earlier) => earlier,
  });
  const software = factsWith({ software: true, lookBack: false });
  const options = { type, op: op as unknown as Operator<string>, maxLength: 2 ** 16 } as never;
  const compaction = { type, where: "x.a != 3u", maxLength: 2 ** 16 };
  const plans = (facts: DeviceFacts) =>
    Promise.all([
      planScan(options, facts),
      planReduce(options, facts),
      planCompact(compaction, facts),
      planCompact({ ...compaction, from: type, map: "x" }, facts),
      planScan({ type: u32, from: type, map: "x.a", maxLength: 2 ** 16 }, facts),
    ]);

  test("few kernels, and no long one", async () => {
    const made = await plans(software);
    for (const { code, label } of made.flatMap(({ kernels }) => kernels)) {
      // Each loop of items is there once, and what a loop has is not written out.
      expect(code.length, label).toBeLessThan(15_000);
      expect(code.match(/\bcombine\(/g)?.length ?? 0, label).toBeLessThan(10);
    }
  });

  test("as they are on a GPU", async () => {
    for (const [own, has] of [
      [software, true],
      [factsWith({ lookBack: false }), false],
    ] as const) {
      for (const planned of [planScan(options, own), planScan({ type: u64, maxLength: 1000 }, own)]) {
        for (const { code } of (await planned).kernels) {
          expect(code.includes("item++")).toBe(has);
        }
      }
    }
  });
});

test("of elements that are too long to hold several, a thread takes one; but as many as an operator's tiles say", async () => {
  const tileOf = async (options: object, changes: Partial<DeviceFacts> = {}) => {
    const plan = await planScan(
      { type: f64, op: exactAdd, maxLength: 2 ** 20, ...options },
      factsWith(changes),
    );
    const { workGroupSize, itemsPerThread } = plan.groupingOf("vectors");
    return [workGroupSize, itemsPerThread];
  };
  expect(await tileOf({}, { software: true })).toEqual([16, 1]);
  expect(await tileOf({ algorithm: "subgroup" })).toEqual([32, 1]);
  expect(await tileOf({ algorithm: "subgroup", itemsPerThread: 3 })).toEqual([32, 3]);
  expect(await tileOf({})).toEqual([32, 16]);
});

test("by subgroups, a reduction takes more of items that are shorter than its elements", async () => {
  const limits = { maxStorageBufferBindingSize: 2 ** 31, maxBufferSize: 2 ** 31 };
  const first = operator({ name: "first", type: u64, identity: 0n, combine: "earlier" });
  const tilesOf = async (maxLength: number, from?: ElementType, changes: Partial<DeviceFacts> = {}) => {
    const mapped = from && { from, map: "vec2<u32>()" };
    const facts = factsWith({ vendor: "nvidia", ...changes }, limits);
    const plan = await planReduce({ type: u64, op: first, maxLength, ...mapped }, facts);
    return plan.passes(2 ** 20, "vectors")[0]?.tiles;
  };
  expect(await tilesOf(2 ** 25)).toBe(512);
  expect(await tilesOf(2 ** 25, u64)).toBe(512);
  expect(await tilesOf(2 ** 25, u32)).toBe(256);
  expect(await tilesOf(2 ** 26, u32)).toBe(Math.ceil(2 ** 20 / (256 * 24)));
  const software = { software: true, vendor: "" };
  expect(await tilesOf(2 ** 26, u32, software)).toBe(await tilesOf(2 ** 26, undefined, software));
});

test("by subgroups, a reduction in any order is one dispatch of a few work-groups", async () => {
  const limits = { maxStorageBufferBindingSize: 2 ** 31, maxBufferSize: 2 ** 31 };
  const passesOf = async (options: object, length: number, changes: Partial<DeviceFacts> = {}) => {
    const facts = factsWith({ vendor: "nvidia", ...changes }, limits);
    const plan = await planReduce({ type: u32, maxLength: 2 ** 28, ...options }, facts);
    return plan.passes(length, "vectors").map(({ tiles }) => tiles);
  };
  expect(await passesOf({}, 2 ** 28)).toEqual([512]);
  expect(await passesOf({}, 2 ** 20)).toEqual([256]);
  expect(await passesOf({}, 4097)).toEqual([2]);
  expect(await passesOf({ from: u32, type: u64, op: min, map: "vec2<u32>(i, x)" }, 2 ** 28)).toEqual([512]);
  const lowest = argMin(i32);
  const positions = { type: lowest.type, op: lowest, from: i32, map: "ArgMinI32(x, i)" };
  expect(await passesOf(positions, 2 ** 28)).toEqual([512]);
  // Neither an operator that keeps its order, nor two passes.
  expect(await passesOf({ op: affine }, 2 ** 28)).toEqual([2 ** 16, 16, 1]);
  expect(await passesOf({ passes: "reduce-then-scan" }, 2 ** 28)).toEqual([2 ** 16, 16, 1]);
  expect(await passesOf({}, 2 ** 28, { lookBack: false })).toEqual([2 ** 16, 16, 1]);
});

test("by votes, a thread takes fewer items of many classes", async () => {
  const sizesOf = async (
    classes: number,
    more: Partial<DeviceFacts>,
    options: TuningOptions = {},
  ): Promise<string> => {
    const plan = await planPartition(
      { type: u32, maxLength: 2 ** 20, classes, class: "x", ...options },
      factsWith(more),
    );
    const [{ code = "", entryPoint = "" } = {}] = plan.kernels;
    const items = /const ITEMS\b[^=]* = (\d+)u;/.exec(code)?.[1];
    return `${entryPoint} ${items} ${code.includes("class_now") ? "class by class" : "by votes"}`;
  };
  const nvidia = { vendor: "nvidia" };
  expect(await Promise.all([4, 5, 8, 9, 16].map((classes) => sizesOf(classes, nvidia)))).toEqual(
    [8, 4, 4, 2, 2].map((items) => `part_classes ${items} by votes`),
  );
  expect(await sizesOf(16, nvidia, { itemsPerThread: 6 })).toBe("part_classes 6 by votes");
  expect(await sizesOf(16, {})).toBe("part_classes 8 class by class");
  expect(await sizesOf(16, nvidia, { algorithm: "blelloch" })).toBe("part_classes 8 class by class");
  expect(await sizesOf(16, { ...nvidia, features: new Set() })).toBe("part_classes 8 class by class");
});

test("the passes are those asked for, or those that are faster where the adapter manages", async () => {
  const options = { ...small, maxLength: 1000 };
  const passesOn = async (changes: Partial<DeviceFacts>, more: TuningOptions = {}): Promise<unknown> => {
    const plans = [
      await planScan({ ...options, ...more }, factsWith({ vendor: "nvidia", ...changes })),
      await planCompact({ ...options, ...more, where: "true" }, factsWith({ vendor: "nvidia", ...changes })),
    ];
    const found = new Set(plans.map((plan) => plan.groupingOf("vectors").passes));
    expect(found.size).toBe(1);
    return [...found][0];
  };
  expect(await passesOn({})).toBe("single");
  expect(await passesOn({ lookBack: false })).toBe("reduce-then-scan");
  // Where nobody vetted the adapter, a test may have.
  expect(await passesOn({ vendor: "" })).toBe("single");
  expect(await passesOn({ vendor: "", lookBack: false })).toBe("reduce-then-scan");
  expect(await passesOn({ software: true })).toBe("reduce-then-scan");
  expect(await passesOn({ lookBack: false }, { passes: "single" })).toBe("single");
  expect(await passesOn({}, twoPasses)).toBe("reduce-then-scan");
  expect(await passesOn({}, { workGroupSize: 1 })).toBe("single");
});

// Found out on an H200, whose driver otherwise counts votes without the first lane's; nothing else can show it. The tile's
// subgroups all vote in scan_row. Their totals, and the hand-on in a single pass, are stored in branches.
test.each([onePass, twoPasses])(
  "a compaction votes on its items before any branch of a few lanes: $passes",
  async (passes) => {
    const options = { ...small, ...passes, algorithm: "subgroup", where: "true", maxLength: 1000 } as const;
    const { kernels } = await planCompact(options, facts);
    const bodies = kernels.map(({ code }) => code).filter((code) => code.includes("fn ranks_of("));
    expect(bodies).not.toEqual([]);
    const bodyOf = (code: string, name: string): string =>
      new RegExp(`^fn ${name}\\([\\s\\S]*?^\\}`, "m").exec(code)?.[0] ?? "";
    for (const code of bodies) {
      const begin = bodyOf(code, "begin_scan");
      expect(begin.indexOf("prefixes_of_run(")).toBeGreaterThan(0);
      expect(begin.indexOf("scan_subgroups(")).toBeGreaterThan(begin.indexOf("prefixes_of_run("));
      expect(bodyOf(code, "prefixes_of_run")).toContain("scan_row(");
      expect(bodyOf(code, "run_of")).not.toContain("prefixes_of_run(");
    }
  },
);

test("a compaction by full subgroups keeps its votes in memory; all come before the first branch of a few lanes", async () => {
  const ranksOf = async (
    itemsPerThread: number,
    passes: "single" | "reduce-then-scan",
    lanes: [number, number],
  ) => {
    const tuning = { algorithm: "subgroup", workGroupSize: 256, itemsPerThread, passes } as const;
    const own = factsWith({ subgroupMinSize: lanes[0], subgroupMaxSize: lanes[1] });
    const { kernels } = await planCompact({ ...tuning, type: u32, where: "true", maxLength: 1000 }, own);
    const code = kernels.map((one) => one.code).find((one) => one.includes("fn ranks_of(")) ?? "";
    const bodyOf = (name: string): string =>
      new RegExp(`^fn ${name}\\([\\s\\S]*?^\\}`, "m").exec(code)?.[0] ?? "";
    return bodyOf("ranks_of");
  };
  for (const [items, passes, least] of [
    [8, "single", 4],
    [16, "single", 4],
    [28, "single", 32],
    [8, "reduce-then-scan", 4],
  ] as const) {
    const ranks = await ranksOf(items, passes, [least, 32]);
    expect(ranks.split("subgroupBallot(")).toHaveLength(items + 1);
    expect(ranks.indexOf("if (")).toBeGreaterThan(ranks.lastIndexOf("subgroupBallot("));
  }
  // More lanes than a word has bits, subgroups that may lack lanes, and too much work-group memory.
  expect(await ranksOf(12, "single", [4, 64])).toContain("begin_scan(");
  expect(await ranksOf(12, "reduce-then-scan", [4, 512])).toContain("begin_scan(");
  expect(await ranksOf(28, "single", [4, 32])).toContain("begin_scan(");
});

test.each([
  { type: f32, op: add, links: ["reduce_subgroups(reduce_row(sum))"], without: ["scan_rows("] },
  { type: f16, op: mul, links: ["reduce_subgroups(reduce_row(sum))"], without: ["scan_rows("] },
  { type: u32, op: add, links: [], without: ["scan_rows(", "reduce_subgroups(reduce_row(sum))"] },
  { type: u32, op: max, links: ["scan_rows("], without: ["scan_subgroups"] },
  { type: u64, op: add, links: ["scan_rows("], without: ["scan_subgroups"] },
  { type: f64, op: min, links: ["scan_rows("], without: ["scan_subgroups"] },
  { type: f64, op: add, links: ["scan_rows(", "scan_subgroups"], without: [] },
])("what a subgroup's scan by $op.name of $type.name is made of", async ({ type, op, links, without }) => {
  const options = { type: type as ElementType, op: untyped(op), ...onePass, algorithm: "subgroup" } as const;
  const { kernels } = await planScan({ ...options, maxLength: 1000 }, facts, ["vectors"]);
  const [code] = kernels.map((one) => one.code).filter((text) => text.includes("fn scan_single_pass("));
  expect(links.filter((text) => !code?.includes(text))).toEqual([]);
  expect(without.filter((text) => code?.includes(text))).toEqual([]);
});

test.each([
  [0, 2, 1],
  [1, 2, 1],
  [2, 2, 2],
  [29, 30, 1],
  [30, 30, 4],
  [61, 30, 2],
])("the spine of %i tiles in groups of %i, %i words an element", (tiles, fanOut, words) => {
  // As spine_entries.wgsl and look_back.wgsl place entries: the last one is the last group's that is not used.
  const group = fanOut + 2;
  const groups = Math.floor(tiles / fanOut) + 1;
  const carry = (2 * groups - 1) * group * 2 * words + (2 * words - 1) * group + fanOut;
  const runs = 5;
  const sum = monoid(add, u32, "scan");
  const long = { ...sum, domain: { ...sum.domain, elementBytes: 4 * words } };
  expect(spineSize({ byVotes: true, fanOut }, tiles, long, runs)).toEqual({
    entries: groups * group,
    bytes: (carry + 1 + 1 + runs + 1) * 4,
  });
});

test("the grouping names what is combined together", async () => {
  const options = { type: u32, ...onePass, workGroupSize: 8, itemsPerThread: 4, maxLength: 1000 } as const;
  const scan = await planScan({ ...options, algorithm: "blelloch" }, facts);
  const base = { algorithm: "blelloch", workGroupSize: 8, itemsPerThread: 4, subgroupSize: 4 };
  const apart = { ...base, passes: "reduce-then-scan", itemsPerVector: 1 };
  const once = { ...base, passes: "single", lookBack: { byVotes: false, fanOut: 8 } };
  expect(scan.groupingOf("vectors")).toEqual({ ...once, itemsPerVector: 4 });
  expect(scan.groupingOf("items")).toEqual({ ...once, itemsPerVector: 1 });
  expect(scan.groupingOf("one-buffer")).toEqual(apart);
  expect(scan.groupingOf("in-place")).toEqual({ ...once, itemsPerVector: 4 });
  const reduce = await planReduce({ ...options, algorithm: "blelloch" }, facts);
  expect(reduce.groupingOf("vectors")).toEqual({ ...apart, itemsPerVector: 4 });
  expect(reduce.groupingOf("items")).toEqual(apart);
});

test.each([
  // Threads, the adapter's subgroup sizes, and tiles of a group: where lanes vote, all but two of them. They vote where
  // all subgroups are full. And the rows that are scanned together, of which the same is true.
  [256, 32, 32, 30, 8],
  [256, 4, 4, 2, 4],
  [256, 8, 128, 6, 8],
  [256, 64, 64, 30, 8],
  [64, 8, 128, 16, 1],
  [8, 4, 4, 2, 4],
  [7, 4, 4, 4, 1],
  [48, 32, 32, 16, 1],
  [3, 4, 4, 2, 1],
  [1, 4, 4, 1, 1],
])("%i threads in subgroups of %i to %i", async (workGroupSize, least, most, fanOut, rows) => {
  const plan = await planScan(
    { ...small, ...onePass, workGroupSize, algorithm: "subgroup", maxLength: 1000 },
    factsWith({ subgroupMinSize: least, subgroupMaxSize: most }),
  );
  expect(plan.groupingOf("vectors")).toMatchObject({ passes: "single", lookBack: { fanOut }, rows });
});

test("a single pass scans several rows together where vectors have one item", async () => {
  const options = {
    ...onePass,
    type: u32,
    algorithm: "subgroup",
    workGroupSize: 64,
    itemsPerThread: 8,
  } as const;
  const plan = await planScan({ ...options, maxLength: 1000 }, facts);
  const scansRows = (arrangement: Arrangement): boolean =>
    plan.passes(1000, arrangement, false).some(({ kernel }) => kernel.code.includes("fn scan_rows("));
  expect(scansRows("items")).toBe(true);
  expect(scansRows("vectors")).toBe(false);
});

test("ranges that start at vectors do so for every kernel, however the passes are tuned", async () => {
  for (const type of allTypes) {
    for (const changes of [{}, { vendor: "nvidia" }, { software: true }]) {
      const options = { type, maxLength: 100_000, passes: "single" } as const;
      for (const plan of [
        await planScan(options, factsWith(changes)),
        await planReduce(options, factsWith(changes)),
        await planCompact({ ...options, where: "true" }, factsWith(changes)),
      ]) {
        for (const kernel of plan.kernels) {
          expect(plan.vector % kernel.vector, `${plan.title} ${kernel.label}`).toBe(0);
        }
      }
    }
  }
});

test("every pass binds what its kernel names, and has a kernel that is compiled", async () => {
  // What the runtime binds beside: parameters, ends of ranges bound as vectors, and a run's digits.
  const implied = new Set(["call", "input_end", "output_end", "run_low", "run_high"]);
  const plans: Plan[] = [];
  for (const more of [
    onePass,
    twoPasses,
    { ...onePass, lengthOnGpu: true },
    { ...twoPasses, lengthOnGpu: true },
  ]) {
    const options = { ...small, itemsPerThread: 4, maxLength: 5000, ...more };
    const indirect = { dispatch: { itemsPerWorkGroup: 64 } };
    plans.push(
      await planScan(options, facts),
      await planReduce(options, facts),
      await planCompact({ ...options, where: "true" }, facts),
      await planCompact({ ...options, where: "true", indices: true }, facts),
      await planCompact({ ...options, type: u64, where: "true", indices: true }, facts),
      await planCompact({ ...options, indirect }, facts),
      await planCompact({ ...options, indices: true }, facts),
    );
  }
  for (const plan of plans) {
    const compiled = new Set(plan.kernels.map((kernel) => kernel.code));
    for (const length of [0, 1, 16, 17, 256, 257, 4096, 4097, 5000]) {
      for (const { arrangement, aside } of plan.variants) {
        const title = `${plan.title} ${length} ${arrangement} ${aside}`;
        for (const { kernel, bindings } of plan.passes(length, arrangement, aside)) {
          const named = [...kernel.bindings.keys()].filter((variable) => !implied.has(variable)).sort();
          expect(compiled.has(kernel.code), `${title} ${kernel.label}`).toBe(true);
          expect(Object.keys(bindings).sort(), `${title} ${kernel.label}`).toEqual(named);
        }
      }
    }
  }
});

test("on NVIDIA, scans of structs that lanes store by pairs, compactions and partitions have shapes of their own", async () => {
  const own = factsWith(
    { vendor: "nvidia", subgroupMinSize: 32, subgroupMaxSize: 32 },
    {
      maxComputeInvocationsPerWorkgroup: 1024,
      maxComputeWorkgroupSizeX: 1024,
      maxComputeWorkgroupStorageSize: 49_152,
      maxBufferSize: 2 ** 30,
      maxStorageBufferBindingSize: 2 ** 30,
    },
  );
  const shapeOf = ({ groupingOf }: Plan): string => {
    const { workGroupSize, itemsPerThread } = groupingOf("vectors");
    return `${workGroupSize} × ${itemsPerThread}`;
  };
  const scanOf = async (
    words: number,
    exclusive: boolean,
    field: typeof u32 | typeof f32 = u32,
    maxLength = 2 ** 22,
    algorithm?: "blelloch",
    facts = own,
  ): Promise<string> => {
    const names = Array.from({ length: words }, (_, at) => `w${at}`);
    const type = struct({ name: "Words", fields: Object.fromEntries(names.map((name) => [name, field])) });
    const op = operator({
      name: "later",
      type,
      identity: Object.fromEntries(names.map((name) => [name, 0])) as never,
      combine: "later",
    });
    const options = { type, op: untyped(op), exclusive, maxLength, ...(algorithm && { algorithm }) };
    return shapeOf(await planScan(options, facts));
  };
  expect(await scanOf(16, true)).toBe("128 × 8");
  expect(await scanOf(16, false)).toBe("128 × 8");
  expect(await scanOf(16, true, f32)).toBe("128 × 8");
  expect(await scanOf(16, false, f32)).toBe("128 × 8");
  expect(await scanOf(15, true)).toBe("192 × 4");
  expect(await scanOf(3, true)).toBe("192 × 16");
  expect(await scanOf(3, false)).toBe("192 × 16");
  expect(await scanOf(6, true)).toBe("256 × 6");
  expect(await scanOf(6, false, f32)).toBe("256 × 6");
  expect(await scanOf(12, true)).toBe("192 × 8");
  expect(await scanOf(12, false)).toBe("192 × 8");
  expect(await scanOf(8, false, u32, 2 ** 23 + 1)).toBe("128 × 8");
  // Two subgroups of 128 lanes do not fill 192 threads.
  const wide = { ...own, subgroupMaxSize: 128 };
  expect(await scanOf(3, false, u32, 2 ** 22, undefined, wide)).toBe("192 × 12");
  // Blelloch's algorithm stores each vector by one lane.
  expect(await scanOf(3, false, u32, 2 ** 22, "blelloch")).toBe("192 × 12");
  expect(await scanOf(12, false, u32, 2 ** 22, "blelloch")).toBe("192 × 4");
  for (const [power, shape] of [
    [20, "512 × 8"],
    [25, "256 × 16"],
    [26, "256 × 28"],
  ] as const) {
    const options = { type: u32, where: "true", maxLength: 2 ** power };
    expect(shapeOf(await planCompact(options, own))).toBe(shape);
  }
  const options = { type: u32, where: "true", rest: true, maxLength: 2 ** 26 };
  expect(shapeOf(await planPartition(options, own))).toBe("256 × 16");
});

test("levels of rows combine items in scans, and vectors in reductions", () => {
  const sizes = { workGroupSize: 8, itemsPerThread: 4 };
  const options = { type: f64, maxLength: 4096, segments: "rows", ...sizes } as never;
  const itemsPerVector = (primitive: "scan" | "reduce"): number => {
    const plan = planRows(primitive, options, withFasterWays(factsWith()), ALL_ARRANGEMENTS);
    const told = plan?.groupingOf("vectors", { columns: 8, row_length: 8, tile_items: 8 });
    expect(told?.fanIn).toBe(8);
    return told?.itemsPerVector ?? 1;
  };
  expect(itemsPerVector("scan")).toBe(1);
  expect(itemsPerVector("reduce")).toBe(2);
});

test("on NVIDIA, threads hold values of segments without heads, for items and keys of a word", async () => {
  const own = (maxStorageBuffersPerShaderStage: number) =>
    factsWith(
      { vendor: "nvidia", subgroupMinSize: 32, subgroupMaxSize: 32 },
      {
        maxComputeInvocationsPerWorkgroup: 1024,
        maxComputeWorkgroupSizeX: 1024,
        maxComputeWorkgroupStorageSize: 49_152,
        maxBufferSize: 2 ** 31,
        maxStorageBufferBindingSize: 2 ** 31,
        maxStorageBuffersPerShaderStage,
      },
    );
  const kernelOf = async (options: object, buffers = 10): Promise<string> => {
    const plan = await planScan({ type: u32, maxLength: 2 ** 28, ...options } as never, own(buffers));
    const { workGroupSize, itemsPerThread } = plan.groupingOf("vectors");
    const kernels = plan.passes(2 ** 20, "vectors").map(({ kernel }) => kernel);
    for (const { bindings } of kernels) {
      const storage = [...bindings.values()].filter(({ kind }) => kind.startsWith("read"));
      expect(storage.length).toBeLessThanOrEqual(buffers);
    }
    const entries = kernels.map(({ entryPoint }) => entryPoint);
    return `${entries.join()} ${workGroupSize} × ${itemsPerThread}`;
  };
  const cell = struct({ name: "Cell", fields: { place: u32, cell: u32 } });
  const flat = "scan_flat_segments 128 × 24";
  const others = "scan_single_pass 128 × 32";
  for (const type of [u32, i32, f32]) {
    for (const segments of [{ keys: type }, "heads", "headBits"]) {
      expect(await kernelOf({ type, segments })).toBe(flat);
    }
  }
  expect(await kernelOf({ segments: "offsets" })).toBe(`clear_heads,mark_heads,${flat}`);
  // Not short data, unless the caller chooses sizes.
  const short = { segments: { keys: u32 }, maxLength: 2 ** 25 };
  expect(await kernelOf(short)).toBe("scan_single_pass 256 × 16");
  expect(await kernelOf({ ...short, itemsPerThread: 16 })).toBe("scan_flat_segments 128 × 16");
  const more = { exclusive: true, initial: true, lengthOnGpu: true, op: affine, segments: { keys: u32 } };
  expect(await kernelOf(more)).toBe(flat);
  // Each device has eight buffers.
  expect(await kernelOf({ segments: { keys: u32 }, initial: true, lengthOnGpu: true }, 8)).toBe(flat);
  for (const segments of [{ keys: u64 }, { keys: f16 }, { keys: cell, key: "x.cell" }]) {
    expect(await kernelOf({ segments })).toBe(others);
  }
  expect(await kernelOf({ from: f16, map: "u32(x)", segments: "heads" })).toBe(others);
  expect(await kernelOf({ type: u64, segments: "heads", maxLength: 2 ** 26 })).not.toMatch(
    "scan_flat_segments",
  );
  expect(await kernelOf({ segments: "heads", algorithm: "blelloch", passes: "single" })).toMatch(
    "scan_single_pass",
  );
});

test("a reduction by offsets keeps bits of heads only if a kernel reads them", async () => {
  const subgroups = { subgroupMinSize: 32, subgroupMaxSize: 32 };
  const planned = async (vendor: string, maxLength: number) => {
    const options = { type: f32, maxLength, segments: "offsets" } as never;
    // Calls at hand lie as vectors.
    const plan = await planReduce(options, factsWith({ vendor, ...subgroups }), ["vectors"]);
    return {
      entries: plan.kernels.map(({ entryPoint }) => entryPoint),
      bits: plan.scratch.find(({ name }) => name === "bits of heads")?.bytes,
    };
  };
  const searching = await planned("nvidia", 2 ** 20);
  expect(searching.entries).toContain("reduce_offsets");
  expect(searching.entries).not.toContain("clear_heads");
  expect(searching.bits).toBe(4);
  const reading = await planned("unknown", 2 ** 20);
  expect(reading.entries).toContain("clear_heads");
  expect(reading.bits).toBe(2 ** 20 / 8);
});

test("the plan of the first arrangement alone has the kernels that the whole plan takes for it, and no others", async () => {
  const vectors = ["vectors"] as const;
  for (const changes of [{ vendor: "nvidia" }, { software: true }]) {
    const own = factsWith(changes);
    for (const type of [u32, f64]) {
      for (const more of [{}, { ...twoPasses, workGroupSize: 4, itemsPerThread: 4 }]) {
        for (const lengthOnGpu of [false, true]) {
          const options = { type, maxLength: 100_000, lengthOnGpu, ...more };
          const kept = { ...options, where: "true" };
          for (const planOf of [
            (some: readonly Arrangement[]) => planScan(options, own, some),
            (some: readonly Arrangement[]) => planReduce(options, own, some),
            (some: readonly Arrangement[]) => planCompact(kept, own, some),
            (some: readonly Arrangement[]) => planPartition(kept, own, some),
          ]) {
            const [first, whole] = [await planOf(vectors), await planOf(ALL_ARRANGEMENTS)];
            const [variant] = whole.variants;
            const taken = new Set<string>();
            for (let length = whole.maxLength; length > 0; length = Math.floor(length / 2)) {
              for (const { kernel } of whole.passes(
                length,
                variant?.arrangement ?? "vectors",
                variant?.aside,
              )) {
                taken.add(kernel.code);
              }
            }
            const title = `${whole.title} ${JSON.stringify([changes, more, lengthOnGpu])}`;
            expect(first.kernels.length, title).toBe(taken.size);
            expect(
              first.kernels.every(({ code }) => taken.has(code)),
              title,
            ).toBe(true);
          }
        }
      }
    }
  }
});

describe("errors name what was asked for, and the limit", () => {
  const bare = factsWith({ features: new Set() });
  type Refusal = [string, new (...given: never) => WavefoldError, string, () => Promise<unknown>];
  const cases: Refusal[] = [
    [
      "f16",
      FeatureError,
      'scan<f16, add> needs the adapter feature "shader-f16"; most GPUs have it, and software adapters do not: open the device with it, or take f32',
      () => planScan({ type: f16, maxLength: 1 }, bare),
    ],
    [
      "subgroup",
      FeatureError,
      'reduce<u32, add> with the algorithm subgroup needs the adapter feature "subgroups"',
      () => planReduce({ type: u32, algorithm: "subgroup", maxLength: 1 }, bare),
    ],
    [
      "operator",
      ArgumentError,
      "scan<f32, and>: and has no meaning on f32; it takes u32, i32, u64, i64",
      () =>
        planScan(
          { type: f32, op: untyped(and) as Operator<"f32">, maxLength: 1 } as Parameters<typeof planScan>[0],
          facts,
        ),
    ],
    [
      "type",
      ArgumentError,
      "scan: u128 is not an element type; it takes u32, i32, f32, f16, u64, i64, f64, or struct(…)",
      () => planScan({ type: { name: "u128" } as unknown as ElementType, maxLength: 1 }, facts),
    ],
    [
      "no operator",
      ArgumentError,
      'reduce: op is "sum"',
      () =>
        planReduce(
          { type: u32, op: "sum" as unknown as Operator<string>, maxLength: 1 } as Parameters<
            typeof planReduce
          >[0],
          facts,
        ),
    ],
    [
      "algorithm",
      ArgumentError,
      'scan<u32, add>: algorithm is "fast"; it takes blelloch, hillis-steele, subgroup',
      () => planScan({ type: u32, algorithm: "fast" as "blelloch", maxLength: 1 }, facts),
    ],
    [
      "workGroupSize",
      LimitError,
      "scan<u32, add>: workGroupSize is 257, and the device's limit is 256",
      () => planScan({ type: u32, workGroupSize: 257, maxLength: 1 }, facts),
    ],
    [
      "workGroupSize 0",
      ArgumentError,
      "workGroupSize is 0; it takes a whole number from 1 up",
      () => planScan({ type: u32, workGroupSize: 0, maxLength: 1 }, facts),
    ],
    [
      "items",
      ArgumentError,
      "itemsPerThread is 65; it takes 1 to 64",
      () => planScan({ type: u32, itemsPerThread: 65, maxLength: 1 }, facts),
    ],
    [
      "tile",
      ArgumentError,
      "a tile is workGroupSize * itemsPerThread = 1 item; it takes at least 2",
      () => planScan({ type: u32, workGroupSize: 1, itemsPerThread: 1, maxLength: 1 }, facts),
    ],
    [
      "memory",
      LimitError,
      "scan<u32, add> with the algorithm hillis-steele and workGroupSize 256 needs 2048 bytes of work-group memory, and the device's limit is 2000",
      () =>
        planScan(
          { type: u32, algorithm: "hillis-steele", workGroupSize: 256, maxLength: 1 },
          factsWith({ lookBack: false }, { maxComputeWorkgroupStorageSize: 2000 }),
        ),
    ],
    [
      "passes",
      ArgumentError,
      'scan<u32, add>: passes is "twice"; it takes single or reduce-then-scan',
      () => planScan({ type: u32, passes: "twice" as "single", maxLength: 1 }, facts),
    ],
    [
      "memory of a single pass",
      LimitError,
      "scan<u32, add> with the algorithm hillis-steele and workGroupSize 256 needs 6576 bytes of work-group memory, and the device's limit is 2048",
      () =>
        planScan(
          { type: u32, ...onePass, algorithm: "hillis-steele", workGroupSize: 256, maxLength: 1 },
          factsWith({}, { maxComputeWorkgroupStorageSize: 2048 }),
        ),
    ],
    [
      "memory of a single pass by subgroups",
      LimitError,
      // The algorithm's 48 bytes; 64, 64, 1 and 1 elements, the three subgroups that look at once, and five words of the look-back.
      "scan<u32, add> with the algorithm subgroup and workGroupSize 256 needs 688 bytes of work-group memory, and the device's limit is 400",
      () =>
        planScan(
          { type: u32, ...onePass, algorithm: "subgroup", workGroupSize: 256, maxLength: 1 },
          factsWith({ subgroupMinSize: 32, subgroupMaxSize: 32 }, { maxComputeWorkgroupStorageSize: 400 }),
        ),
    ],
    [
      "indirect",
      ArgumentError,
      "compact<u32>: indirect is 2 calls; it takes one",
      () =>
        planCompact(
          {
            type: u32,
            where: "true",
            indirect: { dispatch: 1, draw: 2 } as unknown as Indirect,
            maxLength: 1,
          },
          facts,
        ),
    ],
    [
      "an indirect call of another name",
      ArgumentError,
      "compact<u32>: indirect takes no option toString; it takes dispatch, draw, drawIndexed",
      () =>
        planCompact(
          { type: u32, where: "true", indirect: { toString: {} } as unknown as Indirect, maxLength: 1 },
          facts,
        ),
    ],
    ...(
      [
        ["dispatch", { itemsPerWorkGroup: 4, y: 5 }, "y; it takes itemsPerWorkGroup"],
        ["draw", { vertexCount: 4, firstInstance: 5 }, "firstInstance; it takes vertexCount"],
        ["draw", { vertex_count: 4 }, "vertex_count; did you mean vertexCount?"],
        ["drawIndexed", { indexCount: 4, firstIndex: 5 }, "firstIndex; it takes indexCount"],
      ] as const
    ).map(([kind, given, end]): Refusal => {
      const indirect = { [kind]: given } as unknown as Indirect;
      return [
        `indirect.${kind} with ${Object.keys(given).join(" and ")}`,
        ArgumentError,
        `compact<u32>: indirect.${kind} takes no option ${end}`,
        () => planCompact({ type: u32, where: "true", indirect, maxLength: 1 }, facts),
      ];
    }),
    [
      "indirect count",
      ArgumentError,
      "compact<u32>: vertexCount is 0; it takes a whole number from 1 to 2^32 - 1",
      () =>
        planCompact(
          { type: u32, where: "true", indirect: { draw: { vertexCount: 0 } }, maxLength: 1 },
          facts,
        ),
    ],
    [
      "binding",
      LimitError,
      "scan<u32, add>: 33554433 items of 4 bytes are more than the device can bind, which is 33554432",
      () => planScan({ type: u32, maxLength: 2 ** 25 + 1 }, facts),
    ],
    [
      "maxLength",
      ArgumentError,
      "maxLength is -1; it takes a whole number from 0 up",
      () => planReduce({ type: u32, maxLength: -1 }, facts),
    ],
    [
      "empty where",
      ArgumentError,
      "where is empty",
      () => planCompact({ type: u32, where: " ", maxLength: 1 }, facts),
    ],
  ];
  test.each(cases)("%s", async (_, kind, message, plan) => {
    await expect(plan()).rejects.toThrow(kind);
    await expect(plan()).rejects.toThrow(message);
  });
});
