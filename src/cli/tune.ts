import Table from "cli-table3";
import type { BenchTypeName } from "../../bench/elements.ts";
import { benchTypes } from "../../bench/elements.ts";
import { hostOf } from "../../bench/host.ts";
import { formatLength } from "../../bench/sizes.ts";
import { planSuite } from "../../bench/suite.ts";
import { createTimer, paceFor } from "../../bench/timer.ts";
import type { Candidate, Ranked, TuningRange, TuningTime } from "../../bench/tune.ts";
import { candidatesOf, formatCandidate, rank, timeTunings } from "../../bench/tune.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { algorithms } from "../kernels/algorithms.ts";
import type { Fold } from "../node.ts";
import type { Primitive } from "../plan/tuning.ts";
import { factsOf } from "./bench.ts";
import { doAll, UsageError } from "./errors.ts";
import { openTarget } from "./files.ts";
import type { AdapterOption } from "./options.ts";
import { withFold } from "./options.ts";
import { print } from "./print.ts";
import { startProgress } from "./progress.ts";

/** Options of `wavefold tune`, as commander hands them over. */
export interface TuneOptions extends AdapterOption {
  readonly sizes?: readonly number[];
  readonly types: readonly string[];
  readonly primitives: readonly string[];
  readonly algorithms?: readonly string[];
  readonly workGroupSizes?: readonly number[];
  readonly items?: readonly number[];
  readonly json?: string;
}

/** Rows that the terminal shows of each table. */
const SHOWN = 12;
/** A shape that is so much better at some lengths gets a row of its own. */
const WORTH_A_ROW = 0.97;

const ranges = {
  gpu: { workGroupSizes: [64, 128, 256, 512, 1024], items: [1, 2, 4, 6, 8, 12, 16], lengths: [18, 22, 26] },
  // What is unrolled over more items compiles in seconds.
  software: { workGroupSizes: [16, 32, 64], items: [4, 8, 16], lengths: [12, 16] },
} as const;

/** Items of more bytes than this do not stay in registers. */
const MOST_BYTES_A_THREAD = 64;

const plain = { style: { head: [], border: [] } };

/** The name that the tables of src/plan/ have for an adapter. */
const kindOf = ({ software, adapterInfo }: Fold): string =>
  software ? "software" : adapterInfo.vendor === "nvidia" ? "nvidia" : "gpu";

/** One primitive on one type: what is timed. */
interface Sweep {
  readonly primitive: Primitive;
  readonly type: BenchTypeName;
  readonly lengths: readonly number[];
  readonly candidates: readonly Candidate[];
}

/** @throws {ArgumentError} for names that are not known, or sizes of which none fits. */
function sweepsOf(
  { types, primitives, algorithms: named, workGroupSizes, items, sizes }: TuneOptions,
  fold: Fold,
): { sweeps: Sweep[]; notes: readonly string[] } {
  const facts = factsOf(fold);
  const own = ranges[fold.software ? "software" : "gpu"];
  if (named?.includes("default")) {
    throw new UsageError(
      `tune: algorithms: "default" is what is looked for; it takes ${Object.keys(algorithms).join(", ")}`,
    );
  }
  const { sets, notes } = planSuite(
    {
      types,
      primitives,
      sizes: sizes ?? own.lengths.map((power) => 2 ** power),
      ...(named && { algorithms: named }),
    },
    facts,
  );
  const most = fold.device.limits.maxComputeInvocationsPerWorkgroup;
  const chosen = (named as Algorithm[] | undefined) ?? (Object.keys(algorithms) as Algorithm[]);
  const sweeps = [...new Set(sets.map(({ type }) => type))].flatMap((type) =>
    (primitives as Primitive[]).map((primitive): Sweep => {
      const range: TuningRange = {
        algorithms: chosen.filter((name) => !algorithms[name].subgroups || facts.features.has("subgroups")),
        workGroupSizes: workGroupSizes ?? own.workGroupSizes.filter((size) => size <= most),
        items: items ?? own.items.filter((one) => one * benchTypes[type].type.bytes <= MOST_BYTES_A_THREAD),
      };
      const lengths = sets.filter((set) => set.type === type).map(({ length }) => length);
      return { primitive, type, lengths, candidates: candidatesOf(primitive, range) };
    }),
  );
  return { sweeps, notes };
}

const timeOf = ({ timing: { median }, toCopy }: TuningTime): string =>
  `${median.toFixed(1)} (${toCopy.toFixed(2)})`;

/** The best of a sweep, as a table and as rows of src/plan/: of tuning.ts, or of single_pass.ts. */
function textOf({ primitive, type, lengths }: Sweep, kind: string, device: string, ranked: Ranked[]): string {
  const table = new Table({
    ...plain,
    head: [`${primitive}<${type}>`, ...lengths.map((length) => `${formatLength(length)}: µs (copies)`)],
  });
  for (const { candidate, times } of ranked.slice(0, SHOWN)) {
    table.push([formatCandidate(candidate), ...times.map(timeOf)]);
  }
  // Single-pass kernels have a table of their own.
  const families = [...new Set(ranked.map(({ candidate }) => candidate.passes))];
  const rows = families.flatMap((passes) => {
    const own = ranked.filter(({ candidate }) => candidate.passes === passes);
    return [
      `  ${passes === "single" ? "singlePassRows" : "twoPassRows"}.${kind}.${primitive}:`,
      ...rowsOf(own, lengths, type, device).map((row) => `    ${row}`),
    ];
  });
  return `${table.toString()}\n${rows.join("\n")}`;
}

/** The best over all lengths, after those that are clearly better up to some length. */
function rowsOf(ranked: Ranked[], lengths: readonly number[], type: BenchTypeName, device: string): string[] {
  const [best, second] = ranked;
  if (best === undefined) {
    return ["none ran at every length"];
  }
  const row = ({ algorithm, workGroupSize, itemsPerThread }: Candidate, maxLength?: number): string =>
    `{ elementBytes: ${benchTypes[type].type.bytes}, ${maxLength === undefined ? "" : `maxLength: ${maxLength}, `}algorithm: "${algorithm}", workGroupSize: ${workGroupSize}, items: ${itemsPerThread} },`;
  const figures = ({ times }: Ranked): string =>
    times.map((time) => `${formatLength(time.length)} ${timeOf(time)}`).join(", ");
  const small = lengths.slice(0, -1).flatMap((length, at) => {
    const byTime = (one: Ranked): number => one.times[at]?.timing.median ?? Number.POSITIVE_INFINITY;
    const here = ranked.reduce((a, b) => (byTime(b) < byTime(a) ? b : a));
    return byTime(here) < WORTH_A_ROW * byTime(best)
      ? [`${row(here.candidate, length)} // ${device}, ${type}: ${figures(here)}`]
      : [];
  });
  const next = second === undefined ? "" : `; next ${formatCandidate(second.candidate)}: ${figures(second)}`;
  return [...small, `${row(best.candidate)} // ${device}, ${type}: ${figures(best)}${next}`];
}

/**
 * `wavefold tune`
 *
 * @throws {UsageError} when a result is wrong; the report is on stdout by then.
 */
export async function tune(options: TuneOptions): Promise<void> {
  const json = options.json === undefined ? undefined : await openTarget(options.json);
  const { text, record, wrong } = await withFold(options, async (fold) => {
    const { sweeps, notes } = sweepsOf(options, fold);
    const steps = sweeps.reduce(
      (sum, { lengths, candidates }) => sum + lengths.length * candidates.length,
      0,
    );
    const progress = startProgress(steps);
    const timer = await createTimer(fold.device, paceFor(fold.software, true));
    const host = hostOf(fold);
    const times: TuningTime[] = [];
    const rejected: string[] = [];
    const parts = [`${host.device.name}, ${host.device.driver}; commit ${host.commit}`, ...notes];
    try {
      for (const sweep of sweeps) {
        const outcome = await timeTunings(fold, timer, sweep, progress.step);
        times.push(...outcome.times);
        rejected.push(...outcome.rejected);
        parts.push("", textOf(sweep, kindOf(fold), host.device.name, rank(outcome.times)));
      }
    } finally {
      timer.destroy();
      progress.stop();
    }
    parts.push("", ...rejected.slice(0, SHOWN).map((one) => `left out: ${one}`));
    if (rejected.length > SHOWN) {
      parts.push(`left out: ${rejected.length - SHOWN} more, which --json has`);
    }
    return {
      text: parts.join("\n"),
      record: { ...host, times, rejected },
      wrong: rejected.filter((one) => one.includes(" is wrong: ")),
    };
  });
  await doAll([
    () => print(`${text}\n`),
    async () => json?.write(Buffer.from(`${JSON.stringify(record, undefined, 1)}\n`)),
  ]);
  if (wrong.length > 0) {
    throw new UsageError(`tune: ${wrong.length} wrong results, whose times do not count: ${wrong[0]}`);
  }
}
