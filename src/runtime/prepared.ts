import { ArgumentError, LimitError } from "../errors.ts";
import type { Pass, Plan, Slot } from "../primitives/plan.ts";
import { bindingBytes, gridOf } from "../primitives/plan.ts";
import type { Grouping } from "../reference/grouping.ts";
import { BufferUsage } from "./constants.ts";
import type { Context, Pipeline } from "./context.ts";
import { allocate, explain, pipelineOf, requireDevice, uniformOf } from "./context.ts";

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
  readonly length: number;
}

/** A plan with its pipelines compiled and its scratch allocated. */
export interface Prepared {
  /** The order of its operations. */
  readonly grouping: Grouping;
  record(encoder: GPUCommandEncoder | GPUComputePassEncoder, ranges: Ranges): void;
  destroy(): void;
}

interface Range {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly bytes: number;
}

/** One dispatch, ready to be encoded. */
interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly width: number;
  readonly height: number;
}

/** Where bindings may start: at aligned addresses, and a whole number of items before the range. */
const leastCommonMultiple = (a: number, b: number): number => {
  let [larger, smaller] = [a, b];
  while (smaller > 0) {
    [larger, smaller] = [smaller, larger % smaller];
  }
  return (a / larger) * b;
};

/** Recordings whose objects are kept for the next one with the same ranges. */
const KEPT_RECORDINGS = 64;

/**
 * Compiles a plan and allocates its scratch.
 *
 * @throws {SourceError} {@link OutOfMemoryError} {@link DeviceLostError}
 */
export async function prepare(context: Context, plan: Plan): Promise<Prepared> {
  const { title } = plan;
  const { device } = context;
  requireDevice(context, title);
  const pipelines = new Map<string, Pipeline>();
  const scratch: GPUBuffer[] = [];
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
      buffer.destroy();
    }
    throw await explain(context, title, cause);
  }
  const scratchOf = (index: number): GPUBuffer => {
    const known = scratch[index] ?? device.createBuffer(describe(index));
    scratch[index] = known;
    return known;
  };
  let destroyed = false;
  // WebGPU objects are told apart by numbers, so that a recording has a key.
  const numbers = new WeakMap<GPUBuffer, number>();
  let nextNumber = 0;
  const numberOf = (buffer: GPUBuffer): number => {
    const known = numbers.get(buffer) ?? nextNumber++;
    numbers.set(buffer, known);
    return known;
  };
  const recordings = new Map<string, readonly Dispatch[]>();

  const dispatchesOf = (
    length: number,
    ranges: Partial<Record<"input" | "output" | "flags" | "total", Range>>,
  ): readonly Dispatch[] => {
    const { input, output } = ranges;
    const sharing = input !== undefined && input.buffer === output?.buffer ? "one-buffer" : "two-buffers";
    const inPlace = sharing === "one-buffer" && input?.offset === output?.offset;
    const alignment = device.limits.minStorageBufferOffsetAlignment;
    return plan.passes(length, sharing, inPlace).map((pass) => {
      const entries: GPUBindGroupEntry[] = [];
      const bases = { 1: 0, 2: 0, 4: 0, 5: 0 } as Record<number, number>;
      let oneBufferInput = 0;
      for (const [binding, slot] of pass.slots) {
        if (typeof slot === "object") {
          entries.push({ binding, resource: { buffer: scratchOf(slot.scratch) } });
          continue;
        }
        let range = ranges[slot] ?? emptyInput(slot);
        const itemBytes = plan.itemBytes[slot];
        // A kernel without a binding for the input reads and writes through one that spans both.
        const spans = binding === 2 && !pass.slots.has(1) && sharing === "one-buffer" && input !== undefined;
        if (spans) {
          const start = Math.min(input.offset, range.offset);
          const end = Math.max(input.offset + input.bytes, range.offset + range.bytes);
          range = { buffer: range.buffer, offset: start, bytes: end - start };
        }
        const step = leastCommonMultiple(alignment, itemBytes);
        const start = Math.floor(range.offset / step) * step;
        const size = bindingBytes(range.offset - start + range.bytes, 1);
        if (size > device.limits.maxStorageBufferBindingSize) {
          throw new LimitError(
            `${title}: binding ${slot} takes ${size} bytes, and the device's limit is ${device.limits.maxStorageBufferBindingSize}`,
          );
        }
        entries.push({ binding, resource: { buffer: range.buffer, offset: start, size } });
        bases[binding] = ((ranges[slot]?.offset ?? range.offset) - start) / itemBytes;
        if (spans) {
          oneBufferInput = (input.offset - start) / plan.itemBytes.input;
        }
      }
      return dispatchOf(pass, entries, [
        pass.slots.has(1) ? (bases[1] ?? 0) : oneBufferInput,
        bases[2] ?? 0,
        bases[4] ?? 0,
        bases[5] ?? 0,
      ]);
    });
  };

  const dispatchOf = (pass: Pass, entries: GPUBindGroupEntry[], bases: readonly number[]): Dispatch => {
    const { pipeline, layout } = pipelines.get(pass.kernel.code) as Pipeline;
    const { width, height } = gridOf(pass.tiles, device.limits, title);
    const label = `wavefold ${title}`;
    const uniform = uniformOf(device, [pass.length, width, ...bases, 0, 0], label);
    const bindGroup = device.createBindGroup({
      label,
      layout,
      entries: [{ binding: 0, resource: { buffer: uniform } }, ...entries],
    });
    return { pipeline, bindGroup, width, height };
  };

  // A reduction of nothing binds an input all the same.
  const emptyInput = (slot: Slot): Range => {
    if (slot !== "input") {
      throw new ArgumentError(`${title}: ${String(slot)} is missing`);
    }
    const bytes = bindingBytes(1, plan.itemBytes.input);
    emptyBuffer ??= device.createBuffer({ label: `wavefold ${title} nothing`, size: bytes, usage });
    return { buffer: emptyBuffer, offset: 0, bytes };
  };
  let emptyBuffer: GPUBuffer | undefined;

  return {
    grouping: plan.grouping,
    record(encoder, { input, output, flags, total, length }) {
      if (destroyed) {
        throw new ArgumentError(`${title} was destroyed; prepare it again`);
      }
      requireDevice(context, title);
      if (!Number.isInteger(length) || length < 0) {
        throw new ArgumentError(`${title}: length is ${String(length)}; it takes a whole number from 0 up`);
      }
      if (length > plan.maxLength) {
        throw new ArgumentError(
          `${title}: length ${length} is more than the maxLength ${plan.maxLength} it was prepared for`,
        );
      }
      const { itemBytes } = plan;
      const needed = plan.needs;
      const resolve = (
        name: "input" | "output" | "flags" | "total",
        given: BufferRange | undefined,
        items: number,
      ): Range | undefined =>
        needed.has(name) ? requireRange(title, name, given, items, itemBytes[name]) : undefined;
      const resolved = {
        input: length === 0 && input === undefined ? undefined : resolve("input", input, length),
        output: resolve("output", output, plan.outputLength(length)),
        flags: length === 0 && flags === undefined ? undefined : resolve("flags", flags, length),
        total: resolve("total", total, 1),
      };
      rejectOverlaps(title, resolved, plan);
      const present = Object.fromEntries(
        Object.entries(resolved).filter(
          ([name, range]) => range !== undefined && !(name === "input" && length === 0),
        ),
      ) as Partial<Record<"input" | "output" | "flags" | "total", Range>>;
      const key = `${length} ${Object.entries(present)
        .map(([name, range]) => `${name} ${numberOf(range.buffer)} ${range.offset}`)
        .join(" ")}`;
      let dispatches = recordings.get(key);
      if (dispatches === undefined) {
        dispatches = dispatchesOf(length, present);
        recordings.set(key, dispatches);
        const oldest = recordings.keys().next().value;
        if (recordings.size > KEPT_RECORDINGS && oldest !== undefined) {
          // Only forgotten: an encoder that is not yet submitted may still hold its objects.
          recordings.delete(oldest);
        }
      }
      const isPass = "dispatchWorkgroups" in encoder;
      const pass = isPass ? encoder : encoder.beginComputePass({ label: `wavefold ${title}` });
      for (const { pipeline, bindGroup, width, height } of dispatches) {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, bindGroup);
        pass.dispatchWorkgroups(width, height);
      }
      if (!isPass) {
        pass.end();
      }
    },
    destroy() {
      destroyed = true;
      recordings.clear();
      emptyBuffer?.destroy();
      for (const buffer of scratch) {
        buffer?.destroy();
      }
    },
  };
}

function requireRange(
  title: string,
  name: string,
  given: BufferRange | undefined,
  items: number,
  itemBytes: number,
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
  const size = range.size ?? buffer.size - offset;
  // Storage bindings are whole words.
  const wanted = items === 0 ? 0 : bindingBytes((offset % 4) + items * itemBytes, 1) - (offset % 4);
  if (size > buffer.size - offset || size < items * itemBytes || wanted > buffer.size - offset) {
    throw new ArgumentError(
      `${title}: ${name} has ${Math.min(size, buffer.size - offset)} bytes from offset ${offset} on, and ${items} items of ${itemBytes} bytes take ${wanted}`,
    );
  }
  if ((buffer.usage & BufferUsage.STORAGE) === 0) {
    throw new ArgumentError(`${title}: ${name}'s buffer lacks the usage STORAGE`);
  }
  return { buffer, offset, bytes: items * itemBytes };
}

/** Two ranges may share a buffer; they may share bytes only as input and output of the same place. */
function rejectOverlaps(
  title: string,
  ranges: Record<"input" | "output" | "flags" | "total", Range | undefined>,
  plan: Plan,
): void {
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
      `${title}: input (${show(input)}) and output (${show(output)}) overlap; they must be the same range, or apart`,
    );
  }
  for (const [name, range] of [
    ["input", input],
    ["output", output],
    ["flags", flags],
  ] as const) {
    if (overlap(total, range)) {
      throw new ArgumentError(
        `${title}: total (${show(total)}) and ${name} (${show(range)}) overlap; they must be apart`,
      );
    }
  }
  if (flags !== undefined && flags.buffer === output?.buffer) {
    throw new ArgumentError(`${title}: flags and output must be in different buffers`);
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
