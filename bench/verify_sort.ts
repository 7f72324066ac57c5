import type { Source } from "./buffers.ts";
import type { BenchTypeName } from "./elements.ts";
import { benchTypes, bytesOf, CHUNK, decode } from "./elements.ts";
import type { Question } from "./verify.ts";

// What a sort of a sum's data must be. The data has no NaN and no -0, so that numbers compare as keys do.

type Keys =
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>;

/** The keys that lie in these bytes. */
function keysIn(type: BenchTypeName, bytes: Uint8Array<ArrayBuffer>): Keys {
  const { buffer, byteOffset, byteLength } = bytes;
  switch (type) {
    case "u32":
      return new Uint32Array(buffer, byteOffset, byteLength / 4);
    case "u64":
      return new BigUint64Array(buffer, byteOffset, byteLength / 8);
    case "i64":
      return new BigInt64Array(buffer, byteOffset, byteLength / 8);
    default:
      return decode(type, bytes);
  }
}

/** All keys of an operator's data. */
const keysOf = ({ type, op, length }: Question): Keys =>
  keysIn(type, bytesOf(type, op, length).subarray(0, length * benchTypes[type].type.bytes));

/** Reads `length` items, chunk by chunk: `bytes` are used again for the next chunk. */
async function eachChunk(
  length: number,
  sources: readonly { readonly source: Source; readonly bytes: number }[],
  look: (first: number, chunks: readonly Uint8Array<ArrayBuffer>[]) => string | undefined,
): Promise<string | undefined> {
  const open = sources.map(({ source, bytes }) => ({
    reader: source(),
    bytes,
    block: new Uint8Array(CHUNK * bytes),
  }));
  try {
    for (let first = 0; first < length; first += CHUNK) {
      const count = Math.min(CHUNK, length - first);
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      for (const { reader, bytes, block } of open) {
        const chunk = block.subarray(0, count * bytes);
        await reader.read(chunk);
        chunks.push(chunk);
      }
      const problem = look(first, chunks);
      if (problem !== undefined) {
        return problem;
      }
    }
    return undefined;
  } finally {
    for (const { reader } of open) {
      reader.destroy();
    }
  }
}

/** Compares sorted keys with the CPU's, each of them: what is wrong, or nothing. */
export function verifySort(
  question: Question,
  { output }: { readonly output: Source },
): Promise<string | undefined> {
  const { type, length } = question;
  const expected = keysOf(question).sort();
  const { bytes } = benchTypes[type].type;
  return eachChunk(length, [{ source: output, bytes }], (first, [chunk]) => {
    const actual = keysIn(type, chunk as Uint8Array<ArrayBuffer>);
    for (let at = 0; at < actual.length; at++) {
      if (actual[at] !== expected[first + at]) {
        return `key ${first + at} is ${actual[at]}, and the CPU has ${expected[first + at]}`;
      }
    }
    return undefined;
  });
}

/**
 * Looks whether keys and their positions are in order: each position comes once, and with its key, keys never fall, and equal
 * ones keep their order. One result alone is like that. It answers what is wrong, or nothing.
 */
export function verifyPairs(
  question: Question,
  { output, positions }: { readonly output: Source; readonly positions: Source },
): Promise<string | undefined> {
  const { type, length } = question;
  const data = keysOf(question);
  const { bytes } = benchTypes[type].type;
  const seen = new Uint8Array(length);
  let last: number | bigint | undefined;
  let lastPosition = 0;
  const sources = [
    { source: output, bytes },
    { source: positions, bytes: 4 },
  ];
  return eachChunk(length, sources, (first, [keyBytes, positionBytes]) => {
    const keys = keysIn(type, keyBytes as Uint8Array<ArrayBuffer>);
    const places = new Uint32Array((positionBytes as Uint8Array<ArrayBuffer>).buffer, 0, keys.length);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number | bigint;
      const position = places[at] as number;
      const pair = (): string => `pair ${first + at}, ${key} of place ${position},`;
      if (position >= length || seen[position] === 1) {
        return `${pair()} is there twice, or has no place in the data`;
      }
      if (data[position] !== key) {
        return `${pair()} has another key than the data, ${data[position]}`;
      }
      if (last !== undefined && (key < last || (key === last && position < lastPosition))) {
        return `${pair()} comes after ${last} of place ${lastPosition}`;
      }
      seen[position] = 1;
      last = key;
      lastPosition = position;
    }
    return undefined;
  });
}
