import { paramNames } from "../codegen/contract.ts";
import type { Arrangement } from "../codegen/kernels.ts";
import { bindingOf } from "../codegen/kernels.ts";
import { ArgumentError, LimitError } from "../errors.ts";
import type { Pass, Plan, RangeName } from "../primitives/plan.ts";
import { bindingBytes, gridOf, RUNS } from "../primitives/plan.ts";
import { BufferUsage } from "./constants.ts";
import type { Context, Digits, Pipeline } from "./context.ts";
import { allocate, digitsOf, explain, pipelineOf, requireDevice, uniformOf } from "./context.ts";

/** A range of a buffer that was checked. */
export interface Range {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly bytes: number;
}

/** By name, what a recording reads and writes. */
export type ResolvedRanges = Readonly<Partial<Record<RangeName, Range | undefined>>>;

/** One dispatch, ready to be encoded. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly width: number;
  readonly height: number;
  /** Whether it is a single pass, each run of which has a number. */
  readonly numbered: boolean;
}

/** A plan with its pipelines compiled and its scratch allocated: what records ranges that are known to be right. */
export interface Compiled {
  readonly plan: Plan;
  /** An {@link ArgumentError}: the plan's title, and the problem. */
  refusal(problem: string): Error;
  /** @throws {DeviceLostError} when the device is gone. */
  requireDevice(): void;
  /** What to encode for ranges that lie so. */
  dispatches(length: number, ranges: ResolvedRanges, arrangement: Arrangement): readonly Dispatch[];
  /**
   * Goes on to the next run's number. When all are used up, the spine is replaced by a new one, which is all zero.
   *
   * @returns whether it was: then what was made for the old one is of no more use.
   */
  nextRun(): boolean;
  /** Encodes a run. */
  encode(encoder: GPUCommandEncoder | GPUComputePassEncoder, dispatches: readonly Dispatch[]): void;
  destroy(): void;
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

/** Bytes of what is bound where a kernel has a binding and the ranges have nothing for it: of any item or vector. */
const NOTHING_BYTES = 64;

/**
 * Compiles a plan and allocates its scratch. `runs` is how many numbers a spine has: fewer in tests.
 *
 * @throws {SourceError} {@link OutOfMemoryError} {@link DeviceLostError}
 */
export async function compilePlan(context: Context, plan: Plan, runs = RUNS): Promise<Compiled> {
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
  const refusal = (problem: string): Error =>
    new ArgumentError(`${title}${problem.startsWith(" ") ? "" : ": "}${problem}`);
  const { limits } = device;
  const digits: Digits | undefined = plan.spine && digitsOf(context);
  // The number of the last run of a single pass.
  let run = 0;
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
        throw refusal(`${slot} is missing`);
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
        const step = leastCommonMultiple(limits.minStorageBufferOffsetAlignment, plan.vector * output);
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

  return {
    plan,
    refusal,
    requireDevice: () => requireDevice(context, title),
    dispatches: (length, ranges, arrangement) => {
      const { input, output } = ranges;
      const inPlace =
        input !== undefined && input.buffer === output?.buffer && input.offset === output.offset;
      return plan.passes(length, arrangement, inPlace).map((pass) => dispatchOf(pass, ranges, arrangement));
    },
    nextRun() {
      const isReplaced = run === runs && plan.spine !== undefined;
      if (isReplaced) {
        // Recordings that are not yet submitted keep the old one.
        scratch[plan.spine.scratch] = undefined;
        run = 0;
      }
      run++;
      return isReplaced;
    },
    encode(encoder, dispatches) {
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
      for (const buffer of [...nothings.values(), ...scratch]) {
        buffer?.destroy();
      }
    },
  };
}
