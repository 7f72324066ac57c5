import Table from "cli-table3";
import { benchTypes } from "../../bench/elements.ts";
import { headOf, hostOf } from "../../bench/host.ts";
import { formatLength } from "../../bench/sizes.ts";
import { planSuite, scanPrimitives } from "../../bench/suite.ts";
import { tuningSample } from "../../bench/tuning_sample.ts";
import { fileFor } from "../adapters/adapter.ts";
import type { CpuLengths, TunedPrimitive } from "../adapters/tables.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType } from "../algebra/types.ts";
import { u64 } from "../algebra/types_64.ts";
import { contextOf } from "../gpu/device/device.ts";
import type { Shape, TuningCandidate } from "../gpu/tuning/candidates.ts";
import { candidatesOfOne, shapesFor } from "../gpu/tuning/candidates.ts";
import { tunedCpuLengths } from "../gpu/tuning/cpu_lengths.ts";
import type { Sample } from "../gpu/tuning/sample.ts";
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
import { adapterOf, tuningOf } from "../plan/adapter_tuning.ts";
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

/** What is tried besides the shapes that `tuneAdapter` tries; `usual` is the shape that the others are compared with. */
const ranges = {
  gpu: {
    workGroupSizes: [64, 128, 256, 512, 1024],
    items: [1, 2, 4, 6, 8, 12, 16, 24],
    usual: { workGroupSize: 256, itemsPerThread: 8 },
  },
  // Loops that are unrolled over more items take seconds to compile.
  software: {
    workGroupSizes: [16, 32, 64],
    items: [4, 8, 16],
    usual: { workGroupSize: 32, itemsPerThread: 8 },
  },
} as const;

/** Items of more bytes than this do not stay in registers. */
const MOST_BYTES_A_THREAD = 96;

const plain = { style: { head: [], border: [] } };

/** How the time is divided. What has many ways, or kernels that compile slowly, gets more of it. */
const shares = {
  scan: 5,
  reduce: 3,
  compact: 5,
  sort: 4,
  pairs: 4,
  histogram: 2,
} as const satisfies Record<TunedPrimitive, number>;

/** Sorts of keys alone, sorts of keys and values, and histograms: the types that stand for all of their size. A histogram's time hardly depends on the type. */
const sortTypes = { sort: [u32, u64], pairs: [u32], histogram: [u32] } as const;

/** What the last way may take beyond its deadline, and the report. */
const LAST_MS = 1000;

/** One primitive on one type: what is timed. */
interface Sweep {
  readonly primitive: TunedPrimitive;
  readonly type: ElementType;
  /** `scan<u32>` */
  readonly title: string;
  /** Left out: those that suit the adapter. */
  readonly algorithms?: readonly Algorithm[];
  readonly shapes?: readonly Shape[];
  readonly lengths?: readonly number[];
  readonly sample?: Sample;
}

/** How far two shapes are from each other: in doublings of threads and of items. */
const distance = (a: Shape, b: Shape): number =>
  Math.abs(Math.log2(a.workGroupSize / b.workGroupSize)) +
  Math.abs(Math.log2(a.itemsPerThread / b.itemsPerThread));

const product = (workGroupSizes: readonly number[], items: readonly number[]): Shape[] =>
  workGroupSizes.flatMap((workGroupSize) =>
    items.map((itemsPerThread) => ({ workGroupSize, itemsPerThread })),
  );

/** The shapes of a scan, a reduction or a compaction, the most promising ones first. Sizes that the caller names are all that is timed. */
function scanShapes(
  { workGroupSizes, items }: TuneOptions,
  primitive: TunedPrimitive,
  type: ElementType,
  fold: Fold,
): Shape[] {
  const range = ranges[fold.software ? "software" : "gpu"];
  const most = fold.device.limits.maxComputeInvocationsPerWorkgroup;
  const all = product(
    workGroupSizes ?? range.workGroupSizes.filter((size) => size <= most),
    items ?? range.items.filter((one) => one * type.bytes <= MOST_BYTES_A_THREAD),
  );
  if (workGroupSizes || items) {
    return all;
  }
  const first = shapesFor(fold, { primitive, type }, undefined).filter(
    (shape) => shape.workGroupSize <= most,
  );
  const usual = first[0] ?? range.usual;
  return [
    ...first,
    ...all
      .filter((shape) => first.every((one) => distance(shape, one) > 0))
      .sort((a, b) => distance(a, usual) - distance(b, usual)),
  ];
}

/** Sizes that the caller names for a sort or a histogram; undefined for those that suit the adapter. */
function sortShapes({ workGroupSizes, items }: TuneOptions, { software }: Fold): Shape[] | undefined {
  const { usual } = ranges[software ? "software" : "gpu"];
  return workGroupSizes || items
    ? product(workGroupSizes ?? [usual.workGroupSize], items ?? [usual.itemsPerThread])
    : undefined;
}

/** @throws {UsageError} for names that are not known. */
function requireNames({ primitives, algorithms: named }: TuneOptions): void {
  if (named?.includes("default")) {
    throw new UsageError(
      `tune: algorithms: "default" is what is looked for; it takes ${Object.keys(algorithms).join(", ")}`,
    );
  }
  const known = Object.keys(shares);
  for (const name of primitives) {
    if (!known.includes(name)) {
      throw new UsageError(`tune: primitives: "${name}" is not known; it takes ${known.join(", ")}`);
    }
  }
}

/** @throws {ArgumentError} for types that are not known, or sizes of which none fits. */
function sweepsOf(options: TuneOptions, fold: Fold): { sweeps: Sweep[]; notes: readonly string[] } {
  const { types, primitives, algorithms: named, sizes } = options;
  const { sets, notes } = planSuite(
    {
      types,
      // These primitives decide which types and sizes there are, whatever is tuned.
      primitives: scanPrimitives,
      ...(sizes && { sizes }),
      ...(named && { algorithms: named }),
    },
    factsOf(fold),
    scanPrimitives,
  );
  const chosen = named && { algorithms: named as Algorithm[] };
  const names = [...new Set(sets.map(({ type }) => type))];
  const scans = names.flatMap((name) =>
    scanPrimitives.flatMap((primitive): Sweep[] => {
      const { type } = benchTypes[name] as { readonly type: ElementType };
      const lengths = sets.flatMap((set) => (set.type === name ? [set.length] : [])).sort((a, b) => a - b);
      const shapes = scanShapes(options, primitive, type, fold);
      const sample = tuningSample(name);
      return primitives.includes(primitive)
        ? [
            {
              ...{ primitive, type, title: `${primitive}<${name}>`, shapes, sample, ...chosen },
              ...(sizes && { lengths }),
            },
          ]
        : [];
    }),
  );
  const bytes = new Set(names.map((name) => benchTypes[name].type.bytes));
  const shapes = sortShapes(options, fold);
  const sorts = (["sort", "pairs", "histogram"] as const).flatMap((primitive) =>
    sortTypes[primitive].flatMap((type): Sweep[] =>
      primitives.includes(primitive) && bytes.has(type.bytes)
        ? [
            {
              ...{ primitive, type, title: `${primitive}<${type.name}>`, ...chosen },
              ...(shapes && { shapes }),
              ...(sizes && { lengths: [...sizes].sort((a, b) => a - b) }),
            },
          ]
        : [],
    ),
  );
  return { sweeps: [...scans, ...sorts], notes };
}

const candidateText = (
  { algorithm, workGroupSize, itemsPerThread, passes }: TuningCandidate,
  primitive: TunedPrimitive,
): string =>
  [
    `${workGroupSize} × ${itemsPerThread}${algorithm === undefined ? "" : ` ${algorithm}`}`,
    ...(primitive === "histogram" || primitive === "reduce" ? [] : [passes]),
  ].join(", ");

/** `compiling 256 × 8 blelloch, single, and 7 more` */
const textOfWork = (what: string, [first = "", ...others]: readonly string[]): string =>
  `${what} ${first}${others.length === 0 ? "" : `, and ${others.length} more`}`;

/** The best of a sweep, as a table and as rows of a file of src/adapters/ or of a tuning. */
function textOf(
  { primitive, title }: Sweep,
  { rows, candidates, lengths }: Awaited<ReturnType<typeof tuneOne>>,
  file: string,
  device: string,
): string {
  if (lengths.length === 0) {
    return `${title}: none of the sizes was timed; it takes sizes of 4 or more that fit into a buffer of the device`;
  }
  const table = new Table({
    ...plain,
    head: [title, ...lengths.map((length) => `${formatLength(length)}: µs`)],
  });
  const meanOf = ({ times }: TimedCandidate): number => times.reduce((sum, time) => sum + Math.log(time), 0);
  const micros = (time: number): string => (1000 * time).toFixed(1);
  for (const one of [...candidates].sort((a, b) => meanOf(a) - meanOf(b)).slice(0, SHOWN)) {
    table.push([candidateText(one, primitive), ...one.times.map(micros)]);
  }
  const figuresOf = (row: AdapterTuningRow): string =>
    candidates
      .filter(
        (one) =>
          one.algorithm === row.algorithm &&
          one.workGroupSize === row.workGroupSize &&
          one.itemsPerThread === row.itemsPerThread &&
          one.passes === (row.passes ?? one.passes),
      )
      .flatMap(({ times }) => times.map((time, at) => `${formatLength(lengths[at] ?? 0)} ${micros(time)}`))
      .join(", ");
  const lineOf = (row: AdapterTuningRow): string => {
    const { passes: _, primitive: __, itemsPerThread, isDefault, ...rest } = row;
    const entries = Object.entries({ ...rest, items: itemsPerThread, ...(isDefault && { isDefault }) });
    const text = entries.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
    return `    { ${text} }, // ${device}, ${title}, µs: ${figuresOf(row)}`;
  };
  // Single-pass kernels have a table of their own. Sorts have other columns there.
  const isScan = (scanPrimitives as readonly string[]).includes(primitive);
  const lines = (["reduce-then-scan", "single"] as const).flatMap((passes) => {
    const own = rows.filter((row) => (row.passes ?? "reduce-then-scan") === passes);
    const heading = `  ${passes === "single" ? "singlePass" : "twoPass"}.${primitive} in src/adapters/${file}:`;
    return own.length === 0 ? [] : [heading, ...own.map(lineOf)];
  });
  return [
    table.toString(),
    ...(rows.length === 0 ? [`  ${title}: none ran`] : []),
    ...(isScan ? lines : rows.map((row) => `  ${JSON.stringify(row)}`)),
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
  readonly progress: ProgressWithNotes;
  readonly adapter: TunedAdapter;
  /** The name of the device in the report. */
  readonly device: string;
  readonly start: number;
  readonly times: object[];
  /** Ways that the device cannot run, and those whose results are wrong. */
  readonly refused: string[];
  readonly wrong: string[];
  readonly rows: AdapterTuningRow[];
  /** The paragraphs of the report. */
  readonly texts: string[];
}

async function tunedOn(fold: Fold, options: TuneOptions, { start, end }: Span): Promise<Tuned> {
  const { sweeps, notes } = sweepsOf(options, fold);
  const steps = sweeps.reduce((sum, sweep) => sum + candidatesOfOne(fold, sweep), 0);
  const progress = startSteps("tune", steps, "ways");
  progress.between("timing calls at hand on the CPU and on the device");
  const cpuLengths = await tunedCpuLengths(contextOf(fold.device), options.seconds);
  const host = hostOf(fold);
  const run: Run = {
    ...{ fold, progress, adapter: adapterOf(fold.device.adapterInfo), device: host.device.name, start },
    ...{ times: [], refused: [], wrong: [], rows: [] },
    texts: [headOf(host), ...cpuText(cpuLengths), ...notes],
  };
  let left = sweeps.reduce((sum, { primitive }) => sum + shares[primitive], 0);
  try {
    for (const sweep of sweeps) {
      // The time that is left is divided by `shares`.
      const now = performance.now();
      await timeSweep(run, sweep, now + ((end - now) * shares[sweep.primitive]) / left);
      left -= shares[sweep.primitive];
    }
  } finally {
    progress.stop();
  }
  const { refused, wrong, rows, times } = run;
  return {
    text: [...run.texts, ...endOf(run, (performance.now() - start) / 1000, options.seconds)].join("\n"),
    record: { ...host, cpuLengths, times, rejected: [...wrong, ...refused] },
    tuning: tuningOf(run.adapter, fold.singlePassTest?.passed, rows, cpuLengths),
    wrong,
  };
}

async function timeSweep(run: Run, sweep: Sweep, deadline: number): Promise<void> {
  const { fold, progress, rows, refused, wrong, start } = run;
  const { primitive, type, title } = sweep;
  const begun = performance.now();
  const nameOf = (candidate: TuningCandidate): string => candidateText(candidate, primitive);
  progress.between(`${title}: filling buffers`);
  const found = await tuneOne(fold, {
    ...sweep,
    deadline,
    alwaysFirsts: true,
    onWork: (what, some) => progress.between(`${title}: ${textOfWork(what, some.map(nameOf))}`),
    onCandidate: (candidate) => progress.step(`${title}: ${nameOf(candidate)}`),
    onRefused: (candidate, cause) =>
      refused.push(
        `${title}: ${nameOf(candidate)}: ${cause instanceof Error ? cause.message : String(cause)}`,
      ),
    onWrong: (candidate) =>
      wrong.push(`${title}: ${nameOf(candidate)} is wrong: it was compared with the CPU's`),
  });
  // The first row that fits decides, so those of another type of the same size would say nothing.
  const [first] = found.rows;
  const isThere = rows.some(
    (row) =>
      row.primitive === primitive && row.elementBytes === first?.elementBytes && row.long === first?.long,
  );
  rows.push(...(isThere ? [] : found.rows));
  const ways = found.candidates.length;
  const [took, all] = [begun, start].map((from) => ((performance.now() - from) / 1000).toFixed(1));
  progress.note(`${title}: ${counted(ways, "way")} in ${took} s, ${all} s in all`);
  run.times.push({
    ...{ primitive, type: type.name, lengths: found.lengths },
    ways: found.candidates.map(({ algorithm, workGroupSize, itemsPerThread, passes, times: ms }) => ({
      ...{ algorithm, workGroupSize, itemsPerThread, milliseconds: ms },
      ...(primitive !== "histogram" && primitive !== "reduce" && { passes }),
    })),
  });
  run.texts.push("", textOf(sweep, found, fileFor(run.adapter), run.device));
}

/** Up to how many elements the CPU takes calls at hand. */
function cpuText(lengths: Partial<CpuLengths>): string[] {
  const kinds = Object.entries(lengths).map(([name, length]) => `${name} ${formatLength(length)}`);
  return kinds.length > 0 ? [`The CPU takes calls at hand of at most: ${kinds.join(", ")} elements.`] : [];
}

/** The end of the report: whether it took longer than it should, and what was left out. */
function endOf({ refused, wrong }: Run, took: number, seconds: number): string[] {
  const late = `This took ${took.toFixed(1)} s, and not ${seconds}: one way of each algorithm is always timed, and what compiles is waited for.`;
  const rejected = [...wrong, ...refused];
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
 * @throws {UsageError} for names that there are not, before an adapter is opened; and when a result is wrong, where the report is on stdout by
 * then.
 */
export async function tune(options: TuneOptions): Promise<void> {
  requireNames(options);
  const onStdout = [options.json, options.output].filter((path) => path === DASH).length;
  if (onStdout > 1) {
    throw new UsageError("tune: --json and --output both go to stdout; one of them takes a file");
  }
  const json = options.json === undefined ? undefined : await reportTarget(options.json);
  const output = options.output === undefined ? undefined : await reportTarget(options.output);
  const start = performance.now();
  const end = start + 1000 * options.seconds - LAST_MS;
  const work = (fold: Fold): Promise<Tuned> => tunedOn(fold, options, { start, end });
  // A tuning says whether the single pass works, and only where it does is it timed.
  const { text, record, tuning, wrong } = await withGpu(options, work, { testSinglePass: true });
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
