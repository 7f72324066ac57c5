import { arrayOver } from "../../algebra/arrays.ts";
import type { ElementType, Value } from "../../algebra/types.ts";
import { requireType } from "../../algebra/types.ts";
import { ArgumentError, DeviceLostError, refuse, shown } from "../../errors.ts";
import type { OptionTable } from "../../options.ts";
import { requireCount, requireOptions } from "../../options.ts";
import { requireWindows } from "../../plan/window_length.ts";
import type { Length } from "../../primitives/ranges.ts";
import type { HandTypes } from "../at_hand/hand_types.ts";
import { typesOf } from "../at_hand/hand_types.ts";
import { endCall, keepBuffer, startCall } from "../device/call_memory.ts";
import type { Context } from "../device/context.ts";
import { validated } from "../device/device.ts";
import type { Given } from "../device/given.ts";
import { explain, requireDevice } from "../device/lost.ts";
import { atHand, SMALL } from "../device/transfer.ts";
import { bytesOfCopy, uploadInPieces } from "../device/transfer_pieces.ts";
import { COMPUTE_STAGE, STORAGE } from "../device/usage_flags.ts";
import { plannedLength } from "../executor/planned.ts";
import { lengthError } from "../executor/plans_of_calls.ts";
import type { Arrays } from "./gpu_array.ts";
import { GpuArray, own } from "./gpu_array.ts";

// How arrays come to be on the GPU: from typed arrays, and from buffers of the caller's.

/** What `Fold.wrap` takes. */
export interface WrapOptions<Name extends string = string, V extends Value = Value> {
  /** A buffer of yours, on the fold's device, with the usage STORAGE. */
  readonly buffer: GPUBuffer;
  /** The type of its elements. */
  readonly type: ElementType<Name, V>;
  /** The byte that the array starts at: a multiple of an element's bytes, or of 4 for elements of 8 and 16 bits. The default is 0. */
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

/** `Fold.upload`. `given` is the array as it was when the call began. */
export async function upload(
  context: Context,
  arrays: Arrays,
  given: Given,
  options: { readonly type?: unknown } = {},
): Promise<GpuArray> {
  requireOptions("upload", options, { type: true });
  return uploadAs(context, arrays, given, await typesOf(given, options, "upload"));
}

/** Uploads an array of a known type. If it is no part of another call, it waits for memory to copy through. */
export async function uploadAs(
  context: Context,
  arrays: Arrays,
  given: Given,
  { type, arrayOf }: HandTypes,
  isOfCall = false,
): Promise<GpuArray> {
  const title = `upload<${type.name}>`;
  requireFits(title, given.length, type, context, "data");
  const { byteLength } = given;
  const { kept } = context;
  const isWritten = byteLength <= Math.min(SMALL, kept.pieceBytes);
  const bytes = isWritten || isOfCall ? 0 : bytesOfCopy(byteLength, kept.pieceBytes);
  await startCall(kept, bytes);
  const staged: Promise<void>[] = [];
  let buffer: GPUBuffer;
  try {
    buffer = await atHand(context, title, async (hand) => {
      if (isWritten) {
        // Deno fails if a write has no bytes.
        return hand.leave(await (byteLength === 0 ? hand.own("array", 0) : hand.upload("array", given)));
      }
      const { made, mapped } = await uploadInPieces(context, title, hand, "array", given);
      for (const [stage, ready] of mapped) {
        hand.leave(stage);
        staged.push(
          ready.then(
            () => keepBuffer(kept, stage, kept.mostBytes),
            () => stage.destroy(),
          ),
        );
      }
      return hand.leave(made);
    });
  } finally {
    // The staging memory is free once the GPU has copied from it. Only calls that need this memory wait for that.
    void Promise.all(staged).then(() => endCall(kept, bytes));
  }
  const memory = own(context, arrays, buffer);
  const parts = { context, memory, offset: 0, maxLength: given.length, count: undefined };
  return new GpuArray(type, arrayOf, { ...parts, held: [memory] });
}

/**
 * Does the work of a call at hand that goes by way of arrays on the GPU, when there is memory for it: `bytes` bytes at most. Calls of one
 * title and about one length go one after another, since most take the same plan and the same buffers. `ofCall` takes an array that is
 * destroyed when the call ends.
 */
export async function viaGpu<T>(
  { kept }: Context,
  title: string,
  length: number,
  bytes: number,
  work: (ofCall: <Made extends GpuArray>(array: Made) => Made) => Promise<T>,
): Promise<T> {
  const made: GpuArray[] = [];
  const key = `${title} at hand ${plannedLength(length)}`;
  await startCall(kept, bytes, key);
  try {
    return await work((array) => {
      GpuArray.partsOf(array).isOfCall = true;
      made.push(array);
      return array;
    });
  } finally {
    // The call's own bytes do not count here, so that its buffers are kept if the other calls leave room.
    kept.usedBytes -= bytes;
    for (const one of made) {
      one.destroy();
    }
    kept.usedBytes += bytes;
    endCall(kept, bytes, key);
  }
}

/**
 * Reads arrays at the same time. If one read fails, the others still use memory of the call, so it waits until all are over.
 *
 * @throws what the first of those that failed was rejected with.
 */
export async function readAll<const Reads extends readonly unknown[]>(
  reads: Reads,
): Promise<{ -readonly [At in keyof Reads]: Awaited<Reads[At]> }> {
  await Promise.allSettled(reads);
  return Promise.all(reads);
}

/** @throws {LimitError} for an array that no buffer of the device holds. `option` is the argument that gives the length. */
export function requireFits(
  title: string,
  length: number,
  { bytes }: ElementType,
  { facts }: Context,
  option: string,
): void {
  try {
    requireWindows(title, length, bytes, facts.limits);
  } catch (cause) {
    throw lengthError(cause, option);
  }
}

const rangeNames = { buffer: true, offset: true, size: true };
const wrapNames = {
  buffer: true,
  type: true,
  offset: true,
  length: true,
  maxLength: true,
} as const satisfies OptionTable<WrapOptions>;

/** `Fold.wrap`. */
export async function wrap(context: Context, arrays: Arrays, options: WrapOptions): Promise<GpuArray> {
  requireOptions("wrap", options, wrapNames);
  requireDevice(context, "wrap");
  const { length, maxLength } = options;
  const type = requireType(options.type, "wrap");
  const title = `wrap<${type.name}>`;
  const { buffer, offset } = requireRange(title, options, "buffer", "offset", type.wide ? 4 : type.bytes);
  // Bindings are whole words.
  const fitting = Math.max(0, Math.floor((4 * Math.floor(buffer.size / 4) - offset) / type.bytes));
  const isOnGpu = typeof length === "object" && length !== null;
  if (maxLength !== undefined && !isOnGpu) {
    throw new ArgumentError(`${title}: maxLength is for a length on the GPU; give length alone`, "maxLength");
  }
  const option = isOnGpu ? "maxLength" : "length";
  const { [option]: most = fitting } = options;
  requireCount(title, option, most, 0);
  if (most > fitting) {
    throw new ArgumentError(
      `${title}: ${option} is ${most}, and the buffer has room for ${fitting} items of ${type.bytes} bytes from offset ${offset} on`,
      option,
    );
  }
  requireFits(title, most, type, context, option);
  const isRange = isOnGpu && "buffer" in length;
  if (isRange) {
    requireOptions(`${title}: length`, length, rangeNames);
  }
  const counted = isOnGpu
    ? requireRange(title, isRange ? length : { buffer: length as GPUBuffer }, "length", "length", 4)
    : undefined;
  if (counted !== undefined && counted.buffer.size - counted.offset < 4) {
    throw new ArgumentError(
      `${title}: length's buffer ends before its offset ${counted.offset} and four bytes more`,
      "length",
    );
  }
  await requireBindable(context, title, "buffer", buffer);
  await requireBindable(context, title, "length", counted?.buffer);
  const memory = own(context, arrays, buffer, false);
  const count = counted && { memory: own(context, arrays, counted.buffer, false), range: counted };
  const held = [memory, ...(count ? [count.memory] : [])];
  const parts = { context, memory, offset, maxLength: most, count, held };
  return new GpuArray(type, arrayOver.bind(undefined, type), parts);
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
    refuse(title, bufferOption, shown(buffer), "a GPUBuffer");
  }
  if ((usage & STORAGE) === 0) {
    throw new ArgumentError(`${title}: the buffer lacks the usage STORAGE`, bufferOption);
  }
  if (!Number.isInteger(offset) || offset < 0 || offset % unit !== 0 || offset > size) {
    throw new ArgumentError(
      `${title}: offset is ${shown(offset)} bytes; it takes a multiple of ${unit} up to the buffer's ${size} bytes`,
      offsetOption,
    );
  }
  return { buffer, offset };
}

/** The devices of callers' buffers, once they are known. */
const devices = new WeakMap<GPUBuffer, GPUDevice>();

/** @throws {ArgumentError} for a buffer of another device. Nothing else tells where a buffer belongs. */
async function requireBindable(
  context: Context,
  title: string,
  option: string,
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
    const why = (await explain(context, title, cause)) as Error;
    throw why instanceof DeviceLostError ? why : new ArgumentError(why.message, option);
  }
  devices.set(buffer, device);
}
