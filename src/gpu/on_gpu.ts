import { arrayOver } from "../algebra/arrays.ts";
import { u32 } from "../algebra/integers.ts";
import type { ElementType, Value } from "../algebra/types.ts";
import { isSameType, requireType } from "../algebra/types.ts";
import { ArgumentError, LimitError, refuse, WavefoldError } from "../errors.ts";
import type { Arrangement } from "../kernels/kernel.ts";
import { requireOptions } from "../options.ts";
import type { CompactOptions } from "../plan/compact.ts";
import type { AnyOperator, TuningOptions } from "../plan/options.ts";
import { commonNames } from "../plan/options.ts";
import type { Plan } from "../plan/plan.ts";
import { ALL_ARRANGEMENTS } from "../plan/plan.ts";
import type { ReduceOptions } from "../plan/reduce.ts";
import type { ScanOptions } from "../plan/scan.ts";
import { planScan } from "../plan/scan.ts";
import { requireMaxLength } from "../plan/tuning.ts";
import type { HandCompactOptions, HandMapOptions, HandOptions, IntoOption } from "./at_hand.ts";
import { keyOfCall, typesOf } from "./at_hand.ts";
import type { Context } from "./context.ts";
import { explain, keyOf, requireDevice, usePipelines, validated } from "./device.ts";
import { BufferUsage, COMPUTE_STAGE } from "./flags.ts";
import type { CallOnGpu, Primitive } from "./gpu_array.ts";
import { GpuArray, Memory } from "./gpu_array.ts";
import type { KeptPlan } from "./kept.ts";
import { keepBuffer, keepPlan, takePlan } from "./kept.ts";
import { methodsFor } from "./methods.ts";
import type { Length, Prepared } from "./recording.ts";
import type { Given } from "./transfer.ts";
import { atHand, roomFor } from "./transfer.ts";

// Calls from arrays on the GPU to arrays on the GPU. Each takes a kept plan, records it into an encoder of its own, and
// submits that. It waits for the GPU neither before nor afterwards. The queue carries out submissions in order, so any number
// of calls may share a plan's scratch, and memory that an array gives back may be written by the next call.

/** The memory of a fold's arrays. Arrays that nobody destroyed may be garbage-collected. */
export type Arrays = Set<WeakRef<Memory>>;

/** What `Fold.wrap` takes. */
export interface WrapOptions<Name extends string = string, V extends Value = Value> {
  /** A buffer of yours, on the fold's device, with the usage STORAGE. */
  readonly buffer: GPUBuffer;
  /** The type of its elements. */
  readonly type: ElementType<Name, V>;
  /** The byte that the array starts at: a multiple of an element's bytes. The default is 0. */
  readonly offset?: number;
  /**
   * The number of elements. The default is as many as fit in the rest of the buffer. It may also be a range of a buffer that
   * starts with the number, as a u32.
   */
  readonly length?: Length;
  /** The most that a length on the GPU may be. The default is as many as fit in the rest of the buffer. */
  readonly maxLength?: number;
}

/** What `Fold.upload` takes beside the array. */
export interface UploadOptions<Name extends string> {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** The options of `reduce` on an array on the GPU. */
export interface GpuReduceOptions<Name extends string, V extends Value>
  extends HandOptions<Name>,
    IntoOption<GpuArray<Name, V>> {}

/** The options of `reduce` on an array on the GPU, with a map to another type. */
export interface GpuReduceMapOptions<From extends string, Name extends string, V extends Value>
  extends HandMapOptions<From, Name, V>,
    IntoOption<GpuArray<Name, V>> {}

/** The options of `scan` on an array on the GPU. */
export interface GpuScanOptions<Name extends string, V extends Value> extends GpuReduceOptions<Name, V> {
  /** Leaves each place's own element out. */
  readonly exclusive?: boolean;
}

/** The options of `scan` on an array on the GPU, with a map to another type. */
export interface GpuScanMapOptions<From extends string, Name extends string, V extends Value>
  extends GpuReduceMapOptions<From, Name, V> {
  /** Leaves each place's own element out. */
  readonly exclusive?: boolean;
}

/** The options of `compact` on an array on the GPU. It takes `where` or `flags`. */
export interface GpuCompactOptions<Name extends string> extends Omit<HandCompactOptions<Name>, "flags"> {
  /** A flag for each element. An element is kept if its flag is not zero. */
  readonly flags?: GpuArray<"u32", number>;
}

const names = {
  scan: { op: true, exclusive: true, into: true, ...commonNames },
  reduce: { op: true, into: true, ...commonNames },
  compact: { where: true, flags: true, indices: true, into: true, ...commonNames },
} as const satisfies {
  scan: Record<keyof GpuScanMapOptions<string, string, Value>, true>;
  reduce: Record<keyof GpuReduceMapOptions<string, string, Value>, true>;
  compact: Record<keyof GpuCompactOptions<string> | "from" | "indices" | "into", true>;
};

/** The options of a call that are not a plan's. Nobody has checked any of them yet. */
interface CallOptions extends TuningOptions {
  readonly into?: unknown;
  readonly flags?: unknown;
  readonly where?: unknown;
  readonly indices?: boolean;
  readonly type?: ElementType;
  readonly from?: ElementType;
  readonly map?: string;
}

/** `Fold.upload`. `given` is the array as it was when the call began. */
export async function upload(
  context: Context,
  arrays: Arrays,
  given: Given,
  options: { readonly type?: unknown },
): Promise<GpuArray> {
  requireOptions("upload", options, { type: true });
  const { type, arrayOf } = await typesOf(given.data, options, "upload");
  const title = `upload<${type.name}>`;
  requireFits(title, given.length, type, context, "data");
  const { byteLength } = given;
  const buffer = await atHand(context, title, async (hand) =>
    // Deno fails if a write has no bytes.
    hand.leave(await (byteLength === 0 ? hand.own("array", 0) : hand.upload("array", given))),
  );
  const memory = own(context, arrays, buffer);
  const parts = { context, memory, offset: 0, maxLength: given.length, count: undefined };
  return new GpuArray(type, arrayOf, { ...parts, held: [memory], call: callOnGpu });
}

/** @throws {LimitError} for an array that is longer than the device can bind. It names what says how long it is. */
function requireFits(
  title: string,
  length: number,
  { bytes }: ElementType,
  { facts }: Context,
  option: string,
): void {
  try {
    requireMaxLength(title, length, bytes, facts.limits);
  } catch (cause) {
    throw lengthError(cause, option);
  }
}

/** The error for a plan's maxLength, which is what the caller gave as `option`. */
const lengthError = (cause: unknown, option: string): unknown =>
  cause instanceof LimitError && cause.option === "maxLength"
    ? new LimitError(cause.message, cause.needed, cause.limit, option)
    : cause;

/** How often memory was owned. */
let owned = 0;

/** Memory of a fold's array. Once nobody uses it, its buffer is kept for later calls, if it is ours. */
function own(context: Context, arrays: Arrays, buffer: GPUBuffer, isOurs = true): Memory {
  const memory = new Memory(buffer, () => {
    arrays.delete(reference);
    if (isOurs) {
      keepBuffer(context.kept, buffer);
    }
  });
  const reference = new WeakRef(memory);
  arrays.add(reference);
  if (++owned % 4096 === 0) {
    // Those of arrays that were garbage-collected.
    for (const one of arrays) {
      if (one.deref() === undefined) {
        arrays.delete(one);
      }
    }
  }
  return memory;
}

const wrapNames = {
  buffer: true,
  type: true,
  offset: true,
  length: true,
  maxLength: true,
} as const satisfies Record<keyof WrapOptions, true>;

/** `Fold.wrap`. */
export async function wrap(context: Context, arrays: Arrays, options: WrapOptions): Promise<GpuArray> {
  requireOptions("wrap", options, wrapNames);
  requireDevice(context, "wrap");
  const { length, maxLength } = options;
  const type = requireType(options.type, "wrap");
  const title = `wrap<${type.name}>`;
  const { buffer, offset } = requireRange(title, options, "buffer", "offset", type.bytes);
  // Bindings are whole words.
  const fitting = Math.max(0, Math.floor((4 * Math.floor(buffer.size / 4) - offset) / type.bytes));
  const isOnGpu = typeof length === "object" && length !== null;
  if (maxLength !== undefined && !isOnGpu) {
    throw new ArgumentError(`${title}: maxLength is for a length on the GPU; give length alone`, "maxLength");
  }
  const option = isOnGpu ? "maxLength" : "length";
  const { [option]: most = fitting } = options;
  if (typeof most !== "number" || !Number.isInteger(most) || most < 0) {
    refuse(title, option, String(most), "a whole number from 0 up");
  }
  if (most > fitting) {
    throw new ArgumentError(
      `${title}: ${option} is ${most}, and the buffer has room for ${fitting} items of ${type.bytes} bytes from offset ${offset} on`,
      option,
    );
  }
  requireFits(title, most, type, context, option);
  const counted = isOnGpu
    ? requireRange(title, "buffer" in length ? length : { buffer: length }, "length", "length", 4)
    : undefined;
  if (counted !== undefined && counted.buffer.size - counted.offset < 4) {
    throw new ArgumentError(
      `${title}: length's buffer ends before its offset ${counted.offset} and four bytes more`,
      "length",
    );
  }
  await requireBindable(context, title, buffer);
  await requireBindable(context, title, counted?.buffer);
  const memory = own(context, arrays, buffer, false);
  const count = counted && { memory: own(context, arrays, counted.buffer, false), range: counted };
  const held = [memory, ...(count ? [count.memory] : [])];
  const parts = { context, memory, offset, maxLength: most, count, held, call: callOnGpu };
  return new GpuArray(type, (...range) => arrayOver(type, ...range), parts);
}

/** Checks the buffer and the offset of a range. Options at fault are named as given. */
function requireRange(
  title: string,
  { buffer, offset = 0 }: { readonly buffer: GPUBuffer; readonly offset?: number },
  bufferOption: string,
  offsetOption: string,
  unit: number,
): { readonly buffer: GPUBuffer; readonly offset: number } {
  const { size, usage } = Object(buffer) as Partial<GPUBuffer>;
  if (typeof size !== "number" || typeof usage !== "number") {
    refuse(title, bufferOption, String(buffer), "a GPUBuffer");
  }
  if ((usage & BufferUsage.STORAGE) === 0) {
    throw new ArgumentError(`${title}: the buffer lacks the usage STORAGE`, bufferOption);
  }
  if (!Number.isInteger(offset) || offset < 0 || offset % unit !== 0 || offset > size) {
    throw new ArgumentError(
      `${title}: offset is ${String(offset)} bytes; it takes a multiple of ${unit} up to the buffer's ${size} bytes`,
      offsetOption,
    );
  }
  return { buffer, offset };
}

/** The devices of callers' buffers, once they are known. */
const devices = new WeakMap<GPUBuffer, GPUDevice>();

/** @throws {WavefoldError} for a buffer of another device. Nothing else tells where a buffer belongs. */
async function requireBindable(
  context: Context,
  title: string,
  buffer: GPUBuffer | undefined,
): Promise<void> {
  const { device } = context;
  if (buffer === undefined || buffer.size < 4 || devices.get(buffer) === device) {
    return;
  }
  try {
    await validated(context, title, () => {
      const label = `wavefold ${title}`;
      const entry = { binding: 0, visibility: COMPUTE_STAGE, buffer: { type: "storage" } } as const;
      const layout = device.createBindGroupLayout({ label, entries: [entry] });
      device.createBindGroup({
        label,
        layout,
        entries: [{ binding: 0, resource: { buffer, size: 4 } }],
      });
    });
  } catch (cause) {
    throw await explain(context, title, cause);
  }
  devices.set(buffer, device);
}

/** A kept plan that any number of calls use at once. It is destroyed once it is dropped and no call uses it. */
interface PlanOnGpu extends KeptPlan {
  pipelines: readonly string[];
  /** It is there once the plan is compiled. */
  prepared?: Prepared;
  isDropped: boolean;
  /** How many calls use it. */
  uses: number;
  readonly compiled: Promise<Prepared>;
}

/** Plans that are being compiled, by their keys. */
const pending = new WeakMap<Context, Map<string, PlanOnGpu>>();

/** Uses a kept plan, or a new one, which is kept for later calls. */
async function withPlan<T>(
  context: Context,
  key: string,
  make: () => Promise<Plan>,
  use: (prepared: Prepared) => T | Promise<T>,
): Promise<T> {
  const known = takePlan(context.kept, key) as PlanOnGpu | undefined;
  if (known !== undefined) {
    context.kept.plans.push(known);
    usePipelines(context, known.pipelines);
  }
  const plan = known ?? pending.get(context)?.get(key) ?? newPlan(context, key, make);
  plan.uses++;
  try {
    return await use(plan.prepared ?? (await plan.compiled));
  } finally {
    plan.uses--;
    destroyIfUnused(plan);
  }
}

/** Destroys what a plan has on the GPU, if it was dropped and no call uses it. Commands that were submitted go on. */
function destroyIfUnused({ isDropped, uses, prepared }: PlanOnGpu): void {
  if (isDropped && uses === 0) {
    prepared?.destroy();
  }
}

/** Compiles a plan. Calls that come meanwhile wait for it, too. */
function newPlan(context: Context, key: string, make: () => Promise<Plan>): PlanOnGpu {
  const waiting = pending.get(context) ?? new Map<string, PlanOnGpu>();
  pending.set(context, waiting);
  const compile = async (): Promise<Prepared> => {
    try {
      const [made, { prepare }] = await Promise.all([make(), import("./recording.ts")]);
      plan.pipelines = made.kernels.map(keyOf);
      plan.prepared = await prepare(context, made, undefined, true);
      keepPlan(context.kept, plan, context.pipelines);
      return plan.prepared;
    } catch (cause) {
      throw lengthError(cause, "data");
    } finally {
      waiting.delete(key);
    }
  };
  const plan: PlanOnGpu = {
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

/** An argument that is an array on the GPU, of this device, and not destroyed. */
function requireOnGpu(
  primitive: Primitive,
  context: Context,
  array: unknown,
  option: "data" | "into" | "flags",
): GpuArray {
  if (!(array instanceof GpuArray)) {
    const given = Object(array)[Symbol.toStringTag] ?? String(array);
    throw new ArgumentError(
      `${primitive}: ${option} is ${given}, and data is on the GPU; it takes an array on the GPU, as fold.upload makes one`,
      option,
    );
  }
  if (array.parts.context !== context) {
    throw new ArgumentError(`${primitive}: ${option} is on another device than the fold`, option);
  }
  array.require(primitive, option, option);
  return array;
}

/** The types of a call's items and of its results. */
function typesOnGpu(
  primitive: Primitive,
  { type: own }: GpuArray,
  { type, from, map }: CallOptions,
): { readonly type: ElementType; readonly from?: ElementType } {
  const option = from === undefined ? "type" : "from";
  const named = from ?? (map === undefined ? type : undefined);
  if (named !== undefined && !isSameType(requireType(named, primitive, option), own)) {
    throw new ArgumentError(
      `${primitive}: the array on the GPU holds ${own.name}, but ${option} says ${named.name}`,
      option,
    );
  }
  return map === undefined && from === undefined
    ? { type: own }
    : { from: own, type: requireType(type ?? own, primitive) };
}

/** The least length that a plan is made for: one tile on most devices. */
const LEAST_LENGTH = 1024;

/** The length that a plan is made for: a power of two, so that other lengths can use it, too, if the device can bind as many. */
function plannedLength(length: number, itemBytes: number, { facts: { limits } }: Context): number {
  const rounded = Math.max(LEAST_LENGTH, 2 ** Math.ceil(Math.log2(length)));
  return rounded * itemBytes > Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize)
    ? length
    : rounded;
}

/** A plan for arrays on the GPU. */
async function planOf(
  primitive: Primitive,
  context: Context,
  all: CallOptions & {
    readonly type: ElementType;
    readonly maxLength: number;
    readonly lengthOnGpu: boolean;
  },
  arrangements: readonly Arrangement[],
): Promise<Plan> {
  const { facts } = context;
  const methods = await methodsFor(all, facts);
  const plan = await (async () => {
    switch (primitive) {
      case "scan":
        return planScan(all as AnyOperator<ScanOptions>, facts, methods, arrangements);
      case "reduce": {
        const { planReduce } = await import("../plan/reduce.ts");
        return planReduce(all as AnyOperator<ReduceOptions>, facts, methods, arrangements);
      }
      case "compact": {
        const { planCompact } = await import("../plan/compact.ts");
        return planCompact(all as CompactOptions, facts, methods, arrangements);
      }
      default:
        return primitive satisfies never;
    }
  })();
  // Ways that the plan has no kernels for.
  const ways = plan.ways.filter(
    ({ arrangement, aside }) => arrangements.includes(arrangement) && (!aside || arrangements.length > 1),
  );
  return { ...plan, ways };
}

/** A call whose arguments were checked. */
interface Call {
  readonly input: GpuArray;
  readonly into: GpuArray | undefined;
  readonly flags: GpuArray | undefined;
  /** The other options, and the types. */
  readonly others: CallOptions & { readonly type: ElementType };
  /** The type of the result's items, and how many there are at most. */
  readonly type: ElementType;
  readonly most: number;
  readonly title: string;
}

/** Checks the arguments of a call. The planner checks the options that are not about arrays. */
function requireCall(primitive: Primitive, context: Context, data: GpuArray, options: CallOptions): Call {
  requireOptions(primitive, options, names[primitive]);
  requireDevice(context, primitive);
  const { into: room, flags: marks, ...given } = options;
  const input = requireOnGpu(primitive, context, data, "data");
  const into = room === undefined ? undefined : requireOnGpu(primitive, context, room, "into");
  const flags = marks === undefined ? undefined : requireOnGpu(primitive, context, marks, "flags");
  const others = { ...given, ...typesOnGpu(primitive, input, given) };
  const title = `${primitive}<${others.type.name}>`;
  if (primitive === "compact" && (others.where === undefined) === (flags === undefined)) {
    throw new ArgumentError(`${title} takes where (a WGSL expression) or flags, and not both`, "where");
  }
  if (flags !== undefined) {
    requireFlags(title, input, flags);
  }
  const type = others.indices ? u32 : others.type;
  const most = primitive === "reduce" ? 1 : input.maxLength;
  if (into !== undefined && !isSameType(into.type, type)) {
    throw new ArgumentError(
      `${title}: into holds ${into.type.name}; it takes ${into.type.name === type.name ? "the struct of that name that" : type.name}, as the result is`,
      "into",
    );
  }
  if (into !== undefined && into.maxLength < most) {
    throw new ArgumentError(
      `${title}: into has room for ${into.maxLength} items; it takes at least ${most}, as many as the result may have`,
      "into",
    );
  }
  return { input, into, flags, others, type, most, title };
}

/** @throws {ArgumentError} if there is not a flag for each item, as far as the host knows. */
function requireFlags(title: string, { length, maxLength }: GpuArray, flags: GpuArray): void {
  if (!isSameType(flags.type, u32)) {
    throw new ArgumentError(`${title}: flags holds ${flags.type.name}; it takes u32`, "flags");
  }
  const isExact = typeof length === "number" && typeof flags.length === "number";
  if (isExact ? flags.maxLength !== maxLength : flags.maxLength < maxLength) {
    throw new ArgumentError(
      `${title}: ${flags.maxLength} flags for ${isExact ? "" : "at most "}${maxLength} items; it takes one for each`,
      "flags",
    );
  }
}

/** The error of a recording, in terms of the call: its ranges are the call's arrays. */
function ofCall(cause: unknown): unknown {
  const isRange = (option: string | undefined): boolean =>
    option === "input" || option === "output" || option === "length";
  return cause instanceof ArgumentError && isRange(cause.option)
    ? new ArgumentError(cause.message, "into")
    : cause instanceof LimitError && isRange(cause.option)
      ? new LimitError(cause.message, cause.needed, cause.limit, "data")
      : cause;
}

/** `Fold.scan`, `Fold.reduce` and `Fold.compact` on an array on the GPU. */
export const callOnGpu: CallOnGpu = async (primitive, context, arrays, data, options) => {
  const call = requireCall(primitive, context, data, options);
  const { input, into, flags, others, title } = call;
  const { memory, count, offset } = input.parts;
  const sources = [memory, flags?.parts.memory, count?.memory];
  // Most arrays start where their buffers do, and results are in buffers of their own. Such ranges take a part of the
  // kernels, so that the first call compiles less.
  const isPlain =
    offset === 0 &&
    (into === undefined || (into.offset === 0 && !sources.some((source) => source?.buffer === into.buffer)));
  const itemBytes = Math.max(u32.bytes, input.type.bytes, others.type.bytes);
  const all = {
    ...others,
    maxLength: plannedLength(input.maxLength, itemBytes, context),
    lengthOnGpu: count !== undefined,
  };
  const key = keyOfCall({ primitive: `${primitive} on the GPU${isPlain ? "" : ", anywhere"}`, all });
  const plan = (): Promise<Plan> => planOf(primitive, context, all, isPlain ? ["vectors"] : ALL_ARRANGEMENTS);
  // What the caller destroys meanwhile stays until the call ends.
  const releases = [input, into, flags].map((array) => array?.hold());
  const made: Memory[] = [];
  const make = async (name: string, bytes: number): Promise<Memory> => {
    const one = own(context, arrays, await roomFor(context, title, name, bytes));
    made.push(one);
    return one;
  };
  try {
    return await withPlan(context, key, plan, async (prepared) => {
      const output = into?.parts.memory ?? (await make("result", call.most * call.type.bytes));
      const total = primitive === "compact" ? await make("count", u32.bytes) : undefined;
      // Meanwhile, the device or the fold may have been destroyed.
      requireDevice(context, title);
      if ([...sources, output].some((one) => one?.isGone)) {
        throw new ArgumentError(`${title}: the fold was destroyed during the call`);
      }
      const encoder = context.device.createCommandEncoder({ label: `wavefold ${title}` });
      prepared.record(encoder, rangesOf(call, output, total), input.maxLength);
      context.device.queue.submit([encoder.finish()]);
      return resultOf(primitive, call, output, total, made.splice(0));
    });
  } catch (cause) {
    throw cause instanceof WavefoldError ? ofCall(cause) : await explain(context, title, cause);
  } finally {
    for (const one of made) {
      one.letGo();
    }
    for (const release of releases) {
      release?.();
    }
  }
};

/** Where a call reads and writes. */
const rangesOf = (
  { input, into, flags }: Call,
  output: Memory,
  total: Memory | undefined,
): Parameters<Prepared["record"]>[1] => ({
  input: { buffer: input.buffer, offset: input.offset },
  output: { buffer: output.buffer, offset: into?.offset ?? 0 },
  ...(flags && { flags: { buffer: flags.buffer, offset: flags.offset } }),
  ...(total && { count: total.buffer }),
  length: input.length,
});

/** A call's result. It holds the memory that the call made. */
function resultOf(
  primitive: Primitive,
  { input, into, type, most }: Call,
  memory: Memory,
  total: Memory | undefined,
  made: readonly Memory[],
): GpuArray {
  const { context } = input.parts;
  const offset = into?.offset ?? 0;
  const shared = primitive === "scan" ? input.parts.count : undefined;
  const count = total ? { memory: total, range: { buffer: total.buffer, offset: 0 } } : shared;
  const held = [...made];
  // A result in `into` has its count for as long as `into` has.
  if (shared !== undefined && shared.memory !== into?.parts.count?.memory) {
    shared.memory.hold();
    held.push(shared.memory);
  }
  const like = into ?? (isSameType(type, input.type) ? input : undefined);
  const contents = like?.make ?? ((...range) => arrayOver(type, ...range));
  return new GpuArray(type, contents, {
    context,
    memory,
    offset,
    maxLength: most,
    count,
    held,
    call: callOnGpu,
  });
}
