import type { AnyArray } from "../../algebra/arrays.ts";
import { arrayLike, arrayOver, goneError } from "../../algebra/arrays.ts";
import { u32 } from "../../algebra/integers.ts";
import type { CheckedSegments } from "../../algebra/segments.ts";
import { requireSegments } from "../../algebra/segments.ts";
import type { ElementType } from "../../algebra/types.ts";
import { isSameType } from "../../algebra/types.ts";
import { ArgumentError } from "../../errors.ts";
import { requireOptions } from "../../options.ts";
import { loadCpuPrimitives, loadStreams } from "../../parts.ts";
import { requireRunKey } from "../../plan/run_key.ts";
import { folds } from "../../primitives/folds.ts";
import { callNames } from "../../primitives/option_names.ts";
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
import type { Arrays, GpuArray } from "../gpu_arrays/gpu_array.ts";
import { readAll, uploadAs, viaGpu } from "../gpu_arrays/upload_and_wrap.ts";
import { resultOf, usualRunner } from "./call.ts";
import { foldRunner } from "./folds_on_gpu.ts";

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
  requireOptions(primitive, options, callNames(folds[primitive]));
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
  const { checked, keys } = await segmentsGiven(segments, given, types, title);
  const marks = marksIn(checked, keys);
  const from = types.from ?? types.type;
  const target = targetFor(into, arrayOf, primitive, given.length, true);
  const size = { primitive: "segments", length: given.length, options: others };
  const computed = await onCpu(context, size, async (cpu) => {
    const { initial, ...options } = others as Options;
    const { options: _, ...ends } = await endReaderOf(primitive, initial)({ arrayOf, ...types });
    const call = { primitive, options, given, types, ends, target, segments: checked, keys };
    const [starts] = marks;
    return cpu.withArrays(primitive, { data: given, ...(starts && { segments: starts[1] }) }, async () =>
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
  for (const [name, { isGone }] of marks) {
    if (isGone) {
      throw goneError(primitive, "segments", name);
    }
  }
  const known = [["data", given, from] as const, ...marks];
  const request = folds[primitive].request({
    types: Object.fromEntries(known.map(([name, , type]) => [name, type])),
    lengths: Object.fromEntries(known.map(([name, { length }]) => [name, length])),
    isCounted: false,
    options: { ...others, ...(types.from && types), segments: startsOnGpu(segments, checked) } as object,
    facts: context.facts,
  });
  // What a scan leaves in gaps is that of the caller's array.
  const leaves = checked.kind === "begins" && primitive === "scan" && into.data !== undefined;
  const bytes = marks.reduce(
    // The keys go in, and those of runs come out.
    (sum, [, { byteLength }]) => sum + 2 * bufferBytesFor(byteLength),
    bufferBytesFor(given.byteLength) + bufferBytesFor(given.length * types.type.bytes),
  );
  return viaGpu(context, title, given.length, bytes, async (own) => {
    const there = async (array: Given, type: ElementType): Promise<GpuArray> =>
      own(await uploadAs(context, arrays, array, await typesOf(array, { type }, title), true));
    const data = await there(given, from);
    const onGpu: Record<string, GpuArray> = { data };
    for (const [name, array, type] of marks) {
      onGpu[name] = array.data === given.data && isSameType(type, from) ? data : await there(array, type);
    }
    const operands = folds[primitive].operands.filter(({ name }) => name in onGpu);
    const called = { primitive: folds[primitive], runner: foldRunner, context, arrays, operands };
    const made = await usualRunner.run(
      called,
      request,
      onGpu,
      leaves ? await there(into, types.type) : undefined,
    );
    const rooms = [into.data && { into: into.data as never }];
    return resultOf(request, await readAll(made.map((array, at) => own(array).read(rooms[at])))) as AnyArray;
  });
}

/** The option for a call on the GPU, in which flags are bits. */
function startsOnGpu(segments: unknown, checked: CheckedSegments): object {
  const { type: _, heads: __, ...others } = segments as { readonly type?: unknown; readonly heads?: unknown };
  return checked.kind === "headBits" ? { headBits: checked.words } : others;
}

/** The arrays that say where segments start, and the types of these. */
function marksIn(
  checked: CheckedSegments,
  keys: KeysAtHand | undefined,
): readonly (readonly [name: string, array: Given, type: ElementType])[] {
  if ("rows" in checked) {
    return [];
  }
  if (keys) {
    return [["keys", keys.given, keys.type]];
  }
  const { kind, words, ends } = checked as { kind: string; words: Uint32Array; ends?: Uint32Array };
  return [[kind, givenOf(words), u32], ...(ends ? [["ends", givenOf(ends), u32] as const] : [])];
}

/** The segments of a call, and the keys if they are runs of keys. */
async function segmentsGiven(
  segments: unknown,
  given: Given,
  { type, from = type }: Pick<HandTypes, "type" | "from">,
  title: string,
): Promise<{ checked: CheckedSegments; keys: KeysAtHand | undefined }> {
  const checked = requireSegments(segments, given.length, title, given.data as AnyArray);
  if (checked.kind !== "keys") {
    return { checked, keys: undefined };
  }
  const isNamed = (segments as { readonly type?: unknown }).type !== undefined;
  const keys =
    checked.keys === given.data && !isNamed ? from : (await keysOf(checked.keys, segments, title)).type;
  const key = requireRunKey(segments as object, keys, title, "segments");
  return { checked, keys: { given: givenOf(checked.keys), type: keys, key } };
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
