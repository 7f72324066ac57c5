import type { AnyArray } from "../../algebra/arrays.ts";
import { arrayLike, arrayOver } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import type { CheckedSegments } from "../../algebra/segments.ts";
import { requireSegments } from "../../algebra/segments.ts";
import type { ElementType } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import { requireOptions } from "../../options.ts";
import { loadCpuPrimitives, loadStreams } from "../../parts.ts";
import { requireBindable } from "../../plan/binding_length.ts";
import { requireRunKey } from "../../plan/run_key.ts";
import { callNames } from "../../primitives/option_names.ts";
import { reduce } from "../../primitives/reduce.ts";
import { scan } from "../../primitives/scan.ts";
import { onCpu } from "../at_hand/choose_cpu.ts";
import type { KeysAtHand, SegmentsAtHand } from "../at_hand/cpu_primitives.ts";
import type { HandTypes, TypeOptions } from "../at_hand/hand_types.ts";
import { endReaderOf, foldedTypesOf, targetFor, typesOf } from "../at_hand/hand_types.ts";
import { requireNoRoom } from "../at_hand/reduce_and_compact_at_hand.ts";
import { isLong } from "../at_hand/run_at_hand.ts";
import { bufferBytesFor } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import type { Given } from "../device/given.ts";
import { givenOf } from "../device/given.ts";
import { requireDevice } from "../device/lost.ts";
import { paramsOf } from "../executor/with_params.ts";
import { callOnGpu } from "./fold_calls.ts";
import type { Arrays } from "./gpu_array.ts";
import { GpuArray } from "./gpu_array.ts";
import { readAll, uploadAs, viaGpu } from "./upload_and_wrap.ts";

// Segments of an array at hand. The array, and what says where its segments start, go to the GPU. The call on the GPU does the
// rest.

/** The options of a call with segments. Nobody has checked them yet. */
interface Options extends TypeOptions {
  readonly segments?: unknown;
  readonly into?: unknown;
  readonly total?: unknown;
  readonly initial?: unknown;
  readonly op?: unknown;
}

/**
 * `Fold.scan` and `Fold.reduce` of an array with segments. `given` and `into` are the array, and the one for the result, as they were when the
 * call began.
 */
export async function segmentsAtHand(
  primitive: "scan" | "reduce",
  context: Context,
  arrays: Arrays,
  given: Given,
  options: Options,
  into: Given,
): Promise<AnyArray | { readonly keys: AnyArray; readonly values: AnyArray }> {
  requireOptions(primitive, options, callNames(primitive === "scan" ? scan : reduce));
  if (primitive === "reduce") {
    requireNoRoom(options);
  }
  requireDevice(context, primitive);
  const { segments, into: _, total, ...unchecked } = options;
  const { arrayOf, ...types } = await foldedTypesOf(given, options, primitive);
  const title = `${primitive}<${types.type.name}>`;
  if (total !== undefined) {
    throw new ArgumentError(
      `${title}: with segments there is no total of all; reduce with the same segments gives the total of each`,
      "total",
    );
  }
  const others = { ...unchecked, ...(await paramsOf("call", options, primitive, context)) };
  const { checked, keys, ofData } = await segmentsGiven(segments, given, types, title);
  const from = types.from ?? types.type;
  const target = targetFor(into, arrayOf, primitive, given.length, true);
  const size = { primitive: "segments", length: given.length, options: others };
  const computed = await onCpu(context, size, async (cpu) => {
    const { initial, ...options } = others as Options;
    const { options: _, ...ends } = await endReaderOf(primitive, initial)({ arrayOf, ...types });
    const call = { primitive, options, given, types, ends, target, segments: checked, keys };
    const starts = keys?.given ?? ("words" in checked ? givenOf(checked.words) : undefined);
    return cpu.withArrays(primitive, { data: given, ...(starts && { segments: starts }) }, async () =>
      (await loadCpuPrimitives()).segments(context, call as SegmentsAtHand),
    );
  });
  if (computed) {
    const values = into.data ?? arrayOf(computed.bytes.buffer as ArrayBuffer);
    return computed.keys && keys ? { keys: keysLike(keys, computed.keys), values } : values;
  }
  if (checked.kind === "rows" && isLong(given.length, Math.max(from.bytes, types.type.bytes), context)) {
    const { rowsGoInPieces, rowsInPieces } = await loadStreams();
    if (rowsGoInPieces(primitive, context, checked.rows, types, options.op)) {
      const { initial, ...all } = others;
      const { options: endOptions, ...ends } = await endReaderOf(primitive, initial)({ arrayOf, ...types });
      const made = await rowsInPieces(context, primitive, { ...all, ...types, ...endOptions }, checked.rows, {
        given,
        target,
        into,
        ends,
      });
      return into.data ?? arrayOf(made.buffer as ArrayBuffer);
    }
  }
  requireRangesBindable(primitive, given.length, types, checked, keys?.type, context);
  const startBytes = "rows" in checked ? 0 : arrayIn(checked).byteLength;
  // What a scan leaves in gaps is that of the caller's array.
  const leaves = checked.kind === "begins" && primitive === "scan" && into.data !== undefined;
  const bytes =
    bufferBytesFor(given.byteLength) +
    bufferBytesFor(given.length * types.type.bytes) +
    // The keys go in, and those of runs come out.
    2 * bufferBytesFor(startBytes);
  return viaGpu(context, title, given.length, bytes, async (own) => {
    const { key, keyType } = segments as { readonly key?: unknown; readonly keyType?: unknown };
    const there = async (array: Given, type: ElementType): Promise<GpuArray> =>
      own(await uploadAs(context, arrays, array, await typesOf(array, { type }, title), true));
    /** What says where segments start, on the GPU. */
    const starts = async (data: GpuArray): Promise<object> => {
      if (checked.kind === "matrices") {
        const { rows, columns } = checked;
        return { shape: [data.maxLength / (rows * columns), rows, columns], axis: 1 };
      }
      if ("rows" in checked) {
        return { [checked.kind]: checked.rows };
      }
      if (ofData && keys !== undefined && isSameType(keys.type, from)) {
        return { keys: data, key, keyType };
      }
      const array = await there(givenOf(arrayIn(checked)), keys?.type ?? u32);
      return checked.kind === "begins"
        ? { begins: array, ends: await there(givenOf(checked.ends), u32) }
        : { [checked.kind]: array, key, keyType };
    };
    const data = await there(given, from);
    const result: unknown = await callOnGpu(primitive, context, arrays, data, {
      ...others,
      ...(leaves && { into: await there(into, types.type) }),
      ...(types.from && types),
      segments: await starts(data),
    });
    const { keys: runs, values } = (
      result instanceof GpuArray ? { keys: undefined, values: result } : result
    ) as { readonly keys?: GpuArray; readonly values: GpuArray };
    const [keysOfRuns, contents] = await readAll([
      runs && own(runs).read(),
      own(values).read(into.data === undefined ? {} : { into: into.data }),
    ]);
    return keysOfRuns ? { keys: keysOfRuns, values: contents } : contents;
  });
}

/** The segments of a call, and the keys if they are runs of keys. `ofData` says whether the data is also what keys are made of. */
async function segmentsGiven(
  segments: unknown,
  given: Given,
  { type, from = type }: Pick<HandTypes, "type" | "from">,
  title: string,
): Promise<{ checked: CheckedSegments; keys: KeysAtHand | undefined; ofData: boolean }> {
  const checked = requireSegments(segments, given.length, title, given.data as AnyArray);
  if (checked.kind !== "keys") {
    return { checked, keys: undefined, ofData: false };
  }
  const ofData = checked.keys === given.data;
  const isNamed = (segments as { readonly type?: unknown }).type !== undefined;
  const keys = ofData && !isNamed ? from : (await keysOf(checked.keys, segments, title)).type;
  const key = requireRunKey(segments as object, keys, title, "segments");
  return { checked, keys: { given: givenOf(checked.keys), type: keys, key }, ofData };
}

/** @throws {LimitError} for arrays that the device cannot bind. */
function requireRangesBindable(
  primitive: "scan" | "reduce",
  length: number,
  { type, from = type }: Pick<HandTypes, "type" | "from">,
  checked: CheckedSegments,
  keys: ElementType | undefined,
  { facts: { limits } }: Context,
): void {
  const title = `${primitive}<${type.name}>`;
  requireBindable(title, length, Math.max(type.bytes, from.bytes), limits, "data");
  if (!("rows" in checked)) {
    const { length: starts } = arrayIn(checked);
    requireBindable(`${title}: ${checked.kind}`, starts, (keys ?? u32).bytes, limits, "segments");
    if ((checked.kind === "offsets" || checked.kind === "begins") && primitive === "reduce") {
      requireBindable(
        `${title}: the totals`,
        checked.kind === "begins" ? starts : starts - 1,
        type.bytes,
        limits,
        "segments",
      );
    }
  }
}

/** The type of the keys. @throws {ArgumentError} if they are no array of an element type. */
async function keysOf(keys: AnyArray, segments: unknown, title: string): Promise<HandTypes> {
  try {
    const { type } = segments as { readonly type?: unknown };
    return await typesOf(givenOf(keys), { type }, `${title}: keys`);
  } catch (cause) {
    throw cause instanceof ArgumentError ? new ArgumentError(cause.message, "segments") : cause;
  }
}

/** The keys of runs: like the keys that were given, if they have the same type. */
const keysLike = ({ given, type, key }: KeysAtHand, { buffer }: Uint8Array): AnyArray =>
  isSameType(type, key.type)
    ? arrayLike(given.data, buffer as ArrayBuffer)
    : arrayOver(key.type, buffer as ArrayBuffer);

const arrayIn = (checked: Exclude<CheckedSegments, { rows: number }>): AnyArray =>
  checked.kind === "keys" ? checked.keys : checked.words;
