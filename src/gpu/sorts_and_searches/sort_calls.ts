import type { AnyArray } from "../../algebra/arrays.ts";
import { arrayOver } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import type { CheckedSegments } from "../../algebra/segments.ts";
import { longestOf, requireKind, requireSegments } from "../../algebra/segments.ts";
import type { ElementType } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { ArgumentError, refuse, shown, WavefoldError } from "../../errors.ts";
import type { SortedSegments } from "../../kernels/sort_segments.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import { requireBindable } from "../../plan/binding_length.ts";
import { requireChosen } from "../../plan/check_tuning_options.ts";
import type { TuningOptions } from "../../plan/options.ts";
import { tuningNames } from "../../plan/options.ts";
import type { CheckedKey, SortKeyOptions } from "../../plan/sort_key.ts";
import { requireBits, requireKey, requireWhole } from "../../plan/sort_key.ts";
import { planSortWithValues } from "../../plan/sort_with_values.ts";
import { targetFor, typesOf } from "../at_hand/scan_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { explain, requireDevice } from "../device/device.ts";
import type { Given } from "../device/transfer.ts";
import { givenOf, roomFor } from "../device/transfer.ts";
import { withNumbers } from "../executor/load_later.ts";
import { keyOfCall, lengthError } from "../executor/plans_of_calls.ts";
import {
  callOnGpu,
  ofCall,
  plannedLengthOnGpu,
  requireNamed,
  requireOneEach,
  requireOnGpu,
  submitOnGpu,
  withPlanOnGpu,
} from "../gpu_arrays/calls_on_gpu.ts";
import type { Arrays, Memory } from "../gpu_arrays/gpu_array.ts";
import { GpuArray, hold, own } from "../gpu_arrays/gpu_array.ts";
import { segmentsOnGpu } from "../gpu_arrays/segments_on_gpu.ts";
import { readAll, upload, viaGpu } from "../gpu_arrays/upload_and_wrap.ts";
import type { Prepared } from "../recordings/recording.ts";
import { prepare } from "../recordings/recording.ts";

// Sorts of arrays: those on the GPU, and those at hand, which go there and back.

/** The segments of a sort: rows of equal length; or where each segment starts, and where the last one ends. */
export type SortSegments =
  | {
      /** The elements of a row. Each row is a segment. */
      readonly rows: number;
    }
  | {
      /** One position more than there are segments. They start from 0, never fall, and end with the length of the data. */
      readonly offsets: ArrayLike<number> | GpuArray<"u32", number>;
    };

/** The options of `sort` and `argSort`. */
export interface HandSortOptions<Name extends string> extends SortKeyOptions, TuningOptions {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** Sorts each segment on its own. If the data is on the GPU, offsets are, too. */
  readonly segments?: SortSegments;
  /** The most elements of a segment, if the offsets are on the GPU. Segments that fit in work-group memory take one dispatch. */
  readonly maxSegmentLength?: number;
}

/** Elements in order, and their values in the same order. */
export interface Sorted<Keys, Values> {
  /** The elements, in order. */
  readonly keys: Keys;
  /** The values, in the order of their elements. */
  readonly values: Values;
}

/** What `Fold` calls. */
export type SortPrimitive = "sort" | "argSort";

const common = {
  type: true,
  key: true,
  keyType: true,
  descending: "boolean",
  bits: true,
  segments: true,
  maxSegmentLength: true,
  ...tuningNames,
} as const satisfies OptionTable<HandSortOptions<string>>;
const names = { sort: { values: true, into: true, ...common }, argSort: { into: true, ...common } } as const;

interface Options extends HandSortOptions<string> {
  readonly values?: unknown;
  readonly into?: unknown;
}

const { partsOf } = GpuArray;

/** The name of the call in messages, and its key. It checks the options that are not about arrays. */
function requireCall(
  primitive: SortPrimitive,
  type: ElementType,
  options: Options,
  { facts }: Context,
): { readonly title: string; readonly key: CheckedKey } {
  const title = `${primitive}<${type.name}>`;
  const key = requireKey(options, type, title);
  requireBits(options.bits, key, title);
  requireChosen(options, title, facts);
  if (options.values !== undefined && options.into !== undefined) {
    throw new ArgumentError(`${title} takes values or into, and not both`, "into");
  }
  return { title, key };
}

/** What a sort of segments plans and records. @throws {ArgumentError} for segments that a sort does not take. */
function segmentsOf(
  { segments, maxSegmentLength }: Pick<Options, "segments" | "maxSegmentLength">,
  input: GpuArray,
  title: string,
  requireArray: (array: unknown) => GpuArray,
) {
  if (segments === undefined) {
    if (maxSegmentLength !== undefined) {
      refuse(title, "maxSegmentLength", shown(maxSegmentLength), "a number only beside segments");
    }
    return undefined;
  }
  const { by, ranges, numbers } = segmentsOnGpu(segments, input, false, title, requireArray);
  if (by !== "rows" && by !== "offsets") {
    refuseKind(title, typeof by === "string" ? by : "keys");
  }
  const most = numbers.rows ?? maxSegmentLength;
  requireWhole(most ?? 1, 1, title, "maxSegmentLength");
  return {
    ranges,
    numbers,
    // Plans are for the next power of two, so that they are shared.
    planned: {
      segments: by as SortedSegments,
      ...(most !== undefined && { maxSegmentLength: 2 ** Math.ceil(Math.log2(most)) }),
    },
  };
}

/** The rows, or the offsets, of an array at hand. @throws {ArgumentError} */
function requireRanges(segments: unknown, length: number, title: string) {
  const [kind] = requireKind(segments, title);
  const checked = requireSegments(segments, length, title);
  return checked.kind === "rows" || checked.kind === "offsets" ? checked : refuseKind(title, kind);
}

/** @throws {ArgumentError} */
const refuseKind = (title: string, kind: string): never =>
  refuse(title, "segments", `{ ${kind} }`, "{ rows } or { offsets }");

/** The values that are given: one array, or several. */
const listOf = (values: unknown): readonly unknown[] =>
  values === undefined ? [] : Array.isArray(values) ? values : [values];

/** A plan is kept only if its scratch has at most this share of `maxKeptBytes`, since 16 plans are kept. */
const KEPT_PART = 16;

/** Uses a kept plan, or a new one. A plan with much scratch is not kept. What was submitted still runs to its end. */
async function withSort<T>(
  context: Context,
  key: string,
  scratchBytes: number,
  compile: () => Promise<Prepared>,
  use: (sort: Prepared) => Promise<T>,
): Promise<T> {
  if (scratchBytes <= context.kept.mostBytes / KEPT_PART) {
    return withPlanOnGpu(context, key, compile, use);
  }
  const sort = await withNumbers(compile);
  try {
    return await use(sort);
  } finally {
    sort.destroy();
  }
}

/** A call on an array on the GPU whose arguments were checked. */
interface CallOnArray {
  readonly title: string;
  readonly key: CheckedKey;
  readonly input: GpuArray;
  /** The arrays of values. */
  readonly moved: readonly GpuArray[];
  /** The array that the caller gave for the result. */
  readonly room: GpuArray | undefined;
  readonly starts: ReturnType<typeof segmentsOf>;
  /** Whether the result is positions. */
  readonly indices: boolean;
  /** The type of the result. */
  readonly resultType: ElementType;
  /** The other options. */
  readonly others: Omit<Options, "type" | "values" | "into" | "segments" | "maxSegmentLength">;
}

/** Checks the arguments of a call on an array on the GPU. */
function requireCallOnArray(
  primitive: SortPrimitive,
  context: Context,
  data: unknown,
  options: Options,
): CallOnArray {
  requireOptions(primitive, options, names[primitive]);
  requireDevice(context, primitive);
  const input = requireOnGpu(primitive, context, data, "data");
  const { type: named, values, into, segments: _, maxSegmentLength: __, ...others } = options;
  requireNamed(primitive, input, named);
  const { title, key } = requireCall(primitive, input.type, options, context);
  const starts = segmentsOf(options, input, title, (array) =>
    requireOnGpu(primitive, context, array, "segments"),
  );
  const moved = listOf(values).map((array) => requireOnGpu(primitive, context, array, "values"));
  for (const array of moved) {
    requireOneEach(title, input, array, "values");
  }
  const indices = primitive === "argSort";
  const resultType = indices ? u32 : input.type;
  const room = into === undefined ? undefined : requireOnGpu(primitive, context, into, "into");
  if (room !== undefined && (!isSameType(room.type, resultType) || room.maxLength < input.maxLength)) {
    throw new ArgumentError(
      `${title}: into holds ${room.maxLength} of ${room.type.name}; it takes at least ${input.maxLength} of ${resultType.name}`,
      "into",
    );
  }
  return { title, key, input, moved, room, starts, indices, resultType, others };
}

/** The options of a call's plan, the key by which the plan is kept, and the bytes of its scratch. */
function plannedSort({ key: by, input, moved, starts, indices, others }: CallOnArray, context: Context) {
  const { type } = input;
  const types = moved.map((array) => array.type);
  const itemBytes = Math.max(u32.bytes, type.bytes, by.type.bytes, ...types.map(({ bytes }) => bytes));
  const all = {
    ...others,
    type,
    indices,
    maxLength: plannedLengthOnGpu(input.maxLength, itemBytes, context),
    lengthOnGpu: partsOf(input).count !== undefined,
    ...starts?.planned,
  };
  const bits = others.bits?.join();
  const byType = Object.fromEntries(types.map((valueType, at) => [`values ${at}`, valueType]));
  const key = keyOfCall({
    primitive: "sort on the GPU",
    all: { ...all, ...byType, bits } as object as typeof all,
  });
  const extraBytes = starts === undefined ? 8 : 32;
  const scratchBytes =
    all.maxLength * (by.type.bytes + types.reduce((sum, { bytes }) => sum + bytes, extraBytes));
  return { all, types, key, scratchBytes };
}

/** The array of a result in some memory, which may be that of the caller's room. It is like `given`; without that, it has positions. */
function resultIn(
  context: Context,
  { input, room }: CallOnArray,
  memory: Memory,
  given: GpuArray | undefined,
): GpuArray {
  const { count } = partsOf(input);
  const roomParts = room && partsOf(room);
  const isOurs = memory !== roomParts?.memory;
  // A result in `into` has its count for as long as `into` has.
  const isCounted = count !== undefined && (isOurs || roomParts.count?.memory !== count.memory);
  if (isCounted) {
    count.memory.hold();
  }
  return new GpuArray(given?.type ?? u32, given ? GpuArray.makeOf(given) : arrayOver.bind(undefined, u32), {
    context,
    memory,
    offset: isOurs ? 0 : roomParts.offset,
    maxLength: input.maxLength,
    count,
    held: [...(isOurs ? [memory] : []), ...(isCounted ? [count.memory] : [])],
    call: callOnGpu,
  });
}

/** `Fold.sort` and `Fold.argSort` of an array on the GPU. */
export async function sortOnGpu(
  primitive: SortPrimitive,
  context: Context,
  arrays: Arrays,
  data: unknown,
  options: Options,
): Promise<GpuArray | Sorted<GpuArray, GpuArray | readonly GpuArray[]>> {
  const call = requireCallOnArray(primitive, context, data, options);
  const { title, input, moved, room, starts, indices, resultType } = call;
  const { values } = options;
  const { all, types, key, scratchBytes } = plannedSort(call, context);
  const offsets = starts?.ranges.offsets;
  const sources = [input, ...moved, ...(offsets ? [offsets] : [])];
  const releases = [...sources, ...(room ? [room] : [])].map((array) => hold(partsOf(array)));
  const made: Memory[] = [];
  const make = async (name: string, bytes: number): Promise<Memory> => {
    const memory = own(context, arrays, await roomFor(context, title, name, bytes));
    made.push(memory);
    return memory;
  };
  const compile = async (): Promise<Prepared> => {
    try {
      const plan = planSortWithValues({ ...all, ...(types.length > 0 && { values: types }) }, context.facts);
      return await prepare(context, plan, undefined, true);
    } catch (cause) {
      throw lengthError(cause, "data");
    }
  };
  try {
    return await withSort(context, key, scratchBytes, compile, async (sort) => {
      const result = room ? partsOf(room).memory : await make("result", input.maxLength * resultType.bytes);
      const reordered: Memory[] = [];
      for (const { bytes } of types) {
        reordered.push(await make("values", input.maxLength * bytes));
      }
      const rangeOf = ({ buffer, offset }: GpuArray) => ({ buffer, offset });
      const read = [...sources.map((array) => partsOf(array).memory), partsOf(input).count?.memory];
      submitOnGpu(context, title, read, [result, ...reordered], (encoder) =>
        sort.record(
          encoder,
          {
            input: rangeOf(input),
            output: room ? rangeOf(room) : result.buffer,
            length: input.length,
            ...starts?.numbers,
            ...(offsets && { offsets: rangeOf(offsets) }),
            ...(moved.length > 0 && {
              values: moved.map(rangeOf),
              reordered: reordered.map(({ buffer }) => buffer),
            }),
          },
          input.maxLength,
        ),
      );
      made.length = 0;
      const keys = resultIn(context, call, result, indices ? undefined : input);
      const lists = reordered.map((memory, at) => resultIn(context, call, memory, moved[at]));
      return values === undefined
        ? keys
        : { keys, values: Array.isArray(values) ? lists : (lists[0] as GpuArray) };
    });
  } catch (cause) {
    throw cause instanceof WavefoldError ? ofCall(cause) : await explain(context, title, cause);
  } finally {
    for (const memory of made) {
      memory.letGo();
    }
    for (const release of releases) {
      release();
    }
  }
}

/** The type of an array of values. @throws {ArgumentError} if it is no array of an element type. */
async function typeOfValues(values: Given, title: string): Promise<ElementType> {
  try {
    return (await typesOf(values, {}, `${title}: values`, "values")).type;
  } catch (cause) {
    throw cause instanceof ArgumentError ? new ArgumentError(cause.message, "values") : cause;
  }
}

/** @throws {LimitError} for arrays that the device cannot bind. The values' types come after the data's. */
function requireRoom(
  title: string,
  length: number,
  types: readonly ElementType[],
  segments: CheckedSegments | undefined,
  { facts: { limits } }: Context,
): void {
  types.forEach((type, at) => {
    const [name, option] = at === 0 ? [title, "data"] : [`${title}: values`, "values"];
    // The positions of items are u32.
    requireBindable(name, length, Math.max(type.bytes, u32.bytes), limits, option);
  });
  if (segments?.kind === "offsets") {
    requireBindable(`${title}: offsets`, segments.words.length, u32.bytes, limits, "segments");
  }
}

/** The arrays of a call as they were when it began. */
export interface SortArrays {
  readonly given: Given;
  readonly room: Given;
  readonly values: readonly Given[];
}

/** `Fold.sort` and `Fold.argSort` of an array. */
export async function sortAtHand(
  primitive: SortPrimitive,
  context: Context,
  arrays: Arrays,
  { given, room, values: givenValues }: SortArrays,
  options: Options,
): Promise<AnyArray | Sorted<AnyArray, AnyArray | readonly AnyArray[]>> {
  requireOptions(primitive, options, names[primitive]);
  requireDevice(context, primitive);
  const { type: named, values, into, segments, ...others } = options;
  const moved = values === undefined ? [] : givenValues;
  const { type, arrayOf } = await typesOf(given, { type: named }, primitive);
  const { title } = requireCall(primitive, type, options, context);
  const checked = segments === undefined ? undefined : requireRanges(segments, given.length, title);
  const types: ElementType[] = [];
  for (const one of moved) {
    if ((Object(one.data) as Partial<GpuArray>).callOnGpu !== undefined) {
      throw new ArgumentError(
        `${title}: values is on the GPU, and data is not; fold.upload(data) puts it there`,
        "values",
      );
    }
    types.push(await typeOfValues(one, title));
    if (one.length !== given.length) {
      throw new ArgumentError(
        `${title}: ${one.length} values for ${given.length} elements; it takes one for each`,
        "values",
      );
    }
  }
  requireRoom(title, given.length, [type, ...types], checked, context);
  const indices = primitive === "argSort";
  await targetFor(
    into,
    room,
    indices ? (...range) => arrayOver(u32, ...range) : arrayOf,
    primitive,
    given.length,
    true,
  );
  const valueBytes = moved.reduce((sum, { byteLength }) => sum + byteLength, 0);
  // The plan's scratch is for up to twice as many items.
  const scratchBytes = 2 * (given.length * (8 + (checked ? 32 : 8)) + valueBytes);
  const bytes =
    bufferBytesFor(given.byteLength) +
    bufferBytesFor(given.length * Math.max(type.bytes, u32.bytes)) +
    moved.reduce((sum, { byteLength }) => sum + 2 * bufferBytesFor(byteLength), scratchBytes) +
    (checked && "words" in checked ? bufferBytesFor(checked.words.byteLength) : 0);
  return viaGpu(context, title, given.length, bytes, async (own) => {
    const data = own(await upload(context, arrays, given, { type }, true));
    const onGpu: GpuArray[] = [];
    for (const [at, one] of moved.entries()) {
      onGpu.push(own(await upload(context, arrays, one, { type: types[at] }, true)));
    }
    /** What says where segments start, on the GPU. */
    const starts = async (): Promise<Partial<Options>> => {
      if (checked === undefined) {
        return {};
      }
      if ("rows" in checked) {
        return { segments: { rows: checked.rows } };
      }
      const { words } = checked as Extract<CheckedSegments, { readonly words: Uint32Array }>;
      const offsets = own(await upload(context, arrays, givenOf(words), { type: u32 }, true));
      return {
        segments: { offsets: offsets as GpuArray as GpuArray<"u32", number> },
        maxSegmentLength: longestOf(words),
      };
    };
    const result = await sortOnGpu(primitive, context, arrays, data, {
      ...others,
      ...(await starts()),
      ...(values !== undefined && { values: Array.isArray(values) ? onGpu : onGpu[0] }),
    });
    if (result instanceof GpuArray) {
      return own(result).read(into === undefined ? {} : { into: into as never });
    }
    const lists = listOf(result.values) as readonly GpuArray[];
    const [keys, ...read] = await readAll([result.keys, ...lists].map((one) => own(one).read()));
    return {
      keys: keys as AnyArray,
      values: Array.isArray(values) ? read : (read[0] as AnyArray),
    };
  });
}
