import { powerOfTwoFor } from "../../algebra/power_of_two.ts";
import { ArgumentError } from "../../errors.ts";
import { wholeWords } from "../../plan/plan.ts";
import { keepBuffer, takeBuffer } from "./call_memory.ts";
import type { Context } from "./context.ts";
import { allocate, validated } from "./device.ts";
import type { Place } from "./given.ts";
import { bytesOf } from "./given.ts";
import { letGoOfBuffers } from "./kept.ts";
import { explain, requireDevice } from "./lost.ts";
import { COPY_DST, COPY_SRC, MAP_READ, MAP_WRITE, STORAGE } from "./usage_flags.ts";

/** A buffer's first bytes, to be read. `use` gets them; they are gone when it returns. */
export interface ReadBack {
  readonly buffer: GPUBuffer;
  readonly bytes: number;
  use(bytes: Uint8Array): void;
}

/** What a call at hand takes from the device. When the call ends, it is kept for the next call, or destroyed. */
export interface Hand {
  /** A buffer of some usage with at least `bytes` bytes. One that is written from the CPU is mapped, and is left so. */
  take(name: string, bytes: number, usage: number): GPUBuffer | Promise<GPUBuffer>;
  /** A buffer of at least `bytes` bytes. It may hold anything. */
  own(name: string, bytes: number): GPUBuffer | Promise<GPUBuffer>;
  /**
   * A buffer with room for `room` bytes. It has an array's bytes as soon as `readBack` is called. The array is no longer than a
   * piece. @throws {ArgumentError} when the bytes are not there any more.
   */
  upload(name: string, from: Place, room?: number): Promise<GPUBuffer>;
  /** Leaves a buffer of the call's to the caller: it is not kept when the call ends. */
  leave(buffer: GPUBuffer): GPUBuffer;
  /**
   * Submits what is encoded, all at once, and reads what it left. `isKnown` says that the device took the same commands before,
   * so that it need not be asked whether it takes them.
   */
  readBack(
    parts: readonly ReadBack[],
    encode?: (encoder: GPUCommandEncoder) => void,
    isKnown?: boolean,
  ): Promise<void>;
}

/** How many pieces are under way at once: while one is copied by the CPU, the GPU copies others. */
export const PIECES = 4;

/** The most bytes of an array that the queue writes: such arrays need no staging of their own. */
export const SMALL = 2 ** 16;

const DEVICE = STORAGE | COPY_SRC | COPY_DST;
export const WRITTEN = MAP_WRITE | COPY_SRC;
export const READ = MAP_READ | COPY_DST;

/** Bytes of a buffer that other calls can use, too: up to 16 MiB a power of two. */
const roomOf = (bytes: number): number =>
  bytes > 2 ** 24 ? wholeWords(bytes) : powerOfTwoFor(Math.max(256, bytes));

/**
 * A buffer of at least `bytes` bytes: a kept one, or a new one. It may hold anything.
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
  const size = roomOf(bytes);
  const make = (): Promise<GPUBuffer> => {
    // Calls under way and kept buffers together must not have more than `maxKeptBytes`.
    letGoOfBuffers(kept);
    return allocate(
      context,
      { label: `wavefold ${title} ${name}`, size, usage, mappedAtCreation: usage === WRITTEN },
      title,
      bytes,
    );
  };
  return (
    takeBuffer(kept, size, usage) ??
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

/** Submits what is encoded. If the device refused it, the result would be zeros, so that is checked. */
export function submit(
  context: Context,
  title: string,
  encode: (encoder: GPUCommandEncoder) => void,
  isKnown = false,
): void | Promise<void> {
  const run = (): void => {
    const { device } = context;
    // Labels serve error messages, and take as long as a dispatch. The device took these commands before.
    const encoder = device.createCommandEncoder(isKnown ? undefined : { label: `wavefold ${title}` });
    encode(encoder);
    device.queue.submit([encoder.finish()]);
  };
  return isKnown ? run() : validated(context, title, run);
}

/**
 * One call from array to array. Its buffers are counted among those of calls under way.
 *
 * @throws {OutOfMemoryError} {@link DeviceLostError} {@link ArgumentError} for an array that becomes shorter meanwhile.
 */
export async function atHand<T>(
  context: Context,
  title: string,
  call: (hand: Hand) => Promise<T>,
): Promise<T> {
  const { device, kept } = context;
  const owned: GPUBuffer[] = [];
  // Staging buffers that are written, what they are copied to, and how many bytes.
  let staged: [GPUBuffer, GPUBuffer, number][] = [];
  // When each of them can be written again.
  const writable: Promise<unknown>[] = [];
  const take = (name: string, bytes: number, usage: number): GPUBuffer | Promise<GPUBuffer> => {
    const add = (buffer: GPUBuffer): GPUBuffer => {
      owned.push(buffer);
      return buffer;
    };
    const made = roomFor(context, title, name, bytes, usage);
    return "then" in made ? made.then(add) : add(made);
  };
  const own = (name: string, bytes: number): GPUBuffer | Promise<GPUBuffer> => take(name, bytes, DEVICE);
  try {
    requireDevice(context, title);
    const result = await call({
      take,
      own,
      async upload(name, from, room = from.byteLength) {
        const made = await own(name, room);
        const { byteLength } = from;
        const size = wholeWords(byteLength);
        const stage = byteLength > SMALL ? await take("staging", size, WRITTEN) : undefined;
        const given = bytesOf(from, title, "the array", "data");
        if (stage) {
          new Uint8Array(stage.getMappedRange()).set(given);
          stage.unmap();
          staged.push([stage, made, size]);
        } else {
          // Dawn for Node.js crashes on a view of shared memory, and a write takes whole words, which an odd number of f16 is
          // not. Such bytes are copied.
          const isPlain = size === byteLength && given.buffer instanceof ArrayBuffer;
          const bytes = (isPlain ? given : new Uint8Array(size)) as Uint8Array<ArrayBuffer>;
          if (!isPlain) {
            bytes.set(given);
          }
          device.queue.writeBuffer(made, 0, bytes);
        }
        return made;
      },
      leave(buffer) {
        owned.splice(owned.indexOf(buffer), 1);
        return buffer;
      },
      async readBack(parts, encode, isKnown) {
        const copies = staged;
        staged = [];
        // A read of no bytes still copies a word.
        const all = parts.reduce((sum, { bytes }) => sum + wholeWords(bytes), 0);
        const stage = await take("read-back", all, READ);
        const encodeWithCopies = (encoder: GPUCommandEncoder): void => {
          for (const [from, to, bytes] of copies) {
            encoder.copyBufferToBuffer(from, 0, to, 0, bytes);
          }
          encode?.(encoder);
          let at = 0;
          for (const { buffer, bytes } of parts) {
            encoder.copyBufferToBuffer(buffer, 0, stage, at, wholeWords(bytes));
            at += wholeWords(bytes);
          }
        };
        const submitted = submit(context, title, encodeWithCopies, isKnown);
        for (const [from] of copies) {
          const mapped = from.mapAsync(MAP_WRITE);
          mapped.catch(() => {});
          writable.push(mapped);
        }
        const mapped = stage.mapAsync(MAP_READ);
        await (submitted ? Promise.all([submitted, mapped]) : mapped);
        const range = stage.getMappedRange();
        let at = 0;
        for (const { bytes, use } of parts) {
          use(new Uint8Array(range, at, bytes));
          at += wholeWords(bytes);
        }
        stage.unmap();
      },
    });
    for (const one of writable) {
      await one;
    }
    // The buffer that was taken first is left last. So the next call takes each buffer for the same purpose.
    for (const one of owned.splice(0).reverse()) {
      keepBuffer(kept, one, kept.mostBytes);
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
