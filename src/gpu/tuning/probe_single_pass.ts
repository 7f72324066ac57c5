import faultsFile from "#shaders/device/look_back/faults_by_run.wgsl";
import { u32 } from "../../algebra/integers.ts";
import type { Monoid, Operator } from "../../algebra/monoid.ts";
import type { ElementType } from "../../algebra/types.ts";
import { planCompact } from "../../plan/compact.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { TuningOptions } from "../../plan/options.ts";
import type { Plan } from "../../plan/plan.ts";
import { planFactsFor } from "../../plan/plan_facts_for.ts";
import { planScan } from "../../plan/scan.ts";
import type { SourceText } from "../../text/source.ts";
import type { Context } from "../device/context.ts";
import { explain } from "../device/lost.ts";
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE } from "../device/usage_flags.ts";
import type { Compiled } from "../executor/executor.ts";
import { compilePlan } from "../executor/executor.ts";
import { faultOf, someFaults } from "./look_back_faults.ts";

/** For tests: a fault planted in the kernels, and another limit. */
export interface Planted {
  readonly alter?: (plan: Plan) => Plan;
  readonly milliseconds?: number;
}

const TITLE = "the test of the single pass";
/** The test fails if its runs take longer than this. The time to compile kernels does not count. */
const LIMIT_MS = 20_000;
/** How often a tile tries to read what a fault may withhold. */
const PATIENCE = 8;
/** The most items that a test takes. */
const MOST = 2 ** 23;

/**
 * Composes maps x -> a·x + b modulo 2^16, which are stored as a << 16 | b. The earlier map is applied first, so the
 * operator does not commute.
 */
const affine: Operator<"u32"> = {
  name: "affine",
  on: (_, type: ElementType): Monoid => ({
    key: "affine_u32",
    title: "u32, affine",
    type,
    domain: type.native,
    combine:
      "(((earlier >> 16u) * (later >> 16u)) << 16u) | (((later >> 16u) * (earlier & 0xffffu) + later) & 0xffffu)",
    identity: 0x10000,
    operation: undefined,
  }),
};

const affineOf = (earlier: number, later: number): number => {
  const scale = later >>> 16;
  const a = Math.imul(earlier >>> 16, scale);
  return ((a << 16) | ((Math.imul(scale, earlier & 0xffff) + later) & 0xffff)) >>> 0;
};

// Loops make and compare 2^23 items. With a callback for each item, one such loop took up to a second, on a host of 16 cores.

/** Maps with odd scales, so that a prefix depends on every item in it. */
function itemsOf(length: number, seed: number): Uint32Array {
  const items = new Uint32Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    items[at] = state | 0x10000;
  }
  return items;
}

/** Where an array first differs from what another one begins with, or its length. */
function firstDifference(wanted: Uint32Array, found: Uint32Array): number {
  let at = 0;
  while (at < wanted.length && found[at] === wanted[at]) {
    at++;
  }
  return at;
}

function prefixesOf(data: Uint32Array): Uint32Array {
  const prefixes = new Uint32Array(data.length);
  let prefix = 0x10000;
  for (let at = 0; at < data.length; at++) {
    prefix = affineOf(prefix, data[at] as number);
    prefixes[at] = prefix;
  }
  return prefixes;
}

function keptOf(data: Uint32Array): Uint32Array {
  const kept = new Uint32Array(data.length);
  let count = 0;
  for (const x of data) {
    if (x % 3 === 1) {
      kept[count++] = x;
    }
  }
  return kept.subarray(0, count);
}

const WHERE = "x % 3u == 1u";

/** A plan to try, and what must come out. */
interface Subject {
  readonly plan: Plan;
  readonly expected: (data: Uint32Array) => Uint32Array;
  readonly faults: boolean;
}

/** The numbers of the runs of plans without faults. */
const plainRuns = [1, 2, 3, 4, 5, 6, 7, 8];

/** Options that make a plan look back in the other way (by votes or without), if the adapter has two ways. */
function otherThan({ groupingOf }: Plan, { features, subgroupMaxSize, limits }: DeviceFacts): TuningOptions {
  const grouping = groupingOf("vectors");
  if (grouping.algorithm === "subgroup") {
    return { algorithm: "blelloch" };
  }
  const workGroupSize = Math.min(2 * subgroupMaxSize, limits.maxComputeInvocationsPerWorkgroup);
  return features.has("subgroups") ? { algorithm: "subgroup", workGroupSize } : {};
}

async function subjectsOf({ facts }: Context): Promise<Subject[]> {
  const planFacts = await planFactsFor({ passes: "single" }, facts);
  const faultsText: SourceText = faultsFile;
  const base = { type: u32, maxLength: MOST, passes: "single", itemsPerThread: 4 } as const;
  // Software adapters are slow. Their groups have fewer tiles, so that a test takes fewer tiles to look as far back, and
  // each kernel runs either with faults or without.
  const ofScan = { ...base, op: affine, ...(facts.software && { workGroupSize: 4 }) };
  const arrangements = ["vectors"] as const;
  const testing = (faults: boolean) => (faults ? { faults: faultsText, patience: PATIENCE } : {});
  const scan = (faults: boolean): Subject => ({
    plan: planScan(ofScan, planFacts, arrangements, testing(faults)),
    expected: prefixesOf,
    faults,
  });
  const scanned = scan(true);
  const ofCompact = { ...base, ...otherThan(scanned.plan, facts), where: WHERE };
  const compact = (faults: boolean): Subject => ({
    plan: planCompact(ofCompact, planFacts, arrangements, testing(faults)),
    expected: keptOf,
    faults,
  });
  return [scanned, compact(false), ...(facts.software ? [] : [scan(false), compact(true)])];
}

/** A length with which carries come from as far away as they can: the tiles fill all groups that a tile looks through. */
function lengthOf({ groupingOf }: Plan, { software }: DeviceFacts): number {
  const grouping = groupingOf("vectors");
  if (grouping.passes !== "single") {
    return 0;
  }
  // More tiles than any GPU has work-groups for at once. Software runs a few at a time.
  const tiles = Math.max(65 * grouping.lookBack.fanOut, software ? 0 : 1040) + 3;
  return Math.min(MOST, tiles * grouping.workGroupSize * grouping.itemsPerThread) - 3;
}

/** What is wrong with the runs of a plan; undefined if they are all right. */
async function problemOf(
  { device, facts }: Context,
  { plan, expected, faults }: Subject,
  compiled: Compiled,
  isOver: () => boolean,
): Promise<string | undefined> {
  const runs = faults ? someFaults : plainRuns;
  const length = lengthOf(plan, facts);
  const bytes = length * 4;
  // Two inputs take turns, so that what an earlier run left behind is wrong.
  const cases = [1, 2].map((seed) => {
    const data = itemsOf(length, seed);
    return { data, wanted: expected(data) };
  });
  const buffer = (usage: number, size = bytes): GPUBuffer =>
    device.createBuffer({ label: `wavefold ${TITLE}`, size, usage });
  const owned: GPUBuffer[] = [];
  const own = (one: GPUBuffer): GPUBuffer => {
    owned.push(one);
    return one;
  };
  try {
    const output = own(buffer(STORAGE | COPY_SRC | COPY_DST));
    const count = own(buffer(STORAGE | COPY_SRC, 4));
    const staging = own(buffer(MAP_READ | COPY_DST, bytes + 4));
    const inputs = cases.map(({ data }) => {
      const input = own(buffer(STORAGE | COPY_DST));
      device.queue.writeBuffer(input, 0, data as Uint32Array<ArrayBuffer>);
      return input;
    });
    const whole = (one: GPUBuffer) => ({ buffer: one, offset: 0, bytes: one.size });
    const dispatches = inputs.map((input) =>
      compiled.dispatches(
        compiled.bind(
          length,
          { input: whole(input), output: whole(output), count: whole(count) },
          { arrangement: "vectors" },
        ),
      ),
    );
    for (let run = 1; run <= Math.max(...runs) && !isOver(); run++) {
      compiled.nextRun();
      if (!runs.includes(run)) {
        continue;
      }
      const encoder = device.createCommandEncoder({ label: `wavefold ${TITLE}` });
      encoder.clearBuffer(output);
      compiled.encode(encoder, dispatches[run % 2] ?? []);
      encoder.copyBufferToBuffer(output, 0, staging, 0, bytes);
      encoder.copyBufferToBuffer(count, 0, staging, bytes, 4);
      device.queue.submit([encoder.finish()]);
      await staging.mapAsync(MAP_READ);
      const found = new Uint32Array(staging.getMappedRange());
      const { wanted } = cases[run % 2] as { wanted: Uint32Array };
      const counted = plan.needs.has("count") && found[length] !== wanted.length;
      const at = firstDifference(wanted, found);
      const problem = counted
        ? `${found[length]} items are kept instead of ${wanted.length}`
        : at < wanted.length
          ? `item ${at} is ${found[at]} instead of ${wanted[at]}`
          : undefined;
      staging.unmap();
      if (problem !== undefined) {
        return `${plan.title}, run ${run}${faults ? ` (${faultOf(run)})` : ""}: ${problem}`;
      }
    }
    return undefined;
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
}

/**
 * Tests whether a single pass works on the device. It runs scans, with an operator that does not commute, and compactions.
 * They have enough tiles for carries from far away. One run follows another on the same spine, and in some runs
 * tiles hand on late, in part or never. Every element is compared. From then on, the result is a fact of the device.
 *
 * @throws {DeviceLostError}
 */
export async function testSinglePass(context: Context, planted: Planted = {}): Promise<void> {
  const { alter = (plan) => plan, milliseconds: limit = LIMIT_MS } = planted;
  const start = performance.now();
  let isOver = false;
  let runs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let expire: (problem: string) => void = () => {};
  const late = new Promise<string>((resolve) => {
    expire = resolve;
  });
  const work = async (): Promise<string | undefined> => {
    const subjects = (await subjectsOf(context)).map((one) => ({ ...one, plan: alter(one.plan) }));
    // Most of the time goes into compiling, which the adapter does for several at once.
    const compiled = await Promise.all(subjects.map(({ plan }) => compilePlan(context, plan)));
    const tooLong = `it took more than ${limit / 1000} s`;
    const end = performance.now() + limit;
    timer = setTimeout(() => expire(tooLong), limit);
    try {
      for (const [at, subject] of subjects.entries()) {
        const problem = await problemOf(context, subject, compiled[at] as Compiled, () => isOver);
        if (problem !== undefined) {
          return problem;
        }
        // A device that computes in this thread gives the timer no turn.
        if (performance.now() > end) {
          return tooLong;
        }
        runs += subject.faults ? someFaults.length : plainRuns.length;
      }
      return undefined;
    } finally {
      for (const one of compiled) {
        one.destroy();
      }
    }
  };
  const working = work();
  const problem = await Promise.race([working, late])
    .catch(async (cause: unknown) => {
      const why = await explain(context, TITLE, cause);
      if (context.lost !== undefined) {
        throw why;
      }
      return why instanceof Error ? why.message : String(why);
    })
    .finally(() => {
      isOver = true;
      clearTimeout(timer);
      // When time is up, work may still be under way. Its errors do not count.
      working.catch(() => {});
    });
  const passed = problem === undefined;
  context.singlePassTest = {
    passed,
    detail: problem ?? `${runs} runs were right`,
    milliseconds: Math.round(performance.now() - start),
  };
  context.facts = { ...context.facts, lookBack: passed };
}
