import type { Arrangement } from "../codegen/kernels.ts";
import { ArgumentError } from "../errors.ts";
import type { Plan, RangeName } from "../primitives/plan.ts";
import type { Grouping } from "../reference/grouping.ts";
import { wholeWords } from "../whole_words.ts";
import type { Compiled, Dispatch, Range, ResolvedRanges } from "./compiled.ts";
import { BufferUsage } from "./constants.ts";

// What a caller's own recordings take: at hand, it is not loaded.

/** A range of a buffer: all of it, or from a byte offset on. An offset is a multiple of the item's size. */
export type BufferRange =
  | GPUBuffer
  | { readonly buffer: GPUBuffer; readonly offset?: number; readonly size?: number };

/** Where a recording reads and writes. Every buffer has the usage STORAGE. */
export interface Ranges {
  readonly input?: BufferRange;
  readonly output: BufferRange;
  readonly flags?: BufferRange;
  readonly total?: BufferRange;
  readonly indirect?: BufferRange;
  /** A number, or where plans take it from a buffer: a range that starts with it, as a u32. */
  readonly length: number | BufferRange;
}

/** A plan with its pipelines compiled and its scratch allocated. */
export interface Prepared {
  groupingOf(ranges: Ranges): Grouping;
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges): void;
  destroy(): void;
}

/** What never changes of a buffer: to ask it takes longer than to remember. */
interface BufferFacts {
  /** Tells buffers apart, so that a recording has a key. */
  readonly number: number;
  readonly size: number;
  readonly usage: number;
}

/** Recordings whose objects are kept for the next one with the same ranges. */
const KEPT_RECORDINGS = 64;

/**
 * How ranges lie: whether in one buffer, and whether both start at a vector of theirs. A single dispatch
 * cannot bind a total and what lies in its buffer; then ranges are taken to start anywhere, which takes several.
 */
function arrangementOf(ranges: ResolvedRanges, { vector, itemBytes }: Plan): Arrangement {
  const { input, output, flags, total, indirect } = ranges;
  const atVectors = (["input", "output"] as const).every(
    (name) => (ranges[name]?.offset ?? 0) % (vector * itemBytes[name]) === 0,
  );
  if (input === undefined || input.buffer !== output?.buffer) {
    const results = [total?.buffer, indirect?.buffer].filter((buffer) => buffer !== undefined);
    const shares = [input, output, flags].some(
      (range) => range !== undefined && results.includes(range.buffer),
    );
    return atVectors && !shares ? "vectors" : "items";
  }
  return atVectors && input.offset === output.offset ? "in-place" : "one-buffer";
}

/** Records what it has checked. */
export function checked(compiled: Compiled): Prepared {
  const { plan } = compiled;
  let destroyed = false;
  const buffers = new WeakMap<GPUBuffer, BufferFacts>();
  let nextNumber = 0;
  const factsOf = (buffer: GPUBuffer): BufferFacts => {
    let known = buffers.get(buffer);
    if (known === undefined) {
      known = { number: nextNumber++, size: buffer.size, usage: buffer.usage };
      buffers.set(buffer, known);
    }
    return known;
  };
  const recordings = new Map<string, readonly Dispatch[]>();

  /** Everything that a recording is checked for, before anything is recorded. */
  const check = (given: Ranges): { length: number; ranges: ResolvedRanges } => {
    if (destroyed) {
      throw new ArgumentError(`${plan.title} was destroyed; prepare it again`);
    }
    compiled.requireDevice();
    const length = lengthOf(given.length, plan);
    const { needs } = plan;
    const resolve = (name: RangeName, range: BufferRange | undefined, items: number): Range | undefined =>
      needs.has(name) ? requireRange(plan, name, range, items, factsOf) : undefined;
    const ranges: Record<RangeName, Range | undefined> = {
      input: length === 0 && given.input === undefined ? undefined : resolve("input", given.input, length),
      output: resolve("output", given.output, plan.outputLength(length)),
      flags: length === 0 && given.flags === undefined ? undefined : resolve("flags", given.flags, length),
      total: resolve("total", given.total, 1),
      indirect: resolve("indirect", given.indirect, plan.indirectWords),
      length: resolve("length", given.length as BufferRange, 1),
    };
    rejectOverlaps(plan, ranges);
    return { length, ranges: length === 0 ? { ...ranges, input: undefined } : ranges };
  };

  /** The dispatches for ranges, made once and kept for the next time. */
  const dispatchesOf = (length: number, ranges: ResolvedRanges): readonly Dispatch[] => {
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
    const arrangement = arrangementOf(ranges, plan);
    const made = compiled.dispatches(length, ranges, arrangement);
    recordings.set(key, made);
    const oldest = recordings.keys().next().value;
    if (recordings.size > KEPT_RECORDINGS && oldest !== undefined) {
      // Only forgotten: an encoder that is not yet submitted may still hold its objects.
      recordings.delete(oldest);
    }
    return made;
  };

  return {
    groupingOf(given) {
      return plan.groupingOf(arrangementOf(check(given).ranges, plan));
    },
    record(encoder, given) {
      const { length, ranges } = check(given);
      if (plan.spine !== undefined && compiled.nextRun()) {
        recordings.clear();
      }
      compiled.encode(encoder, dispatchesOf(length, ranges));
    },
    destroy() {
      destroyed = true;
      recordings.clear();
      compiled.destroy();
    },
  };
}

const refusal = ({ title }: Plan, problem: string): Error => new ArgumentError(`${title}: ${problem}`);

/** The length that is given, or the most where a buffer holds it. */
function lengthOf(given: unknown, plan: Plan): number {
  const { maxLength } = plan;
  if (plan.needs.has("length")) {
    if (typeof given === "number") {
      throw refusal(
        plan,
        `length is ${given}, and this was prepared with lengthOnGpu; it takes a GPUBuffer, or { buffer, offset }`,
      );
    }
    return maxLength;
  }
  if (typeof given === "object") {
    throw refusal(plan, `length is a buffer; prepare with lengthOnGpu: true to take it from there`);
  }
  if (typeof given !== "number" || !Number.isInteger(given) || given < 0) {
    throw refusal(plan, `length is ${String(given)}; it takes a whole number from 0 up`);
  }
  if (given > maxLength) {
    throw refusal(plan, `length ${given} is more than the maxLength ${maxLength} it was prepared for`);
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
  if (typeof given !== "object" || given === null) {
    throw refusal(plan, `${name} is ${String(given)}; it takes a GPUBuffer, or { buffer, offset, size }`);
  }
  const range = "buffer" in given ? given : { buffer: given };
  const { buffer, offset = 0 } = range;
  if (!Number.isInteger(offset) || offset < 0 || offset % itemBytes !== 0) {
    throw refusal(plan, `${name}'s offset is ${offset} bytes; it takes a multiple of ${itemBytes}`);
  }
  const { size: whole, usage } = factsOf(buffer);
  const size = range.size ?? whole - offset;
  // Storage bindings are whole words.
  const wanted = items === 0 ? 0 : wholeWords((offset % 4) + items * itemBytes) - (offset % 4);
  if (size > whole - offset || size < items * itemBytes || wanted > whole - offset) {
    throw refusal(
      plan,
      `${name} has ${Math.min(size, whole - offset)} bytes from offset ${offset} on, and ${items} items of ${itemBytes} bytes take ${wanted}`,
    );
  }
  if ((usage & BufferUsage.STORAGE) === 0) {
    throw refusal(plan, `${name}'s buffer lacks the usage STORAGE`);
  }
  return { buffer, offset, bytes: items * itemBytes };
}

/** Two ranges may share a buffer; they may share bytes only as input and output of the same place. */
function rejectOverlaps(plan: Plan, ranges: ResolvedRanges): void {
  const { input, output, flags, total } = ranges;
  const overlap = (a: Range | undefined, b: Range | undefined): boolean =>
    a !== undefined &&
    b !== undefined &&
    a.buffer === b.buffer &&
    a.offset < b.offset + b.bytes &&
    b.offset < a.offset + a.bytes;
  const show = (range: Range | undefined): string =>
    `bytes ${range?.offset} to ${(range?.offset ?? 0) + (range?.bytes ?? 0)}`;
  const samePlace =
    input?.offset === output?.offset && (input?.bytes === output?.bytes || plan.outputLength(2) === 1);
  if (overlap(input, output) && !samePlace) {
    throw refusal(
      plan,
      `input (${show(input)}) and output (${show(output)}) overlap; they must be ${
        plan.itemBytes.input === plan.itemBytes.output ? "the same range, or apart" : "apart"
      }`,
    );
  }
  for (const small of ["total", "indirect"] as const) {
    for (const name of ["input", "output", "flags", "total"] as const) {
      if (small !== name && overlap(ranges[small], ranges[name])) {
        throw refusal(
          plan,
          `${small} (${show(ranges[small])}) and ${name} (${show(ranges[name])}) overlap; they must be apart`,
        );
      }
    }
  }
  if (flags !== undefined && flags.buffer === output?.buffer) {
    throw refusal(plan, `flags and output must be in different buffers`);
  }
  if (ranges.indirect !== undefined && ranges.indirect.buffer === total?.buffer) {
    throw refusal(plan, `indirect and total must be in different buffers`);
  }
  // A dispatch that writes a buffer may not read it through another binding.
  for (const name of ["output", "total", "indirect"] as const) {
    if (ranges.length !== undefined && ranges.length.buffer === ranges[name]?.buffer) {
      throw refusal(plan, `length and ${name} must be in different buffers`);
    }
  }
  if (
    total !== undefined &&
    total.buffer === output?.buffer &&
    input?.buffer === output.buffer &&
    input.offset === output.offset
  ) {
    throw refusal(plan, `in place, total must be in a buffer of its own`);
  }
}
