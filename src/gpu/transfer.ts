import type { AnyArray } from "../algebra/arrays.ts";
import { ArgumentError } from "../errors.ts";
import { wholeWords } from "../plan/plan.ts";
import type { Context } from "./context.ts";
import { allocate, explain, requireDevice, validated } from "./device.ts";
import { BufferUsage, MAP_READ, MAP_WRITE } from "./flags.ts";
import { keepBuffer, letGoOfBuffers, takeBuffer } from "./kept.ts";

/**
 * The array of a call, and its place in memory when the call began. Its elements are read later, when the kernels are
 * compiled.
 */
export interface Given {
  readonly data: AnyArray;
  readonly length: number;
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
}

/** The array of a call as it is now. If it is no array, that is an error later, when its type is asked for. */
export function givenOf(data: AnyArray | undefined): Given {
  const { length, buffer, byteOffset, byteLength } = Object(data) as AnyArray;
  return { data: data as AnyArray, length, buffer, byteOffset, byteLength };
}

/** Where a result of so many bytes goes. @throws {ArgumentError} if that is not there any more. */
export type Target = (bytes: number) => () => Uint8Array;

/** A new array of bytes, the same each time. */
export function fresh(bytes: number): () => Uint8Array {
  const made = new Uint8Array(bytes);
  return () => made;
}

/** What is given, as bytes. @throws {ArgumentError} if they are not there any more. */
export function bytesOf(
  { buffer, byteOffset, byteLength }: Omit<Given, "data" | "length">,
  caller: string,
  what: string,
  option: string,
): Uint8Array {
  if (byteOffset + byteLength > buffer.byteLength) {
    throw new ArgumentError(
      `${caller}: ${what} was transferred or became shorter during the call; leave it as it is until then`,
      option,
    );
  }
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** What a call at hand takes from the device. When the call ends, it is kept for the next call, or destroyed. */
export interface Hand {
  /** A buffer of some usage with room for so many bytes. One that is written from the CPU is mapped, and is left so. */
  take(name: string, bytes: number, usage: number): Promise<GPUBuffer>;
  /** A buffer with room for so many bytes. It may hold anything. */
  own(name: string, bytes: number): Promise<GPUBuffer>;
  /** A buffer with an array's bytes, and room for `room` bytes. @throws {ArgumentError} when they are not there any more. */
  upload(name: string, from: Omit<Given, "data" | "length">, room?: number): Promise<GPUBuffer>;
  /** The staging buffers of uploads, and when each of them is mapped again. The call waits for all that are here at its end. */
  readonly mapped: Map<GPUBuffer, Promise<unknown>>;
  /** Leaves a buffer of the call's to the caller: it is not kept when the call ends. */
  leave(buffer: GPUBuffer): GPUBuffer;
  /** Submits what is recorded, and reads bytes of a buffer, as many as `target` has, from an offset on. */
  readBack(
    buffer: GPUBuffer,
    target: () => Uint8Array,
    record?: (encoder: GPUCommandEncoder) => void,
    offset?: number,
  ): Promise<void>;
}

/** How many pieces are under way at once: while one is copied by the CPU, the GPU copies others. */
export const PIECES = 4;

/** Arrays of at most so many bytes are written by the queue: they need no staging of their own. */
const SMALL = 2 ** 16;

const DEVICE = BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST;
export const WRITTEN = BufferUsage.MAP_WRITE | BufferUsage.COPY_SRC;
export const READ = BufferUsage.MAP_READ | BufferUsage.COPY_DST;

/** Bytes of a buffer that other calls can use, too: up to 16 MiB a power of two. */
const roomOf = (bytes: number): number =>
  bytes > 2 ** 24 ? wholeWords(bytes) : 2 ** Math.max(8, Math.ceil(Math.log2(bytes)));

/**
 * A buffer with room for so many bytes: a kept one, or a new one. It may hold anything.
 *
 * @throws {OutOfMemoryError}
 */
export function roomFor(
  context: Context,
  title: string,
  name: string,
  bytes: number,
  usage = DEVICE,
): GPUBuffer | Promise<GPUBuffer> {
  const { kept } = context;
  const descriptor = {
    label: `wavefold ${title} ${name}`,
    size: roomOf(bytes),
    usage,
    mappedAtCreation: usage === WRITTEN,
  };
  const make = (): Promise<GPUBuffer> => allocate(context, descriptor, title, bytes);
  return (
    takeBuffer(kept, descriptor.size, usage) ??
    make().catch((cause: unknown) => {
      if (kept.buffers.length === 0) {
        throw cause;
      }
      // The kept buffers may be what takes the room.
      letGoOfBuffers(kept, 0);
      return make();
    })
  );
}

/** Submits what is recorded. If the device refused it, the result would be zeros, so that is checked. */
export const submit = (
  context: Context,
  title: string,
  record: (encoder: GPUCommandEncoder) => void,
): Promise<void> =>
  validated(context, title, () => {
    const { device } = context;
    const encoder = device.createCommandEncoder({ label: `wavefold ${title}` });
    record(encoder);
    device.queue.submit([encoder.finish()]);
  });

/**
 * One call from array to array.
 *
 * @throws {OutOfMemoryError} {@link DeviceLostError} {@link ArgumentError} for an array that becomes shorter meanwhile.
 */
export async function atHand<T>(
  context: Context,
  title: string,
  call: (hand: Hand) => Promise<T>,
): Promise<T> {
  const { device, kept } = context;
  const { pieceBytes } = kept;
  const owned: GPUBuffer[] = [];
  // The staging buffers that the call's uploads take in turn. `mapped` says when each of them can be written again.
  const stages: GPUBuffer[] = [];
  const mapped = new Map<GPUBuffer, Promise<unknown>>();
  const take = async (name: string, bytes: number, usage: number): Promise<GPUBuffer> => {
    const buffer = await roomFor(context, title, name, bytes, usage);
    owned.push(buffer);
    return buffer;
  };
  const own = (name: string, bytes: number): Promise<GPUBuffer> => take(name, bytes, DEVICE);
  try {
    requireDevice(context, title);
    const result = await call({
      take,
      own,
      mapped,
      async upload(name, from, room = from.byteLength) {
        const { byteLength } = from;
        const made = await own(name, room);
        const given = (): Uint8Array => bytesOf(from, title, "the array", "data");
        if (byteLength <= Math.min(SMALL, pieceBytes)) {
          // The bytes are copied: Dawn for Node.js crashes on a view of shared memory, and a write takes whole words, which
          // an odd number of f16 is not.
          const bytes = new Uint8Array(wholeWords(byteLength));
          bytes.set(given());
          device.queue.writeBuffer(made, 0, bytes);
          return made;
        }
        for (let at = 0; at < byteLength; at += pieceBytes) {
          const bytes = Math.min(pieceBytes, byteLength - at);
          const known = stages.length < PIECES ? undefined : stages.shift();
          await (known && mapped.get(known));
          const stage =
            known !== undefined && known.size >= bytes ? known : await take("staging", bytes, WRITTEN);
          stages.push(stage);
          const piece = given().subarray(at, at + bytes);
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
        return made;
      },
      leave(buffer) {
        owned.splice(owned.indexOf(buffer), 1);
        return buffer;
      },
      async readBack(buffer, target, record = () => {}, offset = 0) {
        const { byteLength } = target();
        const stages: GPUBuffer[] = [];
        for (let at = 0; at < byteLength && stages.length < PIECES; at += pieceBytes) {
          stages.push(await take("read-back", Math.min(pieceBytes, byteLength - at), READ));
        }
        const start = (at: number, piece: number): Promise<unknown> => {
          const stage = stages[piece % PIECES];
          const submitted = submit(context, title, (encoder) => {
            if (at === 0) {
              record(encoder);
            }
            if (stage !== undefined) {
              const bytes = wholeWords(Math.min(pieceBytes, byteLength - at));
              encoder.copyBufferToBuffer(buffer, offset + at, stage, 0, bytes);
            }
          });
          const read = Promise.all([submitted, stage?.mapAsync(MAP_READ)]);
          read.catch(() => {});
          return read;
        };
        const pieces = [start(0, 0)];
        for (let piece = 1; piece < stages.length; piece++) {
          pieces.push(start(piece * pieceBytes, piece));
        }
        // Also if nothing is read.
        await pieces[0];
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
      },
    });
    await Promise.all(mapped.values());
    // The buffer that was taken first is left last. So the next call takes each buffer for the same purpose.
    for (const one of owned.splice(0).reverse()) {
      keepBuffer(kept, one);
    }
    return result;
  } catch (cause) {
    throw await explain(context, title, cause);
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
}
