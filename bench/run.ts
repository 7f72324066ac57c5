import { OutOfMemoryError } from "../src/errors.ts";
import type { Fold } from "../src/gpu/fold.ts";
import { NoRoomError, readerOf } from "./buffers.ts";
import type { BenchTypeName, OperatorName } from "./elements.ts";
import { benchTypes } from "./elements.ts";
import type { Peer } from "./peers.ts";
import { formatLength } from "./sizes.ts";
import type { Case, CaseSet } from "./suite.ts";
import { isSort } from "./suite.ts";
import { openStage, prepareTask, verifyTask } from "./task.ts";
import type { Timer, Timing, Work } from "./timer.ts";
import { STEADY } from "./timer.ts";
import { verifyCopy } from "./verify.ts";

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
}

/** What a run found. */
export interface Outcome {
  readonly rows: readonly Row[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
  /** Results that are not the CPU's: their times are in no row. */
  readonly wrong: readonly string[];
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
  what: Pick<Row, "implementation" | "primitive" | "type" | "op" | "algorithm" | "inPlace" | "length">,
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

/** Steps of progress that {@link runSuite} takes. */
export const stepsOf = (sets: readonly CaseSet[], peers: readonly Peer[]): number =>
  sets.reduce((steps, { cases }) => {
    const primitives = new Set(cases.map((one) => one.primitive)).size;
    return steps + 3 + 2 * cases.length + 2 * primitives * peers.length;
  }, 0);

/** Something that is ready to be timed and verified. */
interface Candidate {
  readonly title: string;
  readonly row: Pick<
    Row,
    "implementation" | "primitive" | "type" | "op" | "algorithm" | "inPlace" | "length"
  >;
  readonly work: Work;
  readonly inPlace: boolean;
  verify(): Promise<string | undefined>;
}

/** Times every case of every set beside a copy, and the peers beside them. */
export async function runSuite(
  fold: Fold,
  timer: Timer,
  sets: readonly CaseSet[],
  peers: readonly Peer[],
  step: (stage: string) => void,
): Promise<Outcome> {
  const rows: Row[] = [];
  const notes: string[] = [];
  const wrong: string[] = [];
  /** For each type and operator, the least length that had no room. */
  const noRoom = new Map<string, number>();
  for (const set of sets) {
    const key = `${set.type} ${set.op}`;
    if (set.length >= (noRoom.get(key) ?? Number.POSITIVE_INFINITY)) {
      continue;
    }
    try {
      const outcome = await runSet(fold, timer, set, peers, step);
      rows.push(...outcome.rows);
      notes.push(...outcome.notes);
      wrong.push(...outcome.wrong);
    } catch (cause) {
      if (!(cause instanceof NoRoomError || cause instanceof OutOfMemoryError)) {
        throw cause;
      }
      noRoom.set(key, set.length);
      notes.push(`${set.type} from ${formatLength(set.length)} on was left out: ${cause.message}`);
    }
  }
  return { rows: withRatios(rows), notes, wrong };
}

async function runSet(
  fold: Fold,
  timer: Timer,
  set: CaseSet,
  peers: readonly Peer[],
  step: (stage: string) => void,
): Promise<Outcome> {
  const { device } = fold;
  const { type, op, length, cases } = set;
  const at = `${type} at ${formatLength(length)}`;
  const rows: Row[] = [];
  const notes: string[] = [];
  const wrong: string[] = [];
  step(`${at}: data`);
  const hasPairs = cases.some(({ primitive }) => primitive === "pairs");
  const stage = await openStage(device, type, op, length, hasPairs);
  const { buffers, copy } = stage;
  const owned: { destroy(): void }[] = [stage];
  const candidates: Candidate[] = [
    {
      title: `copy<${type}> at ${formatLength(length)}`,
      row: { implementation: "copy", primitive: "copy", type, length },
      work: { pass: copy.record },
      inPlace: false,
      verify: () => verifyCopy(set, { output: () => readerOf(device, buffers.output) }),
    },
  ];
  const add = (
    implementation: string,
    { primitive, algorithm, inPlace }: Case,
    work: Work,
    owner: { destroy(): void },
  ): void => {
    const hasOperator = primitive !== "compact" && !isSort(primitive);
    const operands = hasOperator ? `${type}, ${op}` : type;
    owned.push(owner);
    candidates.push({
      title: [
        implementation === "wavefold" ? "" : `${implementation}:`,
        `${primitive}<${operands}>`,
        algorithm === undefined ? "" : `by ${algorithm}`,
        inPlace ? "in place" : "",
        `at ${formatLength(length)}`,
      ]
        .filter(Boolean)
        .join(" "),
      row: {
        implementation,
        primitive,
        type,
        ...(hasOperator && { op }),
        ...(algorithm !== undefined && { algorithm }),
        ...(inPlace && { inPlace }),
        length,
      },
      work,
      inPlace,
      verify: () => verifyTask(device, { ...set, primitive }, buffers),
    });
  };
  try {
    for (const one of cases) {
      const { primitive, algorithm, inPlace } = one;
      const task = await prepareTask(fold, { ...set, primitive }, buffers, {
        inPlace,
        ...(algorithm !== undefined && { algorithm }),
      });
      add("wavefold", one, { pass: task.record }, task);
    }
    for (const peer of peers) {
      for (const primitive of new Set(cases.map((one) => one.primitive))) {
        const { where } = benchTypes[type];
        try {
          const run = await peer.prepare({ device, primitive, type, op, where, length, ...buffers });
          if (run !== undefined) {
            add(peer.name, { primitive, inPlace: false }, run, run);
          }
        } catch (cause) {
          const why = cause instanceof Error ? cause.message : String(cause);
          notes.push(`${peer.name}: ${primitive} of ${at} was left out: ${why}`);
        }
      }
    }

    await timer.heat();
    const times: Timing[] = [];
    for (const { title, work, inPlace } of candidates) {
      step(`${title}: timing`);
      const timing = await timer.time(work, inPlace ? stage.reset : undefined);
      times.push(timing);
      if (timing.clock !== undefined && timing.clock < STEADY) {
        notes.push(
          `${title}: the GPU's clock stayed at ${Math.round(100 * timing.clock)} % of its highest, so the time is too long`,
        );
      }
    }
    const copied = times[0]?.median ?? Number.NaN;
    const again = await timer.time({ pass: copy.record });
    if (!fold.software && Math.abs(again.median / copied - 1) > DRIFT) {
      notes.push(
        `${at}: the copy took ${copied.toFixed(1)} µs before the others and ${again.median.toFixed(1)} µs after them: the clocks were not steady`,
      );
    }
    // What runs in passes of its own is timed from outside, and so is the copy it is compared with.
    const copiedOutside = candidates.some(({ work }) => !("pass" in work))
      ? (await timer.time({ encode: (encoder) => recordCopy(encoder, copy.record) })).median
      : copied;

    for (const [index, { title, row, work, inPlace, verify }] of candidates.entries()) {
      step(`${title}: verifying`);
      await stage.runOnce(work, inPlace);
      const problem = await verify();
      if (problem === undefined) {
        rows.push(rowFrom(row, times[index] as Timing, "pass" in work ? copied : copiedOutside));
      } else {
        wrong.push(`${title} is wrong: ${problem}`);
      }
    }
    return { rows, notes, wrong };
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
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
