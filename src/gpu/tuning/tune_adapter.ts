import type { TunedPrimitive } from "../../adapters/tables.ts";
import { u32 } from "../../algebra/integers.ts";
import { add } from "../../algebra/operators.ts";
import type { ElementType } from "../../algebra/types.ts";
import { u64 } from "../../algebra/words_64.ts";
import { DeviceLostError, refuse, shown } from "../../errors.ts";
import type { Algorithm } from "../../kernels/algorithms.ts";
import { algorithms } from "../../kernels/algorithms.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { AdapterTuning, AdapterTuningRow, RowsFor, TimedCandidate } from "../../plan/adapter_tuning.ts";
import { adapterOf, bestOf, columnsOf, rowsFrom, rowsOn, tuningOf } from "../../plan/adapter_tuning.ts";
import type { DeviceFacts } from "../../plan/device_facts.ts";
import type { Passes } from "../../plan/options.ts";
import type { Context } from "../device/context.ts";
import { allocate, contextOf, explain, requireDevice } from "../device/device.ts";
import { COPY_DST, COPY_SRC, MAP_READ, STORAGE } from "../device/usage_flags.ts";
import type { Fold } from "../fold.ts";
import { prepareFor } from "../recordings/recording.ts";
import { testSinglePass } from "./probe_single_pass.ts";

/** Options of {@link tuneAdapter}. */
export interface TuneAdapterOptions {
  /**
   * How many seconds kernels are compiled and timed for. What most programs use is measured first: scans of u32, each algorithm once,
   * before any gets other sizes. Sizes that were not measured by then stay Wavefold's own, and so do all if there was no time for the
   * first ones. These take time beyond it: the test of the single pass, kernels that compile more slowly than those before them, and the
   * check of the longest result of each chosen kernel. The default is 10.
   */
  readonly seconds?: number;
}

const TITLE = "tuneAdapter";
const SECONDS = 10;
/** WebGPU's flag by value, as src/gpu/device/usage_flags.ts has the others. */
const QUERY_RESOLVE = 0x200;
/**
 * A submission gets recordings until it takes at least this time, or has the most of them. A submission costs time of its own,
 * and browsers round timestamps to 0.1 ms: both then count for little.
 */
const ENOUGH_MS = 2;
const MOST_RECORDINGS = 256;
/**
 * The number of recordings grows by this factor until it is enough. It stops growing once a submission took the longest time,
 * since systems reset GPUs that are busy for two seconds.
 */
const GROWTH = 8;
const LONGEST_MS = 100;
/** How often a submission is timed. The least time counts. */
const REPEATS = 3;
/**
 * A GPU that was idle has a low clock, so it is first kept busy: for this long, and again until a reduction takes hardly longer than
 * the fastest one that was seen, or as often as this.
 */
const HEAT_MS = 300;
const HARDLY_LONGER = 1.03;
const MOST_HEATS = 5;
/** The number of rounds in which the candidates that were compiled together are timed, since the clock may change between two candidates. The least time counts. */
const ROUNDS = 2;
/**
 * Before each candidate is timed, the GPU is kept busy with it for this long: after a result is read, an NVIDIA driver works on copies for a
 * while, and sorts then take up to five times as long.
 */
const WARM_MS = 40;
/** To keep it busy: the recordings of a round, and the most rounds. */
const RECORDINGS_A_ROUND = 4;
const MOST_ROUNDS = 4000;

/** The threads of a work-group, and the consecutive items that each takes. */
export interface Shape {
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
}

const shapesOf = (pairs: readonly (readonly [workGroupSize: number, itemsPerThread: number])[]): Shape[] =>
  pairs.map(([workGroupSize, itemsPerThread]) => ({ workGroupSize, itemsPerThread }));

/** The most bytes of a result that is checked before its time counts. The check of a longer one takes more time than its kernels. */
const SOON_CHECKED_BYTES = 2 ** 24;

/** Sorts have scratch, so fewer of their plans are compiled at once. */
const SORTS_AT_ONCE = 4;

/**
 * What is tried: the bytes of arrays, and for each size of element the shapes, of which the first is the most usual. A sort's
 * scratch is as long as its array, and keys that subgroups rank take other shapes than those that counters rank.
 */
const ranges = {
  gpu: {
    /** How many plans are compiled at once. */
    atOnce: 8,
    bytes: [2 ** 18, 2 ** 22, 2 ** 26],
    short: shapesOf([
      [256, 8],
      [256, 16],
      [256, 4],
      [512, 8],
      [512, 16],
      [128, 8],
      [128, 16],
      [512, 24],
    ]),
    long: shapesOf([
      [256, 4],
      [256, 8],
      [128, 8],
      [128, 4],
      [256, 2],
    ]),
    sortBytes: [2 ** 18, 2 ** 22, 2 ** 24],
    byVotes: shapesOf([
      [256, 12],
      [256, 16],
      [256, 8],
      [256, 22],
      [256, 32],
      [512, 8],
      [128, 16],
    ]),
    byCounters: shapesOf([
      [128, 16],
      [256, 8],
      [256, 16],
      [64, 16],
    ]),
    histogram: shapesOf([
      [256, 16],
      [512, 16],
      [256, 8],
      [128, 16],
    ]),
  },
  software: {
    atOnce: 4,
    bytes: [2 ** 14, 2 ** 18],
    short: shapesOf([
      [32, 16],
      [32, 8],
      [16, 16],
      [64, 8],
    ]),
    long: shapesOf([
      [32, 8],
      [16, 8],
    ]),
    sortBytes: [2 ** 14, 2 ** 18],
    byVotes: shapesOf([[64, 16]]),
    byCounters: shapesOf([
      [64, 16],
      [32, 16],
      [64, 32],
    ]),
    histogram: shapesOf([
      [64, 16],
      [32, 32],
      [128, 16],
    ]),
  },
} as const;

/** The types that most programs use come first: if time is short, the last ones are left out. */
const subjects = [
  ["scan", u32],
  ["compact", u32],
  ["reduce", u32],
  ["sort", u32],
  ["pairs", u32],
  ["histogram", u32],
  ["scan", u64],
  ["reduce", u64],
  ["sort", u64],
] as const satisfies readonly (readonly [TunedPrimitive, ElementType])[];

/** Algorithm, sizes and passes, as the options of a plan take them. A histogram takes no algorithm. */
export type TuningCandidate = Shape & { readonly algorithm?: Algorithm; readonly passes: Passes };

/** Whether it is a sort, of keys alone or of keys and values. */
const isSort = (primitive: TunedPrimitive): boolean => primitive === "sort" || primitive === "pairs";

function shapesFor(
  { software }: Pick<DeviceFacts, "software">,
  primitive: TunedPrimitive,
  type: ElementType,
  algorithm: Algorithm | undefined,
): readonly Shape[] {
  const range = ranges[software ? "software" : "gpu"];
  switch (primitive) {
    case "sort":
    case "pairs":
      return algorithm === "subgroup" ? range.byVotes : range.byCounters;
    case "histogram":
      return range.histogram;
    default:
      return type.bytes > 4 ? range.long : range.short;
  }
}

/** The work of `tuneAdapter`. src/gpu/tuning/load_tune_adapter.ts loads this file for it. */
export async function tuneNow(fold: Fold, options: TuneAdapterOptions = {}): Promise<AdapterTuning> {
  requireOptions(TITLE, options, { seconds: true } satisfies OptionTable<TuneAdapterOptions>);
  const { seconds = SECONDS } = options;
  if (!(typeof seconds === "number" && seconds > 0 && seconds < Number.POSITIVE_INFINITY)) {
    refuse(TITLE, "seconds", shown(seconds), "a number above 0");
  }
  const context = contextOf(fold.device);
  const { facts, singlePassTest } = context;
  // A verdict that came with a tuning does not count: this call tests again.
  const isKnown =
    facts.software || singlePassTest !== undefined || (facts.lookBack && facts.tuned === undefined);
  if (!isKnown) {
    await testSinglePass(context);
  }
  try {
    const rows = await measure(fold, context, performance.now() + 1000 * seconds);
    requireDevice(context, TITLE);
    return tuningOf(adapterOf(fold.device.adapterInfo), context.singlePassTest?.passed, rows);
  } catch (cause) {
    throw await explain(context, TITLE, cause);
  }
}

async function measure(fold: Fold, context: Context, deadline: number): Promise<AdapterTuningRow[]> {
  const { software, limits } = context.facts;
  const range = ranges[software ? "software" : "gpu"];
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const bytes = range.bytes.filter((one) => one <= most);
  const bench = await openBench(context, Math.max(...bytes));
  const rows: AdapterTuningRow[] = [];
  try {
    for (const [primitive, type] of subjects) {
      const own = isSort(primitive) ? range.sortBytes.filter((one) => one <= most) : bytes;
      const lengths = own.map((one) => one / type.bytes);
      const found = await rowsOf(fold, context, bench, {
        ...{ primitive, type, lengths, deadline },
        results: new Map(),
      });
      rows.push(...found.rows);
      if (!found.isWhole) {
        break;
      }
    }
    return rows;
  } finally {
    bench.destroy();
  }
}

/** Which candidates of a primitive there are, on elements of a type: the algorithms, their shapes, and how often they read the data. */
function waysOn(
  { software, features, lookBack }: DeviceFacts,
  { primitive, type, ...measured }: Pick<Measured, "primitive" | "type" | "algorithms" | "shapes">,
) {
  const columns = columnsOf[primitive];
  const known: readonly Algorithm[] = columns.algorithms;
  const names = known.filter(
    (name) =>
      (!algorithms[name].subgroups || features.has("subgroups")) &&
      (measured.algorithms?.includes(name) ?? true),
  );
  const passes: readonly Passes[] =
    columns.passes && lookBack && !software ? ["reduce-then-scan", "single"] : ["reduce-then-scan"];
  return {
    algorithms: known.length === 0 ? [undefined] : names,
    passes,
    shapes: (algorithm: Algorithm | undefined): readonly Shape[] =>
      measured.shapes ?? shapesFor({ software }, primitive, type, algorithm),
  };
}

/** The most candidates that {@link tuneOne} times. */
export function candidatesOfOne(
  fold: Fold,
  measured: Pick<Measured, "primitive" | "type" | "algorithms" | "shapes">,
): number {
  const { algorithms: names, passes, shapes } = waysOn(contextOf(fold.device).facts, measured);
  const others = Math.max(0, ...names.map((name) => shapes(name).length - 1));
  return passes.length * (names.length + others);
}

/**
 * The best candidates of a sort or a histogram, until the deadline. `wavefold tune` calls this for sorts and histograms, which its own
 * bench cannot time. Lengths that are too short to be checked, or too long for a buffer, are left out. If none is left, nothing is
 * timed.
 */
export async function tuneOne(
  fold: Fold,
  {
    lengths: own,
    ...measured
  }: Omit<Measured, "results" | "lengths"> & { readonly lengths?: readonly number[] },
): Promise<{
  rows: AdapterTuningRow[];
  candidates: readonly (TuningCandidate & TimedCandidate)[];
  lengths: readonly number[];
}> {
  const context = contextOf(fold.device);
  const { bytes } = measured.type;
  const range = ranges[context.facts.software ? "software" : "gpu"];
  const { maxStorageBufferBindingSize, maxBufferSize } = context.facts.limits;
  const most = Math.min(maxStorageBufferBindingSize, maxBufferSize) / bytes;
  const usual = isSort(measured.primitive) ? range.sortBytes : range.bytes;
  const lengths = (own ?? usual.map((one) => one / bytes)).filter(
    (length) => length >= SHORTEST && length <= most,
  );
  if (lengths.length === 0) {
    return { rows: [], candidates: [], lengths };
  }
  const bench = await openBench(context, Math.max(Math.max(...lengths) * bytes, 4 * BINS));
  try {
    const { rows, candidates } = await rowsOf(fold, context, bench, {
      ...measured,
      lengths,
      results: new Map(),
    });
    return { rows, candidates, lengths };
  } finally {
    bench.destroy();
  }
}

/** One primitive on one type: what is measured, until time is up. */
interface Measured {
  readonly primitive: TunedPrimitive;
  readonly type: ElementType;
  readonly lengths: readonly number[];
  readonly deadline: number;
  /** The right result for each length. It is computed when a result of that length is first compared. */
  readonly results: Map<number, Uint32Array>;
  /** The candidates, if they are not those that suit the adapter. */
  readonly algorithms?: readonly Algorithm[];
  readonly shapes?: readonly Shape[];
  /** Whether one of each algorithm is timed, however late it is. */
  readonly alwaysFirsts?: boolean;
  /** Told of what goes on: candidates are compiled together, and later each is timed, and checked at its longest. */
  readonly onWork?: (
    what: "compiling" | "timing" | "checking",
    candidates: readonly TuningCandidate[],
  ) => void;
  /** Told of each candidate once it is compiled, and of each whose result is wrong. */
  readonly onCandidate?: (candidate: TuningCandidate) => void;
  readonly onWrong?: (candidate: TuningCandidate) => void;
}

/** A candidate that was timed, and its plan. */
type Timed = TuningCandidate & TimedCandidate & { readonly prepared: Prepared };

/** The rows of one primitive on one type, and whether there was time for all candidates. */
async function rowsOf(
  fold: Fold,
  { facts }: Context,
  bench: Bench,
  measured: Measured,
): Promise<{ rows: AdapterTuningRow[]; candidates: readonly Timed[]; isWhole: boolean }> {
  const { primitive, type, lengths, deadline, onWrong } = measured;
  const range = ranges[facts.software ? "software" : "gpu"];
  const atOnce = isSort(primitive) ? SORTS_AT_ONCE : range.atOnce;
  const { algorithms: names, passes, shapes } = waysOn(facts, measured);
  const isLate = lengths.some((length) => length * type.bytes > SOON_CHECKED_BYTES);
  const plans: Prepared[] = [];
  let timed: Timed[] = [];
  /** What was compiled, and then timed or left out. */
  const done = new Set<TuningCandidate>();
  const candidatesOf = (
    some: readonly (Algorithm | undefined)[],
    from: number,
    to?: number,
  ): TuningCandidate[] =>
    passes.flatMap((one) =>
      some.flatMap((algorithm) =>
        shapes(algorithm)
          .slice(from, to)
          .map((shape) => ({ ...shape, ...(algorithm && { algorithm }), passes: one })),
      ),
    );
  /** Returns whether there was time for all. */
  const time = async (candidates: readonly TuningCandidate[], isBound = true): Promise<boolean> => {
    const compile = (first: number): Promise<PromiseSettledResult<Prepared | undefined>[]> =>
      Promise.allSettled(
        candidates
          .slice(first, first + atOnce)
          .map((candidate) => prepare(fold, primitive, type, lengths, candidate)),
      );
    let isWhole = true;
    const isOver = (needed = 0): boolean => {
      const over = isBound && performance.now() + needed > deadline;
      isWhole &&= !over;
      return over;
    };
    for (let first = 0; first < candidates.length; first += atOnce) {
      if (isOver(bench.compiling)) {
        return false;
      }
      // Nothing is compiled while candidates are timed: the CPU is then too late with the GPU's work, and the clock falls.
      const begun = performance.now();
      measured.onWork?.("compiling", candidates.slice(first, first + atOnce));
      const made = await compile(first);
      bench.compiling = Math.max(bench.compiling, performance.now() - begun);
      plans.push(...made.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : [])));
      const failed = made.find((one) => one.status === "rejected");
      if (failed) {
        throw failed.reason;
      }
      const right: { candidate: TuningCandidate; prepared: Prepared; times: number[] | undefined }[] = [];
      for (const [at, one] of made.entries()) {
        const prepared = one.status === "fulfilled" ? one.value : undefined;
        const candidate = candidates[first + at] as TuningCandidate;
        if (isOver()) {
          break;
        }
        measured.onCandidate?.(candidate);
        // The longest is checked if it matters: it takes the most time.
        const soon = isLate ? lengths.slice(0, -1) : lengths;
        if (prepared && !(await areRight(bench, measured, prepared, soon))) {
          onWrong?.(candidate);
          done.add(candidate);
          if (!isLate) {
            prepared.destroy();
          }
        } else if (prepared) {
          right.push({ candidate, prepared, times: undefined });
        } else {
          done.add(candidate);
        }
      }
      // Results are read before anything is timed: the CPU compares them while the GPU idles, and its clock falls.
      for (let round = 0; round < (facts.software ? 1 : ROUNDS) && !isOver(); round++) {
        if (!facts.software) {
          await heat(fold, bench, isOver);
        }
        for (const one of right) {
          if (isOver()) {
            break;
          }
          measured.onWork?.("timing", [one.candidate]);
          const again = await timesOf(bench, lengths, one.prepared, facts.software ? 0 : WARM_MS);
          done.add(one.candidate);
          one.times = again?.map((time, at) => Math.min(time, one.times?.[at] ?? time)) ?? one.times;
        }
      }
      timed.push(
        ...right.flatMap(({ candidate, prepared, times }) =>
          times ? [{ ...candidate, times, prepared }] : [],
        ),
      );
      // Their scratch is no longer needed.
      for (const { prepared } of isLate ? [] : right) {
        prepared.destroy();
      }
    }
    return isWhole;
  };
  const rowsFor: RowsFor = { primitive, elementBytes: type.bytes, long: false, lengths };
  const firsts = candidatesOf(names, 0, 1);
  // The best of some algorithms may be worse than Wavefold's own.
  const isCut = (one: Passes): boolean =>
    firsts.some((candidate) => candidate.passes === one && !done.has(candidate));
  const of = (one: Passes): Timed[] =>
    isCut(one) ? [] : timed.filter((candidate) => candidate.passes === one);
  try {
    let isWhole = await time(firsts, !measured.alwaysFirsts);
    const best = bestOf(timed);
    if (isWhole && best !== undefined) {
      isWhole = await time(candidatesOf([best.algorithm], 1));
    }
    const checked = new Set(isLate ? [] : timed);
    for (;;) {
      const rows = rowsFrom(rowsFor, { "reduce-then-scan": of("reduce-then-scan"), single: of("single") });
      const next = timed.find(
        (candidate) => !checked.has(candidate) && rows.some((row) => isOf(row, candidate)),
      );
      if (next === undefined) {
        return { rows: rowsOn(facts, rows, lengths), candidates: timed, isWhole };
      }
      checked.add(next);
      measured.onWork?.("checking", [next]);
      if (!(await areRight(bench, measured, next.prepared, lengths.slice(-1)))) {
        onWrong?.(next);
        timed = timed.filter((candidate) => candidate !== next);
      }
    }
  } finally {
    for (const plan of plans) {
      plan.destroy();
    }
  }
}

/** Whether a row is this candidate's. Rows of what reads its data once name no passes. */
const isOf = (row: AdapterTuningRow, candidate: TuningCandidate): boolean =>
  row.algorithm === candidate.algorithm &&
  row.workGroupSize === candidate.workGroupSize &&
  row.itemsPerThread === candidate.itemsPerThread &&
  (row.passes ?? candidate.passes) === candidate.passes;

/** Keeps the GPU busy until its clock is up, or time is. */
async function heat(fold: Fold, bench: Bench, isOver: () => boolean): Promise<void> {
  const length = bench.data.length;
  const context = contextOf(fold.device);
  const plan = await prepareFor("reduce", context, { type: u32, op: add, maxLength: length }, ["vectors"]);
  const { input, output } = bench;
  const record = (pass: GPUComputePassEncoder): void => plan.record(pass, { input, output, length });
  try {
    for (let heats = 0; heats < MOST_HEATS && !isOver(); heats++) {
      await bench.busy(record, HEAT_MS);
      const took = await bench.time(record, RECORDINGS_A_ROUND);
      bench.fastest = Math.min(bench.fastest ?? took, took);
      if (took <= HARDLY_LONGER * bench.fastest) {
        break;
      }
    }
  } finally {
    plan.destroy();
  }
}

/** A plan of one candidate, ready to be recorded. */
interface Prepared {
  record(into: GPUComputePassEncoder | GPUCommandEncoder, bench: Bench, length: number): void;
  destroy(): void;
}

const WHERE = "x % 2u == 1u";
/** The bins of a histogram, by the highest bits. */
const BINS = 256;

/** Undefined if the device cannot run it: it lacks memory, or its driver refuses the kernel. */
async function prepare(
  fold: Fold,
  primitive: TunedPrimitive,
  type: ElementType,
  lengths: readonly number[],
  { passes, ...candidate }: TuningCandidate,
): Promise<Prepared | undefined> {
  const own = { type: type as typeof u32, maxLength: Math.max(...lengths), ...candidate };
  try {
    if (primitive === "sort") {
      const plan = await fold.prepareSort({ ...own, passes });
      return {
        record: (into, { input, output }, length) => plan.record(into, { input, output, length }),
        destroy: () => plan.destroy(),
      };
    }
    if (primitive === "pairs") {
      // The values are the keys, so both results are the same.
      const plan = await fold.prepareSort({ ...own, values: u32, passes });
      return {
        record: (into, { input, output, reordered }, length) =>
          plan.record(into, { input, output, values: input, reordered, length }),
        destroy: () => plan.destroy(),
      };
    }
    if (primitive === "histogram") {
      const plan = await fold.prepareHistogram({ ...own, bins: BINS, range: [0, 2 ** 32] });
      return {
        record: (into, { input, output }, length) => plan.record(into, { input, output, length }),
        destroy: () => plan.destroy(),
      };
    }
    // Kernels for ranges that lie in other ways take as long to compile, and are not timed.
    const plan = await prepareFor(
      primitive,
      contextOf(fold.device),
      {
        ...own,
        ...(primitive === "compact" ? { where: WHERE } : { op: add }),
        ...(primitive !== "reduce" && { passes }),
      },
      ["vectors"],
    );
    return {
      record: (into, { input, output, count }, length) =>
        plan.record(into, { input, output, length, ...(primitive === "compact" && { count }) }),
      destroy: () => plan.destroy(),
    };
  } catch (cause) {
    const why = await explain(contextOf(fold.device), TITLE, cause);
    if (why instanceof DeviceLostError) {
      throw why;
    }
    return undefined;
  }
}

/** The buffers that all candidates read and write, and how a candidate is timed and read. */
interface Bench {
  readonly input: GPUBuffer;
  readonly output: GPUBuffer;
  readonly reordered: GPUBuffer;
  readonly count: GPUBuffer;
  /** The fastest reduction of `input` that was seen. */
  fastest?: number;
  /** The most milliseconds that candidates took to compile which were compiled together. */
  compiling: number;
  /** The contents of `input`. */
  readonly data: Uint32Array<ArrayBuffer>;
  /** The milliseconds that the GPU takes, if something is recorded `times` times, one after another. */
  time(record: (pass: GPUComputePassEncoder) => void, times: number): Promise<number>;
  /** Keeps the GPU busy with what is recorded, for a number of milliseconds. It has work to do when this returns. */
  busy(record: (pass: GPUComputePassEncoder) => void, milliseconds: number): Promise<void>;
  /** The first bytes of the output or of the reordered values, and the count, after what is recorded. */
  read(
    record: (encoder: GPUCommandEncoder) => void,
    bytes: number,
    from: "output" | "reordered",
  ): Promise<[ArrayBuffer, number]>;
  destroy(): void;
}

/** Numbers without a pattern: a xorshift generator. With a callback for each of 2^24 numbers, they would take a second. */
function randomWords(length: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(length);
  let state = 0x2545f491;
  for (let at = 0; at < length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  return words;
}

async function openBench(context: Context, bytes: number): Promise<Bench> {
  const { device } = context;
  const owned: { destroy(): void }[] = [];
  const destroy = (): void => {
    for (const one of owned) {
      one.destroy();
    }
  };
  const own = async (size: number, usage: number): Promise<GPUBuffer> => {
    const buffer = await allocate(context, { label: `wavefold ${TITLE}`, size, usage }, TITLE);
    owned.push(buffer);
    return buffer;
  };
  try {
    const data = randomWords(bytes / 4);
    const input = await own(bytes, STORAGE | COPY_DST);
    const output = await own(bytes, STORAGE | COPY_SRC | COPY_DST);
    const reordered = await own(bytes, STORAGE | COPY_SRC | COPY_DST);
    const count = await own(4, STORAGE | COPY_SRC | COPY_DST);
    device.queue.writeBuffer(input, 0, data);
    const hasClock = device.features.has("timestamp-query");
    const querySet = hasClock ? device.createQuerySet({ type: "timestamp", count: 2 }) : undefined;
    if (querySet) {
      owned.push(querySet);
    }
    const resolved = await own(16, QUERY_RESOLVE | COPY_SRC);
    const bench: Bench = {
      input,
      output,
      reordered,
      count,
      data,
      compiling: 0,
      async busy(record, milliseconds) {
        const end = performance.now() + milliseconds;
        let earlier: Promise<unknown> = Promise.resolve();
        for (let round = 0; round < MOST_ROUNDS && performance.now() < end; round++) {
          const encoder = device.createCommandEncoder({ label: `wavefold ${TITLE}` });
          const pass = encoder.beginComputePass({ label: `wavefold ${TITLE}` });
          for (let done = 0; done < RECORDINGS_A_ROUND; done++) {
            record(pass);
          }
          pass.end();
          device.queue.submit([encoder.finish()]);
          // It waits for the round before the last one, so that the GPU always has work.
          const done = device.queue.onSubmittedWorkDone();
          await earlier;
          earlier = done;
        }
      },
      async time(record, times) {
        const encoder = device.createCommandEncoder({ label: `wavefold ${TITLE}` });
        const pass = encoder.beginComputePass({
          label: `wavefold ${TITLE}`,
          ...(querySet && {
            timestampWrites: { querySet, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 },
          }),
        });
        for (let done = 0; done < times; done++) {
          record(pass);
        }
        pass.end();
        if (querySet) {
          encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
          const ticks = new BigUint64Array(await readOf(device, encoder, [[resolved, 16]]));
          return Number((ticks[1] as bigint) - (ticks[0] as bigint)) / 1e6;
        }
        const commands = encoder.finish();
        const start = performance.now();
        device.queue.submit([commands]);
        await device.queue.onSubmittedWorkDone();
        return performance.now() - start;
      },
      async read(record, bytes, from) {
        const source = from === "output" ? output : reordered;
        const encoder = device.createCommandEncoder({ label: `wavefold ${TITLE}` });
        encoder.clearBuffer(source, 0, bytes);
        encoder.clearBuffer(count);
        record(encoder);
        const both = await readOf(device, encoder, [
          [source, bytes],
          [count, 4],
        ]);
        return [both.slice(0, bytes), new Uint32Array(both, bytes, 1)[0] as number];
      },
      destroy,
    };
    return bench;
  } catch (cause) {
    destroy();
    throw cause;
  }

  /** Submits an encoder, and reads the beginnings of buffers after it. */
  async function readOf(
    gpu: GPUDevice,
    encoder: GPUCommandEncoder,
    parts: readonly (readonly [GPUBuffer, number])[],
  ): Promise<ArrayBuffer> {
    const size = parts.reduce((sum, [, one]) => sum + one, 0);
    const staging = gpu.createBuffer({
      label: `wavefold ${TITLE}`,
      size,
      usage: MAP_READ | COPY_DST,
    });
    try {
      let offset = 0;
      for (const [buffer, one] of parts) {
        encoder.copyBufferToBuffer(buffer, 0, staging, offset, one);
        offset += one;
      }
      gpu.queue.submit([encoder.finish()]);
      await staging.mapAsync(MAP_READ);
      return staging.getMappedRange().slice(0);
    } finally {
      staging.destroy();
    }
  }
}

/** The time of each length, in milliseconds; undefined if the device's clock gives none. */
async function timesOf(
  bench: Bench,
  lengths: readonly number[],
  prepared: Prepared,
  warmMs: number,
): Promise<number[] | undefined> {
  const times: number[] = [];
  const longest = Math.max(...lengths);
  await bench.busy((pass) => prepared.record(pass, bench, longest), warmMs);
  for (const length of lengths) {
    const record = (pass: GPUComputePassEncoder): void => prepared.record(pass, bench, length);
    let recordings = 1;
    let took = 0;
    // A clock may be coarse, so the number grows step by step: one submission must not keep the device for long.
    for (;;) {
      const start = performance.now();
      took = await bench.time(record, recordings);
      const isLong = performance.now() - start > LONGEST_MS;
      if (took >= ENOUGH_MS || isLong || recordings >= MOST_RECORDINGS) {
        break;
      }
      const wanted = took > 0 ? Math.ceil((recordings * ENOUGH_MS) / took) : MOST_RECORDINGS;
      recordings = Math.min(MOST_RECORDINGS, GROWTH * recordings, Math.max(2 * recordings, wanted));
    }
    for (let repeat = 1; repeat < REPEATS; repeat++) {
      const again = await bench.time(record, recordings);
      took = again > 0 && (took <= 0 || again < took) ? again : took;
    }
    // Timestamps may be reset while they are taken.
    if (!(took > 0)) {
      return undefined;
    }
    times.push(took / recordings);
  }
  return times;
}

/** A result is checked at each length less this, so that it is no multiple of a tile. */
const LESS = 3;
/** The shortest length that has something to check. */
const SHORTEST = LESS + 1;

/** Whether every element is right at each length, less three. */
async function areRight(
  bench: Bench,
  { primitive, type, results }: Pick<Measured, "primitive" | "type" | "results">,
  prepared: Prepared,
  lengths: readonly number[],
): Promise<boolean> {
  for (const whole of lengths) {
    const length = whole - LESS;
    const words = (length * type.bytes) / 4;
    // There may be more bins than items.
    const most = Math.max(words, primitive === "histogram" ? BINS : 0);
    const read = (from: "output" | "reordered"): Promise<[ArrayBuffer, number]> =>
      bench.read((encoder) => prepared.record(encoder, bench, length), Math.ceil(most / 4) * 16, from);
    const [bytes, count] = await read("output");
    const found = new Uint32Array(bytes);
    const wanted = results.get(length) ?? wantedOf(primitive, bench.data.subarray(0, words), type.bytes / 4);
    results.set(length, wanted);
    const isCounted = primitive !== "compact" || count === wanted.length;
    if (!isCounted || !isSame(found, wanted)) {
      return false;
    }
    if (primitive === "pairs" && !isSame(new Uint32Array((await read("reordered"))[0]), wanted)) {
      return false;
    }
  }
  return true;
}

/** Whether an array begins with another. A loop, since a callback for each of millions of elements takes longer than their scan. */
function isSame(found: Uint32Array, wanted: Uint32Array): boolean {
  for (let at = 0; at < wanted.length; at++) {
    if (found[at] !== wanted[at]) {
      return false;
    }
  }
  return true;
}

function wantedOf(primitive: TunedPrimitive, data: Uint32Array<ArrayBuffer>, wordsEach: number): Uint32Array {
  if (primitive === "compact") {
    return data.filter((x) => x % 2 === 1);
  }
  if (isSort(primitive)) {
    const keys = data.slice();
    (wordsEach === 1 ? keys : new BigUint64Array(keys.buffer)).sort();
    return keys;
  }
  if (primitive === "histogram") {
    const counts = new Uint32Array(BINS);
    for (const x of data) {
      const bin = x >>> 24;
      counts[bin] = (counts[bin] as number) + 1;
    }
    return counts;
  }
  const prefixes = prefixesOf(data, wordsEach);
  return primitive === "scan" ? prefixes : prefixes.slice(data.length - wordsEach);
}

/** The prefix sums of whole numbers of one word or two. */
function prefixesOf(data: Uint32Array, wordsEach: number): Uint32Array {
  const result = new Uint32Array(data.length);
  let low = 0;
  let high = 0;
  for (let at = 0; at < data.length; at += wordsEach) {
    const sum = low + (data[at] as number);
    low = sum >>> 0;
    result[at] = low;
    if (wordsEach === 2) {
      high = (high + (data[at + 1] as number) + (sum > 0xffffffff ? 1 : 0)) >>> 0;
      result[at + 1] = high;
    }
  }
  return result;
}
