import { GPUBufferUsage, MAP_READ } from "../src/gpu/device/usage_flags.ts";
import { wholeVectors } from "./copy.ts";
import type { BenchTypeName, Chunk, OperatorName } from "./elements.ts";
import { elementsOf } from "./elements.ts";

const STAGING_BYTES = 2 ** 26;
const UPLOAD_BYTES = 2 ** 24;

/** The adapter has no room for a buffer. */
export class NoRoomError extends Error {
  override name = "NoRoomError";
}

/**
 * A buffer of whole vectors; left out, its usage is that of what the bench's kernels read and write.
 *
 * @throws {NoRoomError} when there is none.
 */
export async function createBuffer(
  device: GPUDevice,
  name: string,
  bytes: number,
  usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
): Promise<GPUBuffer> {
  const size = wholeVectors(bytes);
  device.pushErrorScope("out-of-memory");
  const buffer = device.createBuffer({ label: `bench ${name}`, size, usage });
  if ((await device.popErrorScope()) !== null) {
    throw new NoRoomError(`the adapter has no room for the ${name} of ${size} bytes`);
  }
  return buffer;
}

/** The run was ended while it made data. */
export class EndedError extends Error {
  override name = "EndedError";
}

/** What goes on beside an upload. */
export interface WhileUploading {
  /** Called with each chunk of the data. */
  readonly look?: (chunk: Chunk) => void;
  /** Asked now and then whether to go on. */
  readonly isOver?: () => boolean;
}

/**
 * Lets signals and timers have their turn.
 *
 * @throws {EndedError} if the run is over then.
 */
async function pause({ isOver = () => false }: WhileUploading): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  if (isOver()) {
    throw new EndedError("the run was ended");
  }
}

/**
 * Writes an operator's data.
 *
 * @throws {EndedError} if the run is over before.
 */
export async function upload(
  device: GPUDevice,
  buffer: GPUBuffer,
  type: BenchTypeName,
  op: OperatorName,
  length: number,
  beside: WhileUploading = {},
): Promise<void> {
  const elements = elementsOf(type, op, length);
  const block = new Uint8Array(UPLOAD_BYTES);
  let filled = 0;
  let written = 0;
  const flush = (): void => {
    // Whole words: what is past an odd number of f16 is room that no kernel reads as items.
    device.queue.writeBuffer(buffer, written, block, 0, Math.ceil(filled / 4) * 4);
    written += filled;
    filled = 0;
  };
  for (let chunk = elements.next(); chunk !== undefined; chunk = elements.next()) {
    if (filled + chunk.bytes.byteLength > UPLOAD_BYTES) {
      flush();
      await pause(beside);
    }
    beside.look?.(chunk);
    block.set(chunk.bytes, filled);
    filled += chunk.bytes.byteLength;
  }
  flush();
  await device.queue.onSubmittedWorkDone();
}

/**
 * Writes 0, 1, 2 and so on, as u32.
 *
 * @throws {EndedError} if the run is over before.
 */
export async function uploadPlaces(
  device: GPUDevice,
  buffer: GPUBuffer,
  length: number,
  beside: WhileUploading = {},
): Promise<void> {
  const block = new Uint32Array(UPLOAD_BYTES / 4);
  for (let first = 0; first < length; first += block.length) {
    const count = Math.min(block.length, length - first);
    for (let at = 0; at < count; at++) {
      block[at] = first + at;
    }
    device.queue.writeBuffer(buffer, 4 * first, block, 0, count);
    await pause(beside);
  }
  await device.queue.onSubmittedWorkDone();
}

/** Reads a buffer or an array from its beginning on, piece by piece. */
export interface Reader {
  /** The next bytes, into an array of the caller's. */
  read(into: Uint8Array): Promise<void>;
  destroy(): void;
}

/** Something that can be read, each time from its beginning on. */
export type Source = () => Reader;

/** Bytes on the CPU. */
export const sourceOf =
  (bytes: Uint8Array): Source =>
  () => {
    let taken = 0;
    return {
      async read(into) {
        into.set(bytes.subarray(taken, taken + into.byteLength));
        taken += into.byteLength;
      },
      destroy() {},
    };
  };

export function readerOf(device: GPUDevice, buffer: GPUBuffer): Reader {
  const size = Math.min(STAGING_BYTES, buffer.size);
  const staging = device.createBuffer({
    label: "bench read back",
    size,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  let mapped = new Uint8Array(0);
  let taken = 0;
  let next = 0;
  return {
    async read(into) {
      for (let at = 0; at < into.byteLength; ) {
        if (taken === mapped.byteLength) {
          if (next > 0) {
            staging.unmap();
          }
          const bytes = Math.min(size, buffer.size - next);
          const encoder = device.createCommandEncoder({ label: "bench read back" });
          encoder.copyBufferToBuffer(buffer, next, staging, 0, bytes);
          device.queue.submit([encoder.finish()]);
          await staging.mapAsync(MAP_READ);
          mapped = new Uint8Array(staging.getMappedRange(), 0, bytes);
          taken = 0;
          next += bytes;
        }
        const piece = Math.min(into.byteLength - at, mapped.byteLength - taken);
        into.set(mapped.subarray(taken, taken + piece), at);
        at += piece;
        taken += piece;
      }
    },
    destroy: () => staging.destroy(),
  };
}
