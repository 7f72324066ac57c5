import type { ScanPrimitive } from "../src/adapters/tables.ts";
import { contextOf } from "../src/gpu/device/device.ts";
import type { Fold } from "../src/gpu/fold.ts";
import { prepareFor } from "../src/gpu/recordings/prepare_folds.ts";
import type { Algorithm } from "../src/kernels/algorithms.ts";
import { planCompact } from "../src/plan/compact.ts";
import { withFasterWays } from "../src/plan/faster_ways.ts";
import { planReduce } from "../src/plan/reduce.ts";
import { planScan } from "../src/plan/scan.ts";
import { createBuffer, readerOf } from "./buffers.ts";
import type { Copy } from "./copy.ts";
import { prepareCompare } from "./copy.ts";
import type { BenchTypeName } from "./elements.ts";
import { formatLength } from "./sizes.ts";
import type { PreparedPrimitive, Question, Stage } from "./task.ts";
import { openStage, optionsOf, rangesOf, verifyTask } from "./task.ts";
import type { Timer, Timing, Work } from "./timer.ts";

/** The threads of a work-group, and the consecutive items that each takes. */
export interface Shape {
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
}

/** One way to carry a primitive out. */
export interface Candidate extends Shape {
  readonly algorithm: Algorithm;
  /** How many times a scan or a compaction reads its data. */
  readonly passes?: "single" | "reduce-then-scan";
}

/** A candidate's time at one length. */
export interface TuningTime {
  readonly primitive: ScanPrimitive;
  readonly type: BenchTypeName;
  readonly length: number;
  readonly candidate: Candidate;
  readonly timing: Timing;
  /** The median over the copy's. */
  readonly toCopy: number;
}

/** What {@link timeTunings} found. */
export interface TuningOutcome {
  readonly times: readonly TuningTime[];
  /** Candidates that the device cannot run, or whose result is wrong: which, and why. */
  readonly rejected: readonly string[];
  /** How many candidates there was time for. */
  readonly tried: number;
}

/** `256 × 8 blelloch, single` */
export const formatCandidate = ({ algorithm, workGroupSize, itemsPerThread, passes }: Candidate): string =>
  `${workGroupSize} × ${itemsPerThread} ${algorithm}${passes === undefined ? "" : `, ${passes}`}`;

/** `compiling 256 × 8 blelloch, single, and 7 more` */
export const textOfWork = (what: string, [first = "", ...others]: readonly string[]): string =>
  `${what} ${first}${others.length === 0 ? "" : `, and ${others.length} more`}`;

/** What candidates are made of. */
export interface TuningRange {
  readonly algorithms: readonly Algorithm[];
  readonly workGroupSizes: readonly number[];
  readonly items: readonly number[];
}

/** All candidates of a range. A reduction reads its data once in any case. */
export const candidatesOf = (
  primitive: ScanPrimitive,
  { algorithms, workGroupSizes, items }: TuningRange,
): Candidate[] => {
  const passes = primitive === "reduce" ? [undefined] : (["single", "reduce-then-scan"] as const);
  return passes.flatMap((pass) =>
    algorithms.flatMap((algorithm) =>
      workGroupSizes.flatMap((workGroupSize) =>
        items.map((itemsPerThread) => ({
          algorithm,
          workGroupSize,
          itemsPerThread,
          ...(pass !== undefined && { passes: pass }),
        })),
      ),
    ),
  );
};

/** One candidate's times over all lengths. */
export interface Ranked {
  readonly candidate: Candidate;
  /** One for each length, in order. */
  readonly times: readonly TuningTime[];
  /** The geometric mean of its ratios to the copy. */
  readonly score: number;
}

/** Candidates that ran at every length, the best first. */
export function rank(times: readonly TuningTime[]): Ranked[] {
  const lengths = new Set(times.map(({ length }) => length)).size;
  const own = new Map<Candidate, TuningTime[]>();
  for (const time of times) {
    own.set(time.candidate, [...(own.get(time.candidate) ?? []), time]);
  }
  return [...own]
    .filter(([, all]) => all.length === lengths)
    .map(([candidate, all]) => ({
      candidate,
      times: all,
      score: Math.exp(all.reduce((sum, { toCopy }) => sum + Math.log(toCopy), 0) / all.length),
    }))
    .sort((a, b) => a.score - b.score);
}

/** A length's buffers, and the time of a copy of them. */
export interface TuningStage {
  readonly length: number;
  readonly stage: Stage;
  readonly copied: number;
}

/** Buffers of a type at each length, for {@link timeTunings}. */
export interface TuningStages {
  readonly type: BenchTypeName;
  readonly stages: readonly TuningStage[];
  destroy(): void;
}

/** @throws {NoRoomError} when the adapter has no room for them. */
export async function openStages(
  fold: Fold,
  timer: Timer,
  type: BenchTypeName,
  lengths: readonly number[],
): Promise<TuningStages> {
  const stages: TuningStage[] = [];
  const destroy = (): void => {
    for (const { stage } of stages) {
      stage.destroy();
    }
  };
  try {
    for (const length of lengths) {
      const stage = await openStage(fold.device, type, "add", length);
      if (stages.length === 0) {
        await timer.heat();
      }
      stages.push({ length, stage, copied: (await timer.time({ pass: stage.copy.record })).median });
    }
  } catch (cause) {
    destroy();
    throw cause;
  }
  return { type, stages, destroy };
}

/** How many are compiled at once, while those before them are timed. */
const AT_ONCE = 8;

/** How far two shapes are from each other: in doublings of threads and of items. */
const distance = (a: Shape, b: Shape): number =>
  Math.abs(Math.log2(a.workGroupSize / b.workGroupSize)) +
  Math.abs(Math.log2(a.itemsPerThread / b.itemsPerThread));

const kindOf = ({ algorithm, passes }: Candidate): string => `${algorithm} ${passes}`;

const planners = { scan: planScan, reduce: planReduce, compact: planCompact } as const;

/** What Wavefold chooses by itself at these lengths, without a tuning. Sums; exclusive scans. */
export function ownCandidates(
  fold: Fold,
  primitive: ScanPrimitive,
  type: BenchTypeName,
  lengths: readonly number[],
): Candidate[] {
  const { tuned: _, ...facts } = contextOf(fold.device).facts;
  const passes: readonly Pick<Candidate, "passes">[] =
    primitive === "reduce" ? [{}] : [{ passes: "single" }, { passes: "reduce-then-scan" }];
  const all = passes.flatMap((own) =>
    lengths.map((length): Candidate => {
      const options = optionsOf({ primitive, type, op: "add", length }, own);
      const plan = planners[primitive](options as never, withFasterWays(facts), ["vectors"]);
      const { algorithm, workGroupSize, itemsPerThread } = plan.groupingOf("vectors");
      return { algorithm, workGroupSize, itemsPerThread, ...own };
    }),
  );
  return [...new Map(all.map((one) => [formatCandidate(one), one])).values()];
}

/** Wavefold's own candidates, and of each other algorithm and number of passes the candidate that is nearest to the usual shape. */
export function firstCandidates(
  candidates: readonly Candidate[],
  usual: Shape,
  own: readonly Candidate[] = [],
): Candidate[] {
  const kinds = new Set(own.map(kindOf));
  const first = new Map<string, Candidate>();
  for (const one of candidates) {
    const other = first.get(kindOf(one));
    if (!kinds.has(kindOf(one)) && (other === undefined || distance(one, usual) < distance(other, usual))) {
      first.set(kindOf(one), one);
    }
  }
  return [...own, ...first.values()];
}

/** The other candidates, the most promising ones first: those of the best algorithm, and of these the ones that are like the best. */
export function otherCandidates(
  candidates: readonly Candidate[],
  first: readonly Candidate[],
  times: readonly TuningTime[],
): Candidate[] {
  const best = new Map<Candidate["passes"], Candidate>();
  for (const { candidate } of rank(times)) {
    if (!best.has(candidate.passes)) {
      best.set(candidate.passes, candidate);
    }
  }
  const scoreOf = (one: Candidate): number => {
    const own = best.get(one.passes);
    return own === undefined ? 0 : distance(one, own) + (own.algorithm === one.algorithm ? 0 : FAR);
  };
  const done = new Set(first);
  return candidates
    .filter((one) => !done.has(one))
    .map((one) => ({ one, score: scoreOf(one) }))
    .sort((a, b) => a.score - b.score)
    .map(({ one }) => one);
}

/** More than any two shapes are apart. */
const FAR = 100;

/**
 * While the CPU verifies, the GPU idles and its clock falls. At a lower share of the highest clock, work is timed again. A GPU that stays
 * below it does so for each candidate, so its times still count.
 */
const LOWEST_CLOCK = 0.8;
const MOST_HEATS = 3;

/** Times work, and again after the GPU was kept busy if its clock was low, until the time is over. The highest clock counts. */
async function timeSteadily(timer: Timer, work: Work, isOver: () => boolean): Promise<Timing> {
  const clockOf = ({ clock = 1 }: Timing): number => clock;
  let best = await timer.time(work);
  for (let heats = 0; heats < MOST_HEATS && clockOf(best) < LOWEST_CLOCK && !isOver(); heats++) {
    await timer.heat();
    const again = await timer.time(work);
    best = clockOf(again) > clockOf(best) ? again : best;
  }
  return best;
}

/**
 * Compiles what a candidate needs for buffers of their own, up to a length. Kernels for ranges that lie in other ways take as long to
 * compile, and are not timed.
 *
 * @throws what `prepareScan` and the like throw.
 */
export const planCandidate = (
  fold: Fold,
  primitive: ScanPrimitive,
  type: BenchTypeName,
  maxLength: number,
  candidate: Candidate,
): Promise<PreparedPrimitive> =>
  prepareFor(
    primitive,
    contextOf(fold.device),
    optionsOf({ primitive, type, op: "add", length: maxLength }, candidate),
    ["vectors"],
  );

/**
 * Times ways to carry out a primitive (sums; exclusive scans) at some lengths, beside a copy. Each is
 * verified at each length before its time counts. Once the deadline has passed, no others are tried, and what would not be compiled by
 * then is not begun. The first ones are always timed: those of `own`, and one of each other algorithm.
 *
 * @param step - called before each candidate.
 * @param between - called with what goes on before the next candidate, if that may take long.
 * @param plan - how a candidate is planned. Tests plan wrong ones.
 */
export async function timeTunings(
  fold: Fold,
  timer: Timer,
  { type, stages }: TuningStages,
  what: {
    readonly primitive: ScanPrimitive;
    readonly candidates: readonly Candidate[];
    /** The shape to start from. */
    readonly usual: Shape;
    /** Candidates that are timed first. */
    readonly own?: readonly Candidate[];
    /** As `performance.now()` gives it. */
    readonly deadline?: number;
  },
  step: (stage: string) => void = () => {},
  plan: typeof planCandidate = planCandidate,
  between: (stage: string) => void = () => {},
): Promise<TuningOutcome> {
  const { primitive, candidates, usual, own, deadline = Number.POSITIVE_INFINITY } = what;
  const { device } = fold;
  const times: TuningTime[] = [];
  const rejected: string[] = [];
  const owned: { destroy(): void }[] = [];
  const title = `${primitive}<${type}>`;
  const lengths = stages.map(({ stage, length, copied }) => {
    const question = { primitive, type, op: "add", length } as const;
    return { stage, copied, question, verify: verifierOf(device, question, stage, owned) };
  });
  const reject = ({ length }: Question, candidate: Candidate, cause: unknown): void => {
    const why = cause instanceof Error ? cause.message : String(cause);
    rejected.push(`${title} at ${formatLength(length)}: ${formatCandidate(candidate)}: ${why}`);
  };
  const longest = Math.max(...lengths.map(({ question }) => question.length));
  const prepare = async (candidate: Candidate): Promise<Compiled> => {
    const [made] = await Promise.allSettled([plan(fold, primitive, type, longest, candidate)]);
    return { candidate, made };
  };
  const timeOne = async ({ candidate, made }: Compiled, isOver: () => boolean): Promise<void> => {
    step(`${title}: ${formatCandidate(candidate)}`);
    if (made.status === "rejected") {
      for (const { question } of lengths) {
        reject(question, candidate, made.reason);
      }
      return;
    }
    for (const { stage, question, copied, verify } of lengths) {
      const { length } = question;
      const ranges = rangesOf(primitive, stage.buffers.input, stage.buffers, length);
      try {
        const work = { pass: (pass: GPUComputePassEncoder) => made.value.record(pass, ranges) };
        const timing = await timeSteadily(timer, work, isOver);
        await stage.runOnce(work, false);
        const problem = await verify();
        if (problem === undefined) {
          times.push({ primitive, type, length, candidate, timing, toCopy: timing.median / copied });
        } else {
          rejected.push(
            `${title} at ${formatLength(length)}: ${formatCandidate(candidate)} is wrong: ${problem}`,
          );
        }
      } catch (cause) {
        reject(question, candidate, cause);
      }
    }
  };
  let tried = 0;
  /** The milliseconds until the last ones were compiled, while those before were timed. So it may be too long, and never too short. */
  let compiling = 0;
  const timeAll = async (some: readonly Candidate[], isBound: boolean): Promise<void> => {
    const isOver = (needed = 0): boolean => isBound && performance.now() + needed > deadline;
    const compile = async (first: number): Promise<Compiled[]> => {
      if (first >= some.length || isOver(compiling)) {
        return [];
      }
      const begun = performance.now();
      const batch = await Promise.all(some.slice(first, first + AT_ONCE).map(prepare));
      compiling = performance.now() - begun;
      return batch;
    };
    let next = compile(0);
    try {
      for (let first = 0; first < some.length && !isOver(); first += AT_ONCE) {
        between(
          `${title}: ${textOfWork("compiling", some.slice(first, first + AT_ONCE).map(formatCandidate))}`,
        );
        const batch = await next;
        next = compile(first + AT_ONCE);
        try {
          for (const one of batch) {
            if (!isOver()) {
              tried++;
              await timeOne(one, isOver);
            }
          }
        } finally {
          destroyPlans(batch);
        }
      }
    } finally {
      between(`${title}: waiting for kernels that still compile`);
      destroyPlans(await next);
    }
  };
  try {
    await timer.heat();
    const first = firstCandidates(candidates, usual, own);
    await timeAll(first, false);
    await timeAll(otherCandidates(candidates, first, times), true);
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
  return { times, rejected, tried };
}

/** A candidate's plan, if the device could make it. */
interface Compiled {
  readonly candidate: Candidate;
  readonly made: PromiseSettledResult<PreparedPrimitive>;
}

function destroyPlans(batch: readonly Compiled[]): void {
  for (const { made } of batch) {
    if (made.status === "fulfilled") {
      made.value.destroy();
    }
  }
}

/**
 * Verifies one result after another. The first right one is kept on the GPU: what has the same bits
 * is right as well, and what has others is compared with the CPU's.
 */
function verifierOf(
  device: GPUDevice,
  question: Question,
  { buffers }: Stage,
  owned: { destroy(): void }[],
): () => Promise<string | undefined> {
  const made = question.primitive === "reduce" ? [buffers.result] : [buffers.output, buffers.result];
  const kept: GPUBuffer[] = [];
  const own = async (name: string, size: number): Promise<GPUBuffer> => {
    const buffer = await createBuffer(device, name, size);
    owned.push(buffer);
    return buffer;
  };
  let differing: GPUBuffer | undefined;
  const submit = (record: (encoder: GPUCommandEncoder) => void): void => {
    const encoder = device.createCommandEncoder({ label: "bench verify" });
    record(encoder);
    device.queue.submit([encoder.finish()]);
  };
  let comparisons: Copy[] = [];
  const isSame = async (differences: GPUBuffer): Promise<boolean> => {
    submit((encoder) => {
      encoder.clearBuffer(differences);
      const pass = encoder.beginComputePass({ label: "bench compare" });
      for (const one of comparisons) {
        one.record(pass);
      }
      pass.end();
    });
    const bytes = new Uint8Array(4);
    const reader = readerOf(device, differences);
    await reader.read(bytes);
    reader.destroy();
    return bytes.every((byte) => byte === 0);
  };
  return async () => {
    if (differing !== undefined && (await isSame(differing))) {
      return undefined;
    }
    const problem = await verifyTask(device, question, buffers);
    if (problem === undefined && differing === undefined) {
      const differences = await own("differences", 16);
      for (const buffer of made) {
        const copy = await own("right result", buffer.size);
        kept.push(copy);
        submit((encoder) => encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size));
      }
      comparisons = await Promise.all(
        made.map((buffer, at) => prepareCompare(device, buffer, kept[at] as GPUBuffer, differences)),
      );
      differing = differences;
    }
    return problem;
  };
}
