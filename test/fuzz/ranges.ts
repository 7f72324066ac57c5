import type { Fixture } from "./fixture.ts";
import { attempt, Fault, oneLine } from "./verdict.ts";

// What recordings read and write: ranges that start anywhere in a buffer, whose bytes are all compared.

/** The bytes behind a range, at least. */
export const BEHIND = 16;
/** The bytes that nothing wrote. */
export const FILL = 0x5a;

/** Bytes of a range between others, which nothing may write. */
export function placed(bytes: Uint8Array, before: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(Math.ceil((before + bytes.length + BEHIND) / 4) * 4).fill(FILL);
  all.set(bytes, before);
  return all;
}

/** Makes a range's buffer, with these bytes in it. What it makes goes to `made`. */
export const bufferMaker =
  (device: GPUDevice, made: GPUBuffer[]) =>
  (bytes: Uint8Array<ArrayBuffer>): GPUBuffer => {
    const buffer = device.createBuffer({ size: bytes.length, usage: 0x80 | 0x4 | 0x8 });
    device.queue.writeBuffer(buffer, 0, bytes);
    made.push(buffer);
    return buffer;
  };

/** A buffer, and the bytes that it must hold. */
export interface Expected {
  readonly name: string;
  readonly buffer: GPUBuffer;
  readonly bytes: Uint8Array;
}

/**
 * A plan that is prepared now, or was before under that key; undefined where it is refused.
 *
 * @throws {Fault} if it must work, and is refused for another reason than a limit.
 */
export async function preparedOn<T extends { destroy(): void }>(
  fixture: Fixture,
  key: string,
  title: string,
  mustWork: boolean,
  prepare: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await fixture.kept(key, async () => {
      const made = await attempt(`prepare ${title}`, false, prepare);
      if ("refusal" in made) {
        throw made.refusal;
      }
      return made.result;
    });
  } catch (cause) {
    if (cause instanceof Fault || (mustWork && (cause as Error).name !== "LimitError")) {
      throw cause instanceof Fault
        ? cause
        : new Fault(`${title} is refused, and must work: ${oneLine(cause)}`);
    }
    return undefined;
  }
}

/**
 * Submits what was recorded, and compares the buffers. What it makes goes to `made`.
 *
 * @throws {Fault} for a byte that is wrong. `wrong` says in what.
 */
export async function requireBytes(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  expected: readonly Expected[],
  made: GPUBuffer[],
  wrong: (name: string) => string,
): Promise<void> {
  const stages = expected.map(({ buffer }) => {
    const stage = device.createBuffer({ size: buffer.size, usage: 0x1 | 0x8 });
    encoder.copyBufferToBuffer(buffer, 0, stage, 0, buffer.size);
    made.push(stage);
    return stage;
  });
  device.queue.submit([encoder.finish()]);
  for (const [at, { name, bytes }] of expected.entries()) {
    const stage = stages[at] as GPUBuffer;
    await stage.mapAsync(0x1);
    const actual = new Uint8Array(stage.getMappedRange());
    const place = bytes.findIndex((byte, index) => byte !== actual[index]);
    if (place >= 0) {
      throw new Fault(`${wrong(name)}: byte ${place} is ${actual[place]}, and should be ${bytes[place]}`);
    }
  }
}
