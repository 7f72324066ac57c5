import type { ScanPrimitive } from "../src/adapters/tables.ts";
import type { StructType } from "../src/algebra/struct.ts";
import { ArgumentError, OutOfMemoryError } from "../src/errors.ts";
import type { Fold } from "../src/gpu/fold.ts";
import { NoRoomError, sourceOf } from "./buffers.ts";
import type { HostWork, PartName } from "./bus.ts";
import { openBus, partNames } from "./bus.ts";
import { benchTypes, elementsOf, operatorOn } from "./elements.ts";
import type { LoopTypeName } from "./loops.ts";
import { loopArrayOf, loopOf, loopTypeNames } from "./loops.ts";
import { formatLength } from "./sizes.ts";
import type { Suite, SuiteFacts, SuiteOptions } from "./suite.ts";
import { planSuite, scanPrimitives } from "./suite.ts";
import type { Timing } from "./timer.ts";
import { timingOf } from "./timer.ts";
import { verifyCompact, verifyCopy, verifyReduce, verifyScan } from "./verify.ts";

// Calls from array to array, by the host's clock, beside a loop and beside a copy there and back.

const OP = "add";

/** One call at hand and what it is compared with, all verified. Times are of the host's clock, in microseconds. */
export interface AtHandRow {
  readonly primitive: ScanPrimitive;
  readonly type: LoopTypeName;
  readonly length: number;
  /** Bytes that go to the GPU, and those that come back. */
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** A loop on the CPU into an array that exists. */
  readonly loop: Timing;
  /** As many bytes to the GPU and back, and each of its steps, one after another. */
  readonly copy: Timing;
  readonly parts: Readonly<Record<PartName, Timing>>;
  /** The first call on a new device, which compiles. */
  readonly first: number;
  readonly call: Timing;
  /** The call's median over the sum of its parts'. */
  readonly toParts: number;
  /** The loop's median over the call's. */
  readonly toLoop: number;
}

/** What {@link timeAtHand} found. */
export interface AtHandOutcome {
  readonly rows: readonly AtHandRow[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
  /** Results that are not the CPU's: their rows are left out. */
  readonly wrong: readonly string[];
}

/** How long and how often each work is timed. */
export interface HandPace {
  readonly warmUpMs: number;
  /** The least and the greatest number of runs, and how long they go on between the two. */
  readonly least: number;
  readonly most: number;
  readonly milliseconds: number;
}

const PACES = {
  gpu: { warmUpMs: 100, least: 7, most: 201, milliseconds: 1000 },
  software: { warmUpMs: 20, least: 3, most: 31, milliseconds: 500 },
} as const satisfies Record<string, HandPace>;

/** The pace for an adapter. */
export function handPaceFor(software: boolean, quick = false): HandPace {
  const pace = software ? PACES.software : PACES.gpu;
  const { most, milliseconds } = pace;
  return quick ? { ...pace, least: 3, most: Math.ceil(most / 3), milliseconds: milliseconds / 3 } : pace;
}

const SIZES = [2 ** 10, 2 ** 16, 2 ** 20, 2 ** 24];
const QUICK_SIZES = SIZES.slice(0, 3);

/**
 * Plans a run: what is asked for, and where nothing is, all primitives of u32.
 *
 * @throws {ArgumentError} as {@link planSuite}, and for f16.
 */
export function planAtHand(
  { sizes, types = ["u32"], primitives, quick = false }: SuiteOptions,
  facts: SuiteFacts,
): Suite<ScanPrimitive> {
  if (types.includes("f16")) {
    throw new ArgumentError(
      `types: --at-hand has no loop over f16 to compare with; it takes ${loopTypeNames.join(", ")}`,
    );
  }
  return planSuite(
    { sizes: sizes ?? (quick ? QUICK_SIZES : SIZES), types, ...(primitives && { primitives }) },
    facts,
    scanPrimitives,
  );
}

/** Opens a fold for some work, and destroys it. */
export type WithFold = <Result>(work: (fold: Fold) => Promise<Result>) => Promise<Result>;

const STEPS = 4;

/** Steps of progress that {@link timeAtHand} takes. */
export const handStepsOf = ({ sets }: Suite<ScanPrimitive>): number =>
  sets.reduce((steps, { cases }) => steps + 1 + STEPS * cases.length, 0);

/** What a set's cases compute on. */
interface Arrays {
  readonly data: ArrayBuffer;
  /** For results: as long as the data, or one element where there are only reductions. */
  readonly into: ArrayBuffer;
}

/** A case, and where it runs. */
interface HandCase {
  readonly primitive: ScanPrimitive;
  readonly type: LoopTypeName;
  readonly length: number;
  readonly arrays: Arrays;
  readonly pace: HandPace;
  readonly step: (stage: string) => void;
}

/** What a run asks and tells while it goes on. */
export interface HandWatch {
  /** Asked before each row whether the run is to end. */
  readonly isOver?: () => boolean;
  /** Why it ended early. */
  readonly why?: () => string;
  /** Called with each row as soon as it is there. */
  readonly onRow?: (row: AtHandRow) => void | Promise<void>;
}

/** A result that is not the CPU's. */
class WrongResult extends Error {
  override name = "WrongResult";
}

/**
 * Times every call beside a loop and a copy there and back. Each row has a fold of its own, so that its first call finds
 * nothing compiled and nothing kept. At most two arrays of a length exist on the CPU. On the GPU there is a buffer as long
 * and 128 MiB of staging while the copy is timed, and after that what a call keeps.
 */
export async function timeAtHand(
  withFold: WithFold,
  { sets, notes: planned }: Suite<ScanPrimitive>,
  pace: HandPace,
  step: (stage: string) => void,
  { isOver = () => false, why = () => "the run was ended", onRow = () => {} }: HandWatch = {},
): Promise<AtHandOutcome> {
  const rows: AtHandRow[] = [];
  const notes = [...planned];
  const wrong: string[] = [];
  const leftOut: string[] = [];
  /** For each type, the least length that had no room. */
  const noRoom = new Map<string, number>();
  for (const { type: name, length, cases } of sets) {
    const type = name as LoopTypeName;
    if (length >= (noRoom.get(type) ?? Number.POSITIVE_INFINITY)) {
      continue;
    }
    if (isOver()) {
      leftOut.push(`${type} at ${formatLength(length)}`);
      continue;
    }
    try {
      step(`${type} at ${formatLength(length)}: data`);
      const reduceOnly = cases.every(({ primitive }) => primitive === "reduce");
      const arrays = arraysFor(type, length, reduceOnly ? 1 : length);
      for (const { primitive } of cases) {
        if (isOver()) {
          leftOut.push(`${primitive} of ${type} at ${formatLength(length)}`);
          continue;
        }
        try {
          const one = { primitive, type, length, arrays, pace, step };
          const row = await withFold((fold) => timeCase(fold, one));
          rows.push(row);
          await onRow(row);
        } catch (cause) {
          if (!(cause instanceof WrongResult)) {
            throw cause;
          }
          wrong.push(cause.message);
        }
      }
    } catch (cause) {
      if (!(cause instanceof NoRoomError || cause instanceof OutOfMemoryError)) {
        throw cause;
      }
      noRoom.set(type, length);
      notes.push(`${type} from ${formatLength(length)} on was left out: ${cause.message}`);
    }
  }
  if (leftOut.length > 0) {
    notes.push(`${why()}, so these were left out: ${leftOut.join("; ")}`);
  }
  return { rows, notes, wrong };
}

/** @throws {NoRoomError} when the CPU has no room for them. */
function arraysFor(type: LoopTypeName, length: number, results: number): Arrays {
  const make = (elements: number): ArrayBuffer => {
    const bytes = elements * benchTypes[type].type.bytes;
    try {
      return new ArrayBuffer(bytes);
    } catch {
      throw new NoRoomError(`the CPU has no room for an array of ${bytes} bytes`);
    }
  };
  const arrays = { data: make(length), into: make(results) };
  const bytes = new Uint8Array(arrays.data);
  const elements = elementsOf(type, OP, length);
  let at = 0;
  for (let chunk = elements.next(); chunk !== undefined; chunk = elements.next()) {
    bytes.set(chunk.bytes, at);
    at += chunk.bytes.byteLength;
  }
  return arrays;
}

async function timeCase(fold: Fold, one: HandCase): Promise<AtHandRow> {
  const { primitive, type, length, arrays, pace, step } = one;
  const title = `${primitive}<${primitive === "compact" ? type : `${type}, ${OP}`}>`;
  const at = `at ${formatLength(length)}`;
  const question = { type, op: OP, length } as const;
  const [data, into] = [loopArrayOf(type, arrays.data), loopArrayOf(type, arrays.into)];
  const results = new Uint8Array(arrays.into);
  const require = (what: string, problem: string | undefined): void => {
    if (problem !== undefined) {
      throw new WrongResult(`${what} ${at} is wrong: ${problem}`);
    }
  };
  const verify = (written: number): Promise<string | undefined> => {
    const output = sourceOf(results);
    switch (primitive) {
      case "scan":
        return verifyScan({ ...question, exclusive: false }, { output });
      case "reduce":
        return verifyReduce(question, { output });
      case "compact": {
        const count = sourceOf(new Uint8Array(Uint32Array.of(written).buffer));
        return verifyCompact({ ...question, indices: false }, { output, count });
      }
      default:
        return primitive satisfies never;
    }
  };

  step(`${title} ${at}: the loop`);
  const loop = loopOf(primitive, type);
  const looped = await timeOnHost({ run: () => loop(data, into) }, pace);
  poison(arrays);
  const written = loop(data, into);
  require(`the loop of ${title}`, await verify(written));

  step(`${title} ${at}: the copy there and back`);
  const { problem, ...copied } = await timeCopy(fold, one, written);
  require(`the copy there and back for ${title}`, problem);

  const call = callOf(fold, primitive, type, arrays);
  const runOnce = async (): Promise<number> => {
    poison(arrays);
    const begun = performance.now();
    const result = await call();
    const microseconds = (performance.now() - begun) * 1000;
    if (primitive === "reduce") {
      // What a reduction returns is written where the others write.
      into.set((typeof result === "object" ? Object.values(result as object) : [result]) as never);
    }
    require(`${title} at hand`, await verify((result as { readonly length?: number }).length ?? 1));
    return microseconds;
  };
  step(`${title} ${at}: the first call`);
  const first = await runOnce();
  step(`${title} ${at}: the calls`);
  const called = await timeOnHost({ run: call }, pace);
  await runOnce();

  const sum = partNames.reduce((sum, name) => sum + copied.parts[name].median, 0);
  return {
    primitive,
    type,
    length,
    bytesIn: arrays.data.byteLength,
    loop: looped,
    ...copied,
    first,
    call: called,
    toParts: called.median / sum,
    toLoop: looped.median / called.median,
  };
}

/** Times a copy of as many bytes as the call's, and its parts, and compares what lies on the GPU and what came back. */
async function timeCopy(
  { device }: Fold,
  { type, length, arrays, pace }: HandCase,
  written: number,
): Promise<Pick<AtHandRow, "bytesOut" | "copy" | "parts"> & { readonly problem: string | undefined }> {
  const question = { type, op: OP, length } as const;
  const results = new Uint8Array(arrays.into);
  // Of a compaction that keeps nothing, the count is read.
  const bytesOut = Math.max(4, written * benchTypes[type].type.bytes);
  const bus = await openBus(device, new Uint8Array(arrays.data), results.subarray(0, bytesOut));
  try {
    const timed = await timeInTurn(
      partNames.map((name) => bus.parts[name]),
      pace,
    );
    const parts = Object.fromEntries(partNames.map((name, at) => [name, timed[at]]));
    const copy = await timeOnHost(bus.copy, pace);
    poison(arrays);
    bus.clear();
    await bus.copy.prepare?.();
    await bus.copy.run();
    const there = await verifyCopy(question, { output: bus.written });
    const back = await verifyCopy(question, { output: sourceOf(results) }, written);
    return { bytesOut, copy, parts: parts as AtHandRow["parts"], problem: there ?? back };
  } finally {
    bus.destroy();
  }
}

/** Fills the results with what is hardly right: what is not written shows. */
function poison({ into }: Arrays): void {
  new Uint32Array(into).fill(0xffc0dead);
}

/** The call as a program writes it. */
function callOf(
  fold: Fold,
  primitive: ScanPrimitive,
  type: LoopTypeName,
  arrays: Arrays,
): () => Promise<unknown> {
  // Of any of the types: one stands for all.
  const arrayOf = (buffer: ArrayBuffer): Uint32Array =>
    (type === "struct16"
      ? (benchTypes.struct16.type as StructType).over(buffer)
      : loopArrayOf(type, buffer)) as Uint32Array;
  const [data, into] = [arrayOf(arrays.data), arrayOf(arrays.into)];
  const op = operatorOn(OP, type) as never;
  const { where } = benchTypes[type];
  switch (primitive) {
    case "scan":
      return () => fold.scan(data, { op, into });
    case "reduce":
      return () => fold.reduce(data, { op });
    case "compact":
      return () => fold.compact(data, { where, into });
    default:
      return primitive satisfies never;
  }
}

/** The median of runs that are warm. */
async function timeOnHost(work: HostWork, pace: HandPace): Promise<Timing> {
  const [timing] = await timeInTurn([work], pace);
  return timing as Timing;
}

/**
 * The medians of several works, one run of each after another. A part of a copy that runs again and again finds its memory
 * in the CPU's cache, as no copy does.
 */
export async function timeInTurn(works: readonly HostWork[], pace: HandPace): Promise<readonly Timing[]> {
  const once = async ({ prepare, run }: HostWork): Promise<number> => {
    await prepare?.();
    const begun = performance.now();
    const result = run();
    // What is no promise is over: waiting for it would be timed.
    if (result instanceof Promise) {
      await result;
    }
    return (performance.now() - begun) * 1000;
  };
  const begun = performance.now();
  do {
    for (const work of works) {
      await once(work);
    }
  } while (performance.now() - begun < pace.warmUpMs * works.length);
  const samples = works.map((): number[] => []);
  const from = performance.now();
  for (
    let runs = 0;
    runs < pace.least || (runs < pace.most && performance.now() - from < pace.milliseconds * works.length);
    runs++
  ) {
    for (const [at, work] of works.entries()) {
      samples[at]?.push(await once(work));
    }
  }
  return samples.map(timingOf);
}
