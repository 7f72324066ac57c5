import { valuesOf } from "../../algebra/array_values.ts";
import type { AnyArray } from "../../algebra/arrays.ts";
import { arrayOver } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import { requireKind, requireRows } from "../../algebra/segments.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { ArgumentError, refuse, WavefoldError } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireOptions } from "../../options.ts";
import { requireBindable } from "../../plan/binding_length.ts";
import { requireChosen } from "../../plan/check_tuning_options.ts";
import { requireFeature } from "../../plan/choose_sizes.ts";
import type { Chosen } from "../../plan/options.ts";
import type { TopKOrder } from "../../plan/select.ts";
import type { SortKeyOptions } from "../../plan/sort_key.ts";
import { requireBits, requireKey, requireWhole } from "../../plan/sort_key.ts";
import { typesOf } from "../at_hand/scan_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { explain, requireDevice } from "../device/device.ts";
import type { Given } from "../device/transfer.ts";
import { roomFor } from "../device/transfer.ts";
import { keyOfCall } from "../executor/plans_of_calls.ts";
import {
  callOnGpu,
  ofCall,
  plannedLengthOnGpu,
  requireNamed,
  requireOnGpu,
  submitOnGpu,
  withPlanOnGpu,
} from "../gpu_arrays/calls_on_gpu.ts";
import type { Arrays, Memory } from "../gpu_arrays/gpu_array.ts";
import { GpuArray, hold, own } from "../gpu_arrays/gpu_array.ts";
import { readAll, upload, viaGpu } from "../gpu_arrays/upload_and_wrap.ts";
import type { Ranges } from "../recordings/recording.ts";
import { prepareNth, prepareTopK } from "./recorded_select.ts";

// Selections from arrays: those on the GPU, and those at hand, which go there.

/** The options of `topK`. */
export interface HandTopKOptions<Name extends string> extends TopKOrder {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
  /** Takes the first elements of each row. The results have those of the first row, then those of the second one, and so on. */
  readonly segments?: {
    /** The elements of a row. They divide the length. */
    readonly rows: number;
  };
}

/** The options of `nth`. */
export interface HandNthOptions<Name extends string> extends SortKeyOptions {
  /** Needed only for f16 bits in a `Uint16Array`. */
  readonly type?: ElementType<Name>;
}

/** The first elements in an order, and where they are in the data. */
export interface TopK<Values, Indices> {
  /** The elements, the first one first. */
  readonly values: Values;
  /** The position of each in the data. */
  readonly indices: Indices;
}

/** An element, and where it is in the data. */
export interface Nth<V, Index> {
  /** The element. */
  readonly value: V;
  /** Its position in the data. */
  readonly index: Index;
}

/** What `Fold` calls. */
export type SelectPrimitive = "topK" | "nth";

const common = { type: true, key: true, keyType: true, bits: true } as const;
const names = {
  topK: { smallest: "boolean", passes: true, segments: true, ...common } satisfies OptionTable<
    HandTopKOptions<string>
  >,
  nth: { descending: "boolean", ...common } satisfies OptionTable<HandNthOptions<string>>,
} as const;

type Options = HandTopKOptions<string> & HandNthOptions<string>;

const { partsOf } = GpuArray;

/** The name of the call in messages. It checks what does not depend on the array's length. */
function requireCall(
  primitive: SelectPrimitive,
  type: ElementType,
  number: unknown,
  options: Options,
  { facts }: Context,
): string {
  const title = `${primitive}<${type.name}>`;
  const key = requireKey(options, type, title);
  requireBits(options.bits, key, title);
  requireChosen({ passes: options.passes, maxLength: 0 } as Chosen, title, facts);
  requireFeature(type, title, facts);
  requireFeature(key.type, title, facts);
  requireWhole(number, primitive === "topK" ? 1 : 0, title, primitive === "topK" ? "k" : "n");
  return title;
}

/** The elements of a row. @throws {ArgumentError} for other segments than rows, and for rows that do not divide the length. */
function requireRowsOf(segments: unknown, { length }: { readonly length: unknown }, title: string): number {
  const [kind, rows] = requireKind(segments, title);
  if (kind !== "rows") {
    refuse(title, "segments", `{ ${kind} }`, "{ rows }");
  }
  return requireRows(kind, rows, typeof length === "number" ? length : undefined, title);
}

/** @throws {ArgumentError} if there is no such element, as far as the host knows. */
function requireElement(
  primitive: SelectPrimitive,
  title: string,
  n: number,
  length: number | undefined,
): void {
  if (primitive === "nth" && length !== undefined && n >= length) {
    throw new ArgumentError(
      length === 0
        ? `${title}: the array is empty, and the result is one of its elements`
        : `${title}: n is ${n}, and there are ${length} elements; it takes 0 to ${length - 1}`,
      length === 0 ? "data" : "n",
    );
  }
}

/** `Fold.topK` and `Fold.nth` of an array on the GPU. `number` is k, or n. */
export async function selectOnGpu(
  primitive: SelectPrimitive,
  context: Context,
  arrays: Arrays,
  data: unknown,
  number: number,
  options: Options,
): Promise<TopK<GpuArray, GpuArray> | Nth<GpuArray, GpuArray>> {
  requireOptions(primitive, options, names[primitive]);
  requireDevice(context, primitive);
  const input = requireOnGpu(primitive, context, data, "data");
  const { type, maxLength } = input;
  const { type: named, ...others } = options;
  requireNamed(primitive, input, named);
  const title = requireCall(primitive, type, number, options, context);
  const { count } = partsOf(input);
  requireElement(primitive, title, number, count && maxLength > 0 ? undefined : maxLength);
  const isTopK = primitive === "topK";
  const { segments, ...plain } = others;
  const rows = segments === undefined ? undefined : requireRowsOf(segments, input, title);
  if (rows !== undefined && count) {
    throw new ArgumentError(
      `${title} of rows takes no length on the GPU; it takes an array whose length is known`,
      "data",
    );
  }
  const all = {
    ...plain,
    // Plans are for the next power of two, so that they are shared.
    ...(rows !== undefined && { segments: "rows", maxSegmentLength: 2 ** Math.ceil(Math.log2(rows)) }),
    type,
    ...(isTopK ? { k: number } : { n: number }),
    maxLength: plannedLengthOnGpu(maxLength, Math.max(type.bytes, u32.bytes), context),
    lengthOnGpu: count !== undefined,
  };
  const key = keyOfCall({
    primitive: `${primitive} on the GPU`,
    all: { ...all, bits: options.bits?.join() } as object as typeof all,
  });
  const compile = () =>
    isTopK ? prepareTopK(context, all as never, true) : prepareNth(context, all as never, true);
  const release = hold(partsOf(input));
  const made: Memory[] = [];
  const make = async (name: string, bytes: number): Promise<Memory> => {
    const memory = own(context, arrays, await roomFor(context, title, name, bytes));
    made.push(memory);
    return memory;
  };
  try {
    return await withPlanOnGpu(context, key, compile, async (selection) => {
      const ofRows = rows === undefined ? undefined : Math.min(number, rows) * (maxLength / rows);
      const most = ofRows ?? (isTopK ? Math.min(number, maxLength) : 1);
      const values = await make("values", most * type.bytes);
      const indices = await make("indices", most * u32.bytes);
      const taken = isTopK && count ? await make("count", u32.bytes) : undefined;
      submitOnGpu(context, title, [partsOf(input).memory, count?.memory], made, (encoder) => {
        if (!isTopK && count) {
          // There may be no element, and an earlier call may have used these buffers.
          encoder.clearBuffer(values.buffer);
          encoder.clearBuffer(indices.buffer);
        }
        const ranges = {
          input: { buffer: input.buffer, offset: input.offset },
          output: values.buffer,
          indices: indices.buffer,
          ...(taken && { count: taken.buffer }),
          length: input.length,
          ...(rows !== undefined && { rows }),
        };
        selection.record(encoder, ranges as Ranges, maxLength);
      });
      made.length = 0;
      taken?.hold();
      const arrayOf = (of: GpuArray | undefined, memory: Memory): GpuArray =>
        new GpuArray(of?.type ?? u32, of ? GpuArray.makeOf(of) : arrayOver.bind(undefined, u32), {
          context,
          memory,
          offset: 0,
          maxLength: most,
          count: taken && { memory: taken, range: { buffer: taken.buffer, offset: 0 } },
          held: [memory, ...(taken ? [taken] : [])],
          call: callOnGpu,
        });
      const [first, second] = [arrayOf(input, values), arrayOf(undefined, indices)];
      return isTopK ? { values: first, indices: second } : { value: first, index: second };
    });
  } catch (cause) {
    throw cause instanceof WavefoldError ? ofCall(cause) : await explain(context, title, cause);
  } finally {
    for (const memory of made) {
      memory.letGo();
    }
    release?.();
  }
}

/** `Fold.topK` and `Fold.nth` of an array. `given` is the array as it was when the call began. */
export async function selectAtHand(
  primitive: SelectPrimitive,
  context: Context,
  arrays: Arrays,
  given: Given,
  number: number,
  options: Options,
): Promise<TopK<AnyArray, Uint32Array> | Nth<Value, number>> {
  requireOptions(primitive, options, names[primitive]);
  requireDevice(context, primitive);
  const { type: named, ...others } = options;
  const { type } = await typesOf(given, { type: named }, primitive);
  const title = requireCall(primitive, type, number, options, context);
  requireElement(primitive, title, number, given.length);
  if (options.segments !== undefined) {
    requireRowsOf(options.segments, given, title);
  }
  requireBindable(title, given.length, Math.max(type.bytes, u32.bytes), context.facts.limits, "data");
  // The results are at most as long as the data, and so is the scratch.
  const bytes =
    2 * bufferBytesFor(given.byteLength) +
    bufferBytesFor(given.length * u32.bytes) +
    bufferBytesFor(given.length * 8);
  return viaGpu(context, title, given.length, bytes, async (own) => {
    const data = own(await upload(context, arrays, given, { type }, true));
    const selected = await selectOnGpu(primitive, context, arrays, data, number, others);
    const [values, indices] =
      "values" in selected ? [selected.values, selected.indices] : [selected.value, selected.index];
    const [elements, positions] = await readAll([own(values).read(), own(indices).read()]);
    return primitive === "topK"
      ? { values: elements as AnyArray, indices: positions as Uint32Array }
      : {
          value: valuesOf(elements as AnyArray, type)(0),
          index: (positions as Uint32Array)[0] as number,
        };
  });
}
