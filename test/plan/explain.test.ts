import { beforeAll, describe, expect, test } from "vitest";
import { describedAdapters } from "../../src/adapters/described.ts";
import { exactAdd } from "../../src/algebra/exact_add.ts";
import { f32 } from "../../src/algebra/floats.ts";
import { u32 } from "../../src/algebra/integers.ts";
import { f64 } from "../../src/algebra/types_64.ts";
import type { Kernel } from "../../src/kernels/kernel.ts";
import { bindingsIn } from "../../src/kernels/kernel.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import type { Explained } from "../../src/plan/explain.ts";
import { explainKernels, explainPlan } from "../../src/plan/explain.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import { planHistogram } from "../../src/plan/histogram.ts";
import type { Passes } from "../../src/plan/options.ts";
import { ungrouped } from "../../src/plan/plain_plan.ts";
import type { Plan, Scratch } from "../../src/plan/plan.ts";
import { ALL_ARRANGEMENTS, itemTypesOf, RUNS } from "../../src/plan/plan.ts";
import { planRows } from "../../src/plan/rows.ts";
import { planNth, planTopK } from "../../src/plan/select.ts";
import { planSort } from "../../src/plan/sort.ts";
import { primitives as described } from "../../src/primitives/described.ts";
import { sortHelp } from "../../src/primitives/sort.ts";
import { topKHelp } from "../../src/primitives/top_k.ts";
import { linkSources } from "../../src/text/link.ts";
import { generated } from "../../src/text/source.ts";
import { planCompact, planPartition, planReduce, planScan } from "../support/plans.ts";

const { nvidia, gpu, software } = describedAdapters;
const without: DeviceFacts = { ...gpu, features: new Set() };
const LENGTH = 2 ** 20;

type Facts = DeviceFacts;
interface Choice {
  readonly passes?: Passes;
  readonly length?: number;
}

const scanned = async (facts: Facts, { length = LENGTH, ...choice }: Choice = {}) =>
  explainPlan(await planScan({ type: u32, maxLength: length, ...choice }, facts), length, {
    facts,
    ...choice,
  });
const reduced = async (facts: Facts, { length = LENGTH, ...choice }: Choice = {}) =>
  explainPlan(await planReduce({ type: u32, maxLength: length, ...choice }, facts), length, {
    facts,
    ...choice,
  });
const sorted = (facts: Facts, { length = LENGTH, ...choice }: Choice = {}): Explained =>
  explainPlan(planSort({ type: u32, maxLength: length, ...choice }, facts), length, {
    facts,
    ways: sortHelp.ways,
    ...choice,
  });

const kernelsOf = ({ dispatches }: Explained): string[] => dispatches.map(({ kernel }) => kernel);
const bytesOf = (told: Explained, which: "reads" | "writes", what: string): number[] =>
  told.dispatches.flatMap((one) => one[which]).flatMap((one) => (one.what === what ? [one.bytes] : []));

describe("a scan", () => {
  test("in a single pass reads each item once, and takes as long as a copy", async () => {
    const told = await scanned(nvidia);
    expect(told).toMatchObject({
      title: "scan<u32, add>",
      length: LENGTH,
      way: "a single pass",
      grouping: { passes: "single" },
      table: "singlePass",
    });
    expect(told.dispatches).toHaveLength(1);
    const [only] = told.dispatches;
    const { workGroupSize, itemsPerThread } = told.sizes ?? { workGroupSize: 0, itemsPerThread: 0 };
    expect(only).toMatchObject({
      kernel: "scan_single_pass",
      threads: workGroupSize,
      workGroups: LENGTH / (workGroupSize * itemsPerThread),
    });
    expect(bytesOf(told, "reads", "input")).toEqual([4 * LENGTH]);
    expect(bytesOf(told, "reads", "output")).toEqual([]);
    expect(bytesOf(told, "writes", "output")).toEqual([4 * LENGTH]);
    // A spine has a ticket for each of the runs that it serves, and a run takes one.
    const spine = told.scratch.find(({ name }) => name === "spine")?.bytes ?? 0;
    expect(bytesOf(told, "writes", "spine")).toEqual([spine - RUNS * 4]);
    expect(told.copies).toBeCloseTo(1, 2);
    expect(told.bounds).toEqual([]);
  });

  test("in two passes reads each item twice", async () => {
    const told = await scanned(gpu);
    expect(told.way).toMatch(/^two passes/);
    expect(told.grouping?.passes).toBe("reduce-then-scan");
    expect(kernelsOf(told)).toEqual(["reduce_tiles", "scan_tiles", "scan_tiles"]);
    expect(bytesOf(told, "reads", "input")).toEqual([4 * LENGTH, 4 * LENGTH]);
    expect(bytesOf(told, "writes", "output")).toEqual([4 * LENGTH]);
    const totals = told.scratch.find(({ name }) => name === "totals of level 0");
    expect(bytesOf(told, "writes", "totals of level 0")).toEqual([totals?.bytes, totals?.bytes]);
    expect(told.copies).toBeCloseTo(1.5, 2);
  });

  test("of one tile says how many items that has, and one item more takes another way", async () => {
    const told = await scanned(gpu, { length: 5 });
    expect(told.way).toBe("one dispatch of one work-group");
    const tile = Number(/fits in one tile of (\d+) items/.exec(told.why[0] ?? "")?.[1]);
    expect((await scanned(gpu, { length: tile })).way).toBe(told.way);
    expect((await scanned(gpu, { length: tile + 1 })).way).toMatch(/^two passes/);
  });

  test("of nothing has no dispatch", async () => {
    const plan = await planScan({ type: u32, maxLength: 10 }, gpu);
    expect(explainPlan(plan, 0, { facts: gpu })).toMatchObject({
      way: "no dispatch",
      dispatches: [],
      bytesRead: 0,
      copies: undefined,
    });
  });

  test("in place reads what it writes", async () => {
    const plan = await planScan({ type: u32, maxLength: LENGTH }, gpu);
    const variant = { arrangement: "in-place" } as const;
    const told = explainPlan(plan, LENGTH, { facts: gpu, variant });
    expect(bytesOf(told, "reads", "input")).toEqual([4 * LENGTH, 4 * LENGTH]);
    expect(bytesOf(told, "writes", "output")).toEqual([4 * LENGTH]);
  });
});

test("a dispatch reads and writes what its kernel's text does, and scratch of one name is numbered", () => {
  const code = `const SIZE = 64u;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> state: array<State>;
@group(0) @binding(5) var<storage, read_write> ready: atomic<u32>;
@group(0) @binding(6) var<storage, read_write> seen: atomic<u32>;
struct State { done: u32, list: array<u32, 4> }
// counts, state and seen are named here, too: seen = 1u.
@compute @workgroup_size(SIZE) fn main() {
  let kept = output[3].y;
  output[input[0] + 1u].x = kept;
  atomicAdd(&counts[0], 1u);
  state[input[1]].list[2] = atomicLoad(&ready);
  atomicStore(&seen, u32(input[0] == 1u));
}
`;
  const [all] = explainPlan(planOf(code), 10, { facts: gpu }).dispatches;
  const names = (which: "reads" | "writes") => all?.[which].map(({ what }) => what);
  expect(all?.threads).toBe(64);
  // The output is read to complete a vector.
  expect(names("reads")).toEqual(["input", "counts", "a word"]);
  expect(names("writes")).toEqual(["moved", "counts", "states", "a word (2)"]);
});

/** A plan of one dispatch of a text. */
function planOf(code: string): Plan {
  const scratch = ["moved", "counts", "states", "a word", "a word"].map((name) => ({ name, bytes: 4 }));
  const [moved, counts, states, ready, seen] = scratch as [Scratch, Scratch, Scratch, Scratch, Scratch];
  const kernel: Kernel = {
    ...linkSources([generated(code)], "main"),
    code,
    label: "a text",
    entryPoint: "main",
    bindings: bindingsIn(code),
    vector: 1,
    tile: 64,
  };
  const bindings = { input: "input", output: moved, counts, state: states, ready, seen } as const;
  return {
    title: "a plan",
    maxLength: 10,
    kernels: [kernel],
    scratch,
    needs: new Set(["input", "output"] as const),
    itemTypes: itemTypesOf(u32, u32),
    indirectWords: 0,
    vector: 1,
    outputLength: (length) => length,
    variants: [{ arrangement: "items" }],
    groupingOf: ungrouped("a plan"),
    passes: (length) => [{ kernel, bindings, length, tiles: 1 }],
  };
}

describe("what decided the way, if it is another", () => {
  const ways = async (facts: Facts, choice: Choice = {}) => (await scanned(facts, choice)).way;

  test("look-back is not known to work: if it were, the data would be read once", async () => {
    const { why, way } = await scanned({ ...nvidia, lookBack: false });
    expect(why.join()).toMatch(/\(look-back\) is not known on this adapter/);
    expect(way).toMatch(/^two passes/);
    expect(await ways(nvidia)).toBe("a single pass");
  });

  test("a test has shown that look-back works", async () => {
    const facts = { ...gpu, lookBack: true };
    expect((await reduced(facts)).why.join()).toMatch(/A test of this device has shown/);
    expect((await reduced(nvidia)).why.join()).toMatch(/are known to hand results on/);
    expect((await reduced(gpu)).why.join()).toMatch(/is not known/);
    expect(kernelsOf(await reduced(facts))).toHaveLength(1);
    expect(kernelsOf(await reduced(gpu)).length).toBeGreaterThan(1);
  });

  test.each(["single", "reduce-then-scan"] as const)("%s was asked for", async (passes) => {
    for (const facts of [nvidia, gpu]) {
      for (const told of [await scanned(facts, { passes }), sorted(facts, { passes })]) {
        expect(told.why.join()).toMatch(/was asked for/);
      }
      const { way } = await scanned(facts, { passes });
      expect(way).toMatch(passes === "single" ? /^a single pass$/ : /^two passes/);
    }
    for (const facts of [nvidia, gpu]) {
      expect((await scanned(facts)).why.join()).not.toMatch(/was asked for/);
    }
  });

  test("the row of sizes has no single pass as the faster way", async () => {
    const facts = { ...nvidia, lookBack: true };
    const plan = await planScan({ type: f32, op: exactAdd, maxLength: LENGTH }, facts);
    const told = explainPlan(plan, LENGTH, { facts });
    expect(told.why[0]).toBe("For these elements, the single pass is not known to be faster.");
    expect(plan.groupingOf("vectors").passes).toBe("reduce-then-scan");
  });

  test("a reduction of more tiles than one dispatch takes", async () => {
    const told = await reduced(gpu, { passes: "single", length: 2 ** 24 });
    expect(told.why[0]).toMatch(/^One dispatch for all is not made/);
    expect(kernelsOf(told).length).toBeGreaterThan(1);
    expect(kernelsOf(await reduced(gpu, { passes: "single", length: 2 ** 20 }))).toHaveLength(1);
  });

  test("tickets are drawn where work-groups may start in any order, as the kernel's files say", async () => {
    for (const [facts, draws] of [
      [nvidia, false],
      [gpu, true],
    ] as const) {
      const plan = await planScan({ type: u32, maxLength: LENGTH, passes: "single" }, facts);
      const { why } = explainPlan(plan, LENGTH, { facts, passes: "single" });
      expect(why.join().includes("draws a ticket")).toBe(draws);
      const [kernel] = explainKernels(plan, LENGTH);
      const file = draws ? "tile_by_ticket.wgsl" : "tile_by_number.wgsl";
      expect(kernel?.files.map(({ name }) => name)).toContain(`shaders/device/look_back/${file}`);
    }
  });

  test("there are no subgroups; or the algorithm was asked for, or is the row's", async () => {
    const algorithmOf = async (facts: Facts, algorithm?: "hillis-steele") => {
      const choice = algorithm && { algorithm };
      const plan = await planScan({ type: u32, maxLength: LENGTH, ...choice }, facts);
      return explainPlan(plan, LENGTH, { facts, ...choice }).why.at(-1);
    };
    expect(await algorithmOf(without)).toBe(
      "Threads combine by the algorithm blelloch, as the row says or for lack of subgroups.",
    );
    expect(await algorithmOf(nvidia)).toBe(
      "Threads combine by the algorithm subgroup, which the row of sizes names.",
    );
    expect(await algorithmOf(gpu, "hillis-steele")).toMatch(/hillis-steele, which was asked for/);
  });

  test("a local name that is that of a buffer is no read of the buffer", async () => {
    const options = { type: u32, maxLength: LENGTH, passes: "reduce-then-scan" } as const;
    const told = explainPlan(await planCompact(options, gpu), LENGTH, { facts: gpu });
    const counting = told.dispatches.find(({ kernel }) => kernel === "count_tiles");
    expect(counting?.reads.map(({ what }) => what).sort()).toEqual(["flags"]);
    expect(counting?.writes.map(({ what }) => what)).toEqual(["totals of level 0"]);
  });
});

describe("a sort", () => {
  test("of many items goes by digits, each of which moves all items", () => {
    const told = sorted(nvidia, { length: 2 ** 24 });
    expect(told.way).toMatch(/^a radix sort by 4 digits\. All digits are counted at once/);
    expect(kernelsOf(told)).toEqual(["histogram", ...Array<string>(4).fill("sort_keys_pass")]);
    expect(bytesOf(told, "writes", "keys")).toEqual([2 ** 26, 2 ** 26]);
    expect(bytesOf(told, "writes", "output")).toEqual([2 ** 26, 2 ** 26]);
    // The items are read five times and written four times.
    expect(told.copies).toBeGreaterThan(4.5);
    expect(told.copies).toBeLessThan(4.7);
    expect(told.grouping).toBeUndefined();
    expect(told.sizes?.workGroupSize).toBe(told.dispatches[1]?.threads);
  });

  test("without look-back counts each digit by a pass of its own", () => {
    const told = sorted(gpu);
    expect(told.way).toMatch(/^a radix sort by \d+ digits\. Each pass counts its digit/);
    const digits = Number(/(\d+) digits/.exec(told.way)?.[1]);
    expect(kernelsOf(told).filter((name) => name === "sort_pass")).toHaveLength(digits);
    expect(kernelsOf(told).filter((name) => name === "count_digits")).toHaveLength(digits);
  });

  test("without subgroups says so", () => {
    expect(sorted(without).why.join()).toMatch(/counters of each thread: there are no subgroups/);
    expect(sorted(gpu).why.join()).not.toMatch(/no subgroups/);
  });

  test("of few items is one dispatch", () => {
    const told = sorted(nvidia, { length: 100 });
    expect(told.way).toMatch(/^one dispatch/);
    expect(told.dispatches).toHaveLength(1);
  });
});

describe("what the data decides is told as the most", () => {
  test("of a compaction", async () => {
    for (const facts of [nvidia, gpu]) {
      const plan = await planCompact({ type: u32, where: "x > 3u", maxLength: LENGTH }, facts);
      const told = explainPlan(plan, LENGTH, { facts });
      const output = told.dispatches.flatMap(({ writes }) => writes).find(({ what }) => what === "output");
      expect(output).toEqual({ what: "output", bytes: 4 * LENGTH, atMost: true });
      expect(told.bounds).toEqual(["The data decides how many items are kept: this is for all of them."]);
    }
  });

  test("but not of a partition, which stores all items", async () => {
    const plan = await planPartition({ type: u32, maxLength: LENGTH }, nvidia);
    const told = explainPlan(plan, LENGTH, { facts: nvidia });
    expect(told.bounds).toEqual([]);
    expect(told.why[0]).toMatch(/^The rest starts where the kept items end/);
    // The flags are read twice, and the items once.
    expect(bytesOf(told, "reads", "flags")).toEqual([4 * LENGTH, 4 * LENGTH]);
    expect(bytesOf(told, "reads", "input")).toEqual([4 * LENGTH]);
  });

  test("of a selection", () => {
    const options = { type: u32, maxLength: 2 ** 24 };
    const few = explainPlan(planTopK({ ...options, k: 10 }, nvidia), 2 ** 24, {
      facts: nvidia,
      ways: topKHelp.ways,
    });
    expect(few.way).toMatch(/^by blocks/);
    const [first = 0, second = 0] = bytesOf(few, "reads", "input");
    expect(first).toBe(2 ** 26);
    expect(second).toBeLessThanOrEqual(2 ** 18);
    expect(bytesOf(few, "writes", "output")).toEqual([40]);
    const many = explainPlan(planTopK({ ...options, k: 100_000 }, nvidia), 2 ** 24, {
      facts: nvidia,
      ways: topKHelp.ways,
    });
    expect(many.way).toMatch(/^by digits/);
    const one = explainPlan(planNth({ ...options, n: 10 }, nvidia), 2 ** 24, {
      facts: nvidia,
    });
    expect(one.bounds.join()).toMatch(/how many digits/);
  });

  test("of a length on the GPU", async () => {
    const plan = await planScan({ type: u32, maxLength: LENGTH, lengthOnGpu: true }, gpu);
    expect(explainPlan(plan, LENGTH, { facts: gpu }).bounds).toEqual([
      "The length is on the GPU: this is for the longest.",
    ]);
  });
});

test("rows are taken whole where they fit in a tile, and else by a single pass", () => {
  const options = { type: u32, segments: "rows", maxLength: 1_000_000 } as const;
  const plan = planRows("scan", options, withFasterWays(nvidia), ALL_ARRANGEMENTS) as Plan;
  const told = (columns: number) => explainPlan(plan, 1_000_000, { facts: nvidia, params: { columns } });
  expect(told(64).way).toBe("one dispatch: work-groups take whole rows");
  for (const columns of [64, 100_000, 99_999]) {
    expect(told(columns).sizes?.workGroupSize).toBe(told(columns).dispatches[0]?.threads);
  }
  expect(told(100_000).way).toBe("a single pass of its own for each row");
  expect(told(99_999).way).toBe("a single pass");
});

/** Plans of each primitive. */
const plansFor = async (facts: Facts): Promise<Plan[]> => {
  const options = { type: f32, maxLength: LENGTH };
  return [
    await planScan(options, facts),
    await planScan({ ...options, op: exactAdd }, facts),
    await planScan({ ...options, type: f64, lengthOnGpu: true }, facts),
    await planReduce(options, facts),
    await planReduce({ ...options, op: exactAdd }, facts),
    await planCompact({ ...options, indices: true }, facts),
    await planPartition({ ...options, where: "x > 0.0", rest: true }, facts),
    planHistogram({ ...options, bins: 10, range: [0, 10] }, facts),
    planSort({ ...options, maxLength: 5000 }, facts, u32),
    planSort(options, facts, u32),
    planTopK({ ...options, k: 100 }, facts),
    planTopK({ ...options, k: 50_000 }, facts),
    planNth({ ...options, n: 9 }, facts),
  ];
};

describe.each(Object.entries({ nvidia, gpu, software, without }))("all plans on %s", (_, facts) => {
  let plans: readonly Plan[];
  beforeAll(async () => {
    plans = await plansFor(facts);
  });

  test("have a way that is known, and a reason", () => {
    for (const plan of plans) {
      const name = plan.title.split("<")[0];
      const ways = described.find(({ primitive }) => primitive.name === name)?.help.ways;
      const { way, why } = explainPlan(plan, plan.maxLength, { facts, ways });
      expect(way, plan.title).not.toMatch(/^\d+ dispatch/);
      expect(why.length, plan.title).toBeGreaterThan(0);
    }
  });

  test("have dispatches each of which writes, and reads if it does not only set something to 0", () => {
    for (const plan of plans) {
      for (const { kernel, reads, writes, threads, workGroups } of explainPlan(plan, plan.maxLength, {
        facts,
      }).dispatches) {
        const where = `${plan.title}: ${kernel}`;
        expect(writes.length, where).toBeGreaterThan(0);
        if (kernel !== "clear_bins" && kernel !== "begin_selection") {
          expect(reads.length, where).toBeGreaterThan(0);
        }
        expect(threads, where).toBeGreaterThan(0);
        expect(workGroups, where).toBeGreaterThan(0);
        for (const { what, bytes } of [...reads, ...writes]) {
          expect(bytes, `${where} ${what}`).toBeGreaterThan(0);
        }
      }
    }
  });

  test("read or write all scratch that they bind", () => {
    for (const plan of plans) {
      const { scratch, dispatches } = explainPlan(plan, plan.maxLength, { facts });
      for (const { name } of scratch.filter(({ bound }) => bound)) {
        const met = dispatches.some(({ reads, writes }) =>
          [...reads, ...writes].some(({ what }) => what === name),
        );
        expect(met, `${plan.title}: ${name}`).toBe(true);
      }
    }
  });

  test("have kernels whose files declare all that is in them", () => {
    for (const plan of plans) {
      const passes = plan.passes(plan.maxLength, plan.variants[0]?.arrangement ?? "items");
      const told = explainKernels(plan, plan.maxLength);
      // Dispatches of one text are of one kernel.
      expect(told).toHaveLength(new Set(passes.map(({ kernel }) => kernel.code)).size);
      expect(told.flatMap(({ dispatches }) => dispatches).sort((a, b) => a - b)).toEqual(
        passes.map((_, at) => at + 1),
      );
      for (const { entryPoint, dispatches, files } of told) {
        const code = passes[(dispatches[0] ?? 0) - 1]?.kernel.code ?? "";
        const declared = [
          ...code.matchAll(
            /^(?:@[^\n]*?)?(?:@compute[^\n]*\n)?(?:fn|const|struct|alias|var(?:<[^>]*>)?) (\w+)/gm,
          ),
        ].map(([, name]) => name);
        const names = files.flatMap(({ declares }) => declares);
        expect(new Set(names), `${plan.title}: ${entryPoint}`).toEqual(new Set([...names, ...declared]));
        expect(names.length, `${plan.title}: ${entryPoint}`).toBe(new Set(names).size);
        expect(names).toContain(entryPoint);
      }
    }
  });
});
