import { join, resolve } from "node:path";
import process from "node:process";
import { handPaceFor, handStepsOf, planAtHand, timeAtHand } from "../../bench/at_hand.ts";
import type { AtHandReport } from "../../bench/at_hand_report.ts";
import { atHandHead, atHandLine, atHandText } from "../../bench/at_hand_report.ts";
import { runCuda } from "../../bench/cuda.ts";
import type { Host } from "../../bench/host.ts";
import { headOf, hostOf, packageFolder } from "../../bench/host.ts";
import type { Peers } from "../../bench/peers.ts";
import { loadPeers } from "../../bench/peers.ts";
import { plotNames } from "../../bench/plot_names.ts";
import { timeRecording } from "../../bench/record-cost.ts";
import type { Report } from "../../bench/report.ts";
import { leftOutNote, legend, lineHead, lineOf, textOf } from "../../bench/report.ts";
import type { Limit } from "../../bench/run.ts";
import { runSuite, stepsOf, withRatios } from "../../bench/run.ts";
import type { Suite, SuiteFacts } from "../../bench/suite.ts";
import { benchPrimitives, planSuite } from "../../bench/suite.ts";
import { createTimer, paceFor } from "../../bench/timer.ts";
import type { Fold } from "../node.ts";
import { doAll, UsageError } from "./errors.ts";
import type { Target } from "./files.ts";
import { DASH, makeFolder, openTarget, requireApart } from "./files.ts";
import type { MeasuredAdapterOption } from "./options.ts";
import { print, reportTarget } from "./print.ts";
import type { Progress } from "./progress.ts";
import { startSteps } from "./progress_lines.ts";
import { withGpu } from "./with_fold.ts";

/** Options of `wavefold bench`, as commander hands them over. */
export interface BenchOptions extends MeasuredAdapterOption {
  readonly sizes?: readonly number[];
  readonly types?: readonly string[];
  readonly ops?: readonly string[];
  readonly algorithms?: readonly string[];
  readonly primitives?: readonly string[];
  readonly inPlace?: boolean;
  readonly quick?: boolean;
  readonly seconds?: number;
  readonly atHand?: boolean;
  readonly json?: string;
  readonly plot?: string;
  /** The folder; `true` for the one that a checkout builds. */
  readonly peers?: string | true;
}

function suiteFactsOf({ device, software }: Fold): SuiteFacts {
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const features: ReadonlySet<string> = device.features;
  return { software, features, maxStorageBufferBindingSize, maxBufferSize };
}

/** What times need of an adapter. @throws {UsageError} where it lacks it. */
export function factsOf(fold: Fold): SuiteFacts {
  const facts = suiteFactsOf(fold);
  if (!facts.features.has("timestamp-query")) {
    throw new UsageError('bench: it needs the adapter feature "timestamp-query", which this one lacks');
  }
  return facts;
}

/** The seconds that a run takes at most, if nothing else is asked for. */
export const DEFAULT_SECONDS = 60;
/** Of the time, what is for the last candidate, the report and the plots. */
const RESERVE = 0.05;

/** The signals that end a run early, and the statuses that shells have for them. */
const signals = { SIGINT: 130, SIGTERM: 143 } as const;

/** What ends a run early. */
interface Ending extends Limit {
  /** What to expect. */
  readonly about: string;
  /** Why the run ended early: `the time (60 s) was over`. */
  why(): string;
  /** Whether a signal ended it. */
  isEnded(): boolean;
  /** Takes the signals no longer. After a signal, the program's status says so. */
  stop(): void;
}

/** A run of so many seconds. The first signal ends the measuring, and another one ends the program. */
function startLimit(seconds: number): Ending {
  const end = performance.now() + seconds * 1000 * (1 - RESERVE);
  let given: keyof typeof signals | undefined;
  const listen = (signal: keyof typeof signals): void => {
    if (given !== undefined) {
      process.exit(signals[signal]);
    }
    given = signal;
    process.stderr.write("bench: ending; what is there will be printed. A second Ctrl-C ends it at once\n");
  };
  const names = Object.keys(signals) as (keyof typeof signals)[];
  for (const name of names) {
    process.on(name, listen);
  }
  const left = (): number => (given === undefined ? end - performance.now() : 0);
  return {
    about: `At most ${seconds} s; Ctrl-C ends it before that, and prints what is there.`,
    left,
    isOver: () => left() <= 0,
    isEnded: () => given !== undefined,
    why: () => (given === undefined ? `the time (${seconds} s) was over` : `${given} ended the run`),
    stop() {
      for (const name of names) {
        process.off(name, listen);
      }
      if (given !== undefined) {
        process.exitCode = signals[given];
      }
    },
  };
}

/**
 * `wavefold bench`
 *
 * @throws {UsageError} when a result is wrong; the report is on stdout and in the files by then.
 */
export async function bench(options: BenchOptions): Promise<void> {
  // What could fail at the end is opened first.
  const json = options.json === undefined ? undefined : await reportTarget(options.json);
  // Stdout has either the report for people or the one for programs.
  const isText = options.json !== DASH;
  const limit = startLimit(options.seconds ?? (options.atHand ? Number.POSITIVE_INFINITY : DEFAULT_SECONDS));
  try {
    if (options.atHand) {
      const report = await benchAtHand(options, limit, isText);
      await finish(report, isText ? `\n${atHandText(report)}\n` : "", json);
      return;
    }
    await benchKernels(options, limit, json, isText);
  } finally {
    limit.stop();
  }
}

/** Times kernels, and prints rows as they come if stdout is for people. */
async function benchKernels(
  options: BenchOptions,
  limit: Ending,
  json: Target | undefined,
  isText: boolean,
): Promise<void> {
  const folder = options.plot;
  if (folder !== undefined) {
    await makeFolder(folder);
  }
  const peers =
    options.peers === undefined
      ? { webgpu: [], cuda: [] }
      : await loadPeers(
          options.peers === true ? join(packageFolder(), "build", "bench", "peers") : resolve(options.peers),
        );
  const report = await withGpu(options, async (fold): Promise<Report> => {
    const host = hostOf(fold);
    const suite = planSuite(options, factsOf(fold), benchPrimitives);
    if (folder !== undefined) {
      const types = suite.sets.map(({ type }) => type);
      const plots = plotNames(host.device.name, types).map((name) => join(folder, name));
      await requireApart([...plots, ...(options.json === undefined ? [] : [options.json])]);
    }
    if (isText) {
      await printMeanwhile(`${headOf(host)}\n${limit.about}\n${legend}\n\n${lineHead}\n`);
    }
    return { ...host, ...(await timeKernels(fold, options, suite, peers, limit, isText)) };
  });
  await finish(report, isText ? `\n${textOf(report)}\n` : "", json, async () => {
    if (folder === undefined) {
      return;
    }
    // Loaded only here: it is by far the largest part of the command.
    const { plotsOf } = await import("../../bench/plot.ts");
    for (const { name, svg } of plotsOf(report)) {
      await (await openTarget(join(folder, name))).write(Buffer.from(svg));
    }
  });
}

async function timeKernels(
  fold: Fold,
  { quick = false }: BenchOptions,
  { sets, notes }: Suite,
  peers: Peers,
  limit: Ending,
  isText: boolean,
): Promise<Omit<Report, keyof Host>> {
  const progress = startSteps("bench", stepsOf(sets, peers.webgpu) + 1 + 2 * peers.cuda.length, "steps");
  const timer = await createTimer(fold.device, paceFor(fold.software, quick));
  try {
    const outcome = await runSuite(fold, timer, sets, peers.webgpu, {
      limit,
      step: progress.step,
      onRow: (row) => printLine(isText, progress, lineOf(row)),
    });
    const all = { rows: [...outcome.rows], notes: [...notes, ...outcome.notes], wrong: [...outcome.wrong] };
    if (outcome.leftOut.length > 0) {
      const more = "--seconds takes longer, and --sizes, --types and --primitives choose";
      all.notes.push(leftOutNote(outcome.leftOut, limit.why(), more));
    }
    let recording: Report["recording"] = [];
    if (!limit.isOver()) {
      progress.step("the cost of record()");
      recording = await timeRecording(fold, [
        ...new Set(sets.flatMap(({ cases }) => cases.map(({ primitive }) => primitive))),
      ]);
    }
    const timed = sets.filter((set) => !outcome.leftOut.includes(set));
    for (const source of fold.software || limit.isEnded() ? [] : peers.cuda) {
      const { rows, notes: more, wrong } = await runCuda(source, timed, all.rows, progress.step);
      all.rows.push(...rows);
      all.notes.push(...more);
      all.wrong.push(...wrong);
    }
    return { ...all, rows: withRatios(all.rows), recording };
  } finally {
    timer.destroy();
    progress.stop();
  }
}

/** Prints while the run goes on. If stdout takes no more, the tables at the end fail, once the files are written. */
async function printMeanwhile(text: string): Promise<void> {
  try {
    await print(text);
  } catch (cause) {
    if (!(cause instanceof UsageError)) {
      throw cause;
    }
  }
}

/** Prints a row above the progress, if stdout is for people. */
async function printLine(isText: boolean, progress: Progress, line: string): Promise<void> {
  if (isText) {
    progress.hide();
    await printMeanwhile(`${line}\n`);
  }
}

/** `wavefold bench --at-hand`. Each row opens an adapter of its own. */
async function benchAtHand(options: BenchOptions, limit: Ending, isText: boolean): Promise<AtHandReport> {
  const { suite, software, host } = await withGpu(options, async (fold) => ({
    suite: planAtHand(options, suiteFactsOf(fold)),
    software: fold.software,
    host: hostOf(fold),
  }));
  if (isText) {
    await printMeanwhile(`${atHandHead(host)}\n\n`);
  }
  const progress = startSteps("bench", handStepsOf(suite), "steps");
  try {
    const pace = handPaceFor(software, options.quick);
    const { rows, ...more } = await timeAtHand((work) => withGpu(options, work), suite, pace, progress.step, {
      isOver: limit.isOver,
      why: limit.why,
      onRow: (row) => printLine(isText, progress, atHandLine(row)),
    });
    return { ...host, atHand: rows, ...more };
  } finally {
    progress.stop();
  }
}

/** Prints and writes a report. @throws {UsageError} when a result in it is wrong, after that. */
async function finish(
  report: Report | AtHandReport,
  text: string,
  json: Target | undefined,
  more = async (): Promise<void> => {},
): Promise<void> {
  await doAll([
    () => print(text),
    async () => json?.write(Buffer.from(`${JSON.stringify(report, undefined, 1)}\n`)),
    more,
  ]);
  if (report.wrong.length > 0) {
    throw new UsageError(
      `bench: ${report.wrong.length} wrong results, whose times do not count: ${report.wrong[0]}`,
    );
  }
}
