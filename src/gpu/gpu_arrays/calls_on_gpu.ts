import { powerOfTwoFor } from "../../algebra/power_of_two.ts";
import type { ElementType } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { ArgumentError, LimitError, WavefoldError } from "../../errors.ts";
import { notOnGpuError } from "../../primitives/primitive.ts";
import { takePlan } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { validated } from "../device/device.ts";
import type { KeptPlan } from "../device/kept.ts";
import { keepPlan } from "../device/kept.ts";
import { pipelineKeyOf, usePipelines } from "../device/kept_pipelines.ts";
import { explain, requireDevice } from "../device/lost.ts";
import { roomFor } from "../device/transfer.ts";
import { withNumbers } from "../executor/plan_with_parts.ts";
import { lengthError } from "../executor/plans_of_calls.ts";
import type { Prepared } from "../recordings/recording.ts";
import type { Arrays, Memory } from "./gpu_array.ts";
import { GpuArray, hold, own, requireAlive } from "./gpu_array.ts";

// What all calls from arrays on the GPU to arrays on the GPU share. Each takes a kept plan, records it into an encoder of its own, and
// submits that. It waits for the GPU neither before nor afterwards. The queue carries out submissions in order, so any number
// of calls may share a plan's scratch, and memory that an array gives back may be written by the next call.

const { partsOf } = GpuArray;

/** What every kept plan has: its kernels, and how it is destroyed. If it may have much scratch, it has the bytes of that. */
export interface Kept extends Pick<Prepared, "kernels" | "destroy"> {
  readonly scratchBytes?: number;
}

/** A plan is kept only if its scratch has at most this share of `maxKeptBytes`, since 16 plans are kept. */
const KEPT_PART = 16;

/** A kept plan that any number of calls use at once. It is destroyed once it is dropped and no call uses it. */
interface PlanOnGpu<P extends Kept> extends KeptPlan {
  pipelines: readonly string[];
  /** It is there once the plan is compiled. */
  prepared?: P;
  isDropped: boolean;
  /** How many calls use it. */
  uses: number;
  readonly compiled: Promise<P>;
}

/** Plans that are being compiled, by their keys. */
const pending = new WeakMap<Context["kept"], Map<string, PlanOnGpu<Kept>>>();

/** Uses a kept plan, or a new one, which is kept for later calls unless it has much scratch. Plans of one key are of one type. */
export async function withPlanOnGpu<T, P extends Kept>(
  context: Context,
  key: string,
  make: () => Promise<P>,
  use: (prepared: P) => T | Promise<T>,
): Promise<T> {
  const known = takePlan(context.kept, key) as PlanOnGpu<P> | undefined;
  if (known !== undefined) {
    context.kept.plans.push(known);
    usePipelines(context, known.pipelines);
  }
  const waiting = pending.get(context.kept)?.get(key) as PlanOnGpu<P> | undefined;
  const plan = known ?? waiting ?? newPlan(context, key, make);
  plan.uses++;
  try {
    return await use(plan.prepared ?? (await plan.compiled));
  } finally {
    plan.uses--;
    destroyIfUnused(plan);
  }
}

/** Destroys what a plan has on the GPU, if it was dropped and no call uses it. Commands that were submitted go on. */
function destroyIfUnused({ isDropped, uses, prepared }: PlanOnGpu<Kept>): void {
  if (isDropped && uses === 0) {
    prepared?.destroy();
  }
}

/** Compiles a plan. Calls that come meanwhile wait for it, too. */
function newPlan<P extends Kept>(context: Context, key: string, make: () => Promise<P>): PlanOnGpu<P> {
  const waiting = pending.get(context.kept) ?? new Map<string, PlanOnGpu<Kept>>();
  pending.set(context.kept, waiting);
  const compile = async (): Promise<P> => {
    try {
      const prepared = await withNumbers(make);
      plan.pipelines = prepared.kernels.map(pipelineKeyOf);
      plan.prepared = prepared;
      if ((prepared.scratchBytes ?? 0) <= context.kept.mostBytes / KEPT_PART) {
        keepPlan(context.kept, plan, context.pipelines);
      } else {
        plan.isDropped = true;
      }
      return prepared;
    } catch (cause) {
      throw lengthError(cause, "data");
    } finally {
      waiting.delete(key);
    }
  };
  const plan: PlanOnGpu<P> = {
    key,
    pipelines: [],
    isDropped: false,
    uses: 0,
    // It starts once `plan` is there.
    compiled: Promise.resolve().then(compile),
    destroy() {
      plan.isDropped = true;
      destroyIfUnused(plan);
    },
  };
  waiting.set(key, plan);
  return plan;
}

/**
 * Records a call and submits it. It reads `sources` and writes `results`. The caller may destroy a buffer of its own at any time. Then
 * the device refuses the commands, and a later `read()` of their results throws. The call does not wait for that.
 *
 * @throws {ArgumentError} {@link DeviceLostError} if the device or the fold was destroyed meanwhile.
 */
export function submitOnGpu(
  context: Context,
  title: string,
  sources: readonly (Memory | undefined)[],
  results: readonly (Memory | undefined)[],
  record: (encoder: GPUCommandEncoder) => void,
): void {
  const { device } = context;
  requireDevice(context, title);
  const used = [...sources, ...results];
  if (used.some((one) => one?.isGone)) {
    throw new ArgumentError(`${title}: the fold was destroyed during the call`);
  }
  const encoder = device.createCommandEncoder({ label: `wavefold ${title}` });
  record(encoder);
  const submit = (): void => device.queue.submit([encoder.finish()]);
  const refusals = sources.map((one) => one?.refused).filter((one) => one !== undefined);
  if (used.some((one) => one?.isWrapped)) {
    // If the device is lost, reading fails by itself.
    const refusalOf = (cause: unknown) => (cause instanceof WavefoldError ? cause : undefined);
    refusals.push(validated(context, title, submit).then(() => undefined, refusalOf));
  } else {
    submit();
  }
  const refused =
    refusals.length > 0 ? Promise.all(refusals).then((all) => all.find((one) => one)) : undefined;
  for (const one of results) {
    if (one !== undefined) {
      one.refused = refused;
    }
  }
}

/** Makes memory for a call, which is given back if the call fails. */
export type MakeMemory = (name: string, bytes: number) => Promise<Memory>;

/**
 * Does the work of a call. Arrays that the caller destroys meanwhile stay until it ends. Memory that it made is its results', unless it fails.
 *
 * @throws what the work throws, in terms of the call.
 */
export async function withMemory<T>(
  context: Context,
  arrays: Arrays,
  title: string,
  used: readonly (GpuArray | undefined)[],
  work: (make: MakeMemory, made: readonly Memory[]) => Promise<T>,
): Promise<T> {
  const releases = used.map((array) => array && hold(partsOf(array)));
  const made: Memory[] = [];
  const make: MakeMemory = async (name, bytes) => {
    const memory = own(context, arrays, await roomFor(context, title, name, bytes));
    made.push(memory);
    return memory;
  };
  try {
    return await work(make, made);
  } catch (cause) {
    for (const memory of made) {
      memory.letGo();
    }
    throw cause instanceof WavefoldError ? ofCall(cause) : await explain(context, title, cause);
  } finally {
    for (const release of releases) {
      release?.();
    }
  }
}

/** An argument that is an array on the GPU, of this device, and not destroyed. `name` is what an error calls it. */
export function requireOnGpu(
  primitive: string,
  context: Context,
  array: unknown,
  option: string,
  beside = "data",
  name = option,
): GpuArray {
  if (!(array instanceof GpuArray)) {
    throw notOnGpuError(primitive, array, option, beside, name);
  }
  const parts = partsOf(array);
  if (parts.context.kept !== context.kept) {
    throw new ArgumentError(`${primitive}: ${name} is on another device than the fold`, option);
  }
  requireAlive(parts, primitive, name, option);
  return array;
}

/** The least length that a plan is made for: one tile on most devices. */
const LEAST_LENGTH = 1024;

/**
 * The length that a plan is made for: a power of two, so that other lengths can use it, too, if the device has room for as many.
 * Ranges over the binding limit go in windows if that may be (`inWindows`), or are refused: then the error names the caller's length.
 */
export function plannedLengthOnGpu(
  length: number,
  itemBytes: number,
  { facts: { limits } }: Context,
  inWindows: () => boolean = () => false,
): number {
  const rounded = Math.max(LEAST_LENGTH, powerOfTwoFor(length));
  const { maxStorageBufferBindingSize, maxBufferSize } = limits;
  const isLong = length * itemBytes > maxStorageBufferBindingSize && inWindows();
  const most = isLong ? maxBufferSize : maxStorageBufferBindingSize;
  return rounded * itemBytes > Math.min(most, maxBufferSize) || rounded > 0xffffffff ? length : rounded;
}

/** @throws {ArgumentError} for an array that cannot hold `most` results of the type. */
export function requireInto(title: string, into: GpuArray, type: ElementType, most: number): void {
  if (!isSameType(into.type, type)) {
    throw new ArgumentError(
      into.type.name === type.name
        ? `${title}: into holds another struct of the name ${type.name} than the result`
        : `${title}: into holds ${into.type.name}; it takes ${type.name}, as the result is`,
      "into",
    );
  }
  if (into.maxLength < most) {
    throw new ArgumentError(
      `${title}: into has room for ${into.maxLength} items; it takes at least ${most}, as many as the result may have`,
      "into",
    );
  }
}

/** The options of a call that give the ranges of its recording. */
const optionOf: Readonly<Record<string, readonly [refused: string, tooLong: string]>> = {
  input: ["into", "data"],
  output: ["into", "data"],
  length: ["into", "data"],
  heads: ["segments", "segments"],
  keys: ["segments", "segments"],
  offsets: ["segments", "segments"],
  rows: ["segments", "segments"],
  unique: ["segments", "segments"],
  values: ["values", "values"],
  with: ["with", "with"],
  reordered: ["values", "values"],
};

/** The error of a recording, in terms of the call: its ranges are the call's arrays. */
export function ofCall(cause: unknown): unknown {
  if (!(cause instanceof ArgumentError || cause instanceof LimitError)) {
    return cause;
  }
  const [refused, tooLong] = optionOf[cause.option ?? ""] ?? [];
  if (refused === undefined) {
    return cause;
  }
  return cause instanceof LimitError
    ? new LimitError(cause.message, cause.needed, cause.limit, tooLong)
    : new ArgumentError(cause.message, refused);
}
