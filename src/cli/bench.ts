import { join, resolve } from "node:path";
import { handPaceFor, handStepsOf, planAtHand, timeAtHand } from "../../bench/at_hand.ts";
import type { AtHandReport } from "../../bench/at_hand_report.ts";
import { atHandText } from "../../bench/at_hand_report.ts";
import { runCuda } from "../../bench/cuda.ts";
import { hostOf, packageFolder } from "../../bench/host.ts";
import { loadPeers } from "../../bench/peers.ts";
import { plotNames } from "../../bench/plot_names.ts";
import { timeRecording } from "../../bench/record-cost.ts";
import type { Report } from "../../bench/report.ts";
import { textOf } from "../../bench/report.ts";
import { runSuite, stepsOf, withRatios } from "../../bench/run.ts";
import type { SuiteFacts } from "../../bench/suite.ts";
import { benchPrimitives, planSuite } from "../../bench/suite.ts";
import { createTimer, paceFor } from "../../bench/timer.ts";
import type { Fold } from "../node.ts";
import { doAll, UsageError } from "./errors.ts";
import type { Target } from "./files.ts";
import { DASH, makeFolder, openTarget, requireApart } from "./files.ts";
import type { AdapterOption } from "./options.ts";
import { withFold } from "./options.ts";
import { print, reportTarget } from "./print.ts";
import { startSteps } from "./progress_lines.ts";

/** Options of `wavefold bench`, as commander hands them over. */
export interface BenchOptions extends AdapterOption {
  readonly sizes?: readonly number[];
  readonly types?: readonly string[];
  readonly ops?: readonly string[];
  readonly algorithms?: readonly string[];
  readonly primitives?: readonly string[];
  readonly inPlace?: boolean;
  readonly quick?: boolean;
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

/**
 * `wavefold bench`
 *
 * @throws {UsageError} when a result is wrong; the report is on stdout and in the files by then.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const { quick = false } = options;
  // What could fail at the end is opened first.
  const json = options.json === undefined ? undefined : await reportTarget(options.json);
  // Stdout has either the report for people or the one for programs.
  const isText = options.json !== DASH;
  if (options.atHand) {
    const report = await benchAtHand(options);
    await finish(report, isText ? `${atHandText(report)}\n` : "", json);
    return;
  }
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

  const measured = await withFold(options, async (fold) => {
    const { sets, notes } = planSuite(options, factsOf(fold), benchPrimitives);
    if (folder !== undefined) {
      const plots = plotNames(sets.map(({ type }) => type)).map((name) => join(folder, name));
      await requireApart([...plots, ...(options.json === undefined ? [] : [options.json])]);
    }
    const progress = startSteps("bench", stepsOf(sets, peers.webgpu) + 1 + 2 * peers.cuda.length, "steps");
    const timer = await createTimer(fold.device, paceFor(fold.software, quick));
    try {
      const outcome = await runSuite(fold, timer, sets, peers.webgpu, progress.step);
      progress.step("the cost of record()");
      const recording = await timeRecording(fold, [
        ...new Set(sets.flatMap(({ cases }) => cases.map(({ primitive }) => primitive))),
      ]);
      const all = { rows: [...outcome.rows], notes: [...notes, ...outcome.notes], wrong: [...outcome.wrong] };
      for (const source of fold.software ? [] : peers.cuda) {
        const { rows, notes: more, wrong } = await runCuda(source, sets, all.rows, progress.step);
        all.rows.push(...rows);
        all.notes.push(...more);
        all.wrong.push(...wrong);
      }
      return { ...hostOf(fold), ...all, rows: withRatios(all.rows), recording };
    } finally {
      timer.destroy();
      progress.stop();
    }
  });
  const report: Report = measured;
  await finish(report, isText ? `${textOf(report)}\n` : "", json, async () => {
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

/** `wavefold bench --at-hand`. Each row opens an adapter of its own. */
async function benchAtHand(options: BenchOptions): Promise<AtHandReport> {
  const { suite, software, host } = await withFold(options, async (fold) => ({
    suite: planAtHand(options, suiteFactsOf(fold)),
    software: fold.software,
    host: hostOf(fold),
  }));
  const progress = startSteps("bench", handStepsOf(suite), "steps");
  try {
    const pace = handPaceFor(software, options.quick);
    const { rows, ...more } = await timeAtHand((work) => withFold(options, work), suite, pace, progress.step);
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
