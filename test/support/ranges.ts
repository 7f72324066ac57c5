import type { AnyArray } from "../../src/algebra/arrays.ts";
import { arrayLike, arrayOver } from "../../src/algebra/arrays.ts";
import type { ElementType } from "../../src/algebra/types.ts";
import { readWords, storageBuffer } from "./buffers.ts";
import { expectSameBits } from "./compare.ts";

/** Where the input and the output start, in items, and whether they lie in one buffer. */
export interface Places {
  readonly input: number;
  readonly output: number;
  readonly shared: boolean;
}

/** What a prepared scan or reduction is recorded with. */
export interface PlacedRanges {
  readonly input: { readonly buffer: GPUBuffer; readonly offset: number };
  readonly output: { readonly buffer: GPUBuffer; readonly offset: number };
  readonly length: number;
}

const POISON = 0xa5;
/** Bytes behind a range that must stay as they were: more than any binding's alignment. */
const BEHIND = 300;

/**
 * Records with ranges of this arrangement, in buffers full of poison, and checks every byte but the output's.
 *
 * @returns the output: as many items as are asked for.
 */
export async function runPlaced<A extends AnyArray>(
  device: GPUDevice,
  type: ElementType,
  data: A,
  items: number,
  { input, output, shared }: Places,
  record: (encoder: GPUCommandEncoder, ranges: PlacedRanges) => void,
  title: string,
  // Items that both ranges have room for: a compaction's output for all, and where the length is on the GPU for most.
  room: number = Math.max(items, data.length),
  // The output's type, where it is another.
  outputType: ElementType = type,
): Promise<A> {
  const bytesOf = (end: number): Uint8Array => new Uint8Array(Math.ceil((end + BEHIND) / 4) * 4).fill(POISON);
  const inputBytes = data.length * type.bytes;
  const outputBytes = room * outputType.bytes;
  const from = input * type.bytes;
  const to = output * outputType.bytes;
  const end = to + items * outputType.bytes;
  const fromEnd = from + room * type.bytes;
  const source = bytesOf(shared ? Math.max(fromEnd, to + outputBytes) : fromEnd);
  source.set(new Uint8Array(data.buffer as ArrayBuffer, data.byteOffset, inputBytes), from);
  const target = shared ? source : bytesOf(to + outputBytes);
  const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.slice().buffer);
  const sourceBuffer = storageBuffer(device, wordsOf(source));
  const targetBuffer = shared ? sourceBuffer : storageBuffer(device, wordsOf(target));
  const encoder = device.createCommandEncoder();
  record(encoder, {
    input: { buffer: sourceBuffer, offset: from },
    output: { buffer: targetBuffer, offset: to },
    length: data.length,
  });
  device.queue.submit([encoder.finish()]);
  const seen = new Uint8Array((await readWords(device, targetBuffer)).buffer);
  const result = seen.slice(to, end);
  // All but the output is compared with what was there.
  seen.set(target.subarray(to, end), to);
  expectSameBits(wordsOf(seen), wordsOf(target), `${title}: around the output`);
  if (!shared) {
    expectSameBits(await readWords(device, sourceBuffer), wordsOf(source), `${title}: the input`);
  }
  for (const buffer of new Set([sourceBuffer, targetBuffer])) {
    buffer.destroy();
  }
  return outputType === type ? arrayLike(data, result.buffer) : (arrayOver(outputType, result.buffer) as A);
}
