import type { AnyArray } from "../algebra/arrays.ts";
import { ArgumentError } from "../errors.ts";
import { wholeWords } from "../plan/plan.ts";
import type { Context } from "./context.ts";
import { allocate, explain, requireDevice, validated } from "./device.ts";
import { BufferUsage, MAP_READ } from "./flags.ts";

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
export function givenOf(data: AnyArray): Given {
  const { length, buffer, byteOffset, byteLength } = Object(data) as AnyArray;
  return { data, length, buffer, byteOffset, byteLength };
}

/** What a call at hand takes from the device. All of it is destroyed when the call ends. */
export interface Hand {
  /** What is destroyed when the call ends. */
  readonly owned: { destroy(): void }[];
  /** A buffer with room for so many bytes. */
  own(name: string, bytes: number, usage: number): Promise<GPUBuffer>;
  /** A buffer with an array's bytes, and room for `room` bytes. @throws {ArgumentError} when they are not there any more. */
  upload(name: string, from: Omit<Given, "data" | "length">, room?: number): Promise<GPUBuffer>;
  /** Submits what is recorded, and reads the first bytes of a buffer. */
  readBack(
    buffer: GPUBuffer,
    bytes: number,
    record?: (encoder: GPUCommandEncoder) => void,
  ): Promise<ArrayBuffer>;
}

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
  const { device } = context;
  const owned: { destroy(): void }[] = [];
  const own = async (name: string, bytes: number, usage: number): Promise<GPUBuffer> => {
    const label = `wavefold ${title} ${name}`;
    const buffer = await allocate(context, { label, size: wholeWords(bytes), usage }, title);
    owned.push(buffer);
    return buffer;
  };
  try {
    requireDevice(context, title);
    return await call({
      owned,
      own,
      async upload(name, { buffer, byteOffset, byteLength }, room = byteLength) {
        const made = await own(name, room, BufferUsage.STORAGE | BufferUsage.COPY_DST);
        if (byteOffset + byteLength > buffer.byteLength) {
          throw new ArgumentError(
            `${title}: the array was transferred or became shorter during the call; leave it as it is until then`,
          );
        }
        // Pass the buffer, not the view: Dawn for Node.js crashes on a view of shared memory. No device accepts shared
        // memory itself, so its bytes are copied first.
        const [source, start] =
          buffer instanceof ArrayBuffer
            ? [buffer, byteOffset]
            : [new Uint8Array(buffer, byteOffset, byteLength).slice().buffer, 0];
        // A write takes whole words. An odd number of f16 ends with half a word, which goes by a write of its own.
        const rest = byteLength % 4;
        const whole = byteLength - rest;
        device.queue.writeBuffer(made, 0, source, start, whole);
        if (rest > 0) {
          const word = new Uint8Array(4);
          word.set(new Uint8Array(source, start + whole, rest));
          device.queue.writeBuffer(made, whole, word);
        }
        return made;
      },
      async readBack(buffer, bytes, record) {
        const staging = await own("read-back", bytes, BufferUsage.MAP_READ | BufferUsage.COPY_DST);
        // If the device refuses this, the result would be zeros, so it is checked.
        const done = validated(context, title, () => {
          const encoder = device.createCommandEncoder({ label: `wavefold ${title}` });
          record?.(encoder);
          if (bytes > 0) {
            encoder.copyBufferToBuffer(buffer, 0, staging, 0, wholeWords(bytes));
          }
          device.queue.submit([encoder.finish()]);
        });
        await Promise.all([done, staging.mapAsync(MAP_READ)]);
        return staging.getMappedRange().slice(0, bytes);
      },
    });
  } catch (cause) {
    throw await explain(context, title, cause);
  } finally {
    for (const one of owned) {
      one.destroy();
    }
  }
}
