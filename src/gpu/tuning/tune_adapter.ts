import type { TunedPrimitive } from "../../adapters/tables.ts";
import { u32 } from "../../algebra/integers.ts";
import type { ElementType } from "../../algebra/types.ts";
import { u64 } from "../../algebra/words_64.ts";
import { DeviceLostError, refuse, shown } from "../../errors.ts";
import type { Algorithm } from "../../kernels/algorithms.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import type { AdapterTuning, AdapterTuningRow, RowsFor, TimedCandidate } from "../../plan/adapter_tuning.ts";
import { adapterOf, bestOf, rowsFrom, rowsOn, tuningOf } from "../../plan/adapter_tuning.ts";
import type { Passes } from "../../plan/options.ts";
import type { Context } from "../device/context.ts";
import { contextOf } from "../device/device.ts";
import { explain, requireDevice } from "../device/lost.ts";
import type { Fold } from "../fold.ts";
import type { Bench, Prepared } from "./bench.ts";
import { heat, openBench, TITLE, timesOf } from "./bench.ts";
import { prepare } from "./candidate_plans.ts";
import type { Subject, TuningCandidate } from "./candidates.ts";
import { isSort, rangeOn, waysOn } from "./candidates.ts";
import type { Checked } from "./check_results.ts";
import { areRight, SHORTEST } from "./check_results.ts";
import { tunedCpuLengths } from "./cpu_lengths.ts";
import { testSinglePass } from "./probe_single_pass.ts";
import type { Sample } from "./sample.ts";
import { BINS, randomWords, sampleOfWords } from "./sample.ts";

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

const SECONDS = 10;
/** The number of rounds in which the candidates that were compiled together are timed, since the clock may change between two candidates. The least time counts. */
const ROUNDS = 2;
/**
 * Before each candidate is timed, the GPU is kept busy with it for this long: after a result is read, an NVIDIA driver works on copies for a
 * while, and sorts then take up to five times as long.
 */
const WARM_MS = 40;
/** The most bytes of a result that is checked before its time counts. The check of a longer one takes more time than its kernels. */
const SOON_CHECKED_BYTES = 2 ** 24;

/** Sorts have scratch, so fewer of their plans are compiled at once. */
const SORTS_AT_ONCE = 4;

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

/** The work of `tuneAdapter`. */
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
    const start = performance.now();
    const cpuLengths = await tunedCpuLengths(context, seconds);
    const rows = await measure(fold, context, start + 1000 * seconds);
    requireDevice(context, TITLE);
    return tuningOf(adapterOf(fold.device.adapterInfo), context.singlePassTest?.passed, rows, cpuLengths);
  } catch (cause) {
    throw await explain(context, TITLE, cause);
  }
}

async function measure(fold: Fold, context: Context, deadline: number): Promise<AdapterTuningRow[]> {
  const { limits } = context.facts;
  const range = rangeOn(context.facts);
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const bytes = range.bytes.filter((size) => size <= most);
  const longest = Math.max(...bytes);
  const words = randomWords(longest / 4);
  const bench = await openBench(context, longest, new Uint8Array(words.buffer));
  const rows: AdapterTuningRow[] = [];
  try {
    for (const [primitive, type] of subjects) {
      const fitting = isSort(primitive) ? range.sortBytes.filter((size) => size <= most) : bytes;
      const lengths = fitting.map((size) => size / type.bytes);
      const sample = sampleOfWords(words, type);
      const found = await rowsOf(fold, bench, {
        ...{ primitive, type, sample, lengths, deadline },
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

/**
 * The best candidates of one primitive on one type, until the deadline, for `wavefold tune`. Types other than u32 and u64 need a
 * `sample`. Lengths that are too short to be checked, or too long for a buffer, are left out. If none is left, nothing is timed.
 */
export async function tuneOne(
  fold: Fold,
  {
    lengths: given,
    sample: ofCaller,
    ...measured
  }: Omit<Measured, "results" | "lengths" | "sample"> & {
    readonly lengths?: readonly number[];
    readonly sample?: Sample;
  },
): Promise<{
  rows: AdapterTuningRow[];
  candidates: readonly (TuningCandidate & TimedCandidate)[];
  lengths: readonly number[];
}> {
  const context = contextOf(fold.device);
  const { bytes } = measured.type;
  const range = rangeOn(context.facts);
  const { maxStorageBufferBindingSize, maxBufferSize } = context.facts.limits;
  const most = Math.min(maxStorageBufferBindingSize, maxBufferSize) / bytes;
  const usual = isSort(measured.primitive) ? range.sortBytes : range.bytes;
  const lengths = (given ?? usual.map((size) => size / bytes)).filter(
    (length) => length >= SHORTEST && length <= most,
  );
  if (lengths.length === 0) {
    return { rows: [], candidates: [], lengths };
  }
  const longest = Math.max(...lengths);
  const sample = ofCaller ?? sampleOfWords(randomWords((longest * bytes) / 4), measured.type);
  const bench = await openBench(context, Math.max(longest * bytes, 4 * BINS), sample.bytesOf(longest));
  try {
    const { rows, candidates } = await rowsOf(fold, bench, {
      ...{ ...measured, sample, lengths },
      results: new Map(),
    });
    return { rows, candidates, lengths };
  } finally {
    bench.destroy();
  }
}

/** One primitive on one type: what is measured, until time is up. */
interface Measured extends Subject, Checked {
  readonly lengths: readonly number[];
  readonly deadline: number;
  /** Whether one of each algorithm is timed, however late it is. */
  readonly alwaysFirsts?: boolean;
  /** Told of what goes on: candidates are compiled together, and later each is timed, and checked at its longest. */
  readonly onWork?: (
    what: "compiling" | "timing" | "checking",
    candidates: readonly TuningCandidate[],
  ) => void;
  /** Told of each candidate once it is compiled, of each that the device cannot run, and of each whose result is wrong. */
  readonly onCandidate?: (candidate: TuningCandidate) => void;
  readonly onRefused?: (candidate: TuningCandidate, cause: unknown) => void;
  readonly onWrong?: (candidate: TuningCandidate) => void;
}

/** A candidate that was timed, and its plan. */
type Timed = TuningCandidate & TimedCandidate & { readonly prepared: Prepared };

/** What one primitive on one type is measured with, and what is known of its candidates so far. */
interface Trials {
  readonly fold: Fold;
  readonly bench: Bench;
  readonly measured: Measured;
  /** Whether the longest result is checked last, of candidates that are chosen: the check takes the most time. */
  readonly isLate: boolean;
  readonly plans: Prepared[];
  /** Those whose results are right as far as they were checked. */
  timed: Timed[];
  /** What was compiled, and then timed or left out. */
  readonly done: Set<TuningCandidate>;
}

/** Says whether time is up, or will be after some milliseconds, and whether it ever said so. */
interface Deadline {
  isOver(needed?: number): boolean;
  readonly wasOver: boolean;
}

function deadlineAt(time: number): Deadline {
  let wasOver = false;
  return {
    isOver(needed = 0) {
      const over = performance.now() + needed > time;
      wasOver ||= over;
      return over;
    },
    get wasOver() {
      return wasOver;
    },
  };
}

/** The rows of one primitive on one type, and whether there was time for all candidates. */
async function rowsOf(
  fold: Fold,
  bench: Bench,
  measured: Measured,
): Promise<{ rows: AdapterTuningRow[]; candidates: readonly Timed[]; isWhole: boolean }> {
  const { type, lengths, deadline, alwaysFirsts } = measured;
  const { facts } = contextOf(fold.device);
  const { algorithms: names, passes, shapes } = waysOn(facts, measured);
  const isLate = lengths.some((length) => length * type.bytes > SOON_CHECKED_BYTES);
  const trials: Trials = { fold, bench, measured, isLate, plans: [], timed: [], done: new Set() };
  const candidatesOf = (
    some: readonly (Algorithm | undefined)[],
    from: number,
    to?: number,
  ): TuningCandidate[] =>
    passes.flatMap((pass) =>
      some.flatMap((algorithm) =>
        shapes(algorithm)
          .slice(from, to)
          .map((shape) => ({ ...shape, ...(algorithm && { algorithm }), passes: pass })),
      ),
    );
  const firsts = candidatesOf(names, 0, 1);
  try {
    const until = alwaysFirsts ? Number.POSITIVE_INFINITY : deadline;
    let isWhole = await timeAll(trials, firsts, deadlineAt(until));
    const best = bestOf(trials.timed);
    if (isWhole && best !== undefined) {
      isWhole = await timeAll(trials, candidatesOf([best.algorithm], 1), deadlineAt(deadline));
    }
    const rows = await checkedRows(trials, firsts);
    return { rows: rowsOn(facts, rows, lengths), candidates: trials.timed, isWhole };
  } finally {
    for (const plan of trials.plans) {
      plan.destroy();
    }
  }
}

/** Compiles, checks and times candidates, some together. Returns whether there was time for all. */
async function timeAll(
  trials: Trials,
  candidates: readonly TuningCandidate[],
  deadline: Deadline,
): Promise<boolean> {
  const { fold, bench, measured } = trials;
  const { atOnce } = rangeOn(contextOf(fold.device).facts);
  const together = isSort(measured.primitive) ? SORTS_AT_ONCE : atOnce;
  for (let first = 0; first < candidates.length; first += together) {
    if (deadline.isOver(bench.compiling)) {
      return false;
    }
    await timeTogether(trials, candidates.slice(first, first + together), deadline);
  }
  return !deadline.wasOver;
}

/** A candidate whose results are right, with the least times so far. */
interface Right {
  readonly candidate: TuningCandidate;
  readonly prepared: Prepared;
  times: readonly number[] | undefined;
}

async function timeTogether(
  trials: Trials,
  candidates: readonly TuningCandidate[],
  deadline: Deadline,
): Promise<void> {
  // Nothing is compiled while candidates are timed: the CPU is then too late with the GPU's work, and the clock falls.
  const prepared = await compile(trials, candidates);
  // Results are read before anything is timed: the CPU compares them while the GPU idles, and its clock falls.
  const right = await rightOf(trials, candidates, prepared, deadline);
  await timeInRounds(trials, right, deadline);
  trials.timed.push(
    ...right.flatMap(({ candidate, prepared, times }) => (times ? [{ ...candidate, times, prepared }] : [])),
  );
  // Their scratch is no longer needed.
  for (const { prepared } of trials.isLate ? [] : right) {
    prepared.destroy();
  }
}

/** The plans of candidates, which are compiled at the same time; undefined for what the device cannot run. */
async function compile(
  { fold, bench, measured, plans }: Trials,
  candidates: readonly TuningCandidate[],
): Promise<(Prepared | undefined)[]> {
  const begun = performance.now();
  measured.onWork?.("compiling", candidates);
  const made = await Promise.allSettled(candidates.map((candidate) => prepare(fold, measured, candidate)));
  bench.compiling = Math.max(bench.compiling, performance.now() - begun);
  const prepared = made.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : undefined));
  plans.push(...prepared.filter((plan) => plan !== undefined));
  for (const [at, outcome] of made.entries()) {
    if (outcome.status === "rejected") {
      if (outcome.reason instanceof DeviceLostError) {
        throw outcome.reason;
      }
      measured.onRefused?.(candidates[at] as TuningCandidate, outcome.reason);
    }
  }
  return prepared;
}

/** The candidates whose results are right, of those that are checked before time is up. */
async function rightOf(
  { bench, measured, isLate, done }: Trials,
  candidates: readonly TuningCandidate[],
  plans: readonly (Prepared | undefined)[],
  deadline: Deadline,
): Promise<Right[]> {
  const { lengths, onCandidate, onWrong } = measured;
  const checked = isLate ? lengths.slice(0, -1) : lengths;
  const right: Right[] = [];
  for (const [at, candidate] of candidates.entries()) {
    if (deadline.isOver()) {
      break;
    }
    onCandidate?.(candidate);
    const prepared = plans[at];
    if (prepared === undefined) {
      done.add(candidate);
    } else if (await areRight(bench, measured, prepared, checked)) {
      right.push({ candidate, prepared, times: undefined });
    } else {
      onWrong?.(candidate);
      done.add(candidate);
      if (!isLate) {
        prepared.destroy();
      }
    }
  }
  return right;
}

/** Times candidates one after another, round by round, and keeps the least times. */
async function timeInRounds(
  { fold, bench, measured, done }: Trials,
  candidates: readonly Right[],
  deadline: Deadline,
): Promise<void> {
  const context = contextOf(fold.device);
  const { software } = context.facts;
  for (let round = 0; round < (software ? 1 : ROUNDS) && !deadline.isOver(); round++) {
    if (!software) {
      await heat(context, bench, () => deadline.isOver());
    }
    for (const right of candidates) {
      if (deadline.isOver()) {
        break;
      }
      measured.onWork?.("timing", [right.candidate]);
      const { times } = right;
      const again = await timesOf(bench, measured.lengths, right.prepared, software ? 0 : WARM_MS);
      done.add(right.candidate);
      right.times = again?.map((time, at) => Math.min(time, times?.[at] ?? time)) ?? times;
    }
  }
}

/**
 * The rows of the best candidates. If the longest result is checked late, it is checked of each candidate that gets a row. Then one with
 * a wrong result is left out, and there are other rows. `firsts` has a candidate of each algorithm.
 */
async function checkedRows(trials: Trials, firsts: readonly TuningCandidate[]): Promise<AdapterTuningRow[]> {
  const { bench, measured, isLate, done } = trials;
  const { primitive, lengths } = measured;
  // A compaction scans places of kept items, which are u32, whatever the elements are.
  const { elementBytes, long = false } = (primitive === "compact" ? u32 : measured.type).native;
  const rowsFor: RowsFor = { primitive, elementBytes, long, lengths };
  // The best of some algorithms may be worse than Wavefold's own.
  const isCut = (passes: Passes): boolean =>
    firsts.some((candidate) => candidate.passes === passes && !done.has(candidate));
  const timedBy = (passes: Passes): Timed[] =>
    isCut(passes) ? [] : trials.timed.filter((candidate) => candidate.passes === passes);
  const checked = new Set(isLate ? [] : trials.timed);
  for (;;) {
    const rows = rowsFrom(rowsFor, {
      "reduce-then-scan": timedBy("reduce-then-scan"),
      single: timedBy("single"),
    });
    const next = trials.timed.find(
      (candidate) => !checked.has(candidate) && rows.some((row) => isOf(row, candidate)),
    );
    if (next === undefined) {
      return rows;
    }
    checked.add(next);
    measured.onWork?.("checking", [next]);
    if (!(await areRight(bench, measured, next.prepared, lengths.slice(-1)))) {
      measured.onWrong?.(next);
      trials.timed = trials.timed.filter((candidate) => candidate !== next);
    }
  }
}

/** Whether a row is this candidate's. Rows of what reads its data once name no passes. */
const isOf = (row: AdapterTuningRow, candidate: TuningCandidate): boolean =>
  row.algorithm === candidate.algorithm &&
  row.workGroupSize === candidate.workGroupSize &&
  row.itemsPerThread === candidate.itemsPerThread &&
  (row.passes ?? candidate.passes) === candidate.passes;
