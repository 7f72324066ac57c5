import { OutOfMemoryError } from "../src/errors.ts";
import type { Fold } from "../src/gpu/fold.ts";
import { EndedError, NoRoomError, readerOf } from "./buffers.ts";
import type { BenchTypeName, OperatorName } from "./elements.ts";
import { benchTypes } from "./elements.ts";
import type { Peer } from "./peers.ts";
import { formatLength } from "./sizes.ts";
import type { Case, CaseSet } from "./suite.ts";
import { byInterest, isSort } from "./suite.ts";
import type { Stage } from "./task.ts";
import { openStage, prepareTask, verifyTask } from "./task.ts";
import type { Timer, Timing, Work } from "./timer.ts";
import { STEADY } from "./timer.ts";
import { verifyCopy } from "./verify.ts";
import type { Known } from "./verify_on_gpu.ts";
import { isCheckable, learn, verifyOnGpu } from "./verify_on_gpu.ts";

/** One verified time. */
export interface Row {
  /** `copy`, `wavefold`, or a peer and its version. */
  readonly implementation: string;
  readonly primitive: "copy" | Case["primitive"];
  readonly type: BenchTypeName;
  /** A copy, a compaction and a sort have none. */
  readonly op?: OperatorName;
  /** Left out: the best for the adapter. */
  readonly algorithm?: string;
  readonly inPlace?: true;
  readonly length: number;
  /** Bytes that must be read and written. */
  readonly bytes: number;
  /** Microseconds: the median, and the first and the third quartile. */
  readonly median: number;
  readonly quartiles: readonly [number, number];
  readonly runs: number;
  readonly gigabytesPerSecond: number;
  /** The median over that of the copy of as many elements. */
  readonly toCopy: number;
  /** A peer's median over ours. */
  readonly toWavefold?: number;
  /** The GPU, if a check there looked at each element. Without it, the CPU compared them. */
  readonly verifiedOn?: "gpu";
}

/** What a run found. */
export interface Outcome {
  readonly rows: readonly Row[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
  /** Results that are wrong: their times are in no row. */
  readonly wrong: readonly string[];
  /** Sets that were not timed, or not all of them, because the run was ended. */
  readonly leftOut: readonly CaseSet[];
}

/** Half of the elements are kept, and the output holds as many. */
const KEPT = 0.5;
/** A copy that takes so much longer or shorter after the others is worth a note. */
const DRIFT = 0.1;

/** Bytes that a primitive must read and write. */
export function bytesMoved(primitive: Row["primitive"], type: BenchTypeName, length: number): number {
  const bytes = length * benchTypes[type].type.bytes;
  switch (primitive) {
    case "copy":
    case "scan":
    // A sort moves its data several times; this is what it cannot do without.
    case "sort":
      return 2 * bytes;
    case "pairs":
      return 2 * (bytes + 4 * length);
    case "reduce":
      return bytes;
    case "compact":
      return (1 + KEPT) * bytes;
    default:
      return primitive satisfies never;
  }
}

/** A row from a time, beside the copy's. */
export function rowFrom(
  what: Pick<
    Row,
    "implementation" | "primitive" | "type" | "op" | "algorithm" | "inPlace" | "length" | "verifiedOn"
  >,
  { median, quartiles, runs }: Timing,
  copy: number,
): Row {
  const bytes = bytesMoved(what.primitive, what.type, what.length);
  return {
    ...what,
    bytes,
    median,
    quartiles,
    runs,
    gigabytesPerSecond: bytes / median / 1000,
    toCopy: median / copy,
  };
}

/** What a row's column is called. */
export const columnOf = ({ implementation, algorithm, inPlace }: Row): string =>
  [implementation, algorithm, inPlace && "in place"].filter(Boolean).join(" ");

/** The candidates of a set: a copy, the cases, and what peers may have of the same. */
const candidatesIn = ({ cases }: CaseSet, peers: readonly Peer[]): number =>
  1 + cases.length + new Set(cases.map(({ primitive }) => primitive)).size * peers.length;

/** Steps of progress that {@link runSuite} takes: the data of each set, and each candidate. */
export const stepsOf = (sets: readonly CaseSet[], peers: readonly Peer[]): number =>
  sets.reduce((steps, set) => steps + 1 + candidatesIn(set, peers), 0);

/** The length up to which the CPU compares results. Longer ones are checked on the GPU, if there is a check. */
export const MOST_ON_CPU = 2 ** 20;

/** What ends a run early: its time, or somebody. */
export interface Limit {
  isOver(): boolean;
  /** The milliseconds that are left. */
  left(): number;
}

const noLimit: Limit = { isOver: () => false, left: () => Number.POSITIVE_INFINITY };

/** What a run tells while it goes on, and what may end it. */
export interface Watch {
  readonly step: (stage: string) => void;
  /** Called with each row as soon as it is there. */
  readonly onRow?: (row: Row) => void | Promise<void>;
  readonly limit?: Limit;
  /** The longest results that the CPU compares. The default is {@link MOST_ON_CPU}. */
  readonly mostOnCpu?: number;
}

/** What the sets of one run share. */
interface Run extends Required<Omit<Watch, "onRow">> {
  readonly fold: Fold;
  readonly timer: Timer;
  readonly peers: readonly Peer[];
  add(set: CaseSet, row: Row): Promise<void>;
  readonly notes: string[];
  readonly wrong: string[];
  /** Candidates that are not timed yet. */
  candidatesLeft: number;
  isHot: boolean;
}

/** The highest share of the time that is left for keeping the GPU busy before anything is timed. */
const HEAT_SHARE = 1 / 20;
/** The clock is up, and falls while data is made: a shorter time brings it up again. */
const HEAT_AGAIN = 1 / 10;
/** The milliseconds that each candidate may take at least. */
const LEAST_MS = 40;

/** Something to be timed. */
interface Candidate {
  readonly title: string;
  readonly row: Pick<
    Row,
    "implementation" | "primitive" | "type" | "op" | "algorithm" | "inPlace" | "length"
  >;
  readonly inPlace: boolean;
  /** Compiles it. Nothing where a peer has no such thing. */
  prepare(): Promise<Task | undefined>;
}

/** What is ready to be timed. */
type Task = Work & { destroy?(): void };

/**
 * Times every case of every set beside a copy, and the peers beside them. It takes the sets in the order in which people look at them, and
 * gives the rows in the order of the sets.
 */
export async function runSuite(
  fold: Fold,
  timer: Timer,
  sets: readonly CaseSet[],
  peers: readonly Peer[],
  { step, onRow = () => {}, limit = noLimit, mostOnCpu = MOST_ON_CPU }: Watch,
): Promise<Outcome> {
  const rows = new Map<CaseSet, Row[]>(sets.map((set) => [set, []]));
  const run: Run = {
    ...{ fold, timer, peers, step, limit, mostOnCpu },
    async add(set, row) {
      const own = rows.get(set) ?? [];
      own.push(row);
      await onRow(withRatios(own).at(-1) ?? row);
    },
    notes: [],
    wrong: [],
    candidatesLeft: sets.reduce((sum, set) => sum + candidatesIn(set, peers), 0),
    isHot: false,
  };
  const leftOut: CaseSet[] = [];
  /** For each type and operator, the least length that had no room. */
  const noRoom = new Map<string, number>();
  for (const set of byInterest(sets)) {
    const key = `${set.type} ${set.op}`;
    const after = run.candidatesLeft - candidatesIn(set, peers);
    try {
      if (set.length < (noRoom.get(key) ?? Number.POSITIVE_INFINITY)) {
        await runSet(run, set);
      }
    } catch (cause) {
      if (cause instanceof EndedError) {
        leftOut.push(set);
      } else if (isNoRoom(cause)) {
        noRoom.set(key, set.length);
        run.notes.push(`${set.type} from ${formatLength(set.length)} on was left out: ${cause.message}`);
      } else {
        throw cause;
      }
    }
    run.candidatesLeft = after;
  }
  return {
    rows: withRatios(sets.flatMap((set) => rows.get(set) ?? [])),
    notes: run.notes,
    wrong: run.wrong,
    leftOut: sets.filter((set) => leftOut.includes(set)),
  };
}

const isNoRoom = (cause: unknown): cause is NoRoomError | OutOfMemoryError =>
  cause instanceof NoRoomError || cause instanceof OutOfMemoryError;

/**
 * Times a set.
 *
 * @throws {EndedError} if the limit is reached before all of it is timed.
 */
async function runSet(run: Run, set: CaseSet): Promise<void> {
  const { fold, timer, limit, peers, notes } = run;
  const { type, op, length, cases } = set;
  const at = `${type} at ${formatLength(length)}`;
  requireTime(limit);
  run.step(`${at}: data`);
  const primitives = cases.map(({ primitive }) => primitive);
  const { look, known } = learn(set, length > run.mostOnCpu ? primitives : []);
  const stage = await openStage(fold.device, type, op, length, {
    hasPairs: primitives.includes("pairs"),
    look,
    isOver: limit.isOver,
  });
  try {
    const heatMs = Math.min(timer.pace.heatMs, limit.left() * HEAT_SHARE);
    await timer.heat(run.isHot ? heatMs * HEAT_AGAIN : heatMs);
    run.isHot = true;
    const ready: Ready = { run, set, stage, known: known() };
    const copy: Candidate = {
      title: `copy<${type}> at ${formatLength(length)}`,
      row: { implementation: "copy", primitive: "copy", type, length },
      inPlace: false,
      prepare: async () => ({ pass: stage.copy.record }),
    };
    const copied = await measure(ready, copy);
    if (copied === undefined) {
      return;
    }
    let copiedOutside: number | undefined;
    for (const candidate of [
      ...cases.map((one) => ourCandidate(ready, one)),
      ...peers.flatMap((peer) =>
        [...new Set(primitives)].map((primitive) => peerCandidate(ready, peer, primitive)),
      ),
    ]) {
      await measure(ready, candidate, async (work) => {
        if ("pass" in work) {
          return copied;
        }
        // What runs in passes of its own is timed from outside, and so is the copy it is compared with.
        copiedOutside ??= (
          await timer.time(
            { encode: (encoder) => recordCopy(encoder, stage.copy.record) },
            undefined,
            shareOf(run),
          )
        ).median;
        return copiedOutside;
      });
    }
    if (!(fold.software || limit.isOver())) {
      const again = (await timer.time({ pass: stage.copy.record }, undefined, shareOf(run))).median;
      if (Math.abs(again / copied - 1) > DRIFT) {
        notes.push(
          `${at}: the copy took ${copied.toFixed(1)} µs before the others and ${again.toFixed(1)} µs after them: the clocks were not steady`,
        );
      }
    }
  } finally {
    stage.destroy();
  }
}

/** A set whose buffers are filled. */
interface Ready {
  readonly run: Run;
  readonly set: CaseSet;
  readonly stage: Stage;
  readonly known: Known;
}

function requireTime(limit: Limit): void {
  if (limit.isOver()) {
    throw new EndedError("the run was ended");
  }
}

/** The milliseconds that one candidate may take, if all that are left take as long. */
const shareOf = ({ limit, candidatesLeft }: Run): number =>
  Math.max(LEAST_MS, limit.left() / Math.max(1, candidatesLeft));

/**
 * Compiles a candidate, verifies it, and times it: the median, if it could be timed. Its row is added if its result is right.
 *
 * @param copyFor - the time of the copy that it is compared with. Without it, the candidate is the copy.
 * @throws {EndedError} if the limit is reached before.
 */
async function measure(
  ready: Ready,
  { title, row, inPlace, prepare }: Candidate,
  copyFor?: (work: Work) => Promise<number>,
): Promise<number | undefined> {
  const { run, set, stage } = ready;
  const { timer, notes, wrong } = run;
  requireTime(run.limit);
  run.step(title);
  let task: Task | undefined;
  try {
    task = await prepare();
    if (task === undefined) {
      return undefined;
    }
    await stage.runOnce(task, inPlace);
    const isOnGpu = set.length > run.mostOnCpu && isCheckable({ ...row, op: set.op });
    const problem = await verify(ready, row.primitive, isOnGpu);
    if (problem !== undefined) {
      wrong.push(`${title} is wrong: ${problem}`);
    }
    requireTime(run.limit);
    const timing = await timer.time(task, inPlace ? stage.reset : undefined, shareOf(run));
    if (timing.clock !== undefined && timing.clock < STEADY) {
      notes.push(
        `${title}: the GPU's clock stayed at ${Math.round(100 * timing.clock)} % of its highest, so the time is too long`,
      );
    }
    const { median } = timing;
    if (problem === undefined) {
      const own = { ...row, ...(isOnGpu && row.primitive !== "reduce" && { verifiedOn: "gpu" as const }) };
      await run.add(set, rowFrom(own, timing, (await copyFor?.(task)) ?? median));
    }
    return median;
  } catch (cause) {
    if (copyFor === undefined || !isNoRoom(cause)) {
      throw cause;
    }
    notes.push(`${title} was left out: ${cause.message}`);
    return undefined;
  } finally {
    task?.destroy?.();
    run.candidatesLeft--;
  }
}

/** Compares all elements of a result: what is wrong, or nothing. */
function verify(
  { run, set, stage, known }: Ready,
  primitive: Row["primitive"],
  isOnGpu: boolean,
): Promise<string | undefined> {
  const { device } = run.fold;
  const { buffers } = stage;
  if (isOnGpu) {
    return verifyOnGpu(device, { ...set, primitive }, buffers, known);
  }
  return primitive === "copy"
    ? verifyCopy(set, { output: () => readerOf(device, buffers.output) })
    : verifyTask(device, { ...set, primitive }, buffers);
}

/** What a candidate is called, and what its row says of it. */
function described(
  { type, op, length }: CaseSet,
  implementation: string,
  { primitive, algorithm, inPlace }: Case,
): Pick<Candidate, "title" | "row" | "inPlace"> {
  const hasOperator = primitive !== "compact" && !isSort(primitive);
  const operands = hasOperator ? `${type}, ${op}` : type;
  const title = [
    implementation === "wavefold" ? "" : `${implementation}:`,
    `${primitive}<${operands}>`,
    algorithm === undefined ? "" : `by ${algorithm}`,
    inPlace ? "in place" : "",
    `at ${formatLength(length)}`,
  ];
  return {
    title: title.filter(Boolean).join(" "),
    row: {
      implementation,
      primitive,
      type,
      ...(hasOperator && { op }),
      ...(algorithm !== undefined && { algorithm }),
      ...(inPlace && { inPlace }),
      length,
    },
    inPlace,
  };
}

function ourCandidate({ run, set, stage }: Ready, one: Case): Candidate {
  const { primitive, algorithm, inPlace } = one;
  return {
    ...described(set, "wavefold", one),
    async prepare() {
      requireRoom(stage, primitive);
      const options = { inPlace, ...(algorithm !== undefined && { algorithm }) };
      const task = await prepareTask(run.fold, { ...set, primitive }, stage.buffers, options);
      return { pass: task.record, destroy: () => task.destroy() };
    },
  };
}

/** Without room for their values, pairs alone are left out. */
function requireRoom({ buffers }: Stage, primitive: Case["primitive"]): void {
  if (primitive === "pairs" && buffers.reordered === undefined) {
    throw new NoRoomError("the adapter has no room for the values");
  }
}

function peerCandidate({ run, set, stage }: Ready, peer: Peer, primitive: Case["primitive"]): Candidate {
  const { type, op, length } = set;
  return {
    ...described(set, peer.name, { primitive, inPlace: false }),
    async prepare() {
      const { where } = benchTypes[type];
      try {
        requireRoom(stage, primitive);
        const { device } = run.fold;
        return await peer.prepare({ device, primitive, type, op, where, length, ...stage.buffers });
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        run.notes.push(
          `${peer.name}: ${primitive} of ${type} at ${formatLength(length)} was left out: ${why}`,
        );
        return undefined;
      }
    },
  };
}

function recordCopy(encoder: GPUCommandEncoder, record: (pass: GPUComputePassEncoder) => void): void {
  const pass = encoder.beginComputePass({ label: "bench copy" });
  record(pass);
  pass.end();
}

/** Adds to peers' rows how they compare with ours: its default, not in place. */
export function withRatios(rows: readonly Row[]): Row[] {
  return rows.map((row) => {
    if (row.implementation === "copy" || row.implementation === "wavefold") {
      return row;
    }
    const ours = rows.find(
      (one) =>
        one.implementation === "wavefold" &&
        one.algorithm === undefined &&
        one.inPlace === undefined &&
        one.primitive === row.primitive &&
        one.type === row.type &&
        one.op === row.op &&
        one.length === row.length,
    );
    return ours === undefined ? row : { ...row, toWavefold: row.median / ours.median };
  });
}
