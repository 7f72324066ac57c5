import { arrayOver } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import { monoid as monoidOf } from "../../algebra/monoid.ts";
import { min } from "../../algebra/operators.ts";
import { valuesIn } from "../../algebra/seen_params.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { isSameType, requireType } from "../../algebra/types.ts";
import { requireWidening } from "../../algebra/widening.ts";
import { ArgumentError, OutOfMemoryError } from "../../errors.ts";
import { requireOptions } from "../../options.ts";
import { requireBindable } from "../../plan/binding_length.ts";
import type { AnyOperator, ParamsOption, TuningOptions } from "../../plan/options.ts";
import type { Primitive } from "../../plan/plan_recording.ts";
import { compact } from "../../primitives/compact.ts";
import { callNames } from "../../primitives/option_names.ts";
import { partition } from "../../primitives/partition.ts";
import { reduce } from "../../primitives/reduce.ts";
import { scan } from "../../primitives/scan.ts";
import type { Context } from "../device/context.ts";
import { explain, requireDevice } from "../device/lost.ts";
import { keyOfCall } from "../executor/planned.ts";
import { paramsOf } from "../executor/with_params.ts";
import { prepareFor } from "../recordings/prepare_folds.ts";
import {
  plannedLengthOnGpu,
  requireInto,
  requireNamed,
  requireOneEach,
  requireOnGpu,
} from "./calls_on_gpu.ts";
import type { Arrays, Memory } from "./gpu_array.ts";
import { GpuArray, hold } from "./gpu_array.ts";
import type { ResultOnGpu } from "./run_on_gpu.ts";
import { runOnGpu } from "./run_on_gpu.ts";
import type { SegmentsOnGpu } from "./segments_on_gpu.ts";
import { segmentsOnGpu } from "./segments_on_gpu.ts";

// Scans, reductions, compactions and partitions of arrays on the GPU.

const { partsOf } = GpuArray;

const descriptions = { scan, reduce, compact, partition };

/** The options of a call that its plan takes, too. Nobody has checked any of them yet. */
interface PlanOptions extends TuningOptions {
  readonly where?: string;
  readonly classes?: number;
  readonly class?: string;
  readonly indices?: boolean;
  readonly type?: ElementType;
  readonly from?: ElementType;
  readonly map?: string;
  readonly params?: unknown;
}

/** All options of a call. */
interface CallOptions extends PlanOptions {
  readonly into?: unknown;
  readonly flags?: unknown;
  readonly initial?: unknown;
  readonly total?: unknown;
  readonly segments?: unknown;
}

/** The types of a call's items and of its results. */
function typesOnGpu(
  primitive: Primitive,
  data: GpuArray,
  { type, from, map }: PlanOptions,
): { readonly type: ElementType; readonly from?: ElementType } {
  const option = from === undefined ? "type" : "from";
  const { type: own } = data;
  const takesMap = primitive !== "partition";
  if (own.wide && type === undefined && (primitive === "scan" || primitive === "reduce")) {
    requireNamed(primitive, data, from, "from");
    return { from: own, type: own.wide };
  }
  if (takesMap && type !== undefined && from === undefined && map === undefined) {
    if (isSameType(requireType(type, primitive), own)) {
      return { type: own };
    }
    requireWidening(primitive, own, type);
    return { from: own, type };
  }
  requireNamed(primitive, data, from ?? (map === undefined ? type : undefined), option);
  return map === undefined && from === undefined
    ? { type: own }
    : { from: own, type: requireType(type ?? own, primitive) };
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
  requireOptions(primitive, options, callNames(descriptions[primitive]));
  requireDevice(context, primitive);
  const { into: room, flags: marks, initial, total: sum, segments: parts, ...given } = options;
  const input = requireOnGpu(primitive, context, data, "data");
  const into = room === undefined ? undefined : requireOnGpu(primitive, context, room, "into");
  const flags = marks === undefined ? undefined : requireOnGpu(primitive, context, marks, "flags");
  const others = { ...given, ...typesOnGpu(primitive, input, given), ...(flags && { flags: true }) };
  const title = `${primitive}<${others.type.name}>`;
  const isByClass = others.classes !== undefined || others.class !== undefined;
  const isSelecting = primitive === "compact" || primitive === "partition";
  if (isSelecting && !isByClass && others.where === undefined && flags === undefined) {
    throw new ArgumentError(
      `${title} takes where (a WGSL expression) or flags; it was given neither`,
      "where",
    );
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
  requireOneEach(title, input, flags, "flags", { items: "items" });
}

/** What a call gives: one array; or the arrays of a partition or of a reduction by keys. `Fold`'s methods say which. */
type ResultOfCall =
  | GpuArray
  | { readonly keys: GpuArray; readonly values: GpuArray }
  | { readonly values: GpuArray; readonly count: GpuArray }
  | { readonly values: GpuArray; readonly offsets: GpuArray };

/** `Fold.scan`, `Fold.reduce`, `Fold.compact` and `Fold.partition` on an array on the GPU. */
export async function callOnGpu(
  primitive: Primitive,
  context: Context,
  arrays: Arrays,
  data: GpuArray,
  options: object,
): Promise<ResultOfCall> {
  const call = requireCall(primitive, context, data, options);
  return call.others.params === undefined
    ? called(primitive, context, arrays, call)
    : whileHeld(call, async () => {
        const params = await paramsOf("call", options, primitive, context);
        return called(primitive, context, arrays, { ...call, others: { ...call.others, ...params } });
      });
}

/** Does some work on a call's arrays. What the caller destroys meanwhile stays until it ends. */
async function whileHeld<T>(call: Call, work: () => Promise<T>): Promise<T> {
  const { input, into, flags, initial, total, segments } = call;
  const used = [input, into, flags, initial, total, ...Object.values(segments?.ranges ?? {})];
  const releases = used.map((array) => (array instanceof GpuArray ? hold(partsOf(array)) : undefined));
  try {
    return await work();
  } finally {
    for (const release of releases) {
      release?.();
    }
  }
}

/** Carries out a call. If an array beside its data has another length on the GPU, the lesser one counts. */
function called(primitive: Primitive, context: Context, arrays: Arrays, call: Call): Promise<ResultOfCall> {
  const { input, flags, segments } = call;
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
  return whileHeld(call, async () => {
    const shortest = await shorterOf(arrays, call, other);
    const { memory } = partsOf(shortest);
    const shared = { ...partsOf(input), count: { memory, range: { buffer: memory.buffer, offset: 0 } } };
    const shorter = new GpuArray(input.type, GpuArray.makeOf(input), { ...shared, held: [] });
    try {
      return await recorded(primitive, context, arrays, { ...call, input: shorter });
    } finally {
      shortest.destroy();
    }
  });
}

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
): Promise<ResultOfCall> {
  const { input, into, flags, initial, total, segments, others, title } = call;
  requireSegmentsBindable(primitive, call, context);
  const heads = segments?.ranges ?? {};
  const value = initial instanceof GpuArray ? initial : undefined;
  const ends = { ...(value && { initial: value }), ...(total && { total }), ...heads };
  const sources = { input, ...(flags && { flags }) };
  // Most arrays start where their buffers do, and results are in buffers of their own. Such ranges take a part of the
  // kernels, so that the first call compiles less.
  const memories = [partsOf(input).count?.memory, ...[input, flags, ...Object.values(ends)].map(memoryOf)];
  const isPlain =
    input.offset === 0 &&
    (into === undefined || (into.offset === 0 && !memories.some((memory) => memory?.buffer === into.buffer)));
  const itemBytes = Math.max(u32.bytes, input.type.bytes, others.type.bytes);
  const all = {
    ...others,
    maxLength: plannedLengthOnGpu(
      input.maxLength,
      itemBytes,
      context,
      () => primitive !== "partition" && segments === undefined && !hasRoundedCarries(primitive, others),
    ),
    lengthOnGpu: partsOf(input).count !== undefined,
    ...(initial !== undefined && { initial: true }),
    ...(total && { total: true }),
    ...(segments && { segments: segments.by }),
  };
  const made = await runOnGpu(context, arrays, {
    title,
    key: keyOfCall({
      primitive: `${primitive} on the GPU${isPlain ? "" : ", anywhere"}`,
      all: { ...all, ...segments?.named },
    }),
    compile: () =>
      prepareFor(
        primitive,
        context,
        all as typeof all & ParamsOption,
        isPlain ? ["vectors"] : undefined,
        true,
      ),
    sources,
    ranges: {
      ...(initial !== undefined && { initial: initial as Value }),
      ...Object.fromEntries(Object.entries(ends).map(([name, array]) => [name, rangeOf(array)])),
      ...segments?.numbers,
      ...valuesIn(others),
    },
    others: Object.values(ends),
    written: total ? [total] : [],
    results: resultsOf(primitive, call),
    into,
  });
  const [values, other] = made as [GpuArray, GpuArray];
  if (primitive === "partition") {
    return others.classes === undefined ? { values, count: other } : { values, offsets: other };
  }
  return other === undefined ? values : { keys: other, values };
}

const memoryOf = (array: GpuArray | undefined): Memory | undefined => array && partsOf(array).memory;

/** Where an array lies. Its owner may have destroyed it since the call began, which recordings would refuse. */
const rangeOf = ({ buffer, offset, size }: GpuArray) => ({ buffer, offset, size });

/** What a call makes: its items, and beside them the keys of runs or the counts of a partition: one, or those of its classes. */
function resultsOf(
  primitive: Primitive,
  { input, into, segments, others: { classes = 0 }, type, most }: Call,
): readonly ResultOnGpu[] {
  const isCounted = primitive === "compact" || (primitive === "reduce" && segments?.isCounted);
  const hasInputs = primitive === "scan" || primitive === "partition";
  const length = isCounted ? "count" : "input";
  const like = into ?? (isSameType(type, input.type) ? input : undefined);
  const items = { name: "result", range: "output", type, most, like } as const;
  const { runs } = segments ?? {};
  const hasGaps = primitive === "scan" && segments?.by === "begins" && into === undefined;
  return [
    { ...items, hasGaps, ...((isCounted || hasInputs) && { length }) },
    ...(runs ? [{ ...runs, name: "keys", range: "unique", most, length: "count" } as const] : []),
    ...(primitive === "partition"
      ? [{ name: "count", range: "count", type: u32, most: classes + 1 } as const]
      : []),
  ];
}
