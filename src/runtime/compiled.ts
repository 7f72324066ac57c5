import { leastCommonMultiple, paramNames } from "../codegen/contract.ts";
import type { Arrangement } from "../codegen/kernels.ts";
import { bindingOf } from "../codegen/kernels.ts";
import { LimitError } from "../errors.ts";
import { loadDigits } from "../later.ts";
import type { Pass, Plan, RangeName } from "../primitives/plan.ts";
import { gridOf, RUNS } from "../primitives/plan.ts";
import { wholeWords } from "../whole_words.ts";
import { BufferUsage } from "./constants.ts";
import type { Context, Pipeline } from "./context.ts";
import { allocate, explain, pipelineOf, requireDevice, uniformOf } from "./context.ts";
import type { Digits } from "./digits.ts";

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
  // What the numbers of single-pass runs are put together from.
  let digits: Digits | undefined;
  try {
    const [loaded] = await Promise.all([
      plan.spine && loadDigits(),
      ...plan.kernels.map(async (kernel) => {
        pipelines.set(kernel.code, await pipelineOf(context, kernel));
      }),
    ]);
    digits = loaded?.digitsOf(context);
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
    const { bindings, vector } = kernel;
    const params: Record<string, number> = { length, tiles, spine_tiles: plan.spine?.tiles ?? 0 };
    const entries: GPUBindGroupEntry[] = [];
    const bind = (binding: number, buffer: GPUBuffer, offset: number, end: number): void => {
      const size = wholeWords(end - offset);
      if (size > limits.maxStorageBufferBindingSize) {
        throw new LimitError(
          `${title}: a binding takes ${size} bytes, and the device's limit is ${limits.maxStorageBufferBindingSize}`,
        );
      }
      entries.push({ binding, resource: { buffer, offset, size } });
    };
    const alignedTo = (unit: number): number =>
      leastCommonMultiple(limits.minStorageBufferOffsetAlignment, unit);
    /** Binds bytes from an aligned address on, where a unit starts; returns the units before the first. */
    const bindUnits = (
      binding: number,
      buffer: GPUBuffer,
      first: number,
      end: number,
      unit: number,
    ): number => {
      const start = floorTo(first, alignedTo(unit));
      bind(binding, buffer, start, end);
      return (first - start) / unit;
    };
    const bindNothing = (binding: number, access: "read" | "write"): number => {
      bind(binding, nothing(access), 0, NOTHING_BYTES);
      return 0;
    };

    // Vectors up to where the rest of the output can be bound on its own, at an aligned address.
    let wide = 0xffffffff;
    const writesVectors = bindings.has(bindingOf.outputEnd);
    if (writesVectors || bindings.has(bindingOf.inputEnd)) {
      wide = floorTo(length, vector);
      if (writesVectors && wide < length && ranges.output !== undefined) {
        const { offset } = ranges.output;
        const itemBytes = plan.itemBytes.output;
        const end = floorTo(offset + wide * itemBytes, alignedTo(plan.vector * itemBytes));
        wide = Math.max(0, end - offset) / itemBytes;
      }
    }
    params.wide_length = wide;

    for (const [binding, slot] of slots) {
      if (typeof slot === "object") {
        entries.push({ binding, resource: { buffer: scratchOf(slot.scratch) } });
        continue;
      }
      const range = ranges[slot];
      const itemBytes = plan.itemBytes[slot];
      const endBinding = slot === "input" ? bindingOf.inputEnd : bindingOf.outputEnd;
      if ((slot === "input" || slot === "output") && bindings.has(endBinding)) {
        // As vectors up to `wide` items, and what follows as items.
        const access = slot === "input" ? "read" : "write";
        const { buffer, offset, bytes } = range ?? { buffer: nothing(access), offset: 0, bytes: 0 };
        const middle = offset + wide * itemBytes;
        const end = offset + bytes;
        params[`${slot}_base`] =
          bytes === 0 || wide === 0
            ? bindNothing(binding, access)
            : bindUnits(binding, buffer, offset, middle, vector * itemBytes);
        params[`${slot}_end_base`] =
          middle >= end
            ? bindNothing(endBinding, access)
            : bindUnits(endBinding, buffer, middle, end, itemBytes);
      } else if (range === undefined) {
        bindNothing(binding, "read");
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
        const base = bindUnits(binding, range.buffer, start, end, itemBytes);
        params.input_base = base + (input.offset - start) / itemBytes;
        params.output_base = base + (range.offset - start) / itemBytes;
      } else {
        const end = range.offset + range.bytes;
        params[`${slot}_base`] = bindUnits(binding, range.buffer, range.offset, end, itemBytes);
      }
    }
    const { pipeline, layout } = pipelines.get(kernel.code) as Pipeline;
    const { width, height } = gridOf(tiles, limits, title);
    params.grid_width = width;
    const label = `wavefold ${title}`;
    const words = paramNames.map((name) => params[name] ?? 0);
    const numbered = bindings.has(bindingOf.runLow);
    entries.push({ binding: bindingOf.params, resource: { buffer: uniformOf(device, words, label) } });
    if (numbered && digits !== undefined) {
      for (const binding of [bindingOf.runLow, bindingOf.runHigh]) {
        entries.push({ binding, resource: digits.resource });
      }
    }
    const bindGroup = device.createBindGroup({ label, layout, entries });
    return { pipeline, bindGroup, width, height, numbered };
  };

  return {
    plan,
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
        pass.setBindGroup(0, bindGroup, numbered ? digits?.offsetsOf(run) : undefined);
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
