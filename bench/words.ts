import { readerOf } from "./buffers.ts";

// Data of words that the CPU makes again: there may be 2^28 of them.

/** A word for each index. `word_at` in bench/peers/cub.cu makes the same. */
export const wordAt = (index: number): number => {
  let word = Math.imul(index, 2654435761) >>> 0;
  word = Math.imul(word ^ (word >>> 15), 2246822519) >>> 0;
  return (word ^ (word >>> 13)) >>> 0;
};

/** Words by their places. There may be 2^28 of them, and a loop takes the least time. */
export function wordsBy(length: number, word: (at: number) => number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(length);
  for (let at = 0; at < length; at++) {
    words[at] = word(at);
  }
  return words;
}

const PIECE = 2 ** 24;

/** Writes words into a buffer, piece by piece. */
export function writeWords(device: GPUDevice, buffer: GPUBuffer, words: Uint32Array<ArrayBuffer>): void {
  for (let at = 0; at < words.length; at += PIECE) {
    device.queue.writeBuffer(buffer, 4 * at, words.subarray(at, at + PIECE));
  }
}

/** What is wrong with the words that a buffer begins with. */
export async function problemOf(
  device: GPUDevice,
  name: string,
  buffer: GPUBuffer,
  words: Uint32Array,
): Promise<string | undefined> {
  const found = new Uint32Array(words.length);
  const reader = readerOf(device, buffer);
  await reader.read(new Uint8Array(found.buffer));
  reader.destroy();
  let at = 0;
  while (at < words.length && words[at] === found[at]) {
    at++;
  }
  return at === words.length ? undefined : `${name} ${at} is ${found[at]}, and the CPU has ${words[at]}`;
}
