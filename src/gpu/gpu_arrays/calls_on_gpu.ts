import { kindOfArray } from "../../algebra/array_kinds.ts";
import { arrayOver } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import { monoid as monoidOf } from "../../algebra/monoid.ts";
import { min } from "../../algebra/operators.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { isSameType, requireType } from "../../algebra/types.ts";
import { ArgumentError, LimitError, OutOfMemoryError, WavefoldError } from "../../errors.ts";
import type { IndicesOption, OptionTable, SegmentsOption } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import { requireBindable } from "../../plan/binding_length.ts";
import type { AnyOperator, TuningOptions } from "../../plan/options.ts";
import { commonNames, tuningNames } from "../../plan/options.ts";
import type { Primitive } from "../../plan/plan_recording.ts";
import type { ClassOptions, KeepOption } from "../at_hand/reduce_and_compact_at_hand.ts";
import type { FoldOptions, IntoOption, MapOption, ScanOption, TypesOption } from "../at_hand/scan_at_hand.ts";
import { scanNames } from "../at_hand/scan_at_hand.ts";
import type { KeptPlan } from "../device/call_memory.ts";
import { keepPlan, takePlan } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { explain, pipelineKeyOf, requireDevice, usePipelines, validated } from "../device/device.ts";
import { roomFor } from "../device/transfer.ts";
import { withNumbers } from "../executor/load_later.ts";
import { keyOfCall, lengthError } from "../executor/plans_of_calls.ts";
import type { Prepared } from "../recordings/recording.ts";
import { prepareFor } from "../recordings/recording.ts";
import type { Arrays, CallOnGpu, Memory, ResultOnGpu } from "./gpu_array.ts";
import { GpuArray, hold, own, requireAlive } from "./gpu_array.ts";
import type { SegmentsOnGpu } from "./segments_on_gpu.ts";
import { segmentsOnGpu } from "./segments_on_gpu.ts";

// Calls from arrays on the GPU to arrays on the GPU. Each takes a kept plan, records it into an encoder of its own, and
// submits that. It waits for the GPU neither before nor afterwards. The queue carries out submissions in order, so any number
// of calls may share a plan's scratch, and memory that an array gives back may be written by the next call.

const { partsOf } = GpuArray;

type AnyFoldOptions = FoldOptions<string, string, ElementType, Value> &
  MapOption &
  SegmentsOption<unknown> &
  IntoOption<GpuArray>;
type AnyTakeOptions = TuningOptions &
  Record<keyof KeepOption<unknown>, unknown> &
  IndicesOption &
  IntoOption<GpuArray>;

const names = {
  scan: { ...scanNames, segments: true },
  reduce: { op: true, initial: true, segments: true, into: true, ...commonNames },
  compact: { where: true, flags: true, indices: "boolean", into: true, ...commonNames },
  partition: {
    where: true,
    flags: true,
    class: true,
    classes: true,
    indices: "boolean",
    into: true,
    type: true,
    ...tuningNames,
  },
} as const satisfies {
  scan: OptionTable<AnyFoldOptions & ScanOption<GpuArray>>;
  reduce: OptionTable<AnyFoldOptions>;
  compact: OptionTable<AnyTakeOptions & TypesOption<string, ElementType> & MapOption>;
  partition: OptionTable<AnyTakeOptions & ClassOptions & Record<"type", ElementType>>;
};

/** The options of a call that its plan takes, too. Nobody has checked any of them yet. */
interface PlanOptions extends TuningOptions {
  readonly where?: string;
  readonly classes?: number;
  readonly class?: string;
  readonly indices?: boolean;
  readonly type?: ElementType;
  readonly from?: ElementType;
  readonly map?: string;
}

/** All options of a call. */
interface CallOptions extends PlanOptions {
  readonly into?: unknown;
  readonly flags?: unknown;
  readonly initial?: unknown;
  readonly total?: unknown;
  readonly segments?: unknown;
}

/** What every kept plan has: its kernels, the bytes of its scratch, and how it is destroyed. */
type Kept = Pick<Prepared, "kernels" | "scratchBytes" | "destroy">;

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
const pending = new WeakMap<Context, Map<string, PlanOnGpu<Kept>>>();

/** Uses a kept plan, or a new one, which is kept for later calls. Plans of one key are of one type. */
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
  const waiting = pending.get(context)?.get(key) as PlanOnGpu<P> | undefined;
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
  const waiting = pending.get(context) ?? new Map<string, PlanOnGpu<Kept>>();
  pending.set(context, waiting);
  const compile = async (): Promise<P> => {
    try {
      const prepared = await withNumbers(make);
      plan.pipelines = prepared.kernels.map(pipelineKeyOf);
      plan.prepared = prepared;
      if (prepared.scratchBytes <= context.kept.mostBytes / KEPT_PART) {
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
    throw new ArgumentError(
      `${primitive}: ${name} is ${kindOfArray(array)}, and ${beside} is on the GPU; it takes an array on the GPU, as fold.upload makes one`,
      option,
    );
  }
  const parts = partsOf(array);
  if (parts.context !== context) {
    throw new ArgumentError(`${primitive}: ${option} is on another device than the fold`, option);
  }
  requireAlive(parts, primitive, option, option);
  return array;
}

/** @throws {ArgumentError} if `type` names another type than that of the array. */
export function requireNamed(caller: string, { type: own }: GpuArray, named: unknown, option = "type"): void {
  if (named !== undefined && !isSameType(requireType(named, caller, option), own)) {
    throw new ArgumentError(
      `${caller}: the array on the GPU holds ${own.name}, but ${option} says ${(named as ElementType).name}`,
      option,
    );
  }
}

/**
 * Requires one flag, weight, value or count for each item.
 *
 * @throws {ArgumentError} if the host knows that their numbers differ. It may not know lengths that are on the GPU.
 */
export function requireOneEach(
  title: string,
  { length, maxLength }: GpuArray,
  given: GpuArray,
  option: string,
  items = "elements",
): void {
  const isExact = typeof length === "number" && typeof given.length === "number";
  if (isExact ? given.maxLength !== maxLength : given.maxLength < maxLength) {
    throw new ArgumentError(
      `${title}: ${given.maxLength} ${option} for ${isExact ? "" : "at most "}${maxLength} ${items}; it takes one for each`,
      option,
    );
  }
}

/** The types of a call's items and of its results. */
function typesOnGpu(
  primitive: Primitive,
  data: GpuArray,
  { type, from, map }: PlanOptions,
): { readonly type: ElementType; readonly from?: ElementType } {
  const option = from === undefined ? "type" : "from";
  const { type: own } = data;
  requireNamed(primitive, data, from ?? (map === undefined ? type : undefined), option);
  return map === undefined && from === undefined
    ? { type: own }
    : { from: own, type: requireType(type ?? own, primitive) };
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
  const rounded = Math.max(LEAST_LENGTH, 2 ** Math.ceil(Math.log2(length)));
  const { maxStorageBufferBindingSize, maxBufferSize } = limits;
  const isLong = length * itemBytes > maxStorageBufferBindingSize && inWindows();
  const most = isLong ? maxBufferSize : maxStorageBufferBindingSize;
  return rounded * itemBytes > Math.min(most, maxBufferSize) || rounded > 0xffffffff ? length : rounded;
}

/** Whether carries between windows would be rounded, as those of exact sums. Then ranges over the binding limit are refused. */
const hasRoundedCarries = (
  primitive: Primitive,
  { op, type }: AnyOperator<PlanOptions & { readonly op?: unknown; readonly type: ElementType }>,
): boolean => op !== undefined && monoidOf(op, type, primitive).carried !== undefined;

/** A call whose arguments were checked. */
interface Call {
  readonly input: GpuArray;
  readonly into: GpuArray | undefined;
  readonly flags: GpuArray | undefined;
  /** A value, or an array of one element. */
  readonly initial: unknown;
  readonly total: GpuArray | undefined;
  readonly segments: SegmentsOnGpu | undefined;
  /** The other options, and the types. */
  readonly others: PlanOptions & { readonly type: ElementType };
  /** The type of the result's items, and how many there are at most. */
  readonly type: ElementType;
  readonly most: number;
  readonly title: string;
}

/** Checks the arguments of a call. The planner checks the options that are not about arrays. */
function requireCall(primitive: Primitive, context: Context, data: GpuArray, options: CallOptions): Call {
  requireOptions(primitive, options, names[primitive]);
  requireDevice(context, primitive);
  const { into: room, flags: marks, initial, total: sum, segments: parts, ...given } = options;
  const input = requireOnGpu(primitive, context, data, "data");
  const into = room === undefined ? undefined : requireOnGpu(primitive, context, room, "into");
  const flags = marks === undefined ? undefined : requireOnGpu(primitive, context, marks, "flags");
  const others = { ...given, ...typesOnGpu(primitive, input, given) };
  const title = `${primitive}<${others.type.name}>`;
  const isByClass = others.classes !== undefined || others.class !== undefined;
  if (isByClass && flags !== undefined) {
    throw new ArgumentError(`${title} takes flags or classes, and not both`, "flags");
  }
  const isSelecting = primitive === "compact" || primitive === "partition";
  if (isSelecting && !isByClass && (others.where === undefined) === (flags === undefined)) {
    const problem = flags === undefined ? "; it was given neither" : ", and not both";
    throw new ArgumentError(`${title} takes where (a WGSL expression) or flags${problem}`, "where");
  }
  if (flags !== undefined) {
    requireFlags(title, input, flags);
  }
  const total = sum === undefined ? undefined : requireOnGpu(primitive, context, sum, "total");
  const value =
    initial instanceof GpuArray ? requireOnGpu(primitive, context, initial, "initial") : undefined;
  requireOne(title, others.type, value, "initial");
  requireOne(title, others.type, total, "total");
  const type = others.indices ? u32 : others.type;
  const segments =
    parts === undefined
      ? undefined
      : segmentsOnGpu(parts, input, primitive === "reduce", title, (array, kind) =>
          requireOnGpu(primitive, context, array, "segments", "data", kind),
        );
  const most = primitive === "reduce" ? (segments?.most ?? 1) : input.maxLength;
  if (into !== undefined) {
    requireInto(title, into, type, most);
  }
  return { input, into, flags, initial, total, segments, others, type, most, title };
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

/** @throws {ArgumentError} for an array that is not of one element of the type. */
function requireOne(
  title: string,
  type: ElementType,
  array: GpuArray | undefined,
  option: "initial" | "total",
): void {
  if (array !== undefined && (array.length !== 1 || !isSameType(array.type, type))) {
    throw new ArgumentError(
      `${title}: ${option} holds ${array.maxLength} of ${array.type.name}; it takes 1 of ${type.name}`,
      option,
    );
  }
}

/** @throws {ArgumentError} if the host knows that there is not one flag for each item. */
function requireFlags(title: string, input: GpuArray, flags: GpuArray): void {
  if (!isSameType(flags.type, u32)) {
    throw new ArgumentError(`${title}: flags holds ${flags.type.name}; it takes u32`, "flags");
  }
  requireOneEach(title, input, flags, "flags", "items");
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

/** `Fold.scan`, `Fold.reduce`, `Fold.compact` and `Fold.partition` on an array on the GPU. */
export const callOnGpu: CallOnGpu = async (primitive, context, arrays, data, options) => {
  const call = requireCall(primitive, context, data, options);
  const { input, into, flags, initial, total, segments } = call;
  const { heads, keys } = segments?.ranges ?? {};
  const own = partsOf(input).count?.range;
  const isOther = (array: GpuArray | undefined): array is GpuArray => {
    const range = array && partsOf(array).count?.range;
    return range !== undefined && (range.buffer !== own?.buffer || range.offset !== own.offset);
  };
  // A call takes one of them at most.
  const other = [flags, heads, keys].find(isOther);
  if (other === undefined) {
    return recorded(primitive, context, arrays, call);
  }
  // What the caller destroys meanwhile stays until the call ends.
  const used = [input, into, flags, initial, total, heads, keys];
  const releases = used.map((array) => (array instanceof GpuArray ? hold(partsOf(array)) : undefined));
  try {
    const shortest = await shorterOf(arrays, call, other);
    const { memory } = partsOf(shortest);
    const shared = { ...partsOf(input), count: { memory, range: { buffer: memory.buffer, offset: 0 } } };
    const shorter = new GpuArray(input.type, GpuArray.makeOf(input), { ...shared, held: [] });
    try {
      return await recorded(primitive, context, arrays, { ...call, input: shorter });
    } finally {
      shortest.destroy();
    }
  } finally {
    for (const release of releases) {
      release?.();
    }
  }
};

/** The lesser of the length of a call's data and that of the array beside it, which only the GPU knows, in an array of one element. */
async function shorterOf(
  arrays: Arrays,
  { input, segments, title }: Call,
  other: GpuArray,
): Promise<GpuArray> {
  const { context } = partsOf(input);
  const lengthOf = (array: GpuArray): GpuArray | number => {
    const { count, maxLength } = partsOf(array);
    return count === undefined
      ? maxLength
      : new GpuArray(u32, arrayOver.bind(undefined, u32), {
          context,
          memory: count.memory,
          offset: count.range.offset,
          maxLength: 1,
          count: undefined,
          held: [],
          call: callOnGpu,
        });
  };
  const options = {
    op: min,
    initial: lengthOf(input),
    // A word of head bits is for 32 items. More words than there may be items count as that many items, without wrapping.
    ...(segments?.by === "headBits" && { map: "select(x * 32u, 0xffffffffu, x > 0x7ffffffu)" }),
  };
  const call = { ...requireCall("reduce", context, lengthOf(other) as GpuArray, options), title };
  try {
    return (await recorded("reduce", context, arrays, call)) as GpuArray;
  } catch (cause) {
    // The caller made no reduction, so errors of its plan have the title of the call.
    const own = await explain(context, title, cause);
    throw own instanceof OutOfMemoryError
      ? new OutOfMemoryError(own.message.replace(/^.*?: /, `${title}: `), own.needed)
      : own;
  }
}

/** @throws {LimitError} for data with segments, and for what says where these start, if the device cannot bind them. */
function requireSegmentsBindable(
  primitive: Primitive,
  { input, segments, others, title, type, most }: Call,
  { facts: { limits } }: Context,
): void {
  if (segments === undefined) {
    return;
  }
  requireBindable(title, input.maxLength, Math.max(input.type.bytes, others.type.bytes), limits, "data");
  for (const [name, array] of Object.entries(segments.ranges)) {
    requireBindable(`${title}: ${name}`, array.maxLength, array.type.bytes, limits, "segments");
  }
  if (primitive === "reduce") {
    requireBindable(`${title}: the totals`, most, type.bytes, limits, "segments");
  }
}

/** Records a call and submits it. */
async function recorded(
  primitive: Primitive,
  context: Context,
  arrays: Arrays,
  call: Call,
): Promise<ResultOnGpu> {
  const { input, into, flags, initial, total: sum, segments, others, title } = call;
  requireSegmentsBindable(primitive, call, context);
  const { ranges: heads } = segments ?? {};
  const ends = [
    initial instanceof GpuArray ? initial : undefined,
    sum,
    heads?.heads,
    heads?.keys,
    heads?.offsets,
  ];
  const { memory, count, offset } = partsOf(input);
  const marks = [flags, ...ends].map((array) => array && partsOf(array).memory);
  const sources = [memory, count?.memory, ...marks];
  // Most arrays start where their buffers do, and results are in buffers of their own. Such ranges take a part of the
  // kernels, so that the first call compiles less.
  const isPlain =
    offset === 0 &&
    (into === undefined || (into.offset === 0 && !sources.some((source) => source?.buffer === into.buffer)));
  const itemBytes = Math.max(u32.bytes, input.type.bytes, others.type.bytes);
  const all = {
    ...others,
    maxLength: plannedLengthOnGpu(
      input.maxLength,
      itemBytes,
      context,
      () => primitive !== "partition" && segments === undefined && !hasRoundedCarries(primitive, others),
    ),
    lengthOnGpu: count !== undefined,
    ...(initial !== undefined && { initial: true }),
    ...(sum && { total: true }),
    ...(segments && { segments: segments.by }),
  };
  const key = keyOfCall({
    primitive: `${primitive} on the GPU${isPlain ? "" : ", anywhere"}`,
    all: { ...all, ...segments?.named },
  });
  const plan = (): Promise<Prepared> =>
    prepareFor(primitive, context, all, isPlain ? ["vectors"] : undefined, true);
  // What the caller destroys meanwhile stays until the call ends.
  const releases = [input, into, flags, ...ends].map((array) => array && hold(partsOf(array)));
  const made: Memory[] = [];
  const make = async (name: string, bytes: number): Promise<Memory> => {
    const one = own(context, arrays, await roomFor(context, title, name, bytes));
    made.push(one);
    return one;
  };
  try {
    return await withPlanOnGpu(context, key, plan, async (prepared) => {
      const output = into ? partsOf(into).memory : await make("result", call.most * call.type.bytes);
      const isCounted =
        primitive === "compact" ||
        primitive === "partition" ||
        (primitive === "reduce" && segments?.isCounted);
      const total = isCounted ? await make("count", countsOf(call) * u32.bytes) : undefined;
      const runs = segments?.runs;
      const unique = runs && (await make("keys", call.most * runs.type.bytes));
      submitOnGpu(context, title, sources, [output, total, unique, sum && partsOf(sum).memory], (encoder) =>
        prepared.record(encoder, rangesOf(call, output, total, unique), input.maxLength),
      );
      return resultsOf(primitive, call, output, total, unique, made.splice(0));
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
}

/** How many counts a call gives: one, or those of a partition into classes. */
const countsOf = ({ others: { classes } }: Call): number => (classes === undefined ? 1 : classes + 1);

/** Where an array lies. Its owner may have destroyed it since the call began, which recordings would refuse. */
const rangeOf = ({ buffer, offset, size }: GpuArray) => ({ buffer, offset, size });

/** Where a call reads and writes. */
const rangesOf = (
  { input, into, flags, initial, total: sum, segments }: Call,
  output: Memory,
  total: Memory | undefined,
  unique: Memory | undefined,
): Parameters<Prepared["record"]>[1] => ({
  input: { buffer: input.buffer, offset: input.offset },
  output: { buffer: output.buffer, offset: into?.offset ?? 0 },
  ...(flags && { flags: { buffer: flags.buffer, offset: flags.offset } }),
  ...(total && { count: total.buffer }),
  ...(initial !== undefined && {
    initial: initial instanceof GpuArray ? rangeOf(initial) : (initial as Value),
  }),
  ...(sum && { total: rangeOf(sum) }),
  ...Object.fromEntries(
    Object.entries(segments?.ranges ?? {}).map(([name, array]) => [name, rangeOf(array)]),
  ),
  ...segments?.numbers,
  ...(unique && { unique: unique.buffer }),
  length: input.length,
});

/** A call's results: one array, or two: the keys and the totals of runs, or the items of a partition and a count. They hold the memory that the call made. */
function resultsOf(
  primitive: Primitive,
  call: Call,
  output: Memory,
  total: Memory | undefined,
  unique: Memory | undefined,
  made: readonly Memory[],
): ResultOnGpu {
  const { segments, input, most } = call;
  if (primitive === "partition" && total !== undefined) {
    const others = made.filter((one) => one !== total);
    const values = resultOf(primitive, call, output, undefined, others);
    const count = new GpuArray(u32, arrayOver.bind(undefined, u32), {
      context: partsOf(input).context,
      memory: total,
      offset: 0,
      maxLength: countsOf(call),
      count: undefined,
      held: [total],
      call: callOnGpu,
    });
    return call.others.classes === undefined ? { values, count } : { values, offsets: count };
  }
  const runs = segments?.runs;
  if (runs === undefined || unique === undefined || total === undefined) {
    return resultOf(primitive, call, output, total, made);
  }
  // Both have the number of runs, so both hold it.
  total.hold();
  const values = resultOf(
    primitive,
    call,
    output,
    total,
    made.filter((one) => one !== unique),
  );
  const { type, like } = runs;
  const keysOfRuns = new GpuArray(type, like ? GpuArray.makeOf(like) : arrayOver.bind(undefined, type), {
    context: partsOf(input).context,
    memory: unique,
    offset: 0,
    maxLength: most,
    count: { memory: total, range: { buffer: total.buffer, offset: 0 } },
    held: [unique, total],
    call: callOnGpu,
  });
  return { keys: keysOfRuns, values };
}

/** A call's result. It holds the memory that the call made. */
function resultOf(
  primitive: Primitive,
  { input, into, type, most }: Call,
  memory: Memory,
  total: Memory | undefined,
  made: readonly Memory[],
): GpuArray {
  const { context, count: own } = partsOf(input);
  const offset = into?.offset ?? 0;
  const shared = primitive === "scan" || primitive === "partition" ? own : undefined;
  const count = total ? { memory: total, range: { buffer: total.buffer, offset: 0 } } : shared;
  const held = [...made];
  // A result in `into` has its count for as long as `into` has.
  if (shared !== undefined && shared.memory !== (into && partsOf(into).count?.memory)) {
    shared.memory.hold();
    held.push(shared.memory);
  }
  const like = into ?? (isSameType(type, input.type) ? input : undefined);
  const contents = like ? GpuArray.makeOf(like) : arrayOver.bind(undefined, type);
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
