import Table from "cli-table3";
import type { BenchTypeName } from "../../bench/elements.ts";
import { benchTypes } from "../../bench/elements.ts";
import { headOf, hostOf } from "../../bench/host.ts";
import { formatLength } from "../../bench/sizes.ts";
import { planSuite, scanPrimitives } from "../../bench/suite.ts";
import type { Pace, Timer } from "../../bench/timer.ts";
import { createTimer, paceFor } from "../../bench/timer.ts";
import type { Candidate, Ranked, Shape, TuningRange, TuningStages, TuningTime } from "../../bench/tune.ts";
import {
  candidatesOf,
  formatCandidate,
  openStages,
  ownCandidates,
  rank,
  textOfWork,
  timeTunings,
} from "../../bench/tune.ts";
import { fileFor } from "../adapters/adapter.ts";
import type { CpuLengths, ScanPrimitive } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { u64 } from "../algebra/types_64.ts";
import { contextOf } from "../gpu/device/device.ts";
import type { TuningCandidate } from "../gpu/tuning/candidates.ts";
import { candidatesOfOne } from "../gpu/tuning/candidates.ts";
import { tunedCpuLengths } from "../gpu/tuning/cpu_lengths.ts";
import { tuneOne } from "../gpu/tuning/tune_adapter.ts";
import type { Algorithm } from "../kernels/algorithms.ts";
import { algorithms } from "../kernels/algorithms.ts";
import type { Fold } from "../node.ts";
import type {
  AdapterTuning,
  AdapterTuningRow,
  TimedCandidate,
  TunedAdapter,
} from "../plan/adapter_tuning.ts";
import { adapterOf, rowsFrom, rowsOn, tuningOf } from "../plan/adapter_tuning.ts";
import type { Passes } from "../plan/options.ts";
import { factsOf } from "./bench.ts";
import { counted, doAll, UsageError } from "./errors.ts";
import { DASH } from "./files.ts";
import type { MeasuredAdapterOption } from "./options.ts";
import { print, reportTarget } from "./print.ts";
import type { ProgressWithNotes } from "./progress_lines.ts";
import { startSteps } from "./progress_lines.ts";
import { withGpu } from "./with_fold.ts";

/** Options of `wavefold tune`, as commander hands them over. */
export interface TuneOptions extends MeasuredAdapterOption {
  readonly sizes?: readonly number[];
  readonly types: readonly string[];
  readonly primitives: readonly string[];
  readonly algorithms?: readonly string[];
  readonly workGroupSizes?: readonly number[];
  readonly items?: readonly number[];
  readonly seconds: number;
  readonly output?: string;
  readonly json?: string;
}

/** Rows that the terminal shows of each table. */
const SHOWN = 12;

interface Range {
  readonly workGroupSizes: readonly number[];
  readonly items: readonly number[];
  /** The shape for u32, which is timed first. */
  readonly usual: Shape;
  /** Powers of two. */
  readonly lengths: readonly number[];
  readonly pace: Partial<Pace>;
}

const ranges: Readonly<Record<"gpu" | "software", Range>> = {
  gpu: {
    workGroupSizes: [64, 128, 256, 512, 1024],
    items: [1, 2, 4, 6, 8, 12, 16, 24],
    usual: { workGroupSize: 256, itemsPerThread: 8 },
    lengths: [18, 22, 25],
    // One timing follows another, so the clock stays up.
    pace: { heatMs: 300, warmUpMs: 10, attempts: 2 },
  },
  // Loops that are unrolled over more items take seconds to compile.
  software: {
    workGroupSizes: [16, 32, 64],
    items: [4, 8, 16],
    usual: { workGroupSize: 32, itemsPerThread: 8 },
    lengths: [12, 16],
    pace: {},
  },
};

/** Items of more bytes than this do not stay in registers. */
const MOST_BYTES_A_THREAD = 96;

const plain = { style: { head: [], border: [] } };

const sortsAndCounts = ["sort", "pairs", "histogram"] as const;

/** Sorts of keys alone, sorts of keys and values, and histograms: the types that stand for all of their size. A histogram's time hardly depends on the type. */
const sortTypes = { sort: [u32, u64], pairs: [u32], histogram: [u32] } as const;

/** A sort or a histogram. `tuneOne` times these, and no copy beside them. */
interface SortSweep {
  readonly primitive: (typeof sortsAndCounts)[number];
  readonly type: ElementType;
}

/** The sizes and passes that the caller chooses for them. */
function choiceOf({ algorithms: named, workGroupSizes, items, sizes }: TuneOptions, { software }: Fold) {
  const { usual } = ranges[software ? "software" : "gpu"];
  const threads = workGroupSizes ?? (items && [usual.workGroupSize]);
  return {
    ...(named && { algorithms: named as Algorithm[] }),
    ...(sizes && { lengths: [...sizes].sort((a, b) => a - b) }),
    ...(threads && {
      shapes: threads.flatMap((workGroupSize) =>
        (items ?? [usual.itemsPerThread]).map((itemsPerThread) => ({ workGroupSize, itemsPerThread })),
      ),
    }),
  };
}

function sortSweepsOf({ types, primitives }: TuneOptions): SortSweep[] {
  const bytes = new Set(types.map((name) => benchTypes[name as BenchTypeName]?.type.bytes));
  return sortsAndCounts.flatMap((primitive) =>
    primitives.includes(primitive)
      ? sortTypes[primitive].flatMap((type) => (bytes.has(type.bytes) ? [{ primitive, type }] : []))
      : [],
  );
}

/** How the time is divided. What has many ways, or kernels that compile slowly, gets more of it. */
const shares = { scan: 5, reduce: 3, compact: 5, sort: 4, pairs: 4, histogram: 2 } as const;

/** What the last way may take beyond its deadline, and the report. */
const LAST_MS = 1000;

/** One primitive on one type: what is timed. */
interface Sweep {
  readonly primitive: ScanPrimitive;
  readonly type: BenchTypeName;
  readonly lengths: readonly number[];
  readonly candidates: readonly Candidate[];
  readonly usual: Shape;
  /** What Wavefold chooses by itself, which is timed first. So no tuning chooses what is slower than that. */
  readonly own: readonly Candidate[];
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
  const known: readonly string[] = [...scanPrimitives, ...sortsAndCounts];
  for (const name of primitives) {
    if (!known.includes(name)) {
      throw new UsageError(`tune: primitives: "${name}" is not known; it takes ${known.join(", ")}`);
    }
  }
  const swept = scanPrimitives.filter((name) => primitives.includes(name));
  const { sets, notes } = planSuite(
    {
      types,
      // These primitives decide which types and sizes there are, whatever is tuned.
      primitives: scanPrimitives,
      sizes: sizes ?? own.lengths.map((power) => 2 ** power),
      ...(named && { algorithms: named }),
    },
    facts,
    scanPrimitives,
  );
  const most = fold.device.limits.maxComputeInvocationsPerWorkgroup;
  const chosen = (named as Algorithm[] | undefined) ?? (Object.keys(algorithms) as Algorithm[]);
  const sweeps = [...new Set(sets.map(({ type }) => type))].flatMap((type) =>
    swept.map((primitive): Sweep => {
      const { bytes } = benchTypes[type].type;
      const range: TuningRange = {
        algorithms: chosen.filter((name) => !algorithms[name].subgroups || facts.features.has("subgroups")),
        workGroupSizes: workGroupSizes ?? own.workGroupSizes.filter((size) => size <= most),
        items: items ?? own.items.filter((one) => one * bytes <= MOST_BYTES_A_THREAD),
      };
      const lengths = sets.flatMap((set) => (set.type === type ? [set.length] : [])).sort((a, b) => a - b);
      const itemsPerThread = Math.max(1, (own.usual.itemsPerThread * u32.bytes) / Math.max(bytes, u32.bytes));
      const usual = { ...own.usual, itemsPerThread };
      const candidates = candidatesOf(primitive, range);
      // Sizes that the caller names are all that is timed.
      const chosenByUs = workGroupSizes || items ? [] : ownCandidates(fold, primitive, type, lengths);
      const firsts = chosenByUs
        .filter(({ algorithm }) => range.algorithms.includes(algorithm))
        .map((one) => candidates.find((other) => formatCandidate(one) === formatCandidate(other)) ?? one);
      const others = candidates.filter((one) => !firsts.includes(one));
      return { primitive, type, lengths, candidates: [...firsts, ...others], usual, own: firsts };
    }),
  );
  return { sweeps, notes };
}

const timeOf = ({ timing: { median }, toCopy }: TuningTime): string =>
  `${median.toFixed(1)} (${toCopy.toFixed(2)})`;

/** The times of the candidates that ran at every length, by how often they read the data. */
function timedOf(ranked: readonly Ranked[]): Record<Passes, TimedCandidate[]> {
  const candidates: Record<Passes, TimedCandidate[]> = { "reduce-then-scan": [], single: [] };
  for (const { candidate, times } of ranked) {
    candidates[candidate.passes ?? "reduce-then-scan"].push({
      ...candidate,
      times: times.map(({ toCopy }) => toCopy),
    });
  }
  return candidates;
}

/** The rows of a sweep, as a tuning has them. */
function rowsOf({ primitive, type }: Sweep, ranked: readonly Ranked[]): AdapterTuningRow[] {
  // A length at which nothing ran has no times.
  const lengths = ranked[0]?.times.map(({ length }) => length) ?? [];
  // A compaction scans places of kept items, which are u32, whatever the elements are.
  const { native, bytes } = primitive === "compact" ? u32 : benchTypes[type].type;
  return rowsFrom(
    { primitive, elementBytes: native?.elementBytes ?? bytes, long: native?.long === true, lengths },
    timedOf(ranked),
  );
}

/** The best of a sweep, as a table and as rows of a file of src/adapters/. */
function textOf(
  sweep: Sweep,
  file: string,
  device: string,
  ranked: readonly Ranked[],
  tried: number,
): string {
  const { primitive, type, lengths, candidates } = sweep;
  const table = new Table({
    ...plain,
    head: [`${primitive}<${type}>`, ...lengths.map((length) => `${formatLength(length)}: µs (copies)`)],
  });
  for (const { candidate, times } of ranked.slice(0, SHOWN)) {
    table.push([formatCandidate(candidate), ...times.map(timeOf)]);
  }
  const figuresOf = ({ algorithm, workGroupSize, itemsPerThread, passes }: AdapterTuningRow): string =>
    ranked
      .filter(
        ({ candidate }) =>
          candidate.algorithm === algorithm &&
          candidate.workGroupSize === workGroupSize &&
          candidate.itemsPerThread === itemsPerThread &&
          candidate.passes === passes,
      )
      .flatMap(({ times }) => times.map((time) => `${formatLength(time.length)} ${timeOf(time)}`))
      .join(", ");
  const lineOf = (row: AdapterTuningRow): string => {
    const { passes: _, primitive: __, itemsPerThread, isDefault, ...rest } = row;
    const entries = Object.entries({ ...rest, items: itemsPerThread, ...(isDefault && { isDefault }) });
    const text = entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
    return `    { ${text} }, // ${device}, ${type}: ${figuresOf(row)}`;
  };
  // Single-pass kernels have a table of their own.
  const rows = rowsOf(sweep, ranked);
  const lines = (["reduce-then-scan", "single"] as const).flatMap((passes) => {
    const own = rows.filter((row) => (row.passes ?? "reduce-then-scan") === passes);
    const title = `  ${passes === "single" ? "singlePass" : "twoPass"}.${primitive} in src/adapters/${file}:`;
    return own.length === 0 ? [] : [title, ...own.map(lineOf)];
  });
  const none = `  ${primitive}<${type}>: none ran at every length`;
  const all = candidates.length;
  const short = `  ${tried} of ${all} ways were timed, the most promising ones first; --seconds gives more time`;
  return [table.toString(), ...(lines.length === 0 ? [none] : lines), ...(tried < all ? [short] : [])].join(
    "\n",
  );
}

const candidateText = (
  { algorithm, workGroupSize, itemsPerThread, passes }: TuningCandidate,
  primitive: string,
): string =>
  `${workGroupSize} × ${itemsPerThread}${algorithm === undefined ? "" : ` ${algorithm}`}${primitive === "histogram" ? "" : `, ${passes}`}`;

/** The best candidates of a sort or a histogram, as a table and as rows of a tuning. */
function sortTextOf(
  { primitive, type }: SortSweep,
  { rows, candidates, lengths }: Awaited<ReturnType<typeof tuneOne>>,
): string {
  if (lengths.length === 0) {
    return `${primitive}<${type.name}>: none of the sizes was timed; it takes sizes of 4 or more that fit into a buffer of the device`;
  }
  const table = new Table({
    ...plain,
    head: [`${primitive}<${type.name}>`, ...lengths.map((length) => `${formatLength(length)}: µs`)],
  });
  const meanOf = ({ times }: TimedCandidate): number => times.reduce((sum, time) => sum + Math.log(time), 0);
  for (const one of [...candidates].sort((a, b) => meanOf(a) - meanOf(b)).slice(0, SHOWN)) {
    table.push([candidateText(one, primitive), ...one.times.map((time) => (1000 * time).toFixed(1))]);
  }
  const lines = rows.map((row) => `  ${JSON.stringify(row)}`);
  return [
    table.toString(),
    ...(lines.length === 0 ? [`  ${primitive}<${type.name}>: none ran`] : lines),
  ].join("\n");
}

/** What a run found. */
interface Tuned {
  /** For the terminal. */
  readonly text: string;
  /** For `--json`. */
  readonly record: object;
  readonly tuning: AdapterTuning;
  /** What was rejected because its result is wrong. */
  readonly wrong: readonly string[];
}

/** When a run started, and when it should end, as `performance.now()` gives it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a run works with, and what it found so far. */
interface Run {
  readonly fold: Fold;
  readonly timer: Timer;
  readonly progress: ProgressWithNotes;
  readonly adapter: TunedAdapter;
  /** The name of the device in the report. */
  readonly device: string;
  /** When what starts now should end, so that the time that is left is divided by `shares`. */
  deadlineOf(primitive: keyof typeof shares, now: number): number;
  /** Tells on stderr how many ways were timed since a time. */
  note(what: string, ways: number, since: number): void;
  readonly times: TuningTime[];
  /** The times of sorts and histograms. */
  readonly others: object[];
  readonly rejected: string[];
  readonly rows: AdapterTuningRow[];
  /** The paragraphs of the report. */
  readonly texts: string[];
}

async function tunedOn(fold: Fold, options: TuneOptions, { start, end }: Span): Promise<Tuned> {
  const { sweeps, notes } = sweepsOf(options, fold);
  const sorts = sortSweepsOf(options);
  const choice = choiceOf(options, fold);
  const sortSteps = sorts.reduce((sum, sort) => sum + candidatesOfOne(fold, { ...sort, ...choice }), 0);
  const steps = sweeps.reduce((sum, { candidates }) => sum + candidates.length, sortSteps);
  const progress = startSteps("tune", steps, "ways");
  progress.between("timing calls at hand on the CPU and on the device");
  const cpuLengths = await tunedCpuLengths(contextOf(fold.device), options.seconds);
  progress.between("opening the timer");
  const { pace } = ranges[fold.software ? "software" : "gpu"];
  const timer = await createTimer(fold.device, { ...paceFor(fold.software, true), ...pace });
  const host = hostOf(fold);
  let left = [...sweeps, ...sorts].reduce((sum, { primitive }) => sum + shares[primitive], 0);
  const run: Run = {
    ...{ fold, timer, progress, adapter: adapterOf(fold.device.adapterInfo), device: host.device.name },
    ...{
      times: [],
      others: [],
      rejected: [],
      rows: [],
      texts: [headOf(host), ...cpuText(cpuLengths), ...notes],
    },
    deadlineOf(primitive, now) {
      const share = shares[primitive] / left;
      left -= shares[primitive];
      return now + share * (end - now);
    },
    note(what, ways, since) {
      const [took, all] = [since, start].map((from) => ((performance.now() - from) / 1000).toFixed(1));
      progress.note(`${what}: ${ways} ${ways === 1 ? "way" : "ways"} in ${took} s, ${all} s in all`);
    },
  };
  try {
    for (const type of new Set(sweeps.map((sweep) => sweep.type))) {
      await sweepType(run, type, sweeps);
    }
    for (const sort of sorts) {
      await sweepSort(run, sort, choice);
    }
  } finally {
    timer.destroy();
    progress.stop();
  }
  const { rejected, rows, times, others } = run;
  return {
    text: [...run.texts, ...endOf(run, (performance.now() - start) / 1000, options.seconds)].join("\n"),
    record: { ...host, cpuLengths, times, others, rejected },
    tuning: tuningOf(run.adapter, fold.singlePassTest?.passed, rows, cpuLengths),
    wrong: rejected.filter((reason) => reason.includes(" is wrong: ")),
  };
}

/** Times what there is of one type, on buffers that hold its elements. */
async function sweepType(run: Run, type: BenchTypeName, sweeps: readonly Sweep[]): Promise<void> {
  const { fold, timer, progress } = run;
  const ofType = sweeps.filter((sweep) => sweep.type === type);
  progress.between(`timing copies of ${type}`);
  const stages = await openStages(fold, timer, type, ofType[0]?.lengths ?? []);
  try {
    for (const sweep of ofType) {
      await sweepScan(run, sweep, stages);
    }
  } finally {
    stages.destroy();
  }
}

async function sweepScan(run: Run, sweep: Sweep, stages: TuningStages): Promise<void> {
  const { fold, timer, progress, adapter, rows } = run;
  const { primitive, type } = sweep;
  const now = performance.now();
  const deadline = run.deadlineOf(primitive, now);
  progress.between(`${primitive}<${type}>: keeping the GPU busy until its clock is up`);
  const outcome = await timeTunings(
    fold,
    timer,
    stages,
    { ...sweep, deadline },
    progress.step,
    undefined,
    progress.between,
  );
  run.times.push(...outcome.times);
  run.rejected.push(...outcome.rejected);
  const ranked = rank(outcome.times);
  // The first row that fits decides, so those of another type of the same size would say nothing.
  const found = rowsOf(sweep, ranked);
  const isThere = rows.some(
    (row) =>
      row.primitive === primitive &&
      row.elementBytes === found[0]?.elementBytes &&
      row.long === found[0]?.long,
  );
  rows.push(...(isThere ? [] : rowsOn(adapter, found, sweep.lengths)));
  run.note(`${primitive}<${type}>`, outcome.tried, now);
  run.texts.push("", textOf(sweep, fileFor(adapter), run.device, ranked, outcome.tried));
}

async function sweepSort(run: Run, sort: SortSweep, choice: ReturnType<typeof choiceOf>): Promise<void> {
  const { fold, progress, rejected } = run;
  const { primitive, type } = sort;
  const now = performance.now();
  const title = `${primitive}<${type.name}>`;
  const nameOf = (candidate: TuningCandidate): string => candidateText(candidate, primitive);
  progress.between(`${title}: filling buffers`);
  const found = await tuneOne(fold, {
    ...sort,
    ...choice,
    deadline: run.deadlineOf(primitive, now),
    alwaysFirsts: true,
    onWork: (what, some) => progress.between(`${title}: ${textOfWork(what, some.map(nameOf))}`),
    onCandidate: (candidate) => progress.step(`${title}: ${nameOf(candidate)}`),
    onWrong: (candidate) =>
      rejected.push(`${title}: ${nameOf(candidate)} is wrong: it was compared with the CPU's`),
  });
  run.rows.push(...found.rows);
  run.note(title, found.candidates.length, now);
  const ways = found.candidates.map(({ algorithm, workGroupSize, itemsPerThread, passes, times: ms }) => ({
    ...{ algorithm, workGroupSize, itemsPerThread, milliseconds: ms },
    ...(primitive !== "histogram" && { passes }),
  }));
  run.others.push({ primitive, type: type.name, lengths: found.lengths, ways });
  run.texts.push("", sortTextOf(sort, found));
}

/** The end of the report: whether it took longer than it should, and what was left out. */
/** Up to how many elements the CPU takes calls at hand. */
function cpuText(lengths: Partial<CpuLengths>): string[] {
  const kinds = Object.entries(lengths).map(([name, length]) => `${name} ${formatLength(length)}`);
  return kinds.length > 0 ? [`The CPU takes calls at hand of at most: ${kinds.join(", ")} elements.`] : [];
}

function endOf({ rejected }: Run, took: number, seconds: number): string[] {
  const late = `This took ${took.toFixed(1)} s, and not ${seconds}: one way of each algorithm is always timed, and what compiles is waited for.`;
  return [
    ...(took > seconds ? ["", late] : []),
    "",
    ...rejected.slice(0, SHOWN).map((reason) => `left out: ${reason}`),
    ...(rejected.length > SHOWN ? [`left out: ${rejected.length - SHOWN} more, which --json has`] : []),
  ];
}

/**
 * `wavefold tune`
 *
 * @throws {UsageError} when a result is wrong; the report is on stdout by then.
 */
export async function tune(options: TuneOptions): Promise<void> {
  const onStdout = [options.json, options.output].filter((path) => path === DASH).length;
  if (onStdout > 1) {
    throw new UsageError("tune: --json and --output both go to stdout; one of them takes a file");
  }
  const json = options.json === undefined ? undefined : await reportTarget(options.json);
  const output = options.output === undefined ? undefined : await reportTarget(options.output);
  const start = performance.now();
  const end = start + 1000 * options.seconds - LAST_MS;
  const work = (fold: Fold): Promise<Tuned> => tunedOn(fold, options, { start, end });
  const { text, record, tuning, wrong } = await withGpu(options, work, {
    // A tuning says whether the single pass works.
    testSinglePass: output !== undefined,
  });
  await doAll([
    // Stdout has either the report for people or one for programs.
    () => print(onStdout === 0 ? `${text}\n` : ""),
    async () => json?.write(Buffer.from(`${JSON.stringify(record, undefined, 1)}\n`)),
    async () => output?.write(Buffer.from(`${JSON.stringify(tuning, undefined, 1)}\n`)),
  ]);
  if (wrong.length > 0) {
    throw new UsageError(
      `tune: ${counted(wrong.length, "wrong result")}, whose times do not count: ${wrong[0]}`,
    );
  }
}
