import { baseOf, callMembers, leastCommonMultiple } from "../../kernels/contract.ts";
import type { Kernel } from "../../kernels/kernel.ts";
import type { Limits } from "../../plan/device_facts.ts";
import type { Bindable, Pass, Plan, RangeName, Scratch, Variant } from "../../plan/plan.ts";
import { gridOf, itemBytesOf, RUNS, wholeWords } from "../../plan/plan.ts";
import type { Context, Pipeline, RunNumberDigits } from "../device/context.ts";
import { allocate, filledBuffer, pipelineOf } from "../device/device.ts";
import { scratchError } from "../device/device_errors.ts";
import { explain, requireDevice } from "../device/lost.ts";
import { COPY_DST, SCRATCH, UNIFORM } from "../device/usage_flags.ts";
import { runNumberDigits } from "./run_numbers.ts";

/** A range of a buffer, which was checked. */
export interface Range {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly bytes: number;
}

/** The ranges that a recording reads and writes, by name. */
export type ResolvedRanges = Readonly<Partial<Record<RangeName, Range | undefined>>>;

/** The part of one of the caller's ranges that a dispatch binds. It starts at an aligned address. */
export interface BoundRange extends Range {
  readonly name: RangeName;
  /** Whether the dispatch may write it. */
  readonly writes: boolean;
}

/** What a dispatch binds to a variable: one of the caller's ranges; scratch, or a part of it; or a placeholder that is never used. */
export type Bound = { readonly variable: string } & (
  | BoundRange
  | { readonly scratch: Scratch }
  | { readonly scratch: Scratch; readonly offset: number; readonly bytes: number }
  | { readonly nothing: true }
);

/** One dispatch as data. No object of WebGPU's is made for it yet. */
export interface BoundPass {
  readonly pass: Pass;
  readonly bound: readonly Bound[];
  readonly params: Readonly<Record<string, number>>;
}

/** One dispatch, ready to be encoded. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  /** Its parameters. They are held as long as the dispatch may be encoded again. */
  readonly uniform: GPUBuffer;
  readonly width: number;
  readonly height: number;
  /** Whether it is a single pass, so that each execution has a run number. */
  readonly numbered: boolean;
  /** Whether its texts see params. */
  readonly takesParams: boolean;
  /** What holds the number of its work-groups, if that is counted on the GPU. */
  readonly counted: GPUBuffer | undefined;
}

/** Parameters of a recording whose items are a part of longer data. shaders/contract.wgsl explains each. */
export type PartParams = Readonly<Partial<Record<(typeof callMembers)[number], number>>>;

/** A plan with its pipelines compiled and its scratch allocated. It records ranges that were checked before. */
export interface Compiled {
  readonly plan: Plan;
  readonly limits: Limits;
  /** @throws {DeviceLostError} when the device is gone. */
  requireDevice(): void;
  /** What each dispatch binds for these ranges. */
  bind(length: number, ranges: ResolvedRanges, variant: Variant, params?: PartParams): readonly BoundPass[];
  /** Makes the dispatches that are encoded. */
  dispatches(passes: readonly BoundPass[]): readonly Dispatch[];
  /**
   * Goes on to the next run number. When all numbers are used up, a new spine, which is all zero, replaces the old one.
   *
   * `isSubmitted` says that every encoder that uses the old spine is submitted. Then the old spine is destroyed.
   *
   * @returns whether the spine was replaced. Then dispatches that bind the old one cannot be encoded again.
   */
  nextRun(isSubmitted?: boolean): boolean;
  /** The scratch buffer of a name. */
  scratch(name: string): GPUBuffer;
  /** Destroys a buffer when the plan is destroyed. Returns the buffer. */
  own(buffer: GPUBuffer): GPUBuffer;
  /**
   * Encodes an execution. If the device took the same one before (`isKnown`), its pass needs no label. `paramsOffset` is where the values
   * of its params are in their buffer.
   */
  encode(
    encoder: GPUCommandEncoder | GPUComputePassEncoder,
    dispatches: readonly Dispatch[],
    isKnown?: boolean,
    paramsOffset?: number,
  ): void;
  destroy(): void;
}

const floorTo = (value: number, step: number): number => Math.floor(value / step) * step;

/** One of the caller's ranges, or scratch that kernels take as vectors. */
interface Located {
  /** What is bound. It is undefined if the caller gave no range. */
  readonly source: Pick<BoundRange, "name" | "buffer"> | { readonly scratch: Scratch } | undefined;
  readonly offset: number;
  readonly bytes: number;
  readonly itemBytes: number;
}

/** Where a pass finds what it binds. Scratch has as many items as the pass. */
function locate(from: Bindable, { length }: Pass, plan: Plan, ranges: ResolvedRanges): Located {
  if (typeof from === "object") {
    const { itemBytes = 4 } = from;
    return { source: { scratch: from }, offset: 0, bytes: length * itemBytes, itemBytes };
  }
  const { buffer, offset = 0, bytes = 0 } = ranges[from] ?? {};
  return { source: buffer && { name: from, buffer }, offset, bytes, itemBytes: itemBytesOf(plan, from) };
}

/** How many items the range has that a plan looks things up in. */
const itemsLookedUp = (plan: Plan, ranges: ResolvedRanges): number => {
  const { range } = plan.lookedUp ?? {};
  return range ? (ranges[range]?.bytes ?? 0) / itemBytesOf(plan, range) : 0;
};

/** What a pass binds for the values that its texts name. A dynamic offset says where they are. */
const paramsBound = (
  { textParams }: Plan,
  { bindings }: Kernel,
  { params }: ResolvedRanges,
): readonly Bound[] =>
  textParams && params && bindings.has("params")
    ? [
        {
          variable: "params",
          name: "params",
          buffer: params.buffer,
          offset: 0,
          bytes: textParams.bytes,
          writes: false,
        },
      ]
    : [];

/**
 * What a pass binds, and its parameters. An empty range is not bound. A placeholder, which is never used, takes its place.
 */
function boundPass(
  plan: Plan,
  pass: Pass,
  ranges: ResolvedRanges,
  { minStorageBufferOffsetAlignment }: Limits,
  partParams: PartParams,
): BoundPass {
  const { kernel, length, tiles } = pass;
  const { bindings, vector } = kernel;
  const params: Record<string, number> = {
    length,
    tiles,
    spine_entries: plan.spine?.entries ?? 0,
    ...partParams,
  };
  const bound: Bound[] = [];
  const alignedTo = (unit: number): number => leastCommonMultiple(minStorageBufferOffsetAlignment, unit);
  /**
   * Binds the bytes from `first` to `end`, in units. The binding starts at an aligned address, where a unit starts. Returns
   * how many units of the binding come before `first`.
   */
  const bind = (
    variable: string,
    source: Located["source"],
    first: number,
    end: number,
    unit: number,
  ): number => {
    if (source === undefined || first >= end) {
      bound.push({ variable, nothing: true });
      return 0;
    }
    const offset = floorTo(first, alignedTo(unit));
    const writes = bindings.get(variable)?.kind === "read_write";
    bound.push({ variable, ...source, offset, bytes: wholeWords(end - offset), writes });
    return (first - offset) / unit;
  };

  // Items go as vectors up to an aligned address, where the rest of the output can be bound on its own.
  let wide = 0xffffffff;
  const writesVectors = bindings.has("output_end");
  if (writesVectors || bindings.has("input_end")) {
    wide = floorTo(length, vector);
    if (writesVectors && wide < length) {
      const { source, offset, itemBytes } = locate(pass.bindings.output ?? "output", pass, plan, ranges);
      const end = floorTo(offset + wide * itemBytes, alignedTo(plan.vector * itemBytes));
      wide = source ? Math.max(0, end - offset) / itemBytes : wide;
    }
  }
  params.wide_length = wide;

  for (const [variable, from] of Object.entries(pass.bindings)) {
    const { source, offset, bytes, itemBytes } = locate(from, pass, plan, ranges);
    const end = offset + bytes;
    if (bindings.has(`${variable}_end`)) {
      // The first `wide` items are bound as vectors, and the rest as single items.
      const middle = Math.min(end, offset + wide * itemBytes);
      params[`${variable}_base`] = bind(variable, source, offset, middle, vector * itemBytes);
      params[`${variable}_end_base`] = bind(`${variable}_end`, source, middle, end, itemBytes);
    } else if (typeof from === "object") {
      bound.push({ variable, scratch: from });
    } else if (from === "output" && readsThroughOutput(plan, pass)) {
      // One binding spans both ranges.
      const { input = { offset, bytes } } = ranges;
      const start = Math.min(input.offset, offset);
      const last = Math.max(input.offset + input.bytes, end);
      const base = bind(variable, source, start, last, itemBytes);
      params.input_base = base + (input.offset - start) / itemBytes;
      params.output_base = base + (offset - start) / itemBytes;
    } else {
      params[baseOf(variable, from, kernel.members)] = bind(variable, source, offset, end, itemBytes);
    }
  }
  return { pass, bound: [...bound, ...paramsBound(plan, kernel, ranges)], params };
}

/** Whether a pass of one buffer reads the caller's input through the binding of the output. */
export const readsThroughOutput = ({ needs, segments }: Plan, { bindings }: Pass): boolean =>
  !segments?.reduces && bindings.output === "output" && bindings.input === undefined && needs.has("input");

/** The binding number of a variable that a kernel declares. */
const numberOf = ({ bindings, label }: Kernel, variable: string): number => {
  const binding = bindings.get(variable);
  if (binding === undefined) {
    throw new Error(`${label} does not declare ${variable}`);
  }
  return binding.number;
};

/**
 * Bytes of a placeholder, which is bound if a kernel has a binding, but there is nothing to bind. Any item or vector fits
 * in it.
 */
const NOTHING_BYTES = 64;

/** The buffers that a plan makes. */
interface PlanBuffers {
  /** Destroys a buffer when the plan is destroyed. Returns the buffer. */
  add(buffer: GPUBuffer): GPUBuffer;
  /** Allocates some scratch. */
  allocate(scratch: Scratch): Promise<void>;
  /**
   * The buffer of some scratch, or the placeholder for a variable. It is made if it is not there yet. Each variable has a placeholder of
   * its own, since a dispatch that writes a buffer may not bind it twice.
   */
  bufferOf(scratch: Scratch | string): GPUBuffer;
  /** Drops the buffer of some scratch. It is destroyed if every encoder that uses it is submitted (`isSubmitted`). */
  drop(scratch: Scratch, isSubmitted?: boolean): void;
  destroy(): void;
}

function planBuffers(context: Context, title: string): PlanBuffers {
  const buffers = new Map<Scratch | string, GPUBuffer>();
  // All buffers that were made and are not yet garbage-collected. Some are dropped before the plan is destroyed, such as a
  // spine that was replaced. An encoder that is not yet submitted may still use these, and nobody can know, so they are not
  // destroyed when they are dropped.
  let made: WeakRef<GPUBuffer>[] = [];
  let mostMade = 64;
  const add = (buffer: GPUBuffer): GPUBuffer => {
    made.push(new WeakRef(buffer));
    if (made.length > mostMade) {
      made = made.filter((reference) => reference.deref() !== undefined);
      mostMade = Math.max(mostMade, 2 * made.length);
    }
    return buffer;
  };
  const describe = (scratch: Scratch | string) => ({
    label: `wavefold ${title} ${typeof scratch === "string" ? "nothing" : `scratch: ${scratch.name}`}`,
    // Scratch for no items has no bytes, but a binding needs room for at least one item.
    size: (typeof scratch !== "string" && scratch.bytes) || NOTHING_BYTES,
    usage: SCRATCH,
  });
  return {
    add,
    async allocate(scratch) {
      const described = describe(scratch);
      const buffer = scratch.filled
        ? filledBuffer(context.device, scratch.filled, SCRATCH, described.label)
        : await allocate(context, described, title);
      buffers.set(scratch, add(buffer));
    },
    bufferOf(scratch) {
      const buffer = buffers.get(scratch) ?? add(context.device.createBuffer(describe(scratch)));
      buffers.set(scratch, buffer);
      return buffer;
    },
    drop(scratch, isSubmitted) {
      if (isSubmitted) {
        buffers.get(scratch)?.destroy();
      }
      buffers.delete(scratch);
    },
    destroy() {
      for (const reference of made) {
        reference.deref()?.destroy();
      }
      made = [];
    },
  };
}

/** @throws {LimitError} if some scratch is longer than a buffer or a binding may be. */
function requireScratch(plan: Plan, { maxBufferSize, maxStorageBufferBindingSize }: Limits): void {
  const most = Math.min(maxBufferSize, maxStorageBufferBindingSize);
  const needed = Math.max(0, ...plan.scratch.map(({ bytes }) => bytes));
  if (needed > most) {
    throw scratchError(plan, needed, most);
  }
}

/**
 * Compiles a plan and allocates its scratch. `runs` is how many executions one spine serves. Tests give fewer. `given` has pipelines by
 * the kernel's text that are not compiled here.
 *
 * @throws {LimitError} {@link SourceError} {@link OutOfMemoryError} {@link DeviceLostError}
 */
export async function compilePlan(
  context: Context,
  plan: Plan,
  runs = RUNS,
  given?: ReadonlyMap<string, Pipeline | Promise<Pipeline>>,
): Promise<Compiled> {
  const { title } = plan;
  const label = `wavefold ${title}`;
  const { device } = context;
  requireDevice(context, title);
  const { limits } = context.facts;
  requireScratch(plan, limits);
  const pipelines = new Map<string, Pipeline>();
  const buffers = planBuffers(context, title);
  const { add, bufferOf } = buffers;
  // The digits of run numbers.
  let digits: RunNumberDigits | undefined;
  const destroy = (): void => {
    buffers.destroy();
    pipelines.clear();
    if (digits !== undefined) {
      digits.uses--;
      digits = undefined;
    }
  };
  try {
    // While the device compiles, it makes the scratch.
    const done = await Promise.allSettled([
      ...plan.kernels.map(async (kernel) => {
        pipelines.set(kernel.code, await (given?.get(kernel.code) ?? pipelineOf(context, kernel)));
      }),
      ...plan.scratch.filter(({ late }) => !late).map(buffers.allocate),
    ]);
    const failed = done.find((settled) => "reason" in settled);
    if (failed) {
      throw failed.reason;
    }
    digits = plan.spine && runNumberDigits(context);
  } catch (cause) {
    destroy();
    const error = (await explain(context, title, cause)) as Error;
    // A kernel is compiled for all calls that wait for it. The stack says which call this one is.
    Error.captureStackTrace?.(error);
    throw error;
  }
  // The run number of the last execution.
  let run = 0;

  const dispatchOf = ({ pass, bound, params }: BoundPass): Dispatch => {
    const { kernel, tiles, counted } = pass;
    const { pipeline, layout } = pipelines.get(kernel.code) as Pipeline;
    const { width, height } = gridOf(tiles, limits, title);
    const words = [...callMembers, ...(kernel.members ?? [])].map((name) =>
      name === "grid_width" ? width : (params[name] ?? 0),
    );
    const uniform = add(filledBuffer(device, new Uint32Array(words), UNIFORM | COPY_DST, label));
    const numbered = kernel.bindings.has("run_low");
    const entries: GPUBindGroupEntry[] = [
      ...bound.map((one) => ({
        binding: numberOf(kernel, one.variable),
        resource: {
          buffer: "name" in one ? one.buffer : bufferOf("scratch" in one ? one.scratch : one.variable),
          ...("bytes" in one && { offset: one.offset, size: one.bytes }),
        },
      })),
      { binding: numberOf(kernel, "call"), resource: { buffer: uniform } },
      ...(numbered ? ["run_low", "run_high"] : []).map((variable) => ({
        binding: numberOf(kernel, variable),
        // A plan has digits if one of its kernels is numbered.
        resource: (digits as RunNumberDigits).resource,
      })),
    ];
    const bindGroup = device.createBindGroup({ label, layout, entries });
    const place = counted && bufferOf(counted);
    const takesParams = kernel.bindings.has("params");
    return { pipeline, bindGroup, uniform, width, height, numbered, takesParams, counted: place };
  };

  /** The dynamic offsets of a dispatch, in the order of the bindings' numbers. */
  const offsetsOf = (
    { numbered, takesParams }: Dispatch,
    paramsOffset: number,
  ): readonly number[] | undefined => {
    const runs = numbered ? digits?.offsetsOf(run) : undefined;
    return takesParams ? (runs ? [...runs, paramsOffset] : [paramsOffset]) : runs;
  };

  return {
    plan,
    limits,
    requireDevice: () => requireDevice(context, title),
    bind(length, ranges, { arrangement, aside }, given = {}) {
      const params = { ...given, sorted_length: itemsLookedUp(plan, ranges) };
      return plan
        .passes(length, arrangement, aside, params)
        .map((pass) => boundPass(plan, pass, ranges, limits, { ...params, ...pass.params }));
    },
    dispatches: (passes) => passes.map(dispatchOf),
    nextRun(isSubmitted) {
      const isReplaced = run++ === runs && plan.spine !== undefined;
      if (isReplaced) {
        // Recordings that are not yet submitted keep the old one.
        buffers.drop(plan.spine.scratch, isSubmitted);
        run = 1;
      }
      return isReplaced;
    },
    scratch(name) {
      const scratch = plan.scratch.find((one) => one.name === name);
      if (scratch === undefined) {
        throw new Error(`${title} has no scratch ${name}`);
      }
      return bufferOf(scratch);
    },
    own: add,
    encode(encoder, dispatches, isKnown, paramsOffset = 0) {
      const isPass = "dispatchWorkgroups" in encoder;
      const pass = isPass ? encoder : encoder.beginComputePass(isKnown ? undefined : { label });
      // Setting the same pipeline again takes as long as setting another one: a tenth of the time to record a sort.
      let last: GPUComputePipeline | undefined;
      for (const dispatch of dispatches) {
        const { pipeline, bindGroup, width, height, counted } = dispatch;
        if (pipeline !== last) {
          pass.setPipeline(pipeline);
        }
        last = pipeline;
        pass.setBindGroup(0, bindGroup, offsetsOf(dispatch, paramsOffset));
        if (counted) {
          pass.dispatchWorkgroupsIndirect(counted, 0);
        } else {
          pass.dispatchWorkgroups(width, height);
        }
      }
      if (!isPass) {
        pass.end();
      }
    },
    destroy,
  };
}
