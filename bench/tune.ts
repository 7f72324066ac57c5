import type { Fold } from "../src/gpu/fold.ts";
import type { Algorithm } from "../src/kernels/algorithms.ts";
import type { Primitive } from "../src/plan/tuning_row.ts";
import { createBuffer, readerOf } from "./buffers.ts";
import type { Copy } from "./copy.ts";
import { prepareCompare } from "./copy.ts";
import type { BenchTypeName } from "./elements.ts";
import { formatLength } from "./sizes.ts";
import type { Question, Stage, Task } from "./task.ts";
import { openStage, prepareTask, verifyTask } from "./task.ts";
import type { Timer, Timing } from "./timer.ts";

/** One way to carry a primitive out. */
export interface Candidate {
  readonly algorithm: Algorithm;
  readonly workGroupSize: number;
  readonly itemsPerThread: number;
  /** How many times a scan or a compaction reads its data. */
  readonly passes?: "single" | "reduce-then-scan";
}

/** A candidate's time at one length. */
export interface TuningTime {
  readonly primitive: Primitive;
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
}

/** `256 × 8 blelloch, single` */
export const formatCandidate = ({ algorithm, workGroupSize, itemsPerThread, passes }: Candidate): string =>
  `${workGroupSize} × ${itemsPerThread} ${algorithm}${passes === undefined ? "" : `, ${passes}`}`;

/** What candidates are made of. */
export interface TuningRange {
  readonly algorithms: readonly Algorithm[];
  readonly workGroupSizes: readonly number[];
  readonly items: readonly number[];
}

/** All candidates of a range. A reduction reads its data once in any case. */
export const candidatesOf = (
  primitive: Primitive,
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

/**
 * Times ways to carry out a primitive (sums; exclusive scans) at some lengths, beside a copy. Each is
 * verified at each length before its time counts.
 *
 * @param step - called before each timing.
 */
export async function timeTunings(
  fold: Fold,
  timer: Timer,
  what: {
    readonly primitive: Primitive;
    readonly type: BenchTypeName;
    readonly lengths: readonly number[];
    readonly candidates: readonly Candidate[];
  },
  step: (stage: string) => void = () => {},
): Promise<TuningOutcome> {
  const { primitive, type, lengths, candidates } = what;
  const { device } = fold;
  const times: TuningTime[] = [];
  const rejected: string[] = [];
  for (const length of lengths) {
    const question = { primitive, type, op: "add", length } as const;
    const at = `${primitive}<${type}> at ${formatLength(length)}`;
    const stage = await openStage(device, type, "add", length);
    const owned: { destroy(): void }[] = [stage];
    const timed: { candidate: Candidate; task: Task; timing: Timing }[] = [];
    try {
      await timer.heat();
      const copied = (await timer.time({ pass: stage.copy.record })).median;
      for (const candidate of candidates) {
        step(`${at}: ${formatCandidate(candidate)}`);
        try {
          const task = await prepareTask(fold, question, stage.buffers, candidate);
          owned.push(task);
          timed.push({ candidate, task, timing: await timer.time({ pass: task.record }) });
        } catch (cause) {
          const why = cause instanceof Error ? cause.message : String(cause);
          rejected.push(`${at}: ${formatCandidate(candidate)}: ${why}`);
        }
      }
      const verify = await verifierOf(device, question, stage, owned);
      for (const { candidate, task, timing } of timed) {
        await stage.runOnce({ pass: task.record }, false);
        const problem = await verify();
        if (problem === undefined) {
          times.push({ primitive, type, length, candidate, timing, toCopy: timing.median / copied });
        } else {
          rejected.push(`${at}: ${formatCandidate(candidate)} is wrong: ${problem}`);
        }
      }
    } finally {
      for (const one of owned) {
        one.destroy();
      }
    }
  }
  return { times, rejected };
}

/**
 * Verifies one result after another. The first right one is kept on the GPU: what has the same bits
 * is right as well, and what has others is compared with the CPU's.
 */
async function verifierOf(
  device: GPUDevice,
  question: Question,
  { buffers }: Stage,
  owned: { destroy(): void }[],
): Promise<() => Promise<string | undefined>> {
  const made = question.primitive === "reduce" ? [buffers.result] : [buffers.output, buffers.result];
  const kept: GPUBuffer[] = [];
  const own = async (name: string, size: number): Promise<GPUBuffer> => {
    const buffer = await createBuffer(device, name, size);
    owned.push(buffer);
    return buffer;
  };
  const differing = await own("differences", 16);
  const submit = (record: (encoder: GPUCommandEncoder) => void): void => {
    const encoder = device.createCommandEncoder({ label: "bench verify" });
    record(encoder);
    device.queue.submit([encoder.finish()]);
  };
  let comparisons: Copy[] = [];
  const isSame = async (): Promise<boolean> => {
    submit((encoder) => {
      encoder.clearBuffer(differing);
      const pass = encoder.beginComputePass({ label: "bench compare" });
      for (const one of comparisons) {
        one.record(pass);
      }
      pass.end();
    });
    const bytes = new Uint8Array(4);
    const reader = readerOf(device, differing);
    await reader.read(bytes);
    reader.destroy();
    return bytes.every((byte) => byte === 0);
  };
  return async () => {
    if (comparisons.length > 0 && (await isSame())) {
      return undefined;
    }
    const problem = await verifyTask(device, question, buffers);
    if (problem === undefined && comparisons.length === 0) {
      for (const buffer of made) {
        const copy = await own("right result", buffer.size);
        kept.push(copy);
        submit((encoder) => encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size));
      }
      comparisons = await Promise.all(
        made.map((buffer, at) => prepareCompare(device, buffer, kept[at] as GPUBuffer, differing)),
      );
    }
    return problem;
  };
}
