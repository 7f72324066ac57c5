import { ArgumentError } from "../errors.ts";
import type { OptionNames } from "../options.ts";
import { requireOptions } from "../options.ts";
import type { CompactOptions } from "../plan/compact.ts";
import type { Grouping } from "../plan/grouping.ts";
import type { AnyOperator } from "../plan/options.ts";
import { commonNames } from "../plan/options.ts";
import type { Plan, RangeName } from "../plan/plan.ts";
import { callersName, RUNS, wholeWords } from "../plan/plan.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import type { ScanOptions } from "../plan/scan.ts";
import { planScan } from "../plan/scan.ts";
import type { Context } from "./context.ts";
import type { Compiled, Dispatch, Range, ResolvedRanges } from "./executor.ts";
import { compilePlan } from "./executor.ts";
import { BufferUsage } from "./flags.ts";
import { methodsFor } from "./methods.ts";
import type { Chosen } from "./ways.ts";
import { wayFor } from "./ways.ts";

// Plans that are recorded into a caller's own encoder: their ranges are checked before anything is recorded.

/** A range of a buffer: the whole buffer, or the part from a byte offset on. The offset is a multiple of the item's size. */
export type BufferRange =
  | GPUBuffer
  | { readonly buffer: GPUBuffer; readonly offset?: number; readonly size?: number };

/** Where a recording reads and writes. Every buffer has the usage STORAGE. */
export interface Ranges {
  readonly input?: BufferRange;
  readonly output: BufferRange;
  readonly flags?: BufferRange;
  readonly count?: BufferRange;
  readonly indirect?: BufferRange;
  /** The number of items. If the plan takes it from a buffer, this is a range that starts with the number, as a u32. */
  readonly length: number | BufferRange;
}

/** A plan with its pipelines compiled and its scratch allocated. */
export interface Prepared {
  groupingOf(ranges: Ranges): Grouping;
  /** `most` is the most that a length on the GPU may be. The default is the plan's. */
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges, most?: number): void;
  destroy(): void;
}

/** The number of items. With `lengthOnGpu`, a range that starts with this number as a u32. It is at most `maxLength`. */
export type Length = number | BufferRange;

/** Facts of a buffer that never change. It takes longer to ask the buffer than to remember them. */
interface BufferFacts {
  /** Tells buffers apart, so that a recording has a key. */
  readonly number: number;
  readonly size: number;
  readonly usage: number;
}

/** How ranges are recorded. Once they were recorded, it has the dispatches to encode. */
interface Recording extends Chosen {
  dispatches: readonly Dispatch[] | undefined;
}

/** How many recordings are kept, with their objects, for the next time that the same ranges are recorded. */
const KEPT_RECORDINGS = 64;

/**
 * Compiles a plan and allocates its scratch. `runs` is how many runs a spine takes. Tests take fewer. If each recording is
 * submitted before the next one is recorded (`isSubmitted`), what is dropped is destroyed at once.
 *
 * @throws {SourceError} {@link OutOfMemoryError} {@link DeviceLostError}
 */
export const prepare = async (
  context: Context,
  plan: Plan,
  runs = RUNS,
  isSubmitted?: boolean,
): Promise<Prepared> => checked(await compilePlan(context, plan, runs), isSubmitted);

const planNames = { maxLength: true, lengthOnGpu: true, ...commonNames } as const;
const scanNames = { op: true, exclusive: true, ...planNames } satisfies Record<keyof ScanOptions, true>;
const reduceNames = { op: true, ...planNames } satisfies Record<keyof ReduceOptions, true>;
const compactNames = {
  where: true,
  indices: true,
  indirect: true,
  ...planNames,
} satisfies Record<keyof CompactOptions, true>;

/** `Fold.prepareScan`. */
export async function prepareScan(context: Context, options: AnyOperator<ScanOptions>): Promise<Prepared> {
  requireOptions("prepareScan", options, scanNames);
  return prepare(context, planScan(options, context.facts, await methodsFor(options, context.facts)));
}

/** `Fold.prepareReduce`. */
export async function prepareReduce(
  context: Context,
  options: AnyOperator<ReduceOptions>,
): Promise<Prepared> {
  requireOptions("prepareReduce", options, reduceNames);
  const { planReduce } = await import("../plan/reduce.ts");
  return prepare(context, planReduce(options, context.facts, await methodsFor(options, context.facts)));
}

/** `Fold.prepareCompact`. */
export async function prepareCompact(context: Context, options: CompactOptions): Promise<Prepared> {
  requireOptions("prepareCompact", options, compactNames);
  const { planCompact } = await import("../plan/compact.ts");
  return prepare(context, planCompact(options, context.facts, await methodsFor(options, context.facts)));
}

/** Makes a compiled plan check ranges before it records them. */
function checked(compiled: Compiled, isSubmitted: boolean | undefined): Prepared {
  const { plan } = compiled;
  let destroyed = false;
  const buffers = new WeakMap<GPUBuffer, BufferFacts>();
  let nextNumber = 0;
  const factsOf = (buffer: GPUBuffer): BufferFacts => {
    const known = buffers.get(buffer) ?? {
      number: nextNumber++,
      size: buffer.size,
      usage: buffer.usage,
    };
    buffers.set(buffer, known);
    return known;
  };
  const recordings = new Map<string, Recording>();
  /** Drops the dispatches of a recording. An encoder that is not yet submitted may still use their objects. */
  const drop = (recording: Recording): void => {
    for (const { uniform } of (isSubmitted && recording.dispatches) || []) {
      uniform.destroy();
    }
    recording.dispatches = undefined;
  };

  /** Checks each range on its own, and returns them all. */
  const resolve = (given: Ranges, length: number): ResolvedRanges => {
    const { needs } = plan;
    if (needs.has("flags") && given.flags === undefined) {
      throw refusal(
        plan,
        "flags is undefined, and this was prepared without where; give record flags, or prepareCompact where",
        "flags",
      );
    }
    const range = (name: RangeName, given: BufferRange | undefined, items: number): Range | undefined =>
      needs.has(name) ? requireRange(plan, name, given, items, factsOf) : undefined;
    return {
      input: length === 0 && given.input === undefined ? undefined : range("input", given.input, length),
      output: range("output", given.output, plan.outputLength(length)),
      flags: range("flags", given.flags, length),
      total: range("total", given.count, 1),
      indirect: range("indirect", given.indirect, plan.indirectWords),
      length: range("length", given.length as BufferRange, 1),
    };
  };

  const names: OptionNames = {
    input: true,
    output: true,
    length: true,
    ...Object.fromEntries([...plan.needs].map((name) => [callersName(name), true as const])),
  };

  /** How ranges are recorded: found out once, before anything is recorded, and kept for the next time. */
  const recordingOf = (given: Ranges, most?: number): Recording => {
    if (destroyed) {
      throw new ArgumentError(`${plan.title} was destroyed; prepare it again`);
    }
    compiled.requireDevice();
    requireOptions(`${plan.title}: record`, given, names);
    const length = lengthOf(given.length, plan, most);
    const ranges = resolve(given, length);
    let key = `${length}`;
    for (const name in ranges) {
      const range = ranges[name as RangeName];
      if (range !== undefined) {
        key += ` ${name} ${factsOf(range.buffer).number} ${range.offset}`;
      }
    }
    const known = recordings.get(key);
    if (known !== undefined) {
      return known;
    }
    const made: Recording = { ...wayFor(compiled, length, ranges), dispatches: undefined };
    recordings.set(key, made);
    for (const [oldest, one] of recordings) {
      if (recordings.size > KEPT_RECORDINGS) {
        drop(one);
        recordings.delete(oldest);
      }
    }
    return made;
  };

  return {
    groupingOf: (given) => plan.groupingOf(recordingOf(given).way.arrangement),
    record(encoder, given, most) {
      if (typeof encoder !== "object" || encoder === null || !isEncoder(encoder)) {
        throw refusal(
          plan,
          "record takes a GPUCommandEncoder or a GPUComputePassEncoder, then the ranges",
          "encoder",
        );
      }
      const recording = recordingOf(given, most);
      if (plan.spine !== undefined && compiled.nextRun(isSubmitted)) {
        recordings.forEach(drop);
      }
      recording.dispatches ??= compiled.dispatches(recording.passes);
      compiled.encode(encoder, recording.dispatches);
    },
    destroy() {
      destroyed = true;
      recordings.clear();
      compiled.destroy();
    },
  };
}

const isEncoder = (encoder: object): boolean =>
  "dispatchWorkgroups" in encoder || "beginComputePass" in encoder;

const rangeNames = { buffer: true, offset: true, size: true } as const;

const refusal = ({ title }: Plan, problem: string, option: string): Error =>
  new ArgumentError(`${title}: ${problem}`, option);

/** The given length. If a buffer holds the length, the most that it may be. */
function lengthOf(given: unknown, plan: Plan, most = plan.maxLength): number {
  const { maxLength } = plan;
  if (plan.needs.has("length")) {
    if (typeof given === "number") {
      throw refusal(
        plan,
        `length is ${given}, and this was prepared with lengthOnGpu; it takes a GPUBuffer, or { buffer, offset }`,
        "length",
      );
    }
    return most;
  }
  if (typeof given === "object") {
    throw refusal(plan, `length is a buffer; prepare with lengthOnGpu: true to take it from there`, "length");
  }
  if (typeof given !== "number" || !Number.isInteger(given) || given < 0) {
    throw refusal(plan, `length is ${String(given)}; it takes a whole number from 0 up`, "length");
  }
  if (given > maxLength) {
    throw refusal(
      plan,
      `length ${given} is more than the maxLength ${maxLength} it was prepared for`,
      "length",
    );
  }
  return given;
}

function requireRange(
  plan: Plan,
  name: RangeName,
  given: BufferRange | undefined,
  items: number,
  factsOf: (buffer: GPUBuffer) => BufferFacts,
): Range {
  const itemBytes = plan.itemBytes[name];
  const called = callersName(name);
  if (typeof given !== "object" || given === null) {
    throw refusal(
      plan,
      `${called} is ${String(given)}; it takes a GPUBuffer, or { buffer, offset, size }`,
      called,
    );
  }
  const isRange = "buffer" in given;
  if (isRange) {
    requireOptions(`${plan.title}: ${called}`, given, rangeNames);
  }
  const range = isRange ? given : { buffer: given };
  const { buffer, offset = 0 } = range;
  const facts = Object(buffer) === buffer ? factsOf(buffer) : undefined;
  if (typeof facts?.size !== "number") {
    throw refusal(plan, `${called}'s buffer is no GPUBuffer`, called);
  }
  if (range.size !== undefined && !(Number.isInteger(range.size) && range.size >= 0)) {
    throw refusal(
      plan,
      `${called}'s size is ${String(range.size)} bytes; it takes a whole number from 0 up`,
      called,
    );
  }
  if (!Number.isInteger(offset) || offset < 0 || offset % itemBytes !== 0) {
    throw refusal(
      plan,
      `${called}'s offset is ${String(offset)} bytes; it takes a multiple of ${itemBytes}`,
      called,
    );
  }
  const { size: whole, usage } = facts;
  const size = range.size ?? whole - offset;
  // Storage bindings are whole words.
  const wanted = items === 0 ? 0 : wholeWords((offset % 4) + items * itemBytes) - (offset % 4);
  if (size > whole - offset || size < items * itemBytes || wanted > whole - offset) {
    throw refusal(
      plan,
      `${called} has ${Math.min(size, whole - offset)} bytes from offset ${offset} on, and ${items} items of ${itemBytes} bytes take ${wanted}`,
      called,
    );
  }
  if ((usage & BufferUsage.STORAGE) === 0) {
    throw refusal(plan, `${called}'s buffer lacks the usage STORAGE`, called);
  }
  return { buffer, offset, bytes: items * itemBytes };
}
