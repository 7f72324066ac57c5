import { expect } from "vitest";
import faultsFile from "#shaders/device/look_back/faults_by_run.wgsl";
import { changeKernels } from "../../bench/change_kernels.ts";
import type { Operator } from "../../src/algebra/monoid.ts";
import type { Context } from "../../src/gpu/device/context.ts";
import { contextOf } from "../../src/gpu/device/device.ts";
import type { Prepared, Ranges } from "../../src/gpu/recordings/recording.ts";
import { prepare } from "../../src/gpu/recordings/recording.ts";
import { FAULTS, faultOf, someFaults } from "../../src/gpu/tuning/look_back_faults.ts";
import type { Kernel } from "../../src/kernels/kernel.ts";
import { lookBackShape } from "../../src/kernels/look_back.ts";
import type { Fold } from "../../src/node.ts";
import { planPartition } from "../../src/plan/compact.ts";
import type { DeviceFacts } from "../../src/plan/device_facts.ts";
import { withFasterWays } from "../../src/plan/faster_ways.ts";
import type { TuningOptions } from "../../src/plan/options.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { ReduceOptions } from "../../src/plan/reduce.ts";
import { planRows } from "../../src/plan/rows.ts";
import type { LookBackTesting, ScanOptions } from "../../src/plan/scan.ts";
import { scanReference } from "../../src/reference/scan.ts";
import type { SourceText } from "../../src/text/source.ts";
import { adapter, isSimulated } from "../support/adapter.ts";
import { destroyAll, readWords, storageBuffer, wordsOf } from "../support/buffers.ts";
import type { Items } from "../support/compare.ts";
import { expectSameBits } from "../support/compare.ts";
import { allowFindings } from "../support/fold.ts";
import { planCompact, planReduce, planScan } from "../support/plans.ts";
import { randomBits } from "../support/random.ts";
import { affineItems } from "./operators.ts";

export { FAULTS, faultOf };

/** A machine whose subgroups are so small that short data look back through many groups. */
export const fewLanes = { subgroupSize: 4, subgroupMinSize: 4, subgroupMaxSize: 4 } as const;

/** A machine on which several work-groups look back at once, whatever the seed, so that what is broken is seen. */
export const machineOfMutations = {
  ...fewLanes,
  lanes: "natural",
  residentGroups: 5,
  schedule: "priorities",
  atomics: "natural",
  olderValues: false,
  seed: 1,
} as const;

const DELAY = "const DELAY = 1500u;";

/** On the simulator, 40 turns are more than a work-group waits. */
export const faults: SourceText = {
  ...faultsFile,
  text: isSimulated ? faultsFile.text.replace(DELAY, "const DELAY = 40u;") : faultsFile.text,
};

/** A run that is stuck fails its test after so long. */
export const STUCK_MS = 300_000;

/** On a GPU there is time for more. */
export const onGpu = !isSimulated && adapter === "gpu";

/** The two ways to look back: each thread by itself, or the lanes of a subgroup by votes. */
export const lookBacks = ["by threads", "by votes"] as const;
export type LookBack = (typeof lookBacks)[number];

/** Small tiles, of which a group has `fanOut`. */
export interface Shape {
  readonly tuning: TuningOptions;
  readonly tile: number;
  readonly fanOut: number;
}

/** Small tiles that look back so; of another size or algorithm where that is said. */
export function shapeOf(lookBack: LookBack, facts: DeviceFacts, changes: TuningOptions = {}): Shape {
  const tuning = {
    passes: "single",
    algorithm: lookBack === "by threads" ? "hillis-steele" : "subgroup",
    workGroupSize: lookBack === "by votes" ? 2 * facts.subgroupMaxSize : isSimulated ? 4 : 8,
    itemsPerThread: 2,
    ...changes,
  } as const;
  const { algorithm, workGroupSize, itemsPerThread } = tuning;
  const { byVotes, fanOut } = lookBackShape({
    algorithm,
    sizes: {
      workGroupSize,
      items: itemsPerThread,
      minSubgroupSize: facts.subgroupMinSize,
      maxSubgroupSize: facts.subgroupMaxSize,
      unrolled: true,
    },
  });
  expect(byVotes ? "by votes" : "by threads").toBe(lookBack);
  return { tuning, tile: workGroupSize * itemsPerThread, fanOut };
}

/** Why a look-back cannot run here; nothing where it can. */
export const missing = (lookBack: LookBack, { features }: DeviceFacts): string | undefined =>
  lookBack === "by votes" && !features.has("subgroups") ? "the adapter has no subgroups" : undefined;

/** Skips a test of a look-back by votes, if the adapter has no subgroups. */
export function needVotes(fold: Fold, skip: (condition: boolean, reason?: string) => void): void {
  const why = missing("by votes", contextOfFold(fold).facts);
  skip(why !== undefined, why);
}

/** Lengths at which groups begin and end. If `all`, there are more groups than a tile looks through. */
export function lengthsOf({ tile, fanOut }: Shape, all: boolean): number[] {
  const few = [(fanOut + 1) * tile, (3 * fanOut + 1) * tile - 3];
  return all ? [1, tile, fanOut * tile - 1, fanOut ** 2 * tile, ...few, 65 * fanOut * tile + 2] : few;
}

/** A plan and what it takes to run it. */
export interface Subject {
  readonly device: GPUDevice;
  readonly plan: Plan;
  readonly prepared: Prepared;
}

/** A subject with runs that show its mistakes. */
export interface Tried extends Subject {
  readonly runs: readonly Run[];
}

/** Sizes of work-groups of a few subgroups, in which short data look back through many groups. */
export function smallTiles(fold: Fold, itemsPerThread: number, subgroups = 2) {
  const { subgroupMaxSize, subgroupMinSize } = contextOfFold(fold).facts;
  const sizes = { workGroupSize: subgroupMaxSize * subgroups, itemsPerThread };
  const tile = sizes.workGroupSize * itemsPerThread;
  const fanOut = Math.min(30, subgroupMinSize - 2);
  return { sizes, tile, fanOut, most: 10 * fanOut * tile };
}

export const contextOfFold = (fold: Fold): Context => contextOf(fold.device);

/** A scan of ranges that start at vectors, prepared. `change` is made to its kernels' text. */
export async function prepareScan(
  fold: Fold,
  options: ScanOptions,
  testing: LookBackTesting = {},
  { runs, change }: { runs?: number; change?: Change } = {},
): Promise<Subject> {
  const context = contextOfFold(fold);
  const plan = changed(await planScan(options, context.facts, ["vectors"], testing), change);
  return { device: fold.device, plan, prepared: await prepare(context, plan, runs) };
}

/** A reduction of ranges that start at vectors, prepared. */
export async function prepareReduce(
  fold: Fold,
  options: ReduceOptions,
  testing: LookBackTesting = {},
  { runs, change }: { runs?: number; change?: Change } = {},
): Promise<Subject> {
  const context = contextOfFold(fold);
  const inOne = ({ code, entryPoint }: Kernel): boolean =>
    code.includes("totals_are_due") || entryPoint === "reduce_offsets";
  const plan = changed(await planReduce(options, context.facts, ["vectors"], testing), change, inOne);
  return { device: fold.device, plan, prepared: await prepare(context, plan, runs) };
}

/** A compaction of ranges that start at vectors, prepared. */
export async function prepareCompact(
  fold: Fold,
  options: Parameters<typeof planCompact>[0],
  testing: LookBackTesting = {},
  { runs, change }: { runs?: number; change?: Change } = {},
): Promise<Subject> {
  const context = contextOfFold(fold);
  const plan = changed(await planCompact(options, context.facts, ["vectors"], testing), change);
  return { device: fold.device, plan, prepared: await prepare(context, plan, runs) };
}

/** A partition whose rest has a range of its own. */
export async function preparePartition(
  fold: Fold,
  options: Parameters<typeof planPartition>[0],
  testing: LookBackTesting,
): Promise<Subject> {
  const context = contextOfFold(fold);
  const plan = planPartition({ ...options, rest: true }, withFasterWays(context.facts), ["vectors"], testing);
  return { device: fold.device, plan, prepared: await prepare(context, plan) };
}

/** A change of a kernel's text: pairs of what is found there, and what replaces each. */
export type Change = readonly (readonly [find: string | RegExp, replacement: string])[];

/** Rules broken in a kernel's text, by what is wrong then: what is found there, what replaces it, and what else a test has to know. */
export type Mutations<Details = object> = Readonly<
  Record<string, readonly [find: string | RegExp, replacement: string, details?: Details]>
>;

/** The rows of a table of mutations, as tests take them. */
export const rowsOf = <Details>(mutations: Mutations<Details>) =>
  Object.entries(mutations).map(([title, [find, replacement, details]]) => ({
    title,
    change: [[find, replacement]] as Change,
    ...(details as Details),
  }));

/** A scan of rows that start at vectors, as on an adapter by subgroups. `change` is made to the kernel of long rows. */
export async function prepareRows(
  fold: Fold,
  options: ScanOptions,
  testing: LookBackTesting,
  change?: Change,
): Promise<Subject> {
  const context = contextOfFold(fold);
  const facts = { ...context.facts, software: false, vendor: "nvidia", lookBack: true };
  const planned = planRows("scan", options, withFasterWays(facts), ["vectors"], testing);
  const isLong = ({ entryPoint }: Kernel): boolean => entryPoint === "scan_long_rows";
  const plan = changed(planned as Plan, change, isLong);
  return { device: fold.device, plan, prepared: await prepare(context, plan) };
}

/** The plan with its kernels' text changed. Fails where there is nothing to change in a kernel that it is for. */
export function changed(plan: Plan, change: Change | undefined, isFor = (_: Kernel): boolean => true): Plan {
  expect(plan.spine, `${plan.title} is a single pass`).toBeDefined();
  if (change === undefined) {
    return plan;
  }
  return changeKernels(plan, (kernel) => {
    if (!isFor(kernel)) {
      return kernel;
    }
    const code = change.reduce((before, [find, replacement]) => {
      const after = before.replaceAll(
        typeof find === "string" ? find : new RegExp(find.source, "g"),
        replacement,
      );
      expect(after, `nothing to change: ${find}`).not.toBe(before);
      return after;
    }, kernel.code);
    return { ...kernel, code };
  });
}

/** One run: what goes in, and what must come out. */
export interface Run {
  readonly title: string;
  readonly data: Items & { readonly length: number };
  readonly expected: Items;
  /** For a compaction: how many items are kept. For a scan of u32 that stores its total: the total. */
  readonly count?: number;
  readonly initial?: number;
  /** For segments: a flag for each item, or a bit. */
  readonly heads?: Uint32Array;
  /** For segments by keys. */
  readonly keys?: Uint32Array;
  /** For rows: the items of one. */
  readonly rows?: number;
  /** For segments by offsets. */
  readonly offsets?: Uint32Array;
}

/** What a run takes and gives. */
type Input = Omit<Run, "title">;

/** A run for each fault, on the inputs in turn, so that what an earlier run left is wrong. `what` comes first in its title. */
export const runsOfFaults = (inputs: readonly Input[], what = "", count = FAULTS): Run[] =>
  Array.from({ length: count }, (_, at) => ({
    ...(inputs[at % inputs.length] as Input),
    title: `${what}${faultOf(at + 1)}`,
  }));

/**
 * Which of so many inputs the run of each fault has, in turn. Unless all faults are to be shown, the runs that show none of
 * {@link someFaults} have none: they are there for their numbers.
 */
export function inputsInTurn(count: number, all: boolean): (number | undefined)[] {
  let turn = 0;
  return Array.from({ length: FAULTS }, (_, at) =>
    all || someFaults.includes(at + 1) ? turn++ % count : undefined,
  );
}

/** The same at the lengths in turn, on two inputs of each, which `make` makes by their names. */
export function runsAtLengths(
  lengths: readonly number[],
  make: (length: number, name: string) => Input,
  all = false,
): Run[] {
  const inputs = ["even", "odd"].flatMap((name) =>
    lengths.map((length) => make(length, `${name} ${length}`)),
  );
  const short = make(1, "short");
  return inputsInTurn(inputs.length, all).map((which, at) => {
    const input = which === undefined ? short : (inputs[which] as Input);
    return { ...input, title: `of ${input.data.length}, ${faultOf(at + 1)}` };
  });
}

/** The columns of a matrix, and its rows. */
export type RowShape = readonly [columns: number, rows: number];

/** A scan of the rows of each shape in turn, with at most `most` items: a run for each fault, on two inputs in turn. */
export function runsOfRows(
  shapes: readonly RowShape[],
  most: number,
  exclusive: boolean,
  op: Operator,
): Run[] {
  return Array.from({ length: FAULTS }, (_, at): Run => {
    const [columns, count] = shapes[at % shapes.length] as RowShape;
    const length = Math.min(columns * count, Math.floor(most / columns) * columns);
    const data = affineItems(length, `rows ${at % 2} ${columns}`);
    const options = { op, exclusive, segments: { rows: columns } };
    return {
      data,
      expected: scanReference(data, options as never) as never,
      rows: columns,
      title: `${length / columns} rows of ${columns}, ${faultOf(at + 1)}`,
    };
  });
}

export const POISON = 0xdeadbeef;

/**
 * Bytes from one output to the next: at least a poisoned item of any type in between. Bindings start at multiples of 256 bytes, and vectors of
 * items of 12, 24 and 48 bytes at multiples of 48. So outputs start at multiples of 768.
 */
export const strideOf = (bytes: number): number => Math.ceil((bytes + 64) / 768) * 768;

/**
 * Records the runs one after another into one encoder and submits it. Returns each run's output as words, with
 * all that follows it up to the next one; and the counts.
 */
export async function outputsOf(
  { device, prepared, plan }: Subject,
  runs: readonly Run[],
): Promise<{ outputs: Uint32Array[]; totals: Uint32Array }> {
  const inputs = new Map<Items, GPUBuffer>();
  for (const data of runs.flatMap(({ data, heads, keys, offsets }) =>
    [data, heads, keys, offsets].filter((one) => one !== undefined),
  )) {
    if (!inputs.has(data)) {
      const words = wordsOf(data);
      inputs.set(data, storageBuffer(device, words.length > 0 ? words : new Uint32Array(4)));
    }
  }
  // A partition whose rest has a range of its own has it right behind the output's.
  const parts = plan.needs.has("rest") ? 2 : 1;
  const strides = runs.map(
    ({ data, offsets }) => parts * strideOf((offsets?.length ?? data.length) * plan.itemTypes.output.bytes),
  );
  const bytes = strides.reduce((sum, stride) => sum + stride, 0);
  const output = storageBuffer(device, new Uint32Array(bytes / 4).fill(POISON));
  const total = storageBuffer(device, new Uint32Array(runs.length).fill(POISON));
  const lengths = storageBuffer(
    device,
    Uint32Array.from(runs, ({ data }) => data.length),
  );
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  let offset = 0;
  const starts: number[] = [];
  runs.forEach(({ data, initial, heads, keys, rows, offsets }, index) => {
    const ranges: Ranges = {
      input: inputs.get(data) as GPUBuffer,
      output: { buffer: output, offset },
      ...(plan.needs.has("count") && { count: { buffer: total, offset: index * 4 } }),
      ...(initial !== undefined && { initial }),
      ...(rows !== undefined && { rows }),
      ...(heads && { heads: inputs.get(heads) as GPUBuffer }),
      ...(keys && { keys: inputs.get(keys) as GPUBuffer }),
      ...(offsets && { offsets: inputs.get(offsets) as GPUBuffer, segmentCount: offsets.length - 1 }),
      ...(plan.needs.has("total") && { total: { buffer: total, offset: index * 4 } }),
      ...(parts === 2 && { rest: { buffer: output, offset: offset + (strides[index] as number) / 2 } }),
      length: plan.needs.has("length") ? { buffer: lengths, offset: index * 4 } : data.length,
    };
    prepared.record(pass, ranges, data.length);
    starts.push(offset);
    offset += strides[index] as number;
  });
  pass.end();
  device.queue.submit([encoder.finish()]);
  const words = await readWords(device, output);
  const totals = await readWords(device, total);
  destroyAll(output, total, lengths, ...inputs.values());
  return {
    outputs: starts.map((start, at) => words.subarray(start / 4, (start + (strides[at] as number)) / 4)),
    totals,
  };
}

/** What a run's output must hold: the result, and the poison that was there before. */
export function expectedWords({ expected }: Run, words: number): Uint32Array {
  const all = new Uint32Array(words).fill(POISON);
  const { buffer, byteOffset, byteLength } = expected;
  new Uint8Array(all.buffer).set(new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength));
  return all;
}

/** Carries out the runs, several in an encoder, and compares every word of every output. */
export async function expectExact(subject: Subject, runs: readonly Run[], together = 27): Promise<void> {
  for (let start = 0; start < runs.length; start += together) {
    const some = runs.slice(start, start + together);
    const { outputs, totals } = await outputsOf(subject, some);
    some.forEach((run, at) => {
      const actual = outputs[at] as Uint32Array;
      expectSameBits(actual, expectedWords(run, actual.length), `${subject.plan.title} ${run.title}`);
      if (run.count !== undefined) {
        expect(totals[at], `${subject.plan.title} ${run.title}: count`).toBe(run.count);
      }
    });
  }
}

/**
 * Two arrays of f32 from 0 to 1, and the results of each: they must have the same bits whatever is late or missing. What the other array left
 * is wrong.
 */
export async function floatsUnderFaults(
  subject: Subject,
  length: number,
  more: Pick<Run, "rows" | "heads" | "keys"> = {},
): Promise<readonly { readonly data: Float32Array; readonly results: Float32Array }[]> {
  const inputs = ["even", "odd"].map((name) => {
    const next = randomBits(`${name} f32 ${length}`);
    const data = Float32Array.from({ length }, () => next() / 2 ** 32);
    return { ...more, data, expected: data };
  });
  const runs = runsOfFaults(inputs, `of ${length}, `);
  const { outputs } = await outputsOf(subject, runs);
  for (const [at, output] of outputs.entries()) {
    expectSameBits(output, outputs[at % 2] as Uint32Array, `${subject.plan.title} ${runs[at]?.title}`);
  }
  return inputs.map(({ data }, at) => {
    const { buffer, byteOffset, length } = outputs[at] as Uint32Array;
    return { data, results: new Float32Array(buffer, byteOffset, length) };
  });
}

/** The titles of the runs that gave something else than they should. A few are carried out at a time: who has seen enough stops. */
export async function* eachWrongRun(subject: Subject, runs: readonly Run[]): AsyncGenerator<string> {
  const together = 6;
  for (let start = 0; start < runs.length; start += together) {
    const some = runs.slice(start, start + together);
    const { outputs, totals } = await outputsOf(subject, some);
    yield* some
      .filter((run, at) => isWrong(run, outputs[at] as Uint32Array, totals[at]))
      .map(({ title }) => title);
  }
}

function isWrong(run: Run, actual: Uint32Array, total: number | undefined): boolean {
  const expected = expectedWords(run, actual.length);
  return (
    actual.some((word, index) => word !== expected[index]) || (run.count !== undefined && total !== run.count)
  );
}

/** The titles of all of them. */
export async function wrongRuns(subject: Subject, runs: readonly Run[]): Promise<string[]> {
  const titles: string[] = [];
  for await (const title of eachWrongRun(subject, runs)) {
    titles.push(title);
  }
  return titles;
}

/** Expects that a mistake in the kernel's text shows in one of these runs. The simulator may find it, too. */
export async function expectSeen({ runs, ...subject }: Tried, caughtBy = /^/): Promise<void> {
  allowFindings();
  const others: string[] = [];
  let isSeen = false;
  for await (const title of eachWrongRun(subject, runs)) {
    isSeen = caughtBy.test(title);
    if (isSeen) {
      break;
    }
    others.push(title);
  }
  expect(isSeen, `${caughtBy} among: ${others.join("; ")}`).toBe(true);
  subject.prepared.destroy();
}
