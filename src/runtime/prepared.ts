import { paramNames } from "../codegen/contract.ts";
import type { Arrangement } from "../codegen/kernels.ts";
import { bindingOf } from "../codegen/kernels.ts";
import { ArgumentError, LimitError } from "../errors.ts";
import type { Pass, Plan, RangeName } from "../primitives/plan.ts";
import { bindingBytes, gridOf, RUNS } from "../primitives/plan.ts";
import type { Grouping } from "../reference/grouping.ts";
import { BufferUsage } from "./constants.ts";
import type { Context, Digits, Pipeline } from "./context.ts";
import { allocate, digitsOf, explain, pipelineOf, requireDevice, uniformOf } from "./context.ts";

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

interface Range {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly bytes: number;
}

/** What never changes of a buffer: to ask it takes longer than to remember. */
interface BufferFacts {
  /** Tells buffers apart, so that a recording has a key. */
  readonly number: number;
  readonly size: number;
  readonly usage: number;
}

type ResolvedRanges = Readonly<Record<RangeName, Range | undefined>>;

/** One dispatch, ready to be encoded. */
interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly width: number;
  readonly height: number;
  /** Whether it is a single pass, each run of which has a number. */
  readonly numbered: boolean;
}

/** A multiple of both, the least. */
const leastCommonMultiple = (a: number, b: number): number => {
  let [larger, smaller] = [a, b];
  while (smaller > 0) {
    [larger, smaller] = [smaller, larger % smaller];
  }
  return (a / larger) * b;
};

const floorTo = (value: number, step: number): number => Math.floor(value / step) * step;

/** Recordings whose objects are kept for the next one with the same ranges. */
const KEPT_RECORDINGS = 64;

/** Bytes of what is bound where a kernel has a binding and the ranges have nothing for it: of any item or vector. */
const NOTHING_BYTES = 64;

/** Bytes that as many items of a range take as are loaded and stored together. */
const vectorBytesOf = ({ vector, itemBytes }: Plan, name: "input" | "output"): number =>
  vector * itemBytes[name];

/**
 * How ranges lie: whether in one buffer, and whether both start at a vector of theirs. A single dispatch
 * cannot bind a total and what lies in its buffer; then ranges are taken to start anywhere, which takes several.
 */
function arrangementOf(ranges: ResolvedRanges, plan: Plan): Arrangement {
  const { input, output, flags, total, indirect } = ranges;
  const atVectors = (["input", "output"] as const).every(
    (name) => (ranges[name]?.offset ?? 0) % vectorBytesOf(plan, name) === 0,
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

/**
 * Compiles a plan and allocates its scratch. `runs` is how many numbers a spine has: fewer in tests.
 *
 * @throws {SourceError} {@link OutOfMemoryError} {@link DeviceLostError}
 */
export async function prepare(context: Context, plan: Plan, runs = RUNS): Promise<Prepared> {
  const { title } = plan;
  const { device } = context;
  requireDevice(context, title);
  const pipelines = new Map<string, Pipeline>();
  const scratch: (GPUBuffer | undefined)[] = [];
  const usage = BufferUsage.STORAGE;
  const describe = (index: number): GPUBufferDescriptor => ({
    label: `wavefold ${title} scratch ${index}`,
    size: plan.scratch[index] ?? 4,
    usage,
  });
  try {
    const compiled = await Promise.all(plan.kernels.map((kernel) => pipelineOf(context, kernel)));
    plan.kernels.forEach((kernel, index) => {
      pipelines.set(kernel.code, compiled[index] as Pipeline);
    });
    for (let index = 0; index < plan.eagerScratch; index++) {
      scratch.push(await allocate(context, describe(index), title));
    }
  } catch (cause) {
    for (const buffer of scratch) {
      buffer?.destroy();
    }
    throw await explain(context, title, cause);
  }
  const scratchOf = (index: number): GPUBuffer => {
    const known = scratch[index] ?? device.createBuffer(describe(index));
    scratch[index] = known;
    return known;
  };
  const { limits } = device;
  const digits: Digits | undefined = plan.spine && digitsOf(context);
  let destroyed = false;
  // The number of the last run of a single pass.
  let run = 0;
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

  // Bound where there is nothing: one to read and one to write, since a dispatch may not do both to one buffer.
  const nothings = new Map<string, GPUBuffer>();
  const nothing = (name: "read" | "write"): GPUBuffer => {
    const known =
      nothings.get(name) ??
      device.createBuffer({ label: `wavefold ${title} nothing`, size: NOTHING_BYTES, usage });
    nothings.set(name, known);
    return known;
  };

  const dispatchOf = (pass: Pass, ranges: ResolvedRanges, arrangement: Arrangement): Dispatch => {
    const { kernel, slots, length, tiles } = pass;
    const params: Record<string, number> = {
      length,
      tiles,
      spine_tiles: plan.spine?.tiles ?? 0,
    };
    const entries: GPUBindGroupEntry[] = [];
    const bind = (binding: number, buffer: GPUBuffer, offset: number, end: number): void => {
      const size = bindingBytes(end - offset, 1);
      if (size > limits.maxStorageBufferBindingSize) {
        throw new LimitError(
          `${title}: a binding takes ${size} bytes, and the device's limit is ${limits.maxStorageBufferBindingSize}`,
        );
      }
      entries.push({ binding, resource: { buffer, offset, size } });
    };
    /** Binds a range as single items, from an aligned address on; returns where it starts there. */
    const bindItems = (binding: number, range: Range, itemBytes: number, from = range.offset): number => {
      const start = floorTo(from, leastCommonMultiple(limits.minStorageBufferOffsetAlignment, itemBytes));
      bind(binding, range.buffer, start, range.offset + range.bytes);
      return (from - start) / itemBytes;
    };
    const rangeOf = (slot: RangeName): Range | undefined => {
      const range = ranges[slot];
      if (range === undefined && slot !== "input") {
        throw new ArgumentError(`${title}: ${slot} is missing`);
      }
      return range;
    };

    // Vectors up to where the rest of the output can be bound on its own, at an aligned address.
    let wide = 0xffffffff;
    if (kernel.bindings.has(bindingOf.inputEnd) || kernel.bindings.has(bindingOf.outputEnd)) {
      const written = kernel.bindings.has(bindingOf.outputEnd) ? ranges.output : undefined;
      wide = floorTo(length, kernel.vector);
      if (wide < length && written !== undefined) {
        const { output } = plan.itemBytes;
        const step = leastCommonMultiple(
          limits.minStorageBufferOffsetAlignment,
          vectorBytesOf(plan, "output"),
        );
        const end = floorTo(written.offset + wide * output, step);
        wide = Math.max(0, end - written.offset) / output;
      }
    }
    params.wide_length = wide;
    /** Binds a range as vectors up to `wide` items, and what follows as items. */
    const bindVectors = (
      binding: number,
      endBinding: number,
      range: Range | undefined,
      itemBytes: number,
      access: "read" | "write",
    ): readonly [number, number] => {
      const vector = kernel.vector * itemBytes;
      const alignment = limits.minStorageBufferOffsetAlignment;
      const middle = (range?.offset ?? 0) + wide * itemBytes;
      let base = 0;
      if (range === undefined || wide === 0) {
        bind(binding, nothing(access), 0, NOTHING_BYTES);
      } else {
        const start = floorTo(range.offset, leastCommonMultiple(alignment, vector));
        bind(binding, range.buffer, start, middle);
        base = (range.offset - start) / vector;
      }
      if (range === undefined || middle >= range.offset + range.bytes) {
        bind(endBinding, nothing(access), 0, NOTHING_BYTES);
        return [base, 0];
      }
      return [base, bindItems(endBinding, range, itemBytes, middle)];
    };

    for (const [binding, slot] of slots) {
      if (typeof slot === "object") {
        const buffer = scratchOf(slot.scratch);
        if (binding === bindingOf.input && kernel.bindings.has(bindingOf.inputEnd)) {
          throw new Error(`${title}: scratch is bound as items`);
        }
        entries.push({ binding, resource: { buffer } });
        continue;
      }
      const range = rangeOf(slot);
      const itemBytes = plan.itemBytes[slot];
      if (binding === bindingOf.input && kernel.bindings.has(bindingOf.inputEnd)) {
        const [base, end] = bindVectors(binding, bindingOf.inputEnd, range, itemBytes, "read");
        params.input_base = base;
        params.input_end_base = end;
      } else if (binding === bindingOf.output && kernel.bindings.has(bindingOf.outputEnd)) {
        const [base, end] = bindVectors(binding, bindingOf.outputEnd, range, itemBytes, "write");
        params.output_base = base;
        params.output_end_base = end;
      } else if (range === undefined) {
        bind(binding, nothing("read"), 0, NOTHING_BYTES);
      } else if (
        binding === bindingOf.output &&
        !slots.has(bindingOf.input) &&
        ranges.input?.buffer === range.buffer &&
        arrangement === "one-buffer"
      ) {
        // One binding spans both ranges.
        const { input } = ranges;
        const start = Math.min(input.offset, range.offset);
        const end = Math.max(input.offset + input.bytes, range.offset + range.bytes);
        const base = bindItems(
          binding,
          { buffer: range.buffer, offset: start, bytes: end - start },
          itemBytes,
        );
        params.input_base = base + (input.offset - start) / itemBytes;
        params.output_base = base + (range.offset - start) / itemBytes;
      } else {
        params[`${slot}_base`] = bindItems(binding, range, itemBytes);
      }
    }
    const { pipeline, layout } = pipelines.get(kernel.code) as Pipeline;
    const { width, height } = gridOf(tiles, limits, title);
    params.grid_width = width;
    const label = `wavefold ${title}`;
    const words = paramNames.map((name) => params[name] ?? 0);
    const uniform = uniformOf(device, words, label);
    const numbered = kernel.bindings.has(bindingOf.runLow);
    const bindGroup = device.createBindGroup({
      label,
      layout,
      entries: [
        { binding: bindingOf.params, resource: { buffer: uniform } },
        ...entries,
        ...(numbered && digits !== undefined
          ? [bindingOf.runLow, bindingOf.runHigh].map((binding) => ({
              binding,
              resource: { buffer: digits.buffer, size: digits.bytes },
            }))
          : []),
      ],
    });
    return { pipeline, bindGroup, width, height, numbered };
  };

  /** Everything that a recording is checked for, before anything is recorded. */
  const check = (given: Ranges): { length: number; ranges: ResolvedRanges } => {
    if (destroyed) {
      throw new ArgumentError(`${title} was destroyed; prepare it again`);
    }
    requireDevice(context, title);
    const length = lengthOf(given.length, plan);
    const { itemBytes, needs } = plan;
    const resolve = (name: RangeName, range: BufferRange | undefined, items: number): Range | undefined =>
      needs.has(name) ? requireRange(title, name, range, items, itemBytes[name], factsOf) : undefined;
    const ranges: Record<RangeName, Range | undefined> = {
      input: length === 0 && given.input === undefined ? undefined : resolve("input", given.input, length),
      output: resolve("output", given.output, plan.outputLength(length)),
      flags: length === 0 && given.flags === undefined ? undefined : resolve("flags", given.flags, length),
      total: resolve("total", given.total, 1),
      indirect: resolve("indirect", given.indirect, plan.indirectWords),
      length: resolve("length", given.length as BufferRange, 1),
    };
    rejectOverlaps(title, ranges, plan);
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
    const { input, output } = ranges;
    const inPlace = input !== undefined && input.buffer === output?.buffer && input.offset === output.offset;
    const made = plan
      .passes(length, arrangement, inPlace)
      .map((pass) => dispatchOf(pass, ranges, arrangement));
    recordings.set(key, made);
    const oldest = recordings.keys().next().value;
    if (recordings.size > KEPT_RECORDINGS && oldest !== undefined) {
      // Only forgotten: an encoder that is not yet submitted may still hold its objects.
      recordings.delete(oldest);
    }
    return made;
  };

  /** The next run's number. When all are used up, the spine is replaced by a new one, which is all zero. */
  const nextRun = (): void => {
    if (run === runs && plan.spine !== undefined) {
      // Recordings that are not yet submitted keep the old one.
      scratch[plan.spine.scratch] = undefined;
      recordings.clear();
      run = 0;
    }
    run++;
  };

  return {
    groupingOf(given) {
      return plan.groupingOf(arrangementOf(check(given).ranges, plan));
    },
    record(encoder, given) {
      const { length, ranges } = check(given);
      if (plan.spine !== undefined) {
        nextRun();
      }
      const dispatches = dispatchesOf(length, ranges);
      const isPass = "dispatchWorkgroups" in encoder;
      const pass = isPass ? encoder : encoder.beginComputePass({ label: `wavefold ${title}` });
      for (const { pipeline, bindGroup, width, height, numbered } of dispatches) {
        pass.setPipeline(pipeline);
        if (numbered && digits !== undefined) {
          pass.setBindGroup(0, bindGroup, [
            (run % digits.base) * digits.stride,
            Math.floor(run / digits.base) * digits.stride,
          ]);
        } else {
          pass.setBindGroup(0, bindGroup);
        }
        pass.dispatchWorkgroups(width, height);
      }
      if (!isPass) {
        pass.end();
      }
    },
    destroy() {
      destroyed = true;
      recordings.clear();
      for (const buffer of [...nothings.values(), ...scratch]) {
        buffer?.destroy();
      }
    },
  };
}

/** The length that is given, or the most where a buffer holds it. */
function lengthOf(given: unknown, plan: Plan): number {
  const { title, maxLength } = plan;
  if (plan.needs.has("length")) {
    if (typeof given === "number") {
      throw new ArgumentError(
        `${title}: length is ${given}, and this was prepared with lengthOnGpu; it takes a GPUBuffer, or { buffer, offset }`,
      );
    }
    return maxLength;
  }
  if (typeof given === "object") {
    throw new ArgumentError(
      `${title}: length is a buffer; prepare with lengthOnGpu: true to take it from there`,
    );
  }
  if (typeof given !== "number" || !Number.isInteger(given) || given < 0) {
    throw new ArgumentError(`${title}: length is ${String(given)}; it takes a whole number from 0 up`);
  }
  if (given > maxLength) {
    throw new ArgumentError(
      `${title}: length ${given} is more than the maxLength ${maxLength} it was prepared for`,
    );
  }
  return given;
}

function requireRange(
  title: string,
  name: string,
  given: BufferRange | undefined,
  items: number,
  itemBytes: number,
  factsOf: (buffer: GPUBuffer) => BufferFacts,
): Range {
  if (typeof given !== "object" || given === null) {
    throw new ArgumentError(
      `${title}: ${name} is ${String(given)}; it takes a GPUBuffer, or { buffer, offset, size }`,
    );
  }
  const range = "buffer" in given ? given : { buffer: given };
  const { buffer, offset = 0 } = range;
  if (!Number.isInteger(offset) || offset < 0 || offset % itemBytes !== 0) {
    throw new ArgumentError(
      `${title}: ${name}'s offset is ${offset} bytes; it takes a multiple of ${itemBytes}`,
    );
  }
  const { size: whole, usage } = factsOf(buffer);
  const size = range.size ?? whole - offset;
  // Storage bindings are whole words.
  const wanted = items === 0 ? 0 : bindingBytes((offset % 4) + items * itemBytes, 1) - (offset % 4);
  if (size > whole - offset || size < items * itemBytes || wanted > whole - offset) {
    throw new ArgumentError(
      `${title}: ${name} has ${Math.min(size, whole - offset)} bytes from offset ${offset} on, and ${items} items of ${itemBytes} bytes take ${wanted}`,
    );
  }
  if ((usage & BufferUsage.STORAGE) === 0) {
    throw new ArgumentError(`${title}: ${name}'s buffer lacks the usage STORAGE`);
  }
  return { buffer, offset, bytes: items * itemBytes };
}

/** Two ranges may share a buffer; they may share bytes only as input and output of the same place. */
function rejectOverlaps(title: string, ranges: ResolvedRanges, plan: Plan): void {
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
    throw new ArgumentError(
      `${title}: input (${show(input)}) and output (${show(output)}) overlap; they must be ${
        plan.itemBytes.input === plan.itemBytes.output ? "the same range, or apart" : "apart"
      }`,
    );
  }
  for (const small of ["total", "indirect"] as const) {
    for (const name of ["input", "output", "flags", "total"] as const) {
      if (small !== name && overlap(ranges[small], ranges[name])) {
        throw new ArgumentError(
          `${title}: ${small} (${show(ranges[small])}) and ${name} (${show(ranges[name])}) overlap; they must be apart`,
        );
      }
    }
  }
  if (flags !== undefined && flags.buffer === output?.buffer) {
    throw new ArgumentError(`${title}: flags and output must be in different buffers`);
  }
  if (ranges.indirect !== undefined && ranges.indirect.buffer === total?.buffer) {
    throw new ArgumentError(`${title}: indirect and total must be in different buffers`);
  }
  // A dispatch that writes a buffer may not read it through another binding.
  for (const name of ["output", "total", "indirect"] as const) {
    if (ranges.length !== undefined && ranges.length.buffer === ranges[name]?.buffer) {
      throw new ArgumentError(`${title}: length and ${name} must be in different buffers`);
    }
  }
  if (
    total !== undefined &&
    total.buffer === output?.buffer &&
    input?.buffer === output.buffer &&
    input.offset === output.offset
  ) {
    throw new ArgumentError(`${title}: in place, total must be in a buffer of its own`);
  }
}
