import { wholeWords } from "../../plan/plan.ts";
import { bufferBytesFor } from "./call_memory.ts";
import type { Context } from "./context.ts";
import type { Given } from "./given.ts";
import { bytesOf } from "./given.ts";
import type { Hand } from "./transfer.ts";
import { PIECES, READ, submit, WRITTEN } from "./transfer.ts";
import { MAP_READ, MAP_WRITE } from "./usage_flags.ts";

// Copies to and from the device of arrays of any length, piece by piece: while one is copied by the CPU, the GPU copies others.

/** Bytes of the staging buffers that a copy of `bytes` bytes takes at most, in pieces of `pieceBytes` bytes. */
export const bytesOfCopy = (bytes: number, pieceBytes = bytes): number =>
  (Math.min(PIECES, Math.ceil(bytes / pieceBytes) || 1) * bufferBytesFor(Math.min(bytes, pieceBytes))) / 2;

/**
 * A buffer with an array's bytes, and the staging buffers that it took, with when each of them is mapped again.
 *
 * @throws {ArgumentError} when the bytes are not there any more.
 */
export async function uploadInPieces(
  context: Context,
  title: string,
  { own, take }: Hand,
  name: string,
  from: Given,
): Promise<{ readonly made: GPUBuffer; readonly mapped: ReadonlyMap<GPUBuffer, Promise<unknown>> }> {
  const { byteLength } = from;
  const { pieceBytes } = context.kept;
  const made = await own(name, byteLength);
  const stages: GPUBuffer[] = [];
  const mapped = new Map<GPUBuffer, Promise<unknown>>();
  for (let at = 0; at < byteLength; at += pieceBytes) {
    const bytes = Math.min(pieceBytes, byteLength - at);
    const known = stages.length < PIECES ? undefined : stages.shift();
    await (known && mapped.get(known));
    const stage = known !== undefined && known.size >= bytes ? known : await take("staging", bytes, WRITTEN);
    stages.push(stage);
    const piece = bytesOf(from, title, "the array", "data").subarray(at, at + bytes);
    new Uint8Array(stage.getMappedRange()).set(piece);
    stage.unmap();
    const copied = submit(context, title, (encoder) =>
      encoder.copyBufferToBuffer(stage, 0, made, at, wholeWords(bytes)),
    );
    // Once the GPU has copied it, the staging buffer is mapped again, for the next piece or the next call.
    const ready = Promise.all([copied, stage.mapAsync(MAP_WRITE)]);
    ready.catch(() => {});
    mapped.set(stage, ready);
  }
  return { made, mapped };
}

/** Reads bytes of a buffer, as many as `target` has, from an offset on. */
export async function readInPieces(
  context: Context,
  title: string,
  { take }: Hand,
  buffer: GPUBuffer,
  target: () => Uint8Array,
  offset = 0,
): Promise<void> {
  const { byteLength } = target();
  const { pieceBytes } = context.kept;
  const stages: GPUBuffer[] = [];
  for (let at = 0; at < byteLength && stages.length < PIECES; at += pieceBytes) {
    stages.push(await take("read-back", Math.min(pieceBytes, byteLength - at), READ));
  }
  const start = (at: number, piece: number): Promise<unknown> => {
    const stage = stages[piece % PIECES] as GPUBuffer;
    const submitted = submit(context, title, (encoder) => {
      const bytes = wholeWords(Math.min(pieceBytes, byteLength - at));
      encoder.copyBufferToBuffer(buffer, offset + at, stage, 0, bytes);
    });
    const read = Promise.all([submitted, stage.mapAsync(MAP_READ)]);
    read.catch(() => {});
    return read;
  };
  const pieces = stages.map((_, piece) => start(piece * pieceBytes, piece));
  for (let at = 0, piece = 0; at < byteLength; at += pieceBytes, piece++) {
    await pieces[piece];
    const stage = stages[piece % PIECES] as GPUBuffer;
    const bytes = Math.min(pieceBytes, byteLength - at);
    target().set(new Uint8Array(stage.getMappedRange(), 0, bytes), at);
    stage.unmap();
    if (at + PIECES * pieceBytes < byteLength) {
      pieces.push(start(at + PIECES * pieceBytes, piece + PIECES));
    }
  }
}
